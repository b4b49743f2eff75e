"""Aiko among the pegs of its track, and what it means for two runs to be the same."""

import numpy as np

import serpenoid as sp

GAIT = sp.Serpenoid(amplitude_deg=-40.0, frequency_deg=80.0, phase_deg=-50.0)
START = sp.Start(x=0.38, y=0.15, heading_deg=5.0, link=5)
TRACK = sp.World(friction=sp.Coulomb(0.2), pegs=sp.fields.aiko_track())


def on_track(duration: float, start=START, controller=GAIT, **more) -> sp.Trajectory:
    return sp.simulate(sp.robots.aiko(), TRACK, controller, duration, start=start, **more)


def assert_same(one: sp.Trajectory, other: sp.Trajectory) -> None:
    """Every column to the bit, and the state."""
    assert set(one.columns) == set(other.columns)
    for name, column in one.columns.items():
        assert column.dtype == other.columns[name].dtype, name
        np.testing.assert_array_equal(column, other.columns[name], err_msg=name)
    assert one.state == other.state
