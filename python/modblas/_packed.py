# SPDX-License-Identifier: BSD-3-Clause
"""Operands that are split and laid out once, for many products."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Any

from ._context import Context, Handle, Plans, choice
from ._frameworks import Operand, adopt
from ._library import check, initialised, library, text
from ._table import Engine, PackOptions, Scheme, Side
from ._types import NAMES, WORD, bits, modulus, wrap_code


class Packed:
    """A matrix that was packed by Context.pack, to be given to matmul in place of A or of B.

    It holds a copy, on its context's device. The other operand may be of any framework, and the
    result is of that.

    >>> import modblas, numpy as np
    >>> A = np.arange(4).reshape(2, 2)
    >>> packed = modblas.Context().pack(A, 5)
    >>> modblas.matmul(packed, A)
    array([[2, 3],
           [1, 1]])
    """

    def __init__(self, context: Context, X: Any, N: Any, side: str, **options: int) -> None:
        if side not in ("A", "B"):
            raise ValueError(f"side is {side!r}; it is 'A' or 'B'")
        X, framework = adopt(X)
        if len(X.shape) != 2:
            raise ValueError(f"the operand to pack has {len(X.shape)} axes; a matrix has 2")
        view = framework.view(X)
        self.N = 1 << bits(wrap_code((view.type,))) if N is None else modulus(N)
        self.shape = (view.rows, view.cols)
        self.side = side
        if view.device is not None:
            framework.wait(X)
        handle, pointer = context.handle(), c_void_p()
        kind = Side.A if side == "A" else Side.B
        chosen = initialised(PackOptions(), library.modblas_pack_options_init, **options)
        pack, given = library.modblas_pack, (byref(view), kind, self.N & WORD, byref(chosen))
        check(pack(handle.pointer, byref(pointer), *given))
        self._handle = Handle(pointer.value, library.modblas_packed_destroy, handle)
        self._context = handle
        self.waits = bool(options["other_bound"])  # which is checked while a product runs
        stated = {"bound_b" if side == "A" else "bound_a": options["other_bound"]}
        self._plans = Plans(handle, self._handle, packed=pointer.value, **stated)
        # What the library is told of the operand: sizes and type, no data.
        self.view = Operand(None, view.type, view.rows, view.cols, 0, 0)
        self.view.array, self.view.device, self.view.stack, self.view.steps = None, None, (), ()

    def plan(self, problem: tuple[int, ...], context: Context | None = None) -> Handle:
        """For the package: the plan for these fields of modblas_problem."""
        if context is not None and context.handle() is not self._context:
            raise ValueError("the operand was packed by another context")
        return self._plans.get(problem)

    def explain(self) -> str:
        """What was packed, how, and in how many bytes."""
        return text(library.modblas_packed_text, self._handle.pointer)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise TypeError("a packed operand is taken by matmul alone; its entries are not kept")

    def __repr__(self) -> str:
        rows, columns = self.shape
        kind = NAMES[self.view.type]
        return f"<modblas.Packed: {self.side}, {rows} x {columns} of {kind}, N={self.N}>"


def pack(
    context: Context, X: Any, N: Any, side: str, scheme: str, engine: str, **options: int
) -> Packed:
    """Context.pack."""
    options["scheme"] = choice(Scheme, scheme, "scheme")
    options["engine"] = choice(Engine, engine, "engine")
    return Packed(context, X, N, side, **options)
