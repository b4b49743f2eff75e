"""Many runs at once: studies, and the sweeps and optimisations that run them.

Names are loaded when they are asked for: who only wants workers does not wait for the rest.
"""

from __future__ import annotations

from serpenoid.later import later

_HOMES = {
    "Grid": "sampling",
    "LatinHypercube": "sampling",
    "Optimisation": "optimisation",
    "Parameter": "sampling",
    "Random": "sampling",
    "Search": "optimisation",
    "Study": "study",
    "load_table": "sweep_runner",
    "metric": "serpenoid.analysis.metrics",
    "optimise": "optimisation_runner",
    "sweep": "sweep_runner",
}

__all__ = list(_HOMES)

__getattr__ = later(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
