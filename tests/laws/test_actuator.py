"""Joint actuators against closed forms, most of them on two equal links floating freely.

From rest or with opposite spins two such links stay mirror images: with the joint angle phi their
centres move on the line through both, at +-l cos(phi/2). So the kinetic energy is
I(phi) phi_dot^2 / 2 with I = J/2 + m l^2/2 sin(phi/2)^2, and a torque tau does the work tau d(phi).
"""

import numpy as np
import pytest

import serpenoid as sp

DT = 1e-3
MASS, LENGTH = 0.5, 0.2
INERTIA = MASS * LENGTH**2 / 12


def pair(actuator, **more):
    return sp.Robot.uniform(2, length=LENGTH, mass=MASS, radius=0.03, actuator=actuator, **more)


def reduced(phi):
    """I(phi), kg m2, l being half the length."""
    return INERTIA / 2 + MASS * (LENGTH / 2) ** 2 / 2 * np.sin(phi / 2) ** 2


def hold(degrees):
    """A gait that stands still at an angle."""
    return sp.Serpenoid(amplitude_deg=0, frequency_deg=0, phase_deg=0, offset_deg=degrees)


def straight(joints=1, **more):
    return sp.Start(joint_angles_deg=(0.0,) * joints, **more)


class Script:
    """A controller that answers with a function of the observation and keeps what it saw."""

    def __init__(self, answer, period=0.01):
        self.answer, self.period, self.seen = answer, period, []

    def command(self, observation):
        self.seen.append(observation)
        return self.answer(observation)


# ----------------------------------------------------------------------------------------- servo


def test_servo_reaches_and_keeps_a_constant_offset():
    robot = sp.Robot.uniform(
        4, length=LENGTH, mass=MASS, radius=0.03, actuator=sp.Servo(kp=20.0, kd=1.0)
    )
    run = sp.simulate(robot, sp.World(), hold(20), 5.0, start=straight(3))
    # The slowest mode decays with a time constant of a few kd/kp = 50 ms.
    np.testing.assert_allclose(run.columns["joint_angle"][-100:], np.radians(20), atol=1e-9)
    np.testing.assert_allclose(run.columns["joint_torque"][-1], 0.0, atol=1e-7)


def oscillation(time, inertia, damping, stiffness, start):
    """Free oscillation from rest."""
    rate = damping / (2 * inertia)
    omega = np.sqrt(stiffness / inertia - rate**2)
    return (
        start * np.exp(-rate * time) * (np.cos(omega * time) + rate / omega * np.sin(omega * time))
    )


def test_servo_makes_a_damped_oscillator():
    kp, kd, start = 0.5, 0.01, 0.01
    run = sp.simulate(
        pair(sp.Servo(kp=kp, kd=kd)),
        sp.World(),
        hold(0),
        0.4,
        time_step=1e-5,
        start=sp.Start(joint_angles_deg=(np.degrees(start),)),
    )
    exact = oscillation(run.time, INERTIA / 2, kd, kp, start)
    # 24 rad/s, 2.4 periods. The implicit servo is first order, omega dt = 2.4e-4 of the amplitude;
    # m l^2/2 sin(phi/2)^2 adds 7e-5 of it.
    np.testing.assert_allclose(run.columns["joint_angle"][:, 0], exact, atol=5e-4 * start)


def test_servo_at_a_coarse_step_is_an_oscillator_with_more_damping():
    # At the end of the step the torque is that of the midpoint, less kp dt/2 phi_dot, kd dt/2
    # phi_ddot. With that added to damping and inertia the scheme is of second order.
    kp, kd, start = 0.5, 0.01, 0.01
    errors = []
    for dt in (2e-3, 1e-3):
        run = sp.simulate(
            pair(sp.Servo(kp=kp, kd=kd)),
            sp.World(),
            hold(0),
            0.4,
            time_step=dt,
            start=sp.Start(joint_angles_deg=(np.degrees(start),)),
        )
        exact = oscillation(run.time, INERTIA / 2 + kd * dt / 2, kd + kp * dt / 2, kp, start)
        errors.append(np.abs(run.columns["joint_angle"][:, 0] - exact).max())
    assert errors[1] < 1e-3 * start  # (omega dt)^2 = 6e-4
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.3)


