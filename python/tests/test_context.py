# SPDX-License-Identifier: BSD-3-Clause
"""Contexts, plans, threads and forks."""

import gc
import os
import threading
import weakref

import numpy as np
import pytest
from conftest import entries

import modblas
from modblas import _context, _frameworks, _library, _product

I = np.eye(3, dtype=np.int64)


def test_explain_and_repr(host):
    assert host.explain().startswith("device   host 0")
    assert "host 0" in repr(host)
    plan = host.plan(np.zeros((300, 200), "u1"), np.zeros((200, 100), "u1"), 251)
    assert "300 x 200 times 200 x 100 modulo 251" in plan.explain()
    assert "scheme" in repr(plan)
    assert modblas.explain(I, I).startswith("product  3 x 3 times 3 x 3 modulo 2^64")


def test_close():
    context = modblas.Context("host", workers=1, memory=1 << 26)
    plan = context.plan(I, I, 7)
    with context:
        assert (modblas.matmul(I, I, 7, context=context) == I).all()
    with pytest.raises(ValueError, match="closed"):
        modblas.matmul(I, I, 7, context=context)
    assert "closed" in repr(context)
    assert (plan.matmul(I, I) == I).all()  # which keeps what it needs


def test_contexts_end(monkeypatch):
    context = modblas.Context("host", workers=1, memory=1 << 26)
    handle = weakref.ref(context.handle())
    plan = context.plan(I, I, 7)
    del context
    gc.collect()
    assert handle() is not None
    del plan
    gc.collect()
    assert handle() is None


def test_contexts_end_in_order_within_cycles(monkeypatch):
    """A plan's context ends after it, also where the collector finds both in one cycle."""
    ended = []
    for turn in range(2):
        context = modblas.Context("host", workers=1, memory=1 << 26)
        plan = context.plan(I, I, 7)
        for thing, name in ((context, "context"), (plan, "plan")):
            end = thing._handle._destroy
            thing._handle._destroy = lambda p, end=end, name=name: (ended.append(name), end(p))
        knot = [context, plan] if turn else [plan, context]
        knot.append(knot)
        del context, plan, thing, knot
        gc.collect()
        assert ended == ["plan", "context"]
        ended.clear()


def test_closed_under_a_running_call():
    context = modblas.Context("host", workers=1)
    A = entries((600, 600), "int64", 1)
    results = []
    thread = threading.Thread(target=lambda: results.append(modblas.matmul(A, A, context=context)))
    thread.start()
    context.close()
    thread.join()
    if results:  # else it was closed before the call began
        assert (results[0] == A @ A).all()


def test_verifying_context():
    with modblas.Context("host", verify=True) as context:
        A = entries((40, 50), "int64", 1)
        assert (modblas.matmul(A, A.T, context=context) == A @ A.T).all()


def test_plans(host):
    A, B = entries((30, 40), "int32", 1), entries((40, 20), "int32", 2)
    N = 2**31 - 1
    expected = (A.astype(object) @ B.astype(object)) % N
    for way in ({}, {"scheme": "rns", "engine": "i8"}, {"scheme": "split", "engine": "f64"},
                {"tile_m": 16, "tile_n": 16}, {"chunk_k": 16}):  # fmt: skip
        plan = host.plan(A, B, N, **way)
        assert (plan.matmul(A, B) == expected).all()
        assert (plan.matmul(A, B, alpha=-1) == -expected % N).all()
        twice = plan.matmul(np.stack([A, A]), B)
        assert (twice[0] == expected).all() and (twice[1] == expected).all()
    out = np.empty((30, 20), "int32")
    assert plan.matmul(A, B, out=out) is out and (out == expected).all()
    with pytest.raises(modblas.EINVAL, match="the plan is for"):
        plan.matmul(A[:29], B)
    with pytest.raises(modblas.EINVAL, match="the plan is for"):
        plan.matmul(A.astype("int64"), B)
    with pytest.raises(ValueError, match="one of auto, direct"):
        host.plan(A, B, N, scheme="fast")


def test_bounds(host):
    A = np.full((20, 20), 5)
    plan = host.plan(A, A, bound_a=5, bound_b=5)
    assert (plan.matmul(A, A) == A @ A).all()
    A[3, 3] = -6
    with pytest.raises(modblas.EBOUND):
        plan.matmul(A, A)


