"""The paper's figures in its layout."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.control.gaits import serpenoid_curve
from serpenoid.papers.colorado2010.experiments import FASTEST, SPEED
from serpenoid.papers.colorado2010.further_figures import (
    FURTHER_FIGURES,
    MARKERS,
    PUBLISHED,
    write_letter,
)
from serpenoid.papers.colorado2010.optimum import Optimum
from serpenoid.papers.colorado2010.published import TABLE_2
from serpenoid.papers.colorado2010.snake import (
    EFFICIENT,
    GAMMA_DEG,
    INEFFICIENT,
    LENGTH,
    OMEGA,
    OMEGA_INEFFICIENT,
    Shape,
)
from serpenoid.papers.paper import Figure, Results
from serpenoid.plots.figures import torques
from serpenoid.plots.scenes import path
from serpenoid.plots.style import (
    BLUE,
    COLOURS,
    GREY,
    INK,
    LEGEND,
    VERMILION,
    legend_above,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

    from serpenoid.analysis.periodic import Steady
    from serpenoid.engine.trajectory import Trajectory
from serpenoid.model.friction import Viscous


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
        write_letter(ax, letter)
        ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=3, **LEGEND)


def _fig3(results: Results, canvas: Canvas) -> None:
    run: Trajectory = results["circle_inefficient"]
    left, right = canvas.subplots(1, 2)
    _circle(left, run)
    write_letter(left, "a")
    torques(run, right, joints=[0, 2, 4, 6])
    start = float(run.time[-1]) - 2 * 2 * math.pi / OMEGA_INEFFICIENT
    right.set_xlim(start, float(run.time[-1]))
    write_letter(right, "b")


def _circle(ax: Axes, run: Trajectory) -> None:
    """Path of the centre of mass, and the circle on which the robot lies with joints at gamma."""
    end = float(run.time[-1])
    path(run, ax, link="com", times=[0.0, round(end / 3), round(2 * end / 3)])
    radius = LENGTH / (2 * math.sin(math.radians(GAMMA_DEG) / 2))
    angle = np.linspace(-np.pi / 2 - 0.1, -np.pi / 2 + 0.6, 101)
    x0, y0 = run.centre_of_mass()[0]
    look: dict[str, Any] = {"color": VERMILION, "ls": "--", "lw": 0.8}
    x, y = x0 + radius * np.cos(angle), y0 + radius * (1 + np.sin(angle))
    ax.plot(x, y, label="curvature of the body, γ/L", **look)
    legend_above(ax)


def _fig4(results: Results, canvas: Canvas) -> None:
    sweep: dict[Shape, list[Steady]] = results["sweep"]
    panels = canvas.subplots(1, 3)
    for k, (shape, motions) in enumerate(sweep.items()):
        omega = [2 * math.pi / motion.period for motion in motions]
        values = (
            [motion.kinetic for motion in motions],
            [motion.power for motion in motions],
            [100 * motion.speed for motion in motions],
        )
        for ax, value in zip(panels, values, strict=True):
            look: dict[str, Any] = {"color": COLOURS[k], "marker": MARKERS[k], "ms": 2.5}
            ax.plot(omega, value, **look, label=f"α {shape.alpha:.2f}, β {shape.beta:.2f}")
    omega = [column.omega for column in TABLE_2]
    panels[0].plot(omega, [column.kinetic for column in TABLE_2], **PUBLISHED, label="Table 2")
    panels[1].plot(omega, [column.loss for column in TABLE_2], **PUBLISHED)
    words = ("kinetic energy (J)", "power loss (W)", "speed (cm/s)")
    for ax, word, letter in zip(panels, words, "abc", strict=True):
        ax.set(xlabel="ω (rad/s)", ylabel=word, xlim=(0, FASTEST + 0.1))
        write_letter(ax, letter)
    for ax in panels[:2]:
        ax.set_yscale("log")
    panels[2].set_ylim(bottom=0)
    handles, labels = panels[0].get_legend_handles_labels()
    canvas.legend(handles, labels, loc="outside upper center", ncols=4, **LEGEND)


def _fig5(results: Results, canvas: Canvas) -> None:
    left, right = canvas.subplots(1, 2)
    ratios: list[Optimum] = results["ratios"]
    links: list[Optimum] = results["links"]
    look: dict[str, Any] = {"marker": "o", "ms": 3}
    ratio = [optimum.ground.tangential / optimum.ground.normal for optimum in ratios]
    left.plot(ratio, [o.shape.alpha for o in ratios], color=BLUE, **look, label="α")
    left.plot(ratio, [o.shape.beta for o in ratios], color=GREY, **look, label="β")
    left.set(xlabel="$C_T/C_N$", ylabel="α, β of least power (rad)", xlim=(0, 1), ylim=(0, 1.2))
    count = [optimum.links for optimum in links]
    right.plot(count, [o.shape.beta for o in links], color=BLUE, **look, label="β")
    right.plot(count, [o.shape.alpha for o in links], color=GREY, **look, label="α")
    n = np.linspace(count[0], count[-1], 101)
    right.plot(n, 2 * np.pi / n, color=INK, ls=":", lw=0.8, label="one wave, 2π/n")
    right.set(xlabel="links n", ylabel="α, β of least power (rad)", ylim=(0, 1.7))
    for ax, letter in zip((left, right), "ab", strict=True):
        write_letter(ax, letter)
        legend_above(ax)


def _fig6(results: Results, canvas: Canvas) -> None:
    panels = canvas.subplots(3, 2, height_ratios=[3, 1, 1])
    names = (f"servo_{OMEGA:g}", "servo_inefficient")
    for column, name, letter in zip(panels.T, names, "ab", strict=True):
        run: Trajectory = results[name]
        above, middle, below = column
        _circle(above, run)
        words = INEFFICIENT if name == "servo_inefficient" else EFFICIENT
        above.set_title(f"({letter}) {words}, {_ground(run)}", loc="left", pad=28)
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


def _ground(run: Trajectory) -> str:
    friction, mass = run.world.friction, run.robot.links[0].mass
    assert isinstance(friction, Viscous)
    return f"$C_T$ {friction.along / mass:g}, $C_N$ {friction.across / mass:g}"


FIGURES = (
    Figure(
        "fig2",
        "Fig. 2. Serpenoid curves of unit length, for other degrees of undulation a, numbers of "
        "waves b and bends c; the rest is a = 1, b = 4π, c = 0.",
        (7.0, 2.0),
        _fig2,
    ),
    Figure(
        "fig3",
        "Fig. 3. The gait the paper calls inefficient, ω = 2.5 rad/s: (a) path with γ = 1.2°, "
        "(b) joint torques over two periods.",
        (7.0, 3.4),
        _fig3,
    ),
    Figure(
        "fig4",
        "Fig. 4. Mean kinetic energy, power loss and speed of the steady motion over ω, for the "
        "paper's two gaits and that of least power, all on the ground of Table 2.",
        (7.0, 2.6),
        _fig4,
    ),
    Figure(
        "fig5",
        f"Fig. 5. Gait of least power at {100 * SPEED:g} cm/s (a) over the ratio of friction, "
        "(b) over the number of links.",
        (7.0, 2.6),
        _fig5,
    ),
    Figure(
        "fig6",
        "Fig. 6. Once around with servos at ω = 3 rad/s, and the last 5 s of it: paths, an angle "
        "wanted and measured, errors of the joints.",
        (7.0, 6.4),
        _fig6,
    ),
    *FURTHER_FIGURES,
)
