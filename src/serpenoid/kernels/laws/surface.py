"""The ground under each link: which surface it is on, and what that bounds in a step."""

from math import inf

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.lanes import block, lane
from serpenoid.kernels.laws import dry_friction, ground, support_friction
from serpenoid.kernels.layout import NO_WHEELS, WHEELS, Body, PackedWorld, Records

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
    ground.need_none(robot)
    robot.directional, robot.overdamped = False, False
    for i in range(robot.links):
        o, at = blocks[block(i)], lane(i)
        surface = world.surfaces[surface_at(world.patches, o.x[at], o.y[at]), i]
        weight = 0.0 if impact else dt * o.mass[at] * world.normal
        on_ground = 1.0 if o.wheel[at] == NO_WHEELS else 0.0
        ground.set_coefficients(
            robot, o, at, surface, on_ground * weight, on_ground * dt, stiffness
        )
        if o.wheel[at] == WHEELS:
            ideal = o.grip[at] == inf
            side = o.mass[at] * UNBOUNDED if ideal else weight * o.grip[at]
            dry_friction.bound(robot, o, at, (0.0, 0.0, side), stiffness)
    for k in range(robot.bodies - robot.links):
        o, at = blocks[block(robot.load_lane + k)], lane(robot.load_lane + k)
        bound = 0.0 if impact else dt * o.mass[at] * world.normal * body.shapes[k].mu
        support_friction.bound(robot, o, at, (bound, bound), stiffness)
