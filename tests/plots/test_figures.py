"""Figures show what the trajectory holds, on the Axes they are given."""

from __future__ import annotations

import dataclasses
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection, PolyCollection, QuadMesh
from matplotlib.figure import Figure
from matplotlib.offsetbox import AnchoredOffsetbox, TextArea
from matplotlib.patches import FancyArrowPatch
from matplotlib.text import Annotation

import serpenoid as sp
from serpenoid import plots
from serpenoid.engine.variables import LEDGER
from serpenoid.model.loads import Disc
from serpenoid.plots.body import round_below
from serpenoid.plots.labels import place
from serpenoid.plots.run_options import full_signature

GAIT = sp.Serpenoid(amplitude_deg=-40.0, frequency_deg=80.0, phase_deg=-50.0)
START = sp.Start(x=0.38, y=0.15, heading_deg=5.0, link=5)
TRACK = sp.World(friction=sp.Coulomb(0.2), pegs=sp.fields.aiko_track())
KINDS = list(plots.KINDS)
NO_JOINTS = ("joint_angles", "torques")
NEED_PATH = ("cross_track", "heading_error")
LACKING = dict.fromkeys(NEED_PATH, "path") | {"loads": "loads", "contacts": "contacts"}


@pytest.fixture(scope="module")
def run() -> sp.Trajectory:
    """Aiko pushing off the pegs."""
    return sp.simulate(sp.robots.aiko(), TRACK, GAIT, 2.0, start=START)


@pytest.fixture(scope="module")
def felt() -> sp.Trajectory:
    """The same with its contacts."""
    return sp.simulate(sp.robots.aiko(), TRACK, GAIT, 2.0, start=START, record_contacts=True)


@pytest.fixture(scope="module")
def still() -> sp.Trajectory:
    """A robot that holds still on the flat."""
    return sp.simulate(sp.robots.aiko(), sp.World(friction=sp.Coulomb(0.2)), duration=0.1)


@pytest.fixture(scope="module")
def lone() -> sp.Trajectory:
    """One link that slides down a slope for longer than a map has columns."""
    robot = sp.Robot.uniform(1, length=0.2, mass=1.0, radius=0.05)
    return sp.simulate(robot, sp.World(friction=sp.Coulomb(0.1), slope_deg=10.0), duration=16.0)


@pytest.fixture(scope="module")
def led() -> sp.Trajectory:
    """Aiko on its way to two waypoints."""
    path = sp.Waypoints(points=((0.5, 0.0), (0.5, 1.0)), acceptance=0.1)
    gait = sp.Follower(20.0, 60.0, 0.5) + sp.Heading(0.5, 0.3, path)
    return sp.simulate(sp.robots.aiko(), sp.World(friction=sp.Coulomb(0.2)), gait, 0.5)


@pytest.fixture(scope="module")
def pushed() -> sp.Trajectory:
    """Aiko beside a disc that slides away."""
    disc = Disc(0.5, 0.5, 1.0, radius=0.1, friction=0.1, velocity=(1.0, 0.0))
    world = sp.World(friction=sp.Coulomb(0.2), loads=(disc,))
    return sp.simulate(sp.robots.aiko(), world, duration=0.2)


@pytest.fixture
def shown(
    kind: str,
    run: sp.Trajectory,
    led: sp.Trajectory,
    pushed: sp.Trajectory,
    felt: sp.Trajectory,
) -> sp.Trajectory:
    """A run that has what the kind of figure shows."""
    having = {"path": led, "loads": pushed, "contacts": felt}
    return having.get(LACKING.get(kind, ""), run)


def first_row(run: sp.Trajectory) -> sp.Trajectory:
    """The run as it is kept when the very first step cannot be solved."""
    columns = {k: v[:1] for k, v in run.columns.items()}
    return dataclasses.replace(run, columns=columns, contacts=run.contacts.where(slice(0, 0)))


@pytest.fixture
def ax() -> Axes:
    return Figure(figsize=(3.4, 2.4), layout="constrained").add_subplot()


def labels_of(ax: Axes) -> list[str]:
    legend = ax.get_legend()
    assert legend is not None
    return [text.get_text() for text in legend.get_texts()]


def curve(ax: Axes, label: str) -> np.ndarray:
    """Time and values of the curve with this label, (rows, 2)."""
    (line,) = [line for line in ax.lines if line.get_label() == label]
    return np.asarray(line.get_xydata())


