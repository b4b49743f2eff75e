"""Every wrong value of a gait, a controller or its answer is answered by one sentence."""

import math

import numpy as np

import serpenoid as sp
from serpenoid.control.gaits import serpenoid_curve
from serpenoid.control.interface import as_command
from tests.sentences import refusal, sentences

WAVE = sp.Follower(60, 40, delay=0.7)
RESOLUTION = sp.JamResolution(0.02, 0.1, 5.0, 2.0)
PEDAL = sp.PedalWave(45, 180, (1.0, 2.0))
PATH = sp.Line()
TICKS = "it must be a whole multiple of the control period, 0.01 s"
PARTS = "parts are Serpenoid, Follower, LeaderFollower, Adaptation, Heading, Recovery, JamResolution, SpreadLimit and one controller of your own"


def references(*parts, **options):
    return lambda: sp.References(parts, **options)


@sentences(
    (lambda: sp.Serpenoid(40.0, 80.0, -50.0, delay=-1.0), "Serpenoid.delay = -1.0 is not allowed: it must be at least 0"),
    (lambda: sp.Serpenoid(40.0, 80.0, 0.0).curve(8), "Serpenoid.phase_deg = 0 is not allowed: joints that all swing in step make no serpenoid curve"),
    (lambda: sp.Serpenoid.from_curve(math.nan, 1.0, 0.0, 8, 1.0), "a = nan is not allowed: it must be a finite number"),
    (lambda: sp.Serpenoid.from_curve(1.0, 1.0, 0.0, 8, "3"), "frequency = '3' is not allowed: it must be a finite number"),
    (lambda: sp.Serpenoid.from_curve(1.0, 1.0, 0.0, 1, 1.0), "links = 1 is not allowed: it must be a whole number, at least 2"),
    (lambda: serpenoid_curve(1.0, 1.0, 0.0, points=1), "points = 1 is not allowed: it must be a whole number, at least 2"),
    (lambda: PEDAL.phases(5), "PedalWave.phase_deg has 2 entries, but the robot has 5 joints"),
    (lambda: sp.Serpenoid(40.0, 80.0, 10.0) + PEDAL, "Serpenoid + PedalWave is not allowed: two waves"),
    (lambda: sp.Waypoints((), 0.5), "Waypoints.points = () is not allowed: there must be at least 1"),
    (lambda: sp.Polyline(((0, 0),)), "Polyline.points = ((0.0, 0.0),) is not allowed: there must be at least 2"),
    (lambda: sp.Waypoints(((1, 1), (1, 1)), 0.5), "Waypoints.points repeats (1.0, 1.0): neighbouring points must differ"),
    (lambda: sp.Adaptation(-0.1), "Adaptation.gain = -0.1 is not allowed: it must be at least 0"),
    (lambda: sp.Heading(-1, 0.7, PATH), "Heading.gain = -1 is not allowed: it must be at least 0"),
    (lambda: sp.Recovery(0.0, 5.0, 5.0), "Recovery.distance = 0.0 is not allowed: it must be greater than 0"),
    (lambda: sp.Recovery(0.1, 5.0, -1.0), "Recovery.back = -1.0 is not allowed: it must be greater than 0"),
    (lambda: sp.JamResolution(0.02, 0.0, 5.0, 2.0), "JamResolution.distance = 0.0 is not allowed: it must be greater than 0"),
    (lambda: sp.JamResolution(0.02, 0.1, 5.0, 0.0), "JamResolution.duration = 0.0 is not allowed: it must be greater than 0"),
    (lambda: sp.JamResolution(0.02, 0.1, 5.0, 2.0, turn_deg=-1), "JamResolution.turn_deg = -1 is not allowed: it must be greater than 0"),
    (lambda: sp.SpreadLimit(0.0), "SpreadLimit.spread_deg = 0.0 is not allowed: it must be greater than 0"),
    (references(), "References.parts = () is not allowed: there must be at least 1"),
    (references(sp.Follower(60, 40, 0.005)), "Follower.delay = 0.005 is not allowed: it must be at least the control period, 0.01 s"),
    (references(sp.Follower(60, 40, 0.014)), f"Follower.delay = 0.014 is not allowed: {TICKS}"),
    (references(sp.LeaderFollower(60, 40, 0.005)), "LeaderFollower.delay = 0.005 is not allowed: it must be at least the control period, 0.01 s"),
    (references(sp.LeaderFollower(60, 40, 0.014)), f"LeaderFollower.delay = 0.014 is not allowed: {TICKS}"),
    (references(references(WAVE)()), "References.parts holds References, which is not allowed: add up"),
    (lambda: PEDAL + sp.Heading(1.3, 0.7, PATH), f"References.parts holds PedalWave, which is not allowed: {PARTS}"),
    (references(WAVE, sp.Admittance(PEDAL, 1.0)), f"References.parts holds Admittance, which is not allowed: {PARTS}"),
    (lambda: WAVE + WAVE, "References.parts holds more than one wave"),
    (lambda: sp.Recovery(0.1, 5.0, 5.0) + sp.Adaptation(0.02), "References.parts holds a Recovery without a Follower to reverse"),
    (lambda: sp.LeaderFollower(60, 40, 0.7) + WAVE, "References.parts holds more than one wave"),
    (lambda: sp.Recovery(0.1, 5.0, 5.0) + sp.LeaderFollower(60, 40, 0.7), "References.parts holds a Recovery without a Follower to reverse"),
    (lambda: RESOLUTION + sp.Adaptation(0.02), "References.parts holds Adaptation beside JamResolution, which is not allowed: JamResolution turns links and resolves jams by itself"),
    (lambda: WAVE + sp.Recovery(0.1, 5.0, 5.0) + RESOLUTION, "References.parts holds Recovery beside JamResolution, which is not allowed: JamResolution turns links and resolves jams by itself"),
    (lambda: references(WAVE, cutoff=5)() + references(sp.Adaptation(0.1))(), "References with different period, cutoff or sensor do not add up: give them the same, or put all parts into one"),
    (lambda: references(WAVE)().control(3, 3e-3), "controller.period = 0.01 is not allowed: it must be a whole multiple of time_step, 0.003 s"),
    (lambda: sp.Admittance(PEDAL, 1.0, period=1.5e-3).control(2, 1e-3), "Admittance.period = 0.0015 is not allowed: it must be a whole multiple of time_step, 0.001 s"),
)  # fmt: skip
def test_gaits_and_controllers(call, words):
    assert refusal(call) == words


