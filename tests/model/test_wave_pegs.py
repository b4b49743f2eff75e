"""Pegs along a wave, against Bessel functions, links laid along it, and the published track."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import serpenoid as sp

ROBOT = sp.Robot.uniform(11, length=0.122, mass=7.5 / 11, radius=0.0525, straight=0.0786)
STIFF = sp.Robot.uniform(
    11,
    length=0.122,
    mass=7.5 / 11,
    radius=0.0525,
    straight=0.0786,
    actuator=sp.Servo(kp=800, kd=2),
)
GAIT = sp.Serpenoid(amplitude_deg=-40, frequency_deg=80, phase_deg=-50)
# Of the trapezoidal rule, m.
EXACT = 1e-8


def bessel(order: int, x: float) -> float:
    """J_n by its power series."""
    return sum(
        (-1) ** k / (math.factorial(k) * math.factorial(k + order)) * (x / 2) ** (2 * k + order)
        for k in range(30)
    )


def steepness(gait: sp.Serpenoid) -> float:
    return abs(math.radians(gait.amplitude_deg) / (2 * math.sin(math.radians(gait.phase_deg) / 2)))


def half_wave(gait: sp.Serpenoid) -> float:
    """The mean of cos(B cos p) over p is J0(B)."""
    return ROBOT.links[0].length * 180 / abs(gait.phase_deg) * bessel(0, steepness(gait))


def curve(gait: sp.Serpenoid, link: np.ndarray) -> np.ndarray:
    """Points and directions of the curve, (3, k), by the series of cos(B cos p), sin(B cos p)."""
    b, phase = steepness(gait), math.radians(abs(gait.phase_deg))
    x = bessel(0, b) * link + sum(
        (-1) ** k * bessel(2 * k, b) * np.sin(2 * k * phase * link) / (k * phase)
        for k in range(1, 12)
    )
    y = sum(
        (-1) ** k
        * 2
        * bessel(2 * k + 1, b)
        * np.sin((2 * k + 1) * phase * link)
        / ((2 * k + 1) * phase)
        for k in range(12)
    )
    length = ROBOT.links[0].length
    return np.stack([length * x, length * y, b * np.cos(phase * link)])


@pytest.mark.parametrize("phase", [-30.0, -50.0, -70.0, 60.0])
def test_pegs_are_half_a_wave_apart_on_alternate_sides(phase):
    gait = sp.Serpenoid(20, 80, phase)
    pegs = sp.fields.pegs_for_wave(ROBOT, gait, 0.02, count=9)
    np.testing.assert_allclose(np.diff([peg.x for peg in pegs]), half_wave(gait), atol=EXACT)
    assert all(a.y * b.y < 0 for a, b in itertools.pairwise(pegs))


@pytest.mark.parametrize("offset", [-0.03, 0.0, 0.05])
@pytest.mark.parametrize("radius", [0.01, 0.0525])
def test_a_link_along_the_curve_touches_the_peg_and_no_other_part_enters_it(offset, radius):
    """The touched point of the curve is where it is `offset` to the side of the peg."""
    robot, gait = ROBOT, sp.Serpenoid(40, 80, -50)
    quarter = 90 / 50
    places = np.linspace(-quarter, quarter, 20_001)
    # From a crossing to the left the pegs of a robot that moves to the right are on its left.
    touched = np.interp(offset, curve(gait, places)[1], places)
    x, y, heading = curve(gait, touched).tolist()
    peg, other = (
        next(p for p in sp.fields.pegs_for_wave(robot, gait, *each) if p.y > 0)
        for each in ((radius, offset), (1e-3, 0.0))
    )
    # The crossing is where links are steepest, which the other peg touches.
    crossing = other.x + (robot.links[0].radius + 1e-3) * math.sin(steepness(gait))
    centre = np.array([peg.x - crossing, peg.y])
    # A link along the curve there touches it with its straight side.
    along = np.array([math.cos(heading), math.sin(heading)])
    across = np.array([-along[1], along[0]])
    distance = robot.links[0].radius + radius
    assert across @ (centre - [x, y]) == pytest.approx(distance, abs=1e-6)
    assert abs(along @ (centre - [x, y])) < 1e-6
    points = curve(gait, np.linspace(-3.6, 3.6, 14401))[:2].T
    assert np.hypot(*(points - centre).T).min() > distance - 1e-5


def test_the_robot_lies_along_its_wave():
    """Middles of links are on the curve up to the sag of a link where it bends most, 10 mm."""
    sag = 0.122 * steepness(GAIT) * math.radians(50) / 8
    for start_deg in (0.0, 77.0):
        gait = sp.Serpenoid(-40, 80, -50, start_deg=start_deg)
        start = sp.fields.start_on_wave(ROBOT, gait)
        run = sp.simulate(ROBOT, None, gait, 0.01, start=start)
        pegs = sp.fields.pegs_for_wave(ROBOT, gait, 1e-4, count=12)
        # From a crossing to the left: the peg there is on the left.
        left = next(p for p in pegs if p.y > 0)
        reach = ROBOT.links[0].radius + 1e-4
        origin = left.x + reach * math.sin(steepness(gait))
        table = curve(gait, np.linspace(-14.4, 14.4, 57601)).T
        for k in range(11):
            x, y, theta = (run.columns[name][0, k] for name in ("x", "y", "theta"))
            near = np.hypot(table[:, 0] + origin - x, table[:, 1] - y)
            assert near.min() < sag
            assert table[near.argmin(), 2] == pytest.approx(theta, abs=0.1)


def test_the_published_track_is_one_of_them():
    """Its pegs are 0.368 m apart, 0.177 m across, which a radius and an offset give."""
    published = sp.fields.aiko_track()
    apart = np.diff([peg.x for peg in published])
    assert half_wave(GAIT) == pytest.approx(apart.mean(), rel=0.005)
    ours = sp.fields.pegs_for_wave(ROBOT, GAIT, 0.0125, 0.0416)
    across = abs(published[0].y - published[1].y)
    assert 2 * abs(ours[0].y) == pytest.approx(across, abs=0.006)


def speed_along_pegs(gait: sp.Serpenoid, radius: float, shift: float) -> float:
    """Of the middle link, m/s, over a period, after one."""
    start = sp.fields.start_on_wave(ROBOT, gait)
    ahead = sp.Start(x=shift, y=start.y, heading_deg=start.heading_deg, link=start.link)
    pegs = sp.fields.pegs_for_wave(ROBOT, gait, radius, count=10)
    world = sp.World(friction=sp.Coulomb(0.2), pegs=pegs)
    run = sp.simulate(STIFF, world, gait, 9.0, start=ahead)
    x = run.columns["x"][:, 5]
    return (x[run.row(9.0)] - x[run.row(4.5)]) / 4.5


@pytest.mark.parametrize("radius", [0.0125, 0.03, 0.125])
def test_the_robot_runs_along_them_at_a_peg_per_half_period(radius):
    assert speed_along_pegs(GAIT, radius, 0.02) == pytest.approx(half_wave(GAIT) / 2.25, rel=1e-3)


@pytest.mark.parametrize("amplitude", [40, -40])
@pytest.mark.parametrize(("frequency", "phase"), [(80, 50), (-80, -50)])
def test_a_robot_whose_wave_travels_to_its_head_runs_backwards(amplitude, frequency, phase):
    gait = sp.Serpenoid(amplitude, frequency, phase)
    expected = -half_wave(gait) / 2.25
    assert speed_along_pegs(gait, 0.02, -0.02) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"radius": [0.01, 0.02]}, "radius has 2 entries, but there are 7 pegs"),
        ({"radius": 0.0}, "radius = 0.0 is not allowed: it must be a number greater than 0"),
        ({"offset": 0.2}, "offset = 0.2 is not allowed: it must be a number between -0.1"),
        ({"radius": 0.125, "offset": -0.1}, "the peg would stand in the wave"),
        ({"count": 0}, "count = 0 is not allowed"),
        ({"gait": sp.PedalWave(20, 80, -50)}, "gait = PedalWave is not allowed"),
        ({"gait": sp.Serpenoid(40, 80, -20)}, "links would turn by 115.2 deg"),
        ({"gait": sp.Serpenoid(40, 80, 0)}, "Serpenoid.phase_deg = 0 is not allowed"),
        ({"gait": sp.Serpenoid(40, 0, -50)}, "Serpenoid.frequency_deg = 0 is not allowed"),
        ({"gait": sp.Serpenoid(0, 80, -50)}, "Serpenoid.amplitude_deg = 0 is not allowed"),
        ({"gait": sp.Serpenoid(40, 80, -50, 5)}, "Serpenoid.offset_deg = 5 is not allowed"),
        (
            {"robot": sp.Robot.uniform(1, length=0.1, mass=1, radius=0.05)},
            "robot.joints = () is not allowed: a wave needs joints",
        ),
        (
            {"robot": sp.Robot.uniform(2, length=[0.1, 0.2], mass=1, radius=0.05)},
            "robot.links with a length of 0.1 to 0.2 m are not allowed",
        ),
    ],
)
def test_what_has_no_such_pegs(change, words):
    given = {"robot": ROBOT, "gait": sp.Serpenoid(40, 80, -50), "radius": 0.02} | change
    with pytest.raises(sp.InvalidInput) as error:
        sp.fields.pegs_for_wave(**given)
    assert words in str(error.value)
