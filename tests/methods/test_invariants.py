"""Symmetry, energy, order and repeatability of the step, over all laws."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest

import serpenoid as sp

# Newton to 1e-9 m/s, so that two ways to the same solution do not differ by its tolerance.
SHARP = sp.Newton(tolerance=1e-9)
GAIT = sp.Serpenoid(amplitude_deg=-40.0, frequency_deg=160.0, phase_deg=-50.0, offset_deg=3.0)

SERVO = sp.Servo(kp=50.0, kd=1.0)
AT_REST = sp.Start()


@dataclass(frozen=True)
class Case:
    """What a run needs."""

    robot: sp.Robot
    world: sp.World
    gait: sp.Serpenoid | None = GAIT
    start: sp.Start = AT_REST

    def run(self, duration: float, time_step: float = 1e-3, **more) -> sp.Trajectory:
        more = {"solver": SHARP, "record_period": max(0.01, time_step)} | more
        return sp.simulate(
            self.robot,
            self.world,
            self.gait,
            duration,
            start=self.start,
            time_step=time_step,
            **more,
        )


def snake(actuator=SERVO, n: int = 7, **more) -> sp.Robot:
    return sp.Robot.uniform(n, length=0.12, mass=0.5, radius=0.04, actuator=actuator, **more)


BOX = ((-0.6, -0.25), (0.6, -0.25), (0.6, 0.25), (-0.6, 0.25), (-0.6, -0.25))
TRACK = {"friction": sp.Coulomb(0.2), "pegs": sp.fields.aiko_track()}
UNDULATION = sp.Serpenoid(amplitude_deg=-40.0, frequency_deg=80.0, phase_deg=-50.0)
AMONG_PEGS = sp.Start(x=0.38, y=0.15, heading_deg=5.0, link=5)
ICE = sp.Patch(0.2, 0.1, 0.4, 0.3, friction=sp.Coulomb(0.05), angle_deg=20.0)
DRIFT = sp.Start(heading_deg=10.0, velocity=(0.5, -1.0), spin_deg=40.0)
STRAIGHT = dataclasses.replace(DRIFT, joint_angles_deg=(0.0,) * 6)

# Everything isotropic, since the links' own axes turn with them but the world's do not.
CASES = {
    "pegs": Case(sp.robots.aiko(), sp.World(**TRACK), UNDULATION, AMONG_PEGS),
    "gripping pegs": Case(
        sp.robots.aiko(),
        sp.World(**TRACK, contact=sp.Contact(friction=0.3)),
        UNDULATION,
        AMONG_PEGS,
    ),
    "box": Case(snake(), sp.World(sp.Coulomb(0.1), walls=(sp.Wall(BOX),)), start=DRIFT),
    "bouncing": Case(
        snake(),
        sp.World(walls=(sp.Wall(BOX),), contact=sp.Contact(restitution=0.7, friction=0.2)),
        start=DRIFT,
    ),
    "slope and patch": Case(
        snake(),
        sp.World(
            sp.Coulomb(0.2) + sp.SpinCoulomb(mu=0.2, arm=0.03),
            patches=(ICE,),
            slope_deg=15.0,
            slope_direction_deg=35.0,
        ),
    ),
    "viscous, joint limits": Case(
        snake(limits_deg=(-30.0, 30.0)),
        sp.World(sp.Viscous(along=0.5, across=4.0), slope_deg=3.0),
        start=STRAIGHT,
    ),
}
each_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


# ---------------------------------------------------------------------------------- symmetry


def mapped_case(case: Case, point, angle, sign: float = 1.0) -> Case:
    """The case with every point, angle (deg) and sense of turning mapped."""
    world = case.world
    origin = np.array(point((0.0, 0.0)))

    def vector(v):
        return tuple(np.array(point(v)) - origin)

    pegs = [
        dataclasses.replace(p, **dict(zip("xy", point((p.x, p.y)), strict=True)))
        for p in world.pegs
    ]
    walls = [dataclasses.replace(w, points=tuple(point(p) for p in w.points)) for w in world.walls]
    patches = [
        dataclasses.replace(
            p, **dict(zip("xy", point((p.x, p.y)), strict=True)), angle_deg=angle(p.angle_deg)
        )
        for p in world.patches
    ]
    x, y = point((case.start.x, case.start.y))
    return Case(
        case.robot,
        dataclasses.replace(
            world,
            pegs=pegs,
            walls=walls,
            patches=patches,
            slope_direction_deg=angle(world.slope_direction_deg),
        ),
        dataclasses.replace(
            case.gait,
            amplitude_deg=sign * case.gait.amplitude_deg,
            offset_deg=sign * case.gait.offset_deg,
        ),
        dataclasses.replace(
            case.start,
            x=x,
            y=y,
            heading_deg=angle(case.start.heading_deg),
            velocity=vector(case.start.velocity),
            spin_deg=sign * case.start.spin_deg,
        ),
    )


def assert_mapped(run: sp.Trajectory, other: sp.Trajectory, point) -> None:
    """The other run's link centres are the mapped ones of this run."""
    x, y = point((run.columns["x"], run.columns["y"]))
    # Rounding, 1e-16 m, grows with every contact; the tolerance on laws gives 1e-9 m in 1 s.
    assert np.abs(other.columns["x"] - x).max() < 1e-9
    assert np.abs(other.columns["y"] - y).max() < 1e-9
    assert np.abs(run.columns["x"][-1] - run.columns["x"][0]).max() > 1e-3  # it moved


