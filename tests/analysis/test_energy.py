"""Energy analysis: closed forms, the balance, cycles, and what must be the same for every gait."""

import dataclasses
import math

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.analysis import energy

MASS, LENGTH, ALONG, ACROSS = 0.4, 0.1, 1.0, 10.0
OMEGA = 3.0
PERIOD = 2 * math.pi / OMEGA


def ground(along=ALONG, across=ACROSS):
    return sp.World(friction=sp.Viscous(along=MASS * along, across=MASS * across))


def robot(links=8, actuator=None):
    return sp.Robot.uniform(
        links, length=LENGTH, mass=MASS, radius=0.02, actuator=actuator or sp.Prescribed()
    )


def wave(offset_deg=0.0, amplitude_deg=60.0):
    return sp.Serpenoid(amplitude_deg, math.degrees(OMEGA), -60.0, offset_deg=offset_deg)


def slither(world=None, actuator=None, gait=None, periods=8, **start):
    # 300 steps and 100 rows in each period.
    step = PERIOD / 300
    clock = {"duration": periods * 300 * step, "time_step": step, "record_period": 3 * step}
    chain = robot(actuator=actuator)
    return sp.simulate(chain, world or ground(), gait or wave(), start=sp.Start(**start), **clock)


@pytest.fixture(scope="module")
def straight():
    return slither()


@pytest.fixture(scope="module")
def circling():
    return slither(gait=wave(offset_deg=3.0))


# ------------------------------------------------------------------------------- closed forms


def glide(world, speed=0.5, duration=1.0):
    start = sp.Start(velocity=(speed, 0.0))
    return sp.simulate(robot(1), world, None, duration, start=start)


def test_a_rod_that_glides_to_rest():
    run = glide(ground())
    found = energy.budget(run)
    mass, speed, left = MASS, 0.5, math.exp(-ALONG)
    lost = 0.5 * mass * speed**2 * (1 - left**2)
    # The midpoint step is of second order, 1e-3 s.
    assert found.friction[0] == pytest.approx(lost, rel=1e-6)
    assert found.kinetic_gain[0] == pytest.approx(-lost, rel=1e-6)
    assert found.kinetic[0] == pytest.approx(lost / (2 * ALONG), rel=1e-4)
    assert found.distance[0] == pytest.approx(speed / ALONG * (1 - left), rel=1e-6)
    assert found.net[0] == found.positive[0] == found.absolute[0] == 0.0
    # Loss by kinetic energy is 2 C_T at any time, hence the printed efficiency 1 - 2 C_T.
    assert found.printed_efficiency[0] == pytest.approx(1 - 2 * ALONG, abs=1e-3)
    loss = energy.power(run).friction
    np.testing.assert_allclose(loss[[0, -1]], MASS * 0.25 * np.array([1, left**2]), rtol=0.02)


def test_a_rod_that_slides_to_rest():
    speed, mu = 0.5, 0.2
    run = glide(sp.World(friction=sp.Coulomb(mu)), speed, duration=0.5)
    found = energy.budget(run)
    assert found.friction[0] == pytest.approx(0.5 * MASS * speed**2, rel=1e-9)
    # Dry friction is not linear: loss by kinetic energy has no bound.
    assert energy.power(run).friction[0] == pytest.approx(mu * MASS * 9.81 * speed, rel=0.03)


def test_resistance_is_that_of_dry_and_viscous_friction():
    law = sp.OrthotropicCoulomb(along=0.1, across=0.5) + sp.Viscous(along=0.2, across=2.0)
    found = energy.budget(glide(sp.World(friction=law), duration=0.01))
    assert found.resistance == pytest.approx((0.1 * MASS * 9.81, 0.2))
    assert energy.budget(glide(sp.World(), duration=0.01)).resistance == (0.0, 0.0)


@pytest.mark.parametrize("actuator", [sp.Prescribed(), sp.Servo(kp=20.0, kd=0.5)])
def test_actuator_work_is_kinetic_energy_and_friction_work(actuator):
    run = slither(actuator=actuator, periods=3)
    found = energy.cycles(run)
    scale = found.absolute.sum()
    # What re-closing the hinges does is in the ledger as well, and small.
    balance = found.net - found.friction - found.kinetic_gain
    assert np.abs(balance).max() < 1e-4 * scale
    numerical = np.diff(np.interp(found.edges, run.time, run.columns["energy_numerical"]))
    np.testing.assert_allclose(balance, -numerical, rtol=0, atol=1e-12)


def test_works_are_those_of_the_ledger_in_all_parts(straight):
    whole, parts = energy.budget(straight), energy.cycles(straight)
    assert whole.net[0] == pytest.approx(straight.energy()["actuator"])
    for name in ("net", "positive", "absolute", "friction", "turn"):
        assert getattr(parts, name).sum() == pytest.approx(getattr(whole, name)[0], abs=1e-9), name
    assert 2 * whole.positive[0] - whole.absolute[0] == pytest.approx(whole.net[0], rel=1e-3)
    step = np.diff(straight.time)
    power = energy.power(straight)
    for name in ("net", "positive", "absolute", "friction"):
        assert getattr(power, name) @ step == pytest.approx(getattr(whole, name)[0]), name
    assert energy.joint_work(straight).clip(min=0).sum() == pytest.approx(whole.positive[0])


