"""What is wrong with the values of a spec, each mistake in one sentence."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, LiteralString, get_args

import pydantic
from pydantic_core import (
    ErrorDetails,
    InitErrorDetails,
    PydanticCustomError,
    core_schema,
)

from serpenoid.checks import nearest_word, short
from serpenoid.errors import InvalidInput

# Types of the errors of pydantic itself.
_PYDANTIC = frozenset(get_args(core_schema.ErrorType))

_BOUNDS = {"gt": "greater than", "ge": "at least", "lt": "less than", "le": "at most"}
_WORDS = {
    "float_type": "it must be a number",
    "int_type": "it must be a whole number",
    "tuple_type": "it must be a list",
    "string_type": "it must be text in quotes",
    "finite_number": "it must be a finite number",
    "bool_type": "it must be true or false",
    "dict_type": "it must be a table",
    "too_short": "it must not be empty",
}

# Names of the members of unions, which places in errors leave out.
_TAGS = ("(one)", "(each)", "(flag)", "(law)")


def about_keys(
    error: pydantic.ValidationError, cls: Any, known: list[str], value: Any
) -> pydantic.ValidationError:
    """An error in which unknown and missing keys of a spec come with what there is.

    Args:
        error: What pydantic complains about.
        cls: The spec.
        known: The keys that it has.
        value: What it was to be made of.

    Returns:
        The error to raise; the same one if no key is wrong.
    """
    complaints = error.errors(include_url=False)
    kinds = [c["type"] if len(c["loc"]) == 1 else "" for c in complaints]
    if not {"unexpected_keyword_argument", "missing"} & set(kinds):
        return error
    spelt: dict[str, list[str]] = {"unexpected_keyword_argument": [], "missing": []}
    rest = []
    for kind, complaint in zip(kinds, complaints, strict=True):
        if kind in spelt:
            spelt[kind].append(str(complaint["loc"][0]))
        else:
            rest.append(_again(complaint))
    unknown, missing = spelt.values()
    # A key that is spelt wrong is one mistake, not two.
    hints = [nearest_key(key, known) for key in unknown]
    lacking = [key for key in missing if not any(repr(key) in hint for hint in hints)]
    if len(lacking) <= len([hint for hint in hints if not hint]):
        lacking = []
    return pydantic.ValidationError.from_exception_data(
        cls.__name__,
        [
            *(
                _complaint("unknown_key", [key], known, value, _within(cls, value, key))
                for key in unknown
            ),
            *([_complaint("missing_key", lacking, known, value)] if lacking else []),
            *rest,
        ],
    )


def _complaint(
    kind: LiteralString, keys: list[str], known: list[str], value: Any, within: Sequence[str] = ()
) -> InitErrorDetails:
    """A complaint about keys of a spec; known: the keys that it has; within: sections with them."""
    context = {"keys": keys, "known": known, "within": list(within)}
    return {"type": PydanticCustomError(kind, "", context), "input": value}


def _within(cls: Any, value: Any, key: str) -> list[str]:
    """Names of the sections of a spec that have a key."""
    given = value if isinstance(value, dict) else {}

    def has(name: str) -> bool:
        section = given.get(name)
        own = getattr(type(section), "__pydantic_fields__", {})
        usual = getattr(cls.__pydantic_fields__[name].annotation, "__pydantic_fields__", {})
        return key in own or key in usual or (isinstance(section, dict) and key in section)

    return [name for name in cls.__pydantic_fields__ if has(name)]


def _again(complaint: ErrorDetails) -> InitErrorDetails:
    """A complaint that was raised, to be raised again."""
    kind, context = complaint["type"], complaint.get("ctx", {})
    told: Any = kind
    if kind not in _PYDANTIC:
        told = PydanticCustomError(kind, "", context)
    return {
        "type": told,
        "loc": complaint["loc"],
        "input": complaint["input"],
        "ctx": context,
    }


# Endings that say a unit; ours are SI, and degrees where a name ends in _deg.
_UNITS = ("rad", "deg", "m", "mm", "cm", "s", "ms", "hz", "kg", "g", "n", "nm", "percent")


def nearest_key(key: str, known: list[str]) -> str:
    """As `nearest_word`, with the rule about units if the key ends in one."""
    stem, _, unit = key.lower().rpartition("_")
    for right in (stem, f"{stem}_deg"):
        if unit in _UNITS and right in known:
            rule = "units are SI, degrees where a name ends in _deg"
            return f" (did you mean {right!r}? {rule})"
    return nearest_word(key, known)


# Most mistakes that are told at once.
_MOST = 20


def sentences(
    error: pydantic.ValidationError, root: str = "", whole: str = "a scenario"
) -> list[str]:
    """The complaints of a validation error, each in one sentence.

    Args:
        error: The validation error.
        root: Class that was called; if empty, places are key paths in a file.
        whole: What the file holds, for the message.
    """
    complaints = error.errors(include_url=False)
    found = [words for each in complaints[: _MOST + 1] for words in _told(each, root, whole)]
    # Members of a union may say the same.
    found = list(dict.fromkeys(found))
    if (more := max(len(complaints), len(found)) - _MOST) > 0:
        found[_MOST:] = [f"{more} more mistakes are not shown"]
    return found


def _told(complaint: ErrorDetails, root: str, whole: str) -> list[str]:
    """One complaint in a sentence, or in several if it is an error of a spec's own."""
    kind, value, context = complaint["type"], complaint["input"], complaint.get("ctx", {})
    place = key_path(complaint["loc"], root)
    if kind in ("unknown_key", "missing_key"):
        keys, known = context["keys"], context["known"]
        key, where = keys[0], [key_path((*complaint["loc"], key), root) for key in keys]
        takes = f"{place or whole} takes {', '.join(known) or 'nothing'}"
        if kind == "missing_key":
            *most, last = where
            are = f"{', '.join(most)} and {last} are" if most else f"{last} is"
            return [f"{are} missing; {takes}"]
        right = [repr(key_path((*complaint["loc"], name, key), "")) for name in context["within"]]
        hint = f" (did you mean {' or '.join(right)}?)" if right else nearest_key(key, known)
        if root and place == root:
            return [f"{root} has no {key!r}{hint}; it takes {', '.join(known)}"]
        return [f"{where[0]} is not known{hint}; {takes}"]
    if kind == "value_error" and isinstance(context["error"], InvalidInput):
        return [placed(words, place) for words in context["error"].mistakes]
    if kind == "kind":
        kinds = context["kinds"]
        hint = nearest_word(str(value["kind"]), kinds)
        given = short(value["kind"])
        return [f"{place}.kind = {given} is not known{hint}; there are {', '.join(kinds)}"]
    return [f"{place} = {short(value)} is not allowed: {_allowed(complaint, in_file=not root)}"]


