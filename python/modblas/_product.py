# SPDX-License-Identifier: BSD-3-Clause
"""What NumPy's @ means for operands, and the calls that compute it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from ctypes import POINTER, byref, cast
from functools import lru_cache
from typing import Any

import numpy as np

from . import _table
from ._context import Context, Handle, default_context
from ._frameworks import Framework, Operand, address, adopt, interleaved, overlap
from ._library import check, gemm, library, order
from ._packed import Packed
from ._table import Matrix
from ._types import (
    COMMON,
    NAMES,
    WORD,
    bits,
    is_float,
    modulus,
    result_code,
    scalar,
    wrap_code,
)


STACK_ORDERED = 16  # products of a stack that are ordered on a stream one by one
RECORD = np.dtype(_table.Product)


class Product:
    """A checked product: views, scalars, and where its result goes."""

    __slots__ = (
        *("C", "A", "B", "X", "packed", "alpha", "beta", "N"),
        *("axes", "out", "target", "framework"),
    )
    C: Operand
    A: Operand
    B: Operand
    X: Operand  # the one of A and B that is not packed, or A
    packed: Packed | None
    alpha: int
    beta: int
    N: int  # as the library writes it: 2^64 is 0
    axes: tuple[int, int]  # how many of A's and B's last two the user's arrays have
    out: Any  # the user's array for the result, or None;
    target: Any  # the same with two axes or more, if it is not C's
    framework: Framework

    def run(self, context: Context | None) -> Any:
        """Computes it, and gives the result as the user has it."""
        if self.packed is not None:
            plan = self.packed.plan(self.problem(), context)
            return self.run_plan(plan, self.packed.waits)
        context = context or default_context(self.X.device)
        handle, scalars = context.handle(), (self.alpha, self.beta, self.N)
        stream = None if self.X.device is None else self._stream(context.verifies)
        if stream is not None:
            self._order(context.plan_for(self.problem()), stream)
        elif self.C.stack:
            run_batch([self], handle)
        else:
            C, A, B = byref(self.C), byref(self.A), byref(self.B)
            check(gemm(handle.pointer, C, A, B, *scalars))
        return self.result()

    def run_plan(self, plan: Handle, waits: bool) -> Any:
        """As run(), by a plan."""
        stream = None if self.X.device is None else self._stream(waits)
        if stream is not None:
            self._order(plan, stream)
        else:
            for views in self.each():
                check(library.modblas_plan_run(plan.pointer, *views, self.alpha, self.beta))
        return self.result()

    def _stream(self, waits: bool) -> int | None:
        """The stream to order the product on, or None if it is to be waited for: where it may fail
        while it runs, as with floating entries, which are checked then, and where it is a large
        stack, which is faster as a batch. What is on the stream before is done then."""
        array = self.X.array
        stream = self.framework.stream(array)
        floating = any(is_float(view.type) for view in (self.C, self.A, self.B))
        if stream is not None and (waits or floating or math.prod(self.C.stack) > STACK_ORDERED):
            self.framework.wait(array)
            return None
        return stream

    def _order(self, plan: Handle, stream: int) -> None:
        for views in self.each():
            check(order(plan.pointer, stream, *views, self.alpha, self.beta))

    def problem(self) -> tuple[int, ...]:
        """The fields of modblas_problem."""
        C, A, B = self.C, self.A, self.B
        return (C.rows, C.cols, A.cols, C.type, A.type, B.type, self.N)

    def each(self) -> Iterator[tuple[Any, ...]]:
        """The views of C, A and B of each product of the stack; a packed operand has none."""
        views = (self.C, self.A, self.B)
        count = math.prod(self.C.stack)
        return zip(
            *(
                [None] * count
                if self.packed is not None and view is self.packed.view
                else matrices(view, self.C.stack)
                for view in views
            )
        )

    def result(self) -> Any:
        """The array that holds C, as the user has it."""
        if self.out is not None:
            if self.target is not None:
                self.framework.assign(self.target, self.C.array)
            return self.out
        array = self.framework.finish(self.C.array)
        if self.axes == (2, 2):
            return array
        shape = self.shape()
        return array.reshape(shape) if shape else array.reshape(())[()]

    def shape(self) -> tuple[int, ...]:
        """The result's shape, as the user has it."""
        last = (self.A.rows,) * (self.axes[0] - 1) + (self.B.cols,) * (self.axes[1] - 1)
        return (*self.C.stack, *last)


