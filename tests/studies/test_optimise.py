"""Optimisations: what is found, what is pruned, what survives a kill, what is refused."""

import collections
import contextlib
import json
import math
import os
import re
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
import sqlalchemy

from serpenoid import cli
from serpenoid.analysis.compare import compare
from serpenoid.errors import InvalidInput, OutputError, StudyStopped
from serpenoid.scenario.scenario import Scenario
from serpenoid.studies import Optimisation, Search, load_table, optimise
from serpenoid.studies.cluster import connected
from serpenoid.studies.metrics import METRICS, Metric
from serpenoid.studies.point import Fault
from serpenoid.studies.results import best_rows
from serpenoid.studies.searches import Options, run_search
from serpenoid.studies.stretches import stretches
from serpenoid.studies.trial import Past, Rule, Work, run_trial
from serpenoid.studies.trials import Trials

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals as on Unix")

AMPLITUDE, PHASE = "controller.amplitude_deg", "controller.phase_deg"
RANGES = {AMPLITUDE: {"range": [5, 60]}, PHASE: {"range": [-110, -10]}}


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def _metrics(monkeypatch):
    """A bowl with its bottom at 30 and -50 degrees, and how far an amplitude is from others."""

    def bowl(run):
        gait = run.scenario["controller"]
        return ((gait["amplitude_deg"] - 30) / 10) ** 2 + ((gait["phase_deg"] + 50) / 20) ** 2

    def swing(run):
        return run.scenario["controller"]["amplitude_deg"]

    def growing(run):
        return run.scenario["controller"]["amplitude_deg"] * (run.time[-1] - run.time[0])

    def to_15(run):
        return abs(run.scenario["controller"]["amplitude_deg"] - 15)

    def to_50(run):
        return abs(run.scenario["controller"]["amplitude_deg"] - 50)

    for function in (bowl, swing, growing, to_15, to_50):
        name = function.__name__
        monkeypatch.setitem(METRICS, name, Metric(name, "1", "It is for tests", function))


@pytest.fixture
def no_figures(monkeypatch):
    monkeypatch.setattr("serpenoid.studies.study_figures.draw", lambda *_: None)


@pytest.fixture(scope="module")
def cluster():
    """Address of a scheduler with one worker."""
    with connected(None, 1) as client:
        yield client.scheduler.address


def study(parameters=RANGES, duration=0.02, **search):
    wanted = {"objectives": {"bowl": "minimise"}, "trials": 12, "batch": 4, "seed": 3}
    return Optimisation(
        base="swimmer",
        parameters=parameters,
        change={"clock.duration": duration},
        optimise=Search(**(wanted | search)),
    )


def opened(wanted, file="trials.db"):
    return contextlib.closing(Trials(wanted, "test", Path(file), "me", "here"))


def work_here(trials, ran=None):
    """Run all trials in this process, one after the other."""
    while trials.more():
        chosen, rule = trials.next_batch(), trials.rule()
        for one in reversed(chosen):  # in another order than they were chosen
            if ran is not None:
                ran[one.number] += 1
            trials.keep(one.number, run_trial(Work.of(trials.study, rule), one.changes))
        trials.settle()


def rows_of(wanted, file="trials.db"):
    with opened(wanted, file) as trials:
        work_here(trials)
        return trials.rows()


# --------------------------------------------------------------------------------- what is found


def last_amplitude(**search):
    """Mean amplitude that was chosen last, of a search in four batches."""
    with tempfile.TemporaryDirectory() as folder:
        rows = rows_of(study(trials=24, batch=6, pruner="none", **search), f"{folder}/trials.db")
    return statistics.mean(row[AMPLITUDE] for row in rows[-12:])


@pytest.mark.parametrize("sampler", ["tpe", "cmaes", "nsga2"])
def test_each_sampler_goes_where_it_is_told_that_it_is_good(sampler):
    """With one seed, who does not listen chooses the same for both; seeds 0 to 4 give 7.5 to 27."""
    low, high = (
        last_amplitude(objectives={name: "minimise"}, sampler=sampler)
        for name in ("to_15", "to_50")
    )
    assert high - low > 4


def test_the_sampler_goes_where_constraints_are_met():
    """Who does not know of them chooses the same for both; seeds 0 to 4 give 15 to 31."""
    low, high = (last_amplitude(constraints=[text]) for text in ("swing <= 15", "swing >= 50"))
    assert high - low > 8


