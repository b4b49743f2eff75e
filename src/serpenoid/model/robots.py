"""Robots of the papers, whose links pass through each other."""

import functools
from collections.abc import Callable, Sequence
from typing import Literal

from serpenoid.checks import one_of
from serpenoid.model.actuator import Actuator, SeriesElastic, Servo
from serpenoid.model.robot import Robot


def aiko(actuator: Actuator | Sequence[Actuator] | None = None) -> Robot:
    """Aiko, the wheel-less robot of NTNU and SINTEF [transeth2008 VIII-A].

    Args:
        actuator: Actuator of all joints, or one for each of the ten; servos with kp 800 N m/rad and
            kd 2 N m s/rad if not given.

    Returns:
        A robot of eleven links.
    """
    return Robot.uniform(
        11,
        length=0.122,
        mass=7.5 / 11,
        inertia=1.32e-3,
        radius=0.0525,
        straight=2 * 0.0393,
        actuator=actuator or Servo(kp=800.0, kd=2.0),
        name="Aiko",
        self_contact=False,
    )


_KOOPAEE_LENGTHS = {"as_printed": 0.07, "half_length_007": 0.14}


def koopaee(
    variant: Literal["as_printed", "half_length_007"] = "as_printed",
    actuator: Actuator | Sequence[Actuator] | None = None,
) -> Robot:
    """The robot with series-elastic joints of the University of Canterbury [koopaee2020].

    Spring (10 and 3.9 N m/rad), rotor inertia and width are not published. The paper's links have
    no width, which is `World(contact_at="axis")`.

    Args:
        variant: Links of 0.07 m as printed, or of 0.14 m, where 0.07 m is the length of half a
            link, which agrees with the published speeds.
        actuator: Actuator of all joints, or one for each of the five; a geared motor behind a
            spring if not given.

    Returns:
        A robot of six links.

    Raises:
        InvalidInput: The variant is not known.
    """
    length = _KOOPAEE_LENGTHS[one_of("variant", variant, _KOOPAEE_LENGTHS)]
    drive = SeriesElastic(
        stiffness=10.0 if variant == "as_printed" else 3.9,
        kp=30.0,
        kd=15.0,
        gear_ratio=255.0,
        rotor_mass=0.02,
        rotor_inertia=1e-6,
    )
    return Robot.uniform(
        6,
        length=length,
        mass=0.1,
        radius=0.04 * length,
        straight=length,
        actuator=actuator or drive,
        name=f"Koopaee {'as printed' if variant == 'as_printed' else 'with half length 0.07 m'}",
        self_contact=False,
    )


BY_NAME: dict[str, Callable[[Actuator | Sequence[Actuator] | None], Robot]] = {
    "aiko": aiko,
    "koopaee_as_printed": functools.partial(koopaee, "as_printed"),
    "koopaee_half_length_007": functools.partial(koopaee, "half_length_007"),
}
