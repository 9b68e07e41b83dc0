# SPDX-License-Identifier: BSD-3-Clause
"""python -m modblas: mul, bench, plot, info."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path

from . import Context, Error, __version__, devices, matmul, verify
from ._files import load, parse_modulus, save
from ._library import FOLDER, PATH
from ._plot import plot


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="python -m modblas", description="Matrix products exactly modulo N."
    )
    top.add_argument("--version", action="version", version=__version__)
    commands = top.add_subparsers(dest="command", required=True)

    mul = commands.add_parser("mul", help="multiply matrices in files")
    mul.add_argument("A", help="a .npy, .npz (or F.npz:NAME) or Matrix Market .mtx file")
    mul.add_argument("B")
    mul.add_argument("--modulus", "-N", help="decimal, 2^e, 2^e-c; default: the type's 2^w")
    mul.add_argument("--output", "-o", required=True, metavar="C", help=".npy, .npz or .mtx")
    mul.add_argument("--backend", default="auto", choices=("auto", "host", "cuda"))
    mul.add_argument(
        "--verify", action="store_true", help="check the product by Freivalds' method"
    )

    bench = commands.add_parser("bench", help="run modblas-bench", add_help=False)
    bench.add_argument("arguments", nargs=argparse.REMAINDER)

    draw = commands.add_parser("plot", help="draw results of modblas-bench --format json")
    draw.add_argument("results")
    draw.add_argument("--output", "-o", required=True, help=".svg, .png or .pdf")
    draw.add_argument("--title", help="default: the device")

    commands.add_parser("info", help="the library and the devices it can use")
    return top


def find_bench() -> str:
    """modblas-bench beside the library, in the package, or in PATH."""
    for folder in (Path(PATH).parent, FOLDER):
        if os.access(folder / "modblas-bench", os.X_OK):
            return str(folder / "modblas-bench")
    found = shutil.which("modblas-bench")
    if found is None:
        raise FileNotFoundError("there is no modblas-bench beside the library nor in PATH")
    return found


def multiply(arguments: argparse.Namespace) -> None:
    N = parse_modulus(arguments.modulus) if arguments.modulus else None
    A, B = load(arguments.A), load(arguments.B)
    with Context(arguments.backend) as context:
        C = matmul(A, B, N, context=context)
    if arguments.verify and not verify(C, A, B, N):
        raise ArithmeticError("the product failed its check")
    save(arguments.output, C)


def info() -> None:
    print(f"modblas {__version__}, {PATH}")
    for device in devices():
        print(f"{device.backend} {device.device}: {device.name} ({device.libraries})")


def main(words: list[str]) -> int:
    if words[:1] == ["bench"]:
        bench = find_bench()
        os.execv(bench, [bench, *words[1:]])
    arguments = parser().parse_args(words)
    try:
        if arguments.command == "mul":
            multiply(arguments)
        elif arguments.command == "plot":
            plot(arguments.results, arguments.output, arguments.title)
        else:
            info()
    except (Error, ValueError, TypeError, ArithmeticError, ImportError, OSError) as error:
        print(f"modblas: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
