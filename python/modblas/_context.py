# SPDX-License-Identifier: BSD-3-Clause
"""Contexts: devices, workers and memory that products run with."""

from __future__ import annotations

import ctypes
import os
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ._library import check, find_cuda, initialised, library, text
from ._table import (
    Backend,
    DeviceInfo,
    Engine,
    Options,
    PlanOptions,
    Problem,
    Scheme,
    Verify,
)

if TYPE_CHECKING:
    from ._packed import Packed
    from ._plan import Plan


class Handle:
    """An object of the library, which ends with the last of its users: whoever calls the library
    holds the handle meanwhile, so that close() cannot pull it away. One that was made from another
    ends first, also where the garbage collector finalizes both, in whatever order and thread."""

    __slots__ = ("_pointer", "_destroy", "_owner", "_users", "_once", "__weakref__")

    def __init__(
        self, pointer: int | None, destroy: Callable[[int], None], owner: Handle | None = None
    ) -> None:
        self._pointer = pointer
        self._destroy = destroy
        self._owner = owner
        self._users = {id(self)}  # itself, and what was made from it
        self._once = [True]
        if owner is not None:
            owner._users.add(id(self))
        _alive.add(self)

    @property
    def pointer(self) -> int:
        if self._pointer is None:
            raise RuntimeError(
                "this context was made before a fork, by the parent process: make a new one here"
            )
        return self._pointer

    def __del__(self) -> None:
        self._release(id(self))

    def _release(self, user: int) -> None:
        self._users.discard(user)
        if self._users:
            return
        try:
            self._once.pop()  # of two threads one gets here
        except IndexError:
            return
        if self._pointer is not None:
            self._destroy(self._pointer)
        if self._owner is not None:
            self._owner._release(id(self))

    def forget(self) -> None:
        """In a child of fork: the object is the parent's."""
        self._pointer = None


_alive: weakref.WeakSet[Handle] = weakref.WeakSet()


class Device(NamedTuple):
    """What devices() tells of one."""

    backend: str
    device: int
    name: str
    libraries: str
    memory_total: int
    memory_free: int


def devices() -> list[Device]:
    """The devices that can be used here; the host is the last.

    >>> import modblas
    >>> modblas.devices()[-1].backend
    'host'
    """
    find_cuda()
    count = ctypes.c_int()
    check(library.modblas_device_list(None, 0, ctypes.byref(count)))
    infos = (DeviceInfo * count.value)()
    check(library.modblas_device_list(infos, count.value, ctypes.byref(count)))
    return [
        Device(
            Backend(info.backend).name.lower(),
            info.device,
            info.name.decode(),
            info.libraries.decode(),
            info.memory_total,
            info.memory_free,
        )
        for info in infos
    ]


PLANS_KEPT = 256


class Plans:
    """Plans of a context, one for each problem, made when it is first needed."""

    def __init__(self, context: Handle, owner: Handle, **options: Any) -> None:
        self._context = context
        self._owner = owner
        self._options = options
        self._made: dict[tuple[int, ...], Handle] = {}
        self._lock = threading.Lock()

    def get(self, problem: tuple[int, ...]) -> Handle:
        """The plan for these fields of modblas_problem."""
        plan = self._made.get(problem)
        if plan is None:
            plan = make_plan(self._context, self._owner, problem, **self._options)
            with self._lock:
                if len(self._made) >= PLANS_KEPT:
                    del self._made[next(iter(self._made))]
                self._made[problem] = plan
        return plan

    def clear(self) -> None:
        self._made = {}


def make_plan(context: Handle, owner: Handle, problem: tuple[int, ...], **options: Any) -> Handle:
    """A plan of the library, which its owner outlives."""
    pointer, byref = ctypes.c_void_p(), ctypes.byref
    given = Problem(*problem)
    chosen = initialised(PlanOptions(), library.modblas_plan_options_init, **options)
    create = library.modblas_plan_create
    check(create(context.pointer, byref(pointer), byref(given), byref(chosen)))
    return Handle(pointer.value, library.modblas_plan_destroy, owner)


def choice(kind: Any, name: str, what: str) -> int:
    """The value of an enum by its name in lower case."""
    for member in kind:
        if member.name.lower() == name:
            return int(member)
    names = ", ".join(member.name.lower() for member in kind)
    raise ValueError(f"{what} is {name!r}; it is one of {names}")


