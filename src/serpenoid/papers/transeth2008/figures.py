"""The paper's figures in its layout, drawn from our runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from serpenoid.analysis.windows import between
from serpenoid.papers.paper import Results, figure
from serpenoid.papers.transeth2008.claims_small import FIG_10, PUBLISHED_LINKS
from serpenoid.papers.transeth2008.claims_track import real_robot
from serpenoid.papers.transeth2008.layouts import MIDDLE
from serpenoid.papers.transeth2008.measures import LINKS, end_of_track, middle_path, pushes_at
from serpenoid.plots.body import Arrows, draw_arrows, draw_body, draw_world
from serpenoid.plots.figures import contact_force_components
from serpenoid.plots.labels import write_on_links
from serpenoid.plots.style import BLUE, VERMILION, legend_above

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

    from serpenoid.engine.trajectory import Trajectory

# What the paper writes on the links, from our first, the tail, on.
NUMBERS = [str(number) for number in range(LINKS, 0, -1)]
# Length of the arrow of 1 N in all figures, m.
_NEWTON = 0.016


@figure("Fig. 9. Path of link 6 along the small pegs of VIII-B.", (3.5, 1.7))
def _fig09(results: Results, canvas: Canvas) -> None:
    run = results["small_pegs"].run
    ax = canvas.subplots()
    ax.set(xlim=(-0.45, 2.45), ylim=(-0.15, 0.3))
    _robot_at(ax, run, 0.0, numbers=False)
    track = middle_path(between(run, 0.0, end_of_track(run)))
    ax.plot(*track.T, color=VERMILION, lw=1.2, zorder=7)
    ax.set_title("robot at t = 0 s, path of link 6", loc="left")


@figure(
    "Fig. 10. The robot at 5.2 s. Arrows: forces of the pegs on it, mean over 0.1 s; numbers as in "
    "the paper, link 1 is the head.",
    (3.5, 1.9),
)
def _fig10(results: Results, canvas: Canvas) -> None:
    run = results["small_pegs"].run
    ax = canvas.subplots()
    x, y = run.columns["x"][run.row(FIG_10)], run.columns["y"][run.row(FIG_10)]
    ax.set(xlim=(x.min() - 0.2, x.max() + 0.25), ylim=(y.min() - 0.2, y.max() + 0.2))
    _robot_at(ax, run, FIG_10)


@figure(
    "Fig. 11. Contact forces on links 2, 7 and 10, mean of 10 ms each; spikes of impacts are cut "
    "off, as in the paper.",
    (3.5, 4.2),
)
def _fig11(results: Results, canvas: Canvas) -> None:
    run = between(results["small_pegs"].run, 4.5, 5.5)
    shown = [LINKS - number for number in PUBLISHED_LINKS]
    top = 1.2 * float(np.percentile(np.abs(run.columns["contact_force"][:, shown]), 98))
    panels = canvas.subplots(3, 1, sharex=True)
    for ax, link in zip(panels, shown, strict=True):
        contact_force_components(run, ax, link=link)
        ax.set(xlim=(4.5, 5.5), ylim=(-top, top), ylabel=f"on link {LINKS - link} (N)")
    for ax in panels[1:]:
        ax.get_legend().remove()
    for ax in panels[:-1]:
        ax.set_xlabel("")


@figure(
    "Fig. 12. Start posture and path of link 6 to 5 s, on pegs on the centre line of each wave.",
    (3.5, 3.1),
)
def _fig12(results: Results, canvas: Canvas) -> None:
    panels = zip(canvas.subplots(2, 1, sharex=True), "ab", (30, 70), strict=True)
    for ax, letter, phase in panels:
        run: Trajectory = results[f"phase_{phase}"]
        ax.set(xlim=(-0.75, 1.25), ylim=(-0.38, 0.42))
        _robot_at(ax, run, 0.0)
        ax.plot(*middle_path(run).T, color=VERMILION, ls="--", lw=1.2, zorder=7)
        ax.set_title(f"({letter}) phase \N{MINUS SIGN}{phase} deg", loc="left")
        ax.label_outer()


@figure("Fig. 13. Position of link 6 on the flat.", (3.5, 2.6))
def _fig13(results: Results, canvas: Canvas) -> None:
    run: Trajectory = results["flat"]
    left, right = canvas.subplots(1, 2)
    left.plot(*middle_path(run).T, color=BLUE)
    left.set(xlabel="x (m)", ylabel="y (m)", aspect="equal", adjustable="datalim")
    for name, colour in (("x", BLUE), ("y", VERMILION)):
        right.plot(run.time, run.columns[name][:, MIDDLE], color=colour, label=name)
    right.set(xlabel="time (s)", ylabel="position of link 6 (m)", xlim=(0.0, float(run.time[-1])))
    legend_above(right)


@figure(
    "Fig. 14. Position of link 6 along the pegs of VIII-D: the simulation, and the same with the "
    "references, delay and gear play of the robot.",
    (3.5, 3.2),
)
def _fig14(results: Results, canvas: Canvas) -> None:
    run = results["track"].run
    ideal = between(run, 0.0, end_of_track(run))
    late = real_robot(results).late
    upper, lower = canvas.subplots(2, 1)
    for time, x, y, label, colour, line in (
        (ideal.time, *middle_path(ideal).T, "simulation", BLUE, "-"),
        (late.time, late.x, late.y, f"robot: late and gear play, {late.value}", VERMILION, "--"),
    ):
        rows = time <= ideal.time[-1]
        upper.plot(x[rows], y[rows], line, color=colour, label=label)
        lower.plot(time[rows], x[rows], line, color=colour)
    upper.set(xlabel="x (m)", ylabel="y (m)")
    lower.set(xlabel="time (s)", ylabel="x (m)", xlim=(0.0, float(ideal.time[-1])))
    legend_above(upper)


@figure(
    "Fig. 15. The robot on its way through the track of VIII-D. Arrows: forces of the pegs on it, "
    "mean over 0.1 s, to the scale of Fig. 10.",
    (3.5, 5.2),
)
def _fig15(results: Results, canvas: Canvas) -> None:
    run = results["track"].run
    end = end_of_track(run)
    panels = canvas.subplots(5, 1, sharex=True)
    for ax, time in zip(panels, np.linspace(0.0, end, len(panels)).round(2), strict=True):
        ax.set(xlim=(-0.6, 2.6), ylim=(-0.2, 0.38))
        _robot_at(ax, run, float(time), numbers=False)
        ax.label_outer()


def _robot_at(ax: Axes, run: Trajectory, time: float, *, numbers: bool = True) -> None:
    """The robot at a time, with one arrow for each peg that pushes, on axes with their limits."""
    row = run.row(time)
    ax.set(aspect="equal", xlabel="x (m)", ylabel="y (m)")
    ax.locator_params(steps=[1, 2, 5, 10])
    draw_world(ax, run.world)
    draw_body(ax, run, row)
    if run.scenario.record.contacts and time > 0:
        found = pushes_at(run, min(time, float(run.time[-1]) - 0.05))
        points = np.array([push.point for push in found]).reshape(-1, 2)
        force = np.array([push.force for push in found]).reshape(-1, 2)
        largest = float(np.hypot(*force.T).max(initial=0.0))
        draw_arrows(ax, Arrows(points, points + _NEWTON * force, _NEWTON, largest))
    if numbers:
        write_on_links(ax, run, row, NUMBERS, 1)
    ax.set_title(f"t = {time:g} s", loc="left")
