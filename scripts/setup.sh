# SPDX-License-Identifier: BSD-3-Clause
# Sourced by bench.sh and test.sh: installs what is missing, configures and builds in build/.
# Where everything is there, nothing is installed and no network is used.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${MODBLAS_BUILD_DIR:-$root/build}
jobs=$(nproc)

# nvcc's standard place is often not in PATH.
nvcc=$(command -v nvcc || true)
if [[ -z $nvcc && -x /usr/local/cuda/bin/nvcc ]]; then nvcc=/usr/local/cuda/bin/nvcc; fi

has_command() { command -v "$1" >/dev/null; }
has_header() { echo "#include <$1>" | cc -E -x c - >/dev/null 2>&1; }
has_python() { has_command python3 && python3 -c 'import sys; exit(sys.version_info < (3, 10))'; }
has_cmake() {
    has_command cmake || return 1
    local version
    version=$(cmake --version | sed -n '1s/[^0-9]*//p')
    [[ $(printf '3.25\n%s\n' "${version%%-*}" | sort -V | head -n 1) == 3.25 ]]
}
# Debian's reference CBLAS has the same header, and is slow.
has_openblas() {
    has_header cblas.h &&
        { pkg-config --exists openblas || echo 'int main(void) { return 0; }' |
            cc -x c - -o /dev/null -lopenblas 2>/dev/null; }
}

# Prints the packages that are missing, a word each.
missing_packages() {
    has_command cc || echo gcc libc6-dev
    has_cmake || echo cmake
    has_command ninja || has_command make || echo ninja-build
    has_command git || echo git
    has_command pkg-config || echo pkg-config
    has_header flint/flint.h || echo libflint-dev
    has_header check.h || echo check
    has_openblas || echo libopenblas-openmp-dev libopenblas0-openmp
    has_header oneapi/dnnl/dnnl.h || echo libdnnl-dev
    if ! has_command python3; then
        echo python3 python3-venv
    elif ! python3 -c 'import ensurepip' 2>/dev/null; then
        echo python3-venv
    fi
    if [[ -n $nvcc ]]; then has_command g++ || echo g++; fi
}

apt_get() {
    local -a as_root=()
    [[ $(id -u) == 0 ]] || as_root=(sudo)
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y "$@"
}

# A second try, since mirrors fail now and then.
install_packages() {
    { apt_get update && apt_get install --no-install-recommends "$@"; } ||
        { sleep 5 && apt_get update && apt_get install --no-install-recommends "$@"; }
}

install_missing() {
    local missing
    missing=$(missing_packages | tr '\n' ' ')
    [[ -n $missing ]] || return 0
    echo "missing: $missing"
    if ! has_command apt-get; then
        echo "no apt-get here: install them by hand; going on without"
    elif [[ $(id -u) != 0 ]] && ! has_command sudo; then
        echo "neither root nor sudo: ask for them; going on without"
    else
        # shellcheck disable=SC2086 # word splitting is meant
        install_packages $missing || echo "apt-get failed; going on without"
    fi
    if ! { has_command cc && has_cmake; }; then
        echo "a C compiler and CMake 3.25 or later are needed" >&2
        return 1
    fi
}

# build_tree [cmake arguments]
build_tree() {
    local -a generator=()
    if has_command ninja && [[ ! -e $build/CMakeCache.txt ]]; then generator=(-G Ninja); fi
    cmake -S "$root" -B "$build" "${generator[@]}" "$@"
    cmake --build "$build" --parallel "$jobs"
}
