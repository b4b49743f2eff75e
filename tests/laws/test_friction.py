"""Ground friction against closed forms. A block is a robot of one link; dt = 1 ms unless told."""

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.model.friction import Sum

G = 9.81
DT = 1e-3
TOLERANCE = 1e-6  # m/s, residual the solver leaves in a set-valued law
BLOCK = sp.Robot.uniform(1, length=0.2, mass=1.5, radius=0.03)
INERTIA = 1.5 * 0.2**2 / 12
# m: a stuck link moves dt^2 mu g / 1e4 times the axis ratio squared until its multiplier converges.
CONVERGING = 5e-9
CHAIN = sp.Robot.uniform(5, length=0.1, mass=0.5, radius=0.03)

ISOTROPIC = sp.Coulomb(0.2)
ORTHOTROPIC = sp.OrthotropicCoulomb(along=0.1, across=0.4)
DIRECTIONAL = sp.DirectionalCoulomb(forward=0.1, backward=0.5, sideways=0.3)

# Law, direction of motion relative to the link (deg), coefficient that resists it.
PRINCIPAL = [
    *[pytest.param(ISOTROPIC, angle, 0.2, id=f"isotropic-{angle}") for angle in (0, 70, 180, 250)],
    *[pytest.param(ORTHOTROPIC, angle, 0.1, id=f"along-{angle}") for angle in (0, 180)],
    *[pytest.param(ORTHOTROPIC, angle, 0.4, id=f"across-{angle}") for angle in (90, 270)],
    pytest.param(DIRECTIONAL, 0, 0.1, id="forward"),
    pytest.param(DIRECTIONAL, 180, 0.5, id="backward"),
    pytest.param(DIRECTIONAL, 90, 0.3, id="left"),
    pytest.param(DIRECTIONAL, 270, 0.3, id="right"),
]


def unit(degrees):
    return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])


def incline(friction, steepness, direction):
    """A slope with the given tangent."""
    return sp.World(
        friction=friction,
        slope_deg=np.degrees(np.arctan(steepness)),
        slope_direction_deg=direction,
    )


def half_axes(law, along):
    """Friction coefficients along and across a link that moves (or is pulled) `along`."""
    if isinstance(law, sp.Coulomb):
        return np.full_like(along, law.mu), law.mu
    if isinstance(law, sp.OrthotropicCoulomb):
        return np.full_like(along, law.along), law.across
    return np.where(along > 0, law.forward, law.backward), law.sideways


# ------------------------------------------------------------------------------- stick and slide


@pytest.mark.parametrize("direction", [0, 37, 90, 200, 315])
def test_chain_on_a_slope_sticks_for_a_thousand_seconds(direction):
    world = incline(ISOTROPIC, 0.99 * 0.2, direction)
    duration, dt = (1000.0, DT) if direction == 37 else (1000.0, 0.01)
    run = sp.simulate(CHAIN, world, None, duration, time_step=dt, record_period=100.0)
    moved = np.hypot(run.columns["x"] - run.columns["x"][0], run.columns["y"] - run.columns["y"][0])
    # Until the multipliers have converged it moves dt^2 g sin / 1e4: 2e-8 m at 10 ms.
    assert moved.max() < (1e-9 if dt == DT else 3e-8)
    assert moved[-1].max() == pytest.approx(moved[1].max(), abs=1e-14)  # and then nothing creeps
    assert run.columns["sticking"][1:].all()


@pytest.mark.parametrize("direction", [0, 37, 200])
def test_chain_on_a_steeper_slope_slides_with_constant_acceleration(direction):
    steepness = 1.01 * 0.2
    run = sp.simulate(CHAIN, incline(ISOTROPIC, steepness, direction), None, 2.0, record_period=0.5)
    slope = np.arctan(steepness)
    acceleration = G * (np.sin(slope) - 0.2 * np.cos(slope))
    t = run.time[:, None]
    velocity = np.stack([run.columns["vx"].mean(axis=1), run.columns["vy"].mean(axis=1)], axis=1)
    # The midpoint rule is exact for constant forces; 1e-9 is rounding and solver tolerance.
    np.testing.assert_allclose(velocity, acceleration * t * unit(direction), atol=1e-9)
    moved = run.centre_of_mass() - run.centre_of_mass()[0]
    np.testing.assert_allclose(moved, acceleration / 2 * t**2 * unit(direction), atol=1e-9)
    assert not run.columns["sticking"][1:].any()


