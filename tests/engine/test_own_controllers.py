"""Controllers of one's own: named by source, made afresh, alone and as parts of others."""

import copy
import dataclasses
import sys
from pathlib import Path

import numpy as np
import pytest

import serpenoid as sp
from serpenoid import cli
from tests.control import own_controllers
from tests.control.own_controllers import Bend, Reflex
from tests.engine.track import assert_same
from tests.sentences import refusal

FILE = Path(own_controllers.__file__)
BASE = sp.Scenario.load("aiko_pegs", {"clock.duration": 0.5})
JOINTS = len(BASE.built[0].joints)
STRAIGHT = sp.Start(velocity=(0.0, 1.5), joint_angles_deg=(0.0,) * JOINTS)
REFLEX = sp.PythonController(f"{FILE.name}:Reflex", {"gain": 0.002}, folder=str(FILE.parent))
# Pegs that a robot hits which is thrown at them.
PEGS = tuple(sp.Peg(0.15 * k, 0.4, 0.03) for k in range(-4, 5))
WORLD = dataclasses.replace(BASE.world, field=None, pegs=PEGS)
THROWN = sp.Start(velocity=(0.0, 1.5))
SCENARIO = dataclasses.replace(BASE, controller=REFLEX, world=WORLD, start=THROWN)
TOML = SCENARIO.dumps()


def with_controller(controller, **changes):
    return dataclasses.replace(SCENARIO, controller=controller, **changes)


def same(one, two):
    assert_same(one, two)
    assert set(one.columns) == set(two.columns)


@pytest.fixture(scope="module")
def run():
    """The reference: the object itself, handed to `simulate`."""
    robot, world = SCENARIO.built
    return sp.simulate(robot, world, Reflex(0.002), 0.5, start=SCENARIO.start)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A scenario file with its controller beside it, as the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "reflex.py").write_text(FILE.read_text())
    text = TOML.replace(f'folder = "{FILE.parent}"\n', "").replace(FILE.name, "reflex.py")
    (tmp_path / "lab" / "mine.toml").write_text(text)
    return tmp_path / "lab"


