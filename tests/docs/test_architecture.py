"""The pages about the code are true: what they name is there."""

import functools
import importlib
import re
from pathlib import Path

import pytest

from serpenoid.kernels import layout

DOCS = Path("docs")
PAGE = (DOCS / "architecture.md").read_text()
SOURCE = Path("src/serpenoid")


def _walks() -> list[list[str]]:
    page = PAGE[PAGE.index("## Two walks") : PAGE.index("## Where to look")]
    rows = re.findall(r"^\| (\d+) \| `([\w.]+)`", page, re.M)
    starts = [k for k, (number, _) in enumerate(rows) if number == "1"]
    names = [name for _, name in rows]
    return [names[: starts[1]], names[starts[1] :]]


def test_the_walks_are_short_and_pass_nothing_twice():
    out, back = _walks()
    assert len(out) <= 15
    assert len(back) <= 8
    for walk in (out, back):
        assert len(set(walk)) == len(walk)


@pytest.mark.parametrize("name", sorted({name for walk in _walks() for name in walk}))
def test_what_the_walks_pass_is_there(name):
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        try:
            module = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        assert callable(functools.reduce(getattr, parts[count:], module))
        return
    pytest.fail(f"there is no {name}")


def test_the_files_it_names_are_there():
    named = set(re.findall(r"\b([a-z_]+\.py)\b", PAGE))
    there = {path.name for path in SOURCE.rglob("*.py")}
    assert named <= there, named - there


@pytest.mark.parametrize("record", ["LINK", "JOINT", "CONTACT"])
def test_every_symbol_of_a_kernel_record_is_explained(record):
    page = (DOCS / "notation.md").read_text()
    section = page[page.index(f"(`{record}`") :]
    section = section[: section.find("\n**A ", 1)]
    fields = getattr(layout, record).names
    explained = set(re.findall(r"`(\w+)`", section))
    assert set(fields) <= explained, set(fields) - explained


def test_no_file_name_occurs_twice():
    stems = [
        p.stem for p in SOURCE.rglob("*.py") if p.parts[2] != "papers" and p.stem != "__init__"
    ]
    assert len(set(stems)) == len(stems), {s for s in stems if stems.count(s) > 1}


def test_no_public_class_name_occurs_twice():
    names = [
        name
        for path in SOURCE.rglob("*.py")
        if path.parts[2] != "papers"
        for name in re.findall(r"^class ([A-Z]\w*)", path.read_text(), re.M)
    ]
    assert len(set(names)) == len(names), {n for n in names if names.count(n) > 1}
