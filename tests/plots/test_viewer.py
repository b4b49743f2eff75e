"""The page that plays a run: what is in the file, and how it behaves in a real browser."""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page

import serpenoid as sp
from serpenoid.analysis.windows import between
from serpenoid.plots.viewer import write_html
from serpenoid.plots.viewer.channels import Channel
from serpenoid.plots.viewer.data import pack
from tests.plots.guided import with_waypoints
from tests.plots.pages import (
    PHONE,
    ask,
    colour,
    count,
    decode,
    middle,
    pixel,
    seek,
    settle,
    unpack,
    until,
)

# Positions are kept in steps of 0.1 mm and angles in steps of 0.01 deg; half of that is rounding.
POSITION, ANGLE = 0.5e-4 + 1e-9, math.radians(0.005) + 1e-9

AIKO = sp.robots.aiko()
GAIT = sp.Serpenoid(amplitude_deg=-40.0, frequency_deg=80.0, phase_deg=-50.0)
START = sp.Start(x=0.38, y=0.15, heading_deg=5.0, link=5)
TRACK = sp.World(friction=sp.Coulomb(0.2), pegs=sp.fields.aiko_track())


@pytest.fixture(scope="module")
def run() -> sp.Trajectory:
    return sp.simulate(AIKO, TRACK, GAIT, 10.0, start=START)


@pytest.fixture(scope="module")
def file(run, tmp_path_factory) -> Path:
    return write_html(run, tmp_path_factory.mktemp("page") / "run.html")


def assert_pose(page: Page, run: sp.Trajectory, row: int) -> None:
    pose = ask(page, "pose")
    for name, tolerance in (("x", POSITION), ("y", POSITION), ("theta", ANGLE)):
        np.testing.assert_allclose(pose[name], run.columns[name][row], rtol=0, atol=tolerance)


# ------------------------------------------------------------------------------------ the file


def test_file_holds_every_row_to_its_rounding(run, file):
    data = unpack(file)
    centre = decode(data["centre"]).reshape(-1, 2)
    np.testing.assert_array_equal(decode(data["time"]), run.time)
    for axis, name in enumerate("xy"):
        links = decode(data[name]).reshape(-1, 11) + centre[:, axis : axis + 1]
        assert np.abs(links - run.columns[name]).max() < POSITION
    assert np.abs(decode(data["theta"]).reshape(-1, 11) - run.columns["theta"]).max() < ANGLE
    force = decode(data["contact"]).reshape(-1, 11, 2)
    assert np.abs(force - run.columns["contact_force"]).max() < 2e-5 * force.max()


def test_minute_of_aiko_is_below_three_megabytes(tmp_path):
    run = sp.simulate(AIKO, TRACK, GAIT, 60.0, start=START)
    file = write_html(run, tmp_path / "run.html")
    assert file.stat().st_size < 3e6
    assert len(decode(unpack(file)["time"])) == len(run.time)


@pytest.fixture(scope="module")
def long_run() -> sp.Trajectory:
    robot = sp.Robot.uniform(100, length=0.1, mass=0.3, radius=0.03, name="Hundred")
    gait = sp.Serpenoid(amplitude_deg=20.0, frequency_deg=80.0, phase_deg=-14.0)
    world = sp.World(friction=sp.OrthotropicCoulomb(along=0.1, across=0.5))
    # An odd number of rows, so that the last one is not among every second, third or fourth.
    return sp.simulate(robot, world, gait, 60.01, time_step=5e-3)


def test_large_run_is_thinned_and_says_so(long_run, tmp_path):
    file = write_html(long_run, tmp_path / "run.html")
    time = decode(unpack(file)["time"])
    rate = (len(time) - 1) / 60.01
    assert file.stat().st_size < 2.5e6
    assert 10 <= rate < 100
    assert time[0] == 0.0
    assert time[-1] == long_run.time[-1]
    footer = re.search("<footer>(.*)</footer>", file.read_text(encoding="utf-8"), re.DOTALL)[1]
    assert f"{len(time)} of 6002 recorded rows, {rate:.4g} of 100 frames/s" in footer


