"""The push in time, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.papers.paper import Results
from serpenoid.papers.reyes2017.in_time import GOALS, Goal, InTime, Pushed
from serpenoid.papers.reyes2017.names import LOAD, RATIO, TITLES
from serpenoid.plots.body import draw_links
from serpenoid.plots.shapes import backbone, load_outlines, outlines, wheels
from serpenoid.plots.style import BLUE, GREEN, GREY, INK, LEGEND, ORANGE, PALE, VERMILION, tint

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

# Colour of a push by its goal and whether it is the best or the worst for it.
_COLOURS: dict[tuple[Goal, bool], str] = {
    ("slippage_ratio", True): BLUE,
    ("load_norm", True): GREEN,
    ("load_norm", False): ORANGE,
    ("slippage_ratio", False): VERMILION,
}
# Times at which a push is drawn, s.
_SNAPSHOTS = (0.0, 0.5, 1.0)


def draw_in_time(results: Results, canvas: Canvas) -> None:
    """Shares of kinetic energy over time, and the best pushes at some times."""
    pushed: InTime = results["in_time"]
    panels = canvas.subplots(3, 3, height_ratios=[1.1, 1.0, 1.0])
    names = {"load_norm": LOAD, "slippage_ratio": RATIO}
    for (goal, best), colour in _COLOURS.items():
        label = f"{'best' if best else 'worst'} {names[goal]}"
        panels[0, 0].plot([], [], color=colour, label=label)
        for push in pushed.free:
            if (push.goal, push.best) == (goal, best):
                _curve(panels[0, push.scenario - 1], push, colour)
    panels[0, 0].plot([], [], color=INK, ls="--", lw=0.7, label="predicted")
    panels[0, 0].plot(
        [], [], ls="", marker="o", ms=3.5, mfc="white", mec=INK, label="contact opens"
    )
    for ax, title in zip(panels[0], TITLES, strict=True):
        ax.set(xlabel="time (s)", yscale="log", xlim=(0, 1), ylim=(8e-4, 1.4), title=title)
    panels[0, 0].set_ylabel("load's share of kinetic energy")
    for line, letter, goal in zip(panels[1:], "bc", reversed(GOALS), strict=True):
        for push in pushed.free:
            if push.best and push.goal == goal:
                _snapshots(line[push.scenario - 1], push)
        line[0].set_title(f"({letter}) best {names[goal]}", loc="left")
    panels[0, 0].text(-0.22, 1.04, "(a)", transform=panels[0, 0].transAxes)
    canvas.legend(loc="outside upper center", ncols=6, **LEGEND)


def _curve(ax: Any, push: Pushed, colour: str) -> None:
    time = push.run.time[1:]
    # Of shapes that are the same for both goals both curves shall be seen.
    width = 2.2 if push.goal == "load_norm" else 1.0
    ax.plot(time, push.ratio, color=colour, lw=width, zorder=3 if width > 1 else 4)
    ax.axhline(push.predicted, color=colour, ls="--", lw=0.7, zorder=2)
    if push.opens is not None:
        ratio = push.ratio_at(push.opens)
        ax.plot(push.opens, ratio, "o", ms=3.5, mfc="white", mec=colour, mew=0.9, zorder=5)


def _snapshots(ax: Any, push: Pushed) -> None:
    """Robot and load at some times, beside each other, or below if the robot lies across."""
    run = push.run
    across = bool(np.ptp(run.columns["x"][0]) > 0.3)
    for count, time in enumerate(_SNAPSHOTS):
        row, away = run.row(time), count * np.array([0.0, -0.19] if across else [0.31, 0.0])
        (disc,) = load_outlines(run, row) + away
        ax.fill(*disc.T, fc=PALE, ec=GREY, lw=0.8, zorder=1)
        outline, spine = outlines(run, row) + away, backbone(run, row) + away
        draw_links(ax, run.robot, outline, spine, tint(BLUE, 0.0))
        for corners in wheels(run, row, lifted=False):
            ax.fill(*(corners + away).T, fc=INK, lw=0, zorder=5)
        words: dict[str, Any] = {"va": "center", "ha": "center", "size": "small"}
        ax.text(*disc.mean(axis=0), f"{time:g}", **words)
    ax.set(xlim=(-0.2, 0.8), ylim=(-0.53, 0.17), aspect="equal")
    ax.set_axis_off()
