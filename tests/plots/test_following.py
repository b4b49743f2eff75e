"""Figures of path following show the path, the waypoints and when they were reached."""

from __future__ import annotations

import math

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.path import Path as MatplotlibPath

import serpenoid as sp
from serpenoid import plots
from serpenoid.analysis import following as measured
from serpenoid.plots import path_figures as following
from serpenoid.plots import scenes

ROBOT = sp.Robot.uniform(3, length=0.2, mass=1.0, radius=0.03, actuator=sp.Servo(20.0, 5.0))
POINTS = ((0.3, 0.0), (0.3, 0.3), (0.0, 0.3))
PATH = sp.Waypoints(points=POINTS, acceptance=0.05)
PEG = sp.World(pegs=(sp.Peg(x=0.5, y=0.3, radius=0.05),))
START = sp.Start(velocity=(0.2, 0.1))

# Figure over time: what it shows.
OVER_TIME = {
    following.forward_velocity: lambda run: 100 * measured.forward_velocity(run),
    following.cross_track: measured.cross_track,
    following.heading_error: lambda run: np.degrees(measured.heading_error(run)),
    following.contact_force_of: lambda run: measured.measured_force(run)[:, 1],
}


def follow(path: object) -> sp.Trajectory:
    controller = sp.Follower(20, 60, 0.5) + sp.Heading(0.5, 0.3, path)
    return sp.simulate(ROBOT, PEG, controller, 4.0, start=START, record_period=0.02)


@pytest.fixture(scope="module")
def run() -> sp.Trajectory:
    """Thrown past the first of three waypoints, and against a peg."""
    run = follow(PATH)
    assert np.isfinite(measured.waypoint_times(run)).tolist() == [True, False, False]
    assert run.columns["contact_force"].any()
    return run


@pytest.fixture
def ax() -> Axes:
    return Figure(figsize=(3.4, 2.4), layout="constrained").add_subplot()


def dotted(ax: Axes) -> list[np.ndarray]:
    """Polylines of the path to follow."""
    lines = [c for c in ax.collections if type(c) is LineCollection]
    (legs,) = [line for line in lines if line.get_label() == "path to follow"]
    return legs.get_segments()


def circles(ax: Axes) -> list[MatplotlibPath]:
    """Acceptance circles: those without a face."""
    rings = [c for c in ax.collections if type(c) is PatchCollection and not len(c.get_facecolor())]
    return [circle for ring in rings for circle in ring.get_paths()]


def labels_of(legend: Legend) -> list[str]:
    return [text.get_text() for text in legend.get_texts()]


@pytest.mark.parametrize("figure", OVER_TIME)
def test_curve_and_switches(run, ax, figure):
    assert figure(run, ax) is ax
    values = OVER_TIME[figure](run)
    assert np.ptp(values) > 0
    (curve,) = [line for line in ax.lines if len(line.get_xdata()) == len(run.time)]
    np.testing.assert_array_equal(curve.get_ydata(), values)
    dashed = [line.get_xdata()[0] for line in ax.lines if line.get_linestyle() == "--"]
    assert dashed == measured.waypoint_times(run)[:1].tolist()
    assert ax.get_ylabel().endswith(")")


def test_other_link(run, ax):
    following.contact_force_of(run, ax, link=0)
    assert ax.get_ylabel() == "force across link 0 (N)"
    with pytest.raises(sp.InvalidInput, match="this robot has links 0 to 2"):
        following.contact_force_of(run, ax, link=3)


def test_waypoints_circles_and_legs(run, ax):
    scenes.path(run, ax, times=[0.0, 2.0])
    (squares,) = [line for line in ax.lines if line.get_marker() == "s"]
    np.testing.assert_array_equal(squares.get_xydata(), POINTS)
    (legs,) = dotted(ax)
    np.testing.assert_allclose(legs, [run.centre_of_mass()[0], *POINTS], atol=1e-12)
    boxes = [circle.get_extents() for circle in circles(ax)]
    np.testing.assert_allclose([(box.x0 + box.x1) / 2 for box in boxes], [0.3, 0.3, 0.0], atol=1e-9)
    np.testing.assert_allclose([box.width for box in boxes], 0.1, rtol=1e-6)
    assert ax.get_ylim()[1] > 0.35
    assert [text.get_text() for text in ax.texts if text.get_text()] == ["t = 0 s", "t = 2 s"]
    assert labels_of(ax.get_legend()) == ["path of link 1", "path to follow", "waypoints"]


