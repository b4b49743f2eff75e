"""Many runs at once are, to the bit, the runs one after the other."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import re
import time
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.engine import engine as engine_module
from serpenoid.engine import prepare
from serpenoid.engine.assemble import new_loops, pack_robot
from serpenoid.engine.batch_runs import Runs
from serpenoid.engine.engine import Engine
from serpenoid.kernels import layout

# Pegs, no pegs, walls, compiled controllers with memories, springs, soft ground in a vertical
# plane, random fields, viscous friction.
GALLERY = (
    "adaptive_path_following",
    "aiko_pegs",
    "corridor",
    "pedal_wave",
    "peg_forest",
    "stairs",
    "swimmer",
    "wheeled_snake",
)
LOADS = {
    "robot": {"name": "aiko"},
    "friction": {"kind": "coulomb", "mu": 0.2},
    "world": {
        "pegs": [{"x": 1.2, "y": 0.3, "radius": 0.05}],
        "loads": [
            {"kind": "disc", "x": 0.75, "y": 0.02, "mass": 0.5, "radius": 0.05, "friction": 0.2},
            {"kind": "box", "x": 0.9, "y": 0.1, "mass": 0.5, "width": 0.1, "height": 0.1},
        ],
    },
    "controller": {
        "kind": "serpenoid",
        "amplitude_deg": 30,
        "frequency_deg": 200,
        "phase_deg": -40,
    },
    "start": {"velocity": [1.0, 0.0]},
}


def _short(name: str, **changes: object) -> sp.Scenario:
    return sp.Scenario.load(name, {"clock.duration": 0.6, "record.period": 0.02, **changes})


def _same(a: sp.Trajectory, b: sp.Trajectory) -> None:
    assert a.columns.keys() == b.columns.keys()
    for name, column in a.columns.items():
        assert np.array_equal(column, b.columns[name]), name
    for field in dataclasses.fields(sp.State):
        assert np.array_equal(getattr(a.state, field.name), getattr(b.state, field.name)), field
    assert a.scenario == b.scenario
    assert a.attributes == b.attributes


@pytest.mark.parametrize("name", GALLERY)
def test_runs_are_those_of_single_scenarios(name: str) -> None:
    scenarios = [_short(name, **{"start.velocity": [v, 0.0]}) for v in (0.0, 0.01, 0.02)]
    runs = sp.simulate_batch(scenarios, threads=2)
    assert len(runs) == 3
    assert not runs.errors
    for scenario, run in zip(scenarios, runs, strict=True):
        _same(scenario.run(), run)


def test_loads_are_pushed_as_in_single_runs() -> None:
    base = sp.Scenario.from_plain(LOADS | {"clock": {"duration": 0.5}})
    runs = sp.simulate_batch(base, {"controller.amplitude_deg": [20.0, 30.0, 40.0]}, threads=2)
    for amplitude, run in zip((20.0, 30.0, 40.0), runs, strict=True):
        _same(base.changed({"controller.amplitude_deg": amplitude}).run(), run)
    moved = runs.columns["load_x"][:, -1] - runs.columns["load_x"][:, 0]
    assert (np.abs(moved).max(axis=1) > 1e-3).all()


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_nothing_depends_on_the_number_of_threads(threads: int) -> None:
    # Robots in different worlds, with different masses and controllers.
    base = _short("random_pegs")
    variants = [base.changed({"seed": seed}) for seed in (1, 2, 1, 3)]
    variants += [base.changed({"controller.amplitude_deg": 20 + k}) for k in range(3)]
    runs = sp.simulate_batch(variants, threads=threads)
    for scenario, run in zip(variants, runs, strict=True):
        _same(scenario.run(), run)


def test_parameters_vary_one_scenario() -> None:
    base = _short("aiko_pegs")
    values = {
        "controller.amplitude_deg": np.linspace(-42, -35, 5),
        "start.heading_deg": [4.8, 5.0, 5.1, 5.2, 4.9],
    }
    runs = sp.simulate_batch(base, values)
    assert runs.columns["x"].shape == (5, 31, 11)
    assert runs.columns["time"][0, -1] == pytest.approx(0.6)
    for k, run in enumerate(runs):
        changes = {key: float(entries[k]) for key, entries in values.items()}
        _same(base.changed(changes).run(), run)
        assert np.array_equal(runs.columns["contact_force"][k], run.columns["contact_force"])
    assert [run.time[-1] for run in runs[1:3]] == [runs[-1].time[-1]] * 2
    with pytest.raises(IndexError):
        runs[5]


def test_a_run_that_fails_is_that_of_a_single_run() -> None:
    base = _short("aiko_pegs", **{"solver.max_halvings": 1, "controller.delay": 0.1})
    frequencies = [80.0, 4_000.0, 81.0]
    runs = sp.simulate_batch(base, {"controller.frequency_deg": frequencies}, threads=2)
    assert list(runs.errors) == [1]
    with pytest.raises(sp.SimulationStopped) as single:
        base.changed({"controller.frequency_deg": frequencies[1]}).run()
    with pytest.raises(sp.SimulationStopped) as many:
        runs[1]
    assert str(many.value) == str(single.value)
    _same(single.value.run, many.value.run)
    reached = len(single.value.run.time)
    assert 1 < reached < 31
    assert np.array_equal(runs.columns["x"][1, :reached], single.value.run.columns["x"])
    assert np.isnan(runs.columns["x"][1, reached:]).all()
    _same(base.changed({"controller.frequency_deg": 81.0}).run(), runs[2])


def test_a_run_that_cannot_start_does_not_stop_the_others() -> None:
    base = _short("aiko_pegs")
    runs = sp.simulate_batch(base, {"controller.amplitude_deg": [-40.0, -45.0]})
    assert list(runs.errors) == [1]
    with pytest.raises(sp.InvalidInput, match=r"^world.pegs\[\d\] at .* overlaps link"):
        runs[1]
    assert np.isnan(runs.columns["vx"][1]).all()
    _same(base.run(), runs[0])


# A row of discs in touch, which a robot runs into.
ROW = LOADS | {
    "world": {
        "loads": [
            {"kind": "disc", "x": 0.75 + 0.1 * k, "y": 0.02, "mass": 0.1, "radius": 0.05}
            for k in range(6)
        ]
    }
}


# Pegs next to a straight robot, which are within reach only once it is seen how fast it gets.
BESIDE = LOADS | {
    "world": {
        "pegs": [{"x": 0.1 * k, "y": 0.073, "radius": 0.02} for k in range(-6, 7)],
        "contact": {"friction": 0.2},
    },
    "start": {"joint_angles_deg": [0.0] * 10},
}


@pytest.mark.parametrize("what", ["pegs", "loads", "beside"])
def test_contacts_beyond_the_room_for_them(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    base = _short("peg_forest")
    if what != "pegs":
        own = ROW if what == "loads" else BESIDE
        base = sp.Scenario.from_plain(own | {"clock": {"duration": 0.5}})
    key = "start.x" if what == "beside" else "start.heading_deg"
    scenarios = [base.changed({key: value}) for value in (0.0, 0.01)]
    grow, grown = Engine.grow, []

    def pack_tightly(*given: Any) -> layout.Body:
        body = pack_robot(*given)
        return body._replace(
            contacts=body.contacts[:1].copy(),
            previous=body.previous[:1].copy(),
            spare=body.spare[:1].copy(),
            loops=new_loops(len(body.loads), len(body.links), 1) if body.loads.size else None,
        )

    def counted(engine: Engine) -> bool:
        grown.append(grow(engine))
        return grown[-1]

    monkeypatch.setattr(prepare, "pack_robot", pack_tightly)
    monkeypatch.setattr(Engine, "grow", counted)
    runs = sp.simulate_batch(scenarios, threads=1)
    monkeypatch.undo()
    assert sum(grown) >= 1
    assert not runs.errors
    for each, run in zip(scenarios, runs, strict=True):
        _same(each.run(), run)


def test_contacts_without_memory_for_them_end_their_runs_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Those end where they would by themselves; one that touches nothing goes on."""
    base = _short("aiko_pegs", **{"record.contacts": True, "clock.duration": 2.0})
    scenarios = [base.changed({"start.x": x}) for x in (0.38, -5.0, 0.3801)]

    def refuse(size: float, what: str) -> None:
        room = re.match(r"record.contacts = True, which makes (\d+) contacts,", what)
        if room and int(room[1]) > 100:
            raise sp.InvalidInput(f"{what} would need {size} B")

    whole = scenarios[1].run()
    monkeypatch.setattr(engine_module, "check_memory", refuse)
    runs = sp.simulate_batch(scenarios, threads=2)
    assert sorted(runs.errors) == [0, 2]
    _same(whole, runs[1])
    for b in (0, 2):
        error = runs.errors[b]
        assert isinstance(error, sp.SimulationStopped)
        assert re.match(r"stopped at t = .* s: record.contacts = True, .* would need ", str(error))
        reached = len(error.run.time)
        assert 1 < reached < len(whole.time)
        assert np.isnan(runs.columns["x"][b, reached:]).all()
        with pytest.raises(sp.SimulationStopped) as single:
            scenarios[b].run()
        # Three robots need three times the memory.
        assert str(error).split(" would ")[0] == str(single.value).split(" would ")[0]
        _same(single.value.run, error.run)
        assert len(error.run.contacts) == len(single.value.run.contacts) > 10


