"""Pushing a load: reference values, invariants, and the same motion in maximal coordinates."""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.analysis.pushing import PushedLoad, Pushing, PushWheels, Touch, project
from tests.oracles import pushing as oracle

# Reference values are given to some 15 digits and agree to this.
GOLDEN = 1e-9
# Dense linear algebra on some 20 unknowns, relative.
ROUNDING = 1e-10
LINK = {"length": 0.15, "mass": 1.0, "inertia": 0.002, "radius": 0.02}
SCENARIOS = (None, PushWheels(mu=0.1), PushWheels())
FOLDED, TORQUES = np.radians([-135.0, -135.0]), np.array([0.05, -0.02])


def snake(joints: int, wheels: PushWheels | None = None, kappa: float = 100.0) -> Pushing:
    return Pushing(sp.Robot.uniform(joints + 1, **LINK), PushedLoad(mass=kappa), wheels=wheels)


def uneven(wheels: PushWheels | None = None, **touch) -> Pushing:
    """Nothing about it is equal, in the middle, or through a centre."""
    robot = sp.Robot.uniform(
        4,
        length=[0.12, 0.2, 0.15, 0.1],
        mass=[0.5, 1.0, 0.7, 1.3],
        radius=0.02,
        inertia=[0.001, 0.004, 0.002, 0.0015],
    )
    load = PushedLoad(mass=3.0, inertia=0.02, offset=0.04)
    touch = {"link": 1, "along": 0.03, "side": "right"} | touch
    return Pushing(robot, load, Touch(**touch), wheels)


def shapes_of(pushing: Pushing, count: int, seed: int = 0):
    rng = np.random.default_rng(seed)
    joints = len(pushing.robot.joints)
    return rng.uniform(-2.0, 2.0, (count, joints)), rng.normal(0, 0.05, (count, joints))


def allowed_torques(pushing: Pushing, shape, count: int, seed: int = 0):
    """Torques inside the input ellipsoid, half of them on its surface."""
    rng = np.random.default_rng(seed)
    joints = len(pushing.robot.joints)
    z = rng.normal(size=(count, joints))
    z /= np.linalg.norm(z, axis=1, keepdims=True)
    z[::2] *= rng.uniform(size=(len(z[::2]), 1)) ** (1 / joints)
    factor = np.linalg.cholesky(pushing.system(shape).power)
    return np.linalg.solve(factor.T, z.T).T


# ---------------------------------------------------------------------- reference values


def test_reference_input_and_centre_of_mass():
    push = snake(2)
    assert push.respond(FOLDED, TORQUES).input_norm == pytest.approx(0.564450724343842, abs=GOLDEN)
    distance, angle = push.centre_of_mass(FOLDED)
    assert distance == pytest.approx(0.0281966081586304, abs=GOLDEN)
    assert math.degrees(angle) == pytest.approx(-96.1750500631048, abs=GOLDEN)


@pytest.mark.parametrize(
    ("wheels", "forces", "ratio", "most", "most_ratio"),
    [
        (None, [0.591410641655036], 0.0126301487812314, 0.00706869099726163, 0.0168732905985567),
        (
            PushWheels(),
            [0.607917598145203, 0.281314311919771, -0.216158258920061],
            0.019024163583344,
            0.00844893148222682,
            0.987538066655597,
        ),
    ],
)
def test_reference_values(wheels, forces, ratio, most, most_ratio):
    push = snake(2, wheels)
    found, extremes = push.respond(FOLDED, TORQUES), push.extremes(FOLDED)
    np.testing.assert_allclose(found.forces, forces, rtol=0, atol=GOLDEN)
    assert found.slippage_ratio == pytest.approx(ratio, abs=GOLDEN)
    assert extremes.load_norm == pytest.approx(most, abs=GOLDEN)
    assert extremes.slippage_ratio == pytest.approx(most_ratio, abs=GOLDEN)
    if wheels is None:
        assert found.load_norm == pytest.approx(0.00349766547062822, abs=GOLDEN)
        assert found.robot_norm == pytest.approx(0.273432205365557, abs=GOLDEN)


@pytest.mark.parametrize("joints", [2, 3, 5, 12])
def test_straight_snake_on_ideal_wheels(joints):
    push = snake(joints, PushWheels())
    r = 4 * LINK["inertia"] / (LINK["mass"] * LINK["length"] ** 2)
    expected = 100 / (101 + r * joints / (joints + 1))
    assert push.extremes(np.zeros(joints)).slippage_ratio == pytest.approx(expected, abs=GOLDEN)