def test_thinned_forces_are_means_of_the_rows_left_out():
    forces = np.array([0.0, 1.0, 3.0, 5.0, 2.0, 8.0])
    thinned = Channel(forces, 0.01, "mean").thinned(np.array([0, 2, 4, 5]))
    np.testing.assert_allclose(thinned.values, [0.0, 2.0, 3.5, 8.0])


@pytest.mark.parametrize(
    ("values", "step", "kind"),
    [
        ([126.0], 1.0, "i1"),
        ([127.5], 1.0, "i2"),
        ([-3.2], 1e-4, "i2"),
        ([-3.3], 1e-4, "i4"),
        ([1e9], 1e-4, "f8"),
    ],
)
def test_channel_takes_the_smallest_type_that_holds_it(values, step, kind):
    channel = Channel(np.array(values), step)
    assert channel.type == kind
    np.testing.assert_allclose(decode(channel.pack()), values, rtol=0, atol=step / 2 + 1e-12)


def test_a_tiny_robot_is_rounded_finer():
    robot = sp.Robot.uniform(3, length=2e-3, mass=1e-3, radius=5e-4)
    tiny = sp.simulate(robot, sp.World(), None, 0.1, start=sp.Start(velocity=(0.01, 0.0)))
    data, _ = pack(tiny)
    assert data["x"]["step"] == pytest.approx(5e-6)


def test_page_is_written_whole(run, tmp_path):
    file = tmp_path / "run.html"
    file.write_text("older")
    with pytest.raises(sp.InvalidInput, match="title = 3 is not allowed"):
        write_html(run, file, title=3)
    with pytest.raises(sp.InvalidInput, match=r"run.gif' is not allowed: it must end in .html"):
        run.view(tmp_path / "run.gif")
    assert file.read_text() == "older"
    assert run.view(file) == file.resolve()
    assert file.read_text(encoding="utf-8").endswith("</html>\n")
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.html"]


def test_only_runs_can_be_shown(tmp_path):
    with pytest.raises(
        sp.InvalidInput,
        match="run = 'x' is not allowed: it must be a Trajectory, or a mapping of names to runs",
    ):
        write_html("x", tmp_path / "run.html")


# ------------------------------------------------------------------------------------- playing


def test_plays_by_itself_and_pauses(visit, file):
    page = visit(file, "")
    until(page, "serpenoid.time() > 0.05")
    assert ask(page, "playing")
    page.click("#play")
    assert not ask(page, "playing")
    stopped = ask(page, "time")
    page.wait_for_timeout(80)
    assert ask(page, "time") == stopped
    page.click("#play")
    until(page, f"serpenoid.time() > {stopped}")


def test_nothing_moves_by_itself_for_who_prefers_that(visit, file):
    page = visit(file, "", reduced_motion="reduce")
    page.wait_for_timeout(80)
    assert not ask(page, "playing")
    assert ask(page, "time") == 0.0


@pytest.mark.parametrize("speed", [0.1, 1.0, 10.0])
def test_speed_of_play(visit, file, speed):
    page = visit(file)
    page.select_option("#speed", f"{speed:g}")
    # Eleven pictures shown 50 ms apart, whatever the machine is busy with.
    time = page.evaluate(
        """() => {
            let next = null;
            window.requestAnimationFrame = draw => { next = draw; };
            serpenoid.play();
            for (let picture = 0; picture <= 10; picture++) next(1000 + 50 * picture);
            return serpenoid.time();
        }"""
    )
    assert time == pytest.approx(0.5 * speed)


def test_stops_at_the_end_and_starts_again(visit, file):
    page = visit(file, "#t=9.9")
    page.keyboard.press("Space")
    until(page, "!serpenoid.playing()")
    assert ask(page, "time") == 10.0
    page.keyboard.press("Space")
    until(page, "serpenoid.time() < 5 && serpenoid.playing()")


# ----------------------------------------------------------------------------------- scrubbing


def test_every_recorded_frame_is_shown_as_recorded(visit, file, run):
    page = visit(file)
    for row in (0, 1, 333, 520, 999, 1000):
        seek(page, run.time[row])
        assert_pose(page, run, row)


