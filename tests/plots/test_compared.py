"""One page that plays several runs together: overlaid, side by side, on one clock."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import serpenoid as sp
from serpenoid.plots.viewer import page as page_text
from serpenoid.plots.viewer import write_html
from tests.plots.pages import (
    PHONE,
    ask,
    colour,
    count,
    seek,
    settle,
    until,
)

WIDE = {"viewport": {"width": 1400, "height": 900}}
POSITION = 0.5e-4 + 1e-9


@pytest.fixture(scope="module")
def runs() -> dict[str, sp.Trajectory]:
    track = sp.Scenario.load("aiko_pegs")
    return {
        "phase −50°": track.run(duration=2.0),
        "phase −60°": track.changed({"controller.phase_deg": -60}).run(duration=1.0),
        "longer rows": track.changed({"record.period": 0.05}).run(duration=2.0),
        "no pegs": track.changed({"world.field": None}).run(duration=2.0),
    }


@pytest.fixture(scope="module")
def two(runs) -> dict[str, sp.Trajectory]:
    return {name: runs[name] for name in list(runs)[:2]}


@pytest.fixture(scope="module")
def files(runs, two, tmp_path_factory) -> dict[int, Path]:
    folder = tmp_path_factory.mktemp("pages")
    return {len(some): write_html(some, folder / f"{len(some)}.html") for some in (two, runs)}


def place(pane: dict, view: dict, x: float, y: float) -> tuple[float, float]:
    """Where a point of the plane is on the stage, pixels."""
    px = pane["left"] + pane["width"] / 2 + (x - pane["x"]) * view["scale"]
    py = pane["top"] + pane["height"] / 2 - (y - pane["y"]) * view["scale"]
    return px, py


def colour_at(page, px: float, py: float) -> list[int]:
    """Colour of a pixel of the stage."""
    return page.evaluate(
        """([x, y]) => {
            const stage = document.getElementById("stage");
            const copy = new OffscreenCanvas(stage.width, stage.height).getContext("2d");
            copy.drawImage(stage, 0, 0);
            return [...copy.getImageData(x, y, 1, 1).data.slice(0, 3)];
        }""",
        [px, py],
    )


def near(found: list[int], wanted: list[int], background: list[int]) -> bool:
    """Whether a colour is about halfway between another one and the background."""
    halfway = (np.array(wanted) * 0.45 + np.array(background) * 0.55).round()
    return bool(np.abs(halfway - found).max() <= 2)


@pytest.mark.parametrize("number", [2, 4])
def test_all_runs_are_shown_at_the_same_time(visit, files, runs, number):
    page = visit(files[number], **WIDE)
    for time in (0.0, 0.6, 1.0):
        seek(page, time)
        for k, run in enumerate(list(runs.values())[:number]):
            pose = page.evaluate("k => serpenoid.pose(k)", k)
            row = run.row(time)
            np.testing.assert_allclose(pose["x"], run.columns["x"][row], rtol=0, atol=POSITION)


def test_a_run_that_is_over_holds_its_last_frame(visit, files, two):
    page = visit(files[2], **WIDE)
    short = two["phase −60°"]
    seek(page, 1.7)
    pose = page.evaluate("serpenoid.pose(1)")
    np.testing.assert_allclose(pose["x"], short.columns["x"][-1], rtol=0, atol=POSITION)
    assert page.locator("footer p").first.inner_text() == (
        "A run is pale and holds its first frame before it begins, its last when it is over."
    )
    rows = page.locator("footer tr").all_inner_texts()
    assert [re.split(r"\s*\t\s*", row)[:3] for row in rows] == [
        ["Run", "Time", "Rows drawn"],
        ["phase −50°", "0 to 2 s", "201 of 201"],
        ["phase −60°", "0 to 1 s", "101 of 101"],
    ]
    page.keyboard.press("End")
    assert ask(page, "time") == 2.0


def test_a_run_that_is_over_has_no_values_and_no_forces(visit, files, two):
    page = visit(files[2], "#t=1", **WIDE)
    texts = page.locator("#plot-0 .values > span").all_inner_texts
    assert "over" not in "".join(texts())
    assert page.locator(".legend .run").all_inner_texts() == list(two)
    seek(page, 1.7)
    assert texts()[0].endswith("cm/s")
    assert texts()[1] == "phase −60° over"
    assert page.locator(".legend .run").all_inner_texts() == [
        "phase −50°",
        "phase −60°, over",
    ]
    page.keyboard.press("s")
    settle(page)
    # Of the second picture no pixel has the full colour of its run: it is pale, without arrows.
    found = colours_of_pane(page, 1)
    assert not (found == colour(page, "run-1")).all(axis=-1)[60:].any()
    seek(page, 0.9)
    assert (colours_of_pane(page, 1) == colour(page, "run-1")).all(axis=-1)[60:].any()


def colours_of_pane(page, k: int) -> np.ndarray:
    """Colours of one of the pictures, (rows, columns, 3)."""
    pane = ask(page, "panes")[k]
    left, top, width, height = (round(pane[name]) for name in ("left", "top", "width", "height"))
    text = page.evaluate(
        """([x, y, width, height]) => {
            const stage = document.getElementById("stage");
            const copy = new OffscreenCanvas(stage.width, stage.height).getContext("2d");
            copy.drawImage(stage, 0, 0);
            // A text of one character a byte crosses over in no time, a list of numbers in seconds.
            const data = copy.getImageData(x, y, width, height).data;
            return new TextDecoder("x-user-defined").decode(data);
        }""",
        [left, top, width, height],
    )
    data = np.array([ord(each) & 0xFF for each in text], np.uint8)
    return data.reshape(height, width, 4)[..., :3]


def test_arrows_have_the_colours_of_their_runs(visit, files, runs):
    page = visit(files[4], "#t=1", **WIDE)
    with_arrows = {k: count(page, f"run-{k}") for k in range(4)}
    page.keyboard.press("c")
    settle(page)
    without = {k: count(page, f"run-{k}") for k in range(4)}
    # The last run is on a plain without pegs, so nothing pushes it.
    assert all(with_arrows[k] > without[k] for k in (1, 2))
    assert with_arrows[3] <= without[3]  # arrows of others may cover it
    page.keyboard.press("g")
    settle(page)
    assert count(page, "run-3") > without[3]


def test_a_run_that_begins_late_holds_its_first_frame(visit, two, tmp_path):
    first = two["phase −60°"]
    later = first.scenario.run(duration=0.5, start=first.state)
    page = visit(write_html({"first": first, "later": later}, tmp_path / "late.html"), **WIDE)
    pose = page.evaluate("serpenoid.pose(1)")
    np.testing.assert_allclose(pose["x"], later.columns["x"][0], rtol=0, atol=POSITION)
    page.keyboard.press("End")
    assert ask(page, "time") == 1.5


def test_one_clock_plays_all(visit, files):
    page = visit(files[4], "", **WIDE)
    until(page, "serpenoid.time() > 0.05")
    page.keyboard.press("Space")
    before = ask(page, "time")
    page.keyboard.press("ArrowRight")
    assert 0 < ask(page, "time") - before <= 0.011  # frames of the finest run


@pytest.mark.parametrize("number", [2, 4])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_overlaid_and_side_by_side(visit, files, runs, number, scheme):
    page = visit(files[number], "#t=1", color_scheme=scheme, **WIDE)
    page.keyboard.press("c")
    for apart in (False, True, False):
        panes, view = ask(page, "panes"), ask(page, "view")
        assert [len(pane["runs"]) for pane in panes] == ([1] * number if apart else [number])
        for pane in panes:
            last = pane["runs"][-1]
            run = list(runs.values())[last]
            row = run.row(1.0)
            # Of the run on top a link that slips, away from the numbers and the middle.
            link = next(k for k in (1, 9, 3) if not run.columns["sticking"][row, k])
            at = [run.columns[axis][row, link] for axis in "xy"]
            found = colour_at(page, *place(pane, view, *at))
            assert near(found, colour(page, f"run-{last}"), colour(page, "stage")), (apart, last)
        assert page.get_attribute("#apart", "aria-pressed") == str(apart).lower()
        page.click("#apart")
        settle(page)


def test_side_by_side_the_pictures_fill_the_stage_and_share_the_scale(visit, files):
    page = visit(files[4], **WIDE)
    page.keyboard.press("s")
    settle(page)
    panes, box = ask(page, "panes"), page.locator("#stage").bounding_box()
    assert sum(pane["width"] * pane["height"] for pane in panes) == pytest.approx(
        box["width"] * box["height"]
    )
    before = ask(page, "view")["scale"]
    x, y = box["x"] + panes[3]["left"] + 50, box["y"] + panes[3]["top"] + 60
    page.mouse.move(x, y)
    page.mouse.wheel(0, -300)
    until(page, f"serpenoid.view().scale > {before}")


def test_a_link_is_chosen_in_all_runs(visit, files, runs):
    page = visit(files[4], "#t=1", **WIDE)
    page.keyboard.press("s")
    settle(page)
    pane, view = ask(page, "panes")[2], ask(page, "view")
    run = runs["longer rows"]
    at = [run.columns[axis][run.row(1.0), 8] for axis in "xy"]
    box = page.locator("#stage").bounding_box()
    px, py = place(pane, view, *at)
    page.mouse.click(box["x"] + px, box["y"] + py)
    assert ask(page, "link") == 8


def test_plots_have_a_line_for_each_run(visit, files, runs):
    page = visit(files[4], "#t=1", **WIDE)
    values = page.locator("#plot-1 .values > span")
    assert values.count() == 4
    for k, (name, run) in enumerate(runs.items()):
        work = run.columns["energy_actuator"][run.row(1.0)]
        assert values.nth(k).inner_text() == f"{name} {work:.2f} J".replace("-", "−")
    page.click("#plot-0 .signal")
    page.select_option("#signal-list", "joint_torque")
    page.keyboard.press("Escape")
    settle(page)
    values = page.locator("#plot-0 .values > span")
    assert values.count() == 4
    assert values.first.inner_text().startswith("phase −50° ")
    assert "joint 5" in page.locator("#plot-0 .signal").inner_text()


def test_saved_numbers_name_their_runs(visit, files, runs):
    page = visit(files[4], **WIDE)
    with page.expect_download() as download:
        page.click("#save-numbers")
    header, *rows = csv.reader(io.StringIO(Path(download.value.path()).read_text("utf-8")))
    assert header[0] == "time (s)"
    assert header[1:5] == [f"speed of {name} (cm/s)" for name in runs]
    table = {name: column for name, *column in zip(header, *rows, strict=True)}
    times = np.array(table["time (s)"], float)
    run = runs["longer rows"]
    # Rows are those that all runs have, here those of the run with the fewest.
    np.testing.assert_allclose(times, run.time, rtol=0, atol=1e-9)
    column = np.array(table["energy_actuator of longer rows (J)"], float)
    np.testing.assert_allclose(column, run.columns["energy_actuator"], rtol=1e-6, atol=1e-9)
    # Only after its end a run has empty cells.
    short = np.array(table["speed of phase −60° (cm/s)"])
    assert [cell == "" for cell in short] == [t > 1.0 for t in times.round(6)]


def test_worlds_that_differ_are_drawn_in_the_colours_of_their_runs(visit, two, tmp_path):
    track = two["phase −50°"].scenario
    moved = track.changed(
        {"world.field": None, "world.pegs": [{"x": 1.0, "y": 0.35, "radius": 0.05}]}
    )
    other = moved.run(duration=0.2)
    page = visit(write_html(two | {"moved": other}, tmp_path / "worlds.html"), **WIDE)
    assert pixel_of_pane(page, 1.0, 0.35) == colour(page, "run-2")
    assert count(page, "obstacle") > 50  # two runs share the track


def pixel_of_pane(page, x: float, y: float) -> list[int]:
    (pane,) = ask(page, "panes")
    return colour_at(page, *place(pane, ask(page, "view"), x, y))


@pytest.mark.parametrize("number", [2, 4])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_phone(visit, files, number, scheme):
    page = visit(files[number], color_scheme=scheme, **PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    for _ in range(2):
        for button in page.locator("main button:visible, main select").all():
            box = button.bounding_box()
            assert min(box["width"], box["height"]) >= 44
            assert box["x"] + box["width"] <= 390
        page.tap("#apart")
        settle(page)
    assert len(ask(page, "panes")) == 1


def test_seven_runs_side_by_side_on_a_phone(visit, two, tmp_path):
    some = {f"frequency of the wave {k}": two["phase −60°"] for k in range(7)}
    page = visit(write_html(some, tmp_path / "seven.html"), **PHONE)
    page.tap("#apart")
    settle(page)
    panes, stage = ask(page, "panes"), page.locator("#stage").bounding_box()
    assert min(pane["width"] for pane in panes) >= 170
    assert min(pane["height"] for pane in panes) >= 150 - 1
    # The buttons are below the pictures, whose corners hold names and scales.
    for button in page.locator(".zoom button").all():
        assert button.bounding_box()["y"] >= stage["y"] + stage["height"]
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.tap("#apart")
    settle(page)
    assert page.locator("#stage").bounding_box()["height"] < stage["height"]
    # On a saved picture the keys take as many lines as they need.
    with page.expect_download() as download:
        page.click("#save-picture")
    picture = np.asarray(Image.open(download.value.path()).convert("RGB"))
    ratio = picture.shape[1] / 390
    top = int(ratio * (52 + page.locator("#stage").bounding_box()["height"]))
    keys = picture[top : top + int(ratio * 110)]
    for k in range(7):
        assert (np.abs(keys - np.array(colour(page, f"run-{k}"))).max(axis=-1) == 0).sum() > 100, k


def test_legend_names_the_runs(visit, files, runs):
    page = visit(files[4], **WIDE)
    keys = page.locator(".legend .run")
    assert keys.all_inner_texts() == list(runs)
    assert page.title() == "phase −50°, phase −60°, longer rows and no pegs"
    about = page.locator("header p").all_inner_texts()
    assert about[0].startswith("phase −50°, phase −60°, longer rows: Aiko: 11 links")
    assert about[1].startswith("no pegs: Aiko: 11 links")


def test_names_of_runs_stay_text(visit, two, tmp_path):
    names = ['<b>"a"</b>', "</script>{{data}}"]
    some = dict(zip(names, two.values(), strict=True))
    page = visit(write_html(some, tmp_path / "names.html"), **WIDE)
    assert page.locator(".legend .run").all_inner_texts() == names
    assert page.locator("b:not(#clock b)").count() == 0


def test_page_of_seven_long_runs_stays_small(two):
    long = two["phase −50°"].scenario.run(duration=20.0)
    text = page_text({f"run {k}": long for k in range(7)})
    assert len(text) < 2.5e6
    assert "of 2001 recorded rows" in text
    assert "CSV files have the rows that all plotted lines share." in text


def test_malformed_runs(two, tmp_path):
    run = two["phase −50°"]
    side = sp.Scenario.load("pedal_wave").run(duration=0.1)
    given = [
        ({}, "run has 0 entries, which is not allowed: a comparison takes 2 to 7 runs"),
        ({"a": run}, "run has 1 entry, which is not allowed: a comparison takes 2 to 7 runs"),
        (
            {f"{k}": run for k in range(8)},
            "run has 8 entries, which is not allowed: a comparison takes 2 to 7 runs",
        ),
        (
            {"a": run, 3: run},
            "run has the name 3, which is not allowed: it must be text",
        ),
        ({"a": run, " ": run}, "run has the name ' ', which is not allowed: it must be text"),
        (
            {"a": run, "b": 3},
            "run['b'] is of type int, which is not allowed: it must be a run, or the .nc file of "
            "one",
        ),
        (
            [run, run],
            "run = [<Trajectory Aiko, 0 s to 2 s: mean velocity (14.61, 2.15... is not allowed: it "
            "must be a Trajectory, or a mapping of names to runs, such as "
            '{"smooth": run, "rough": other}',
        ),
        (
            {"a": run, "b": side},
            "'b' cannot be compared with 'a': it is in a vertical plane, the other in a horizontal "
            "one",
        ),
    ]
    for runs, words in given:
        with pytest.raises(sp.InvalidInput) as refused:
            write_html(runs, tmp_path / "run.html")
        assert str(refused.value) == words
    assert not list(tmp_path.iterdir())
