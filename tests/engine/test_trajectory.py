"""The result of a run: what it holds, how it is continued, what is left of one that stops."""

from __future__ import annotations

import dataclasses
import json
import pickle
import platform
import re

import numpy as np
import pytest

import serpenoid as sp
from tests.engine.track import GAIT, START, TRACK, assert_same, on_track
from tests.sentences import refusal

# ----------------------------------------------------------------------------------- dataset

LINK, JOINT, AXIS, ROW = ("time", "link"), ("time", "joint"), ("time", "link", "axis"), ("time",)
DOCUMENTED = {
    **dict.fromkeys(("x", "y"), (LINK, "m")),
    "theta": (LINK, "rad"),
    **dict.fromkeys(("vx", "vy"), (LINK, "m/s")),
    "omega": (LINK, "rad/s"),
    **dict.fromkeys(("joint_angle", "joint_reference"), (JOINT, "rad")),
    "joint_rate": (JOINT, "rad/s"),
    "joint_torque": (JOINT, "N m"),
    **dict.fromkeys(("contact_force", "friction_force"), (AXIS, "N")),
    "sticking": (LINK, "1"),
    **{
        f"energy_{name}": (ROW, "J")
        for name in (
            "actuator",
            "friction",
            "impact",
            "damping",
            "gravity",
            "numerical",
            "residual",
            "kinetic",
        )
    },
    **dict.fromkeys(("iterations", "multiplier_updates", "halvings"), (ROW, "1")),
    "law_residual": (ROW, "m/s"),
    **dict.fromkeys(("penetration", "hinge_gap"), (ROW, "m")),
    "step_energy_residual": (ROW, "J"),
}


def test_a_run_shows_itself_in_one_line(run):
    assert repr(run) == f"<Trajectory {run}>"
    assert len(repr(run)) < 120


def test_dataset_has_all_variables_with_dimensions_and_units(run):
    found = {name: (v.dims, v.attrs["units"]) for name, v in run.dataset.data_vars.items()}
    assert found == DOCUMENTED
    assert dict(run.dataset.sizes) == {"time": 101, "link": 11, "joint": 10, "axis": 2}


def test_dataset_names_everything_in_words(run):
    for name, variable in run.dataset.data_vars.items():
        assert len(variable.attrs["long_name"]) > 5, name
    assert run.dataset["time"].attrs["units"] == "s"
    assert list(run.dataset["axis"].values) == ["x", "y"]
    np.testing.assert_array_equal(run.dataset["link"], np.arange(11))
    np.testing.assert_array_equal(run.dataset["joint"], np.arange(10))


def test_dataset_says_where_it_comes_from(run):
    attributes = run.dataset.attrs
    assert attributes["serpenoid_version"] == sp.__version__
    assert platform.machine() in attributes["platform"]
    assert platform.python_version() in attributes["platform"]
    scenario = json.loads(attributes["scenario"])
    assert scenario["robot"]["name"] == "Aiko"
    assert scenario["friction"]["mu"] == 0.2
    assert len(scenario["world"]["pegs"]) == 7
    assert scenario["controller"]["amplitude_deg"] == -40.0
    assert scenario["solver"]["kind"] == "newton"
    assert scenario["clock"] == {"time_step": 1e-3, "duration": 1.0}
    assert scenario["record"] == {"period": 0.01, "contacts": False}
    assert scenario["seed"] == 7


def test_columns_belong_together(run):
    c = run.columns
    np.testing.assert_allclose(c["time"], 0.01 * np.arange(101), atol=1e-12)
    np.testing.assert_array_equal(c["joint_angle"], np.diff(c["theta"], axis=1))
    np.testing.assert_array_equal(c["joint_rate"], np.diff(c["omega"], axis=1))
    assert c["hinge_gap"].max() < 1e-14  # m: the hinges close by construction
    assert c["penetration"].max() <= 5e-5  # m: the solver's own limit
    assert c["law_residual"].max() <= 1e-6  # m/s: its tolerance
    assert np.abs(c["contact_force"]).max() > 1.0  # N: it does push on pegs
    assert c["sticking"].any()
    assert not c["sticking"].all()


def test_robot_and_world_come_back(run):
    assert run.robot == sp.robots.aiko()
    assert run.world == TRACK