def test_pose_between_frames_is_between_them(visit, file, run):
    page = visit(file)
    seek(page, 5.2025)
    x = run.columns["x"]
    between = 0.75 * x[520] + 0.25 * x[521]
    np.testing.assert_allclose(ask(page, "pose")["x"], between, rtol=0, atol=POSITION)


def test_slider_by_mouse(visit, file, run):
    page = visit(file)
    box = page.locator("#slider").bounding_box()
    page.mouse.click(box["x"] + 0.3 * box["width"], box["y"] + box["height"] / 2)
    settle(page)
    row = int(page.input_value("#slider"))
    assert row == pytest.approx(300, abs=15)
    assert ask(page, "time") == run.time[row]
    assert_pose(page, run, row)
    assert page.locator("#clock").inner_text() == f"{run.time[row]:.2f} / 10.00 s"


def test_slider_by_keyboard(visit, file, run):
    page = visit(file)
    page.focus("#slider")
    for key, row in (("PageUp", 100), ("ArrowRight", 101), ("End", 1000), ("ArrowLeft", 999)):
        page.keyboard.press(key)
        settle(page)
        assert int(page.input_value("#slider")) == row, key
        assert_pose(page, run, row)


@pytest.mark.parametrize("chart", ["#plot-0", "#plot-1"])
def test_plot_clicked_and_dragged(visit, file, run, chart):
    page = visit(file, "")
    box = page.locator(f"{chart} canvas").bounding_box()
    left, width = box["x"] + 46, box["width"] - 56
    y = box["y"] + box["height"] / 2
    page.mouse.move(left + 0.25 * width, y)
    page.mouse.down()
    assert not ask(page, "playing")
    assert ask(page, "time") == pytest.approx(2.5, abs=0.03)
    page.mouse.move(left + 0.8 * width, y)
    assert ask(page, "time") == pytest.approx(8.0, abs=0.03)
    page.mouse.up()
    page.mouse.move(left, y)
    settle(page)
    row = round(ask(page, "time") * 100)
    assert_pose(page, run, row)
    cursor = page.locator(f"{chart} .cursor").bounding_box()
    assert cursor["x"] == pytest.approx(left + 0.8 * width, abs=2)


def test_plots_say_the_values_at_the_cursor(visit, file, run):
    page = visit(file, "#t=5.2")
    words = page.locator("#plot-1 .values").inner_text()
    assert f"actuators {run.columns['energy_actuator'][520]:.2f} J" in words
    mass = np.array([link.mass for link in run.robot.links])
    speed = 100 * math.hypot(*(run.columns[v][520] @ mass / mass.sum() for v in ("vx", "vy")))
    assert page.locator(".values").first.inner_text().endswith(f"{speed:.2f} cm/s")


def test_address_names_the_time(visit, file, run):
    page = visit(file, "#t=5.2")
    assert ask(page, "time") == 5.2
    assert not ask(page, "playing")
    assert_pose(page, run, 520)
    page.evaluate("location.hash = '#t=7.25'")
    until(page, "serpenoid.time() === 7.25")
    page.evaluate("location.hash = '#t=soon'")
    page.evaluate("location.hash = '#t=99'")
    until(page, "serpenoid.time() === 10")


# ------------------------------------------------------------------------------------ keyboard


def test_keys(visit, file):
    page = visit(file, "#t=5.2")
    for key, time in (
        ("ArrowRight", 5.21),
        ("ArrowLeft", 5.2),
        ("Shift+ArrowRight", 6.2),
        ("Shift+ArrowLeft", 5.2),
        ("Home", 0.0),
        ("ArrowLeft", 0.0),
        ("End", 10.0),
    ):
        page.keyboard.press(key)
        assert ask(page, "time") == pytest.approx(time, abs=1e-9), key
    before = ask(page, "view")["scale"]
    page.keyboard.press("+")
    assert ask(page, "view")["scale"] == pytest.approx(1.25 * before)
    page.keyboard.press("-")
    assert ask(page, "view")["scale"] == pytest.approx(before)
    for key, button in (("f", "#follow"), ("c", "#contact"), ("g", "#friction")):
        pressed = page.get_attribute(button, "aria-pressed")
        page.keyboard.press(key)
        assert page.get_attribute(button, "aria-pressed") != pressed, key
    page.focus("#speed")
    page.keyboard.press("ArrowLeft")
    assert ask(page, "time") == 10.0  # the arrow was meant for the list