@pytest.mark.parametrize("dt", [1e-3, 1e-2])
def test_stiff_servo_of_aiko_is_stable(dt):
    gait = sp.Serpenoid(amplitude_deg=40, frequency_deg=80, phase_deg=-50)
    world = sp.World(friction=sp.Coulomb(0.2))
    run = sp.simulate(sp.robots.aiko(), world, gait, 10.0, time_step=dt, record_period=0.01)
    error = run.columns["joint_angle"] - run.columns["joint_reference"]
    # Kp 800 N m/rad under a few N m; the start from rest, 1 rad/s behind, adds 1 deg at first.
    late = np.abs(error[run.time > 1.0]).max()
    assert late < np.radians(0.5)
    assert np.abs(error).max() < np.radians(2.0)
    assert np.abs(run.columns["joint_torque"][run.time > 1.0]).max() < 5.0


SERVOS = [
    sp.Servo(kp=20.0, kd=0.3),
    sp.Servo(kp=200.0, kd=1.0, torque_limit=0.5),
    sp.Servo(kp=20.0, kd=0.0, deadband_deg=6.0),
    sp.Servo(kp=100.0, kd=0.5, torque_limit=0.4, deadband_deg=3.0),
]


@pytest.mark.parametrize("servo", SERVOS)
def test_servo_law_at_every_step(servo):
    # PD on angle and rate at the end of the step, a band of no torque in the middle, then the cut.
    robot = sp.Robot.uniform(5, length=0.1, mass=0.5, radius=0.03, actuator=servo)
    gait = sp.Serpenoid(amplitude_deg=40, frequency_deg=300, phase_deg=-60)
    world = sp.World(friction=sp.Coulomb(0.2))
    run = sp.simulate(robot, world, gait, 2.0, record_period=DT)
    c = {name: column[1:] for name, column in run.columns.items()}
    wanted_rate = np.array([gait.rates(4, t) for t in run.time[1:]])
    torque = servo.kp * (c["joint_reference"] - c["joint_angle"])
    torque += servo.kd * (wanted_rate - c["joint_rate"])
    idle = servo.kp * np.radians(servo.deadband_deg) / 2
    torque = np.sign(torque) * np.clip(np.abs(torque) - idle, 0.0, servo.torque_limit)
    # Same numbers by another way round: rounding only.
    np.testing.assert_allclose(c["joint_torque"], torque, atol=1e-9)
    assert np.abs(c["joint_torque"]).max() <= servo.torque_limit * (1 + 1e-12)
    if servo.torque_limit < np.inf:
        assert np.abs(c["joint_torque"]).max() == pytest.approx(servo.torque_limit, rel=1e-12)
    if servo.deadband_deg:
        assert (c["joint_torque"] == 0.0).mean() > 0.01


def assert_work_of_constant_torque(run, torque):
    """Kinetic energy I(phi) phi_dot^2 / 2 = torque phi, wherever the pair started straight."""
    phi, rate = run.columns["joint_angle"][:, 0], run.columns["joint_rate"][:, 0]
    # The scheme is of second order: (phi_dot dt)^2 = 1e-4 of the energy at 10 rad/s.
    np.testing.assert_allclose(
        reduced(phi) * rate**2 / 2, torque * phi, atol=1e-4 * torque * phi.max()
    )
    assert phi[-1] > 0.5


def test_saturated_servo_accelerates_as_its_limit_says():
    limit = 0.02
    servo = sp.Servo(kp=1000.0, kd=0.0, torque_limit=limit)
    run = sp.simulate(pair(servo), sp.World(), hold(90), 0.3, start=straight())
    assert run.columns["joint_angle"].max() < np.radians(89)
    np.testing.assert_allclose(run.columns["joint_torque"][1:], limit, rtol=1e-12)
    assert_work_of_constant_torque(run, limit)
    early = run.time <= 0.02
    exact = limit / (INERTIA / 2) * run.time[early] ** 2 / 2
    # As long as phi^2/4 m l^2/J is small, here 2e-5, the acceleration is constant.
    np.testing.assert_allclose(run.columns["joint_angle"][early, 0], exact, rtol=1e-4)


