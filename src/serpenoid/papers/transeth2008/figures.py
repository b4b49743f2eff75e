"""The paper's figures in its layout, drawn from our runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from serpenoid.papers.paper import Results, figure
from serpenoid.papers.transeth2008.claims import MIDDLE
from serpenoid.plots.figures import contact_force_components, position
from serpenoid.plots.scenes import path, snapshot
from serpenoid.plots.style import BLUE, VERMILION, legend_above

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from serpenoid.engine.trajectory import Trajectory

# What the paper writes on the links, from our first, the tail, on.
NUMBERS = tuple(range(11, 0, -1))


@figure("Fig. 9. Path of the middle link, the paper's link 6, along the small pegs.", (3.5, 2.2))
def _fig09(results: Results, canvas: Canvas) -> None:
    path(results["small_pegs"], canvas.subplots(), link=MIDDLE, times=[0.0])


@figure("Fig. 10. The robot at 5.2 s with its contact forces.", (3.5, 2.0))
def _fig10(results: Results, canvas: Canvas) -> None:
    snapshot(results["small_pegs"], canvas.subplots(), time=5.2, number=NUMBERS)


@figure("Fig. 11. Contact force on three links.", (3.5, 4.2))
def _fig11(results: Results, canvas: Canvas) -> None:
    """The three links that push most between 4.5 s and 5.5 s; spikes of impacts are cut off."""
    run: Trajectory = results["small_pegs"]
    rows = (run.time >= 4.5) & (run.time <= 5.5)
    force = run.columns["contact_force"][rows]
    pushed = np.linalg.norm(force, axis=2).mean(axis=0)
    most = sorted(np.argsort(pushed)[-3:], reverse=True)
    top = 1.2 * float(np.percentile(np.abs(force[:, most]), 99))
    panels = canvas.subplots(3, 1, sharex=True)
    for ax, link in zip(panels, most, strict=True):
        contact_force_components(run, ax, link=int(link))
        ax.set(xlim=(4.5, 5.5), ylim=(-top, top), ylabel=f"on link {NUMBERS[link]} (N)")
    for ax in panels[1:]:
        ax.get_legend().remove()
    for ax in panels[:-1]:
        ax.set_xlabel("")


@figure("Fig. 12. Start posture and path of link 6 to 5 s.", (3.5, 3.6))
def _fig12(results: Results, canvas: Canvas) -> None:
    panels = zip(canvas.subplots(2, 1), "ab", ("phase_30", "phase_70"), strict=True)
    for ax, letter, name in panels:
        run: Trajectory = results[name]
        snapshot(run, ax, time=0.0)
        rows = run.time <= 5.0
        x, y = (run.columns[axis][rows, MIDDLE] for axis in "xy")
        ax.plot(x, y, color=VERMILION, ls="--", lw=1.2, zorder=7)
        phase = getattr(run.scenario.controller, "phase_deg", 0.0)
        ax.set_title(f"({letter}) phase {phase:g} deg".replace("-", "\N{MINUS SIGN}"), loc="left")


@figure("Fig. 13. Position of link 6 on the flat.", (3.5, 2.6))
def _fig13(results: Results, canvas: Canvas) -> None:
    run: Trajectory = results["flat"]
    left, right = canvas.subplots(1, 2)
    left.plot(run.columns["x"][:, MIDDLE], run.columns["y"][:, MIDDLE], color=BLUE)
    left.set(xlabel="x (m)", ylabel="y (m)", aspect="equal", adjustable="datalim")
    position(run, right, link=MIDDLE)


@figure("Fig. 14. Position of link 6 along the thin pegs.", (3.5, 3.2))
def _fig14(results: Results, canvas: Canvas) -> None:
    """The simulation, and the same with the delay and gear play of the real robot."""
    late: Trajectory = results["causes"]["delay and play", "150 ms and 3 deg"]
    ideal: Trajectory = results["track"]
    upper, lower = canvas.subplots(2, 1)
    for run, label, colour, line in (
        (ideal, "simulation", BLUE, "-"),
        (late, "150 ms late, 3 deg gear play", VERMILION, "--"),
    ):
        x, y = (run.columns[axis][:, MIDDLE] for axis in "xy")
        upper.plot(x, y, line, color=colour, label=label)
        lower.plot(run.time, x, line, color=colour)
    upper.set(xlabel="x (m)", ylabel="y (m)")
    lower.set(xlabel="time (s)", ylabel="x (m)", xlim=(0.0, float(ideal.time[-1])))
    legend_above(upper)


@figure("Fig. 15. The robot on its way through the track.", (3.5, 5.6))
def _fig15(results: Results, canvas: Canvas) -> None:
    panels = canvas.subplots(5, 1, sharex=True)
    for ax, time in zip(panels, (0.0, 2.5, 5.0, 7.5, 10.0), strict=True):
        snapshot(results["track"], ax, time=time)
        ax.set(xlim=(-0.35, 2.65), ylim=(-0.18, 0.36))
    for ax in panels[:-1]:
        ax.set_xlabel("")
