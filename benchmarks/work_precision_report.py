"""The figure and the tables of `work_precision`, from what it has measured."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes

from serpenoid.plots import style

Report = dict[str, Any]

# Beyond this the figure ends, mm.
HIGHEST_MM = 20.0
# Colour and mark of each contender.
LOOKS = {
    "serpenoid": (style.BLUE, "o"),
    "MuJoCo, elliptic Newton": (style.VERMILION, "s"),
    "MuJoCo, fastest settings": (style.ORANGE, "D"),
    "pymunk": (style.GREEN, "^"),
}


def tables(report: Report) -> str:
    """Markdown: time to each tolerance, the same from MuJoCo's reference, and the agreement."""
    agreement = [f"| {name} | {off:.2f} mm |" for name, off in report["agreement_mm"].items()]
    versions = ", ".join(f"{name} {number}" for name, number in report["versions"].items())
    return "\n".join(
        [
            *_times(report["best"]),
            "",
            f"Measured on {report['machine']}, with {versions}; one thread.",
            "",
            "How far runs with small time steps are from the reference:",
            "",
            "| run | largest distance |",
            "|---|---|",
            *agreement,
            "",
            "The same times, but with MuJoCo's own run at 0.1 ms as the reference:",
            "",
            *_times(report["best_from_mujoco"]),
            "",
        ]
    )


def _times(rows: list[dict[str, Any]]) -> list[str]:
    """A row for each contender, a column for each tolerance."""
    tolerances = list(dict.fromkeys(row["within_mm"] for row in rows))
    found = {(row["contender"], row["within_mm"]): row for row in rows}
    lines = [
        "| ms per simulated second | " + " | ".join(f"within {t:g} mm" for t in tolerances) + " |",
        "|---" * (1 + len(tolerances)) + "|",
    ]
    for name in LOOKS:
        cells = [_cell(found.get((name, tolerance))) for tolerance in tolerances]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def _cell(row: dict[str, Any] | None) -> str:
    """Cost, cost over ours, and the setting."""
    if row is None:
        return "not reached"
    ratio = "" if row["contender"] == "serpenoid" else f", {row['times_ours']:.1f} x"
    return f"**{row['cost_ms']:.2g}**{ratio}<br>{row['setting']}"


def draw(report: Report) -> Axes:
    """Error over cost: every setting as a mark, a line along the best of each contender."""
    with style.canvas((4.6, 3.1)) as figure:
        axes = figure.subplots()
        for name, (colour, mark) in LOOKS.items():
            points = sorted(
                (point["cost_ms"], point["error_mm"])
                for point in report["points"]
                if point["contender"] == name
            )
            pale = style.tint(colour, 0.55)
            axes.plot(*zip(*points, strict=True), mark, ms=2.5, mfc="none", mec=pale, mew=0.6)
            best = zip(*_front(points), strict=True)
            axes.plot(*best, f"-{mark}", color=colour, ms=3.2, lw=1.2, label=name)
        _mark_tolerances(axes, [row["within_mm"] for row in report["best"]])
        axes.set(
            xscale="log",
            yscale="log",
            ylim=(None, HIGHEST_MM),
            xlabel="wall time per simulated second (ms)",
            ylabel="largest distance from the reference (mm)",
        )
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter("{x:g}")
        style.legend_above(axes)
        return axes


def _mark_tolerances(axes: Axes, tolerances: list[float]) -> None:
    """A thin line for each tolerance, with its number at the right end."""
    for tolerance in set(tolerances):
        axes.axhline(tolerance, color=style.GREY, lw=0.5, ls=(0, (4, 3)), zorder=0)
        axes.annotate(
            f"{tolerance:g} mm",
            (1.0, tolerance),
            xycoords=("axes fraction", "data"),
            xytext=(0, 2),
            textcoords="offset points",
            ha="right",
            color=style.GREY,
            fontsize=7,
        )


def _front(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Those points, sorted by cost, that no cheaper one beats."""
    front: list[tuple[float, float]] = []
    for point in points:
        if not front or point[1] < front[-1][1]:
            front.append(point)
    return front
