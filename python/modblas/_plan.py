# SPDX-License-Identifier: BSD-3-Clause
"""Plans."""

from __future__ import annotations

from typing import Any

from ._context import Context, make_plan
from ._library import library, text
from ._product import prepare


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
        A, B, self._N = operands
        product = prepare(A, B, self._N, None, 1, 0, None)
        if product.packed is not None:
            raise TypeError("a packed operand brings plans of its own: give it to modblas.matmul")
        handle = context.handle()
        self._handle = make_plan(handle, handle, product.problem(), **options)
        # A bound is checked while the product runs, which must be waited for then.
        self._waits = context.verifies or bool(options["bound_a"] or options["bound_b"])

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
        return prepare(A, B, self._N, C, alpha, beta, out).run_plan(self._handle, self._waits)

    def explain(self) -> str:
        """The plan in words: scheme, engine, bounds, tiles, bytes, and why others lost."""
        return text(library.modblas_plan_text, self._handle.pointer)

    def __repr__(self) -> str:
        return f"<modblas.Plan: {self.explain().splitlines()[1]}>"