def of_type(ax: Axes, kind: type) -> list:
    return [artist for artist in ax.get_children() if type(artist) is kind]


# ----------------------------------------------------------------------------------- all kinds


def test_neither_the_package_nor_its_plots_load_matplotlib():
    code = "import sys, serpenoid, serpenoid.plots; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_kind_is_a_method_of_run_plot_with_the_same_signature(run):
    for name, function in plots.KINDS.items():
        method = getattr(run.plot, name)
        wanted = list(full_signature(function).parameters.values())[1:]
        assert [each.name for each in wanted][-4:] == ["label", "color", "start", "end"]
        assert list(inspect.signature(method).parameters.values()) == wanted, name
        first = (inspect.getdoc(function) or "").splitlines()[0]
        assert re.fullmatch(r"[A-Z].{20,80}\.", first), name


@pytest.mark.parametrize("kind", KINDS)
def test_the_method_draws_what_the_kind_draws(shown, kind):
    ours, theirs = getattr(shown.plot, kind)(), plots.draw(shown, kind)
    assert isinstance(ours, Axes)
    assert [type(a) for a in ours.get_children()] == [type(a) for a in theirs.get_children()]
    assert ours.get_ylabel() == theirs.get_ylabel()


@pytest.mark.parametrize("kind", KINDS)
def test_a_given_axes_is_drawn_on_and_nothing_else_is_touched(shown, kind):
    figure = Figure()
    first, second = figure.subplots(1, 2)
    before = dict(matplotlib.rcParams)
    second_before = second.get_position().bounds, second.get_children()
    assert plots.draw(shown, kind, first) is first
    assert first.has_data()
    assert figure.axes == [first, second]
    assert (second.get_position().bounds, second.get_children()) == second_before
    assert pyplot.get_fignums() == []
    assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize("kind", KINDS)
def test_every_axis_has_a_unit(shown, kind, ax):
    plots.draw(shown, kind, ax)
    for label in (ax.get_xlabel(), ax.get_ylabel()):
        if not label.startswith("link"):
            assert re.search(r" \((s|m|°|N|N m|J|cm/s)\)$", label), label


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [3.4, 7.0])
def test_everything_fits_into_one_column_and_two(shown, kind, width):
    with plots.canvas((width, 2.4)) as figure:
        plots.draw(shown, kind, figure.add_subplot())
        figure.draw_without_rendering()
        box = figure.get_tightbbox()
    assert box.x0 >= 0
    assert box.y0 >= 0
    assert box.x1 <= width
    assert box.y1 <= 2.4


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_figure_keeps_the_house_style_when_it_is_drawn_later(shown, kind):
    with matplotlib.rc_context({"xtick.labelsize": 20, "font.size": 20}):
        drawn = plots.draw(shown, kind)
        drawn.figure.draw_without_rendering()
    assert pyplot.get_fignums() == [drawn.figure.number]
    assert drawn.figure.get_figwidth() in (3.4, 7.0)
    assert {label.get_size() for label in drawn.get_xticklabels()} == {7.0}
    assert drawn.xaxis.label.get_size() == 8.0


def test_what_is_no_run_is_refused():
    with pytest.raises(sp.InvalidInput, match=r"^run is of type int, .* must be a Trajectory$"):
        plots.draw(3, "path")


