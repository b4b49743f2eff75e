"""What is kept of a run, as the kernels write it, and its columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from serpenoid.kernels import layout


def new_record(
    rows: int, links: int, loads: int, elastic: bool = False, pedal: bool = False
) -> layout.Record:
    """Room for a number of rows, of springs and of spatial frequencies where they are."""
    joints = links - 1
    bodies = links + loads
    springs = joints if elastic else 0
    return layout.Record(
        rows=np.zeros(1, np.int64),
        time=np.zeros(rows),
        pose=np.zeros((rows, bodies, 3)),
        velocity=np.zeros((rows, bodies, 3)),
        force=np.zeros((rows, bodies, 4)),
        sticking=np.zeros((rows, bodies), np.bool_),
        torque=np.zeros((rows, joints)),
        reference=np.zeros((rows, joints)),
        rotor=np.zeros((rows, springs, 2)),
        spring=np.zeros((rows, springs)),
        spatial=np.zeros((rows, joints if pedal else 0)),
        ledger=np.zeros((rows, layout.LEDGER_SIZE)),
        certificate=np.zeros((rows, layout.CERTIFICATE_SIZE)),
        window_force=np.zeros((bodies, 4)),
        window_torque=np.zeros(joints),
        window_certificate=np.zeros(layout.CERTIFICATE_SIZE),
    )


def windows(record: layout.Record) -> tuple[npt.NDArray[Any], ...]:
    """What the running record interval has gathered so far, and how many rows there are."""
    return record.window_force, record.window_torque, record.window_certificate, record.rows


def columns(record: layout.Record, soft: bool = False) -> dict[str, npt.NDArray[Any]]:
    """The rows written so far, variable by variable; soft: on compliant terrain.

    Of many runs at once, whose records have one axis more, the rows of the one with most of them.
    """
    rows, n = int(record.rows.max()), record.torque.shape[-1] + 1
    found: dict[str, npt.NDArray[Any]] = {"time": record.time[..., :rows]}
    for k, name in enumerate(("x", "y", "theta")):
        found[name] = record.pose[..., :rows, :n, k]
    for k, name in enumerate(("vx", "vy", "omega")):
        found[name] = record.velocity[..., :rows, :n, k]
    found["joint_angle"] = np.diff(found["theta"], axis=-1)
    found["joint_rate"] = np.diff(found["omega"], axis=-1)
    found["joint_reference"] = record.reference[..., :rows, :]
    found["joint_torque"] = record.torque[..., :rows, :]
    found["contact_force"] = record.force[..., :rows, :n, :2]
    found["friction_force"] = record.force[..., :rows, :n, 2:]
    found["sticking"] = record.sticking[..., :rows, :n]
    for name, k in (
        ("energy_actuator", layout.ACTUATOR),
        ("energy_friction", layout.FRICTION),
        ("energy_impact", layout.IMPACT),
        ("energy_damping", layout.DAMPING),
        ("energy_gravity", layout.GRAVITY),
        ("energy_numerical", layout.NUMERICAL),
        ("energy_residual", layout.RESIDUAL),
        ("energy_kinetic", layout.KINETIC),
    ):
        found[name] = record.ledger[..., :rows, k]
    if soft:
        found["energy_contact_spring"] = record.ledger[..., :rows, layout.CONTACT_SPRING]
        found["energy_contact_damper"] = record.ledger[..., :rows, layout.CONTACT_DAMPER]
    if record.spring.shape[-1]:
        found["rotor_angle"], found["rotor_rate"] = np.moveaxis(
            record.rotor[..., :rows, :, :], -1, 0
        )
        found["spring_torque"] = record.spring[..., :rows, :]
        found["energy_spring"] = record.ledger[..., :rows, layout.SPRING]
        found["energy_rotor"] = record.ledger[..., :rows, layout.ROTOR]
    if record.spatial.shape[-1]:
        found["joint_phase"] = record.spatial[..., :rows, :]
    if record.pose.shape[-2] > n:
        for k, name in enumerate(("load_x", "load_y", "load_theta")):
            found[name] = record.pose[..., :rows, n:, k]
        for k, name in enumerate(("load_vx", "load_vy", "load_omega")):
            found[name] = record.velocity[..., :rows, n:, k]
        found["load_force"] = record.force[..., :rows, n:, :2]
        found["load_friction"] = record.force[..., :rows, n:, 2:]
    for name, k in (
        ("iterations", layout.ITERATIONS),
        ("multiplier_updates", layout.UPDATES),
        ("law_residual", layout.LAW_RESIDUAL),
        ("penetration", layout.PENETRATION),
        ("hinge_gap", layout.HINGE_GAP),
        ("step_energy_residual", layout.ENERGY_RESIDUAL),
        ("halvings", layout.HALVINGS),
    ):
        found[name] = record.certificate[..., :rows, k]
    return found
