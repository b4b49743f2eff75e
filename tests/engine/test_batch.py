"""Robots stepped, observed and commanded together move as each by itself."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import signal
import threading
import time

import numpy as np
import numpy.typing as npt
import pytest

import serpenoid as sp
from serpenoid.engine import threads
from serpenoid.engine.engine import Engine
from serpenoid.errors import InvalidInput, Overlap
from serpenoid.kernels import layout

Floats = npt.NDArray[np.float64]

SHAPE = np.degrees(sp.Serpenoid(-40, 80, -50).angles(10)).tolist()


class Bending:
    """A controller of Python code whose command depends on all it sees."""

    period = 0.02

    def __init__(self, size: float) -> None:
        self.size = size

    def command(self, seen: sp.Observation) -> sp.Command:
        wave = self.size * np.sin(3.0 * seen.time) * np.cos(0.8 * np.arange(10))
        felt = 0.001 * np.diff(seen.contact_force[:, 1]) + 0.01 * np.diff(seen.x * seen.vy)
        angle = np.radians(SHAPE) + wave + felt
        return sp.Command(angle, 0.1 * wave - 0.01 * seen.joint_rate, 0.2 * np.diff(seen.y))


def _commanded(**changes: object) -> sp.Scenario:
    """Aiko in its first shape between the pegs, without a controller."""
    base = sp.Scenario.load("aiko_pegs").plain()
    del base["controller"]
    changes = {"start.joint_angles_deg": SHAPE, "clock.duration": 0.6, **changes}
    return sp.Scenario.from_plain(base).changed(changes)


@pytest.mark.parametrize("threads", [1, 2])
def test_commands_are_those_of_a_python_controller(threads: int) -> None:
    sizes = (0.3, 0.4, 0.5)
    scenarios = [_commanded(**{"start.heading_deg": angle}) for angle in (4.9, 5.0, 5.1)]
    batch = sp.Batch(scenarios, threads=threads)
    joint = np.arange(10)
    for _ in range(30):
        seen = batch.observe()
        wave = np.array(sizes)[:, None] * np.sin(3.0 * seen.time)[:, None] * np.cos(0.8 * joint)
        felt = 0.001 * np.diff(seen.contact_force[:, :, 1]) + 0.01 * np.diff(seen.x * seen.vy)
        angle = np.radians(SHAPE) + wave + felt
        batch.command(angle, 0.1 * wave - 0.01 * seen.joint_rate, 0.2 * np.diff(seen.y))
        assert not batch.step(20).any()
    assert np.array_equal(batch.time, np.full(3, 600 * 1e-3))
    touched = False
    for b, (size, scenario) in enumerate(zip(sizes, scenarios, strict=True)):
        robot, world = scenario.built
        run = sp.simulate(robot, world, Bending(size), 0.6, start=scenario.start)
        assert batch.state(b) == run.state
        seen = batch.observe()
        for name in ("x", "y", "theta", "vx", "vy", "omega", "joint_angle", "joint_rate"):
            assert np.array_equal(getattr(seen, name)[b], run.columns[name][-1]), name
        assert {name: work[b] for name, work in batch.energy().items()} == run.energy()
        touched |= bool(run.columns["contact_force"].any())
    assert touched


def test_robots_with_controllers_of_their_own_step_as_in_runs() -> None:
    base = sp.Scenario.load("adaptive_path_following", {"clock.duration": 0.5})
    batch = sp.Batch([base, base.changed({"seed": 2, "start.heading_deg": -4.5})], threads=2)
    for count in (100, 1, 399):
        batch.step(count)
    for b, scenario in enumerate((base, base.changed({"seed": 2, "start.heading_deg": -4.5}))):
        assert batch.state(b) == scenario.run().state


def test_springs_are_felt() -> None:
    scenario = sp.Scenario.load("pedal_wave", {"clock.duration": 0.5})
    batch = sp.Batch([scenario])
    batch.step(500)
    run = scenario.run()
    assert np.array_equal(batch.observe().spring_torque[0], run.columns["spring_torque"][-1])


def test_a_robot_is_put_anew_in_another_world() -> None:
    scenarios = [_commanded(), _commanded(**{"friction.mu": 0.3})]
    batch = sp.Batch(scenarios, threads=1)
    batch.step(200)
    pegs = [{"x": 2.0 + 0.2 * k, "y": 1.0, "radius": 0.05} for k in range(30)]
    other = _commanded(
        **{"world": {"pegs": pegs, "contact": {"friction": 0.1}}, "start.y": 0.3, "start.x": 0.0}
    )
    for _ in range(3):
        batch.put(1, other)
        batch.step(300)
    assert list(batch.time) == pytest.approx([1.1, 0.3])
    assert batch.state(0) == _fast(scenarios[0], 1.1)
    assert batch.state(1) == _fast(other, 0.3)


def _fast(scenario: sp.Scenario, duration: float) -> sp.State:
    """The state after a run without a controller, as it was before the end's command to hold."""
    run = sp.simulate(*scenario.built, _Nothing(), duration, start=scenario.start)
    return run.state