def test_many_new_figures_do_not_warn(run):
    for _ in range(25):
        plots.draw(run, "position")
    assert len(pyplot.get_fignums()) == 25


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_of_one_row_of_one_link_or_without_contact_is_drawn(shown, still, lone, kind):
    plots.draw(first_row(shown), kind).figure.draw_without_rendering()
    if kind in LACKING:
        with pytest.raises(sp.InvalidInput, match=f"^this run has no {LACKING[kind]}: "):
            plots.draw(still, kind)
        return
    for short in (still, first_row(still)):
        plots.draw(short, kind).figure.draw_without_rendering()
    for single in (lone, first_row(lone)):
        if kind in NO_JOINTS:
            with pytest.raises(sp.InvalidInput, match=r"^this robot has no joints$"):
                plots.draw(single, kind)
        else:
            plots.draw(single, kind).figure.draw_without_rendering()


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        ("path", {"link": 99}, "link = 99 .*links 0 to 10 or 'com' for the centre of mass$"),
        ("path", {"link": "head"}, "link = 'head' is not allowed"),
        ("path", {"link": -1}, "link = -1 is not allowed"),
        ("path", {"link": True}, "link = True is not allowed"),
        ("path", {"times": [0.5, 2.5]}, "times = 2.5 is not allowed: .* from 0 to 2 s$"),
        ("path", {"times": []}, "times is empty"),
        ("path", {"times": 1.0}, "times = 1.0 is not allowed: it must be a list"),
        ("snapshot", {"time": -1}, "time = -1 is not allowed: this run lasts from 0 to 2 s$"),
        ("snapshot", {"time": float("nan")}, "time = nan is not allowed"),
        ("snapshot", {"start": 0.5}, "^start is not allowed with snapshot, .* that as time$"),
        ("snapshot", {"end": 0.5}, "^end is not allowed with snapshot, .* that as time$"),
        ("snapshot", {"number": ["a", "b"]}, "it must be True, False or a list of 11 labels$"),
        ("snapshot", {"number": 3}, "number = 3 is not allowed"),
        ("position", {"link": 11}, "link = 11 is not allowed: this robot has links 0 to 10"),
        ("contact_force_components", {"link": 99}, "link = 99 .* has links 0 to 10$"),
        ("joint_angles", {"joints": [0, 10]}, r"joints = \[0, 10\] .* which are 0 to 9$"),
        ("joint_angles", {"joints": []}, r"joints = \[\] is not allowed"),
        ("torques", {"joints": 3}, "joints = 3 is not allowed: it must be a list of joints"),
        ("pathh", {}, r"kind = 'pathh' is not known \(did you mean 'path'\?\); .*stick_slip"),
        (["path"], {}, r"kind = \['path'\] is not known"),
        (
            "path",
            {"lnk": 3},
            r"path has no 'lnk' \(did you mean 'link'\?\); it takes link, times, label, .*, end$",
        ),
        ("energy", {"link": 3}, "energy has no 'link'; it takes entries, label, .*, end$"),
    ],
)
def test_wrong_input_is_one_sentence_and_leaves_no_figure(run, kind, options, words):
    with pytest.raises(sp.InvalidInput, match=words) as caught:
        plots.draw(run, kind, **options)
    assert "\n" not in str(caught.value)
    assert pyplot.get_fignums() == []


def test_what_is_no_axes_is_refused(run):
    with pytest.raises(sp.InvalidInput, match=r"^ax = 5.2 is not allowed: .* matplotlib Axes$"):
        run.plot.snapshot(5.2)


# ----------------------------------------------------------------------------- path, snapshot


def test_path_is_that_of_the_link_asked_for(run, ax):
    for link, name, wanted in (
        (None, "link 5", np.stack([run.columns["x"][:, 5], run.columns["y"][:, 5]], axis=1)),
        (np.int64(10), "link 10", np.stack([run.columns[a][:, 10] for a in "xy"], axis=1)),
        ("com", "centre of mass", run.centre_of_mass()),
    ):
        ax.clear()
        plots.draw(run, "path", ax, link=link)
        np.testing.assert_array_equal(curve(ax, f"path of {name}"), wanted)
        assert labels_of(ax) == [f"path of {name}"]
    assert ax.get_aspect() == 1.0


def bodies(ax: Axes) -> list[np.ndarray]:
    """Filled outlines, one array (links, points, 2) a snapshot, the earliest first."""
    fills = [c for c in of_type(ax, PolyCollection) if len(c.get_facecolor())]
    fills.sort(key=lambda collection: collection.get_zorder())
    return [np.array([p.vertices[:-1] for p in fill.get_paths()]) for fill in fills]


