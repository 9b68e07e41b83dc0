#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# gpu-check.sh [suites [bench options]]: on a host with a GPU, builds in build-gpu/; runs all tests,
# compute-sanitizer, every scheme and engine against FLINT, and the Python package on arrays of that
# GPU, side by side; then, alone, the suites: those of modblas-bench (default: short), `thin` and
# `many`, with commas between them. Needs no root, no network and no pkg-config: libraries come from
# .deps/, which bundle-deps.sh fills. The log and the JSON go to $OUT, or build-gpu/out. A stage that
# fails does not stop the others; the exit status tells.
# Environment: GPU_CHECK_SECONDS, for all of it (480); GPU_CHECK_WAYS, the n of every way (2048);
# GPU_CHECK_FIGURES=1 leaves the checks out, for more figures of a commit that passed them.
# shellcheck disable=SC2317 # the functions are called through stage() and beside()
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/tree-sum.sh

IFS=, read -ra suites <<<"${1:-short}"
shift $(($# > 0))
options=("$@")
build=$PWD/build-gpu
prefix=$build/prefix
out=${OUT:-$build/out}
limit=${GPU_CHECK_SECONDS:-480}
mkdir -p "$prefix" "$out"
[[ ! -d /usr/local/cuda/bin ]] || PATH=$PATH:/usr/local/cuda/bin
libraries=$prefix/usr/lib/$(uname -m)-linux-gnu
headers=$prefix/usr/include/$(uname -m)-linux-gnu
export LD_LIBRARY_PATH=$libraries:$libraries/openblas-openmp:${LD_LIBRARY_PATH:-}

nvidia-smi -L >/dev/null 2>&1 || { echo "there is no GPU here" >&2 && exit 2; }

# Runs a command for as long as the total allows.
limited() {
    local left=$((limit - SECONDS))
    ((left > 0)) || { echo "no time is left for: $*"; return 1; }
    timeout --kill-after=5 "$left" "$@" || { echo "status $?: $*"; return 1; }
}

unpack() {
    local deb data
    for deb in .deps/*.deb; do
        [[ -e $deb ]] || { echo ".deps/ is empty: run scripts/bundle-deps.sh"; return 1; }
        if command -v dpkg >/dev/null; then
            dpkg -x "$deb" "$prefix" || return
        else
            data=$(ar t "$deb" | grep '^data\.tar')
            ar p "$deb" "$data" | python3 -c 'import sys, tarfile
tarfile.open(fileobj=sys.stdin.buffer, mode="r|*").extractall(sys.argv[1])' "$prefix" || return
        fi
    done
    # A result carries the name of the commit that it was built from, and of no other. A copy of the
    # tree may have come with the .git of an older one.
    if [[ -e .deps/commit ]] && tree_sum | cmp -s - .deps/tree; then
        MODBLAS_COMMIT=$(<.deps/commit)
        export MODBLAS_COMMIT
    elif [[ ! -e .git && -e .deps/commit ]]; then
        echo "the tree changed since bundle-deps.sh: this is no commit's result"
        sed -i '1s/\(-dirty\)\?$/-dirty/' .deps/commit
    fi
}

build() {
    local capability
    capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1)
    limited cmake -S . -B "$build" -G Ninja -DMODBLAS_CUDA=ON -DMODBLAS_FLINT=ON \
        -DMODBLAS_TESTS=ON -DMODBLAS_BENCH=ON -DCMAKE_CUDA_ARCHITECTURES="${capability/./}" \
        -DCMAKE_PREFIX_PATH="$prefix/usr" -DCMAKE_LIBRARY_PATH="$libraries" \
        -DCMAKE_INCLUDE_PATH="$headers" &&
        limited cmake --build "$build" --parallel "$(nproc)"
}

tests() {
    # More at once would wait for the one GPU, and share its memory.
    limited ctest --test-dir "$build" --output-on-failure --parallel 6
}

sanitizer() { # sanitizer <tool>: short products by each scheme and engine of the GPU
    local way
    # initcheck does not see what the copy engine stores (cp.async.bulk.tensor), and so calls all
    # that the fused kernel leaves uninitialized.
    [[ $1 != initcheck ]] || local -x MODBLAS_CUDA_GEMM=cublas
    for way in "direct i8 251" "direct f64 2^20-3" "split i8 65521" "rns i8 2^31-1,2^64"; do
        read -r scheme engine moduli <<<"$way"
        limited compute-sanitizer --tool "$1" --error-exitcode 9 "$build/modblas-bench" \
            --backend cuda --size 100,256 --modulus "$moduli" --scheme "$scheme" \
            --engine "$engine" --verify freivalds --seconds 0.01 || return
    done
    # Thin products are not for a stand-in of the GEMMs, either.
    [[ $1 != initcheck ]] || return 0
    limited compute-sanitizer --tool "$1" --error-exitcode 9 "$build/modblas-bench" \
        --backend cuda --m 300 --k 528 --n 20 --modulus 2^31-1 --verify freivalds --seconds 0.01 &&
        limited compute-sanitizer --tool "$1" --error-exitcode 9 "$build/modblas-bench" \
            --backend cuda --batch 20 --size 70 --modulus 2^31-1 --seconds 0.01
}

# Variables of a user's shell that make cuBLAS's FP64 products wrong in every entry.
emulation() {
    CUBLAS_EMULATE_DOUBLE_PRECISION=1 CUBLAS_EMULATION_STRATEGY=eager \
        CUBLAS_FIXEDPOINT_EMULATION_MANTISSA_BIT_COUNT=30 limited "$build/modblas-bench" \
        --backend cuda --size 1000,2048 --modulus 2^20-3,2^52-47 --engine f64 --verify flint \
        --seconds 0.1
}

# What a context and a plan say of themselves, with the time that making a context takes.
explain() {
    limited "$build/modblas-bench" --backend cuda --size 8192 --modulus 2^31-1 --explain \
        --verify freivalds --seconds 0.1
}

every_way() {
    MODBLAS_CUDA_MODULE=$build/libmodblas_cuda.so limited "$build/tests/test_every_way" "${GPU_CHECK_WAYS:-2048}"
}

# The Python package, on arrays of whatever frameworks are here, and its figures.
python() {
    local -x MODBLAS_LIBRARY=$build/libmodblas.so PYTHONPATH=$PWD/python
    python3 -c 'import numpy, pytest, hypothesis' || { echo "skipped: Python lacks these"; return 0; }
    limited timeout 60 python3 -m pytest -q -rs -p no:cacheprovider python/tests/test_frameworks.py
}

bench() { # bench <suite>
    limited "$build/modblas-bench" --backend cuda --suite "$1" --verify flint --format json \
        --output "$out/$1.json" "${options[@]}"
}

# The JSON of several runs as one list.
gather() { # gather <file> <files>
    local to=$1
    shift
    python3 -c 'import json, sys
lists = [json.load(open(name)) for name in sys.argv[1:]]
rows = [row for rows in lists for row in (rows if isinstance(rows, list) else [rows])]
print(json.dumps(rows, indent=1))' \
        "$@" >"$to"
}

# m = 10923, k = 32768 against few columns, as it is and packed; the worked example on a real matrix and
# on one of a real size.
thin() {
    local n way words ways=() made=()
    for n in 1 8 32 64; do
        ways+=("$n u32 2^21-9,2^31-1" "$n u32 2^21-9,2^31-1 --pack")
        ways+=("$n u8 251" "$n u64 2^64-59")
    done
    for way in "${ways[@]}"; do
        read -ra words <<<"$way"
        limited "$build/modblas-bench" --backend cuda --m 10923 --k 32768 --n "${words[0]}" \
            --type "${words[1]}" --modulus "${words[2]}" "${words[@]:3}" --verify freivalds \
            --seconds 0.2 --format json --output "$build/thin-${#made[@]}.json" || return
        made+=("$build/thin-${#made[@]}.json")
    done
    gather "$out/thin.json" "${made[@]}"
    for n in 1 32; do
        limited "$build/modblas-fglm" tests/data/katsura9_mod2147483647.npy 2^31-1 1024 "$n" cuda &&
            limited "$build/modblas-fglm" 16384 2^31-1 2000 "$n" cuda || return
    done
    limited "$build/modblas-bench" --backend cuda --m 16384 --k 16384 --n 32 --modulus 2^31-1 --pack \
        --verify freivalds --seconds 0.2
}

many() {
    limited "$build/modblas-bench" --backend cuda --size 64,512 --modulus 2^23-15 --threads 1,8,16 \
        --contexts --sets 16 --peer naive --verify freivalds --seconds 0.2 --format json \
        --output "$out/many.json" || return
    local way words made=()
    for way in "64 --batch 24500" "128 --batch 6110" "256 --batch 1530" "512 --batch 382" \
        "512 --moduli 1000" "512 --batch 1000"; do
        read -ra words <<<"$way"
        limited "$build/modblas-bench" --backend cuda --size "${words[@]}" --modulus 2^31-1 --type u32 \
            --seconds 0.2 --format json --output "$build/batch-${#made[@]}.json" || return
        made+=("$build/batch-${#made[@]}.json")
    done
    gather "$out/batch.json" "${made[@]}"
}

# Stages are conditions of an `if`, where the shell does not stop at errors: their own code does.
summary=""
failed=0
log=$out/gpu-check.log
: >"$log"
run() { # run <name> <function> [arguments]: keeps its output, its seconds and how it went
    local name=$1 begin=$SECONDS word=ok
    shift
    "$@" >"$build/stage-$name.log" 2>&1 || word=FAILED
    echo "$((SECONDS - begin)) $word" >"$build/stage-$name.result"
}
report() { # report <name>: the last lines in the terminal, all of them in the log
    local seconds word
    read -r seconds word <"$build/stage-$1.result"
    echo "== $1"
    tail -n 40 "$build/stage-$1.log"
    { echo "== $1" && cat "$build/stage-$1.log"; } >>"$log"
    [[ $word == ok ]] || failed=1
    summary+=$(printf '%-10s %4d s  %s' "$1" "$seconds" "$word")$'\n'
}
stage() {
    run "$@"
    report "$1"
}
names=()
beside() { # begins a stage; meet waits for those that were begun
    names+=("$1")
    run "$@" &
}
meet() {
    local name
    wait
    for name in "${names[@]}"; do report "$name"; done
}

stage unpack unpack
stage build build
if [[ ${GPU_CHECK_FIGURES:-} != 1 ]]; then
    beside tests tests
    for tool in memcheck initcheck racecheck synccheck; do beside "$tool" sanitizer "$tool"; done
    beside emulation emulation
    beside every_way every_way
    beside python python
    meet
fi
stage explain explain
for suite in "${suites[@]}"; do
    case $suite in
    thin | many) stage "$suite" "$suite" ;;
    *) stage "$suite" bench "$suite" ;;
    esac
done

printf '%s%-10s %4d s\n' "$summary" total $SECONDS
exit $failed
