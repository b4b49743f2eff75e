"""Contact forces that balance each other."""

from __future__ import annotations

import numpy as np

from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats

# Forces of contacts weaker than this, relative to their mean, do not count as pushing.
_WEAKEST = 1e-6


def even_forces(balance: Floats, signs: Floats, contacts: object) -> Floats:
    """Forces of some contacts that balance, the weakest as strong as possible.

    Args:
        balance: Resultant and moment of a unit force to the left of each link in contact, (3, c).
        signs: 1 for a contact that pushes to the left, -1 to the right, (c,).
        contacts: The contacts, for the message.

    Returns:
        Forces to the left, of mean size 1, (c,).

    Raises:
        InvalidInput: No forces of these signs balance.
    """
    from scipy.optimize import linprog

    count = len(signs)
    # Sizes s of the forces and the least of them, which is made as large as possible.
    equal = np.zeros((4, count + 1))
    equal[:3, :count], equal[3, :count] = balance * signs, 1.0
    least = np.hstack([-np.eye(count), np.ones((count, 1))])
    found = linprog(
        -np.eye(count + 1)[-1],
        A_ub=least,
        b_ub=np.zeros(count),
        A_eq=equal,
        b_eq=[0.0, 0.0, 0.0, float(count)],
        bounds=[(None, None)] * (count + 1),
    )
    if not found.success or found.x[-1] < _WEAKEST:
        raise InvalidInput(
            f"contacts = {contacts!r} is not allowed with a preload: forces from these sides do "
            "not balance in this shape; choose other sides or links, or preload = 0"
        )
    forces: Floats = found.x[:count] * signs
    return forces