def test_space_means_play_after_a_click_but_the_button_when_focused(visit, file):
    page = visit(file)
    page.click("#follow")
    page.keyboard.press("Space")
    assert ask(page, "playing")
    assert page.get_attribute("#follow", "aria-pressed") == "true"
    page.focus("#follow")
    page.keyboard.press("Space")
    assert page.get_attribute("#follow", "aria-pressed") == "false"


def test_keys_work_after_a_list_was_used_with_the_mouse(visit, file):
    page = visit(file)
    page.click("#speed")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    settle(page)
    assert page.evaluate("document.activeElement === document.body")
    chosen = page.input_value("#speed")
    before = ask(page, "time")
    page.keyboard.press("ArrowRight")
    settle(page)
    assert ask(page, "time") > before
    assert page.input_value("#speed") == chosen
    page.keyboard.press("Space")
    assert ask(page, "playing")
    # Whoever came with the keyboard stays in the list.
    page.focus("#link")
    page.keyboard.press("ArrowDown")
    settle(page)
    assert page.evaluate("document.activeElement.id") == "link"


def test_help(visit, file):
    page = visit(file)
    page.keyboard.press("?")
    assert page.locator("#help-dialog").is_visible()
    page.keyboard.press("Escape")
    assert page.locator("#help-dialog").is_hidden()
    page.click("#help")
    page.get_by_role("button", name="Close").click()
    assert page.locator("#help-dialog").is_hidden()


def test_controls_have_roles_and_names(visit, file):
    page = visit(file)
    for role, names in {
        "button": (
            *("Zoom in", "Zoom out", "Show the whole run", "Play"),
            *("Follow", "Contact", "Friction", "Add plot", "Help"),
            *("Save the picture and the plots as PNG", "Save the numbers of the plots as CSV"),
            *("Speed, cm/s", "Energy ledger, J"),
            *("Remove the plot of: Speed", "Remove the plot of: Energy"),
        ),
        "slider": ("Time",),
        "combobox": ("Speed", "Link"),
        "img": ("Top view of the robot", "Speed, over time", "Energy ledger"),
    }.items():
        for name in names:
            assert page.get_by_role(role, name=name).count() == 1, name
    assert page.get_attribute("#slider", "aria-valuetext") == "0.00 seconds"


# ----------------------------------------------------------------------------------- the stage


def test_robot_is_drawn_where_it_is(visit, file, run):
    page = visit(file)
    page.keyboard.press("c")
    row = 900
    head = run.columns["x"][row, -1], run.columns["y"][row, -1]
    settle(page)
    assert pixel(page, *head) not in (colour(page, "slip"), colour(page, "stick"))
    seek(page, run.time[row])
    assert pixel(page, *head) == colour(page, "slip")
    heading = run.columns["theta"][row, -1]
    nose = 0.0393 + 0.02
    snout = head[0] + nose * math.cos(heading), head[1] + nose * math.sin(heading)
    assert pixel(page, *snout) == colour(page, "head")


def test_links_that_stick_have_another_colour(visit, tmp_path):
    world = sp.World(friction=sp.Coulomb(0.3))
    run = sp.simulate(AIKO, world, None, 0.1)
    assert run.columns["sticking"][-1].all()
    page = visit(write_html(run, tmp_path / "run.html"), "#t=0.1")
    for x in run.columns["x"][-1, [0, 4, 9]]:
        assert pixel(page, x, 0.0) == colour(page, "stick")


