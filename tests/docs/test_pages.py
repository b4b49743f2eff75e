"""Examples on the pages run and print what is shown, and the API pages leave no public name out.

The blocks of a page run in order, in one namespace and an empty folder:

- ```python: what it prints is compared with the ```text block that follows it, or, statement by
  statement, with the `# -> ` comments in it.
- ```console: each `$ serpenoid ...` runs, and what is shown below it is what it prints; `...`
  stands for any lines. `$ echo $?` prints its exit code. Other commands are not run.
- ```toml that begins with `# name.toml`, and ```python with `# name.py`, is written to that file.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import re
import shlex
from pathlib import Path

import pytest

import serpenoid
from serpenoid import cli
from serpenoid.analysis.metrics import METRICS
from serpenoid.spec import Family

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PAGES = [
    page
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if not {"_build", "generated"} & set(page.parts)
    and re.search(r"^```(python|console)$", page.read_text(encoding="utf-8"), re.MULTILINE)
]


def run_page(page: Path, names: dict[str, object]) -> None:
    """Run the examples of a page; fail where they print something else than the page shows."""
    text = page.read_text(encoding="utf-8")
    fences = list(FENCE.finditer(text))
    code = 0
    for fence, after in zip(fences, [*fences[1:], None], strict=True):
        language, block = fence.groups()
        line = text.count("\n", 0, fence.start()) + 1
        if name := re.match(r"# (\w+\.(toml|py))\n", block):
            Path(name[1]).write_text(block, encoding="utf-8")
        elif language == "python":
            printed = run_block(block, names, page, line)
            if after is not None and after[1] == "text":
                assert printed == after[2], f"{page.name}:{line}"
        elif language == "console":
            for prompt in re.finditer(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
                code = run_command(prompt[1], prompt[2], code, f"{page.name}:{line}")


def run_command(command: str, shown: str, code: int, place: str) -> int:
    """Run one line of a console, compare what it prints, and return its exit code."""
    if command == "echo $?":
        assert shown.strip() == str(code), place
        return 0
    words, _, target = command.partition(" > ")
    program, *arguments = shlex.split(words, comments=True)
    if program != "serpenoid":
        return 0
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        code = cli.invoke(arguments)
    printed = output.getvalue()
    if target:
        Path(target).write_text(printed, encoding="utf-8")
    elif shown:
        # Tables are padded with blanks.
        lines = "".join(line.rstrip() + "\n" for line in printed.splitlines())
        pieces = [re.escape(piece) for piece in re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE)]
        fits = re.fullmatch(r"(?:.*\n)*".join(pieces), lines)
        assert fits, f"{place}: {command} prints\n{lines}"
    return code


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
            exec(compile(module, str(page), "exec", dont_inherit=True), names)
        printed = output.getvalue()
        everything += printed
        if promised:
            assert printed.splitlines() == promised, f"{page.name}:{statement.lineno}"
    return everything


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_examples_of_a_page_run_and_print_what_it_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    groups = (cli.run_commands, cli.push_commands, cli.paper_commands, cli.study_commands)
    groups += (cli.compare_command, cli.info_command, cli.plot_command, cli.completion)
    for module in (cli.output, *groups):
        for name, stderr in (("out", False), ("err", True)):
            console = cli.output.new_console(stderr=stderr, width=80)
            monkeypatch.setattr(module, name, console, raising=False)
    monkeypatch.setattr("serpenoid.plots.viewer.opening.open_in_browser", lambda _page: None)
    # Kinds and metrics that a page adds are forgotten after it.
    for family in Family.__subclasses__():
        monkeypatch.setattr(family, "members", dict(family.members))
    known = dict(METRICS)
    try:
        run_page(page, {"__name__": "__main__"})
    finally:
        METRICS.clear()
        METRICS.update(known)


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
        "```console\n$ serpenoid --version\nserpenoid 0\n```\n",
        "```console\n$ serpenoid show nothing\n$ echo $?\n0\n```\n",
        "```console\n$ serpenoid show aiko_flat\n# Lateral\n...\nduration = 20.0\n```\n",
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


def api_pages() -> str:
    pages = sorted((ROOT / "docs" / "api").glob("*.md"))
    return "".join(page.read_text(encoding="utf-8") for page in pages)


def test_every_public_name_is_on_a_page_of_the_api():
    name = r"^\.\. (?:auto\w+|py:data):: (?:serpenoid\.)?(\w+)"
    listed = re.findall(name, api_pages(), re.MULTILINE)
    assert set(serpenoid.__all__) - set(listed) == set()


@pytest.mark.parametrize("module", [serpenoid.model.fields, serpenoid.model.robots])
def test_every_public_function_of_a_public_module_is_on_a_page_of_the_api(module):
    short = module.__name__.replace(".model.", ".")
    name = rf"^\.\. autofunction:: {short}\.(\w+)$"
    listed = re.findall(name, api_pages(), re.MULTILINE)
    own = {
        name
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
    }
    assert own - set(listed) == set()
