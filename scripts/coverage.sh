#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# coverage.sh [-l]: lines and branches of src/ (without the CUDA backend) and kernels/*.h that the
# host's tests run, by gcov; -l lists what they do not. Fails below 95% of lines or 85% of branches.
# Builds in build-coverage/, or MODBLAS_COVERAGE_DIR.
set -euo pipefail
[[ $# == 0 || $* == -l ]] || { echo "usage: coverage.sh [-l]" >&2 && exit 2; }
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
tree=${MODBLAS_COVERAGE_DIR:-$root/build-coverage}
jobs=${MODBLAS_JOBS:-$jobs}

install_missing
CC=gcc cmake -S "$root" -B "$tree" -DCMAKE_BUILD_TYPE=Debug -DMODBLAS_CUDA=OFF \
    -DMODBLAS_TESTS=ON -DCMAKE_C_FLAGS="--coverage -O1" >/dev/null
cmake --build "$tree" --parallel "$jobs" | tail -n 1
find "$tree" -name '*.gcda' -delete
# The profiler's own symbols are exported by a library that is built with it.
MODBLAS_TEST_SMALL=1 ctest --test-dir "$tree" --parallel "$jobs" --output-on-failure \
    --exclude-regex '^(exports|client)$' | tail -n 4

rm -rf "$tree/gcov"
mkdir "$tree/gcov"
cd "$tree/gcov"
objects=$(find "$tree/CMakeFiles/modblas_objects.dir" -name '*.gcda')
# shellcheck disable=SC2086 # one argument each
gcov --json-format --branch-probabilities $objects >/dev/null
python3 "$root/scripts/coverage.py" "$root" "$@" ./*.gcov.json.gz
