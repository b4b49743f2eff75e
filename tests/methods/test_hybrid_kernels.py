"""Kernels of solver "hybrid" whose work a run shows only in passing."""

from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.engine.assemble import pack_robot, pack_world
from serpenoid.kernels import layout
from serpenoid.methods import hybrid_layout
from serpenoid.methods.dormand_prince import extend, interpolate
from serpenoid.methods.hybrid_flow import flow_map, place, try_step
from serpenoid.methods.hybrid_jump import arrest_contacts, jump
from serpenoid.methods.hybrid_step import survey
from serpenoid.methods.link_records import bound_friction
from tests.calling import called

extend, interpolate, try_step, flow_map, place, survey, jump, arrest_contacts, bound_friction = map(
    called,
    (extend, interpolate, try_step, flow_map, place, survey, jump, arrest_contacts, bound_friction),
)

THETA_DEG = np.array([-30, -10, 30, 60, 40, 0, -40, -60, -30, 0.0])
GROUND = sp.Coulomb(0.3) + sp.SpinCoulomb(0.3, 0.035)
ROBOT = sp.Robot.uniform(
    10, length=0.14, mass=1.0, radius=0.02, inertia=0.0016, actuator=sp.Torque()
)


def golden(pegs: Any = (), mu: float = 0.0) -> hybrid_layout.HybridView:
    """Kernel records in the golden state, contact at the links' centres."""
    place_of = sp.World(
        friction=GROUND, pegs=pegs, contact=sp.Contact(friction=mu), contact_at="centre"
    )
    world = pack_world(place_of, ROBOT)
    body = pack_robot(ROBOT)
    flow = hybrid_layout.new_flow(body, 100)
    flow.y[:10] = np.radians(THETA_DEG)
    flow.y[12:22] = 0.1 * (np.arange(1, 11) - 5.5)
    flow.y[22:24] = 0.05, -0.02
    place(body.links, flow.y)
    bound_friction(world, body.links)
    options = sp.Hybrid(stick_speed=0.1).options()
    return hybrid_layout.HybridView(world, body, layout.HELD_GAIT, options, flow)


def kinetic(links: Any) -> float:
    """Kinetic energy of the links, J."""
    linear = links.mass * (links.vx**2 + links.vy**2)
    return float(0.5 * (linear + links.inertia * links.omega**2).sum())


def struck(mu: float = 0.0) -> hybrid_layout.HybridView:
    """The golden state with pegs right of links 3 and 6 and left of link 9, 5 mm deep."""
    links: Any = golden().body.links
    pegs = [
        sp.Peg(float(a.x + side * 0.045 * a.ey), float(a.y - side * 0.045 * a.ex), 0.05)
        for a, side in ((links[2], 1), (links[5], 1), (links[8], -1))
    ]
    view = golden(pegs, mu)
    assert survey(view, 1e-3) == layout.DONE
    return view


@pytest.mark.thorough
def test_crowded_jumps_hold_closed_contacts_and_never_add_energy() -> None:
    rng = np.random.default_rng(2)
    held = 0
    for _ in range(200):
        view = struck()
        body, flow = view.body, view.flow
        contacts: Any = body.contacts[: body.counts[0]]
        contacts.mode[:2] = hybrid_layout.SLIDES
        flow.y[12:24] = 0.1 * rng.normal(size=12)
        place(body.links, flow.y)
        before = kinetic(body.links)
        assert jump(view, True) == layout.DONE
        assert contacts.vn.min() >= -1e-10
        # Only a closed contact may be pulled at, and then it stays closed.
        pulled = contacts.qn < 0.0
        assert not pulled[2]
        assert np.abs(contacts.vn[pulled]).max(initial=0.0) <= 1e-10
        held += int(pulled.sum())
        assert kinetic(body.links) <= before * (1 + 1e-14)
    assert held > 20


@pytest.mark.thorough
def test_continuous_extension_is_of_fourth_order() -> None:
    errors = []
    for h in (4e-3, 2e-3):
        view = golden()
        flow = view.flow
        flow_map(view, 0.0, flow.y, flow.slope[0])
        try_step(view, 0.0, 0.4 * h)
        expected = flow.trial[:24].copy()
        try_step(view, 0.0, h)
        extend(h, flow.y, flow.slope, flow.trial, flow.dense)
        interpolate(0.4, flow.y, flow.dense, flow.trial)
        errors.append(abs(flow.trial[:24] - expected).max())
    # Error of a step h of order h^5.
    assert 20.0 < errors[0] / errors[1] < 50.0


def test_arrest_stops_closed_contacts_and_takes_energy() -> None:
    view = struck(0.25)
    body, flow = view.body, view.flow
    contacts: Any = body.contacts[: body.counts[0]]
    contacts.mode = hybrid_layout.SLIDES
    before = kinetic(body.links)
    arrest_contacts(view)
    held: Any = contacts[contacts.pushes]
    assert len(held) > 0
    assert held.qn.min() > 0.0
    # The matrix is softened by 1e-4 of itself.
    assert abs(held.vn).max() < 1e-4
    assert abs(held.vt).max() < 1e-4
    lost = kinetic(body.links) - before
    assert lost < -1e-3
    works = flow.y[73 + layout.IMPACT] + flow.y[73 + layout.FRICTION]
    assert works == pytest.approx(lost, rel=1e-9)
