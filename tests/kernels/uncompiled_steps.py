"""Short runs whose kernels are not compiled, so that parts of the step can be replaced.

python -m tests.kernels.uncompiled_steps NAME prints as JSON what a function here finds.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

os.environ["NUMBA_DISABLE_JIT"] = "1"

import numpy as np

import serpenoid as sp
from serpenoid.kernels import midpoint
from serpenoid.kernels.layout import CONTACTS_FULL

LISTS = ("contact", "impulse")
# What kernels return that find no room.
FULL = {"find_contacts": CONTACTS_FULL, "solve_newton": (CONTACTS_FULL, 0, 0, 0.0)}


def snake(n: int, kp: float = 5.0) -> sp.Robot:
    """Links of 10 cm."""
    return sp.Robot.uniform(n, length=0.1, mass=0.5, radius=0.02, actuator=sp.Servo(kp, 0.01 * kp))


def touching() -> sp.Trajectory:
    """Two links that move against the pegs they touch: the first step has an impact."""
    pegs = (sp.Peg(-0.04, -0.05, 0.03), sp.Peg(0.06, -0.05, 0.03))
    world = sp.World(pegs=pegs, contact=sp.Contact(friction=0.3))
    start = sp.Start(joint_angles_deg=(0.0,), velocity=(0.3, -1.0))
    return sp.simulate(snake(2), world, None, 1e-3, start=start, record_period=1e-3)


def turning() -> sp.Trajectory:
    """Two links that turn too fast for a whole step, between pegs."""
    pegs = (sp.Peg(-0.05, -0.053, 0.03), sp.Peg(0.08, 0.055, 0.03))
    world = sp.World(pegs=pegs, contact=sp.Contact(friction=0.3))
    start = sp.Start(joint_angles_deg=(0.0,), velocity=(0.3, -6.0), spin_deg=-3000)
    dt = 2e-3
    return sp.simulate(snake(2), world, None, dt, start=start, time_step=dt, record_period=dt)


def values(run: sp.Trajectory) -> list[bytes]:
    """All columns and the state, to the bit."""
    state = [np.asarray(value).tobytes() for value in vars(run.state).values()]
    return [*(column.tobytes() for column in run.columns.values()), *state]


class FullOnce:
    """A kernel that finds no room at one of its calls."""

    def __init__(self, name: str, call: int) -> None:
        self.name, self.call, self.calls = name, call, 0
        self.kernel = getattr(midpoint, name)

    def __call__(self, *arguments: Any) -> Any:
        self.calls += 1
        return FULL[self.name] if self.calls == self.call else self.kernel(*arguments)

    def values(self, simulate: Callable[[], sp.Trajectory]) -> list[bytes]:
        """Values of a run with it."""
        setattr(midpoint, self.name, self)
        try:
            return values(simulate())
        finally:
            setattr(midpoint, self.name, self.kernel)


def room() -> dict[str, Any]:
    """Calls at which a run finds no room, and those of them after which it is another run."""
    found: dict[str, Any] = {}
    for simulate in (touching, turning):
        whole = simulate()
        here: dict[str, Any] = {"halvings": float(whole.columns["halvings"].sum())}
        found[simulate.__name__] = here
        for name in FULL:
            counter = FullOnce(name, 0)
            counter.values(simulate)
            calls = range(1, counter.calls + 1)
            differ = [k for k in calls if FullOnce(name, k).values(simulate) != values(whole)]
            here[name] = {"calls": len(calls), "differ": differ}
    return found


def kicked() -> dict[str, Any]:
    """Motion of two links at rest whose servo kicks them against a peg within the first step."""
    world = sp.World(pegs=(sp.Peg(0.08, 0.0503, 0.03),), contact=sp.Contact(friction=0.2))
    gait = sp.Serpenoid(amplitude_deg=20, frequency_deg=0, phase_deg=0, start_deg=90)
    start = sp.Start(joint_angles_deg=(0.0,))
    run = sp.simulate(snake(2, 500.0), world, gait, 3e-3, start=start, record_period=1e-3)
    # Not the list of contacts: with wide margins there are more, which do nothing.
    state = {name: value for name, value in vars(run.state).items() if name not in LISTS}
    return {name: np.asarray(value).tolist() for name, value in state.items()}


def margins() -> dict[str, Any]:
    """Motion as it is, with margins that nothing outruns, and if none were widened."""
    look_ahead, outruns = midpoint.look_ahead, midpoint.outruns

    def look_far(blocks: Any, dt: float) -> None:
        look_ahead(blocks, dt)
        blocks["margin"] += 0.3

    usual, midpoint.look_ahead = kicked(), look_far
    wide, midpoint.look_ahead, midpoint.outruns = kicked(), look_ahead, lambda *_: False
    narrow, midpoint.outruns = kicked(), outruns
    return {"usual": usual, "wide": wide, "narrow": narrow}


def main(name: str) -> None:
    """Print what a function finds."""
    print(json.dumps({"room": room, "margins": margins}[name]()))


if __name__ == "__main__":
    main(sys.argv[1])
