"""The table of contacts: in parts and in batches, in files, with names of the world's things."""

import dataclasses

import numpy as np
import pytest

import serpenoid as sp
from serpenoid import cli
from serpenoid.analysis.equality import check_equality
from serpenoid.engine import engine, variables
from serpenoid.engine.assemble import pack_world
from serpenoid.engine.contact_decoding import touched_things
from serpenoid.engine.contact_table import NO_CONTACTS, ContactTable
from serpenoid.engine.prepare import Preparation
from serpenoid.engine.recording import new_log
from serpenoid.engine.simulate import new_engine
from serpenoid.engine.variables import CONTACT_KINDS
from serpenoid.kernels import layout
from serpenoid.kernels.contact_log import slot
from serpenoid.kernels.layout import CODES
from serpenoid.studies.run_parts import staged_runs, without_beginning
from tests.engine.test_batch_runs import LOADS
from tests.sentences import refusal, sentences

ASKED = {"clock.duration": 0.8, "record.contacts": True}


def scenario(name: str, **changes) -> sp.Scenario:
    return sp.Scenario.load(name, ASKED | changes)


# Pegs; terrain that yields; loads and what they touch.
SCENARIOS = {
    "aiko_pegs": scenario("aiko_pegs"),
    "stairs": scenario("stairs"),
    "loads": sp.Scenario.from_plain(LOADS).changed(ASKED),
}


def assert_same(one: ContactTable, other: ContactTable) -> None:
    for name, column in one.columns.items():
        theirs = other.columns[name]
        assert column.dtype.kind == theirs.dtype.kind, name
        assert np.array_equal(column, theirs), name


@pytest.fixture(scope="module")
def runs() -> dict[str, sp.Trajectory]:
    return {name: each.run() for name, each in SCENARIOS.items()}


# ------------------------------------------------------------------------------- the same contacts


@pytest.mark.parametrize("name", SCENARIOS)
def test_to_record_contacts_changes_nothing_else(name, runs):
    plain = SCENARIOS[name].changed({"record.contacts": False}).run()
    assert len(runs[name].contacts) > 10
    assert len(plain.contacts) == 0
    assert plain.state == runs[name].state
    for key, column in plain.columns.items():
        assert np.array_equal(column, runs[name].columns[key]), key
    assert "contact" not in plain.dataset.sizes


@pytest.mark.parametrize("name", SCENARIOS)
def test_run_in_parts_has_the_contacts_of_the_whole(name, runs):
    first = SCENARIOS[name].run(duration=0.5)
    rest = SCENARIOS[name].run(duration=0.3, start=first.state)
    assert_same(ContactTable.joined(first.contacts, rest.contacts), runs[name].contacts)


def test_batch_has_the_contacts_of_single_runs():
    """Each with the names of its own world."""
    loads = SCENARIOS["loads"]
    extra = {"x": 5.0, "y": 5.0, "radius": 0.1}
    worlds = [
        loads,
        loads.changed({"world.pegs": [extra, *loads.plain()["world"]["pegs"]]}),
        loads.changed({"controller.frequency_deg": 150.0}),
    ]
    for run, single in zip(sp.simulate_batch(worlds), worlds, strict=True):
        alone = single.run()
        assert len(alone.contacts) > 0
        assert_same(run.contacts, alone.contacts)
    index = [run.contacts.index[run.contacts.kind == "peg"] for run in sp.simulate_batch(worlds)]
    assert set(index[0].tolist()) == {0}
    assert set(index[1].tolist()) == {1}


@pytest.mark.parametrize("name", SCENARIOS)
def test_log_that_runs_full_grows(name, runs, monkeypatch):
    monkeypatch.setattr(engine, "_STEPS_LOGGED", 1)
    grown = []
    whole = engine.Engine._grow_logs
    monkeypatch.setattr(
        engine.Engine, "_grow_logs", lambda *given: grown.append(whole(*given)) or grown[-1]
    )
    again = SCENARIOS[name].run()
    assert any(grown)
    assert_same(again.contacts, runs[name].contacts)
    assert check_equality(again, runs[name]).bitwise
    for each in sp.simulate_batch([SCENARIOS[name]] * 2):
        assert_same(each.contacts, runs[name].contacts)


