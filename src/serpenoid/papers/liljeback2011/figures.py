"""The paper's figures in its layout, and those of the statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from serpenoid.analysis.following import jams
from serpenoid.papers.liljeback2011.claims import outcomes, paper_kind, passed
from serpenoid.papers.liljeback2011.experiments import FEWER
from serpenoid.papers.liljeback2011.study import WAYPOINTS
from serpenoid.papers.liljeback2011.tables import (
    PARAMETERS,
    on_fewer_fields,
    sensitivity,
    usual_kinds,
    words_for,
)
from serpenoid.papers.paper import Failed, Results, figure
from serpenoid.plots.path_figures import contact_force_of, forward_velocity, stacked
from serpenoid.plots.scenes import path
from serpenoid.plots.statistics import force_distribution, successes, waypoints_reached

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from serpenoid.engine.trajectory import Trajectory

# The paper's link 5.
MIDDLE = 4


@figure(
    "Fig. 4. Without adaptation: path and contact force of link 4, the paper's 5.",
    (5.0, 6.4),
)
def _fig4(results: Results, canvas: Canvas) -> None:
    run: Trajectory = results["without"]
    upper, middle, lower = canvas.subplots(3, 1, height_ratios=[3, 1, 1])
    path(run, upper, link=MIDDLE, times=[0.0, 65.0, 125.0])
    forward_velocity(run, middle)
    contact_force_of(run, lower, link=MIDDLE)
    middle.set_xlabel("")
    canvas.align_ylabels([middle, lower])


@figure("Fig. 5. With adaptation: path of link 4, the paper's 5.", (5.0, 4.0))
def _fig5(results: Results, canvas: Canvas) -> None:
    path(results["with_adaptation"], canvas.subplots(), link=MIDDLE)


@figure(
    "Fig. 6. With adaptation: errors, forward velocity and force on link 4, the paper's 5.",
    (7.0, 5.2),
)
def _fig6(results: Results, canvas: Canvas) -> None:
    run: Trajectory = results["with_adaptation"]
    stacked(run, canvas, link=MIDDLE, jams=jams(run))


@figure("Waypoints reached in random fields.", (7.0, 4.0))
def _fields(results: Results, canvas: Canvas) -> None:
    """All kinds of runs, newton above hybrid."""
    usual = usual_kinds(results)
    labels = [f"{words_for(kind)}, {kind.place}, {kind.solver}" for kind in usual]
    reached = [[run.reached for run in outcomes(results, kind)] for kind in usual]
    waypoints_reached(labels, reached, WAYPOINTS, canvas.subplots())


@figure(
    "Forces across links in contact, in the fields where no joint turned past 180 degrees, "
    "neither without nor with limited adaptation.",
    (3.5, 2.6),
)
def _forces(results: Results, canvas: Canvas) -> None:
    """Both in the same fields: a knotted robot is wedged with some kN, and would hide the rest."""
    kinds = [paper_kind(results, "none"), paper_kind(results, "limited")]
    both = [outcomes(results, kind) for kind in kinds]
    away = {run.case.seed for runs in both for run in runs if run.ran_away}
    kept = [[run.forces for run in runs if run.case.seed not in away] for runs in both]
    if not kept[0]:
        raise Failed("in every field a joint turned past 180 deg")
    forces = [np.concatenate(each) for each in kept]
    force_distribution(["without", "limited adaptation"], forces, canvas.subplots())


@figure(
    "Fields passed over the number of pegs, their friction, the friction of the ground, the "
    "gain and the limit of the adaptation, and the cutoff of the reference filter, with 95 % "
    "intervals.",
    (7.0, 7.0),
)
def _sensitivity(results: Results, canvas: Canvas) -> None:
    panels = canvas.subplots(3, 2)
    for ax, (name, words) in zip(panels.flat, PARAMETERS.items(), strict=True):
        kinds = sensitivity(results, name)
        controllers = sorted({kind.controller for kind in kinds})
        values = sorted({float(getattr(kind, name)) for kind in kinds})
        counts = [
            [passed(on_fewer_fields(results, kind)) for kind in kinds if kind.controller == each]
            for each in controllers
        ]
        words = words.replace("(deg)", "(°)")
        successes(controllers, values, counts, FEWER, ax, xlabel=words, ylabel="fields passed")
