"""Controllers made of several parts, with parameters that were found to work."""

from __future__ import annotations

from serpenoid.control.feedback import (
    Adaptation,
    Follower,
    Heading,
    Recovery,
    References,
    SpreadLimit,
)
from serpenoid.control.paths import Guidance


def adaptive_path_following(path: Guidance) -> References:
    """Path following among pegs [liljeback2011] that works with contact on the outline.

    The controller of the paper with

    - a reference filter of 20 Hz instead of 0.75 Hz: with the slow one 4 of 20 fields are passed
      with links of radius 5 mm, and none with links of radius 20 mm;
    - servos of kp = 40 N m/rad, kd = 10 N m s/rad: the gains belong to the robot, so give it these;
    - a delay of 0.6 s instead of 0.7 s: a shorter wave, for links that are wide;
    - the adaptation limited to 23 deg, since the printed one can run away; without any adaptation
      no field is passed;
    - `SpreadLimit`, half a turn: the shape wanted never crosses itself; without it links cross in
      14 of 20 fields;
    - `Recovery`: a robot that has not advanced by 10 cm in 5 s backs out for 5 s; without it 17 of
      20 fields are passed instead of all.

    The robot trembles. With such a fast filter the loop through forces and references is a limit
    cycle, bounded by the limit of the adaptation, and this is what works the robot free of the
    pegs. In one field the median frequency of the joint rates is 15 Hz; 95 % of them are below 620
    deg/s, of the torques below 19 N m (the largest is 240), of the forces across links in contact
    below 590 N, all as means over 10 ms; the motors do 220 J of work per metre. The paper's
    controller with limited adaptation and contact at the centre has 0.1 Hz, 63 deg/s, 3 N m (8), 34
    N and 74 J/m in the same field. So this says that a path can be followed, not how a robot made
    of metal should do it.

    Meant for the robot of the paper, ten links of 0.14 m and 1 kg, with joint limits of 100 deg, in
    fields of 320 pegs of radius 0.05 m on 5 m by 4 m, at least 0.05 m apart. Tuned on the fields
    with seeds 1000 to 1019 and 2000 to 2019. On other fields it reached all five waypoints of the
    paper within 300 s, at 8 cm/s and with no link across another, in 20 of 20 (seeds 0 to 19) and
    18 of 20 (5000 to 5019) with links of radius 5 mm, in 20 and 17 with links of radius 20 mm.

    Args:
        path: Path to follow.

    Returns:
        The controller.
    """
    parts = (
        Follower(60.0, 40.0, delay=0.6),
        Adaptation(0.02, limit_deg=23.0),
        Heading(1.3, look_ahead=0.7, path=path),
        Recovery(distance=0.1, time=5.0, back=5.0),
        SpreadLimit(180.0),
    )
    return References(parts=parts, cutoff=20.0)
