"""Where the documentation keeps what it shows."""

from __future__ import annotations

from pathlib import Path

from serpenoid import papers

DOCS = Path(__file__).parents[1]
PICTURES = DOCS / "pictures"
REPRODUCTIONS = DOCS / "reproductions"


def paper_pages() -> list[str]:
    """Keys of the papers that have a page."""
    return [key for key in papers.available() if (DOCS / "papers" / f"{key}.md").is_file()]
