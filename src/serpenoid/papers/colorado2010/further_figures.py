"""Figures beyond the paper's: proofs against Table 2, the front of speed and cost, curvature."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.model.world import World
from serpenoid.papers.colorado2010.claims import BAND
from serpenoid.papers.colorado2010.experiments import FASTEST, SPIN, Sample
from serpenoid.papers.colorado2010.optimum import Optimum
from serpenoid.papers.colorado2010.published import TABLE_2
from serpenoid.papers.colorado2010.snake import EFFICIENT, INEFFICIENT, LENGTH, SLIPPERY, Shape
from serpenoid.papers.paper import Figure, Results
from serpenoid.plots.style import (
    BLACK,
    BLUE,
    COLOURS,
    GREEN,
    GREY,
    INK,
    PALE,
    VERMILION,
    legend_above,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

    from serpenoid.analysis.periodic import Steady

MARKERS = "osD"
PUBLISHED: dict[str, Any] = {"color": BLACK, "marker": "x", "ms": 5, "mew": 1.2, "ls": "none"}


def write_letter(ax: Axes, letter: str) -> None:
    """The letter of a panel, to the left of its legend."""
    ax.annotate(f"({letter})", (0, 1), (-28, 5), "axes fraction", "offset points")


def _bound(results: Results, canvas: Canvas) -> None:
    left, right = canvas.subplots(1, 2, width_ratios=[3, 2])
    samples: list[Sample] = results["random"]
    left.axhspan(*BAND, color=PALE, lw=0, zorder=0)
    omega, ratio = zip(*((sample.omega, sample.ratio) for sample in samples), strict=True)
    dots: dict[str, Any] = {"ls": "none", "marker": ".", "ms": 2, "color": BLUE, "rasterized": True}
    left.plot(omega, ratio, **dots, label=f"{len(samples)} random robots and gaits")
    tests: list[Steady] = results["tests"]
    ours = [motion.power / motion.kinetic for motion in tests]
    table = [column.omega for column in TABLE_2]
    left.plot(table, ours, "o", color=VERMILION, ms=4, label="tests of Table 2, ours")
    left.plot(table, [column.ratio for column in TABLE_2], **PUBLISHED, label="published")
    left.set(xscale="log", yscale="log", ylim=(0.02, 40), xlabel="ω (rad/s)")
    left.set(ylabel="power loss by kinetic energy (1/s)")
    for level, word in zip(BAND, ("$2\\,C_T$", "$2\\,C_N$"), strict=True):
        place: dict[str, Any] = {"transform": left.get_yaxis_transform(), "size": "small"}
        left.text(1.01, level, word, va="center", **place)
    left.xaxis.set_major_formatter("{x:g}")
    left.yaxis.set_major_formatter("{x:g}")
    write_letter(left, "a")
    legend_above(left)
    for name, colour, word in (
        ("integrated", BLUE, "$m\\,C_N L^2/12$"),
        ("printed", VERMILION, "$m\\,C_N L^2/3$, as printed"),
    ):
        motion = results["spin"][name]
        right.semilogy(motion.time, motion.velocity[:, 2] / SPIN, color=colour, label=word)
    exact = np.exp(-SLIPPERY.normal * motion.time)
    right.semilogy(motion.time, exact, color=INK, ls=":", label="exp(−$C_N$ t)")
    right.set(xlabel="time (s)", ylabel="spin of the straight robot, relative")
    write_letter(right, "b")
    legend_above(right)


def _front(results: Results, canvas: Canvas) -> None:
    left, right = canvas.subplots(1, 2, width_ratios=[3, 2])
    front: list[Optimum] = results["front"]
    speed = [100 * optimum.motion.speed for optimum in front]
    cloud: list[Steady] = results["cloud"]
    dots: dict[str, Any] = {"ls": "none", "marker": ".", "ms": 2.5, "color": GREY, "zorder": 1}
    left.plot([100 * m.speed for m in cloud], [_cost(m) for m in cloud], **dots, label="random")
    left.plot(
        speed, [_cost(o.motion) for o in front], color=BLUE, marker="o", ms=2.5, label="least power"
    )
    sweep: dict[Shape, list[Steady]] = results["sweep"]
    for shape, colour in ((EFFICIENT, VERMILION), (INEFFICIENT, GREEN)):
        motions = sweep[shape]
        left.plot(
            [100 * m.speed for m in motions],
            [_cost(m) for m in motions],
            color=colour,
            label=str(shape),
        )
    tests: list[Steady] = results["tests"]
    left.plot(
        [100 * m.speed for m in tests],
        [_cost(m) for m in tests],
        "s",
        color=VERMILION,
        ms=3.5,
        label="tests of Table 2",
    )
    left.set(xlabel="mean speed (cm/s)", ylabel="net cost of transport", xlim=(0, None))
    # Most random gaits take far more than what is of interest.
    left.set_ylim(0, 1.1 * max(_cost(motion) for motion in sweep[EFFICIENT]))
    write_letter(left, "a")
    legend_above(left)
    right.plot(speed, [o.shape.alpha for o in front], color=BLUE, label="α (rad)")
    right.plot(speed, [o.shape.beta for o in front], color=VERMILION, label="β (rad)")
    right.plot(
        speed, [o.omega / FASTEST for o in front], color=GREEN, label=f"ω / ({FASTEST:g} rad/s)"
    )
    right.set(xlabel="mean speed (cm/s)", ylabel="gait of least power", xlim=(0, None))
    right.set_ylim(0, 1.1)
    write_letter(right, "b")
    legend_above(right)


def _cost(motion: Steady) -> float:
    """Mean power by weight and speed."""
    return motion.power / (motion.model.robot.mass * World().gravity * motion.speed)


def _curvature(results: Results, canvas: Canvas) -> None:
    ax = canvas.subplots()
    found: dict[Shape, list[Steady]] = results["offsets"]
    for k, (shape, motions) in enumerate(found.items()):
        gamma = [motion.gait.offset_deg for motion in motions]
        curvature = [2 * math.sin(m.turn / 2) / (m.speed * m.period) for m in motions]
        ax.plot(gamma, curvature, color=COLOURS[k], marker=MARKERS[k], ms=3, label=str(shape))
    gamma_deg = np.array([gamma[0], gamma[-1]])
    ax.plot(gamma_deg, np.radians(gamma_deg) / LENGTH, ":", color=INK, lw=0.8, label="body, γ/L")
    ax.set(xlabel="γ (°)", ylabel="curvature of the path (1/m)")
    ax.set(xlim=(0, None), ylim=(0, None))
    legend_above(ax)


FURTHER_FIGURES = (
    Figure(
        "bound",
        "Proofs. (a) Power loss by kinetic energy is between 2 C_T and 2 C_N for every motion; the "
        "published values are not. (b) A straight robot spins down with exp(−C_N t) only if the "
        "friction torque of a link is m C_N L²/12.",
        (7.0, 3.2),
        _bound,
    ),
    Figure(
        "front",
        "Speed against net cost of transport: (a) the least that any gait of the form (1) with ω "
        "up to 4 rad/s takes, the paper's gaits, and random ones; (b) the gaits of the front.",
        (7.0, 3.0),
        _front,
    ),
    Figure(
        "curvature",
        "Curvature of the path over γ at ω = 3 rad/s on the ground of Table 2.",
        (3.4, 2.4),
        _curvature,
    ),
)