@pytest.mark.parametrize(("law", "angle", "mu"), PRINCIPAL)
def test_threshold_along_each_axis(law, angle, mu):
    start = sp.Start(heading_deg=25)
    held = sp.simulate(BLOCK, incline(law, 0.99 * mu, 25 + angle), None, 5.0, start=start)
    assert np.linalg.norm(held.centre_of_mass(), axis=1).max() < CONVERGING
    assert np.ptp(held.columns["x"][1:]) < 1e-15  # nothing creeps
    assert held.columns["sticking"][1:].all()

    slides = sp.simulate(BLOCK, incline(law, 1.01 * mu, 25 + angle), None, 2.0, start=start)
    slope = np.arctan(1.01 * mu)
    acceleration = G * (np.sin(slope) - mu * np.cos(slope))
    distance = acceleration / 2 * 2.0**2
    # Exact for a constant force; an axis of the reservoir is met to the law's tolerance.
    np.testing.assert_allclose(
        slides.centre_of_mass()[-1], distance * unit(25 + angle), atol=2 * TOLERANCE
    )


@pytest.mark.parametrize("law", [ORTHOTROPIC, DIRECTIONAL])
@pytest.mark.parametrize("angle", [20, 60, 130, 215, 290])
def test_threshold_on_the_ellipse(law, angle):
    pull = unit(angle)
    a, b = half_axes(law, pull[0])
    mu = 1 / np.hypot(pull[0] / a, pull[1] / b)
    start = sp.Start(heading_deg=-40)
    held = sp.simulate(BLOCK, incline(law, 0.99 * mu, angle - 40), None, 5.0, start=start)
    assert np.linalg.norm(held.centre_of_mass(), axis=1).max() < CONVERGING
    assert np.ptp(held.columns["x"][1:]) < 1e-15

    # Above it, -v in the normal cone and v along the acceleration leave one force: the point of the
    # reservoir nearest to the pull.
    slope = np.arctan(1.1 * mu)
    slides = sp.simulate(BLOCK, incline(law, 1.1 * mu, angle - 40), None, 1.0, start=start)
    t = np.radians(angle) + np.linspace(-np.pi / 2, np.pi / 2, 200_001)
    border = G * np.cos(slope) * np.stack([half_axes(law, np.cos(t))[0] * np.cos(t), b * np.sin(t)])
    rest = G * np.sin(slope) * pull[:, None] - border
    nearest = rest[:, np.linalg.norm(rest, axis=0).argmin()]
    moved = slides.centre_of_mass()[-1] @ np.array([unit(-40), unit(50)]).T
    # 1e-5 m: the border above is sampled every 1.6e-5 rad, at up to 5 m/s2 over 1 s.
    np.testing.assert_allclose(moved, nearest / 2, atol=1e-5)


@pytest.mark.parametrize(("law", "angle", "mu"), PRINCIPAL)
@pytest.mark.parametrize("speed", [0.1, 0.7777])
def test_sliding_block_stops(law, angle, mu, speed):
    heading = -65
    direction = unit(heading + angle)
    start = sp.Start(heading_deg=heading, velocity=tuple(speed * direction))
    run = sp.simulate(BLOCK, sp.World(friction=law), None, 1.0, start=start, record_period=DT)
    travel = run.centre_of_mass() @ direction
    # All steps but the last are exact; the last one, which stops, is off by at most mu g dt^2 / 8.
    assert travel[-1] == pytest.approx(speed**2 / (2 * mu * G), abs=mu * G * DT**2 / 8 + 1e-9)
    moving = np.hypot(run.columns["vx"][:, 0], run.columns["vy"][:, 0]) > 10 * TOLERANCE
    assert run.time[moving][-1] == pytest.approx(speed / (mu * G), abs=DT)
    aside = run.centre_of_mass() @ unit(heading + angle + 90)
    assert np.abs(aside).max() < TOLERANCE  # m, a law tolerance of 1e-6 m/s for less than 1 s
    assert np.ptp(run.columns["theta"]) == 0.0


