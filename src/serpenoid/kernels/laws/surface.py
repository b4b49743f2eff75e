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
def set_bounds(
    world: PackedWorld, body: Body, dt: float, stiffness: float, impact: bool
) -> None:
    """Bounds and coefficients of the ground's laws in a time dt, N s, where they have changed.

    impact: only ideal wheels act in no time.
    """
    time = -dt if impact else dt
    if body.robot[0].bound_time != time or world.patches.shape[0] > 0:
        body.robot[0].bound_time = time
        find_bounds(world, body, dt, stiffness, impact)


@jit_apart
def find_bounds(
    world: PackedWorld, body: Body, dt: float, stiffness: float, impact: bool
) -> None:
    """The same, link by link and load by load."""
    robot, blocks = body.robot[0], body.blocks
    robot.dry, robot.directional, robot.spins, robot.viscous = False, False, False, False
    for i in range(robot.links):
        o, l = blocks[block(i)], lane(i)
        surface = world.surfaces[surface_at(world.patches, o.x[l], o.y[l])]
        weight = 0.0 if impact else dt * o.mass[l] * world.normal
        on_ground = 1.0 if o.wheel[l] == NO_WHEELS else 0.0
        weight, time = on_ground * weight, on_ground * dt
        o.forward[l], o.backward[l] = weight * surface.forward, weight * surface.backward
        o.side[l], o.spin[l] = weight * surface.side, weight * surface.spin
        o.along[l], o.across[l] = time * surface.along, time * surface.across
        o.turn[l] = time * (surface.turn + surface.spread * 4.0 * o.half[l] * o.half[l])
        if o.wheel[l] == WHEELS:
            if o.grip[l] == inf:
                o.side[l] = o.mass[l] * UNBOUNDED
            elif not impact:
                o.side[l] = o.mass[l] * dt * world.normal * o.grip[l]
        robot.viscous = robot.viscous or o.along[l] + o.across[l] + o.turn[l] > 0.0
        scale_bounds(robot, o, l, stiffness)
    for k in range(robot.bodies - robot.links):
        o, l = blocks[block(robot.load_lane + k)], lane(robot.load_lane + k)
        shape = body.shapes[k]
        bound = 0.0 if impact else dt * o.mass[l] * world.normal * shape.mu
        o.forward[l], o.backward[l], o.side[l] = bound, bound, bound
        o.spin[l] = bound * shape.arm
        scale_bounds(robot, o, l, stiffness)


@jit
def scale_bounds(robot: Item, o: Item, l: int, stiffness: float) -> None:
    """What follows from the bounds of dry friction, see `dry_friction` and `dry_torque`."""
    largest = max(o.forward[l], o.backward[l], o.side[l])
    o.axis[l], o.largest[l] = o.forward[l], largest
    o.axis_inverse[l] = 1.0 / o.forward[l] if o.forward[l] > 0.0 else 0.0
    o.side_inverse[l] = 1.0 / o.side[l] if o.side[l] > 0.0 else 0.0
    o.dry_r[l], o.dry_unit[l], o.dry_scale[l], o.spin_r[l] = 0.0, 0.0, 0.0, 0.0
    if largest > 0.0:
        # The stiffer axis of the scaled law sees stiffness times the link's mass.
        o.dry_unit[l] = o.mass[l] / (largest * largest)
        o.dry_r[l], o.dry_scale[l] = stiffness * o.dry_unit[l], largest / o.mass[l]
    else:
        o.qa[l], o.qb[l], o.holds[l] = 0.0, 0.0, 0.0
    if o.spin[l] > 0.0:
        o.spin_r[l] = stiffness * o.inertia[l] / o.spin[l]
    else:
        o.qw[l] = 0.0
    robot.dry = robot.dry or largest > 0.0
    robot.directional = robot.directional or o.forward[l] != o.backward[l]
    robot.spins = robot.spins or o.spin[l] > 0.0
