"""Hard contact with pegs and walls against closed forms. A block is a robot of one link."""

import itertools

import numpy as np
import pytest

import serpenoid as sp

G = 9.81
DT = 1e-3
TOLERANCE = 1e-6  # m/s, residual the solver leaves in a law
MASS, LENGTH, RADIUS = 1.5, 0.2, 0.03
INERTIA = MASS * LENGTH**2 / 12
HALF = LENGTH / 2 - RADIUS  # from the centre to the middle of a round end
BLOCK = sp.Robot.uniform(1, length=LENGTH, mass=MASS, radius=RADIUS)
FLOOR = sp.Wall(points=((-5.0, 0.0), (5.0, 0.0)))
PEG = sp.Peg(x=0.0, y=-0.02, radius=0.02)  # its top at the origin
# Gap at a midpoint, m, so that one step stops what has no restitution; two do where there is more.
NEAR = 1e-10


def unit(degrees):
    return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])


def cross(a, b):
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def gaps(run):
    """Distance of every link's outline to the nearest obstacle in every row, (rows, links), m."""
    c, links = run.columns, run.robot.links
    centre = np.stack([c["x"], c["y"]], axis=-1)
    axis = np.stack([np.cos(c["theta"]), np.sin(c["theta"])], axis=-1)
    axis *= np.array([link.straight_length / 2 for link in links])[:, None]
    tail, head = centre - axis, centre + axis
    found = [to_segment(np.array([p.x, p.y]), tail, head) - p.radius for p in run.world.pegs]
    for wall in run.world.walls:
        for a, b in itertools.pairwise(np.array(wall.points)):
            found += [to_segment(a, tail, head), to_segment(b, tail, head)]
            found += [to_segment(tail, a, b), to_segment(head, a, b)]
            apart = cross(b - a, tail - a) * cross(b - a, head - a) < 0
            crossed = apart & (cross(head - tail, a - tail) * cross(head - tail, b - tail) < 0)
            found.append(np.where(crossed, 0.0, np.inf))
    return np.min(found, axis=0) - np.array([link.radius for link in links])


def to_segment(point, a, b):
    along = b - a
    size = np.maximum((along**2).sum(axis=-1), 1e-300)
    s = np.clip(((point - a) * along).sum(axis=-1) / size, 0.0, 1.0)
    return np.linalg.norm(point - a - s[..., None] * along, axis=-1)


def velocity(run, row=-1):
    return np.array([run.columns[name][row, 0] for name in ("vx", "vy", "omega")])


def first_impact(run):
    """First row in whose step a contact pushed."""
    return int(np.flatnonzero(np.abs(run.columns["contact_force"]).sum(axis=(1, 2)))[0])


# ---------------------------------------------------------------------------------- central impact


@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize(
    ("obstacle", "heading", "reach", "slip"),
    [
        pytest.param(FLOOR, 0, RADIUS, 0.4, id="wall-side"),
        pytest.param(FLOOR, 90, LENGTH / 2, -0.3, id="wall-end"),
        pytest.param(PEG, 0, RADIUS, 0.0, id="peg-side"),
        pytest.param(PEG, -90, LENGTH / 2, 0.0, id="peg-end"),
    ],
)
@pytest.mark.parametrize("gap", [0.0107, 0.0161])
def test_central_impact(obstacle, heading, reach, slip, gap, restitution):
    speed = 1.3
    things = {"pegs" if isinstance(obstacle, sp.Peg) else "walls": (obstacle,)}
    world = sp.World(contact=sp.Contact(restitution=restitution), **things)
    start = sp.Start(y=reach + gap, heading_deg=heading, velocity=(slip, -speed))
    run = sp.simulate(BLOCK, world, None, 0.05, start=start, record_period=DT)
    # Normal velocity times -e, the rest as it was, up to the tolerance of the law.
    np.testing.assert_allclose(
        velocity(run), [slip, restitution * speed, 0.0], atol=TOLERANCE * (1 + 1 / RADIUS)
    )
    energy = run.energy()
    loss = (1 - restitution**2) / 2 * MASS * speed**2
    assert energy["impact"] == pytest.approx(-loss, abs=2 * MASS * speed * TOLERANCE)
    kinetic = run.columns["energy_kinetic"]
    assert energy["impact"] == pytest.approx(kinetic[-1] - kinetic[0], abs=1e-12)  # rounding
    assert gaps(run).min() > -1e-9


