"""The records that the default step works on: blocks of lanes, and a robot; see `lanes`."""

import numpy as np

from serpenoid.kernels.laws import GROUND_LAWS

# LANES is 2**SHIFT; eight doubles are a line of the cache.
SHIFT = 3
LANES = 1 << SHIFT

_FIELDS = (
    # 0 in an idle lane; 1 ahead of the middle link. What it is; reach: from its centre to the
    # farthest point of it.
    "live ahead mass inertia back front rear fore middle radius half reach wheel grip "
    # State. px, py: centre of a load. Impulses since the last row and since the last tick.
    "theta px py vx vy omega ax ay aw dry_x dry_y dry_w sticking "
    "sum_contact_x sum_contact_y sum_friction_x sum_friction_y sum_torque tick_x tick_y "
    # Midpoint: angle, direction, centre. Velocity solved for and its Newton step.
    "mid ex ey x y ux uy uw dx dy dw "
    # Velocity of a point a metre ahead of the centre, seen from there, as guessed.
    "lead_x lead_y "
    # How far it may travel with the contacts found; where it was surveyed, and how far.
    "margin seen_x seen_y seen_mid horizon "
    # Quadratic of the link, H and gradient; what of it is another seen from the hinge towards the
    # middle link; factors of the sweep.
    "xx xy yy xw yw ww gx gy gw hinge_xw hinge_yw hinge_ww hinge_gw kx ky kk kg ki "
    # Impulses on it but those of the hinges: of contacts, of all laws.
    "contact_x contact_y law_x law_y law_w "
    # Its mean velocity in the step, that of its hinges ahead and behind relative to it, the impulse
    # it needs of them; kinetic energy, work of gravity.
    "mean_x mean_y head_x head_y tail_x tail_y need_x need_y kinetic gravity "
    # Largest residual of the ground's laws, m/s, squared; what these laws have in lanes.
    "error " + " ".join(law.lanes for law in GROUND_LAWS) + " "
    # Joint ahead: servo, wave of the gait, command, reference.
    "kp kd limit deadband wave_cosine wave_sine index "
    "angle rate torque tick eta eta_rate wanted wanted_rate "
    # Its angle at the midpoint, rates before, solved for and their Newton step; wanted rate
    # of a prescribed joint, 1 where it is one.
    "phi rate0 rate_u drate target locked "
    # Actuator P - K rate within +-bound, idle within +-play; impulse and curvature of the
    # piece, impulse after the sweep.
    "jp jk bound play jf jc jq "
    # All laws of the joint: impulse, curvature; rate of the link behind that counts.
    "joint_f joint_c ratio"
)

BLOCK = np.dtype(
    [
        # Lanes that are worked on, see `width` in `lanes`.
        ("width", np.int64),
        # The rest of a line of the cache.
        ("unused", np.int64, (7,)),
        *((name, np.float64, (LANES,)) for name in _FIELDS.split()),
    ],
    align=True,
)

ROBOT = np.dtype(
    [
        # Velocity of the centre of mass; the centre at the midpoint, its velocity after the step;
        # mass; time that the bounds of ground friction are for.
        *(
            (name, np.float64)
            for name in ("vx", "vy", "mid_x", "mid_y", "mid_vx", "mid_vy", "mass", "bound_time")
        ),
        # Coefficient of the impact being solved; NO_IMPACT in a step.
        ("restitution", np.float64),
        # Rebounds faster than this, m/s, are cut short: the step cannot be halved for them.
        ("cut_short", np.float64),
        # Links, links and loads, lanes before the first load, blocks of links.
        *((name, np.int64) for name in ("links", "bodies", "load_lane", "link_blocks")),
        # Contacts of links with pegs and walls, which last while they are near; others of the last
        # step that was accepted, see `collide`.
        *((name, np.int64) for name in ("lasting", "passing")),
        # Laws that it needs.
        *((law.name, np.bool_) for law in GROUND_LAWS),
        *((name, np.bool_) for name in ("directional", "prescribed", "limited", "rubs", "bounces")),
        # Its surroundings must be searched.
        ("stale", np.bool_),
        # Viscous friction would stop a link within the step.
        ("overdamped", np.bool_),
        # No joint is prescribed or has a rotor.
        ("plain", np.bool_),
        # Something is so fast that it may pass what is compliant in this step.
        ("rushes", np.bool_),
        # Nothing was fast in the step solved for, see `is_gentle`.
        ("gentle", np.bool_),
    ],
    align=True,
)


def blocks_needed(links: int, loads: int) -> int:
    """Blocks of a robot with its loads."""
    return -(-links // LANES) + -(-loads // LANES)
