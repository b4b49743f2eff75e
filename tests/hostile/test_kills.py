"""Some of the kills in the suite; all with `-m slow` or `python -m tests.hostile kills`."""

import sys

import pytest

from tests.hostile.__main__ import COUNTS
from tests.hostile.kills import JOBS, kill_often

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are listed in /proc")


def check(name: str, count: int, seed: int) -> None:
    tally = kill_often(name, count, seed)
    assert tally.failures == []
    assert tally.kills >= count


@pytest.mark.parametrize(
    ("name", "count"), [("run", 2), ("sweep", 2), ("workers in their first second", 1)]
)
def test_some_kills(name, count):
    check(name, count, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", JOBS)
def test_all_kills(name):
    check(name, COUNTS["kills"], seed=0)
