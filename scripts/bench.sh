#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing, builds, and runs modblas-bench: the short suite, checked by FLINT, or
# with the arguments given.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

# What it builds is told on standard error, so that --format json has standard output for itself.
{
    install_missing
    build_tree -DMODBLAS_BENCH=ON
} >&2

if [[ $# == 0 ]]; then set -- --suite short --verify flint; fi
exec "$build/modblas-bench" "$@"
