"""Which runs are kept: the paper's own, the same by newton, and extensions of ours.

In an order in which any beginning is a paired sample of the fields.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from serpenoid.papers.liljeback2011.readings import NATURAL_FREQUENCY
from serpenoid.papers.liljeback2011.study import LACKS, RADIUS, Case, Controller

FIELDS = 100
# How many of them are run with impacts in rho, and with what only newton is run with.
MEASURED, FEWER = 20, 20
# How many our own controller is taken apart on.
ABLATED = 5
# Half widths of the links for adaptive_path_following, m.
RADII = (RADIUS, 0.02)
PEGS = (160, 240, 400, 480)
LOW_GAIN = 0.005
GAINS = (0.002, LOW_GAIN, 0.01)
THREE: tuple[Controller, ...] = ("none", "printed", "limited")
TWO: tuple[Controller, ...] = ("none", "printed")
# What the readings leave open, as changes of a case.
OPEN: tuple[dict[str, Any], ...] = ({"arm": 0.0}, {"arm": 0.07}, {"cutoff": NATURAL_FREQUENCY})


def planned() -> list[Case]:
    """All cases, each once."""
    return list(dict.fromkeys([*_fields(), *_readings(), *_extensions()]))


def _own(seed: int, controller: Controller, **changes: Any) -> Case:
    return Case(seed, controller, solver="hybrid", **{"impacts": False} | changes)


def _fields() -> Iterator[Case]:
    """The paper's law with and without adaptation, and beside it newton and our changes."""
    for seed in range(FIELDS):
        yield from (_own(seed, name) for name in TWO)
        yield from (Case(seed, name) for name in THREE)
        yield Case(seed, "printed", gain=LOW_GAIN)


def _readings() -> Iterator[Case]:
    """What the paper leaves open."""
    for seed in range(MEASURED):
        yield from (_own(seed, name, impacts=True) for name in TWO[::-1])
    for seed in range(FEWER):
        yield from (Case(seed, name, **each) for each in OPEN for name in TWO)
        yield from (Case(seed, name, pegs=pegs) for pegs in PEGS for name in THREE)


def _extensions() -> Iterator[Case]:
    """Controllers of ours, and contact on the outline."""
    for seed in range(FEWER):
        yield from (Case(seed, "printed", gain=gain) for gain in GAINS)
        yield from (Case(seed, name, "outline") for name in THREE)
        yield _own(seed, "limited", impacts=True)
        for radius in RADII:
            for lack in LACKS if seed < ABLATED else LACKS[:1]:
                yield Case(seed, "adaptive", "outline", radius=radius, lacks=lack)