def test_constraints_are_kept_by_the_best():
    """The bottom of the bowl is beyond the bound."""
    wanted = study(trials=16, batch=8, constraints=["swing >= 40"], pruner="none")
    rows = rows_of(wanted)
    assert [row["trial"] for row in rows] == list(range(16))
    for row in rows:
        assert row["state"] == "complete"
        assert row["feasible"] == (row["swing"] >= 40)
        assert row["swing >= 40"] == 40 - row["swing"]
    (best,) = best_rows(wanted, rows)
    assert best["swing"] >= 40
    assert best["bowl"] == min(row["bowl"] for row in rows if row["swing"] >= 40)
    assert best["bowl"] > min(row["bowl"] for row in rows)


@pytest.mark.parametrize("sampler", ["tpe", "nsga2"])
def test_a_front_of_two_objectives(sampler):
    objectives = {"bowl": "minimise", "swing": "maximise"}
    wanted = study(objectives=objectives, sampler=sampler, trials=24, batch=8)
    rows = rows_of(wanted)
    front = best_rows(wanted, rows)
    assert len(front) > 1
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
        assert (row in front) != beaten


def test_values_of_all_kinds_are_tried():
    parameters = {
        "friction.along": {"range": [0.01, 1.0], "scale": "log"},
        "robot.links": {"range": [3, 5], "integer": True},
        "solver": {"values": [{"kind": "newton"}, {"kind": "newton", "max_updates": 30}]},
        "controller.delay": {"values": [True, 0.0, 1]},
    }
    wanted = study(parameters, objectives={"distance": "maximise"}, trials=16, batch=8)
    rows = rows_of(wanted)
    assert {row["robot.links"] for row in rows} == {3, 4, 5}
    assert all(0.01 <= row["friction.along"] <= 1 for row in rows)
    assert {json.dumps(row["solver"]) for row in rows} == {
        json.dumps(value) for value in parameters["solver"]["values"]
    }
    # What cannot be run is a trial with its reason, not the end.
    for row in rows:
        assert (row["state"] == "failed") == (row["controller.delay"] is True)
        if row["state"] == "failed":
            assert row["error"].startswith("controller.delay = True is not allowed: it must be")


def test_no_number_is_no_success(monkeypatch):
    monkeypatch.setitem(METRICS, "swing", Metric("swing", "1", "", lambda _run: math.inf))
    rows = rows_of(study(objectives={"swing": "minimise"}, trials=4))
    assert {row["state"] for row in rows} == {"failed"}
    assert {row["error"] for row in rows} == {"swing = inf is no finite number"}


def test_an_infinite_metric_keeps_its_bound_or_breaks_it(monkeypatch):
    """How far it is broken without end is told to the sampler as a number all the same."""
    monkeypatch.setitem(METRICS, "swing", Metric("swing", "1", "", lambda _run: math.inf))
    for text, violation in (("swing >= 40", -math.inf), ("swing <= 40", math.inf)):
        wanted = study(trials=12, constraints=[text], pruner="none")
        rows = rows_of(wanted, f"{text[6]}.db")
        assert {row["state"] for row in rows} == {"complete"}
        assert {row["error"] for row in rows} == {None}
        assert {row[text] for row in rows} == {violation}
        assert {row["feasible"] for row in rows} == {violation < 0}
        assert len(best_rows(wanted, rows)) == (violation < 0)
    monkeypatch.setitem(METRICS, "swing", Metric("swing", "1", "", lambda _run: math.nan))
    rows = rows_of(study(trials=4, constraints=["swing >= 40"]), "nan.db")
    assert {row["error"] for row in rows} == {"swing = nan is no number"}


def test_of_equal_ones_the_front_has_the_first(monkeypatch):
    monkeypatch.setitem(
        METRICS, "swing", Metric("swing", "1", "", lambda run: float(run.scenario["seed"] % 2))
    )
    monkeypatch.setitem(
        METRICS, "bowl", Metric("bowl", "1", "", lambda run: -float(run.scenario["seed"] % 2))
    )
    wanted = study(
        {"seed": {"values": [1, 2, 3, 4]}},
        objectives={"bowl": "minimise", "swing": "minimise"},
        trials=12,
    )
    rows = rows_of(wanted)
    odd, even = (min(row["trial"] for row in rows if row["seed"] % 2 == part) for part in (1, 0))
    assert [row["trial"] for row in best_rows(wanted, rows)] == [odd, even]


