"""The tutorials: notebooks that are kept with their outputs, and run anew for the site.

The repository keeps outputs without players, which are too large. For the site each notebook runs
once, in an empty folder, until the package or the notebook changes; what came out is in
`docs/generated/tutorials`.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from sphinx.application import Sphinx

TUTORIALS = Path(__file__).parents[1] / "tutorials"
EXECUTED = Path(__file__).parents[1] / "generated" / "tutorials"
# Time that a cell may take, s.
_PATIENCE = 600


def books() -> list[Path]:
    """The notebooks, in their order."""
    return sorted(TUTORIALS.glob("*.ipynb"))


def executed(path: Path) -> Any:
    """A notebook with the outputs that it has now.

    Args:
        path: The notebook.

    Returns:
        The notebook as nbformat reads it.

    Raises:
        nbclient.exceptions.CellExecutionError: A cell failed.
    """
    book = nbformat.read(path, as_version=4)
    # Not the one of tests and builds, which shows nothing.
    env = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            book, timeout=_PATIENCE, kernel_name="python3", resources={"metadata": {"path": folder}}
        )
        client.execute(env=env)
    for cell in book.cells:
        cell.metadata.pop("execution", None)  # when it ran
        if cell.cell_type == "code":
            cell.outputs = without_notice(cell.outputs)
    book.metadata["language_info"] = {"name": "python"}
    return book


def written(book: Any) -> str:
    """The text of a notebook's file."""
    return json.dumps(book, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def kept(book: Any) -> Any:
    """A notebook as the repository keeps it: of what is played, a line of text stays."""
    for cell in book.cells:
        for output in cell.get("outputs", []):
            if "<iframe" in output.get("data", {}).get("text/html", ""):
                del output["data"]["text/html"]
        lasting = [each for each in cell.get("outputs", []) if not is_bar(each)]
        if cell.cell_type == "code":
            cell.outputs = lasting
    return book


def without_notice(outputs: list[Any]) -> list[Any]:
    """Outputs without the line that only a first run on a machine prints: that it compiles."""
    for each in outputs:
        if each.get("name") == "stderr":
            each.text = re.sub(r"^serpenoid: compiling .*\n", "", each.text, flags=re.MULTILINE)
    return [each for each in outputs if each.get("text") != ""]


def is_bar(output: Any) -> bool:
    """Whether an output is a progress bar, which only slow machines show."""
    return "<progress" in output.get("data", {}).get("text/html", "")


def keep_all() -> None:
    """Run all notebooks, and write them with the outputs that they have now."""
    for path in books():
        path.write_text(written(kept(executed(path))), encoding="utf-8")


def make_all() -> None:
    """Run all notebooks for the site."""
    EXECUTED.mkdir(parents=True, exist_ok=True)
    for path in books():
        (EXECUTED / path.name).write_text(written(executed(path)), encoding="utf-8")


def _read_executed(_app: Sphinx, name: str, source: list[str]) -> None:
    """Give the site the notebook with players."""
    path = EXECUTED.parent / f"{name}.ipynb"
    if name.startswith("tutorials/") and path.is_file():
        source[0] = path.read_text(encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Read the tutorials as they ran."""
    app.connect("source-read", _read_executed)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