# ---------------------------------------------------------------------- projectors and KKT


@pytest.mark.parametrize("seed", range(8))
def test_projection_is_the_solution_of_the_whole_system(seed):
    rng = np.random.default_rng(seed)
    n, c = 8, int(rng.integers(1, 6))
    root, A = rng.normal(size=(n, n)), rng.normal(size=(c, n))
    inertia = root @ root.T + np.eye(n)
    force, bias, drift = rng.normal(size=n), rng.normal(size=n), rng.normal(size=c)
    kkt = np.block([[inertia, -A.T], [A, np.zeros((c, c))]])
    answer = np.linalg.solve(kkt, np.concatenate([force - bias, -drift]))
    found = project(inertia, A)
    np.testing.assert_allclose(found.accelerations(force, bias, drift), answer[:n], atol=ROUNDING)
    np.testing.assert_allclose(found.forces(force, bias, drift), answer[n:], atol=ROUNDING)
    np.testing.assert_allclose(found.onto @ A.T, np.eye(c), atol=ROUNDING)
    np.testing.assert_allclose(found.beside @ found.beside, found.beside, atol=ROUNDING)
    np.testing.assert_allclose(A @ found.accelerations(force), 0, atol=ROUNDING)
    assert found.dependent == ()


def test_dependent_constraints_are_named_and_leave_the_motion():
    rng = np.random.default_rng(1)
    A, force = rng.normal(size=(3, 6)), rng.normal(size=6)
    inertia = np.diag(rng.uniform(1, 2, 6))
    doubled = np.vstack([A, A[0] - 2 * A[1]])
    found, plain = project(inertia, doubled), project(inertia, A)
    assert found.dependent == (3,)
    np.testing.assert_allclose(
        found.accelerations(force), plain.accelerations(force), atol=ROUNDING
    )
    forces = found.forces(force)
    other = np.append(plain.forces(force), 0.0)
    np.testing.assert_allclose(doubled.T @ forces, doubled.T @ other, atol=ROUNDING)
    assert forces @ forces < other @ other


@pytest.mark.parametrize("wheels", [None, PushWheels()])
def test_response_is_the_projection_of_the_system(wheels):
    push = uneven(wheels)
    for shape, torques in zip(*shapes_of(push, 10), strict=True):
        system = push.system(shape)
        whole = project(system.inertia, system.constraints)
        np.testing.assert_allclose(whole.metric, system.metric, atol=ROUNDING)
        wrench = np.array([0.1, -0.2, 0.03])
        force = np.concatenate([system.inputs @ torques, wrench])
        expected = whole.forces(force)
        found = push.respond(shape, torques, wrench)
        assert (expected[0] >= 0) == (found.forces[0] > 0)
        if expected[0] >= 0:
            np.testing.assert_allclose(found.forces, expected, atol=ROUNDING)
            both = np.concatenate([found.robot, found.load])
            np.testing.assert_allclose(both, whole.accelerations(force), atol=ROUNDING)


@pytest.mark.parametrize("pose", [(0.0, 0.0, 0.0), (3.0, -2.0, 1.1)])
@pytest.mark.parametrize("wheels", [None, PushWheels(mu=0.04), PushWheels()])
def test_same_motion_in_maximal_coordinates_at_any_pose(wheels, pose):
    push = uneven(wheels)
    modes = set()
    for shape, torques in zip(*shapes_of(push, 30), strict=True):
        found = push.respond(shape, torques)
        held = found.sliding == 0
        modes.add((found.forces[0] > 0, *held))
        acceleration, forces, robot_norm, load_norm = oracle.solve(
            push,
            shape,
            torques,
            closed=found.forces[0] > 0,
            held=held,
            friction=found.forces[1:],
            pose=pose,
        )
        stays = np.concatenate([[True], held])
        np.testing.assert_allclose(found.forces[stays], forces[stays], atol=1e-9)
        assert found.robot_norm == pytest.approx(robot_norm, rel=1e-8)
        assert found.load_norm == pytest.approx(load_norm, rel=1e-8, abs=1e-14)
        # What slides is braked, at its limit; what does not, is below it.
        ahead = oracle.links(push.robot, shape, pose)[1]
        right = [acceleration[k, :2] @ -oracle.turn(ahead[k]) for k in push.wheeled]
        slides = found.sliding != 0
        assert (np.sign(np.array(right)[slides]) == found.sliding[slides]).all()
        assert (found.forces[1:] * right <= 1e-12).all()
        assert (np.abs(found.forces[1:]) <= push.limits[1:] * (1 + 1e-12)).all()
        np.testing.assert_array_equal(
            found.forces[1:][slides], -found.sliding[slides] * push.limits[1:][slides]
        )
    assert len(modes) >= (7 if push.may_slide else 2)  # the shapes see many ways to slide