@pytest.mark.parametrize("law", [ISOTROPIC, ORTHOTROPIC, DIRECTIONAL])
@pytest.mark.parametrize("angle", [15, 50, 110, 160, 200, 320])
def test_sliding_force_is_normal_to_the_ellipse(law, angle):
    start = sp.Start(heading_deg=30, velocity=tuple(0.4 * unit(30 + angle)))
    run = sp.simulate(BLOCK, sp.World(friction=law), None, 0.05, start=start, record_period=DT)
    axes = np.array([unit(30), unit(120)])
    velocity = np.stack([run.columns["vx"][1:, 0], run.columns["vy"][1:, 0]], axis=1) @ axes.T
    force = run.columns["friction_force"][1:, 0] @ axes.T
    a, b = half_axes(law, velocity[:, 0])
    scale = np.hypot(a * velocity[:, 0], b * velocity[:, 1])
    expected = (
        -1.5 * G * np.stack([a**2 * velocity[:, 0], b**2 * velocity[:, 1]], 1) / scale[:, None]
    )
    # A law residual of 1e-6 m/s turns the force by 1e-6 / (0.2 m/s) at worst.
    np.testing.assert_allclose(force, expected, atol=1.5 * G * 0.5 * 1e-5)


# ----------------------------------------------------------------------------------------- spin


@pytest.mark.parametrize("sign", [1, -1])
def test_spin_coulomb_stops_the_rotation_only(sign):
    mu, arm = 0.3, 0.02
    deceleration = mu * arm * 1.5 * G / INERTIA
    rate = 5.0
    start = sp.Start(spin_deg=sign * np.degrees(rate), velocity=(0.3, -0.1))
    run = sp.simulate(
        BLOCK, sp.World(friction=sp.SpinCoulomb(mu, arm)), None, 1.0, start=start, record_period=DT
    )
    omega = sign * run.columns["omega"][:, 0]
    expected = np.maximum(0.0, rate - deceleration * run.time)
    spin_tolerance = TOLERANCE / 0.1  # rad/s, the law's tolerance at the end of the link
    np.testing.assert_allclose(omega, expected, rtol=0, atol=spin_tolerance)
    turned = sign * run.columns["theta"][-1, 0]
    assert turned == pytest.approx(
        rate**2 / (2 * deceleration), abs=1e-6 + deceleration * DT**2 / 8
    )
    np.testing.assert_allclose(run.columns["vx"], 0.3, atol=1e-12)
    np.testing.assert_allclose(run.columns["vy"], -0.1, atol=1e-12)
    assert (omega[run.time > rate / deceleration + 10 * DT] < 1e-9).all()


@pytest.mark.parametrize("steepness", [0.99 * 0.2, 1.5 * 0.2])
def test_spin_coulomb_changes_nothing_else_on_a_slope(steepness):
    start = sp.Start(spin_deg=200, heading_deg=10)
    plain, spun = (
        sp.simulate(BLOCK, incline(law, steepness, 70), None, 1.0, start=start)
        for law in (ISOTROPIC, ISOTROPIC + sp.SpinCoulomb(0.2, 0.01))
    )
    moved = np.abs(plain.centre_of_mass() - spun.centre_of_mass()).max()
    assert moved < 1e-9  # isotropic friction at the centre does not know the angle
    assert plain.columns["omega"][-1, 0] == pytest.approx(np.radians(200), abs=1e-9)
    weight = 1.5 * G * np.cos(np.arctan(steepness))
    rate = np.radians(200) - 0.2 * 0.01 * weight / INERTIA * spun.time
    np.testing.assert_allclose(spun.columns["omega"][:, 0], np.maximum(rate, 0.0), atol=1e-5)


