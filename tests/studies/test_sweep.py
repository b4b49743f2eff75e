"""Sweeps on real processes, some of which are killed."""

import collections
import contextlib
import errno
import json
import math
import os
import platform
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from distributed import Client
from pyarrow import parquet

import serpenoid as sp
from serpenoid import cli
from serpenoid.analysis.compare import compare
from serpenoid.errors import InvalidInput, OutputError, SimulationStopped, StudyStopped
from serpenoid.studies import Study, load_table, sweep
from serpenoid.studies.cluster import Workers, _endpoint, connected
from serpenoid.studies.metrics import METRICS, Metric
from serpenoid.studies.point import Task, run_group, run_point
from serpenoid.studies.store import Store
from serpenoid.studies.sweeps import run_study

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals as on Unix")

# 60 points of some 10 ms, a quarter of which cannot be run.
STUDY = """
title = "Sixty points"
base = "swimmer"
metrics = ["mean_speed", "cost_of_transport"]
change = { "clock.duration" = 2.0 }

[parameters]
"controller.amplitude_deg" = { range = [10, 60], steps = 15 }
"friction.along" = { values = [0.1, 0.3, 1.0, -1.0] }
"""
# A driver of its own, which notes every run in a file; each takes long enough to be killed in.
DRIVER = """
import pathlib, sys, time
from serpenoid.studies import Study, metric, sweep

@metric("1")
def noted(run):
    time.sleep(0.05)
    with open("log", "a") as log:
        log.write(f"{run.scenario['seed']}\\n")
    return float(run.scenario["seed"] ** 2)

if __name__ == "__main__":
    study = Study(
        base="swimmer",
        parameters={"seed": {"range": [0, 79], "steps": 80, "integer": True}},
        metrics=["noted", "mean_speed"],
        change={"clock.duration": 0.1},
    )
    sweep(study, "out", *sys.argv[1:])
"""


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("study.toml").write_text(STUDY)
    return Study.load("study.toml")


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The table of the study, its points run here one by one."""
    folder = tmp_path_factory.mktemp("expected")
    (folder / "study.toml").write_text(STUDY)
    study = Study.load(folder / "study.toml")
    with Store(folder / "out", study) as store:
        for point in enumerate(study.points):
            store.add(run_group(Task.of(study), [point]))
        store.finish()
    return (folder / "out" / "table.parquet").read_bytes()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Address of a scheduler with two workers, and these three processes."""
    folder = tmp_path_factory.mktemp("cluster")

    def start(command, *arguments):
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{command}", *arguments],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    with contextlib.ExitStack() as ends:
        note = folder / "scheduler.json"
        quiet = ("--host", "127.0.0.1", "--no-dashboard")
        processes = [start("scheduler", *quiet, "--port", "0", "--scheduler-file", str(note))]
        ends.callback(lambda: [process.kill() or process.wait() for process in processes])
        wait_for(note.exists)
        address = json.loads(note.read_text())["address"]
        alone = ("--no-nanny", "--nthreads", "1", *quiet)
        processes += [start("worker", address, *alone) for _ in range(2)]
        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
        yield address, processes


def wait_for(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.02)


def parts(folder):
    return list((Path(folder) / "parts").glob("[0-9]*.parquet"))


def test_a_local_sweep_gives_the_table_of_single_runs(study, expected, capsys, monkeypatch):
    assert cli.invoke(["sweep", "study.toml", "--json", "summary.json", "--workers", "2"]) == 0
    assert Path("sweeps/study/table.parquet").read_bytes() == expected
    shown = capsys.readouterr().out
    assert "15 failed: friction.along = -1.0 is not allowed: it must be at least 0\n" in shown
    assert "60 points, 15 failed; 60 in " in shown
    summary = json.loads(Path("summary.json").read_text())
    table = load_table("sweeps/study")
    assert (summary["points"], summary["failed"]) == (60, 15)
    assert summary["metrics"]["mean_speed"]["largest"] == table["mean_speed"].max()
    # Again: there is nothing left to do.
    monkeypatch.delattr("serpenoid.studies.sweeps.connected")
    assert cli.invoke(["sweep", "study.toml"]) == 0
    assert "60 of them were there already" in capsys.readouterr().out
    assert sorted(path.name for path in Path("sweeps/study").iterdir()) == [
        "lock",
        "study.json",
        "table.parquet",
    ]


