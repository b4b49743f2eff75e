"""What steps of the integrator are judged by."""

import math

import numpy as np
import pytest
from scipy.integrate import RK45

from serpenoid.methods.dormand_prince import BULGE, ERROR, NODE, WEIGHT, larger
from tests.calling import called

larger = called(larger)


def test_the_tableau_is_that_of_scipy():
    np.testing.assert_array_equal(NODE, [*RK45.C, 1.0])
    np.testing.assert_array_equal(WEIGHT[:-1, :-1], RK45.A)
    np.testing.assert_array_equal(WEIGHT[:-1, -1], 0.0)
    np.testing.assert_array_equal(WEIGHT[-1], RK45.B)
    # SciPy takes the difference of the two orders the other way round.
    np.testing.assert_array_equal(-ERROR, RK45.E)
    np.testing.assert_array_equal(BULGE, RK45.P[:, 3])


@pytest.mark.parametrize(("worst", "error", "kept"), [(1.0, 2.0, 2.0), (2.0, 1.0, 2.0)])
def test_the_larger_error_counts(worst, error, kept):
    assert larger(worst, error) == kept


@pytest.mark.parametrize(("worst", "error"), [(1.0, math.nan), (math.nan, 1.0)])
def test_an_error_that_is_no_number_is_never_forgotten(worst, error):
    assert math.isnan(larger(worst, error))
