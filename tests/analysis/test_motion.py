"""Where the robot got and who pushed."""

import dataclasses

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.analysis.equality import check_equality
from serpenoid.analysis.motion import (
    contact_rows,
    crossings,
    head_tip,
    path_distance,
    places_along_body,
    push_points,
    time_past,
)
from serpenoid.engine.contact_table import ContactTable
from serpenoid.engine.storage import FORMAT
from serpenoid.engine.variables import VARIABLES, Variable
from serpenoid.kernels import layout
from serpenoid.scenario.scenario import Scenario
from serpenoid.studies.run_parts import without_beginning


@pytest.fixture(scope="module")
def track():
    return Scenario.load("aiko_pegs").run()


def test_head_tip_is_the_end_of_the_outline():
    robot = sp.Robot.uniform(3, length=0.2, mass=1.0, radius=0.03)
    start = sp.Start(x=1.0, y=2.0, heading_deg=90)
    run = sp.simulate(robot, None, None, 0.01, start=start)
    np.testing.assert_allclose(head_tip(run)[0], [1.0, 2.0 + 0.2 + 0.1], atol=1e-12)


def test_time_past(track):
    when = time_past(track, 2.0)
    row = round(when / 0.01)
    assert head_tip(track)[row, 0] > 2.0 >= head_tip(track)[row - 1, 0]
    assert time_past(track, 99.0) is None


def test_push_points_are_groups_of_neighbouring_links(track):
    force = np.zeros_like(track.columns["contact_force"])
    force[1:51, [0, 1, 4, 6, 7, 10], 1] = 3.0
    force[51:101, 3, 0] = [-100.0] + [0.0] * 49  # one blow, 2 N on the mean
    columns = {**track.columns, "contact_force": force}
    run = sp.Trajectory(columns, track.state, track.scenario, track.attributes)
    assert push_points(run, window=0.5, least=1.0)[:3].tolist() == [4, 1, 0]
    assert push_points(run, window=0.5, least=2.5)[:3].tolist() == [4, 0, 0]
    assert len(push_points(run, window=0.5, least=1.0)) == 20


@pytest.mark.parametrize("window", [0.0, -1.0, 0.001, 11.0])
def test_window_that_does_not_fit(track, window):
    words = "it must be at least the record period, 0.01 s, and at most the duration, 10 s"
    with pytest.raises(sp.InvalidInput, match=words):
        push_points(track, window=window, least=1.0)


def test_path_distance():
    line = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    points = np.array([[0.5, 0.2], [-3.0, 4.0], [1.0, 0.0], [0.9, 0.5], [2.0, 2.0]])
    expected = [0.2, 5.0, 0.0, 0.1, np.sqrt(2)]
    np.testing.assert_allclose(path_distance(points, line), expected, atol=1e-12)


def test_compare(track):
    assert str(check_equality(track, track)) == "bitwise equal"
    columns = dict(track.columns)
    columns["x"] = columns["x"] + np.where(track.time > 5.0, 1e-8, 0.0)[:, None]
    near = check_equality(
        track, sp.Trajectory(columns, track.state, track.scenario, track.attributes)
    )
    assert (near.bitwise, near.equal, near.since) == (False, True, pytest.approx(5.01))
    columns["theta"] = columns["theta"] + 1e-3
    far = check_equality(
        track, sp.Trajectory(columns, track.state, track.scenario, track.attributes)
    )
    assert not far.equal
    assert far.turned == pytest.approx(1e-3)
    assert str(far).startswith("not equal: links at most 1e-08 m and 0.001 rad apart")


@pytest.mark.parametrize(
    ("events", "equal"),
    [
        ([[0.1, 1, 0, 3], [0.2 + 1e-8, 2, 0, 3]], True),  # s: events are located no better
        ([[0.1, 1, 0, 3], [0.2 + 1e-4, 2, 0, 3]], False),
        ([[0.1, 1, 0, 3], [0.2, 2, 0, 4]], False),
        ([[0.1, 1, 0, 3]], False),
    ],
)
def test_compare_looks_at_events(track, events, equal):
    usual = dataclasses.replace(track, events=np.array([[0.1, 1, 0, 3], [0.2, 2, 0, 3]]))
    assert check_equality(usual, dataclasses.replace(usual)).bitwise
    found = check_equality(usual, dataclasses.replace(track, events=np.array(events)))
    assert (found.bitwise, found.equal, found.since) == (False, equal, None)
    assert ("events" in str(found)) is not equal


@pytest.mark.parametrize("columns_format", [None, 1, FORMAT])
def test_compare_names_a_column_that_is_missing(track, columns_format):
    """It was recorded from the first format on, so no file may lack it."""
    columns = {name: c for name, c in track.columns.items() if name != "energy_gravity"}
    part = dataclasses.replace(track, columns=columns, columns_format=columns_format)
    for found in (check_equality(part, track), check_equality(track, part)):
        assert not found.equal
        assert found.others == ("energy_gravity",)


