"""Optimisations: what is found, what is pruned, what survives a kill, what is refused."""

import collections
import contextlib
import itertools
import json
import math
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import optuna
import pandas
import pytest
import sqlalchemy

from serpenoid import cli
from serpenoid.analysis.equality import check_equality
from serpenoid.analysis.metrics import METRICS
from serpenoid.errors import InvalidInput, OutputError, SimulationStopped, StudyStopped
from serpenoid.scenario.scenario import Scenario
from serpenoid.studies import Optimisation, Search, load_table, optimise
from serpenoid.studies.cluster import WorkPlace
from serpenoid.studies.optimisation_runner import run_optimisation
from serpenoid.studies.point_runner import PointRunner
from serpenoid.studies.run_parts import RUNG, Rule, staged_runs
from serpenoid.studies.trial_store import Trials
from tests.studies.helpers import wait_for

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="signals as on Unix"),
    pytest.mark.usefixtures("here", "gait_metrics"),
]

AMPLITUDE, PHASE = "controller.amplitude_deg", "controller.phase_deg"
RANGES = {AMPLITUDE: {"range": [5, 60]}, PHASE: {"range": [-110, -10]}}


@pytest.fixture
def gait_metrics(add_gait_metric):
    """A bowl with its bottom at 30 and -50 degrees, and functions of the amplitude."""
    add_gait_metric("bowl", lambda a, phase, _time: ((a - 30) / 10) ** 2 + ((phase + 50) / 20) ** 2)
    add_gait_metric("swing", lambda amplitude, _phase, _time: amplitude)
    add_gait_metric("growing", lambda amplitude, _phase, time: amplitude * time)
    add_gait_metric("to_15", lambda amplitude, _phase, _time: abs(amplitude - 15))
    add_gait_metric("to_50", lambda amplitude, _phase, _time: abs(amplitude - 50))


@pytest.fixture
def no_figures(monkeypatch):
    monkeypatch.setattr("serpenoid.studies.study_figures.draw", lambda *_: None)


@pytest.fixture
def trials(inline, no_figures):
    """Run an optimisation in this process and return the rows of its table."""
    folders = (f"out{k}" for k in itertools.count())

    def run(wanted, folder=None, **options):
        return optimise(wanted, folder or next(folders), **options).to_dict("records")

    return run


def study(parameters=RANGES, duration=0.02, **search):
    wanted = {"objectives": {"bowl": "minimise"}, "trials": 12, "batch": 4, "seed": 3}
    return Optimisation(
        base="swimmer",
        parameters=parameters,
        change={"clock.duration": duration, "robot.self_contact": False},
        optimise=Search(**(wanted | search)),
    )


def best_of(rows):
    return [row for row in rows if row["best"]]


# --------------------------------------------------------------------------------- what is found


def last_amplitude(trials, **search):
    """Mean amplitude of the last trials of a search in four batches."""
    rows = trials(study(trials=24, batch=6, pruner="none", **search))
    return sum(row[AMPLITUDE] for row in rows[-12:]) / 12


@pytest.mark.parametrize("sampler", ["tpe", "cmaes", "nsga2"])
def test_each_sampler_follows_the_objective(sampler, trials):
    """A sampler that ignores it chooses the same for both; seeds 0 to 4 give 7.5 to 27."""
    low, high = (
        last_amplitude(trials, objectives={name: "minimise"}, sampler=sampler)
        for name in ("to_15", "to_50")
    )
    assert high - low > 4


def test_the_sampler_goes_where_constraints_are_met(trials):
    """A sampler that ignores them chooses the same for both; seeds 0 to 4 give 15 to 31."""
    low, high = (
        last_amplitude(trials, constraints=[text]) for text in ("swing <= 15", "swing >= 50")
    )
    assert high - low > 8


def test_the_best_meets_the_constraints(trials):
    """The bottom of the bowl is beyond the bound."""
    rows = trials(study(trials=16, batch=8, constraints=["swing >= 40"], pruner="none"))
    assert [row["trial"] for row in rows] == list(range(16))
    for row in rows:
        assert row["state"] == "complete"
        assert row["feasible"] == (row["swing"] >= 40)
        assert row["swing >= 40"] == 40 - row["swing"]
    (best,) = best_of(rows)
    assert best["swing"] >= 40
    assert best["bowl"] == min(row["bowl"] for row in rows if row["swing"] >= 40)
    assert best["bowl"] > min(row["bowl"] for row in rows)


