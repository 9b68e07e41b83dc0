#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# sanitize.sh [stage...]: the tests under sanitizers, and what compilers can find without running;
# any finding is an error. Stages (default: all):
#   address   ASan, LSan and UBSan of clang, the whole suite
#   thread    TSan, the tests of threads, faults and contexts, GEMMs in plain C
#   valgrind  memcheck over the fuzzer's seeds and the tests of contexts, GEMMs in plain C
#   tidy      clang-tidy with clang's analyzer over src/ and bench/, as .clang-tidy says
# Builds lie in build-address/, build-thread/, build-valgrind/; MODBLAS_SANITIZE_DIR moves them.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
where=${MODBLAS_SANITIZE_DIR:-$root}
jobs=${MODBLAS_JOBS:-$jobs}
export MODBLAS_TEST_SMALL=1 # no products of 2^32 entries

install_missing
for tool in clang clang-tidy valgrind; do
    has_command "$tool" || install_packages "$tool"
done

# make_tree <stage> <compiler> [cmake arguments]
make_tree() {
    local tree=$where/build-$1
    CC=$2 cmake -S "$root" -B "$tree" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DMODBLAS_CUDA=OFF \
        -DMODBLAS_TESTS=ON "${@:3}" >/dev/null
    cmake --build "$tree" --parallel "$jobs" | tail -n 1
}

tests() { ctest --test-dir "$where/build-$1" --output-on-failure --parallel "$jobs" "${@:2}"; }

address() {
    make_tree address clang -DMODBLAS_SANITIZE=address,undefined
    UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 ASAN_OPTIONS=detect_stack_use_after_return=1 \
        tests address
}

thread() {
    make_tree thread clang -DMODBLAS_SANITIZE=thread -DMODBLAS_CBLAS=OFF -DMODBLAS_ONEDNN=OFF
    MODBLAS_HOST_GEMM=plain TSAN_OPTIONS=halt_on_error=1 \
        tests thread -R '^test_(threads|faults|context|memory|verify|streams|graphs|crowd)$'
}

memcheck() {
    valgrind --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite \
        "$@" >/dev/null
}

valgrind_() {
    make_tree valgrind gcc -DMODBLAS_CBLAS=OFF -DMODBLAS_ONEDNN=OFF
    memcheck "$where/build-valgrind/tests/fuzz_replay" "$root"/tests/fuzz/seeds/*
    memcheck "$where/build-valgrind/tests/test_context"
}

tidy() {
    make_tree address clang -DMODBLAS_SANITIZE=address,undefined
    cd "$root"
    printf '%s\0' src/*.c src/*/*.c bench/*.c |
        grep -zv '^src/backend/cuda' |
        xargs -0 -n 1 -P "$jobs" clang-tidy --quiet -p "$where/build-address"
    cd - >/dev/null
}

stages=("$@")
[[ $# != 0 ]] || stages=(address thread valgrind tidy)
for stage in "${stages[@]}"; do
    echo "== $stage"
    case $stage in
    address | thread | tidy) "$stage" ;;
    valgrind) valgrind_ ;;
    *) echo "no stage $stage: address, thread, valgrind, tidy" && exit 2 ;;
    esac
done
