"""Random robots that wind up until they touch themselves: whatever happens can be trusted."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.errors import Overlap
from tests.coils import own_gaps, random_coil

# The one of 540 random coils in which a strike is not resolved; it stops and says so.
STOPS = 305


def check(seed: int) -> bool:
    """Run a coil; whether it touched itself."""
    scenario = random_coil(seed)
    try:
        run = scenario.run()
    except Overlap:
        # Of the load, never of the robot with itself.
        scenario.changed({"world.loads": []}).run(duration=0.01)
        return False
    except sp.SimulationStopped as stopped:
        # What it was up to then can be trusted as well.
        assert seed == STOPS, seed
        run = stopped.run
    c, gaps = run.columns, own_gaps(run)
    assert all(np.isfinite(column).all() for column in c.values()), seed
    assert gaps.min() > -1e-4, seed
    assert c["hinge_gap"].max() < 1e-9, seed
    assert c["penetration"].max() < 1e-4, seed
    assert c["law_residual"].max() <= sp.Newton().tolerance, seed
    energy = run.energy()
    moved = energy["kinetic"] + sum(
        abs(work) for name, work in energy.items() if name not in ("kinetic", "residual")
    )
    assert abs(energy["residual"]) <= 1e-8 * moved + 1e-13, seed
    for name in ("energy_friction", "energy_impact"):
        assert np.diff(c[name]).max() <= 1e-9 * moved, (seed, name)
    return bool((gaps < 1e-4).any())


def test_random_coils_can_be_trusted():
    touched = [check(seed) for seed in range(40)]
    assert sum(touched) > 20


@pytest.mark.slow
def test_five_hundred_random_coils_can_be_trusted():
    touched = [check(seed) for seed in range(40, 540)]
    assert sum(touched) > 300


def test_a_coil_turned_about_is_the_same_coil():
    random = np.random.default_rng(3)
    for seed in (1, 5, 8):
        scenario = random_coil(seed).changed({"world": {}, "clock.duration": 0.5})
        turn = random.uniform(-180, 180)
        turned = scenario.changed({"start.heading_deg": turn}).run().columns
        given = scenario.run().columns
        np.testing.assert_allclose(
            turned["joint_angle"], given["joint_angle"], atol=1e-6, err_msg=str(seed)
        )