class _Nothing:
    """Commands the first shape once."""

    period = 1000.0

    def command(self, _: sp.Observation) -> Floats:
        return np.radians(SHAPE)


def test_a_put_that_is_refused_changes_nothing() -> None:
    batch = sp.Batch([_commanded(), _commanded()])
    batch.step(50)
    before = batch.state(1)
    with pytest.raises(Overlap, match=r"^world.pegs\[0\] at .* overlaps link"):
        batch.put(1, _commanded(world={"pegs": [{"x": 0.38, "y": 0.15, "radius": 0.1}]}))
    for b in (0, 1):
        words = rf"^scenario {b} has number of links = 8, but the batch has 11; robots of one batch"
        with pytest.raises(sp.InvalidInput, match=words):
            batch.put(b, sp.Scenario.load("wheeled_snake"))
        words = rf"^scenario {b} has clock.time_step = 0.002, but the batch has 0.001; robots"
        with pytest.raises(sp.InvalidInput, match=words):
            batch.put(b, _commanded(**{"clock.time_step": 0.002}))
    with pytest.raises(sp.InvalidInput, match=r"^index = 2 is not allowed: the batch has robots 0"):
        batch.put(2, _commanded())
    assert batch.state(1) == before


def test_gaits_are_set_for_each_robot() -> None:
    base = sp.Scenario.load("aiko_pegs", {"clock.duration": 0.3})
    batch = sp.Batch([base] * 3)
    gaits = {
        "amplitude_deg": np.array([-30.0, -40.0, -50.0]),
        "frequency_deg": np.array([60.0, 80.0, 100.0]),
        "phase_deg": np.array([-40.0, -50.0, -60.0]),
        "offset_deg": np.array([1.0, 0.0, -1.0]),
    }
    shape = [batch.state(b).command[:, 0] for b in range(3)]
    batch.set_gait(**gaits)
    batch.step(300)
    for b in range(3):
        changes: dict[str, object] = {f"controller.{name}": v[b] for name, v in gaits.items()}
        changes["start.joint_angles_deg"] = np.degrees(shape[b]).tolist()
        run = base.changed(changes).run()
        assert np.array_equal(batch.observe().theta[b], run.columns["theta"][-1])


def test_a_wave_of_another_frequency_goes_on_where_it_is() -> None:
    stiff = sp.Scenario.load("aiko_flat", {"actuator": {"kind": "prescribed"}})
    batch = sp.Batch([stiff])
    batch.step(700)
    before = batch.observe().joint_angle
    batch.set_gait(frequency_deg=[200.0])
    batch.step(1)
    # At most a step of the faster wave.
    moved = np.abs(batch.observe().joint_angle - before).max()
    assert moved < np.radians(40) * np.radians(200) * 2e-3


def test_a_robot_that_fails_stays_until_it_is_put() -> None:
    base = sp.Scenario.load("aiko_pegs", {"solver.max_halvings": 1})
    wild = base.changed({"controller.frequency_deg": 4_000.0})
    batch = sp.Batch([base, wild], threads=2)
    status = batch.step(200)
    assert status[0] == 0
    assert status[1] > 0
    assert batch.reason(0) == ""
    with pytest.raises(sp.SimulationStopped) as single:
        wild.run()
    assert batch.reason(1) == str(single.value)
    there = batch.time[1]
    batch.step(10)
    assert batch.time[0] == pytest.approx(0.21)
    assert batch.time[1] == there
    batch.put(1, base)
    assert not batch.step(10).any()


