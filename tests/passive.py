"""Seeded random systems that nothing drives and that touch two or more things at the start."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

import serpenoid as sp
from tests.coils import gaps_between

Array = np.ndarray
# Newton to 1e-11 m/s, so that what contacts give is not hidden by its tolerance.
SHARP = sp.Newton(tolerance=1e-11)


@dataclass(frozen=True)
class Passive:
    """What `simulate` needs."""

    robot: sp.Robot
    world: sp.World
    start: sp.Start

    def run(self, duration: float, time_step: float = 1e-3) -> sp.Trajectory:
        """With a row for each step; of a run that stops, what there is."""
        try:
            return sp.simulate(
                self.robot,
                self.world,
                None,
                duration,
                start=self.start,
                time_step=time_step,
                record_period=time_step,
                solver=SHARP,
            )
        except sp.SimulationStopped as stopped:
            return stopped.run


def energy(run: sp.Trajectory) -> Array:
    """Kinetic and potential energy less what the errors of the steps gave, in every row, J."""
    c = run.columns
    given = c["energy_gravity"] + c["energy_numerical"]
    return c["energy_kinetic"] - given - c.get("energy_spring", 0.0)


def rises(run: sp.Trajectory) -> dict[str, float]:
    """Largest rise from row to row of energy, work of impacts, work of friction; of the energy."""
    c = run.columns
    scale = c["energy_kinetic"].max() + 1e-9
    columns = {
        "energy": energy(run),
        "impact": c["energy_impact"],
        "friction": c["energy_friction"],
    }
    return {name: float(np.diff(column).max() / scale) for name, column in columns.items()}


def errors(run: sp.Trajectory) -> float:
    """What the errors of all steps give and take, of the energy."""
    c = run.columns
    scale = c["energy_kinetic"].max() + 1e-9
    return float(np.abs(np.diff(c["energy_numerical"])).sum() / scale)


# ---------------------------------------------------------------------------------- the systems


@dataclass
class Room:
    """The outline of the robot at the start, and what has been put around it."""

    tails: Array  # (n, 2) ends of the straight outlines, m
    heads: Array
    radius: float
    taken: list[tuple[Array, float]]  # circles around pegs and loads, m
    walls: list[tuple[Array, float]]  # normals, and where along them the wall is, m

    def distance(self, point: Array) -> Array:
        """From a point to the axis of every link, (n,), m."""
        along = self.heads - self.tails
        size = np.maximum((along**2).sum(axis=1), 1e-300)
        s = np.clip(((point - self.tails) * along).sum(axis=1) / size, 0.0, 1.0)
        return np.linalg.norm(point - self.tails - s[:, None] * along, axis=1)

    def has_space(self, point: Array, reach: float, besides: int) -> bool:
        """Whether a circle is clear of all but one link, of what is there and of the walls."""
        clear = self.distance(point) - self.radius - reach
        clear[besides] = 1.0
        others = [np.linalg.norm(point - centre) - r - reach for centre, r in self.taken]
        walls = [at - normal @ point - reach for normal, at in self.walls]
        return min([*clear, *others, *walls]) > 1e-3

    def touch_point(self, random: np.random.Generator) -> tuple[int, Array, Array]:
        """A link, a point of its outline, m, and the normal there: of a side or of an end."""
        link = int(random.integers(len(self.tails)))
        axis = self.heads[link] - self.tails[link]
        turn = np.arctan2(axis[1], axis[0])
        if random.random() < 0.7:
            place = self.tails[link] + random.random() * axis
            angle = turn + random.choice([-0.5, 0.5]) * np.pi
        else:
            place, angle = self.heads[link], turn + random.uniform(-0.4, 0.4) * np.pi
        normal = np.array([np.cos(angle), np.sin(angle)])
        return link, place + self.radius * normal, normal


def random_law(random: np.random.Generator) -> sp.Contact:
    """With and without restitution and friction."""
    return sp.Contact(
        friction=random.choice([0.0, 0.0, 0.3, 1.0]) * random.random(),
        restitution=random.choice([0.0, 0.5, 1.0, random.random()]),
    )


def _peg_or_load(random: np.random.Generator, room: Room) -> sp.Peg | sp.Disc | sp.Box | None:
    link, point, normal = room.touch_point(random)
    size, law = random.uniform(0.005, 0.05), random_law(random)
    centre = point + (size + random.choice([0.0, 0.0, 1e-5])) * normal
    kind = random.integers(4)
    reach = size * np.sqrt(2.0) if kind == 3 else size
    if not room.has_space(centre, reach, link):
        return None
    clear = np.delete(room.distance(centre), link) - room.radius - reach
    if room.distance(centre)[link] < room.radius + size - 1e-9 or (clear < 0).any():
        return None
    room.taken.append((centre, reach))
    x, y = map(float, centre)
    if kind < 2:
        return sp.Peg(x, y, size, contact=law)
    more = {
        "mass": random.uniform(0.1, 2.0),
        "contact": law,
        "velocity": tuple(random.uniform(-0.5, 0.5, 2)),
        "friction": random.choice([0.0, 0.3]),
        "spin_deg": random.uniform(-200, 200),
    }
    if kind == 2:
        return sp.Disc(x, y, radius=size, **more)
    angle = np.degrees(np.arctan2(normal[1], normal[0]))
    return sp.Box(x, y, width=2 * size, height=2 * size, angle_deg=angle, **more)


def _wall(random: np.random.Generator, room: Room) -> sp.Wall | None:
    """A wall that leans on the robot."""
    angle = random.uniform(0, 2 * np.pi)
    normal = np.array([np.cos(angle), np.sin(angle)])
    along = np.array([-normal[1], normal[0]])
    at = float(np.max([room.tails @ normal, room.heads @ normal])) + room.radius
    if any(normal @ centre + r > at - 1e-3 for centre, r in room.taken) or room.walls:
        return None
    room.walls.append((normal, at))
    ends = [tuple(map(float, at * normal + s * along)) for s in (-5.0, 5.0)]
    return sp.Wall(points=tuple(ends), contact=random_law(random))


def folded_angles(random: np.random.Generator, robot: sp.Robot) -> tuple[float, ...] | None:
    """Joint angles, deg, at which the robot touches itself, if it does when it winds up."""
    lengths = np.array([link.length for link in robot.links])
    bend = random.choice([-1, 1]) * np.radians(random.uniform(40, 150, len(lengths) - 1))

    def gap(share: float) -> float:
        theta = np.concatenate([[0.0], np.cumsum(share * bend)])
        ends = np.cumsum(lengths * np.exp(1j * theta))
        middle = ends - 0.5 * lengths * np.exp(1j * theta)
        columns = {"x": middle.real, "y": middle.imag, "theta": theta}
        return float(gaps_between(robot, {name: row[None] for name, row in columns.items()})[0])

    first = next((share for share in np.linspace(0.0, 1.0, 101) if gap(share) < 0.0), None)
    if first is None:
        return None
    low, high = first - 0.01, first
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if gap(middle) > 0.0 else (low, middle)
    return tuple(np.degrees(low * bend).tolist())


def random_passive(seed: int) -> Passive:
    """One to six links with free joints between pegs, loads and walls.

    Some have limits, some touch themselves, and each touches two things or more.
    """
    random = np.random.default_rng(seed)
    n, radius = int(random.integers(1, 7)), random.uniform(0.01, 0.03)
    robot = sp.Robot.uniform(
        n,
        length=random.uniform(0.08, 0.2, n),
        mass=random.uniform(0.1, 2.0, n),
        radius=radius,
        actuator=sp.Free(),
        self_contact=random_law(random),
    )
    angles = folded_angles(random, robot) if n > 2 and random.random() < 0.5 else None
    folded = angles is not None
    if angles is None:
        angles = tuple(random.uniform(-40, 40, n - 1))
        joint = sp.Joint(sp.Free(), limits_deg=(-45.0, 45.0) if random.random() < 0.5 else None)
        robot = replace(robot, joints=(joint,) * (n - 1))
    start = sp.Start(heading_deg=random.uniform(-180, 180), joint_angles_deg=angles)
    rest = sp.simulate(robot, sp.World(), None, 1e-3, start=start, record_period=1e-3).columns
    half = np.array([link.straight_length / 2 for link in robot.links])
    axis = half[:, None] * np.stack([np.cos(rest["theta"][0]), np.sin(rest["theta"][0])], axis=1)
    centres = np.stack([rest["x"][0], rest["y"][0]], axis=1)
    room = Room(centres - axis, centres + axis, radius, [], [])
    # The robot itself is the second thing that a folded one touches.
    wanted, things = int(random.integers(1 if folded else 2, 5)), []
    while len(things) < wanted:
        put = _wall if random.random() < 0.2 else _peg_or_load
        thing = put(random, room)
        things += [] if thing is None else [thing]
    world = sp.World(
        random.choice([None, sp.Coulomb(0.2)]),
        pegs=tuple(t for t in things if isinstance(t, sp.Peg)),
        walls=tuple(t for t in things if isinstance(t, sp.Wall)),
        loads=tuple(t for t in things if isinstance(t, (sp.Disc, sp.Box))),
        slope_deg=random.choice([0.0, 0.0, 10.0]),
        slope_direction_deg=random.uniform(-180, 180),
    )
    speed = 10 ** random.uniform(-1.5, 0.5)
    start = replace(
        start,
        velocity=tuple(speed * random.uniform(-1, 1, 2)),
        spin_deg=300 * speed * random.uniform(-1, 1),
        joint_rates_deg=tuple(300 * speed * random.uniform(-1, 1, n - 1)),
    )
    return Passive(robot, world, start)
