"""Blocks of lanes hold the state as it is, and idle lanes stay idle."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.engine.assemble import pack_drive, pack_world
from serpenoid.engine.engine import Engine
from serpenoid.kernels import layout
from serpenoid.kernels.block_layout import LANES, blocks_needed
from serpenoid.kernels.lanes import block, block_count, lane, lane_of, load_lanes, store_lanes
from tests.calling import called

block, lane, lane_of, block_count, load_lanes, store_lanes = map(
    called, (block, lane, lane_of, block_count, load_lanes, store_lanes)
)

GAIT = sp.Serpenoid(amplitude_deg=-40.0, frequency_deg=80.0, phase_deg=-50.0)


def stepped(
    name: str, steps: int, changes: dict[str, Any] | None = None
) -> tuple[sp.Scenario, Engine]:
    """A scenario of the gallery after some steps."""
    scenario = sp.Scenario.load(name, changes or {})
    batch = sp.Batch([scenario], threads=1)
    batch.step(steps)
    return scenario, batch._engine


def idle_lanes(body: layout.Body) -> Any:
    """Which lanes are idle, (blocks, LANES)."""
    links, loads = len(body.links), len(body.loads)
    live = np.zeros(len(body.blocks) * LANES, bool)
    live[:links] = True
    first = blocks_needed(links, 0) * LANES
    live[first : first + loads] = True
    return ~live.reshape(-1, LANES)


@pytest.mark.parametrize(("links", "loads"), [(1, 0), (8, 0), (9, 0), (11, 3), (16, 8), (17, 9)])
def test_every_body_has_a_lane_of_its_own(links, loads):
    robot = np.zeros(1, [("links", int), ("load_lane", int)]).view(np.recarray)
    robot.links, robot.load_lane = links, block_count(links) * LANES
    numbers = [lane_of(robot[0], i) for i in range(links + loads)]
    places = {(block(i), lane(i)) for i in numbers}
    assert len(places) == links + loads
    assert max(place[0] for place in places) == blocks_needed(links, loads) - 1
    # No block has both.
    assert not {block(i) for i in numbers[:links]} & {block(i) for i in numbers[links:]}


@pytest.mark.parametrize("name", ["aiko_pegs", "peg_forest", "push_box", "stairs", "pedal_wave"])
def test_state_comes_back_to_the_bit(name):
    """From records to lanes and back, in the middle of a run and of a row of the record."""
    scenario, engine = stepped(name, 137)
    body, record = engine.body(0), engine.record(0)
    robot, world = scenario.built
    place = pack_world(world, robot)
    gait = pack_drive(scenario.controller, len(robot.joints), engine.time_step)[0].gait
    kept = ("bodies", "joints", "counts", "com", "ledger", "memory")
    before = {key: getattr(body, key).copy() for key in (*kept, "previous", "robot")}
    sums = record.window_force.copy(), record.window_torque.copy()
    known = int(body.counts[1])
    # What is in the blocks and in the list of contacts is not part of the state.
    body.contacts[:] = np.zeros(1, layout.CONTACT)
    for key in body.blocks.dtype.names:
        if body.blocks[key].dtype.kind == "f":
            body.blocks[key] = np.nan
    load_lanes(place, body, gait, record)
    for part in ("mass", "vx", "vy"):
        assert body.robot[part] == before["robot"][part], part
    record.window_force[:], record.window_torque[:] = np.nan, np.nan
    store_lanes(body, record)
    for key in kept:
        now, old = getattr(body, key), before[key]
        for part in now.dtype.names or [...]:
            same = np.array_equal(now[part], old[part], equal_nan=now[part].dtype.kind == "f")
            assert same, (key, part)
    for part in ("link", "obstacle", "side", "qn", "qt", "grips"):
        now, old = body.previous[:known][part], before["previous"][:known][part]
        np.testing.assert_array_equal(now, old)
    np.testing.assert_array_equal(record.window_force, sums[0])
    np.testing.assert_array_equal(record.window_torque, sums[1])


@pytest.mark.parametrize("name", ["aiko_pegs", "push_box"])
def test_idle_lanes_stay_at_rest(name):
    body = stepped(name, 200)[1].body(0)
    check_idle(body)


def check_idle(body: layout.Body) -> None:
    idle = idle_lanes(body)
    assert idle.any()
    blocks: Any = body.blocks
    for field in ("live", "vx", "vy", "omega", "ux", "uy", "uw", "theta", "drate", "rate_u"):
        assert not blocks[field][idle].any(), field
    for field in ("dry_x", "dry_y", "dry_w", "sticking", "contact_x", "law_x", "law_w", "error"):
        assert not blocks[field][idle].any(), field
    assert np.isfinite(blocks.vx).all()
    # The links do not.
    assert blocks.vx.ravel()[: len(body.links)].all()


def test_idle_lanes_stay_at_rest_on_a_slope_with_pegs():
    """Gravity is in every lane."""
    check_idle(stepped("aiko_pegs", 200, {"world.slope_deg": 10.0})[1].body(0))


def digests(*arguments: str) -> dict[str, Any]:
    """What `lane_widths` prints."""
    command = [sys.executable, "-m", "tests.kernels.lane_widths", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def eight_lanes() -> dict[str, Any]:
    return digests("3")


@pytest.mark.thorough
def test_all_widths_of_blocks_give_the_same_bits(eight_lanes):
    """Blocks of 1, 4 and 8 lanes, not compiled; with one lane no lane is idle."""
    found = [eight_lanes, digests("2"), digests("0")]
    assert [each["lanes"] for each in found] == [8, 4, 1]
    assert found[0]["digests"] == found[1]["digests"] == found[2]["digests"]


@pytest.mark.thorough
@pytest.mark.parametrize("poison", ["nan", "inf", "-1e300"])
def test_idle_lanes_change_nothing_whatever_is_in_them(eight_lanes, poison):
    """But for what makes them idle: filled before every step, after `load_lanes`; not compiled."""
    assert digests("3", poison) == eight_lanes


@pytest.mark.parametrize("n", range(1, 18))
def test_any_number_of_links_runs(n):
    """Into pegs on either side, and the books are balanced."""
    robot = sp.Robot.uniform(n, length=0.12, mass=0.6, radius=0.02, actuator=sp.Servo(20.0, 1.0))
    at = 0.12 * np.arange(n) - 0.06 * (n - 1)
    pegs = [sp.Peg(float(x), side * 0.06, 0.03) for x in at for side in (-1, 1)]
    world = sp.World(friction=sp.OrthotropicCoulomb(0.1, 0.5), pegs=pegs)
    start = sp.Start(joint_angles_deg=(0.0,) * (n - 1), velocity=(0.2, 0.4), spin_deg=20.0)
    run = sp.simulate(robot, world, GAIT, 0.3, start=start)
    for name, column in run.columns.items():
        assert np.isfinite(column).all(), name
    assert run.columns["x"].shape == (len(run.time), n)
    assert abs(run.energy()["residual"]) < 1e-9
    assert run.columns["penetration"].max() < 1e-4
    assert run.columns["hinge_gap"].max() < 1e-12
    assert abs(run.columns["contact_force"]).max() > 0.0
