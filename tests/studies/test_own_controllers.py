"""Sweeps and optimisations of scenarios whose controller is one's own."""

import dataclasses
import sys

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.analysis.metrics import METRICS
from serpenoid.studies.preparation import prepare, some_points
from serpenoid.studies.run_parts import staged_runs
from serpenoid.studies.sampling import Parameter
from serpenoid.studies.study import Study
from serpenoid.studies.sweep_runner import sweep
from tests.engine.test_own_controllers import FILE, SCENARIO

STUDY = """
base = "mine.toml"
metrics = ["mean_speed", "peak_torque"]
change = {{"clock.duration" = 0.3}}
parameters."controller.parameters.gain".{}
"""


@pytest.fixture
def mine(here):
    """A study of a scenario with a controller beside it, in the current folder."""
    (here / "reflex.py").write_text(FILE.read_text())
    text = SCENARIO.dumps().replace(f'folder = "{FILE.parent}"\n', "")
    (here / "mine.toml").write_text(text.replace(FILE.name, "reflex.py"))
    (here / "study.toml").write_text(STUDY.format("values = [0.002, 0.01]"))
    return here


def metrics(gain):
    """Metrics of a point, run by itself."""
    changes = {"controller.parameters.gain": gain, "clock.duration": 0.3}
    run = SCENARIO.changed(changes).run()
    return [METRICS[name].measure(run) for name in ("mean_speed", "peak_torque")]


def test_a_sweep_in_worker_processes_gives_the_numbers_of_runs(mine):
    table = sweep("study.toml", "out", workers=2, allow_code=True)
    assert table["error"].isna().all()
    found = table[["mean_speed", "peak_torque"]].to_numpy()
    assert found.tolist() == [metrics(0.002), metrics(0.01)]
    assert found[0].tolist() != found[1].tolist()


def test_a_sweep_does_not_go_on_with_other_code(mine, inline):
    sweep("study.toml", "out", allow_code=True)
    with (mine / "reflex.py").open("a") as file:
        file.write("# Changed.\n")
    study = Study.load("study.toml", allow_code=True)
    with pytest.raises(sp.InvalidInput, match=r"^out was begun with a controller whose file has "):
        sweep(study, "out")


def test_code_that_is_wrong_at_all_points_is_refused(mine, inline):
    (mine / "reflex.py").write_text("class Reflex:\n    pass\n")
    with pytest.raises(sp.InvalidInput, match=r"line 1: parameters.gain is not known; Reflex"):
        sweep("study.toml", "out", allow_code=True)
    assert not (mine / "out").exists()


def test_stages_are_one_run():
    """A controller remembers from stage to stage what it saw."""
    whole = SCENARIO.run()
    for controller in (SCENARIO.controller, sp.Serpenoid(25, 80, 40) + SCENARIO.controller):
        scenario = dataclasses.replace(SCENARIO, controller=controller)
        whole = scenario.run()
        *_, last = staged_runs(scenario, 4)
        assert last.scenario == scenario
        for name in ("theta", "joint_reference", "contact_force"):
            np.testing.assert_array_equal(last.columns[name], whole.columns[name], name)
        assert last.attributes == whole.attributes


@pytest.mark.thorough
def test_an_optimisation(mine):
    from serpenoid.studies.optimisation_runner import optimise

    text = (
        STUDY.format("range = [0.0, 0.02]")
        + '[optimise]\nobjectives = {mean_speed = "maximise"}\ntrials = 4\n'
    )
    (mine / "search.toml").write_text(text)
    table = optimise("search.toml", "best", workers=2, allow_code=True)
    assert table["error"].isna().all()
    best = sp.Scenario.load("best/best.toml")
    assert best.controller.folder == str(mine)
    row = table.loc[table["mean_speed"].idxmax()]
    again = best.run(allow_code=True)
    assert METRICS["mean_speed"].measure(again) == row["mean_speed"]
    assert sys.modules.get("reflex") is None


def test_points_are_checked_without_making_controllers(here):
    """Source and parameters are looked at; only the run that compiles makes a controller."""
    (here / "slow.py").write_text(
        "class Slow:\n"
        "    period = 0.02\n\n"
        "    def __init__(self, gain):\n"
        "        with open('made', 'a') as file:\n            file.write('x')\n\n"
        "    def command(self, seen):\n"
        "        return 0 * seen.joint_angle\n"
    )
    study = Study(
        base=dataclasses.replace(SCENARIO, controller=sp.PythonController("slow.py:Slow")),
        parameters={
            "controller.parameters.gain": Parameter(values=[1.0, 2.0]),
            "solver.tolerance": Parameter(values=[1e-6, 1e-7]),
        },
        metrics=("mean_speed",),
    )
    prepare(study, some_points(study))
    assert (here / "made").read_text() == "x"
