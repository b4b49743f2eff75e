"""Points that are simulated at once have the rows that they have alone."""

import os
import signal
import sys
import time

import pytest

from serpenoid.studies import Study, load_table, sweep
from serpenoid.studies.metrics import METRICS, Metric
from serpenoid.studies.point import Task, run_group
from serpenoid.studies.store import Store

AMPLITUDE = "controller.amplitude_deg"


@pytest.fixture
def batches(monkeypatch):
    """How many runs each batch had."""
    from serpenoid.studies import together

    sizes, simulate = [], together.simulate_batch

    def simulate_batch(scenarios, **options):
        sizes.append(len(scenarios))
        return simulate(scenarios, **options)

    monkeypatch.setattr(together, "simulate_batch", simulate_batch)
    monkeypatch.setattr("serpenoid.studies.point._PIECE_SECONDS", 60.0)
    return sizes


def gaits(metrics=("mean_speed",), steps=20, base="swimmer", **more):
    wanted = {"parameters": {AMPLITUDE: {"range": [10, 60], "steps": steps}}}
    change = {"clock.duration": 0.1, **more.pop("change", {})}
    return Study(base=base, metrics=metrics, change=change, **(wanted | more))


def all_points(study):
    return Task.of(study), list(enumerate(study.points))


def alone(task, points):
    """What single points come to."""
    groups = [run_group(task, [point]) for point in points]
    rows = [row for group in groups for row in group.rows]
    return rows, {point: run for group in groups for point, run in group.runs.items()}


def test_rows_and_runs_are_those_of_single_points(batches):
    """Two worlds, one that is refused, starts within a peg; the world varies faster."""
    study = gaits(
        ("mean_speed", "peak_contact_force"),
        base="aiko_pegs",
        change={"clock.duration": 0.2},
        parameters={
            "controller.frequency_deg": {"range": [60, 100], "steps": 5},
            "start.x": {"values": [0.38, 0.2]},
            "friction.mu": {"values": [0.1, 0.2, -1.0]},
        },
        keep_runs=True,
    )
    task, points = all_points(study)
    group = run_group(task, points)
    assert batches == [5, 5]
    rows, runs = alone(task, points)
    # As texts, because NaN is not NaN.
    assert repr(group.rows) == repr(rows)
    assert {str(row["error"])[:14] for row in rows} == {"None", "friction.mu = ", "world.pegs[0] "}
    assert len(runs) == 10
    assert group.runs == runs


def test_a_sweep_stores_the_bytes_of_single_points(tmp_path):
    study = gaits(steps=60)
    task, points = all_points(study)
    with Store(tmp_path / "alone", study) as store:
        for point in points:
            store.add(run_group(task, [point]))
        store.finish()
    sweep(study, tmp_path / "swept", workers=1)
    tables = [(tmp_path / name / "table.parquet").read_bytes() for name in ("alone", "swept")]
    assert tables[0] == tables[1]
    assert len(load_table(tmp_path / "swept")) == 60


@pytest.mark.parametrize(
    "more",
    [
        {"base": "aiko_flat", "change": {"solver.kind": "prox"}},
        {"parameters": {"seed": {"range": [1, 12], "steps": 12, "integer": True}}},
        {"parameters": {"friction.along": {"range": [0.1, 1.0], "steps": 12}}},
        {"parameters": {"robot.links": {"values": [3, 4, 5, 6, 7, 8, 9, 10]}}},
        {"steps": 3},
        {"base": "push_disc", "parameters": {"start.y": {"range": [0, 1e-4], "steps": 9}}},
    ],
)
def test_what_has_nothing_in_common_runs_alone(more, batches):
    task, points = all_points(gaits(**more))
    group = run_group(task, points)
    assert batches == []
    assert [row["error"] for row in group.rows] == [None] * len(points)


def test_controllers_of_two_kinds_do_not_share(batches):
    wave = {"amplitude_deg": 30, "frequency_deg": 80, "phase_deg": -50}
    kinds = [{"kind": kind, **wave} for kind in ("serpenoid", "pedal_wave")]
    starts = {"range": [0, 1], "steps": 10}
    study = gaits(parameters={"start.x": starts, "controller": {"values": kinds}})
    task, points = all_points(study)
    group = run_group(task, points)
    assert len(batches) > 1
    assert {row["error"] for row in group.rows} == {None}
    assert repr(group.rows) == repr(alone(task, points)[0])