def test_snapshots_are_the_links_to_scale_at_their_times(run, ax):
    plots.draw(run, "path", ax, times=[2.0, 0.0, 0.704])
    drawn = bodies(ax)
    assert [len(body) for body in drawn] == [11, 11, 11]
    texts = {text.get_text() for text in ax.texts}
    assert {"t = 0 s", "t = 0.7 s", "t = 2 s"} <= texts
    for row, body in zip((0, 70, 200), drawn, strict=True):
        centre = np.stack([run.columns["x"][row], run.columns["y"][row]], axis=1)
        theta = run.columns["theta"][row]
        axis = np.stack([np.cos(theta), np.sin(theta)], axis=1)
        arm = body - centre[:, None]
        along = np.einsum("lpk,lk->lp", arm, axis)
        across = arm[..., 1] * axis[:, :1] - arm[..., 0] * axis[:, 1:]
        beyond = np.maximum(np.abs(along) - 0.0393, 0.0)
        np.testing.assert_allclose(np.hypot(beyond, across), 0.0525, atol=1e-12)
        np.testing.assert_allclose(along.max(axis=1), 0.0393 + 0.0525, atol=1e-4)


def test_later_snapshots_are_darker_and_the_head_darkest(run, ax):
    plots.draw(run, "path", ax, times=[0.0, 1.0, 2.0])
    fills = [c.get_facecolor() for c in of_type(ax, PolyCollection) if len(c.get_facecolor())]
    brightness = [fill[:, :3].sum(axis=1) for fill in fills]
    assert (np.diff([shade[0] for shade in brightness]) < 0).all()
    for shade in brightness:
        assert (shade[:-1] > shade[-1] + 0.5).all()


def test_a_robot_that_does_not_move_has_one_snapshot(still, run, ax):
    plots.draw(still, "path", ax)
    assert len(bodies(ax)) == 1
    ax.clear()
    plots.draw(run, "path", ax)
    assert len(bodies(ax)) == 2


@pytest.mark.parametrize("options", [{"time": 0.62}, {"times": [0.62, 1.5]}])
def test_arrows_are_the_contact_forces_and_the_sample_tells_their_size(run, options):
    kind, rows = ("snapshot", [62]) if "time" in options else ("path", [62, 150])
    with plots.canvas((7.0, 2.0)) as figure:
        ax = figure.add_subplot()
        plots.draw(run, kind, ax, **options)
        figure.draw_without_rendering()
    force = run.columns["contact_force"][rows].reshape(-1, 2)
    centre = np.stack([run.columns[axis][rows] for axis in "xy"], axis=-1).reshape(-1, 2)
    size = np.hypot(*force.T)
    shown = size > 0.1 * size.max()
    arrows = [note for note in of_type(ax, Annotation) if note.arrow_patch is not None]
    bases = np.array([arrow.get_position() for arrow in arrows])
    tips = np.array([arrow.xy for arrow in arrows])
    np.testing.assert_allclose(bases, centre[shown])
    (entry,) = of_type(ax, AnchoredOffsetbox)
    (sample,) = entry.findobj(FancyArrowPatch)
    (words,) = [area.get_text() for area in entry.findobj(TextArea)]
    newtons = float(words.removesuffix(" N"))
    assert newtons <= size.max() < 2.5 * newtons
    pixels_per_metre = np.diff(ax.transData.transform([(0, 0), (1, 0)])[:, 0])
    # The stroke around the tip, whose slope is a half, reaches this far beyond the path.
    beyond = sample.get_linewidth() * figure.dpi / 72 / 2 / np.sin(np.arctan(0.5))
    length = (sample.get_window_extent().width + beyond) / pixels_per_metre
    metres_per_newton = length / newtons
    np.testing.assert_allclose(tips - bases, metres_per_newton * force[shown], rtol=0.02)


@pytest.mark.parametrize(
    ("value", "below"), [(4.9, 2.0), (5.0, 5.0), (100.0, 100.0), (99.0, 50.0), (0.0199, 0.01)]
)
def test_the_sample_is_of_round_size(value, below):
    assert round_below(value) == pytest.approx(below)


def test_pegs_walls_and_patches_are_to_scale():
    world = sp.World(
        friction=sp.Coulomb(0.2),
        pegs=(sp.Peg(0.3, 0.3, 0.05), sp.Peg(-0.5, 0.2, 0.02)),
        walls=(sp.Wall(points=((-1.0, -0.4), (0.2, -0.15), (1.0, -0.3))),),
        patches=(sp.Patch(0.1, 0.0, 0.6, 0.2, sp.Coulomb(0.5), 90.0),),
    )
    ax = sp.simulate(sp.robots.aiko(), world, duration=0.01).plot.path()
    ground, pegs = of_type(ax, PatchCollection)[:2]
    (outline,) = ground.get_paths()
    np.testing.assert_allclose(outline.get_extents().bounds, (0.0, -0.3, 0.2, 0.6))
    boxes = [circle.get_extents().bounds for circle in pegs.get_paths()]
    np.testing.assert_allclose(boxes, [(0.25, 0.25, 0.1, 0.1), (-0.52, 0.18, 0.04, 0.04)])
    (walls,) = of_type(ax, LineCollection)
    np.testing.assert_array_equal(walls.get_segments(), [world.walls[0].points])
    assert labels_of(ax) == ["path of link 5", "other ground"]
    # Obstacles beside the robot are in view.
    assert ax.get_ylim()[0] < -0.15


