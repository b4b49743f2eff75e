"""Loads that are struck and pushed on slippery ground, against MuJoCo."""

import numpy as np
import pytest

import serpenoid as sp
from tests.peers.mujoco_push import push_run

DURATION, STEP, ROW = 1.0, 2e-4, 0.01
LINK = {"length": 0.15, "mass": 0.4, "radius": 0.02}
# One rigid link that flies at the load.
BLOCK = {"robot": {"links": 1, **LINK}, "start": {"velocity": [0.5, 0.0]}}
# Three links whose head swings to the left, and pushes for about a tenth of a second.
SWING = {
    "robot": {"links": 3, **LINK},
    "actuator": {"kind": "servo", "kp": 20.0, "kd": 2.0},
    "controller": {
        "kind": "serpenoid",
        "amplitude_deg": 40,
        "frequency_deg": 180,
        "phase_deg": 40,
    },
}
# All of them are off the centre.
AHEAD_DISC = sp.Disc(0.17, 0.03, 0.5, radius=0.06)
AHEAD_BOX = sp.Box(0.2, 0.03, 0.5, width=0.1, height=0.14, angle_deg=10)
BESIDE_DISC = sp.Disc(0.13, 0.097, 0.5, radius=0.06)
BESIDE_BOX = sp.Box(0.1, 0.1, 0.5, width=0.1, height=0.14, angle_deg=10)


def both(robot, load, friction):
    """Places of links and load (last) here and there, (rows, bodies, 3) each: x, y, angle."""
    plain = {**robot, "world": {"gravity": 0.0}, "clock": {"time_step": STEP}}
    scenario = sp.Scenario.from_plain(plain)
    theirs = push_run(scenario, (load,), friction, DURATION, every=round(ROW / STEP))
    run = sp.simulate(
        scenario.built[0],
        sp.World(gravity=0.0, loads=(load,), contact=sp.Contact(friction=friction)),
        scenario.controller,
        DURATION,
        start=sp.Start(**robot.get("start", {})),
        time_step=STEP / 8,
        record_period=ROW,
    )
    names = ("x", "y", "theta")
    links = np.stack([run.columns[name] for name in names], axis=-1)
    pushed = np.stack([run.columns[f"load_{name}"] for name in names], axis=-1)
    return np.concatenate([links, pushed], axis=1), np.concatenate(theirs, axis=1)


@pytest.mark.parametrize(
    ("robot", "load", "friction"),
    [
        (BLOCK, AHEAD_DISC, 0.0),
        (BLOCK, AHEAD_DISC, 0.5),
        (BLOCK, AHEAD_BOX, 0.0),
        (BLOCK, AHEAD_BOX, 0.5),
        (SWING, BESIDE_DISC, 0.0),
        (SWING, BESIDE_DISC, 0.5),
        (SWING, BESIDE_BOX, 0.0),
    ],
    ids=lambda value: getattr(value, "kind", None),
)
def test_all_go_the_same_way(robot, load, friction):
    """For a second, in which loads move by 3 to 19 cm.

    MuJoCo's contacts are soft: at 0.5 m/s a link enters by 0.1 mm in each step of an impact.
    Ours takes shorter steps: at the same one, a disc with friction is 0.2 mm and 0.4 degrees off.
    With friction there is more: there, a contact that slides lifts off by friction times the
    sliding speed, because its cone is convex. A box that slides along the swinging robot is struck
    twice for it, and gets 15 % faster; these here stick, or slide but little.
    """
    ours, theirs = both(robot, load, friction)
    off = np.abs(ours - theirs)
    assert np.hypot(off[..., 0], off[..., 1]).max() < 0.3e-3
    assert np.degrees(off[..., 2].max()) < 0.2
    way = np.ptp(ours[:, -1], axis=0)
    assert np.hypot(*way[:2]) > 0.025
    # A disc turns by contact friction, and by nothing else.
    turns = friction > 0 or isinstance(load, sp.Box)
    assert (np.degrees(way[2]) > 20) == turns
    assert turns or way[2] < 1e-9
