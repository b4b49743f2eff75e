"""What a refused call says."""

import re
from collections.abc import Callable
from typing import Any

import pytest

import serpenoid as sp

# Words of the validation library, which mean nothing to a user, and a second line.
_JARGON = re.compile(r"input should|dictionary|tuple|instance|validation|unpack|positional|\n")


def refusal(call: Callable[[], Any], error: type[Exception] = sp.InvalidInput) -> str:
    """The sentence with which a call is refused: one line, in the words of a user.

    Args:
        call: What is refused.
        error: Class of the error, one of serpenoid's own.
    """
    assert issubclass(error, sp.SerpenoidError)
    with pytest.raises(error) as caught:
        call()
    text = str(caught.value)
    assert not _JARGON.search(text), text
    return text


def sentences(*rows: tuple[Any, ...]) -> pytest.MarkDecorator:
    """Parametrise a test over rows that end with the sentence that is expected."""
    names = ("call", "words") if len(rows[0]) == 2 else ("call", "error", "words")
    return pytest.mark.parametrize(names, rows, ids=[row[-1][:60] for row in rows])