@pytest.mark.parametrize("sampler", ["tpe", "nsga2"])
def test_a_front_of_two_objectives(sampler, trials):
    objectives = {"bowl": "minimise", "swing": "maximise"}
    rows = trials(study(objectives=objectives, sampler=sampler, trials=24, batch=8))
    assert len(best_of(rows)) > 1
    for row in rows:
        beaten = any(
            (
                (one["bowl"], one["swing"]) != (row["bowl"], row["swing"])
                or one["trial"] < row["trial"]
            )
            and one["bowl"] <= row["bowl"]
            and one["swing"] >= row["swing"]
            for one in rows
        )
        assert row["best"] != beaten


def test_of_equal_ones_the_front_has_the_first(trials, add_seed_metric):
    add_seed_metric("odd", lambda seed: seed % 2)
    add_seed_metric("even", lambda seed: -(seed % 2))
    objectives = {"even": "minimise", "odd": "minimise"}
    rows = trials(study({"seed": {"values": [1, 2, 3, 4]}}, objectives=objectives))
    firsts = {min(row["trial"] for row in rows if row["seed"] % 2 == part) for part in (1, 0)}
    assert {row["trial"] for row in best_of(rows)} == firsts


def test_values_of_all_kinds_are_tried(trials):
    parameters = {
        "friction.along": {"range": [0.01, 1.0], "scale": "log"},
        "robot.links": {"range": [3, 5], "integer": True},
        "solver": {"values": [{"kind": "newton"}, {"kind": "newton", "max_updates": 30}]},
        "controller.delay": {"values": [True, 0.0, 1]},
    }
    rows = trials(study(parameters, objectives={"distance": "maximise"}, trials=16, batch=8))
    assert {row["robot.links"] for row in rows} == {3, 4, 5}
    assert all(0.01 <= row["friction.along"] <= 1 for row in rows)
    assert {row["solver"] for row in rows} == set(map(json.dumps, parameters["solver"]["values"]))
    # What cannot be run is a trial with its reason, not the end.
    for row in rows:
        assert (row["state"] == "failed") == (row["controller.delay"] == "true")
        if row["state"] == "failed":
            assert row["error"].startswith("controller.delay = True is not allowed: it must be")


def test_no_number_is_no_success(trials, add_metric):
    add_metric("swing", lambda _run: math.inf)
    rows = trials(study(objectives={"swing": "minimise"}, trials=4))
    assert {row["state"] for row in rows} == {"failed"}
    assert {row["error"] for row in rows} == {"swing = inf is no finite number"}


@pytest.mark.parametrize(
    ("text", "violation"), [("swing >= 40", -math.inf), ("swing <= 40", math.inf)]
)
def test_an_infinite_metric_meets_its_bound_or_violates_it(text, violation, trials, add_metric):
    """The sampler gets a finite violation all the same."""
    add_metric("swing", lambda _run: math.inf)
    rows = trials(study(trials=12, constraints=[text], pruner="none"))
    assert {row["state"] for row in rows} == {"complete"}
    assert all(pandas.isna(row["error"]) for row in rows)
    assert {row[text] for row in rows} == {violation}
    assert {row["feasible"] for row in rows} == {violation < 0}
    assert len(best_of(rows)) == (violation < 0)


def test_a_bound_on_no_number(trials, add_metric):
    add_metric("swing", lambda _run: math.nan)
    rows = trials(study(trials=4, constraints=["swing >= 40"]))
    assert {row["error"] for row in rows} == {"swing = nan is no number"}


@pytest.mark.thorough
def test_what_is_not_feasible_says_nothing_of_importance(inline, no_figures, add_gait_metric):
    """Whatever there is beyond the bound, importances are those within it."""
    folders = map(str, itertools.count())

    def importances(beyond, *constraints):
        add_gait_metric("mixed", lambda a, phase, _time: a if a <= 30 else beyond * phase)
        search = {"objectives": {"mixed": "minimise"}, "constraints": constraints}
        wanted = study(**search, trials=24, batch=24, pruner="none")
        return run_optimisation(wanted, next(folders)).importances

    assert importances(1.0) != importances(-1.0)
    within = importances(1.0, "swing <= 30")
    assert within == importances(-1.0, "swing <= 30")
    assert set(within["mixed"]) == {AMPLITUDE, PHASE}
    assert importances(1.0, "swing >= 1000") == {}


