"""What the paper leaves open about its model, and what it does not give."""

from __future__ import annotations

from collections.abc import Mapping

from serpenoid.papers.liljeback2011.study import Case, Controller, Solver
from serpenoid.papers.readings import Choice, Reading, Setting, Unpublished

# Natural frequency of a critically damped filter of second order that has -3 dB at 0.75 Hz, Hz.
NATURAL_FREQUENCY = 1.1654
_NOT_GIVEN = "VI-A: random, no number"

READINGS = (
    Reading(
        "solver",
        "how the model is integrated",
        (
            Choice("hybrid", "(2): flow between events, jumps at them; VI-A: ode45 at 0.001"),
            Choice("newton", "the same contact and friction, exact in time steps", "(2)"),
        ),
    ),
    Reading(
        "rho",
        "what the measured contact force holds",
        (
            Choice(
                "constraint",
                "Definition 6: the constraint force; an impact is a jump of the velocity, no force",
                "a sensor would feel an impact, too",
            ),
            Choice("with_impacts", "Remark 9: it is measured by sensors", "Definition 6"),
        ),
    ),
    Reading(
        "torque",
        "arm of the friction torque of the ground on a link (m)",
        (
            Choice("0.035", "half of l, as for a load along the link; II draws the torque"),
            Choice("0", "VI-A gives no coefficient of it", "II draws the torque"),
            Choice("0.07", "a link that stands on its ends", "nothing about its feet"),
        ),
    ),
    Reading(
        "cutoff",
        "cutoff frequency of the reference filter, 0.75 Hz",
        (
            Choice("natural", "VI-A: a reference model, which is given by its natural frequency"),
            Choice("minus_3_db", "VI-A: cutoff frequency"),
        ),
    ),
    Reading(
        "pegs",
        "how many obstacles, on 5 m by 4 m",
        (Choice("320", _NOT_GIVEN), Choice("400", _NOT_GIVEN)),
    ),
)

UNPUBLISHED = (
    Unpublished(
        "obstacles on 5 m by 4 m",
        "",
        240,
        480,
        "with fewer no robot gets anywhere, more leave no room between them",
    ),
    Unpublished("arm of the friction torque", "m", 0.0, 0.07, "from the centre to the link's end"),
)

_PREFERRED = {reading.name: reading.choices[0].name for reading in READINGS}
_OTHERS = ("torque", "cutoff", "pegs")


def natural(setting: Setting) -> bool:
    """Whether choices make sense together, and are worth the hours that they take.

    The paper's solver is run with and without impacts in rho. newton, which is fast and cannot tell
    impacts from other forces, is run beside it and with the other readings, one at a time.
    """
    away = sum(setting[name] != _PREFERRED[name] for name in _OTHERS)
    if setting["solver"] == "hybrid":
        return away == 0
    return setting["rho"] == "with_impacts" and away <= 1


def paper_case(setting: Mapping[str, str], controller: Controller, seed: int = 0) -> Case:
    """The paper's robot in a random field under a combination of readings.

    Args:
        setting: The combination; readings that it lacks are the preferred ones.
        controller: Whether it adapts.
        seed: Seed of the field.
    """
    read = _PREFERRED | dict(setting)
    solver: Solver = "newton" if read["solver"] == "newton" else "hybrid"
    return Case(
        seed,
        controller,
        solver=solver,
        impacts=read["rho"] == "with_impacts",
        arm=float(read["torque"]),
        cutoff=0.75 if read["cutoff"] == "natural" else NATURAL_FREQUENCY,
        pegs=int(read["pegs"]),
    )