class TestTheSameNumbers:
    def test_it_is_pushed_and_remembers(self, run):
        assert np.abs(run.columns["contact_force"]).max() > 1
        other = with_controller(dataclasses.replace(REFLEX, parameters={"gain": 0.0})).run()
        assert not np.array_equal(other.columns["theta"], run.columns["theta"])

    def test_by_source(self, run):
        robot, world = SCENARIO.built
        same(run, sp.simulate(robot, world, REFLEX, 0.5, start=SCENARIO.start))
        same(run, SCENARIO.run())
        # Made afresh: nothing is remembered from run to run.
        same(run, SCENARIO.run())
        module = sp.PythonController("tests.control.own_controllers:Reflex", {"gain": 0.002})
        same(run, with_controller(module).run())

    def test_from_a_file_wherever_it_is_run(self, run, folder, monkeypatch):
        same(run, sp.Scenario.load(folder / "mine.toml").run(allow_code=True))
        relative = sp.Scenario.load("lab/mine.toml", allow_code=True)
        monkeypatch.chdir("/")
        same(run, relative.run())
        monkeypatch.chdir(folder)
        same(run, sp.Scenario.loads(relative.dumps(), allow_code=True).run())

    def test_from_a_module_beside_the_file(self, run, folder):
        text = (folder / "mine.toml").read_text().replace("reflex.py:", "reflex:")
        (folder / "module.toml").write_text(text)
        before = list(sys.path)
        same(run, sp.Scenario.load(folder / "module.toml", allow_code=True).run())
        assert sys.path == before

    def test_on_the_command_line(self, run, folder, capsys):
        line = ["run", "lab/mine.toml", "--out", "runs"]
        assert cli.invoke([*line, "--allow-code"]) == 0
        stored = sp.load("runs/mine.nc")
        same(run, stored)
        assert cli.invoke(["verify", "runs/mine.nc", "--allow-code"]) == 0
        out = capsys.readouterr().out
        assert "bitwise equal" in out
        assert "has changed" not in out
        with (folder / "reflex.py").open("a") as file:
            file.write("\n# Another line.\n")
        assert cli.invoke(["verify", "runs/mine.nc", "--allow-code"]) == 0
        out = capsys.readouterr().out
        assert "reflex.py has changed since the run was made" in out
        assert "bitwise equal" in out
        changed = [*line, "--allow-code", "--set", "controller.parameters.gain=0.01"]
        assert cli.invoke(changed) == 0
        other = sp.load("runs/mine-controller.parameters.gain=0.01.nc")
        assert other.scenario.controller.parameters == {"gain": 0.01}
        assert not np.array_equal(other.columns["theta"], run.columns["theta"])

    def test_in_batches(self, run):
        gains = [0.002, 0.01, 0.002]
        runs = sp.simulate_batch(SCENARIO, {"controller.parameters.gain": gains}, threads=2)
        same(run, runs[0])
        same(run, runs[2])
        single = SCENARIO.changed({"controller.parameters.gain": 0.01}).run()
        same(single, runs[1])
        assert runs[0].attributes == SCENARIO.run().attributes
        batch = sp.Batch([SCENARIO, with_controller(None)], threads=2)
        batch.step(130)
        again = copy.deepcopy(batch)
        for each in (batch, again):
            each.step(370)
            assert each.state(0) == run.state
        batch.put(0, SCENARIO)
        batch.step(500)
        assert batch.state(0) == run.state

    def test_one_that_fails_in_a_batch_is_the_error_of_its_run(self):
        runs = sp.simulate_batch(SCENARIO, {"controller.parameters.gain": [0.002, "much"]})
        words = refusal(lambda: runs[1], sp.ControllerError)
        assert words.startswith("controller failed at t = 0 s in own_controllers.py, line ")
        assert len(runs[0].time) == 51
        broken = SCENARIO.changed({"controller.parameters.gain": "much"})
        batch = sp.Batch([SCENARIO, broken])
        assert refusal(batch.step, sp.ControllerError) == f"robot 1: {words}"

    def test_all_that_fail_in_a_batch_are_told_and_asked_again(self):
        broken = SCENARIO.changed({"controller.parameters.gain": "much"})
        batch = sp.Batch([broken, SCENARIO, broken, with_controller(WAVE)], threads=1)
        for _ in range(2):
            words = refusal(batch.step, sp.ControllerError).split("; ")
            assert [each.partition(" failed at t = 0 s")[0] for each in words] == [
                "robot 0: controller",
                "robot 2: controller",
            ]
            assert not batch.time.any()
        for b in (0, 2):
            batch.put(b, SCENARIO)
        # The one that answered was not asked once more.
        batch.step(500)
        assert batch.state(1) == batch.state(0) == SCENARIO.run().state


class TestTheShapeAtTheStart:
    def test_is_what_it_commands_at_the_start(self, run):
        wave = 0.5 * np.sin(-0.9 * np.arange(JOINTS)) + 1e-3
        np.testing.assert_allclose(run.columns["joint_angle"][0], wave, atol=1e-12)
        np.testing.assert_allclose(run.columns["joint_reference"][0], wave, atol=1e-12)

    def test_unless_the_start_has_a_shape(self):
        given = with_controller(REFLEX, start=STRAIGHT).run()
        assert np.abs(given.columns["joint_angle"][0]).max() < 1e-12

    def test_the_probe_leaves_no_trace(self):
        """An object is asked as often as it has ticks."""
        robot, world = SCENARIO.built
        live = Reflex(0.002)
        sp.simulate(robot, world, live, 0.5, start=SCENARIO.start)
        assert live.asked == 25

    def test_an_object_that_cannot_be_copied_starts_straight(self):
        class Single(Bend):
            def __deepcopy__(self, _memo):
                raise TypeError

        robot, world = SCENARIO.built
        for kind, angle in ((Single, 0.0), (Bend, np.radians(6.0))):
            made = sp.simulate(robot, world, kind(), 0.01, start=SCENARIO.start)
            np.testing.assert_allclose(made.columns["joint_angle"][0], angle, atol=1e-12)

    def test_prescribed_joints_start_at_the_rate(self):
        class Turn:
            period = 0.01

            def command(self, _seen):
                return sp.Command(np.full(3, 0.2), rate=np.full(3, 0.5))

        robot = sp.Robot.uniform(4, length=0.1, mass=1.0, radius=0.02, actuator=sp.Prescribed())
        made = sp.simulate(robot, None, Turn(), 0.01)
        np.testing.assert_allclose(made.columns["joint_rate"][0], 0.5)


