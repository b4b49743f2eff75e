"""Work on all cores."""

import math
import os
import signal
import subprocess
import sys
import time

import pytest

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
def test_interrupt_leaves_no_worker_behind():
    code = (
        "import time\n"
        "from serpenoid.studies.parallel import for_each\n"
        "if __name__ == '__main__':\n"
        "    print('begun', flush=True)\n"
        "    for_each(time.sleep, [60.0, 60.0])\n"
    )
    begin = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        time.sleep(2.0)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert process.returncode != 0
    assert "KeyboardInterrupt" in errors
    # Pipes are closed once the workers, who have inherited them, are gone.
    assert time.perf_counter() - begin < 30