def test_line_is_drawn_as_far_as_the_robot_got(ax):
    run = follow(sp.Line(-0.2, 0.1, 0.0))
    scenes.path(run, ax)
    ((begin, end),) = dotted(ax)
    assert begin == pytest.approx([-0.2, 0.1])
    reach = run.centre_of_mass()[:, 0].max() + ROBOT.length
    assert end == pytest.approx([reach, 0.1], abs=1e-9)
    assert ax.get_xlim()[1] < reach + 0.5
    assert not [line for line in ax.lines if line.get_marker() == "s"]


def test_new_figure_has_the_shape_of_the_path(run):
    wide = scenes.path(follow(sp.Line(-4.0, 0.1, 0.0)))
    square = scenes.path(run)
    sizes = [ax.get_figure(root=True).get_size_inches() for ax in (wide, square)]
    assert sizes[0][1] < 3 < sizes[1][1]
    assert all(plots.render(ax, "png").startswith(b"\x89PNG") for ax in (wide, square))


@pytest.mark.parametrize(
    "figure", [following.stacked, following.cross_track, following.heading_error]
)
def test_run_without_the_path_that_is_shown(figure, ax):
    with pytest.raises(sp.InvalidInput, match="this run has no path"):
        figure(sp.simulate(ROBOT, None, None, 0.1), ax)


@pytest.mark.parametrize("figure", [following.forward_velocity, following.contact_force_of])
def test_run_without_a_path_has_no_switches(figure, ax):
    bare = sp.simulate(ROBOT, PEG, None, 4.0, start=START)
    figure(bare, ax)
    (curve,) = [line for line in ax.lines if len(line.get_xdata()) == len(bare.time)]
    np.testing.assert_array_equal(curve.get_ydata(), OVER_TIME[figure](bare))
    assert not [line for line in ax.lines if line.get_linestyle() == "--"]


@pytest.mark.parametrize("given", [3, None])
@pytest.mark.parametrize("figure", [following.stacked, *OVER_TIME])
def test_what_is_no_run(figure, given):
    with pytest.raises(sp.InvalidInput, match=r"^run is of type \w+, .* must be a Trajectory$"):
        figure(given)
    assert pyplot.get_fignums() == []


def test_heading_is_relative_to_the_leg(run, ax):
    following.heading_error(run, ax)
    row = run.row(float(measured.waypoint_times(run)[0]))
    (curve,) = [line for line in ax.lines if len(line.get_xdata()) == len(run.time)]
    jump = np.diff(curve.get_ydata())[row - 1]
    # From the leg along x, which begins where the robot did, to the one straight up.
    first = math.degrees(math.atan2(*(POINTS[0] - run.centre_of_mass()[0])[::-1]))
    assert jump == pytest.approx(-(90.0 - first), abs=3.0)


# ------------------------------------------------------------------------------------- stacked


def test_four_panels_over_one_time_axis(run):
    jams = [measured.Jam(1.0, 1.5, 0.0, 0.0, ()), measured.Jam(2.0, 4.0, 0.0, 0.0, ())]
    figure = following.stacked(run, link=0, jams=jams)
    force = measured.measured_force(run)[:, 0]
    shown = [
        measured.cross_track(run),
        np.degrees(measured.heading_error(run)),
        100 * measured.forward_velocity(run),
        force,
    ]
    reached = measured.waypoint_times(run)[0]
    for ax, values in zip(figure.axes, shown, strict=True):
        (curve,) = [line for line in ax.lines if len(line.get_xdata()) == len(run.time)]
        np.testing.assert_array_equal(curve.get_ydata(), values)
        assert [line.get_xdata()[0] for line in ax.lines if line.get_linestyle() == "--"] == [
            reached
        ]
        spans = [patch.get_bbox() for patch in ax.patches]
        assert [(span.x0, span.x1) for span in spans] == [(1.0, 1.5), (2.0, 4.0)]
    words = [[text.get_text() for text in ax.texts] for ax in figure.axes]
    assert words == [["(a)", "1"], ["(b)"], ["(c)"], ["(d)"]]
    assert [ax.get_xlabel() for ax in figure.axes] == ["", "", "", "time (s)"]
    assert figure.axes[3].get_ylabel() == "force across\nlink 0 (N)"
    assert labels_of(figure.axes[0].get_legend()) == ["waypoint reached", "jammed"]