@pytest.mark.parametrize("direction", [0, 33, 145, 260])
def test_impact_on_a_wall_in_any_direction(direction):
    normal, along = unit(direction), unit(direction + 90)
    wall = sp.Wall(points=(tuple(-2 * along), tuple(2 * along)))
    place, v = 0.1 * normal, -1.0 * normal + 0.5 * along
    start = sp.Start(*place, heading_deg=direction + 90, velocity=tuple(v))
    world = sp.World(walls=(wall,), contact=sp.Contact(restitution=0.5))
    run = sp.simulate(BLOCK, world, None, 0.1, start=start, record_period=DT)
    np.testing.assert_allclose(velocity(run)[:2], 0.5 * normal + 0.5 * along, atol=TOLERANCE)
    force = run.columns["contact_force"][first_impact(run), 0]
    np.testing.assert_allclose(force / np.linalg.norm(force), normal, atol=1e-9)


def test_world_contact_law_yields_to_an_obstacles_own():
    peg = sp.Peg(x=0.0, y=-0.02, radius=0.02, contact=sp.Contact(restitution=0.6))
    world = sp.World(pegs=(peg,), contact=sp.Contact(restitution=0.1))
    start = sp.Start(y=0.05, velocity=(0.0, -1.0))
    run = sp.simulate(BLOCK, world, None, 0.05, start=start)
    assert velocity(run)[1] == pytest.approx(0.6, abs=TOLERANCE)


# -------------------------------------------------------------------------------- eccentric impact


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("offset", [-0.06, -0.02, 0.05])
def test_eccentric_impact_on_the_side(offset, restitution):
    # A rigid body hit at a distance d from its centre: P = (1 + e) m v / (1 + m d^2 / J).
    speed = 1.1
    world = sp.World(pegs=(PEG,), contact=sp.Contact(restitution=restitution))
    start = sp.Start(x=-offset, y=RADIUS + 9.5 * speed * DT + NEAR, velocity=(0.0, -speed))
    run = sp.simulate(BLOCK, world, None, 0.02, start=start, record_period=DT)
    impulse = (1 + restitution) * MASS * speed / (1 + MASS * offset**2 / INERTIA)
    row = first_impact(run)
    np.testing.assert_allclose(
        velocity(run, row),
        [0.0, -speed + impulse / MASS, offset * impulse / INERTIA],
        atol=TOLERANCE / RADIUS,
    )
    np.testing.assert_allclose(
        run.columns["contact_force"][row, 0], [0.0, impulse / DT], atol=1e-6 * impulse / DT
    )
    loss = (1 - restitution**2) / 2 * speed * impulse / (1 + restitution)
    assert run.columns["energy_impact"][row] == pytest.approx(-loss, abs=1e-5)


@pytest.mark.parametrize("restitution", [0.0, 0.7])
@pytest.mark.parametrize("angle", [20, 50, 75])
def test_eccentric_impact_on_a_round_end(angle, restitution):
    # The peg meets the head end, its centre outside the straight side: the normal leans backward.
    speed, dt = 1.0, 1e-5
    normal = np.array([-np.sin(np.radians(angle)), np.cos(np.radians(angle))])
    lever = HALF * normal[1]
    centre = np.array([HALF, 0.0]) - (RADIUS + 0.01) * normal
    peg = sp.Peg(x=centre[0], y=centre[1], radius=0.01)
    world = sp.World(pegs=(peg,), contact=sp.Contact(restitution=restitution))
    start = sp.Start(y=0.002 + 0.5 * dt + 100 * NEAR, velocity=(0.0, -speed))
    run = sp.simulate(BLOCK, world, None, 0.01, start=start, time_step=dt, record_period=dt)
    row = first_impact(run)
    force = run.columns["contact_force"][row, 0]
    # The impact comes within a step of the touch, which turns the normal by v dt / (sum of radii).
    turn = 2 * speed * dt / (RADIUS + 0.01)
    np.testing.assert_allclose(force / np.linalg.norm(force), normal, atol=turn)
    approach = speed * normal[1]
    impulse = (1 + restitution) * approach / (1 / MASS + lever**2 / INERTIA)
    error = 5 * turn  # relative, of angle and lever
    assert np.linalg.norm(force) * dt == pytest.approx(impulse, rel=error)
    np.testing.assert_allclose(
        velocity(run, row)[:2], [0, -speed] + impulse / MASS * normal, atol=speed * error
    )
    assert velocity(run, row)[2] == pytest.approx(lever * impulse / INERTIA, rel=error)


