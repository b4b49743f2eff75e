"""What is written is what is read back: every spec, from TOML and from JSON."""

import json

import pydantic
import pytest
import tomli_w

import serpenoid as sp
from serpenoid.scenario.keys import parse, setting
from serpenoid.spec import Family, Positive, spec, written
from tests.specs import Maker, classes

_FILTERED = sp.References(parts=(sp.Follower(60, 40, delay=0.5),), cutoff=None)


@pytest.mark.parametrize("cls", classes(), ids=lambda cls: cls.__name__)
def test_every_spec_is_read_back_as_it_was_written(cls):
    adapter, maker = pydantic.TypeAdapter(cls), Maker(cls)
    for _ in range(40):
        item = maker.spec(cls)
        text = tomli_w.dumps({"item": written(item)})
        assert adapter.validate_python(parse(text, "it")["item"]) == item
        assert adapter.validate_python(json.loads(adapter.dump_json(item))) == item


def test_every_member_of_a_family_can_be_looked_up():
    """Equal ones are found, whatever they hold: pictures are kept by scenario."""
    for cls in classes():
        if issubclass(cls, Family):
            item, again = Maker(cls).spec(cls), Maker(cls).spec(cls)
            assert {item: 1}[again] == 1, cls
    one, other, third = (
        sp.PythonController("a:B", {"gain": gain, "at": [{"x": 1}]}) for gain in (1, 1.0, 2)
    )
    assert hash(one) == hash(other)
    assert {one: 1, third: 2}[other] == 1
    assert one != third


def _without_folder(value):
    if isinstance(value, dict):
        python = value.get("kind") == "python"
        return {k: _without_folder(v) for k, v in value.items() if not (python and k == "folder")}
    return [_without_folder(v) for v in value] if isinstance(value, list) else value


def test_files_of_scenarios_are_read_back_as_they_were_written(tmp_path):
    maker = Maker("scenarios")
    for _ in range(40):
        scenario = maker.spec(sp.Scenario)
        loaded = sp.Scenario.load(scenario.dump(tmp_path / "it.toml"))
        assert loaded == scenario or scenario.python is not None
        # A file says by where it lies in which folder code is looked for.
        assert _without_folder(loaded.plain()) == _without_folder(scenario.plain())
        assert sp.Scenario.from_plain(scenario.plain()) == scenario


def test_none_is_written_only_where_it_is_not_the_default():
    scenario = sp.Scenario.load("aiko_flat").changed({"controller": written(_FILTERED)})
    assert scenario.controller == _FILTERED
    text = scenario.dumps()
    assert text.count('"none"') == 1
    assert 'cutoff = "none"' in text
    assert sp.Scenario.loads(text).controller.cutoff is None


def test_none_is_a_word_of_files_and_settings():
    scenario = sp.Scenario.load("aiko_flat")
    for text in ("friction=none", 'friction="none"', "actuator = none", "controller=none"):
        key, value = setting(text)
        assert getattr(scenario.changed({key: value}), key) is None
    # Text stays text, and Python has a None of its own.
    assert scenario.changed({"title": "none"}).title == "none"
    with pytest.raises(sp.InvalidInput, match=r"^References\.cutoff = 'none' is not allowed"):
        sp.References(parts=_FILTERED.parts, cutoff="none")
    with pytest.raises(sp.InvalidInput, match=r"^clock\.duration = 'none' is not allowed"):
        scenario.changed({"clock.duration": "none"})


def test_a_field_that_a_file_cannot_hold_is_refused():
    with pytest.raises(TypeError, match=r"^Odd\.word may be text or None, so None must be default"):

        @spec
        class Odd:
            size: Positive
            word: str | None = "a"
