#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The worked example: the minimal polynomial of the Katsura-9 system modulo 2^31-1, by vectors and
# by blocks of vectors, on every backend.
set -euo pipefail

fglm=$MODBLAS_BUILD/modblas-fglm
data=$MODBLAS_SOURCE/tests/data/katsura9_mod2147483647.npy
if [[ ! -x $fglm ]]; then
    echo "skipped: the worked example (it was not built, since FLINT is missing)"
    exit 77
fi

backends=host
if "$MODBLAS_BUILD/modblas-bench" --list-devices | grep -q '^cuda'; then
    backends="host cuda"
else
    echo "skipped: backend cuda (no device of it is listed)"
fi
for backend in $backends; do
    for columns in 1 32; do
        found=$("$fglm" "$data" 2^31-1 1024 "$columns" "$backend")
        echo "$found"
        grep -qF "degree 512, x^511: 1675762956, x: 1640461241, 1: 0; $columns of $columns columns" \
            <<<"$found"
    done
done
if "$fglm" "$data" 15 1024 1 2>/dev/null; then
    echo "a modulus that is not prime was taken"
    exit 1
fi