# --------------------------------------------------------------------------------- resting force


def slope_towards_floor(angle, *, slope_deg=20.0, **more):
    """The floor wall on an inclined plane: gravity presses on it, `angle` deg off the normal."""
    return sp.World(walls=(FLOOR,), slope_deg=slope_deg, slope_direction_deg=-90 + angle, **more)


@pytest.mark.parametrize(("heading", "reach"), [(0, RADIUS), (90, LENGTH / 2)])
def test_wall_carries_the_pull_of_the_slope(heading, reach):
    start = sp.Start(y=reach, heading_deg=heading)
    run = sp.simulate(BLOCK, slope_towards_floor(0), None, 1.0, start=start, record_period=0.1)
    pull = MASS * G * np.sin(np.radians(20))
    expected = np.tile([0.0, pull], (10, 1))
    # Until it has converged, the multiplier lacks 1e-4 of the first step's impulse.
    np.testing.assert_allclose(run.columns["contact_force"][1:, 0], expected, atol=1e-5 * pull)
    np.testing.assert_allclose(velocity(run), 0.0, atol=1e-9)


def test_peg_carries_the_pull_of_the_slope():
    world = sp.World(pegs=(PEG,), slope_deg=20.0, slope_direction_deg=-90)
    run = sp.simulate(BLOCK, world, None, 0.2, start=sp.Start(y=RADIUS), record_period=0.1)
    pull = MASS * G * np.sin(np.radians(20))
    np.testing.assert_allclose(run.columns["contact_force"][-1, 0], [0.0, pull], atol=1e-5 * pull)


@pytest.mark.parametrize("gap", [0.0, 0.02])
def test_ground_friction_takes_its_share_of_the_pull(gap):
    # At rest the share is anything ground friction can give; all forces balance.
    mu = 0.2
    world = slope_towards_floor(0, friction=sp.Coulomb(mu))
    run = sp.simulate(BLOCK, world, None, 1.0, start=sp.Start(y=RADIUS + gap), record_period=0.1)
    pull, weight = MASS * G * np.sin(np.radians(20)), MASS * G * np.cos(np.radians(20))
    contact = run.columns["contact_force"][-1, 0]
    ground = run.columns["friction_force"][-1, 0]
    np.testing.assert_allclose(contact + ground, [0.0, pull], atol=1e-6 * pull)
    assert pull - mu * weight - 1e-6 <= contact[1] <= pull + 1e-6
    assert gaps(run)[-1, 0] == pytest.approx(0.0, abs=1e-6)


def test_block_sliding_along_a_smooth_wall_on_rough_ground():
    # Ground friction acts along the wall, so the wall carries all of the pull across it.
    mu, angle = 0.1, 40
    world = slope_towards_floor(angle, friction=sp.Coulomb(mu))
    run = sp.simulate(BLOCK, world, None, 1.0, start=sp.Start(y=RADIUS), record_period=0.1)
    pull, weight = G * np.sin(np.radians(20)), G * np.cos(np.radians(20))
    acceleration = pull * np.sin(np.radians(angle)) - mu * weight
    # The multipliers converge during the first steps; after that the motion is exact.
    assert run.columns["x"][-1, 0] == pytest.approx(acceleration / 2, abs=2e-6)
    force = run.columns["contact_force"][-1, 0]
    expected = [0.0, MASS * pull * np.cos(np.radians(angle))]
    np.testing.assert_allclose(force, expected, atol=1e-4)


# ---------------------------------------------------------------------------- friction at contact