# ------------------------------------------------------------------------------- what is repeated


class Killed(Exception):
    """As if the process had been killed before it could write."""


@pytest.mark.thorough
@pytest.mark.parametrize("sampler", ["tpe", "cmaes", "nsga2"])
def test_killed_again_and_again_it_comes_to_the_same(sampler, trials, add_gait_metric):
    """At every kill, everything that is not in the database is lost."""

    def logged(amplitude, _phase, _time):
        with Path("log").open("a") as log:
            log.write(f"{amplitude!r}\n")
        return abs(amplitude - 30)

    add_gait_metric("logged", logged)
    wanted = study(sampler=sampler, objectives={"logged": "minimise"}, pruner="none")
    trials(wanted, "straight/out")
    Path("log").unlink()
    left, kills = [0], 0

    def commit(_connection):
        left[0] -= 1
        if left[0] < 0:
            raise Killed

    sqlalchemy.event.listen(sqlalchemy.engine.Engine, "commit", commit)
    try:
        for patience in itertools.count(12):
            left[0] = patience
            try:
                trials(wanted, "killed/out")
                break
            except Killed:
                kills += 1
    finally:
        sqlalchemy.event.remove(sqlalchemy.engine.Engine, "commit", commit)
    assert kills > 4
    tables = [Path(f"{name}/out/table.parquet").read_bytes() for name in ("straight", "killed")]
    assert tables[0] == tables[1]
    # Only what was under way is run again, at most one trial for each kill, and the best one.
    assert len(Path("log").read_text().splitlines()) <= 12 + kills + 1


def test_more_trials_are_those_of_a_longer_search(trials):
    longer = trials(study(trials=12), "longer")
    shorter = trials(study(trials=8), "out")
    assert [row[AMPLITUDE] for row in shorter] == [row[AMPLITUDE] for row in longer[:8]]
    assert trials(study(trials=12), "out") == longer
    # There is nothing to be done for fewer.
    assert trials(study(trials=4), "out") == longer


def test_fewer_trials_than_there_are_is_told(inline, no_figures):
    said = []
    for count in (4, 4, 2):
        found = run_optimisation(study(trials=count), "out", announce=said.append)
        assert found.trials["complete"] == 4
    words = "out has 4 trials, more than trials = 2; none is run, and none is left out"
    assert said == [words]


def test_idle_workers_are_told(no_figures):
    said = []
    place = WorkPlace(workers=2)
    run_optimisation(study(trials=2, batch=1), "out", place, announce=said.append)
    assert said == ["batch = 1 leaves 1 of 2 workers idle; a larger batch would use them"]


def test_the_seed_matters(trials):
    first, second = (trials(study(trials=4, seed=seed)) for seed in (1, 2))
    assert all(a[AMPLITUDE] != b[AMPLITUDE] for a, b in zip(first, second, strict=True))


def test_two_may_share_a_database(trials, add_metric):
    """The second one begins and ends while the first one runs its first trial."""
    url = f"sqlite:///{Path('shared.db').resolve()}"

    def shared(run):
        if not Path("begun").exists():
            Path("begun").touch()
            optimise(wanted, "theirs/out", storage=url)
        return run.time[-1]

    add_metric("shared", shared)
    wanted = study(objectives={"shared": "minimise"}, pruner="none")
    mine = trials(wanted, "mine/out", storage=url)
    theirs = load_table("theirs/out")
    assert list(theirs["state"]) == ["running"] * 4 + ["complete"] * 8
    assert [row["state"] for row in mine] == ["complete"] * 12
    # The same command takes in what was under way elsewhere.
    assert {row["state"] for row in trials(wanted, "theirs/out", storage=url)} == {"complete"}


# --------------------------------------------------------------------------------- what is pruned


@pytest.mark.parametrize("changes", [{}, {"solver.kind": "hybrid"}])
def test_stages_are_those_of_the_whole_run(changes):
    scenario = Scenario.load("aiko_pegs", {"clock.duration": 0.5, **changes})
    runs = list(staged_runs(scenario, 3, skip=0.2))
    assert [run.time[-1] for run in runs] == pytest.approx([0.3, 0.4, 0.5])
    assert str(check_equality(runs[-1], scenario.run())) == "bitwise equal"
    assert [run.time[-1] for run in staged_runs(scenario, 1)] == pytest.approx([0.5])
    short = Scenario.load("aiko_pegs", {"clock.duration": 0.02})
    assert len(list(staged_runs(short, 5))) == 2


