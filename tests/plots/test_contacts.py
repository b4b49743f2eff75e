"""Contacts where they are: in figures, pictures and on the page that plays a run."""

import base64
import dataclasses

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.text import Annotation
from PIL import ImageColor

import serpenoid as sp
from serpenoid.analysis.motion import contact_rows, places_along_body
from serpenoid.plots.animation import Animation
from serpenoid.plots.style import VERMILION
from serpenoid.plots.viewer.data import pack
from tests.laws.test_contact_table import GAIT, SNAKE, STRAIGHT, WORLDS


def snake(name: str) -> sp.Trajectory:
    start = sp.Start(y=0.12 if "terrain" in name else 0.0, joint_angles_deg=STRAIGHT)
    return sp.simulate(SNAKE, WORLDS[name], GAIT, 1.0, start=start, record_contacts=True)


@pytest.fixture(scope="module")
def runs() -> dict[str, sp.Trajectory]:
    return {name: snake(name) for name in ("pegs", "loads", "compliant terrain")}


def test_figure_shows_every_contact_of_links(runs):
    run = runs["loads"]
    ax = run.plot.contacts()
    (lines,) = [each for each in ax.collections if isinstance(each, LineCollection)]
    of_links = run.contacts.link >= 0
    assert not of_links.all()
    drawn = np.array(lines.get_segments())
    assert np.array_equal(drawn[:, 1, 0], run.contacts.time[of_links])
    np.testing.assert_allclose(drawn[:, 1, 0] - drawn[:, 0, 0], 0.01)
    assert np.array_equal(drawn[:, 0, 1], places_along_body(run)[of_links])
    force = np.hypot(*run.contacts.normal_force[of_links].T)
    assert np.array_equal(lines.get_array(), force)
    things = zip(run.contacts.kind[of_links], run.contacts.index[of_links], strict=True)
    words = {f"{kind} {index}" for kind, index in things}
    assert {text.get_text() for text in ax.texts} == words


def test_figure_of_a_run_that_touches_nothing(runs):
    run = runs["pegs"]
    free = dataclasses.replace(run, contacts=run.contacts.where(slice(0, 0)))
    assert [text.get_text() for text in free.plot.contacts().texts] == ["no contact"]


def test_arrows_begin_where_things_touch(runs):
    run = runs["loads"]
    row = int(contact_rows(run)[run.contacts.kind == "load"][3])
    here = run.contacts.where(contact_rows(run) == row)
    notes = [text for text in run.plot.snapshot(time=run.time[row]).texts if is_arrow(text)]
    bases = np.array([note.get_position() for note in notes])
    tips = np.array([note.xy for note in notes])
    size = np.hypot(*here.force.T)
    back = here.kind == "load"
    shown = size > 0.1 * size.max()
    wanted = np.concatenate([here.point[shown], here.point[shown & back]])
    np.testing.assert_allclose(bases, wanted)
    forces = np.concatenate([here.force[shown], -here.force[shown & back]])
    scale = np.hypot(*(tips - bases).T) / np.hypot(*forces.T)
    np.testing.assert_allclose(tips - bases, scale[0] * forces, rtol=1e-9, atol=1e-12)


def is_arrow(text) -> bool:
    return isinstance(text, Annotation) and text.arrow_patch is not None


def test_pictures_have_arrows_in_rows_with_contacts(runs):
    run = runs["loads"]
    pictures = Animation(run, 600)
    many = int(np.bincount(contact_rows(run)).argmax())
    one = pictures.picture(many)
    # The sample in the legend is there in every picture.
    sample = vermilion(pictures.picture(0))
    assert vermilion(one) > sample


def vermilion(picture: np.ndarray) -> int:
    return int((np.abs(picture.astype(int) - ImageColor.getrgb(VERMILION)).max(axis=-1) < 5).sum())


# --------------------------------------------------------------------------------------- the page


def decoded(packed: dict) -> np.ndarray:
    raw = np.frombuffer(base64.b64decode(packed["data"]), "<" + packed["type"])
    return raw * packed["step"] if packed["step"] != 1 else raw


def page_of(run: sp.Trajectory, **budget: float) -> dict[str, np.ndarray]:
    touches = pack(run, **budget)[0]["touches"]
    found = {name: decoded(each) for name, each in touches.items()}
    for name in ("points", "forces", "friction"):
        found[name] = found[name].reshape(-1, 2)
    return found


def bodies_of_page(found: dict[str, np.ndarray], frames: int) -> np.ndarray:
    """Sums of the forces in each frame on links, on loads, and friction of terrain."""
    sums = np.zeros((frames, 3, 2))
    for frame in range(frames):
        here = slice(*found["first"][frame : frame + 2])
        on_loads = found["on_loads"][here].astype(bool)
        sums[frame, 0] = found["forces"][here][~on_loads].sum(axis=0)
        sums[frame, 1] = found["forces"][here][on_loads].sum(axis=0)
        sums[frame, 2] = found["friction"][here].sum(axis=0)
    return sums


@pytest.mark.parametrize("name", ["pegs", "loads", "compliant terrain"])
def test_page_has_the_contacts_of_every_frame(runs, name):
    run = runs[name]
    found = page_of(run)
    columns = run.columns
    sums = bodies_of_page(found, len(run.time))
    tolerance = 1e-5 * np.abs(columns["contact_force"]).max()
    assert np.abs(sums[:, 0] - columns["contact_force"].sum(axis=1)).max() < tolerance
    if name == "loads":
        assert np.abs(sums[:, 1] - columns["load_force"].sum(axis=1)).max() < tolerance
    if "terrain" in name:
        assert np.abs(sums[:, 2] - columns["friction_force"].sum(axis=1)).max() < tolerance
    first = found["points"][found["first"][contact_rows(run)[0]]]
    np.testing.assert_allclose(first, run.contacts.point[0], atol=1e-6)


def test_page_with_fewer_frames_has_means(runs):
    run = runs["loads"]
    packed, (frames, _) = pack(run, budget=5_000)
    assert frames < len(run.time) / 3
    sums = bodies_of_page(page_of(run, budget=5_000), frames)
    stride = int(np.searchsorted(run.time, decoded(packed["time"])[1] - 1e-9))
    wanted = run.columns["contact_force"].sum(axis=1)[1 : stride + 1].mean(axis=0)
    np.testing.assert_allclose(sums[1, 0], wanted, rtol=1e-5)


def test_page_of_a_run_without_contacts_has_none():
    run = sp.simulate(SNAKE, WORLDS["pegs"], GAIT, 0.1, start=sp.Start(joint_angles_deg=STRAIGHT))
    assert pack(run)[0]["touches"] is None