def test_deadband_does_nothing_inside():
    servo = sp.Servo(kp=100.0, kd=1.0, deadband_deg=4.0)
    run = sp.simulate(pair(servo), sp.World(), hold(1.99), 1.0, start=straight())
    assert not run.columns["joint_torque"].any()
    assert not run.columns["joint_angle"].any()


@pytest.mark.parametrize("wanted", [10.0, -10.0])
def test_deadband_leaves_half_its_width(wanted):
    # Overdamped and without load the joint creeps to an edge of the band, time constant kd/kp. (The
    # far one: the band is cut out of the whole PD torque, so only there the damping is balanced.)
    servo = sp.Servo(kp=20.0, kd=2.0, deadband_deg=3.0)
    run = sp.simulate(pair(servo), sp.World(), hold(wanted), 3.0, start=straight())
    left = np.degrees(run.columns["joint_reference"] - run.columns["joint_angle"])[-1, 0]
    assert abs(left) == pytest.approx(1.5, abs=1e-5)


# ---------------------------------------------------------------------------------- joint limits


@pytest.mark.parametrize("sign", [1, -1])
def test_servo_pushes_against_a_limit(sign):
    servo = sp.Servo(kp=30.0, kd=1.0)
    limits = (-20.0, 30.0)
    run = sp.simulate(
        pair(servo, limits_deg=limits), sp.World(), hold(sign * 40), 2.0, start=straight()
    )
    stop = np.radians(limits[1] if sign > 0 else limits[0])
    phi = run.columns["joint_angle"][:, 0]
    assert (sign * (phi - stop)).max() < 1e-6
    assert phi[-1] == pytest.approx(stop, abs=1e-6)
    torque = 30.0 * (sign * np.radians(40) - stop)
    assert run.columns["joint_torque"][-1, 0] == pytest.approx(torque, rel=1e-5)
    np.testing.assert_allclose(run.columns["omega"][-1], 0.0, atol=1e-6)


@pytest.mark.parametrize("spin", [0.0, 80.0])
def test_free_joint_stops_at_its_limit(spin):
    # Inelastic: all kinetic energy of the relative motion goes, angular momentum stays.
    start = sp.Start(joint_angles_deg=(0.0,), joint_rates_deg=(-200.0,), spin_deg=spin)
    robot = pair(sp.Free(), limits_deg=(-25.0, 10.0))
    run = sp.simulate(robot, sp.World(), None, 0.3, start=start, record_period=DT)
    phi, rate = run.columns["joint_angle"][:, 0], run.columns["joint_rate"][:, 0]
    assert phi.min() > np.radians(-25.0) - 1e-6
    hit = int(np.argmax(phi < np.radians(-25.0) + 1e-6))
    assert 1 < hit < 200
    arm = LENGTH / 2
    together = 2 * (INERTIA + MASS * (arm * np.cos(np.radians(12.5))) ** 2)
    momentum = 2 * (INERTIA + MASS * arm**2) * np.radians(spin)
    # The momentum is kept to dt^2. The joint stands, but for the centrifugal pull that straightens
    # a bent pair at up to 3 rad/s2.
    assert run.columns["omega"][hit + 1].mean() == pytest.approx(momentum / together, abs=1e-4)
    assert 0.0 <= rate[hit + 1] + 1e-9 < 3 * DT * (3.0 if spin else 1e-6)
    if spin == 0.0:
        np.testing.assert_allclose(run.columns["omega"][-1], 0.0, atol=1e-5)
        lost = INERTIA / 4 * np.radians(200) ** 2
        # Up to the energy the scheme loses on the way, of order (phi_dot dt)^2 per radian.
        assert run.energy()["impact"] == pytest.approx(-lost, rel=1e-3)
    assert np.diff(run.columns["energy_impact"]).max() < 1e-12
    assert np.abs(rate[: hit - 1]).min() > np.radians(100)


