# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of NumPy, CuPy, PyTorch and JAX as the library's views, without copies."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from ctypes import Structure, c_char, c_int, c_void_p, py_object, pythonapi
from importlib import import_module
from typing import Any

import numpy as np

from ._table import Matrix
from ._types import CODES, DTYPES, NAMES, SIZES, refuse


class Operand(Matrix):
    """The library's view of an array's last two axes, and what the view leaves out."""

    __slots__ = ("array", "stack", "steps", "device")
    array: Any  # keeps the memory alive
    stack: tuple[int, ...]  # the axes before the last two,
    steps: tuple[int, ...]  # and their strides in bytes
    device: int | None  # of CUDA; None is the host


def operand(
    array: Any, pointer: int, code: int, shape: tuple[int, ...], strides: tuple[int, ...]
) -> Operand:
    """An operand of two axes or more, by its shape and its strides in elements."""
    view = Operand(pointer, code, shape[-2], shape[-1], strides[-2], strides[-1])
    view.array, view.device = array, None
    view.stack = tuple(shape[:-2])
    view.steps = tuple(SIZES[code] * stride for stride in strides[:-2])
    return view


def extent(view: Operand) -> tuple[int, int]:
    """The addresses of a view's first byte and of the byte after its last."""
    size, first = SIZES[view.type], view.data or 0
    axes = [(view.rows, view.row_stride * size), (view.cols, view.col_stride * size)]
    reach = [(n - 1) * step for n, step in [*axes, *zip(view.stack, view.steps)]]
    return first + sum(min(0, r) for r in reach), first + size + sum(max(0, r) for r in reach)


def overlap(a: Operand, b: Operand) -> bool:
    """Whether two views of one device may share memory."""
    (a0, a1), (b0, b1) = extent(a), extent(b)
    return a0 < b1 and b0 < a1


def interleaved(view: Operand) -> bool:
    """Whether matrices of a stack lie within each other's first and last byte."""
    one = Operand(view.data, view.type, view.rows, view.cols, view.row_stride, view.col_stride)
    one.stack = one.steps = ()
    low, high = extent(one)
    span = high - low
    for step, size in sorted((abs(s), n) for s, n in zip(view.steps, view.stack) if n > 1):
        if step < span:
            return True
        span += (size - 1) * step
    return False


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(math.prod(shape[i + 1 :]) for i in range(len(shape)))


class Framework(ABC):
    """What is asked of a library of arrays."""

    name: str

    @abstractmethod
    def view(self, array: Any, writable: bool = False) -> Operand:
        """A view; where the library cannot use the array as it lies, of a copy in .array."""

    @abstractmethod
    def empty(self, shape: tuple[int, ...], code: int, like: Any) -> Any:
        """A new array on the device of another; its values are not needed."""

    def assign(self, target: Any, source: Any) -> Any:
        """The target with the source's values."""
        target[...] = source
        return target

    def stream(self, array: Any) -> int | None:
        """The current stream of the array's device; None if there is no such thing."""
        return None

    def wait(self, array: Any) -> None:
        """Returns when what is on that stream is done."""

    def finish(self, array: Any) -> Any:
        """What the user gets for an array of empty()."""
        return array

    def numpy(self, array: Any) -> Any:
        """The array's entries in host memory."""
        return np.asarray(array)


class ArrayInterface(Structure):
    """PyArrayInterface, to which NumPy's __array_struct__ leads."""

    _fields_ = [
        ("two", c_int),
        ("nd", c_int),
        ("typekind", c_char),
        ("itemsize", c_int),
        ("flags", c_int),
        ("shape", c_void_p),
        ("strides", c_void_p),
        ("data", c_void_p),
    ]


_pointer_of = pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = c_void_p, [py_object, c_void_p]
_DATA: int = ArrayInterface.data.offset


def address(array: Any) -> int:
    """array.ctypes.data, in half the time."""
    return c_void_p.from_address(_pointer_of(array.__array_struct__, None) + _DATA).value or 0