WAVE = sp.Serpenoid(25, 80, 40)
FOLLOWER = sp.Follower(40, 60, delay=0.1)
ADAPTATION = sp.Adaptation(0.02, limit_deg=20)
HEADING = sp.Heading(1.3, look_ahead=0.7, path=sp.Line())


class TestParts:
    @pytest.mark.parametrize("solver", ["newton", "prox", "hybrid", "explicit"])
    def test_a_bend_is_an_offset_of_the_wave(self, solver):
        robot = sp.Robot.uniform(
            4, length=0.1, mass=0.5, radius=0.02, actuator=sp.Servo(20, 1), self_contact=False
        )
        friction = None if solver == "explicit" else sp.Coulomb(0.2)
        given = {
            "duration": 0.1,
            "solver": solver,
            "time_step": 1e-4 if solver == "explicit" else 1e-3,
        }
        summed = sp.simulate(robot, sp.World(friction=friction), WAVE + Bend(), **given)
        wave = dataclasses.replace(WAVE, offset_deg=6.0)
        offset = sp.simulate(robot, sp.World(friction=friction), wave, **given)
        for name in ("theta", "joint_reference", "joint_torque"):
            np.testing.assert_allclose(
                summed.columns[name], offset.columns[name], rtol=1e-7, atol=1e-9
            )

    @pytest.mark.parametrize("solver", ["newton", "hybrid", "explicit"])
    def test_torques_are_added(self, solver):
        robot = sp.Robot.uniform(
            4, length=0.1, mass=0.5, radius=0.02, actuator=sp.Torque(), self_contact=False
        )
        given = {"duration": 0.1, "solver": solver, "time_step": 1e-4}
        summed = sp.simulate(robot, None, WAVE + Bend(0.0, 0.01), **given)
        np.testing.assert_allclose(summed.columns["joint_torque"][1:], 0.01, rtol=1e-9)

    def test_it_starts_in_the_shape_of_both(self):
        robot, _ = SCENARIO.built
        made = sp.simulate(robot, None, WAVE + Bend(), 0.01)
        wanted = WAVE.angles(JOINTS) + np.radians(6.0)
        for name in ("joint_angle", "joint_reference"):
            np.testing.assert_allclose(made.columns[name][0], wanted, atol=1e-12)

    @pytest.mark.parametrize(
        "controller",
        [
            WAVE + REFLEX,
            REFLEX + WAVE,
            dataclasses.replace(FOLLOWER + ADAPTATION + HEADING + REFLEX, cutoff=None),
            dataclasses.replace(WAVE + ADAPTATION + HEADING + REFLEX, cutoff=None),
        ],
        ids=["wave", "the other way round", "follower", "wave and feedback"],
    )
    def test_they_add_up(self, controller):
        columns = with_controller(controller).run().columns
        parts = ("wave", "adaptation", "heading", "own")
        total = sum(columns[f"reference_{part}"] for part in parts)
        np.testing.assert_allclose(total, columns["joint_reference"], atol=1e-12)
        assert np.abs(columns["reference_own"]).max() > 0.4
        assert np.abs(columns["reference_wave"]).max() > 0.1

    def test_own_comes_after_the_filter(self):
        """The parts of feedback add up to what goes into the filter."""
        cutoff, h = 2.0, 0.01
        parts = dataclasses.replace(FOLLOWER + ADAPTATION + HEADING, cutoff=cutoff)
        plain = with_controller(parts, start=STRAIGHT).run().columns
        summed = with_controller(parts + sp.ConstantTorque((0.0,) * JOINTS), start=STRAIGHT).run()
        np.testing.assert_array_equal(plain["theta"], summed.columns["theta"])
        columns = plain
        fed = sum(columns[f"reference_{part}"] for part in ("wave", "adaptation", "heading"))
        w = 2 * np.pi * cutoff
        angle, rate = columns["joint_angle"][0].copy(), np.zeros(JOINTS)
        for row in range(1, len(fed)):
            # Row k shows the command of the tick before it, carried on at its rate.
            shown = angle + rate * h
            np.testing.assert_allclose(columns["joint_reference"][row], shown, atol=1e-9)
            error = angle - fed[row]
            drive = rate + w * error
            decay = np.exp(-w * h)
            angle = fed[row] + (error + drive * h) * decay
            rate = (rate - w * drive * h) * decay

    def test_only_sums_have_parts(self):
        assert "reference_wave" not in BASE.run(duration=0.01).columns
        assert "reference_wave" not in SCENARIO.run(duration=0.01).columns

    def test_the_same_in_a_batch_and_from_an_object(self):
        robot, world = SCENARIO.built
        for compiled in (WAVE, FOLLOWER + ADAPTATION):
            scenario = with_controller(compiled + REFLEX)
            alone = scenario.run()
            live = sp.simulate(robot, world, compiled + Reflex(0.002), 0.5, start=SCENARIO.start)
            same(alone, live)
            mixed = [scenario, SCENARIO, with_controller(WAVE)]
            runs = sp.simulate_batch(mixed, threads=2)
            for one, made in zip(mixed, runs, strict=True):
                same(one.run(), made)
            batch = sp.Batch([scenario], threads=1)
            batch.step(500)
            assert batch.state(0).theta.tolist() == alone.state.theta.tolist()

    @pytest.mark.parametrize("compiled", [WAVE, FOLLOWER + ADAPTATION], ids=["gait", "feedback"])
    def test_a_continued_run_is_the_whole_run(self, compiled, tmp_path):
        source = f"{FILE.name}:Swing"
        swing = sp.PythonController(source, folder=str(FILE.parent))
        scenario = with_controller(compiled + swing)
        whole, first = scenario.run(), scenario.run(duration=0.25)
        assert np.abs(whole.columns["contact_force"]).max() > 0.1
        stored = sp.load(first.save(tmp_path / "first.nc"))
        assert stored.state == first.state
        rest = scenario.run(duration=0.25, start=stored.state)
        for name in ("theta", "joint_reference", "reference_wave", "reference_own"):
            np.testing.assert_array_equal(rest.columns[name][1:], whole.columns[name][26:], name)
            np.testing.assert_array_equal(rest.columns[name][0], whole.columns[name][25], name)

    def test_one_of_each_kind(self):
        assert refusal(lambda: WAVE + REFLEX + Bend()) == (
            "References.parts holds more than one own controller"
        )
        assert refusal(lambda: dataclasses.replace(SCENARIO, controller=WAVE + Bend())) == (
            "controller holds an object of tests.control.own_controllers.Bend, which a scenario "
            "cannot hold: name its class, PythonController('file.py:Class'), or give the object to "
            "simulate"
        )
        assert refusal(lambda: sp.Batch([with_controller(WAVE + REFLEX)], commanded=True)) == (
            "commanded = True is not allowed: a controller in Python is already added to the "
            "compiled one of a robot"
        )

    def test_sums_are_the_same_in_any_order(self):
        three = [WAVE + REFLEX + ADAPTATION, WAVE + ADAPTATION + REFLEX, REFLEX + WAVE + ADAPTATION]
        assert {each.cutoff for each in three} == {0.75}
        assert (WAVE + REFLEX).cutoff is None

    def test_on_top_of_one_in_a_batch(self):
        """A batch commands on top of a controller in Python as well."""
        bend = sp.PythonController(
            f"{FILE.name}:Bend", {"angle_deg": 4.0, "torque": 0.1}, folder=str(FILE.parent)
        )
        more = dataclasses.replace(bend, parameters={"angle_deg": 6.0, "torque": 0.3})
        one = sp.Batch([with_controller(bend, start=STRAIGHT)], threads=1, commanded=True)
        other = sp.Batch([with_controller(more, start=STRAIGHT)], threads=1)
        one.command(np.full((1, JOINTS), np.radians(2.0)), torque=np.full((1, JOINTS), 0.2))
        for batch in (one, other):
            batch.step(100)
        np.testing.assert_allclose(one.state(0).theta, other.state(0).theta, atol=1e-12)
