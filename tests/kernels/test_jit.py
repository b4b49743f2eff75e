"""What the decorators of kernels promise."""

import pickle

import pytest

import serpenoid as sp
from serpenoid.kernels import run
from serpenoid.kernels.references import set_references


@pytest.mark.parametrize(("given", "named"), [((1, 2, 3), {}), ((), {"t": 0.0})])
def test_inner_kernels_refuse_python_instead_of_ending_it(given, named):
    with pytest.raises(TypeError, match="set_references is called by other kernels only"):
        set_references(*given, **named)


@pytest.mark.parametrize(
    "call",
    [
        lambda scenario: scenario.run(),
        lambda scenario: sp.Batch([scenario]).step(),
        lambda scenario: sp.simulate_batch([scenario]),
    ],
)
def test_damaged_machine_code_is_named(call, monkeypatch):
    def damaged(*_):
        raise pickle.UnpicklingError("cut off")

    monkeypatch.setattr(run, "run_newton", damaged)
    with pytest.raises(sp.OutputError, match=r"are damaged \(cut off\); delete that folder"):
        call(sp.Scenario.load("aiko_flat", {"clock.duration": 0.01}))