class NumPy(Framework):
    name = "NumPy"

    def view(self, array: Any, writable: bool = False) -> Operand:
        code = CODES.get(array.dtype)
        shape = array.shape
        if code is not None and array.flags.c_contiguous and len(shape) == 2 and not writable:
            pointer = address(array)
            if pointer % SIZES[code] == 0:
                view = Operand(pointer, code, shape[0], shape[1], shape[1], 1)
                view.array, view.stack, view.steps, view.device = array, (), (), None
                return view
        return self._view(array, writable)

    def _view(self, array: Any, writable: bool) -> Operand:
        if writable and not array.flags.writeable:
            raise ValueError("out is read-only")
        code = CODES.get(array.dtype.newbyteorder("="))
        if code is None:
            raise refuse(array.dtype)
        size = SIZES[code]
        straight = array.dtype.isnative and address(array) % size == 0
        if not straight or any(stride % size for stride in array.strides):
            array = np.array(array, dtype=DTYPES[code], order="C", copy=True, subok=False)
        strides = tuple(stride // size for stride in array.strides)
        return operand(array, address(array), code, array.shape, strides)

    def empty(self, shape: tuple[int, ...], code: int, like: Any) -> Any:
        return np.empty(shape, DTYPES[code])


class CuPy(Framework):
    name = "CuPy"

    def __init__(self) -> None:
        self.cupy: Any = import_module("cupy")

    def view(self, array: Any, writable: bool = False) -> Operand:
        code = CODES.get(array.dtype)
        if code is None:
            raise refuse(array.dtype)
        size = SIZES[code]
        if any(stride % size for stride in array.strides) or array.data.ptr % size:
            with array.device:
                array = self.cupy.array(array, order="C")
        strides = tuple(stride // size for stride in array.strides)
        view = operand(array, array.data.ptr, code, array.shape, strides)
        view.device = array.device.id
        return view

    def empty(self, shape: tuple[int, ...], code: int, like: Any) -> Any:
        with like.device:
            return self.cupy.empty(shape, DTYPES[code])

    def stream(self, array: Any) -> int | None:
        return int(self.cupy.cuda.get_current_stream(array.device.id).ptr)

    def wait(self, array: Any) -> None:
        self.cupy.cuda.get_current_stream(array.device.id).synchronize()

    def numpy(self, array: Any) -> Any:
        return self.cupy.asnumpy(array)


class Torch(Framework):
    name = "PyTorch"

    def __init__(self) -> None:
        self.torch: Any = import_module("torch")
        self.dtypes = [getattr(self.torch, name, None) for name in NAMES]
        CODES.update((dtype, code) for code, dtype in enumerate(self.dtypes) if dtype is not None)

    def view(self, array: Any, writable: bool = False) -> Operand:
        code = CODES.get(array.dtype)
        if code is None:
            raise refuse(array.dtype)
        if array.layout is not self.torch.strided or array.device.type not in ("cpu", "cuda"):
            raise TypeError(
                f"a {array.layout} tensor on {array.device} is not taken; dense tensors on the "
                "host or a CUDA device are"
            )
        if array.requires_grad:
            raise TypeError("products mod N have no gradient: use .detach()")
        view = operand(array, array.data_ptr(), code, array.shape, array.stride())
        view.device = array.device.index
        return view

    def empty(self, shape: tuple[int, ...], code: int, like: Any) -> Any:
        if self.dtypes[code] is None:
            raise TypeError(f"the result is {NAMES[code]}, which this PyTorch does not have")
        return self.torch.empty(shape, dtype=self.dtypes[code], device=like.device)

    def assign(self, target: Any, source: Any) -> Any:
        return target.copy_(source)

    def stream(self, array: Any) -> int | None:
        return int(self.torch.cuda.current_stream(array.device).cuda_stream)

    def wait(self, array: Any) -> None:
        self.torch.cuda.current_stream(array.device).synchronize()

    def numpy(self, array: Any) -> Any:
        return array.cpu().numpy()


class Jax(Framework):
    """On the host, JAX's arrays are seen through NumPy. On a GPU a result is written into an array
    that JAX has just made and nobody has seen; JAX has no current stream, so both sides wait."""

    name = "JAX"

    def __init__(self) -> None:
        self.jax: Any = import_module("jax")

    def view(self, array: Any, writable: bool = False) -> Operand:
        if isinstance(array, np.ndarray):  # of empty()
            return NUMPY.view(array)
        if isinstance(array, self.jax.core.Tracer):
            raise TypeError(
                "modblas is called on arrays, not while JAX traces: use it outside jit"
            )
        code = CODES.get(array.dtype)
        if code is None:
            raise refuse(array.dtype)
        if writable:
            raise TypeError("JAX's arrays cannot be written: leave out= away")
        if self._is_host(array):
            return NUMPY.view(np.asarray(array))
        array.block_until_ready()
        seen = array.__cuda_array_interface__
        if seen.get("strides") is not None:
            strides = tuple(stride // SIZES[code] for stride in seen["strides"])
        else:
            strides = row_major(array.shape)
        view = operand(array, seen["data"][0], code, array.shape, strides)
        view.device = next(iter(array.devices())).local_hardware_id
        return view

    @staticmethod
    def _is_host(array: Any) -> bool:
        if isinstance(array, np.ndarray):
            return True
        return all(device.platform == "cpu" for device in array.devices())

    def empty(self, shape: tuple[int, ...], code: int, like: Any) -> Any:
        if self.jax.dtypes.canonicalize_dtype(DTYPES[code]) != DTYPES[code]:
            raise TypeError(
                f"the result is {NAMES[code]}, which JAX has after "
                "jax.config.update('jax_enable_x64', True)"
            )
        if self._is_host(like):
            return np.empty(shape, DTYPES[code])
        with self.jax.default_device(next(iter(like.devices()))):
            return self.jax.numpy.zeros(shape, DTYPES[code])

    def assign(self, target: Any, source: Any) -> Any:
        if isinstance(target, np.ndarray):
            target[...] = np.asarray(source)
            return target
        fresh = self.jax.numpy.broadcast_to(source.astype(target.dtype), target.shape)
        return self.jax.numpy.array(fresh, copy=True)

    def finish(self, array: Any) -> Any:
        if not isinstance(array, np.ndarray):
            return array
        return self.jax.device_put(array, self.jax.devices("cpu")[0])


NUMPY = NumPy()
_makers: dict[str, Any] = {"cupy": CuPy, "torch": Torch, "jax": Jax, "jaxlib": Jax}
_made: dict[str, Framework] = {"numpy": NUMPY}
_by_type: dict[type, Framework] = {np.ndarray: NUMPY}


def _of_type(cls: type) -> Framework | None:
    for base in cls.__mro__:
        root = base.__module__.partition(".")[0]
        if root == "numpy" and not issubclass(cls, np.ndarray):
            continue
        if root in _makers and root not in _made:
            _made[root] = _makers[root]()
        if root in _made:
            return _made[root]
    return None


def adopt(array: Any) -> tuple[Any, Framework]:
    """The array and its framework. Objects of others are taken over without a copy: by NumPy on
    the host, by CuPy on a GPU; lists become NumPy's arrays."""
    cls = type(array)
    framework = _by_type.get(cls)
    if framework is None:
        framework = _of_type(cls)
        if framework is None:
            return _adopt_other(array)
        if issubclass(cls, np.ma.MaskedArray):
            raise TypeError("masked arrays are not taken: .filled(0) gives one without a mask")
        _by_type[cls] = framework
    return array, framework


def _adopt_other(array: Any) -> tuple[Any, Framework]:
    on_device = hasattr(array, "__cuda_array_interface__")
    by_dlpack = hasattr(array, "__dlpack__") and not hasattr(array, "__array_interface__")
    if not on_device and by_dlpack:
        on_device = array.__dlpack_device__()[0] != 1
    if not on_device:
        return (np.from_dlpack(array) if by_dlpack else np.asarray(array)), NUMPY
    try:
        cupy: Any = import_module("cupy")
    except ImportError:
        raise TypeError(
            f"a {type(array).__module__} array on a GPU is taken through CuPy, which is not "
            "installed; PyTorch's and JAX's are taken as they are"
        ) from None
    taken = cupy.from_dlpack(array) if by_dlpack else cupy.asarray(array)
    return taken, adopt(taken)[1]
