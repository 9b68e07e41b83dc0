# SPDX-License-Identifier: BSD-3-Clause
"""Finds libmodblas and calls it."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ._errors import failure
from ._table import FUNCTIONS, VERSION

FOLDER = Path(__file__).parent


def _open() -> tuple[str, ctypes.CDLL]:
    """The library that MODBLAS_LIBRARY names, else the package's own, else the system's."""
    named = os.environ.get("MODBLAS_LIBRARY")
    own = FOLDER / "libmodblas.so"
    path = named or (str(own) if own.exists() else "libmodblas.so.0")
    try:
        return path, ctypes.CDLL(path)
    except OSError as error:
        way = "MODBLAS_LIBRARY names it" if named else "set MODBLAS_LIBRARY to the path of one"
        raise ImportError(f"libmodblas cannot be opened ({way}): {error}") from None


def _declare(path: str, library: ctypes.CDLL) -> None:
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(library, name, None)
        if function is None:
            raise ImportError(f"{path} has no {name}: it is not libmodblas {VERSION}")
        function.restype, function.argtypes = result, arguments
    version = library.modblas_version().decode()
    if version.rsplit(".", 1)[0] != VERSION.rsplit(".", 1)[0]:
        raise ImportError(f"{path} is modblas {version}; this package is for {VERSION}")


PATH, library = _open()
_declare(PATH, library)
gemm: Callable[..., int] = library.modblas_gemm
order: Callable[..., int] = library.modblas_plan_order


def check(status: int) -> None:
    """Raises what a status other than OK stands for. To be called by the thread that got it."""
    if status:
        raise failure(status, library.modblas_detail().decode())


def text(function: Callable[..., int], pointer: int | None) -> str:
    """What modblas_plan_text or modblas_context_text says."""
    needed = ctypes.c_size_t()
    check(function(pointer, None, 0, ctypes.byref(needed)))
    buffer = ctypes.create_string_buffer(needed.value)
    check(function(pointer, buffer, needed.value, None))
    return buffer.value.decode()


def initialised(struct: Any, init: Callable[..., None], **fields: Any) -> Any:
    """A struct of options with these fields set."""
    init(ctypes.byref(struct))
    for name, value in fields.items():
        setattr(struct, name, value)
    return struct


def _preload(name: str) -> bool:
    """Opens a CUDA library of NVIDIA's Python packages, after those that it needs."""
    for folder in sys.path:
        for path in sorted(Path(folder, "nvidia").glob(f"*/lib/{name}")):
            if name.startswith("libcublas."):
                _preload(name.replace("libcublas.", "libcublasLt."))
            ctypes.CDLL(str(path))
            return True
    return False


def find_cuda() -> None:
    """Makes cuBLAS known to the loader where only Python packages have it.

    The CUDA module looks in the loader's places and in those of the build; PyTorch and CuPy
    bring a cuBLAS of their own along, which is elsewhere.
    """
    module = os.environ.get("MODBLAS_CUDA_MODULE") or str(
        Path(PATH).with_name("libmodblas_cuda.so")
    )
    try:
        ctypes.CDLL(module)
    except OSError as error:
        missing = re.match(r"(libcublas(?:Lt)?\.so\.\d+): cannot open", str(error))
        if missing:
            _preload(missing[1])