def test_a_run_that_stops_in_a_later_stage_is_there_from_its_beginning():
    """It comes to a peg at 0.08 s, for which the solver is given no time."""
    impatient = {"solver.max_updates": 1, "solver.max_halvings": 1}
    gait = {"controller.frequency_deg": 100, "clock.duration": 0.1}
    scenario = Scenario.load("aiko_pegs", impatient | gait)
    with pytest.raises(SimulationStopped) as whole:
        scenario.run()
    with pytest.raises(SimulationStopped) as staged:
        list(staged_runs(scenario, 5))
    assert len(staged.value.run.time) == 9
    assert str(check_equality(staged.value.run, whole.value.run)) == "bitwise equal"
    assert staged.value.run.scenario == scenario


def attempt(rule):
    wanted = study(objectives={"growing": "maximise"}, duration=0.08)
    return PointRunner(wanted.scenario, wanted.measures, 0.0, rule=rule)({AMPLITUDE: 20.0})


def test_an_unpromising_run_is_ended_early():
    past = tuple(
        optuna.create_trial(value=90.0, intermediate_values={1: 0.5, 2: value, 3: 1.5})
        for value in (0.9, 1.0, 1.1, 1.2, 1.3)
    )
    ended = attempt(Rule("median", "growing", "maximize", 4, past))
    # 20 deg in 0.02 s is 0.4, below the median of 0.5.
    assert ended.pruned
    assert ended.reached == pytest.approx(0.02)
    assert ended.stages == {1: pytest.approx(0.4)}
    assert ended.row["growing"] == pytest.approx(0.4)
    better = attempt(Rule("median", "growing", "minimize", 4, past))
    assert not better.pruned
    assert better.reached == pytest.approx(0.08)
    assert list(better.stages) == [1, 2, 3]


def test_half_of_those_that_come_to_a_rung_are_ended():
    def past(value):
        return optuna.create_trial(
            state=optuna.trial.TrialState.PRUNED,
            intermediate_values={1: value},
            system_attrs={"completed_rung_0": value},
        )

    first = attempt(Rule("halving", "growing", "maximize", 4, (past(0.1), past(0.2), past(0.6))))
    assert (first.pruned, first.reached) == (False, pytest.approx(0.08))
    assert list(first.rungs) == ["completed_rung_0", "completed_rung_1"]
    last = attempt(Rule("halving", "growing", "maximize", 4, (past(0.5), past(0.6), past(0.7))))
    assert (last.pruned, last.reached) == (True, pytest.approx(0.02))


def test_workers_are_sent_only_what_a_pruner_needs(trials, monkeypatch):
    rules = []

    def rule(self, make=Trials.rule):
        rules.append(make(self))
        return rules[-1]

    monkeypatch.setattr(Trials, "rule", rule)
    objectives = {"growing": "maximise"}
    trials(study(objectives=objectives, duration=0.08, trials=12, batch=6, pruner="halving"))
    past = rules[-1].past
    assert past
    assert any(trial.system_attrs for trial in past)
    for trial in past:
        assert trial.intermediate_values
        assert trial.value is not None
        assert not trial.user_attrs
        assert not trial.params
        assert all(name.startswith(RUNG) for name in trial.system_attrs)


@pytest.mark.parametrize("pruner", ["median", "halving"])
def test_a_search_prunes_and_finds_all_the_same(pruner, trials):
    objectives = {"growing": "maximise"}
    rows = trials(study(objectives=objectives, duration=0.08, trials=24, batch=6, pruner=pruner))
    states = collections.Counter(row["state"] for row in rows)
    assert states["pruned"] > 3
    assert states["pruned"] + states["complete"] == 24
    for row in rows:
        assert (row["reached"] < 0.079) == (row["state"] == "pruned")
        assert not (row["state"] == "pruned" and row["feasible"])
    (best,) = best_of(rows)
    assert best[AMPLITUDE] == max(row[AMPLITUDE] for row in rows if row["state"] == "complete")
    assert best[AMPLITUDE] > 50


