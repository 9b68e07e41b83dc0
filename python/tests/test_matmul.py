# SPDX-License-Identifier: BSD-3-Clause
"""Products against Python integers."""

import numpy as np
import pytest
from conftest import DTYPES, INTEGERS, MODULI, dtypes, entries, exact, lay, layouts
from conftest import moduli, same, seeds, sizes
from hypothesis import given
from hypothesis import strategies as st

import modblas


@given(sizes, sizes, sizes, dtypes, dtypes, layouts, layouts, moduli, seeds)
def test_any_shape_type_layout_and_modulus(m, k, n, a, b, how_a, how_b, N, seed):
    A, B = entries((m, k), a, seed), entries((k, n), b, seed + 1)
    before = A.copy(), B.copy()
    result = modblas.matmul(lay(A, how_a), lay(B, how_b), N)
    assert same(result, exact(A, B, N), N)
    assert type(result) is np.ndarray and result.flags.c_contiguous
    assert (A == before[0]).all() and (B == before[1]).all()


@given(
    sizes,
    sizes,
    sizes,
    st.sampled_from(INTEGERS),
    st.sampled_from(INTEGERS),
    layouts,
    layouts,
    seeds,
)
def test_wraps_as_numpy_does(m, k, n, a, b, how_a, how_b, seed):
    A, B = entries((m, k), a, seed), entries((k, n), b, seed + 1)
    if {a, b} & {"uint64"} and {a, b} & {"int8", "int16", "int32", "int64"}:
        with pytest.raises(TypeError, match="no common integer type"):
            modblas.matmul(A, B)
        return
    result, expected = modblas.matmul(lay(A, how_a), lay(B, how_b)), A @ B
    assert result.dtype == expected.dtype
    assert (result == expected).all() and result.shape == expected.shape


@st.composite
def stacks(draw):
    """Shapes of operands as @ takes them."""
    m, k, n = draw(sizes), draw(sizes), draw(sizes)
    full = draw(st.lists(st.integers(0, 3), max_size=3))

    def part():
        kept = full[draw(st.integers(0, len(full))) :]
        return tuple(1 if draw(st.booleans()) else size for size in kept)

    a = part() + (m, k) if draw(st.booleans()) else (k,)
    b = part() + (k, n) if draw(st.booleans()) else (k,)
    return a, b


@given(stacks(), st.sampled_from(["int64", "uint8", "int32"]), moduli, seeds)
def test_stacks_and_vectors(shapes, dtype, N, seed):
    A, B = entries(shapes[0], dtype, seed), entries(shapes[1], dtype, seed + 1)
    if 0 not in A.shape[:-2] + B.shape[:-2]:
        assert same(np.asarray(modblas.matmul(A, B, N)), np.asarray(exact(A, B, N)), N)
    wrapped, expected = modblas.matmul(A, B), A @ B
    assert type(wrapped) is type(expected) and wrapped.dtype == expected.dtype
    assert np.array_equal(wrapped, expected)


def test_broadcast_operands_are_read_in_place():
    A = np.broadcast_to(np.int64(3), (5, 6))
    B = np.broadcast_to(np.arange(6)[:, None], (6, 4))
    assert (modblas.matmul(A, B) == A @ B).all()
    strided = np.lib.stride_tricks.sliding_window_view(np.arange(10), 4)
    assert (modblas.matmul(strided, strided.T) == strided @ strided.T).all()


@given(
    st.sampled_from(["int16", "int64", "uint32"]), moduli, layouts, seeds,
    st.integers(-(2**70), 2**70), st.integers(-(2**70), 2**70),
    st.sampled_from(["new", "C", "out", "A"]),
)  # fmt: skip
def test_alpha_beta_and_out(dtype, N, layout, seed, alpha, beta, where):
    A, B, C = (entries((4, 4), dtype, seed + i) for i in range(3))
    expected = exact(A, B, N, C, alpha, beta)
    like = modblas.matmul(A, B, N).dtype
    if where != "new" and like != C.dtype:
        return
    if like == "uint64" and C.dtype.kind == "i":
        with pytest.raises(TypeError, match="does not hold all of it"):
            modblas.matmul(A, B, N, C=C, alpha=alpha, beta=beta + N + (beta % N == 0))
        return
    given_C, kept = lay(C, layout).copy(order="K"), C.copy()
    out = {"new": None, "C": given_C, "A": A, "out": lay(np.ones_like(C), layout).copy(order="K")}
    result = modblas.matmul(A, B, N, C=given_C, alpha=alpha, beta=beta, out=out[where])
    assert same(result.astype(result.dtype.newbyteorder("=")), expected, N)
    assert where == "new" or result is out[where]
    assert where == "C" or (given_C == kept).all()


def test_out_keeps_to_its_window():
    A = entries((5, 7), "int64", 1)
    for target in (np.zeros((9, 22), "int64"), np.zeros((9, 22), ">i8")):
        target[...] = -77
        window = target[2:7, 3:18:3]
        assert modblas.matmul(A, A.T, out=window) is window
        assert (window == A @ A.T).all()
        target[2:7, 3:18:3] = -77
        assert (target == -77).all()


