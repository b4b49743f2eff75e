"""A thousand random scenarios: whatever is asked for, the result can be trusted."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from tests.scenarios import random_case, with_self_contact

PER_BATCH = 50
BATCHES = [*range(4), *(pytest.param(k, marks=pytest.mark.thorough) for k in range(4, 20))]


@pytest.mark.parametrize("batch", BATCHES)
def test_random_scenarios_can_be_trusted(batch):
    for seed in range(batch * PER_BATCH, (batch + 1) * PER_BATCH):
        case = with_self_contact(random_case(seed))
        try:
            run = sp.simulate(case.robot, case.world, case.gait, 1.0, start=case.start)
        except sp.SimulationStopped as stopped:
            run = stopped.run
        columns = run.columns
        assert all(np.isfinite(column).all() for column in columns.values()), seed
        assert columns["hinge_gap"].max() < 1e-9, seed
        assert columns["penetration"].max() < 1e-4, seed
        # What the solver promises of every step it accepts, m/s.
        assert columns["law_residual"].max() <= sp.Newton().tolerance, seed
        energy = run.energy()
        moved = energy["kinetic"] + sum(
            abs(work) for name, work in energy.items() if name not in ("kinetic", "residual")
        )
        # The floor is the rounding of 1,000 steps at 1 J.
        assert abs(energy["residual"]) <= 1e-8 * moved + 1e-13, seed


def test_hardly_any_random_scenario_stops():
    """Stopping with a reason is allowed, but must stay the rare exception: none of these does."""
    for seed in range(1000, 1200):
        case = with_self_contact(random_case(seed))
        run = sp.simulate(case.robot, case.world, case.gait, 1.0, start=case.start)
        assert run.state.step == 1000
