#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing, builds, and runs all tests: those of C by ctest, to which arguments go,
# and, without any, those of the Python package, installed with pip in a fresh environment.
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

# The environment is remade; pip keeps what it downloads, and the build of the package is kept.
python_tests() {
    local venv=$build/venv cuda=AUTO
    # Without a GPU nothing would run that nvcc compiles.
    nvidia-smi -L >/dev/null 2>&1 || cuda=OFF
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check \
        --requirement "$root/python/requirements-test.txt"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-build-isolation --no-deps \
        --config-settings "build-dir=$build/wheel" \
        --config-settings "cmake.define.MODBLAS_CUDA=$cuda" "$root"
    env -u PYTHONPATH -u MODBLAS_LIBRARY "$venv/bin/python" -P -m pytest -q -p no:cacheprovider \
        --rootdir "$root" -c "$root/pyproject.toml" "$root/python/tests"
}

ctest --test-dir "$build" --output-on-failure --parallel "$jobs" "$@"
if [[ $# == 0 ]]; then
    if has_python; then python_tests; else skipped "the Python package (no Python 3.10)"; fi
fi