@pytest.mark.parametrize(
    "values",
    [range(30, 33), (30.0, 31, 32), np.array([30, 31, 32], np.float32), iter([30, 31, 32])],
)
def test_values_are_any_sequence(values: object) -> None:
    base = _short("wheeled_snake")
    runs = sp.simulate_batch(base, {"controller.amplitude_deg": values})  # type: ignore[dict-item]
    for amplitude, run in zip((30.0, 31.0, 32.0), runs, strict=True):
        _same(base.changed({"controller.amplitude_deg": amplitude}).run(), run)


@pytest.mark.parametrize("values", ["ab", {1.0, 2.0}, {"a": 1.0}, np.array(1.0), [], None])
def test_values_in_no_order_are_refused(values: object) -> None:
    with pytest.raises(
        sp.InvalidInput, match=r"^parameters\['start.x'\] = .* a list of values, one"
    ):
        sp.simulate_batch(sp.Scenario.load("wheeled_snake"), {"start.x": values})  # type: ignore[dict-item]


@pytest.mark.parametrize("way", ["deepcopy", "pickle"])
def test_copies_of_runs(way: str) -> None:
    base = _short("aiko_pegs", **{"solver.max_halvings": 1, "controller.delay": 0.1})
    changes = {
        "controller.frequency_deg": [80.0, 4_000.0, 81.0, 80.0],
        "controller.amplitude_deg": [-40.0, -40.0, -40.0, -45.0],
    }
    runs = sp.simulate_batch(base, changes)
    other = copy.deepcopy(runs) if way == "deepcopy" else pickle.loads(pickle.dumps(runs))
    assert len(other) == 4
    assert {b: str(error) for b, error in other.errors.items()} == {
        b: str(error) for b, error in runs.errors.items()
    }
    assert list(other.errors) == [3, 1]
    for name, column in runs.columns.items():
        assert np.array_equal(column, other.columns[name], equal_nan=column.dtype.kind == "f")
    _same(runs[2], other[2])
    assert other[2].stepping_seconds == runs[2].stepping_seconds
    # They share nothing.
    other.columns["x"][...] = 0.0
    assert runs.columns["x"][0].any()