# ---------------------------------------------------------------------- operators


def test_operators_as_printed_for_unit_mass():
    """(22)-(25), (28), (29) with the metric tensor of unit masses, and their inputs."""
    m, kappa = 1.7, 30.0
    link = LINK | {"mass": m, "inertia": 0.002 * m}
    push = Pushing(sp.Robot.uniform(4, **link), PushedLoad(mass=kappa * m), wheels=PushWheels())
    shape = np.array([0.3, -0.9, 0.5])
    system, maps = push.system(shape), push.maps(shape)
    M, J, B, G = system.mass / m, system.jacobian, system.inputs, system.grasp
    unit = np.diag([1.0, 1.0, push.load.moment_of_inertia / push.load.mass])
    inverse, body = np.linalg.inv(M), np.linalg.inv(unit)
    Gc = np.linalg.inv(J @ inverse @ J.T + G.T @ body @ G / kappa)
    hat = J.T @ Gc @ J @ inverse
    one = np.eye(len(M))
    printed = {
        "robot_by_torque": inverse @ (one - hat) @ B / m,
        "robot_by_wrench": inverse @ J.T @ Gc @ G.T @ body / (kappa * m),
        "load_by_torque": body @ G @ Gc @ J @ inverse @ B / (kappa * m),
        "load_by_wrench": body @ (np.eye(3) - G @ Gc @ G.T @ body / kappa) / (kappa * m),
        "xi": B.T @ (one - hat).T @ inverse @ (one - hat) @ B / m,
        "omega": B.T @ inverse @ J.T @ Gc @ G.T @ body @ G @ Gc @ J @ inverse @ B / (kappa * m),
    }
    for name, value in printed.items():
        np.testing.assert_allclose(getattr(maps, name), value, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("wheels", [None, PushWheels()])
def test_operators_give_the_response(wheels):
    push = uneven(wheels)
    for shape, torques in zip(*shapes_of(push, 10), strict=True):
        maps = push.maps(shape)
        forces = maps.forces_by_torque @ torques
        sign = 1.0 if forces[0] > 0 else -1.0
        found = push.respond(shape, sign * torques)
        np.testing.assert_allclose(found.forces, sign * forces, rtol=1e-9, atol=1e-12)
        assert torques @ maps.xi @ torques == pytest.approx(found.robot_norm, rel=1e-9)
        assert torques @ maps.omega @ torques == pytest.approx(found.load_norm, rel=1e-9)
        assert np.linalg.matrix_rank(maps.omega, hermitian=True) == 1
        assert 0 <= found.slippage_ratio <= 1


@pytest.mark.parametrize("wheels", [None, PushWheels()])
def test_doubled_masses_halve_omega(wheels):
    push, shape = uneven(wheels), np.array([0.4, -1.0, 0.7])
    links = [
        dataclasses.replace(k, mass=2 * k.mass, inertia=2 * k.inertia) for k in push.robot.links
    ]
    robot = sp.Robot(links=tuple(links), joints=push.robot.joints)
    load = PushedLoad(mass=6.0, inertia=0.04, offset=0.04)
    double = Pushing(robot, load, push.touch, wheels)
    np.testing.assert_allclose(double.maps(shape).omega, push.maps(shape).omega / 2, rtol=1e-9)
    np.testing.assert_allclose(double.maps(shape).xi, push.maps(shape).xi / 2, rtol=1e-9)


# ---------------------------------------------------------------------- symmetry


@pytest.mark.parametrize("wheels", SCENARIOS)
def test_mirror(wheels):
    right, left = uneven(wheels), uneven(wheels, side="left")
    shape, torques = (v[0] for v in shapes_of(right, 1))
    one, other = right.respond(shape, torques), left.respond(-shape, -torques)
    np.testing.assert_allclose(one.forces[0], other.forces[0], rtol=1e-9)
    np.testing.assert_allclose(one.forces[1:], -other.forces[1:], rtol=1e-9, atol=1e-12)
    a, b = right.extremes(shape), left.extremes(-shape)
    assert a.load_norm == pytest.approx(b.load_norm, rel=1e-8)
    assert a.slippage_ratio == pytest.approx(b.slippage_ratio, rel=1e-8)


@pytest.mark.parametrize("wheels", SCENARIOS)
def test_either_end_may_be_the_base(wheels):
    """Seen from the head all axes are reversed: left is right, and joints turn the other way."""
    push = uneven(wheels)
    robot = sp.Robot(links=push.robot.links[::-1], joints=push.robot.joints)
    load = dataclasses.replace(push.load, offset=-push.load.offset)
    back = Pushing(robot, load, Touch(link=2, along=-0.03, side="left"), wheels)
    shape, torques = (v[1] for v in shapes_of(push, 2))
    one, other = push.respond(shape, torques), back.respond(-shape[::-1], -torques[::-1])
    assert one.forces[0] > 0
    np.testing.assert_allclose(one.forces[0], other.forces[0], rtol=1e-9)
    np.testing.assert_allclose(one.forces[1:], -other.forces[:0:-1], rtol=1e-9, atol=1e-12)
    for name in ("robot_norm", "load_norm", "force_norm", "input_norm", "slippage_ratio"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-9)
    a, b = push.extremes(shape), back.extremes(-shape[::-1])
    for name in ("load_norm", "slippage_ratio", "force_norm"):
        assert getattr(a, name) == pytest.approx(getattr(b, name), rel=1e-8)


@pytest.mark.parametrize("wheels", SCENARIOS)
def test_many_shapes_at_once_are_each_alone(wheels):
    push = snake(3, wheels)
    shapes, torques = (v.reshape(2, 3, 3) for v in shapes_of(push, 6))
    extremes, found = push.extremes(shapes), push.respond(shapes, torques)
    assert extremes.load_norm.shape == found.slippage_ratio.shape == (2, 3)
    for k in itertools.product(range(2), range(3)):
        alone = push.extremes(shapes[k])
        assert extremes.load_norm[k] == pytest.approx(alone.load_norm, rel=1e-9)
        assert extremes.slippage_ratio[k] == pytest.approx(alone.slippage_ratio, rel=1e-9)
        each = push.respond(shapes[k], torques[k])
        np.testing.assert_allclose(found.forces[k], each.forces, atol=1e-12)


# ---------------------------------------------------------------------- wheels that slide


@pytest.mark.parametrize("mu", [1e-9, 1e9])
def test_limits_of_the_friction_limit(mu):
    push = uneven(PushWheels(mu=mu))
    other = uneven(None if mu < 1 else PushWheels())
    shapes, torques = shapes_of(push, 12)
    one, two = push.respond(shapes, torques), other.respond(shapes, torques)
    np.testing.assert_allclose(one.forces[:, 0], two.forces[:, 0], rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(one.robot_norm, two.robot_norm, rtol=1e-6)
    a, b = push.extremes(shapes), other.extremes(shapes)
    np.testing.assert_allclose(a.load_norm, b.load_norm, rtol=1e-6)
    if mu > 1:
        np.testing.assert_allclose(a.slippage_ratio, b.slippage_ratio, rtol=1e-6)


def test_wheels_without_friction_are_none():
    one, two = snake(3, PushWheels(mu=0.0)), snake(3)
    assert one.wheeled == ()
    shape = np.array([0.1, 0.2, 0.3])
    assert one.extremes(shape).slippage_ratio == two.extremes(shape).slippage_ratio


@pytest.mark.parametrize("mu", [0.02, 0.05])
@pytest.mark.parametrize("make", [lambda w: snake(2, w), lambda w: snake(3, w), uneven])
def test_no_input_beats_the_bound(make, mu):
    push = make(PushWheels(mu=mu))
    shapes, _ = shapes_of(push, 6, seed=3)
    extremes = push.extremes(shapes)
    assert extremes.gap < 1e-8
    for k, shape in enumerate(shapes):
        torques = allowed_torques(push, shape, 4000, seed=k)
        found = push.respond(shape, torques)
        assert (found.sliding != 0).any()  # otherwise this would say nothing
        assert found.load_norm.max() <= extremes.load_norm_bound[k] * (1 + 1e-9)
        assert found.load_norm.max() >= 0.85 * extremes.load_norm[k]
        assert found.slippage_ratio.max() <= extremes.slippage_ratio_bound[k] * (1 + 1e-9)
        assert found.force_norm.max() <= extremes.force_norm_bound[k] * (1 + 1e-9)


@pytest.mark.parametrize("wheels", SCENARIOS)
def test_extremes_are_reached(wheels):
    push = snake(3, wheels)
    shapes, _ = shapes_of(push, 40)
    extremes = push.extremes(shapes)
    for name in ("load", "slippage", "force"):
        found = push.respond(shapes, getattr(extremes, f"{name}_torque"))
        assert (found.input_norm <= 1 + 1e-9).all()
        quantity = "slippage_ratio" if name == "slippage" else f"{name}_norm"
        reached, told = getattr(found, quantity), getattr(extremes, quantity)
        np.testing.assert_allclose(reached, told, rtol=1e-7)
        assert (told <= getattr(extremes, f"{quantity}_bound") * (1 + 1e-12)).all()


def test_extremes_without_a_limit_are_eigenvalues():
    push = uneven(PushWheels())
    for shape in shapes_of(push, 10)[0]:
        maps, power = push.maps(shape), push.system(shape).power
        extremes = push.extremes(shape)
        largest = np.linalg.eigvals(np.linalg.solve(power, maps.omega)).real.max()
        assert extremes.load_norm == pytest.approx(largest, rel=1e-9)
        ratio = np.linalg.eigvals(np.linalg.solve(maps.xi, maps.omega)).real.max()
        assert extremes.slippage_ratio == pytest.approx(ratio / (1 + ratio), rel=1e-8)
        norm = maps.forces_by_torque.T @ push.system(shape).metric @ maps.forces_by_torque
        largest = np.linalg.eigvals(np.linalg.solve(power, norm)).real.max()
        assert extremes.force_norm == pytest.approx(largest, rel=1e-9)


def test_slippage_ratio_is_bounded_by_the_mass_at_the_contact():
    push = snake(3, PushWheels(mu=0.05))
    shapes, _ = shapes_of(push, 100)
    extremes, mass = push.extremes(shapes), push.effective_mass(shapes)
    assert (extremes.slippage_ratio_bound <= 100 / (100 + mass)).all()
    # In scenario 1 both norms are tied.
    free = snake(3).extremes(shapes)
    a = free.load_norm
    np.testing.assert_allclose(free.slippage_ratio, a / (1 - (100 / mass + 1) * a), rtol=1e-9)


# ---------------------------------------------------------------------- special constraints


def test_normals_that_meet():
    push = snake(3, PushWheels())
    meeting, beside = np.radians([-25.0, 45.0, 45.0]), np.radians([-25.0, 45.0, 45.001])
    np.testing.assert_array_equal(push.normals_meet([meeting, beside]), [True, False])
    (words,) = push.notes([meeting, beside])
    assert words.startswith("shape (-25, 45, 45) deg: the normals of all wheels meet")
    assert push.extremes(meeting).slippage_ratio < 0.03
    assert push.extremes(beside).slippage_ratio > 0.98
    # There the best torques move nearly nothing.
    best = push.extremes(beside)
    assert push.respond(beside, best.slippage_torque).load_norm < 1e-8 * best.load_norm
    assert not snake(2, PushWheels()).normals_meet([0.0, 0.0])
    assert snake(3).notes(meeting) == []


def test_constraints_that_depend_on_each_other():
    """A wheel under a contact with what cannot be moved is one constraint twice."""
    robot = sp.Robot.uniform(3, **LINK)
    both = Pushing(robot, PushedLoad(mass=1e15), wheels=PushWheels(lifted=()))
    lifted = Pushing(robot, PushedLoad(mass=1e15), wheels=PushWheels())
    shape, torques = np.array([0.5, -0.4]), np.array([0.02, 0.01])
    with pytest.raises(sp.InvalidInput, match="lift some, or take ideal wheels"):
        Pushing(robot, PushedLoad(mass=1e15), wheels=PushWheels(mu=0.1, lifted=())).extremes(shape)
    (words,) = both.notes(shape)
    assert words.startswith("shape (28.6479, -22.9183) deg: the wheels of link 0 cannot be told")
    one, other = both.respond(shape, torques), lifted.respond(shape, torques)
    np.testing.assert_allclose(one.robot, other.robot, atol=1e-6)
    np.testing.assert_allclose(one.forces[0] + one.forces[1], other.forces[0], atol=1e-6)


@pytest.mark.parametrize("wheels", [None, PushWheels()])
def test_ellipsoids_hold_what_torques_do(wheels):
    push = uneven(wheels)
    shape = np.array([0.4, -1.0, 0.7])
    found = push.ellipsoids(shape)
    _, ahead, _ = oracle.links(push.robot, shape)
    axes = np.stack([ahead[1], oracle.turn(ahead[1])])
    largest = 0.0
    for torques in allowed_torques(push, shape, 200):
        acceleration, *_ = oracle.solve(
            push, shape, torques, closed=False, held=[True] * 3, friction=[0.0] * 3
        )
        x, y, spin = acceleration[1]
        point = axes @ (np.array([x, y]) + spin * 0.03 * oracle.turn(ahead[1]))
        size = point @ np.linalg.solve(found.acceleration, point)
        largest = max(largest, size)
        assert size <= 1 + 1e-9
    assert largest > 0.9
    # Forces on a point held fast are to accelerations what the mass at the point is.
    ratio = np.linalg.det(found.force) / np.linalg.det(found.acceleration)
    assert ratio > 0


# ---------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: PushedLoad(mass=0.0),
            "PushedLoad.mass = 0.0 is not allowed: it must be greater than 0",
        ),
        (
            lambda: PushedLoad(mass=1.0, offset=0.1),
            "PushedLoad.inertia is missing: a load with an offset of",
        ),
        (
            lambda: Pushing(sp.robots.aiko(), PushedLoad(mass=1.0), Touch(link=11)),
            "Touch.link = 11 is not allowed: Aiko has links 0 to 10",
        ),
        (
            lambda: Pushing(sp.robots.aiko(), PushedLoad(mass=1.0), Touch(along=0.1)),
            "Touch.along = 0.1 is not allowed: link 0 of Aiko ends 0.061 m from its middle",
        ),
        (lambda: Touch(side="top"), "Touch.side = 'top' is not allowed: it must be 'left' or"),
        (lambda: PushWheels(mu=-0.1), "PushWheels.mu = -0.1 is not allowed: it must be at least 0"),
        (
            lambda: Pushing(
                sp.robots.aiko(), PushedLoad(mass=1.0), wheels=PushWheels(lifted=(12,))
            ),
            r"PushWheels.lifted = \(12,\) is not allowed: Aiko has links 0 to 10",
        ),
        (
            lambda: Pushing(sp.Robot.uniform(1, **LINK), PushedLoad(mass=1.0)),
            "robot = 'robot' is not allowed: it has no joint to push with",
        ),
        (
            lambda: Pushing(None, PushedLoad(mass=1.0)),
            "robot = None is not allowed: it must be a Robot",
        ),
        (
            lambda: snake(2, 0.1),
            "wheels = 0.1 is not allowed: it must be a PushWheels or None",
        ),
        (
            lambda: snake(2).extremes([0.1, 0.2, 0.3]),
            r"angles of shape \(3,\) are not allowed: they must be finite numbers, 2 in the last",
        ),
        (
            lambda: snake(2).respond([0.1, 0.2], [math.nan, 0.0]),
            r"torques of shape \(2,\) are not allowed: they must be finite numbers",
        ),
        (
            lambda: snake(11, PushWheels(mu=0.1)).extremes(np.zeros(11)),
            "11 wheels with a limit are not allowed: the search takes 3 cases for each, for",
        ),
        (
            lambda: project(np.eye(3), np.ones((1, 2))),
            r"constraints of shape \(1, 2\) are not allowed: an inertia of shape \(3, 3\) needs",
        ),
        (
            lambda: project(np.diag([1.0, -1.0]), np.ones((1, 2))),
            "inertia is not allowed: it must be symmetric and positive definite",
        ),
    ],
)
def test_wrong_input_is_refused_in_a_sentence(call, words):
    with pytest.raises(sp.InvalidInput, match=words):
        call()
