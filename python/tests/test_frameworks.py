# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of CuPy, PyTorch and JAX, on a GPU and on the host, where they are installed."""

import numpy as np
import pytest
from conftest import DTYPES, entries, exact, same

import modblas

ON_GPU = any(device.backend == "cuda" for device in modblas.devices())


class Cupy:
    def __init__(self):
        self.cupy = pytest.importorskip("cupy")
        if not ON_GPU:
            pytest.skip("no GPU")

    def put(self, array):
        return self.cupy.asarray(array)

    def get(self, array):
        assert isinstance(array, self.cupy.ndarray)
        return self.cupy.asnumpy(array)


class Torch:
    def __init__(self, device):
        self.torch = pytest.importorskip("torch")
        if device == "cuda" and not ON_GPU:
            pytest.skip("no GPU")
        self.device = device

    def put(self, array):
        return self.torch.from_numpy(np.ascontiguousarray(array)).to(self.device)

    def get(self, array):
        assert array.device.type == self.device
        return array.cpu().numpy()


class Jax:
    def __init__(self, device):
        self.jax = pytest.importorskip("jax")
        if device == "cuda" and not ON_GPU:
            pytest.skip("no GPU")
        self.jax.config.update("jax_enable_x64", True)
        try:
            self.device = self.jax.devices(device)[0]
        except RuntimeError:
            pytest.skip(f"this JAX has no {device}")

    def put(self, array):
        return self.jax.device_put(np.ascontiguousarray(array), self.device)

    def get(self, array):
        assert isinstance(array, self.jax.Array) and array.devices() == {self.device}
        return np.asarray(array)


@pytest.fixture(params=["cupy", "torch cuda", "torch cpu", "jax cuda", "jax cpu"], scope="module")
def framework(request):
    name, _, device = request.param.partition(" ")
    return Cupy() if name == "cupy" else (Torch if name == "torch" else Jax)(device)


@pytest.mark.parametrize("dtype", DTYPES)
def test_types_and_moduli(framework, dtype):
    for N in (1, 2, 251, 65521, 2**20 - 3, 2**31 - 1, 2**52 - 47, 2**63 - 25, 2**64):
        for m, k in ((37, 45), (200, 333)):
            A, B = entries((m, k), dtype, m), entries((k, 61), dtype, k)
            result = framework.get(modblas.matmul(framework.put(A), framework.put(B), N))
            assert result.dtype == modblas.matmul(A[:1], B, N).dtype
            assert same(result[::9], exact(A[::9], B, N), N)


@pytest.mark.parametrize("dtype", ["int64", "uint64", "int32", "uint8"])
def test_extremal_wrap_around(framework, dtype):
    info = np.iinfo(dtype)
    for low in (info.min, info.max):
        A = np.full((260, 1030), low, dtype)
        B = np.full((1030, 140), info.min or info.max, dtype)
        result = framework.get(modblas.matmul(framework.put(A), framework.put(B)))
        assert result.dtype == dtype and (result == A[:1] @ B).all()


def test_views_stacks_and_vectors(framework):
    A, B = entries((3, 40, 50), "int64", 1), entries((3, 50, 30), "int64", 2)
    a, b = framework.put(A), framework.put(B)
    matmul, get = modblas.matmul, framework.get
    assert (get(matmul(a, b)) == A @ B).all()
    assert (get(matmul(a[0], b[0][:, 3])) == A[0] @ B[0][:, 3]).all()
    assert (get(matmul(a[0].T, a[0])) == A[0].T @ A[0]).all()
    assert (get(matmul(a[1, ::2, 5:], b[1, 5:, ::3])) == A[1, ::2, 5:] @ B[1, 5:, ::3]).all()
    assert (get(matmul(a, b[0])) == A @ B[0]).all()
    assert get(matmul(a[0, 0], b[0, :, 0])) == A[0, 0] @ B[0, :, 0]


