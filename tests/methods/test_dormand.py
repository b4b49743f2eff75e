"""What steps of the integrator are judged by."""

import math

import pytest

from serpenoid.methods.dormand_prince import larger
from tests.calling import called

larger = called(larger)


@pytest.mark.parametrize(("worst", "error", "kept"), [(1.0, 2.0, 2.0), (2.0, 1.0, 2.0)])
def test_the_larger_error_counts(worst, error, kept):
    assert larger(worst, error) == kept


@pytest.mark.parametrize(("worst", "error"), [(1.0, math.nan), (math.nan, 1.0)])
def test_an_error_that_is_no_number_is_never_forgotten(worst, error):
    assert math.isnan(larger(worst, error))
