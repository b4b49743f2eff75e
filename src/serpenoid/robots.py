"""Named robots."""

from collections.abc import Callable, Sequence

from serpenoid.laws.actuator import Actuator, Servo
from serpenoid.robot import Robot


def aiko(actuator: Actuator | Sequence[Actuator] | None = None) -> Robot:
    """Aiko, the wheel-less robot of NTNU and SINTEF [transeth2008 VIII-A].

    Eleven links, Kp 800 N m and Kd 2 N m s unless another actuator is given.
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
    )


BY_NAME: dict[str, Callable[[Actuator | Sequence[Actuator] | None], Robot]] = {"aiko": aiko}
