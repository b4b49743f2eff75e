"""The Chromium of the system, for tests of pages."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_MISSING = "no Chromium found: install it, or name it in SERPENOID_CHROMIUM"
# Nothing but the page: no sandbox, which containers lack, and none of a browser's own traffic.
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def find_chromium() -> str | None:
    """Path of the browser: the one named in SERPENOID_CHROMIUM, or what is installed."""
    named = os.environ.get("SERPENOID_CHROMIUM")
    return shutil.which(named) if named else next(filter(None, map(shutil.which, _NAMES)), None)


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """A running headless browser; without one the test is skipped.

    With SERPENOID_REQUIRE_BROWSER=1 it fails instead.
    """
    path = find_chromium()
    if path is None:
        missing = pytest.fail if os.environ.get("SERPENOID_REQUIRE_BROWSER") == "1" else pytest.skip
        missing(_MISSING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=_ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()