# -------------------------------------------------------------------------------------- viscous


def decay(rate, time):
    """exp(-rate t), and the error of the trapezoidal rule, rate^3 t dt^2 / 12 of it."""
    exact = np.exp(-rate * time)
    return exact, exact * (1.1 * rate**3 * time * DT**2 / 12) + 1e-12


@pytest.mark.parametrize(("angle", "coefficient"), [(0, 2.0), (90, 9.0), (180, 2.0), (270, 9.0)])
def test_viscous_decay_along_and_across(angle, coefficient):
    start = sp.Start(heading_deg=20, velocity=tuple(0.5 * unit(20 + angle)))
    world = sp.World(friction=sp.Viscous(along=2.0, across=9.0))
    run = sp.simulate(BLOCK, world, None, 1.0, start=start)
    velocity = np.stack([run.columns["vx"][:, 0], run.columns["vy"][:, 0]], axis=1)
    exact, error = decay(coefficient / 1.5, run.time)
    assert (np.abs(velocity @ unit(20 + angle) - 0.5 * exact) <= 0.5 * error).all()
    assert np.abs(velocity @ unit(110 + angle)).max() < 1e-12


@pytest.mark.parametrize(
    ("turning", "coefficient"), [(None, 9.0 * 0.2**2 / 12), (0.01, 0.01), (0.0, 0.0)]
)
def test_viscous_decay_of_rotation(turning, coefficient):
    world = sp.World(friction=sp.Viscous(along=2.0, across=9.0, turning=turning))
    run = sp.simulate(BLOCK, world, None, 1.0, start=sp.Start(spin_deg=np.degrees(3.0)))
    exact, error = decay(coefficient / INERTIA, run.time)
    assert (np.abs(run.columns["omega"][:, 0] - 3.0 * exact) <= 3.0 * error).all()


def test_viscous_decay_is_of_second_order():
    world = sp.World(friction=sp.Viscous(along=15.0, across=15.0))
    errors = []
    for dt in (4e-3, 2e-3):
        run = sp.simulate(
            BLOCK,
            world,
            None,
            0.2,
            start=sp.Start(velocity=(1.0, 0.0)),
            time_step=dt,
            record_period=0.2,
        )
        errors.append(run.columns["vx"][-1, 0] - np.exp(-15.0 / 1.5 * 0.2))
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.01)


# ----------------------------------------------------------------------------------------- sums


def test_coulomb_and_viscous_together():
    c, mu, v0 = 3.0, 0.1, 0.8
    world = sp.World(friction=sp.Coulomb(mu) + sp.Viscous(along=c, across=20.0))
    run = sp.simulate(BLOCK, world, None, 1.0, start=sp.Start(velocity=(v0, 0.0)), record_period=DT)
    rate, terminal = c / 1.5, mu * 1.5 * G / c
    exact = np.maximum(0.0, (v0 + terminal) * np.exp(-rate * run.time) - terminal)
    error = (v0 + terminal) * rate**3 * DT**2 / 12 + 1e-9  # trapezoidal rule, over less than 1 s
    np.testing.assert_allclose(run.columns["vx"][:, 0], exact, atol=error)
    assert run.columns["vx"][-1, 0] == pytest.approx(0.0, abs=1e-9)
    # The two works are booked apart, each what its force did along the path.
    stop = np.log(1 + v0 / terminal) / rate
    path = (v0 + terminal) / rate * (1 - np.exp(-rate * stop)) - terminal * stop
    assert run.energy()["friction"] == pytest.approx(-mu * 1.5 * G * path, abs=1e-6)
    assert run.energy()["damping"] == pytest.approx(-0.75 * v0**2 + mu * 1.5 * G * path, abs=1e-6)


