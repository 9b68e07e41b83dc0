#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The tables, checked in exact arithmetic.
set -euo pipefail
if ! command -v python3 >/dev/null; then
    echo "python3 is not here"
    exit 77
fi
"$MODBLAS_BUILD/tests/tables_probe" >"$MODBLAS_BUILD/tests/tables.txt"
python3 "$MODBLAS_SOURCE/tests/tables/check.py" <"$MODBLAS_BUILD/tests/tables.txt"
