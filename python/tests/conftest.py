# SPDX-License-Identifier: BSD-3-Clause
"""Operands, layouts and an oracle in Python integers."""

from __future__ import annotations

import os

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import modblas

hypothesis.settings.register_profile("default", deadline=None, derandomize=True)
hypothesis.settings.register_profile("long", deadline=None, max_examples=2000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

INTEGERS = [f"{sign}int{bits}" for sign in ("u", "") for bits in (8, 16, 32, 64)]
DTYPES = [*INTEGERS, "float32", "float64"]
# 1 to 4, the powers of two and their neighbours, primes near the limits of schemes.
MODULI = sorted(
    {1, 2, 3, 4, 5, 251, 65521, 2**26 - 5, 2**31 - 1, 2**52 - 47, 2**63 - 25, 2**64 - 59}
    | {2**e + c for e in (7, 8, 16, 23, 26, 31, 32, 53, 63) for c in (-1, 0, 1)}
    | {2**64 - 1, 2**64}
)


@pytest.fixture(scope="session")
def host():
    with modblas.Context("host") as context:
        yield context


def limits(dtype):
    """The least and the largest entry that a type may have."""
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        return int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    top = 2**24 if dtype.itemsize == 4 else 2**53
    return -top, top


def entries(shape, dtype, seed):
    """Full-range random entries, a third of them extremal."""
    generator = np.random.default_rng(seed)
    low, high = limits(dtype)
    wide = generator.integers(low, high, shape, dtype=_wide(dtype), endpoint=True)
    extremal = np.where(generator.integers(0, 2, shape) == 1, low, high) if low else high
    mixed = np.where(generator.integers(0, 3, shape) == 0, np.asarray(extremal, wide.dtype), wide)
    return mixed.astype(dtype)


def _wide(dtype):
    return np.dtype(dtype) if np.dtype(dtype).kind in "iu" else np.int64


LAYOUTS = ("rows", "columns", "steps", "reversed", "unaligned", "swapped")


def lay(array, layout):
    """The same entries, as an array of another layout."""
    if layout == "columns":
        return np.asfortranarray(array)
    if layout == "reversed":
        return array[..., ::-1, ::-1].copy()[..., ::-1, ::-1]
    if layout == "steps":
        shape = array.shape[:-2] + (2 * array.shape[-2], 3 * array.shape[-1] + 1)
        wide = np.ones(shape, array.dtype)
        wide[..., ::2, 1::3] = array
        return wide[..., ::2, 1::3]
    if layout == "unaligned":
        data = b"x" + array.tobytes()
        return np.frombuffer(data, array.dtype, array.size, 1).reshape(array.shape)
    if layout == "swapped":
        return array.astype(array.dtype.newbyteorder())
    return array


def whole(array):
    """The entries as Python integers."""
    return (array.astype(np.int64) if array.dtype.kind == "f" else array).astype(object)


def exact(A, B, N, C=None, alpha=1, beta=0):
    """alpha*A@B + beta*C mod N in Python integers, in [0, N)."""
    product = alpha * (whole(A) @ whole(B))
    if C is not None:
        product = product + beta * whole(C)
    return product % N


def same(result, expected, N):
    """Whether an array holds these residues: of a signed type mod 2^w also below 0."""
    integers = result.astype(np.int64) if result.dtype.kind == "f" else result
    if result.dtype.kind != "i" or N != 1 << 8 * result.itemsize:
        assert (integers >= 0).all()
    return integers.shape == expected.shape and bool(
        (integers.astype(object) % N == expected).all()
    )


sizes = st.integers(0, 9)
seeds = st.integers(0, 2**32)
moduli = st.sampled_from(MODULI) | st.integers(1, 2**64)
layouts = st.sampled_from(LAYOUTS)
dtypes = st.sampled_from(DTYPES)