def test_a_table(study, expected, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "table.parquet").write_bytes(expected)
    table = load_table("out")
    assert list(table)[:6] == ["point", *study.parameters, *study.metrics, "law_residual"]
    assert list(table)[-2:] == ["seed", "error"]
    assert list(table["point"]) == list(range(60))
    assert [tuple(row) for row in table[list(study.parameters)].to_numpy()] == study.points
    good = table[table["error"].isna()]
    assert len(good) == 45
    assert np.isfinite(good.drop(columns="error").to_numpy(dtype=float)).all()
    row = good.iloc[17]
    changes = study.changes(int(row["point"]))
    assert row["mean_speed"] == study.scenario.changed(changes).run().mean_speed()


def test_a_cluster_that_is_there_and_runs_that_are_kept(study, cluster):
    kept = Study(
        base="swimmer",
        parameters={"robot.links": {"values": [3, 5]}, "friction.kind": {"values": ["viscous"]}},
        metrics=["distance"],
        change={"clock.duration": 0.5, "friction.along": 0.2, "friction.across": 2.0},
        keep_runs=True,
    )
    outcome = run_study(kept, "out", cluster[0])
    assert outcome.points == 2
    for point in range(2):
        run = sp.load(f"out/runs/{point:07d}.nc")
        assert len(run.robot.links) == kept.points[point][0]
        again = kept.scenario.changed(kept.changes(point)).run()
        assert compare(run, again).equal


def test_a_full_disk_loses_nothing(study, expected, cluster, monkeypatch):
    written = []

    def sync(file):
        written.append(file)
        # Each file takes two, itself and its folder: study.json and three parts.
        if len(written) == 9:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("serpenoid.files.os.fsync", sync)
        with pytest.raises(OutputError) as caught:
            run_study(study, "out", cluster[0])
    kept = len(parts("out"))
    assert kept == 3  # after study.json
    assert not list(Path("out/parts").glob(".*"))
    words = str(caught.value)
    assert "cannot be written: No space left on device; " in words
    assert " of 60 points are kept in out, and the same command goes on from there" in words
    outcome = run_study(study, "out", cluster[0])
    assert f"; {outcome.before} of 60 points" in words
    assert outcome.before >= kept
    assert Path("out/table.parquet").read_bytes() == expected


def test_another_study_in_the_same_folder_is_refused(study, cluster):
    run_study(study, "out", cluster[0])
    Path("study.toml").write_text(STUDY.replace("[10, 60]", "[10, 61]"))
    with pytest.raises(InvalidInput) as caught:
        sweep("study.toml", "out")
    assert str(caught.value) == (
        "out was begun with parameters.controller.amplitude_deg.range = [10.0, 60.0], which is now "
        "[10.0, 61.0]; take another folder, or delete it to begin anew"
    )
    Path("study.toml").write_text(STUDY.replace("2.0", "3.0"))
    with pytest.raises(InvalidInput, match=r"change.clock.duration = 2.0, which is now 3.0"):
        sweep("study.toml", "out")
    first, second = STUDY.splitlines()[-2:]
    Path("study.toml").write_text(STUDY.replace(f"{first}\n{second}", f"{second}\n{first}"))
    with pytest.raises(InvalidInput, match=r"out was begun with order = \[\[\"controller"):
        sweep("study.toml", "out")


def test_a_metric_that_was_rewritten_is_refused(tmp_path, monkeypatch):
    def mine(_run):
        return 1.0

    def yours(_run):
        return 2.0

    wanted = {"base": "swimmer", "parameters": {"seed": {"values": [1]}}, "metrics": ["mine"]}
    monkeypatch.setitem(METRICS, "mine", Metric("mine", "1", "It", mine))
    study = Study(**wanted, change={"clock.duration": 0.1})
    with Store(tmp_path / "out", study) as store:
        store.add(run_group(Task.of(study), list(enumerate(study.points))))
    monkeypatch.setitem(METRICS, "mine", Metric("mine", "1", "It", yours))
    with pytest.raises(InvalidInput, match=r"out was begun with metric.mine.code = "):
        Store(tmp_path / "out", study).__enter__()


def test_a_copied_part_and_a_lost_one(study, expected):
    points = list(enumerate(study.points))
    with Store("out", study) as store:
        for first in (0, 20, 40):
            store.add(run_group(Task.of(study), points[first : first + 20]))
        whole = Path("out/parts/0000020.parquet").read_bytes()
        Path("out/parts/0000020.parquet").unlink()
        with pytest.raises(OutputError, match=r"parts has lost points: 20, 21, 22, 23, 24, \.\.\."):
            store.finish()
    for name in ("0000020", "0000021"):
        Path(f"out/parts/{name}.parquet").write_bytes(whole)
    sweep(study, "out")
    assert Path("out/table.parquet").read_bytes() == expected


