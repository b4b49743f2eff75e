"""The paper's figures in its layout, why gains above the best fail, and both robots at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.papers.koopaee2020 import claims, study
from serpenoid.papers.koopaee2020.claims import AFTER, BEFORE, PUBLISHED, curve
from serpenoid.papers.koopaee2020.experiments import (
    BAND,
    BEST_GAIN,
    FEWER,
    OTHERS,
    PUBLISHED_GAIN,
    STAIR,
)
from serpenoid.papers.koopaee2020.study import CYCLE, HEAD_OVER, Case, Outcome
from serpenoid.papers.paper import PUBLISHED_MARK, Failed, Results, figure
from serpenoid.plots.body import draw_body, draw_world
from serpenoid.plots.shapes import backbone
from serpenoid.plots.style import (
    BLACK,
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
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

    from serpenoid.engine.trajectory import Trajectory

_SMALL: dict[str, Any] = {"size": "small", "color": INK}
_BESIDE: dict[str, Any] = {"textcoords": "offset points"}
# Of the snapshots, s.
PLATES_AT = (0.0, 7.5, 20.0, 40.0, 60.0)
STAIR_AT = (0.0, 8.0, 16.0, 24.0, 32.0, 40.0, 50.0, 60.0)
CAUGHT_AT = (44.5, 45.0, 60.0)


def _draw_ground(ax: Axes, run: Trajectory, x: tuple[float, float], y: tuple[float, float]) -> None:
    """Draw the terrain to scale within limits, m, without an axis for the height."""
    ax.set(xlim=x, ylim=y, aspect="equal")
    ax.set_yticks([])
    ax.spines[["left", "bottom"]].set_visible(False)
    draw_world(ax, run.world)


@figure(
    "Fig. 6. Pedal wave over a rough and a smooth plate (blue): (a) the robot with links of "
    "14 cm; (b) how far the mean of the link centres has come.",
    (7.0, 3.0),
)
def _fig6(results: Results, canvas: Canvas) -> None:
    halves: Any = canvas.subfigures(1, 2, width_ratios=[1.5, 1.0])
    run: Trajectory = results["plates"]
    edge = float(run.world.terrain.polyline()[1, 0]) if run.world.terrain else 0.0
    panels = halves[0].subplots(len(PLATES_AT), 1, sharex=True)
    for ax, time in zip(panels, PLATES_AT, strict=True):
        _draw_ground(ax, run, (-0.48, 1.72), (-0.05, 0.2))
        ax.axvspan(edge, 2.0, 0.0, 0.2, color=tint(BLUE, 0.75), lw=0, zorder=1)
        draw_body(ax, run, run.row(time))
        ax.text(-0.46, 0.15, f"t = {time:g} s", va="center", **_SMALL)
    words = {"ha": "center", "va": "bottom", **_SMALL}
    panels[0].text((edge - 0.48) / 2 + 0.1, 0.13, f"rough, μ = {study.ROUGH}", **words)
    panels[0].text((edge + 1.72) / 2, 0.13, f"smooth, μ = {study.SMOOTH:.2f}", **words)
    panels[-1].set_xlabel("x (m)")
    panels[0].set_title("(a) links of 14 cm", loc="left")
    ax = halves[1].subplots()
    robots = (("plates", BLUE, "links of 14 cm"), ("plates_as_printed", VERMILION, "links of 7 cm"))
    for name, colour, label in robots:
        one: Trajectory = results[name]
        p = one.columns["x"].mean(axis=1)
        ax.plot(one.time, 100 * (p - p[0]), color=colour, label=label)
    ax.plot([0, 60], [0, 60 * PUBLISHED["flat_speed"][1]], "--", lw=0.8, color=INK)
    ax.plot([], [], "--", lw=0.8, color=INK, label="2.18 cm/s, published")
    ax.axvline(HEAD_OVER, ymax=0.7, color=GREY, lw=0.6, ls=":")
    ax.text(HEAD_OVER + 1.0, 1.0, "head link on the smooth plate", va="bottom", **_SMALL)
    ax.set(xlim=(0, 60), ylim=(0, 135), xlabel="time (s)", ylabel="distance of the robot (cm)")
    ax.set_title("(b)", loc="left")
    ax.legend(loc="upper left", **LEGEND)


@figure(
    "Fig. 7. Torque of the springs at the head and at the tail. Lines are the means of the "
    "negative peaks before the head link is on the smooth plate (shaded), and from then on.",
    (7.0, 3.4),
)
def _fig7(results: Results, canvas: Canvas) -> None:
    run: Trajectory = results["plates"]
    panels = canvas.subplots(2, 1, sharex=True)
    for ax, joint, paper in zip(panels, (claims.HEAD_JOINT, 0), (5, 1), strict=True):
        torque = run.columns["spring_torque"][:, joint]
        ax.plot(run.time, torque, color=BLUE, lw=0.9)
        ax.axvspan(HEAD_OVER, 20.0, color=tint(BLUE, 0.9), lw=0, zorder=0)
        ax.axhline(0.0, color=GREY, lw=0.4, zorder=1)
        peaks = -study.negative_peaks(run, joint)[: round(20.0 / CYCLE)]
        for part in (BEFORE, AFTER):
            mean = float(peaks[part].mean())
            start, end = CYCLE * part.start, CYCLE * part.stop
            ax.plot([start, end], [mean, mean], color=VERMILION, lw=1.2)
            near: dict[str, Any] = {"ha": "center", "va": "top", "size": "small"}
            label = f"{mean:.3f}".replace("-", "\N{MINUS SIGN}")
            ax.annotate(
                label, ((start + end) / 2, mean), (0, -2), **_BESIDE, color=VERMILION, **near
            )
        bottom, top = float(torque.min()), float(torque[: run.row(20.0)].max())
        room = 0.18 * (top - bottom)
        ax.set(ylim=(bottom - room, top + 0.4 * room), ylabel="spring torque (N m)")
        ax.set_title(f"joint {joint}, the paper's {paper}", loc="left")
    panels[0].set_title("shaded: head link on the smooth plate", loc="right", **_SMALL)
    panels[1].set(xlim=(0, 20), xlabel="time (s)", xticks=range(0, 21, 2))
    canvas.align_ylabels()


@figure(
    "Fig. 9. Speed over the stair by the gain of the controller, with contact at the points of "
    "the paper (left), and with corners of the stair or hard ground (right).",
    (7.0, 3.0),
)
def _fig9(results: Results, canvas: Canvas) -> None:
    left, right = canvas.subplots(1, 2, sharey=True)
    runs = curve(results, STAIR)
    others = [found for kind in BAND.values() if (found := _maybe(results, kind))]
    if others:
        # The curve itself is one of those it is to be among.
        band = np.array([np.interp(FEWER, *_line(each)) for each in (runs, *others)])
        look: dict[str, Any] = {"color": tint(BLUE, 0.75), "lw": 0, "zorder": 0}
        label = "friction ±5 %, other steps and methods"
        left.fill_between(FEWER, band.min(axis=0), band.max(axis=0), **look, label=label)
    left.plot(*_line(runs), color=BLUE, label="links of 14 cm")
    _, best = claims.ends(runs)
    left.plot(best.case.gain, 100 * best.speed, "o", color=BLUE, ms=4)
    words = f"best: {100 * best.speed:.2f} at {best.case.gain:g}"
    left.annotate(
        words, (best.case.gain, 100 * best.speed), (0, 6), **_BESIDE, ha="center", **_SMALL
    )
    for name, colour, key, style in (
        ("with corners of the stair", GREEN, "with corners", "-"),
        ("hard ground, step 1 ms", ORANGE, "hard, newton, 1 ms", "-"),
        ("hard ground, 0.25 ms", ORANGE, "hard, newton, 0.25 ms", ":"),
    ):
        found = _maybe(results, OTHERS[key])
        if found:
            right.plot(*_line(found), style, color=colour, label=name)
    printed = curve(results, OTHERS["as printed"])
    left.plot(*_line(printed), color=VERMILION, label="links of 7 cm")
    for ax in (left, right):
        speeds = [PUBLISHED[name][1] for name in ("stair_speed", "stair_best_speed")]
        ax.plot([0.0, PUBLISHED_GAIN], speeds, **PUBLISHED_MARK, label="published", clip_on=False)
        ax.set(xlabel="$k_c$", xlim=(0, 15), ylim=(0, 2.6))
        legend_above(ax)
    left.set_ylabel("mean speed over 60 s (cm/s)")


def _maybe(results: Results, kind: Case) -> list[Outcome]:
    """A curve; nothing if it was not run."""
    try:
        return curve(results, kind)
    except Failed:
        return []


def _line(runs: list[Outcome]) -> tuple[list[float], list[float]]:
    """Gains, and speeds in cm/s."""
    return [run.case.gain for run in runs], [100 * run.speed for run in runs]


@figure(
    "Fig. 10. Over the stair without feedback and with the best gain; large dots are heads.",
    (7.0, 3.6),
)
def _fig10(results: Results, canvas: Canvas) -> None:
    panels = canvas.subplots(len(STAIR_AT) // 2, 2, sharex=True, sharey=True)
    both: tuple[tuple[str, str, str, str], ...] = (
        ("stair", VERMILION, "--", "$k_c = 0$"),
        ("stair_best", BLUE, "-", f"$k_c = {BEST_GAIN:g}$"),
    )
    for ax, time in zip(panels.T.flat, STAIR_AT, strict=True):
        for name, colour, style, label in both:
            run: Trajectory = results[name]
            spine = backbone(run, run.row(time))
            look: dict[str, Any] = {"marker": "o", "ms": 2.0, "lw": 1.4, "zorder": 4}
            ax.plot(*spine.T, style, color=colour, label=label, **look)
            ax.plot(*spine[-1], "o", color=colour, ms=4.0, zorder=5)
        _draw_ground(ax, results["stair"], (-0.92, 1.28), (-0.06, 0.31))
        ax.set_title(f"t = {time:g} s", loc="left")
    for ax in panels[-1]:
        ax.set_xlabel("x (m)")
    handles, labels = panels[0, 0].get_legend_handles_labels()
    canvas.legend(handles, labels, loc="outside upper center", ncols=2, **LEGEND)


@figure(
    "Why it ends above the best gain. At k_c 10.1 the tail dips into the front of the stair "
    "and is pushed back by it, so that the robot treads on the spot; with the stair's edge as "
    "a point of contact the tail is lifted over.",
    (7.0, 2.1),
)
def _caught(results: Results, canvas: Canvas) -> None:
    panels = canvas.subplots(len(CAUGHT_AT), 2, sharex=True, sharey=True)
    columns = (
        ("stair_published", "points of the paper"),
        ("stair_corners", "points of the paper and corners of the stair"),
    )
    for line, (name, title) in zip(panels.T, columns, strict=True):
        run: Trajectory = results[name]
        for ax, time in zip(line, CAUGHT_AT, strict=True):
            _draw_ground(ax, run, (-0.12, 1.4), (-0.05, 0.2))
            draw_body(ax, run, run.row(time))
            ax.text(1.38, 0.19, f"t = {time:g} s", ha="right", va="top", **_SMALL)
        line[0].set_title(title, loc="left")
        line[-1].set_xlabel("x (m)")


@figure(
    "What was measured, by what is published.",
    (5.0, 2.6),
)
def _claims(results: Results, canvas: Canvas) -> None:
    ax = canvas.subplots()
    by_id = {claim.id: claim for claim in claims.CLAIMS}
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
