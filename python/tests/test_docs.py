# SPDX-License-Identifier: BSD-3-Clause
"""Examples in docstrings and in the README do what they say; the C table is the header's."""

import doctest
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import modblas

ROOT = Path(__file__).parents[2]
MODULES = sorted(path.stem for path in Path(modblas.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("name", [name for name in MODULES if not name.startswith("__")])
def test_docstrings(name):
    assert doctest.testmod(importlib.import_module(f"modblas.{name}")).failed == 0


def test_package_docstring():
    assert doctest.testmod(modblas).attempted > 0


def test_readme():
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.S | re.M)
    attempted, names = 0, {}
    for number, block in enumerate(blocks):
        test = doctest.DocTestParser().get_doctest(block, names, f"block {number}", "README.md", 0)
        result = doctest.DocTestRunner().run(test, clear_globs=False)
        names = test.globs
        assert result.failed == 0
        attempted += result.attempted
    assert attempted > 0


def test_the_table_is_the_headers():
    command = [sys.executable, str(ROOT / "python" / "generate.py"), "--check"]
    assert subprocess.run(command, check=False).returncode == 0


def test_every_public_name_is_documented():
    for name in modblas.__all__:
        assert name in ("__version__",) or getattr(modblas, name).__doc__


def test_types():
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml")]
    result = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout
