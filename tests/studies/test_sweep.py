"""Sweeps: the same table in one process, in several and on a cluster, whatever is killed."""

import collections
import dataclasses
import errno
import itertools
import json
import math
import os
import platform
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import Future
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

import serpenoid as sp
from serpenoid import cli
from serpenoid.analysis.equality import check_equality
from serpenoid.analysis.metrics import METRICS
from serpenoid.errors import InvalidInput, OutputError, StudyInterrupted, StudyStopped
from serpenoid.studies import Study, load_table, sweep
from serpenoid.studies.cluster import ClusterWorkers, WorkPlace
from serpenoid.studies.sweep_runner import run_study
from tests.processes import members
from tests.studies.helpers import inline_workers, wait_for

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals as on Unix")

# 60 points of some 10 ms, a quarter of which cannot be run.
STUDY = """
title = "Sixty points"
base = "swimmer"
metrics = ["mean_speed", "cost_of_transport"]
change = { "clock.duration" = 4.0 }

[parameters]
"controller.amplitude_deg" = { range = [10, 60], steps = 15 }
"friction.along" = { values = [0.1, 0.3, 1.0, -1.0] }
"""
# A script that notes every run in a file; each takes long enough to be killed in.
DRIVER = """
import pathlib, sys, time
from serpenoid.studies import Study, metric, sweep

@metric("1")
def noted(run):
    time.sleep(0.05)
    with open("log", "a") as log:
        log.write(f"{run.scenario.seed}\\n")
    return float(run.scenario.seed ** 2)

if __name__ == "__main__":
    study = Study(
        base="swimmer",
        parameters={"seed": {"range": [0, 79], "steps": 80, "integer": True}},
        metrics=["noted", "distance"],
        change={"clock.duration": 0.1},
    )
    sweep(study, "out", *sys.argv[1:])
"""


