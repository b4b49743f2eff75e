"""A batch that records gives each robot's trajectory: to the bit that of a run of its own."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import numpy as np
import pytest

import serpenoid as sp


def assert_same(mine: Any, its: Any) -> None:
    assert mine.columns.keys() == its.columns.keys()
    for name, column in its.columns.items():
        assert np.array_equal(mine.columns[name], column), name


@pytest.mark.parametrize("name", ["aiko_pegs", "waypoints", "stairs", "aiko_flat with its own"])
def test_it_is_the_run_of_the_scenario_as_far_as_it_got(name: str) -> None:
    scenario = sp.Scenario.load(name.split()[0], {"clock.duration": 0.2})
    if name.endswith("own"):
        gait: Any = scenario.controller
        own = sp.PythonController("tests.control.own_controllers:Swing")
        scenario = dataclasses.replace(scenario, controller=gait + own)
    batch = sp.Batch([scenario, scenario], record=True)
    assert len(batch.trajectory(1).time) == 1
    batch.step(130)
    first = batch.trajectory(1)
    other = copy.deepcopy(batch)
    # Beyond the clock there is more room.
    for each in (batch, other):
        each.step(270)
        mine, its = each.trajectory(1), scenario.run(duration=0.4)
        assert_same(mine, its)
        for key, value in vars(its.state).items():
            assert np.array_equal(vars(mine.state)[key], value), key
    assert_same(first, scenario.run(duration=0.13))
    assert sp.Scenario.of(mine).clock.duration == 0.4
    batch.put(1, scenario)
    assert len(batch.trajectory(1).time) == 1


def test_one_that_was_commanded_cannot_be_repeated() -> None:
    scenario = sp.Scenario.load("aiko_flat")
    batch = sp.Batch([scenario.changed({"controller": None})] * 2, record=True)
    batch.command(angle=np.full((2, 10), 0.1))
    batch.step(20)
    run = batch.trajectory(0)
    assert run.columns["joint_reference"][:, 0].tolist() == [0.0, 0.1, 0.1]
    waves = sp.Batch([scenario], record=True)
    waves.set_gait(amplitude_deg=[10.0])
    waves.step(20)
    for told in (run, waves.trajectory(0)):
        with pytest.raises(sp.InvalidInput) as caught:
            sp.Scenario.of(told)
        assert str(caught.value) == (
            "this run was controlled by commands given to a Batch, which only Python code knows"
        )
    # Until it is put anew.
    waves.put(0, scenario)
    waves.step(20)
    assert sp.Scenario.of(waves.trajectory(0)).clock.duration == 0.02


def test_what_is_refused() -> None:
    scenario = sp.Scenario.load("aiko_flat")
    with pytest.raises(sp.InvalidInput) as caught:
        sp.Batch([scenario], record="yes")  # type: ignore[arg-type]
    assert str(caught.value) == "record = 'yes' is not allowed: it must be True or False"
    with pytest.raises(sp.InvalidInput) as caught:
        sp.Batch([scenario, scenario.changed({"record.period": 0.02})], record=True)
    assert str(caught.value) == (
        "scenario 1 has record.period = 0.02, but scenario 0 has 0.01; robots of one batch must "
        "have the same"
    )
    with pytest.raises(sp.InvalidInput, match=r"^this batch does not record: make it with record"):
        sp.Batch([scenario]).trajectory(0)
    with pytest.raises(sp.InvalidInput, match=r"^index = 1 is not allowed: the batch has robots 0"):
        sp.Batch([scenario], record=True).trajectory(1)
