"""Pictures of a run, row by row: one Matplotlib figure in which only what moves is drawn again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from serpenoid.analysis.following import find_path
from serpenoid.engine.trajectory import Trajectory
from serpenoid.kernels.layout import Floats
from serpenoid.plots import shapes
from serpenoid.plots.body import draw_path, draw_world, holding_words, round_below
from serpenoid.plots.style import BLUE, GREY, INK, LEGEND, PALE, VERMILION, house
from serpenoid.plots.viewer.scene import contact_reach, extent, waypoints

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection, PolyCollection

Pixels = npt.NDArray[np.uint8]

SLIPS, STICKS, OUTLINE = "#CCE3F0", BLUE, "#003959"
LOAD, LOAD_EDGE = "#F4D48C", "#735000"

_DPI = 120
# Room for numbers on the left and below, for time and legend above, pixels.
_LEFT, _RIGHT, _BELOW, _ABOVE = 44, 16, 26, 32
# Least width that has room for a legend beside the time, pixels.
_LEGEND_WIDTH = 520
# A robot shorter than this part of the width is followed by the camera.
_SHORTEST = 0.2
# Least length of a force, which would be an arrow without a shaft below, pixels.
_LEAST_FORCE = 4.0
_FORCE: dict[str, Any] = {
    "units": "dots",
    "width": 3.5,
    "headlength": 4,
    "scale_units": "dots",
    "scale": 1.0,
    "color": VERMILION,
    "edgecolor": "white",
    "linewidth": 0.4,
}


class Animation:
    """Draws rows of a run as pictures.

    The camera shows all of the run, or follows a robot that would be small in such a picture.

    Args:
        run: The run to draw.
        width: Width of the pictures, pixels.
        height: Height of the pictures, pixels; what the scene needs if None.
        live: Whether the run goes on while it is drawn, so that nothing can be scaled by its
            extremes: the camera follows the robot, and a force as large as the robot's weight is
            half as long as the robot.
    """

    def __init__(
        self, run: Trajectory, width: int, height: int | None = None, *, live: bool = False
    ) -> None:
        left, bottom, right, top = extent(run)
        across, high = width - _LEFT - _RIGHT, (height or width) - _BELOW - _ABOVE
        scale = min(across / (right - left), high / (top - bottom))
        needed = max(round((top - bottom) * scale) + _BELOW + _ABOVE, width // 3)
        self._follows = live or run.robot.length * scale < _SHORTEST * width
        if self._follows:
            scale, needed = width / 2 / run.robot.length, round(0.6 * width)
        height = height or needed
        self._scale, self._cell = scale, round_below(110 / scale)  # pixels per metre, metres
        self._half = np.array([across, height - _BELOW - _ABOVE]) / 2 / scale
        weight = run.robot.mass * run.world.gravity or 1.0
        reach = run.robot.length / 2 / weight if live else contact_reach(run)
        # Pixels per newton, and longest arrow.
        self._reach, self._longest = scale * reach, scale * run.robot.length / 2
        self.show(run)
        with house():
            self.axes = self._new_axes(width, height)
            self._look_at(np.array([left + right, bottom + top]) / 2)
            self._draw_world()
            still = sorted(self.axes.get_children(), key=lambda each: each.zorder)
            self._add_moving()
            moving = [each for each in self.axes.get_children() if each not in still]
            still.remove(self.axes.patch)
            self._drawn_again = [*still, *moving] if self._follows else moving
            if width >= _LEGEND_WIDTH:
                names = [name for name in ("contact_force", "load_force") if name in run.columns]
                self._add_legend(forces=live or any(run.columns[name].any() for name in names))
        for each in self._drawn_again:
            each.set_animated(True)
        self._canvas.draw()
        self._background = self._canvas.copy_from_bbox(self.axes.figure.bbox)

    def show(self, run: Trajectory) -> None:
        """Draw rows of another run of the same robot in the same world from now on."""
        self.run = run
        self._track, self._load_tracks = run.centre_of_mass(), shapes.load_tracks(run)

    def picture(self, row: int) -> Pixels:
        """Draw the robot in its world in one row.

        Args:
            row: Number of the row.

        Returns:
            Pixels, red, green and blue, (height, width, 3).
        """
        if self._follows:
            self._look_at(self._track[row])
        self._move(row)
        self._canvas.restore_region(self._background)
        for each in self._drawn_again:
            self.axes.draw_artist(each)
        pixels: Pixels = np.asarray(self._canvas.buffer_rgba())[..., :3].copy()
        return pixels

    def _look_at(self, middle: Floats) -> None:
        (left, bottom), (right, top) = middle - self._half, middle + self._half
        self.axes.set(xlim=(left, right), ylim=(bottom, top))

    def _new_axes(self, width: int, height: int) -> Axes:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        # A figure has the whole pixels of its size, which rounding must not make one less.
        figure = Figure(figsize=((width + 0.5) / _DPI, (height + 0.5) / _DPI), dpi=_DPI)
        self._canvas: Any = FigureCanvasAgg(figure)
        size = 1 - (_LEFT + _RIGHT) / width, 1 - (_BELOW + _ABOVE) / height
        return figure.add_axes((_LEFT / width, _BELOW / height, *size))

    def _draw_world(self) -> None:
        """What stands still, on a grid; the numbers of a grid that moves could not be read."""
        from matplotlib.ticker import MultipleLocator

        for axis in (self.axes.xaxis, self.axes.yaxis):
            axis.set_major_locator(MultipleLocator(self._cell))
        if self._follows:
            self.axes.tick_params(length=0, labelleft=False, labelbottom=False)
        self.axes.grid(color=PALE, lw=0.5)
        self.axes.set_axisbelow(True)
        draw_world(self.axes, self.run.world)
        if path := find_path(self.run):
            draw_path(self.axes, self.run, path)
        elif goals := waypoints(self.run):
            self.axes.plot(*np.transpose(goals), "s", ms=4, color=INK, zorder=7)

    def _add_moving(self) -> None:
        """What moves from row to row, and the time."""
        robot, ax = self.run.robot, self.axes
        self._loads, self._marks = self._polygons(LOAD, LOAD_EDGE), self._lines(LOAD_EDGE)
        self._load_lines, self._line = self._lines(LOAD_EDGE, "--"), self._lines(INK)
        self._links, self._head = self._polygons(SLIPS, OUTLINE), self._polygons(OUTLINE, OUTLINE)
        self._rolling, self._lifted = self._polygons(INK, INK), self._polygons("white", INK)
        # A thin head is not seen from afar, a dot is.
        size = 5 if robot.links[-1].radius * self._scale < 5 else 0
        (self._dot,) = ax.plot([], [], "o", ms=size, color=OUTLINE)
        self._arrows = self._most_arrows()
        self._forces = ax.quiver(*np.zeros((4, self._arrows)), **_FORCE)
        whole = ax.figure.transFigure
        self._time = ax.text(*self._header(_LEFT), "", va="center", transform=whole)

    def _most_arrows(self) -> int:
        """Most forces that a row may have: one on each link and load, or two of each contact."""
        run = self.run
        touched = np.unique(run.contacts.time, return_counts=True)[1].max(initial=0)
        return int(max(len(run.robot.links) + len(run.world.loads), 2 * touched))

    def _polygons(self, face: str, edge: str) -> PolyCollection:
        from matplotlib.collections import PolyCollection

        polygons = PolyCollection([], facecolors=[face], edgecolors=[edge], lw=0.8)
        self.axes.add_collection(polygons, autolim=False)
        return polygons

    def _lines(self, colour: str, style: str = "-") -> LineCollection:
        from matplotlib.collections import LineCollection

        lines = LineCollection([], colors=[colour], linestyles=style, lw=0.8)
        self.axes.add_collection(lines, autolim=False)
        return lines

    def _add_legend(self, forces: bool) -> None:
        """What colours mean, the size of the grid and the scale of forces, if there are any."""
        from matplotlib.patches import Patch

        # Seen from the side there is no ground under all of a link, on which it could stick.
        flat = self.run.world.plane == "horizontal"
        looks = [(SLIPS, "slips"), (STICKS, holding_words(self.run.robot))] if flat else []
        handles = [Patch(fc=face, ec=OUTLINE, lw=0.8, label=words) for face, words in looks]
        handles.append(Patch(fc="none", ec=GREY, lw=0.5, label=f"grid {self._cell:g} m"))
        place: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": self._header(_LEFT + 66)}
        self.axes.figure.legend(handles=handles, ncols=3, **place, **LEGEND)
        if forces:
            size = round_below(90 / self._reach)
            look: dict[str, Any] = {"labelpos": "E", "coordinates": "figure"}
            length, words = size * self._reach, f"{size:g} N"
            self.axes.quiverkey(self._forces, *self._header(-60), length, words, **look)

    def _header(self, column: int) -> tuple[float, float]:
        """Place in the middle of the header, a number of pixels from the left, or the right."""
        width, height = self._canvas.get_width_height()
        return column % width / width, 1 - _ABOVE / 2 / height

    def _move(self, row: int) -> None:
        """Put everything where it is in a row."""
        run, links = self.run, shapes.outlines(self.run, row)
        self._time.set_text(f"{run.time[row]:.2f} s")
        self._line.set_segments([self._track[: row + 1]])
        self._links.set_verts(list(links))
        sticking = run.columns["sticking"][row]
        self._links.set_facecolor([STICKS if sticks else SLIPS for sticks in sticking])
        # An outline begins with its cap in front.
        cap = links[-1][: links.shape[1] // 2]
        self._head.set_verts([cap])
        self._dot.set_data(*np.split(cap[[0, -1]].mean(axis=0), 2))
        self._rolling.set_verts(list(shapes.wheels(run, row, lifted=False)))
        self._lifted.set_verts(list(shapes.wheels(run, row, lifted=True)))
        if run.world.loads:
            self._loads.set_verts(list(shapes.load_outlines(run, row)))
            self._marks.set_segments(list(shapes.load_marks(run, row)))
            self._load_lines.set_segments(list(self._load_tracks[: row + 1].swapaxes(0, 1)))
        self._move_forces(row)

    def _move_forces(self, row: int) -> None:
        bases, forces = (
            np.pad(each, ((0, self._arrows - len(each)), (0, 0)))
            for each in shapes.contact_arrows(self.run, [row])
        )
        length = np.maximum(self._reach * np.hypot(*forces.T), 1e-300)
        shown = np.where(length < _LEAST_FORCE, np.nan, np.minimum(1.0, self._longest / length))
        self._forces.set_offsets(bases)
        self._forces.set_UVC(*(self._reach * shown * forces.T))
