"""Hostile states: those of short runs, with fields replaced, reshaped, retyped or out of range."""

import dataclasses
import functools
import random
from typing import Any

import numpy as np

import serpenoid as sp
from serpenoid.kernels import layout

_NUMBERS = [np.nan, np.inf, -np.inf, 1e300, -1e300, 1e100, -1e99, 1e30, 1e18, -1e7, 1e4, -1.0, 0.5]
_WHOLE = [2**62, -(2**62), 2**31, 10**6, 1000, 12, -1, 0, 2]
_JUNK: list[Any] = [
    None,
    "text",
    b"bytes",
    [],
    [[1], [1, 2]],
    {},
    object(),
    1j,
    True,
    10**400,
    "1.0",
]

_PATH = sp.Waypoints(points=((1.0, 1.0), (2.0, 0.0)), acceptance=0.2)
_FEEDBACK = sp.References(
    parts=(
        sp.Follower(60, 40, delay=0.05),
        sp.Adaptation(5.0),
        sp.Heading(1.3, look_ahead=0.7, path=_PATH),
        sp.Recovery(distance=0.1, time=1.0, back=1.0),
    ),
    sensor=sp.ContactSensor(noise=0.1, quantum=0.01, delay=0.1),
)
_SHORT = {"clock.time_step": 1e-3, "clock.duration": 0.3, "record.period": 0.01}
_LINK = {"links": 1, "length": 0.2, "mass": 1.0, "radius": 0.02}
_COIL = {"links": 6, "length": 0.1, "mass": 0.3, "radius": 0.02, "limits_deg": [-170.0, 170.0]}
_GUIDED = sp.Scenario(
    robot=_LINK | {"links": 4},
    world={"pegs": [{"x": 0.3, "y": 0.08, "radius": 0.05}]},
    friction=sp.Coulomb(0.2),
    controller=_FEEDBACK,
    clock={"duration": 0.3},
)


@functools.cache
def bases() -> list[sp.Trajectory]:
    """Runs of robots of all kinds, in worlds of all kinds, with every method."""
    pegs = sp.Scenario.load("aiko_pegs", _SHORT)
    ring = sp.Scenario.load("aiko_flat", _SHORT | {"robot": _COIL})
    scenarios = [
        pegs,
        pegs.changed({"solver": "prox"}),
        pegs.changed({"solver": "hybrid"}),
        sp.Scenario.load("peg_forest", _SHORT | {"solver": "newton"}),
        ring,
        sp.Scenario.load("push_box", _SHORT),
        sp.Scenario.load("pedal_wave", {"clock.duration": 0.3}),
        sp.Scenario(robot=_LINK, friction=sp.Coulomb(0.2), clock={"duration": 0.3}),
    ]
    return [scenario.run() for scenario in (_GUIDED, *scenarios)]


def case(draw: random.Random) -> sp.Trajectory:
    """Continue a run from a state that is not its own."""
    run = draw.choice([bases()[0], *bases()])
    values = dict(vars(run.state))
    names = draw.sample(sorted(values), draw.choice([1, 1, 1, 2, 3]))
    # Most robots have no controller that remembers.
    if len(run.state.memory) and draw.random() < 0.7:
        names = ["memory"]
    for name in names:
        values[name] = _spoilt(draw, name, values[name])
    if draw.random() < 0.3:
        values = _booked(run, values)
    state = sp.State(**values)
    if draw.random() < 0.1:
        state = draw.choice(bases()).state
    again = dataclasses.replace(run.scenario, continued=False)
    return again.run(duration=0.02 if again.clock.time_step <= 0.01 else 0.1, start=state)


def _spoilt(draw: random.Random, name: str, value: Any) -> Any:
    """A field in another shape or type, or with other numbers."""
    array = np.asarray(value)
    how = draw.random()
    if how < 0.1:
        return draw.choice(_JUNK)
    if how < 0.2:
        kinds = [np.float32, np.float64, np.int64, np.int8, np.complex128, str, object, bool]
        with np.errstate(all="ignore"):
            return array.astype(draw.choice(kinds))
    if how < 0.3:
        return _reshaped(draw, array)
    if name == "memory" and len(array):
        spoilt, head = np.array(array), layout.MEMORY_HEAD + 3
        for _ in range(draw.choice([1, 1, 2])):
            entry = draw.choice([layout.WAYPOINT, layout.TICKS, draw.randrange(1, head)])
            spoilt[min(entry, len(array) - 1)] = draw.choice([*_NUMBERS, *_WHOLE])
        return spoilt
    if array.dtype.kind == "i" and how < 0.5:
        # Contacts with links and obstacles that may not be there.
        rows = draw.choice([1, 3, 100, 20_000])
        most = draw.choice([1, 20, 2**40])
        numbers = [[draw.randint(-1, most) for _ in range(4)] for _ in range(min(rows, 100))]
        return np.resize(numbers, (rows, 4)) if array.ndim else draw.choice(_WHOLE)
    choices = _WHOLE if array.dtype.kind in "ib" else _NUMBERS
    if array.ndim == 0:
        return draw.choice(choices) if how < 0.8 else type(value)(draw.choice(choices) % 97)
    spoilt = array.copy() if array.dtype.kind != "b" else array.astype(np.int64)
    if how < 0.55:
        spoilt[...] = draw.choice(choices)
    elif how < 0.8 and spoilt.size:
        spoilt.flat[draw.randrange(spoilt.size)] = draw.choice(choices)
    else:
        scale = draw.choice([1e-3, 0.1, 1.0, 10.0, 1e3, 1e6, 1e12, 1e50])
        noise = np.random.default_rng(draw.randrange(2**32)).normal(size=array.shape)
        with np.errstate(all="ignore"):
            spoilt = (spoilt + scale * noise).astype(spoilt.dtype)
    return spoilt


def _reshaped(draw: random.Random, array: Any) -> Any:
    return draw.choice(
        [
            lambda: array[None],
            lambda: array.T[..., None],
            lambda: np.resize(array, 3) if array.size else np.zeros(3),
            lambda: np.concatenate([array, array]) if array.ndim else array,
            lambda: array[:-1] if array.ndim else array,
            lambda: np.zeros((0, *array.shape[1:])),
            lambda: np.zeros((*array.shape, 0)),
            lambda: np.asfortranarray(array)[::-1] if array.ndim else array,
            lambda: array.tolist(),
        ]
    )()


def _booked(run: sp.Trajectory, values: dict[str, Any]) -> dict[str, Any]:
    """The same with a kinetic energy that fits the velocities, so that it gets farther."""
    lumps = run.robot.lumps()
    try:
        velocity, ledger = (np.array(values[name]).real for name in ("velocity", "ledger"))
        mass, inertia = lumps.mass[:, None], lumps.inertia
        with np.errstate(all="ignore"):
            energy = (mass * velocity[:, :2] ** 2).sum() + (inertia * velocity[:, 2] ** 2).sum()
        ledger[layout.KINETIC] = 0.5 * energy
    except (TypeError, ValueError, IndexError, OverflowError):
        return values
    return values | {"ledger": ledger}
