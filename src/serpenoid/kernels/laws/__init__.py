"""The laws of a step, one file for each: impulse and curvature of its piece, check, work.

The laws of the ground on links and loads are listed here, and what they need is made from the list:
fields of the records, the kernels that call them (`laws.ground`), what methods and exports refuse.
"""

from typing import NamedTuple


class GroundLaw(NamedTuple):
    """A law of the ground, in lanes.

    Attributes:
        name: Of its module in this folder, and of the flag of `ROBOT` under which it is called.
        entry: Of the ledger, `FRICTION` or `DAMPING`: where its work goes. `KINETIC` of a law whose
            work is what kinetic energy of its own has lost: its `works` returns that energy.
        coefficients: Fields that it adds to `SURFACE`, for specs to set; if all of them but the
            shape are 0, the law is not needed.
        lanes: Fields that it adds to `BLOCK`, 0 at the beginning of a run and in idle lanes.
        shape: Coefficients that make no force if all others are 0.
    """

    name: str
    entry: str
    coefficients: str
    lanes: str
    shape: str = ""


# In the order in which they are called. What a field means is in docs/notation.md.
GROUND_LAWS = (
    GroundLaw(
        "added_mass",
        "KINETIC",
        "mass_along mass_across mass_spread",
        "added_a added_b added_w fluid_x fluid_y added_fx added_fy added_fw "
        "added_xx added_xy added_yy added_qx added_qy added_qw",
    ),
    GroundLaw(
        "viscous",
        "DAMPING",
        "along across turn spread",
        "along across turn excess_a excess_b excess_w",
    ),
    GroundLaw(
        "drag",
        "DAMPING",
        "drag_along drag_across drag_spread",
        "drag_a drag_b drag_w lag_a lag_b lag_w drag_fa drag_fb drag_fw drag_ca drag_cb drag_cw "
        "drag_qa drag_qb drag_qw",
    ),
    GroundLaw(
        "dry_friction",
        "FRICTION",
        "forward backward side",
        "forward backward axis side axis_inverse side_inverse largest dry_r dry_unit dry_scale "
        "old_x old_y holds fa fb caa cab cbb qa qb",
    ),
    GroundLaw("dry_torque", "FRICTION", "spin", "spin spin_r old_w fw cw qw"),
    GroundLaw(
        "dry_rectangle",
        "FRICTION",
        "rectangle_along rectangle_across",
        "box_a box_b box_ra box_rb box_pa box_pb box_fa box_fb box_ca box_cb box_qa box_qb",
    ),
    GroundLaw(
        "smooth_friction",
        "FRICTION",
        "smooth smooth_speed",
        "smooth_b smooth_e smooth_fx smooth_fy smooth_xx smooth_xy smooth_yy smooth_qx smooth_qy",
        shape="smooth_speed",
    ),
    GroundLaw(
        "support_friction",
        "FRICTION",
        "support_along support_across support_count",
        "support_a support_b support_r",
        shape="support_count",
    ),
)
