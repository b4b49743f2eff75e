"""The ground under each link: which surface it is on, and what that bounds in a step."""

from math import inf

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.lanes import block, lane
from serpenoid.kernels.layout import NO_WHEELS, WHEELS, Body, Item, PackedWorld, Records

# A change of velocity that no step makes, m/s: ideal wheels bear the impulse of any smaller one.
UNBOUNDED = 1e6


@jit
def surface_at(patches: Records, x: float, y: float) -> int:
    """Row of the surface under (x, y): that of the last patch that covers it, else 0."""
    for k in range(patches.shape[0] - 1, -1, -1):
        patch = patches[k]
        dx, dy = x - patch.x, y - patch.y
        across = abs(dx * patch.cos + dy * patch.sin)
        if across <= patch.half_width and abs(dy * patch.cos - dx * patch.sin) <= patch.half_height:
            return k + 1
    return 0


@jit
def set_bounds(world: PackedWorld, body: Body, dt: float, stiffness: float, impact: bool) -> None:
    """Bounds and coefficients of the ground's laws in a time dt, N s, where they have changed.

    impact: only ideal wheels act in no time.
    """
    time = -dt if impact else dt
    if body.robot[0].bound_time != time or world.patches.shape[0] > 0:
        body.robot[0].bound_time = time
        find_bounds(world, body, dt, stiffness, impact)


@jit_apart
def find_bounds(world: PackedWorld, body: Body, dt: float, stiffness: float, impact: bool) -> None:
    """The same, link by link and load by load."""
    robot, blocks = body.robot[0], body.blocks
    robot.dry, robot.directional, robot.spins = False, False, False
    robot.viscous, robot.drags, robot.added = False, False, False
    for i in range(robot.links):
        o, at = blocks[block(i)], lane(i)
        surface = world.surfaces[surface_at(world.patches, o.x[at], o.y[at])]
        weight = 0.0 if impact else dt * o.mass[at] * world.normal
        on_ground = 1.0 if o.wheel[at] == NO_WHEELS else 0.0
        weight, time = on_ground * weight, on_ground * dt
        o.forward[at], o.backward[at] = weight * surface.forward, weight * surface.backward
        o.side[at], o.spin[at] = weight * surface.side, weight * surface.spin
        o.along[at], o.across[at] = time * surface.along, time * surface.across
        o.turn[at] = time * (surface.turn + surface.spread * 4.0 * o.half[at] * o.half[at])
        if o.wheel[at] == WHEELS:
            if o.grip[at] == inf:
                o.side[at] = o.mass[at] * UNBOUNDED
            elif not impact:
                o.side[at] = o.mass[at] * dt * world.normal * o.grip[at]
        o.drag_a[at], o.drag_b[at] = time * surface.drag_along, time * surface.drag_across
        o.drag_w[at] = time * surface.drag_spread * (2.0 * o.half[at]) ** 3
        robot.drags = robot.drags or o.drag_a[at] + o.drag_b[at] + o.drag_w[at] > 0.0
        robot.viscous = robot.viscous or o.along[at] + o.across[at] + o.turn[at] > 0.0
        if on_ground > 0.0:
            set_added_mass(robot, o, at, surface)
        scale_bounds(robot, o, at, stiffness)
    for k in range(robot.bodies - robot.links):
        o, at = blocks[block(robot.load_lane + k)], lane(robot.load_lane + k)
        shape = body.shapes[k]
        bound = 0.0 if impact else dt * o.mass[at] * world.normal * shape.mu
        o.forward[at], o.backward[at], o.side[at] = bound, bound, bound
        o.spin[at] = bound * shape.arm
        scale_bounds(robot, o, at, stiffness)


@jit
def set_added_mass(robot: Item, o: Item, at: int, surface: Item) -> None:
    """Masses that a link takes along, kg and kg m2: the same in every step, and in an impact."""
    o.added_a[at], o.added_b[at] = surface.mass_along, surface.mass_across
    o.added_w[at] = surface.mass_spread * 4.0 * o.half[at] * o.half[at]
    robot.added = robot.added or o.added_a[at] + o.added_b[at] + o.added_w[at] > 0.0


@jit
def scale_bounds(robot: Item, o: Item, at: int, stiffness: float) -> None:
    """What follows from the bounds of dry friction, see `dry_friction` and `dry_torque`."""
    largest = max(o.forward[at], o.backward[at], o.side[at])
    o.axis[at], o.largest[at] = o.forward[at], largest
    o.axis_inverse[at] = 1.0 / o.forward[at] if o.forward[at] > 0.0 else 0.0
    o.side_inverse[at] = 1.0 / o.side[at] if o.side[at] > 0.0 else 0.0
    o.dry_r[at], o.dry_unit[at], o.dry_scale[at], o.spin_r[at] = 0.0, 0.0, 0.0, 0.0
    if largest > 0.0:
        # The stiffer axis of the scaled law sees stiffness times the link's mass.
        o.dry_unit[at] = o.mass[at] / (largest * largest)
        o.dry_r[at], o.dry_scale[at] = stiffness * o.dry_unit[at], largest / o.mass[at]
    else:
        o.qa[at], o.qb[at], o.holds[at] = 0.0, 0.0, 0.0
    if o.spin[at] > 0.0:
        o.spin_r[at] = stiffness * o.inertia[at] / o.spin[at]
    else:
        o.qw[at] = 0.0
    robot.dry = robot.dry or largest > 0.0
    robot.directional = robot.directional or o.forward[at] != o.backward[at]
    robot.spins = robot.spins or o.spin[at] > 0.0