def test_many(framework):
    A, B = entries((40, 20, 30), "int64", 1), entries((40, 30, 10), "int64", 2)
    a, b = framework.put(A), framework.put(B)
    assert (framework.get(modblas.matmul(a, b)) == A @ B).all()
    first, second = modblas.matmul_many([(a, b), (a[0], b[0], 251)])
    assert (framework.get(first) == A @ B).all()
    assert same(framework.get(second), exact(A[0], B[0], 251), 251)


def test_addend_and_out(framework):
    A, B, C = (
        entries((30, 50), "int64", 1),
        entries((50, 20), "int64", 2),
        entries((30, 20), "int64", 3),
    )
    a, b, c = (framework.put(x) for x in (A, B, C))
    expected = A @ B * 5 - 3 * C
    assert (framework.get(modblas.matmul(a, b, C=c, alpha=5, beta=-3)) == expected).all()
    assert (framework.get(c) == C).all()
    if isinstance(framework, Jax):
        with pytest.raises(TypeError, match="leave out= away"):
            modblas.matmul(a, b, out=c)
        return
    assert modblas.matmul(a, b, C=c, alpha=5, beta=-3, out=c) is c
    assert (framework.get(c) == expected).all()
    wide = framework.put(np.full((64, 64), -7))
    assert modblas.matmul(a, b, out=wide[1:61:2, 4:24]) is not None
    C = np.full((64, 64), -7)
    C[1:61:2, 4:24] = A @ B
    assert (framework.get(wide) == C).all()


def test_errors(framework):
    A = np.eye(40) * 0.5
    with pytest.raises(modblas.ENOTINT):
        modblas.matmul(framework.put(A), framework.put(A), 7)
    with pytest.raises(TypeError, match="bool"):
        modblas.matmul(framework.put(A > 0), framework.put(A > 0), 7)
    with pytest.raises(TypeError, match="convert one of them"):
        modblas.matmul(framework.put(A), A, 7)


def test_verify_and_plan(framework):
    A, B = entries((130, 150), "int64", 1), entries((150, 90), "int64", 2)
    a, b = framework.put(A), framework.put(B)
    c = modblas.matmul(a, b, 2**31 - 1)
    assert modblas.verify(c, a, b, 2**31 - 1)
    assert not modblas.verify(c + 1, a, b, 2**31 - 1)
    assert "130 x 150 times 150 x 90" in modblas.explain(a, b, 2**31 - 1)


def test_work_before_and_after_on_another_stream(framework):
    """What is queued before a product is done before it reads, and what comes after sees it."""
    A = entries((2048, 2048), "int64", 1)
    if isinstance(framework, Cupy):
        stream = framework.cupy.cuda.Stream(non_blocking=True)
        synchronize = framework.cupy.cuda.Device().synchronize
    elif isinstance(framework, Torch) and framework.device == "cuda":
        stream = framework.torch.cuda.stream(framework.torch.cuda.Stream())
        synchronize = framework.torch.cuda.synchronize
    else:
        pytest.skip("it has no streams")
    a = framework.put(A)
    synchronize()  # the other stream does not wait for the copy
    with stream:
        b = a + 0
        for _ in range(20):
            b = b * 3 + 1
        c = modblas.matmul(b, b) + b
    for _ in range(20):
        A = A * 3 + 1
    expected = A[:3] @ A + A[:3]
    synchronize()
    assert (framework.get(c)[:3] == expected).all()


def test_jax_needs_wide_types():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", False)
    try:
        A = jax.numpy.ones((2, 2), "int32")
        with pytest.raises(TypeError, match="jax_enable_x64"):
            modblas.matmul(A, A, 2**40)
        with pytest.raises(TypeError, match="outside jit"):
            jax.jit(lambda x: modblas.matmul(x, x))(A)
    finally:
        jax.config.update("jax_enable_x64", True)


def test_torch_refuses_gradients_and_sparse_tensors():
    torch = pytest.importorskip("torch")
    x = torch.ones((2, 2), requires_grad=True)
    with pytest.raises(TypeError, match="detach"):
        modblas.matmul(x, x, 7)
    with pytest.raises(TypeError, match="dense tensors"):
        modblas.matmul(x.detach().to_sparse(), x, 7)
