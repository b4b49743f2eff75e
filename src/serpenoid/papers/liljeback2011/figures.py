"""The paper's figures in its layout, and those of the random fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from serpenoid.analysis.following import jams
from serpenoid.papers.liljeback2011.claims import at
from serpenoid.papers.liljeback2011.readings import paper_case
from serpenoid.papers.liljeback2011.runs import force_pairs, outcomes
from serpenoid.papers.liljeback2011.study import MIDDLE, WAYPOINTS, Case
from serpenoid.papers.paper import Failed, Results, figure
from serpenoid.plots.path_figures import contact_force_of, forward_velocity, stacked
from serpenoid.plots.scenes import path
from serpenoid.plots.statistics import waypoints_reached
from serpenoid.plots.style import COLOURS, GREY

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from serpenoid.engine.trajectory import Trajectory


@figure(
    "Fig. 4. Without adaptation: path and contact force of link 4, the paper's 5.",
    (5.0, 6.4),
)
def _fig4(results: Results, canvas: Canvas) -> None:
    run: Trajectory = results["without"]
    upper, middle, lower = canvas.subplots(3, 1, height_ratios=[3, 1, 1])
    # The paper's times, as far as it goes.
    times = sorted({min(time, float(run.time[-1])) for time in (0.0, 65.0, 125.0)})
    path(run, upper, link=MIDDLE, times=times)
    forward_velocity(run, middle)
    contact_force_of(run, lower, link=MIDDLE)
    middle.set_xlabel("")
    canvas.align_ylabels([middle, lower])


@figure("Fig. 5. With the printed adaptation: path of link 4, the paper's 5.", (5.0, 4.0))
def _fig5(results: Results, canvas: Canvas) -> None:
    path(results["with_adaptation"], canvas.subplots(), link=MIDDLE)


@figure(
    "Fig. 6. With the printed adaptation: errors, forward velocity and force on link 4, the "
    "paper's 5.",
    (7.0, 5.2),
)
def _fig6(results: Results, canvas: Canvas) -> None:
    run: Trajectory = results["with_adaptation"]
    stacked(run, canvas, link=MIDDLE, jams=jams(run))


@figure("Waypoints reached in random fields.", (7.0, 3.4))
def _fields(results: Results, canvas: Canvas) -> None:
    kinds = {
        "none, hybrid": paper_case({}, "none"),
        "as printed, hybrid": paper_case({}, "printed"),
        "as printed, impacts in rho, hybrid": Case(0, "printed", solver="hybrid"),
        "none, newton": Case(0, "none"),
        "as printed, newton": Case(0, "printed"),
    }
    found = {}
    for words, kind in kinds.items():
        try:
            found[words] = [run.reached for run in outcomes(results, kind)]
        except Failed:
            continue
    waypoints_reached(list(found), list(found.values()), WAYPOINTS, canvas.subplots())


@figure(
    "Contact force of link 4, the paper's 5, without and with the printed adaptation: a point for "
    "each field; below the line it is smaller with adaptation.",
    (7.0, 3.0),
)
def _forces(results: Results, canvas: Canvas) -> None:
    pairs = force_pairs(results)
    measures = {"mean (N)": 0, "95 % below (N)": 1 + at(95), "largest (N)": 1 + at(100)}
    for ax, (words, index) in zip(canvas.subplots(1, 3), measures.items(), strict=True):
        points = np.array([(a.middle[index], b.middle[index]) for a, b in pairs])
        points = points[(points > 0).all(axis=1)]
        if not len(points):
            raise Failed("link 5 was not pushed in any field")
        ends = 10 ** np.array([np.floor(np.log10(points.min())), np.ceil(np.log10(points.max()))])
        ax.plot(ends, ends, color=GREY, lw=0.6)
        ax.plot(*points.T, "o", ms=3, color=COLOURS[0])
        ax.set(xscale="log", yscale="log", xlim=ends, ylim=ends, title=words, xlabel="without")
        ax.minorticks_off()
        ax.set_aspect("equal")
    canvas.axes[0].set_ylabel("with adaptation")
