"""Parts of the work of a reproduction: what is stored, and when it is done anew."""

import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.analysis.recursion import Recursion
from serpenoid.errors import SerpenoidError
from serpenoid.model.friction import Viscous
from serpenoid.papers import part_store
from serpenoid.papers.outcome_file import fingerprint, read_outcome, write_outcome
from serpenoid.papers.paper import Each, Work
from serpenoid.papers.part_store import Part, PartStore, parts_of
from serpenoid.papers.verdicts import Finding
from serpenoid.scenario.scenario import Scenario

SHORT = Scenario.load("aiko_flat", {"clock.duration": 0.1})
calls = []


def noted(value):
    calls.append(value)
    if value == "bad":
        raise SerpenoidError("this cannot be")
    return value


@pytest.fixture(autouse=True)
def _no_calls():
    calls.clear()


def again(tmp_path, value):
    path = tmp_path / "outcome.zip"
    write_outcome(path, value)
    return read_outcome(path)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0.1 + 0.2,
        float("inf"),
        "text",
        [1, (2.0, "three"), []],
        {("a", 1): {"b": None}, 2.5: [False]},
        Finding(1.0, None, "note", interval=(0.5, 1.5)),
        {"list of kinds": [Finding("x", False, "")]},
    ],
)
def test_values_come_back_as_they_were(tmp_path, value):
    assert again(tmp_path, value) == value


def test_arrays_keep_their_kind(tmp_path):
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    found = again(tmp_path, {"array": array})["array"]
    assert found.dtype == array.dtype
    assert np.array_equal(found, array)


def test_runs_and_scenarios_and_models_come_back(tmp_path):
    run = SHORT.run()
    model = Recursion(run.robot, Viscous(1.0, 2.0))
    found = again(tmp_path, [run, SHORT, model])
    assert np.array_equal(found[0].columns["x"], run.columns["x"])
    assert found[1] == SHORT
    assert (found[2].robot, found[2].friction) == (model.robot, model.friction)


def test_what_cannot_be_read_back_is_refused(tmp_path):
    with pytest.raises(sp.InvalidInput, match="function is not allowed in an outcome"):
        again(tmp_path, [lambda: 1])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text",
    [
        '{"kind": "os:system", "fields": {}}',
        '{"kind": "serpenoid.errors:InvalidInput", "fields": {}}',
        '{"kind": "serpenoid.papers.verdicts:Finding.__class__", "fields": {}}',
        '{"pickle": "abc"}',
        "{",
    ],
)
def test_a_file_names_no_code(tmp_path, text):
    path = tmp_path / "outcome.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("outcome.json", text)
    with pytest.raises(sp.InvalidInput, match="is no outcome of an experiment"):
        read_outcome(path)


def test_a_fingerprint_is_that_of_the_content():
    same = [fingerprint([np.arange(3.0), Scenario.load("aiko_flat")]) for _ in range(2)]
    assert same[0] == same[1]
    values = [
        1,
        1.0,
        "1",
        (1,),
        [1],
        {1: 1},
        np.arange(3),
        np.arange(3.0),
        SHORT,
        Finding(1, 1, ""),
    ]
    assert len({fingerprint(value) for value in values}) == len(values)


def test_equal_work_is_done_once_and_not_again(tmp_path):
    experiments = [Work(noted, 1), Work(noted, 1), Each(noted, [1, 2])]
    parts = [part for experiment in experiments for part in parts_of(experiment)]
    told = []
    store = PartStore(tmp_path)
    store.complete(parts, lambda done, total: told.append((done, total)))
    assert calls == [1, 2]
    assert told[0] == (0, 2)
    assert told[-1] == (2, 2)
    assert [store.outcome(experiment) for experiment in experiments] == [1, 1, [1, 2]]
    other = PartStore(tmp_path)
    other.complete([*parts, Part(Work(noted, 3))], lambda *_: None)
    assert calls == [1, 2, 3]