def test_forces_explain_the_motion(run):
    """Mean contact and friction force of each interval: mass times change of velocity."""
    c = run.columns
    mass = np.array([link.mass for link in run.robot.links])
    force = (c["contact_force"] + c["friction_force"]).sum(axis=1)[1:]
    for k, name in enumerate(("vx", "vy")):
        np.testing.assert_allclose(force[:, k] * 0.01, np.diff(c[name] @ mass), atol=1e-9)


def test_summaries(run):
    com = run.centre_of_mass()
    np.testing.assert_allclose(run.mean_velocity(), com[-1] - com[0], atol=1e-12)
    part = run.mean_velocity(start=0.2, end=0.7)
    np.testing.assert_allclose(part, (com[70] - com[20]) / 0.5, atol=1e-12)
    assert run.displacement() == pytest.approx(np.hypot(*(com[-1] - com[0])))
    assert run.energy()["friction"] == run.columns["energy_friction"][-1]
    assert re.fullmatch(
        r"Aiko, 0 s to 1 s: mean velocity \(.+\) cm/s, 101 rows, numerical <0.001 %", str(run)
    )


def test_times_outside_the_run_are_refused(run):
    words = "time = 1.1 is not allowed: this run lasts from 0 to 1 s"
    assert refusal(lambda: run.row(1.1)) == words
    words = "start = 0.5, end = 0.5 is not allowed: they must be different rows"
    assert refusal(lambda: run.mean_velocity(0.5, 0.5)) == words
    assert refusal(lambda: run.row("1")) == "time = '1' is not allowed: it must be a number"


def test_a_run_of_one_row_says_so(run):
    columns = {name: column[:1] for name, column in run.columns.items()}
    short = dataclasses.replace(run, columns=columns)
    assert ", 1 row, " in repr(short)
    assert refusal(short.mean_velocity) == (
        "a mean velocity needs at least two rows; this run has one"
    )


# ------------------------------------------------------------------------------ continuation


SHAPED = sp.Start(
    x=0.38, y=0.15, heading_deg=5.0, link=5, joint_angles_deg=np.degrees(GAIT.angles(10))
)


class Feedback:
    """A controller without memory that looks at everything it is shown."""

    period = 0.02

    def command(self, observation: sp.Observation) -> sp.Command:
        push = np.hypot(*observation.contact_force.T)
        angle = GAIT.angles(10, observation.time) + 1e-4 * (push[1:] - push[:-1])
        rate = GAIT.rates(10, observation.time)
        return sp.Command(angle=angle - 1e-3 * observation.joint_rate, rate=rate)


def assert_continues(whole, first, second) -> None:
    """The two parts are the whole, to the bit; the common row once from either part."""
    for name, column in whole.columns.items():
        rows = len(first.time)
        np.testing.assert_array_equal(column[:rows], first.columns[name], err_msg=name)
        np.testing.assert_array_equal(column[rows:], second.columns[name][1:], err_msg=name)
    assert whole.state == second.state


@pytest.mark.parametrize("split", [0.01, 0.3, 1.48, 1.99])
@pytest.mark.parametrize("stored", [False, True], ids=["kept", "saved"])
def test_split_run_is_the_whole_run(tmp_path, split, stored):
    whole, first = on_track(2.0), on_track(split)
    state = sp.load(first.save(tmp_path / "first.nc")).state if stored else first.state
    second = on_track(round(2.0 - split, 2), start=state)
    assert_continues(whole, first, second)
    assert np.abs(whole.columns["contact_force"]).max() > 1.0


@pytest.mark.parametrize("split", [0.02, 0.5, 1.0])
def test_split_run_with_a_python_controller_is_the_whole_run(split):
    whole = on_track(1.5, SHAPED, Feedback())
    first = on_track(split, SHAPED, Feedback())
    second = on_track(round(1.5 - split, 2), start=first.state, controller=Feedback())
    assert_continues(whole, first, second)


def test_command_is_carried_on_when_split_between_ticks():
    class Slow(Feedback):
        period = 0.1

    whole = on_track(0.5, SHAPED, Slow())
    first = on_track(0.25, SHAPED, Slow())
    assert_continues(whole, first, on_track(0.25, first.state, Slow()))


