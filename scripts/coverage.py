# SPDX-License-Identifier: BSD-3-Clause
"""coverage.py <root> [-l] <gcov's json.gz files>: sums them up for coverage.sh."""
import collections
import gzip
import json
import os
import sys

LINES, BRANCHES = 95, 85  # per cent


def read(root, names):
    """For each file {line: count} and {(line, branch): count}, summed over objects."""
    lines = collections.defaultdict(lambda: collections.defaultdict(int))
    branches = collections.defaultdict(lambda: collections.defaultdict(int))
    for name in names:
        with gzip.open(name) as file:
            data = json.load(file)
        for unit in data["files"]:
            path = os.path.relpath(
                os.path.join(data["current_working_directory"], unit["file"]), root)
            if not path.startswith(("src/", "kernels/")):
                continue
            for line in unit["lines"]:
                number = line["line_number"]
                lines[path][number] += line["count"]
                for i, branch in enumerate(line["branches"]):
                    branches[path][number, i] += branch["count"]
    return lines, branches


def share(counts):
    """How many are not 0, how many there are, and the per cent."""
    hit = sum(1 for c in counts if c)
    return hit, len(counts), 100 * hit / len(counts) if counts else 100.0


def main():
    root, names = sys.argv[1], [x for x in sys.argv[2:] if x != "-l"]
    lines, branches = read(root, names)
    print(f"{'file':34} {'lines':>16} {'branches':>16}")
    for path in sorted(lines):
        a, b = share(lines[path].values()), share(branches[path].values())
        print(f"{path:34} {a[0]:4}/{a[1]:4} {a[2]:5.1f}% {b[0]:4}/{b[1]:4} {b[2]:5.1f}%")
        if "-l" in sys.argv:
            missed = [n for n, c in sorted(lines[path].items()) if c == 0]
            if missed:
                print("    lines not run:", *missed)
    a = share([c for file in lines.values() for c in file.values()])
    b = share([c for file in branches.values() for c in file.values()])
    print(f"{'all':34} {a[0]:4}/{a[1]:4} {a[2]:5.1f}% {b[0]:4}/{b[1]:4} {b[2]:5.1f}%")
    sys.exit(a[2] < LINES or b[2] < BRANCHES)


main()
