"""Recursive dynamics of growing chains, beside Pinocchio's on the same chains and states.

Ours is called in a compiled loop, Pinocchio from Python, which adds about a microsecond to each of
its evaluations.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pinocchio as pin

from serpenoid.kernels._jit import jit_entry
from serpenoid.methods.spatial_recursion import forward_dynamics, inverse_dynamics, newton_euler
from serpenoid.methods.spatial_vectors import Spatial, Vector, make_chain
from tests.peers import pinocchio_peer

SIZES = (8, 16, 32, 64, 128, 256)
# Short rounds, and many: on a busy machine some are undisturbed.
LINKS_PER_ROUND = 30_000


@jit_entry
def _held(chain: Spatial, base: Vector, count: int) -> None:
    for _ in range(count):
        newton_euler(chain, base, base)


@jit_entry
def _inverse(chain: Spatial, base: Vector, count: int) -> None:
    for _ in range(count):
        inverse_dynamics(chain, base)


@jit_entry
def _forward(chain: Spatial, base: Vector, count: int) -> None:
    for _ in range(count):
        forward_dynamics(chain, base)


def _contenders(n: int) -> dict[str, Callable[[int], object]]:
    """What to time on a chain of n links, each called with a number of evaluations."""
    rng = np.random.default_rng(n)
    length, mass, nothing = np.full(n, 0.1), np.full(n, 0.4), np.zeros(n)
    central = mass * length**2 / 12
    chain = make_chain(
        length=length, mass=mass, central=central, along=nothing, across=nothing, turning=nothing
    )
    chain.angle[:], chain.rate[:] = rng.uniform(-0.5, 0.5, n - 1), rng.normal(0, 1, n - 1)
    base = (0.0, 0.0, 0.4, 0.1, -0.2, 0.0)
    model = pinocchio_peer.free_chain(length, mass, central, from_tail=True)
    data = model.createData()
    q, u = np.append(np.zeros(3), chain.angle), np.append([0.1, -0.2, 0.4], chain.rate)
    zero = np.zeros(n + 2)

    def rnea(count: int) -> None:
        for _ in range(count):
            pin.rnea(model, data, q, u, zero)

    def aba(count: int) -> None:
        for _ in range(count):
            pin.aba(model, data, q, u, zero)

    return {
        "newton_euler": lambda count: _held(chain, base, count),
        "inverse": lambda count: _inverse(chain, base, count),
        "forward": lambda count: _forward(chain, base, count),
        "rnea": rnea,
        "aba": aba,
    }


def links(rounds: int = 40) -> list[dict[str, float]]:
    """Time per link and evaluation, us, best of several rounds in which all take turns.

    newton_euler: base acceleration given, as rnea has it; inverse and forward: free base.
    """
    contenders = {n: _contenders(n) for n in SIZES}
    best: dict[int, dict[str, float]] = {n: {} for n in SIZES}
    for calls in contenders.values():
        for call in calls.values():
            call(1)
    for _ in range(rounds):
        for n, calls in contenders.items():
            count = LINKS_PER_ROUND // n
            for name, call in calls.items():
                begin = time.perf_counter()
                call(count)
                spent = 1e6 * (time.perf_counter() - begin) / (count * n)
                best[n][name] = min(best[n].get(name, spent), spent)
    return [{"links": n, **best[n]} for n in SIZES]
