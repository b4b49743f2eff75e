"""The paper's figures in its layout, drawn from our runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from serpenoid.papers.paper import Figure, Results
from serpenoid.papers.transeth2008.claims import MIDDLE
from serpenoid.plots.figures import contact_force_components, position
from serpenoid.plots.scenes import path, snapshot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

    from serpenoid.trajectory import Trajectory

# What the paper writes on the links, from our first, the tail, on.
NUMBERS = tuple(range(11, 0, -1))


def _track(run: Trajectory, ax: Axes, label: str = "", line: str = "-") -> None:
    """Path of link 6."""
    x, y = run.columns["x"][:, MIDDLE], run.columns["y"][:, MIDDLE]
    ax.plot(x, y, line, label=label)
    ax.set_xlabel("x (m)")
    ax.set_ylabel("y (m)")


def _fig09(results: Results, canvas: Canvas) -> None:
    run: Trajectory = results["small_pegs"]
    path(run, canvas.subplots(), link=MIDDLE, times=[0.0])


def _fig10(results: Results, canvas: Canvas) -> None:
    snapshot(results["small_pegs"], canvas.subplots(), time=5.2, number=NUMBERS)


def _fig11(results: Results, canvas: Canvas) -> None:
    """The three links that push most between 4.5 s and 5.5 s; in the paper 2, 7 and 10."""
    run: Trajectory = results["small_pegs"]
    rows = (run.time >= 4.5) & (run.time <= 5.5)
    force = run.columns["contact_force"][rows]
    pushed = np.linalg.norm(force, axis=2).mean(axis=0)
    most = sorted(np.argsort(pushed)[-3:], reverse=True)
    top = float(np.percentile(np.abs(force[:, most]), 99.5))
    for ax, link in zip(canvas.subplots(3, 1, sharex=True), most, strict=True):
        contact_force_components(run, ax, link=int(link))
        ax.set_xlim(4.5, 5.5)
        ax.set_ylim(-1.1 * top, 1.1 * top)
        ax.set_ylabel(f"link {NUMBERS[link]} (N)")


def _fig12(results: Results, canvas: Canvas) -> None:
    for ax, name, letter in zip(
        canvas.subplots(2, 1), ("phase_30", "phase_70"), ("a", "b"), strict=True
    ):
        run: Trajectory = results[name]
        snapshot(run, ax, time=0.0)
        rows = run.time <= 5.0
        ax.plot(
            run.columns["x"][rows, MIDDLE],
            run.columns["y"][rows, MIDDLE],
            color="0.2",
            ls="--",
            lw=1,
        )
        ax.set_title(
            f"({letter}) phase {run.scenario['controller']['phase_deg']:g} deg", loc="left"
        )


def _fig13(results: Results, canvas: Canvas) -> None:
    run: Trajectory = results["flat"]
    left, right = canvas.subplots(1, 2, width_ratios=(1, 1))
    _track(run, left)
    left.set_aspect("equal", adjustable="datalim")
    position(run, right, link=MIDDLE)


def _fig14(results: Results, canvas: Canvas) -> None:
    ideal: Trajectory = results["track"]
    runs = {(cause, value): run for cause, value, run in results["causes"]}
    late = runs["delay and play", "150 ms and 3 deg"]
    upper, lower = canvas.subplots(2, 1)
    _track(ideal, upper, "ideal")
    _track(late, upper, "150 ms late, 3 deg play", "--")
    for run, label, look in ((ideal, "ideal", "-"), (late, "150 ms late, 3 deg play", "--")):
        lower.plot(run.time, run.columns["x"][:, MIDDLE], look, label=label)
    lower.set_xlabel("time (s)")
    lower.set_ylabel("x (m)")
    upper.legend(frameon=False)


def _fig15(results: Results, canvas: Canvas) -> None:
    run: Trajectory = results["track"]
    for ax, time in zip(
        canvas.subplots(5, 1, sharex=True), (0.0, 2.5, 5.0, 7.5, 10.0), strict=True
    ):
        snapshot(run, ax, time=time)


FIGURES = (
    Figure("fig09", "Fig. 9. Position of link 6 along the small pegs.", (3.5, 2.2), _fig09),
    Figure(
        "fig10",
        "Fig. 10. The robot at 5.2 s with its contact forces.",
        (3.5, 2.0),
        _fig10,
    ),
    Figure("fig11", "Fig. 11. Contact force on three links.", (3.5, 4.2), _fig11),
    Figure(
        "fig12",
        "Fig. 12. Start posture and path of link 6 to 5 s for -30 and -70 deg.",
        (3.5, 3.6),
        _fig12,
    ),
    Figure("fig13", "Fig. 13. Position of link 6 on the flat.", (3.5, 2.6), _fig13),
    Figure("fig14", "Fig. 14. Position of link 6 along the thin pegs.", (3.5, 3.2), _fig14),
    Figure("fig15", "Fig. 15. The robot on its way through the track.", (3.5, 5.2), _fig15),
)
