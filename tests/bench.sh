#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# modblas-bench from outside: options, formats, files, and that a wrong product is noticed.
set -euo pipefail

bench=$(realpath "${1:-$MODBLAS_BUILD/modblas-bench}")
if [[ ! -x $bench ]]; then
    echo "modblas-bench is not built"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

failed=0
wrong() { echo "FAILED: $*"; failed=1; }

# status <expected> [arguments]: the exit status; output goes to out and err.
status() {
    local expected=$1 got=0
    shift
    "$bench" "$@" >out 2>err || got=$?
    if [[ $got != "$expected" ]]; then
        wrong "exit status $got, not $expected: $*"
        cat out err
    fi
}

# Products on the host, as short as they can be.
host=(--backend host --seconds 0)

# ---- bad options: status 2, nothing on standard output, one sentence ---------------------------

bad() {
    status 2 "$@"
    [[ ! -s out && $(wc -l <err) == 1 ]] || wrong "not one sentence: $*"
    grep -q '^modblas-bench: .*\.$' err || wrong "no sentence: $*"
}
bad --frobnicate
bad stray
bad --size
bad --size 0
bad --size 12x
bad --size 1,,2
bad --size 9223372036854775808
bad --modulus 0
bad --modulus -1
bad --modulus 2^64+1
bad --modulus 18446744073709551617
bad --modulus 3^4
bad --type u9
bad --type u8,u8,u8
bad --suite tiny
bad --layout diagonal
bad --layout rows,rows
bad --suite short --size 3
bad --m 3 --n 4
bad --m 3 --k 3 --n 3 --size 3
bad --workers 0
bad --workers 65
bad --memory 1XB
bad --memory 99999999999GB
bad --peer flint,nobody
bad --seconds -1
bad --seconds nan
bad --power 0
bad --input a.npy
bad --input a.npy --modulus 2,3
bad --format xml
bad --explain=yes
bad --size 2,3 --trace file
bad --batch 0
bad --batch 2 --moduli 2
bad --batch 2 --soak 1
bad --moduli 2 --format csv
bad --threads 0
bad --threads 1,257
bad --sets 0
bad --contexts
bad --threads 2 --format csv
bad --threads 2 --peer flint
bad --sets 2 --trace file
bad --threads 2 --soak 1
bad --soak -1
status 1 --backend host --soak 0 --engine i8 --scheme plain
grep -q 'nothing was computed' err || wrong "a soak of nothing"
status 1 --backend host --suite short --engine i8 --scheme plain --seconds 0
grep -q 'nothing was computed' err || wrong "a suite of nothing"
bad --soak 1 --size 3
bad --soak 1 --modulus 7
bad --soak 1 --verify flint
bad --soak 1 --format csv
bad --backend host --residency device

# ---- good ones --------------------------------------------------------------------------------

status 0 --help
grep -q -- '--modulus' out || wrong "--help says nothing of --modulus"
grep -q -- '--verify V  *off (default)' out || wrong "--help does not say that --verify is off"
status 0 --version
grep -q '^modblas-bench [0-9]*\.[0-9]*\.[0-9]*, commit ' out || wrong "--version"
status 0 --list-devices
grep -q '^host 0: ' out || wrong "--list-devices leaves out the host"

check=freivalds
if "$bench" "${host[@]}" --size 2 --verify flint >out 2>&1; then check=flint; fi
echo "products are checked by $check"

moduli=1,2,251,256,2^20-3,2^31-1,2^32,2^52-47,18446744073709551557,2^64
status 0 "${host[@]}" --size 1,33 --modulus $moduli --verify $check
[[ $(wc -l <out) == 21 ]] || wrong "not a row for each product"
status 0 "${host[@]}" --size 40 --modulus $moduli --data extremal --verify $check
status 0 "${host[@]}" --size 40 --modulus $moduli --data extremal --verify freivalds
status 0 "${host[@]}" --m 3 --k 500 --n 70 --modulus 65521 --type i16,f64 --out-type u64 \
    --verify $check
