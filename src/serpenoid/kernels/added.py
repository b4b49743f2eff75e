"""Commands on top of a compiled controller: what else the joints are told, held from tick to tick.

They are `Body.added`: time of the command, s, then angle (rad), rate (rad/s) and torque (N m) of
every joint, then for every link the contact impulses since the command that its own sums no longer
hold, N s. It is None for bare robots and empty for others without such commands; either costs
nothing.
"""

from serpenoid.kernels._jit import jit
from serpenoid.kernels.lanes import block, lane
from serpenoid.kernels.layout import ADDED_HEAD, Body, Floats, Item, Records


@jit
def added_angle(added: Floats | None, j: int, t: float) -> float:
    """Angle added to joint j at time t, rad."""
    if added is None:
        return 0.0
    if added.shape[0] == 0:
        return 0.0
    at = ADDED_HEAD + 3 * j
    return added[at] + added[at + 1] * (t - added[0])


@jit
def added_torque(added: Floats | None, j: int) -> float:
    """Torque added to joint j, N m."""
    if added is None:
        return 0.0
    return added[ADDED_HEAD + 3 * j + 2] if added.shape[0] > 0 else 0.0


@jit
def add_commands(added: Floats | None, joints: Records, t: float) -> None:
    """Add the commands to the wanted angles and rates."""
    if added is None:
        return
    if added.shape[0] > 0:
        for j in range(joints.shape[0]):
            joints[j].wanted += added_angle(added, j, t)
            joints[j].wanted_rate += added[ADDED_HEAD + 3 * j + 1]


@jit
def add_lane_commands(added: Floats | None, blocks: Records, robot: Item, t: float) -> None:
    """The same in lanes."""
    if added is None:
        return
    if added.shape[0] > 0:
        for j in range(robot.links - 1):
            o, at = blocks[block(j)], lane(j)
            o.wanted[at] += added_angle(added, j, t)
            o.wanted_rate[at] += added[ADDED_HEAD + 3 * j + 1]


@jit
def keep_felt(added: Floats | None, links: Records) -> None:
    """Keep the contact impulses that a compiled controller is about to clear."""
    if added is None:
        return
    if added.shape[0] > 0:
        begin = ADDED_HEAD + 3 * (links.shape[0] - 1)
        for i in range(links.shape[0]):
            added[begin + 2 * i] += links[i].tick_x
            added[begin + 2 * i + 1] += links[i].tick_y


@jit
def felt(body: Body, added: Floats | None, on_top: bool, i: int) -> tuple[float, float]:
    """Contact impulses on link i since the last command, N s; on_top: that of `added`."""
    x, y = body.links[i].tick_x, body.links[i].tick_y
    if added is None:
        return x, y
    if on_top and added.shape[0] > 0:
        at = ADDED_HEAD + 3 * (body.links.shape[0] - 1) + 2 * i
        return x + added[at], y + added[at + 1]
    return x, y


@jit
def commanded_at(body: Body, added: Floats | None, on_top: bool) -> float:
    """Time of the last command, s; on_top: that of `added`."""
    if added is None:
        return body.last[1]
    return added[0] if on_top and added.shape[0] > 0 else body.last[1]