# ---------------------------------------------------------------------------------------- power

GAIT = sp.Serpenoid(amplitude_deg=35, frequency_deg=200, phase_deg=-60)
SLITHERING = sp.Robot.uniform(
    8, length=0.1, mass=0.5, radius=0.03, actuator=sp.Servo(kp=50.0, kd=1.0)
)


@pytest.mark.parametrize("law", [ISOTROPIC, ORTHOTROPIC, DIRECTIONAL])
def test_dry_friction_of_an_undulating_robot_at_every_step(law):
    run = sp.simulate(SLITHERING, sp.World(friction=law), GAIT, 2.0, record_period=DT)
    c = {name: column[1:] for name, column in run.columns.items()}
    force = c["friction_force"]
    power = force[..., 0] * c["vx"] + force[..., 1] * c["vy"]
    largest = 0.5 * G * 0.5
    assert power.max() <= largest * TOLERANCE  # opposes the velocity the law was solved for
    assert power.min() < -1e-2

    # The law itself, in the axes of the midpoint of the step, wherever a link clearly slides.
    theta = c["theta"] - DT / 2 * c["omega"]
    cos, sin = np.cos(theta), np.sin(theta)
    along, across = c["vx"] * cos + c["vy"] * sin, c["vy"] * cos - c["vx"] * sin
    a, b = half_axes(law, along)
    speed = np.hypot(along, across)
    scale = np.maximum(np.hypot(a * along, b * across), 1e-12)
    fa, fb = -0.5 * G * a**2 * along / scale, -0.5 * G * b**2 * across / scale
    error = np.hypot(force[..., 0] - (fa * cos - fb * sin), force[..., 1] - (fa * sin + fb * cos))
    slides = speed > 1e-2
    assert slides.mean() > 0.5
    # A residual of 1e-6 m/s turns the normal by up to (axis ratio 5) 1e-6 / speed.
    assert (error[slides] <= largest * 10 * TOLERANCE / speed[slides]).all()
    a, b = half_axes(law, -(force[..., 0] * cos + force[..., 1] * sin))
    load = np.hypot(
        (force[..., 0] * cos + force[..., 1] * sin) / a,
        (force[..., 1] * cos - force[..., 0] * sin) / b,
    )
    # Never outside the reservoir, but for Newton.force_tolerance, 1e-5 of it.
    assert load.max() <= 0.5 * G * (1 + 1e-5)


@pytest.mark.parametrize("law", [sp.Viscous(0.5, 4.0), ISOTROPIC + sp.Viscous(0.5, 4.0, 0.01)])
def test_viscous_work_never_increases(law):
    run = sp.simulate(SLITHERING, sp.World(friction=law), GAIT, 2.0, record_period=DT)
    damping = run.columns["energy_damping"]
    assert np.diff(damping).max() <= 1e-15  # acts at the mean velocity, so its work is a square
    assert damping[-1] < -1e-3


# -------------------------------------------------------------------------------------- patches


def test_block_slides_from_one_surface_onto_another():
    first, second, edge, v0 = 0.1, 0.4, 0.3, 1.2
    patch = sp.Patch(x=edge + 1.0, y=0.0, width=2.0, height=1.0, friction=sp.Coulomb(second))
    world = sp.World(friction=sp.Coulomb(first), patches=(patch,))
    run = sp.simulate(BLOCK, world, None, 2.0, start=sp.Start(velocity=(v0, 0.0)))
    v1 = np.sqrt(v0**2 - 2 * first * G * edge)
    stop = edge + v1**2 / (2 * second * G)
    # The surface changes at a midpoint, up to dt/2 of travel from the edge.
    assert run.columns["x"][-1, 0] == pytest.approx(stop, abs=v1 * DT / 2)


