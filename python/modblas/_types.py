# SPDX-License-Identifier: BSD-3-Clause
"""Entry types, moduli, and which type a result has."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ._table import Type

WORD = (1 << 64) - 1

# By code: the dtype, its name, the bytes and the largest N - 1 that a residue's type holds.
NAMES = tuple("uint8 uint16 uint32 uint64 int8 int16 int32 int64 float32 float64".split())
DTYPES = tuple(np.dtype(name) for name in NAMES)
SIZES = tuple(dtype.itemsize for dtype in DTYPES)
LARGEST = tuple(
    int(np.iinfo(dtype).max) if dtype.kind in "iu" else 1 << (24 if dtype.itemsize == 4 else 53)
    for dtype in DTYPES
)
CODES: dict[Any, int] = {dtype: code for code, dtype in enumerate(DTYPES)}


def _common(a: int, b: int) -> int | None:
    """NumPy's common type of two; none for uint64 with signed integers."""
    dtype = np.result_type(DTYPES[a], DTYPES[b])
    if dtype.kind == "f" and DTYPES[a].kind in "iu" and DTYPES[b].kind in "iu":
        return None
    return CODES[dtype]


COMMON = tuple(tuple(_common(a, b) for b in range(len(NAMES))) for a in range(len(NAMES)))


def is_float(code: int) -> bool:
    return DTYPES[code].kind == "f"


def bits(code: int) -> int:
    return 8 * SIZES[code]


def modulus(N: Any) -> int:
    """N as an integer, checked."""
    try:
        value = operator.index(N)
    except TypeError:
        raise TypeError(f"N is {N!r}; a modulus is an integer from 1 to 2**64") from None
    if not 1 <= value <= 1 << 64:
        raise ValueError(f"N is {value}; a modulus is an integer from 1 to 2**64")
    return value


def scalar(name: str, value: Any, N: int) -> int:
    """alpha or beta mod N, for any integer."""
    try:
        return operator.index(value) % N
    except TypeError:
        raise TypeError(f"{name} is {value!r}; it must be an integer") from None


def holds(code: int, N: int) -> bool:
    """Whether residues mod N fit the type; of 2^w they do as w-bit two's complement."""
    return N - 1 <= LARGEST[code] or (DTYPES[code].kind == "i" and N == 1 << bits(code))


def result_code(codes: tuple[int, ...], N: int) -> int:
    """The common type if it holds N - 1, else the next of its kind that does, else uint64."""
    code: int | None = codes[0]
    for other in codes[1:]:
        code = None if code is None else COMMON[code][other]
    if code is None:
        return Type.U64
    last = {"u": Type.U64, "i": Type.I64, "f": Type.F64}[DTYPES[code].kind]
    for wider in range(code, last + 1):
        if holds(wider, N):
            return wider
    return Type.U64


def wrap_code(codes: tuple[int, ...]) -> int:
    """The common integer type, modulo whose 2^w a product without N is."""
    code = codes[0]
    for other in codes:
        common = COMMON[code][other]
        if common is None:
            raise TypeError(
                "uint64 and signed entries have no common integer type; give N, or convert one"
            )
        code = common
    if is_float(code):
        raise TypeError(
            f"{NAMES[code]} entries have no wrap-around; give N, the modulus (an integer from 1 "
            "to 2**64), or convert them to integers"
        )
    return code


def refuse(dtype: Any) -> TypeError:
    """Why entries of this type are not taken."""
    name = str(dtype).rpartition(".")[2]
    if name.startswith("bool"):
        hint = "True + True has no one meaning here: use .astype('uint8') and a modulus"
    elif name == "object":
        hint = "Python integers need a machine type: reduce them mod N, then .astype('uint64')"
    else:
        hint = "entries are " + ", ".join(NAMES)
    return TypeError(f"entries of type {name} are not taken; {hint}")
