"""Solver 'explicit': the paper's method, checked against closed forms and its own invariants."""

import math

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.analysis.lagrange import equations_of_motion
from serpenoid.engine.assemble import pack_robot
from serpenoid.methods.euler_lagrange import accelerations, new_lagrange
from serpenoid.methods.linear_algebra import ROUNDING, cholesky
from tests.calling import called

SOFT = sp.Compliant(stiffness=350.0, damping=15.0)
STRAIGHT = (0.0,) * 5
RK4 = sp.Explicit(integrator="rk4")


def world(terrain: sp.Flat | sp.Stairs | None = None, gravity: float = 9.81) -> sp.World:
    return sp.World(plane="vertical", contact_at="axis", terrain=terrain, gravity=gravity)


def flat(mu: float = 0.82) -> sp.World:
    return world(sp.Flat(mu, contact=SOFT))


def test_free_flight_keeps_energy_to_order_four():
    robot = sp.robots.koopaee("half_length_007")
    loose = sp.Robot(
        robot.links,
        tuple(
            sp.Joint(
                sp.SeriesElastic(
                    stiffness=3.9,
                    kp=0.0,
                    kd=0.0,
                    gear_ratio=255.0,
                    rotor_inertia=1e-6,
                    rotor_mass=0.02,
                )
            )
            for _ in robot.joints
        ),
        self_contact=False,
    )
    start = sp.Start(
        joint_angles_deg=(20.0, -40.0, 30.0, 10.0, -25.0),
        joint_rates_deg=(300.0, -200.0, 100.0, 250.0, -150.0),
        velocity=(0.3, 0.5),
        spin_deg=90.0,
    )
    errors, ends = [], []
    for dt in (2e-3, 1e-3):
        run = sp.simulate(loose, world(), None, 0.4, start=start, time_step=dt, solver=RK4)
        errors.append(abs(run.energy()["residual"]))
        ends.append(run.columns["theta"][-1])
        # Gravity moves the centre of mass alone: a parabola, whatever the links do.
        t = run.time
        com = np.stack([0.3 * t, 0.5 * t - 9.81 * t**2 / 2], axis=1)
        np.testing.assert_allclose(run.centre_of_mass(), com, atol=1e-8)
        assert run.energy()["gravity"] == pytest.approx(-0.7 * 9.81 * com[-1, 1], rel=1e-6)
    assert math.log2(errors[0] / errors[1]) > 3.7
    fine = sp.simulate(loose, world(), None, 0.4, start=start, time_step=2.5e-4, solver=RK4)
    off = [np.abs(end - fine.columns["theta"][-1]).max() for end in ends]
    assert math.log2(off[0] / off[1]) == pytest.approx(4, abs=0.4)


def test_contacts_carry_the_weight_at_rest():
    run = sp.simulate(
        sp.robots.koopaee("as_printed"),
        flat(mu=0.0),
        None,
        20.0,
        start=sp.Start(joint_angles_deg=STRAIGHT),
        time_step=1e-4,
        record_period=0.1,
        solver="explicit",
    )
    force = run.columns["contact_force"][-1].sum(axis=0)
    assert force[1] == pytest.approx(6.867, abs=1e-8)
    assert abs(force[0]) < 1e-12
    assert run.energy()["kinetic"] < 1e-16


def test_works_of_contacts_explain_the_energy():
    """The power of the generalised contact forces is that of the forces at their points."""
    robot = sp.robots.koopaee("half_length_007")
    gait = sp.PedalWave(amplitude_deg=45, frequency_deg=180, phase_deg=-79.2)
    start = sp.Start(joint_angles_deg=STRAIGHT, y=0.002)
    found = []
    for dt in (2e-4, 1e-4):
        # Smooth friction, so that only the order of the integrator counts.
        method = sp.Explicit(integrator="rk4", stick_speed=0.05)
        run = sp.simulate(robot, flat(), gait, 2.0, start=start, time_step=dt, solver=method)
        energy = run.energy()
        found.append(abs(energy["residual"]))
        assert energy["contact_damper"] < -0.1
        assert energy["friction"] < -0.05
        works = ("actuator", "friction", "gravity", "spring", "contact_spring", "contact_damper")
        total = sum(energy[name] for name in works) + energy["residual"]
        assert energy["kinetic"] == pytest.approx(total, abs=1e-12)
        assert 0 < energy["rotor"] < energy["kinetic"]
    assert found[1] < 2e-5


def test_stiff_springs_tend_to_the_rigid_joint_linearly():
    robot = sp.robots.koopaee("half_length_007")
    start = sp.Start(joint_angles_deg=(30.0, -20.0, 10.0, 25.0, -15.0))

    def end(stiffness: float) -> np.ndarray:
        drive = sp.SeriesElastic(
            stiffness=stiffness,
            kp=2.0,
            kd=0.05,
            gear_ratio=20.0,
            rotor_inertia=1e-6,
            rotor_mass=0.02,
        )
        joints = tuple(sp.Joint(drive) for _ in robot.joints)
        made = sp.Robot(robot.links, joints, self_contact=False)
        spin = sp.Start(joint_angles_deg=start.joint_angles_deg, spin_deg=200.0)
        run = sp.simulate(
            made,
            world(gravity=0.0),
            None,
            0.2,
            start=spin,
            time_step=2e-5,
            record_period=2e-4,
            solver=RK4,
        )
        # The mean over the run, for the springs swing about what they tend to.
        return run.columns["theta"].mean(axis=0)

    rigid = end(math.inf)
    off = [np.abs(end(k) - rigid).max() for k in (100.0, 200.0, 400.0)]
    assert off[0] / off[1] == pytest.approx(2, rel=0.15)
    assert off[1] / off[2] == pytest.approx(2, rel=0.15)


