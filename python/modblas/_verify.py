# SPDX-License-Identifier: BSD-3-Clause
"""Checks of a product that share nothing with the library that computed it."""

from __future__ import annotations

import math
import secrets
from importlib import import_module
from typing import Any

import numpy as np

from ._frameworks import adopt
from ._types import CODES, modulus, refuse, scalar

LIMB = 16  # bits; sums of CHUNK products of two limbs are exact in float64
CHUNK = 1 << 20


def verify(
    result: Any,
    A: Any,
    B: Any,
    N: int | None = None,
    *,
    C: Any = None,
    alpha: int = 1,
    beta: int | None = None,
    method: str = "freivalds",
) -> bool:
    """Whether result is alpha*A@B + beta*C mod N; the arguments are those of matmul.

    method: "freivalds" multiplies by random vectors, in NumPy, and misses a wrong result with
        probability below 2^-40; "flint" compares with the product of python-flint.
    Arrays on a GPU are copied to the host.

    >>> import modblas, numpy as np
    >>> A = np.arange(9).reshape(3, 3)
    >>> R = modblas.matmul(A, A, 101)
    >>> modblas.verify(R, A, A, 101)
    True
    >>> R[2, 1] += 1
    >>> modblas.verify(R, A, A, 101)
    False
    """
    if method not in ("freivalds", "flint"):
        raise ValueError(f"method is {method!r}; it is 'freivalds' or 'flint'")
    R, a, b = (_entries(x) for x in (result, A, B))
    modulo = 1 << 8 * R.itemsize if N is None else modulus(N)
    c = R if C is None else _entries(C)
    alpha = scalar("alpha", alpha, modulo)
    beta = scalar("beta", (C is not None) if beta is None else beta, modulo)
    if C is None and beta:
        raise ValueError("beta is given and C is not, which is what beta multiplies")
    left = a[None, :] if a.ndim == 1 else a
    right = b[:, None] if b.ndim == 1 else b
    stack = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    shape = (*stack, *left.shape[-2:-1][: a.ndim - 1], *right.shape[-1:][: b.ndim - 1])
    for name, array in (("result", R), ("C", c)):
        if array.shape != shape:
            raise ValueError(f"{name} has the shape {array.shape}; A @ B has {shape}")
    full = (*stack, left.shape[-2], right.shape[-1])
    R, c = R.reshape(full), c.reshape(full)
    left = np.broadcast_to(left, (*stack, *left.shape[-2:]))
    right = np.broadcast_to(right, (*stack, *right.shape[-2:]))
    compare = _freivalds if method == "freivalds" else _flint
    return all(
        compare(R[i], left[i], right[i], c[i], alpha, beta, modulo) for i in np.ndindex(*stack)
    )


def _entries(array: Any) -> Any:
    """The entries in host memory, as integers."""
    array, framework = adopt(array)
    host = framework.numpy(array)
    if host.dtype.newbyteorder("=") not in CODES:
        raise refuse(host.dtype)
    if host.dtype.kind != "f":
        return host
    if not (np.abs(host) <= 2.0**53).all() or (host != np.rint(host)).any():
        raise ValueError("an entry is not an integer of magnitude at most 2^53")
    return host.astype(np.int64)


# ---- Freivalds -----------------------------------------------------------------------------------


def _freivalds(R: Any, A: Any, B: Any, C: Any, alpha: int, beta: int, N: int) -> bool:
    """Compares R V with alpha A (B V) + beta C V for a random matrix V of 16-bit entries."""
    if R.size == 0 or N == 1:
        return True
    span = min(N, 1 << LIMB)
    V = [_random((B.shape[1], _rounds(N, span)), span)]
    W = _times(_limbs(B), V, N)
    want = alpha * _times(_limbs(A), _split(W, N), N)
    if beta:
        want += beta * _times(_limbs(C), V, N)
    return bool((_times(_limbs(R), V, N) == want % N).all())


def least_factor(N: int) -> int:
    """The least prime factor of N > 1 up to 256, else 257, which is not above it."""
    return next((p for p in range(2, 257) if N % p == 0), 257)


def _rounds(N: int, span: int) -> int:
    """Columns of V, uniform below span, that miss a wrong product with less than 2^-40. One misses
    with ceil(span / p) / span at most, for the least prime factor p of N, or one below it."""
    p = least_factor(N)
    miss = min(-(-span // p), span - 1) / span
    return math.ceil(-40 / math.log2(miss))


def _random(shape: tuple[int, ...], span: int) -> Any:
    """Uniform below span, a power of two or not, seeded by the system."""
    generator = np.random.default_rng(secrets.randbits(128))
    return generator.integers(0, span, shape).astype(np.float64)


def _limbs(X: Any) -> list[Any]:
    """Floating matrices X_i below 2^16 with X = sum of 2^(16 i) X_i; the last has the sign."""
    count = max(1, 8 * X.itemsize // LIMB)
    X = X.astype(np.uint64 if X.dtype.kind == "u" else np.int64)
    shift, mask = X.dtype.type(LIMB), X.dtype.type((1 << LIMB) - 1)
    limbs = []
    for _ in range(count - 1):
        limbs.append((X & mask).astype(np.float64))
        X = X >> shift
    return [*limbs, X.astype(np.float64)]


def _split(W: Any, N: int) -> list[Any]:
    """The limbs of a matrix of Python integers in [0, N)."""
    count = max(1, -(-(N - 1).bit_length() // LIMB))
    return [((W >> (LIMB * i)) & ((1 << LIMB) - 1)).astype(np.float64) for i in range(count)]


def _times(X: list[Any], V: list[Any], N: int) -> Any:
    """X V mod N as a matrix of Python integers."""
    total = np.zeros((X[0].shape[0], V[0].shape[1]), dtype=object)
    for i, x in enumerate(X):
        for j, v in enumerate(V):
            for start in range(0, v.shape[0], CHUNK):
                chunk = slice(start, start + CHUNK)
                part = (x[:, chunk] @ v[chunk]).astype(np.int64).astype(object)
                total += part << (LIMB * (i + j))
    return total % N


# ---- FLINT ---------------------------------------------------------------------------------------


def _flint(R: Any, A: Any, B: Any, C: Any, alpha: int, beta: int, N: int) -> bool:
    try:
        flint: Any = import_module("flint")
    except ImportError:
        raise ImportError("method='flint' needs python-flint: pip install python-flint") from None

    def matrix(X: Any) -> Any:
        entries = [int(x) for x in X.ravel().tolist()]
        if N < 1 << 64:
            return flint.nmod_mat(*X.shape, entries, N)
        return flint.fmpz_mat(*X.shape, entries)

    if R.size == 0:
        return True
    want = matrix(A) * matrix(B) * alpha
    if beta:
        want += matrix(C) * beta
    return all(int(w) % N == int(r) % N for w, r in zip(want.entries(), R.ravel().tolist()))
