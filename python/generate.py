# SPDX-License-Identifier: BSD-3-Clause
"""Writes modblas/_table.py, the ctypes table of include/modblas.h.

    python python/generate.py            writes it
    python python/generate.py --check    fails if it is not what the header says

It reads the C that the header is written in, and stops at a declaration it does not understand.
"""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

HEADER = Path(__file__).parent.parent / "include" / "modblas.h"
TABLE = Path(__file__).parent / "modblas" / "_table.py"

SCALARS = {
    "int": "c_int",
    "int64_t": "c_int64",
    "uint64_t": "c_uint64",
    "size_t": "c_size_t",
    "double": "c_double",
    "float": "c_float",
}
PREAMBLE = '''# SPDX-License-Identifier: BSD-3-Clause
"""The C interface as ctypes sees it. Written by python/generate.py from modblas.h: do not edit."""

from __future__ import annotations

from ctypes import (
    POINTER,
    Structure,
    c_char,
    c_char_p,
    c_int,
    c_int64,
    c_size_t,
    c_uint64,
    c_void_p,
)
from enum import IntEnum
from typing import Any
'''


def camel(name: str) -> str:
    """modblas_plan_options as PlanOptions."""
    return "".join(word.capitalize() for word in name.removeprefix("modblas_").split("_"))


class Header:
    """What one header declares."""

    def __init__(self, text: str) -> None:
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S).replace("\\\n", " ")
        self.version = self.find(r'#define MODBLAS_VERSION "([^"]+)"', text)
        self.statuses = re.findall(r'X\((\w+), (\d+), "([^"]+)"\)', self.macro("STATUS", text))
        types = re.findall(r"X\((\w+), \w+\)", self.macro("TYPE", text))
        code = re.sub(r"^\s*#.*$", "", text, flags=re.M)
        code = re.sub(r"static inline [^{;]*\{.*?^\}", "", code, flags=re.S | re.M)
        self.opaque = set(re.findall(r"typedef struct (\w+) \1;", code))
        self.enums = {
            name: self.members(name, body)
            for body, name in re.findall(r"typedef enum \w+ \{([^}]*)\} (\w+);", code)
        }
        self.enums["modblas_status"] = [(name, int(value)) for name, value, _ in self.statuses]
        self.enums["modblas_type"] = [(name, i) for i, name in enumerate(types)]
        self.structs = {
            name: [f for line in body.split(";") if line.strip() for f in self.fields(line)]
            for body, name in re.findall(r"typedef struct \w+ \{([^}]*)\} (\w+);", code)
        }
        self.functions = [
            self.function(" ".join(text.split()))
            for text in re.findall(r"MODBLAS_API ([^;]*);", code)
        ]

    @staticmethod
    def find(pattern: str, text: str) -> str:
        found = re.search(pattern, text)
        if found is None:
            sys.exit(f"{HEADER.name} has nothing like {pattern}")
        return found[1]

    def macro(self, name: str, text: str) -> str:
        return self.find(rf"#define MODBLAS_{name}_MAP\(X\)(.*)", text)

    @staticmethod
    def members(name: str, body: str) -> list[tuple[str, int]]:
        prefix = name.upper() + "_"
        words = [word.strip() for word in body.split(",") if word.strip()]
        if name in ("modblas_status", "modblas_type"):
            return []  # an X-macro fills it
        if not all(re.fullmatch(rf"{prefix}\w+", word) for word in words):
            sys.exit(f"enum {name}: not all of {words} are {prefix}...")
        return [(word.removeprefix(prefix), i) for i, word in enumerate(words)]

    def ctype(self, text: str) -> str:
        """The ctypes name of a C type without a name."""
        base = text.replace("const", "").replace("*", "").strip()
        stars = text.count("*")
        if stars == 1 and base == "char":
            return "c_char_p"
        if stars and (base == "void" or base in self.opaque):
            kind, stars = "c_void_p", stars - 1
        elif base in SCALARS:
            kind = SCALARS[base]
        elif base in self.enums:
            kind = "c_int"
        elif base.startswith("modblas_"):
            kind = camel(base)
        else:
            sys.exit(f"a type that is not understood: {text}")
        return "POINTER(" * stars + kind + ")" * stars

    def fields(self, line: str) -> list[tuple[str, str]]:
        """The fields of one declaration: int64_t m, n; or char name[128]."""
        found = re.fullmatch(r"((?:const )?\w+ \**)(.*)", " ".join(line.split()))
        if found is None:
            sys.exit(f"a field that is not understood: {line}")
        fields = []
        for name in found[2].split(", "):
            size = re.fullmatch(r"(\w+)\[(\d+)\]", name)
            if size and found[1] == "char ":
                fields.append((size[1], f"c_char * {size[2]}"))
            elif re.fullmatch(r"\w+", name):
                fields.append((name, self.ctype(found[1])))
            else:
                sys.exit(f"a field that is not understood: {line}")
        return fields

    def function(self, text: str) -> tuple[str, str, list[str]]:
        """Name, result and arguments of one prototype."""
        found = re.fullmatch(r"(.*?)(\w+)\((.*)\)", text)
        if found is None:
            sys.exit(f"a prototype that is not understood: {text}")
        result = "None" if found[1].strip() == "void" else self.ctype(found[1])
        arguments = [] if found[3] == "void" else re.split(r", ", found[3])
        return found[2], result, [self.ctype(re.sub(r"\w+$", "", a)) for a in arguments]

    def table(self) -> str:
        lines = [PREAMBLE, f'VERSION = "{self.version}"', ""]
        for name, members in self.enums.items():
            lines += ["", f"class {camel(name)}(IntEnum):"]
            lines += [f"    {member} = {value}" for member, value in members] + [""]
        lines += ["", "STATUS_TEXT = {"]
        lines += [f'    Status.{name}: "{text}",' for name, _, text in self.statuses] + ["}", ""]
        for name, fields in self.structs.items():
            lines += ["", f"class {camel(name)}(Structure):", "    _fields_ = ["]
            lines += [f'        ("{field}", {kind}),' for field, kind in fields]
            lines += ["    ]", ""]
        lines += [
            "",
            "# name: (result, arguments)",
            "FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {",
        ]
        for name, result, arguments in self.functions:
            entry = f'"{name}": ({result}, [{", ".join(arguments)}]),'
            lines += textwrap.wrap(entry, 98, initial_indent="    ", subsequent_indent=" " * 8)
        return "\n".join([*lines, "}", ""])


def main() -> int:
    text = Header(HEADER.read_text()).table()
    if sys.argv[1:] == ["--check"]:
        if TABLE.read_text() != text:
            print(f"{TABLE.name} is not what {HEADER.name} says: run python/generate.py")
            return 1
    else:
        TABLE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