@pytest.mark.parametrize(
    "world",
    [
        sp.World(
            sp.Coulomb(0.2) + sp.SpinCoulomb(0.2, 0.02),
            pegs=sp.fields.aiko_track(),
            contact=sp.Contact(friction=0.3, restitution=0.3),
        ),
        sp.World(sp.OrthotropicCoulomb(0.1, 0.3) + sp.Viscous(1.0, 1.0), slope_deg=5.0),
    ],
    ids=["gripping pegs", "slope"],
)
def test_split_run_under_other_laws_is_the_whole_run(world):
    def go(duration, start):
        return sp.simulate(sp.robots.aiko(), world, GAIT, duration, start=start)

    first = go(0.5, START)
    assert_continues(go(1.0, START), first, go(0.5, first.state))


def test_held_shape_is_carried_on():
    """Without a controller the start shape is held; a continued run holds the same one."""
    robot = sp.Robot.uniform(4, length=0.1, mass=1.0, radius=0.03)
    start = sp.Start(joint_angles_deg=(20.0, -30.0, 40.0), joint_rates_deg=(300.0, 0.0, -200.0))

    def go(duration, start):
        return sp.simulate(robot, sp.World(sp.Coulomb(0.1)), None, duration, start=start)

    first = go(0.05, start)
    assert_continues(go(0.5, start), first, go(0.45, first.state))


def test_split_run_with_prox_is_the_whole_run():
    prox = sp.Prox(r_normal=0.2)
    first = on_track(0.2, solver=prox)
    assert_continues(
        on_track(0.5, solver=prox), first, on_track(0.3, start=first.state, solver=prox)
    )


# ----------------------------------------------------------------------------------- stopping

HASTY = sp.Newton(max_iterations=1, max_updates=1, max_halvings=1)


def test_run_that_cannot_go_on_keeps_what_it_has(tmp_path):
    """Prescribed joints that want to straighten a robot longer than its box is wide."""
    robot = sp.Robot.uniform(3, length=0.2, mass=1.0, radius=0.02, actuator=sp.Prescribed())
    box = sp.Wall(((-0.2, -0.2), (0.2, -0.2), (0.2, 0.2), (-0.2, 0.2), (-0.2, -0.2)))

    class Straighten:
        period = 0.01

        def command(self, observation):
            return sp.Command(angle=[np.pi / 2 - observation.time] * 2, rate=[-1.0, -1.0])

    with pytest.raises(sp.SimulationStopped) as stopped:
        sp.simulate(
            robot,
            sp.World(walls=[box]),
            Straighten(),
            1.5,
            start=sp.Start(joint_angles_deg=(90.0, 90.0), joint_rates_deg=(-57.3, -57.3)),
        )
    run = stopped.value.run
    message = str(stopped.value)
    place = r"contact of link [012] with world\.walls\[0\] between \S+ \S+ and \S+ \S+ m"
    assert re.match(rf"stopped at t = 0\.\d+ s, {place}: .+; try .+", message)
    assert 0.1 < run.time[-1] < 1.5
    assert run.time[-1] <= run.state.time <= run.time[-1] + 0.01
    assert np.isfinite(run.columns["x"]).all()
    assert run.columns["penetration"].max() <= 5e-5
    assert_same(run, sp.load(run.save(tmp_path / "partial.nc")))


def test_solver_without_patience_says_so():
    with pytest.raises(sp.SimulationStopped, match=r"^stopped at t = .+ did not converge") as stop:
        on_track(1.0, solver=HASTY)
    assert stop.value.run.robot == sp.robots.aiko()


def test_stopped_run_is_the_beginning_of_the_whole_run():
    """Interrupted from the keyboard, here through the progress callback."""
    seen = []

    def progress(time: float) -> None:
        seen.append(time)
        if time > 0.25:
            raise KeyboardInterrupt

    with pytest.raises(sp.SimulationStopped, match=r"^interrupted at t = .+ s$") as stop:
        on_track(2.0, progress=progress)
    run, whole = stop.value.run, on_track(2.0)
    assert 0.25 < run.state.time < 2.0
    assert run.state.time == seen[-1]
    for name, column in run.columns.items():
        np.testing.assert_array_equal(column, whole.columns[name][: len(run.time)], err_msg=name)
    rest = on_track(2.0 - run.time[-1], start=run.state)
    assert rest.state == whole.state


def test_interrupt_inside_a_controller_keeps_the_run():
    class Impatient(Feedback):
        def command(self, observation):
            if observation.time > 0.3:
                raise KeyboardInterrupt
            return super().command(observation)

    with pytest.raises(sp.SimulationStopped, match=r"^interrupted at t = 0\.32 s$") as stop:
        on_track(1.0, SHAPED, Impatient())
    assert stop.value.run.time[-1] == pytest.approx(0.32)