@pytest.mark.parametrize("mu", [0.1, 0.3, 0.8])
@pytest.mark.parametrize("sign", [1, -1])
def test_contact_friction_sticks_below_its_threshold(mu, sign):
    angle = sign * np.degrees(np.arctan(0.99 * mu))
    world = slope_towards_floor(angle, contact=sp.Contact(friction=mu))
    run = sp.simulate(BLOCK, world, None, 5.0, start=sp.Start(y=RADIUS), record_period=0.1)
    # While impulse and bound converge it may slide for some steps at the law's tolerance.
    assert np.abs(run.columns["x"]).max() < 2e-8
    assert np.ptp(run.columns["x"][1:]) < 1e-12


@pytest.mark.parametrize("mu", [0.1, 0.3, 0.8])
@pytest.mark.parametrize("sign", [1, -1])
def test_contact_friction_slides_above_its_threshold(mu, sign):
    angle = np.arctan(1.2 * mu)
    world = slope_towards_floor(sign * np.degrees(angle), contact=sp.Contact(friction=mu))
    run = sp.simulate(BLOCK, world, None, 1.0, start=sp.Start(y=RADIUS), record_period=0.1)
    pull = G * np.sin(np.radians(20))
    acceleration = pull * (np.sin(angle) - mu * np.cos(angle))
    # Until the bound has converged, in the first steps, friction is met to 1e-4 m/s.
    assert sign * run.columns["vx"][-1, 0] == pytest.approx(acceleration, abs=1e-4)
    assert sign * run.columns["x"][-1, 0] == pytest.approx(acceleration / 2, abs=1e-4)
    force = run.columns["contact_force"][-1, 0]
    normal = MASS * pull * np.cos(angle)
    np.testing.assert_allclose(force, [-sign * mu * normal, normal], rtol=1e-4)


@pytest.mark.parametrize("restitution", [0.0, 0.5])
@pytest.mark.parametrize("mu", [0.0, 0.1, 0.4])
def test_sliding_impact_with_friction(mu, restitution):
    speed, slip = 1.0, 0.9
    world = sp.World(walls=(FLOOR,), contact=sp.Contact(friction=mu, restitution=restitution))
    start = sp.Start(y=RADIUS + 9.5 * speed * DT + NEAR, velocity=(slip, -speed))
    run = sp.simulate(BLOCK, world, None, 0.02, start=start, record_period=DT)
    row = first_impact(run)
    # The bound on the friction impulse is met to 1e-4 m/s per contact.
    expected = [slip - mu * (1 + restitution) * speed, restitution * speed, 0.0]
    np.testing.assert_allclose(velocity(run, row), expected, atol=3e-4)
    loss = MASS / 2 * (slip**2 - expected[0] ** 2)
    assert run.columns["energy_friction"][row] == pytest.approx(-loss, abs=1e-3)


def test_sticking_impact_with_friction():
    # Less tangential momentum than friction could take: it stops dead, |P_t| < mu P_n.
    mu, speed, slip = 0.5, 1.0, 0.3
    world = sp.World(walls=(FLOOR,), contact=sp.Contact(friction=mu))
    start = sp.Start(y=RADIUS + 9.5 * speed * DT + NEAR, velocity=(slip, -speed))
    run = sp.simulate(BLOCK, world, None, 0.02, start=start, record_period=DT)
    row = first_impact(run)
    np.testing.assert_allclose(velocity(run, row), 0.0, atol=TOLERANCE / RADIUS)
    impulse = DT * run.columns["contact_force"][row, 0]
    np.testing.assert_allclose(impulse, [-MASS * slip, MASS * speed], atol=1e-5)


@pytest.mark.parametrize("mu", [0.05, 0.3, 1.0])
def test_friction_impulse_of_any_impact_stays_in_its_cone(mu):
    rng = np.random.default_rng(7)
    for _ in range(10):
        world = sp.World(walls=(FLOOR,), contact=sp.Contact(friction=mu, restitution=0.5))
        start = sp.Start(
            y=0.13,
            heading_deg=rng.uniform(-180, 180),
            velocity=(rng.uniform(-2, 2), -1.0),
            spin_deg=rng.uniform(-500, 500),
        )
        run = sp.simulate(BLOCK, world, None, 0.3, start=start, record_period=DT)
        tangential, normal = run.columns["contact_force"][:, 0].T
        assert normal.max() > 0
        assert (normal >= 0).all()
        # The bound is met to 1e-4 m/s per contact, an impulse of 1e-4 m over dt.
        assert (np.abs(tangential) <= mu * normal + 2e-4 * MASS / DT).all()