def test_threads_share_a_context(host):
    A = [entries((60 + i, 70), "int64", i) for i in range(8)]
    wrong = []

    def work(i):
        for _ in range(20):
            if (modblas.matmul(A[i], A[i].T, context=host) != A[i] @ A[i].T).any():
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_the_interpreter_runs_during_a_call():
    host = modblas.Context("host", workers=1)
    A = entries((700, 700), "int64", 1)
    done = threading.Event()
    thread = threading.Thread(
        target=lambda: (modblas.matmul(A, A, 2**61 - 1, context=host), done.set())
    )
    thread.start()
    steps = 0
    while not done.is_set():
        steps += 1
        done.wait(0.0005)
    thread.join()
    assert steps > 3  # were the lock held, the loop would see the end at once


@pytest.fixture()
def device(monkeypatch):
    """NumPy's arrays as if they lay on a device with a stream; the host's backend, to which it is
    the same, does what is ordered at once. Gives a list of what was waited for."""
    view, waited = _frameworks.NumPy.view, []

    def on_device(self, array, writable=False):
        seen = view(self, array, writable)
        seen.device = None if array.dtype == "int8" else 0
        return seen

    monkeypatch.setattr(_frameworks.NumPy, "view", on_device)
    monkeypatch.setattr(_frameworks.NumPy, "stream", lambda self, array: 7)
    monkeypatch.setattr(_frameworks.NumPy, "wait", lambda self, array: waited.append(array))
    return waited


def test_products_are_ordered_on_streams(device, monkeypatch, host):
    ordered = []

    def order(plan, stream, *rest):
        ordered.append((plan, stream))
        return _library.order(plan, stream, *rest)

    monkeypatch.setattr(_product, "order", order)
    monkeypatch.setattr(_context, "PLANS_KEPT", 3)
    for n in (2, 3, 4, 5, 6, 3, 3):
        A = entries((n, n), "int64", n)
        assert (modblas.matmul(A, A, context=host) == A @ A).all()
    stack = entries((4, 3, 3), "int64", 1)
    assert (modblas.matmul(stack, stack, context=host) == stack @ stack).all()
    assert device == [] and {stream for _, stream in ordered} == {7}
    assert len({plan for plan, _ in ordered[-5:]}) == 1 and len(host._plans._made) == 3
    plan = host.plan(A, A)
    assert (plan.matmul(A, A) == A @ A).all() and len(ordered) == 12


def test_large_stacks_are_a_batch(device, host):
    stack = entries((2, 9, 3, 3), "int64", 1)
    assert (modblas.matmul(stack, stack, context=host) == stack @ stack).all()
    assert len(device) == 1
    assert (modblas.matmul_many([(I, I), (stack, I)], context=host)[1] == stack).all()
    assert len(device) == 3
    with pytest.raises(ValueError, match="some operands are on the host"):
        modblas.matmul_many([(I, I), (I.astype("int8"), I.astype("int8"))], context=host)


def test_products_that_may_fail_are_waited_for(device, monkeypatch, host):
    monkeypatch.setattr(_product, "order", None)
    A = np.eye(4) * 0.5
    with pytest.raises(modblas.ENOTINT):
        modblas.matmul(A, A, 7, context=host)
    with pytest.raises(modblas.ENOTINT):
        modblas.matmul(np.eye(4, dtype=int), A, 2**60, context=host)
    with pytest.raises(modblas.EBOUND):
        host.plan(3 * I, I, 7, bound_a=1).matmul(3 * I, I)
    with modblas.Context("host", verify=True) as context:
        assert (modblas.matmul(I, I, 7, context=context) == I).all()
        assert (context.plan(I, I, 7).matmul(I, I) == I).all()
    assert len(device) == 5


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_makes_its_own_contexts(host):
    plan = host.plan(I, I, 7)
    modblas.matmul(I, I, 7)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            try:
                modblas.matmul(I, I, 7, context=host)
            except RuntimeError as error:
                assert "fork" in str(error)
                try:
                    plan.matmul(I, I)
                except RuntimeError:
                    fresh = modblas.Context("host")  # CUDA does not survive a fork at all
                    code = 0 if (modblas.matmul(2 * I, I, 7, context=fresh) == 2 * I).all() else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert (plan.matmul(I, I) == I).all()
