"""What the pages and the README say is complete, and is what the package says."""

from __future__ import annotations

import dataclasses
import re
import runpy
import shutil
import sys
import tomllib
import typing
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import serpenoid as sp
from serpenoid import papers
from serpenoid.scenario.sections import Place
from serpenoid.spec import Family, names

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


@pytest.fixture
def reference():
    """What writes the tables of scenario keys."""
    pytest.importorskip("sphinx")
    from docs._pages import scenario_reference

    return scenario_reference


def reachable(hint: Any, found: set[type]) -> set[type]:
    """Every spec that can stand somewhere in what is annotated so."""
    inside: typing.Iterable[Any] = typing.get_args(hint)
    if isinstance(hint, type) and Family in hint.__bases__:
        inside = [m for m in hint.offered().values() if m.__module__.startswith("serpenoid.")]
    elif isinstance(hint, type) and dataclasses.is_dataclass(hint) and hint not in found:
        found.add(hint)
        inside = typing.get_type_hints(hint).values()
    for inner in inside:
        reachable(inner, found)
    return found


def test_every_key_of_a_scenario_is_on_its_page(reference):
    page = (DOCS / "scenarios.md").read_text(encoding="utf-8")
    specs = reachable(sp.Scenario, set())
    assert {sp.Scenario, sp.Link, sp.Peg, sp.Servo, sp.Coulomb, sp.Newton} < specs
    for spec in specs:
        keys = names(spec)
        rows = reference.table(spec)[2:]
        assert [row.split("`")[1] for row in rows] == keys
        assert "\n".join(rows) in page, spec.__name__
        assert not hasattr(spec, "kind") or f"### `{spec.kind}`\n" in page


@pytest.mark.parametrize(
    ("spec", "row"),
    [
        ("Scenario", "| `seed` | whole number | ≥ 0, ≤ 9.22337e+18 | `0` |"),
        ("Rough", "| `seed` | whole number | ≥ 0 | required | Seed of the heights |"),
        ("Servo", "| `torque_limit` | number | > 0, or `inf` | `inf` | Largest torque, N m |"),
        ("Link", "| `mass` | number | > 0 | required | Mass, kg |"),
        ("Wall", "| `points` | list of points |  | required | At least two points, m; repeat"),
        ("Wheels", "| `lifted` | true or false |  | `false` | Whether the link touches no ground"),
        ("Contact", "| `friction` | number | ≥ 0 | `0` | Coulomb coefficient, bounded"),
    ],
)
def test_a_key_is_described_as_it_is_checked(reference, spec, row):
    assert any(line.startswith(row) for line in reference.table(getattr(sp, spec)))


def test_every_key_of_model_and_control_has_a_meaning(reference):
    specs = reachable(sp.Scenario, set())
    converted = [
        s for s in specs if s.__module__.startswith(("serpenoid.model", "serpenoid.control"))
    ]
    assert {sp.Link, sp.Disc, sp.Stairs, sp.References, sp.Start} < set(converted)
    for spec in [*converted, Place]:
        _summary, meaning = reference.meanings(spec)
        keys = set(names(spec))
        assert keys - set(meaning) <= ({"field"} if spec is Place else set()), spec.__name__


def test_every_toml_block_of_the_scenario_page_is_valid():
    page = (DOCS / "scenarios.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```toml\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert len(blocks) > 5
    for block in blocks:
        data = {"robot": {"name": "aiko"}} | tomllib.loads(block)
        sp.Scenario.from_plain(data).built  # noqa: B018


def test_the_gallery_shows_every_ready_scenario():
    page = (DOCS / "gallery" / "index.md").read_text(encoding="utf-8")
    assert set(re.findall(r": ready-scenario (\w+) -->", page)) == set(sp.gallery())


def test_every_paper_has_a_page():
    for key in papers.available():
        page = (DOCS / "papers" / f"{key}.md").read_text(encoding="utf-8")
        assert f": claims {key} -->" in page


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_what_is_linked_is_there(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    named = re.findall(r"\]\(([^)#]+)\)|`((?:docs|tests)/[\w/]+\.\w+)`", text)
    assert len(named) > 2
    assert [target for pair in named for target in pair if not (ROOT / target).exists()] == []


def test_the_readme_is_short():
    words = (ROOT / "README.md").read_text(encoding="utf-8").split()
    assert len([word for word in words if re.search(r"\w", word)]) <= 700


def test_every_paper_has_a_line_in_the_readme():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"^- \[(\w+)\]\(docs/papers/(\w+)\.md\): ", text, re.MULTILINE)
    assert sorted(named) == [(key, key) for key in papers.available()]


def test_the_picture_of_the_readme_is_there_and_small():
    (picture,) = re.findall(r"!\[.+\]\((.+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert 20_000 < (ROOT / picture).stat().st_size < 1_500_000
    with Image.open(ROOT / picture) as moving:
        assert moving.n_frames > 20
        assert moving.info["loop"] == 0


@pytest.mark.thorough
@pytest.mark.parametrize("active", [True, False])
def test_demo(tmp_path, monkeypatch, capsys, active):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    own = str(Path(sys.executable).parent)
    monkeypatch.setenv("PATH", f"{own}:/usr/bin" if active else "/usr/bin:/bin")
    runpy.run_path(str(ROOT / "examples" / "demo.py"), run_name="__main__")
    printed = capsys.readouterr().out
    speeds = dict(re.findall(r"(flat plane|seven pegs) +([+-][\d.]+) cm/s", printed))
    assert -1.5 < float(speeds["flat plane"]) < -0.5
    assert 14 < float(speeds["seven pegs"]) < 18
    for name in ("demo.gif", "aiko_pegs.html"):
        assert f"out/{name}" in printed
        assert (tmp_path / "out" / name).stat().st_size > 10_000
    # The command that it names is one that this shell finds.
    command = printed.partition("Go on with\n")[2].split()[0]
    assert shutil.which(command)
    assert (command == "serpenoid") == active
    assert ("activate` the command is `serpenoid`" in printed) != active
