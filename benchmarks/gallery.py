"""Microseconds per step of every scenario of the gallery, before and after a change.

    python -m benchmarks.gallery 38d6ba3 --rounds 6

Before is the commit given, after is this checkout; they take turns in fresh processes as in
`against`. What the gallery does not show by itself follows, one feature each. A ratio above 1 is
marked: `slower` if its whole 95 % interval lies there, else `slower?`. Fewer than six rounds are
too few for such an interval.
"""

from __future__ import annotations

import argparse

import numpy as np
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

import serpenoid as sp
from benchmarks.against import Cases, Changes, Comparison, compare

# Longer runs are cut, s; their steps cost the same later on.
LONGEST = 20.0

# What no scenario of the gallery has by itself. Walls are in corridor, compliant terrain and series
# elastic joints in pedal_wave, loads in push_disc and push_box, feedback in waypoints.
FEATURES: dict[str, tuple[str, Changes]] = {
    "contact friction": ("aiko_pegs", {"world.contact": {"friction": 0.2}}),
    "restitution": ("aiko_pegs", {"world.contact": {"restitution": 0.3}}),
    "hard terrain": ("pedal_wave", {"world.terrain.contact": {"kind": "hard"}}),
    "series elastic joints": (
        "aiko_flat",
        {
            "actuator": {
                "kind": "series_elastic",
                "stiffness": 100.0,
                "kp": 800.0,
                "kd": 2.0,
                "gear_ratio": 100.0,
                "rotor_inertia": 1e-6,
            }
        },
    ),
    "feedback every step": ("waypoints", {"controller.period": 1e-3}),
}


def cases() -> Cases:
    """The gallery of this checkout, and the features."""
    durations = {name: sp.Scenario.load(name).clock.duration for name in sp.gallery()}
    ready: dict[str, tuple[str, Changes]] = {name: (name, {}) for name in durations}
    return {
        name: (base, {**changes, "clock.duration": min(durations[base], LONGEST)})
        for name, (base, changes) in (ready | FEATURES).items()
    }


def row(name: str, both: Comparison) -> list[str]:
    """Medians, the ratio with its interval, and what to look at."""
    low, high = both.interval()
    mark = "slower" if low > 1 else "slower?" if both.ratio > 1 else ""
    return [
        name,
        f"{np.median(both.before):.2f}",
        f"{np.median(both.after):.2f}",
        f"{both.ratio:.3f}",
        f"{low:.3f} to {high:.3f}",
        mark,
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commit", help="the commit to compare with")
    parser.add_argument("--rounds", type=int, default=6, help="processes of each, default 6")
    given = parser.parse_args()
    wanted = cases()
    found = compare(given.commit, wanted, given.rounds, runs=3)
    table = Table(title="us per step", box=SIMPLE, pad_edge=False)
    for heading in ("scenario", "before", "after", "ratio", "95 % interval", ""):
        table.add_column(heading, no_wrap=True)
    for name in wanted:
        table.add_row(*(row(name, found[name]) if name in found else [name, "not on both"]))
    Console().print(table)


if __name__ == "__main__":
    main()
