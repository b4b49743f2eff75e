"""Pinocchio as referee of the free planar chain's equations of motion."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from tests.peers.track import Array


def free_chain(
    lengths: Array,
    masses: Array,
    inertias: Array,
    *,
    from_tail: bool = False,
    in_space: bool = False,
) -> pin.Model:
    """Model of a chain without contact, servo or gravity; any lengths, masses and inertias.

    Coordinates: tail link's centre x, y (m), its angle (rad), then the joint angles (rad). With
    from_tail the tail link's tail end has the place of its centre; in_space that end is free in all
    six directions.
    """
    model = pin.Model()
    model.gravity = pin.Motion.Zero()
    parent = 0
    if not in_space:
        parent = model.addJoint(parent, pin.JointModelPX(), pin.SE3.Identity(), "root_x")
        parent = model.addJoint(parent, pin.JointModelPY(), pin.SE3.Identity(), "root_y")
    placement = pin.SE3.Identity()
    for i, (length, mass, inertia) in enumerate(zip(lengths, masses, inertias, strict=True)):
        joint = pin.JointModelFreeFlyer() if in_space and not i else pin.JointModelRZ()
        name = f"hinge{i - 1}" if i else "root"
        parent = model.addJoint(parent, joint, placement, name)
        behind = 0.5 * length if i or from_tail or in_space else 0.0
        body = pin.Inertia(float(mass), np.array([behind, 0, 0]), float(inertia) * np.eye(3))
        model.appendBodyToJoint(parent, body, pin.SE3.Identity())
        placement = pin.SE3(np.eye(3), np.array([behind + 0.5 * length, 0, 0]))
    return model


def free_chain_dynamics(
    lengths: Array, masses: Array, inertias: Array, q: Array, u: Array, tau: Array
) -> tuple[Array, Array, Array]:
    """Mass matrix M, bias force h and acceleration u_dot with M u_dot + h = tau; SI units."""
    model = free_chain(lengths, masses, inertias)
    data = model.createData()
    upper = np.triu(np.array(pin.crba(model, data, q)))
    mass_matrix = upper + np.triu(upper, 1).T
    bias = np.array(pin.nonLinearEffects(model, data, q, u))
    acceleration = np.array(pin.aba(model, data, q, u, tau))
    return mass_matrix, bias, acceleration
