"""A share of every campaign in the suite, all of it with `-m slow` or `python -m tests.hostile`."""

import pytest

from tests.hostile import CASES
from tests.hostile.__main__ import COUNTS, MOST_MEMORY
from tests.hostile.campaign import campaign


def check(name: str, count: int, seed: int) -> None:
    tally = campaign(name, count, seed)
    assert tally.failures == []
    assert sum(tally.counts.values()) == count
    # Hostile input that is all refused, or all taken, would be no test.
    assert tally.counts["ran"] > 0
    assert tally.counts["refused"] > count / 3
    assert tally.peak < MOST_MEMORY


@pytest.mark.parametrize("name", CASES)
def test_a_share_of_the_campaign(name):
    check(name, 80, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_whole_campaign(name):
    check(name, COUNTS[name], seed=0)
