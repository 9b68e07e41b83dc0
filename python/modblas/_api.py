# SPDX-License-Identifier: BSD-3-Clause
"""Functions of the package."""

from __future__ import annotations

from typing import Any

from ._context import Context, default_context
from ._library import library, text
from ._product import prepare


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
    and not waited for. Those of JAX's are, and those of floating entries, since a fault in these
    is to raise here. While a CUDA graph is captured, use a Plan, and keep it as long as the graph.

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