def test_links_are_numbered_or_labelled(run, ax):
    def words() -> list[str]:
        return [text.get_text() for text in ax.texts if text.get_text()]

    plots.draw(run, "snapshot", ax, time=0.5)
    assert words() == []
    assert ax.get_title(loc="left") == "t = 0.5 s"
    ax.clear()
    plots.draw(run, "snapshot", ax, time=0.5, number=True)
    assert words() == [str(i) for i in range(11)]
    where = [text.get_position() for text in ax.texts if text.get_text()]
    centres = np.stack([run.columns["x"][50], run.columns["y"][50]], axis=1)
    assert np.hypot(*(where - centres).T).max() < 0.0525
    ax.clear()
    plots.draw(run, "snapshot", ax, number=[11 - i for i in range(11)])
    assert words() == [str(11 - i) for i in range(11)]


def test_only_as_many_numbers_as_there_is_room_for(ax):
    robot = sp.Robot.uniform(100, length=0.03, mass=0.05, radius=0.02)
    plots.draw(sp.simulate(robot, duration=0.01), "snapshot", ax, number=True)
    numbers = [int(text.get_text()) for text in ax.texts]
    assert 5 < len(numbers) <= 50
    assert set(np.diff(numbers)) in ({2}, {5}, {10})


def test_texts_are_placed_where_least_is_covered():
    view = np.array([[-10.0, -10.0], [10.0, 10.0]])
    anchors = np.array([[[0.0, 0.0], [5.0, 0.0]]])
    nothing = np.empty((0, 2))
    (free,) = place([(2.0, 1.0)], anchors, 0.5, nothing, view)
    np.testing.assert_allclose(free, (0.0, 1.0), atol=1e-12)
    above = np.array([[0.0, 1.0]])
    (beside,) = place([(2.0, 1.0)], anchors, 0.5, above, view)
    assert (np.abs(beside - above[0]) >= (1.0, 0.5)).any()
    # All around the first anchor is taken: the second one serves.
    ring = 1.5 * np.stack([np.cos(np.arange(0, 7, 0.05)), np.sin(np.arange(0, 7, 0.05))], axis=1)
    (other,) = place([(2.0, 1.0)], anchors, 0.5, np.concatenate([ring, 0.7 * ring]), view)
    np.testing.assert_allclose(other, (5.0, 1.0), atol=1e-12)
    # Two texts with one anchor do not overlap, and none leaves the view.
    low = np.array([[-10.0, -10.0], [10.0, 1.0]])
    one, two = place([(2.0, 1.0)] * 2, np.zeros((2, 1, 2)), 0.5, nothing, low)
    assert (np.abs(one - two) >= (2.0, 1.0)).any()
    assert max(one[1], two[1]) <= 0.5


# ------------------------------------------------------------------------------------ over time


def test_position_is_x_and_y_of_the_link(run, ax):
    plots.draw(run, "position", ax, link=3)
    for name in "xy":
        wanted = np.stack([run.time, run.columns[name][:, 3]], axis=1)
        np.testing.assert_array_equal(curve(ax, name), wanted)
    assert ax.get_ylabel() == "position of link 3 (m)"
    assert ax.get_xlim() == (0.0, 2.0)
    ax.clear()
    plots.draw(run, "position", ax, link="com")
    np.testing.assert_array_equal(curve(ax, "y")[:, 1], run.centre_of_mass()[:, 1])


