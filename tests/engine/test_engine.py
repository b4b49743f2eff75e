"""The engine keeps stepping robots while others are put."""

import time

import numpy as np

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
