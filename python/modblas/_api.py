# SPDX-License-Identifier: BSD-3-Clause
"""Functions of the package."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ._context import Context, default_context
from ._library import library, text
from ._product import prepare, run_batch


def matmul(
    A: Any,
    B: Any,
    N: int | None = None,
    *,
    C: Any = None,
    alpha: int = 1,
    beta: int | None = None,
    out: Any = None,
    context: Context | None = None,
) -> Any:
    """alpha*A@B + beta*C mod N, exactly.

    A, B: arrays of shapes (..., m, k) and (..., k, n), whose leading axes broadcast, or vectors,
        as NumPy's @ takes them: NumPy's, CuPy's, PyTorch's, JAX's, or others' that speak
        __array_interface__, __cuda_array_interface__ or DLPack. In host memory or on a CUDA
        device. Entries: uint8 to uint64, int8 to int64, float32, float64, and A's may be others
        than B's. They need not be reduced; floating ones must be integers of magnitude at most
        2^53. Any strides; nothing is copied but arrays of foreign byte order or alignment.
    N: the modulus, 1 to 2**64. None: 2^w, where w are the bits of the operands' common integer
        type, so that the result is NumPy's A @ B, wrapped around.
    C: an array of the result's shape, for beta; it is not written unless it is also `out`.
    alpha, beta: any integers. beta is 1 where C is given.
    out: an array of the result's shape, to be written and returned; it may overlap A, B and C.
        Its type must hold N - 1.
    A or B may be Packed instead (Context.pack); N is then the one that it was packed for.
    context: what to compute with; the default is a GPU where there is one, else the host.

    The result has the operands' framework and device, and residues in [0, N). Its type is the
    operands' common type if it holds N - 1, else the next of the same kind (signed, unsigned,
    floating) that does, else uint64. A signed type of w bits holds residues mod 2^w in two's
    complement.

    Products of CuPy's and PyTorch's arrays on a GPU are ordered on the framework's current stream,
    and not waited for. Those of JAX's are, those of floating entries, since a fault in these is to
    raise here, and stacks of more than 16, which are a batch. While a CUDA graph is captured, use
    a Plan, and keep it as long as the graph.

    Raises TypeError for types, ValueError for shapes, sizes and moduli, ENOTINT for floating
    entries that are no integers, and another modblas.Error where the library fails.

    >>> import modblas, numpy as np
    >>> A = np.array([[2**62, 1], [-1, 5]])
    >>> modblas.matmul(A, A, 2**31 - 1)
    array([[         0,          6],
           [2147483641,         24]])
    >>> bool((modblas.matmul(A, A) == A @ A).all())
    True
    """
    return prepare(A, B, N, C, alpha, beta, out).run(context)


def matmul_many(
    products: Iterable[tuple[Any, ...]], N: int | None = None, *, context: Context | None = None
) -> list[Any]:
    """The products of many pairs of matrices in one call, which is faster than one by one.

    products: pairs (A, B), or triples (A, B, N) with a modulus of their own; each may have other
        shapes and types, and is what matmul(A, B, N) is.
    The results are complete on return. Raises what matmul raises; a ValueError, and a sentence of
    the library, count the products from 0.

    >>> import modblas, numpy as np
    >>> A, B = np.array([[1, 2], [3, 4]]), np.array([[5], [6]])
    >>> modblas.matmul_many([(A, A), (A, B, 10)], 5)
    [array([[2, 0],
           [0, 2]]), array([[7],
           [9]])]
    """
    calls = []
    for number, given in enumerate(products):
        try:
            if not isinstance(given, (tuple, list)) or len(given) not in (2, 3):
                raise ValueError("it is no pair (A, B), nor a triple (A, B, N)")
            A, B, *own = given
            calls.append(prepare(A, B, own[0] if own else N, None, 1, None, None))
            if calls[-1].packed is not None:
                raise TypeError("packed operands are taken by matmul")
        except (TypeError, ValueError) as error:
            raise type(error)(f"product {number}: {error}") from None
    devices = {call.X.device for call in calls}
    if len(devices) > 1:
        raise ValueError("some operands are on the host or a device, and others on another")
    for call in calls:
        if call.X.device is not None:
            call.framework.wait(call.X.array)
    if calls:
        run_batch(calls, (context or default_context(devices.pop())).handle())
    return [call.result() for call in calls]


def explain(A: Any, B: Any, N: int | None = None, *, context: Context | None = None) -> str:
    """How matmul(A, B, N) would be computed, in words. The entries are not read.

    >>> import modblas, numpy as np
    >>> print(modblas.explain(np.eye(500), np.eye(500), 65521).splitlines()[0])
    product  500 x 500 times 500 x 500 modulo 65521, f64 <- f64 * f64
    """
    product = prepare(A, B, N, None, 1, 0, None)
    if product.packed is not None:
        plan = product.packed.plan(product.problem(), context)
        return text(library.modblas_plan_text, plan.pointer)
    return (context or default_context(product.X.device)).plan(A, B, N).explain()
