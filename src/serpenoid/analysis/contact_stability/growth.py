"""How fast a disturbance grows in a simulation of a robot at rest among its contacts.

Nothing here uses the matrices of the linearisation but the equilibrium, so that poles can be
checked against the shipped solvers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from serpenoid.analysis.contact_stability.loop import ContactLoop
from serpenoid.analysis.contact_stability.rest import AtRest, at_rest
from serpenoid.analysis.following import measured_force
from serpenoid.checks import real_number
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import Interrupted, InvalidInput, SimulationStopped
from serpenoid.kernels.layout import Floats
from serpenoid.methods.hybrid import Hybrid
from serpenoid.methods.method import Method

# Rows of a record, and a time step that is short against most poles, s.
_ROWS, _STEP = 2000, 1e-4
# A disturbance is looked at once it is this share of the mean contact force, and until that one.
_FIRST, _LAST = 1e-4, 1e-2
# Singular values below this share of the largest are taken for noise.
_NOISE = 1e-2
# Rows that a rate needs, and by how much the disturbance must have grown in them.
_FEWEST, _GROWN = 12, 4.0


@dataclass(frozen=True, eq=False)
class Growth:
    """A disturbance that grows in a simulation.

    Attributes:
        rate: It grows as exp(rate t), 1/s.
        frequency: It swings with this angular frequency, rad/s; 0 if it does not.
        times: Times of the rows in which that was measured, (k,), s.
        forces: Contact forces in these rows, > 0 to the left of the link, (k, n), N.
    """

    rate: float
    frequency: float
    times: Floats
    forces: Floats


def measure_growth(
    loop: ContactLoop,
    gain: float,
    *,
    duration: float,
    disturbance: float = 1e-6,
    time_step: float | None = None,
    solver: str | Method | None = None,
) -> Growth:
    """Simulate a robot at rest, disturb it, and measure how fast the disturbance grows.

    Each link in contact has a peg beside its centre. There is no friction. The references of all
    joints are disturbed by the same angle, to alternate sides, and are filtered, followed and
    adapted to forces as in any run. The rate is that of an oscillation fitted to the contact forces
    while they have departed from rest by 0.01 to 1 % of their mean.

    Args:
        loop: The robot and its contacts, with a preload.
        gain: Gain of the adaptation, rad/N.
        duration: Largest duration of the run, s.
        disturbance: Disturbance of the references, rad.
        time_step: Time step, and time between ticks of the controller, s; that between ticks of the
            loop if not given, and 0.1 ms if it has none.
        solver: A solver with contact at the centre of links; if not given, 'hybrid' with a
            tolerance of 1e-9.

    Returns:
        What was measured.

    Raises:
        InvalidInput: A value is not allowed, the loop has no preload, or nothing grew in this time.
    """
    real_number("disturbance", disturbance, "a finite number, not 0 (rad)", lambda each: each != 0)
    longest = real_number(
        "duration", duration, "a finite number greater than 0 (s)", lambda each: each > 0
    )
    method = Hybrid(tolerance=1e-9) if solver is None else solver
    step = (loop.period or _STEP) if time_step is None else time_step
    rest = at_rest(loop, gain, time_step=step, solver=method)
    signs = np.where(np.arange(len(loop.joint_angles)) % 2 == 0, 1.0, -1.0)
    rest.references[:, 0] += disturbance * signs
    run = _record(rest, longest, method)
    # Forces are means over a row; the first one is no more than the start.
    times, forces = run.time[1:], measured_force(run)[1:]
    size = float(np.abs(loop.forces[list(loop.contacts)]).mean())
    away = np.linalg.norm(forces - loop.forces, axis=1) / (size * np.sqrt(len(loop.contacts)))
    first, last = np.searchsorted(np.maximum.accumulate(away), (_FIRST, _LAST)).tolist()
    if last - first < _FEWEST or away[first:last].max() < _GROWN * _FIRST:
        raise InvalidInput(
            f"duration = {longest:.3g} is not allowed: in this time the disturbance has not grown "
            "enough to be measured, or too fast for a row every "
            f"{1e3 * (times[1] - times[0]):.3g} ms; change it, the gain or the disturbance (the "
            f"linearised loop expects a growth rate of {loop.growth_rate(gain):.3g} 1/s)"
        )
    rate, frequency = fit_oscillation(times[first:last], forces[first:last])
    return Growth(rate, frequency, times[first:last], forces[first:last])


def fit_oscillation(times: Floats, values: Floats) -> tuple[float, float]:
    """Rate and angular frequency of the oscillation that ends up strongest, about a constant.

    The changes from row to row are a sum of few powers z^k; the shift of the subspace that they
    span has the z as its eigenvalues (ESPRIT).

    Args:
        times: Equidistant times, (k,), s.
        values: Values, (k, columns).

    Returns:
        Rate, 1/s, and angular frequency, rad/s; 0 for one that does not swing.
    """
    change = np.diff(values, axis=0)
    rows = len(change) // 2
    windows = np.lib.stride_tricks.sliding_window_view(change, rows, axis=0)
    spanned, sizes, _ = np.linalg.svd(windows.reshape(-1, rows).T, full_matrices=False)
    spanned = spanned[:, sizes > _NOISE * sizes[0]]
    shift, *_ = np.linalg.lstsq(spanned[:-1], spanned[1:], rcond=None)
    roots = np.linalg.eigvals(shift).astype(np.complex128)
    powers = roots[None, :] ** np.arange(len(change))[:, None]
    shares, *_ = np.linalg.lstsq(powers, change.astype(np.complex128), rcond=None)
    strongest = np.argmax(np.linalg.norm(shares, axis=1) * np.abs(powers[-1]))
    grown = np.log(roots[strongest]) / (times[1] - times[0])
    return float(grown.real), float(abs(grown.imag))


def _record(rest: AtRest, duration: float, solver: str | Method) -> Trajectory:
    """The run from rest in about so many rows; one that cannot go on counts up to there."""
    dt = rest.state.time_step
    every = max(1, round(duration / _ROWS / dt))
    try:
        return rest.run(_ROWS * every * dt, record_period=every * dt, solver=solver)
    except Interrupted:
        raise
    except SimulationStopped as error:
        return error.run
