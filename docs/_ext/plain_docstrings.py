"""API pages from docstrings in plain words.

A docstring says what its fields or parameters mean in running text, "mass: kg. radius: half the
width, m."; a dataclass may say it in a comment behind a field. Here this becomes a list with types,
and a signature that shows names and defaults only. `{recorded-variables}` lists what a run records.
"""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from serpenoid import spec
from serpenoid.engine.trajectory import OPTIONAL, VARIABLES

# Of interest to kernels and saved files only.
_INTERNAL_FIELDS = {"self", "cls", "kind"}
_INTERNAL_METHODS = {"pack", "check", "options"}
# Made by the package, never by its user: no signature.
_GIVEN = {
    "Comparison",
    "Ellipsoids",
    "Extremes",
    "Maps",
    "Observation",
    "Plots",
    "Projection",
    "Report",
}
_GIVEN |= {"Response", "State", "System", "Trajectory"}

# Annotations in words, in this order.
_TYPES = {
    r"tuple\[Point, \.\.\.\]": "tuple of points",
    r"PositiveOrInfinite|Positive": "float > 0",
    r"NonNegativeOrInfinite|NonNegative": "float ≥ 0",
    r"Fraction": "float, 0 to 1",
    r"Number": "float",
    r"Count": "int ≥ 1",
    r"Whole": "int",
    r"Point|tuple\[float, float\]": "two floats",
    r"npt\.NDArray\[np\.bool_\]": "array of bool",
    r"npt\.NDArray\[np\.int_\]": "array of int",
    r"Floats|npt\.NDArray\[Any\]|npt\.ArrayLike": "array",
    r"Ints": "array of int",
    r"str \| os\.PathLike\[str\]": "path",
    r"Method": "Newton | Prox | Hybrid",
    r"tuple\[(\w+), \.\.\.\]": r"tuple of \1",
}


# Names of annotations that a module without postponed evaluation has replaced by what they mean.
_ALIASES = {
    getattr(spec, name): name
    for name in (
        *("Count", "Fraction", "NonNegative", "NonNegativeOrInfinite", "Number", "Positive"),
        "PositiveOrInfinite",
    )
}


def _signature(
    _app: Sphinx, what: str, name: str, obj: Any, _options: Any, signature: str | None, _back: Any
) -> tuple[str | None, str | None] | None:
    if signature is None or what not in ("class", "exception", "function", "method"):
        return None
    if what == "exception" or name.rpartition(".")[2] in _GIVEN:
        return "", None
    parameters = [
        parameter.replace(annotation=parameter.empty) for parameter in _parameters(obj).values()
    ]
    result = None if what == "class" else obj.__annotations__.get("return")
    shown = None if result in (None, "None") else _words(result)
    return str(inspect.Signature(parameters)), shown


def _docstring(
    _app: Sphinx, what: str, _name: str, obj: Any, _options: Any, lines: list[str]
) -> None:
    paragraphs = "\n".join(lines).strip().split("\n\n")
    meaning: dict[str, str] = {}
    if what in ("class", "function", "method"):
        parameters = _parameters(obj)
        meaning = dict.fromkeys(parameters, "") | trailing_comments(obj)
        paragraphs = [take_meanings(text, meaning) for text in paragraphs]
    text = "\n\n".join(_escaped(text) for text in paragraphs if text)
    # The signature says enough about parameters that need no words; a field has a range as well.
    if meaning and (what == "class" or any(meaning.values())):
        label = "Fields" if what == "class" else "Parameters"
        rows = [(name, _kind(parameters[name]), words) for name, words in meaning.items()]
        text += f"\n\n:{label}:\n" + "\n".join(
            f"   - {_entry([row[0] for row in alike], *same)}"
            for same, alike in itertools.groupby(rows, key=lambda row: row[1:])
        )
    lines[:] = text.splitlines()


def _parameters(obj: Any) -> dict[str, inspect.Parameter]:
    """What a function or a class is called with, without what is never given by hand."""
    if not (inspect.isroutine(obj) or dataclasses.is_dataclass(obj)):
        return {}
    given = inspect.signature(obj).parameters
    return {name: p for name, p in given.items() if name not in _INTERNAL_FIELDS}


def trailing_comments(obj: Any) -> dict[str, str]:
    """Field: comment behind it, of a dataclass."""
    if not dataclasses.is_dataclass(obj):
        return {}
    return dict(re.findall(r"^    (\w+): [^#\n]*  # (.+)$", inspect.getsource(obj), re.MULTILINE))


def take_meanings(text: str, meaning: dict[str, str]) -> str:
    """Move the running `name: words` out of a paragraph into the table; return the rest."""
    if not meaning:
        return text
    one = "|".join(sorted(meaning, key=len, reverse=True))
    begin = rf"(?:^|(?<=[.;] )|(?<=[.;]\n))((?:{one})(?:,\s(?:{one}))*):\s"
    before, *pairs = re.split(begin, text)
    for names, words in zip(pairs[::2], pairs[1::2], strict=True):
        for name in re.split(r",\s", names):
            meaning[name] = " ".join(words.split()).rstrip(".;")
    return re.sub(";$", ".", before.strip())


def _entry(names: list[str], kind: str, words: str) -> str:
    """Fields of the same type and meaning, as one item of the list."""
    text = ", ".join(f"**{name}**" for name in names)
    text += f" (*{_escaped(kind)}*)" if kind else ""
    return text + (f" – {_escaped(words)}" if words else "")


def _kind(parameter: inspect.Parameter) -> str:
    annotation = parameter.annotation
    return "" if annotation is parameter.empty else _words(annotation)


def _words(annotation: Any) -> str:
    if not isinstance(annotation, str):
        annotation = _ALIASES.get(annotation) or inspect.formatannotation(annotation)
    text = annotation
    for pattern, words in _TYPES.items():
        text = re.sub(rf"(?<!\w)(?:{pattern})(?!\w)", words, text)
    without_modules = re.sub(r"\b[a-z]\w*\.", "", text)
    return without_modules.replace(" | ", " or ")


def _escaped(text: str) -> str:
    """Plain words as reStructuredText, with `code` set as such."""
    text = re.sub(r"([|*\\])", r"\\\1", text)
    return re.sub(r"`([^`]+)`", r"``\1``", text)


def _skip(_app: Sphinx, _what: str, name: str, _obj: Any, skip: bool, _options: Any) -> bool | None:
    return True if name in _INTERNAL_METHODS else skip or None


class RecordedVariables(SphinxDirective):
    """The table of `serpenoid.engine.trajectory.VARIABLES` and, where they are, `OPTIONAL`."""

    def run(self) -> list[nodes.Node]:
        """Write it in Markdown and have that parsed."""
        rows = ["| variable | dimensions | unit | meaning |", "|---|---|---|---|"]
        rows += [
            f"| `{name}` | {', '.join(dims)} | {'' if unit == '1' else unit} | {words} |"
            for name, (dims, unit, words) in (VARIABLES | OPTIONAL).items()
        ]
        return self.parse_text_to_nodes("\n".join(rows))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Hook into autodoc."""
    app.connect("autodoc-process-signature", _signature)
    app.connect("autodoc-process-docstring", _docstring)
    app.connect("autodoc-skip-member", _skip)
    app.add_directive("recorded-variables", RecordedVariables)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
