"""Plots of any signal, the chosen link, true points of contact, and what is saved."""

from __future__ import annotations

import csv
import io
import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import serpenoid as sp
from serpenoid.engine.variables import VARIABLES
from serpenoid.plots import viewer
from serpenoid.plots.viewer import signals as signals_module
from serpenoid.plots.viewer import write_html
from serpenoid.plots.viewer.data import pack
from serpenoid.plots.viewer.signals import described
from tests.plots.pages import PHONE, ask, colour, count, decode, pixel, seek, settle

# Steps of signals, as a part of the largest value; half of one is rounding.
STEP = 1 / 30_000


@pytest.fixture(scope="module")
def run() -> sp.Trajectory:
    scenario = sp.Scenario.load("aiko_pegs").changed({"record.contacts": True})
    return scenario.run(duration=3.0)


@pytest.fixture(scope="module")
def file(run, tmp_path_factory) -> Path:
    return write_html(run, tmp_path_factory.mktemp("page") / "run.html")


def choose(page, plot: int, name: str, **choice) -> None:
    page.evaluate("([k, choice]) => serpenoid.choose(k, choice)", [plot, {"name": name, **choice}])


def add_plot(page) -> None:
    page.click("#add")
    page.get_by_role("button", name="Done").click()
    page.locator("#chooser").wait_for(state="hidden")


def table(page) -> dict[str, np.ndarray]:
    """The saved numbers by column; NaN where there is none."""
    with page.expect_download() as download:
        page.click("#save-numbers")
    assert download.value.suggested_filename == f"{page.title().replace(' ', '_')}.csv"
    header, *rows = csv.reader(io.StringIO(Path(download.value.path()).read_text("utf-8")))
    numbers = np.array([[float(cell or "nan") for cell in row] for row in rows])
    return dict(zip(header, numbers.T, strict=True))


# ---------------------------------------------------------------------------------------- signals


def test_every_column_is_offered_with_unit_and_meaning(visit, file, run):
    page = visit(file)
    page.click("#plot-0 .signal")
    offered = dict(
        page.evaluate(
            "[...document.querySelectorAll('#signal-list option')].map(o => [o.value, o.text])"
        )
    )
    recorded = [name for name in run.columns if name in VARIABLES]
    assert len(recorded) > 25
    for name in recorded:
        variable = VARIABLES[name]
        unit = "" if variable.unit == "1" else f" ({variable.unit})"
        words = offered.pop(name)
        assert words.endswith(unit)
        assert len(words) <= 34
        page.select_option("#signal-list", name)
        settle(page)
        meaning = page.locator("#signal-meaning").inner_text()
        assert meaning == f"{variable.meaning[0].upper()}{variable.meaning[1:]}."
        assert page.locator("#signal-name").inner_text() == name
    assert set(offered) == {"speed", "centre_of_mass", "energy"}
    assert len(set(offered.values())) == 3
    for name in offered:  # told of the run, but no columns of it
        page.select_option("#signal-list", name)
        assert page.locator("#signal-column").is_hidden()


def test_saved_numbers_are_those_of_the_columns(visit, file, run):
    page = visit(file)
    for _ in range(4):
        add_plot(page)
    names = [name for name in VARIABLES if name in run.columns]
    for some in (names[k : k + 6] for k in range(0, len(names), 6)):
        for plot, name in enumerate(some):
            choose(page, plot, name)
        found = table(page)
        np.testing.assert_allclose(found.pop("time (s)"), run.time, atol=1e-9)
        for name in some:
            assert_saved(run, name, found)


def assert_saved(run: sp.Trajectory, name: str, found: dict[str, np.ndarray]) -> None:
    variable, column = VARIABLES[name], np.asarray(run.columns[name], float)
    unit, part = "" if variable.unit == "1" else f" ({variable.unit})", ""
    if "axis" in variable.dims:
        column, part = np.hypot(column[..., 0], column[..., 1]), ".size"
    keys = [f"{name}{unit}"]
    if column.ndim == 2:
        keys = [f"{name}[{k}]{part}{unit}" for k in range(column.shape[1])]
    # Places and angles are rounded as they are drawn, differences across joints twice.
    largest = np.abs(run.columns["omega"] if name == "joint_rate" else column).max()
    drawn = {"x": 1e-4, "y": 1e-4, "theta": 2e-4, "joint_angle": 4e-4}
    rounding = drawn.get(name, 1.1 * STEP * largest + 1e-12)
    values = np.stack([found[key] for key in keys], axis=-1).reshape(column.shape)
    assert np.abs(values - column).max() <= rounding, name