def answer(given):
    return lambda: as_command(given, 2, 0.5)


ONE_EACH = "at t = 0.5 s: it must be (2,), one per joint"
NUMBERS = "at t = 0.5 s: it must be 2 numbers, one per joint"


@sentences(
    (answer(None), "controller returned None at t = 0.5 s: it must be a Command or 2 numbers, one per joint"),
    (answer("left"), f"controller returned angle = 'left' {NUMBERS}"),
    (answer([0.0, [1.0]]), f"controller returned angle = [0.0, [1.0]] {NUMBERS}"),
    (answer(1.0), f"controller returned angle of shape () {ONE_EACH}"),
    (answer([1.0, 2.0, 3.0]), f"controller returned angle of shape (3,) {ONE_EACH}"),
    (answer(sp.Command(torque=[1.0])), f"controller returned torque of shape (1,) {ONE_EACH}"),
    (answer([0.0, math.nan]), "controller returned angle[1] = nan at t = 0.5 s: it must be a finite number"),
    (answer(sp.Command(rate=[math.inf, 0.0])), "controller returned rate[0] = inf at t = 0.5 s: it must be a finite number"),
)  # fmt: skip
def test_answers(call, words):
    assert refusal(call, sp.ControllerError) == words


def test_torques_for_another_robot():
    words = "ConstantTorque.torques has 1 entries, but the robot has 2 joints"
    robot = sp.Robot.uniform(3, length=0.1, mass=1.0, radius=0.02, actuator=sp.Torque())
    call = lambda: sp.simulate(robot, None, sp.ConstantTorque((1.0,)), 0.1)  # noqa: E731
    assert refusal(call, sp.ControllerError) == words


def test_numbers_of_numpy_are_an_answer():
    given = as_command(np.array([1, 2]), 2, 0.5)
    np.testing.assert_array_equal([given.angle, given.rate, given.torque], [[1, 2], [0, 0], [0, 0]])
