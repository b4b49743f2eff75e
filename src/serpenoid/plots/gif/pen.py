"""Drawing on the plane with Pillow: a view, and a pen that takes metres."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from serpenoid.engine.trajectory import Floats

# Pixels drawn for each pixel of the finished picture, in a row; reduced, edges become smooth.
FINE = 2

PAPER, GRID, INK, TRAIL = "#ffffff", "#e4e9ee", "#1c2127", "#35506b"
SLIP, STICK, OUTLINE, FORCE = "#c6dbec", "#0072b2", "#35566f", "#d55e00"
OBSTACLE, PATCH, GOAL = "#4d565f", "#efe8dd", "#8a4fa0"
LOAD, LOAD_EDGE = "#f2d28b", "#735000"
COLOURS = (
    *(PAPER, GRID, INK, TRAIL, SLIP, STICK, OUTLINE, FORCE),
    *(OBSTACLE, PATCH, GOAL, LOAD, LOAD_EDGE),
)


@dataclass(frozen=True)
class View:
    """Where the camera looks: middle, m; scale, fine pixels per metre; size, fine pixels."""

    middle: tuple[float, float]
    scale: float
    size: tuple[int, int]

    def at(self, points: Any) -> Floats:
        """Fine pixels of points of the plane, (..., 2)."""
        offset = (np.asarray(points, float) - self.middle) * (self.scale, -self.scale)
        pixels: Floats = np.array(self.size) / 2 + offset
        return pixels


class Pen:
    """Draws on a picture. Points are metres on the plane, `width` is finished pixels."""

    def __init__(self, picture: Image.Image, view: View) -> None:
        self.draw = ImageDraw.Draw(picture)
        self.view = view

    def line(self, points: Any, colour: str, width: float) -> None:
        """A line through points, (n, 2)."""
        self.draw.line(_pairs(self.view.at(points)), colour, round(FINE * width), "curve")

    def area(self, points: Any, colour: str | None, outline: str | None = None) -> None:
        """The area within corners, (n, 2)."""
        self.draw.polygon(_pairs(self.view.at(points)), colour, outline, round(1.25 * FINE))

    def disc(self, point: Any, radius: float, colour: str, smallest: float = 1.0) -> None:
        """A disc of a radius in m, but not below `smallest` finished pixels."""
        x, y = self.view.at(point)
        self.draw.circle((x, y), max(radius * self.view.scale, FINE * smallest), colour)

    def dashes(self, points: Any, colour: str, dash: float, gap: float) -> None:
        """A thin line through points, (n, 2), in dashes of a length in finished pixels."""
        corners = self.view.at(points)
        lengths = np.hypot(*np.diff(corners, axis=0).T)
        along = np.concatenate([[0.0], np.cumsum(lengths)])
        starts = FINE * np.arange(0.0, along[-1] / FINE, dash + gap)
        ends = np.minimum(starts + FINE * dash, along[-1])
        pairs = [
            np.stack([np.interp(at, along, axis) for axis in corners.T], axis=1)
            for at in (starts, ends)
        ]
        # Of a long path, only what is in the picture.
        seen = ((pairs[0] > 0) & (pairs[0] < self.view.size)).all(axis=1)
        for start, end in zip(*(pair[seen] for pair in pairs), strict=True):
            self.draw.line([*start, *end], colour, round(1.25 * FINE))

    def ring(self, point: Any, radius: float, colour: str) -> None:
        """A dashed circle of a radius in m."""
        around = np.linspace(0.0, 2 * np.pi, 100)
        circle = np.stack([np.cos(around), np.sin(around)], axis=1)
        self.dashes(np.asarray(point) + radius * circle, colour, dash=3, gap=3)

    def square(self, point: Any, colour: str) -> None:
        """A filled mark of fixed size."""
        x, y = self.view.at(point)
        size = 4.5 * FINE
        self.draw.rectangle((x - size, y - size, x + size, y + size), colour, PAPER, FINE)

    def arrow(self, start: Any, end: Any) -> None:
        """A force, unless it is too short to have a shaft."""
        ends = self.view.at([start, end])
        arrow(self.draw, ends[0], ends[1])


def arrow(draw: ImageDraw.ImageDraw, start: Floats, end: Floats) -> None:
    """A force from one fine pixel to another, unless it is too short to be seen."""
    length = math.hypot(*(end - start))
    if length < 4 * FINE:
        return
    along = (end - start) / length
    across = np.array([-along[1], along[0]])
    head = min(9.0 * FINE, 0.6 * length)
    for halo, colour in ((1.0 * FINE, PAPER), (0.0, FORCE)):
        thin, wide = 1.25 * FINE + halo, 0.5 * head + 1.5 * halo
        back, neck, tip = (
            start - halo * along,
            end - (head + halo) * along,
            end + 1.5 * halo * along,
        )
        corners = [
            back + thin * across,
            neck + thin * across,
            neck + wide * across,
            tip,
            neck - wide * across,
            neck - thin * across,
            back - thin * across,
        ]
        draw.polygon(_pairs(np.array(corners)), colour)


def words(draw: ImageDraw.ImageDraw, x: float, y: float, text: str) -> float:
    """Text that begins at a fine pixel, half above it; returns where it ends."""
    draw.text((x, y), text, INK, _font(), anchor="lm", stroke_width=2 * FINE, stroke_fill=PAPER)
    return x + draw.textlength(text, _font())


@functools.cache
def _font() -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(13 * FINE)


def _pairs(points: Floats) -> list[tuple[float, float]]:
    return [(x, y) for x, y in points.tolist()]
