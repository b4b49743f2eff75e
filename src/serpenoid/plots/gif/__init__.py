"""A run as an animated GIF, for slides and pages that show pictures only."""

from __future__ import annotations

import io
import itertools
import math
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageColor

from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput
from serpenoid.files import write_bytes
from serpenoid.plots.gif.pen import COLOURS, FINE
from serpenoid.plots.gif.stage import Stage
from serpenoid.spec import plain

# Browsers slow down what is faster than this.
_FASTEST = 50


def write_gif(
    run: Trajectory,
    path: str | os.PathLike[str],
    *,
    width: int = 720,
    frames_per_second: float = 20.0,
    speed: float = 1.0,
    progress: Callable[[float], None] | None = None,
) -> Path:
    """Write a run as an animated GIF, whole or not at all.

    width: pixels. frames_per_second: at most 50. speed: of the film, 1 is real time. progress:
    called after each frame with the part that is done, 0 to 1. A frame shows the nearest row; a
    robot that goes far is followed.
    """
    width, frames_per_second, speed = plain(width), plain(frames_per_second), plain(speed)
    _check(run, width, frames_per_second, speed, progress)
    rows = _rows(run, speed / frames_per_second)
    # Times are whole hundredths of a second; every frame ends where it should, so that rounding
    # does not add up.
    ends = np.rint(100 / frames_per_second * np.arange(len(rows) + 1))
    # A row shown in several frames is one frame that lasts.
    new = np.flatnonzero(np.diff(rows, prepend=-1))
    ends = np.append(ends[new], ends[-1])
    pictures = _pictures(Stage(run, width), [rows[k] for k in new], progress)
    content = io.BytesIO()
    next(pictures).save(
        content,
        format="GIF",
        save_all=True,
        append_images=pictures,
        # The format counts up to 655.35 s.
        duration=np.minimum(10 * np.diff(ends), 655350).astype(int).tolist(),
        loop=0,
    )
    return write_bytes(path, content.getbuffer())


def _check(run: object, width: Any, frames_per_second: Any, speed: Any, progress: object) -> None:
    if not isinstance(run, Trajectory):
        raise InvalidInput(f"run = {run!r} is not allowed: it must be a Trajectory")
    if type(width) is not int or not 200 <= width <= 4000:
        raise InvalidInput(
            f"width = {width!r} is not allowed: it must be a whole number from 200 to 4000 (pixels)"
        )
    for name, value, most in (
        ("frames_per_second", frames_per_second, _FASTEST),
        ("speed", speed, 1000),
    ):
        if type(value) not in (int, float) or not 0 < value <= most:
            raise InvalidInput(
                f"{name} = {value!r} is not allowed: it must be greater than 0 and at most {most}"
            )
    if progress is not None and not callable(progress):
        raise InvalidInput(f"progress = {progress!r} is not allowed: it must be a function or None")


def _rows(run: Trajectory, pause: float) -> list[int]:
    """The row nearest to each frame; `pause` seconds of the run pass from frame to frame."""
    count = math.floor((run.time[-1] - run.time[0]) / pause + 1e-9) + 1
    times = run.time[0] + pause * np.arange(count)
    middle = (run.time[1:] + run.time[:-1]) / 2
    rows: list[int] = np.searchsorted(middle, times).tolist()
    return rows


def _pictures(
    stage: Stage, rows: list[int], progress: Callable[[float], None] | None
) -> Iterator[Image.Image]:
    palette = _palette()
    for done, row in enumerate(rows, start=1):
        picture = stage.draw(row).reduce(FINE)
        yield picture.quantize(palette=palette, dither=Image.Dither.NONE)
        if progress is not None:
            progress(done / len(rows))


def _palette() -> Image.Image:
    """All colours, and between each two of them what smoothed edges need."""
    pure = [np.array(ImageColor.getrgb(colour)) for colour in COLOURS]
    mixed = [
        a + part * (b - a)
        for a, b in itertools.combinations(pure, 2)
        if np.abs(b - a).max() > 64  # paler edges are not seen
        for part in (0.25, 0.5, 0.75)
    ]
    palette = Image.new("P", (1, 1))
    palette.putpalette(np.rint([*pure, *mixed]).astype(np.uint8).ravel().tolist())
    return palette
