# SPDX-License-Identifier: BSD-3-Clause
"""Matrices that know their modulus."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ._api import matmul
from ._errors import ENOTINT
from ._frameworks import adopt
from ._types import CODES, DTYPES, LARGEST, WORD, modulus, refuse


class ModMatrix:
    """A matrix of residues mod N, in host memory; it does not change.

    A: a matrix of integers, of any type that matmul takes; N: 1 to 2**64.
    Operators: + - @ of matrices of the same modulus, * by an integer, ** by an integer of at least
    0, == (equal as a whole), .T. M[i, j] is an int; M[i] is a row and M[:, j] a column, which are
    matrices, as is M[1:3, ::2].

    >>> from modblas import ModMatrix
    >>> M = ModMatrix([[1, 1], [1, 0]], 1000)
    >>> (M ** 100)[0, 1]
    75
    >>> M - 2 * M.T @ M
    ModMatrix([[997, 999],
               [999, 998]], N=1000)
    >>> M.numpy().dtype
    dtype('uint16')
    """

    __slots__ = ("_entries", "_N")
    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None  # so that array + M is a TypeError, not an array of objects
    _entries: Any
    _N: int

    def __init__(self, A: Any, N: int) -> None:
        self._N = modulus(N)
        array, framework = adopt(A)
        entries = framework.numpy(array)
        if entries.ndim != 2:
            raise ValueError(f"A has {entries.ndim} axes; a matrix has 2")
        self._entries = _residues(entries, self._N)

    @classmethod
    def _of(cls, residues: Any, N: int) -> ModMatrix:
        made = cls.__new__(cls)
        made._entries, made._N = residues, N
        return made

    @property
    def N(self) -> int:
        """The modulus."""
        return self._N

    @property
    def shape(self) -> tuple[int, int]:
        rows, columns = self._entries.shape
        return rows, columns

    @property
    def T(self) -> ModMatrix:
        """The transpose."""
        return self._of(self._entries.T, self._N)

    def numpy(self) -> Any:
        """The residues as a new array of the smallest unsigned type that holds N - 1."""
        return self._entries.copy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if copy is False:
            raise ValueError("the entries of a ModMatrix cannot be shared: it does not change")
        return self._entries.astype(dtype if dtype is not None else self._entries.dtype)

    def _same(self, other: ModMatrix, what: str) -> Any:
        if other._N != self._N:
            raise ValueError(f"{what} of matrices mod {self._N} and mod {other._N}")
        if what != "product" and other.shape != self.shape:
            raise ValueError(f"{what} of matrices of shapes {self.shape} and {other.shape}")
        return other._entries

    def __matmul__(self, other: object) -> ModMatrix:
        if not isinstance(other, ModMatrix):
            return NotImplemented
        right = self._same(other, "product")
        return self._of(matmul(self._entries, right, self._N), self._N)

    def __add__(self, other: object) -> ModMatrix:
        if not isinstance(other, ModMatrix):
            return NotImplemented
        return self._of(_sum(self._entries, self._same(other, "sum"), self._N), self._N)

    def __sub__(self, other: object) -> ModMatrix:
        if not isinstance(other, ModMatrix):
            return NotImplemented
        right = _negative(self._same(other, "difference"), self._N)
        return self._of(_sum(self._entries, right, self._N), self._N)

    def __neg__(self) -> ModMatrix:
        return self._of(_negative(self._entries, self._N), self._N)

    def __mul__(self, factor: object) -> ModMatrix:
        if isinstance(factor, ModMatrix):
            raise TypeError("* is by an integer; the product of matrices is @")
        try:
            beta = operator.index(factor)  # type: ignore[arg-type]
        except TypeError:
            return NotImplemented
        entries = self._entries
        scaled = matmul(entries[:, :0], entries[:0], self._N, C=entries, beta=beta)
        return self._of(scaled, self._N)

    __rmul__ = __mul__

    def __pow__(self, exponent: int) -> ModMatrix:
        exponent = operator.index(exponent)
        rows, columns = self.shape
        if rows != columns:
            raise ValueError(
                f"a power of a matrix of {rows} x {columns}; only square ones have any"
            )
        if exponent < 0:
            raise ValueError(f"the exponent is {exponent}; inverses are not computed here")
        if exponent == 0:
            return ModMatrix(np.eye(rows, dtype=np.uint8), self._N)
        power = self
        for bit in bin(exponent)[3:]:
            power = power @ power
            if bit == "1":
                power = power @ self
        return power

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ModMatrix):
            return NotImplemented
        return self._N == other._N and np.array_equal(self._entries, other._entries)

    def __getitem__(self, key: Any) -> Any:
        rows, columns = key if isinstance(key, tuple) and len(key) == 2 else (key, slice(None))
        one = (hasattr(rows, "__index__"), hasattr(columns, "__index__"))
        if all(one):
            return int(self._entries[rows, columns])
        picked = self._entries[[rows] if one[0] else rows]
        return self._of(picked[:, [columns] if one[1] else columns], self._N)

    def __repr__(self) -> str:
        rows = np.array2string(self._entries, separator=", ", prefix="ModMatrix(")
        return f"ModMatrix({rows}, N={self._N})"


def _residues(entries: Any, N: int) -> Any:
    """A new array in [0, N) of the smallest unsigned type that holds N - 1."""
    if entries.dtype.newbyteorder("=") not in CODES:
        raise refuse(entries.dtype)
    if entries.dtype.kind == "f":
        if not (np.abs(entries) <= 2.0**53).all() or (entries != np.rint(entries)).any():
            raise ENOTINT("an entry is not an integer of magnitude at most 2^53")
        entries = entries.astype(np.int64)
    code = next(code for code in range(4) if N - 1 <= LARGEST[code])
    if entries.dtype.kind == "u":
        reduced = entries.astype(np.uint64)
        reduced = reduced % np.uint64(N) if N <= WORD else reduced
    elif N <= LARGEST[7]:
        reduced = entries.astype(np.int64) % np.int64(N)
    else:
        wide = entries.astype(np.int64).astype(np.uint64)
        reduced = np.where(entries < 0, wide + np.uint64(N & WORD), wide)
    return reduced.astype(DTYPES[code])


def _sum(a: Any, b: Any, N: int) -> Any:
    """a + b mod N of residues; a sum that wraps around is at least N."""
    total = a + b
    over = total < a
    top = int(np.iinfo(a.dtype).max)
    if N <= top:
        over |= total >= a.dtype.type(N)
    return np.where(over, total - a.dtype.type(N & top), total)


def _negative(a: Any, N: int) -> Any:
    top = int(np.iinfo(a.dtype).max)
    return np.where(a == 0, a, a.dtype.type(N & top) - a)