def test_only_feasible_runs_are_a_standard_for_others(trials):
    """Most runs violate the bound and have a better objective; the others are not pruned."""
    wanted = study(
        {AMPLITUDE: {"values": [20, 50, 52, 54, 56, 58, 60]}},
        duration=0.08,
        objectives={"growing": "maximise"},
        constraints=["swing <= 30"],
        trials=24,
        batch=12,
        pruner="median",
    )
    rows = trials(wanted)
    assert sum(row[AMPLITUDE] > 20 for row in rows[:12]) > 6
    assert 20 in {row[AMPLITUDE] for row in rows[12:]}
    assert {row["state"] for row in rows} == {"complete"}


# ------------------------------------------------------------------------------- the whole of it

STUDY = """
title = "The cheapest gait"
base = "swimmer"
metrics = ["distance"]
change = { "clock.duration" = 0.2 }

[parameters]
"controller.amplitude_deg" = { range = [5, 60] }
"controller.phase_deg" = { range = [-110, -10] }

[optimise]
objectives = { positive_work = "minimise" }
constraints = ["displacement >= 2e-05"]
trials = 10
batch = 5
"""


def test_from_the_command_line(capsys, monkeypatch):
    Path("gait.toml").write_text(STUDY)
    line = ["optimise", "gait.toml", "--workers", "2", "--json", "summary.json"]
    assert cli.invoke(line) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("The cheapest gait\n")
    assert re.search(r"^10 trials: .*; 10 in ", shown, re.MULTILINE)
    assert "best: optimisations/gait/best.toml; run again, it gives the same\n" in shown
    home = Path("optimisations/gait")
    assert sorted(path.name for path in home.iterdir()) == [
        "best.toml",
        "figures",
        "lock",
        "optimisation.json",
        "summary.json",
        "table.parquet",
        "trials.db",
    ]
    figures = ("history", "importance", "map", "parallel")
    assert {path.name for path in (home / "figures").iterdir()} == {
        f"{name}.{ending}" for name in figures for ending in ("png", "pdf")
    }
    table, summary = load_table(home), json.loads(Path("summary.json").read_text())
    assert list(table)[:6] == [
        "trial",
        AMPLITUDE,
        PHASE,
        "positive_work",
        "displacement",
        "distance",
    ]
    assert list(table)[-6:] == [
        "displacement >= 2e-05",
        "reached",
        "state",
        "feasible",
        "best",
        "error",
    ]
    (best,) = summary["best"]
    row = table[table["best"]].iloc[0]
    assert best["trial"] == row["trial"]
    assert best["same"] is True
    assert row["positive_work"] == table["positive_work"][table["feasible"]].min()
    assert sum(summary["importances"]["positive_work"].values()) == pytest.approx(1.0)
    # The file is a scenario as any other.
    assert cli.invoke(["run", str(home / "best.toml")]) == 0
    again = Scenario.load(home / "best.toml").run()
    assert METRICS["positive_work"].measure(again) == pytest.approx(row["positive_work"])
    # Again: there is nothing left to do.
    monkeypatch.delattr(WorkPlace, "open")
    capsys.readouterr()
    assert cli.invoke(["optimise", "gait.toml"]) == 0
    assert "10 of them were there already\n" in capsys.readouterr().out


def test_a_front_is_a_folder_of_scenarios(inline, no_figures):
    objectives = {"bowl": "minimise", "swing": "maximise"}
    found = run_optimisation(study(objectives=objectives, trials=8), "out")
    assert len(found.best) > 1
    assert found.same
    assert {path.stem for path in Path("out/pareto").iterdir()} == {
        f"{one.trial:04d}" for one in found.best
    }
    assert list(load_table("out")["best"]) == [
        trial in {one.trial for one in found.best} for trial in range(8)
    ]
    # A longer search has another front, and no scenarios of the old one.
    more = run_optimisation(study(objectives=objectives, trials=16), "out")
    assert more.before == 8
    assert {path.stem for path in Path("out/pareto").iterdir()} == {
        f"{one.trial:04d}" for one in more.best
    }


def test_a_cluster_gives_the_same_table(on_cluster, trials):
    trials(study(trials=4), "here/out")
    run_optimisation(study(trials=4), "there/out", on_cluster)
    tables = [Path(f"{where}/out/table.parquet").read_bytes() for where in ("here", "there")]
    assert tables[0] == tables[1]


