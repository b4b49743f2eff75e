"""Scenario files: read, written, changed, run."""

import dataclasses
import math
import tomllib

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.analysis.equality import check_equality
from serpenoid.scenario.keys import setting
from serpenoid.scenario.scenario import Scenario, gallery
from tests.sentences import refusal

SPELT_OUT = """
title = "everything"
seed = 3

[robot]
links = 4
length = [0.1, 0.12, 0.1, 0.1]
mass = 0.5
radius = 0.02
inertia = [1e-3, 1e-3, 2e-3, 1e-3]
straight = 0.05
limits_deg = [-90, 90]
name = "odd one"

[[actuator]]
kind = "servo"
kp = 10
kd = 1
torque_limit = inf

[[actuator]]
kind = "torque"

[[actuator]]
kind = "free"

[world]
gravity = 9.7
slope_deg = 2
contact = { friction = 0.1, restitution = 0.2 }
pegs = [{ x = 1.0, y = 0.0, radius = 0.05, contact = { friction = 0.3 } }]
walls = [{ points = [[0.0, 1.0], [1.0, 1.0]] }]

[[world.patches]]
x = 0.0
y = 3.0
width = 1.0
height = 1.0
friction = { kind = "coulomb", mu = 0.1 }

[world.field]
kind = "random_pegs"
count = 3
region = [2.0, 4.0, -1.0, 1.0]
radius = 0.02
clearance = 0.1

[friction]
kind = "sum"
laws = [
    { kind = "orthotropic", along = 0.1, across = 0.4 },
    { kind = "viscous", along = 1, across = 2 },
]

[controller]
kind = "serpenoid"
amplitude_deg = 20
frequency_deg = 90
phase_deg = -40

[start]
x = 0.1
heading_deg = 10
velocity = [0.1, 0.0]

[solver]
kind = "newton"
tolerance = 1e-7

[clock]
duration = 0.2
time_step = 2e-3

[record]
period = 0.02
"""


@pytest.mark.parametrize("name", gallery())
def test_gallery_round_trips_and_moves(name, tmp_path):
    scenario = Scenario.load(name)
    assert scenario.title
    assert Scenario.load(scenario.dump(tmp_path / "again.toml")) == scenario
    run = scenario.changed({"clock.duration": 2.0}).run()
    assert run.time[-1] == pytest.approx(2.0)
    assert run.displacement() > 2e-3
    assert run.scenario.title == scenario.title


def test_everything_spelt_out_round_trips():
    scenario = Scenario.loads(SPELT_OUT)
    assert Scenario.loads(scenario.dumps()) == scenario
    robot, world = scenario.built
    assert [link.length for link in robot.links] == [0.1, 0.12, 0.1, 0.1]
    assert [link.mass for link in robot.links] == [0.5] * 4
    assert [type(joint.actuator) for joint in robot.joints] == [sp.Servo, sp.Torque, sp.Free]
    assert robot.joints[0].actuator.torque_limit == math.inf
    assert robot.joints[0].limits_deg == (-90, 90)
    assert world.friction == sp.OrthotropicCoulomb(0.1, 0.4) + sp.Viscous(1, 2)
    assert world.pegs[1:] == sp.fields.random_pegs(
        3, region=(2.0, 4.0, -1.0, 1.0), radius=0.02, clearance=0.1, seed=3
    )
    assert len(world.walls) == 1
    assert world.patches[0].friction == sp.Coulomb(0.1)
    assert world.gravity == 9.7


def test_what_is_left_out_is_none_in_plain_values_and_absent_in_files():
    scenario = Scenario.load("aiko_flat")
    assert scenario.plain()["actuator"] is None
    assert "actuator" not in tomllib.loads(scenario.dumps())
    assert Scenario.from_plain(scenario.plain()) == scenario


def test_scenario_runs_as_simulate_does():
    scenario = Scenario.loads(SPELT_OUT)
    robot, world = scenario.built
    run = sp.simulate(
        robot,
        world,
        scenario.controller,
        0.2,
        start=sp.Start(x=0.1, heading_deg=10, velocity=(0.1, 0.0)),
        time_step=2e-3,
        record_period=0.02,
        solver=sp.Newton(tolerance=1e-7),
    )
    assert check_equality(run, scenario.run()).bitwise


def test_run_gives_its_scenario_back():
    scenario = Scenario.loads(SPELT_OUT)
    run = scenario.run()
    again = Scenario.of(run)
    assert again.built[0] == scenario.built[0]
    assert again.built[1] == scenario.built[1]
    assert again.clock == scenario.clock
    assert again.title == "everything"
    assert Scenario.loads(again.dumps()) == again
    assert check_equality(run, again.run()).bitwise


def test_what_a_scenario_cannot_repeat_is_refused():
    class Still:
        period = 0.05

        def command(self, observation):
            return np.zeros(len(observation.joint_angle))

    def of(controller=None, **more):
        return Scenario.of(sp.simulate(sp.robots.aiko(), None, controller, 0.1, **more))

    state = sp.simulate(sp.robots.aiko(), duration=0.1).state
    words = "this run continues another one, and a scenario cannot hold where it took over"
    assert refusal(lambda: of(start=state)) == words
    words = (
        f"this run was controlled by {__name__}.{Still.__qualname__}, which only Python code knows"
    )
    assert refusal(lambda: of(controller=Still())) == words
    with pytest.raises(sp.SimulationStopped) as stopped:
        of(start=sp.Start(spin_deg=1e9))
    words = "this run has a single row, so there is nothing to repeat"
    assert refusal(lambda: Scenario.of(stopped.value.run)) == words