# ------------------------------------------------------------------------------------ never pulls


@pytest.mark.parametrize("obstacle", [FLOOR, PEG])
@pytest.mark.parametrize("speed", [1e-3, 1.0])
def test_body_that_moves_away_feels_nothing(obstacle, speed):
    things = {"pegs" if isinstance(obstacle, sp.Peg) else "walls": (obstacle,)}
    world = sp.World(contact=sp.Contact(friction=0.5, restitution=0.5), **things)
    start = sp.Start(y=RADIUS, velocity=(0.1, speed))
    run = sp.simulate(BLOCK, world, None, 0.5, start=start)
    assert not run.columns["contact_force"].any()
    np.testing.assert_allclose(velocity(run), [0.1, speed, 0.0], atol=1e-12)


def test_pegs_only_push_along_the_normal():
    robot = sp.robots.aiko()
    world = sp.World(friction=sp.Coulomb(0.2), pegs=sp.fields.aiko_track())
    gait = sp.Serpenoid(amplitude_deg=-40, frequency_deg=80, phase_deg=-50)
    start = sp.Start(x=0.38, y=0.15, heading_deg=5, link=5)
    run = sp.simulate(robot, world, gait, 2.0, start=start, record_period=DT)
    c = run.columns
    touched = 0
    pegs = np.array([[peg.x, peg.y] for peg in world.pegs])
    for row, link in np.argwhere(np.linalg.norm(c["contact_force"], axis=2) > 1e-3):
        # Where the link was in the middle of the step, at which the contact was described.
        back = DT / 2 * np.array([c[name][row, link] for name in ("vx", "vy", "omega")])
        x, y, theta = (c[n][row, link] - b for n, b in zip(("x", "y", "theta"), back, strict=True))
        axis = np.array([np.cos(theta), np.sin(theta)])
        to = np.array([x, y]) - pegs
        s = np.clip(-to @ axis, -0.0393, 0.0393)
        apart = to + s[:, None] * axis
        distance = np.linalg.norm(apart, axis=1)
        near = distance < 0.0525 + 0.0125 + 1e-3
        assert near.any()
        if near.sum() == 1:
            force = c["contact_force"][row, link]
            normal = (apart / distance[:, None])[near][0]
            touched += 1
            # Positions are 1e-5 m from the midpoint's, which turns a normal 0.06 m long by 2e-4.
            assert force @ normal > 0
            assert abs(cross(normal, force)) < 1e-3 * np.linalg.norm(force)
    assert touched > 100


# ----------------------------------------------------------------------- penetration, tunnelling

THIN = sp.Robot.uniform(1, length=0.2, mass=0.5, radius=0.005)


@pytest.mark.parametrize("restitution", [0.0, 1.0])
@pytest.mark.parametrize("heading", [0, 30, 90])
@pytest.mark.parametrize("gap", [0.011, 0.02, 0.0299, 0.04, 0.0777])
def test_fast_thin_body_does_not_pass_a_thin_wall(heading, gap, restitution):
    reach = 0.095 * abs(np.sin(np.radians(heading))) + 0.005
    world = sp.World(walls=(FLOOR,), contact=sp.Contact(restitution=restitution))
    start = sp.Start(y=reach + gap, heading_deg=heading, velocity=(3.0, -20.0))
    run = sp.simulate(THIN, world, None, 0.05, start=start, record_period=DT)
    assert gaps(run).min() > -1e-4
    assert run.columns["y"].min() > 0
    assert run.columns["penetration"].max() < 1e-4
    assert run.columns["energy_kinetic"].max() <= 0.25 * (20**2 + 3**2) * (1 + 1e-9)


@pytest.mark.parametrize("heading", [0, 20, 90])
@pytest.mark.parametrize("offset", [0.0, 0.004])
@pytest.mark.parametrize("gap", [0.011, 0.02, 0.0299, 0.0777])
def test_fast_thin_body_does_not_pass_a_thin_peg(heading, gap, offset):
    peg = sp.Peg(x=0.0, y=0.0, radius=0.001)
    # How far its lower side, or end, lies below its centre where it meets the peg.
    reach = 0.101 if heading == 90 else 0.006 / np.cos(np.radians(heading)) + 0.002
    start = sp.Start(x=offset, y=reach + gap, heading_deg=heading, velocity=(0.0, -20.0))
    run = sp.simulate(THIN, sp.World(pegs=(peg,)), None, 0.03, start=start, record_period=DT)
    assert gaps(run).min() > -1e-4
    assert run.columns["contact_force"].any()


