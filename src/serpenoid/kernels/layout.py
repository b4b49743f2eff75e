"""The records that go in and out of the kernels.

Records of links, joints and contacts hold what they are and their state; the default step works in
blocks of lanes, which are filled from them and emptied into them (see `lanes`). SI units; impulses
are N s, angular impulses N m s.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from serpenoid.kernels.laws import GROUND_LAWS

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
# A record array, or a slice of one, and one element of it: their fields are known to Numba, not to
# the type checker.
Records = Any
Item = Any

# Kinds of actuator and of joint reference, chosen by a small integer.
SERVO, TORQUE, PRESCRIBED, FREE, ELASTIC = 0, 1, 2, 3, 4
HELD, SERPENOID, PEDAL = 0, 1, 2
# What carries a link: the ground, wheels, or nothing where these are lifted.
NO_WHEELS, WHEELS, LIFTED = 0, 1, 2
# Kinds of body wave of a compiled controller.
NO_WAVE, GAIT, FOLLOWER, LEADER = 0, 1, 2, 3

# Why a step or a run ended.
DONE, NO_CONVERGENCE, NOT_FINITE, CONTACTS_FULL, TOO_DEEP, TOO_FAST, TOO_ROUGH = range(7)
# Of an impact that is not needed, and of a step that needs one first or an impact that may need
# another.
NOTHING_STRUCK, STRUCK = 7, 8
# Of a step or an impact in which contacts would create energy.
CREATES_ENERGY = 9
# In place of the coefficient of an impact, where there is none.
NO_IMPACT = -1.0

# A contact is known by its obstacle: that many for each load, item or link; of links these.
CODES, LINK_CODES = 8, 4

# Which law a step failed on.
NO_LAW, GROUND_LAW, CONTACT_LAW, LIMIT_LAW = 0, 1, 2, 3

# Entries of the energy ledger, J. Work done on the robot since the start, but for KINETIC and, part
# of it, ROTOR: that of the rotors' turning. SPRING is work of the joints' springs.
ACTUATOR, FRICTION, IMPACT, DAMPING, GRAVITY, NUMERICAL, RESIDUAL, KINETIC = range(8)
SPRING, CONTACT_SPRING, CONTACT_DAMPER, ROTOR = range(8, 12)
LEDGER_SIZE = ROTOR + 1

# Entries of the certificate: how far the rows of a record interval can be trusted.
ITERATIONS, UPDATES, LAW_RESIDUAL, PENETRATION, HINGE_GAP, ENERGY_RESIDUAL, HALVINGS = range(7)
# The same of methods that integrate in time: steps, located events, contact modes left unresolved.
INTEGRATOR_STEPS, EVENTS, UNRESOLVED = range(7, 10)
CERTIFICATE_SIZE = UNRESOLVED + 1


def _record(floats: str, ints: str = "", flags: str = "") -> np.dtype[np.void]:
    """A record of numbers."""
    fields: list[tuple[str, type]] = [(name, np.float64) for name in floats.split()]
    fields += [(name, np.int64) for name in ints.split()]
    fields += [(name, np.bool_) for name in flags.split()]
    return np.dtype(fields, align=True)


# What a link is and its state, tail first; a load is a link of its own: its outline is in LOAD,
# `radius` that of the circle about it.
LINK = _record(
    # What it is, rotor at its head end included; from its centre of mass to the hinges behind and
    # ahead, to the ends of the straight outline and to its middle; radius of the outline; half
    # the length from hinge to hinge.
    "mass inertia back front rear fore middle radius half "
    # State: angle, velocity, acceleration, scaled ground friction multipliers.
    "theta vx vy omega ax ay aw dry_x dry_y dry_w "
    # Contact impulses since the controller's last tick.
    "tick_x tick_y "
    # Direction and centre; of a load the centre is part of the state.
    "ex ey x y "
    # Hybrid and explicit: bounds of dry friction, their largest, viscous coefficients; how far it
    # may travel with the contacts found; impulses of the step.
    "forward backward side spin largest along across turn "
    "margin contact_x contact_y friction_x friction_y "
    # Sideways friction of its wheels; infinite: ideal.
    "grip",
    # What carries it; its contacts (explicit).
    ints="wheel first last",
    # Whether ground friction holds it.
    flags="sticking",
)

JOINT = _record(
    # Servo gains, full width of the deadband (rad), limits.
    "kp kd torque_limit deadband lower upper "
    # State: multiplier of the limit, > 0 at the lower one; angle and rate of the rotor, through the
    # gear; spatial frequency of a pedal wave and its rate.
    "limit psi psi_rate eta eta_rate "
    # Command of a controller and its time; reference; actuator impulse of the step.
    "angle rate torque tick wanted wanted_rate impulse "
    # Spring (infinite: none) and rotor of a series-elastic joint: N m/rad, kg m2, gear ratio.
    "spring rotor ratio "
    # The step of a limit: rates at the limits, stiffness, multiplier, impulse and curvature of its
    # piece, impulse after the sweep.
    "low high r p f c q "
    # The step of a series-elastic joint: its length, motor torque s0 - s1 v, spring torque
    # c0 + c1 (rate - v), rate of the link that carries the rotor before it, rotor's rate after.
    "h s0 s1 c0 c1 w0 v",
    # Kind of actuator; piece of the torque of a series-elastic motor.
    ints="actuator piece",
)

CONTACT = _record(
    # Gap, normal from obstacle to link, levers of normal and tangent about the link's centre, and
    # about that of the link or load it is with.
    "gap nx ny ln lt mn mt "
    # Least admissible normal velocity, coefficients; mass of the lighter of the two; spring (N/m)
    # and damper (N s/m) of a compliant contact, and its curvature while it pushes.
    "rate friction restitution mass k d r "
    # Multipliers; impulse and curvature of the piece each law is on; impulses after the sweep;
    # impulses of the last step that was accepted.
    "pn pt fn cn ft ct qn qt kept_n kept_t "
    # Normal impulse that bounds the friction, how far it was off, how much of that is made up for.
    "cap miss gain "
    # Hybrid: normal and sliding velocity, what their accelerations have besides those of the
    # coordinates; sliding velocity that is stick.
    "vn vt bias_n bias_t stick",
    # The side of the peg the link is on, where contact is at the link's centre; mode (hybrid); the
    # load it is with, or -1; lanes of both, the other that of a load or link it is with, or -1.
    ints="link obstacle side mode other lane other_lane",
    # Whether it could be reached in this step; what it does; the same of the last step that was
    # accepted; whether it is with the terrain; whether it yields.
    flags="near pushes grips kept kept_grips ground soft",
)

# A contact in a row of the record: where its link or load was touched last and the normal there;
# impulses along normal and tangent since the last row, N s, forces, N, once the row is written.
TOUCH = _record(
    "x y nx ny normal_x normal_y tangent_x tangent_y",
    # Number of the row; body and obstacle as in CONTACT; the link or load it is with, links first,
    # or -1.
    ints="row link obstacle other",
    flags="ground sticks",
)

# A peg, or a corner of a wall: of no size, felt only where it is what is nearest of the wall, that
# is, behind the two walls that leave it in the directions a and b. k, d: as of a contact, 0 of what
# is hard.
DISC = _record("x y radius friction restitution k d ax ay bx by")
SEGMENT = _record("x1 y1 x2 y2 friction restitution k d")
GRID = _record("x y cell", ints="columns rows")
# Half the sides of a load and what its outline reaches beyond them, dry friction with the ground,
# coefficients of contact.
LOAD = _record("half_width half_height radius mu friction restitution")
# A point that a link or load stands on, see `laws.support_friction`.
SUPPORT = _record(
    # Its place along and across the body, from the centre of mass, m; its share of the weight.
    "a b share "
    # State: scaled multipliers.
    "pa pb "
    # The step: half axes of the reservoir, stiffness, multipliers, impulse and curvature of its
    # piece, scaled impulse after the sweep.
    "da db r old_a old_b fa fb caa cab cbb qa qb",
    # Link or load, links first, and the number of its lane.
    ints="body lane",
    # State: whether it stuck; whether the piece is that of stick.
    flags="sticking holds",
)
# A piece of terrain, left to right, its direction, its height per x; whether its first point is a
# corner or a hollow.
GROUND = _record("x1 y1 x2 y2 tx ty length slope friction", flags="corner hollow")
# Mass of a link, for laws per mass, and coefficients of the ground's laws on it. Those of dry
# friction are per weight; the viscous torque is per rate turn + spread length^2, that of drag per
# squared rate drag_spread length^3; the added moment of inertia is mass_spread length^2.
SURFACE = _record("mass " + " ".join(law.coefficients for law in GROUND_LAWS))
PATCH = _record("x y half_width half_height cos sin")


class PackedWorld(NamedTuple):
    """The plane, obstacles and loads."""

    centre: bool  # contact acts at the links' centres, not on their outline
    pull_x: float  # gravity along the plane, m/s2
    pull_y: float
    normal: float  # gravity into the plane, m/s2
    surfaces: Records  # SURFACE (p + 1, n), under each link; row k + 1 is that of patch k
    patches: Records  # PATCH
    discs: Records  # DISC: pegs, and wall corners of zero radius
    segments: Records  # SEGMENT
    grid: Records  # GRID, one element
    start: Ints  # (cells + 1,) where a cell's list begins in `items`
    items: Ints  # disc index, or number of discs + segment index
    ground: Records | None  # GROUND, the terrain; None for bare robots
    top: float  # its greatest height, m
    hard: bool  # the terrain cannot be entered
    thin: bool  # terrain touches the axes of the links, not their outline
    k: float  # spring of the terrain, N/m
    d: float  # its damper, N s/m
    restitution: float  # of hard terrain


class Loops(NamedTuple):
    """Loads that a step couples to links or to each other, m at most: see `loops`."""

    order: Ints  # (l,) loads from left to right
    widest: Floats  # (1,) how far a load may be from the middle of what it touches, m
    slot: Ints  # (l,) number of a load among those that are coupled, or -1
    coupled: Ints  # (m + 1,) loads that are coupled; at the end, how many
    touched: Flags  # (m,) whether a coupled load touches a link
    response: Floats  # (3 m, n, 3) Newton step of the links per velocity of a coupled load
    matrix: Floats  # (3 m, 3 m) of the coupled loads, then its Cholesky factor, lower
    first: Ints  # (3 m,) column a row of it begins with
    step: Floats  # (3 m,) right side, then their Newton step


class SelfContacts(NamedTuple):
    """Links of one robot that touch each other, m rows of contacts at most: see `self_contacts`."""

    active: bool  # whether they do
    friction: float  # coefficients of these contacts
    restitution: float
    begin: Ints  # (n + 1,) where the pairs of a link with those ahead of it begin
    ahead: Ints  # (p,) the other link of each pair that is near
    gaps: Floats  # (p,) how far they were apart when surveyed, m
    clear: Floats  # (n,) how far each link was from those that are not its neighbours, m
    rows: Ints  # (m + 1,) rows that act: 2 contact, + 1 of friction; at the end, how many
    response: Floats  # (m, n, 3) Newton step of the links per impulse of a row
    matrix: Floats  # (m, m) of the impulses, then its Cholesky factor, lower
    first: Ints  # (m,) column a row of it begins with: 0
    step: Floats  # (m,) right side, then the impulses


class Body(NamedTuple):
    """The robot and the loads, all their next step depends on, and the scratch of the step."""

    bodies: Records  # LINK (n + l,) links and loads
    links: Records  # LINK (n,), part of the same memory
    loads: Records  # LINK (l,), part of the same memory
    shapes: Records  # LOAD (l,)
    loops: Loops | None  # None for bare robots, see `PreparedRun.completed`
    self_contacts: SelfContacts | None  # None if links cannot touch each other
    supports: Records | None  # SUPPORT (s,), of links and loads; None for bare robots
    joints: Records  # JOINT (n-1,)
    contacts: Records  # CONTACT (c,) of the step being solved
    previous: Records  # CONTACT (c,) of the step before; of the default step, see `collide`
    spare: Records  # CONTACT (c,)
    counts: Ints  # (2,) how many contacts, how many before
    step: Ints  # (1,) steps of dt done
    com: Floats  # (4,) centre of mass, and the one to return to
    last: Floats  # (2,) length of the last step, time of the last command, s
    # (4,) a step under way: into how many pieces it is cut, how many of them are done, how many
    # impacts there were before the next one, whether they have cleared it
    pieces: Ints
    # (4,) link, load or joint and law with the largest residual; of a contact, lane of the other
    # body, or -1, and obstacle, or -1 for terrain
    blame: Ints
    ledger: Floats  # (LEDGER_SIZE,)
    memory: Floats  # of the compiled controller, see Control
    blocks: Records  # BLOCK, see `lanes`: links, then loads
    robot: Records  # ROBOT, one element
    works: Floats  # (LEDGER_SIZE,) works of the step being solved, J
    rotors: Ints | None  # joints with rotors; None for bare robots
    added: Floats | None  # commands on top of a controller's, see `added`; None for bare robots


class PackedGait(NamedTuple):
    """The joint reference: in closed form, or held in the joints since a controller's tick."""

    kind: int
    amplitude: float  # rad
    frequency: float  # rad/s
    # rad from one joint to the next, counted from the head; a pedal wave has one for each joint,
    # counted from the tail, which the joints hold
    phase: float
    offset: float  # rad
    start: float  # rad
    delay: float  # s


