"""What pages show of runs, made by running them: pictures, players, reproductions of papers.

Everything goes to docs/generated and stays there until the package or this file changes.

    generated/gallery/NAME.png    path of each ready scenario, and NAME.txt with its run in a line
    generated/kinds/KIND.png      one figure of each kind
    generated/play/play/NAME.html the player of each ready scenario; copied to play/ of the site
    generated/studies/            the studies on the page Studies: gait_map.png, best_gait/figures
    generated/mujoco/creep.png    how far a robot creeps in the examples on the page MuJoCo
    generated/papers/KEY/         reproduction of each paper that has a page

Reproductions that take many minutes are kept in docs/reproductions instead; `make reproduce` renews
them.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import re
import shutil
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ConfigError
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata

import serpenoid as sp
from serpenoid import papers, plots
from serpenoid.papers.reproduce import reproduce
from serpenoid.plots import style
from serpenoid.plots.tables import heat_map
from serpenoid.studies import optimise, sweep

matplotlib.use("Agg")

DOCS = Path(__file__).parents[1]
GENERATED = DOCS / "generated"
STAMP = GENERATED / "digest"
KEPT = DOCS / "reproductions"
STUDIES, MUJOCO = DOCS / "studies.md", DOCS / "mujoco.md"

# Kinds of figure that say more about another run than about Aiko on its pegs.
SHOWN_ON = {
    "joint_angles": "wheeled_snake",
    "stick_slip": "aiko_flat",
    "loads": "push_box",
    "energy": "scales",
    "cross_track": "waypoints",
    "heading_error": "waypoints",
    "forward_velocity": "waypoints",
}


def shown_on(kind: str) -> str:
    """The ready scenario that a kind of figure is shown on."""
    return SHOWN_ON.get(kind, "aiko_pegs")


def note_what_was_made(environment: BuildEnvironment, directive: str) -> None:
    """Have the current page read again once the package, or the file of its directive, changes."""
    environment.note_dependency(str(STAMP))
    environment.note_dependency(directive)


def paper_pages() -> list[str]:
    """Keys of the papers that have a page."""
    return [key for key in papers.available() if (DOCS / "papers" / f"{key}.md").is_file()]


def reproduction(key: str) -> Path:
    """The folder with a paper's reproduction: kept, or made."""
    return KEPT / key if (KEPT / key).is_dir() else GENERATED / "papers" / key


def _check_kept() -> None:
    """Refuse to run for many minutes unasked."""
    for key in paper_pages():
        if papers.find(key).long and reproduction(key).parent != KEPT:
            raise ConfigError(
                f"docs/reproductions has no {key}, which takes many minutes: run `make reproduce`"
            )


def _digest() -> str:
    """Of everything that what is made depends on."""
    package = Path(sp.__file__).parent
    files = [path for path in sorted(package.rglob("*")) if path.is_file()]
    sources = [path for path in files if "__pycache__" not in path.parts]
    digest = hashlib.sha256(matplotlib.__version__.encode())
    digest.update(" ".join(paper_pages()).encode())
    kept = [path for path in sorted(KEPT.rglob("*")) if path.suffix in (".json", ".md", ".png")]
    for path in [*sources, *kept, STUDIES, MUJOCO, Path(__file__)]:
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def _make_all(_app: Sphinx, _config: object) -> None:
    """Make everything, unless it is there already."""
    _check_kept()
    wanted = _digest()
    if STAMP.is_file() and STAMP.read_text() == wanted:
        return
    logging.getLogger(__name__).info("running the gallery and the papers ...")
    shutil.rmtree(GENERATED, ignore_errors=True)
    _make_gallery()
    _make_study()
    _make_creep()
    for key in paper_pages():
        if reproduction(key).parent != KEPT:
            reproduce(papers.find(key), reproduction(key))
    # Last, so that what was interrupted is made again.
    STAMP.write_text(wanted)


def _make_gallery() -> None:
    from matplotlib import pyplot

    pictures, kinds, play = (GENERATED / name for name in ("gallery", "kinds", "play/play"))
    for folder in (pictures, kinds, play):
        folder.mkdir(parents=True)
    runs = {name: sp.Scenario.load(name).run() for name in sp.gallery()}
    for name, run in runs.items():
        plots.save(run.plot.path(), pictures / f"{name}.png")
        (pictures / f"{name}.txt").write_text(str(run))
        run.view(play / f"{name}.html")
    for kind in plots.KINDS:
        run = runs[shown_on(kind)]
        if kind == "contacts":
            run = run.scenario.changed({"record.contacts": True}).run()
        plots.save(plots.draw(run, kind), kinds / f"{kind}.png")
    pyplot.close("all")


def _make_study() -> None:
    """Run the study files on the page Studies: a sweep with its map, and an optimisation."""
    folder = GENERATED / "studies"
    folder.mkdir(parents=True)
    texts = re.findall(r"^```toml\n(.*?)^```$", STUDIES.read_text(), re.M | re.S)
    for name, text in zip(("gait_map", "best_gait"), texts, strict=True):
        (folder / f"{name}.toml").write_text(text)
    table = sweep(folder / "gait_map.toml", folder / "gait_map")
    keys = (f"controller.{name}_deg" for name in ("phase", "amplitude"))
    plots.save(heat_map(table, *keys, "mean_speed"), folder / "gait_map.png")
    optimise(folder / "best_gait.toml", folder / "best_gait")


def _make_creep() -> None:
    """Run the examples on the page MuJoCo, and draw how far the robot on the slope moves."""
    folder = GENERATED / "mujoco"
    folder.mkdir(parents=True)
    (folder / "aiko.xml").write_text(sp.export.mjcf(sp.Scenario.load("aiko_pegs")))
    names: dict[str, Any] = {}
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
        for block in re.findall(r"^```python\n(.*?)^```$", MUJOCO.read_text(), re.M | re.S):
            exec(block, names)
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


def setup(app: Sphinx) -> ExtensionMetadata:
    """Make everything before Sphinx looks for the files that conf.py names."""
    app.connect("config-inited", _make_all, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