def test_a_run_that_stops_has_its_own_words(batches):
    """Those that come to a peg stop there, because the solver is given no time for it."""
    study = gaits(
        base="aiko_pegs",
        parameters={"controller.frequency_deg": {"range": [40, 100], "steps": 12}},
        change={"solver.max_updates": 1, "solver.max_halvings": 1},
        keep_runs=True,
    )
    task, points = all_points(study)
    group = run_group(task, points)
    assert max(batches) > 4
    rows, runs = alone(task, points)
    assert repr(group.rows) == repr(rows)
    assert group.runs == runs
    stopped = [str(row["error"]).startswith("stopped at t = 0.0") for row in rows]
    assert 0 < sum(stopped) < 12
    assert all(row["hinge_gap"] >= 0 for row in rows)


def test_a_piece_does_not_hold_too_much(batches, monkeypatch):
    """Seven runs of eleven rows, whatever they have in common."""
    study = gaits(
        parameters={
            AMPLITUDE: {"range": [10, 60], "steps": 40},
            "friction.along": {"values": [0.1, 0.3]},
        }
    )
    links = len(study.scenario.built[0].links)
    monkeypatch.setattr("serpenoid.studies.together._MOST_NUMBERS", 7 * 11 * links)
    task, points = all_points(study)
    group = run_group(task, points)
    assert batches == [4, 7, 7, 7]  # of pieces of 8, 16, 32 and 17
    assert repr(group.rows) == repr(alone(task, points)[0])


def test_without_memory_for_all_each_is_run_alone(monkeypatch):
    def full(*_, **__):
        raise MemoryError

    monkeypatch.setattr("serpenoid.studies.together.simulate_batch", full)
    task, points = all_points(gaits())
    group = run_group(task, points)
    assert group.fault is None
    assert len(group.rows) == 20


def test_a_fault_is_that_of_its_point(batches, monkeypatch):
    def poor(run):
        if run.scenario["controller"]["amplitude_deg"] == 60:
            raise MemoryError
        return 1.0

    monkeypatch.setitem(METRICS, "poor", Metric("poor", "1", "It is poor", poor))
    parameters = {AMPLITUDE: {"values": [10, 20, 30, 40, 50, 51, 52, 53, 54, 60, 56, 57, 58, 59]}}
    task, points = all_points(gaits(["poor"], parameters=parameters))
    group = run_group(task, points)
    assert max(batches) > 4
    assert [row["point"] for row in group.rows] == list(range(9))
    assert group.fault is not None
    assert group.fault.words == "MemoryError"


def test_what_is_not_begun_is_handed_back(batches, monkeypatch):
    """Of points that turn out slow, simulated together or not, none is measured after the time."""

    def slow(run):
        time.sleep(0.1 if run.scenario["controller"]["amplitude_deg"] > 30 else 0.0)
        return 1.0

    monkeypatch.setitem(METRICS, "slow", Metric("slow", "1", "It is slow", slow))
    task, points = all_points(gaits(["slow"], steps=101))
    group = run_group(task, points, most_seconds=1.0)
    assert max(batches) > 30
    slow_ones = sum(values[0] > 30 for _, values in points[: len(group.rows)])
    assert 0 < slow_ones <= 11
    assert [row["point"] for row in group.rows] == list(range(len(group.rows)))


@pytest.mark.skipif(sys.platform == "win32", reason="signals as on Unix")
def test_a_deadly_point_among_others(tmp_path, monkeypatch):
    def deadly(run):
        if run.scenario["controller"]["amplitude_deg"] == 40:
            os.kill(os.getpid(), signal.SIGKILL)
        return 1.0

    monkeypatch.setitem(METRICS, "deadly", Metric("deadly", "1", "It kills", deadly))
    values = [10, 20, 30, 32, 34, 36, 38, 40, 42, 44]
    study = gaits(["deadly"], parameters={AMPLITUDE: {"values": values}})
    table = sweep(study, tmp_path / "out", workers=1)
    assert list(table[AMPLITUDE][table["deadly"].isna()]) == [40]
    assert table["error"][7] == "the worker process died whenever it ran this point"