def test_steps_that_are_taken_back_leave_no_contacts(runs):
    """As after a step that cannot be taken; in the middle of a row, while something is touched."""
    prepared = Preparation().prepare(SCENARIOS["loads"], SCENARIOS["loads"].controller)
    single = new_engine(1, prepared)
    single.put(0, prepared)
    reached = int(np.searchsorted(runs["loads"].time, runs["loads"].contacts.time[5])) * 10 - 4
    single.step_one(reached)
    here = single.checkpoint()
    assert len(here.sums.touches) > 0
    single.step_one(57)
    single.restore(here)
    single.step_one(800 - reached)
    assert_same(single.contacts(0), runs["loads"].contacts)


def test_parts_of_a_run_have_their_contacts(runs):
    """What studies join from stages, and leave out at the beginning."""
    *_, staged = staged_runs(SCENARIOS["loads"], 4)
    assert_same(staged.contacts, runs["loads"].contacts)
    late = without_beginning(runs["loads"], 0.4)
    assert 0 < len(late.contacts) < len(runs["loads"].contacts)
    assert late.contacts.time.min() >= late.time[0] > 0.39


def test_robots_without_a_record_note_nothing():
    batch = sp.Batch([SCENARIOS["loads"]] * 2)
    batch.step(200)
    assert (batch.status == 0).all()
    alone = SCENARIOS["loads"].run(duration=0.2)
    assert batch.state(0) == alone.state


# ------------------------------------------------------------------------------------------ files


def test_saved_contacts_are_loaded_and_verified(runs, tmp_path, capsys):
    run = runs["loads"]
    path = run.save(tmp_path / "run.nc")
    again = sp.load(path)
    assert_same(again.contacts, run.contacts)
    assert check_equality(again, run).bitwise
    assert again.dataset.sizes["contact"] == len(run.contacts)
    assert again.dataset["contact_normal_force"].dims == ("contact", "axis")
    assert again.dataset["contact_normal_force"].units == "N"
    assert cli.invoke(["verify", str(path)]) == 0
    assert "bitwise equal" in capsys.readouterr().out


def test_run_without_a_contact_is_saved_too(tmp_path):
    run = scenario("swimmer", **{"clock.duration": 0.1}).run()
    assert len(run.contacts) == 0
    again = sp.load(run.save(tmp_path / "run.nc"))
    assert again.scenario.record.contacts
    assert_same(again.contacts, run.contacts)


def test_other_contacts_are_a_difference(runs):
    run = runs["aiko_pegs"]
    moved = dataclasses.replace(run.contacts, point=run.contacts.point + 0.1)
    other = dataclasses.replace(run, contacts=moved)
    assert check_equality(run, other).others == ("contacts",)
    fewer = dataclasses.replace(run, contacts=run.contacts.where(slice(1, None)))
    assert check_equality(run, fewer).others == ("contacts",)
    rounded = dataclasses.replace(run.contacts, point=run.contacts.point + 1e-12)
    near = check_equality(run, dataclasses.replace(run, contacts=rounded))
    assert not near.bitwise
    assert near.equal


def test_damaged_contacts_are_refused(runs, tmp_path):
    contacts = runs["aiko_pegs"].contacts
    bad = dataclasses.replace(contacts, point=np.full_like(contacts.point, np.nan))
    path = dataclasses.replace(runs["aiko_pegs"], contacts=bad).save(tmp_path / "run.nc")
    words = refusal(lambda: sp.load(path), sp.OutputError)
    assert words.endswith("contact_point[0, 0] = nan is not allowed: it must be a finite number")


# ----------------------------------------------------------------------------- names of the things


SOFT = sp.Contact(stiffness=1e3)
NAMED = sp.World(
    pegs=(sp.Peg(5, 0, 0.1), sp.Peg(6, 0, 0.1)),
    walls=(
        sp.Wall(((0, 0), (1, 0), (1, 1))),
        # One straight wall, drawn as two with a bend before it.
        sp.Wall(((0, 3), (0, 2), (1, 2)), contact=SOFT),
        sp.Wall(((1, 2), (3, 2)), contact=SOFT),
        sp.Wall(((1, 1), (2, 1))),
    ),
)
LINKS = 3


def touch(packed, place, *, body=0, ground=False, other=-1, peg=None) -> np.ndarray:
    """A record of a contact with what the kernels have in a place: a disc there, or a segment."""
    found = np.zeros(1, layout.TOUCH)
    found["x"], found["y"] = place
    found["link"], found["other"], found["ground"] = body, other, ground
    item = peg
    if item is None:
        corner = np.flatnonzero((packed.discs.x == place[0]) & (packed.discs.y == place[1]))
        item = corner[0] if len(corner) else len(packed.discs) + 2 * on_segment(packed, place)
    found["obstacle"] = item if body < LINKS else CODES * item + 3
    return found


