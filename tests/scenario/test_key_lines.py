"""The line of each key of a TOML file, beside the slow way to find it."""

import tomllib
from pathlib import Path

import pytest

import serpenoid as sp
from serpenoid.scenario import key_lines as module
from serpenoid.scenario.key_lines import key_lines, located
from serpenoid.spec_mistakes import key_path
from tests.sentences import refusal

ODD = '''\ufeff# title = "no"
title = "a # b ] = [x]" # the end
'quoted key' = """
[no.table]
no = 1 \\""" still
"""
[robot]
"links" = 3 # robot.mass = 1
wheels . kind = \'\'\'
[no]\'\'\'\'
   [ "a.b" . c ]
x = { y = 1, "z w".q = [ 1, [2,
   3], { deep = "}" } ] }
[[world.pegs]]
x = 1
[world.pegs.inner]
y = 1979-05-27T07:32:00Z
[[world.pegs]]
x = -1e5
inner.y = inf
[world.field]
region = [ # a comment, with ]
  0.8,

  3.0, # another
]
empty = []
none = {}
[[world.pegs]]
'''
CRLF = ODD.replace("\n", "\r\n")


def paths(value, place=""):
    """All keys and entries below a place, spelt as in messages."""
    if isinstance(value, dict):
        inner = {key_path((key,), place): each for key, each in value.items()}
    else:
        inner = {key_path((k,), place): each for k, each in enumerate(value)}
    for path, each in inner.items():
        yield path
        if isinstance(each, dict | list):
            yield from paths(each, path)


def slow_line(text, path):
    """The fewest lines that are valid TOML and hold the key."""
    lines = text.splitlines(keepends=True)
    for count in range(1, len(lines) + 1):
        try:
            found = set(paths(tomllib.loads("".join(lines[:count]))))
        except tomllib.TOMLDecodeError:
            continue
        if path in found:
            return count
    raise AssertionError(path)


TEXTS = {name: path.read_text(encoding="utf-8") for name, path in sp.gallery().items()}
TEXTS |= {"odd": ODD.removeprefix("\ufeff"), "crlf": CRLF.removeprefix("\ufeff")}


@pytest.mark.parametrize("name", TEXTS)
def test_every_key_has_its_line(name):
    text = TEXTS[name]
    lines = key_lines(text)
    assert set(lines) == set(paths(tomllib.loads(text)))
    for path, line in lines.items():
        # A value of several lines is complete only on its last.
        assert line <= slow_line(text, path), path


def test_lines_of_what_takes_several():
    lines = key_lines(ODD)
    expected = {
        "title": 2,
        "quoted key": 3,
        "robot": 7,
        "robot.links": 8,
        "robot.wheels.kind": 9,
        "a.b.c": 11,
        "a.b.c.x.z w.q[1][0]": 12,
        "a.b.c.x.z w.q[1][1]": 13,
        "a.b.c.x.z w.q[2].deep": 13,
        "world.pegs": 14,
        "world.pegs[0].x": 15,
        "world.pegs[0].inner.y": 17,
        "world.pegs[1]": 18,
        "world.pegs[1].inner.y": 20,
        "world.field.region": 22,
        "world.field.region[0]": 23,
        "world.field.region[1]": 25,
        "world.field.empty": 27,
        "world.pegs[2]": 29,
    }
    assert {key: lines[key] for key in expected} == expected


def said(text, *mistakes):
    with located("mine.toml", text):
        raise sp.InvalidInput(*mistakes)


def test_the_longest_key_counts_and_mistakes_come_in_the_order_of_the_file():
    text = "a = 1\nab = 2\n[c]\na = 3\nb = 4\n"
    mistakes = ("c.b is too large", "c.bb is not known", "ab: no", "this is odd", "a[0] is none")
    with pytest.raises(sp.InvalidInput) as caught:
        said(text, *mistakes)
    assert caught.value.mistakes == (
        "mine.toml: this is odd",
        "mine.toml, line 1: a[0] is none",
        "mine.toml, line 2: ab: no",
        "mine.toml, line 3: c.bb is not known",
        "mine.toml, line 5: c.b is too large",
    )
    assert str(caught.value) == "\n".join(caught.value.mistakes)


def test_a_long_file_has_no_lines(monkeypatch):
    monkeypatch.setattr(module, "_LONGEST", 10)
    assert refusal(lambda: said("a = 1\n" * 1 + "# more\n", "a is odd")) == "mine.toml: a is odd"


def test_not_more_than_twenty_mistakes_are_told(tmp_path):
    pegs = ", ".join("{x = 0, y = 0, radius = -1}" for _ in range(50))
    robot = "[robot]\nname = 'aiko'\n"
    file = tmp_path / "mine.toml"
    file.write_text(f"{robot}[world]\npegs = [{pegs}]\n")
    with pytest.raises(sp.InvalidInput) as caught:
        sp.Scenario.load(file)
    assert len(caught.value.mistakes) == 21
    assert caught.value.mistakes[0] == f"{file}: 30 more mistakes are not shown"
    assert caught.value.mistakes[1].startswith(f"{file}, line 4: world.pegs[0].radius = -1 is")


def test_changes_have_no_line(tmp_path):
    file = Path(tmp_path / "mine.toml")
    file.write_text(sp.gallery()["aiko_pegs"].read_text(encoding="utf-8"))
    words = refusal(lambda: sp.Scenario.load(file, {"friction.mu": -1}))
    assert words == f"{file}: friction.mu = -1 is not allowed: it must be at least 0"
