"""One budget of memory for everything whose size a number from outside decides.

Links, pegs, stairs, rows of a record, points of a study and the like are counted before they are
made. Each may take as much as the budget, by itself.
"""

from __future__ import annotations

import math
import os
import re

from serpenoid.errors import InvalidInput

# The environment variable that sets the budget, and the budget without it, B.
VARIABLE, DEFAULT = "SERPENOID_MEMORY", 10**9

# No machine has more, and sizes are numbers of 64 bits, B.
_LARGEST = 2.0**60
_UNITS = {"MB": 10**6, "GB": 10**9, "TB": 10**12}
_AMOUNT = re.compile(
    rf"\s*(\d{{1,12}}(?:\.\d*)?)\s*({'|'.join(_UNITS)})\s*", re.IGNORECASE | re.ASCII
)


def check_memory(size: float, what: str) -> None:
    """Refuse to make something that does not fit into the budget; call it before it is made.

    Args:
        size: Memory it needs, as much as it takes until it is used, B.
        what: Key, value and what it makes, as the subject of a sentence: 'Stairs.steps = 9000000'.

    Raises:
        InvalidInput: It needs more than the budget.
    """
    most = budget()
    if not size <= most:
        raise InvalidInput(
            f"{what} would need {_words(size)} of memory, and the budget is {_words(most)}; ask "
            f"for less, or set {VARIABLE}={_enough(size)}"
        )


def budget() -> float:
    """The budget, B.

    Raises:
        InvalidInput: The variable does not say an amount of memory.
    """
    given = os.environ.get(VARIABLE)
    if not given:
        return DEFAULT
    found = _AMOUNT.fullmatch(given)
    if found is None or float(found[1]) == 0:
        raise InvalidInput(
            f"{VARIABLE} = {given[:60]!r} is not allowed: it must be an amount such as 500MB or 4GB"
        )
    return min(float(found[1]) * _UNITS[found[2].upper()], _LARGEST)


def _words(size: float) -> str:
    """An amount of memory with its unit, rounded to three digits."""
    unit = next((name for name, bytes_ in _UNITS.items() if size < 999.5 * bytes_), "TB")
    return f"{size / _UNITS[unit]:.3g} {unit}"


def _enough(size: float) -> str:
    """The least whole amount of a unit that is at least this, as the variable takes it."""
    unit = next((name for name, bytes_ in _UNITS.items() if size <= 1000 * bytes_), "TB")
    amount = size / _UNITS[unit]
    return f"{math.ceil(amount) if amount < 1e12 else 999_999_999_999}{unit}"