def test_limit_does_not_hold_a_joint_back():
    servo = sp.Servo(kp=20.0, kd=0.5)
    start = sp.Start(joint_angles_deg=(30.0,))
    free, limited = (
        sp.simulate(pair(servo, limits_deg=limits), sp.World(), hold(0), 0.3, start=start)
        for limits in (None, (-60.0, 30.0))
    )
    np.testing.assert_array_equal(free.columns["joint_angle"], limited.columns["joint_angle"])
    assert limited.energy()["impact"] == 0.0


def test_joint_leaves_its_limit_when_commanded_back():
    script = Script(lambda seen: [np.radians(50.0 if seen.time < 0.5 else 0.0)], period=0.1)
    robot = pair(sp.Servo(kp=20.0, kd=1.0), limits_deg=(-30.0, 30.0))
    straight = sp.Start(joint_angles_deg=(0.0,))
    run = sp.simulate(robot, sp.World(), script, 2.0, start=straight, record_period=0.1)
    phi = run.columns["joint_angle"][:, 0]
    assert phi[5] == pytest.approx(np.radians(30), abs=1e-6)
    assert phi[-1] == pytest.approx(0.0, abs=1e-6)


# ------------------------------------------------------------------------------------ prescribed

WAVE = sp.Serpenoid(amplitude_deg=40, frequency_deg=200, phase_deg=-50, offset_deg=5, start_deg=20)


@pytest.mark.parametrize("friction", [None, sp.Coulomb(0.3)])
@pytest.mark.parametrize("dt", [2e-3, 1e-3])
def test_prescribed_joints_follow_the_wave(dt, friction):
    robot = sp.Robot.uniform(6, length=0.1, mass=0.5, radius=0.03, actuator=sp.Prescribed())
    world = sp.World(friction=friction)
    run = sp.simulate(robot, world, WAVE, 2.0, time_step=dt, record_period=0.01)
    angles = np.array([WAVE.angles(5, t) for t in run.time])
    rates = np.array([WAVE.rates(5, t) for t in run.time])
    amplitude, omega = np.radians(40), np.radians(200)
    # The angle is exact after each step. The rate, the difference of two midpoints with it as their
    # mean, is off by dt^2 / 12 of the third derivative.
    assert np.abs(run.columns["joint_angle"] - angles).max() < 1e-12
    error = np.abs(run.columns["joint_rate"] - rates)[1:].max()
    assert error == pytest.approx(amplitude * omega**3 * dt**2 / 12, rel=0.05)
    np.testing.assert_allclose(run.columns["joint_reference"], angles, atol=1e-12)


def test_prescribed_torque_is_that_of_inverse_dynamics():
    run = sp.simulate(pair(sp.Prescribed()), sp.World(), WAVE, 1.0, record_period=DT)
    t = run.time[1:] - DT / 2  # the mean over a step belongs to its middle
    amplitude, omega, start = np.radians(40), np.radians(200), np.radians(20)
    phi = amplitude * np.sin(omega * t + start) + np.radians(5)
    rate = amplitude * omega * np.cos(omega * t + start)
    acceleration = -amplitude * omega**2 * np.sin(omega * t + start)
    torque = reduced(phi) * acceleration
    torque += MASS * (LENGTH / 2) ** 2 / 4 * np.sin(phi / 2) * np.cos(phi / 2) * rate**2
    # Second order, (omega dt)^2 = 1e-5; the first steps correct the dt^2/8 of the start pose.
    size = np.abs(torque).max()
    np.testing.assert_allclose(run.columns["joint_torque"][10:, 0], torque[9:], atol=1e-4 * size)