def test_compare_leaves_out_later_entries_of_the_ledger(track, monkeypatch):
    new = Variable("new", "J", ("time",), "new", "ledger", layout.ROTOR, since=FORMAT + 1)
    monkeypatch.setitem(VARIABLES, "new", new)
    ledger = track.state.ledger.copy()
    ledger[layout.ROTOR] += 1.0
    today = dataclasses.replace(track, state=dataclasses.replace(track.state, ledger=ledger))
    assert check_equality(dataclasses.replace(track, columns_format=FORMAT), today).bitwise
    assert not check_equality(dataclasses.replace(track, columns_format=FORMAT + 1), today).bitwise


def test_compare_refuses_other_shapes(track):
    short = Scenario.load("aiko_pegs", {"clock.duration": 1.0}).run()
    with pytest.raises(sp.InvalidInput, match="rows and links cannot be compared"):
        check_equality(track, short)


@pytest.mark.parametrize(
    ("joints", "count"), [((), 0), ((60, 60, 60, 60), 0), ((0, 120, 125, 0), 1), ((144,) * 3, 3)]
)
def test_crossings(joints, count):
    """A robot of one link, most of a hexagon, a loop, four of the five strokes of a star."""
    link = {"length": 0.2, "mass": 1.0, "radius": 0.01}
    robot = sp.Robot.uniform(len(joints) + 1, **link, self_contact=False)
    run = sp.simulate(robot, None, None, 0.01, start=sp.Start(joint_angles_deg=joints))
    assert crossings(run).tolist() == [count] * 2


def touching(track, *lines: tuple) -> sp.Trajectory:
    """A run with contacts: row, link, kind, index and force of each."""
    row, link, kind, index, force = zip(*lines, strict=True)
    count = len(lines)
    table = ContactTable(
        time=track.time[list(row)],
        link=np.array(link),
        load=np.where(np.array(link) < 0, 0, -1),
        kind=np.array(kind),
        index=np.array(index),
        point=np.zeros((count, 2)),
        normal=np.tile([0.0, 1.0], (count, 1)),
        normal_force=np.outer(force, [0.0, 1.0]),
        tangential_force=np.zeros((count, 2)),
        sticks=np.zeros(count, bool),
    )
    return dataclasses.replace(
        track, contacts=table, scenario=track.scenario.changed({"record.contacts": True})
    )


@pytest.mark.parametrize(
    ("lines", "places"),
    [
        # Two pegs on one link; one peg shared by neighbours; one wall at both ends of the robot.
        ([(3, 4, "peg", 1, 60.0), (9, 4, "peg", 2, 60.0)], 2),
        ([(3, 4, "peg", 1, 30.0), (9, 5, "peg", 1, 30.0)], 1),
        ([(3, 0, "wall", 0, 60.0), (3, 9, "wall", 0, 60.0)], 2),
        ([(3, 0, "wall", 0, 60.0), (3, 1, "wall", 0, 60.0)], 1),
        ([(3, 0, "wall", 1, 60.0), (3, 1, "peg", 1, 60.0)], 2),
        # Too weak on the mean; in the next window; of a load; of the robot itself.
        ([(3, 4, "peg", 1, 40.0)], 0),
        ([(50, 4, "peg", 1, 60.0), (51, 5, "peg", 1, 60.0)], 1),
        ([(3, -1, "peg", 1, 60.0)], 0),
        ([(3, 4, "link", 1, 60.0)], 0),
    ],
)
def test_push_points_are_told_by_what_is_touched(track, lines, places):
    run = touching(track, *lines)
    found = push_points(run, window=0.5, least=1.0)
    assert len(found) == 20
    assert found[0] == places


def test_push_points_of_a_run_without_contact(track):
    run = touching(track, (3, 4, "peg", 1, 60.0))
    free = dataclasses.replace(run, contacts=run.contacts.where(slice(0, 0)))
    assert push_points(free, window=0.5, least=1.0).tolist() == [0] * 20


def test_places_along_the_body():
    """A peg beside each link of a straight robot, at a known part of its length."""
    robot = sp.Robot.uniform(3, length=0.2, mass=1.0, radius=0.03)
    parts = np.array([-0.3, 0.1, 0.3])
    x = 0.2 * (np.arange(3) - 1 + parts)
    pegs = tuple(sp.Peg(at, -0.05, 0.0199) for at in x)
    world = sp.World(pegs=pegs, slope_deg=30, slope_direction_deg=-90)
    run = sp.simulate(robot, world, None, 0.1, record_contacts=True)
    last = contact_rows(run) == len(run.time) - 1
    assert run.contacts.link[last].tolist() == run.contacts.index[last].tolist() == [0, 1, 2]
    np.testing.assert_allclose(places_along_body(run)[last], np.arange(3) + parts, atol=0.01)


def test_push_points_of_a_run_without_its_beginning(track):
    """Contacts of the first row left pushed before it."""
    run = touching(track, (100, 4, "peg", 1, 60.0), (103, 4, "peg", 2, 60.0))
    rest = without_beginning(run, float(track.time[100] - track.time[0]))
    assert len(rest.contacts) == 1
    assert push_points(rest, 0.1, 1.0).tolist()[0] == 1