def test_a_bar_is_shown_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from serpenoid import progress

    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    base = _short("swimmer")
    runs = sp.simulate_batch([base, base], progress=True)
    _same(base.run(), runs[1])


def test_ctrl_c_ends_all_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Runs, "_await", interrupt)
    # To the end it would take a minute.
    base = sp.Scenario.load("swimmer", {"clock.duration": 10_000.0, "record.period": 100.0})
    begin = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        sp.simulate_batch([base] * 4, threads=2)
    assert time.perf_counter() - begin < 15.0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (([],), "scenarios = [] is not allowed: the batch is empty"),
        ((3,), "scenarios = 3 is not allowed: it must be a list of Scenario"),
        (([3],), "scenarios = [3] is not allowed: it must be a list of Scenario"),
        (
            ("base", {"start.x": [0.1, 0.2], "start.y": [0.1]}),
            "parameters have different numbers of values: start.x 2, start.y 1",
        ),
        (
            ("base", {"start.x": 0.1}),
            "parameters['start.x'] = 0.1 is not allowed: it must be a list of values, one for each "
            "run",
        ),
        (
            ("base", {}),
            "parameters = {} is not allowed: it must be a table of keys and values",
        ),
        (
            ("base", {"start.heading": [1.0]}),
            "start.heading is not known (did you mean 'heading_deg'?); start takes x, y, "
            "heading_deg, link, joint_angles_deg, velocity, spin_deg, joint_rates_deg",
        ),
        (
            ("base", {"clock.duration": [1.0, 2.0]}),
            "scenario 1 has clock.duration = 2.0, but scenario 0 has 1.0; robots of one batch must "
            "have the same",
        ),
        (
            ("base", {"clock.time_step": [1e-3, 5e-4]}),
            "scenario 1 has clock.time_step = 0.0005, but scenario 0 has 0.001; robots of one "
            "batch must have the same",
        ),
        (
            ("base", {"robot.links": [8, 9]}),
            "scenario 1 has number of links = 9, but scenario 0 has 8; robots of one batch must "
            "have the same",
        ),
        (
            ("base", {"solver": ["prox"]}),
            "solver 'prox' is not allowed in a batch, which takes 'newton'; simulate each scenario "
            "by itself",
        ),
    ],
)
def test_wrong_input_is_told_in_a_sentence(given: tuple[object, ...], words: str) -> None:
    base = sp.Scenario.load("wheeled_snake")
    arguments = [base if one == "base" else one for one in given]
    with pytest.raises(sp.InvalidInput) as caught:
        sp.simulate_batch(*arguments)  # type: ignore[arg-type]
    assert str(caught.value) == words


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", True])
def test_threads_are_a_number(threads: object) -> None:
    with pytest.raises(sp.InvalidInput, match=r"^threads = .* must be a whole number from 1"):
        sp.simulate_batch([sp.Scenario.load("swimmer")], threads=threads)  # type: ignore[arg-type]


def test_a_run_is_its_own() -> None:
    base = _short("swimmer")
    runs = sp.simulate_batch([base, base])
    runs[0].columns["x"][:] = 0.0
    assert runs.columns["x"][0].any()
    assert runs[0].columns["x"].any()
    assert repr(runs) == "<Runs: 2, 0 of them with errors>"