def test_loads_are_seen() -> None:
    disc = {"kind": "disc", "x": 3.0, "y": 0.02, "mass": 0.5, "radius": 0.05, "velocity": [0.5, 0]}
    batch = sp.Batch([_commanded(**{"world.loads": [disc]})])
    batch.step(100)
    seen = batch.observe()
    assert seen.load_pose[0, 0] == pytest.approx([3.05, 0.02, 0.0])
    assert seen.load_velocity[0, 0] == pytest.approx([0.5, 0.0, 0.0])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"angle": np.zeros((2, 9))}, "angle has the shape (2, 9); it must be (2, 10)"),
        (
            {"rate": [["a"] * 10] * 2},
            "rate is not allowed: it must be numbers of shape (2, 10)",
        ),
        (
            {"torque": [[0.0] * 10, [0.0] * 9 + [np.nan]]},
            "torque[1, 9] = nan is not allowed: it must be a finite number",
        ),
    ],
)
def test_wrong_commands_are_told_in_a_sentence(given: dict[str, object], words: str) -> None:
    batch = sp.Batch([_commanded(), _commanded()])
    with pytest.raises(sp.InvalidInput) as caught:
        batch.command(**given)  # type: ignore[arg-type]
    assert str(caught.value) == words


def test_what_a_batch_refuses() -> None:
    gait = sp.Batch([sp.Scenario.load("aiko_flat")])
    with pytest.raises(sp.InvalidInput, match="of its own; make the batch with commanded=True"):
        gait.command()
    for count in (-1, 1.0, "3", None, 2**63, 10**30):
        with pytest.raises(sp.InvalidInput, match=r"^count = .* whole number from 0 to 1000000000"):
            gait.step(count)  # type: ignore[arg-type]
    with pytest.raises(sp.InvalidInput, match="has no gait of kind 'serpenoid'"):
        sp.Batch([_commanded()]).set_gait(amplitude_deg=[1.0])
    with pytest.raises(sp.InvalidInput, match="solver 'hybrid' is not allowed in a batch"):
        sp.Batch([_commanded(solver="hybrid")])
    with pytest.raises(sp.InvalidInput, match="it must be a Scenario"):
        gait.put(0, "aiko_flat")  # type: ignore[arg-type]


def test_a_robot_put_from_terrain_among_pegs_is_that_of_a_single_run():
    """What contacts of the old world left behind does not matter in the new one."""
    side = sp.Scenario.from_plain(
        {
            "robot": {"links": 4, "length": 0.1, "mass": 0.2, "radius": 0.02},
            "world": {
                "plane": "vertical",
                "terrain": {"kind": "flat", "friction": 0.3, "contact": {"kind": "hard"}},
            },
            "start": {"y": 0.02},
        }
    )
    pegs = [{"x": 0.1 * k, "y": 0.08, "radius": 0.02} for k in range(-2, 3)]
    above = sp.Scenario.from_plain(
        {
            "robot": {"links": 4, "length": 0.1, "mass": 0.2, "radius": 0.02},
            "world": {"pegs": pegs, "contact": {"friction": 0.5}},
            "start": {"velocity": [0.3, 0.5]},
        }
    )
    batch = sp.Batch([side])
    batch.step(50)
    batch.put(0, above)
    batch.step(200)
    single = sp.Batch([above])
    single.step(200)
    assert batch.state(0) == single.state(0)
    assert np.array_equal(batch.observe().contact_force, single.observe().contact_force)


def test_a_gait_that_is_refused_is_left_as_it_was():
    batch = sp.Batch([sp.Scenario.load("aiko_flat")] * 2)
    before = batch._engine.gaits.amplitude.copy()
    with pytest.raises(sp.InvalidInput, match="frequency_deg"):
        batch.set_gait(amplitude_deg=[10, 20], frequency_deg=[1, np.nan])
    assert np.array_equal(batch._engine.gaits.amplitude, before)


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_stops_a_long_step(threads: int) -> None:
    scenario = sp.Scenario.load("aiko_pegs")
    batch = sp.Batch([scenario] * 3, threads=threads)
    batch.step(10)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    begin = time.perf_counter()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        batch.step(10**9)
    # A tenth of a second or so; this machine may have other things to do.
    assert time.perf_counter() - begin < 5.0
    # Nobody steps on in the background.
    stopped = batch.time
    time.sleep(0.2)
    assert np.array_equal(batch.time, stopped)
    assert (stopped > 0.01).any()
    assert not batch.step(10).any()
    assert batch.time == pytest.approx(stopped + 0.01)
    batch.put(1, scenario)
    batch.step(300)
    fresh = sp.Batch([scenario])
    fresh.step(300)
    assert batch.state(1) == fresh.state(0)


def test_a_long_step_is_many_short_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    scenarios = [_commanded(**{"start.heading_deg": angle}) for angle in (4.9, 5.0, 5.1)]
    once, often = sp.Batch(scenarios), sp.Batch(scenarios)
    once.step(100)
    monkeypatch.setattr("serpenoid.engine.batch._CALL", 20)
    often.step(100)
    assert [once.state(b) for b in range(3)] == [often.state(b) for b in range(3)]
    assert once.time == pytest.approx(0.1)


