"""The paper's figures in its layout, ellipsoids, why scenario 3 seems to slip, the push in time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from serpenoid.kernels.layout import Floats
from serpenoid.papers.paper import Results, figure
from serpenoid.papers.reyes2017.claims import End, end_of, values_of
from serpenoid.papers.reyes2017.experiments import SHOWN_DEG, Artefact, CaseStudy
from serpenoid.papers.reyes2017.in_time import GOALS, Goal, InTime, Pushed
from serpenoid.papers.reyes2017.setup import LOAD, RATIO, ROBOT, TITLES, pushing
from serpenoid.plots.body import draw_links
from serpenoid.plots.push_figures import (
    Quantity,
    ellipse,
    input_map,
    linear,
    logarithmic,
    polar_map,
    shape,
)
from serpenoid.plots.shapes import backbone, load_outlines, outlines, wheels
from serpenoid.plots.style import (
    BLUE,
    GREEN,
    GREY,
    INK,
    LEGEND,
    ORANGE,
    PALE,
    VERMILION,
    legend_above,
    tint,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

KAPPAS = (1.0, 10.0, 100.0)
# Colour of a push by its goal and whether it is the best or the worst for it.
_COLOURS: dict[tuple[Goal, bool], str] = {
    ("slippage_ratio", True): BLUE,
    ("load_norm", True): GREEN,
    ("load_norm", False): ORANGE,
    ("slippage_ratio", False): VERMILION,
}
# Times at which a push is drawn, s.
_SNAPSHOTS = (0.0, 0.5, 1.0)


@figure(
    "Fig. 4. Norms over all allowed torques in the shape (−135°, −135°), in scenarios 1, 2 "
    "and 3. The contact is open left of the white line, where the load rests (grey); wheels "
    "slide beyond the dashed line.",
    (7.0, 9.4),
)
def _fig4(_results: Results, canvas: Canvas) -> None:
    rows: list[tuple[str, Quantity, float, Any]] = [
        (f"(a) {LOAD}", "load_norm", 100.0, linear(0.0, 0.0085)),
        (f"(b) {ROBOT}", "robot_norm", 100.0, linear(0.0, 1.0)),
        *((f"(c) {RATIO}", "slippage_ratio", kappa, logarithmic(1e-3, 1.0)) for kappa in KAPPAS),
    ]
    panels = canvas.subplots(len(rows), 3, sharex=True, sharey=True)
    for line, (words, quantity, kappa, norm) in zip(panels, rows, strict=True):
        for scenario, ax in enumerate(line, 1):
            push = pushing(2, scenario, kappa)
            mesh = input_map(push, np.radians(SHOWN_DEG), quantity, ax, norm=norm)
            ax.set(xlabel="", ylabel="")
            ax.label_outer()
        label = f"{words}, κ = {kappa:g}"
        canvas.colorbar(mesh, ax=line, label=label, pad=0.02, aspect=14, shrink=0.9)
    canvas.supxlabel(r"$\tau_1$ (N m)", size=8)
    canvas.supylabel(r"$\tau_2$ (N m)", size=8)
    for ax, title in zip(panels[0], TITLES, strict=True):
        ax.set_title(title)


@figure(
    "Fig. 5. Largest norms over the polar coordinates of the centre of mass, three joints; "
    "medians of the shapes in each cell. Constraint forces of scenario 2 are those of the "
    "torques that are best in scenario 3.",
    (7.0, 6.6),
)
def _fig5(results: Results, canvas: Canvas) -> None:
    study: CaseStudy = results["three_joints"]
    rows = (
        ("force_norm", r"$\|\lambda\|^2$", linear(0.0, 1.0)),
        ("load_norm", LOAD, linear(0.0, 0.0105)),
        ("slippage_ratio", RATIO, logarithmic(1e-3, 1.0)),
    )
    panels = canvas.subplots(3, 3, subplot_kw={"projection": "polar"})
    for line, letter, (quantity, words, norm) in zip(panels, "abc", rows, strict=True):
        for found, ax in zip(study.extremes, line, strict=True):
            values = values_of(found, quantity)
            mesh = polar_map(study.distance, study.angle, values, ax, norm=norm)
        canvas.colorbar(mesh, ax=line, label=f"({letter}) {words}", pad=0.03, aspect=14, shrink=0.8)
    for ax, title in zip(panels[0], TITLES, strict=True):
        ax.set_title(title)


@figure(
    "Fig. 6. Best and worst shapes for the acceleration of the load (a) and for slippage (b).",
    (7.0, 7.0),
)
def _fig6(results: Results, canvas: Canvas) -> None:
    study: CaseStudy = results["three_joints"]
    # Quantity, end, and how far down a robot reaches, m.
    kinds: list[tuple[str, End, float]] = [
        ("load_norm", "best", -0.44),
        ("load_norm", "worst", -0.12),
        ("slippage_ratio", "best", -0.31),
        ("slippage_ratio", "worst", -0.12),
    ]
    top = 0.18
    panels = canvas.subplots(4, 3, height_ratios=[top - low for _, _, low in kinds])
    for line, (quantity, end, low) in zip(panels, kinds, strict=True):
        letter, name = ("(a)", LOAD) if quantity == "load_norm" else ("(b)", RATIO)
        for scenario, (found, ax) in enumerate(zip(study.extremes, line, strict=True), 1):
            index, value = end_of(found, quantity, end)
            colour = BLUE if end == "best" else VERMILION
            shape(pushing(3, scenario), study.shapes[index], ax, colour=colour)
            degrees = ", ".join(f"{angle:.0f}" for angle in np.degrees(study.shapes[index]))
            label = f"{letter} {end} {name} = {value:.4g}, ({degrees})°"
            ax.set(xlim=(-0.12, 0.56), ylim=(low, top))
            ax.set_title(label.replace("-", "\N{MINUS SIGN}"), size="small", loc="left")
    _head(panels[0], TITLES)


def _head(line: Any, words: Sequence[str]) -> None:
    """Words above a line of panels that have titles of their own."""
    for ax, title in zip(line, words, strict=True):
        above: dict[str, Any] = {"xytext": (0, 22), "textcoords": "offset points"}
        ax.annotate(title, (0.0, 1.0), xycoords="axes fraction", weight="bold", **above)


@figure(
    "Accelerations that allowed torques give to the contact point of a robot without load, and "
    "forces on a point held fast.",
    (7.0, 4.6),
)
def _ellipsoids(results: Results, canvas: Canvas) -> None:
    study: CaseStudy = results["three_joints"]
    one = study.extremes[0]
    shapes = {
        "straight": np.zeros(3),
        "pushes best": study.shapes[end_of(one, "load_norm", "best")[0]],
        "pushes worst": study.shapes[end_of(one, "load_norm", "worst")[0]],
    }
    rows: list[tuple[Literal["acceleration", "force"], str, float]] = [
        ("acceleration", "0.5 m/s²", 0.25),
        ("force", "0.5 N", 0.15),
    ]
    panels = canvas.subplots(2, 3)
    for line, letter, (kind, words, scale) in zip(panels, "ab", rows, strict=True):
        for ax, (title, angles) in zip(line, shapes.items(), strict=True):
            shape(pushing(3, 3), angles, ax, colour=GREY, load=False)
            for scenario, colour in ((3, VERMILION), (1, BLUE)):
                ellipse(pushing(3, scenario).ellipsoids(angles), kind, ax, scale, colour)
            ax.set(xlim=(-0.29, 0.56), ylim=(-0.47, 0.23))
            ax.set_title(f"({letter}) {kind}s, {title}", loc="left")
            ax.plot([0.25, 0.25 + scale / 2], [-0.42, -0.42], color=INK, lw=1.2)
            ax.text(0.25 + scale / 4, -0.41, words, ha="center", va="bottom", size="small")
    for scenario, colour in ((1, BLUE), (3, VERMILION)):
        panels[0, 0].plot([], [], color=colour, label=f"scenario {TITLES[scenario - 1]}")
    canvas.legend(loc="outside upper center", ncols=2, frameon=False)


@figure(
    "Why scenario 3 seems to slip. In shapes whose wheel normals meet in a point (a) the robot "
    "can turn about it with its joints at rest, and no torque undoes that; in all others (b) "
    "one does, so that the best slippage ratio jumps (c). What it is worth: with these torques "
    "the load hardly moves (d).",
    (7.0, 4.4),
)
def _artefact(results: Results, canvas: Canvas) -> None:
    found: Artefact = results["artefact"]
    halves: Any = canvas.subfigures(1, 2, width_ratios=[1.0, 1.3])
    drawn, curves = halves
    shapes = {
        "(a) the normals of all wheels meet": found.shape,
        "(b) last joint 30° back": found.shape - np.radians([0.0, 0.0, 30.0]),
    }
    for ax, (words, angles) in zip(drawn.subplots(2, 1), shapes.items(), strict=True):
        shape(pushing(3, 3), angles, ax, normals=0.26)
        ax.set(xlim=(-0.12, 0.5), ylim=(-0.13, 0.24))
        ax.set_title(words, loc="left")
    degrees = np.degrees(found.offset)
    upper, lower = curves.subplots(2, 1, sharex=True)
    looks = ((VERMILION, "-", 2.4), (BLUE, "-", 1.0))
    for k, (colour, line, width) in enumerate(looks):
        name = f"scenario {TITLES[k + 1]}"
        upper.plot(*_parted(degrees, found.ratio[k]), line, color=colour, lw=width, label=name)
        upper.plot(0, found.ratio_there[k], "o", ms=5 - 2 * k, color=colour)
    names = ("with least slippage in 3", "largest in 3")
    for k, (colour, name) in enumerate(zip((BLUE, INK), names, strict=True)):
        lower.plot(*_parted(degrees, found.load_norm[k]), color=colour, label=name)
        lower.plot(0, found.load_norm_there[k], "o", ms=3, color=colour)
    upper.set(ylabel=f"best {RATIO}", yscale="log", ylim=(1e-2, 2))
    lower.set(ylabel=LOAD, yscale="log", xlabel="last joint, from shape (a) on (°)")
    for ax, letter in ((upper, "(c)"), (lower, "(d)")):
        legend_above(ax)
        ax.text(-0.2, 1.04, letter, transform=ax.transAxes)
    curves.align_ylabels()


def _parted(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """A curve with a gap at 0, where it jumps."""
    middle = int(np.searchsorted(x, 0.0))
    return np.insert(x, middle, 0.0), np.insert(y, middle, np.nan)


@figure(
    "The push in time, without friction under the load. (a) The load's share of all kinetic "
    "energy, which begins at the slippage ratio of the analysis; it jumps where robots strike "
    "the load again. (b), (c) Robot and load at 0, 0.5 and 1 s, from the best shapes in which "
    "nothing overlaps.",
    (7.0, 6.0),
)
def _in_time(results: Results, canvas: Canvas) -> None:
    """Shares of kinetic energy over time, and the best pushes at some times."""
    found: InTime = results["in_time"]
    free = found.free
    panels = canvas.subplots(3, 3, height_ratios=[1.1, 1.0, 1.0])
    names = {"load_norm": LOAD, "slippage_ratio": RATIO}
    for (goal, best), colour in _COLOURS.items():
        label = f"{'best' if best else 'worst'} {names[goal]}"
        panels[0, 0].plot([], [], color=colour, label=label)
        for push in free:
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
        for push in free:
            if push.best and push.goal == goal:
                _draw_snapshots(line[push.scenario - 1], push)
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


def _draw_snapshots(ax: Any, push: Pushed) -> None:
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
