"""What every figure of a run takes, and several runs on the same axes."""

from __future__ import annotations

import dataclasses
import inspect

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection, QuadMesh
from matplotlib.colors import to_hex, to_rgba
from matplotlib.figure import Figure

import serpenoid as sp
from serpenoid import plots
from serpenoid.analysis import following
from serpenoid.plots import path_figures
from serpenoid.plots.comparison_figures import ComparisonPlots
from serpenoid.plots.style import COLOURS
from tests.sentences import refusal

WINDOW = {"start": 0.5, "end": 1.5}


@pytest.fixture
def ax() -> Axes:
    return Figure(figsize=(3.4, 2.4), layout="constrained").add_subplot()


@pytest.fixture(scope="module")
def run() -> sp.Trajectory:
    changes = {"clock.duration": 2.0, "record.contacts": True}
    return sp.Scenario.load("aiko_pegs", changes).run()


@pytest.fixture(scope="module")
def other(run) -> sp.Trajectory:
    return run.scenario.changed({"controller.phase_deg": -65.0}).run()


@pytest.fixture(scope="module")
def guided() -> sp.Trajectory:
    return sp.Scenario.load("waypoints", {"clock.duration": 2.0}).run()


def of_kind(kind: str, run: sp.Trajectory, guided: sp.Trajectory) -> sp.Trajectory:
    if kind == "loads":
        return sp.Scenario.load("push_box", {"clock.duration": 2.0}).run()
    return guided if kind in ("cross_track", "heading_error") else run


def words(ax: Axes) -> list[str]:
    legend = ax.get_legend()
    return [] if legend is None else [text.get_text() for text in legend.get_texts()]


def colours(ax: Axes) -> set[str]:
    """Colours of what is drawn over time or in the plane."""
    found = {to_hex(line.get_color()) for line in ax.lines if len(np.asarray(line.get_xdata())) > 2}
    for part in ax.collections:
        if isinstance(part, PolyCollection | QuadMesh):
            found |= {to_hex(colour) for colour in part.get_facecolors()}
    return found


@pytest.mark.parametrize("kind", list(plots.KINDS))
def test_every_figure_has_a_label_a_colour_and_a_window(run, guided, kind):
    shown = of_kind(kind, run, guided)
    # A snapshot shows one time.
    window = {} if kind == "snapshot" else WINDOW
    drawn = getattr(shown.plot, kind)(label="rough", color="tab:red", **window)
    told = [*words(drawn), drawn.get_title(loc="left")]
    assert any(word.startswith("rough") for word in told), told
    assert sum("rough" in word for word in told) == 1, told
    if kind not in ("path", "snapshot"):
        assert drawn.get_xlim() == (0.5, 1.5)
    if kind == "contacts":
        (lines,) = [part for part in drawn.collections if part.get_array() is not None]
        seen = lines.cmap(1.0)
    elif kind in ("contact_forces", "stick_slip"):
        (mesh,) = [part for part in drawn.collections if isinstance(part, QuadMesh)]
        seen = mesh.cmap(1.0)
    else:
        assert to_hex("tab:red") in colours(drawn)
        # Nothing is left of the usual colours.
        assert not {to_hex(colour) for colour in COLOURS[:1]} & colours(drawn)
        return
    assert seen == pytest.approx(to_rgba("tab:red"))


def test_a_window_is_the_rows_between_two_times(run, ax):
    run.plot.torques(ax, joints=[3], **WINDOW)
    (line,) = ax.lines
    np.testing.assert_array_equal(line.get_xdata(), run.time[50:151])
    np.testing.assert_array_equal(line.get_ydata(), run.columns["joint_torque"][50:151, 3])


def test_joints_are_told_apart_by_dashes(run, ax):
    run.plot.torques(ax, joints=[0, 3], label="rough", color="tab:red")
    assert words(ax) == ["rough", "joint 0", "joint 3"]
    run.plot.torques(ax, joints=[0, 3], label="smooth", color="tab:blue")
    assert words(ax) == ["rough", "smooth", "joint 0", "joint 3"]
    drawn = [line for line in ax.lines if len(line.get_xdata())]
    assert [line.get_linestyle() for line in drawn] == ["-", "--", "-", "--"]
    assert [line.get_color() for line in drawn] == ["tab:red"] * 2 + ["tab:blue"] * 2


def test_without_a_colour_curves_have_their_own_and_the_label_in_front(run, ax):
    run.plot.torques(ax, joints=[0, 3], label="rough")
    assert words(ax) == ["rough, joint 0", "rough, joint 3"]
    assert [line.get_color() for line in ax.lines] == list(COLOURS[:2])


def test_maps_show_the_links_asked_for(run, ax):
    run.plot.contact_forces(ax, links=[5, 2])
    (mesh,) = [part for part in ax.collections if isinstance(part, QuadMesh)]
    force = np.linalg.norm(run.columns["contact_force"][1:, [5, 2]], axis=2)
    np.testing.assert_allclose(np.asarray(mesh.get_array()), force.T)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["5", "2"]
    drawn = run.plot.contacts(links=[5, 6])
    assert drawn.get_ylim() == (4.5, 6.5)


