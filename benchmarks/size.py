"""Lines of code of the package, without docstrings, comments and blank lines, room by room.

python -m benchmarks.size            this checkout
python -m benchmarks.size 38d6ba3    beside another commit
"""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import tarfile
import tempfile
import tokenize
from collections import Counter
from pathlib import Path

PACKAGE = Path("src/serpenoid")
_NOTHING = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENCODING, tokenize.ENDMARKER),
}


def code_lines(source: str) -> int:
    """Lines that hold code."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NOTHING:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if ast.get_docstring(node, clean=False) is not None:
            first = node.body[0]
            lines.difference_update(range(first.lineno, (first.end_lineno or 0) + 1))
    return len(lines)


def rooms(package: Path) -> tuple[Counter[str], Counter[str]]:
    """Lines of code and number of modules of each room."""
    lines, modules = Counter[str](), Counter[str]()
    for path in package.rglob("*.py"):
        room = path.relative_to(package).parts[0].removesuffix(".py")
        lines[room] += code_lines(path.read_text(encoding="utf-8"))
        modules[room] += 1
    return lines, modules


def of_commit(commit: str) -> tuple[Counter[str], Counter[str]]:
    """The same of another commit."""
    archive = subprocess.run(
        ["git", "archive", commit, str(PACKAGE)], check=True, capture_output=True
    )
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
            files.extractall(folder, filter="data")
        return rooms(Path(folder) / PACKAGE)


def main() -> None:
    """Print a table."""
    lines, modules = rooms(PACKAGE)
    other = of_commit(sys.argv[1]) if len(sys.argv) > 1 else (Counter[str](), Counter[str]())
    for room in sorted({*lines, *other[0]}):
        print(
            f"{room:12} {lines[room]:6} in {modules[room]:3}  {other[0][room]:8} {other[1][room]:4}"
        )
    before = sum(other[0].values())
    change = f", {sum(lines.values()) / before - 1:+.1%}" if before else ""
    print(f"{'all':12}{sum(lines.values()):7} in {sum(modules.values()):3} {before:7}{change}")


if __name__ == "__main__":
    main()
