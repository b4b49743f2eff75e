"""Maps of tables show the numbers they are given."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

import serpenoid as sp
from serpenoid.plots.tables import heat_map

# Two by three, in no order; one failed.
TABLE = {
    "controller.phase_deg": [-20.0, -40.0, -80.0, -20.0, -40.0, -80.0],
    "friction.along": [1.0, 1.0, 1.0, 0.5, 0.5, 0.5],
    "mean_speed": [1.0, 2.0, np.nan, 4.0, 5.0, 6.0],
    "friction.kind": ["viscous"] * 6,
    "stiffness": [1.0, 2.0, np.inf, 1.0, 2.0, np.inf],
}


@pytest.fixture
def ax() -> Axes:
    return Figure(figsize=(3.4, 2.4), layout="constrained").add_subplot()


def test_a_map_shows_every_number_in_its_place(ax):
    assert heat_map(TABLE, "controller.phase_deg", "friction.along", "mean_speed", ax) is ax
    failed, mesh = ax.collections
    assert np.ma.filled(mesh.get_array(), -1).tolist() == [[6.0, 5.0, 4.0], [-1, 2.0, 1.0]]
    assert failed.get_array().tolist() == [[0.0] * 3] * 2
    assert mesh.get_clim() == (1.0, 6.0)
    corners = mesh.get_coordinates()
    assert corners[0, :, 0].tolist() == [-100.0, -60.0, -30.0, -10.0]
    assert corners[:, 0, 1].tolist() == [0.25, 0.75, 1.25]
    assert ax.get_xlabel() == "phase (deg)"
    assert ax.get_ylabel() == "along"


def test_a_few_large_values_make_the_colours_logarithmic(ax):
    skewed = TABLE | {"cost": [0.1, 0.2, 0.1, 0.1, 0.2, 30.0]}
    heat_map(skewed, "controller.phase_deg", "friction.along", "cost", ax)
    assert isinstance(ax.collections[1].norm, LogNorm)


def test_one_value_all_over(ax):
    flat = TABLE | {"mean_speed": [2.0] * 6}
    heat_map(flat, "controller.phase_deg", "friction.along", "mean_speed", ax)
    assert ax.collections[1].get_clim() == (1.5, 2.5)


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("phase", "friction.along", "mean_speed"), "column 'phase' is not known; there are contr"),
        (("friction.along", "friction.along", "mean_sped"), r"\(did you mean 'mean_speed'\?\)"),
        (("friction.kind", "friction.along", "mean_speed"), "it must hold numbers"),
        (("friction.along", "friction.along", "mean_speed"), "3 rows have the same"),
        (("stiffness", "friction.along", "mean_speed"), "'stiffness' .* it must hold finite numb"),
    ],
)
def test_what_is_refused(names, words):
    with pytest.raises(sp.InvalidInput, match=words):
        heat_map(TABLE, *names)