def test_body_that_starts_near_a_wall_does_not_pass_it():
    # The first midpoint, dt/2 of travel ahead, lies beyond the wall.
    start = sp.Start(y=0.005 + 0.001, velocity=(0.0, -20.0))
    run = sp.simulate(THIN, sp.World(walls=(FLOOR,)), None, 0.02, start=start, record_period=DT)
    assert run.columns["y"].min() > 0
    assert gaps(run).min() > -1e-4


@pytest.mark.parametrize("gap", [0.0, 2e-4])
def test_body_that_starts_touching_and_moving_inward_does_not_bounce(gap):
    start = sp.Start(y=RADIUS + gap, velocity=(0.0, -1.0))
    run = sp.simulate(BLOCK, sp.World(walls=(FLOOR,)), None, 0.02, start=start, record_period=DT)
    assert velocity(run)[1] == pytest.approx(0.0, abs=1e-3)  # restitution 0
    assert gaps(run).min() > -1e-4


def test_spinning_body_that_makes_steps_halve_stays_out_of_a_peg():
    # Impacts at 20 m/s and 50 rad/s on a 1 mm peg; after halves the step is whole again.
    body = sp.Robot.uniform(1, length=0.2, mass=1.0, radius=0.01)
    world = sp.World(pegs=(sp.Peg(x=0, y=0, radius=0.001),), contact=sp.Contact(restitution=0.5))
    rng = np.random.default_rng(0)
    worst = 0.0
    for _ in range(300):
        aside, heading, spin = (
            rng.uniform(-0.09, 0.09),
            rng.uniform(-180, 180),
            rng.uniform(-3e3, 3e3),
        )
        toward = unit(rng.uniform(0, 360))
        place = -rng.uniform(0.15, 0.2) * toward + aside * np.array([-toward[1], toward[0]])
        start = sp.Start(
            *place, heading_deg=heading, velocity=tuple(rng.uniform(1, 20) * toward), spin_deg=spin
        )
        run = sp.simulate(body, world, None, 0.05, start=start, record_period=DT)
        worst = max(worst, -gaps(run).min())
    assert worst < 1e-4


# ------------------------------------------------------------------------------------ wall shapes


@pytest.mark.parametrize("offset", [0.0, 0.04])
def test_impact_on_the_end_of_a_wall(offset):
    # The end acts like a peg without size, straight below the block.
    post = sp.Wall(points=((0.0, 0.0), (0.0, -1.0)))
    start = sp.Start(x=-offset, y=RADIUS + 9.5 * DT + NEAR, velocity=(0.0, -1.0))
    run = sp.simulate(BLOCK, sp.World(walls=(post,)), None, 0.02, start=start, record_period=DT)
    impulse = MASS / (1 + MASS * offset**2 / INERTIA)
    row = first_impact(run)
    expected = [0.0, -1.0 + impulse / MASS, offset * impulse / INERTIA]
    np.testing.assert_allclose(velocity(run, row), expected, atol=TOLERANCE / RADIUS)


@pytest.mark.parametrize("angle", [-120, -135, -160])
def test_block_comes_to_rest_in_an_inside_corner(angle):
    corner = sp.Wall(points=((0.0, 2.0), (0.0, 0.0), (2.0, 0.0)))
    world = sp.World(walls=(corner,), slope_deg=20, slope_direction_deg=angle)
    start = sp.Start(x=0.15, y=0.05)
    run = sp.simulate(BLOCK, world, None, 1.0, start=start, record_period=DT)
    assert gaps(run).min() > -1e-6
    c = run.columns
    np.testing.assert_allclose(
        [c["x"][-1, 0], c["y"][-1, 0], c["theta"][-1, 0]], [LENGTH / 2, RADIUS, 0.0], atol=1e-6
    )
    pull = MASS * G * np.sin(np.radians(20)) * unit(angle)
    np.testing.assert_allclose(c["contact_force"][-1, 0], -pull, atol=1e-4)


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("points", [FLOOR.points, FLOOR.points[::-1]])
def test_wall_is_seen_from_both_sides(side, points):
    world = sp.World(walls=(sp.Wall(points=points),), contact=sp.Contact(restitution=0.5))
    start = sp.Start(y=side * 0.06, velocity=(0.2, -side * 1.0))
    run = sp.simulate(BLOCK, world, None, 0.1, start=start, record_period=DT)
    np.testing.assert_allclose(velocity(run), [0.2, side * 0.5, 0.0], atol=1e-5)
    assert (side * run.columns["y"] > RADIUS - 1e-9).all()


