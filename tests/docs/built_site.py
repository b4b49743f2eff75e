"""The site as a browser shows it, on a phone and on a desk: `make check` builds it and runs this.

Not collected by itself: `make docs && python -m pytest tests/docs/built_site.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.plots.browser import chromium

SITE = Path(__file__).parents[2] / "docs" / "_build" / "html"
# Without the players, which have tests of their own, and the search, which is empty.
PAGES = sorted(
    path.relative_to(SITE).as_posix()
    for path in SITE.rglob("*.html")
    if not {"_static", "play", "search.html"} & set(path.relative_to(SITE).parts)
)
WIDTHS = {"phone": 390, "desk": 1400}

# What is wider than the page, and has no box of its own that scrolls, so that the page would.
TOO_WIDE = """() => {
  const scrolls = e => e.tagName !== 'ARTICLE'
    && (/auto|scroll/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
  return [...document.querySelectorAll('article *')]
    .filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !scrolls(e.parentElement))
    .map(e => `${e.tagName.toLowerCase()}: ${e.textContent.trim().slice(0, 60)}`);
}"""
WITHOUT_WORDS = """() => [...document.querySelectorAll('img, iframe')]
  .filter(e => !(e.alt || e.title || '').trim() && e.closest('[aria-hidden]') === null)
  .map(e => e.src.split('/').pop())"""
HEADINGS = """() => [...document.querySelectorAll('article :is(h1, h2, h3, h4, h5, h6)')]
  .map(e => Number(e.tagName[1]))"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module", params=WIDTHS)
def page(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    with browser.new_page(viewport={"width": WIDTHS[request.param], "height": 900}) as found:
        yield found


def test_the_site_is_built():
    assert "api/index.html" in PAGES, "build the site first: make docs"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_reads_well(page, name):
    page.goto((SITE / name).as_uri(), wait_until="domcontentloaded")
    assert page.evaluate(TOO_WIDE) == []
    assert page.evaluate(WITHOUT_WORDS) == []
    levels = page.evaluate(HEADINGS)
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert max(after - before for before, after in zip(levels, [*levels[1:], 1], strict=True)) <= 1


def test_of_a_console_only_the_commands_are_copied(page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto((SITE / "quickstart.html").as_uri())
    block = page.locator(".highlight-console:has(.go)").first
    commands = [line[2:] for line in block.inner_text().splitlines() if line.startswith("$ ")]
    block.locator("button.copybtn").click(force=True)
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.split("\n") == commands


def test_what_a_program_prints_has_no_button(page):
    page.goto((SITE / "quickstart.html").as_uri())
    assert page.locator(".highlight-python button.copybtn").count() > 0
    assert page.locator(".highlight-text button.copybtn").count() == 0
