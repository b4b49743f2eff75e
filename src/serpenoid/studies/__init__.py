"""Many runs at once: studies, and the sweeps and optimisations that run them.

Names are loaded when they are asked for: who only wants workers does not wait for the rest.
"""

from __future__ import annotations

import importlib
from typing import Any

_HOMES = {
    "Grid": "sampling",
    "LatinHypercube": "sampling",
    "Optimisation": "optimisation",
    "Parameter": "sampling",
    "Random": "sampling",
    "Search": "optimisation",
    "Study": "study",
    "load_table": "sweep_runner",
    "metric": "metrics",
    "optimise": "optimisation_runner",
    "sweep": "sweep_runner",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
