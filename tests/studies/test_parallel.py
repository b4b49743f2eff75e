"""Work on all cores."""

import math
import os
import signal
import sys
import time

import cloudpickle
import pytest

import serpenoid as sp
from serpenoid.errors import InvalidInput
from serpenoid.studies.dispatch import run_items
from serpenoid.studies.parallel import WorkerLost, for_each


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


@pytest.mark.skipif(sys.platform == "win32", reason="signals as on Unix")
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
