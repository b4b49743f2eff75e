"""The explicit servo of the proximal point method [transeth2008 (43)(55)]."""

import numpy as np
import pytest

import serpenoid as sp

EXPLICIT = sp.Prox(explicit_servo=True)
DT = 1e-3


def joint(kp: float, kd: float) -> sp.Robot:
    """Two links and a servo."""
    servo = sp.Servo(kp=kp, kd=kd)
    return sp.Robot.uniform(2, length=0.1, mass=1.0, radius=0.02, actuator=servo)


def turned(solver: sp.Prox, time_step: float) -> np.ndarray:
    """Joint angle over 0.3 s after a start at 0.4 rad/s, on the way back to a bend of 0.2 rad."""
    start = sp.Start(joint_angles_deg=(11.5,), joint_rates_deg=(23.0,))
    run = sp.simulate(
        joint(0.05, 0.01),
        sp.World(),
        None,
        0.3,
        start=start,
        time_step=time_step,
        solver=solver,
        record_period=0.01,
    )
    return np.diff(run.columns["theta"], axis=1)[:, 0]


def test_it_agrees_with_the_implicit_servo_to_first_order_of_the_step():
    apart = [np.abs(turned(EXPLICIT, h) - turned(sp.Prox(), h)).max() for h in (2e-3, 1e-3, 5e-4)]
    assert apart[0] < 2e-3
    assert apart[0] / apart[1] == pytest.approx(2.0, rel=0.1)
    assert apart[1] / apart[2] == pytest.approx(2.0, rel=0.1)


@pytest.mark.parametrize("share", [0.5, 1.0, 1.9, 2.1])
def test_damping_is_stable_up_to_twice_the_inertia_over_the_step(share):
    """Each step takes kd dt / I of the rate away: 1.1 times the rate is left if that is 2.1.

    Two equal links in a straight line turn about their own centres, so I is half that of a link.
    """
    inertia = 0.5 * joint(0.0, 0.0).links[0].moment_of_inertia
    robot, start = joint(0.0, share * inertia / DT), sp.Start(joint_rates_deg=(0.01,))
    rates = {}
    for solver in (EXPLICIT, sp.Prox()):
        run = sp.simulate(
            robot, sp.World(), None, 0.05, start=start, solver=solver, record_period=DT
        )
        rates[solver] = np.diff(run.columns["omega"], axis=1)[:, 0]
    steps = np.arange(51)
    first = np.radians(0.01)
    np.testing.assert_allclose(
        rates[EXPLICIT], first * (1.0 - share) ** steps, rtol=1e-6, atol=1e-9 * first
    )
    np.testing.assert_allclose(
        rates[sp.Prox()], first * (1.0 + share) ** -steps, rtol=1e-6, atol=1e-9 * first
    )


@pytest.mark.parametrize(
    ("damping", "stiffness", "stable"),
    [(0.1, 3.7, True), (0.1, 3.9, False), (1.0, 1.9, True), (1.0, 2.1, False), (1.8, 0.5, False)],
)
def test_stiffness_counts_too(damping, stiffness, stable):
    """Stable if kd dt + kp dt^2 / 2 < 2 I; damping, stiffness: kd dt and kp dt^2 in units of I."""
    inertia = 0.5 * joint(0.0, 0.0).links[0].moment_of_inertia
    robot = joint(stiffness * inertia / DT**2, damping * inertia / DT)
    start = sp.Start(joint_rates_deg=(1e-6,))
    run = sp.simulate(robot, sp.World(), None, 0.05, start=start, solver=EXPLICIT, record_period=DT)
    rates = np.abs(np.diff(run.columns["omega"], axis=1)[:, 0])
    assert (rates[-10:].max() < rates[:10].max()) == stable


def test_the_gains_of_aiko_need_steps_well_below_a_millisecond():
    """As the page of the paper says of 800 N m/rad."""
    scenario = sp.Scenario.load("aiko_flat", {"clock.duration": 0.36, "solver": {"kind": "prox"}})
    explicit = {"solver.explicit_servo": True, "solver.r_normal": 0.2}
    calm = scenario.changed(explicit | {"clock.time_step": 2e-4}).run()
    error = np.abs(calm.columns["joint_angle"] - calm.columns["joint_reference"])
    assert np.degrees(error).max() < 1.0
    with pytest.raises(sp.SimulationStopped):
        scenario.changed(explicit | {"clock.time_step": 4e-4, "record.period": 4e-3}).run()