def test_what_is_not_feasible_says_nothing_of_importance(monkeypatch):
    """Whatever there is beyond the bound, importances are those within it."""

    def importances(beyond, *constraints):
        def mixed(run):
            gait = run.scenario["controller"]
            within = gait["amplitude_deg"] <= 30
            return gait["amplitude_deg"] if within else beyond * gait["phase_deg"]

        monkeypatch.setitem(METRICS, "mixed", Metric("mixed", "1", "It is mixed", mixed))
        search = {"objectives": {"mixed": "minimise"}, "constraints": constraints}
        with tempfile.TemporaryDirectory() as folder:
            wanted = study(**search, trials=24, batch=24, pruner="none")
            with opened(wanted, f"{folder}/trials.db") as trials:
                work_here(trials)
                return trials.importances()

    assert importances(1.0) != importances(-1.0)
    assert importances(1.0, "swing <= 30") == importances(-1.0, "swing <= 30")
    assert set(importances(1.0, "swing <= 30")["mixed"]) == {AMPLITUDE, PHASE}
    assert importances(1.0, "swing >= 1000") == {}


# ------------------------------------------------------------------------------- what is repeated


class Killed(Exception):
    """As if the process had been killed before it could write."""


@pytest.mark.parametrize("sampler", ["tpe", "cmaes", "nsga2"])
def test_killed_again_and_again_it_comes_to_the_same(sampler):
    """Every so many writes into the database, everything that is not in it is lost."""
    wanted = study(sampler=sampler, trials=12, batch=4)
    straight = rows_of(wanted, "straight.db")
    ran, kills = collections.Counter(), 0
    for patience in range(11, 400):
        with opened(wanted) as trials:
            left = [patience]

            def write(_connection, left=left):
                left[0] -= 1
                if left[0] < 0:
                    raise Killed

            sqlalchemy.event.listen(trials._base.engine, "commit", write)
            try:
                work_here(trials, ran)
            except Killed:
                kills += 1
                continue
            rows = trials.rows()
            break
    assert kills > 4
    assert rows == straight
    # Only what was under way is run again, at most one trial for each kill.
    assert sum(ran.values()) <= 12 + kills


def test_more_trials_are_those_of_a_longer_search():
    longer = rows_of(study(trials=12), "longer.db")
    assert rows_of(study(trials=8)) == longer[:8]
    assert rows_of(study(trials=12)) == longer
    # There is nothing to be done for fewer.
    assert rows_of(study(trials=4)) == longer


def test_fewer_trials_than_there_are_is_told(cluster, no_figures):
    said = []
    for trials in (4, 4, 2):
        options = Options(scheduler=cluster)
        found = run_search(study(trials=trials), "out", options, announce=said.append)
        assert found.trials["complete"] == 4
    words = "out has 4 trials, more than trials = 2; none is run, and none is left out"
    assert [line for line in said if "trials" in line] == [words]


def test_the_seed_matters():
    first, second = (rows_of(study(trials=4, seed=seed), f"{seed}.db") for seed in (1, 2))
    assert all(a[AMPLITUDE] != b[AMPLITUDE] for a, b in zip(first, second, strict=True))


def test_two_may_share_a_database():
    wanted = study(trials=12, pruner="none")
    url = f"sqlite:///{Path('shared.db').resolve()}"
    with contextlib.ExitStack() as stack:
        mine, theirs = (
            stack.enter_context(contextlib.closing(Trials(wanted, "test", url, owner, "here")))
            for owner in ("me", "they")
        )
        first, second = mine.next_batch(), theirs.next_batch()
        assert {one.number for one in first} == {0, 1, 2, 3}
        assert {one.number for one in second} == {4, 5, 6, 7}
        assert mine.next_batch() == first
        work_here(theirs)
        assert [row["state"] for row in mine.rows()] == ["running"] * 4 + ["complete"] * 8
        work_here(mine)
        assert {row["state"] for row in theirs.rows()} == {"complete"}
        assert len(theirs.rows()) == 12


# --------------------------------------------------------------------------------- what is pruned