def test_a_best_one_that_does_not_repeat_is_told(inline, no_figures, capsys, add_metric):
    add_metric("fickle", lambda run: time.perf_counter() + 0 * run.time[0])
    text = STUDY.replace("positive_work", "fickle").replace("trials = 10", "trials = 2")
    Path("gait.toml").write_text(text)
    assert cli.invoke(["optimise", "gait.toml"]) == 1
    said = capsys.readouterr().out
    assert "optimisations/gait/best.toml does not repeat its trial: fickle " in said
    assert "it gives the same" not in said


def test_nothing_good_is_told(inline, no_figures, capsys):
    Path("gait.toml").write_text(STUDY.replace("2e-05", "1000").replace("= 10\n", "= 2\n"))
    assert cli.invoke(["optimise", "gait.toml"]) == 1
    assert "no trial came to its end within all constraints\n" in capsys.readouterr().out
    assert not Path("optimisations/gait/best.toml").exists()


def test_a_fault_of_a_worker_is_no_trial_s_error(inline, add_metric):
    def poor(_run):
        raise MemoryError

    add_metric("poor", poor)
    with pytest.raises(StudyStopped) as caught:
        optimise(study(objectives={"poor": "minimise"}, trials=4), "out")
    assert str(caught.value) == (
        "the only worker failed: MemoryError; 0 of 4 trials of out are kept, and the same command "
        "goes on from there"
    )


def test_a_trial_that_kills_its_worker(no_figures, add_seed_metric):
    def deadly(seed):
        if seed == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return seed

    add_seed_metric("deadly", deadly)
    wanted = study({"seed": {"values": [2]}}, 0.05, objectives={"deadly": "minimise"}, trials=1)
    table = optimise(wanted, "out", workers=1)
    assert list(table["state"]) == ["failed"]
    assert list(table["error"]) == ["the worker process died whenever it ran this point"]
    assert not table["best"].any()


# A script that notes every run in a file; each takes long enough to be killed in.
DRIVER = """
import time
from serpenoid.studies import Optimisation, metric, optimise

@metric("1")
def noted(run):
    gait = run.scenario.controller
    time.sleep(0.1)
    with open("log", "a") as log:
        log.write(f"{gait.amplitude_deg!r}\\n")
    return (gait.amplitude_deg - 30) ** 2

if __name__ == "__main__":
    import serpenoid.studies.study_figures
    serpenoid.studies.study_figures.draw = lambda *_: None
    study = Optimisation(
        base="swimmer",
        parameters={"controller.amplitude_deg": {"range": [5, 60]}},
        change={"clock.duration": 0.1},
        optimise={"objectives": {"noted": "minimise"}, "trials": 12, "batch": 4, "pruner": "none"},
    )
    table = optimise(study, "out", workers=1)
"""


def attempts():
    """Count the trials whose outcome is in the database."""
    query = "select count(*) from trial_user_attributes where key = 'attempt'"
    if not Path("out/trials.db").exists():
        return 0
    with contextlib.closing(sqlite3.connect("out/trials.db", timeout=30)) as database:
        try:
            return database.execute(query).fetchone()[0]
        except sqlite3.OperationalError:  # its tables are being made
            return 0


@pytest.mark.thorough
def test_a_killed_driver(drive, trials):
    with drive(DRIVER) as driver:
        wait_for(lambda: attempts() >= 5)
        driver.kill()
    done = attempts()
    assert 5 <= done < 12
    with drive(DRIVER) as driver:
        _, errors = driver.communicate(timeout=120)
    assert driver.returncode == 0, errors
    table = load_table("out")
    assert list(table["trial"]) == list(range(12))
    assert set(table["state"]) == {"complete"}
    times = collections.Counter(float(line) for line in Path("log").read_text().splitlines())
    # What is in the log once was not run again; the best one is, to see that it repeats.
    (best,) = table[AMPLITUDE][table["best"]]
    again = [value for value in table[AMPLITUDE] if times[value] > 1]
    assert set(again) - {best} <= set(table[AMPLITUDE][done:])
    assert len(again) <= 1 + 4
    # The same was chosen as without a kill.
    straight = trials(study({AMPLITUDE: {"range": [5, 60]}}, seed=0, trials=4))
    assert list(table[AMPLITUDE][:4]) == [row[AMPLITUDE] for row in straight]


