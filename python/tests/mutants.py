# SPDX-License-Identifier: BSD-3-Clause
"""Every guard of the package has a mutant that trips it: one edit of a copy, and tests that must
fail then. Run with MODBLAS_LIBRARY set; the arguments are numbers of mutants, the default all."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PYTHON = Path(__file__).parents[1]

# File, what is replaced, by what, and the tests that must notice.
MUTANTS = [
    ("_types.py", "if not 1 <= value <= 1 << 64", "if not 0 <= value <= 1 << 64", "errors"),
    ("_types.py", "return operator.index(value) % N", "return operator.index(value) & WORD", "matmul"),
    ("_types.py", "and N == 1 << bits(code)", "and N <= 1 << bits(code)", "matmul"),
    ("_types.py", "        return None\n    return CODES", "        pass\n    return CODES", "matmul"),
    ("_types.py", "    if is_float(code):\n        raise", "    if False:\n        raise", "errors"),
    ("_frameworks.py", "if pointer % SIZES[code] == 0:", "if True:", "matmul"),
    ("_frameworks.py", "if not straight or any(", "if any(", "matmul"),
    ("_frameworks.py", "array.flags.c_contiguous and", "", "matmul"),
    ("_frameworks.py", "if writable and not array.flags.writeable:", "if False:", "errors"),
    ("_frameworks.py", "if issubclass(cls, np.ma.MaskedArray):", "if False:", "errors"),
    ("_frameworks.py", "SIZES[code] * stride for stride in strides[:-2]",
     "stride for stride in strides[:-2]", "matmul"),
    ("_product.py", "if a.cols != b.rows:", "if False:", "errors"),
    ("_product.py", "elif C is None and beta:", "elif False:", "errors"),
    ("_product.py", "if view.array is target and", "if", "matmul"),
    ("_product.py", "(product.beta == 0 or C is out)", "True", "matmul"),
    ("_product.py", "or overlap(view, A) or overlap(view, B))", ")", "matmul"),
    ("_product.py", "COMMON[given][code] != code or", "", "errors"),
    ("_product.py", "if wraps and view.type != code:", "if False:", "errors"),
    ("_product.py", "if tuple(array.shape) != shape:", "if False:", "errors"),
    ("_product.py", 'or (name == "out" and adopted is not array)', "", "errors"),
    ("_context.py", "        handle.forget()\n", "        pass\n", "context"),
    ("_context.py", "self._owner = owner\n        self._users", "self._owner = None\n        self._users", "context"),
    ("_context.py", "owner._users.add(id(self))", "pass", "context"),
    ("_product.py", "(waits or floating or", "(waits or", "context"),
    ("_product.py", "(waits or floating or", "(floating or", "context"),
    ("_product.py", " or math.prod(self.C.stack) > STACK_ORDERED", "", "context"),
    ("_product.py", "(interleaved(view) or", "(", "matmul"),
    ("_api.py", "if len(devices) > 1:", "if False:", "context"),
    ("_api.py", "if calls[-1].packed is not None:", "if False:", "matmul"),
    ("_context.py", "if len(self._made) >= PLANS_KEPT:", "if False:", "context"),
    ("_packed.py", 'if side not in ("A", "B"):', "if False:", "packed"),
    ("_packed.py", "is not self._context", "is self", "packed"),
    ("_packed.py", "if len(X.shape) != 2:", "if False:", "packed"),
    ("_product.py", "if packed.side != side:", "if False:", "packed"),
    ("_product.py", "modulus(N) != packed.N", "False", "packed"),
    ("_library.py", "    if status:\n", "    if False:\n", "errors"),
    ("_verify.py", "math.ceil(-40 / math.log2(miss))", "1", "verify"),
    ("_verify.py", "range(0, v.shape[0], CHUNK)", "range(0, CHUNK, CHUNK)", "verify"),
    ("_verify.py", "want += beta * _times(_limbs(C), V, N)", "pass", "verify"),
    ("_modmatrix.py", "over = total < a", "over = total < 0", "modmatrix"),
    ("_modmatrix.py", "np.where(a == 0, a,", "np.where(a < 0, a,", "modmatrix"),
    ("_modmatrix.py", "if other._N != self._N:", "if False:", "modmatrix"),
    ("_modmatrix.py", "return self._entries.copy()", "return self._entries", "modmatrix"),
    ("_files.py", "if int(found[1]) > 64:", "if False:", "cli"),
    ("_files.py", "if len(numbers) != len(places):", "if False:", "cli"),
    ("_plot.py", 'if square and row.get("ok", True):', "if square:", "cli"),
]  # fmt: skip


def survives(tree: Path, file: str, old: str, new: str, test: str) -> bool:
    """Whether the tests pass on the copy with this edit."""
    source = tree / "modblas" / file
    text = source.read_text()
    if text.count(old) != 1:
        sys.exit(f"{file} does not hold exactly one: {old}")
    source.write_text(text.replace(old, new))
    words = ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", f"tests/test_{test}.py"]
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.run(
        [sys.executable, *words], cwd=tree, env=environment, capture_output=True, timeout=300
    )
    source.write_text(text)
    if run.returncode not in (0, 1) and run.returncode > 0:
        sys.exit(run.stdout.decode())  # the tests did not run
    return run.returncode == 0


def main() -> int:
    wanted = [int(word) for word in sys.argv[1:]] or range(len(MUTANTS))
    alive = []
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        for name in ("modblas", "tests"):
            shutil.copytree(PYTHON / name, tree / name)
        for number in wanted:
            lives = survives(tree, *MUTANTS[number])
            print(f"{number:3} {'SURVIVED' if lives else 'killed'}  {MUTANTS[number][:3]}")
            alive += [number] * lives
    print(f"{len(wanted) - len(alive)} of {len(wanted)} mutants killed")
    return 1 if alive else 0


if __name__ == "__main__":
    sys.exit(main())