def addresses(view: Operand, stack: tuple[int, ...]) -> Any:
    """Where each matrix of a stack begins, broadcast to the product's stack."""
    offsets = np.zeros((), np.int64)
    for size, step in zip(view.stack, view.steps):
        offsets = offsets[..., None] + np.arange(size, dtype=np.int64) * step
    return (np.broadcast_to(offsets, stack) + (view.data or 0)).ravel()


def matrices(view: Operand, stack: tuple[int, ...]) -> list[Matrix]:
    """The view of each matrix of a stack."""
    rest = (view.type, view.rows, view.cols, view.row_stride, view.col_stride)
    return [Matrix(pointer, *rest) for pointer in addresses(view, stack).tolist()]


def run_batch(products: list[Product], handle: Handle) -> None:
    """All products in one call; what their operands wait for is waited for by the caller."""
    records = np.zeros(sum(math.prod(p.C.stack) for p in products), RECORD)
    first = 0
    for p in products:
        part = records[first : first + math.prod(p.C.stack)]
        first += len(part)
        for name, view in (("C", p.C), ("A", p.A), ("B", p.B)):
            part[name]["data"] = addresses(view, p.C.stack)
            for field in ("type", "rows", "cols", "row_stride", "col_stride"):
                part[name][field] = getattr(view, field)
        part["alpha"], part["beta"], part["N"] = p.alpha, p.beta, p.N
    pointer = cast(address(records), POINTER(_table.Product))
    check(library.modblas_gemm_batch(handle.pointer, pointer, len(records)))


def prepare(A: Any, B: Any, N: Any, C: Any, alpha: Any, beta: Any, out: Any) -> Product:
    """A product of arrays. What is wrong with it is said here, before anything is computed."""
    product = Product()
    if type(A) is Packed or type(B) is Packed:
        N = _take_packed(product, A, B, N)
    else:
        _take(product, A, B)
    a, b, framework = product.A, product.B, product.framework
    if a.cols != b.rows:
        raise ValueError(f"A has {a.cols} columns and B {b.rows} rows; A @ B needs as many")
    if beta is None:
        beta = 0 if C is None else 1
    elif C is None and beta:
        raise ValueError("beta is given and C is not, which is what beta multiplies")
    addend = None
    if C is None:
        code, modulo = _result_type(N if N is None else modulus(N), a.type, b.type)
    else:
        addend = _same(product, "C", C)
        c = framework.view(addend).type
        code, modulo = _result_type(N if N is None else modulus(N), a.type, b.type, c)
    product.alpha = scalar("alpha", alpha, modulo)
    product.beta = scalar("beta", beta, modulo)
    product.N = modulo & WORD
    _place_result(product, code, N is None, C, addend, out)
    return product


def _take(product: Product, A: Any, B: Any) -> None:
    """Sets the views of two arrays."""
    A, framework = adopt(A)
    B, other = adopt(B)
    if other is not framework:
        raise TypeError(f"A is {framework.name}'s and B is {other.name}'s: convert one of them")
    axes = (min(len(A.shape), 2), min(len(B.shape), 2))
    if axes != (2, 2):
        if 0 in axes:
            raise ValueError("A or B is a scalar; vectors, matrices and stacks of them are taken")
        A = A if axes[0] == 2 else A[None, :]
        B = B if axes[1] == 2 else B[:, None]
    product.A, product.B = framework.view(A), framework.view(B)
    product.X, product.framework, product.axes, product.packed = product.A, framework, axes, None
    if product.A.device != product.B.device:
        raise ValueError(
            f"A is on {_place(product.A)} and B on {_place(product.B)}: move one of them"
        )