def test_joint_angles_are_measured_and_wanted_in_degrees(run, ax):
    plots.draw(run, "joint_angles", ax)
    chosen = [0, 3, 6, 9]
    assert labels_of(ax) == [f"joint {j}" for j in chosen] + ["measured", "wanted"]
    dashed = [line for line in ax.lines if line.get_linestyle() == "--"]
    assert len(dashed) == 4
    for j, wanted in zip(chosen, dashed, strict=True):
        measured = curve(ax, f"joint {j}")[:, 1]
        np.testing.assert_array_equal(measured, np.degrees(run.columns["joint_angle"][:, j]))
        np.testing.assert_array_equal(
            wanted.get_ydata(), np.degrees(run.columns["joint_reference"][:, j])
        )


def test_no_angle_is_wanted_of_a_joint_that_follows_none(ax):
    robot = sp.Robot.uniform(
        3, length=0.1, mass=0.5, radius=0.03, actuator=[sp.Free(), sp.Servo(kp=1.0, kd=0.1)]
    )
    short = sp.simulate(robot, duration=0.01)
    plots.draw(short, "joint_angles", ax)
    assert [line.get_linestyle() for line in ax.lines] == ["-", "-", "--"]
    ax.clear()
    plots.draw(short, "joint_angles", ax, joints=[0])
    assert labels_of(ax) == ["joint 0"]


def test_torques_are_those_of_the_joints_asked_for(run, ax):
    plots.draw(run, "torques", ax, joints=np.array([2, 7]))
    assert labels_of(ax) == ["joint 2", "joint 7"]
    for j in (2, 7):
        drawn = curve(ax, f"joint {j}")[:, 1]
        np.testing.assert_array_equal(drawn, run.columns["joint_torque"][:, j])


def test_speeds_are_of_the_centre_of_mass_and_the_mean_is_that_of_the_run(run, ax):
    plots.draw(run, "speeds", ax)
    mean = 100 * np.hypot(*run.mean_velocity())
    assert labels_of(ax)[-1] == f"mean forward, {mean:#.3g} cm/s"
    np.testing.assert_allclose(ax.lines[-1].get_ydata(), mean)
    size, forward = curve(ax, "centre of mass")[:, 1], curve(ax, "forward")[:, 1]
    assert (np.abs(forward) <= size + 1e-12).all()
    # Differences of recorded positions over two rows, cm/s; blows within them are smeared out.
    com = 100 * run.centre_of_mass()
    numeric = (com[2:] - com[:-2]) / (run.time[2:] - run.time[:-2])[:, None]
    assert np.median(np.abs(np.hypot(*numeric.T) - size[1:-1])) < 0.2
    assert np.trapezoid(forward, run.time) / 2.0 == pytest.approx(mean, abs=0.2)


def test_contact_force_of_one_link_by_components(run, ax):
    force = run.columns["contact_force"]
    plots.draw(run, "contact_force_components", ax, link=9)
    for k, name in enumerate("xy"):
        np.testing.assert_array_equal(curve(ax, name)[:, 1], force[:, 9, k])
    ax.clear()
    plots.draw(run, "contact_force_components", ax)
    most = np.linalg.norm(force, axis=2).sum(axis=0).argmax()
    assert ax.get_ylabel() == f"contact force on link {most} (N)"


def test_energy_shows_what_is_not_zero_and_always_the_residual(run, ax, lone):
    plots.draw(run, "energy", ax)
    shown = ["actuators", "dry friction", "impacts", "kinetic", "errors of steps"]
    assert labels_of(ax)[:-1] == shown
    named = {entry.label: entry.name for entry in LEDGER}
    for label in shown:
        np.testing.assert_array_equal(curve(ax, label)[:, 1], run.columns[named[label]])
    assert re.fullmatch(r"residual, −?\de−\d\d J", labels_of(ax)[-1])
    ax.clear()
    plots.draw(lone, "energy", ax)
    assert labels_of(ax)[:3] == ["dry friction", "gravity", "kinetic"]
    assert labels_of(ax)[-1].startswith("residual, ")


# -------------------------------------------------------------------------------- links and time


def test_contact_forces_fill_the_time_since_the_row_before(run, ax):
    plots.draw(run, "contact_forces", ax)
    (mesh,) = of_type(ax, QuadMesh)
    size = np.linalg.norm(run.columns["contact_force"], axis=2)
    np.testing.assert_allclose(mesh.get_array(), size[1:].T)
    corners = mesh.get_coordinates()
    np.testing.assert_array_equal(corners[0, :, 0], run.time)
    np.testing.assert_array_equal(corners[:, 0, 1], np.arange(12) - 0.5)
    assert ax.get_ylim() == (-0.5, 10.5)
    (bar,) = ax.child_axes
    assert bar.get_ylabel() == "contact force (N)"
    low, high = mesh.get_clim()
    assert 0 < low < size[size > 0].min()
    assert np.median(size[size > 0]) < high < size.max()


