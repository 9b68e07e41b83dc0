# SPDX-License-Identifier: BSD-3-Clause
"""Matrices in files: .npy, .npz and Matrix Market's .mtx."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np


def parse_modulus(text: str) -> int:
    """A decimal number, 2^e, 2^e-c or 2^e+c.

    >>> parse_modulus("2^31-1")
    2147483647
    """
    found = re.fullmatch(r"(?:2(?:\^|\*\*)(\d+)([+-]\d+)?|(\d+))", text.replace(" ", ""))
    if found is None:
        raise ValueError(f"the modulus {text!r} is not a number, 2^e, 2^e-c or 2^e+c")
    if found[3]:
        return int(found[3])
    if int(found[1]) > 64:
        raise ValueError(f"the modulus {text} is above 2^64")
    return (1 << int(found[1])) + int(found[2] or 0)


def load(name: str) -> Any:
    """The matrix in a file; FILE.npz:NAME is one of several in an .npz."""
    path, _, member = name.partition(".npz:")
    if member:
        return _member(path + ".npz", member)
    suffix = Path(name).suffix
    if suffix == ".npy":
        return np.load(name, allow_pickle=False)
    if suffix == ".npz":
        return _member(name, None)
    if suffix == ".mtx":
        return _read_market(name)
    raise ValueError(f"{name}: matrices are in .npy, .npz or .mtx files")


def save(name: str, matrix: Any) -> None:
    """Writes a matrix in the format that the name's suffix says."""
    suffix = Path(name).suffix
    if suffix == ".npy":
        np.save(name, matrix)
    elif suffix == ".npz":
        np.savez_compressed(name, C=matrix)
    elif suffix == ".mtx":
        rows, columns = matrix.shape
        head = f"%%MatrixMarket matrix array integer general\n{rows} {columns}\n"
        Path(name).write_text(head + "".join(f"{x}\n" for x in matrix.T.ravel().tolist()))
    else:
        raise ValueError(f"{name}: matrices are written to .npy, .npz or .mtx files")


def _member(path: str, member: str | None) -> Any:
    with np.load(path, allow_pickle=False) as archive:
        if member is None and len(archive.files) != 1:
            raise ValueError(
                f"{path} has {', '.join(archive.files)}: say {path}:{archive.files[0]}"
            )
        name = member or archive.files[0]
        if name not in archive.files:
            raise ValueError(f"{path} has no {name}, but {', '.join(archive.files)}")
        return archive[name]


def _read_market(name: str) -> Any:
    """A dense array of a Matrix Market file of integers, sparse ones too."""
    with open(name, encoding="ascii") as file:
        head = file.readline().lower().split()
        body = [line.split() for line in file if line.strip() and not line.startswith("%")]
    if len(head) != 5 or head[:2] != ["%%matrixmarket", "matrix"]:
        raise ValueError(f"{name} is not a Matrix Market file")
    layout, field, symmetry = head[2:]
    if field not in ("integer", "pattern"):
        raise ValueError(f"{name} has {field} entries; integer ones are read")
    if symmetry not in ("general", "symmetric", "skew-symmetric"):
        raise ValueError(f"{name} is {symmetry}; general and symmetric matrices are read")
    rows, columns = int(body[0][0]), int(body[0][1])
    places = _places(layout, symmetry, rows, columns, body[1:])
    numbers = [int(line[-1]) if field == "integer" else 1 for line in body[1:]]
    if len(numbers) != len(places):
        raise ValueError(f"{name} has {len(numbers)} entries; {len(places)} are announced")
    low = min(numbers, default=0) < 0
    dense = np.zeros((rows, columns), np.int64 if low or symmetry[0] == "s" else np.uint64)
    for (i, j), x in zip(places, numbers):
        dense[i, j] = x
        if symmetry != "general" and i != j:
            dense[j, i] = x if symmetry == "symmetric" else -x
    return dense


def _places(
    layout: str, symmetry: str, rows: int, columns: int, lines: list[list[str]]
) -> list[tuple[int, int]]:
    if layout == "coordinate":
        return [(int(line[0]) - 1, int(line[1]) - 1) for line in lines]
    first = {"general": 0, "symmetric": 0, "skew-symmetric": 1}[symmetry]
    lower = symmetry != "general"
    return [(i, j) for j in range(columns) for i in range(j + first if lower else 0, rows)]