status 0 "${host[@]}" --size 8 --peer naive --modulus 94906266,94906267
grep -q 'gemm  vs FLINT  vs naive  verified$' out || wrong "the columns run into each other"
grep -q '^94906267 .* -  off$' out || wrong "naive beyond 94906266"
if "$bench" --size 1 --seconds 0 --backend host --peer naive --modulus 2 | grep -q 'x  off$'; then
    grep -q '^94906266 .*x  off$' out || wrong "no naive up to 94906266"
else
    echo "skipped: the naive peer (modblas-bench was built without CBLAS)"
fi
if [[ $check == flint ]]; then
    for data in random extremal; do
        status 0 "${host[@]}" --size 8 --data $data --verify flint --peer flint --format json
        grep -q '"peer_flint_seconds": null' out && got=extremal || got=random
        [[ $got == "$data" ]] || wrong "$data data and the time of FLINT"
    done
fi
for layout in columns padded rows,columns,padded padded,rows,columns; do
    status 0 "${host[@]}" --size 20,97 --modulus 251,2^31-1,2^64 --layout $layout --verify $check
done
for type in u8 u16 u32 u64 i8 i16 i32 i64 f32 f64; do
    status 0 "${host[@]}" --size 20 --modulus 127,2^40 --type $type --verify $check
done

# ---- formats ----------------------------------------------------------------------------------

status 0 "${host[@]}" --size 16 --modulus 251,2^64 --format json --peer gemm,naive
if command -v python3 >/dev/null; then
    python3 - out <<'END' || wrong "JSON"
import json, sys
rows = json.load(open(sys.argv[1]))
names = """m k n modulus type backend device scheme engine moduli workers residency layout_a layout_b layout_c
    packed plan
    seconds_min seconds_median seconds_max eff_gops kernel_seconds split_seconds crt_seconds
    gemm_seconds gemm_fraction bytes copy_gbps peer_flint_seconds peer_naive_seconds verified ok
    version commit""".split()
assert [list(row) for row in rows] == [names, names], list(rows[0])
assert [row["modulus"] for row in rows] == ["251", "18446744073709551616"]
assert all(row["ok"] is True and row["m"] == 16 for row in rows)
assert all(0 < row["seconds_min"] <= row["seconds_median"] <= row["seconds_max"] for row in rows)
assert rows[1]["peer_naive_seconds"] is None and "\n" in rows[0]["plan"]
END
else
    echo "skipped: JSON is not parsed, python3 is not here"
fi
status 0 "${host[@]}" --size 16 --format csv --output rows.csv
grep -q '^m,k,n,modulus,type,' rows.csv || wrong "CSV"
[[ $(wc -l <rows.csv) == 2 ]] || wrong "a row of CSV is not a line"
grep -q 'verified' out || wrong "--output took the table away"
status 1 "${host[@]}" --size 16 --format csv --output no/such/folder
status 0 "${host[@]}" --size 16 --trace trace.csv --explain
grep -q '^stage,tile,worker,start,end$' trace.csv || wrong "the head of the trace"
grep -q '^gemm,0,0,' trace.csv || wrong "no GEMM in the trace"
grep -q '^scheme ' out || wrong "--explain"

# ---- files ------------------------------------------------------------------------------------

# npy <file> <descr> <fortran> <shape> <bytes>
npy() {
    local header="{'descr': '$2', 'fortran_order': $3, 'shape': ($4), }"
    printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "$header" >"$1"
    printf '%b' "$5" >>"$1"
}
entries() { tail -c +129 "$1" | od -An -v -t u1 | tr -s ' \n' ' '; }