@each_case
@pytest.mark.parametrize("turn_deg", [30.0, 90.0, -143.7])
def test_turned_world_turns_the_motion(case, turn_deg):
    c, s = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))

    def point(p):
        return c * p[0] - s * p[1], s * p[0] + c * p[1]

    turned = mapped_case(case, point, lambda a: a + turn_deg)
    assert_mapped(case.run(1.0), turned.run(1.0), point)


@each_case
def test_mirrored_world_mirrors_the_motion(case):
    def point(p):
        return p[0], -p[1]

    mirrored = mapped_case(case, point, lambda a: -a, sign=-1.0)
    assert_mapped(case.run(1.0), mirrored.run(1.0), point)


@each_case
def test_shifted_world_shifts_the_motion(case):
    def point(p):
        return p[0] + 3.1, p[1] - 7.7

    shifted = mapped_case(case, point, lambda a: a)
    assert_mapped(case.run(1.0), shifted.run(1.0), point)


# ------------------------------------------------------------------------------------ energy

WORKS = ("actuator", "friction", "impact", "damping", "gravity", "numerical")


def ledger(run: sp.Trajectory) -> dict[str, np.ndarray]:
    return {k.removeprefix("energy_"): v for k, v in run.columns.items() if k[:7] == "energy_"}


@each_case
def test_works_add_up_to_the_change_of_kinetic_energy(case):
    run = case.run(2.0)
    book = ledger(run)
    change = book["kinetic"] - book["kinetic"][0]
    works = sum(book[name] for name in WORKS)
    moved = sum(np.abs(np.diff(book[name])).sum() for name in WORKS)
    assert np.abs(change - works).max() < 1e-8 * moved
    assert moved > 0.01  # J


@each_case
def test_kinetic_energy_is_that_of_the_links(case):
    run = case.run(1.0)
    mass = np.array([link.mass for link in run.robot.links])
    inertia = np.array([link.moment_of_inertia for link in run.robot.links])
    v2 = run.columns["vx"] ** 2 + run.columns["vy"] ** 2
    wanted = 0.5 * (v2 @ mass + run.columns["omega"] ** 2 @ inertia)
    np.testing.assert_allclose(run.columns["energy_kinetic"], wanted, rtol=1e-12)


def test_work_of_gravity_is_the_height_lost():
    case = CASES["slope and patch"]
    run = case.run(2.0)
    fall = (run.centre_of_mass() - run.centre_of_mass()[0]) @ np.array(case.world.pull)
    np.testing.assert_allclose(
        run.columns["energy_gravity"], fall * case.robot.mass, rtol=0, atol=1e-10
    )
    assert run.columns["energy_gravity"][-1] > 0.1  # J


@each_case
def test_friction_damping_and_blows_only_take(case):
    """In every record interval. In a impact that turns sliding round, friction alone may give."""
    book = ledger(case.run(2.0))
    for works in (book["damping"], book["friction"] + book["impact"]):
        # Some 100 N at the law tolerance, 1e-9 m/s, for 10 ms.
        assert np.diff(works).max() <= 1e-9
    assert book["damping"][-1] + book["friction"][-1] + book["impact"][-1] < -0.1


@each_case
def test_numerical_work_vanishes_with_the_step(case):
    """The work of re-closing the hinges falls at least in proportion to dt.

    Which step an impact falls into changes with dt, hence four steps far apart and a margin. In the
    box, where 0.58 is observed, all is the work of the links that strike the wall first.
    """
    steps = (4e-3, 1e-3, 2.5e-4, 6.25e-5)
    entries = []
    for time_step in steps:
        book = ledger(case.run(1.0, time_step, record_period=4e-3))
        moved = sum(np.abs(np.diff(book[name])).sum() for name in WORKS)
        entries.append(np.abs(np.diff(book["numerical"])).sum() / moved)
    assert observed_order(steps, entries) > (0.5 if case is CASES["box"] else 0.8)
    assert entries[1] < 1e-3  # at 1 ms, of the energy moved


@pytest.mark.parametrize("gap", [0.0, 1e-4, 4e-4, 1e-3, 1e-2])
def test_blow_in_the_first_step_is_like_any_other(gap):
    """A puck that flies into a peg without restitution stays there, however near it starts.

    Half of the first step, 0.5 mm here, is gone before its contacts are looked for.
    """
    puck = sp.Robot.uniform(1, length=0.1, mass=1.0, radius=0.05)
    peg = sp.Peg(0.0, 0.1 + gap, 0.05)
    case = Case(puck, sp.World(pegs=(peg,)), None, sp.Start(velocity=(0.0, 1.0)))
    run = case.run(0.05)
    assert abs(run.columns["vy"][-1, 0]) < 1e-6
    assert run.columns["y"][-1, 0] == pytest.approx(gap, abs=1e-6)  # m


