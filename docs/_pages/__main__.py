"""Renew the pages; `pictures`: pictures and tutorials first; `shrink`: reproductions first."""

from __future__ import annotations

import sys

from docs._ext import notebooks
from docs._pages import pictures
from docs._pages.blocks import WITH_BLOCKS, renewed

if __name__ == "__main__":
    match sys.argv[1:]:
        case ["pictures"]:
            pictures.make_all()
            notebooks.keep_all()
        case ["shrink"]:
            pictures.shrink_reproductions()
        case [_, *_]:
            sys.exit("python -m docs._pages takes nothing, pictures or shrink")
    for page in WITH_BLOCKS:
        before, after = page.read_text(encoding="utf-8"), renewed(page)
        if after != before:
            page.write_text(after, encoding="utf-8")
            print(f"renewed {page}")