def test_stacked_without_waypoints_or_jams_has_no_legend():
    figure = following.stacked(follow(sp.Line(-0.2, 0.1, 0.0)))
    assert figure.axes[0].get_legend() is None
    assert not any(ax.patches for ax in figure.axes)


def test_given_figure_is_drawn_in(run):
    given = Figure(figsize=(3.4, 6.0), layout="constrained")
    assert following.stacked(run, given) is given
    other = Figure(layout="constrained")
    assert following.side_by_side({"a run": run}, other) is other
    assert pyplot.get_fignums() == []
    assert given.get_size_inches().tolist() == [3.4, 6.0]


def test_wrong_input_of_figures_with_panels(run):
    bare = sp.simulate(ROBOT, None, None, 0.1)
    with pytest.raises(sp.InvalidInput, match="this run has no path"):
        following.stacked(bare)
    with pytest.raises(sp.InvalidInput, match="this robot has links 0 to 2"):
        following.stacked(run, link=3)
    for jams, word in ((3, "int"), ([(1.0, 2.0)], "tuple")):
        with pytest.raises(sp.InvalidInput, match=f"^jams has a {word}, .* a list of Jam$"):
            following.stacked(run, jams=jams)
    for runs, words in (
        ([run], "runs is of type list, which is not allowed: it must be labels with their runs"),
        ({"a": 3}, r"runs\['a'\] is of type int, which is not allowed: it must be a Trajectory"),
        ({}, "runs has 0 entries, which is not allowed: it must have 1 to 26, a letter for each"),
        (dict.fromkeys(range(27), run), "runs has 27 entries, .* 1 to 26, a letter for each"),
    ):
        with pytest.raises(sp.InvalidInput, match=f"^{words}$"):
            following.side_by_side(runs)
    with pytest.raises(sp.InvalidInput, match=r"times = 9\.0 is not allowed"):
        following.side_by_side({"a": run}, times=[9.0])
    with pytest.raises(sp.InvalidInput, match="figure = 3 is not allowed"):
        following.side_by_side({"a": run}, 3)
    assert pyplot.get_fignums() == []


# -------------------------------------------------------------------------------- side by side


def test_panels_share_limits_and_name_their_runs(run):
    far = follow(sp.Waypoints(points=((0.9, 0.0), (0.9, 1.0)), acceptance=0.2))
    bare = sp.simulate(ROBOT, PEG, None, 4.0)
    runs = {"near": run, "far": far, "no path": bare}
    figure = following.side_by_side(runs, times=[0.0, 4.0], link="com")
    panels = figure.axes
    assert [ax.get_title(loc="left") for ax in panels] == ["(a) near", "(b) far", "(c) no path"]
    for ax, shown in zip(panels, runs.values(), strict=True):
        assert (ax.get_xlim(), ax.get_ylim()) == (panels[0].get_xlim(), panels[0].get_ylim())
        (track,) = [line for line in ax.lines if line.get_label() == "path of centre of mass"]
        np.testing.assert_array_equal(track.get_xydata(), shown.centre_of_mass())
        assert [text.get_text() for text in ax.texts] == ["t = 0 s", "t = 4 s"]
    assert [len(circles(ax)) for ax in panels] == [3, 2, 0]
    # All of the largest path, with its circles, is seen in every panel.
    assert panels[0].get_xlim()[1] > 1.1
    assert panels[0].get_ylim()[1] > 1.2
    # Where nothing stands below or to the left, the axis is named.
    assert [ax.get_xlabel() for ax in panels] == ["", "x (m)", "x (m)"]
    assert [ax.get_ylabel() for ax in panels] == ["y (m)", "", "y (m)"]


def test_legend_names_all_that_is_drawn(run):
    bare = sp.simulate(ROBOT, PEG, None, 4.0)
    for runs in ({"a": run, "b": bare}, {"b": bare, "a": run}):
        (legend,) = following.side_by_side(runs).legends
        assert labels_of(legend) == ["path of link 1", "path to follow", "waypoints"]


def test_flat_fields_stand_one_above_the_other(run):
    line = follow(sp.Line(-4.0, 0.1, 0.0))
    for runs, side_by_side in (({"a": line, "b": line}, False), ({"a": run, "b": run}, True)):
        first, second = following.side_by_side(runs).axes
        assert (first.get_position().y0 == second.get_position().y0) == side_by_side