def test_what_was_left_half_written_is_removed_once(study):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    left = Path(f"out/parts/.0000003.parquet.{platform.node()}-{gone.pid}-0a.part")
    left.parent.mkdir(parents=True)
    left.touch()
    with Store("out", study):
        assert not left.exists()


def test_a_folder_that_cannot_be_locked(study, monkeypatch):
    fcntl = pytest.importorskip("fcntl")

    def flock(*_):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(OutputError, match=r"path = 'out.lock' cannot be locked: No locks avail"):
        sweep(study, "out")


def test_two_sweeps_do_not_share_a_folder(study):
    with (
        Store("out", study),
        pytest.raises(InvalidInput, match="another process is at work in out"),
    ):
        sweep(study, "out")


def test_a_folder_that_cannot_be_written(study):
    Path("file").touch()
    with pytest.raises(OutputError, match=r"folder file.out cannot be made: Not a directory"):
        sweep(study, "file/out")
    Path("out/lock").mkdir(parents=True)
    with pytest.raises(OutputError, match=r"path = 'out.lock' cannot be written: Is a directory"):
        sweep(study, "out")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_is_read_only(study):
    Path("out").mkdir(mode=0o500)
    with pytest.raises(OutputError, match=r"path = 'out.lock' cannot be written: Permission den"):
        sweep(study, "out")


def test_a_damaged_part_is_named(study):
    with Store("out", study) as store:
        store.add(run_group(Task.of(study), [(0, study.points[0])]))
    Path("out/parts/0000000.parquet").write_bytes(b"PAR1")
    with pytest.raises(OutputError, match=r"parts/0000000.parquet' cannot be read: .*; delete it"):
        sweep(study, "out")


@pytest.mark.parametrize(
    ("address", "endpoint"),
    [
        ("tcp://127.0.0.1:8786", ("127.0.0.1", 8786)),
        ("host:1", ("host", 1)),
        ("tls://[::1]:99", ("::1", 99)),
    ],
)
def test_where_a_scheduler_is(address, endpoint):
    assert _endpoint(address) == endpoint


def test_a_scheduler_that_does_not_answer(study, capsys):
    begin = time.perf_counter()
    assert cli.invoke(["sweep", "study.toml", "--scheduler", "tcp://127.0.0.1:1"]) == 2
    assert time.perf_counter() - begin < 10.0
    assert capsys.readouterr().err == (
        "serpenoid: scheduler = 'tcp://127.0.0.1:1' is not allowed: nobody answers there within "
        "4 s\n"
    )


# ------------------------------------------------------------------------------------------ faults


def seeds(metric, count, **more):
    return Study(
        base="swimmer",
        parameters={"seed": {"values": list(range(count))}},
        metrics=[metric],
        change={"clock.duration": 0.1},
        **more,
    )


def test_a_fault_of_a_worker_is_no_point_s_error(cluster, tmp_path, monkeypatch):
    """The first worker that comes to seed 2 has no memory; the other one has."""
    monkeypatch.chdir(tmp_path)
    note = tmp_path / "note"

    def poor(run):
        if run.scenario["seed"] == 2 and not note.exists():
            note.write_text(str(os.getpid()))
        if note.exists() and note.read_text() == str(os.getpid()):
            raise MemoryError
        return float(os.getpid())

    monkeypatch.setitem(METRICS, "poor", Metric("poor", "1", "It is poor", poor))
    table = sweep(seeds("poor", 4), "out", cluster[0])
    assert table["error"].isna().all()
    assert table["poor"][2] != float(note.read_text())