@pytest.mark.parametrize("upper", [0.1, 0.4, None])
def test_later_patch_lies_above_earlier_ones(upper):
    # Coulomb 0.2 under 0.3 under `upper`, on a slope of tangent 0.25.
    laws = [sp.Coulomb(0.3), None if upper is None else sp.Coulomb(upper)]
    patches = tuple(sp.Patch(x=0, y=0, width=1, height=1, friction=law) for law in laws)
    slope = np.arctan(0.25)
    world = sp.World(
        friction=ISOTROPIC, patches=patches, slope_deg=np.degrees(slope), slope_direction_deg=90
    )
    run = sp.simulate(BLOCK, world, None, 0.5)
    acceleration = G * max(0.0, np.sin(slope) - (upper or 0.0) * np.cos(slope))
    assert run.columns["y"][-1, 0] == pytest.approx(acceleration / 8, abs=1e-9)


@pytest.mark.parametrize(
    ("x", "y", "covered"),
    [
        (0.5, 0.5, True),
        (-0.6, -0.6, True),
        (0.5, -0.5, False),
        (0.5, 0.0, False),
        (0.8, 0.8, False),  # beyond the end, at 1.13 m of 1.0 m
        (0.56, 0.44, True),  # 0.085 m beside the middle line, half height 0.1 m
        (0.6, 0.4, False),  # 0.141 m
    ],
)
def test_rotated_patch(x, y, covered):
    patch = sp.Patch(x=0, y=0, width=2.0, height=0.2, angle_deg=45, friction=sp.Coulomb(0.5))
    world = sp.World(patches=(patch,), slope_deg=10)
    run = sp.simulate(BLOCK, world, None, 0.05, start=sp.Start(x=x, y=y, heading_deg=30))
    moved = run.columns["x"][-1, 0] - x
    expected = 0.0 if covered else G * np.sin(np.radians(10)) / 2 * 0.05**2
    assert moved == pytest.approx(expected, abs=1e-9)


def test_ratchet_entered_by_sliding_forward_still_holds_backward():
    # Up a slope over plain ground onto a ratchet, free forward: it must not slide back down.
    ratchet = sp.DirectionalCoulomb(forward=0.0, backward=0.5, sideways=0.5)
    world = sp.World(
        friction=sp.Coulomb(0.3),
        patches=(sp.Patch(x=1.1, y=0, width=2, height=1, friction=ratchet),),
        slope_deg=10,
        slope_direction_deg=180,
    )
    run = sp.simulate(BLOCK, world, None, 3.0, start=sp.Start(velocity=(2.0, 0.0)))
    pull, weight = G * np.sin(np.radians(10)), G * np.cos(np.radians(10))
    square = 4.0 - 2 * 0.1 * (pull + 0.3 * weight)  # (m/s)^2 on entering the ratchet at x = 0.1
    assert run.columns["x"][-1, 0] == pytest.approx(0.1 + square / (2 * pull), abs=2e-3)


@pytest.mark.parametrize("friction", [None, sp.Coulomb(0.0), sp.Viscous(0.0, 0.0)])
def test_without_friction_nothing_slows_down(friction):
    start = sp.Start(velocity=(0.3, -0.7), spin_deg=100)
    run = sp.simulate(BLOCK, sp.World(friction=friction), None, 10.0, start=start)
    for name, value in (("vx", 0.3), ("vy", -0.7), ("omega", np.radians(100))):
        np.testing.assert_allclose(run.columns[name], value, rtol=0, atol=1e-12)
    assert run.columns["x"][-1, 0] == pytest.approx(3.0, abs=1e-9)
    assert not run.columns["friction_force"].any()


# ------------------------------------------------------------------------------------- in words


def test_sum_is_written_as_it_is_made():
    law = sp.Coulomb(0.3) + sp.SpinCoulomb(mu=0.3, arm=0.035)
    words = "Coulomb(mu=0.3) + SpinCoulomb(mu=0.3, arm=0.035)"
    assert str(law) == words
    assert str(sp.World(friction=law)) == f"World: friction {words}"
    assert str(Sum(laws=())) == "none"