# ----------------------------------------------------------------------------- cycles, steady


def test_a_motion_that_becomes_steady(straight):
    found = energy.cycles(straight)
    assert len(found.speed) == 8
    np.testing.assert_allclose(found.duration, PERIOD, rtol=1e-9)
    first = energy.steady_from(found)
    assert first is not None
    assert 0 < first < 5
    assert abs(found.speed[first - 1] / found.speed[-1] - 1) > 0.01 or (
        abs(found.power[first - 1] / found.power[-1] - 1) > 0.01
    )
    # In a steady cycle friction takes what actuators give.
    assert found.loss[-1] == pytest.approx(found.power[-1], rel=1e-3)
    later = found.specific_power[first:]
    np.testing.assert_allclose(later, found.power[first:] / (8 * MASS * found.speed[first:] ** 2))


def test_a_motion_that_does_not(straight):
    assert energy.steady_from(energy.cycles(straight), tolerance=0.0) is None
    # Two cycles alike are too few to say so.
    assert energy.steady_from(energy.cycles(slither(periods=2))) is None
    slowing = slither(world=ground(0.3, 0.3), velocity=(2.0, 0.0))
    assert energy.steady_from(energy.cycles(slowing)) is None


def test_a_part_of_a_cycle_is_left_out(straight):
    assert len(energy.cycles(straight, 3.0).speed) == 5
    assert len(energy.cycles(straight, PERIOD / 2).speed) == 16
    assert energy.cycles(straight, 3.0).edges[-1] == pytest.approx(15.0)


@pytest.mark.parametrize("gait", [wave(), wave(amplitude_deg=25.0), wave(amplitude_deg=80.0)])
@pytest.mark.parametrize("across", [1.0, 3.0, 30.0])
def test_efficiency_is_between_0_and_1(gait, across):
    found = energy.cycles(slither(world=ground(1.0, across), gait=gait, periods=6))
    last = float(found.efficiency[-1])
    assert 0 <= last < 1
    assert last == pytest.approx(8 * MASS * found.speed[-1] ** 2 / found.power[-1])


def test_efficiency_of_a_robot_that_is_pulled_without_loss_of_shape_is_1():
    # One link that keeps its speed because gravity pulls: all power is that of the drag.
    found = energy.budget(glide(ground(), duration=0.5))
    paid = dataclasses.replace(found, net=found.friction)
    assert paid.efficiency[0] == pytest.approx(1.0, rel=0.03)  # the speed is not quite steady


def test_efficiency_needs_one_level_ground():
    slope = dataclasses.replace(ground(), slope_deg=5.0)
    patch = sp.Patch(x=0, y=0, width=1, height=1, friction=sp.Viscous(0.1, 0.2))
    for world in (slope, dataclasses.replace(ground(), patches=(patch,))):
        found = energy.budget(glide(world, duration=0.01))
        with pytest.raises(sp.InvalidInput, match="the ground must be level and the same every"):
            _ = found.efficiency


# --------------------------------------------------------------------------- what must be the same


def test_equal_friction_both_ways_gives_no_propulsion():
    run = slither(world=ground(3.0, 3.0), velocity=(0.0, 0.0))
    found = energy.cycles(run)
    assert found.distance.max() < 1e-6
    assert found.friction.min() > 0.01
    assert not (found.efficiency > 1e-9).any()


def test_without_an_offset_a_cycle_does_not_turn_the_robot(straight, circling):
    turns = energy.cycles(straight).turn
    assert abs(turns[0]) > 1e-3
    assert abs(turns[-1]) < 1e-5
    assert energy.cycles(circling).turn[-1] > 0.05


def test_loss_by_kinetic_energy_is_within_its_bounds(straight, circling):
    for run in (straight, circling):
        rate = 1 - energy.cycles(run).printed_efficiency
        assert 2 * ALONG < rate.min() < rate.max() < 2 * ACROSS


def test_the_path_of_a_circling_robot_is_a_circle_of_that_curvature():
    run = slither(gait=wave(offset_deg=6.0), periods=40)
    found = energy.cycles(run)
    rows = slice(200, None, 100)
    x, y = run.centre_of_mass()[rows].T
    # Least squares: 2 x a + 2 y b + c = x2 + y2 with centre (a, b).
    matrix = np.stack([2 * x, 2 * y, np.ones_like(x)], axis=1)
    a, b, c = np.linalg.lstsq(matrix, x**2 + y**2, rcond=None)[0]
    radius = math.sqrt(c + a**2 + b**2)
    assert found.curvature[-1] == pytest.approx(1 / radius, rel=2e-3)
    assert run.path_curvature() == pytest.approx(1 / radius, rel=2e-3)
    mirrored = slither(gait=wave(offset_deg=-6.0), periods=6)
    assert mirrored.path_curvature() < 0