def test_progress_ends_at_the_end():
    seen = []
    on_track(0.5, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(0.5)


def test_run_continued_without_its_gait_holds_the_last_commanded_shape():
    gait = sp.Serpenoid(amplitude_deg=20, frequency_deg=90, phase_deg=-40)
    robot = sp.robots.aiko()
    first = sp.simulate(robot, sp.World(friction=sp.Coulomb(0.2)), gait, 0.5)
    rest = sp.simulate(robot, first.world, duration=1.0, start=first.state)
    # Kp 800 N m/rad holds within the play that friction leaves.
    np.testing.assert_allclose(rest.columns["joint_angle"][-1], gait.angles(10, 0.5), atol=2e-3)


def test_continued_run_may_be_recorded_at_another_period():
    robot = sp.robots.aiko()
    world = sp.World(friction=sp.Coulomb(0.2))
    first = sp.simulate(robot, world, GAIT, 0.01)
    rest = sp.simulate(robot, world, GAIT, 0.04, start=first.state, record_period=0.02)
    np.testing.assert_allclose(rest.time, [0.01, 0.03, 0.05])
    assert rest.state.step == 50


def test_stopped_run_ends_with_a_whole_step():
    """A step may fail after some of its halves; the state is then that before the step."""
    robot = sp.Robot.uniform(1, length=0.2, mass=1.0, radius=0.01)
    world = sp.World(pegs=(sp.Peg(0.0, 0.0, 0.001),))
    start = sp.Start(x=-0.15, y=0.05, heading_deg=40, velocity=(20.0, 0.0), spin_deg=3e3)
    solver = sp.Newton(max_halvings=1, max_penetration=1e-7)
    with pytest.raises(sp.SimulationStopped) as stopped:
        sp.simulate(robot, world, None, 0.1, start=start, record_period=1e-3, solver=solver)
    run = stopped.value.run
    assert run.state.time == pytest.approx(run.time[-1], abs=1e-12)
    np.testing.assert_array_equal(run.state.theta, run.columns["theta"][-1])
    again = sp.simulate(
        robot, world, None, run.state.time, start=start, record_period=1e-3, solver=solver
    )
    assert again.state == run.state


def test_stopped_run_comes_back_from_another_process():
    start = sp.Start(spin_deg=1e9)
    with pytest.raises(sp.SimulationStopped) as stopped:
        sp.simulate(sp.robots.aiko(), duration=0.1, start=start)
    copy = pickle.loads(pickle.dumps(stopped.value))
    assert str(copy) == str(stopped.value)
    assert copy.run.state.step == 0


def test_failing_controller_keeps_the_run():
    class Broken:
        period = 0.01

        def command(self, observation):
            if observation.time > 0.1:
                raise RuntimeError("no battery")
            return np.zeros(10)

    with pytest.raises(sp.ControllerError, match=r"line \d+: RuntimeError: no battery") as failed:
        sp.simulate(sp.robots.aiko(), controller=Broken(), duration=1.0)
    assert failed.value.run is not None
    assert failed.value.run.time[-1] == pytest.approx(0.11)


def test_first_contact_force_after_a_gait_is_a_force(run):
    """Not the impulse of the whole run before."""
    seen = []

    class Watch:
        period = 0.01

        def command(self, observation):
            seen.append(np.abs(observation.contact_force).max())
            return observation.joint_angle

    on_track(0.05, run.state, Watch())
    assert seen[0] == 0.0
    assert max(seen) < 500.0


def test_state_of_a_robot_of_other_weight_is_refused(run):
    heavy = sp.Robot.uniform(11, length=0.122, mass=3.0, radius=0.0525)
    words = "the state is that of another robot: its kinetic energy differs"
    assert refusal(lambda: sp.simulate(heavy, duration=0.1, start=run.state)) == words


def test_links_that_turn_too_fast_for_the_step_make_no_energy():
    """Re-closing the hinges may cost or give a little; where it would be more, steps are halved."""
    robot = sp.robots.aiko(sp.Free())
    rates = tuple(np.random.default_rng(0).uniform(-3000, 3000, 10))
    start = sp.Start(joint_rates_deg=rates)
    run = sp.simulate(robot, None, None, 0.5, start=start, time_step=0.01)
    kinetic = run.columns["energy_kinetic"]
    assert kinetic.max() < 1.05 * kinetic[0]
    assert run.columns["halvings"].sum() > 0
