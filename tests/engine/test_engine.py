"""What single runs and batches share."""

import time

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.engine.engine import Engine


def test_robots_are_stepped_while_larger_worlds_are_put(monkeypatch):
    """A world without room replaces arrays; a thread under way must not notice."""
    load_code = Engine.load_code

    def late(engine):
        # Others step while the arrays are replaced and the code is not yet loaded.
        time.sleep(0.01)
        load_code(engine)

    monkeypatch.setattr(Engine, "load_code", late)
    monkeypatch.setattr("serpenoid.engine.batch_runs._CALL", 11)
    base = sp.Scenario.load("aiko_flat", {"clock.duration": 2.0, "record.period": 0.1})
    fields = [
        [{"x": 3.0 + 0.1 * k, "y": 2.0, "radius": 0.02} for k in range(count)]
        for count in (0, 40, 160, 640, 2560)
    ]
    scenarios = [base.changed({"world.pegs": pegs}) for pegs in fields for _ in range(8)]
    runs = sp.simulate_batch(scenarios, threads=2)
    assert not runs.errors
    alone = base.run()
    for run in runs:
        assert np.array_equal(run.columns["theta"], alone.columns["theta"])


def test_code_is_loaded_again_only_if_arrays_were_replaced(monkeypatch):
    loaded = []
    scenario = sp.Scenario.load("aiko_flat", {"clock.duration": 0.05})
    batch = sp.Batch([scenario])
    entry = type(scenario.solver).entry

    def counted(method):
        loaded.append(method)
        return entry(method)

    monkeypatch.setattr(type(scenario.solver), "entry", counted)
    for _ in range(3):
        batch.step(5)
        batch.put(0, scenario)
    assert len(loaded) == 1
    assert isinstance(batch._engine, Engine)


def test_a_continued_scenario_needs_a_state():
    scenario = sp.Scenario.load("aiko_flat", {"clock.duration": 0.05})
    continued = scenario.run(start=scenario.run().state).scenario
    assert continued.continued
    for run in (
        continued.run,
        lambda: sp.Batch([continued]),
        lambda: sp.simulate_batch([continued]),
    ):
        with pytest.raises(
            sp.InvalidInput, match=r"^continued = True is not allowed without a state"
        ):
            run()


@pytest.mark.parametrize("start", [sp.Start(), "x"])
def test_only_a_state_can_be_continued(start):
    with pytest.raises(sp.InvalidInput, match=r"^start = .* is not allowed: it must be a State or"):
        sp.Scenario.load("aiko_flat").run(start=start)


def test_the_state_of_a_robot_with_a_gait_is_that_of_a_run():
    scenario = sp.Scenario.load("wheeled_snake", {"clock.duration": 0.1})
    batch = sp.Batch([scenario])
    batch.step(100)
    felt = batch.observe().contact_force
    assert batch.state(0) == scenario.run().state
    assert np.array_equal(batch.observe().contact_force, felt)


def test_columns_of_runs_that_all_stopped_have_all_rows():
    base = sp.Scenario.load("aiko_pegs", {"solver.max_halvings": 1, "clock.duration": 0.2})
    wild = base.changed({"controller.frequency_deg": 4_000.0})
    runs = sp.simulate_batch([wild, wild])
    assert len(runs.errors) == 2
    assert runs.columns["x"].shape == (2, 21, 11)
    assert np.isnan(runs.columns["x"][:, -1]).all()


@pytest.mark.parametrize("value", [np.nan, -1.0, np.inf])
def test_coefficients_that_a_law_must_not_set_are_refused(value):
    class Bad(sp.FrictionLaw):
        def pack(self, surface):
            surface.side = value

        def __str__(self):
            return "Bad()"

    world = sp.World(friction=Bad())
    words = rf"^friction = Bad\(\) sets side = {value}: it must be a finite number, at least 0$"
    with pytest.raises(sp.InvalidInput, match=words):
        sp.simulate(sp.robots.aiko(), world, duration=0.01)