def test_without_contact_the_map_says_so(still, ax):
    plots.draw(still, "contact_forces", ax)
    assert [text.get_text() for text in ax.texts] == ["no contact"]
    assert ax.child_axes == []
    (mesh,) = of_type(ax, QuadMesh)
    assert (mesh.to_rgba(mesh.get_array()) == 1.0).all()


def test_a_long_run_is_averaged_so_that_impulses_are_kept(lone, ax):
    force = np.zeros((len(lone.time), 1, 2))
    force[300:303, 0, 0] = 5.0, 7.0, 1.0
    force[-1, 0, 1] = 3.0
    pushed = dataclasses.replace(lone, columns={**lone.columns, "contact_force": force})
    plots.draw(pushed, "contact_forces", ax)
    (mesh,) = of_type(ax, QuadMesh)
    edges = mesh.get_coordinates()[0, :, 0]
    assert len(edges) - 1 <= 1500 < len(lone.time)
    assert (edges[0], edges[-1]) == (lone.time[0], lone.time[-1])
    impulse = (mesh.get_array()[0] * np.diff(edges)).sum()
    assert impulse == pytest.approx(16.0 * 0.01)


def test_stick_slip_shows_sticking_and_touching(run, still, ax):
    # As recorded and with all forces reversed: a push to the lower left is one, too.
    reversed_force = {**run.columns, "contact_force": -run.columns["contact_force"]}
    for shown in (run, dataclasses.replace(run, columns=reversed_force), still):
        ax.clear()
        plots.draw(shown, "stick_slip", ax)
        assert labels_of(ax) == ["sticks", "slides", "touches an obstacle"]
        (mesh,) = of_type(ax, QuadMesh)
        np.testing.assert_array_equal(mesh.get_array(), shown.columns["sticking"][1:].T)
        (marks,) = of_type(ax, LineCollection)
        touching = np.zeros((11, len(shown.time) - 1), dtype=bool)
        for (begin, link), (end, same) in marks.get_segments():
            assert link == same
            touching[int(link), (shown.time[1:] > begin) & (shown.time[1:] <= end)] = True
        force = shown.columns["contact_force"][1:]
        np.testing.assert_array_equal(touching, (force != 0).any(axis=2).T)


# ----------------------------------------------------------------------------------------- save


@pytest.fixture
def drawn(run) -> Iterator[Axes]:
    with plots.canvas((3.4, 2.0)) as figure:
        yield plots.draw(run, "position", figure.add_subplot())


@pytest.mark.parametrize(
    ("ending", "begins"),
    [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml"), ("PNG", b"\x89")],
)
def test_a_figure_is_saved_and_the_same_figure_makes_the_same_file(
    drawn, tmp_path, monkeypatch, ending, begins
):
    one = plots.save(drawn.figure, tmp_path / f"one.{ending}")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    two = plots.save(drawn, tmp_path / f"two.{ending}")
    assert one == (tmp_path / f"one.{ending}").resolve()
    assert one.read_bytes().startswith(begins)
    assert one.read_bytes() == two.read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"one.{ending}", f"two.{ending}"]


def test_a_failed_save_leaves_the_old_file_alone(drawn, tmp_path, monkeypatch):
    target = tmp_path / "figure.png"
    target.write_text("old")

    def fail(*_args: object, **_options: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(sp.OutputError, match="disk full"):
        plots.save(drawn.figure, target)
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("figure.pngg", r"\(did you mean '.png'\?\): it must end in .png, .pdf or .svg$"),
        ("figure", r"figure' is not allowed: it must end in .png, .pdf or .svg$"),
    ],
)
def test_other_endings_are_refused(drawn, tmp_path, name, words):
    with pytest.raises(sp.InvalidInput, match=words):
        plots.save(drawn.figure, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_figure_is_refused(tmp_path):
    with pytest.raises(sp.InvalidInput, match=r"figure = 3 is not allowed"):
        plots.save(3, tmp_path / "figure.png")  # type: ignore[arg-type]
