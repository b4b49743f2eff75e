"""The tutorials run, keep their promises, and are kept with the outputs that they have."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError

pytest.importorskip("sphinx")

from docs._ext import notebooks

ROOT = Path(__file__).parents[2]
# Seconds each; the others take many.
QUICK = ("1_first_run", "2_my_robot")
BOOKS = [
    pytest.param(path, id=path.stem, marks=() if path.stem in QUICK else pytest.mark.thorough)
    for path in notebooks.books()
]


def kinds(cell):
    """What a reader sees below a cell: kinds of outputs, and the text that it prints."""
    return [
        each.text if each.output_type == "stream" else (each.output_type, sorted(each.data))
        for each in cell.get("outputs", [])
    ]


@pytest.mark.parametrize("path", BOOKS)
def test_a_tutorial_runs_and_is_kept_as_it_runs(path):
    book = notebooks.executed(path)
    streams = [o for c in book.cells for o in c.get("outputs", []) if o.output_type == "stream"]
    assert [each.text for each in streams if each.name != "stdout"] == []
    assert any("<iframe" in str(cell.get("outputs")) for cell in book.cells), "no player"
    assert any("assert " in cell.source for cell in book.cells), "no promise"
    now, then = notebooks.kept(book), nbformat.read(path, as_version=4)
    for after, before in zip(now.cells, then.cells, strict=True):
        assert kinds(after) == kinds(before), f"{path.name} is not current: run `make pictures`"
    assert sorted(file.name for file in path.parent.iterdir() if file.suffix != ".md") == [
        each.name for each in notebooks.books()
    ]


@pytest.mark.parametrize("path", notebooks.books(), ids=lambda path: path.stem)
def test_a_tutorial_is_small_and_complete(path):
    assert path.stat().st_size < 400_000
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    assert 10 <= len(book.cells) <= 30
    assert book.cells[0].source.startswith(f"# {path.stem[0]}. ")
    for cell in book.cells:
        outputs = cell.get("outputs", [])
        assert not any("<iframe" in str(each) or each.output_type == "error" for each in outputs)
        if any("image/png" in each.get("data", {}) for each in outputs):
            assert cell.metadata["mystnb"]["image"]["alt"].endswith(".")
        for target in re.findall(r"\]\(([^)#]+)(?:#[\w-]+)?\)", cell.source):
            if cell.cell_type == "markdown":
                assert (path.parent / target).is_file(), target


def test_there_are_five_and_each_is_listed():
    page = (notebooks.TUTORIALS / "index.md").read_text(encoding="utf-8")
    assert len(notebooks.books()) == 5
    for path in notebooks.books():
        assert f"]({path.name})" in page
        assert f"\n{path.stem}\n" in page


@pytest.mark.parametrize(
    ("source", "found"), [("1 / 0", "ZeroDivisionError"), ("assert 1 > 2", "AssertionError")]
)
def test_a_cell_that_fails_is_found(tmp_path, source, found):
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    path = tmp_path / "book.ipynb"
    nbformat.write(book, path)
    with pytest.raises(CellExecutionError, match=found):
        notebooks.executed(path)


def test_a_notebook_runs_in_a_folder_of_its_own(tmp_path):
    source = (
        "from pathlib import Path\nPath('left.txt').write_text('x')\nprint(list(Path().iterdir()))"
    )
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    path = tmp_path / "book.ipynb"
    nbformat.write(book, path)
    (output,) = notebooks.executed(path).cells[0].outputs
    assert output.text == "[PosixPath('left.txt')]\n"
    assert [file.name for file in tmp_path.iterdir()] == ["book.ipynb"]
    assert not Path("left.txt").exists()


def test_the_notice_of_a_first_run_is_not_an_output(tmp_path):
    notice = "import sys; print('serpenoid: compiling for this machine ...', file=sys.stderr)"
    sources = [f"{notice}; print('kept')", f"{notice}; print('a fault', file=sys.stderr)"]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in sources])
    path = tmp_path / "book.ipynb"
    nbformat.write(book, path)
    first, second = notebooks.executed(path).cells
    assert [each.text for each in first.outputs] == ["kept\n"]
    assert [each.text for each in second.outputs] == ["a fault\n"]


def test_players_and_progress_bars_are_not_kept():
    def shown(html):
        return nbformat.v4.new_output("display_data", {"text/html": html, "text/plain": "<Run>"})

    cell = nbformat.v4.new_code_cell(
        "x", outputs=[shown("<iframe srcdoc=''></iframe>"), shown("<progress>"), shown("<table>")]
    )
    (kept,) = notebooks.kept(nbformat.v4.new_notebook(cells=[cell])).cells
    assert [each.data for each in kept.outputs] == [
        {"text/plain": "<Run>"},
        {"text/html": "<table>", "text/plain": "<Run>"},
    ]
