# SPDX-License-Identifier: BSD-3-Clause
"""Matrix products exactly modulo N, for every N from 1 to 2^64, on GPUs and on the host.

>>> import modblas, numpy as np
>>> modblas.matmul(np.array([[2**40, 3]]), np.array([[5], [-7]]), 2**31 - 1)
array([[2539]])

matmul       alpha*A@B + beta*C mod N of NumPy, CuPy, PyTorch and JAX arrays
matmul_many  many products in one call
explain      how a product would be computed
verify       whether a product is right, without the library
ModMatrix    a matrix with its modulus, and operators
Context      devices, workers, memory; it makes a Plan of one product, for many runs, and a
             Packed operand, for many products
devices      what can be used here
Error        and a subclass of it for each status of the library
"""

from ._api import explain, matmul, matmul_many
from ._context import Context, Device, devices
from ._errors import (
    EBOUND,
    EDEVICE,
    EINTERNAL,
    EINVAL,
    ENOMEM,
    ENOPLAN,
    ENOTINT,
    EUNAVAILABLE,
    EVERIFY,
    Error,
)
from ._modmatrix import ModMatrix
from ._packed import Packed
from ._plan import Plan
from ._table import VERSION as __version__
from ._verify import verify

__all__ = [
    "EBOUND",
    "EDEVICE",
    "EINTERNAL",
    "EINVAL",
    "ENOMEM",
    "ENOPLAN",
    "ENOTINT",
    "EUNAVAILABLE",
    "EVERIFY",
    "Context",
    "Device",
    "Error",
    "ModMatrix",
    "Packed",
    "Plan",
    "__version__",
    "devices",
    "explain",
    "matmul",
    "matmul_many",
    "verify",
]
