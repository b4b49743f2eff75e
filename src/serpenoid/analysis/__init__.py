"""Pure functions of recorded runs."""

from __future__ import annotations

from serpenoid.later import later

# Modules with public functions, imported once they are asked for.
_MODULES = (
    "comparison",
    "contact_stability",
    "cycles",
    "energy",
    "equality",
    "following",
    "lagrange",
    "measures",
    "motion",
    "periodic",
    "pushes",
    "pushing",
    "recursion",
    "starts",
    "wave_maps",
    "windows",
)

__getattr__ = later(__name__, {name: name for name in _MODULES})


def __dir__() -> list[str]:
    return list(_MODULES)