def test_ctrl_c(drive):
    with drive(DRIVER) as driver:
        wait_for(lambda: attempts() >= 1)
        os.killpg(driver.pid, signal.SIGINT)
        _, errors = driver.communicate(timeout=60)
    assert driver.returncode != 0
    words = "interrupted; [0-9]+ of 12 trials of out are kept, and the same command goes on from "
    assert re.search(f"^serpenoid.errors.StudyInterrupted: {words}there$", errors, re.MULTILINE)


# -------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("search", "words"),
    [
        ({"objectives": {}}, r"Search.objectives = {} is not allowed"),
        (
            {"objectives": {"mean_sped": "minimise"}},
            r"Search.objectives: 'mean_sped' is not known \(did you mean 'mean_speed'\?\)",
        ),
        ({"objectives": {"bowl": "minimize"}}, "it must be 'minimise' or 'maximise'"),
        ({"sampler": "tp"}, r"Search.sampler = 'tp' is not known \(did you mean 'tpe'\?\); there"),
        ({"pruner": "meidan"}, r"Search.pruner = 'meidan' is not known \(did you mean 'median'"),
        ({"trials": 0}, "Search.trials = 0 is not allowed: it must be at least 1"),
        ({"batch": 0}, "Search.batch = 0 is not allowed: it must be at least 1"),
        ({"stages": 1}, "Search.stages = 1 is not allowed: it must be at least 2"),
        ({"trails": 3}, r"Search has no 'trails' \(did you mean 'trials'\?\)"),
        ({"constraints": ["mean_speed > 3"]}, "each must be a metric with a bound, such as"),
        ({"constraints": ["mean_speed >= fast"]}, "each must be a metric with a bound, such as"),
        ({"constraints": ["swing >= 3", "swing >= 3.0"]}, "'swing >= 3' is given twice"),
        ({"constraints": ["mean_sped >= 3"]}, r"constraints: 'mean_sped' is not known \(did you"),
        (
            {"objectives": {"bowl": "minimise", "swing": "minimise"}, "sampler": "cmaes"},
            "'cmaes' is not allowed with several objectives; 'nsga2' and 'tpe' take them",
        ),
        (
            {"constraints": ["swing >= 3"], "sampler": "cmaes"},
            "'cmaes' is not allowed with constraints; 'tpe' and 'nsga2' take them",
        ),
        ({"sampler": "cmaes", "batch": 2}, "Search.batch = 2 is not allowed with sampler 'cmaes'"),
        ({"sampler": "nsga2", "batch": 1}, "Search.batch = 1 is not allowed with sampler 'nsga2'"),
        (
            {"objectives": {"bowl": "minimise", "swing": "minimise"}, "pruner": "median"},
            "Search.pruner = 'median' is not allowed with several objectives",
        ),
    ],
)
def test_a_search_that_is_refused(search, words):
    with pytest.raises(InvalidInput, match=words) as caught:
        study(**search)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("parameter", "sampler", "words"),
    [
        ({"range": [3, 1]}, "tpe", "the first number must be less than the second"),
        ({"values": []}, "tpe", r"values = \[\] is not allowed: it must not be empty"),
        ({"range": [1, 3], "steps": 3}, "tpe", "parameters.seed.steps = 3 is not allowed: an opt"),
        ({"values": [1, 2]}, "cmaes", "parameters.seed.values is not allowed with sampler 'cmaes'"),
    ],
)
def test_parameters_that_are_refused(parameter, sampler, words):
    with pytest.raises(InvalidInput, match=words):
        study({"seed": parameter}, sampler=sampler)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "[optimise]",
            "[optimize]",
            r"optimize is not known \(did you mean 'optimise'\?\); a stud",
        ),
        ("trials =", "trails =", r"optimise.trails is not known \(did you mean 'trials'\?\); opt"),
        ("trials = 10\n", "", "optimise.trials is missing; optimise takes objectives, trials"),
        ("metrics", "keep_runs = true\nmetrics", "keep_runs is not known; a study to optimise"),
        ('"minimise"', '"least"', "optimise.objectives.positive_work = 'least' is not allowed"),
        ("swimmer", "swimer", r"scenario 'swimer' is neither .* \(did you mean 'swimmer'\?\)"),
    ],
)
def test_files_that_are_refused(old, new, words, capsys):
    Path("gait.toml").write_text(STUDY.replace(old, new))
    with pytest.raises(InvalidInput, match=rf"gait.toml(, line \d+)?: {words}"):
        Optimisation.load("gait.toml")
    assert cli.invoke(["optimise", "gait.toml"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not Path("optimisations").exists()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("trials", "storage = 'trials' is not allowed: it must be the URL of a database, such as"),
        ("sqlte:///x.db", "'sqlte:///x.db' is not allowed: nothing is installed that talks to th"),
        ("sqlite:////no/where/x.db", "is not allowed: unable to open database file"),
        (3, "storage = '3' is not allowed: it must be the URL"),
    ],
)
def test_databases_that_are_refused(url, words):
    with pytest.raises(InvalidInput, match=words) as caught:
        optimise(study(), "out", storage=url)
    assert "\n" not in str(caught.value)