def _take_packed(product: Product, A: Any, B: Any, N: Any) -> int:
    """Sets the views of an array and a packed operand, whose modulus it gives."""
    side, packed, other = ("A", A, B) if type(A) is Packed else ("B", B, A)
    if type(other) is Packed:
        raise TypeError("A and B are both packed; one of them must be an array")
    if packed.side != side:
        raise ValueError(f'{side} was packed for the other side: pack it with side="{side}"')
    if N is not None and modulus(N) != packed.N:
        raise ValueError(f"{side} was packed mod {packed.N}, and N is {N}")
    other, product.framework = adopt(other)
    axes = min(len(other.shape), 2)
    if axes < 2:
        if axes == 0:
            raise ValueError("A or B is a scalar; vectors, matrices and stacks of them are taken")
        other = other[:, None] if side == "A" else other[None, :]
    product.X = product.framework.view(other)
    product.A, product.B = (packed.view, product.X) if side == "A" else (product.X, packed.view)
    product.axes = (2, axes) if side == "A" else (axes, 2)
    product.packed = packed
    return packed.N


def _place(view: Operand) -> str:
    return "the host" if view.device is None else f"CUDA device {view.device}"


@lru_cache(256)
def _result_type(N: int | None, *codes: int) -> tuple[int, int]:
    """The type of a result, and the modulus."""
    if N is None:
        code = wrap_code(codes)
        return code, 1 << bits(code)
    return result_code(codes, N), N


def _stack(A: Operand, B: Operand) -> tuple[int, ...]:
    """The stack of the results."""
    if not A.stack and not B.stack:
        return ()
    try:
        return np.broadcast_shapes(A.stack, B.stack)
    except ValueError:
        raise ValueError(f"stacks of {A.stack} and {B.stack} do not broadcast") from None


def _same(product: Product, name: str, array: Any) -> Any:
    """C or out, checked to be as the result is; with its last two axes."""
    A, B, framework = product.A, product.B, product.framework
    adopted, other = adopt(array)
    if other is not framework or (name == "out" and adopted is not array):
        raise TypeError(f"{name} is not an array of {framework.name}, as A and B are: convert it")
    array = adopted
    last = (A.rows,) * (product.axes[0] - 1) + (B.cols,) * (product.axes[1] - 1)
    shape = (*_stack(A, B), *last)
    if tuple(array.shape) != shape:
        raise ValueError(f"{name} has the shape {tuple(array.shape)}; the result has {shape}")
    if product.axes[1] == 1:
        array = array[..., None]
    return array if product.axes[0] == 2 else array[..., None, :]


def _place_result(product: Product, code: int, wraps: bool, C: Any, addend: Any, out: Any) -> None:
    """Sets C's view: of out where the library can write it as it lies, else of a new array."""
    framework, A, B = product.framework, product.A, product.B
    product.out, product.target = out, None
    if out is not None:
        target = _same(product, "out", out)
        view = framework.view(target, writable=True)
        if wraps and view.type != code:
            raise TypeError(
                f"out is {NAMES[view.type]} and the operands' common type {NAMES[code]}, by which "
                "the product wraps: give N, or such an out"
            )
        if view.device != product.X.device:
            here, there = _place(view), _place(product.X)
            raise ValueError(f"out is on {here} and the operands on {there}: move one of them")
        # No product of a stack may write where another reads or writes.
        alone = not view.stack or not (interleaved(view) or overlap(view, A) or overlap(view, B))
        if view.array is target and (product.beta == 0 or C is out) and alone:
            product.C = view
            return
        product.target, code = target, view.type
    array = framework.empty((*_stack(A, B), A.rows, B.cols), code, product.X.array)
    if product.beta:
        given = framework.view(addend).type
        if COMMON[given][code] != code or is_float(given) != is_float(code):
            raise TypeError(
                f"C is {NAMES[given]} and the result {NAMES[code]}, which does not hold all of "
                f"it: convert C, as in (C % N).astype('{NAMES[code]}')"
            )
        array = framework.assign(array, addend)
    product.C = framework.view(array)
