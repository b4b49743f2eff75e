"""Pictures of single rows of a run."""

from __future__ import annotations

import math

import numpy as np
from PIL import Image

from serpenoid.engine.trajectory import Floats, Trajectory
from serpenoid.model.world import Patch
from serpenoid.plots.body import outlines, round_below, terrain_line
from serpenoid.plots.gif import pen as ink
from serpenoid.plots.gif.pen import FINE, Pen, View, arrow, words
from serpenoid.plots.load_figures import load_marks, load_outlines, load_tracks
from serpenoid.plots.viewer.scene import contact_reach, extent, guidance
from serpenoid.plots.wheels import holding_words, wheels

# A robot that would be shorter than this part of the picture is followed from near by.
_SHORTEST = 0.2
# Room beside, above and below the scene, finished pixels.
_SIDE, _HEADER, _FOOTER = 12, 40, 44


class Stage:
    """The camera on a run, and the pictures it takes; width: finished pixels.

    live: the run is not over, and must not change how large things are drawn. The robot is followed
    from near by, and a force as large as its weight is half as long as the robot.
    """

    def __init__(self, run: Trajectory, width: int, *, live: bool = False) -> None:
        self.run = run
        self.path = run.centre_of_mass()
        self.load_paths = load_tracks(run)
        weight = run.robot.mass * run.world.gravity or 1.0
        self.reach = run.robot.length / 2 / weight if live else contact_reach(run)
        self.guidance = guidance(run)
        self.pegs = np.array([(peg.x, peg.y, peg.radius) for peg in run.world.pegs]).reshape(-1, 3)
        left, bottom, right, top = extent(run)
        room = width - 2 * _SIDE, width - _HEADER - _FOOTER
        scale = FINE * min(room[0] / (right - left), room[1] / (top - bottom))
        height = max(round((top - bottom) * scale / FINE) + _HEADER + _FOOTER, width // 3)
        self.follow = live or run.robot.length * scale < _SHORTEST * FINE * width
        if self.follow:
            scale, height = FINE * width / 2 / run.robot.length, round(0.6 * width)
        middle = (left + right) / 2, (bottom + top) / 2
        self.view = View(middle, scale, (FINE * width, FINE * height))
        self.cell = round_below(FINE * 110 / scale)
        self.scenery = self._scenery(self.view)

    def draw(self, row: int) -> Image.Image:
        """The robot in its world in one row, FINE times as large as asked for."""
        view = self.view
        if self.follow:
            view = View(tuple(self.path[row]), view.scale, view.size)
        picture = self._scenery(view) if self.follow else self.scenery.copy()
        pen = Pen(picture, view)
        self._draw_loads(pen, row)
        if row > 0:
            pen.line(self.path[: row + 1], ink.TRAIL, 1.5)
        self._draw_body(pen, row)
        self._draw_forces(pen, row)
        self._draw_margins(pen, row)
        return picture

    def _scenery(self, view: View) -> Image.Image:
        """What stands still as long as the camera does."""
        picture = Image.new("RGB", view.size, ink.PAPER)
        pen = Pen(picture, view)
        world = self.run.world
        for patch in world.patches:
            pen.area(_corners(patch), ink.PATCH)
        self._draw_grid(pen)
        line = terrain_line(world, reach=2 * float(np.abs(extent(self.run)).max()) + 10.0)
        if len(line):
            deep = line[[-1, 0]] * (1, 0) + (0, line[:, 1].min() - 10.0)
            pen.area(np.concatenate([line, deep]), ink.PATCH)
            pen.line(line, ink.OBSTACLE, 1.5)
        for wall in world.walls:
            pen.line(wall.points, ink.OBSTACLE, 2.5)
        for x, y, radius in self._pegs_near(view):
            pen.disc((x, y), radius, ink.OBSTACLE)
        self._draw_path(pen)
        return picture

    def _draw_path(self, pen: Pen) -> None:
        """Legs, waypoints and the circles in which they count as reached."""
        if self.guidance["legs"]:
            pen.dashes(self.guidance["legs"], ink.GOAL, dash=6, gap=5)
        for goal in self.guidance["waypoints"]:
            if self.guidance["acceptance"] > 0:
                pen.ring(goal, self.guidance["acceptance"], ink.GOAL)
            pen.square(goal, ink.GOAL)

    def _pegs_near(self, view: View) -> Floats:
        """The pegs in the picture, of perhaps very many: (k, 3), x, y and radius in m."""
        reach = np.array(view.size) / 2 / view.scale + self.pegs[:, 2:]
        seen: Floats = self.pegs[(np.abs(self.pegs[:, :2] - view.middle) < reach).all(axis=1)]
        return seen

    def _draw_grid(self, pen: Pen) -> None:
        """Lines exactly one finished pixel wide."""
        view = pen.view
        for axis in (0, 1):
            half = view.size[axis] / 2 / view.scale
            low, high = view.middle[axis] - half, view.middle[axis] + half
            for k in range(math.ceil(low / self.cell), math.floor(high / self.cell) + 1):
                pixel = FINE * round(float(view.at([k * self.cell] * 2)[axis]) / FINE)
                box = [0, 0, *view.size]
                box[axis], box[axis + 2] = pixel, pixel + FINE - 1
                pen.draw.rectangle(box, ink.GRID)

    def _draw_loads(self, pen: Pen, row: int) -> None:
        for shape, mark in zip(
            load_outlines(self.run, row), load_marks(self.run, row), strict=True
        ):
            pen.area(shape, ink.LOAD, ink.LOAD_EDGE)
            pen.line(mark, ink.LOAD_EDGE, 1.25)
            pen.disc(mark[0], 0.0, ink.LOAD_EDGE, smallest=2.5)
        for track in self.load_paths[: row + 1].swapaxes(0, 1):
            pen.dashes(track, ink.LOAD_EDGE, dash=5, gap=3)

    def _draw_body(self, pen: Pen, row: int) -> None:
        shapes = outlines(self.run, row)
        for shape, sticks in zip(shapes, self.run.columns["sticking"][row], strict=True):
            pen.area(shape, ink.STICK if sticks else ink.SLIP, ink.OUTLINE)
        # An outline begins with its cap in front; from afar a dot shows better.
        cap = shapes[-1][: shapes.shape[1] // 2]
        pen.area(cap, ink.OUTLINE, ink.OUTLINE)
        if self.run.robot.links[-1].radius * pen.view.scale < 5 * FINE:
            pen.disc((cap[0] + cap[-1]) / 2, 0.0, ink.OUTLINE, smallest=4)
        for lifted, face in ((False, ink.INK), (True, ink.PAPER)):
            for wheel in wheels(self.run, row, lifted=lifted):
                pen.area(wheel, face, ink.INK)

    def _draw_forces(self, pen: Pen, row: int) -> None:
        longest = self.run.robot.length / 2
        columns = self.run.columns
        centres = np.stack([columns["x"][row], columns["y"][row]], axis=1)
        pairs = [*zip(centres, columns["contact_force"][row], strict=True)]
        if self.run.world.loads:
            pairs += zip(self.load_paths[row], columns["load_force"][row], strict=True)
        for centre, force in pairs:
            size = max(math.hypot(*force) * self.reach, 1e-300)
            pen.arrow(centre, centre + min(1.0, longest / size) * self.reach * force)

    def _draw_margins(self, pen: Pen, row: int) -> None:
        """Time and colours above, scales of lengths and forces below."""
        draw, height = pen.draw, pen.view.size[1]
        side, top, base = 14 * FINE, 20 * FINE, height - 14 * FINE
        words(draw, side, top, f"{self.run.time[row]:.2f} s")
        x = side + 76.0 * FINE
        # Seen from the side there is no ground under all of a link, on which it could stick.
        flat = self.run.world.plane == "horizontal"
        holds = holding_words(self.run.robot)
        for text, colour in (("slips", ink.SLIP), (holds, ink.STICK)) if flat else ():
            box = (x, top - 5 * FINE, x + 20 * FINE, top + 5 * FINE)
            draw.rounded_rectangle(box, 5 * FINE, colour, ink.OUTLINE, FINE)
            x = words(draw, x + 26 * FINE, top, text) + 16 * FINE
        end = side + self.cell * pen.view.scale
        bar = [(side, base - 5 * FINE), (side, base), (end, base), (end, base - 5 * FINE)]
        draw.line(bar, ink.INK, round(1.5 * FINE))
        words(draw, side, base - 14 * FINE, _length(self.cell))
        names = [name for name in ("contact_force", "load_force") if name in self.run.columns]
        if any(self.run.columns[name].any() for name in names):
            per_newton = self.reach * pen.view.scale
            force = round_below(90 * FINE / per_newton)
            start = max(end, side + 60 * FINE) + 22 * FINE
            arrow(draw, np.array([start, base]), np.array([start + force * per_newton, base]))
            words(draw, start, base - 14 * FINE, f"{force:g} N")


def _corners(patch: Patch) -> Floats:
    """Corners of a patch, (4, 2), m."""
    angle = math.radians(patch.angle_deg)
    along = np.array([math.cos(angle), math.sin(angle)]) * patch.width / 2
    across = np.array([-math.sin(angle), math.cos(angle)]) * patch.height / 2
    signs = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    corners: Floats = np.array([patch.x, patch.y]) + signs @ np.array([along, across])
    return corners


def _length(metres: float) -> str:
    for factor, unit in ((1, "m"), (100, "cm")):
        if factor * metres > 0.99:
            return f"{factor * metres:g} {unit}"
    return f"{1000 * metres:g} mm"