@pytest.mark.parametrize("friction", [sp.Coulomb(0.3), sp.Viscous(0.5, 5.0)])
def test_prescribed_motion_closes_the_energy_ledger(friction):
    robot = sp.Robot.uniform(6, length=0.1, mass=0.5, radius=0.03, actuator=sp.Prescribed())
    run = sp.simulate(robot, sp.World(friction=friction), WAVE, 2.0, record_period=DT)
    energy = run.energy()
    kinetic = run.columns["energy_kinetic"]
    needed = kinetic[-1] - kinetic[0] - energy["friction"] - energy["damping"]
    assert energy["actuator"] == pytest.approx(needed - energy["numerical"], abs=1e-9)
    assert abs(energy["residual"]) < 1e-9  # J, rounding
    assert abs(energy["numerical"]) < 1e-3 * energy["actuator"]  # vanishes with dt
    # The same work from the recorded torques: sum of torque times mean rate.
    rate = run.columns["joint_rate"]
    work = (DT * run.columns["joint_torque"][1:] * (rate[1:] + rate[:-1]) / 2).sum()
    assert energy["actuator"] == pytest.approx(work, rel=1e-9)
    assert energy["actuator"] > 0.1


# -------------------------------------------------------------------------- torque, free, servo +


@pytest.mark.parametrize("sign", [1, -1])
def test_constant_torque_does_its_work(sign):
    script = Script(lambda _: sp.Command(torque=[sign * 0.02]))
    run = sp.simulate(pair(sp.Torque()), sp.World(), script, 0.3)
    np.testing.assert_allclose(run.columns["joint_torque"][1:], sign * 0.02, rtol=1e-12)
    mirrored = {name: sign * run.columns[name] for name in ("joint_angle", "joint_rate")}
    phi, rate = mirrored["joint_angle"][:, 0], mirrored["joint_rate"][:, 0]
    np.testing.assert_allclose(reduced(phi) * rate**2 / 2, 0.02 * phi, atol=1e-4 * 0.02 * phi.max())
    early = run.time <= 0.02
    exact = 0.02 / (INERTIA / 2) * run.time[early]
    np.testing.assert_allclose(rate[early], exact, rtol=1e-3)
    assert run.energy()["actuator"] == pytest.approx(0.02 * phi[-1], rel=1e-4)
    # Both links turn by half of it, and the pair goes nowhere.
    np.testing.assert_allclose(run.columns["theta"].sum(axis=1), 0.0, atol=1e-9)
    np.testing.assert_allclose(run.centre_of_mass(), 0.0, atol=1e-12)


def test_torque_is_cut_at_its_limit():
    runs = [
        sp.simulate(pair(actuator), sp.World(), Script(lambda _, t=t: sp.Command(torque=[t])), 0.2)
        for actuator, t in ((sp.Torque(limit=0.01), 5.0), (sp.Torque(), 0.01))
    ]
    np.testing.assert_allclose(runs[0].columns["joint_torque"][1:], 0.01, rtol=1e-12)
    np.testing.assert_array_equal(runs[0].columns["joint_angle"], runs[1].columns["joint_angle"])


def test_servo_adds_a_commanded_torque():
    # At rest it gives way by torque / kp; nothing else loads the joint.
    script = Script(lambda _: sp.Command(angle=[0.2], torque=[0.5]))
    run = sp.simulate(pair(sp.Servo(kp=10.0, kd=1.0)), sp.World(), script, 3.0)
    assert run.columns["joint_angle"][-1, 0] == pytest.approx(0.2 + 0.05, abs=1e-6)
    assert run.columns["joint_torque"][-1, 0] == pytest.approx(0.0, abs=1e-6)


def test_torque_actuator_without_a_controller_is_idle():
    start = sp.Start(joint_rates_deg=(100.0,))
    torque, free = (
        sp.simulate(pair(actuator), sp.World(), None, 0.5, start=start)
        for actuator in (sp.Torque(), sp.Free())
    )
    np.testing.assert_array_equal(torque.columns["joint_angle"], free.columns["joint_angle"])