def test_world_is_drawn(visit, tmp_path):
    world = sp.World(
        friction=sp.Coulomb(0.2),
        pegs=(sp.Peg(x=1.0, y=0.4, radius=0.05),),
        walls=(sp.Wall(points=((-0.5, -0.3), (1.5, -0.3))),),
        patches=(sp.Patch(x=0.0, y=0.3, width=0.3, height=0.2, friction=None, angle_deg=90.0),),
        slope_deg=5.0,
    )
    run = with_waypoints(sp.simulate(AIKO, world, GAIT, 0.5), (1.5, 0.5), (2.0, -0.4))
    page = visit(write_html(run, tmp_path / "run.html"))
    assert pixel(page, 1.0, 0.4) == colour(page, "obstacle")
    assert pixel(page, 0.5, -0.3) == colour(page, "obstacle")
    ground = pixel(page, 0.31, 0.52)
    assert pixel(page, 0.03, 0.42) != ground  # within the patch only because it is turned
    assert pixel(page, 0.13, 0.3) == ground
    assert count(page, "waypoint") > 20
    assert page.locator("#waypoint-key").is_visible()
    assert page.locator("#slope-key").inner_text() == "downhill, 5°"


def test_a_world_seen_from_the_side(visit, tmp_path):
    """Terrain, normal and friction forces, and the spring torque of every joint."""
    soft = sp.Compliant(350.0, 15.0)
    ground = sp.Profile([(-1, 0), (0.1, 0), (1, 0)], (0.8, 0.4), contact=soft)
    world = sp.World(plane="vertical", contact_at="axis", terrain=ground)
    gait = sp.PedalWave(amplitude_deg=45, frequency_deg=180, phase_deg=-72)
    start = sp.Start(joint_angles_deg=(0.0,) * 5)
    side = sp.simulate(sp.robots.koopaee("half_length_007"), world, gait, 2.0, start=start)
    path = write_html(side, tmp_path / "side.html")
    data = unpack(path)
    assert data["side"]
    np.testing.assert_allclose(decode(data["terrain"]).reshape(-1, 2)[2], (0.1, 0.0), atol=1e-6)
    assert data["grounds"] == [
        {"x": 0.1, "y": 0.0, "left": "friction 0.8", "right": "friction 0.4"}
    ]
    torque = decode(data["spring"]).reshape(-1, 5)
    np.testing.assert_allclose(torque, side.columns["spring_torque"], atol=1e-6)
    assert data["friction_reach"] == data["contact_reach"]
    page = visit(path)
    seek(page, 1.0)
    # Soil below, air above.
    assert pixel(page, 0.43, -0.03) != pixel(page, 0.43, 0.13)
    assert pixel(page, 0.43, 0.13) == colour(page, "stage")
    words = page.locator("#plot-2").inner_text()
    row = side.row(1.0)
    for joint in range(5):
        value = float(side.columns["spring_torque"][row, joint])
        found = re.search(rf"joint {joint} (\u2212?[\d.]+) N m", words)
        assert found
        assert float(found[1].replace("\u2212", "-")) == pytest.approx(value, abs=0.006)
    assert not page.locator("#sticks-key").is_visible()
    assert page.locator("#contact-words").inner_text() == "normal force"
    assert page.locator("#friction-key").is_visible()


def guided(path: object, force: tuple[float, float] = (0.0, 0.0)) -> sp.Trajectory:
    """Aiko at rest on its way along a path, with a force on every link at the end."""
    controller = sp.Follower(10, 40, 0.7) + sp.Heading(1.0, 0.5, path)
    world = sp.World(friction=sp.Coulomb(0.3))
    run = sp.simulate(AIKO, world, controller, 0.1, record_period=0.05)
    forces = np.zeros_like(run.columns["contact_force"])
    forces[-1] = force
    return dataclasses.replace(run, columns={**run.columns, "contact_force": forces})


def test_path_to_follow_is_drawn(visit, tmp_path):
    path = sp.Waypoints(points=((1.0, 0.0), (1.0, 0.6)), acceptance=0.2)
    run = guided(path)
    file = write_html(run, tmp_path / "run.html")
    data = unpack(file)
    assert data["waypoints"] == [[1.0, 0.0], [1.0, 0.6]]
    assert data["acceptance"] == 0.2
    np.testing.assert_allclose(data["legs"], [run.centre_of_mass()[0], *path.points], atol=1e-12)
    page = visit(file)
    for key in ("#waypoint-key", "#leg-key"):
        assert page.locator(key).is_visible()
    # Dashed and smoothed lines: some pixel nearby is purple enough.
    ground = pixel(page, 0.7, 0.3)
    for points in (
        [(1.0, y) for y in np.linspace(0.25, 0.35, 30)],  # the second leg
        # The circle around its end.
        [(1 + 0.2 * math.cos(a), 0.6 + 0.2 * math.sin(a)) for a in np.linspace(0.2, 1.2, 60)],
    ):
        assert any(purple(pixel(page, x, y), ground) for x, y in points)
    assert not any(purple(pixel(page, 0.85, y), ground) for y in np.linspace(0.25, 0.35, 30))