def test_energies_asked_for(run, ax):
    run.plot.energy(ax, entries=["actuator", "kinetic"])
    assert words(ax) == ["actuators", "kinetic"]


def test_the_time_axis_has_all_that_is_drawn(run, ax):
    run.plot.position(ax, start=1.0)
    run.plot.position(ax, end=1.5)
    assert ax.get_xlim() == (0.0, 2.0)


def test_figures_beside_the_kinds_take_them_too(run, guided):
    drawn = path_figures.contact_force_of(run, link=3, label="rough", color="tab:red", **WINDOW)
    assert words(drawn) == ["rough"]
    figure = path_figures.stacked(guided, label="rough", color="tab:red", **WINDOW)
    assert words(figure.axes[0])[0] == "rough"
    for ax in figure.axes:
        assert ax.get_xlim() == (0.5, 1.5)
        assert "#d62728" in colours(ax)


def test_a_path_to_follow_still_begins_where_the_robot_did(guided):
    from serpenoid.analysis.windows import between

    part = between(guided, 1.0)
    whole = following.cross_track(guided)
    np.testing.assert_allclose(following.cross_track(part), whole[100:], rtol=0, atol=1e-12)


BAD = [
    ("torques", {"label": 3}, "label = 3 is not allowed: it must be text"),
    (
        "speeds",
        {"label": "_x"},
        "label = '_x' is not allowed: it must not begin with an underscore, because Matplotlib "
        "leaves such labels out of legends",
    ),
    (
        "speeds",
        {"color": "none"},
        "color = 'none' is not allowed: it must be a visible colour of Matplotlib, such as "
        "'tab:red' or '#D55E00'",
    ),
    ("energy", {"start": True}, "start = True is not allowed: it must be a number"),
    ("torques", {"label": ""}, "label = '' is not allowed: it must be text"),
    (
        "path",
        {"color": "redd"},
        "color = 'redd' is not allowed: it must be a visible colour of Matplotlib, such as "
        "'tab:red' or '#D55E00'",
    ),
    ("energy", {"start": 3.0}, "start = 3.0 is not allowed: this run lasts from 0 to 2 s"),
    ("energy", {"end": "x"}, "end = 'x' is not allowed: it must be a number"),
    (
        "speeds",
        {"start": 1.0, "end": 1.0},
        "start = 1.0, end = 1.0 is not allowed: the end must be at least a row after the start",
    ),
    (
        "snapshot",
        {"time": 0.2, "start": 1.0},
        "start is not allowed with snapshot, which shows one time; give that as time",
    ),
    (
        "stick_slip",
        {"links": [0, 11]},
        "links = [0, 11] is not allowed: it must be a list of links, which are 0 to 10",
    ),
    (
        "contacts",
        {"links": 3},
        "links = 3 is not allowed: it must be a list of links, which are 0 to 10",
    ),
    (
        "energy",
        {"entries": ["actuators"]},
        "entries = 'actuators' is not known (did you mean 'actuator'?); there are "
        "actuator, friction, impact, damping, gravity, kinetic, numerical, residual, spring, "
        "contact_spring, contact_damper",
    ),
    (
        "torques",
        {"colour": "red"},
        "torques has no 'colour' (did you mean 'color'?); it takes joints, label, color, start, "
        "end",
    ),
]


@pytest.mark.parametrize(("kind", "options", "said"), BAD)
def test_wrong_options_are_one_sentence_and_leave_no_figure(run, kind, options, said):
    assert refusal(lambda: plots.draw(run, kind, **options)) == said
    assert pyplot.get_fignums() == []


def test_a_wrong_option_of_a_method_is_one_sentence(run):
    assert refusal(lambda: run.plot.torques(colour="red")) == (
        "torques has no 'colour' (did you mean 'color'?); it takes joints, label, color, start, end"
    )
    assert refusal(lambda: run.plot.torques(joint=2)) == (
        "torques has no 'joint' (did you mean 'joints'?); it takes joints, label, color, start, end"
    )
    assert refusal(lambda: path_figures.stacked(run, colour="red")) == (
        "figures have no option 'colour' (did you mean 'color'?); all of them take label, color, "
        "start, end"
    )


def test_options_are_shown_where_a_method_is_asked_for_its_signature(run):
    names = list(inspect.signature(run.plot.torques).parameters)
    assert names == ["ax", "joints", "label", "color", "start", "end"]


# ------------------------------------------------------------------------------- several runs


def test_figures_of_joints_refuse_a_robot_without_joints_and_advise_what_is_possible(run):
    link = sp.Robot.uniform(1, length=0.1, mass=0.3, radius=0.03)
    single = sp.simulate(link, sp.World(), None, 0.5, start=sp.Start(velocity=(0.1, 0.0)))
    comparison = sp.compare({"whole": run, "one link": single})
    assert refusal(comparison.plot.torques) == (
        "torques needs robots with joints, and 'one link' has none; compare the others alone"
    )


