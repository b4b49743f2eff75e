"""Fixtures for tests of studies: a Dask cluster, scripts, metrics."""

import contextlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from distributed import Client

from serpenoid.analysis.metrics import METRICS, Metric
from serpenoid.studies.cluster import WorkPlace
from tests.processes import started
from tests.studies.certificates import Authority
from tests.studies.helpers import inline_workers, wait_for


@pytest.fixture
def inline():
    """Sweeps and optimisations run in this process."""
    with inline_workers():
        yield


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder as the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def add_metric(monkeypatch):
    """Register a function of a run as a metric for one test."""

    def add(name, function):
        monkeypatch.setitem(METRICS, name, Metric(name, "1", "It is for tests", function))

    return add


@pytest.fixture
def add_seed_metric(add_metric):
    """Register a function of the seed of a run."""
    return lambda name, function: add_metric(name, lambda run: function(run.scenario.seed))


@pytest.fixture
def add_gait_metric(add_metric):
    """Register a function of amplitude and phase, deg, and of the simulated time, s."""

    def add(name, function):
        def measure(run):
            gait, time = run.scenario.controller, run.time[-1] - run.time[0]
            return function(gait.amplitude_deg, gait.phase_deg, time)

        add_metric(name, measure)

    return add


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Address of a Dask scheduler with two workers, and these three processes."""
    folder = tmp_path_factory.mktemp("cluster")
    pair = Authority(folder, "tests").pair("all")

    def start(command, *arguments):
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{command}", *arguments],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    with contextlib.ExitStack() as ends:
        note = folder / "scheduler.json"
        local = ("--host", "tls://127.0.0.1", "--dashboard-address", "127.0.0.1:0", *pair.options)
        processes = [start("scheduler", *local, "--port", "0", "--scheduler-file", str(note))]
        ends.callback(lambda: [process.kill() or process.wait() for process in processes])
        wait_for(lambda: note.exists() and note.read_text().rstrip().endswith("}"))
        address = json.loads(note.read_text())["address"]
        alone = ("--no-nanny", "--nthreads", "1", *local)
        processes += [start("worker", address, *alone) for _ in range(2)]
        ends.enter_context(pair.as_client())
        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
        yield address, processes


@pytest.fixture
def on_cluster(cluster):
    """The cluster as the place where a study runs."""
    return WorkPlace(cluster[0])


@pytest.fixture
def drive(here):
    """Start a script in a process group of its own."""

    def start(script, *arguments):
        Path("driver.py").write_text(script)
        return started(sys.executable, "driver.py", *arguments)

    return start
