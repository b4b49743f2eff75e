"""Loads and wheels are drawn where the trajectory has them: figures, page, GIF."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.text import Annotation
from PIL import ImageColor

import serpenoid as sp
from serpenoid import plots
from serpenoid.model.loads import Box, Disc
from serpenoid.model.robot import Wheels
from serpenoid.plots.animation import LOAD, LOAD_EDGE, Animation
from serpenoid.plots.shapes import load_marks, load_outlines, wheels
from serpenoid.plots.style import INK, ORANGE, VERMILION, shade, tint
from serpenoid.plots.viewer import write_html
from serpenoid.plots.viewer.data import pack
from serpenoid.plots.viewer.scene import extent
from tests.plots.browser import chromium

BOX = Box(0.45, 0.0, 0.3, width=0.2, height=0.1, angle_deg=10.0, friction=0.2)
DISC = Disc(0.7, 0.5, 0.3, radius=0.04, friction=0.1, velocity=(0.5, 0.0), spin_deg=1800.0)


@pytest.fixture(scope="module")
def run() -> sp.Trajectory:
    """A robot on wheels, one pair lifted, that runs into a box; a disc slides by itself."""
    carried = [Wheels(), Wheels(), None, Wheels(mu=0.3), Wheels(lifted=True), Wheels()]
    robot = sp.Robot.uniform(6, length=0.1, mass=0.3, radius=0.02, wheels=carried)
    world = sp.World(friction=sp.Coulomb(0.2), loads=(BOX, DISC))
    gait = sp.Serpenoid(amplitude_deg=30.0, frequency_deg=120.0, phase_deg=-60.0)
    return sp.simulate(robot, world, gait, 2.0, start=sp.Start(x=0.0))


@pytest.fixture(scope="module")
def touching(run) -> int:
    """A row in which the box is pushed."""
    return int(np.abs(run.columns["load_force"][:, 0]).sum(axis=1).argmax())


def polygons(ax, face) -> list[np.ndarray]:
    """Corners of all polygons of a colour, (points, 2) each."""
    return [
        np.asarray(path.vertices[:-1])
        for shapes in ax.collections
        if isinstance(shapes, PolyCollection)
        and len(shapes.get_facecolor())
        and np.allclose(shapes.get_facecolor()[0, :3], to_rgb(face))
        for path in shapes.get_paths()
    ]


def in_own_axes(run: sp.Trajectory, points: np.ndarray, row: int, load: int) -> np.ndarray:
    x, y, theta = (run.columns[f"load_{name}"][row, load] for name in ("x", "y", "theta"))
    turn = np.array([[math.cos(theta), -math.sin(theta)], [math.sin(theta), math.cos(theta)]])
    return (points - (x, y)) @ turn


def test_outlines_are_to_scale_and_turn_with_the_load(run):
    box, disc = load_outlines(run, 150)
    np.testing.assert_allclose(np.abs(in_own_axes(run, box, 150, 0)), [[0.1, 0.05]] * len(box))
    np.testing.assert_allclose(np.hypot(*in_own_axes(run, disc, 150, 1).T), 0.04)
    assert run.columns["load_theta"][150, 1] > 1.0
    mark = in_own_axes(run, load_marks(run, 150)[1], 150, 1)
    np.testing.assert_allclose(mark, [[0.0, 0.0], [0.04, 0.0]], atol=1e-12)


def test_wheels_are_in_the_middle_of_their_links(run):
    rolling, lifted = (wheels(run, 100, lifted=on) for on in (False, True))
    centres = np.stack([run.columns[axis][100] for axis in "xy"], axis=1)
    assert rolling.shape == (8, 4, 2)
    for pair, link in zip(np.split(rolling, 4), (0, 1, 3, 5), strict=True):
        np.testing.assert_allclose(pair.mean(axis=(0, 1)), centres[link])
    np.testing.assert_allclose(lifted.mean(axis=(0, 1)), centres[4])


def test_path_shows_loads_first_last_and_their_way(run):
    ax = run.plot.path(times=[0.0, 1.0, 2.0])
    first, last = (polygons(ax, tint(ORANGE, 0.55 + 0.45 * pale)) for pale in (0.4, 0.0))
    for drawn, row in ((first, 0), (last, 200)):
        np.testing.assert_allclose(drawn, load_outlines(run, row))
    assert [text.get_text() for text in ax.get_legend().get_texts()][1] == "paths of loads"
    seen = np.concatenate([*first, *last])
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    assert ((seen > (left, bottom)) & (seen < (right, top))).all()


def test_snapshot_shows_loads_wheels_and_the_forces_on_both(run, touching):
    ax = run.plot.snapshot(time=run.time[touching])
    np.testing.assert_allclose(polygons(ax, tint(ORANGE, 0.55)), load_outlines(run, touching))
    assert len(polygons(ax, shade("#0072B2"))) == 8
    assert len(polygons(ax, "white")) == 2
    bases = [note.get_position() for note in ax.texts if isinstance(note, Annotation)]
    box = run.columns["load_x"][touching, 0], run.columns["load_y"][touching, 0]
    assert any(np.allclose(base, box) for base in bases)


@pytest.mark.parametrize(
    ("quantity", "values"),
    [
        ("distance", lambda c: c["load_x"][:, 1] - 0.7),
        ("speed", lambda c: 100 * np.hypot(c["load_vx"][:, 1], c["load_vy"][:, 1])),
        ("turn", lambda c: np.degrees(c["load_theta"][:, 1])),
        ("force", lambda c: np.zeros(len(c["time"]))),
    ],
)
def test_quantities_of_loads_over_time(run, quantity, values):
    ax = run.plot.loads(quantity=quantity)
    assert [line.get_label() for line in ax.lines] == ["load 0, box", "load 1, disc"]
    # It slides along x, but for what a ring of eight points does to a disc that turns.
    np.testing.assert_allclose(ax.lines[1].get_ydata(), values(run.columns), atol=1e-6)


def test_of_many_loads_those_pushed_furthest_are_shown():
    loads = tuple(
        Disc(0.3 * k, 1.0, 0.1, radius=0.05, friction=0.5, velocity=(0.0, 0.1 * (k % 5)))
        for k in range(10)
    )
    run = sp.simulate(sp.robots.aiko(), sp.World(sp.Coulomb(0.2), loads=loads), duration=0.1)
    labels = [line.get_label() for line in run.plot.loads().lines]
    assert labels == [f"load {k}, disc" for k in (1, 2, 3, 4, 7, 8, 9)]


def test_an_unknown_quantity_is_one_sentence(run):
    with pytest.raises(sp.InvalidInput, match=r"'sped' is not known \(did you mean 'speed'\?\)"):
        plots.draw(run, "loads", quantity="sped")
    assert pyplot.get_fignums() == []


def test_extent_reaches_around_loads(run):
    _left, _bottom, right, top = extent(run)
    furthest = run.columns["load_x"][:, 1].max() + 0.04
    assert right >= furthest
    assert top >= 0.54
    columns = {name: c for name, c in run.columns.items() if not name.startswith("load_")}
    empty = run.scenario.changed({"world.loads": []})
    alone = dataclasses.replace(run, scenario=empty, columns=columns)
    assert extent(alone)[3] < 0.3


def test_page_moves_loads_and_shows_their_forces(run, touching, tmp_path):
    file = write_html(run, tmp_path / "run.html")
    complaints: list[str] = []
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        for row in (0, touching, 200):
            page.goto(f"{file.as_uri()}#t={run.time[row]}")
            page.evaluate("t => serpenoid.seek(t)", run.time[row])
            drawn = page.evaluate("serpenoid.loads()")
            for name, atol in (("x", 5.1e-5), ("y", 5.1e-5), ("theta", 1e-4)):
                wanted = run.columns[f"load_{name}"][row]
                np.testing.assert_allclose(drawn[name], wanted, rtol=0, atol=atol)
        for key in ("load", "wheels", "lifted"):
            assert page.locator(f"#{key}-key").is_visible(), key
        assert page.locator("#sticks-key").inner_text() == "sticks or rolls"
        # The disc's lower half, which neither its mark nor its way crosses.
        place = [float(run.columns["load_x"][200, 1]), float(run.columns["load_y"][200, 1]) - 0.03]
        assert pixel(page, place) == list(ImageColor.getrgb("#f2d28b"))
    assert complaints == []


def pixel(page, place: list[float]) -> list[int]:
    """Colour drawn at a point of the plane, m."""
    page.evaluate("new Promise(go => requestAnimationFrame(() => requestAnimationFrame(go)))")
    return page.evaluate(
        """([x, y]) => {
            const stage = document.getElementById("stage");
            const copy = new OffscreenCanvas(stage.width, stage.height).getContext("2d");
            copy.drawImage(stage, 0, 0);
            const view = serpenoid.view();
            const px = stage.width / 2 + (x - view.x) * view.scale;
            const py = stage.height / 2 - (y - view.y) * view.scale;
            return [...copy.getImageData(px, py, 1, 1).data.slice(0, 3)];
        }""",
        place,
    )


def test_page_of_a_run_without_loads_has_none():
    data = pack(sp.simulate(sp.robots.aiko(), duration=0.1))[0]
    assert data["loads"] == []
    assert data["load_contact"] is None
    assert data["wheels"] == [None] * 11


def test_forces_of_loads_alone_are_in_the_page():
    disc = Disc(1.0, 1.0, 0.3, radius=0.05, velocity=(1.0, 0.0))
    world = sp.World(loads=(disc,), pegs=(sp.Peg(1.2, 1.0, 0.05),))
    run = sp.simulate(sp.robots.aiko(), world, duration=0.2)
    data = pack(run)[0]
    assert data["contact"] is None
    assert data["load_contact"] is not None
    large = np.hypot(*run.columns["load_force"].reshape(-1, 2).T).max()
    assert data["contact_reach"] * large < run.robot.length


def test_film_shows_loads_wheels_and_forces(run, touching):
    animation = Animation(run, 600)
    assert not run.columns["load_force"][0].any()
    scale_alone = (animation.picture(0) == ImageColor.getrgb(VERMILION)).all(axis=-1).sum()
    for row in (0, touching, 200):
        picture = animation.picture(row)
        for load, aside in ((0, 0.04), (1, 0.03)):
            # Below the mark along the load's own x axis.
            x, y, theta = (run.columns[f"load_{name}"][row, load] for name in ("x", "y", "theta"))
            place = x + aside * math.sin(theta), y - aside * math.cos(theta)
            column, line = animation.axes.transData.transform(place).astype(int)
            assert tuple(picture[len(picture) - 1 - line, column]) == ImageColor.getrgb(LOAD)
        assert (picture == ImageColor.getrgb(INK)).all(axis=-1).sum() > 20
        if row == touching:
            forces = (picture == ImageColor.getrgb(VERMILION)).all(axis=-1).sum()
            assert forces > scale_alone + 20
    assert (picture == ImageColor.getrgb(LOAD_EDGE)).all(axis=-1).sum() > 20
