"""Every field of a state that comes from outside is checked; the sentence names it."""
# ruff: noqa: E501 (one row a line)

import dataclasses
import functools
import math

import numpy as np

import serpenoid as sp
from serpenoid.kernels import layout
from tests.sentences import refusal, sentences

ROBOT = sp.Robot.uniform(3, length=0.1, mass=0.5, radius=0.02)
WORLD = sp.World(
    sp.Coulomb(0.2), pegs=(sp.Peg(x=0.3, y=0.3, radius=0.05),), loads=[sp.Disc(2, 2, 1, radius=0.1)]
)
PATH = sp.Waypoints(points=((1.0, 1.0), (2.0, 0.0)), acceptance=0.2)
GUIDED = sp.Follower(60, 40, delay=0.05) + sp.Heading(1.3, look_ahead=0.7, path=PATH)


@functools.cache
def state() -> sp.State:
    return sp.simulate(ROBOT, WORLD, GUIDED, 0.1).state


def go_on(duration=0.02, **fields):
    return sp.simulate(ROBOT, WORLD, GUIDED, duration, start=dataclasses.replace(state(), **fields))


def with_(**fields):
    return lambda: go_on(**fields)


def filled(name, place, number):
    """A call with one number of a field replaced."""

    def call():
        array = np.array(getattr(state(), name))
        array[place] = number
        return go_on(**{name: array})

    return call


def contacts(*row):
    return with_(contact=np.array([row]), impulse=np.zeros((1, 2)))


