"""How a run starts."""

from __future__ import annotations

from serpenoid.spec import Number, Point, Whole, spec


@spec
class Start:
    """Where and how the robot starts.

    x, y: position of the centre of mass, or of a link's centre if `link` is given, m.
    heading_deg: mean of the link angles. joint_angles_deg: the shape; the gait's at t = 0 if not
    given, straight without a gait. velocity: of the centre of mass, m/s; spin_deg: mean of the
    links' angular velocities, deg/s; joint_rates_deg: at rest if not given, except that prescribed
    joints start at the rate they are commanded.
    """

    x: Number = 0.0
    y: Number = 0.0
    heading_deg: Number = 0.0
    link: Whole | None = None
    joint_angles_deg: tuple[Number, ...] | None = None
    velocity: Point = (0.0, 0.0)
    spin_deg: Number = 0.0
    joint_rates_deg: tuple[Number, ...] | None = None
