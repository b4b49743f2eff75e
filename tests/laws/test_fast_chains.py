"""Free chains that turn fast: energy, angular momentum, and what a run says about its step."""

import warnings

import numpy as np
import pytest

import serpenoid as sp


def spinning(links, rate, dt=1e-3, bend=20.0):
    """A free chain that spins at a rate, rad/s, for two seconds."""
    link = {"length": 1.0 / links, "mass": 0.5, "radius": 0.02, "actuator": sp.Free()}
    robot = sp.Robot.uniform(links, **link, self_contact=False)
    start = sp.Start(spin_deg=np.degrees(rate), joint_angles_deg=(bend,) * (links - 1))
    return sp.simulate(robot, sp.World(), None, 2.0, start=start, time_step=dt)


def deviation(run):
    """Largest deviation of the kinetic energy from that at the start, relative."""
    kinetic = run.columns["energy_kinetic"]
    return np.abs(kinetic / kinetic[0] - 1.0).max()


def angular_momentum(run):
    """About the centre of mass, in every row, from the columns alone."""
    c, robot = run.columns, run.robot
    mass, inertia = robot.links[0].mass, robot.links[0].moment_of_inertia
    x, y = (c[k] - c[k].mean(axis=1, keepdims=True) for k in "xy")
    return (inertia * c["omega"] + mass * (x * c["vy"] - y * c["vx"])).sum(axis=1)


@pytest.mark.parametrize(("links", "rate"), [(2, 60.0), (3, 60.0), (10, 10.0), (10, 30.0)])
def test_a_free_chain_keeps_its_energy_at_the_default_step(links, rate):
    run = spinning(links, rate)
    assert deviation(run) < 0.01
    momentum = angular_momentum(run)
    assert np.abs(momentum / momentum[0] - 1.0).max() < 0.002
    assert run.advice == ""


def test_ten_links_at_60_rad_per_second_keep_their_energy_or_ask_for_a_smaller_step():
    """Some links whip at more than 200 rad/s, and their steps are halved."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = spinning(10, 60.0)
    assert deviation(run) < 0.03
    asked = [str(w.message) for w in caught if w.category is sp.RoughRun]
    assert asked == ([run.advice] if run.numerical_share > 0.01 else [])
    assert deviation(spinning(10, 60.0, dt=2.5e-4)) < 0.01


def test_a_run_that_loses_energy_to_its_step_says_so():
    with pytest.warns(sp.RoughRun, match="use a smaller time_step than 0.01 s"):
        run = spinning(10, 20.0, dt=1e-2)
    energy, kinetic = run.columns["energy_numerical"], run.columns["energy_kinetic"]
    assert run.numerical_share == pytest.approx(np.abs(energy).max() / kinetic.max())
    assert str(run).endswith(f"numerical {100 * run.numerical_share:.2g} %")


def test_a_batch_says_once_which_runs_lose_energy_to_their_step():
    run = spinning(10, 20.0, dt=5e-3)
    rates = [0.0, 20.0, np.degrees(40.0)]
    words = r"in 1 of 3 runs, runs\[2\] the first of them: use a smaller time_step than 0.005 s"
    with pytest.warns(sp.RoughRun, match=words) as caught:
        runs = sp.simulate_batch(run.scenario, {"start.spin_deg": rates})
    assert len(caught) == 1
    assert [bool(each.advice) for each in runs] == [False, False, True]


def test_the_share_counts_all_that_was_moved():
    run = sp.Scenario.load("aiko_pegs", {"clock.duration": 1.0}).run()
    works = ["actuator", "friction", "impact", "damping", "gravity"]
    moved = sum(abs(run.columns[f"energy_{name}"][-1]) for name in works)
    moved += run.columns["energy_kinetic"].max() + 0.5 * run.robot.mass * 1e-3**2
    wanted = np.abs(run.columns["energy_numerical"]).max() / moved
    assert run.numerical_share == pytest.approx(wanted, rel=1e-12)
    assert run.advice == ""


class Shaking:
    """A torque that friction can hold."""

    period = 0.01

    def command(self, observation: sp.Observation) -> sp.Command:
        return sp.Command(torque=[0.05 * np.sin(30 * observation.time)])


def test_a_robot_that_rests_is_not_rough():
    """Friction that holds it gives and takes nanojoules, which are all that is moved."""
    robot = sp.Robot.uniform(2, length=0.2, mass=1.0, radius=0.02, actuator=sp.Torque())
    world = sp.World(sp.Coulomb(0.5) + sp.SpinCoulomb(0.5, 0.05), slope_deg=20.0)
    assert sp.simulate(robot, world, Shaking(), 5.0).advice == ""
