"""Examples on the pages run and print what is shown, and the API page leaves no public name out.

The ```python blocks of a page run in order, in one namespace and an empty folder. What a block
prints is compared with the ```text block that follows it, or, statement by statement, with the
`# -> ` comments in it.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import re
from pathlib import Path

import pytest

import serpenoid

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PAGES = [
    page
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if "_build" not in page.parts and "```python\n" in page.read_text(encoding="utf-8")
]


def run_page(page: Path, names: dict[str, object]) -> None:
    """Run the examples of a page; fail where they print something else than the page shows."""
    text = page.read_text(encoding="utf-8")
    fences = list(FENCE.finditer(text))
    for fence, after in zip(fences, [*fences[1:], None], strict=True):
        if fence[1] != "python":
            continue
        line = text.count("\n", 0, fence.start()) + 1
        printed = run_block(fence[2], names, page, line)
        if after is not None and after[1] == "text":
            assert printed == after[2], f"{page.name}:{line}"


def run_block(code: str, names: dict[str, object], page: Path, line: int) -> str:
    """Run one block, statement by statement, and return all it printed."""
    lines = code.splitlines()
    everything = ""
    for statement in ast.parse(code).body:
        promised = [
            match[1]
            for text in lines[statement.lineno - 1 : statement.end_lineno]
            if (match := re.search(r"# -> (.*)$", text))
        ]
        # So that a traceback names the line of the page.
        module = ast.Module([ast.increment_lineno(statement, line)], type_ignores=[])
        with contextlib.redirect_stdout(io.StringIO()) as output:
            exec(compile(module, str(page), "exec"), names)
        printed = output.getvalue()
        everything += printed
        if promised:
            assert printed.splitlines() == promised, f"{page.name}:{statement.lineno}"
    return everything


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_examples_of_a_page_run_and_print_what_it_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    run_page(page, {"__name__": "__main__"})


def wrong(tmp_path: Path, text: str) -> Path:
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    return page


@pytest.mark.parametrize(
    "text",
    [
        "```python\nprint(1)  # -> 2\n```\n",
        "```python\nx = 1  # -> 1\n```\n",
        "```python\nprint(12)  # -> 1\n```\n",
        "```python\nprint(1)\n```\n\nWords.\n\n```text\n2\n```\n",
        "```python\nx = 1\n```\n\n```python\nprint(x)  # -> 2\n```\n",
    ],
)
def test_a_page_that_shows_something_else_is_caught(tmp_path, text):
    with pytest.raises(AssertionError, match=r"page\.md:\d"):
        run_page(wrong(tmp_path, text), {})


def test_an_error_in_an_example_names_the_line_of_the_page(tmp_path):
    page = wrong(tmp_path, "# Title\n\n```python\nx = 1\nx / 0\n```\n")
    with pytest.raises(ZeroDivisionError) as caught:
        run_page(page, {})
    assert caught.traceback[-1].lineno + 1 == 5


def test_every_public_name_is_on_the_api_page():
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\.\. (?:auto\w+|py:data):: (?:serpenoid\.)?(\w+)", page, re.MULTILINE)
    assert set(serpenoid.__all__) - set(listed) == set()


@pytest.mark.parametrize("module", [serpenoid.fields, serpenoid.robots])
def test_every_public_function_of_a_public_module_is_on_the_api_page(module):
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    listed = re.findall(rf"^\.\. autofunction:: {module.__name__}\.(\w+)$", page, re.MULTILINE)
    own = {
        name
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
    }
    assert own - set(listed) == set()
