# SPDX-License-Identifier: BSD-3-Clause
# Sourced by bundle-deps.sh and gpu-check.sh.
# shellcheck shell=bash

# A checksum of all that is built, taken where .git is and compared where it is not.
tree_sum() {
    find CMakeLists.txt cmake include src kernels bench tests -type f ! -path 'bench/results/*' \
        -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum
}