@pytest.mark.parametrize("way", ["deepcopy", "pickle"])
def test_a_copy_of_a_batch_goes_on_by_itself(way: str) -> None:
    base = sp.Scenario.load("adaptive_path_following")
    batch = sp.Batch([base, base.changed({"seed": 2})], threads=2)
    batch.step(300)
    before = batch.state(1)
    other = copy.deepcopy(batch) if way == "deepcopy" else pickle.loads(pickle.dumps(batch))
    other.step(300)
    assert batch.state(1) == before
    batch.step(300)
    for b in range(2):
        assert batch.state(b) == other.state(b)
    assert np.array_equal(batch.observe().contact_force, other.observe().contact_force)
    other.put(0, base)
    assert (other.time[0], batch.time[0]) == (0.0, pytest.approx(0.6))


def test_a_copy_has_gaits_failures_and_room_as_they_are() -> None:
    base = sp.Scenario.load("aiko_pegs", {"solver.max_halvings": 1})
    batch = sp.Batch([base, base])
    batch.set_gait(frequency_deg=[90.0, 4_000.0])
    batch.step(200)
    other = copy.deepcopy(batch)
    assert other.reason(1) == batch.reason(1) != ""
    for each in (batch, other):
        each.step(200)
    assert batch.state(0) == other.state(0)
    assert other.time[1] == batch.time[1] < batch.time[0]


def test_threads_are_awaited_even_if_ctrl_c_is_pressed_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, done = threading.Event(), threading.Event()
    waited = threads.wait

    def wait(_others: object) -> object:
        monkeypatch.setattr(threads, "wait", waited)
        raise KeyboardInterrupt

    def work(first: int, _last: int) -> None:
        if threading.current_thread() is threading.main_thread():
            begun.wait()
            raise KeyboardInterrupt
        begun.set()
        time.sleep(0.3)
        done.set()

    monkeypatch.setattr(threads, "wait", wait)
    with pytest.raises(KeyboardInterrupt):
        threads.ThreadTeam(2).parallel_for(work, 2)
    assert threads.wait is waited
    assert done.is_set()


def test_one_interrupted_when_it_ran_out_of_room_has_not_failed() -> None:
    batch = sp.Batch([_commanded()])
    batch._engine.status[0] = layout.CONTACTS_FULL
    assert batch.status[0] == layout.DONE
    assert batch.reason(0) == ""
    batch.step()
    assert batch.status[0] == layout.DONE
    assert batch.time[0] == pytest.approx(1e-3)


def test_a_robot_that_cannot_move_stays_where_it_is() -> None:
    batch = sp.Batch([_commanded()])
    before = batch.state(0)
    batch._engine.body(0).links["omega"][3] = np.nan
    assert batch.step()[0] == layout.NOT_FINITE
    after = batch.state(0)
    assert np.array_equal(after.com, before.com)
    assert np.array_equal(after.theta, before.theta)


def test_a_copy_of_another_version_is_refused() -> None:
    batch = sp.Batch([_commanded()])
    state = batch._engine.__getstate__() | {"digest": "another"}
    with pytest.raises(InvalidInput, match="made by another version of serpenoid"):
        batch._engine.__setstate__(state)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own() -> None:
    batch = sp.Batch([_commanded()] * 4, threads=2)
    batch.step(5)
    child = multiprocessing.get_context("fork").Process(target=batch.step, args=(5,))
    child.start()
    child.join(30)
    ended = not child.is_alive()
    child.kill()
    assert ended
    assert child.exitcode == 0
    batch.step(5)
    assert batch.time[0] == pytest.approx(0.01)


def test_calls_are_as_short_for_long_robots(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = []
    advance = Engine.advance

    def counted(engine: Engine, first: int, last: int) -> None:
        counts.append(int((engine.target - engine.step)[first:last].sum()))
        advance(engine, first, last)

    monkeypatch.setattr(Engine, "advance", counted)
    # Links wider than they are long overlap those after the next.
    changes = {"robot.links": 500, "robot.length": 0.02, "robot.self_contact": False}
    long = sp.Scenario.load("wheeled_snake", changes)
    sp.Batch([long], threads=1).step(500)
    assert sum(counts) == 500
    assert max(counts) == 400  # some 130 ns a link: 30 ms


def test_it_says_what_it_is() -> None:
    assert repr(sp.Batch([_commanded()])) == "<Batch: 1 robots of 11 links>"
