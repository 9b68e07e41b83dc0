#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs the build into a folder of its own, builds the client there through find_package and
# through pkg-config, and reads the header as C++17.
set -euo pipefail

if [[ -n ${MODBLAS_SANITIZE:-} ]]; then
    echo "a build with sanitizers is not installed"
    exit 77
fi
client=$MODBLAS_SOURCE/tests/client
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
cc=${CC:-cc}
# The installed tree finds its modules by itself.
unset MODBLAS_CUDA_MODULE
expected="9 2 3 0" # 19 22 43 50 mod 10

run() { # run <way> <program>
    local got
    got=$("$2")
    [[ $got == "$expected" ]] || { echo "$1: got '$got', not '$expected'"; exit 1; }
    echo "$1: right"
}

"$CMAKE" --install "$MODBLAS_BUILD" --prefix "$prefix" >"$work/log"

"$CMAKE" -S "$client" -B "$work/build" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_PREFIX_PATH="$prefix" >>"$work/log"
"$CMAKE" --build "$work/build" >>"$work/log"
run find_package "$work/build/client"
[[ ! -x $work/build/flint_client ]] || run "find_package with FLINT" "$work/build/flint_client"

if command -v pkg-config >/dev/null; then
    pc=$(find "$prefix" -name modblas.pc)
    export PKG_CONFIG_PATH=${pc%/*}
    read -ra flags <<<"$(pkg-config --cflags --libs modblas)"
    "$cc" -std=c11 -Wall -Wextra -Werror "$client/client.c" "${flags[@]}" -o "$work/client"
    libdir=$(dirname "$(find "$prefix" -name libmodblas.so)")
    LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} run pkg-config "$work/client"
    if [[ -e ${pc%/*}/modblas_flint.pc ]] && [[ -x $work/build/flint_client ]]; then
        read -ra flags <<<"$(pkg-config --cflags --libs modblas_flint)"
        "$cc" -std=c11 "$client/flint_client.c" "${flags[@]}" -o "$work/flint_client"
        LD_LIBRARY_PATH=$libdir:${LD_LIBRARY_PATH:-} run "pkg-config with FLINT" "$work/flint_client"
    fi
else
    echo "skipped: pkg-config is not here"
fi

if command -v c++ >/dev/null; then
    echo '#include <modblas.h>' |
        c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I "$prefix/include" -x c++ -
    echo "C++17: right"
else
    echo "skipped: no C++ compiler is here"
fi

# The installed bench finds the CUDA module from bin/ where the one that was built finds it.
if [[ -x $prefix/bin/modblas-bench ]]; then
    built=$("$MODBLAS_BUILD/modblas-bench" --list-devices | grep -o '^[a-z]* [0-9]*')
    installed=$("$prefix/bin/modblas-bench" --list-devices | grep -o '^[a-z]* [0-9]*')
    [[ $built == "$installed" ]] || { echo "devices: $installed, not $built"; exit 1; }
    echo "modblas-bench: right"
fi
