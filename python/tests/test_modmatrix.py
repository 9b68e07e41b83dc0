# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import pytest
from conftest import DTYPES, entries, moduli, seeds, sizes
from hypothesis import given
from hypothesis import strategies as st

from modblas import ENOTINT, ModMatrix


def residues(A, N):
    return (A.astype(np.int64) if A.dtype.kind == "f" else A).astype(object) % N


def holds(M, expected, N):
    array = M.numpy()
    smallest = next(t for t in (8, 16, 32, 64) if N <= 1 << t)
    assert array.dtype == f"uint{smallest}" and M.N == N and M.shape == expected.shape
    return bool((array.astype(object) == expected % N).all())


@given(sizes, sizes, st.sampled_from(DTYPES), moduli, seeds, st.integers(-(2**65), 2**65))
def test_arithmetic(m, n, dtype, N, seed, s):
    A, B = entries((m, n), dtype, seed), entries((m, n), dtype, seed + 1)
    a, b = residues(A, N), residues(B, N)
    M, K = ModMatrix(A, N), ModMatrix(B, N)
    assert holds(M, a, N)
    assert holds(M + K, a + b, N)
    assert holds(M - K, a - b, N)
    assert holds(-M, -a, N)
    assert holds(s * M, s * a, N) and holds(M * s, s * a, N)
    assert holds(M @ K.T, a @ b.T, N)
    assert (M == K) == bool((a == b).all())
    assert M + K - K == M and M.T.T == M and not M != M


@given(sizes, moduli, seeds, st.integers(0, 40))
def test_powers(n, N, seed, exponent):
    A = entries((n, n), "int64", seed)
    power = np.eye(n, dtype=object)
    for _ in range(exponent):
        power = power @ residues(A, N) % N
    assert holds(ModMatrix(A, N) ** exponent, power, N)


def test_slices():
    A = np.arange(20).reshape(4, 5)
    M = ModMatrix(A, 7)
    assert M[2, -1] == A[2, -1] % 7 and type(M[2, -1]) is int
    for key, expected in (
        (1, A[1:2]),
        (-1, A[3:]),
        (np.s_[:, 2], A[:, 2:3]),
        (np.s_[2, 1:4], A[2:3, 1:4]),
        (np.s_[::-1, ::2], A[::-1, ::2]),
        (np.s_[1:1], A[1:1]),
    ):
        assert holds(M[key], expected, 7)
    with pytest.raises(IndexError):
        M[4]


def test_it_does_not_change():
    A = np.arange(4, dtype=np.uint8).reshape(2, 2)
    M = ModMatrix(A, 251)
    A[0, 0] = 99
    M.numpy()[0, 0] = 98
    np.asarray(M)[0, 0] = 97
    assert M[0, 0] == 0
    assert np.array(M, dtype="int64").dtype == "int64"


def test_what_is_refused():
    M = ModMatrix(np.eye(2, dtype=int), 7)
    for call, kind, text in (
        (
            lambda: M + ModMatrix([[1, 2], [3, 4]], 5),
            ValueError,
            "sum of matrices mod 7 and mod 5",
        ),
        (lambda: M @ ModMatrix([[1, 2], [3, 4]], 5), ValueError, "product of matrices mod 7"),
        (lambda: M - M[:1], ValueError, r"difference of matrices of shapes \(2, 2\) and \(1, 2\)"),
        (lambda: M @ M[:1], ValueError, "A has 2 columns and B 1 rows"),
        (lambda: M * M, TypeError, "the product of matrices is @"),
        (lambda: M * 0.5, TypeError, None),
        (lambda: M + 1, TypeError, None),
        (lambda: np.ones((2, 2), int) @ M, TypeError, None),
        (lambda: M[:1] ** 2, ValueError, "1 x 2; only square"),
        (lambda: M**-1, ValueError, "the exponent is -1"),
        (lambda: ModMatrix([1, 2], 7), ValueError, "1 axes; a matrix has 2"),
        (lambda: ModMatrix([[0.5]], 7), ENOTINT, "integer"),
        (lambda: ModMatrix([[True]], 7), TypeError, "bool"),
        (lambda: ModMatrix([[1]], 0), ValueError, "from 1 to"),
        (lambda: hash(M), TypeError, "unhashable"),
    ):
        with pytest.raises(kind, match=text):
            call()
    assert M != "M"