def test_a_position_shows_both_its_parts(visit, file, run):
    page = visit(file, "#t=2")
    choose(page, 0, "centre_of_mass")
    settle(page)
    assert page.locator("#plot-0 .signal .name").inner_text() == "Centre of mass, x and y"
    assert page.locator("#plot-0 .signal .unit").inner_text() == "m"
    words = page.locator("#plot-0 .values > span").all_inner_texts()
    found = [re.fullmatch(r"([xy]) ([−\d.]+) m", each).groups() for each in words]
    wanted = run.centre_of_mass()[run.row(2.0)]
    assert [name for name, _ in found] == ["x", "y"]
    values = [float(value.replace("−", "-")) for _, value in found]
    np.testing.assert_allclose(values, wanted, atol=1e-3)
    saved = table(page)
    np.testing.assert_allclose(saved["centre_of_mass.x (m)"], run.centre_of_mass()[:, 0], atol=1e-6)
    choose(page, 0, "centre_of_mass", part="size")
    assert "distance from the origin" in page.locator("#plot-0 .signal").inner_text()


def test_saved_numbers_have_no_more_digits_than_the_page_knows(visit, file, run):
    page = visit(file)
    choose(page, 0, "friction_force", part="x")
    choose(page, 1, "x")
    with page.expect_download() as download:
        page.click("#save-numbers")
    header, *rows = csv.reader(io.StringIO(Path(download.value.path()).read_text("utf-8")))
    digits = dict.fromkeys(header, 0)
    for row in rows:
        for name, cell in zip(header, row, strict=True):
            digits[name] = max(digits[name], len(cell.partition(".")[2]))
    largest = np.abs(run.columns["friction_force"]).max()
    assert digits["friction_force[0].x (N)"] == int(np.ceil(-np.log10(largest * STEP)))
    assert digits["x[3] (m)"] == 4


def test_saved_numbers_of_a_long_run_have_no_gaps(visit, run, tmp_path):
    file = tmp_path / "Aiko_on_its_peg_track.html"
    file.write_text(viewer.page(run, budget=70_000), "utf-8")
    page = visit(file)
    choose(page, 0, "joint_torque")
    choose(page, 1, "speed")
    found = table(page)
    assert 10 < len(found["time (s)"]) < len(run.time)
    assert all(np.isfinite(column).all() for column in found.values())
    assert "CSV files have the rows that all plotted lines share." in (
        page.locator("footer").inner_text()
    )


def test_signal_links_and_part_are_chosen_by_hand(visit, file, run):
    page = visit(file, "#t=2")
    page.click("#plot-0 .signal")
    page.select_option("#signal-list", "contact_force")
    settle(page)
    assert page.locator("#signal-name").inner_text() == "contact_force"
    assert page.locator("#plot-0 .signal").inner_text().startswith("Contact force, size")
    assert page.get_attribute("#all-entries", "aria-pressed") == "true"
    page.get_by_role("button", name="3", exact=True).click()
    page.get_by_role("button", name="5", exact=True).click()
    page.select_option("#part", "y")
    page.get_by_role("button", name="Done").click()
    settle(page)
    words = page.locator("#plot-0 .values").inner_text().replace("−", "-")
    found = dict(re.findall(r"link (\d+) (-?[\d.]+) N", words))
    forces = run.columns["contact_force"][run.row(2.0)]
    assert set(found) == {"3", "5"}
    for link, value in found.items():
        assert float(value) == pytest.approx(forces[int(link), 1], abs=0.06)
    assert (
        page.locator("#plot-0 .signal")
        .get_attribute("title")
        .startswith("Contact force, y, links 3, 5, N: force of pegs, walls and loads")
    )
    # The last one stays.
    page.click("#plot-0 .signal")
    for name in ("3", "5", "5"):
        page.get_by_role("button", name=name, exact=True).click()
    page.keyboard.press("Escape")
    settle(page)
    assert "links" not in page.locator("#plot-0 .signal").inner_text()
    assert "link 5" in page.locator("#plot-0 .signal").inner_text()


