"""Solver "hybrid" against the golden numbers of liljeback2011, closed forms and "newton".

Golden numbers: initial shape of the paper, omega_i = 0.1 (i - 5.5), p_dot = (0.05, -0.02).
"""

import dataclasses
import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.methods.hybrid_layout import STRUCK

THETA_DEG = np.array([-30, -10, 30, 60, 40, 0, -40, -60, -30, 0.0])
START = sp.Start(heading_deg=THETA_DEG.mean(), joint_angles_deg=tuple(np.diff(THETA_DEG)))
GROUND = sp.Coulomb(0.3) + sp.SpinCoulomb(0.3, 0.035)
PATH = sp.Waypoints(points=((2.5, 0), (2.5, 1), (0, 1), (1, 2), (3, 2)), acceptance=0.5)
FOLLOW = sp.Follower(60, 40, 0.7) + sp.Adaptation(0.02) + sp.Heading(1.3, 0.7, PATH)


def robot(actuator: Any = None, **options: Any) -> sp.Robot:
    """The paper's robot."""
    options = {"mass": 1.0, "radius": 0.02, "inertia": 0.0016} | options
    options |= {"actuator": actuator or sp.Servo(20.0, 5.0), "self_contact": False}
    return sp.Robot.uniform(10, length=0.14, **options)


def instant(
    world: sp.World, omega: Any, velocity: Any, dt: float = 1e-12, **more: Any
) -> sp.Trajectory:
    """One step, too short for anything but impacts, of the robot with free joints in its shape.

    Args:
        world: Where it is.
        omega: Angular velocities of the links, rad/s, (10,).
        velocity: Of the centre of mass, m/s, (2,).
        dt: s.
    """
    start = dataclasses.replace(
        START,
        velocity=tuple(velocity),
        spin_deg=np.degrees(np.mean(omega)),
        joint_rates_deg=tuple(np.degrees(np.diff(omega))),
    )
    clock = {"time_step": dt, "record_period": dt, "start": start}
    options = {"controller": None, "solver": "hybrid"} | more
    return sp.simulate(robot(sp.Torque()), world, duration=dt, **clock, **options)


OMEGA, VELOCITY = 0.1 * (np.arange(1, 11) - 5.5), (0.05, -0.02)
AXES = np.radians(THETA_DEG)
ACROSS = np.stack([-np.sin(AXES), np.cos(AXES)], axis=1)
# Links with a peg beside them, and on which side.
PUSHED, SIDE = np.array([2, 5, 8]), np.array([1, 1, -1])


@functools.cache
def among_pegs() -> sp.World:
    """Pegs right of links 3 and 6 and left of link 9, 5 mm deep."""
    row = instant(sp.World(), OMEGA, VELOCITY).columns
    centres = np.stack([row["x"][0], row["y"][0]], axis=1)[PUSHED]
    places = centres - 0.045 * SIDE[:, None] * ACROSS[PUSHED]
    pegs = [sp.Peg(x, y, 0.05) for x, y in places]
    return sp.World(friction=GROUND, pegs=pegs, contact_at="centre")