@pytest.mark.parametrize("changes", [{}, {"solver.kind": "hybrid"}])
def test_stretches_are_those_of_the_whole_run(changes):
    scenario = Scenario.load("aiko_pegs", {"clock.duration": 0.5, **changes})
    runs = list(stretches(scenario, 3, skip=0.2))
    assert [run.time[-1] for run in runs] == pytest.approx([0.3, 0.4, 0.5])
    assert compare(runs[-1], scenario.run()).equal
    assert str(compare(runs[-1], scenario.run())) == "bitwise equal"
    assert {run.scenario["duration"] for run in runs} == {0.5}
    assert [run.time[-1] for run in stretches(scenario, 1)] == pytest.approx([0.5])
    short = Scenario.load("aiko_pegs", {"clock.duration": 0.02})
    assert len(list(stretches(short, 5))) == 2


def attempt(rule, **more):
    wanted = study(objectives={"growing": "maximise"}, duration=0.08, **more)
    return run_trial(Work.of(wanted, rule), {AMPLITUDE: 20.0})


def test_a_hopeless_run_is_ended_early():
    past = tuple(Past(90.0, {1: 0.5, 2: value, 3: 1.5}, {}) for value in (0.9, 1.0, 1.1, 1.2, 1.3))
    rule = Rule("median", "growing", "maximize", 4, past)
    ended = attempt(rule)
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
        return Past(None, {1: value}, {"completed_rung_0": value})

    rule = Rule("halving", "growing", "maximize", 4, (past(0.1), past(0.2), past(0.6)))
    first = attempt(rule)
    assert (first.pruned, first.reached) == (False, pytest.approx(0.08))
    assert list(first.rungs) == ["completed_rung_0", "completed_rung_1"]
    last = attempt(Rule("halving", "growing", "maximize", 4, (past(0.5), past(0.6), past(0.7))))
    assert (last.pruned, last.reached) == (True, pytest.approx(0.02))


@pytest.mark.parametrize("pruner", ["median", "halving"])
def test_a_search_prunes_and_finds_all_the_same(pruner):
    wanted = study(
        objectives={"growing": "maximise"}, duration=0.08, trials=24, batch=6, pruner=pruner
    )
    rows = rows_of(wanted)
    states = collections.Counter(row["state"] for row in rows)
    assert states["pruned"] > 3
    assert states["pruned"] + states["complete"] == 24
    for row in rows:
        assert (row["reached"] < 0.079) == (row["state"] == "pruned")
        assert not (row["state"] == "pruned" and row["feasible"])
    (best,) = best_rows(wanted, rows)
    assert best[AMPLITUDE] == max(row[AMPLITUDE] for row in rows if row["state"] == "complete")
    assert best[AMPLITUDE] > 50