@sentences(
    # Shapes.
    (with_(theta=np.zeros(4)), "the state has 4 links, but the robot has 3"),
    (with_(load=np.zeros((0, 10))), "the state has 0 loads, but the world has 1"),
    (with_(load=np.zeros((1, 4))), "state.load has the shape (1, 4); it must be (any, 10)"),
    (with_(velocity=np.zeros((4, 3))), "state.velocity has the shape (4, 3); it must be (3, 3)"),
    (with_(impulse=np.zeros((5, 2))), "state.impulse has the shape (5, 2); it must be (0, 2)"),
    (with_(ledger=np.zeros(3)), f"state.ledger has the shape (3,); it must be ({layout.LEDGER_SIZE},)"),
    (with_(com=0.0), "state.com has the shape (); it must be (2,)"),
    # Kinds of numbers.
    (with_(theta=None), "state.theta is not allowed: it must be numbers of shape (any,)"),
    (with_(drive="text"), "state.drive is not allowed: it must be numbers of shape (2, 4)"),
    (with_(dry=[[1.0], [1.0, 2.0]]), "state.dry is not allowed: it must be numbers of shape (3, 3)"),
    (with_(contact=np.zeros((1, 4))), "state.contact is not allowed: it must be whole numbers of shape (any, 4)"),
    (with_(sticking=np.zeros(3)), "state.sticking is not allowed: it must be true or false of shape (3,)"),
    (with_(step=1.5), "state.step = 1.5 is not allowed: it must be a whole number from 0 to 1000000000000"),
    (with_(last_step="a"), "state.last_step = 'a' is not allowed: it must be a number from 0 to 1e+100 (s)"),
    # Finite and of a size that can be squared.
    (filled("com", 1, math.nan), "state.com[1] = nan is not allowed: it must be a finite number"),
    (filled("velocity", (2, 1), math.inf), "state.velocity[2, 1] = inf is not allowed: it must be a finite number"),
    (filled("ledger", 0, math.nan), "state.ledger[0] = nan is not allowed: it must be a finite number"),
    (filled("command", (0, 2), 1e300), "state.command[0, 2] = 1e+300 is not allowed: it must be at most 1e+100 in size"),
    # Ranges.
    (with_(step=-5), "state.step = -5 is not allowed: it must be a whole number from 0 to 1000000000000"),
    (with_(step=2**62), "state.step = 4611686018427387904 is not allowed: it must be a whole number from 0 to 1000000000000"),
    (with_(last_step=-1.0), "state.last_step = -1.0 is not allowed: it must be a number from 0 to 1e+100 (s)"),
    (with_(command_time=0.2), "state.command_time = 0.2 is not allowed: it must be at most the time of the state, 0.1 s"),
    (contacts(4, 0, 0, 0), "state.contact.link[0] = 4 is not allowed: it must be a whole number from 0 to 3"),
    (contacts(-1, 0, 0, 0), "state.contact.link[0] = -1 is not allowed: it must be a whole number from 0 to 3"),
    (contacts(0, -1, 0, 0), f"state.contact.obstacle[0] = -1 is not allowed: it must be a whole number from 0 to {2**62}"),
    (contacts(0, 0, 2, 0), "state.contact.side[0] = 2 is not allowed: it must be a whole number from -1 to 1"),
    (contacts(0, 0, 0, 9), "state.contact.grips[0] = 9 is not allowed: it must be a whole number from 0 to 1"),
    (filled("load", (0, 9), 0.5), "state.load.sticking[0] = 0.5 is not allowed: it must be a whole number from 0 to 1"),
    # What the controller remembers.
    (filled("memory", layout.WAYPOINT, -1e7), "state.memory.waypoint = -10000000.0 is not allowed: it must be a whole number from 0 to 2"),
    (filled("memory", layout.WAYPOINT, 3), "state.memory.waypoint = 3.0 is not allowed: it must be a whole number from 0 to 2"),
    (filled("memory", layout.WAYPOINT, math.nan), "state.memory.waypoint = nan is not allowed: it must be a whole number from 0 to 2"),
    (filled("memory", [layout.TICKS, layout.WAYPOINT], [0, 2]), "state.memory.waypoint = 2.0 is not allowed: it must be a whole number from 0 to 0"),
    (filled("memory", layout.TICKS, -1), "state.memory.ticks = -1.0 is not allowed: it must be a whole number from 0 to 1000000000000"),
    (filled("memory", layout.NOISE, 0.5), "state.memory.noise = 0.5 is not allowed: it must be a whole number from 0 to 2147483646"),
    (filled("memory", layout.MEMORY_HEAD, -1), "state.memory.reached[0] = -1.0 is not allowed: it must be a time of at least 0 s, or inf"),
    (filled("memory", layout.PATH_ANGLE, math.inf), f"state.memory[{layout.PATH_ANGLE}] = inf is not allowed: it must be a finite number"),
    # Agreement with the robot.
    (filled("velocity", (0, 0), 0.5), "the state is that of another robot: its kinetic energy differs"),
    (filled("velocity", (0, 0), 1e99), "the state is that of another robot: its kinetic energy differs"),
    (with_(time_step=2e-3), "clock.time_step = 0.001 is not allowed: the state to continue from has 0.002 s"),
    (with_(time_step=np.zeros(2)), "clock.time_step = 0.001 is not allowed: the state to continue from has array([0., 0.]) s"),
    # Nothing larger than the budget of memory is copied, nor shown.
    (with_(memory=np.broadcast_to(0.0, (3 * 10**8,))), "state.memory, of shape (300000000,), would need 2.4 GB of memory, and the budget is 1 GB; ask for less, or set SERPENOID_MEMORY=3GB"),
    (with_(last_step=np.broadcast_to(0.0, (10**11,))), "state.last_step = array([0., 0., 0., ..., 0., 0., 0.], shape=(100000000000,)) is not allowed: it must be a number from 0 to 1e+100 (s)"),
    (with_(last_step=10**400), f"state.last_step = 1{'0' * 56}... is not allowed: it must be a number from 0 to 1e+100 (s)"),
    (lambda: sp.simulate(ROBOT, WORLD, GUIDED, 0.02, start=sp.State.__new__(sp.State)), "clock.time_step = 0.001 is not allowed: the state to continue from has None s"),
)  # fmt: skip
def test_fields_of_states(call, words):
    assert refusal(call) == words


def test_numbers_of_other_types_are_taken_as_they_are():
    fields = {"theta": state().theta.tolist(), "dry": state().dry.astype(object).astype(float)}
    fields |= {"step": np.int32(state().step), "contact": state().contact.astype(np.int8)}
    again, same = go_on(**fields), go_on()
    assert again.state == same.state


def test_the_memory_of_another_controller_is_not_read():
    """Nor checked: it is as long as it was, and means nothing to this one."""
    strange = np.full(len(state().memory) + 1, math.nan)
    assert go_on(memory=strange).state == go_on(memory=np.zeros(0)).state


def test_contacts_with_what_is_not_there_are_forgotten():
    """A run may go on in another world, of which contacts are a guess only."""
    rows = np.array([[0, 2**40, 0, 1], [3, 77, 1, 0], [1, 0, -1, 1]])
    run = go_on(contact=rows, impulse=np.ones((3, 2)))
    assert len(run.state.contact) == 0
    assert all(np.isfinite(column).all() for column in run.columns.values())