npy a.npy '|u1' False '2, 2' '\x01\x02\x03\x04'
npy b.npy '|u1' False '2, 2' '\x05\x06\x07\x08'
npy bt.npy '|u1' True '2, 2' '\x05\x07\x06\x08'
npy wide.npy '<u2' False '2, 2' '\x05\x00\x06\x00\x07\x00\x08\x00'
npy signed.npy '|i1' False '2, 2' '\xfb\xfc\xfd\xfe' # b - 10
npy wrong.npy '|u1' False '2, 2' '\x09\x02\x04\x00'
npy tall.npy '|u1' False '3, 1' '\x01\x02\x03'
npy half.npy '<f2' False '2, 2' '\x00\x00\x00\x00\x00\x00\x00\x00'
npy flat.npy '|u1' False '4,' '\x05\x06\x07\x08'
npy short.npy '<u8' False '2, 2' '\x05\x00'
npy big.npy '>u2' False '2, 2' '\x00\x05\x00\x06\x00\x07\x00\x08'

product=" 9 2 3 0 " # 19 22 43 50 mod 10
for b in b bt wide signed; do
    status 0 "${host[@]}" --input a.npy $b.npy --modulus 10 --output-matrix c.npy --verify $check
    [[ $(entries c.npy) == "$product" ]] || wrong "a times $b: $(entries c.npy)"
    status 0 "${host[@]}" --input a.npy,$b.npy --modulus 10 --expect c.npy
    grep -q ' expect$' out || wrong "--expect leaves no trace"
done
status 0 "${host[@]}" --input a.npy --modulus 100 --power 5 --output-matrix c.npy --verify $check
[[ $(entries c.npy) == " 69 58 37 6 " ]] || wrong "a^5: $(entries c.npy)" # 1069 1558 2337 3406
status 0 "${host[@]}" --size 30 --modulus 2^64 --power 6 --output-matrix c.npy --verify $check
status 0 "${host[@]}" --size 30 --modulus 2^64 --power 6 --expect c.npy --workers 1

# A wrong entry is found, and said where.
status 1 "${host[@]}" --input a.npy b.npy --modulus 10 --expect wrong.npy
grep -q 'entry (1, 0) is 3, expected 4' err || wrong "the first wrong entry is not named"
grep -q 'FAILED' out || wrong "the table hides the failure"

# What was not computed, or not written, is not called wrong.
status 1 "${host[@]}" --size 8 --modulus 2^64 --scheme direct --engine f64
grep -q ' no plan$' out || wrong "no plan is called something else"
status 1 "${host[@]}" --input a.npy b.npy --modulus 10 --output-matrix /dev/full
grep -q ' error$' out || wrong "a full device is called something else"

# Files that cannot be used are found first.
early() {
    status 1 "${host[@]}" --input a.npy b.npy --modulus 10 "$@"
    [[ ! -s out && $(wc -l <err) == 1 ]] || wrong "found late: $*"
}
early --expect nowhere.npy
early --expect tall.npy
early --output-matrix no/such/folder
early --trace no/such/folder
early --output no/such/folder
for file in nowhere half short big tall; do
    status 1 "${host[@]}" --input a.npy $file.npy --modulus 10
    [[ $(wc -l <err) == 1 ]] || wrong "$file.npy: not one sentence"
done
status 1 "${host[@]}" --input a.npy half.npy --modulus 10
grep -q "half.npy has the descr '<f2'; allowed are u1 .* f8, little-endian" err || wrong "descr"
status 1 "${host[@]}" --input a.npy flat.npy --modulus 10
grep -q 'flat.npy has the shape (4,); ' err || wrong "shape"
status 1 "${host[@]}" --size 8 --modulus 2^31-1 --out-type u8

# Empty matrices: 0 x 0, and 2 x 0 times 0 x 2, which is zero.
npy none.npy '|u1' False '0, 0' ''
npy thin.npy '|u1' False '2, 0' ''
npy low.npy '|u1' False '0, 2' ''
npy zero.npy '|u1' False '2, 2' '\x00\x00\x00\x00'
for verify in off freivalds $check; do
    empty=("${host[@]}" --modulus 251 --verify $verify --peer naive,gemm --output-matrix c.npy)
    status 0 "${empty[@]}" --input none.npy --expect none.npy --trace trace.csv
    status 0 "${empty[@]}" --input thin.npy low.npy --expect zero.npy
    status 0 "${empty[@]}" --input low.npy thin.npy --expect none.npy
    status 0 "${empty[@]}" --input none.npy --power 5 --expect none.npy
