"""What all tests share."""

import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

# A first call may compile, so no deadline; the same examples every time, so that a failure stays.
settings.register_profile("serpenoid", deadline=None, derandomize=True, database=None)
settings.load_profile("serpenoid")


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    """No test finds the figures of another."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