# ------------------------------------------------------------------------------------- order

TUMBLE = sp.Start(
    velocity=(0.3, 0.1),
    spin_deg=100.0,
    joint_angles_deg=(30.0, -20.0, 50.0, 10.0, -40.0, 20.0),
    joint_rates_deg=(200.0, -100.0, 50.0, 300.0, -150.0, 100.0),
)
BLOW = sp.Start(velocity=(0.0, 1.0))
COARSE, FINE = (4e-3, 2e-3, 1e-3, 5e-4), (1e-3, 5e-4, 2.5e-4, 1.25e-4)

# Case, duration (s), steps (s), least order allowed, which is a margin below the observed one.
ORDERS = {
    # Steps in which no link turns so far that hinges are closed exactly, which is better still.
    "free": (Case(snake(sp.Free()), sp.World(), None, TUMBLE), 1.0, COARSE[1:], 1.85),
    "viscous on a slope": (
        Case(snake(sp.Free()), sp.World(sp.Viscous(0.5, 4.0), slope_deg=10.0), None, TUMBLE),
        1.0,
        COARSE,
        1.9,
    ),
    "undulation": (
        Case(sp.robots.aiko(), sp.World(sp.Coulomb(0.2)), UNDULATION),
        2.0,
        COARSE,
        0.9,
    ),
    "impact on a peg": (
        Case(snake(), sp.World(pegs=(sp.Peg(0.05, 0.3, 0.03),)), None, BLOW),
        0.5,
        COARSE,
        0.9,
    ),
    "pegs": (CASES["pegs"], 1.0, FINE, 0.8),
}


def observed_order(steps, errors) -> float:
    """Slope of the straight line through (log step, log error)."""
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


@pytest.mark.parametrize(("case", "duration", "steps", "least"), ORDERS.values(), ids=ORDERS)
def test_order_of_convergence(case, duration, steps, least):
    """Root mean square over links and rows of the distance from a fine run.

    Two for smooth motion; one where velocities jump or the servo acts, implicitly, as a spring.
    """

    def track(time_step: float) -> np.ndarray:
        run = case.run(duration, time_step, record_period=4e-3)
        return np.stack([run.columns["x"], run.columns["y"]])

    reference = track(steps[-1] / 20)
    errors = [math.sqrt(((track(step) - reference) ** 2).mean()) for step in steps]
    assert observed_order(steps, errors) > least
    assert errors[0] < 2e-3  # m: the order is that of small errors


def test_free_motion_keeps_momentum():
    """Linear momentum and the spin about the centre of mass, over 1 s of tumbling."""
    case = ORDERS["free"][0]
    run = case.run(1.0)
    mass = np.array([link.mass for link in case.robot.links])
    inertia = np.array([link.moment_of_inertia for link in case.robot.links])
    x, y, vx, vy, omega = (run.columns[name] for name in ("x", "y", "vx", "vy", "omega"))
    for v, start in ((vx, 0.3), (vy, 0.1)):
        np.testing.assert_allclose(v @ mass, start * mass.sum(), rtol=1e-12)
    com = run.centre_of_mass()
    np.testing.assert_allclose(com[:, 0], 0.3 * run.time, atol=1e-12)
    spin = (x * vy - y * vx) @ mass + omega @ inertia
    np.testing.assert_allclose(spin, spin[0], rtol=1e-4)


# -------------------------------------------------------------------------------- repeatability


@each_case
def test_same_call_same_numbers(case):
    one, other = case.run(1.0), case.run(1.0)
    for name, column in one.columns.items():
        np.testing.assert_array_equal(column, other.columns[name], err_msg=name)
    assert one.state == other.state


SCRIPT = """
import dataclasses, json, sys
import serpenoid as sp
robot = sp.robots.aiko()
# Narrower than the wave: the limits are reached.
joints = tuple(dataclasses.replace(joint, limits_deg=(-40, 40)) for joint in robot.joints)
run = sp.simulate(
    dataclasses.replace(robot, joints=joints),
    sp.World(friction=sp.Coulomb(0.2), pegs=sp.fields.aiko_track()),
    sp.Serpenoid(-40.0, 80.0, -50.0),
    0.15,
    start=sp.Start(x=0.38, y=0.15, heading_deg=5.0, link=5),
    time_step=5e-3,
)
names = ("x", "y", "theta", "vx", "omega", "contact_force", "energy_friction")
json.dump({name: run.columns[name].tolist() for name in names}, sys.stdout)
"""


def test_without_the_compiler_the_result_is_the_same():
    """Machine code may contract a b + c into one rounding, hence 1e-12 and not to the bit."""
    results = []
    for disabled in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env=os.environ | {"NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        )
        results.append(json.loads(done.stdout))
    compiled, interpreted = results
    for name, values in compiled.items():
        np.testing.assert_allclose(interpreted[name], values, rtol=1e-10, atol=1e-12, err_msg=name)
    assert np.ptp(np.array(compiled["x"])[:, 5]) > 1e-4  # it moved