def purple(found: list[int], ground: list[int]) -> bool:
    """Whether a pixel has less green than the ground, and less than its own red and blue."""
    return found[1] < ground[1] - 40 and found[1] + 15 < min(found[0], found[2])


@pytest.mark.parametrize("turned", [0.0, 1.0])
def test_contact_forces_show_whether_they_help(visit, tmp_path, turned):
    for angle, paint in ((0.6, "forward"), (2.5, "backward"), (-0.6, "forward")):
        force = math.cos(turned + angle), math.sin(turned + angle)
        run = guided(sp.Line(), (20 * force[0], 20 * force[1]))
        columns = {**run.columns, "theta": run.columns["theta"] + turned}
        run = dataclasses.replace(run, columns=columns)
        page = visit(write_html(run, tmp_path / f"{angle}.html"), "#t=0.1")
        shaft = np.array([run.columns[axis][-1, 5] for axis in "xy"]) + 0.04 * np.array(force)
        assert pixel(page, *shaft) == colour(page, paint)
        assert page.locator("#contact-key").is_hidden()
        for key in ("#forward-key", "#backward-key"):
            assert page.locator(key).is_visible()
        page.click("#contact")
        settle(page)
        assert pixel(page, *shaft) != colour(page, paint)
        assert page.locator("#forward-key").is_hidden()


def test_run_without_a_path_has_one_colour_of_contact_forces(visit, file):
    page = visit(file)
    assert page.locator("#contact-key").is_visible()
    for key in ("#forward-key", "#backward-key", "#waypoint-key", "#leg-key"):
        assert page.locator(key).is_hidden()


def test_line_ends_where_the_robot_does(tmp_path):
    run = guided(sp.Line(-0.5, 0.2, 0.0))
    data = unpack(write_html(run, tmp_path / "run.html"))
    assert data["waypoints"] == []
    begin, end = data["legs"]
    assert begin == [-0.5, 0.2]
    reach = float(run.centre_of_mass()[:, 0].max()) + AIKO.length
    assert end == pytest.approx([reach, 0.2], abs=1e-9)


def test_arrows_can_be_shown_and_hidden(visit, file, run):
    page = visit(file, "#t=5.2")
    for kind, paint, shown in (("contact", "contact", True), ("friction", "ground", False)):
        force = run.columns[f"{kind}_force"][520]
        link = int(np.hypot(*force.T).argmax())
        direction = force[link] / np.hypot(*force[link])
        shaft = np.array([run.columns[axis][520, link] for axis in "xy"]) + 0.03 * direction
        for visible in (shown, not shown, shown):
            assert page.get_attribute(f"#{kind}", "aria-pressed") == str(visible).lower()
            assert page.locator(f"#{kind}-key").is_visible() == visible
            assert (pixel(page, *shaft) == colour(page, paint)) == visible
            page.click(f"#{kind}")
            settle(page)


def test_run_without_contact_has_no_contact_button(visit, tmp_path):
    run = sp.simulate(AIKO, sp.World(friction=sp.Coulomb(0.2)), GAIT, 0.5)
    page = visit(write_html(run, tmp_path / "run.html"))
    assert page.locator("#contact").is_disabled()
    page.keyboard.press("c")
    assert page.locator("#contact-key").is_hidden()


def test_wheel_zooms_about_the_pointer(visit, file):
    page = visit(file)
    box = page.locator("#stage").bounding_box()
    dx, dy = 150.0, -60.0
    page.mouse.move(box["x"] + box["width"] / 2 + dx, box["y"] + box["height"] / 2 + dy)
    before = ask(page, "view")
    page.mouse.wheel(0, -400)
    until(page, f"serpenoid.view().scale > {before['scale']}")
    after = ask(page, "view")
    assert after["scale"] == pytest.approx(before["scale"] * math.exp(0.6))
    for axis, offset in (("x", dx), ("y", -dy)):
        held = before[axis] + offset / before["scale"]
        assert after[axis] + offset / after["scale"] == pytest.approx(held, abs=1e-3)