def test_only_feasible_runs_are_an_example_to_others():
    wanted = study(constraints=["swing >= 40"], pruner="median", trials=8)
    with opened(wanted) as trials:
        work_here(trials)
        good = sum(row["feasible"] for row in trials.rows())
        assert 0 < good == len(trials.rule().past) < 8


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
objectives = { cost_of_transport = "minimise" }
constraints = ["mean_speed >= 0.0001"]
trials = 10
batch = 5
"""


def test_from_the_command_line(cluster, capsys, monkeypatch):
    Path("gait.toml").write_text(STUDY)
    line = ["optimise", "gait.toml", "--scheduler", cluster, "--json", "summary.json"]
    assert cli.invoke(line) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("The cheapest gait ")
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
        "cost_of_transport",
        "mean_speed",
        "distance",
    ]
    assert list(table)[-6:] == [
        "mean_speed >= 0.0001",
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
    assert row["cost_of_transport"] == table["cost_of_transport"][table["feasible"]].min()
    assert sum(summary["importances"]["cost_of_transport"].values()) == pytest.approx(1.0)
    # The file is a scenario as any other.
    assert cli.invoke(["run", str(home / "best.toml")]) == 0
    again = Scenario.load(home / "best.toml").run()
    assert METRICS["cost_of_transport"].measure(again) == pytest.approx(row["cost_of_transport"])
    # Again: there is nothing left to do.
    monkeypatch.delattr("serpenoid.studies.searches.connected")
    capsys.readouterr()
    assert cli.invoke(["optimise", "gait.toml"]) == 0
    assert "10 of them were there already\n" in capsys.readouterr().out


def test_a_front_is_a_folder_of_scenarios(cluster, no_figures, monkeypatch):
    objectives = {"bowl": "minimise", "swing": "maximise"}
    wanted = study(objectives=objectives, trials=8)
    found = run_search(wanted, "out", Options(scheduler=cluster))
    assert len(found.best) > 1
    assert found.same
    assert sorted(path.stem for path in Path("out/pareto").iterdir()) == sorted(
        f"{one.trial:04d}" for one in found.best
    )
    assert list(load_table("out")["best"]) == [
        trial in {one.trial for one in found.best} for trial in range(8)
    ]
    # A longer search has another front, and no scenarios of the old one.
    more = run_search(study(objectives=objectives, trials=16), "out", Options(scheduler=cluster))
    assert more.before == 8
    assert {path.stem for path in Path("out/pareto").iterdir()} == {
        f"{one.trial:04d}" for one in more.best
    }


def test_a_best_one_that_does_not_repeat_is_told(cluster, no_figures, capsys, monkeypatch):
    def fickle(run):
        return time.perf_counter() + 0 * run.time[0]

    monkeypatch.setitem(METRICS, "fickle", Metric("fickle", "s", "Time flies", fickle))
    text = STUDY.replace("cost_of_transport", "fickle").replace("trials = 10", "trials = 2")
    Path("gait.toml").write_text(text)
    assert cli.invoke(["optimise", "gait.toml", "--scheduler", cluster]) == 1
    said = capsys.readouterr().out
    assert "optimisations/gait/best.toml does not repeat its trial: fickle " in said
    assert "it gives the same" not in said


def test_nothing_good_is_told(cluster, no_figures, capsys):
    Path("gait.toml").write_text(STUDY.replace("0.0001", "1000").replace("= 10\n", "= 2\n"))
    assert cli.invoke(["optimise", "gait.toml", "--scheduler", cluster]) == 1
    assert "no trial came to its end within all constraints\n" in capsys.readouterr().out
    assert not Path("optimisations/gait/best.toml").exists()


def test_a_fault_of_a_worker_is_no_trial_s_error(cluster, no_figures, monkeypatch):
    def poor(_run):
        raise MemoryError

    monkeypatch.setitem(METRICS, "poor", Metric("poor", "1", "It is poor", poor))
    wanted = study(objectives={"poor": "minimise"}, trials=4)
    with pytest.raises(StudyStopped) as caught:
        run_search(wanted, "out", Options(scheduler=cluster))
    assert str(caught.value) == (
        "the only worker failed: MemoryError; 0 of 4 trials of out are kept, and the same command "
        "goes on from there"
    )
    with opened(wanted) as trials:
        fault = run_trial(Work.of(wanted, trials.rule()), {})
    assert fault == Fault("MemoryError", "")


def test_a_trial_that_kills_its_worker(no_figures, monkeypatch):
    def deadly(run):
        if run.scenario["seed"] == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return run.scenario["seed"]

    monkeypatch.setitem(METRICS, "deadly", Metric("deadly", "1", "It kills", deadly))
    wanted = study({"seed": {"values": [2]}}, 0.05, objectives={"deadly": "minimise"}, trials=1)
    table = optimise(wanted, "out", workers=1)
    assert list(table["state"]) == ["failed"]
    assert list(table["error"]) == ["the worker process died whenever it ran this point"]
    assert not table["best"].any()


# A driver of its own, which notes every run in a file; each takes long enough to be killed in.
DRIVER = """
import time
from serpenoid.studies import Optimisation, metric, optimise

@metric("1")
def noted(run):
    gait = run.scenario["controller"]
    time.sleep(0.1)
    with open("log", "a") as log:
        log.write(f"{gait['amplitude_deg']!r}\\n")
    return (gait["amplitude_deg"] - 30) ** 2

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