HELD_GAIT = PackedGait(HELD, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


# What a compiled controller remembers comes in this order: which controller it is, ticks done,
# number of the next waypoint, direction of the path, where the leg began, state of the noise; where
# and when the robot last got on, when it stops backing out (0 if it does not back out); when each
# waypoint was reached, s; if it resolves jams, the heading when the robot last got on, when the
# resolution ends (0 if there is no jam), for how many ticks the wave has stood still; past joint
# angles (lag, n-1); filtered references and rates (n-1, 2); readings (sensor_lag, n); parts of the
# references (n-1, PARTS).
OWNER, TICKS, WAYPOINT, PATH_ANGLE, LEG_X, LEG_Y, NOISE = range(7)
MARK_X, MARK_Y, MARK_TIME, BACK_UNTIL, MEMORY_HEAD = range(7, 12)
MARK_HEADING, RESOLVE_UNTIL, PAUSED = range(3)
JAM_SIZE = 3
# Parts of a reference, as a controller that ticks keeps them and as they are recorded.
WAVE_PART, ADAPTATION_PART, HEADING_PART, ADDED_PART = range(4)
WAVE_RATE = ADDED_PART
PARTS = 4
# Commands on top of a controller's begin with their time, see `added`.
ADDED_HEAD = 1


class Control(NamedTuple):
    """A compiled controller: parts of the joint reference that add up."""

    ticks: int  # steps from tick to tick, 0 without a controller
    period: float  # s
    wave: int
    gait: PackedGait  # of the wave GAIT
    amplitude: float  # of the head link's swing, rad
    frequency: float  # rad/s
    lag: int  # ticks the follower is behind, plus one
    adaptation: float  # rad/N
    adaptation_limit: float  # rad
    heading: float  # rad/rad
    look_ahead: float  # m
    jam_distance: float  # a robot that gets on by less is jammed, m
    jam_time: float  # within this time, s; 0 if jams are not looked for
    back_time: float  # it backs out for this time, s
    jam_turn: float  # one whose heading turns by more is not jammed, rad
    resolution: float  # the wave stands still and links turn for this time, s; 0 if they do not
    admittance: float  # rad/s2 of spatial frequency per N m of spring torque; see `Admittance`
    admittance_damping: float  # 1/s
    admittance_stiffness: float  # 1/s2
    phases: Floats  # (n-1,) nominal spatial frequencies; empty without an admittance, rad
    spread: float  # of the wanted directions of the links, rad
    cutoff: float  # of the reference filter, rad/s; 0 without one
    path: Floats  # (k, 2) waypoints, m
    from_start: bool  # the first leg begins where the robot does
    acceptance: float  # m
    noise: float  # of the contact sensor, N
    quantum: float  # N
    sensor_lag: int  # ticks the reading is old, plus one


NO_CONTROL = Control(
    ticks=0,
    period=1.0,
    wave=NO_WAVE,
    gait=HELD_GAIT,
    amplitude=0.0,
    frequency=0.0,
    lag=1,
    adaptation=0.0,
    adaptation_limit=0.0,
    heading=0.0,
    look_ahead=1.0,
    jam_distance=0.0,
    jam_time=0.0,
    back_time=0.0,
    jam_turn=np.inf,
    resolution=0.0,
    admittance=0.0,
    admittance_damping=0.0,
    admittance_stiffness=0.0,
    phases=np.zeros(0),
    spread=np.inf,
    cutoff=0.0,
    path=np.zeros((0, 2)),
    from_start=False,
    acceptance=0.0,
    noise=0.0,
    quantum=0.0,
    sensor_lag=1,
)


class Drive(NamedTuple):
    """Actuators, gait and controller of a robot."""

    gait: PackedGait
    control: Control | None  # None for bare robots


def added_size(links: int) -> int:
    """How many numbers commands on top of the controller of so many links are."""
    return ADDED_HEAD + 3 * (links - 1) + 2 * links


def memory_size(control: Control, joints: int) -> int:
    """Number of values in the memory of a compiled controller."""
    size = MEMORY_HEAD + len(control.path) + control.lag * joints + 2 * joints
    size += JAM_SIZE if control.resolution > 0.0 else 0
    return size + control.sensor_lag * (joints + 1) + PARTS * joints


class NewtonOptions(NamedTuple):
    """Options of the default step."""

    tolerance: float  # m/s, on the residual of every law
    force_tolerance: float  # on ground friction, in units of its bound
    stiffness: float  # multiplier stiffness r in units of the link's mass
    max_iterations: int
    max_updates: int
    max_halvings: int
    max_penetration: float  # m, a step that ends deeper is halved


class ContactLog(NamedTuple):
    """The contacts of all rows, one after the other."""

    touches: Records  # TOUCH (t,), at the end those since the last row; (0,): not asked for
    counts: Ints  # (2,) how many of them are in rows, how many there are


class RunRecord(NamedTuple):
    """Record of a run: one row per record interval, and the sums of the current one."""

    rows: Ints  # (1,) rows written
    time: Floats  # (k,)
    pose: Floats  # (k, n + l, 3) x, y, theta of links and loads
    velocity: Floats  # (k, n + l, 3)
    force: Floats  # (k, n + l, 4) contact x, y, ground friction x, y; means over the interval
    sticking: Flags  # (k, n + l)
    torque: Floats  # (k, n-1) mean over the interval
    reference: Floats  # (k, n-1) wanted joint angle
    rotor: Floats  # (k, n-1, 2) angle and rate of the rotors; (k, 0, 2) without springs
    spring: Floats  # (k, n-1) spring torque; (k, 0) without springs
    spatial: Floats  # (k, n-1) spatial frequency of a pedal wave; (k, 0) of other references
    # (k, n-1, 4) parts of the wanted angle; (k, 0, 4) if it is no sum, None for bare robots
    parts: Floats | None
    ledger: Floats  # (k, LEDGER_SIZE)
    certificate: Floats  # (k, CERTIFICATE_SIZE)
    window_force: Floats  # (n + l, 4)
    window_torque: Floats  # (n-1,)
    window_certificate: Floats  # (CERTIFICATE_SIZE,)
    contacts: ContactLog | None  # None for bare robots