done

# ---- many products at once ----------------------------------------------------------------------

# ---- batches -----------------------------------------------------------------------------------

status 0 "${host[@]}" --size 7,20 --modulus 251,2^64 --batch 9
[[ $(grep -c '^batch of 9 x .* products/s, .* Tops, all checked$' out) == 4 ]] || wrong "batches"
status 0 "${host[@]}" --size 12 --modulus 2^31-1 --moduli 5 --format json
python3 -c 'import json, sys
r = json.loads(sys.stdin.read())
assert r["batch"] == 5 and r["one_pair"] and r["verified"] == "freivalds"
assert r["bytes"] == 12 * 12 * 4 * 7 and r["products_per_second"] > 0' <out || wrong "json of batches"


many=(--backend host --size 20 --modulus 251,2^64 --threads 1,3 --contexts --sets 4 --seconds 0.02)
status 0 "${many[@]}" --verify freivalds --layout padded
[[ $(wc -l <out) == 6 ]] || wrong "not a line for each measurement"
grep -q '3 threads: .*/s, a context each .*/s$' out || wrong "the line of threads"
grep -q '2 sets of 4: as a graph .* us, ordered .* side by side; one on a stream' out ||
    wrong "the line of sets"
status 0 "${many[@]}" --format json
if command -v python3 >/dev/null; then
    python3 - out <<'END' || wrong "JSON of many products"
import json, sys
results = json.load(open(sys.argv[1]))["results"]
assert [r["threads"] for r in results] == [1, 3, 0] * 2 and all(r["ok"] for r in results)
for r in results:
    if r["threads"]:
        assert r["products_per_second"] > 0 and r["contexts_products_per_second"] > 0
        assert 0 < r["lock_longest_seconds"] <= r["lock_seconds"] and r["lock_count"] > 0
    else:
        assert r["graph_seconds"] > 0 and r["done_seconds"] >= r["call_seconds"] > 0
        assert r["side_by_side"] > 0
END
fi

# ---- soak: random products, counted; one that fails is a command that fails again --------------

if [[ $check == flint ]]; then
    status 0 --backend host --size 40 --modulus 251,2^64 --seconds 0 --verify blocks
    grep -q ' blocks$' out || wrong "--verify blocks leaves no trace"
    status 0 --backend host --workers 1 --soak 2 --format json
    [[ $(wc -l <err) == 1 ]] || wrong "a soak is summed up in more than a line"
    cp out soak.json
    status 0 --backend host --workers 1 --soak 0 --seed 5
    grep -q '^soak on host, .* by FLINT; .* 0 failed$' out || wrong "the line of a soak"
    status 1 --backend host --workers 1 --memory 64 --soak 1 --format json --output failed.json
    grep -q '; 20 failed$' out || wrong "a soak goes on in spite of failures, or ends early"
    mapfile -t commands < <(sed -n 's/^  modblas-bench //p' err)
    [[ ${#commands[@]} == 20 ]] || wrong "not a command for each failure"
    read -ra again <<<"${commands[0]}"
    status 1 "${again[@]}"
    grep -q 'no exact plan' err || wrong "a command does not fail as its problem did"
    # With memory it is right: the command names the whole problem.
    status 0 "${again[@]}" --memory 1GB
    if command -v python3 >/dev/null; then
        python3 - soak.json failed.json <<'END' || wrong "JSON of a soak"
import json, sys
good, bad = (json.load(open(name)) for name in sys.argv[1:])
assert good["backend"] == "host" and good["failed"] == 0 and good["failures"] == []
assert 0 < good["whole_problems"] <= good["whole_products"] <= good["whole_entries"]
assert good["large_problems"] <= good["large_products"] and good["seconds"] >= 2
assert good["compared_entries"] <= good["large_entries"] * 2
assert bad["failed"] == len(bad["failures"]) == 20
assert all(f.startswith("modblas-bench --backend host ") for f in bad["failures"])
END
    fi
else
    status 2 --backend host --soak 1
fi

exit $failed
