"""Pages of runs in a browser: showing them, asking them, and reading what they draw."""

from __future__ import annotations

import base64
import dataclasses
import functools
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from tests.plots.browser import chromium

DESKTOP = {"viewport": {"width": 1280, "height": 800}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@dataclasses.dataclass(eq=False)
class Tab:
    """A tab of the browser: what pages complained about, and what they asked for."""

    page: Page
    complaints: list[str] = dataclasses.field(default_factory=list)
    requests: list[str] = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))


@pytest.fixture(scope="module")
def tab() -> Iterator[Callable[..., Tab]]:
    """The tab with some options, opened once: that takes longer than most tests."""
    with chromium() as browser:

        @functools.cache
        def opened(options: str) -> Tab:
            return Tab(browser.new_context(**json.loads(options)).new_page())

        yield opened


@pytest.fixture
def visit(tab) -> Iterator[Callable[..., Page]]:
    """Show a file. No page may complain, or ask for anything but its own file."""
    visits: dict[Tab, list[str]] = {}

    def show(file: Path, fragment: str = "#t=0", **options: Any) -> Page:
        options = DESKTOP | options
        one = tab(json.dumps(options))
        visits.setdefault(one, []).append(file.as_uri())
        one.page.set_viewport_size(options["viewport"])
        one.page.goto(file.as_uri() + fragment)
        settle(one.page)
        return one.page

    yield show
    for one, addresses in visits.items():
        one.page.goto("about:blank")
        complaints, requests = one.complaints.copy(), one.requests.copy()
        one.complaints.clear()
        one.requests.clear()
        assert complaints == []
        assert requests == addresses


def settle(page: Page) -> None:
    """Wait until what was asked for is drawn."""
    page.evaluate("new Promise(go => requestAnimationFrame(() => requestAnimationFrame(go)))")


def until(page: Page, condition: str) -> None:
    """Wait until a JavaScript expression is true.

    Playwright's own wait_for_function needs eval, which the page's security policy forbids.
    """
    for _ in range(1000):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(10)
    pytest.fail(f"waited in vain for {condition}")


def ask(page: Page, what: str) -> Any:
    return page.evaluate(f"serpenoid.{what}()")


def seek(page: Page, time: float) -> None:
    page.evaluate("t => serpenoid.seek(t)", time)
    settle(page)


def colour(page: Page, name: str) -> list[int]:
    """A colour of the style sheet, red, green, blue."""
    text = page.evaluate(
        "name => getComputedStyle(document.documentElement).getPropertyValue(name)", f"--{name}"
    ).strip()
    return [int(text[k : k + 2], 16) for k in (1, 3, 5)]


# Pixels of the stage, read from a copy: reading the stage itself would slow down its drawing.
COPY = """
    const stage = document.getElementById("stage");
    const copy = new OffscreenCanvas(stage.width, stage.height);
    const pen = copy.getContext("2d", { willReadFrequently: true });
    pen.drawImage(stage, 0, 0);
"""


def pixel(page: Page, x: float, y: float) -> list[int]:
    """Colour drawn at a point of the plane, m."""
    read = """
        const view = serpenoid.view();
        const px = stage.width / 2 + (x - view.x) * view.scale;
        const py = stage.height / 2 - (y - view.y) * view.scale;
        return [...pen.getImageData(px, py, 1, 1).data.slice(0, 3)];
    """
    return page.evaluate(f"([x, y]) => {{ {COPY} {read} }}", [float(x), float(y)])


def count(page: Page, name: str) -> int:
    """Pixels of the stage that have a colour of the style sheet."""
    read = """
        const { data } = pen.getImageData(0, 0, stage.width, stage.height);
        let found = 0;
        for (let k = 0; k < data.length; k += 4) {
            found += data[k] === red && data[k + 1] === green && data[k + 2] === blue;
        }
        return found;
    """
    return page.evaluate(f"([red, green, blue]) => {{ {COPY} {read} }}", colour(page, name))


def middle(page: Page, selector: str) -> tuple[float, float]:
    box = page.locator(selector).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def unpack(file: Path) -> dict[str, Any]:
    text = file.read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="run">(.*)</script>', text)[1]
    return json.loads(found)["runs"][0]


def decode(packed: dict[str, Any]) -> np.ndarray:
    return np.frombuffer(base64.b64decode(packed["data"]), packed["type"]) * packed["step"]