def test_stacks_may_be_written_onto_their_operands():
    for where in range(6):
        S, T = entries((5, 4, 4), "int64", 1), entries((5, 4, 4), "int64", 2)
        A, B, out = [
            (S, T, S), (S, T, T), (S, S[0], S), (S[4], S, S), (S, T, S[::-1]),
            (S.transpose(0, 2, 1), T, S),
        ][where]  # fmt: skip
        expected = A @ B
        assert modblas.matmul(A, B, out=out) is out and (out == expected).all()


def test_out_of_vectors():
    A, v = entries((4, 4), "int64", 1), entries((4,), "int64", 2)
    out = np.empty(8, "int64")[::2]
    assert modblas.matmul(A, v, out=out) is out and (out == A @ v).all()
    assert modblas.matmul(v, A, out=out) is out and (out == v @ A).all()
    assert (modblas.matmul(A, v, C=v, beta=-2) == A @ v - 2 * v).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("N", MODULI)
def test_type_of_the_result(dtype, N):
    result = modblas.matmul(np.ones((1, 1), dtype), np.ones((1, 1), dtype), N)
    kinds = [t for t in DTYPES if np.dtype(t).kind == np.dtype(dtype).kind]
    wider = kinds[kinds.index(dtype) :]

    def holds(name):
        kind, bits = np.dtype(name).kind, 8 * np.dtype(name).itemsize
        if kind == "f":
            return N - 1 <= (2**24 if bits == 32 else 2**53)
        return N - 1 <= np.iinfo(name).max or (kind == "i" and N == 1 << bits)

    assert result.dtype == next((t for t in wider if holds(t)), "uint64")
    assert result[0, 0] == 1 % N


@pytest.mark.parametrize("N", [None, 251, 65521, 2**31 - 1, 2**52 - 47, 2**63 - 25, 2**64])
@pytest.mark.parametrize("dtype", ["int64", "uint32", "int8", "float64"])
def test_large_and_extremal(dtype, N):
    if N is None and dtype == "float64":
        return
    for fill in (-1, 0, 1, 2):
        A, B = entries((259, 310), dtype, 3), entries((310, 130), dtype, 4)
        low, high = int(A.min()), int(A.max())
        if fill:
            A[...] = low if fill == -1 else high
            B[...] = low if fill == 2 else high
        result = modblas.matmul(A, B, N)
        some = np.random.default_rng(5).integers(0, 259, 6)
        if N is None:
            assert (result[some] == A[some] @ B).all()
        else:
            assert same(result[some], exact(A[some], B, N), N)


def test_lists_and_foreign_arrays():
    class Foreign:
        def __init__(self, array):
            self.__array_interface__ = array.__array_interface__
            self.kept = array

    class ByDLPack:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **keywords):
            return self.array.__dlpack__(**keywords)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    A = np.arange(6).reshape(2, 3)
    for wrap in (Foreign, ByDLPack, np.ndarray.tolist, memoryview, lambda x: x.view(np.matrix)):
        result = modblas.matmul(wrap(A), A.T)
        assert type(result) is np.ndarray and (result == A @ A.T).all()


@given(st.lists(st.tuples(sizes, sizes, sizes, dtypes, moduli, seeds), max_size=12))
def test_many(cases):
    products = [
        (entries((m, k), dtype, seed), entries((k, n), dtype, seed + 1), N)
        for m, k, n, dtype, N, seed in cases
    ]
    results = modblas.matmul_many(products)
    assert len(results) == len(products)
    for (A, B, N), result in zip(products, results):
        assert same(result, exact(A, B, N), N)
        assert result.dtype == modblas.matmul(A, B, N).dtype


def test_many_of_many_kinds():
    A, S, v = entries((9, 9), "int8", 1), entries((300, 9, 9), "int64", 2), entries(9, "u2", 3)
    S2 = np.asfortranarray(entries((200, 170), "int32", 4))
    products = [(A, A), (S, A), (A, v), (v, v), (S2, S2.T), ([[1, 2]], [[3], [4]], 10)]
    for (X, Y, *N), result in zip(products, modblas.matmul_many(products)):
        expected = np.array([[1]]) if N else np.asarray(X) @ Y
        assert np.array_equal(result, expected) and type(result) is type(expected)
    assert modblas.matmul_many([]) == []
    with pytest.raises(ValueError, match="product 1: A has 9 columns and B 8 rows"):
        modblas.matmul_many([(A, A), (A, A[:8])])
    with pytest.raises(TypeError, match="product 0: float64 entries have no wrap-around"):
        modblas.matmul_many(iter([(A * 1.0, A)]))
    with pytest.raises(TypeError, match="product 1: packed operands"):
        modblas.matmul_many([(A, A), (modblas.Context("host").pack(A, 7), A)], 7)
    with pytest.raises(modblas.ENOTINT, match="1"):
        modblas.matmul_many([(A, A), (A * 0.5, A)], 7)


def test_stacks_into_interleaved_outputs():
    S = entries((6, 5, 4), "int64", 1)
    T = S.transpose(0, 2, 1)
    for out in (np.empty((5, 5, 6), "i8").transpose(2, 0, 1), np.empty((5, 6, 5), "i8").swapaxes(0, 1),
                np.empty((12, 5, 5), "i8")[::-2], np.empty((5, 5, 6), "i8").T):  # fmt: skip
        assert modblas.matmul(S, T, out=out) is out and (out == S @ T).all()