def test_kernel_accelerations_solve_the_papers_equations():
    """One Euler step from rest to rest changes the rates by dt times M^-1 (motors - bias)."""
    robot = sp.robots.koopaee("as_printed")
    angles = np.array([30.0, -20.0, 10.0, 25.0, -15.0])
    start = sp.Start(joint_angles_deg=tuple(angles), heading_deg=12.0, spin_deg=50.0)
    dt = 1e-6
    gait = sp.PedalWave(amplitude_deg=20, frequency_deg=180, phase_deg=-60, start_deg=90)
    run = sp.simulate(
        robot, world(), gait, dt, start=start, time_step=dt, record_period=dt, solver="explicit"
    )
    theta, omega = run.columns["theta"], run.columns["omega"]
    alpha, spin = -np.radians(angles), np.radians(50.0)
    q = np.concatenate([alpha, [theta[0, -1], 0.0, 0.0], alpha])
    u = np.concatenate([np.zeros(5), [spin, 0.0, 0.0], np.zeros(5)])
    equations = equations_of_motion(robot, q, u)
    wanted, rates = -gait.angles(5), -gait.rates(5)
    motors = np.concatenate([np.zeros(8), 30 * (wanted - alpha) + 15 * rates])
    found = np.linalg.solve(equations.mass, motors - equations.bias)
    np.testing.assert_allclose(np.diff(-omega, axis=1)[1] * -1 / dt, -found[:5], rtol=1e-6)
    np.testing.assert_allclose(-run.columns["rotor_rate"][1] / dt, found[8:], rtol=1e-6)


def test_an_indefinite_mass_matrix_has_no_accelerations():
    robot = sp.Robot.uniform(2, length=0.1, mass=1.0, radius=0.02)
    body = pack_robot(robot)
    chain = new_lagrange(body.links, robot)
    chain.mass[...] = np.diag([1.0, -1.0, 1.0, 1.0])
    called(accelerations)(body.links, body.joints, chain, chain.slope[0])
    assert np.isnan(chain.slope[0]).all()


@pytest.mark.parametrize(
    ("matrix", "floor", "has_factor"),
    [
        ([[2.0, 1.0], [1.0, 2.0]], 0.0, True),
        ([[1.0, 1.0], [1.0, 1.0]], 0.0, False),
        ([[1.0, 1.0], [1.0, 1.0]], ROUNDING, True),
        ([[1.0, 2.0], [2.0, 1.0]], 0.0, False),
        ([[1.0, 0.0], [0.0, -1.0]], ROUNDING, False),
    ],
)
def test_which_matrices_have_a_cholesky_factor(matrix, floor, has_factor):
    lower = np.zeros((2, 2))
    assert called(cholesky)(np.array(matrix), lower, 2, floor) == has_factor


@pytest.mark.parametrize("method", ["explicit", RK4])
def test_a_step_too_large_is_refused_with_one_that_is_stable(method):
    robot, start = sp.robots.koopaee("as_printed"), sp.Start(joint_angles_deg=STRAIGHT)
    arguments = {"duration": 4.0, "start": start, "record_period": 1.0, "solver": method}
    words = r"time_step = 0\.02 is not allowed with solver 'explicit': .* at most ([\d.e-]+) s$"
    with pytest.raises(sp.InvalidInput, match=words) as refusal:
        sp.simulate(robot, flat(0.0), None, **arguments, time_step=0.02)
    largest = float(str(refusal.value).split()[-2])
    steps = math.ceil(1 / largest)
    run = sp.simulate(robot, flat(0.0), None, **arguments, time_step=1 / steps)
    assert run.columns["energy_kinetic"][-1] < 1e-6


def test_a_continued_run_is_the_same_to_the_bit():
    robot = sp.robots.koopaee("half_length_007")
    wave = sp.PedalWave(amplitude_deg=45, frequency_deg=180, phase_deg=-72)
    control = sp.Admittance(wave, 8.5)
    start = sp.Start(joint_angles_deg=STRAIGHT)
    options = {"time_step": 1e-4, "solver": "explicit"}
    whole = sp.simulate(robot, flat(), control, 1.0, start=start, **options)
    first = sp.simulate(robot, flat(), control, 0.5, start=start, **options)
    second = sp.simulate(robot, flat(), control, 0.5, start=first.state, **options)
    assert second.state == whole.state
    for name in ("x", "spring_torque", "joint_phase", "energy_contact_damper"):
        np.testing.assert_array_equal(second.columns[name], whole.columns[name][50:])


def test_speed_of_the_paper(tmp_path):
    """2.04 cm/s; an independent literal program of the paper's equations gives 2.029 after 20 s."""
    robot = sp.robots.koopaee("half_length_007")
    gait = sp.PedalWave(amplitude_deg=45, frequency_deg=180, phase_deg=-79.2)
    start = sp.Start(joint_angles_deg=STRAIGHT)
    run = sp.simulate(robot, flat(), gait, 20.0, start=start, time_step=1e-4, solver="explicit")
    assert 100 * run.mean_velocity()[0] == pytest.approx(2.0295, abs=0.002)
    again = sp.load(run.save(tmp_path / "run.nc"))
    np.testing.assert_array_equal(again.columns["spring_torque"], run.columns["spring_torque"])
    assert again.state == run.state