def test_free_joint_has_no_torque():
    start = sp.Start(joint_rates_deg=(200.0,))
    gait = sp.Serpenoid(amplitude_deg=40, frequency_deg=200, phase_deg=0)
    run = sp.simulate(pair(sp.Free()), sp.World(), gait, 0.5, start=start)
    assert not run.columns["joint_torque"].any()
    assert run.energy()["actuator"] == 0.0
    phi, rate = run.columns["joint_angle"][:, 0], run.columns["joint_rate"][:, 0]
    energy = reduced(phi) * rate**2 / 2
    # Second order: (phi_dot dt)^2 = 1e-5.
    np.testing.assert_allclose(energy, INERTIA / 4 * np.radians(200) ** 2, rtol=1e-4)
    assert phi[-1] > 0.8


# ------------------------------------------------------------------------------------ controllers


@pytest.mark.parametrize("as_what", [list, tuple, np.array, lambda v: sp.Command(angle=v)])
def test_controller_may_answer_with_any_array(as_what):
    script = Script(lambda _: as_what([0.1, -0.2]))
    robot = sp.Robot.uniform(3, length=0.1, mass=0.5, radius=0.03, actuator=sp.Servo(20.0, 1.0))
    run = sp.simulate(robot, sp.World(), script, 3.0)
    np.testing.assert_allclose(run.columns["joint_angle"][-1], [0.1, -0.2], atol=1e-6)
    np.testing.assert_allclose(run.columns["joint_reference"][1:], [[0.1, -0.2]] * 300)


def test_controller_is_asked_once_per_period():
    script = Script(lambda _: np.zeros(1), period=0.04)
    run = sp.simulate(pair(sp.Servo(20.0, 1.0)), sp.World(), script, 0.2, record_period=0.01)
    np.testing.assert_allclose([seen.time for seen in script.seen], [0, 0.04, 0.08, 0.12, 0.16])
    for seen in script.seen:
        row = int(np.abs(run.time - seen.time).argmin())
        for name in ("x", "y", "theta", "vx", "vy", "omega", "joint_angle", "joint_rate"):
            np.testing.assert_array_equal(getattr(seen, name), run.columns[name][row])


def test_command_is_carried_on_at_its_rate():
    script = Script(lambda seen: sp.Command(angle=[0.3 * seen.time], rate=[0.3]), period=0.1)
    run = sp.simulate(
        pair(sp.Prescribed()),
        sp.World(),
        script,
        0.5,
        start=sp.Start(joint_rates_deg=(np.degrees(0.3),)),
    )
    np.testing.assert_allclose(run.columns["joint_angle"][:, 0], 0.3 * run.time, atol=1e-12)
    np.testing.assert_allclose(run.columns["joint_rate"][:, 0], 0.3, atol=1e-9)


def test_held_command_without_a_rate_stands_still():
    script = Script(lambda seen: [0.3 * seen.time], period=0.1)
    run = sp.simulate(pair(sp.Servo(20.0, 1.0)), sp.World(), script, 0.5, record_period=0.02)
    steps = 0.03 * np.floor(np.round(run.time[1:-1] / 0.1, 9))
    ticks = np.isclose(run.time[1:-1] % 0.1, 0.0) | np.isclose(run.time[1:-1] % 0.1, 0.1)
    reference = run.columns["joint_reference"][1:-1, 0]
    np.testing.assert_allclose(reference[~ticks], steps[~ticks], atol=1e-12)


def test_controller_sees_the_mean_contact_force():
    # A block on a slope, at rest against a wall that carries its pull.
    script = Script(lambda _: [], period=0.05)
    block = sp.Robot.uniform(1, length=LENGTH, mass=MASS, radius=0.03)
    wall = sp.Wall(points=((-1.0, 0.0), (1.0, 0.0)))
    world = sp.World(walls=(wall,), slope_deg=10, slope_direction_deg=-90)
    run = sp.simulate(block, world, script, 0.2, start=sp.Start(y=0.03), record_period=0.05)
    pull = MASS * 9.81 * np.sin(np.radians(10))
    assert not script.seen[0].contact_force.any()
    for seen, row in zip(script.seen[1:], run.columns["contact_force"][1:], strict=False):
        np.testing.assert_allclose(seen.contact_force, [[0.0, pull]], atol=1e-5 * pull)
        np.testing.assert_allclose(seen.contact_force, row, atol=1e-12)
