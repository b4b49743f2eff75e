"""The paper's figures, proofs against Table 2, the front of speed and cost, curvature."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.control.gaits import serpenoid_curve
from serpenoid.model.world import World
from serpenoid.papers.colorado2010 import snake
from serpenoid.papers.colorado2010.claims import BAND
from serpenoid.papers.colorado2010.experiments import FASTEST, SPEED, SPIN, Sample
from serpenoid.papers.colorado2010.optimum import Optimum
from serpenoid.papers.colorado2010.snake import (
    EFFICIENT,
    INEFFICIENT,
    LENGTH,
    SLIPPERY,
    STICKY,
    TABLE_2,
    Shape,
)
from serpenoid.papers.paper import PUBLISHED_MARK, Results, figure
from serpenoid.plots.figures import torques
from serpenoid.plots.scenes import path
from serpenoid.plots.style import (
    BLUE,
    COLOURS,
    GREEN,
    GREY,
    INK,
    LEGEND,
    PALE,
    VERMILION,
    legend_above,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

    from serpenoid.analysis.periodic import Steady
    from serpenoid.engine.trajectory import Trajectory

_MARKERS = "osD"


@figure(
    "Fig. 2. Serpenoid curves of unit length, for other degrees of undulation a, numbers of "
    "waves b and bends c; the rest is a = 1, b = 4π, c = 0.",
    (7.0, 2.0),
)
def _fig2(_results: Results, canvas: Canvas) -> None:
    panels = canvas.subplots(1, 3)
    pi = math.pi
    families = (
        ("a", {"0.5": (0.5, 4 * pi, 0.0), "1": (1.0, 4 * pi, 0.0), "1.5": (1.5, 4 * pi, 0.0)}),
        ("b", {"2π": (1.0, 2 * pi, 0.0), "4π": (1.0, 4 * pi, 0.0), "6π": (1.0, 6 * pi, 0.0)}),
        ("c", {"0": (1.0, 4 * pi, 0.0), "1": (1.0, 4 * pi, 1.0), "2": (1.0, 4 * pi, 2.0)}),
    )
    for ax, letter, (name, family) in zip(panels, "abc", families, strict=True):
        for k, (word, (a, b, c)) in enumerate(family.items()):
            x, y = serpenoid_curve(a, b, c)[1].T
            ax.plot(x, y, color=COLOURS[k], label=f"{name} = {word}")
        ax.set(xlabel="x", ylabel="y", aspect="equal", adjustable="datalim")
        _write_letter(ax, letter)
        ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=3, **LEGEND)


@figure(
    "Fig. 3. The gait the paper calls inefficient, ω = 2.5 rad/s: (a) path with γ = 1.2°, "
    "(b) joint torques over two periods.",
    (7.0, 3.4),
)
def _fig3(results: Results, canvas: Canvas) -> None:
    run: Trajectory = results["circle_inefficient"]
    left, right = canvas.subplots(1, 2)
    _circle(left, run)
    _write_letter(left, "a")
    torques(run, right, joints=[0, 2, 4, 6])
    start = float(run.time[-1]) - 2 * 2 * math.pi / snake.OMEGA_INEFFICIENT
    right.set_xlim(start, float(run.time[-1]))
    _write_letter(right, "b")


def _circle(ax: Axes, run: Trajectory) -> None:
    """Path of the centre of mass, and the circle on which the robot lies with joints at gamma."""
    end = float(run.time[-1])
    path(run, ax, link="com", times=[0.0, round(end / 3), round(2 * end / 3)])
    radius = LENGTH / (2 * math.sin(math.radians(snake.GAMMA_DEG) / 2))
    angle = np.linspace(-np.pi / 2 - 0.1, -np.pi / 2 + 0.6, 101)
    x0, y0 = run.centre_of_mass()[0]
    look: dict[str, Any] = {"color": VERMILION, "ls": "--", "lw": 0.8}
    x, y = x0 + radius * np.cos(angle), y0 + radius * (1 + np.sin(angle))
    ax.plot(x, y, label="curvature of the body, γ/L", **look)
    legend_above(ax)


@figure(
    "Fig. 4. Mean kinetic energy, power loss and speed of the steady motion over ω, for the "
    "paper's two gaits and that of least power, all on the ground of Table 2.",
    (7.0, 2.6),
)
def _fig4(results: Results, canvas: Canvas) -> None:
    sweep: dict[Shape, list[Steady]] = results["sweep"]
    measures: tuple[tuple[str, Callable[[Steady], float]], ...] = (
        ("kinetic energy (J)", lambda motion: motion.kinetic),
        ("power loss (W)", lambda motion: motion.power),
        ("speed (cm/s)", lambda motion: 100 * motion.speed),
    )
    panels = canvas.subplots(1, 3)
    for ax, letter, (words, measure) in zip(panels, "abc", measures, strict=True):
        for k, (shape, motions) in enumerate(sweep.items()):
            omega, values = zip(
                *((2 * math.pi / m.period, measure(m)) for m in motions), strict=True
            )
            look: dict[str, Any] = {"color": COLOURS[k], "marker": _MARKERS[k], "ms": 2.5}
            ax.plot(omega, values, **look, label=f"α {shape.alpha:.2f}, β {shape.beta:.2f}")
        ax.set(xlabel="ω (rad/s)", ylabel=words, xlim=(0, FASTEST + 0.1))
        _write_letter(ax, letter)
    tests = [column.omega for column in TABLE_2]
    panels[0].plot(tests, [column.kinetic for column in TABLE_2], **PUBLISHED_MARK, label="Table 2")
    panels[1].plot(tests, [column.loss for column in TABLE_2], **PUBLISHED_MARK)
    for ax in panels[:2]:
        ax.set_yscale("log")
    panels[2].set_ylim(bottom=0)
    handles, labels = panels[0].get_legend_handles_labels()
    canvas.legend(handles, labels, loc="outside upper center", ncols=4, **LEGEND)


@figure(
    f"Fig. 5. Gait of least power at {100 * SPEED:g} cm/s (a) over the ratio of friction, "
    "(b) over the number of links.",
    (7.0, 2.6),
)
def _fig5(results: Results, canvas: Canvas) -> None:
    left, right = canvas.subplots(1, 2)
    ratios: list[Optimum] = results["ratios"]
    links: list[Optimum] = results["links"]
    ratio = [optimum.ground.tangential / optimum.ground.normal for optimum in ratios]
    count = [optimum.links for optimum in links]
    for ax, x, optima, names in ((left, ratio, ratios, "αβ"), (right, count, links, "βα")):
        for name, colour in zip(names, (BLUE, GREY), strict=True):
            values = [o.shape.alpha if name == "α" else o.shape.beta for o in optima]
            ax.plot(x, values, color=colour, marker="o", ms=3, label=name)
        ax.set_ylabel("α, β of least power (rad)")
    left.set(xlabel="$C_T/C_N$", xlim=(0, 1), ylim=(0, 1.2))
    n = np.linspace(count[0], count[-1], 101)
    right.plot(n, 2 * np.pi / n, color=INK, ls=":", lw=0.8, label="one wave, 2π/n")
    right.set(xlabel="links n", ylim=(0, 1.7))
    for ax, letter in zip((left, right), "ab", strict=True):
        _write_letter(ax, letter)
        legend_above(ax)


@figure(
    "Fig. 6. Once around with servos at ω = 3 rad/s, and the last 5 s of it: paths, an angle "
    "wanted and measured, errors of the joints.",
    (7.0, 6.4),
)
def _fig6(results: Results, canvas: Canvas) -> None:
    panels = canvas.subplots(3, 2, height_ratios=[3, 1, 1])
    gaits = (
        (f"servo_{snake.OMEGA:g}", EFFICIENT, SLIPPERY),
        ("servo_inefficient", INEFFICIENT, STICKY),
    )
    for column, letter, (name, shape, ground) in zip(panels.T, "ab", gaits, strict=True):
        run: Trajectory = results[name]
        above, middle, below = column
        _circle(above, run)
        friction = f"$C_T$ {ground.tangential:g}, $C_N$ {ground.normal:g}"
        above.set_title(f"({letter}) {shape}, {friction}", loc="left", pad=28)
        rows = run.time > run.time[-1] - 5.0
        wanted, angle = (
            np.degrees(run.columns[key][rows]) for key in ("joint_reference", "joint_angle")
        )
        middle.plot(run.time[rows], angle[:, 3], color=BLUE, label="measured")
        middle.plot(run.time[rows], wanted[:, 3], color=VERMILION, ls="--", label="wanted")
        middle.set(ylabel="joint 3 (°)", ylim=(-90, 90))
        for j in (0, 2, 4, 6):
            off = angle[:, j] - wanted[:, j]
            below.plot(run.time[rows], off, color=COLOURS[j // 2], label=f"joint {j}")
        below.set(ylabel="error (°)", xlabel="time (s)")
        for ax in (middle, below):
            ax.set_xlim(run.time[rows][0], run.time[-1])
            legend_above(ax)
    limit = max(abs(value) for ax in panels[2] for value in ax.get_ylim())
    for ax in panels[2]:
        ax.set_ylim(-limit, limit)


def _write_letter(ax: Axes, letter: str) -> None:
    """The letter of a panel, to the left of its legend."""
    ax.annotate(f"({letter})", (0, 1), (-28, 5), "axes fraction", "offset points")


@figure(
    "Proofs. (a) Power loss by kinetic energy is between 2 C_T and 2 C_N for every motion; the "
    "published values are not. (b) A straight robot spins down with exp(−C_N t) only if the "
    "friction torque of a link is m C_N L²/12.",
    (7.0, 3.2),
)
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
    left.plot(table, [column.ratio for column in TABLE_2], **PUBLISHED_MARK, label="published")
    left.set(xscale="log", yscale="log", ylim=(0.02, 40), xlabel="ω (rad/s)")
    left.set(ylabel="power loss by kinetic energy (1/s)")
    for level, word in zip(BAND, ("$2\\,C_T$", "$2\\,C_N$"), strict=True):
        place: dict[str, Any] = {"transform": left.get_yaxis_transform(), "size": "small"}
        left.text(1.01, level, word, va="center", **place)
    left.xaxis.set_major_formatter("{x:g}")
    left.yaxis.set_major_formatter("{x:g}")
    _write_letter(left, "a")
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
    _write_letter(right, "b")
    legend_above(right)


@figure(
    "Speed against net cost of transport: (a) the least that any gait of the form (1) with ω "
    "up to 4 rad/s takes, the paper's gaits, and random ones; (b) the gaits of the front.",
    (7.0, 3.0),
)
def _front(results: Results, canvas: Canvas) -> None:
    left, right = canvas.subplots(1, 2, width_ratios=[3, 2])
    front: list[Optimum] = results["front"]
    sweep: dict[Shape, list[Steady]] = results["sweep"]
    dots: dict[str, Any] = {"ls": "none", "marker": ".", "ms": 2.5, "color": GREY, "zorder": 1}
    left.plot(*_speeds_and_costs(results["cloud"]), **dots, label="random")
    speed, cost = _speeds_and_costs([optimum.motion for optimum in front])
    left.plot(speed, cost, color=BLUE, marker="o", ms=2.5, label="least power")
    for shape, colour in ((EFFICIENT, VERMILION), (INEFFICIENT, GREEN)):
        left.plot(*_speeds_and_costs(sweep[shape]), color=colour, label=str(shape))
    tests = _speeds_and_costs(results["tests"])
    left.plot(*tests, "s", color=VERMILION, ms=3.5, label="tests of Table 2")
    left.set(xlabel="mean speed (cm/s)", ylabel="net cost of transport", xlim=(0, None))
    # Most random gaits take far more than what is of interest.
    left.set_ylim(0, 1.1 * max(_speeds_and_costs(sweep[EFFICIENT])[1]))
    right.plot(speed, [o.shape.alpha for o in front], color=BLUE, label="α (rad)")
    right.plot(speed, [o.shape.beta for o in front], color=VERMILION, label="β (rad)")
    omega = [optimum.omega / FASTEST for optimum in front]
    right.plot(speed, omega, color=GREEN, label=f"ω / ({FASTEST:g} rad/s)")
    right.set(xlabel="mean speed (cm/s)", ylabel="gait of least power", xlim=(0, None))
    right.set_ylim(0, 1.1)
    for ax, letter in ((left, "a"), (right, "b")):
        _write_letter(ax, letter)
        legend_above(ax)


def _speeds_and_costs(motions: list[Steady]) -> tuple[list[float], list[float]]:
    """Speeds, cm/s, and mean powers by weight and speed."""
    gravity = World().gravity
    costs = [m.power / (m.model.robot.mass * gravity * m.speed) for m in motions]
    return [100 * motion.speed for motion in motions], costs


@figure("Curvature of the path over γ at ω = 3 rad/s on the ground of Table 2.", (3.4, 2.4))
def _curvature(results: Results, canvas: Canvas) -> None:
    ax = canvas.subplots()
    found: dict[Shape, list[Steady]] = results["offsets"]
    for k, (shape, motions) in enumerate(found.items()):
        gamma = [motion.gait.offset_deg for motion in motions]
        curvature = [2 * math.sin(m.turn / 2) / (m.speed * m.period) for m in motions]
        ax.plot(gamma, curvature, color=COLOURS[k], marker=_MARKERS[k], ms=3, label=str(shape))
    gamma_deg = np.array([gamma[0], gamma[-1]])
    ax.plot(gamma_deg, np.radians(gamma_deg) / LENGTH, ":", color=INK, lw=0.8, label="body, γ/L")
    ax.set(xlabel="γ (°)", ylabel="curvature of the path (1/m)")
    ax.set(xlim=(0, None), ylim=(0, None))
    legend_above(ax)
