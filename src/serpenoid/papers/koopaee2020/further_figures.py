"""Figures beyond the paper's: why gains above the best fail, and both robots at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.papers.koopaee2020.claims import CLAIMS, PUBLISHED
from serpenoid.papers.paper import Figure, Results
from serpenoid.plots.body import draw_body, draw_world
from serpenoid.plots.style import BLACK, BLUE, GREY, INK, PALE, VERMILION, legend_above

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

    from serpenoid.engine.trajectory import Trajectory

SMALL: dict[str, Any] = {"size": "small", "color": INK}
# Of the snapshots, s.
CAUGHT_AT = (44.5, 45.0, 60.0)


def draw_ground(ax: Axes, run: Trajectory, x: tuple[float, float], y: tuple[float, float]) -> None:
    """Draw the terrain to scale, without an axis for the height.

    Args:
        ax: Axes to draw on.
        run: The run.
        x: Limits along x, m.
        y: Limits of the height, m.
    """
    ax.set(xlim=x, ylim=y, aspect="equal")
    ax.set_yticks([])
    ax.spines[["left", "bottom"]].set_visible(False)
    draw_world(ax, run.world)


def _caught(results: Results, canvas: Canvas) -> None:
    panels = canvas.subplots(len(CAUGHT_AT), 2, sharex=True, sharey=True)
    columns = (
        ("stair_published", "points of the paper"),
        ("stair_corners", "points of the paper and corners of the stair"),
    )
    for line, (name, title) in zip(panels.T, columns, strict=True):
        run: Trajectory = results[name]
        for ax, time in zip(line, CAUGHT_AT, strict=True):
            draw_ground(ax, run, (-0.12, 1.4), (-0.05, 0.2))
            draw_body(ax, run, run.row(time))
            ax.text(1.38, 0.19, f"t = {time:g} s", ha="right", va="top", **SMALL)
        line[0].set_title(title, loc="left")
        line[-1].set_xlabel("x (m)")


def _claims(results: Results, canvas: Canvas) -> None:
    ax = canvas.subplots()
    by_id = {claim.id: claim for claim in CLAIMS}
    rows = np.arange(len(PUBLISHED))
    for suffix, colour, marker, label in (
        ("", BLUE, "o", "links of 14 cm"),
        ("_as_printed", VERMILION, "s", "links of 7 cm, as printed"),
    ):
        found = [by_id[f"{name}{suffix}"].check(results).measured for name in PUBLISHED]
        parts = [
            100 * float(value or 0.0) / published
            for value, (_, published, _) in zip(found, PUBLISHED.values(), strict=True)
        ]
        ax.plot(parts, rows, marker, color=colour, ms=5, label=label)
    ax.axvline(100, color=BLACK, lw=0.8, label="published")
    ax.axvline(0, color=GREY, lw=0.5, zorder=0)
    ax.hlines(rows, -60, 130, color=PALE, lw=0.6, zorder=0)
    names = [
        f"{name.replace('_', ' ')}, {published:g} {unit}"
        for name, (_, published, unit) in PUBLISHED.items()
    ]
    ax.set_yticks(rows, names)
    ax.invert_yaxis()
    ax.tick_params("y", length=0)
    ax.spines["left"].set_visible(False)
    ax.set(xlim=(-60, 130), xlabel="per cent of the published value")
    legend_above(ax)


FURTHER_FIGURES = (
    Figure(
        "caught",
        "Why it ends above the best gain. At k_c 10.1 the tail dips into the front of the stair "
        "and is pushed back by it, so that the robot treads on the spot; with the stair's edge as "
        "a point of contact the tail is lifted over.",
        (7.0, 2.1),
        _caught,
    ),
    Figure("claims", "What was measured, by what is published.", (5.0, 2.6), _claims),
)