OVER_TIME = [
    kind
    for kind in plots.KINDS
    if kind not in ("path", "snapshot", "contacts", "contact_forces", "stick_slip")
]


@pytest.mark.parametrize("kind", OVER_TIME)
def test_runs_share_axes_with_a_colour_and_a_label_each(run, other, guided, kind):
    runs = {"one": run, "two": other}
    if of_kind(kind, run, guided) is not run:
        shown = of_kind(kind, run, guided)
        runs = {"one": shown, "two": dataclasses.replace(shown)}
    drawn = getattr(sp.compare(runs).plot, kind)()
    assert [word.split(",")[0] for word in words(drawn)][:2] == ["one", "two"]
    seen = colours(drawn)
    assert {to_hex(colour) for colour in COLOURS[:2]} <= seen
    assert to_hex(COLOURS[2]) not in seen
    assert len(pyplot.get_fignums()) == 1


def test_paths_are_in_one_view(run, other, ax):
    found = sp.compare({"one": run, "two": other})
    found.plot.path(ax, link=3)
    assert words(ax) == ["one", "two"]
    low, high = np.transpose([ax.get_xlim(), ax.get_ylim()])
    for each, colour in ((run, COLOURS[0]), (other, COLOURS[1])):
        track = np.stack([each.columns["x"][:, 3], each.columns["y"][:, 3]], axis=1)
        lines = [line for line in ax.lines if line.get_color() == colour]
        assert any(np.array_equal(line.get_xydata(), track) for line in lines)
        for axis in "xy":
            inside = each.columns[axis][-1]
            k = "xy".index(axis)
            assert (low[k] < inside).all()
            assert (inside < high[k]).all()


def test_a_snapshot_is_of_the_last_common_time(run, other):
    early = sp.compare({"one": run, "two": other.scenario.run(duration=1.0)})
    drawn = early.plot.snapshot()
    assert {text.get_text() for text in drawn.texts} == {"t = 1 s"}


def test_the_centre_of_mass_stands_for_robots_with_other_links(run, guided):
    found = sp.compare({"one": run, "two": guided})
    assert len(run.robot.links) != len(guided.robot.links)
    assert found.plot.position().get_ylabel() == "position of centre of mass (m)"
    drawn = found.plot.path()
    for each in (run, guided):
        track = each.centre_of_mass()
        assert any(np.array_equal(line.get_xydata(), track) for line in drawn.lines)
    found.plot.torques(joints=[0, 1])


def test_the_same_link_is_pushed_in_all_runs(run, other):
    swapped = [sp.compare(runs) for runs in ({"a": run, "b": other}, {"a": other, "b": run})]
    for found in swapped:
        first = next(iter(found.runs.values()))
        force = np.linalg.norm(first.columns["contact_force"], axis=2).sum(axis=0)
        label = found.plot.contact_force_components().get_ylabel()
        assert label == f"contact force on link {force.argmax()} (N)"


REFUSED = [
    (
        lambda plot: plot.contact_forces(),
        "contact_forces is a map that fills its axes with one run; draw the runs one by one: "
        "run.plot.contact_forces()",
    ),
    (
        lambda plot: plot.torques(),
        "torques needs runs with the same number of joints, 'one' has 10, 'two' has 7; name joints "
        "that all of them have, joints=[0, 1]",
    ),
    (
        lambda plot: plot.joint_angles(joints=[8]),
        "'two': joints = [8] is not allowed: it must be a list of joints, which are 0 to 6",
    ),
    (
        lambda plot: plot.position(link=9),
        "'two': link = 9 is not allowed: this robot has links 0 to 7 or 'com' for the centre of "
        "mass",
    ),
    (
        lambda plot: plot.cross_track(),
        "'one': this run has no path: its controller must be or contain a Heading",
    ),
    (
        lambda plot: plot.speeds(label="x"),
        "speeds of several runs has no 'label': each run has its own",
    ),
    (
        lambda plot: plot.speeds(strat=1.0),
        "speeds has no 'strat' (did you mean 'start'?); it takes start, end",
    ),
    (
        lambda plot: plot.path(end=3.0),
        "'one': end = 3.0 is not allowed: this run lasts from 0 to 2 s",
    ),
]


@pytest.mark.parametrize(("call", "said"), REFUSED)
def test_what_several_runs_cannot_show_is_refused(run, guided, call, said):
    plot = sp.compare({"one": run, "two": guided}).plot
    assert refusal(lambda: call(plot)) == said
    assert pyplot.get_fignums() == []


def test_an_unknown_figure_is_no_attribute(run, other):
    plot = sp.compare({"one": run, "two": other}).plot
    with pytest.raises(AttributeError, match=r"no figure 'torqes' \(did you mean 'torques'\?\)"):
        _ = plot.torqes


def test_every_kind_is_drawn_or_refused():
    known = {name for name in vars(ComparisonPlots) if not name.startswith("_")}
    maps = {"contacts", "contact_forces", "stick_slip"}
    assert known - {"runs"} | maps == set(plots.KINDS)
