"""Pinocchio as referee of the free planar chain's equations of motion."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from tests.peers.track import Array


def free_chain(lengths: Array, masses: Array, inertias: Array) -> pin.Model:
    """Model of a chain without contact, servo or gravity; any lengths, masses and inertias.

    Coordinates: tail link's centre x, y (m), its angle (rad), then the joint angles (rad).
    """
    model = pin.Model()
    model.gravity = pin.Motion.Zero()
    parent = model.addJoint(0, pin.JointModelPX(), pin.SE3.Identity(), "root_x")
    parent = model.addJoint(parent, pin.JointModelPY(), pin.SE3.Identity(), "root_y")
    placement = pin.SE3.Identity()
    for i, (length, mass, inertia) in enumerate(zip(lengths, masses, inertias, strict=True)):
        name = f"hinge{i - 1}" if i else "root_angle"
        parent = model.addJoint(parent, pin.JointModelRZ(), placement, name)
        centre = np.array([0.5 * length if i else 0.0, 0.0, 0.0])
        body = pin.Inertia(float(mass), centre, float(inertia) * np.eye(3))
        model.appendBodyToJoint(parent, body, pin.SE3.Identity())
        front = np.array([length if i else 0.5 * length, 0.0, 0.0])
        placement = pin.SE3(np.eye(3), front)
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
