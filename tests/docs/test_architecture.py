"""The pages about the code are true: what they name is there."""

import ast
import functools
import importlib
import re
import sys
from pathlib import Path

import pytest

from serpenoid import cli
from serpenoid.kernels import block_layout, layout

DOCS = Path("docs")
PAGE = (DOCS / "architecture.md").read_text()
SOURCE = Path("src/serpenoid")
METHODS = ("newton", "prox", "hybrid", "explicit")


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


def test_a_run_takes_the_first_walk_in_its_order(tmp_path, monkeypatch):
    """As far as it is in Python; kernels are compiled."""
    monkeypatch.chdir(tmp_path)
    passed = []

    def note(frame, event, _arg):
        if event == "call":
            passed.append(f"{frame.f_globals.get('__name__')}.{frame.f_code.co_qualname}")

    sys.setprofile(note)
    try:
        assert cli.invoke(["run", "aiko_pegs", "--set", "clock.duration=0.01"]) == 0
    finally:
        sys.setprofile(None)
    first, *walk = [name for name in _walks()[0] if ".kernels." not in name]
    assert first == "serpenoid.cli.main"
    assert "invoke" in cli.main.__code__.co_names
    assert list(dict.fromkeys(name for name in passed if name in walk)) == walk


def test_the_files_it_names_are_there():
    named = set(re.findall(r"\b([a-z_]+\.py)\b", PAGE))
    there = {path.name for path in SOURCE.rglob("*.py")}
    assert named <= there, named - there


def _section(title: str) -> str:
    return PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]


def _pieces() -> list[str]:
    """Rows of the table 'Where to look', paragraphs and items of 'To add something'."""
    rows = [row for row in _section("Where to look").splitlines() if "`" in row]
    items = re.split(r"\n\n|\n(?=- )", _section("To add something"))
    return rows + [item.strip() for item in items if "`" in item]


def _found(path: str) -> Path | None:
    """A file or folder by its place in the package, or in the repository."""
    places = (SOURCE / path, SOURCE.parent / path, Path(path))
    return next((place for place in places if place.exists()), None)


@functools.cache
def _defined(path: Path) -> set[str]:
    """What a module defines, and its classes; members also by the name of their class."""
    found = set()

    def look(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            names = []
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                names = [node.name]
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                inner = (each for target in targets for each in ast.walk(target))
                names = [each.id for each in inner if isinstance(each, ast.Name)]
            found.update(names, (prefix + name for name in names))
            if isinstance(node, ast.ClassDef):
                look(node.body, f"{node.name}.")

    look(ast.parse(path.read_text()).body, "")
    return found


def missing_in(piece: str) -> list[str]:
    """What a piece of the page names that is not there.

    Files must be named with their folder, functions in one piece with a file that defines them.
    """
    words = [" ".join(word.split()) for word in re.findall(r"`([^`]+)`", piece)]
    paths = [word for word in words if re.fullmatch(r"[\w/.]+\.(py|md)|[\w/]+/[\w/]*", word)]
    bare = [path for path in paths if "/" not in path]
    lost = [path for path in paths if _found(path) is None]
    files = [place for place in map(_found, paths) if place is not None and place.suffix == ".py"]
    known = set(METHODS).union(*map(_defined, files))
    names = [word for word in words if re.fullmatch(r"[A-Za-z_][\w.]*", word)]
    return bare + lost + [name for name in names if name not in known and name not in paths]


@pytest.mark.parametrize("piece", _pieces(), ids=lambda piece: piece[:30])
def test_what_is_to_be_looked_at_and_changed_is_there(piece):
    assert missing_in(piece) == []


@pytest.mark.parametrize(
    ("piece", "missing"),
    [
        ("`solve` in `kernels/midpoint.py`, `Newton.max_penetration` in `methods/default.py`", []),
        ("`dissolve` in `kernels/midpoint.py`", ["dissolve"]),
        ("`solve` in `kernels/sweep.py`", ["solve"]),
        ("`Newton.depth` in `methods/default.py`", ["Newton.depth"]),
        ("`engine/midpoint.py`", ["engine/midpoint.py"]),
        ("`midpoint.py`", ["midpoint.py", "midpoint.py"]),
        ("tests in `tests/thawed`", ["tests/thawed"]),
    ],
)
def test_what_is_not_there_is_found_out(piece, missing):
    assert missing_in(piece) == missing


RECORDS = {
    "LINK": layout.LINK,
    "JOINT": layout.JOINT,
    "CONTACT": layout.CONTACT,
    "SUPPORT": layout.SUPPORT,
    "TOUCH": layout.TOUCH,
    "BLOCK": block_layout.BLOCK,
    "ROBOT": block_layout.ROBOT,
}


@pytest.mark.parametrize("record", RECORDS)
def test_every_symbol_of_a_kernel_record_is_explained(record):
    """And nothing that is not in it."""
    page = (DOCS / "notation.md").read_text()
    section = page.partition(f"(`{record}`")[2].partition("\n**A ")[0]
    rows = [row.split("|")[1] for row in section.splitlines() if row.startswith("| `")]
    explained = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    fields = set(RECORDS[record].names)
    assert explained == fields, explained ^ fields


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