def impact(omega: Any, velocity: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Impulses away from the pegs, velocities away from them after it, kinetic energies."""
    run = instant(among_pegs(), omega, velocity)
    c = run.columns
    normal = SIDE[:, None] * ACROSS[PUSHED]
    impulse = 1e-12 * (c["contact_force"][-1, PUSHED] * normal).sum(axis=1)
    apart = c["vx"][-1, PUSHED] * normal[:, 0] + c["vy"][-1, PUSHED] * normal[:, 1]
    # The work that is booked is the energy that is lost.
    lost = np.diff(c["energy_kinetic"])
    np.testing.assert_allclose(np.diff(c["energy_impact"]), lost, rtol=1e-9, atol=1e-9)
    return impulse, apart, c["energy_kinetic"]


def test_golden_accelerations() -> None:
    class Torques:
        def __init__(self, period: float) -> None:
            self.period = period

        def command(self, _seen: sp.Observation) -> sp.Command:
            # The paper's torque turns the other way.
            return sp.Command(torque=-(0.1 * np.arange(1, 10) - 0.5))

    def mean(dt: float) -> np.ndarray:
        world = sp.World(friction=GROUND, contact_at="centre")
        more = {"controller": Torques(dt), "solver": sp.Hybrid(stick_speed=1e-12)}
        c = instant(world, OMEGA, VELOCITY, dt, **more).columns
        rates = [c["omega"], c["vx"].mean(axis=1), c["vy"].mean(axis=1)]
        return np.concatenate([np.diff(rate, axis=0).ravel() / dt for rate in rates])

    expected = [-133.602519091, 103.635927784, -12.927755668, 1.869904994, 13.752529163]
    expected += [-17.969736662, 7.142106758, -32.37109897, 62.196062832, -171.188556694]
    expected += [-2.002335872, 0.861554489]
    # Means over a time, extrapolated to none; what is left are differences of rounded rates.
    np.testing.assert_allclose(2 * mean(1e-7) - mean(2e-7), expected, rtol=0, atol=1e-8)


def test_golden_jump() -> None:
    impulse, _, kinetic = impact(OMEGA, VELOCITY)
    expected = [0.043567221, 0.212601766, -0.13682507]
    np.testing.assert_allclose(SIDE * impulse, expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(kinetic, [0.02946775515153445, 0.018835970096855705], rtol=1e-11)


def test_impacts_can_be_left_out_of_the_measured_force() -> None:
    """The motion of a robot that does not look at forces is the same; what it measures is not."""
    runs = []
    for measures in (True, False):
        solver = sp.Hybrid(measures_impacts=measures)
        runs.append(instant(among_pegs(), OMEGA, VELOCITY, dt=1e-6, solver=solver).columns)
    whole, constraint = (run["contact_force"][-1] * 1e-6 for run in runs)
    np.testing.assert_array_equal(runs[0]["theta"], runs[1]["theta"])
    across = (ACROSS * whole).sum(axis=1)[PUSHED]
    np.testing.assert_allclose(across, [0.043567221, 0.212601766, -0.13682507], atol=1e-4)
    # In the microsecond after the jump, forces of some 10 N.
    assert 0.0 < abs(constraint).max() < 1e-4


def test_jumps_obey_complementarity_and_never_add_energy() -> None:
    rng = np.random.default_rng(1)
    opened = 0
    for _ in range(200):
        impulse, apart, kinetic = impact(rng.normal(size=10), rng.normal(size=2))
        assert impulse.min() >= 0.0
        # The matrix is softened by 1e-12 of itself, and velocities are up to 10 m/s.
        assert apart.min() >= -1e-9
        assert np.abs(impulse * apart).max() <= 1e-9
        opened += int((apart > 1e-6).sum())
        assert kinetic[1] <= kinetic[0] * (1 + 1e-12)
    assert opened > 20


def test_golden_run_without_pegs() -> None:
    world = sp.World(friction=GROUND, contact_at="centre")
    run = sp.simulate(robot(), world, FOLLOW, 2.0, start=START, solver="hybrid")
    # From another implementation, whose regularisation is not known; its own tolerance is 1e-3.
    np.testing.assert_allclose(run.centre_of_mass()[-1], [-0.0159, -0.0029], atol=2e-4)
    assert run.columns["theta"][-1, -1] == pytest.approx(1.0104, abs=1e-3)
    newton = sp.simulate(robot(), world, FOLLOW, 2.0, start=START)
    np.testing.assert_allclose(run.columns["theta"], newton.columns["theta"], atol=2e-3)
    assert abs(run.columns["energy_residual"]).max() < 1e-6


def free_run(tolerance: float) -> sp.Trajectory:
    """A chain without friction that turns and bends, from a push at the start."""
    start = sp.Start(
        heading_deg=THETA_DEG.mean(),
        joint_angles_deg=tuple(np.diff(THETA_DEG)),
        velocity=(0.3, -0.1),
        spin_deg=100.0,
    )
    # A long step leaves the choice of the integrator's steps to its error control.
    clock = {"time_step": 0.5, "record_period": 0.5}
    solver = sp.Hybrid(tolerance=tolerance)
    return sp.simulate(robot(sp.Free()), None, None, 1.0, start=start, solver=solver, **clock)


def test_energy_and_momentum_are_kept_without_friction() -> None:
    run = free_run(1e-10)
    c = run.columns
    energy = c["energy_kinetic"]
    assert np.ptp(energy) < 1e-8 * energy[0]
    np.testing.assert_allclose(np.ptp(c["vx"].mean(axis=1)), 0.0, atol=1e-14)
    spin = (c["x"] * c["vy"] - c["y"] * c["vx"] + 0.0016 * c["omega"]).sum(axis=1)
    assert np.ptp(spin) < 1e-8 * abs(spin[0])


def test_error_follows_the_tolerance() -> None:
    exact = free_run(1e-13).columns["theta"][-1]
    errors = [abs(free_run(tol).columns["theta"][-1] - exact).max() for tol in (1e-5, 1e-8)]
    # Error per step of order h^5: at most tolerance^(4/5) over the run, a factor 250 here.
    assert errors[0] > 100 * errors[1] > 0.0
    assert errors[0] < 1e-3


@pytest.mark.parametrize("where", ["centre", "outline"])
def test_a_link_that_strikes_a_peg_stops_there(where: str) -> None:
    block = sp.Robot.uniform(1, length=0.2, mass=1.0, radius=0.02)
    world = sp.World(pegs=[sp.Peg(0.0, 0.2, 0.05)], contact_at=where)
    # Contact on the outline off the centre would turn the link.
    across = 0.05 if where == "centre" else 0.0
    start = sp.Start(velocity=(across, 0.5))
    run = sp.simulate(block, world, None, 0.6, start=start, solver="hybrid")
    reach = 0.15 if where == "centre" else 0.13
    # It slides along the peg; events are located within 1e-8 s.
    assert run.columns["y"][-1, 0] == pytest.approx(reach, abs=1e-7)
    assert run.columns["vx"][-1, 0] == pytest.approx(across, abs=1e-9)
    assert run.events[0, 0] == pytest.approx(reach / 0.5, abs=1e-7)
    assert run.events[0, 1:].tolist() == [STRUCK, 0, 0]
    assert run.energy()["impact"] == pytest.approx(-0.125, abs=1e-9)


@pytest.mark.parametrize(("mu", "slides"), [(0.9, True), (1.1, False)])
def test_contact_sticks_below_its_bound(mu: float, slides: bool) -> None:
    block = sp.Robot.uniform(1, length=0.2, mass=1.0, radius=0.02)
    world = sp.World(
        pegs=[sp.Peg(0.0, -0.05, 0.05)],
        contact=sp.Contact(friction=mu),
        contact_at="centre",
        slope_deg=20.0,
        slope_direction_deg=-45.0,
    )
    run = sp.simulate(block, world, None, 0.3, solver="hybrid", start=sp.Start(y=-1e-3))
    pull = 9.81 * np.sin(np.radians(20.0)) / np.sqrt(2.0)
    path = 0.5 * (1 - mu) * pull * 0.3**2 if slides else 0.0
    assert run.columns["x"][-1, 0] == pytest.approx(path, abs=1e-6)
    assert run.columns["contact_force"][-1, 0, 1] == pytest.approx(pull, rel=1e-6)


def test_contacts_that_hold_a_link_too_often_share_the_load() -> None:
    block = sp.Robot.uniform(1, length=0.2, mass=1.0, radius=0.02)
    world = sp.World(
        pegs=[sp.Peg(x, -0.07, 0.05) for x in (-0.06, 0.06)],
        contact=sp.Contact(friction=1.0),
        slope_deg=20.0,
        slope_direction_deg=-75.0,
    )
    run = sp.simulate(block, world, None, 0.3, solver="hybrid")
    angle = np.radians(75.0)
    pull = 9.81 * np.sin(np.radians(20.0)) * np.array([np.cos(angle), -np.sin(angle)])
    # Two sticking contacts: four constraints on the three coordinates of a link.
    np.testing.assert_allclose(run.columns["contact_force"][-1, 0], -pull, rtol=1e-6)
    assert abs(run.columns["x"][-1, 0]) < 1e-6
    assert run.columns["unresolved_modes"].sum() == 0.0


# First contacts at 1.2 and 1.4 s. Without contact friction the runs are within 0.1 mm. With it, up
# to 1.4 mm: Newton's impacts have friction, the jump map has none.
@pytest.mark.parametrize("where", ["centre", "outline"])
@pytest.mark.parametrize(("mu", "apart"), [(0.0, 1e-4), (0.25, 3e-3)])
def test_follows_newton_through_a_field(where: str, mu: float, apart: float) -> None:
    world = field(where, mu)
    runs = [
        sp.simulate(robot(), world, FOLLOW, 2.0, start=START, solver=solver, time_step=dt)
        for solver, dt in (("hybrid", 1e-3), ("newton", 1e-4))
    ]
    assert abs(runs[0].centre_of_mass() - runs[1].centre_of_mass()).max() < apart
    hybrid = runs[0].columns
    assert (runs[0].events[:, 1] == STRUCK).sum() >= 2
    assert hybrid["law_residual"].max() < 1e-4
    assert hybrid["penetration"].max() < 1e-6
    assert abs(hybrid["energy_residual"]).max() < 1e-5


def field(where: str, mu: float = 0.25) -> sp.World:
    """A field of the statistics."""
    pegs = sp.fields.random_pegs(
        320, region=(-1, 4, -1, 3), radius=0.05, clearance=0.05, seed=0, keep_clear=_body()
    )
    return sp.World(friction=GROUND, pegs=pegs, contact=sp.Contact(friction=mu), contact_at=where)


def _body() -> list[tuple[float, float, float]]:
    """Discs that cover the robot at the start."""
    row = sp.simulate(robot(), None, None, 0.01, start=START).columns
    return [
        (float(x + s * np.cos(t)), float(y + s * np.sin(t)), 0.03)
        for x, y, t in zip(row["x"][0], row["y"][0], row["theta"][0], strict=True)
        for s in (-0.07, 0.0, 0.07)
    ]


@pytest.mark.parametrize("where", ["centre", "outline"])
@pytest.mark.parametrize("time_step", [1e-3, 0.02, 0.5])
def test_no_step_is_long_enough_to_pass_a_peg(where: str, time_step: float) -> None:
    block = sp.Robot.uniform(1, length=0.2, mass=1.0, radius=0.02)
    world = sp.World(
        pegs=[sp.Peg(0.0, -0.6, 0.03)],
        contact_at=where,
        slope_deg=20.0,
        slope_direction_deg=-90.0,
    )
    clock = {"time_step": time_step, "record_period": 0.5}
    run = sp.simulate(block, world, None, 1.0, solver="hybrid", **clock)
    assert run.columns["y"][-1, 0] == pytest.approx(-0.57 if where == "centre" else -0.55, abs=1e-6)
    assert run.events[:, 1].tolist() == [STRUCK]


def test_a_link_comes_from_the_side_where_it_is_when_it_touches() -> None:
    block = sp.Robot.uniform(1, length=0.2, mass=1.0, radius=0.02)
    world = sp.World(pegs=[sp.Peg(0.25, 0.02, 0.03)], contact_at="centre")
    start = sp.Start(velocity=(0.2, 0.0), spin_deg=60.0)
    ends = []
    for time_step in (1e-3, 0.01, 0.1):
        clock = {"time_step": time_step, "record_period": 0.1}
        run = sp.simulate(block, world, None, 1.2, start=start, solver="hybrid", **clock)
        assert run.events[0, 1] == STRUCK
        ends.append((run.events[0, 0], run.columns["y"][-1, 0], run.columns["theta"][-1, 0]))
    np.testing.assert_allclose(ends, [ends[0]] * 3, atol=1e-6)


def test_events_of_a_contact_do_not_repeat_themselves() -> None:
    run = sp.simulate(robot(), field("centre"), FOLLOW, 20.0, start=START, solver="hybrid")
    order = np.lexsort((run.events[:, 0], run.events[:, 3], run.events[:, 2]))
    time, kind, link, peg = run.events[order].T
    again = (np.diff(kind) == 0) & (np.diff(link) == 0) & (np.diff(peg) == 0)
    # Events are located to 1e-8 s.
    soon = again & (np.diff(time) < 1e-7)
    assert len(run.events) > 100
    # Now and then an event is found a little early, and once more.
    assert soon.sum() <= 0.05 * len(run.events)
    assert not (soon[1:] & soon[:-1]).any()
    assert run.columns["unresolved_modes"].sum() == 0.0


# Beyond some friction no modes may agree with forces and motion, and contacts are arrested.
@pytest.mark.parametrize("mu", [0.5, 1.5, 2.0])
def test_friction_never_gives_energy(mu: float) -> None:
    pegs = (sp.Peg(0.3, 0.2, 0.05), sp.Peg(-0.3, -0.2, 0.05), sp.Peg(0.0, 0.25, 0.05))
    world = sp.World(friction=sp.Coulomb(0.3), pegs=pegs, contact=sp.Contact(friction=mu))
    body = sp.Robot.uniform(
        5, length=0.14, mass=1.0, radius=0.02, inertia=0.0016, self_contact=False
    )
    gait = sp.Serpenoid(40, 80, 50)
    run = sp.simulate(body, world, gait, 3.0, solver="hybrid")
    works = np.diff(run.columns["energy_friction"] + run.columns["energy_impact"])
    assert works.max() <= 1e-6
    assert abs(run.columns["energy_residual"]).max() < 1e-3


def test_too_stiff_ground_is_said_so() -> None:
    world = sp.World(friction=sp.Coulomb(1e6))
    with pytest.raises(sp.SimulationStopped, match="a larger stick_speed"):
        sp.simulate(robot(), world, FOLLOW, 0.01, start=START, solver="hybrid")


def test_free_joints_take_no_torque() -> None:
    class Push:
        period = 0.01

        def command(self, _seen: sp.Observation) -> sp.Command:
            return sp.Command(torque=np.full(1, 0.5))

    pair = sp.Robot.uniform(2, length=0.2, mass=1.0, radius=0.02, actuator=sp.Free())
    run = sp.simulate(pair, None, Push(), 0.2, solver="hybrid")
    assert abs(run.columns["joint_angle"]).max() == 0.0
    assert abs(run.columns["joint_torque"]).max() == 0.0


def touched(run: sp.Trajectory) -> list[int]:
    """Links in the order in which they are pushed, each anew after a tenth of a second without."""
    pushed = abs(run.columns["contact_force"]).max(axis=2) > 0.5
    found = []
    for link in range(pushed.shape[1]):
        times = run.time[pushed[:, link]]
        new = np.diff(times, prepend=-1.0) > 0.1
        found += [(round(time, 2), link) for time in times[new]]
    return [link for _, link in sorted(found)]


@pytest.mark.parametrize(("where", "until", "least"), [("centre", 8.0, 25), ("outline", 8.0, 20)])
def test_same_contacts_as_newton_until_they_part(where: str, until: float, least: int) -> None:
    runs = [
        sp.simulate(robot(), field(where), FOLLOW, until, start=START, solver=solver, time_step=dt)
        for solver, dt in (("hybrid", 1e-3), ("newton", 1e-4))
    ]
    sequences = [touched(run) for run in runs]
    assert sequences[0] == sequences[1]
    assert len(sequences[0]) >= least
    # Impacts have friction in one and none in the other; after that the field pulls them together.
    assert abs(runs[0].centre_of_mass() - runs[1].centre_of_mass()).max() < 3e-3


def test_events_are_saved(tmp_path: Path) -> None:
    run = sp.simulate(robot(), field("centre"), FOLLOW, 2.0, start=START, solver="hybrid")
    assert len(run.events) > 0
    again = sp.load(run.save(tmp_path / "run.nc"))
    np.testing.assert_array_equal(again.events, run.events)


def test_continued_run_is_the_same_to_the_bit() -> None:
    whole, half = (
        sp.simulate(robot(), field("centre"), FOLLOW, duration, start=START, solver="hybrid")
        for duration in (3.0, 1.5)
    )
    rest = sp.simulate(robot(), field("centre"), FOLLOW, 1.5, start=half.state, solver="hybrid")
    # There are events on both sides.
    assert 0 < len(half.events) < len(whole.events)
    assert rest.state == whole.state


def test_chains_of_impacts_end() -> None:
    pegs = sp.fields.random_pegs(
        320, region=(-1, 4, -1, 3), radius=0.05, clearance=0.05, seed=1, keep_clear=_body()
    )
    world = sp.World(
        friction=GROUND, pegs=pegs, contact=sp.Contact(friction=0.25), contact_at="centre"
    )
    follow = sp.Follower(60, 40, 0.7) + sp.Heading(1.3, 0.7, PATH)
    run = sp.simulate(robot(), world, follow, 6.0, start=START, solver="hybrid")
    # Without the guards there are several thousand.
    assert 50 < len(run.events) < 2000
    assert run.columns["unresolved_modes"].sum() <= 0.005 * len(run.events)
    assert abs(run.columns["energy_residual"]).max() < 1e-3
