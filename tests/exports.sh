#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What the libraries export is what their headers declare: no more, no less.
set -euo pipefail

exported() { "${NM:-nm}" -D --defined-only "$1" | awk '{ print $3 }' | sort -u; }

# The name after MODBLAS_API is the first one followed by a parenthesis.
declared() {
    grep -v '^ *#' "$1" | tr '\n' ' ' | grep -o 'MODBLAS_API[^(;]*(' |
        sed -E 's/ *\($//; s/.*[ *]//' | sort -u
}

failed=0
same() { # same <name> <expected> <library>
    local difference
    if [[ -z $2 ]]; then
        echo "$1: no function is declared, so this test reads its header wrongly"
        failed=1
    elif ! difference=$(diff <(echo "$2") <(exported "$3")); then
        printf '%s: < declared, > exported\n%s\n' "$1" "$difference"
        failed=1
    else
        echo "$1: $(wc -l <<<"$2") symbols"
    fi
}

include=$MODBLAS_SOURCE/include
# With sanitizers the compiler exports symbols of its own.
if [[ -n ${MODBLAS_SANITIZE:-} ]]; then
    echo "a build with sanitizers is not looked at"
    exit 77
fi
same libmodblas.so "$(declared "$include/modblas.h")" "$MODBLAS_BUILD/libmodblas.so"
if [[ -n ${MODBLAS_CUDA_MODULE:-} ]]; then
    same libmodblas_cuda.so mb_cuda_module "$MODBLAS_CUDA_MODULE"
fi
if [[ -e $MODBLAS_BUILD/libmodblas_flint.so ]]; then
    same libmodblas_flint.so "$(declared "$include/modblas_flint.h")" \
        "$MODBLAS_BUILD/libmodblas_flint.so"
fi
exit $failed