def drive():
    Path("driver.py").write_text(DRIVER)
    return subprocess.Popen(
        [sys.executable, "driver.py"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def attempts():
    """Trials whose outcome is noted in the database."""
    query = "select count(*) from trial_user_attributes where key = 'attempt'"
    if not Path("out/trials.db").exists():
        return 0
    with contextlib.closing(sqlite3.connect("out/trials.db", timeout=30)) as database:
        try:
            return database.execute(query).fetchone()[0]
        except sqlite3.OperationalError:  # its tables are being made
            return 0


def wait_for_attempts(driver, count, seconds=60.0):
    end = time.monotonic() + seconds
    while attempts() < count:
        assert driver.poll() is None, driver.stderr.read()
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.02)


def test_a_killed_driver():
    with drive() as driver:
        wait_for_attempts(driver, 5)
        driver.kill()
    done = attempts()
    assert 5 <= done < 12
    with drive() as driver:
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
    parameters = {AMPLITUDE: {"range": [5, 60]}}
    straight = study(parameters, objectives={"bowl": "minimise"}, seed=0, trials=4)
    assert list(table[AMPLITUDE][:4]) == [row[AMPLITUDE] for row in rows_of(straight)]


def test_ctrl_c():
    with drive() as driver:
        wait_for_attempts(driver, 1)
        os.killpg(driver.pid, signal.SIGINT)
        _, errors = driver.communicate(timeout=60)
    assert driver.returncode != 0
    # Libraries may have their say while they are let go.
    words = (
        r"^serpenoid.errors.StudyInterrupted: interrupted; \d+ of 12 trials of out are kept, and "
    )
    assert re.search(words + "the same command goes on from there$", errors, re.MULTILINE), errors


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
        ({"constraints": ["swing >= 3", "swing >= 3.0"]}, "'swing >= 3' is there twice"),
        ({"constraints": ["mean_sped >= 3"]}, r"constraints: 'mean_sped' is not known \(did you"),
        (
            {"objectives": {"bowl": "minimise", "swing": "minimise"}, "sampler": "cmaes"},
            "'cmaes' is not allowed with several objectives; 'nsga2' and 'tpe' take them",
        ),
        (
            {"constraints": ["swing >= 3"], "sampler": "cmaes"},
            "'cmaes' is not allowed with constraints, .*; 'tpe' and 'nsga2' take them",
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
        ({"values": []}, "tpe", r"values = \[\] is not allowed: it must hold at least one value"),
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
        ('"minimise"', '"least"', "optimise.objectives.cost_of_transport = 'least' is not allowed"),
        ("swimmer", "swimer", r"scenario 'swimer' is neither .* \(did you mean 'swimmer'\?\)"),
    ],
)
def test_files_that_are_refused(old, new, words, capsys):
    Path("gait.toml").write_text(STUDY.replace(old, new))
    with pytest.raises(InvalidInput, match=f"gait.toml: {words}"):
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


def test_a_changed_study_is_refused():
    wanted = study()
    with opened(wanted):
        pass
    for changed, words in (
        (study(seed=4), "here was begun with optimise.seed = 3, which is now 4; take another"),
        (study(duration=0.03), "here was begun with change.clock.duration = 0.02, which is now"),
        (
            study({AMPLITUDE: {"range": [5, 61]}, PHASE: RANGES[PHASE]}),
            r"parameters.controller.amplitude_deg.range = \[5.0, 60.0\], which is now \[5.0, 61.0",
        ),
        (
            study(dict(reversed(RANGES.items()))),
            r'begun with order = \[\["controller.amplitude_deg", "controller.phase_deg"',
        ),
        (
            study(objectives={"bowl": "minimise", "swing": "minimise"}),
            "here was begun with order = ",
        ),
    ):
        with pytest.raises(InvalidInput, match=words), opened(changed):
            pass


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


def test_a_scheduler_that_does_not_answer(capsys):
    Path("gait.toml").write_text(STUDY)
    begin = time.perf_counter()
    assert cli.invoke(["optimise", "gait.toml", "--scheduler", "tcp://127.0.0.1:1"]) == 2
    assert time.perf_counter() - begin < 10.0
    assert capsys.readouterr().err == (
        "serpenoid: scheduler = 'tcp://127.0.0.1:1' is not allowed: nobody answers there within "
        "4 s\n"
    )


def test_a_database_that_is_lost_is_told(cluster, no_figures, monkeypatch):
    def lost(*_, **__):
        raise sqlalchemy.exc.OperationalError("insert", {}, Exception("disk full\nmore words"))

    monkeypatch.setattr("optuna.storages.RDBStorage.set_trial_user_attr", lost)
    with pytest.raises(StudyStopped) as caught:
        run_search(study(), "out", Options(scheduler=cluster))
    assert str(caught.value) == (
        "the database failed: disk full; 0 of 12 trials of out are kept, and the same command goes "
        "on from there"
    )


def test_what_is_missing_is_named(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name != "cmaes" or None)
    with pytest.raises(InvalidInput, match=r"need Optuna and cmaes, which are not installed: pip"):
        optimise(study(), "out")


def test_optuna_is_loaded_only_when_it_is_used():
    code = "import sys, serpenoid, serpenoid.cli, serpenoid.studies.searches\n"
    code += "assert not {'optuna', 'sqlalchemy', 'matplotlib'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
