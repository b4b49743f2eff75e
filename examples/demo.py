"""Aiko on the flat and on its peg track, with one and the same joint motion [transeth2008 VIII-D].

Writes out/demo.gif and out/aiko_pegs.html, and says how to go on.
"""

import io
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from PIL import Image

import serpenoid as sp
from serpenoid import plots
from serpenoid.plots.body import draw_body, draw_world
from serpenoid.plots.style import BLUE, INK, VERMILION, tint

# The animation shows a row in twenty, twice as fast as it was, and begins anew after a rest.
EVERY, PAUSE, REST = 20, 100, 1200  # rows, ms, ms
FORCE = {"angles": "xy", "scale_units": "xy", "scale": 90, "width": 0.004, "zorder": 6}


def main() -> None:
    out = Path("out")
    out.mkdir(exist_ok=True)
    track = sp.Scenario.load("aiko_pegs")
    runs = {
        "flat plane": track.changed({"world": {}}).run(),
        "seven pegs": track.run(),
    }
    print("\nAiko, eleven links, the same joint motion for 10 s:\n")
    print("              forward       work of motors   simulated in")
    for name, run in runs.items():
        speed, work = 100 * run.mean_velocity()[0], run.energy()["actuator"]
        print(f"  {name}  {speed:+5.1f} cm/s {work:13.1f} J {1000 * run.stepping_seconds:13.0f} ms")
    write_gif(runs, out / "demo.gif")
    runs["seven pegs"].view(out / "aiko_pegs.html")
    print(how_to_go_on())


def write_gif(runs: dict[str, sp.Trajectory], path: Path) -> None:
    """Write the runs, one above the other, as an animation."""
    first, *others = frames(runs)
    pauses = [PAUSE] * len(others) + [REST]
    first.save(path, save_all=True, append_images=others, duration=pauses, loop=0)


def frames(runs: dict[str, sp.Trajectory]) -> Iterator[Image.Image]:
    """Draw the runs at one time after the other, each with the path of its middle link."""
    palette = Image.new("P", (1, 1))
    shades = [tint(colour, pale / 20) for colour in (BLUE, VERMILION, INK) for pale in range(21)]
    palette.putpalette([round(255 * part) for shade in shades for part in shade])
    with plots.canvas((7.0, 3.1)) as figure:
        panels = dict(zip(runs, figure.subplots(2, sharex=True), strict=True))
        for name, ax in panels.items():
            ax.set(aspect="equal", xlim=(-0.42, 2.68), ylim=(-0.2, 0.3), yticks=[0.0, 0.2])
            words = f"{name}: {100 * runs[name].mean_velocity()[0]:+.1f} cm/s"
            ax.set_title(words.replace("-", "\N{MINUS SIGN}"), loc="left", size=11, weight="bold")
            draw_world(ax, runs[name].world)
        ax.set_xlabel("x (m)")
        for row in range(0, len(runs[name].time), EVERY):
            ax.set_title(f"{runs[name].time[row]:.1f} s", loc="right", size=9)
            before = {each: each.get_children() for each in panels.values()}
            for name, ax in panels.items():
                draw_robot(ax, runs[name], row)
            picture = io.BytesIO()
            figure.savefig(picture, dpi=110)
            yield Image.open(picture).convert("RGB").quantize(palette=palette, dither=0)
            figure.set_layout_engine("none")
            for each, kept in before.items():
                for drawn in set(each.get_children()) - set(kept):
                    drawn.remove()


def draw_robot(ax: Axes, run: sp.Trajectory, row: int) -> None:
    """Draw the robot in one row, its path so far, and the forces that pegs exert on it."""
    draw_body(ax, run, row)
    x, y = run.columns["x"], run.columns["y"]
    ax.plot(x[: row + 1, 5], y[: row + 1, 5], color=INK, lw=0.8, zorder=5)
    # Mean forces since the frame before; a link that is not pushed has no arrow.
    force = run.columns["contact_force"][max(0, row - EVERY) : row + 1].mean(axis=0)
    pushed = np.hypot(*force.T) > 2.0
    ax.quiver(x[row][pushed], y[row][pushed], *force[pushed].T, color=VERMILION, **FORCE)


def how_to_go_on() -> str:
    """What there is to look at, and the next commands as they work in this very shell."""
    folder = Path(sys.executable).parent
    on_path = shutil.which("serpenoid")
    active = on_path is not None and Path(on_path).parent == folder
    command = "serpenoid" if active else os.path.relpath(folder / "serpenoid")
    steps = {
        "run aiko_pegs": "simulate it, save the run",
        "view runs/aiko_pegs.nc": "play the run in a browser",
        "show aiko_pegs > mine.toml": "a scenario file of your own",
    }
    width = len(command) + max(map(len, steps)) + 4
    lines = [
        "picture  out/demo.gif",
        "player   out/aiko_pegs.html, in any browser",
        "",
        "Go on with",
    ]
    lines += [f"  {f'{command} {step}':{width}}{words}" for step, words in steps.items()]
    if not active:
        lines += ["", f"After `source {os.path.relpath(folder / 'activate')}` the command is"]
        lines[-1] += " `serpenoid`, and `python` can import it."
    return "\n".join(["", *lines])


if __name__ == "__main__":
    main()