def test_plots_are_added_and_removed(visit, file):
    page = visit(file)
    page.keyboard.press("p")
    assert page.locator("#chooser").is_visible()
    page.keyboard.press("Escape")
    page.locator("#chooser").wait_for(state="hidden")
    for _ in range(3):
        add_plot(page)
    assert page.locator("figure").count() == 6
    assert page.locator("#add").is_disabled()
    for _ in range(5):
        page.click("#plot-0 .remove")
    assert page.locator("figure").count() == 1
    assert page.locator("#plot-0 .remove").is_hidden()


def test_long_runs_have_fewer_rows_of_signals(run):
    packed, (frames, charted) = pack(run, 70_000)
    assert charted < frames < len(run.time)
    signals = packed["signals"]
    times = decode(signals["time"])
    kept = np.searchsorted(run.time, times - 1e-9)
    torque = decode(signals["values"]["joint_torque"]).reshape(charted, -1)
    between = slice(kept[0] + 1, kept[1] + 1)
    step = np.abs(run.columns["joint_torque"]).max() * STEP
    wanted = run.columns["joint_torque"][between].mean(axis=0)
    np.testing.assert_allclose(torque[1], wanted, atol=step)
    deepest = decode(signals["values"]["penetration"])
    pieces = [run.columns["penetration"][a + 1 : b + 1] for a, b in itertools.pairwise(kept)]
    wanted = [piece.max() for piece in pieces]
    np.testing.assert_allclose(deepest[1:], wanted, atol=run.columns["penetration"].max() * STEP)
    iterations = decode(signals["values"]["iterations"])
    assert iterations[1:].sum() == run.columns["iterations"][1:].sum()
    words = "Signals that only plots show have"
    assert words not in viewer.page(run)
    assert f"{words} {charted} rows." in viewer.page(run, budget=70_000)


def test_what_tells_of_the_time_before_a_row_is_known_as_such():
    over = {name for name, each in VARIABLES.items() if "since the last row" in each.meaning}
    drawn = {"contact_force", "friction_force", "load_force", "load_friction"}
    assert over == set(signals_module._OVER) | drawn


def test_signals_that_are_not_finite_stay_so(run):
    columns = {**run.columns, "joint_reference": np.full_like(run.columns["joint_torque"], np.nan)}
    channel = signals_module.signals(
        sp.Trajectory(columns, run.state, run.scenario, run.attributes), ()
    )["joint_reference"]
    assert np.isnan(decode(channel.pack())).all()


def test_signals_of_one_run_among_several_are_described():
    springs = {each["name"] for each in described([])}
    assert springs == {"speed", "centre_of_mass"}


# ------------------------------------------------------------------------------- the chosen link


def test_link_clicked_in_the_picture_is_chosen(visit, file, run):
    page = visit(file, "#t=2")
    choose(page, 1, "joint_angle")
    page.keyboard.press("c")
    row = run.row(2.0)
    settle(page)
    before = count(page, "text")
    for link in (4, 9):
        click_plane(page, run.columns["x"][row, link], run.columns["y"][row, link])
        settle(page)
        assert ask(page, "link") == link
        assert page.input_value("#link") == str(link)
        words = page.locator("#plot-1 .values").inner_text().replace("−", "-")
        angles = dict(re.findall(r"joint (\d+) (-?[\d.]+) rad", words))
        for joint in (link - 1, link):
            angle = run.columns["joint_angle"][row, joint]
            assert float(angles[str(joint)]) == pytest.approx(angle, abs=1e-3)
        assert len(angles) == 2
    assert count(page, "text") > before + 200  # the ring
    box = page.locator("#stage").bounding_box()
    page.mouse.click(box["x"] + 5, box["y"] + box["height"] - 60)
    assert ask(page, "link") is None
    settle(page)
    assert count(page, "text") == before
    assert "10 lines from" in page.locator("#plot-1 .values").inner_text()


def click_plane(page, x: float, y: float, how: str = "click") -> None:
    """Click on a point of the plane."""
    box, view = page.locator("#stage").bounding_box(), ask(page, "view")
    px = box["x"] + box["width"] / 2 + (x - view["x"]) * view["scale"]
    py = box["y"] + box["height"] / 2 - (y - view["y"]) * view["scale"]
    getattr(page.mouse if how == "click" else page.touchscreen, how)(px, py)
    settle(page)


def test_link_is_tapped_on_a_phone(visit, file, run):
    page = visit(file, "#t=2", **PHONE)
    row = run.row(2.0)
    click_plane(page, run.columns["x"][row, 6], run.columns["y"][row, 6], "tap")
    assert ask(page, "link") == 6


