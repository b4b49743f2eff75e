"""What the paper leaves open about pegs, wave and robot."""

from __future__ import annotations

from serpenoid.papers.readings import Choice, Reading, Setting, Unpublished

PEGS = Reading(
    "pegs",
    "radius of the pegs of VIII-D, m",
    (
        Choice(
            "0.125",
            "VIII-C: pegs are cut from a PVC pipe of 0.25 m outer diameter; VII-D, VIII-D: they "
            "are so large that they do not get stuck in the joints, while those of VIII-B, of 1 to "
            "3 cm, would; VIII-D calls the latter smaller",
            "VIII-D prints L_H = 0.0125 m",
        ),
        Choice(
            "0.0125",
            "VIII-D prints L_H = 0.0125 m",
            "VIII-C prints ten times as much; VIII-B: pegs of 1 to 3 cm would get stuck, and are "
            "smaller",
        ),
    ),
)
WAVE = Reading(
    "wave",
    "sign of the wave (71)",
    (
        Choice(
            "printed",
            "(71) with A_h = 40 deg, as VIII-B and VIII-D print it",
            "Fig. 10 and VIII-B: at 5.2 s only link 7 is pushed to -y; printed, it is to +y",
        ),
        Choice(
            "mirrored",
            "Fig. 10 and VIII-B: at 5.2 s only link 7 is pushed to -y",
            "(71) and A_h = 40 deg; the sign of the measured joint angles is not given",
        ),
    ),
)
LAYOUT = Reading(
    "layout",
    "where the pegs of VIII-B stand, whose positions are not printed",
    (
        Choice(
            "contact points",
            "VIII-D: contact points of VIII-B and VIII-D are at approximately the same position; "
            "pegs of 0.125 m, made smaller towards the robot, then have their centres close to the "
            "centre line, as VIII-B asks",
        ),
        Choice(
            "centre line",
            "VII-B: push-points on the centre line of the posture are best; VIII-B places its pegs "
            "by this",
            "VIII-D: the contact points are those of pegs that touch beside the centre line",
        ),
        Choice(
            "centres",
            "VIII-D is the only place that prints positions",
            "VIII-B: its pegs are placed by the shape of the robot",
        ),
    ),
)
RADII = Reading(
    "radii",
    "eight radii that VIII-B prints for seven pegs",
    (
        Choice(
            "first seven", "VIII-B: obstacles j = 1 to 7, in this order", "the eighth is left over"
        ),
        Choice("last seven", "VIII-B: any of the eight may be the one too many", "the order of j"),
    ),
)
PLAY = Reading(
    "play",
    "deadband of 2 to 3 deg in the gears of the robot",
    (
        Choice(
            "full width",
            "VIII-E: a deadband of about 2 to 3 deg, as a width",
            "VIII-E: the control of joint angles is not accurate by so much",
        ),
        Choice(
            "each way",
            "VIII-E: the joint may not reach its desired angle, by so much to either side",
            "a deadband is usually a width",
        ),
    ),
)
REFERENCES = Reading(
    "references",
    "joint angles that the robot is sent",
    (
        Choice(
            "10 Hz",
            "VIII-C: references are sent to the robot with a frequency of 10 Hz",
            "VIII-D: set to move by (71)",
        ),
        Choice(
            "continuous",
            "VIII-D: simulations and experiments are set to move by (71); VIII-E does not name the "
            "10 Hz among the causes of the gap",
            "VIII-C: a frequency of 10 Hz; what servos do in between is not said",
        ),
    ),
)
READINGS = (PEGS, WAVE, LAYOUT, RADII, PLAY, REFERENCES)

DELAY = Unpublished(
    "delay", "s", 0.05, 0.15, "VIII-E gives this range of the delay of a start, not that of the run"
)
DEADBAND = Unpublished(
    "deadband", "deg", 2.0, 3.0, "VIII-E gives this range of the play, not that of each joint"
)


def natural(setting: Setting) -> bool:
    """Whether layout and radius go together.

    Small pegs at the centres of pegs of 0.125 m have contact points elsewhere; at those of pegs of
    0.0125 m they have the same ones, which need no layout of their own.
    """
    excluded = {("0.125", "centres"), ("0.0125", "contact points")}
    return (setting["pegs"], setting["layout"]) not in excluded
