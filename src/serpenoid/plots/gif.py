"""A run as an animated GIF, for slides and pages that show pictures only."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from serpenoid.checks import plain
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput
from serpenoid.files import write_bytes
from serpenoid.memory import check_memory
from serpenoid.plots.animation import Animation, Pixels

# Browsers slow down what is faster than this.
_FASTEST = 50
# Colours of a GIF, and pictures they are taken from; with twice as many files are a quarter larger.
_COLOURS, _SAMPLE = 128, 8


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

    A frame shows the nearest row of the run; the camera follows a robot that goes far.

    Args:
        run: The run to show.
        path: File to write.
        width: Width of the frames, 200 to 4000 pixels.
        frames_per_second: Frames per second, at most 50.
        speed: Seconds of the run in a second of the animation.
        progress: Called after each frame with the share done, 0 to 1.

    Returns:
        The file.

    Raises:
        InvalidInput: An argument is not allowed.
        OutputError: The file cannot be written.
    """
    width, frames_per_second, speed = plain(width), plain(frames_per_second), plain(speed)
    _check(run, width, frames_per_second, speed, progress)
    pause, animation = speed / frames_per_second, Animation(run, width)
    _check_frames(run, pause, animation.picture(0))
    rows = _rows(run, pause)
    # The format counts hundredths of a second; ends are rounded, so that errors do not add up.
    ends = np.rint(100 / frames_per_second * np.arange(len(rows) + 1))
    # A row shown in several frames is one frame that lasts.
    new = np.flatnonzero(np.diff(rows, prepend=-1))
    ends = np.append(ends[new], ends[-1])
    pictures = _pictures(animation, [rows[k] for k in new], progress)
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


def _check_frames(run: Trajectory, pause: float, picture: Pixels) -> None:
    """Refuse more pictures than fit into the budget of memory, where Pillow keeps all of them."""
    frames = (run.time[-1] - run.time[0]) / pause + 1
    height, width, _ = picture.shape
    # Frames that show the same row are one picture.
    size = 32 * frames + min(frames, len(run.time)) * height * width
    check_memory(float(size), f"width = {width} with {frames:.3g} frames")


def _rows(run: Trajectory, pause: float) -> list[int]:
    """The row nearest to each frame; `pause` seconds of the run pass from frame to frame."""
    count = math.floor((run.time[-1] - run.time[0]) / pause + 1e-9) + 1
    times = run.time[0] + pause * np.arange(count)
    middle = (run.time[1:] + run.time[:-1]) / 2
    rows: list[int] = np.searchsorted(middle, times).tolist()
    return rows


def _pictures(
    animation: Animation, rows: list[int], progress: Callable[[float], None] | None
) -> Iterator[Image.Image]:
    sample = np.linspace(0, len(rows) - 1, _SAMPLE).astype(int)
    palette = _palette([animation.picture(rows[k]) for k in sample])
    for done, row in enumerate(rows, start=1):
        yield Image.fromarray(animation.picture(row)).quantize(
            palette=palette, dither=Image.Dither.NONE
        )
        if progress is not None:
            progress(done / len(rows))


def _palette(samples: list[Pixels]) -> Image.Image:
    """The most frequent colours of some pictures."""
    sample = Image.fromarray(np.concatenate(samples))
    counts: Any = sample.getcolors(sample.width * sample.height)
    chosen: dict[tuple[int, ...], tuple[int, ...]] = {}
    for _, colour in sorted(counts, reverse=True):
        # Pillow may mix up colours that are nearer to each other.
        chosen.setdefault(tuple(part // 8 for part in colour), colour)
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for colour in [*chosen.values()][:_COLOURS] for part in colour])
    return palette
