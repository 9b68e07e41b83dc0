#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Gathers into .deps/ what gpu-check.sh needs on a host without a package registry: the packages,
# and the commit, since a copy of the tree may come without .git. Run it on Debian or Ubuntu, with
# a C library no newer than that host's, and again after each change to the tree.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/tree-sum.sh

wanted=(libflint-dev check libopenblas-openmp-dev libdnnl-dev)
# A host with a compiler has these, perhaps newer; older ones must not come before them.
present='^(libc6|libgcc-s1|libstdc\+\+6|libgomp1|gcc-[0-9]+-base|mawk)$'

mkdir -p .deps
packages=$(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks \
    --no-replaces --no-enhances "${wanted[@]}" | grep '^[a-z]' | grep -Ev "$present" | sort -u)
for package in $packages; do
    if ! compgen -G ".deps/${package}_*.deb" >/dev/null; then
        (cd .deps && apt-get -qq -o APT::Sandbox::User="$(id -un)" download "$package")
    fi
done

commit=$(git rev-parse --verify --quiet HEAD || echo unknown)
if [[ -n $(git status --porcelain) ]]; then commit+=-dirty; fi
echo "$commit" >.deps/commit
tree_sum >.deps/tree

echo "$(find .deps -name '*.deb' | wc -l) packages, $(du -sh .deps | cut -f1), commit $commit"