def test_a_password_is_not_shown():
    with pytest.raises(InvalidInput) as caught:
        optimise(study(), "out", storage="nosuchbase://me:secret@host/name")
    assert "secret" not in str(caught.value)
    assert "nosuchbase://me:***@host/name" in str(caught.value)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"seed": 4}, "optimise.seed = 3, which is now 4; take another"),
        ({"duration": 0.03}, "change.clock.duration = 0.02, which is now"),
        (
            {"parameters": {AMPLITUDE: {"range": [5, 61]}, PHASE: RANGES[PHASE]}},
            r"parameters.controller.amplitude_deg.range = \[5.0, 60.0\], which is now \[5.0, 61.0",
        ),
        (
            {"parameters": dict(reversed(RANGES.items()))},
            r'order = \[\["controller.amplitude_deg", "controller.phase_deg"',
        ),
        ({"objectives": {"bowl": "minimise", "swing": "minimise"}}, "order = "),
    ],
)
def test_a_changed_study_is_refused(changed, words, inline, no_figures):
    optimise(study(trials=1), "out")
    with pytest.raises(InvalidInput, match=f"out was begun with {words}"):
        optimise(study(**changed), "out")


def test_folders_that_are_refused():
    Path("file").touch()
    with pytest.raises(OutputError, match=r"folder file.out cannot be made: Not a directory"):
        optimise(study(), "file/out")
    Path("swept").mkdir()
    Path("swept/study.json").write_text("{}")
    with pytest.raises(InvalidInput, match="swept holds a sweep; take another folder"):
        optimise(study(), "swept")
    Path("broken").mkdir()
    Path("broken/trials.db").write_bytes(b"no database" * 100)
    with pytest.raises(OutputError, match=r"broken.trials.db' cannot be used as a database: file"):
        optimise(study(), "broken")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_is_read_only():
    Path("out").mkdir(mode=0o500)
    with pytest.raises(OutputError, match=r"path = 'out.lock' cannot be written: Permission den"):
        optimise(study(), "out")


def test_a_study_of_which_nothing_could_be_run_is_refused_before_anything_is_written():
    with pytest.raises(InvalidInput, match=r"friction.along = -1 is not allowed"):
        optimise(study({"friction.along": {"values": [-1]}}), "out")
    with pytest.raises(InvalidInput, match=r"friction.alng is not known \(did you mean 'along'"):
        optimise(study({"friction.alng": {"range": [0, 1]}}), "out")
    with pytest.raises(InvalidInput, match=r"metrics: 'jammed_time' is not allowed: this run has"):
        optimise(study(objectives={"jammed_time": "minimise"}), "out")
    assert not Path("out").exists()


def test_a_database_that_is_lost_is_told(inline, monkeypatch):
    def lost(*_, **__):
        raise sqlalchemy.exc.OperationalError("insert", {}, Exception("disk full\nmore words"))

    monkeypatch.setattr("optuna.storages.RDBStorage.set_trial_user_attr", lost)
    with pytest.raises(StudyStopped) as caught:
        optimise(study(), "out")
    assert str(caught.value) == (
        "the database failed: disk full; 0 of 12 trials of out are kept, and the same command goes "
        "on from there"
    )


def test_what_is_missing_is_named(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name != "cmaes" or None)
    with pytest.raises(InvalidInput, match=r"need Optuna and cmaes, which are not installed: pip"):
        optimise(study(), "out")


def test_optuna_is_loaded_only_when_it_is_used():
    code = "import sys, serpenoid, serpenoid.cli, serpenoid.studies.optimisation_runner\n"
    code += "assert not {'optuna', 'sqlalchemy', 'matplotlib'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