def on_segment(packed, place) -> int:
    for k, wall in enumerate(packed.segments):
        low = min(wall.x1, wall.x2), min(wall.y1, wall.y2)
        high = max(wall.x1, wall.x2), max(wall.y1, wall.y2)
        if all(a <= b <= c for a, b, c in zip(low, place, high, strict=True)):
            return k
    raise AssertionError(place)


@pytest.mark.parametrize("body", [1, LINKS])
@pytest.mark.parametrize(
    ("given", "kind", "index"),
    [
        ({"place": (6.1, 0), "peg": 1}, "peg", 1),
        ({"place": (0.5, 0)}, "wall", 0),
        ({"place": (1, 0)}, "wall", 0),
        ({"place": (1, 0.5)}, "wall", 0),
        ({"place": (2, 1)}, "wall", 3),
        ({"place": (1.5, 1)}, "wall", 3),
        ({"place": (0, 2.5)}, "wall", 1),
        ({"place": (0.2, 2)}, "wall", 1),
        ({"place": (2.2, 2)}, "wall", 2),
        ({"place": (0, 0), "other": LINKS + 4}, "load", 4),
        ({"place": (0, 0), "other": LINKS - 1}, "link", LINKS - 1),
        ({"place": (0, 0), "ground": True}, "terrain", 0),
    ],
)
def test_things_are_known_by_their_place_in_the_world(given, kind, index, body):
    robot = sp.Robot.uniform(LINKS, length=0.1, mass=1.0, radius=0.02)
    packed = pack_world(NAMED, robot)
    # The two compliant walls are one to the kernels.
    assert len(packed.segments) == 2 + 2 + 1
    kinds, numbers = touched_things(touch(packed, body=body, **given), LINKS, NAMED, packed)
    assert (CONTACT_KINDS[kinds[0]], numbers[0]) == (kind, index)


def test_terrain_and_a_link_of_one_number_are_two_contacts():
    """Numbers of obstacles are of each kind's own, beyond pegs and walls."""
    log, contact = new_log(4), np.zeros(1, layout.CONTACT).view(np.recarray)[0]
    place = getattr(slot, "py_func", slot)
    contact.link, contact.obstacle, contact.ground = 0, 41, True
    assert place(log, contact, -1) == 0
    contact.ground = False
    assert place(log, contact, 5) == 1
    assert log.touches.other[:2].tolist() == [-1, 5]
    assert place(log, contact, 5) == 1


# -------------------------------------------------------------------------------------- bad input


@sentences(
    (
        lambda: scenario("aiko_pegs", **{"record.contacts": "yes"}),
        "aiko_pegs: record.contacts = 'yes' is not allowed: it must be true or false",
    ),
    (
        lambda: sp.simulate(sp.robots.aiko(), record_contacts=1),
        "record.contacts = 1 is not allowed: it must be true or false",
    ),
    (
        lambda: scenario("peg_forest", solver="hybrid").run(),
        "record.contacts = True is not allowed with solver 'hybrid', which does not note its "
        "contacts one by one; use solver='newton'",
    ),
    (
        lambda: scenario("stairs", solver="explicit").run(),
        "record.contacts = True is not allowed with solver 'explicit', which does not note its "
        "contacts one by one; use solver='newton'",
    ),
    (
        lambda: sp.simulate_batch([scenario("aiko_pegs"), scenario("aiko_pegs", **PLAIN)]),
        "scenario 1 has record.contacts = False, but scenario 0 has True; robots of one batch must "
        "have the same",
    ),
)
def test_refused(call, words):
    assert refusal(call) == words


PLAIN = {"record.contacts": False}


def test_values_have_the_types_of_the_table_of_variables():
    run = sp.Scenario.load("aiko_pegs", {"record.contacts": True}).run(duration=0.2)
    for variable in variables.VARIABLES.values():
        if variable.name in run.columns:
            assert run.columns[variable.name].dtype == variable.dtype, variable.name
    for table in (run.contacts, NO_CONTACTS):
        for variable in variables.CONTACT_LOG:
            assert table.stored()[variable.name].dtype == variable.dtype, variable.name
