"""What the package writes on the pages is what it would write now."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import pytest

import serpenoid as sp

pytest.importorskip("sphinx")

from docs._pages import blocks
from docs._pages.paper_tables import claims
from docs._pages.places import REPRODUCTIONS, paper_pages
from docs._pages.run_figures import LINES

ROOT = Path(__file__).parents[2]
PAGES = [
    page
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    if not {"_build", "generated", "reproductions"} & set(page.parts)
]
LINKED = {
    (ROOT / target).resolve()
    for target in re.findall(r"\]\(([\w/]+\.md)[#)]", (ROOT / "README.md").read_text("utf-8"))
}


@pytest.mark.parametrize("page", blocks.WITH_BLOCKS, ids=lambda page: page.stem)
def test_a_page_is_current(page):
    same = blocks.renewed(page) == page.read_text(encoding="utf-8")
    assert same, f"{page.relative_to(ROOT)} is not current: run `make pages`"


def test_a_block_is_renewed_and_what_is_around_it_stays(tmp_path):
    page = tmp_path / "page.md"
    head = "<!-- made by `make pages`: study-metrics -->"
    page.write_text(f"Before.\n\n{head}\n\nold\n\n<!-- end -->\n\nAfter.\n")
    text = blocks.renewed(page)
    assert text.startswith(f"Before.\n\n{head}\n\n| metric | unit | meaning |\n")
    assert text.endswith(" |\n\n<!-- end -->\n\nAfter.\n")
    assert "old" not in text


def test_a_block_that_nothing_writes_is_found_out(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("<!-- made by `make pages`: nonsense -->\n\n<!-- end -->\n")
    with pytest.raises(KeyError, match="nonsense"):
        blocks.renewed(page)


@pytest.mark.thorough
def test_the_runs_of_the_gallery_are_as_the_page_says():
    kept = json.loads(LINES.read_text(encoding="utf-8"))
    assert list(kept) == list(sp.gallery())
    for name, line in kept.items():
        now = str(sp.Scenario.load(name).run())
        # Processors round differently, which a hundred contacts make visible.
        numbers = [[float(n) for n in re.findall(r"-?\d+\.?\d*", each)] for each in (line, now)]
        message = f"{name} is now: {now}: run `make pictures`"
        assert numbers[0] == pytest.approx(numbers[1], rel=0.02, abs=0.02), message


@pytest.mark.parametrize("key", paper_pages())
def test_the_reproduction_of_a_paper_with_a_page_is_kept_whole(key):
    kept = json.loads((REPRODUCTIONS / key / "claims.json").read_text(encoding="utf-8"))
    assert (kept["paper"], kept["quick"]) == (key, False)
    page = (ROOT / "docs" / "papers" / f"{key}.md").read_text(encoding="utf-8")
    assert claims(ROOT, key) in page


def test_pages_that_the_readme_links_to_hold_nothing_that_sphinx_alone_shows():
    assert len(LINKED) > 8
    for page in LINKED:
        directives = set(re.findall(r"^```\{([\w-]+)\}", page.read_text("utf-8"), re.MULTILINE))
        assert directives <= {"eval-rst"}, page
        assert not re.search(r"^:::|^\{\.|\]\{\.", page.read_text("utf-8"), re.MULTILINE), page


def test_pictures_of_all_pages_are_kept_and_small():
    shown = set()
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        sources = re.findall(r'<img src="([^"]+)" alt="[^"]+"|!\[[^]]+\]\(([^)]+)\)', text)
        shown |= {(page.parent / (first or second)).resolve() for first, second in sources}
        assert len(sources) == text.count("<img") + text.count("!["), page
    assert len(shown) > 60
    assert [picture for picture in shown if not picture.is_file()] == []
    assert {p.name: p.stat().st_size for p in shown if p.stat().st_size > 400_000} == {}
    kept = {
        p
        for folder in ("pictures", "reproductions")
        for p in (ROOT / "docs" / folder).rglob("*.png")
    }
    assert kept - shown == set()


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("a\n\n<!-- {.lead} -->\nb\n", "a\n\n{.lead}\nb\n"),
        ("<!-- {toctree}\n:hidden:\n\nx\n-->\n", "```{toctree}\n:hidden:\n\nx\n```\n"),
        ("<!-- {raw} html\n<p>x</p>\n-->\n", "```{raw} html\n<p>x</p>\n```\n"),
        ("<!-- words -->\n\n<!-- end -->\n", "<!-- words -->\n\n<!-- end -->\n"),
    ],
)
def test_what_is_hidden_in_comments_is_read_by_the_site(text, read, monkeypatch):
    path = ROOT / "docs" / "_ext" / "site_extras.py"
    monkeypatch.syspath_prepend(path.parent)  # as conf.py does
    spec = importlib.util.spec_from_file_location("site_extras", path)
    site_extras = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(site_extras)
    assert site_extras.revealed(text) == read
