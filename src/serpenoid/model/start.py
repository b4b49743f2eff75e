"""How a run starts."""

from __future__ import annotations

from serpenoid.spec import Number, Point, Whole, spec


@spec
class Start:
    """Pose and velocity of the robot at the start.

    Attributes:
        x: Position of the centre of mass, or of the centre of `link` if that is given, m.
        y: Position of the centre of mass, or of the centre of `link` if that is given, m.
        heading_deg: Mean of the link angles, deg.
        link: Link whose centre is put at x, y; 0 is the tail.
        joint_angles_deg: Joint angles, deg, tail first; if not given, those of the gait at t = 0,
            or straight without a gait.
        velocity: Velocity of the centre of mass, m/s.
        spin_deg: Mean of the links' angular velocities, deg/s.
        joint_rates_deg: Joint rates, deg/s; if not given, joints are at rest, except that
            prescribed joints start at the commanded rate.
    """

    x: Number = 0.0
    y: Number = 0.0
    heading_deg: Number = 0.0
    link: Whole | None = None
    joint_angles_deg: tuple[Number, ...] | None = None
    velocity: Point = (0.0, 0.0)
    spin_deg: Number = 0.0
    joint_rates_deg: tuple[Number, ...] | None = None
