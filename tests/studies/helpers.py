"""What tests of studies call: workers in this process, and waiting."""

import contextlib
import time
from concurrent.futures import Future

import pytest

from serpenoid.studies.parallel import Workers


class InlineWorkers(Workers):
    """One worker, which is this process; each call runs when it is sent."""

    def submit(self, function, *arguments, among=None):
        assert among is None
        future = Future()
        future.set_result(function(*arguments))
        self._answers.put(future)
        return future

    def others(self, _future):
        return []

    def result(self, future):
        return future.result()


@contextlib.contextmanager
def inline_workers():
    """Sweeps and optimisations run in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "serpenoid.studies.cluster.LocalWorkers",
            lambda _count, check: contextlib.nullcontext(InlineWorkers(check)),
        )
        yield


def wait_for(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.02)
