"""Who pushes what, where and when, and how much of it propels."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.analysis.motion import push_points
from serpenoid.analysis.pushes import propulsive_share, pushes
from serpenoid.engine.contact_table import ContactTable


@pytest.fixture(scope="module")
def track():
    return sp.Scenario.load("aiko_pegs", {"record.contacts": True}).run()


def touching(track: sp.Trajectory, *lines: tuple) -> sp.Trajectory:
    """The run with other contacts: row, link, kind, index, point and force of each."""
    row, link, kind, index, point, force = map(list, zip(*lines, strict=True))
    count = len(lines)
    table = ContactTable(
        time=track.time[row],
        link=np.array(link),
        load=np.full(count, -1),
        kind=np.array(kind),
        index=np.array(index),
        point=np.array(point, float),
        normal=np.tile([0.0, 1.0], (count, 1)),
        normal_force=np.array(force, float),
        tangential_force=np.zeros((count, 2)),
        sticks=np.zeros(count, bool),
    )
    return dataclasses.replace(track, contacts=table)


def test_a_push_point_is_the_sum_of_neighbours_on_one_thing(track):
    """In windows of 50 rows: links 4 and 5 on peg 1, and link 8 on peg 2; nothing afterwards."""
    run = touching(
        track,
        (3, 4, "peg", 1, (0.5, 0.4), (60.0, 80.0)),
        (9, 5, "peg", 1, (0.2, 0.1), (30.0, 40.0)),
        (9, 8, "peg", 2, (0.9, -0.1), (-50.0, 0.0)),
    )
    found = pushes(run, 0.5, 0.1, direction_deg=90.0)
    assert found.kind.tolist() == ["peg", "peg"]
    assert found.index.tolist() == [1, 2]
    assert found.link.tolist() == [4, 8]
    assert found.first_link.tolist() == [4, 8]
    assert found.last_link.tolist() == [5, 8]
    assert found.time.tolist() == [0.0, 0.0]
    np.testing.assert_allclose(found.force, [[90 / 50, 120 / 50], [-1.0, 0.0]])
    # Weighted 1 to 2.
    np.testing.assert_allclose(found.point, [[0.4, 0.3], [0.9, -0.1]])
    # Along y is forward, and to its left is -x.
    np.testing.assert_allclose(found.along, [120 / 50, 0.0], atol=1e-12)
    middle = track.centre_of_mass()[:, 0].mean()
    np.testing.assert_allclose(found.height, [middle - 0.4, middle - 0.9])


def test_pushes_are_those_that_push_points_counts(track):
    for window, least in ((0.05, 0.67), (0.1, 5.0), (0.2, 0.0)):
        found = pushes(track, window, least)
        count = np.bincount(
            np.rint(found.time / window).astype(int), minlength=round(10.0 / window)
        )
        np.testing.assert_array_equal(count, push_points(track, window, least))


def test_pushes_of_pegs_are_at_their_surfaces_and_by_the_links_there(track):
    found = pushes(track, 0.1, 0.67, direction_deg=0.0)
    assert len(found) > 100
    for k in range(len(found)):
        peg = track.world.pegs[found.index[k]]
        away = math.hypot(*(found.point[k] - [peg.x, peg.y]))
        # A mean of points on an arc lies inside of it.
        assert 0.5 * peg.radius < away < peg.radius + 1e-4
        assert found.first_link[k] - 0.501 < found.body[k] < found.last_link[k] + 0.501
        row = track.row(found.time[k])
        x = track.columns["x"][row, found.link[k]]
        assert abs(x - peg.x) < 0.122
    np.testing.assert_allclose(
        found.height, found.point[:, 1] - track.centre_of_mass()[:, 1].mean(), atol=1e-12
    )
    # The sum of all forces on the robot in a window is what the links' columns say.
    here = found.at(5.25)
    rows = slice(track.row(5.2) + 1, track.row(5.3) + 1)
    whole = track.columns["contact_force"][rows].mean(axis=0).sum(axis=0)
    assert found.force[here].sum(axis=0) == pytest.approx(whole, abs=0.7)
    assert set(np.rint(found.time[here] / 0.1)) == {52}


def test_a_window_in_which_nothing_is_pushed_has_no_push_points(track):
    """Not those of the window before it."""
    run = touching(
        track,
        (7, 2, "peg", 1, (1.0, 0.5), (1.0, 1.0)),
        (35, 3, "peg", 1, (1.0, 0.5), (2.0, 0.0)),
    )
    found = pushes(run, window=0.1, least=0.01)
    times = (0.0, 0.05, 0.1, 0.25, 0.3, 0.39, 0.4, 9.95, 99.0)
    assert [int(found.at(time).sum()) for time in times] == [1, 1, 0, 0, 1, 1, 0, 0, 0]
    with pytest.raises(sp.InvalidInput, match="time = nan is not allowed"):
        found.at(math.nan)


@pytest.mark.parametrize("least", [math.nan, -1.0, math.inf])
def test_least_force_must_be_one(track, least):
    words = r"least = .* is not allowed: it must be a finite number, at least 0 \(N\)"
    for count in (pushes, push_points):
        with pytest.raises(sp.InvalidInput, match=words):
            count(track, 0.1, least)


def test_pushes_of_a_run_that_touches_nothing(track):
    free = dataclasses.replace(track, contacts=track.contacts.where(slice(0, 0)))
    found = pushes(free, 0.1, 0.0)
    assert len(found) == 0
    assert found.force.shape == found.point.shape == (0, 2)
    assert not found.at(1.0).any()


def test_pushes_need_recorded_contacts():
    run = sp.Scenario.load("aiko_pegs", {"clock.duration": 0.1}).run()
    with pytest.raises(sp.InvalidInput, match=r"record them, record\.contacts = true"):
        pushes(run, 0.1, 1.0)


def test_share_of_forces_across_links_is_the_sine_of_their_angle(track):
    """All links push at 30 deg to the way, or at 150 deg: half of it propels, or brakes."""
    force = np.zeros_like(track.columns["contact_force"])
    force[1:, 3] = [math.sin(math.radians(30)), math.cos(math.radians(30))]
    force[1:, 7] = [-2 * math.sin(math.radians(30)), -2 * math.cos(math.radians(30))]
    run = dataclasses.replace(track, columns={**track.columns, "contact_force": force})
    found = propulsive_share(run, 0.0)
    assert found.links[3] == pytest.approx(0.5)
    assert found.links[7] == pytest.approx(-0.5)
    assert np.isnan(found.links[[0, 1, 2, 4, 5, 6, 8, 9, 10]]).all()
    # 1 N at a half and 2 N at minus a half.
    assert found.total == pytest.approx(-0.5 / 3)
    assert propulsive_share(run, 180.0).total == pytest.approx(0.5 / 3)


def test_without_a_direction_it_is_that_of_the_centre_of_mass(track):
    gone = np.diff(track.centre_of_mass()[[0, -1]], axis=0)[0]
    found = propulsive_share(track)
    assert found.direction_deg == pytest.approx(math.degrees(math.atan2(gone[1], gone[0])))
    force = track.columns["contact_force"][1:]
    along = (force @ gone).sum() / math.hypot(*gone)
    assert found.total == pytest.approx(along / np.linalg.norm(force, axis=2).sum())
    assert pushes(track, 0.1, 1.0).direction_deg == found.direction_deg


def test_share_of_nothing(track):
    none = {**track.columns, "contact_force": np.zeros_like(track.columns["contact_force"])}
    with pytest.raises(sp.InvalidInput, match="this run has no contact forces"):
        propulsive_share(dataclasses.replace(track, columns=none))
    robot = sp.Robot.uniform(3, length=0.2, mass=1.0, radius=0.03)
    with pytest.raises(sp.InvalidInput, match="direction_deg is missing"):
        propulsive_share(sp.simulate(robot, None, None, 0.1))