@pytest.mark.parametrize("restitution", [0.0, 1.0])
def test_wall_of_collinear_pieces_is_as_smooth_as_one(restitution):
    # A joint between two pieces of a straight wall must not be felt.
    wall = sp.Wall(points=((-1.0, 0.0), (0.503, 0.0), (3.0, 0.0)))
    world = sp.World(walls=(wall,), contact=sp.Contact(restitution=restitution))
    start = sp.Start(y=RADIUS, velocity=(1.0, 0.0))
    run = sp.simulate(BLOCK, world, None, 1.0, start=start)
    np.testing.assert_allclose(velocity(run), [1.0, 0.0, 0.0], atol=1e-4)


BOX = ((-0.4, -0.3), (0.4, -0.3), (0.5, 0.35), (0.0, 0.45), (-0.4, 0.3), (-0.4, -0.3))


@pytest.mark.parametrize("restitution", [0.0, 1.0])
@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_closed_outline_keeps_the_robot_inside(restitution, friction):
    robot = sp.Robot.uniform(
        3, length=0.12, mass=0.3, radius=0.02, actuator=sp.Servo(kp=5.0, kd=0.05)
    )
    contact = sp.Contact(restitution=restitution, friction=friction)
    world = sp.World(walls=(sp.Wall(points=BOX),), contact=contact)
    gait = sp.Serpenoid(amplitude_deg=40, frequency_deg=400, phase_deg=-60)
    start = sp.Start(velocity=(1.5, 0.7), spin_deg=400)
    run = sp.simulate(robot, world, gait, 5.0, start=start, record_period=DT)
    assert gaps(run).min() > -1e-4
    inside = np.abs(run.columns["x"]).max() < 0.5 and np.abs(run.columns["y"]).max() < 0.45
    assert inside
    assert (np.abs(run.columns["contact_force"]).sum(axis=(1, 2)) > 0).sum() > 5


# -------------------------------------------------------------------------------------- momentum


def momenta(run):
    """Linear momentum and angular momentum about the centre of mass in every row."""
    c = run.columns
    mass = np.array([link.mass for link in run.robot.links])
    inertia = np.array([link.moment_of_inertia for link in run.robot.links])
    com = run.centre_of_mass()
    linear = np.stack([c["vx"] @ mass, c["vy"] @ mass], axis=1)
    dx, dy = c["x"] - com[:, :1], c["y"] - com[:, 1:]
    angular = (dx * c["vy"] - dy * c["vx"]) @ mass + c["omega"] @ inertia
    return linear, angular


@pytest.mark.parametrize(
    "actuator", [sp.Servo(kp=20.0, kd=0.5), sp.Prescribed(), sp.Free()], ids=lambda a: a.kind
)
def test_momentum_without_external_forces(actuator):
    robot = sp.Robot.uniform(
        5,
        length=[0.1, 0.12, 0.1, 0.08, 0.1],
        mass=[0.5, 0.3, 0.4, 0.5, 0.2],
        radius=0.02,
        actuator=actuator,
    )
    gait = sp.Serpenoid(amplitude_deg=50, frequency_deg=300, phase_deg=-70)
    rates = None if isinstance(actuator, sp.Prescribed) else (90.0, -50.0, 30.0, 100.0)
    start = sp.Start(velocity=(0.2, -0.1), spin_deg=60, joint_rates_deg=rates)
    drifts = []
    for dt in (2e-3, 1e-3, 5e-4):
        run = sp.simulate(
            robot, sp.World(), gait, 1.0, start=start, time_step=dt, record_period=0.01
        )
        linear, angular = momenta(run)
        np.testing.assert_allclose(linear, np.tile(linear[0], (101, 1)), atol=1e-10)
        com = run.centre_of_mass()
        np.testing.assert_allclose(com[-1] - com[0], [0.2, -0.1], atol=1e-9)
        drifts.append(np.abs(angular - angular[0]).max())
        assert drifts[-1] < 1e-3 * np.abs(angular).max()
    # Second order: a quarter of the drift with half the step.
    assert drifts[0] / drifts[1] == pytest.approx(4.0, rel=0.2)
    assert drifts[1] / drifts[2] == pytest.approx(4.0, rel=0.2)


