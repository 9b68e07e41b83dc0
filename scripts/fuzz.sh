#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# fuzz.sh [seconds]: builds the library and the target in tests/fuzz/ for libFuzzer with ASan and
# UBSan, and runs it (600 s), from the committed seeds and what earlier runs found in
# build-fuzz/corpus. A failing input stays in build-fuzz/, and is one for tests/fuzz/seeds/.
set -euo pipefail
seconds=${1:-600}
[[ $seconds =~ ^[0-9]+$ ]] || { echo "usage: fuzz.sh [seconds]" >&2 && exit 2; }

tree=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
MODBLAS_BUILD_DIR=${MODBLAS_FUZZ_BUILD_DIR:-$tree/build-fuzz}
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

has_fuzzer() {
    has_command clang && echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' |
        clang -fsanitize=fuzzer,address -x c - -o /dev/null 2>/dev/null
}
install_missing
if ! has_fuzzer; then
    install_packages clang
    version=$(clang -dumpversion)
    has_fuzzer || install_packages "libclang-rt-${version%%.*}-dev"
fi

cmake -S "$root" -B "$build" -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DMODBLAS_SANITIZE=fuzzer-no-link,address,undefined -DMODBLAS_CUDA=OFF -DMODBLAS_BENCH=OFF \
    -DMODBLAS_TESTS=ON
cmake --build "$build" --parallel "$jobs" --target fuzz_api

mkdir -p "$build/corpus"
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
cd "$build"
exec "$build/tests/fuzz_api" -max_total_time="$seconds" -max_len=512 -len_control=0 -timeout=60 \
    -rss_limit_mb=4096 -print_final_stats=1 corpus "$root/tests/fuzz/seeds"
