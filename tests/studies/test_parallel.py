"""Work on all cores."""

import itertools
import math
import multiprocessing
import os
import signal
import struct
import sys
import threading
import time
from multiprocessing.process import BaseProcess

import cloudpickle
import pytest

import serpenoid as sp
from serpenoid.errors import InvalidInput, StudyStopped
from serpenoid.studies.dispatch import run_items
from serpenoid.studies.parallel import WorkerLost, _LocalWorker, for_each

unix = pytest.mark.skipif(sys.platform == "win32", reason="signals as on Unix")


def test_order_and_share():
    told = []
    numbers = [float(k * k) for k in range(7)]
    assert for_each(math.sqrt, numbers, told.append) == list(range(7))
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_nothing_to_do():
    assert for_each(math.sqrt, []) == []


def test_the_first_error_ends_it():
    begin = time.perf_counter()
    with pytest.raises(TypeError):
        for_each(time.sleep, ["no number", 60.0, 60.0])
    assert time.perf_counter() - begin < 30


def test_a_killed_worker_is_said_so():
    with pytest.raises(WorkerLost, match="a worker process was killed"):
        for_each(os._exit, [1, 1])


class Survivor:
    """Kills the worker process that calls it, but not the second one."""

    def __init__(self, note):
        self.note = note

    def __call__(self, number):
        if number == 1 and not self.note.exists():
            self.note.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return number


@unix
def test_a_worker_that_is_killed_once_is_replaced(tmp_path):
    assert for_each(Survivor(tmp_path / "note"), [0, 1, 2]) == [0, 1, 2]
    assert (tmp_path / "note").exists()


@pytest.fixture
def kill_at_start(monkeypatch):
    """Have so many worker processes killed as soon as they are started."""
    start, started = BaseProcess.start, itertools.count()

    def kill(count):
        def start_and_kill(process):
            start(process)
            if next(started) < count:
                process.kill()

        monkeypatch.setattr(BaseProcess, "start", start_and_kill)
        return started

    return kill


@unix
def test_workers_that_are_killed_while_they_start_are_replaced(kill_at_start):
    started = kill_at_start(3)
    assert for_each(math.sqrt, [1.0, 4.0, 9.0]) == [1.0, 2.0, 3.0]
    assert next(started) >= 4


@unix
def test_workers_that_are_always_killed_while_they_start_are_said_so(kill_at_start):
    kill_at_start(1000)
    words = "^5 worker processes were killed before they could begin, perhaps because memory"
    with pytest.raises(StudyStopped, match=words):
        for_each(math.sqrt, [1.0, 4.0])


def test_an_answer_that_breaks_off_is_a_lost_worker():
    """As of a worker that is killed while it writes a long one."""

    class Written:
        exitcode = -9

        def join(self, _seconds=None):
            pass

        kill = join

    mine, theirs = multiprocessing.Pipe()
    worker = _LocalWorker()
    worker._process, worker._pipe = Written(), mine
    try:
        call = worker.submit(os.getpid)
        theirs.recv_bytes()
        theirs.send_bytes(b"")
        os.write(theirs.fileno(), struct.pack("!i", 1000) + b"some of it")
        theirs.close()
        with pytest.raises(WorkerLost):
            call.result(timeout=30)
    finally:
        worker.kill()
        worker.join()


def fail_with_a_thread(_item):
    error = ValueError("no good")
    error.thread = threading.Lock()  # which cannot be pickled
    raise error


def test_an_error_that_cannot_be_sent_is_told_in_words():
    with pytest.raises(StudyStopped, match=r"^ValueError: no good$"):
        for_each(fail_with_a_thread, [1])


@unix
def test_interrupt_leaves_no_worker_behind(drive):
    script = (
        "import time\n"
        "from serpenoid.studies.parallel import for_each\n"
        "if __name__ == '__main__':\n"
        "    print('begun', flush=True)\n"
        "    for_each(time.sleep, [60.0, 60.0])\n"
    )
    begin = time.perf_counter()
    with drive(script) as process:
        assert process.stdout.readline() == "begun\n"
        time.sleep(2.0)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert process.returncode != 0
    assert "KeyboardInterrupt" in errors
    # Pipes are closed once the workers, who have inherited them, are gone.
    assert time.perf_counter() - begin < 30


def test_a_group_that_takes_too_long_returns_the_rest():
    work = cloudpickle.dumps(time.sleep)
    answers = run_items(work, [(7, 1.1), (8, 1.1), (9, 1.1)], sp.__version__)
    assert list(answers.results) == [7, 8]
    assert list(run_items(work, [(7, 0), (8, 0)], sp.__version__).results) == [7, 8]


def test_a_worker_of_another_version_is_refused():
    with pytest.raises(InvalidInput, match=r"instead of 0\.0; install the same everywhere"):
        run_items(b"", [], "0.0")
