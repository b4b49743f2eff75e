"""'prox' accepts no depth that 'newton' would not."""

import numpy as np
import pytest

import serpenoid as sp


def pegs(**more):
    keys = {f"solver.{key}": value for key, value in more.items()}
    return sp.Scenario.load("aiko_pegs", {"clock.duration": 1.5, "solver.kind": "prox", **keys})


def test_steps_that_would_enter_too_deeply_are_halved():
    run = pegs().run()
    assert run.columns["penetration"].max() <= sp.Newton().max_penetration == 5e-5
    assert run.columns["halvings"].sum() > 0
    # As the paper has it, steps end deeper.
    loose = pegs(max_penetration=1.0).run()
    assert loose.columns["penetration"].max() > 1e-4
    assert loose.columns["halvings"].sum() == 0
    assert np.abs(run.centre_of_mass() - loose.centre_of_mass()).max() < 2e-3


def test_a_run_that_cannot_stay_out_stops():
    with pytest.raises(sp.SimulationStopped, match="an obstacle was entered too deeply"):
        pegs(max_penetration=1e-9).run()