def test_dragging_the_view_chooses_no_link(visit, file, run):
    page = visit(file, "#t=2")
    box = page.locator("#stage").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y, steps=3)
    page.mouse.move(x, y, steps=3)
    page.mouse.up()
    assert ask(page, "link") is None


def test_link_is_chosen_from_the_list_and_by_keys(visit, file):
    page = visit(file)
    page.select_option("#link", "7")
    assert ask(page, "link") == 7
    page.evaluate("document.activeElement.blur()")
    for key, link in (("l", 8), ("Shift+L", 7)):
        page.keyboard.press(key)
        assert ask(page, "link") == link
    page.select_option("#link", "10")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("l")
    assert ask(page, "link") is None
    page.keyboard.press("l")
    assert ask(page, "link") == 0


def test_plot_of_the_chosen_link_follows_it(visit, file, run):
    page = visit(file, "#t=2")
    choose(page, 0, "omega", entries="chosen")
    assert "no values" in page.locator("#plot-0 .values").inner_text()
    for link in (2, 8):
        page.select_option("#link", f"{link}")
        settle(page)
        words = page.locator("#plot-0 .values").inner_text().replace("−", "-")
        found = re.fullmatch(r"link (\d+) (-?[\d.]+) rad/s", words)
        assert int(found[1]) == link
        wanted = run.columns["omega"][run.row(2.0), link]
        assert float(found[2]) == pytest.approx(wanted, abs=0.01)


# ------------------------------------------------------------------------------ points of contact


def test_contacts_are_drawn_where_they_are(visit, file, run):
    page = visit(file)
    assert "record.contacts" not in page.locator("footer").inner_text()
    times = np.unique(run.contacts.time)
    for time in times[[5, len(times) // 2, -1]]:
        seek(page, time)
        points = run.contacts.point[run.contacts.time == time]
        for point in points:
            assert pixel(page, *point) == colour(page, "text")
    page.click("#contact")
    settle(page)
    assert pixel(page, *points[0]) != colour(page, "text")


def test_page_says_how_to_record_points_of_contact(visit, tmp_path):
    bare = sp.Scenario.load("aiko_pegs").run(duration=1.0)
    page = visit(write_html(bare, tmp_path / "bare.html"))
    assert page.locator("footer p").first.inner_text() == (
        "Contact forces are drawn from the centres of links; a run with record.contacts = true "
        "shows the points where they act."
    )
    apart = sp.simulate(sp.robots.aiko(), duration=0.1)
    assert "record.contacts" not in viewer.page(apart)


# ---------------------------------------------------------------------------------- what is saved


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_saved_picture_shows_stage_and_plots(visit, file, run, scheme):
    page = visit(file, "#t=2", color_scheme=scheme, viewport={"width": 1400, "height": 900})
    page.select_option("#link", "3")
    with page.expect_download() as download:
        page.click("#save-picture")
    assert download.value.suggested_filename == "Aiko_on_its_peg_track-2.00s.png"
    picture = np.asarray(Image.open(download.value.path()).convert("RGB"))
    box, view = page.locator("#stage").bounding_box(), ask(page, "view")
    assert picture.shape[1] == 2 * box["width"]
    assert picture.shape[0] > 2 * (box["height"] + 150)
    row = run.row(2.0)
    # Text above the stage is 52 pixels high.
    middle = np.array([box["width"] / 2, 52 + box["height"] / 2])
    for link in (0, 6):
        at = np.array([run.columns[axis][row, link] for axis in "xy"])
        px, py = 2 * (middle + (at - [view["x"], view["y"]]) * [view["scale"], -view["scale"]])
        assert list(picture[int(py), int(px)]) == colour(page, "slip")
    below = picture[int(2 * (52 + box["height"])) :]
    for name in ("actuator", "ground", "text"):
        assert (below == colour(page, name)).all(axis=-1).sum() > 200, name
    assert list(picture[-1, 0]) == colour(page, "page")
    # The page itself is as it was.
    settle(page)
    assert pixel(page, run.columns["x"][row, 6], run.columns["y"][row, 6]) == colour(page, "slip")


def test_names_of_files_hold_nothing_that_systems_refuse(visit, run, tmp_path):
    page = visit(write_html(run, tmp_path / "run.html", title='../a: "b" ?'))
    with page.expect_download() as download:
        page.click("#save-numbers")
    assert download.value.suggested_filename == "a_b.csv"
