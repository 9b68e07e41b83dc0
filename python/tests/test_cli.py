# SPDX-License-Identifier: BSD-3-Clause
import json
import subprocess
import sys

import numpy as np
import pytest
from conftest import entries

import modblas
from modblas import _files, _plot
from modblas.__main__ import find_bench, main


@pytest.fixture()
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_mul(folder, capsys):
    A, B = entries((5, 6), "int64", 1), entries((6, 4), "int64", 2)
    np.save("A.npy", A)
    np.savez("B.npz", B=B, other=A)
    assert main(["mul", "A.npy", "B.npz:B", "-N", "2^31-1", "-o", "C.npy", "--verify"]) == 0
    assert (np.load("C.npy") == modblas.matmul(A, B, 2**31 - 1)).all()
    assert main(["mul", "A.npy", "B.npz:B", "--backend", "host", "-o", "C.npz"]) == 0
    assert (np.load("C.npz")["C"] == A @ B).all()
    assert main(["mul", "A.npy", "B.npz:B", "-N", "101", "-o", "C.mtx"]) == 0
    assert (_files.load("C.mtx") == modblas.matmul(A, B, 101)).all()
    for words, text in (
        (["A.npy", "B.npz", "-o", "C.npy"], "B.npz has B, other: say B.npz:B"),
        (["A.npy", "B.npz:X", "-o", "C.npy"], "B.npz has no X, but B, other"),
        (["A.npy", "A.npy", "-o", "C.npy"], "A has 6 columns and B 5 rows"),
        (["A.npy", "none.npy", "-o", "C.npy"], "none.npy"),
        (["A.npy", "B.npz:B", "-o", "C.txt"], "written to .npy, .npz or .mtx"),
        (["A.npy", "B.npz:B", "-o", "C.npy", "-N", "2^65"], "above 2^64"),
    ):
        assert main(["mul", *words]) == 1
        assert text in capsys.readouterr().err


def test_moduli():
    for text, N in (("7", 7), ("2^31-1", 2**31 - 1), ("2**64", 2**64), ("2^8 + 1", 257)):
        assert _files.parse_modulus(text) == N
    with pytest.raises(ValueError, match="not a number"):
        _files.parse_modulus("3^5")


@pytest.mark.parametrize(
    "text, expected",
    [
        ("array integer general\n% note\n2 3\n1\n2\n3\n4\n5\n6\n", [[1, 3, 5], [2, 4, 6]]),
        ("array integer symmetric\n2 2\n1\n2\n3\n", [[1, 2], [2, 3]]),
        ("array integer skew-symmetric\n2 2\n5\n", [[0, -5], [5, 0]]),
        ("coordinate integer general\n2 3 2\n1 1 -4\n2 3 9\n", [[-4, 0, 0], [0, 0, 9]]),
        ("coordinate integer symmetric\n2 2 2\n1 1 4\n2 1 9\n", [[4, 9], [9, 0]]),
        ("coordinate pattern general\n2 2 1\n2 1\n", [[0, 0], [1, 0]]),
        (f"array integer general\n1 1\n{2**64 - 1}\n", [[2**64 - 1]]),
    ],
)
def test_matrix_market(folder, text, expected):
    (folder / "A.mtx").write_text("%%MatrixMarket matrix " + text)
    assert _files.load("A.mtx").tolist() == expected


@pytest.mark.parametrize(
    "text, said",
    [
        ("%%MatrixMarket matrix array real general\n1 1\n0.5\n", "real entries"),
        ("%%MatrixMarket matrix array integer hermitian\n1 1\n1\n", "is hermitian"),
        ("%%MatrixMarket matrix array integer general\n2 2\n1\n", "1 entries; 4"),
        ("hello\n1 1\n1\n", "not a Matrix Market file"),
    ],
)
def test_matrix_market_refused(folder, text, said):
    (folder / "A.mtx").write_text(text)
    with pytest.raises(ValueError, match=said):
        _files.load("A.mtx")


def test_bench_and_info(capsys):
    assert main(["info"]) == 0
    assert "host 0" in capsys.readouterr().out
    try:
        find_bench()
    except FileNotFoundError:
        pytest.skip("modblas-bench is not built")
    command = [sys.executable, "-m", "modblas", "bench", "--version"]
    assert modblas.__version__ in subprocess.run(command, capture_output=True, text=True).stdout


ROW = {
    "m": 1024, "k": 1024, "n": 1024, "modulus": "2147483647", "eff_gops": 30000.0, "ok": True,
    "kernel_seconds": 6e-5, "gemm_fraction": 0.5, "peer_flint_seconds": 0.1,
    "peer_naive_seconds": None, "device": "a device",
}  # fmt: skip


def test_what_is_plotted():
    work = 2 * 1024.0**3
    assert _plot.rates(ROW) == {
        "modblas": 30000.0, "its bare GEMMs": work / 3e-5 / 1e9, "FLINT": work / 0.1 / 1e9,
    }  # fmt: skip
    rows = [ROW, {**ROW, "n": 17}, {**ROW, "ok": False, "modulus": "5"}]
    assert list(_plot.series(rows)) == [2**31 - 1]
    assert _plot.modulus_name(2**31 - 1) == "$2^{31}-1$" and _plot.modulus_name(251) == "251"
    assert _plot.modulus_name(2**64) == "$2^{64}$" and _plot.modulus_name(1) == "1"
    with pytest.raises(ValueError, match="no square product"):
        _plot.series([{**ROW, "n": 17}])


def test_plot(folder, capsys):
    pytest.importorskip("matplotlib")
    doubled = {**ROW, "m": 2048, "k": 2048, "n": 2048}
    (folder / "r.json").write_text(json.dumps([ROW, doubled, {**ROW, "modulus": "7"}]))
    assert main(["plot", "r.json", "-o", "f.svg"]) == 0
    drawn = (folder / "f.svg").read_text()
    assert all(text in drawn for text in ("a device", "FLINT", "its bare GEMMs", "1k", "Top/s"))
    assert main(["plot", "r.json", "-o", "f.png", "--title", "x"]) == 0
    assert (folder / "f.png").read_bytes().startswith(b"\x89PNG")
    (folder / "r.json").write_text("{}")
    assert main(["plot", "r.json", "-o", "f.svg"]) == 1
    assert "is not what modblas-bench" in capsys.readouterr().err