def test_drag_moves_the_view_and_ends_following(visit, file):
    page = visit(file)
    page.click("#follow")
    settle(page)
    x, y = middle(page, "#stage")
    before = ask(page, "view")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 120, y + 50, steps=4)
    page.mouse.up()
    page.mouse.move(x, y)
    after = ask(page, "view")
    assert not after["follow"]
    assert before["x"] - after["x"] == pytest.approx(120 / before["scale"])
    assert after["y"] - before["y"] == pytest.approx(50 / before["scale"])
    page.click("#fit")
    assert ask(page, "view")["x"] == pytest.approx(1.15, abs=0.1)


def test_touch_pinches_and_drags(visit, file):
    page = visit(file, **PHONE)
    x, y = middle(page, "#stage")
    touch = page.context.new_cdp_session(page)

    def fingers(kind: str, *points: tuple[float, float]) -> None:
        places = [{"x": px, "y": py, "id": k} for k, (px, py) in enumerate(points)]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    before = ask(page, "view")
    assert before["follow"]  # on a small screen from the start
    fingers("touchStart", (x - 30, y))
    fingers("touchMove", (x - 28, y))  # trembling
    for following in (True, False):
        before = ask(page, "view")
        fingers("touchStart", (x - 30, y), (x + 30, y))
        for reach in (40, 50, 60):
            fingers("touchMove", (x - reach, y), (x + reach, y))
        fingers("touchEnd")
        pinched = ask(page, "view")
        assert pinched["follow"] == following
        assert pinched["scale"] == pytest.approx(2 * before["scale"], rel=0.1)
        assert pinched["x"] == pytest.approx(before["x"], abs=2 / before["scale"])
        if following:
            page.tap("#follow")
    fingers("touchStart", (x, y))
    for shift in (20, 40, 60):
        fingers("touchMove", (x - shift, y))
    fingers("touchEnd")
    dragged = ask(page, "view")
    assert dragged["scale"] == pinched["scale"]
    assert dragged["x"] - pinched["x"] == pytest.approx(60 / pinched["scale"], rel=0.05)


def test_camera_follows_the_robot(visit, file, run):
    page = visit(file)
    page.click("#follow")
    centre = run.centre_of_mass()
    for row in (0, 400, 1000):
        seek(page, run.time[row])
        view = ask(page, "view")
        assert [view["x"], view["y"]] == pytest.approx(centre[row], abs=1e-9)
        head = run.columns["x"][row, -1], run.columns["y"][row, -1]
        assert pixel(page, *head) == colour(page, "slip")


def test_view_changed_by_hand_survives_a_change_of_the_window(visit, file):
    page = visit(file)
    whole = ask(page, "view")["scale"]
    page.set_viewport_size({"width": 900, "height": 700})
    until(page, f"serpenoid.view().scale < 0.9 * {whole}")
    page.keyboard.press("+")
    mine = ask(page, "view")
    page.set_viewport_size({"width": 1200, "height": 700})
    until(page, "document.getElementById('stage').width === 1200")
    assert ask(page, "view") == mine


# --------------------------------------------------------------------------------- other pages


@pytest.mark.parametrize(("width", "height"), [(390, 844), (320, 568), (844, 390)])
def test_phone_shows_all_without_scrolling_sideways(visit, file, width, height):
    page = visit(file, **PHONE | {"viewport": {"width": width, "height": height}})
    assert page.evaluate("document.documentElement.scrollWidth") == width
    for button in page.locator("main button:visible, main select").all():
        box = button.bounding_box()
        assert box["height"] >= 44
        assert box["width"] >= 44
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    boxes = [page.locator(name).bounding_box() for name in (".stage", ".controls", ".charts")]
    boxes.append(page.locator("footer").bounding_box())
    for above, below in itertools.pairwise(boxes):
        assert above["y"] + above["height"] <= below["y"] + 0.5


