# SPDX-License-Identifier: BSD-3-Clause
"""Draws the results of modblas-bench: rate against n, a panel for each modulus."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

# What is drawn: label, and how it looks also where there is no colour.
OURS = ("modblas", {"color": "#1b4f8a", "marker": "o", "linewidth": 1.8, "zorder": 3})
CEILING = ("its bare GEMMs", {"color": "#555555", "linestyle": (0, (4, 2)), "linewidth": 1.0})
PEERS = {
    "flint": ("FLINT", {"color": "#b3541e", "marker": "s", "linewidth": 1.2}),
    "naive": ("Algorithm 1, FP64", {"color": "#3c7a3c", "marker": "^", "linewidth": 1.2}),
}
COLUMNS = 4


def operations(row: dict[str, Any]) -> float:
    return 2.0 * int(row["m"]) * int(row["n"]) * int(row["k"])


def rates(row: dict[str, Any]) -> dict[str, float]:
    """Gop/s of one result by label; what was not measured is left out."""
    found = {OURS[0]: float(row["eff_gops"])}
    if row.get("gemm_fraction") and row.get("kernel_seconds"):
        seconds = row["gemm_fraction"] * row["kernel_seconds"]
        found[CEILING[0]] = operations(row) / seconds / 1e9
    for peer, (label, _) in PEERS.items():
        if row.get(f"peer_{peer}_seconds"):
            found[label] = operations(row) / row[f"peer_{peer}_seconds"] / 1e9
    return found


def series(rows: list[dict[str, Any]]) -> dict[int, dict[str, dict[int, float]]]:
    """By modulus, label and n: the rates of square products that are right."""
    found: dict[int, dict[str, dict[int, float]]] = {}
    for row in rows:
        square = row["m"] == row["n"] == row["k"] and row["m"] & (row["m"] - 1) == 0
        if square and row.get("ok", True):
            for label, rate in rates(row).items():
                panel = found.setdefault(int(row["modulus"]), {})
                panel.setdefault(label, {})[row["n"]] = rate
    if not found:
        raise ValueError("there is no square product of a power of two in these results")
    return dict(sorted(found.items()))


def modulus_name(N: int) -> str:
    """N as 2^31 - 1, if that is shorter."""
    e = (N - 1).bit_length() if N > 1 else 0
    below = (1 << e) - N
    if e < 8 or below >= 256 or N in (251, 65521):
        return str(N)
    return f"$2^{{{e}}}$" if below == 0 else f"$2^{{{e}}}-{below}$"


def size_name(n: int) -> str:
    return f"{n // 1024}k" if n >= 1024 else str(n)


def draw(rows: list[dict[str, Any]], output: str, title: str | None = None) -> None:
    """Writes the figure; its format is what the name's suffix says."""
    try:
        matplotlib: Any = import_module("matplotlib")
    except ImportError:
        raise ImportError("figures need matplotlib: pip install '.[plot]'") from None
    matplotlib.use("Agg")
    plt: Any = import_module("matplotlib.pyplot")
    panels = series(rows)
    top = max(max(line.values()) for panel in panels.values() for line in panel.values())
    unit, scale = ("Top/s", 1e-3) if top >= 1e4 else ("Gop/s", 1.0)
    styles: dict[str, Any] = dict([OURS, CEILING, *PEERS.values()])
    settings = {
        "font.size": 8,
        "axes.titlesize": 8,
        "svg.fonttype": "none",
        "svg.hashsalt": "modblas",
        "font.family": "sans-serif",
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    with plt.rc_context(settings):
        lines = -(-len(panels) // COLUMNS)
        figure, axes = plt.subplots(
            lines,
            min(COLUMNS, len(panels)),
            figsize=(7.2, 0.75 + 1.45 * lines),
            sharex=True,
            sharey=True,
            squeeze=False,
            layout="constrained",
        )
        handles: dict[str, Any] = {}
        for axis, (N, panel) in zip(axes.flat, panels.items()):
            _draw_panel(axis, panel, styles, scale, handles)
            axis.set_title(f"N = {modulus_name(N)}", pad=3)
        for axis in axes.flat[len(panels) :]:
            axis.set_visible(False)
        figure.supylabel(f"2$n^3$ / time, {unit}", fontsize=8)
        for axis in axes[-1]:
            axis.set_xlabel("n", labelpad=1)
        figure.suptitle(title or rows[0].get("device", ""), fontsize=8, color="#333333")
        order = [label for label in styles if label in handles]
        figure.legend(
            [handles[label] for label in order],
            order,
            loc="outside lower center",
            ncols=len(order),
            frameon=False,
        )
        figure.savefig(output, dpi=200, metadata={"Date": None} if output.endswith("svg") else {})
        plt.close(figure)


def _draw_panel(
    axis: Any,
    panel: dict[str, dict[int, float]],
    styles: dict[str, Any],
    scale: float,
    handles: dict[str, Any],
) -> None:
    for label, line in panel.items():
        sizes = sorted(line)
        values = [line[n] * scale for n in sizes]
        (handle,) = axis.plot(sizes, values, markersize=3.2, label=label, **styles[label])
        handles.setdefault(label, handle)
        if label == OURS[0]:
            last = f"{values[-1]:.3g}" if values[-1] < 100 else f"{values[-1]:.0f}"
            spot = {"xytext": (4, -9), "textcoords": "offset points"}
            look = {"color": styles[label]["color"], "fontsize": 7, "ha": "right"}
            axis.annotate(last, (sizes[-1], values[-1]), **spot, **look)
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    measured = sorted(panel[OURS[0]])
    axis.set_xticks(measured, [size_name(n) for n in measured])
    axis.minorticks_off()
    axis.grid(axis="y", color="#dddddd", linewidth=0.5)


def plot(results: str, output: str, title: str | None = None) -> None:
    """Draws a JSON file of modblas-bench."""
    with open(results, encoding="utf-8") as file:
        rows = json.load(file)
    if not isinstance(rows, list) or not all("eff_gops" in row for row in rows):
        raise ValueError(f"{results} is not what modblas-bench --format json writes")
    draw(rows, output, title)