# ---------------------------------------------------------------------------------- tracking


def test_joints_that_are_prescribed_are_hardly_off(straight):
    found = energy.tracking_error(straight)
    assert found.rms.shape == found.largest.shape == found.share.shape == (7,)
    assert found.largest.max() < 1e-4


@pytest.mark.parametrize("amplitude_deg", [60.0, -60.0])
def test_a_soft_servo_is_off_by_torque_by_gain(amplitude_deg):
    kp = 20.0
    gait = wave(amplitude_deg=amplitude_deg)
    run = slither(actuator=sp.Servo(kp=kp, kd=0.0), gait=gait, periods=4)
    found = energy.tracking_error(run)
    expected = run.columns["joint_torque"][1:].std(axis=0) / kp
    np.testing.assert_allclose(found.rms, expected, rtol=0.05)
    swing = math.radians(60.0) / math.sqrt(2)
    np.testing.assert_allclose(found.share, found.rms / swing, rtol=0.01)
    off = run.columns["joint_angle"] - run.columns["joint_reference"]
    np.testing.assert_array_equal(found.largest, np.maximum(off.max(axis=0), -off.min(axis=0)))
    assert (found.largest > found.rms).all()


# --------------------------------------------------------------------------------- bad input


def one_row(run):
    columns = {name: column[:1] for name, column in run.columns.items()}
    return dataclasses.replace(run, columns=columns)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda run: energy.budget(run, [0.0, 99.0]),
            "edges = [0.0, 99.0] is not allowed: it must be at least two ascending times within "
            "this run, 0 to 16.7552 s",
        ),
        (
            lambda run: energy.budget(run, [2.0, 1.0]),
            "edges = [2.0, 1.0] is not allowed: it must be at least two ascending times within "
            "this run, 0 to 16.7552 s",
        ),
        (
            lambda run: energy.budget(one_row(run)),
            "edges = None is not allowed: it must be at least two ascending times within this "
            "run, 0 to 0 s",
        ),
        (
            lambda run: energy.cycles(run, 20.0),
            "period = 20.0 is not allowed: it must be greater than 0 and at most the duration, "
            "16.7552 s",
        ),
        (
            lambda _: energy.cycles(glide(ground(), duration=0.1)),
            "this run has no wave, so name the period of its cycles, s",
        ),
        (
            lambda _: energy.tracking_error(glide(ground(), duration=0.1)),
            "this robot has no joints, so it has no tracking error",
        ),
        (
            lambda _: energy.tracking_error(sp.simulate(robot(3, sp.Free()), ground(), None, 0.1)),
            "joint 0 of this run has no reference: its actuator must be a Servo or Prescribed, it "
            "is Free",
        ),
    ],
)
def test_bad_input_is_refused_in_one_sentence(straight, call, words):
    with pytest.raises(sp.InvalidInput) as caught:
        call(straight)
    assert str(caught.value) == words


def test_rounding_is_no_motion():
    """Without friction the centre of mass stays; what is divided by its way has no number."""
    run = sp.simulate(
        sp.Robot.uniform(4, length=0.1, mass=0.4, radius=0.01, actuator=sp.Prescribed()),
        sp.World(),
        sp.Serpenoid(30, 180, -45),
        4.0,
    )
    found = energy.budget(run)
    assert found.distance == [0.0]
    assert np.isinf(found.cost_of_transport)
    assert not np.isfinite(run.path_curvature())


@pytest.mark.parametrize("edges", ["ab", [0, "x"], [[0, 1]], [1, 0], [0, 1e9]])
def test_edges_that_make_no_sense_are_refused(edges):
    run = sp.simulate(sp.Robot.uniform(2, length=0.1, mass=1.0, radius=0.01), duration=1.0)
    with pytest.raises(
        sp.InvalidInput, match=r"edges = .* is not allowed: it must be at least two"
    ):
        energy.budget(run, edges)


@pytest.fixture(scope="module")
def elastic():
    """From the side, motors behind springs."""
    return sp.Scenario.load("pedal_wave", {"clock.duration": 2.0, "record.period": 0.001}).run()


def test_motors_behind_springs_work_on_their_rotors(elastic):
    found = energy.budget(elastic)
    by_joint = energy.joint_work(elastic).sum()
    assert by_joint == pytest.approx(float(found.net[0]), rel=0.01)
    # Behind springs the joints turn otherwise.
    rigid = elastic.columns["joint_torque"][1:] * np.diff(elastic.columns["joint_angle"], axis=0)
    assert abs(rigid.sum() / by_joint - 1) > 0.02


def test_from_the_side_there_is_no_ground_to_glide_on(elastic):
    with pytest.raises(sp.InvalidInput, match="the ground must be level"):
        _ = energy.budget(elastic).efficiency
