#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing, builds, and runs all tests; arguments go to ctest.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

install_missing
build_tree -DMODBLAS_TESTS=ON

skipped() { echo "skipped: $*"; }
if [[ ! -e $build/libmodblas_cuda.so ]]; then
    skipped "the CUDA module is not built (no nvcc with cuBLAS, or MODBLAS_CUDA=OFF)"
fi
if ! nvidia-smi -L >/dev/null 2>&1; then
    skipped "tests on the CUDA backend do not run (no GPU)"
fi
for option in FLINT CBLAS ONEDNN; do
    has_line=$(sed -n "s/^MODBLAS_WITH_$option:INTERNAL=//p" "$build/CMakeCache.txt")
    [[ $has_line != FALSE ]] || skipped "$option (see the summary above)"
done

ctest --test-dir "$build" --output-on-failure --parallel "$jobs" "$@"
