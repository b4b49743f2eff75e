"""The paper's figures in its layout, ellipsoids, and why scenario 3 seems to slip."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.papers.paper import Figure, Results
from serpenoid.papers.reyes2017.claims import End, index_of, values_of
from serpenoid.papers.reyes2017.experiments import (
    SHOWN_DEG,
    Artefact,
    CaseStudy,
    pushing,
)
from serpenoid.plots.pushing import Quantity, ellipses, input_map, linear, logarithmic, polar_map, shape
from serpenoid.plots.style import BLUE, GREY, INK, VERMILION, legend_above

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

TITLES = ("no friction", "wheels, μ = 0.1", "ideal wheels")
KAPPAS = (1.0, 10.0, 100.0)
LOAD, ROBOT, RATIO = r"$\|a_\mathrm{obj}\|^2$", r"$\|\ddot q_s\|^2$", "$sr$"


def _fig4(results: Results, canvas: Canvas) -> None:
    rows: list[tuple[str, Quantity, float, Any]] = [
        (f"(a) {LOAD}", "load_norm", 100.0, linear(0.0, 0.0085)),
        (f"(b) {ROBOT}", "robot_norm", 100.0, linear(0.0, 1.0)),
        *((f"(c) {RATIO}", "slippage_ratio", kappa, logarithmic(1e-3, 1.0)) for kappa in KAPPAS),
    ]
    panels = canvas.subplots(len(rows), 3, sharex=True, sharey=True)
    for line, (words, quantity, kappa, norm) in zip(panels, rows, strict=True):
        for scenario, ax in enumerate(line, 1):
            mesh = input_map(pushing(2, scenario, kappa), np.radians(SHOWN_DEG), quantity, ax, norm=norm)
            ax.label_outer()
        label = f"{words}, κ = {kappa:g}"
        canvas.colorbar(mesh, ax=line, label=label, pad=0.02, aspect=14, shrink=0.9)
    for ax, title in zip(panels[0], TITLES, strict=True):
        ax.set_title(title)


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


def _fig6(results: Results, canvas: Canvas) -> None:
    study: CaseStudy = results["three_joints"]
    kinds: list[tuple[str, str, End]] = [
        ("(a) best", "load_norm", "best"),
        ("(a) worst", "load_norm", "worst"),
        ("(b) best", "slippage_ratio", "best"),
        ("(b) worst", "slippage_ratio", "worst"),
    ]
    panels = canvas.subplots(4, 3)
    for line, (words, quantity, end) in zip(panels, kinds, strict=True):
        name = LOAD if quantity == "load_norm" else RATIO
        for scenario, (found, ax) in enumerate(zip(study.extremes, line, strict=True), 1):
            index = index_of(found, quantity, end)
            value = float(values_of(found, quantity)[index])
            colour = BLUE if end == "best" else VERMILION
            shape(pushing(3, scenario), study.shapes[index], ax, colour=colour)
            degrees = ", ".join(f"{angle:.0f}" for angle in np.degrees(study.shapes[index]))
            ax.set(xlim=(-0.32, 0.42), ylim=(-0.36, 0.36))
            label = f"{words} {name} = {value:.4g}\n({degrees})°".replace("-", "\N{MINUS SIGN}")
            ax.text(0.0, 0.0, label, transform=ax.transAxes, va="bottom", size="small")
    for ax, title in zip(panels[0], TITLES, strict=True):
        ax.set_title(title)


def _ellipsoids(results: Results, canvas: Canvas) -> None:
    study: CaseStudy = results["three_joints"]
    one = study.extremes[0]
    shapes = {
        "straight": np.zeros(3),
        "pushes best": study.shapes[index_of(one, "load_norm", "best")],
        "pushes worst": study.shapes[index_of(one, "load_norm", "worst")],
    }
    rows = (("acceleration", "m/s²", 0.25), ("force", "N", 0.13))
    panels = canvas.subplots(2, 3)
    for line, (kind, unit, scale) in zip(panels, rows, strict=True):
        for ax, (title, angles) in zip(line, shapes.items(), strict=True):
            shape(pushing(3, 3), angles, ax, colour=GREY)
            for scenario, colour in ((1, BLUE), (3, VERMILION)):
                found = pushing(3, scenario).ellipsoids(angles)
                ellipses(found, kind, ax, scale, colour)
            ax.set(xlim=(-0.3, 0.55), ylim=(-0.36, 0.36))
            ax.set_title(title if kind == "acceleration" else "")
            ax.plot([0.3, 0.3 + scale], [-0.3, -0.3], color=INK, lw=1.2)
            ax.text(0.3 + scale / 2, -0.29, f"1 {unit}", ha="center", va="bottom", size="small")
    for scenario, colour in ((1, BLUE), (3, VERMILION)):
        panels[0, 0].plot([], [], color=colour, label=TITLES[scenario - 1])
    legend_above(panels[0, 0])


def _artefact(results: Results, canvas: Canvas) -> None:
    found: Artefact = results["artefact"]
    off = found.shape + np.radians([0.0, 0.0, -20.0])
    panels = canvas.subplots(2, 2, width_ratios=[1.0, 1.25])
    for ax, angles, words in zip(
        panels[:, 0], (found.shape, off), ("(a) normals meet", "(b) last joint 20° back"), strict=True
    ):
        shape(pushing(3, 3), angles, ax, normals=0.12)
        ax.set_title(words, loc="left")
    degrees = np.degrees(found.offset)
    upper, lower = panels[:, 1]
    for ratio, colour, name in zip(found.ratio, (VERMILION, BLUE), TITLES[1:], strict=True):
        usual = np.where(np.isclose(degrees, 0), np.nan, ratio)
        upper.plot(degrees, usual, color=colour, label=name)
        upper.plot(0, ratio[np.isclose(degrees, 0)], "o", ms=3.5, color=colour)
    reached, largest = found.load_norm
    lower.plot(degrees, largest, color=INK, label="largest")
    lower.plot(degrees, reached, color=BLUE, label="with least slippage")
    upper.set(ylabel=f"best {RATIO}", yscale="log", title="(c)")
    lower.set(ylabel=LOAD, yscale="log", xlabel="last joint angle, from the shape (a) (°)", title="(d)")


FIGURES = (
    Figure(
        "fig4",
        "Fig. 4. Norms over all allowed torques in the shape (−135°, −135°), in scenarios 1, 2 "
        "and 3. Left of the white line the contact is open; wheels slide beyond dashed lines.",
        (7.0, 9.4),
        _fig4,
    ),
    Figure(
        "fig5",
        "Fig. 5. Largest norms over the polar coordinates of the centre of mass, three joints; "
        "medians of the shapes in each cell.",
        (7.0, 6.6),
        _fig5,
    ),
    Figure(
        "fig6",
        "Fig. 6. Best and worst shapes for the acceleration of the load (a) and for slippage (b).",
        (7.0, 7.6),
        _fig6,
    ),
    Figure(
        "ellipsoids",
        "Accelerations that allowed torques give to the contact point of a robot without load, and "
        "forces on a point held fast.",
        (7.0, 4.6),
        _ellipsoids,
    ),
    Figure(
        "artefact",
        "Why scenario 3 seems to slip.",
        (7.0, 4.4),
        _artefact,
    ),
)