# ------------------------------------------------------------------- friction with restitution


@pytest.mark.parametrize("friction", [0.3, 1.0, 2.0])
@pytest.mark.parametrize("restitution", [0.5, 0.8, 1.0])
@pytest.mark.parametrize("links", [1, 3])
def test_impacts_with_friction_and_restitution_add_no_energy(links, restitution, friction):
    """Newton's restitution with plain Coulomb friction would: Kane's paradox."""
    robot = sp.Robot.uniform(
        links, length=0.122, mass=0.68, inertia=1.32e-3, radius=0.0525, actuator=sp.Free()
    )
    walls = (sp.Wall(points=((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5))),)
    world = sp.World(walls=walls, contact=sp.Contact(friction=friction, restitution=restitution))
    start = sp.Start(velocity=(0.3, -1.0), heading_deg=60, spin_deg=600)
    run = sp.simulate(robot, world, None, 5.0, start=start, record_period=DT)
    given = run.columns["energy_friction"] + run.columns["energy_impact"]
    # Impacts of up to 1 N s, their laws solved to 1e-6 m/s.
    assert np.diff(given).max() <= 1e-6
    assert run.columns["contact_force"].any()


def test_robot_that_fits_a_slot_exactly_can_move_in_it():
    """Overlapping both walls by less than counts as touching, it is not pushed out by either."""
    slot = RADIUS - 4e-7
    walls = tuple(sp.Wall(points=((-5.0, y), (5.0, y))) for y in (-slot, slot))
    start = sp.Start(velocity=(0.5, 0.0))
    run = sp.simulate(BLOCK, sp.World(walls=walls), None, 1.0, start=start)
    np.testing.assert_allclose(velocity(run), [0.5, 0.0, 0.0], atol=1e-9)
    prox = sp.simulate(BLOCK, sp.World(walls=walls), None, 0.1, start=start, solver="prox")
    np.testing.assert_allclose(velocity(prox), [0.5, 0.0, 0.0], atol=1e-9)


def test_two_walls_that_meet_are_as_smooth_as_one():
    walls = (
        sp.Wall(points=((-1.0, 0.0), (0.503, 0.0))),
        sp.Wall(points=((0.503, 0.0), (3.0, 0.0))),
    )
    start = sp.Start(y=RADIUS, velocity=(1.0, 0.0))
    run = sp.simulate(BLOCK, sp.World(walls=walls), None, 1.0, start=start)
    np.testing.assert_allclose(velocity(run), [1.0, 0.0, 0.0], atol=1e-4)


@pytest.mark.parametrize("solver", ["newton", "hybrid"])
@pytest.mark.parametrize("spin", [0.0, 300.0])
def test_contact_at_the_centre_does_not_depend_on_the_outline(solver, spin):
    """A link without width meets pegs with all its length, however short its straight sides are."""
    # The other pegs make the field larger than the link.
    far = (sp.Peg(-2.0, -2.0, 0.02), sp.Peg(2.0, 2.0, 0.02))
    near = sp.Peg(0.0, 0.09, 0.005) if spin else sp.Peg(0.08, 0.06, 0.02)
    world = sp.World(pegs=(near, *far), contact_at="centre")
    start = sp.Start(velocity=(0.0, 0.05 if spin else 1.0), spin_deg=spin)
    ends = []
    for straight in (None, 0.005):
        robot = sp.Robot.uniform(1, length=0.2, mass=1.0, radius=0.01, straight=straight)
        run = sp.simulate(robot, world, None, 0.4, start=start, solver=solver)
        assert run.columns["contact_force"].any()
        ends.append([run.columns[name][-1, 0] for name in ("x", "y", "vx", "vy")])
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)