@pytest.fixture
def study(here):
    Path("study.toml").write_text(STUDY)
    return Study.load("study.toml")


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The table of the study, its points run in this process."""
    folder = tmp_path_factory.mktemp("expected")
    (folder / "study.toml").write_text(STUDY)
    with inline_workers():
        sweep(folder / "study.toml", folder / "out")
    return (folder / "out" / "table.parquet").read_bytes()


def parts():
    return sorted(Path("out/parts").glob("[0-9]*.parquet"))


def interrupt(study, points=2):
    """Run the first points of a study."""

    def tell(done, _points):
        if done >= points:
            raise KeyboardInterrupt

    with pytest.raises(StudyInterrupted):
        run_study(study, "out", tell=tell)


def test_from_the_command_line(study, expected, capsys, monkeypatch):
    """Two processes give the bytes of one."""
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
    monkeypatch.delattr(WorkPlace, "open")
    assert cli.invoke(["sweep", "study.toml"]) == 0
    assert "60 of them were there already" in capsys.readouterr().out
    assert sorted(path.name for path in Path("sweeps/study").iterdir()) == [
        "figures",
        "lock",
        "study.json",
        "table.parquet",
    ]


def test_a_table(study, expected):
    Path("out").mkdir()
    Path("out/table.parquet").write_bytes(expected)
    table = load_table("out")
    assert list(table)[:6] == ["point", *study.parameters, *study.metrics, "law_residual"]
    assert list(table)[-2:] == ["seed", "error"]
    assert table.attrs["units"]["mean_speed"] == "m/s"
    assert list(table["point"]) == list(range(60))
    assert [tuple(row) for row in table[list(study.parameters)].to_numpy()] == study.points
    good = table[table["error"].isna()]
    assert len(good) == 45
    assert np.isfinite(good.drop(columns="error").to_numpy(dtype=float)).all()
    row = good.iloc[17]
    changes = study.changes(int(row["point"]))
    assert row["mean_speed"] == study.scenario.changed(changes).run().mean_speed()


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are counted in /proc")
def test_reading_a_table_starts_no_thread(here, expected):
    """One that outlives the interpreter ends the process with SIGABRT."""
    Path("out").mkdir()
    Path("out/table.parquet").write_bytes(expected)
    code = (
        "import os, pandas\n"
        "from serpenoid.studies import load_table, study_table\n"
        "before = len(os.listdir('/proc/self/task'))\n"
        "assert len(load_table('out')) == 60\n"
        "assert len(os.listdir('/proc/self/task')) == before\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_cluster_gives_the_same_table(study, expected, on_cluster):
    run_study(study, "out", on_cluster)
    assert Path("out/table.parquet").read_bytes() == expected


def test_runs_that_are_kept_on_a_cluster(here, on_cluster):
    kept = Study(
        base="swimmer",
        parameters={"robot.links": {"values": [3, 5]}, "friction.kind": {"values": ["viscous"]}},
        metrics=["distance"],
        change={"clock.duration": 0.5, "friction.along": 0.2, "friction.across": 2.0},
        keep_runs=True,
    )
    assert run_study(kept, "out", on_cluster).points == 2
    for point in range(2):
        run = sp.load(f"out/runs/{point:07d}.nc")
        assert len(run.robot.links) == kept.points[point][0]
        again = kept.scenario.changed(kept.changes(point)).run()
        assert check_equality(run, again).equal


def test_a_run_that_stops_is_kept_as_far_as_it_came(here, inline):
    """Those that come to a peg stop there, because the solver is given no time for it."""
    study = Study(
        base="aiko_pegs",
        parameters={"controller.frequency_deg": {"values": [40, 70, 100]}},
        metrics=["distance"],
        change={"clock.duration": 0.1, "solver.max_updates": 1, "solver.max_halvings": 1},
        keep_runs=True,
    )
    table = sweep(study, "out")
    stopped = table["error"].notna()
    assert 0 < stopped.sum() < 3
    for point, row in table.iterrows():
        run = sp.load(f"out/runs/{point:07d}.nc")
        assert row["hinge_gap"] == run.columns["hinge_gap"].max()
        assert math.isnan(row["distance"]) == stopped[point] == (run.time[-1] < 0.099)
        assert not stopped[point] or row["error"].startswith("stopped at t = 0.0")


def test_points_that_lose_energy_to_their_step_are_counted(here, inline, capsys):
    """The table says which, the summary how many; no run warns by itself."""
    link = {"links": 10, "length": 0.1, "mass": 0.5, "radius": 0.02, "self_contact": False}
    start = {"joint_angles_deg": [20.0] * 9}
    base = sp.Scenario(robot=link, actuator={"kind": "free"}, start=start, clock={"duration": 1.0})
    base.changed({"clock.time_step": 0.005}).dump("base.toml")
    Path("fast.toml").write_text(
        'base = "base.toml"\nmetrics = ["mean_speed"]\n'
        '[parameters]\n"start.spin_deg" = { values = [1.0, 2300.0] }\n'
    )
    assert cli.invoke(["sweep", "fast.toml"]) == 0
    table = load_table("sweeps/fast")
    assert list(table["numerical_share"] > 0.01) == [False, True]
    assert "in 1 of 2 points, see numerical_share" in " ".join(capsys.readouterr().out.split())


def test_a_full_disk_loses_nothing(study, expected, inline, monkeypatch):
    written = []

    def sync(file):
        written.append(file)
        # Each file takes two, itself and its folder: study.json and three parts.
        if len(written) == 9:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("serpenoid.files.os.fsync", sync)
        with pytest.raises(OutputError) as caught:
            run_study(study, "out")
    kept = len(parts())
    assert kept == 3  # after study.json
    assert not list(Path("out/parts").glob(".*"))
    words = str(caught.value)
    assert "cannot be written: No space left on device; " in words
    assert " of 60 points are kept in out, and the same command goes on from there" in words
    outcome = run_study(study, "out")
    assert f"; {outcome.before} of 60 points" in words
    assert outcome.before >= kept
    assert Path("out/table.parquet").read_bytes() == expected


def test_another_study_in_the_same_folder_is_refused(study, inline):
    interrupt(study)
    first, second = STUDY.splitlines()[-2:]
    for old, new, words in (
        (
            "[10, 60]",
            "[10, 61]",
            "parameters.controller.amplitude_deg.range = [10.0, 60.0], which is now [10.0, 61.0]; "
            "take another folder, or delete it to begin anew",
        ),
        ("4.0", "3.0", "change.clock.duration = 4.0, which is now 3.0"),
        (f"{first}\n{second}", f"{second}\n{first}", 'order = [["controller'),
    ):
        Path("study.toml").write_text(STUDY.replace(old, new))
        with pytest.raises(InvalidInput, match=re.escape(f"out was begun with {words}")):
            sweep("study.toml", "out")


def test_a_metric_that_was_rewritten_is_refused(here, inline, add_seed_metric):
    add_seed_metric("mine", lambda _seed: 1.0)
    sweep(seeds("mine", 1), "out")

    def other(_run):
        return 2.0

    study = seeds("mine", 1)
    METRICS["mine"] = dataclasses.replace(METRICS["mine"], measure=other)
    with pytest.raises(InvalidInput, match=r"out was begun with metric.mine.code = "):
        sweep(study, "out")


def test_a_copied_part_and_a_lost_one(study, expected, inline):
    copies = []

    def tell(done, points):
        if done == points and not copies:
            copies.append(parts()[0].read_bytes())
            parts()[0].unlink()

    with pytest.raises(OutputError, match=r"parts has lost points: 0, 1; 58 of 60 points are kept"):
        run_study(study, "out", tell=tell)
    for name in ("0000000", "0000001"):
        Path(f"out/parts/{name}.parquet").write_bytes(copies[0])
    sweep(study, "out")
    assert Path("out/table.parquet").read_bytes() == expected


def test_what_was_left_half_written_is_removed_once(study, inline):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    left = Path(f"out/parts/.0000003.parquet.{platform.node()}-{gone.pid}-0a.part")
    left.parent.mkdir(parents=True)
    left.touch()
    interrupt(study, points=0)
    assert left.parent.exists()
    assert not left.exists()


def test_a_folder_that_cannot_be_locked(study, monkeypatch):
    fcntl = pytest.importorskip("fcntl")

    def flock(*_):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(OutputError, match=r"path = 'out.lock' cannot be locked: No locks avail"):
        sweep(study, "out")


def test_two_sweeps_do_not_share_a_folder(study, inline):
    with pytest.raises(InvalidInput, match="another process is at work in out"):
        run_study(study, "out", tell=lambda *_: sweep(study, "out"))


def test_a_folder_that_cannot_be_written(study):
    Path("file").touch()
    with pytest.raises(OutputError, match=r"folder file.out cannot be made: Not a directory"):
        sweep(study, "file/out")
    Path("out/lock").mkdir(parents=True)
    with pytest.raises(OutputError, match=r"path = 'out.lock' cannot be written: it is not a file"):
        sweep(study, "out")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_is_read_only(study):
    Path("out").mkdir(mode=0o500)
    with pytest.raises(OutputError, match=r"path = 'out.lock' cannot be written: Permission den"):
        sweep(study, "out")


def test_a_damaged_part_is_named(study, inline):
    interrupt(study)
    Path("out/parts/0000000.parquet").write_bytes(b"PAR1")
    with pytest.raises(OutputError, match=r"parts/0000000.parquet' cannot be read: .*; delete it"):
        sweep(study, "out")


# ------------------------------------------------------------------------------------------ faults


def seeds(metric, count, **more):
    return Study(
        base="swimmer",
        parameters={"seed": {"values": list(range(count))}},
        metrics=[metric],
        change={"clock.duration": 0.1},
        **more,
    )


@pytest.mark.parametrize("place", ["here", "on a cluster"])
def test_a_fault_of_a_worker_is_no_point_s_error(place, cluster, here, add_seed_metric):
    """The worker that comes to seed 2 has no memory; the other one has, and is busy just then."""
    note = here / "note"

    def poor(seed):
        if seed == 2 and not note.exists():
            note.write_text(str(os.getpid()))
        if note.exists() and note.read_text() == str(os.getpid()):
            raise MemoryError
        time.sleep(1.0)
        return float(os.getpid())

    add_seed_metric("poor", poor)
    where = {"workers": 2} if place == "here" else {"scheduler": cluster[0]}
    table = sweep(seeds("poor", 4), "out", **where)
    assert table["error"].isna().all()
    assert table["poor"][2] != float(note.read_text())


@pytest.mark.parametrize(
    ("workers", "words"),
    [
        (2, "point 2 could not be run: MemoryError: not enough; 2 of 3 points are kept in out, "),
        (1, "the only worker failed: MemoryError: not enough; 2 of 3 points are kept in out, and"),
    ],
)
def test_a_fault_everywhere_stops_the_study(workers, words, here, add_seed_metric):
    def stored():
        parts = (here / "out" / "parts").glob("[0-9]*.parquet")
        return sum(parquet.read_metadata(part).num_rows for part in parts)

    def poor(seed):
        if seed == 2:
            wait_for(lambda: stored() == 2)
            raise MemoryError("not enough\nat all")
        return 1.0

    add_seed_metric("poor", poor)
    with pytest.raises(StudyStopped, match=f"^{words}"):
        sweep(seeds("poor", 3), "out", workers=workers)


def test_without_workers_it_says_so_and_stops_some_day(monkeypatch):
    class NoWorkers:
        def nthreads(self):
            return {}

    hours = itertools.count(step=100.0)
    monkeypatch.setattr("serpenoid.studies.cluster.time.monotonic", lambda: next(hours))
    said = []
    workers = ClusterWorkers(NoWorkers(), said.append)
    with pytest.raises(StudyStopped, match=r"there was no worker for 300 s"):
        workers.next()
    assert said == ["there are no workers; waiting for some"]


def test_a_point_is_not_left_to_workers_that_are_gone():
    class Cluster:
        def __init__(self):
            self.threads = {"failing": 1, "other": 1}

        def nthreads(self):
            return self.threads

        def submit(self, *_, **__):
            self.threads = {"failing": 1}
            return Future()

    workers = ClusterWorkers(Cluster(), print)
    workers.submit(print, among=["other"])
    with pytest.raises(StudyStopped, match="all workers were lost but one that failed"):
        workers.next()


# ------------------------------------------------------------------------------------------ killed


def noted():
    return collections.Counter(int(line) for line in Path("log").read_text().splitlines())


def check_table():
    table = load_table("out")
    assert list(table["seed"]) == list(range(80))
    assert list(table["noted"]) == [k**2 for k in range(80)]
    assert len(set(table["distance"])) == 1
    assert table["error"].isna().all()


def test_a_killed_driver(drive):
    with drive(DRIVER) as driver:
        wait_for(lambda: len(parts()) >= 4)
        driver.kill()
        # Its workers go with it.
        wait_for(lambda: not members(driver.pid), 10)
    before = noted()
    done = {point for part in parts() for point in parquet.read_table(part)["point"].to_pylist()}
    assert 4 <= len(done) < 80
    with drive(DRIVER) as driver:
        _, errors = driver.communicate(timeout=120)
    assert driver.returncode == 0, errors
    check_table()
    times = noted()
    assert all(times[point] == 1 for point in done)
    # What was under way, a group of a second for each worker, is run again.
    assert all(1 <= times[point] <= 1 + before[point] for point in range(80))


def test_a_killed_worker_of_a_cluster(cluster, drive):
    address, processes = cluster
    with drive(DRIVER, address) as driver:
        wait_for(lambda: len(parts()) >= 4)
        processes[1].kill()
        _, errors = driver.communicate(timeout=120)
    assert driver.returncode == 0, errors
    check_table()


def test_errors_of_a_client_without_a_scheduler(on_cluster):
    with (
        pytest.raises(StudyStopped, match=r"^the scheduler was lost; all is kept$"),
        on_cluster.open(print, lambda: "all is kept"),
    ):
        raise OSError("Timed out")


def test_a_killed_scheduler(cluster, drive):
    address, processes = cluster
    with drive(DRIVER, address) as driver:
        wait_for(lambda: len(parts()) >= 2)
        processes[0].kill()
        _, errors = driver.communicate(timeout=60)
    assert driver.returncode == 1
    assert "serpenoid.errors.StudyStopped: the scheduler was lost; " in errors.splitlines()[-1]


def test_ctrl_c(drive):
    with drive(DRIVER) as driver:
        wait_for(lambda: len(parts()) >= 2)
        os.killpg(driver.pid, signal.SIGINT)
        _, errors = driver.communicate(timeout=60)
    assert driver.returncode != 0
    words = "interrupted; [0-9]+ of 80 points are kept in out, and the same command goes on from "
    assert re.search(f"^serpenoid.errors.StudyInterrupted: {words}there$", errors, re.MULTILINE)


def test_a_point_that_kills_its_worker(here, add_seed_metric):
    """It is found among others, and each death costs one process, which is replaced."""

    def deadly(seed):
        if seed == 5:
            os.kill(os.getpid(), signal.SIGKILL)
        return 1.0

    add_seed_metric("deadly", deadly)
    table = sweep(seeds("deadly", 9), "out", workers=2)
    assert list(table["seed"][table["deadly"].isna()]) == [5]
    assert table["error"][5] == "the worker process died whenever it ran this point"
    assert math.isnan(table["halvings"][5])


@pytest.mark.parametrize("end", ["", "import sys\nif __name__ != '__main__': sys.exit()\n"])
def test_a_script_without_a_guard_is_told_so(drive, end):
    """Also one that ends by itself without an error."""
    with drive(end + DRIVER.replace('if __name__ == "__main__":', "if True:")) as driver:
        _, errors = driver.communicate(timeout=60)
    assert driver.returncode == 1
    last = errors.splitlines()[-1]
    assert last.endswith("a script that sweeps must do so below: if __name__ == '__main__':")
