"""A run as an animated GIF."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageColor

import serpenoid as sp
from serpenoid.plots.animation import SLIPS, STICKS, Animation
from serpenoid.plots.body import GROUND
from serpenoid.plots.gif import write_gif
from serpenoid.plots.style import GREY, INK, PURPLE, VERMILION
from tests.plots.guided import with_waypoints

AIKO = sp.robots.aiko()
GAIT = sp.Serpenoid(amplitude_deg=-40.0, frequency_deg=80.0, phase_deg=-50.0)
TRACK = sp.World(friction=sp.Coulomb(0.2), pegs=sp.fields.aiko_track())

COLOURS = SLIPS, STICKS, VERMILION, GREY, INK, PURPLE, GROUND["facecolor"], "#FFFFFF"


@pytest.fixture(scope="module")
def run() -> sp.Trajectory:
    start = sp.Start(x=0.38, y=0.15, heading_deg=5.0, link=5)
    return sp.simulate(AIKO, TRACK, GAIT, 10.0, start=start)


@pytest.fixture(scope="module")
def sliding() -> sp.Trajectory:
    """A single link that slides to a stop."""
    robot = sp.Robot.uniform(1, length=0.2, mass=1.0, radius=0.05)
    world = sp.World(friction=sp.Coulomb(0.5))
    return sp.simulate(robot, world, None, 0.5, start=sp.Start(velocity=(1.0, 0.0)))


def frames(path) -> tuple[list[np.ndarray], list[int]]:
    """Pictures, (height, width, 3), and how long each is shown, ms."""
    with Image.open(path) as image:
        pictures, pauses = [], []
        for k in range(image.n_frames):
            image.seek(k)
            pictures.append(np.array(image.convert("RGB")))
            pauses.append(image.info["duration"])
    return pictures, pauses


def has(picture: np.ndarray, colour: str) -> int:
    """How many pixels have a colour, but for the rounding of the palette."""
    close = np.abs(picture.astype(int) - ImageColor.getrgb(colour)).max(axis=-1) <= 4
    return int(close.sum())


def near(animation: Animation, picture: np.ndarray, point) -> str:
    """The colour of those above that is nearest to what is drawn at a point of the plane, m."""
    x, y = animation.axes.transData.transform(point).astype(int)
    drawn = picture[len(picture) - 1 - y, x].astype(int)
    return min(COLOURS, key=lambda colour: np.abs(drawn - ImageColor.getrgb(colour)).sum())


def test_film_of_ten_seconds(run, tmp_path):
    done: list[float] = []
    path = write_gif(run, tmp_path / "run.gif", progress=done.append)
    assert path.stat().st_size < 3e6
    pictures, pauses = frames(path)
    assert len(pictures) == 201
    assert set(pauses) == {50}
    assert pictures[0].shape[1] == 720
    assert done == [pytest.approx(k / 201) for k in range(1, 202)]
    camera = Animation(run, 720)
    for k in (0, 104, 200):
        row = 5 * k
        link = run.columns["x"][row, 3], run.columns["y"][row, 3]
        assert near(camera, pictures[k], link) in (SLIPS, STICKS, VERMILION)
        peg = run.world.pegs[6]
        assert near(camera, pictures[k], (peg.x, peg.y)) == GREY
    assert has(pictures[104], VERMILION) > has(pictures[0], VERMILION) + 10


def test_links_show_whether_they_stick(sliding, tmp_path):
    assert not sliding.columns["sticking"][20, 0]
    assert sliding.columns["sticking"][-1, 0]
    pictures, _ = frames(write_gif(sliding, tmp_path / "run.gif"))
    for k, colour in ((4, SLIPS), (10, STICKS)):
        place = sliding.columns["x"][5 * k, 0] - 0.04, 0.0
        assert near(Animation(sliding, 720), pictures[k], place) == colour


@pytest.mark.parametrize(
    ("options", "count", "total"),
    [
        ({}, 11, 550),
        ({"speed": 0.25}, 41, 2050),
        ({"speed": 2.0}, 6, 300),
        ({"frames_per_second": 30.0}, 16, 530),  # 16 frames of 33.3 ms in hundredths of a second
    ],
)
def test_frames_and_their_times(sliding, tmp_path, options, count, total):
    done: list[float] = []
    path = write_gif(sliding, tmp_path / "run.gif", width=200, progress=done.append, **options)
    pictures, pauses = frames(path)
    assert len(done) == count
    assert sum(pauses) == total
    assert pictures[0].shape[1] == 200


def test_robot_that_goes_far_is_followed(tmp_path):
    robot = sp.Robot.uniform(1, length=0.2, mass=1.0, radius=0.05)
    pegs = (sp.Peg(x=0.0, y=0.085, radius=0.02), sp.Peg(x=5.0, y=-0.085, radius=0.02))
    start = sp.Start(velocity=(5.0, 0.0))
    run = sp.simulate(robot, sp.World(pegs=pegs), None, 1.0, start=start)
    animation = Animation(run, 600)
    for row in (0, 100):
        picture = animation.picture(row)
        x = run.columns["x"][row, 0]
        assert near(animation, picture, (x, 0.0)) == SLIPS
        for k, peg in enumerate(pegs):
            drawn = near(animation, picture, (x, peg.y)) == GREY
            assert drawn == (k == row // 100)
        assert np.ptp(animation.axes.get_xlim()) < 0.5


def test_world_is_drawn():
    world = sp.World(
        friction=sp.Coulomb(0.2),
        walls=(sp.Wall(points=((-0.5, -0.2), (0.7, -0.2))),),
        patches=(sp.Patch(x=0.0, y=0.12, width=0.1, height=0.4, friction=None, angle_deg=90.0),),
    )
    run = with_waypoints(sp.simulate(AIKO, world, None, 0.1), (0.9, 0.1))
    animation = Animation(run, 600)
    picture = animation.picture(0)
    assert near(animation, picture, (0.3, -0.2)) == INK
    assert near(animation, picture, (0.17, 0.14)) == GROUND["facecolor"]
    assert near(animation, picture, (0.03, 0.24)) == "#FFFFFF"
    assert near(animation, picture, (0.9, 0.1)) == INK


def test_path_to_follow_is_drawn():
    path = sp.Waypoints(points=((1.0, 0.0), (1.0, 0.8)), acceptance=0.2)
    controller = sp.Follower(10, 40, 0.7) + sp.Heading(1.0, 0.5, path)
    run = sp.simulate(AIKO, sp.World(friction=sp.Coulomb(0.3)), controller, 0.1)
    animation = Animation(run, 600)
    picture = animation.picture(0)

    def dashed(points: np.ndarray, *colours: str) -> float:
        """Part of the points at which a line is seen."""
        return float(np.mean([near(animation, picture, point) in colours for point in points]))

    for point in path.points:
        assert near(animation, picture, point) == INK
    around = np.linspace(0.0, 2 * np.pi, 200)
    circle = np.stack([np.cos(around), np.sin(around)], axis=1)
    leg = np.stack([np.full(100, 1.0), np.linspace(0.25, 0.55, 100)], axis=1)
    assert 0.2 < dashed(leg, INK, GREY) < 0.8
    for point in path.points:
        assert 0.2 < dashed(np.array(point) + 0.2 * circle, PURPLE) < 0.8
        assert dashed(np.array(point) + 0.15 * circle, PURPLE) == 0
    # All of the circles is in the picture.
    corners = np.array(path.points)[:, None] + 0.2 * circle
    assert animation.axes.viewLim.contains(*corners.min(axis=(0, 1)))
    assert animation.axes.viewLim.contains(*corners.max(axis=(0, 1)))


def test_run_without_a_path_shows_none(sliding):
    assert has(Animation(sliding, 300).picture(0), PURPLE) == 0


def test_progress_that_fails_leaves_no_file(sliding, tmp_path):
    def stop(part: float) -> None:
        if part > 0.5:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        write_gif(sliding, tmp_path / "run.gif", width=200, progress=stop)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"width": 20}, "width = 20 is not allowed: it must be a whole number from 200 to 4000"),
        ({"width": 300.5}, "width = 300.5 is not allowed: it must be a whole number"),
        (
            {"frames_per_second": 60},
            "frames_per_second = 60 is not allowed: it must be greater than 0 and at most 50",
        ),
        ({"frames_per_second": float("nan")}, "frames_per_second = nan is not allowed"),
        ({"speed": 0.0}, "speed = 0.0 is not allowed: it must be greater than 0"),
        ({"speed": "fast"}, "speed = 'fast' is not allowed"),
        ({"progress": 1}, "progress = 1 is not allowed: it must be a function or None"),
    ],
)
def test_wrong_options(sliding, tmp_path, options, sentence):
    with pytest.raises(sp.InvalidInput) as caught:
        write_gif(sliding, tmp_path / "run.gif", **options)
    assert str(caught.value).startswith(sentence)
    assert list(tmp_path.iterdir()) == []


def test_only_runs_can_be_shown(tmp_path):
    with pytest.raises(sp.InvalidInput, match="run = 'x' is not allowed: it must be a Trajectory"):
        write_gif("x", tmp_path / "run.gif")