def test_a_fault_everywhere_stops_the_study(cluster, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def poor(run):
        if run.scenario["seed"] == 2:
            raise MemoryError("not enough\nat all")
        return 1.0

    monkeypatch.setitem(METRICS, "poor", Metric("poor", "1", "It is poor", poor))
    with pytest.raises(StudyStopped) as caught:
        sweep(seeds("poor", 3), "out", cluster[0])
    assert str(caught.value).startswith(
        "point 2 could not be run: MemoryError: not enough; 2 of 3 points are kept in out, and"
    )


def test_a_run_that_stops_is_kept(monkeypatch):
    base = sp.Scenario.load("swimmer", {"clock.duration": 0.1})
    whole = base.run()

    def stops(self):
        raise SimulationStopped("it stopped", whole)

    monkeypatch.setattr(sp.Scenario, "run", stops)
    row, run = run_point(base, {"distance": METRICS["distance"].measure})
    assert run is whole
    assert row["error"] == "it stopped"
    assert row["hinge_gap"] == whole.columns["hinge_gap"].max()
    assert math.isnan(row["distance"])


class Away:
    """A client whose workers are gone, or whose scheduler is."""

    def __init__(self, workers):
        self.workers = workers

    def nthreads(self):
        if self.workers is None:
            raise OSError("Timed out")
        return self.workers


def test_without_workers_it_says_so_and_stops_some_day(monkeypatch):
    monkeypatch.setattr("serpenoid.studies.cluster._COUNT_PERIOD", 0.01)
    monkeypatch.setattr("serpenoid.studies.cluster._PATIENCE", 0.03)
    monkeypatch.setattr("serpenoid.studies.cluster._MOST_ALONE", 0.2)
    said = []
    workers = Workers(Away({}), said.append)
    with pytest.raises(StudyStopped, match=r"there was no worker for 0\.2 s"):
        workers.next()
    assert said == ["there are no workers; waiting for some"]


# ------------------------------------------------------------------------------------------ killed


def drive(*arguments):
    Path("driver.py").write_text(DRIVER)
    return subprocess.Popen(
        [sys.executable, "driver.py", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish(*arguments):
    with drive(*arguments) as driver:
        _, errors = driver.communicate(timeout=120)
    assert driver.returncode == 0, errors


def noted():
    return collections.Counter(int(line) for line in Path("log").read_text().splitlines())


def check_table():
    table = load_table("out")
    assert list(table["seed"]) == list(range(80))
    assert list(table["noted"]) == [k**2 for k in range(80)]
    assert len(set(table["mean_speed"])) == 1
    assert table["error"].isna().all()


def test_a_killed_driver(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with drive() as driver:
        wait_for(lambda: len(parts("out")) >= 4)
        driver.kill()
    # Its workers go with it.
    wait_for(lambda: not alive_in(driver.pid), 10)
    before = noted()
    done = {
        point for part in parts("out") for point in parquet.read_table(part)["point"].to_pylist()
    }
    assert 4 <= len(done) < 80
    finish()
    check_table()
    times = noted()
    assert all(times[point] == 1 for point in done)
    # What was under way, at most two groups of a second for each worker, is run again.
    assert all(1 <= times[point] <= 1 + before[point] for point in range(80))


def alive_in(group):
    """Whether a process group has members that still run."""
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = entry.read_text().rpartition(")")[2].split()
            if int(fields[2]) == group and fields[0] != "Z":
                return True
    return False


def test_a_killed_worker(cluster, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    address, processes = cluster
    with drive(address) as driver:
        wait_for(lambda: len(parts("out")) >= 4)
        processes[1].kill()
        _, errors = driver.communicate(timeout=120)
    assert driver.returncode == 0, errors
    check_table()


def test_a_scheduler_that_is_lost_while_workers_are_counted(cluster):
    with pytest.raises(StudyStopped, match="the scheduler was lost"), connected(cluster[0], None):
        Workers(Away(None))


def test_a_killed_scheduler(cluster, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    address, processes = cluster
    with drive(address) as driver:
        wait_for(lambda: len(parts("out")) >= 2)
        processes[0].kill()
        _, errors = driver.communicate(timeout=60)
    assert driver.returncode == 1
    assert "serpenoid.errors.StudyStopped: the scheduler was lost; " in errors.splitlines()[-1]


def test_ctrl_c(study, tmp_path):
    with drive() as driver:
        wait_for(lambda: len(parts("out")) >= 2)
        os.killpg(driver.pid, signal.SIGINT)
        _, errors = driver.communicate(timeout=60)
    assert driver.returncode != 0
    # Libraries may have their say while they are let go.
    words = (
        r"^serpenoid.errors.StudyInterrupted: interrupted; \d+ of 80 points are kept in out, and "
    )
    assert re.search(words + "the same command goes on from there$", errors, re.MULTILINE), errors


def test_a_point_that_kills_its_worker(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def deadly(run):
        if run.scenario["seed"] == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return 1.0

    monkeypatch.setitem(METRICS, "deadly", Metric("deadly", "1", "It kills", deadly))
    table = sweep(seeds("deadly", 4), "out", workers=1)
    assert list(table["deadly"].isna()) == [False, False, True, False]
    assert table["error"][2] == "the worker process died whenever it ran this point"
    assert math.isnan(table["halvings"][2])


def test_a_script_without_a_guard_is_told_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("script.py").write_text(DRIVER.replace('if __name__ == "__main__":', "if True:"))
    answer = subprocess.run(
        [sys.executable, "script.py"], capture_output=True, text=True, timeout=60, check=False
    )
    assert answer.returncode == 1
    last = answer.stderr.splitlines()[-1]
    assert last.endswith("a script that sweeps must do so below: if __name__ == '__main__':")