def test_desktop_shows_all_at_once(visit, file):
    page = visit(file)
    assert page.evaluate("document.documentElement.scrollHeight") == 800
    assert page.locator("#stage").bounding_box()["height"] > 350


def test_dark_page_for_who_prefers_that(visit, file):
    light, dark = visit(file, color_scheme="light"), visit(file, color_scheme="dark")
    for page, low, high in ((light, 240, 255), (dark, 0, 40)):
        assert all(low <= part <= high for part in pixel(page, 1.05, -0.25))


def test_text_of_others_stays_text(visit, tmp_path):
    name = '</script><b>{{data}}</b> & "quotes" \'</title>'
    robot = sp.Robot.uniform(1, length=0.2, mass=1.0, radius=0.05, name=name)
    run = sp.simulate(robot, sp.World(friction=sp.Coulomb(0.1)), None, 0.2)
    page = visit(write_html(run, tmp_path / "run.html"))
    assert page.title() == name
    assert page.locator("h1").inner_text() == name
    assert page.locator("header b").count() == 0
    titled = visit(write_html(run, tmp_path / "other.html", title="<i>Mine</i>"))
    assert titled.title() == "<i>Mine</i>"
    assert name in titled.locator("header p").inner_text()


def test_robot_of_one_link(visit, tmp_path):
    robot = sp.Robot.uniform(1, length=0.2, mass=1.0, radius=0.05)
    world = sp.World(friction=sp.Coulomb(0.1))
    run = sp.simulate(robot, world, None, 0.2, start=sp.Start(velocity=(1.0, 0.0)))
    page = visit(write_html(run, tmp_path / "run.html"), "#t=0.1")
    assert_pose(page, run, 10)
    assert pixel(page, run.columns["x"][10, 0] - 0.04, 0.0) == colour(page, "slip")


def test_run_of_one_row(visit, run, tmp_path):
    columns = {name: column[:1] for name, column in run.columns.items()}
    page = visit(write_html(dataclasses.replace(run, columns=columns), tmp_path / "run.html"), "")
    page.keyboard.press("Space")
    assert not ask(page, "playing")
    assert_pose(page, run, 0)
    assert "One recorded row." in page.locator("footer").inner_text()
    assert page.locator("#clock").inner_text() == "0.0 / 0.0 s"


def test_a_run_that_ended_early_says_so(visit, run, tmp_path):
    short = dataclasses.replace(
        run, columns={name: column[:53] for name, column in run.columns.items()}
    )
    assert "0 s to 0.52 s, ended before the planned 10 s: mean velocity" in repr(short)
    words = "The run ended at 0.52 s, before the planned 10 s."
    page = visit(write_html(short, tmp_path / "run.html"))
    assert page.locator("header p").last.inner_text() == words
    assert page.locator("#clock").inner_text() == "0.00 / 0.52 s"
    assert run.missed_end is None
    assert "planned" not in repr(run)
    # The same of a run that continues another one, and not of a piece of a whole one.
    later = sp.simulate(AIKO, TRACK, GAIT, 0.5, start=run.state)
    assert later.missed_end is None
    columns = {name: column[:20] for name, column in later.columns.items()}
    assert dataclasses.replace(later, columns=columns).missed_end == 10.5
    assert between(run, 1.0, 2.0).missed_end is None


def test_run_that_begins_late(visit, run, tmp_path):
    later = sp.simulate(AIKO, TRACK, GAIT, 0.5, start=run.state)
    page = visit(write_html(later, tmp_path / "run.html"), "", reduced_motion="reduce")
    assert ask(page, "time") == 10.0
    assert_pose(page, later, 0)
    page.keyboard.press("End")
    assert_pose(page, later, 50)


def test_hundred_links_follow_the_thinned_rows(visit, long_run, tmp_path):
    file = write_html(long_run, tmp_path / "run.html")
    time = decode(unpack(file)["time"])
    row = int(np.flatnonzero(long_run.time == time[100])[0])
    page = visit(file, f"#t={time[100]}")
    assert_pose(page, long_run, row)
    page.keyboard.press("ArrowRight")
    assert ask(page, "time") == time[101]
