# SPDX-License-Identifier: BSD-3-Clause
"""Plans."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Any

from ._context import Context, Handle
from ._library import check, initialised, library, text
from ._product import prepare
from ._table import PlanOptions, Problem


class Plan:
    """How products of one shape are computed; made by Context.plan, for many runs and threads.

    >>> import modblas, numpy as np
    >>> A = np.arange(4).reshape(2, 2)
    >>> plan = modblas.Context().plan(A, A, 5)
    >>> plan.matmul(A, A)
    array([[2, 3],
           [1, 1]])
    """

    def __init__(self, context: Context, operands: tuple[Any, Any, Any], **options: int) -> None:
        handle = context.handle()
        A, B, self._N = operands
        product = prepare(A, B, self._N, None, 1, 0, None)
        C, a, b = product.C, product.A, product.B
        problem = Problem(C.rows, C.cols, a.cols, C.type, a.type, b.type, product.N)
        chosen = initialised(PlanOptions(), library.modblas_plan_options_init, **options)
        pointer = c_void_p()
        create = library.modblas_plan_create
        check(create(handle.pointer, byref(pointer), byref(problem), byref(chosen)))
        self._handle = Handle(pointer.value, library.modblas_plan_destroy, handle)

    def matmul(
        self,
        A: Any,
        B: Any,
        *,
        C: Any = None,
        alpha: int = 1,
        beta: int | None = None,
        out: Any = None,
    ) -> Any:
        """As modblas.matmul, for operands of the plan's shapes and types."""
        return prepare(A, B, self._N, C, alpha, beta, out).run_plan(self._handle.pointer)

    def explain(self) -> str:
        """The plan in words: scheme, engine, bounds, tiles, bytes, and why others lost."""
        return text(library.modblas_plan_text, self._handle.pointer)

    def __repr__(self) -> str:
        return f"<modblas.Plan: {self.explain().splitlines()[1]}>"
