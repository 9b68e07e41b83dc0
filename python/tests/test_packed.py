# SPDX-License-Identifier: BSD-3-Clause
"""Packed operands in place of arrays."""

import gc
import weakref

import numpy as np
import pytest
from conftest import entries, exact, layouts, lay, moduli, same, seeds
from hypothesis import given
from hypothesis import strategies as st

import modblas

I = np.eye(3, dtype=np.int64)
some = st.integers(1, 9)


@given(some, some, some, st.sampled_from(["int64", "uint8", "float64"]), layouts, moduli, seeds,
       st.integers(-(2**65), 2**65))  # fmt: skip
def test_either_side(host, m, k, n, dtype, layout, N, seed, alpha):
    A, B = entries((m, k), dtype, seed), entries((k, n), "int32", seed + 1)
    expected = exact(A, B, N, None, alpha)
    left, right = host.pack(lay(A, layout), N), host.pack(lay(B, layout), N, side="B")
    like = modblas.matmul(A, B, N)
    for pair in ((left, B), (A, right)):
        result = modblas.matmul(*pair, N, alpha=alpha)
        assert same(result, expected, N) and result.dtype == like.dtype
    C = like.copy()
    assert modblas.matmul(left, B, C=C, beta=3, out=C) is C
    assert same(C, exact(A, B, N, like, 1, 3), N)


def test_stacks_vectors_and_wrap_around(host):
    A = entries((30, 40), "int64", 1)
    packed = host.pack(A)
    assert packed.N == 2**64 and packed.shape == (30, 40) and packed.side == "A"
    for shape in ((40,), (40, 7), (3, 40, 2), (2, 2, 40, 3)):
        B = entries(shape, "int64", 2)
        result, expected = modblas.matmul(packed, B), A @ B
        assert result.shape == expected.shape and (result == expected).all()
    packed = host.pack(A, side="B", width=1)
    v = entries(30, "int64", 3)
    assert (modblas.matmul(v, packed) == v @ A).all()
    assert "30 x 40" in packed.explain() and "30 x 40 of int64" in repr(packed)
    assert "modulo 2^64" in modblas.explain(v, packed)


def test_it_is_a_copy_and_keeps_its_context():
    A = entries((5, 5), "int64", 1)
    kept = A.copy()
    context = modblas.Context("host", workers=1, memory=1 << 28)
    handle = weakref.ref(context.handle())
    packed = context.pack(A, 7)
    A[...] = 0
    context.close()
    del context
    gc.collect()
    assert same(modblas.matmul(packed, kept), exact(kept, kept, 7), 7)
    del packed
    gc.collect()
    assert handle() is None


def test_bounds(host):
    packed = host.pack(I, 2**31 - 1, bound=1, other_bound=100)
    assert (modblas.matmul(packed, (100 * I).astype("int8")) == 100 * I).all()
    with pytest.raises(modblas.EBOUND):
        modblas.matmul(packed, 101 * I)
    right = host.pack(I, 2**31 - 1, side="B", other_bound=100)
    assert (modblas.matmul(100 * I, right) == 100 * I).all()
    with pytest.raises(modblas.EBOUND):
        host.pack(5 * I, 7, bound=1)


def test_what_is_refused(host):
    packed, right = host.pack(I, 7), host.pack(I, 7, side="B")
    for call, kind, text in (
        (lambda: modblas.matmul(packed, I, 5), ValueError, "packed mod 7, and N is 5"),
        (lambda: modblas.matmul(I, packed), ValueError, 'side="B"'),
        (lambda: modblas.matmul(right, I), ValueError, 'side="A"'),
        (lambda: modblas.matmul(packed, right), TypeError, "both packed"),
        (lambda: modblas.matmul(packed, 3), ValueError, "scalar"),
        (lambda: modblas.matmul(packed, I[:2]), ValueError, "A has 3 columns and B 2 rows"),
        (lambda: host.plan(packed, I), TypeError, "plans of its own"),
        (lambda: modblas.verify(I, packed, I, 7), TypeError, "taken by matmul alone"),
        (lambda: host.pack(I[0], 7), ValueError, "1 axes"),
        (lambda: host.pack(I, 7, side="C"), ValueError, "'A' or 'B'"),
        (lambda: host.pack(I * 1.0), TypeError, "give N"),
        (lambda: host.pack(I, 7, scheme="quick"), ValueError, "one of auto"),
        (lambda: host.pack(I[:0], 7), modblas.EINVAL, "nothing is to be packed"),
    ):
        with pytest.raises(kind, match=text):
            call()
    with modblas.Context("host", verify=True) as other:
        with pytest.raises(modblas.EUNAVAILABLE):
            other.pack(I, 7)
        with pytest.raises(ValueError, match="packed by another context"):
            modblas.matmul(packed, I, context=other)