def placed(words: str, place: str) -> str:
    """A spec's own sentence with its class replaced by its place in a file."""
    if not place or place[0].isupper():
        return words
    belongs = re.match(r"[A-Z]\w*\.", words)
    return f"{place}.{words[belongs.end() :]}" if belongs else f"{place}: {words}"


def _allowed(complaint: ErrorDetails, in_file: bool) -> str:
    """What would have been allowed."""
    kind, value, context = complaint["type"], complaint["input"], complaint.get("ctx", {})
    if kind == "member":
        kinds = ", ".join(context["kinds"])
        classes = f"it must be a {context['classes']}"
        return f"it must be a table with a kind: {kinds}" if in_file else classes
    if kind == "dataclass_type":
        return "it must be a table" if in_file else f"it must be a {context['class_name']}"
    if kind == "value_error":
        return str(context["error"])
    if kind in _WORDS:
        return _WORDS[kind]
    if kind == "literal_error":
        return f"it must be {context['expected']}"
    if isinstance(value, float) and math.isnan(value):
        return "it must be a number"
    if bounds := [f"{words} {context[b]:g}" for b, words in _BOUNDS.items() if b in context]:
        return f"it must be {bounds[0]}"
    message = complaint["msg"]
    return message[0].lower() + message[1:]


def key_path(loc: Iterable[str | int], root: str = "") -> str:
    """A place in nested values, as in world.pegs[2].radius."""
    path = root
    for part in loc:
        if part in _TAGS:
            continue
        word = part if isinstance(part, int) or part.isprintable() else repr(part)
        path += f"[{part}]" if isinstance(part, int) else f".{word}" if path else f"{word}"
    return path
