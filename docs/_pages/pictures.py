"""Pictures that pages show of runs, made by running them, and kept in docs/pictures.

    gallery/NAME.png     path of each ready scenario, and runs.json with each run in a line
    kinds/KIND.png       one figure of each kind
    studies/             of the studies on the page Studies: gait_map.png, and of the optimisation
    compare/             the figures on the page Comparing runs
    mujoco/creep.png     how far a robot creeps in the examples on the page MuJoCo
    obstacle_aided/      the map on the page Obstacle-aided locomotion
    stability/           the map on the page Stability

`make pictures` makes them. Reproductions of papers are in docs/reproductions: `make reproduce`.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib import pyplot
from PIL import Image

import serpenoid as sp
from docs._pages.places import DOCS, PICTURES, REPRODUCTIONS
from docs._pages.run_figures import LINES, shown_on
from serpenoid import plots
from serpenoid.plots import style
from serpenoid.plots.tables import heat_map
from serpenoid.studies import optimise, sweep

# Pixels per inch, and colours, of pictures that are kept. Rare colours, as those of arrows, count.
_DPI, _COLOURS, _METHOD = 200, 64, Image.Quantize.MAXCOVERAGE


def make_all() -> None:
    """Make all pictures anew."""
    matplotlib.use("Agg")
    shutil.rmtree(PICTURES, ignore_errors=True)
    for name in ("gallery", "kinds", "studies", "compare", "mujoco", "obstacle_aided", "stability"):
        (PICTURES / name).mkdir(parents=True)
    _make_gallery()
    _make_study(PICTURES / "studies")
    _make_comparison(PICTURES / "compare")
    _make_creep(PICTURES / "mujoco")
    _make_wave_map(PICTURES / "obstacle_aided")
    _make_stability_map(PICTURES / "stability")
    pyplot.close("all")
    for picture in PICTURES.rglob("*.png"):
        _shrink(picture)


def shrink_reproductions() -> None:
    """Make the figures of papers small enough to be kept."""
    for picture in REPRODUCTIONS.rglob("*.png"):
        _shrink(picture)


def _shrink(picture: Path) -> None:
    """Fewer pixels and colours, unless it has been made so before."""
    with Image.open(picture) as image:
        scale = _DPI / image.info["dpi"][0]
        if scale > 0.99:
            return
        size = round(scale * image.width), round(scale * image.height)
        small = image.convert("RGB").resize(size, Image.Resampling.LANCZOS)
    few = small.quantize(_COLOURS, _METHOD, dither=Image.Dither.NONE)
    few.save(picture, optimize=True, dpi=(_DPI, _DPI))


def _make_gallery() -> None:
    runs = {name: sp.Scenario.load(name).run() for name in sp.gallery()}
    for name, run in runs.items():
        plots.save(run.plot.path(), PICTURES / "gallery" / f"{name}.png")
    lines = {name: str(run) for name, run in runs.items()}
    LINES.write_text(json.dumps(lines, indent=2) + "\n", encoding="utf-8")
    for kind in plots.KINDS:
        run = runs[shown_on(kind)]
        if kind == "contacts":
            run = run.scenario.changed({"record.contacts": True}).run()
        plots.save(plots.draw(run, kind), PICTURES / "kinds" / f"{kind}.png")


def _make_study(folder: Path) -> None:
    """Run the study files on the page Studies: a sweep with its map, and an optimisation."""
    texts = _code("studies", "toml")
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        for name, text in zip(("gait_map", "best_gait"), texts, strict=True):
            (work / f"{name}.toml").write_text(text, encoding="utf-8")
        found = sweep(work / "gait_map.toml", work / "gait_map")
        keys = (f"controller.{name}_deg" for name in ("phase", "amplitude"))
        plots.save(heat_map(found, *keys, "mean_speed"), folder / "gait_map.png")
        optimise(work / "best_gait.toml", work / "best_gait")
        for picture in (work / "best_gait" / "figures").glob("*.png"):
            shutil.copy(picture, folder)


def _make_comparison(folder: Path) -> None:
    """Run the first examples on the page Comparing runs, and draw its figures."""
    compared, drawn, *_ = _code("compare")
    names = _run(compared)
    for line in drawn.splitlines():
        kind = line.removeprefix("found.plot.").partition("(")[0]
        plots.save(eval(line, names), folder / f"{kind}.png")


def _make_creep(folder: Path) -> None:
    """Run the examples on the page MuJoCo, and draw how far the robot on the slope moves."""
    with tempfile.TemporaryDirectory() as work, contextlib.chdir(work):
        Path("aiko.xml").write_text(sp.export.mjcf(sp.Scenario.load("aiko_pegs")))
        names = _run(*_code("mujoco"))
    with plots.canvas((4.6, 2.5)) as figure:
        axes = figure.subplots()
        # The two uppermost lines end close to each other.
        looks = {style.BLACK: 0, style.VERMILION: 4, style.ORANGE: -4, style.SKY: 0, style.BLUE: 0}
        for (name, moved), (colour, shift) in zip(
            names["moved"].items(), looks.items(), strict=True
        ):
            time, far = 0.01 * np.arange(1, len(moved)), 1e3 * moved[1:]
            axes.semilogy(time, far, color=colour)
            label = {"xytext": (4, shift), "textcoords": "offset points", "va": "center"}
            axes.annotate(name, (time[-1], far[-1]), color=colour, fontsize=7, **label)
        axes.minorticks_off()
        axes.set(xlabel="time (s)", ylabel="farthest a link has moved (mm)", xlim=(0, 3))
        plots.save(axes, folder / "creep.png")


def _make_wave_map(folder: Path) -> None:
    """Run the example on the page Obstacle-aided locomotion that draws a map."""
    (drawn,) = (block for block in _code("obstacle_aided") if "wave_maps(found)" in block)
    names = _run("import serpenoid as sp", drawn.replace("wave_maps(", "figure = wave_maps("))
    plots.save(names["figure"].axes[0], folder / "map.png")


def _make_stability_map(folder: Path) -> None:
    """Run the first example on the page Stability and the one that draws a map."""
    first, *others = _code("stability")
    (drawn,) = (block for block in others if "stability_maps(found" in block)
    names = _run(first, drawn.replace("stability_maps(found", "figure = stability_maps(found"))
    plots.save(names["figure"].axes[0], folder / "map.png")


def _code(page: str, language: str = "python") -> list[str]:
    """The blocks of code on a page of the documentation."""
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def _run(*blocks: str) -> dict[str, Any]:
    """The names that blocks of code make, one after the other; what they print is left out."""
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        for block in blocks:
            exec(block, names)
    return names
