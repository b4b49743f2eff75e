"""The engine gives the same results as when they were frozen."""

import json

import pytest

from tests.frozen.cases import cases
from tests.frozen.freeze import FILE, digest, machine

FROZEN = json.loads(FILE.read_text())
CASES = dict(cases())


def test_every_case_is_frozen():
    assert list(FROZEN) == ["machine", *CASES]


@pytest.mark.parametrize("name", CASES)
def test_same_result(name):
    found = [digest(run) for run in CASES[name]()]
    if machine() == FROZEN["machine"]:
        assert found == FROZEN[name]
    else:
        # Another processor or mathematical library rounds otherwise.
        for mine, frozen in zip(found, FROZEN[name], strict=True):
            assert mine["com"] == pytest.approx(frozen["com"], abs=1e-6)
