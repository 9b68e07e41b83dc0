#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A real matrix: the multiplication matrix of the Katsura-9 system, 512 x 512, raised to the power
# 1024 by repeated squaring on every backend; each product is compared with FLINT's entry by entry,
# and the power is written, read back and compared across backends.
set -euo pipefail

bench=${1:-$MODBLAS_BUILD/modblas-bench}
data=$MODBLAS_SOURCE/tests/data
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! "$bench" --size 2 --modulus 3 --backend host --verify flint >/dev/null 2>&1; then
    echo "skipped: the powers of a real matrix (modblas-bench was built without FLINT)"
    exit 77
fi

backends=host
if "$bench" --list-devices | grep -q '^cuda'; then
    backends="host cuda"
else
    echo "skipped: backend cuda (no device of it is listed)"
fi
for modulus in 2147483647 65521; do
    expect=()
    for backend in $backends; do
        "$bench" --backend "$backend" --input "$data/katsura9_mod$modulus.npy" \
            --modulus "$modulus" --power 1024 --verify flint --seconds 0.05 \
            --output-matrix "$work/$backend.npy" "${expect[@]}"
        expect=(--expect "$work/$backend.npy")
    done
done