def test_a_failure_is_an_outcome(tmp_path):
    store, experiment = PartStore(tmp_path), Each(noted, ["good", "bad"])
    store.complete(parts_of(experiment), lambda *_: None)
    assert str(store.outcome(experiment)) == "this cannot be"
    PartStore(tmp_path).complete(parts_of(experiment), lambda *_: None)
    assert calls == ["good", "bad"]


def test_other_sources_do_the_work_anew_unless_it_is_to_be_kept(tmp_path, monkeypatch):
    parts = parts_of(Each(noted, [1, 2]))
    PartStore(tmp_path).complete(parts, lambda *_: None)
    monkeypatch.setattr(part_store, "_sources", lambda _module: "other" * 10)
    fresh = parts_of(Each(noted, [1, 2, 3]))
    kept = PartStore(tmp_path, keep=True)
    kept.complete(fresh, lambda *_: None)
    assert (calls, kept.foreign) == ([1, 2, 3], 2)
    anew = PartStore(tmp_path)
    anew.complete(fresh, lambda *_: None)
    assert (calls, anew.foreign) == ([1, 2, 3, 1, 2], 0)


def test_a_broken_part_says_which_file_to_delete(tmp_path):
    (part,) = parts_of(Work(noted, 1))
    PartStore(tmp_path).complete([part], lambda *_: None)
    (path,) = tmp_path.iterdir()
    path.write_bytes(b"half")
    store = PartStore(tmp_path)
    store.complete([part], lambda *_: None)
    with pytest.raises(sp.InvalidInput, match=f"{path.name} is no outcome.*delete it"):
        store.outcome(Work(noted, 1))


def test_outcomes_beyond_the_memory_are_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr(part_store, "_HELD", 1.0)
    store, experiment = PartStore(tmp_path), Each(noted, list(range(3)))
    store.complete(parts_of(experiment), lambda *_: None)
    assert store.outcome(experiment) == [0, 1, 2]
    assert len(store._held) == 1


SLOW = """
import time
from serpenoid.papers.paper import Each, Paper
from serpenoid.papers.part_store import PartStore, parts_of
from pathlib import Path
import sys

def slow(number):
    with open(sys.argv[1] + "/log", "a") as log:
        log.write(f"{number}\\n")
    time.sleep(0.5)
    return number

if __name__ == "__main__":
    experiment = Each(slow, list(range(3)))
    store = PartStore(Path(sys.argv[1]) / "parts")
    store.complete(parts_of(experiment), lambda *_: None)
    print(store.outcome(experiment))
"""


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL is of Unix")
def test_work_goes_on_after_it_was_killed(tmp_path):
    script, log = tmp_path / "slow.py", tmp_path / "log"
    script.write_text(SLOW)
    (tmp_path / "parts").mkdir()
    command = [sys.executable, str(script), str(tmp_path)]
    process = subprocess.Popen(command)
    deadline = time.monotonic() + 60
    while not (log.exists() and "1\n" in log.read_text()) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "[0, 1, 2]\n"
    assert log.read_text().split() == ["0", "1", "1", "2"]


def test_sources_are_those_of_the_rooms_and_of_the_function():
    shared, own = Part(SHORT).sources, Part(Work(noted, 1)).sources
    assert shared != own
    assert Part(Work(write_outcome, 1)).sources not in (shared, own)
    assert all((Path(part_store.__file__).parents[1] / room).is_dir() for room in part_store._ROOMS)


def test_sources_are_also_those_that_the_module_of_the_function_imports(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    texts = {
        "work_of_a_paper": "import json\n\nimport first_help\n",
        "first_help": "from second_help import two\n",
        "second_help": "two = 2\n",
        "claims": "",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text)

    def seen():
        part_store._sources.cache_clear()
        return part_store._sources("work_of_a_paper")

    before = seen()
    (tmp_path / "claims.py").write_text("# of these it needs none\n")
    assert seen() == before
    (tmp_path / "second_help.py").write_text("two = 2.0\n")
    assert seen() != before
