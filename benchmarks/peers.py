"""Aiko on the pegs, 10 s at 1 ms, on one thread: ours and the peers in one run.

Timed is the stepping alone, for all contenders.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import serpenoid as sp
from tests.peers import mujoco_peer, pymunk_peer
from tests.peers.track import REFERENCE_X

DURATION, TIME_STEP = 10.0, 1e-3
STEPS = round(DURATION / TIME_STEP)


@dataclass(frozen=True)
class Line:
    """One contender: its time per step and how far from the reference it ends up."""

    name: str
    microseconds_per_step: float
    deviation_mm: float


def aiko_on_pegs() -> tuple[sp.Robot, sp.World, sp.Serpenoid, sp.Start]:
    """The paper's robot, track, gait and a start pose that catches the track."""
    return (
        sp.robots.aiko(),
        sp.World(friction=sp.Coulomb(0.2), pegs=sp.fields.aiko_track()),
        sp.Serpenoid(amplitude_deg=-40, frequency_deg=80, phase_deg=-50),
        sp.Start(x=0.38, y=0.15, heading_deg=5, link=5),
    )


def _ours() -> tuple[float, float]:
    robot, world, gait, start = aiko_on_pegs()
    run = sp.simulate(robot, world, gait, DURATION, start=start, time_step=TIME_STEP)
    middle = run.columns["x"][::100, 5][: len(REFERENCE_X)]
    return 1e6 * run.stepping_seconds / STEPS, float(np.abs(middle - REFERENCE_X).max())


def _mujoco(options: mujoco_peer.MujocoOptions) -> tuple[float, float]:
    run = mujoco_peer.simulate(options=options, duration=DURATION)
    return run.microseconds_per_step, run.deviation()


def _pymunk(options: pymunk_peer.PymunkOptions) -> tuple[float, float]:
    run = pymunk_peer.simulate(options=options, duration=DURATION)
    return run.microseconds_per_step, run.deviation()


CONTENDERS: dict[str, Callable[[], tuple[float, float]]] = {
    "serpenoid newton": _ours,
    "MuJoCo elliptic Newton (rollout)": lambda: _mujoco(mujoco_peer.ELLIPTIC_NEWTON),
    "MuJoCo fastest within 5 mm (rollout)": lambda: _mujoco(mujoco_peer.FASTEST),
    "pymunk, 10 sweeps": lambda: _pymunk(pymunk_peer.DEFAULT),
    "pymunk fastest within 5 mm": lambda: _pymunk(pymunk_peer.FASTEST),
}


def compare(rounds: int = 7) -> list[Line]:
    """Best of several rounds, the contenders taking turns so that all see the same machine."""
    best: dict[str, tuple[float, float]] = {}
    for _ in range(rounds):
        for name, contender in CONTENDERS.items():
            result = contender()
            best[name] = min(best.get(name, result), result)
    return [Line(name, speed, 1e3 * off) for name, (speed, off) in best.items()]