class Context:
    """Devices, workers and a budget of memory, for any number of products and threads.

    Without one, functions use a default context: CUDA where a device can be used, else the host.

    backend: "auto", "host" or "cuda"; EUNAVAILABLE where the one named cannot be used.
    devices: ordinals of CUDA devices; default: the first.
    workers: per device, 1 to 64; 0: 2 on a GPU, the usable cores on the host.
    memory: bytes of workspace per device; 0: half of what is free now.
    verify: check each product by Freivalds' method, and raise EVERIFY if it is wrong.

    >>> import modblas
    >>> with modblas.Context("host", workers=1) as context:
    ...     print(modblas.matmul([[1, 2]], [[3], [4]], 7, context=context))
    [[4]]
    """

    def __init__(
        self,
        backend: str = "auto",
        *,
        devices: Sequence[int] | None = None,
        workers: int = 0,
        memory: int = 0,
        verify: bool = False,
    ) -> None:
        kind = choice(Backend, backend, "backend")
        if kind != Backend.HOST:
            find_cuda()
        ordinals = (ctypes.c_int * len(devices or ()))(*(devices or ()))
        options = initialised(
            Options(),
            library.modblas_options_init,
            backend=kind,
            devices=ordinals if devices else None,
            device_count=len(ordinals),
            workers=workers,
            memory=memory,
            verify=Verify.FREIVALDS if verify else Verify.OFF,
        )
        pointer = ctypes.c_void_p()
        check(library.modblas_context_create(ctypes.byref(pointer), ctypes.byref(options)))
        handle = Handle(pointer.value, library.modblas_context_destroy)
        self._handle: Handle | None = handle
        self._plans = Plans(handle, handle)
        self.verifies = verify

    def handle(self) -> Handle:
        """For the package: what keeps the library's context alive during a call."""
        handle = self._handle
        if handle is None:
            raise ValueError("this context is closed")
        return handle

    def plan_for(self, problem: tuple[int, ...]) -> Handle:
        """For the package: a plan for these fields of modblas_problem."""
        return self._plans.get(problem)

    def explain(self) -> str:
        """The context in words: backend, devices, workers, budget, engines."""
        handle = self.handle()
        return text(library.modblas_context_text, handle.pointer)

    def plan(
        self,
        A: Any,
        B: Any,
        N: int | None = None,
        *,
        scheme: str = "auto",
        engine: str = "auto",
        bound_a: int = 0,
        bound_b: int = 0,
        tile_m: int = 0,
        tile_n: int = 0,
        chunk_k: int = 0,
    ) -> Plan:
        """A plan for products of arrays of the shapes and types of A and B, mod N. Their entries
        are not read.

        scheme: "direct", "split", "rns" or "plain"; engine: "i8", "f64" or "f32". One that is not
            "auto" is used, or ENOPLAN says why not.
        bound_a, bound_b: your word that |entry| <= bound for all of A, and of B, which saves work;
            0: none given. An entry beyond it makes a run fail with EBOUND.
        tile_m, tile_n, chunk_k: sizes of tiles of C and of chunks of k; 0: the planner's choice.
        """
        from ._plan import Plan

        return Plan(
            self,
            (A, B, N),
            scheme=choice(Scheme, scheme, "scheme"),
            engine=choice(Engine, engine, "engine"),
            bound_a=bound_a,
            bound_b=bound_b,
            tile_m=tile_m,
            tile_n=tile_n,
            chunk_k=chunk_k,
        )

    def pack(
        self,
        X: Any,
        N: int | None = None,
        side: str = "A",
        *,
        width: int = 0,
        bound: int = 0,
        other_bound: int = 0,
        scheme: str = "auto",
        engine: str = "auto",
    ) -> Packed:
        """X split and laid out for products mod N, of which it is the A or, with side="B", the B.

        X: a matrix of any framework; it may change or go when this returns.
        N: the modulus; None: 2^w for entries of w bits.
        width: columns of the products (rows, for side "B") that it is packed for; 0: up to 64.
        bound, other_bound: your word that |entry| <= bound for all of X, and for what it is
            multiplied with; 0: none given.

        EUNAVAILABLE if the context verifies its products.
        """
        from ._packed import pack

        bounds = {"bound": bound, "other_bound": other_bound}
        return pack(self, X, N, side, scheme, engine, width=width, **bounds)

    def close(self) -> None:
        """Ends the context, once calls that are running and plans made for it have ended."""
        self._handle = None
        self._plans.clear()

    def __enter__(self) -> Context:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._handle is None:
            return "<modblas.Context, closed>"
        return f"<modblas.Context: {self.explain().splitlines()[0]}>"


_defaults: dict[int | None, Context] = {}
_lock = threading.Lock()


def default_context(device: int | None = None) -> Context:
    """The context of calls that name none: made when it is first needed, one for operands of the
    host (which a GPU multiplies where there is one) and one for each CUDA device."""
    context = _defaults.get(device)
    if context is None:
        with _lock:
            context = _defaults.get(device)
            if context is None:
                context = Context() if device is None else Context("cuda", devices=[device])
                _defaults[device] = context
    return context


def _after_fork() -> None:
    """A child must neither use nor destroy the contexts of its parent."""
    global _lock
    _lock = threading.Lock()
    for handle in list(_alive):
        handle.forget()
    _defaults.clear()


os.register_at_fork(after_in_child=_after_fork)
