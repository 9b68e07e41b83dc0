# SPDX-License-Identifier: BSD-3-Clause
"""Measures what the package costs and gains; every product that is timed is checked first.

python python/figures.py             overhead, threads, against NumPy; with CuPy also on a GPU
python python/figures.py --quick     smaller products, to see that it runs
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import threading
import time
from collections.abc import Callable
from ctypes import byref
from typing import Any

import numpy as np

import modblas
from modblas.__main__ import find_bench
from modblas._frameworks import NUMPY
from modblas._library import gemm

MODULUS = 2**31 - 1


def seconds(call: Callable[[], Any], least: float = 0.5, rounds: int = 7) -> float:
    """The least mean time of a call over some rounds, which take `least` seconds together."""
    start = time.perf_counter()
    call()
    count = max(1, int(least / rounds / max(time.perf_counter() - start, 1e-7)))
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(count):
            call()
        times.append((time.perf_counter() - start) / count)
    return min(times)


def random(n: int, seed: int = 1) -> Any:
    return np.random.default_rng(seed).integers(-(2**63), 2**63 - 1, (n, n), endpoint=True)


def checked(result: Any, A: Any) -> None:
    """Stops if rows of A @ A are not NumPy's."""
    rows = np.random.default_rng(2).integers(0, len(A), 4)
    if (result[rows] != A[rows] @ A).any():
        raise SystemExit("a product is wrong")


def overhead() -> None:
    """A call on small NumPy arrays against the C call, which ctypes makes 1 to 2 us longer."""
    with modblas.Context("host") as context:
        A, C = random(8), np.empty((8, 8), np.int64)
        a, c = NUMPY.view(A), NUMPY.view(C)
        pointer = context.handle().pointer
        checked(modblas.matmul(A, A, context=context), A)
        whole = seconds(lambda: modblas.matmul(A, A, MODULUS, context=context))
        bare = seconds(lambda: gemm(pointer, byref(c), byref(a), byref(a), 1, 0, MODULUS))
        print(f"8 x 8, host: {whole * 1e6:.1f} us, the C call through ctypes {bare * 1e6:.1f} us")


def against_numpy(n: int) -> None:
    with modblas.Context("host") as context:
        A = random(n)
        checked(modblas.matmul(A, A, context=context), A)
        ours = seconds(lambda: modblas.matmul(A, A, context=context), 2)
        theirs = seconds(lambda: A @ A, 0, 2)
    print(f"int64, n = {n}, host: {ours * 1e3:.1f} ms, A @ A {theirs * 1e3:.1f} ms: "
          f"{theirs / ours:.1f} times")  # fmt: skip


def threads(context: modblas.Context, n: int, put: Callable[[Any], Any], stream: Any) -> None:
    """Products per second of 1 and of 8 threads on one context, each with a stream of its own."""
    matrices = [put(random(n, i)) for i in range(8)]
    rates = {}
    for count in (1, 8):
        done, begin, end = [0] * count, threading.Barrier(count), [0.0]

        def work(i: int) -> None:
            own = stream()
            with own:
                out = modblas.matmul(matrices[i], matrices[i], context=context)
                own.synchronize()
                if begin.wait() == 0:
                    end[0] = time.perf_counter() + 1
                begin.wait()
                while time.perf_counter() < end[0]:
                    for _ in range(10):
                        modblas.matmul(matrices[i], matrices[i], out=out, context=context)
                    own.synchronize()
                    done[i] += 10

        workers = [threading.Thread(target=work, args=(i,)) for i in range(count)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        rates[count] = sum(done)
    name = "host" if put is np.asarray else "CUDA"
    print(f"int64, n = {n}, {name}: {rates[1]} products/s by 1 thread, {rates[8]} by 8: "
          f"{rates[8] / rates[1]:.2f} times")  # fmt: skip


class NoStream(contextlib.nullcontext[None]):
    def synchronize(self) -> None:
        pass


def bench(n: int) -> float:
    """The time that modblas-bench has for the same product in device memory."""
    words = ["--backend", "cuda", "--size", str(n), "--modulus", "2^64", "--type", "i64"]
    command = [find_bench(), *words, "--out-type", "i64", "--seconds", "0.3"]
    return float(
        json.loads(subprocess.check_output([*command, "--format", "json"]))[0]["seconds_median"]
    )


def on_gpu(n: int) -> None:
    import cupy  # type: ignore[import-not-found]

    with modblas.Context("cuda") as context:
        A = cupy.asarray(random(n))

        def timed(call: Callable[[], Any]) -> float:
            """With the stream waited for after a burst of calls."""

            def burst() -> None:
                for _ in range(10):
                    call()
                cupy.cuda.get_current_stream().synchronize()

            return seconds(burst, 0.5, 5) / 10

        checked(cupy.asnumpy(modblas.matmul(A, A, context=context)), cupy.asnumpy(A))
        out = cupy.empty_like(A)
        ours = timed(lambda: modblas.matmul(A, A, context=context))
        into = timed(lambda: modblas.matmul(A, A, out=out, context=context))
        plan = context.plan(A, A)
        planned = timed(lambda: plan.matmul(A, A, out=out))
        theirs = timed(lambda: A @ A)
        c_time = bench(n)
        print(f"int64, n = {n}, CUDA: {ours * 1e3:.3f} ms, into out {into * 1e3:.3f}, planned "
              f"{planned * 1e3:.3f}, CuPy {theirs * 1e3:.3f} ({theirs / ours:.1f} times), "
              f"modblas-bench {c_time * 1e3:.3f}")  # fmt: skip
        small = cupy.asarray(random(8))
        print(f"8 x 8, CUDA, CuPy: {timed(lambda: modblas.matmul(small, small)) * 1e6:.1f} us")
        host = random(8)
        print(f"8 x 8, CUDA, NumPy: {seconds(lambda: modblas.matmul(host, host)) * 1e6:.1f} us")
        for size in (128, 512):
            threads(context, size, cupy.asarray, lambda: cupy.cuda.Stream(non_blocking=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--gpu", action="store_true", help="only what is on the GPU")
    given = parser.parse_args()
    quick = given.quick
    print(f"modblas {modblas.__version__}, NumPy {np.__version__}")
    for device in modblas.devices():
        print(f"{device.backend} {device.device}: {device.name} ({device.libraries})")
    if not given.gpu:
        overhead()
        against_numpy(128 if quick else 1024)
        with modblas.Context("host") as context:
            for size in (64, 256):
                threads(context, size, np.asarray, NoStream)
    if any(device.backend == "cuda" for device in modblas.devices()):
        on_gpu(512 if quick else 4096)


if __name__ == "__main__":
    main()
