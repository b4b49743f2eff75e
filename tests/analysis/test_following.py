"""Path following measured: closed-form motions and forces, and a run of the real controller."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.analysis import following
from serpenoid.kernels import layout

ROBOT = sp.Robot.uniform(3, length=0.2, mass=1.0, radius=0.03, actuator=sp.Servo(20.0, 5.0))
ROWS, PERIOD = 201, 0.1
CORNERS = sp.Waypoints(points=((0.3, 0.0), (0.3, 0.3), (0.0, 0.3)), acceptance=0.05)
FOLLOWING = sp.Follower(20, 60, 0.5) + sp.Heading(0.5, 0.3, CORNERS)


def moved(path, centre, theta=0.0, velocity=None, force=None) -> sp.Trajectory:
    """A run whose links all lie on the centre of mass and follow given values.

    centre, velocity: (rows, 2). theta: broadcast to (rows, links). force: to (rows, links, 2).
    """
    controller = sp.Follower(10, 40, 0.7) + sp.Heading(1.0, 0.5, path)
    run = sp.simulate(ROBOT, None, controller, 20.0, record_period=PERIOD)
    columns = dict(run.columns)
    shape = columns["x"].shape
    columns["x"], columns["y"] = (np.repeat(c[:, None], shape[1], axis=1) for c in centre.T)
    columns["theta"] = np.broadcast_to(theta, shape).astype(float)
    if velocity is not None:
        columns["vx"], columns["vy"] = (np.broadcast_to(v, shape) for v in velocity)
    if force is not None:
        columns["contact_force"] = np.broadcast_to(force, (*shape, 2)).astype(float)
    return dataclasses.replace(run, columns=columns)


def along(*corners: tuple[float, float]) -> np.ndarray:
    """Constant steps through some points, (ROWS, 2), m; the same number from each to the next."""
    at = np.linspace(0, len(corners) - 1, ROWS)
    x, y = (np.interp(at, range(len(corners)), values) for values in zip(*corners, strict=True))
    return np.stack([x, y], axis=1)


@pytest.fixture(scope="module")
def real() -> sp.Trajectory:
    """A short run on ground without friction: thrown past the first two of three waypoints."""
    return sp.simulate(
        ROBOT, None, FOLLOWING, 4.0, start=sp.Start(velocity=(0.2, 0.1)), record_period=0.02
    )


def test_heading_and_forward_velocity():
    theta = np.radians([10.0, 20.0, 60.0])  # mean 30 deg
    run = moved(sp.Line(), along((0, 0), (1, 0)), theta, velocity=(0.3, 0.4))
    np.testing.assert_allclose(following.heading(run), math.radians(30.0), atol=1e-15)
    expected = 0.3 * math.cos(math.pi / 6) + 0.4 * math.sin(math.pi / 6)
    np.testing.assert_allclose(following.forward_velocity(run), expected, atol=1e-15)


@pytest.mark.parametrize("direction", [0.0, 30.0, 135.0, -170.0])
def test_beside_a_line(direction):
    angle = math.radians(direction)
    ahead = np.array([math.cos(angle), math.sin(angle)])
    left = np.array([-math.sin(angle), math.cos(angle)])
    origin = np.array([0.4, -0.7])
    centre = origin + np.linspace(-1, 5, ROWS)[:, None] * ahead + 0.25 * left
    run = moved(sp.Line(0.4, -0.7, direction), centre, angle + 0.1)
    np.testing.assert_allclose(following.cross_track(run), 0.25, atol=1e-9)
    np.testing.assert_allclose(following.heading_error(run), 0.1, atol=1e-9)
    assert following.waypoint_times(run).tolist() == [math.inf]


def test_direction_is_in_the_turn_nearest_to_the_heading():
    run = moved(sp.Line(0, 0, 90), along((0, 0), (0, 1)), math.pi / 2 + 4 * math.pi + 0.2)
    np.testing.assert_allclose(following.heading_error(run), 0.2, atol=1e-9)


def test_circle_and_half_plane():
    points = ((1.0, 0.0), (1.0, 1.0))
    path = sp.Waypoints(points=points, acceptance=0.125)
    # 1 cm a row along the legs: inside the circles beyond 0.875 m and 1.875 m.
    run = moved(path, along((0, 0), (1, 0), (1, 1)))
    assert following.waypoint_times(run) == pytest.approx([8.8, 18.8])
    # Far beside the first waypoint only the line across the leg counts.
    aside = along((0, 0), (0.0, -0.5), (2.0, -0.5))
    run = moved(path, aside)
    first, second = following.waypoint_times(run)
    assert second == math.inf
    row = round(first / PERIOD)
    assert aside[row, 0] > 1.0 >= aside[row - 1, 0]
    done = following.progress(run)
    assert done.leg[row - 1 : row + 1].tolist() == [0, 1]
    np.testing.assert_allclose(following.cross_track(run)[:row], aside[:row, 1], atol=1e-9)
    # On the second leg, which leads up, left is towards smaller x.
    np.testing.assert_allclose(following.cross_track(run)[row:], 1 - aside[row:, 0], atol=1e-9)
    np.testing.assert_allclose(following.heading_error(run)[row:], -math.pi / 2, atol=1e-12)


def test_polyline_begins_at_its_first_point():
    centre = along((0.0, 0.3), (2.0, 0.3))
    run = moved(sp.Polyline(points=((-1.0, 0.0), (1.0, 0.0), (1.0, 5.0))), centre)
    row = round(float(following.waypoint_times(run)[0]) / PERIOD)
    assert centre[row, 0] > 1.0 >= centre[row - 1, 0]
    np.testing.assert_allclose(following.cross_track(run)[:row], 0.3, atol=1e-9)


def test_lone_heading_has_a_path():
    run = sp.simulate(ROBOT, None, sp.Heading(1.0, 0.5, sp.Line(0, -0.1)), 0.1)
    assert following.cross_track(run)[0] == pytest.approx(0.1)


@pytest.mark.parametrize("controller", [None, sp.Serpenoid(10, 40, 30), sp.Follower(10, 40, 0.7)])
def test_run_without_a_path(controller):
    run = sp.simulate(ROBOT, None, controller, 0.1)
    assert following.find_path(run) is None
    for measure in (following.waypoint_times, following.cross_track, following.jams):
        with pytest.raises(sp.InvalidInput, match="this run has no path"):
            measure(run)


def test_force_at_a_known_angle():
    # Links at 0, 0 and 90 deg: the heading is 30 deg. 2 N at 120 deg is across it, 3 N at -150 deg
    # straight against it, 4 N at 30 deg straight along it.
    theta = np.array([0.0, 0.0, math.pi / 2])
    sizes, angles = np.array([2.0, 3.0, 4.0]), np.radians([120.0, -150.0, 30.0])
    force = sizes[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    run = moved(sp.Line(), along((0, 0), (1, 0)), theta, force=force)
    rho = sizes * np.sin(angles - theta)
    np.testing.assert_allclose(following.measured_force(run)[7], rho, atol=1e-12)
    push = following.propulsive(run)
    np.testing.assert_allclose(push.along[7], [0.0, -3.0, 4.0], atol=1e-12)
    # Only the part across the link: 3 N at -150 deg is 1.5 N to the right of a link at 0 deg.
    np.testing.assert_allclose(push.normal[7, 1], -1.5 * math.sin(math.radians(30.0)), atol=1e-12)
    np.testing.assert_allclose(push.normal[7], -rho * np.sin(theta - math.pi / 6), atol=1e-12)
    np.testing.assert_allclose(push.forward[7], 4.0, atol=1e-12)
    np.testing.assert_allclose(push.backward[7], -3.0, atol=1e-12)


def test_force_across_a_link_is_all_there_is_without_obstacle_friction():
    theta = np.radians([-30.0, 10.0, 50.0])
    force = 5.0 * np.stack([-np.sin(theta), np.cos(theta)], axis=1)
    push = following.propulsive(moved(sp.Line(), along((0, 0), (1, 0)), theta, force=force))
    np.testing.assert_allclose(push.normal, push.along, atol=1e-12)


def jammed(*corners: tuple[float, float]) -> sp.Trajectory:
    force = np.zeros((ROWS, 3, 2))
    force[::2, 1] = [0.0, 3.0]
    force[::10, 2] = [0.0, 3.0]
    return moved(sp.Line(), along(*corners), force=force)


def test_jam_is_where_the_robot_stands():
    # 1 m in the first 5 s, nothing for 10 s, 1 m in the last 5 s.
    run = jammed((0, 0.2), (1, 0.2), (1, 0.2), (1, 0.2), (2, 0.2))
    (jam,) = following.jams(run, window=4.0, least=0.05)
    # 5 cm take 0.25 s.
    assert jam.start == pytest.approx(5.0, abs=0.3)
    assert jam.end == pytest.approx(15.0, abs=0.3)
    assert (jam.x, jam.y) == pytest.approx((1.0, 0.2), abs=0.01)
    assert jam.links == (1,)
    assert following.jams(run, window=11.0) == []


def test_only_a_robot_that_stands_is_jammed():
    for corners in (((0, 0), (3, 0)), ((0, 0), (0, 3)), ((0, 0), (-3, 0))):
        assert following.jams(jammed(*corners)) == []
    (jam,) = following.jams(jammed((0, 0), (0, 0.01)))
    assert (jam.start, jam.end) == pytest.approx((0.0, 20.0))


@pytest.mark.parametrize(("rate_deg", "count"), [(1.0, 1), (2.0, 0), (-2.0, 0)])
def test_turning_on_the_spot_is_no_jam(rate_deg, count):
    angle = math.radians(rate_deg) * PERIOD * np.arange(ROWS)
    run = moved(sp.Line(), along((0, 0), (0, 0)), angle[:, None] * np.ones(3))
    assert len(following.jams(run)) == count
    assert len(following.jams(run, turn_deg=30.0)) == 1


def test_swinging_and_rocking_in_place_is_a_jam():
    """A cycle of the gait, 9 s, leaves body and heading nearly where they were."""
    phase = 2 * math.pi / 9 * PERIOD * np.arange(ROWS)
    centre = np.stack([0.02 * np.sin(phase), 0.02 * np.cos(phase)], axis=1)
    run = moved(sp.Line(), centre, 0.3 * np.sin(phase)[:, None] * np.ones(3))
    (jam,) = following.jams(run)
    assert (jam.start, jam.end) == pytest.approx((0.0, 20.0))


def test_two_jams():
    stops = ((0, 0), (0, 0), (1, 0), (1, 0))
    starts = [round(jam.start, 6) for jam in following.jams(jammed(*stops), window=4.0)]
    assert len(starts) == 2
    assert starts[0] == 0.0


def test_nothing_counts_after_the_last_waypoint():
    path = sp.Waypoints(points=((1.0, 0.0),), acceptance=0.1)
    run = moved(path, along((0, 0), (1, 0), (1, 0), (1, 0)))
    assert following.jams(run, window=5.0) == []


@pytest.mark.parametrize("window", [0.0, 0.01, 21.0, math.nan, "long"])
def test_window_that_does_not_fit(window):
    words = "it must be at least the record period, 0.1 s, and at most the duration, 20 s"
    with pytest.raises(sp.InvalidInput, match=words):
        following.jams(jammed((0, 0), (3, 0)), window=window)


@pytest.mark.parametrize("name", ["least", "turn_deg"])
@pytest.mark.parametrize("value", [0.0, -1.0, math.inf, None])
def test_bounds_of_a_jam_must_be_positive(name, value):
    with pytest.raises(sp.InvalidInput, match=f"{name} = .* it must be greater than 0"):
        following.jams(jammed((0, 0), (3, 0)), **{name: value})


def test_times_agree_with_the_compiled_controller(real):
    kept = real.state.memory[layout.MEMORY_HEAD : layout.MEMORY_HEAD + 3]
    times = following.waypoint_times(real)
    reached = np.isfinite(kept)
    assert reached.tolist() == [True, True, False]
    assert (np.isfinite(times) == reached).all()
    # A row is at most a record period after the tick.
    assert (times[reached] >= kept[reached] - 1e-9).all()
    assert (times[reached] <= kept[reached] + 0.02 + 1e-9).all()


def test_leg_agrees_with_the_compiled_controller(real):
    done, memory = following.progress(real), real.state.memory
    assert done.direction[-1] == pytest.approx(memory[layout.PATH_ANGLE], abs=1e-12)
    begin = done.path.corners[done.leg[-1]]
    assert begin == pytest.approx([memory[layout.LEG_X], memory[layout.LEG_Y]], abs=1e-12)


def test_continued_run_knows_what_was_reached(real):
    times = following.waypoint_times(real)
    later = sp.simulate(ROBOT, None, FOLLOWING, 1.0, start=real.state, record_period=0.02)
    reached = np.isfinite(times)
    np.testing.assert_allclose(following.waypoint_times(later)[reached], times[reached], atol=0.021)
    assert following.progress(later).leg[0] == following.progress(real).leg[-1]
