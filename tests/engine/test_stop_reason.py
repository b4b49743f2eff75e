"""The sentence of a run that stops names what is in the way, and what to do about it."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.engine.assemble import pack_robot, pack_world
from serpenoid.engine.stop_reason import stop_reason
from serpenoid.kernels import layout
from serpenoid.kernels.layout import CODES

LINK = {"length": 0.1, "mass": 0.2, "radius": 0.015}
TOLD = sp.Robot.uniform(6, **LINK, actuator=sp.Prescribed())
YIELD = "prescribed joints do not yield to what is in the way; try another gait, or servos"
FOUR = [sp.Peg(x, y, 0.05) for x in (0.0, 0.2) for y in (0.07, -0.07)]
CORRIDOR = [sp.Wall(((-1.0, y), (1.0, y))) for y in (0.03, -0.03)]
HOUSE = sp.Wall(((-1.0, 2.0), (2.0, 2.0), (2.0, -1.0)), contact=sp.Contact(stiffness=1e3))


class Curl:
    """Turns all joints at 1 rad/s."""

    period = 0.01

    def __init__(self, rate: float = 1.0) -> None:
        self.rate = rate

    def command(self, seen: sp.Observation) -> sp.Command:
        ones = np.ones_like(seen.joint_angle)
        return sp.Command(angle=seen.time * ones, rate=self.rate * ones)


def stopped(robot: sp.Robot, world: sp.World, controller: object = None, **more: object) -> str:
    with pytest.raises(sp.SimulationStopped) as stop:
        sp.simulate(robot, world, controller or Curl(), 2.0, **more)
    return str(stop.value)


@pytest.mark.parametrize(
    ("world", "place"),
    [
        (sp.World(), "link 0 with link 5"),
        (sp.World(pegs=FOUR), "link 2 with world.pegs[0] at (0, 0.07) m"),
        (
            sp.World(walls=CORRIDOR),
            "link 0 with world.walls[0] between (-1, 0.03) and (1, 0.03) m",
        ),
    ],
    ids=["itself", "pegs", "walls"],
)
def test_prescribed_joints_name_what_is_in_their_way(world, place):
    words = stopped(TOLD, world)
    assert f" s, contact of {place}: the step did not converge, even in halves; {YIELD}" in words


class Jump:
    """Has all joints at another angle all at once."""

    period = 0.01

    def command(self, seen: sp.Observation) -> sp.Command:
        return sp.Command(angle=np.full_like(seen.joint_angle, 0.3 if seen.time > 0.02 else 0.0))


@pytest.mark.parametrize("links", [3, 8])
def test_a_jump_blames_nothing_that_is_not_there(links):
    """Closing hinges that are wide open used to enter an obstacle in a world without any."""
    robot = sp.Robot.uniform(links, **LINK, actuator=sp.Prescribed())
    words = stopped(robot, sp.World(sp.Coulomb(0.3)), Jump())
    assert "s: the links turn too fast for the hinges to be closed" in words
    assert "nothing that jumps" in words


def test_prescribed_joints_that_jump_are_told_so():
    words = stopped(TOLD, sp.World(), Curl(rate=0.0))
    assert words.endswith(
        "tell prescribed joints their rates, and nothing that jumps, or try servos"
    )


# ---------------------------------------------------------------------- bodies as steps leave them


WORLD = sp.World(
    pegs=[sp.Peg(5.0, 1.0, 0.1)],
    walls=[CORRIDOR[0], HOUSE],
    loads=[sp.Disc(3.0, 0.0, 1.0, radius=0.1), sp.Disc(4.0, 0.0, 1.0, radius=0.1)],
)
# As the kernels count: the peg, five ends and corners of walls, two for each of three pieces.
FIRST_PIECE = 1 + 5


def reason(robot: sp.Robot, blame: tuple[int, ...], world: sp.World = WORLD, shape=None, status=0):
    """What is said of a contact that cannot be resolved."""
    body = pack_robot(robot, world)
    body.robot[0].load_lane = 8
    body.blame[:] = blame
    if shape is not None:
        body.links.theta[1:] = np.cumsum(np.radians(shape))
    status = status or layout.NO_CONVERGENCE
    return stop_reason(body, status, 0.5, (world, pack_world(world, robot)))


def test_every_kind_of_thing_is_named():
    contact, free = layout.CONTACT_LAW, sp.Robot.uniform(6, **LINK, actuator=sp.Free())
    for blame, words in {
        (2, contact, -1, 0): "contact of link 2 with world.pegs[0] at (5, 1) m",
        # A corner, and the second end of a link on the second piece.
        (2, contact, -1, 4): "link 2 with world.walls[1] between (-1, 2) and (2, 2)",
        (
            2,
            contact,
            -1,
            FIRST_PIECE + 3,
        ): "link 2 with world.walls[1] between (-1, 2) and (2, 2)",
        (
            7,
            contact,
            -1,
            CODES * (FIRST_PIECE + 4) + 2,
        ): "load 1 with world.walls[1] between (2, 2)",
        (7, contact, -1, CODES * 0 + 3): "contact of load 1 with world.pegs[0]",
        (2, contact, -1, -1): "contact of link 2 with world.terrain",
        (2, contact, 9, 100): "contact of link 2 with load 1",
        (6, contact, 9, 100): "contact of load 0 with load 1",
        (1, contact, 4, 100): "contact of link 1 with link 4",
        (3, layout.GROUND_LAW, -1, -1): "ground friction of link 3",
        (3, layout.LIMIT_LAW, -1, -1): "limit of joint 3",
    }.items():
        why, remedy = reason(free, blame)
        assert f"{words}" in why
        assert why.endswith(": the step did not converge")
        assert remedy == ""
    deep = {"status": layout.TOO_DEEP}
    assert "an obstacle was entered too deep" in reason(free, (2, contact, -1, 0), **deep)[0]
    assert "they overlap too deeply" in reason(free, (1, contact, 4, 100), **deep)[0]


def test_links_that_folded_flat_need_limits():
    free = sp.Robot.uniform(6, **LINK, actuator=sp.Free())
    pair = (1, layout.CONTACT_LAW, 3, 100)
    for shape in ((50, -0.5, 180, 70, 20), (50, 361, -179, 70, 20)):
        remedy = reason(free, pair, shape=shape)[1]
        assert remedy.startswith("these links have folded flat, which limits_deg of joint 2")
    # Not folded; not flat; not these links.
    for shape in ((50, 1, 2, 70, 20), (50, 100, 180, 70, 20), (180, 0, 70, 180, 0)):
        assert reason(free, pair, shape=shape)[1] == ""


def test_joints_yield_unless_all_that_matter_are_prescribed():
    told, free = sp.Prescribed(), sp.Free()
    some = sp.Robot.uniform(6, **LINK, actuator=[free, told, told, free, told])
    itself, peg = (1, layout.CONTACT_LAW, 3, 100), (2, layout.CONTACT_LAW, -1, 0)
    assert reason(some, itself)[1].startswith(YIELD)
    assert reason(some, (1, layout.CONTACT_LAW, 4, 100))[1] == ""
    assert reason(some, peg)[1] == ""
    assert reason(TOLD, peg)[1].startswith(YIELD)
    one = sp.Robot.uniform(1, **LINK)
    assert reason(one, (0, layout.CONTACT_LAW, -1, 0))[1] == ""
