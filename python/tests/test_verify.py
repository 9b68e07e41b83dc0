# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import pytest
from conftest import dtypes, entries, moduli, seeds, sizes
from hypothesis import given, settings
from hypothesis import strategies as st

import modblas
from modblas import _verify


@pytest.mark.parametrize("method", ["freivalds", "flint"])
def test_right_and_wrong(method):
    @settings(max_examples=60)
    @given(sizes, sizes, sizes, dtypes, moduli, seeds, st.integers(0, 2**65), st.data())
    def check(m, k, n, dtype, N, seed, scale, data):
        A, B = entries((m, k), dtype, seed), entries((k, n), dtype, seed + 1)
        C = modblas.matmul(A, B, N)
        assert modblas.verify(C, A, B, N, method=method)
        D = modblas.matmul(A, B, N, C=C, alpha=3, beta=scale)
        assert modblas.verify(D, A, B, N, C=C, alpha=3, beta=scale, method=method)
        if C.size and N > 1:
            i, j = data.draw(st.integers(0, m - 1)), data.draw(st.integers(0, n - 1))
            C[i, j] = (int(C[i, j]) + 1) % N if C[i, j] >= 0 else 0
            assert not modblas.verify(C, A, B, N, method=method)

    pytest.importorskip("flint") if method == "flint" else None
    check()


@pytest.mark.parametrize("N", [2, 3, 4, 5, 6, 255, 257 * 263, 2**31 - 1])
def test_one_wrong_entry_is_found(N):
    A, B = entries((7, 8), "int64", 1), entries((8, 9), "int64", 2)
    C = modblas.matmul(A, B, N)
    for i in range(63):
        D = C.copy()
        D.flat[i] = (D.flat[i] + N // _verify.least_factor(N)) % N
        assert not modblas.verify(D, A, B, N)


def test_stacks_vectors_and_wrap_around():
    A, v = entries((3, 4, 4), "int16", 1), entries((4,), "int16", 2)
    R = modblas.matmul(A, v)
    assert modblas.verify(R, A, v) and modblas.verify(A @ A[0], A, A[0])
    R[2, 3] ^= 1 << 14
    assert not modblas.verify(R, A, v)


def test_long_rows():
    """More terms than one chunk of exact float64 sums, all as large as they get."""
    k, limb = (1 << 20) + 5, 2.0**16 - 1
    row, column = np.full((1, k), limb), np.full((k, 1), limb)
    assert _verify._times([row], [column], 2**64)[0, 0] == (2**16 - 1) ** 2 * k
    assert (2**16 - 1) ** 2 * _verify.CHUNK < 2**53


def test_what_is_refused():
    I = np.eye(2, dtype=int)
    with pytest.raises(ValueError, match="'freivalds' or 'flint'"):
        modblas.verify(I, I, I, 7, method="hope")
    with pytest.raises(ValueError, match=r"result has the shape \(2,\); A @ B has \(2, 2\)"):
        modblas.verify(I[0], I, I, 7)
    with pytest.raises(ValueError, match="beta is given"):
        modblas.verify(I, I, I, 7, beta=2)
    with pytest.raises(ValueError, match="magnitude"):
        modblas.verify(I, I * 0.5, I, 7)
    with pytest.raises(TypeError, match="bool"):
        modblas.verify(I, I > 0, I, 7)