def test_changes_by_dotted_keys():
    scenario = Scenario.loads(SPELT_OUT).changed(
        {
            "world.pegs.0.y": 0.5,
            "controller.phase_deg": -30,
            "clock.duration": 0.4,
            "solver.kind": "newton",
            "actuator.0.kp": 12,
        }
    )
    assert scenario.world.pegs[0].y == 0.5
    assert scenario.controller.phase_deg == -30
    assert scenario.solver.tolerance == 1e-7, "the same kind keeps its options"
    assert scenario.actuator[0].kp == 12
    other = scenario.changed({"friction.kind": "coulomb", "friction.mu": 0.3})
    assert other.friction == sp.Coulomb(0.3), "another kind starts afresh"


def test_entries_of_lists_have_two_spellings():
    scenario = Scenario.loads(SPELT_OUT)
    for spelt in ("world.walls[0].points[1][0]", "world.walls.0.points.1.0"):
        assert scenario.changed({spelt: 2.0}).world.walls[0].points == ((0.0, 1.0), (2.0, 1.0))
    assert scenario.changed({"actuator[0].kp": 12}).actuator[0].kp == 12
    assert setting("actuator[0].kp=12") == setting("actuator.0.kp=12") == ("actuator.0.kp", 12)


def test_a_word_for_a_table_with_a_kind_is_its_kind():
    scenario = Scenario.loads(SPELT_OUT)
    assert scenario.changed({"solver": "hybrid"}).solver == sp.Hybrid()
    assert scenario.changed({"solver": "newton"}).solver.tolerance == 1e-7
    both = scenario.changed({"solver.tolerance": 1e-3, "solver": "prox"})
    assert both.solver == sp.Prox(tolerance=1e-3)
    assert scenario.changed({"actuator[0]": "free"}).actuator[0] == sp.Free()
    assert scenario.changed({"title": "newton"}).title == "newton"


@pytest.mark.parametrize("flip", [1, -1])
def test_order_of_changes_does_not_matter(flip):
    pegs = {"kind": "random_pegs", "count": 9, "region": [1, 2, 0, 1], "radius": 0.01}
    changes = {
        "solver.tolerance": 1e-3,
        "solver.kind": "prox",
        "world.field.count": 3,
        "world.field": pegs | {"clearance": 0.0},
    }
    scenario = Scenario.load("aiko_flat").changed(dict(list(changes.items())[::flip]))
    assert scenario.solver == sp.Prox(tolerance=1e-3)
    assert scenario.world.field.count == 3


def test_actuator_of_a_named_robot_can_be_changed():
    changes = {"actuator.kp": np.float64(100.0), "seed": np.int64(3)}
    scenario = Scenario.load("aiko_flat").changed(changes)
    assert scenario.built[0].joints[3].actuator == sp.Servo(kp=100.0, kd=2.0)


def test_seed_draws_the_field():
    one, other = (Scenario.load("random_pegs", {"seed": seed}).built[1].pegs for seed in (1, 2))
    assert one != other
    assert one == Scenario.load("random_pegs", {"seed": 1}).built[1].pegs


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.b=1", ("a.b", 1)),
        ("a = -2.5", ("a", -2.5)),
        ("a=[1, 2]", ("a", [1, 2])),
        ("a='x y'", ("a", "x y")),
        ("a=prox", ("a", "prox")),
        ("a=own.py:Reflex", ("a", "own.py:Reflex")),
        ("a=../my own/a.py:B-2", ("a", "../my own/a.py:B-2")),
        ("a=true", ("a", True)),
        ("a=inf", ("a", math.inf)),
        ("a={ kind = 'coulomb', mu = 1 }", ("a", {"kind": "coulomb", "mu": 1})),
    ],
)
def test_settings(text, expected):
    assert setting(text) == expected


def test_scenarios_are_values():
    scenario = Scenario.load("aiko_pegs")
    with pytest.raises(dataclasses.FrozenInstanceError):
        scenario.seed = 3
    assert scenario == Scenario.load("aiko_pegs")
    assert scenario != scenario.changed({"seed": 1})


def test_new_law_is_known_by_its_kind():
    from typing import Literal

    from serpenoid.model.friction import FrictionLaw
    from serpenoid.spec import NonNegative, spec, tag

    @spec
    class Felt(FrictionLaw):
        mu: NonNegative
        kind: Literal["felt"] = tag(default="felt", kw_only=True)

        def pack(self, surface):
            surface.forward = surface.backward = self.mu
            surface.side = 2 * self.mu

    try:
        text = Scenario.load("aiko_flat").dumps()
        changes = {"friction": {"kind": "felt", "mu": 0.1}, "clock.duration": 0.5}
        felt = Scenario.loads(text).changed(changes)
        same = felt.changed({"friction": {"kind": "orthotropic", "along": 0.1, "across": 0.2}})
        assert check_equality(felt.run(), same.run()).bitwise
        assert Scenario.of(felt.run()).friction == Felt(0.1)
    finally:
        del FrictionLaw.members["felt"]


def test_new_members_must_be_whole():
    from typing import Literal

    from serpenoid.model.friction import FrictionLaw
    from serpenoid.spec import spec, tag

    with pytest.raises(TypeError, match=r"^Ice lacks pack$"):

        @spec
        class Ice(FrictionLaw):
            kind: Literal["ice"] = tag(default="ice", kw_only=True)

    with pytest.raises(TypeError, match=r"^Rubber needs a kind of its own"):

        @spec
        class Rubber(sp.Coulomb):
            pass

    with pytest.raises(TypeError, match=r"^Second\.kind = 'coulomb' is taken by Coulomb$"):

        @spec
        class Second(FrictionLaw):
            kind: Literal["coulomb"] = tag(default="coulomb", kw_only=True)

            def pack(self, surface):
                pass

    assert FrictionLaw.members["coulomb"] is sp.Coulomb
