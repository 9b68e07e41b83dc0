# SPDX-License-Identifier: BSD-3-Clause
"""What is refused, and what is said then."""

import numpy as np
import pytest

import modblas
from modblas._table import Status

I = np.eye(3, dtype=np.int64)


def raises(kind, text, *arguments, **keywords):
    with pytest.raises(kind, match=text):
        modblas.matmul(*arguments, **keywords)


def test_every_status_is_an_exception():
    for status in Status:
        if status != Status.OK:
            cls = getattr(modblas, status.name)
            assert cls.status == status and issubclass(cls, modblas.Error)


def test_entries_that_are_no_integers():
    for bad in (0.5, np.nan, np.inf, -np.inf, 2.0**53 + 2, -(2.0**60)):
        A = I.astype(float)
        A[1, 2] = bad
        with pytest.raises(modblas.ENOTINT, match="integer"):
            modblas.matmul(A, I, 7)
        raises(ValueError, "integer", I, A, 7)
    zero = np.full((2, 2), -0.0)
    assert (modblas.matmul(zero, zero, 7) == 0).all()


def test_types():
    raises(TypeError, "bool", I > 0, I, 7)
    raises(TypeError, "bool", I > 0, I > 0)
    raises(TypeError, "Python integers", I.astype(object), I, 7)
    raises(TypeError, "Python integers", [[2**64]], [[1]], 7)
    for dtype in ("complex128", "float16", "longdouble", "datetime64[s]", "S3"):
        raises(TypeError, "are not taken; entries are uint8", I.astype(dtype), I, 7)
    raises(TypeError, "no common integer type; give N", I, I.astype("uint64"))
    raises(TypeError, "no wrap-around; give N", I.astype(float), I)
    raises(TypeError, "masked", np.ma.masked_equal(I, 0), I, 7)


def test_shapes():
    raises(ValueError, "A has 3 columns and B 2 rows", I, I[:2], 7)
    for nothing in (3, "text", None):
        raises(ValueError, "scalar", nothing, I, 7)
    raises(ValueError, "scalar", I, np.int64(3), 7)
    raises(ValueError, r"stacks of \(2,\) and \(3,\)", np.stack([I] * 2), np.stack([I] * 3))
    raises(ValueError, r"out has the shape \(2, 3\); the result has \(3, 3\)", I, I, out=I[:2])
    raises(ValueError, r"C has the shape \(3,\)", I, I, C=I[0])


def test_moduli():
    for N in (0, -1, 2**64 + 1, True - 1):
        raises(ValueError, r"from 1 to 2\*\*64", I, I, N)
    for N in (7.0, "7", [7], np.array([7])[None]):
        raises(TypeError, r"from 1 to 2\*\*64", I, I, N)
    assert (modblas.matmul(3 * I, I, np.uint8(7)) == 3 * I).all()


def test_scalars_and_outputs():
    raises(TypeError, "alpha is 0.5", I, I, 7, alpha=0.5)
    raises(ValueError, "beta is given and C is not", I, I, 7, beta=1)
    raises(TypeError, "out is int32 and the operands' common type int64", I, I, out=I.astype("i4"))
    for out in (I.tolist(), memoryview(I.copy())):
        raises(TypeError, "out is not an array of NumPy", I, I, out=out)
    raises(modblas.EINVAL, "cannot hold residues", I, I, 1000, out=I.astype("u1"))
    raises(TypeError, "C is int64 and the result uint64", I, I, 2**64 - 59, C=I)
    frozen = I.copy()
    frozen.flags.writeable = False
    raises(ValueError, "read-only", I, I, out=frozen)
    itself = np.lib.stride_tricks.as_strided(np.zeros(1, "i8"), (3, 3), (0, 0))
    raises(modblas.EINVAL, "overlaps itself", I, I, out=itself)


def test_failures_name_themselves(host):
    with pytest.raises(modblas.EUNAVAILABLE) as failure:
        if any(device.backend == "cuda" for device in modblas.devices()):
            pytest.skip("CUDA can be used here")
        modblas.Context("cuda")
    assert str(failure.value)
    with pytest.raises(ValueError, match="one of auto, host, cuda"):
        modblas.Context("gpu")
    with pytest.raises(modblas.EINVAL, match="workers"):
        modblas.Context("host", workers=-1)
    with pytest.raises(modblas.ENOPLAN):
        host.plan(I, I, 2**31 - 1, scheme="direct", engine="i8")
