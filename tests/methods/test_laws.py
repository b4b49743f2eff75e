"""Which laws the methods resolve, and the sentence with which they refuse the others."""

import dataclasses
import re
from typing import Any

import pytest

import serpenoid as sp
from serpenoid.kernels.laws import GROUND_LAWS
from serpenoid.methods.laws import _GROUND as KNOWN_GROUND
from serpenoid.methods.laws import Law, laws_needed
from serpenoid.methods.method import Method
from serpenoid.model.friction import FrictionLaw
from tests.sentences import refusal

SERVO = sp.Servo(kp=20.0, kd=5.0)
ELASTIC = sp.SeriesElastic(stiffness=4, kp=1, kd=1, gear_ratio=30, rotor_inertia=1e-6)
PEG, WALL = sp.Peg(9.0, 9.0, 0.1), sp.Wall(((9.0, 0.0), (9.0, 1.0)))
GRIP, BOUNCE = sp.Contact(friction=0.3), sp.Contact(restitution=0.5)
YIELDING = sp.Contact(stiffness=1e4, damping=20.0)
DIRECTIONAL = sp.DirectionalCoulomb(forward=0.1, backward=0.3, sideways=0.3)
RECTANGLE, SMOOTH = sp.RectangularCoulomb(0.1, 0.2), sp.SmoothCoulomb(0.2, 1e-3)
POINTS = sp.DistributedCoulomb(0.1, 0.2)
SPIN, VISCOUS = sp.SpinCoulomb(mu=0.2, arm=0.01), sp.Viscous(along=1.0, across=2.0)
LIMITED = sp.Servo(kp=20.0, kd=5.0, torque_limit=1.0)
LOOSE = sp.Servo(kp=20.0, kd=5.0, deadband_deg=2.0)


def robot(actuator: Any = SERVO, **more: Any) -> sp.Robot:
    options = {"length": 0.1, "mass": 1.0, "radius": 0.02, "self_contact": False} | more
    return sp.Robot.uniform(3, actuator=actuator, **options)


def vertical(terrain: Any = None, contact_at: str = "axis") -> sp.World:
    return sp.World(plane="vertical", terrain=terrain, contact_at=contact_at)


# A robot, its world, how the law is called, and the methods besides 'newton' that resolve it.
CASES = {
    "nothing": (robot(), sp.World(), "", "prox hybrid explicit"),
    "dry": (robot(), sp.World(sp.Coulomb(0.2)), "ground friction Coulomb(mu=0.2)", "prox hybrid"),
    "directional": (robot(), sp.World(DIRECTIONAL), f"ground friction {DIRECTIONAL}", ""),
    "rectangle": (robot(), sp.World(RECTANGLE), f"ground friction {RECTANGLE}", ""),
    "smooth": (robot(), sp.World(SMOOTH), f"ground friction {SMOOTH}", ""),
    "distributed": (robot(), sp.World(POINTS), f"ground friction {POINTS}", ""),
    "spin": (robot(), sp.World(SPIN), f"ground friction {SPIN}", "hybrid"),
    "viscous": (robot(), sp.World(VISCOUS), f"ground friction {VISCOUS}", "hybrid"),
    "patch": (
        robot(),
        sp.World(patches=[sp.Patch(0, 0, 1, 1, VISCOUS)]),
        f"ground friction {VISCOUS}",
        "hybrid",
    ),
    "pegs": (robot(), sp.World(pegs=[PEG]), "pegs", "prox hybrid"),
    "walls": (robot(), sp.World(walls=[WALL]), "walls", "prox"),
    "centre": (
        robot(),
        sp.World(pegs=[PEG], contact_at="centre"),
        "contact at the links' centres",
        "hybrid",
    ),
    "grip": (robot(), sp.World(contact=GRIP, pegs=[PEG]), f"contact law {GRIP}", "hybrid"),
    "own grip": (
        robot(),
        sp.World(pegs=[sp.Peg(9.0, 9.0, 0.1, GRIP)]),
        f"contact law {GRIP}",
        "hybrid",
    ),
    "bounce": (robot(), sp.World(contact=BOUNCE, pegs=[PEG]), f"contact law {BOUNCE}", ""),
    "yielding": (robot(), sp.World(contact=YIELDING, pegs=[PEG]), f"contact law {YIELDING}", ""),
    "nothing to yield": (robot(), sp.World(contact=YIELDING), "", "prox hybrid explicit"),
    "nothing to bounce off": (robot(), sp.World(contact=BOUNCE), "", "prox hybrid explicit"),
    "vertical": (robot(), vertical(contact_at="outline"), "a vertical plane", "explicit"),
    "axis": (robot(), sp.World(contact_at="axis"), "contact on the links' axes", "explicit"),
    "soft": (
        robot(),
        vertical(sp.Flat(0.5, contact=sp.Compliant(350, 15))),
        "a vertical plane",
        "explicit",
    ),
    "hard": (robot(), vertical(sp.Flat(0.5)), "hard terrain", ""),
    "loads": (robot(), sp.World(loads=[sp.Disc(1, 0, 1, radius=0.1)]), "loads", ""),
    "wheels": (robot(wheels=sp.Wheels()), sp.World(), "wheels", ""),
    "limits": (
        robot(limits_deg=(-50, 50)),
        sp.World(),
        "joint limits (-50.0, 50.0) deg",
        "hybrid",
    ),
    "self-contact": (
        robot(self_contact=True),
        sp.World(),
        "self-contact, which robot.self_contact = false leaves out",
        "",
    ),
    "links that cannot reach": (
        robot(self_contact=True),
        sp.World(contact_at="centre"),
        "",
        "prox hybrid explicit",
    ),
    "torque": (robot(sp.Torque()), sp.World(), "", "prox hybrid explicit"),
    "torque limit": (robot(LIMITED), sp.World(), f"actuator {LIMITED}", "hybrid explicit"),
    "gear play": (robot(LOOSE), sp.World(), f"actuator {LOOSE}", ""),
    "prescribed": (robot(sp.Prescribed()), sp.World(), "actuator Prescribed()", ""),
    "free": (robot(sp.Free()), sp.World(), "actuator Free()", "hybrid explicit"),
    "elastic": (robot(ELASTIC), sp.World(), f"actuator {ELASTIC}", "explicit"),
}


@pytest.mark.parametrize(("body", "world", "law", "able"), CASES.values(), ids=CASES)
def test_a_method_refuses_what_it_does_not_resolve(
    body: sp.Robot, world: sp.World, law: str, able: str
) -> None:
    refused = set()
    for kind, method in Method.members.items():
        if kind == "newton" or kind in able.split():
            method().check(body, world)
            continue
        words = refusal(lambda method=method: method().check(body, world), sp.UnsupportedLaw)
        found = re.fullmatch(rf"solver '{kind}' cannot resolve (.+); use solver='newton'", words)
        assert found, words
        refused.add(found[1])
    # One that lacks several laws names the first.
    assert law in refused or not refused


# The law that each case is about, for every law that a method may resolve.
LAWS = {
    Law.DRY: "dry",
    Law.DIRECTIONAL_DRY: "directional",
    Law.DRY_TORQUE: "spin",
    Law.VISCOUS: "viscous",
    Law.OTHER_GROUND: "smooth",
    Law.PEGS: "pegs",
    Law.WALLS: "walls",
    Law.CONTACT_FRICTION: "grip",
    Law.RESTITUTION: "bounce",
    Law.COMPLIANT_CONTACT: "yielding",
    Law.CONTACT_AT_CENTRE: "centre",
    Law.CONTACT_ON_AXIS: "axis",
    Law.VERTICAL_PLANE: "vertical",
    Law.HARD_TERRAIN: "hard",
    Law.COMPLIANT_TERRAIN: "soft",
    Law.LOADS: "loads",
    Law.SELF_CONTACT: "self-contact",
    Law.WHEELS: "wheels",
    Law.JOINT_LIMITS: "limits",
    Law.SERVO: "nothing",
    Law.TORQUE: "torque",
    Law.PRESCRIBED: "prescribed",
    Law.FREE: "free",
    Law.SERIES_ELASTIC: "elastic",
    Law.TORQUE_LIMIT: "torque limit",
    Law.GEAR_PLAY: "gear play",
}


@pytest.mark.parametrize("law", [law for law in Law if law is not Law.UNKNOWN])
def test_a_method_that_does_not_list_a_law_refuses_it(law: Law, monkeypatch: Any) -> None:
    """Of every law and method: with all other laws listed, it is this one that is refused."""
    body, world, *_ = CASES[LAWS[law]]
    assert law in {need for need, _ in laws_needed(body, world)}
    for kind, method in Method.members.items():
        monkeypatch.setattr(method, "resolves", frozenset(Law) - {law})
        words = refusal(lambda method=method: method().check(body, world), sp.UnsupportedLaw)
        assert words.startswith(f"solver {kind!r} cannot resolve "), words
        monkeypatch.setattr(method, "resolves", frozenset(Law))
        method().check(body, world)


def test_no_method_claims_laws_that_nobody_knows() -> None:
    for method in Method.members.values():
        assert Law.UNKNOWN not in method.resolves


@pytest.mark.parametrize("law", [law for law in GROUND_LAWS if law.name not in KNOWN_GROUND])
def test_laws_of_the_ground_are_the_default_methods_until_another_lists_them(law: Any) -> None:
    @dataclasses.dataclass(frozen=True)
    class Own(FrictionLaw):
        def pack(self, surface: Any) -> None:
            for name in law.coefficients.split():
                setattr(surface, name, 0.1)

    world = sp.World()
    object.__setattr__(world, "friction", Own())
    sp.Newton().check(robot(), world)
    for kind in ("prox", "hybrid", "explicit"):
        method = Method.members[kind]
        words = refusal(lambda method=method: method().check(robot(), world), sp.UnsupportedLaw)
        assert words.startswith(f"solver {kind!r} cannot resolve ground friction")


def test_what_nobody_knows_is_refused_by_all() -> None:
    """A field added to a spec, an actuator that writes what it did not use to."""

    @dataclasses.dataclass(frozen=True)
    class Sticky(sp.Contact):
        adhesion: float = 0.0

    class Damped(sp.Servo):
        def pack(self, joint: Any) -> None:
            super().pack(joint)
            joint.eta_rate = 1.0

    world = sp.World(pegs=[PEG])
    object.__setattr__(world, "contact", Sticky())
    joint = sp.Joint(SERVO)
    object.__setattr__(joint, "actuator", Damped(kp=20.0, kd=5.0))
    links = robot().links
    body = sp.Robot(links, robot().joints)
    object.__setattr__(body, "joints", (joint, joint))
    object.__setattr__(world.contact, "adhesion", 0.0)
    sp.Newton().check(robot(), world)
    object.__setattr__(world.contact, "adhesion", 2.0)
    for kind, method in Method.members.items():
        words = refusal(lambda method=method: method().check(robot(), world), sp.UnsupportedLaw)
        assert words == f"solver {kind!r} cannot resolve Sticky.adhesion = 2.0"
        words = refusal(lambda method=method: method().check(body, sp.World()), sp.UnsupportedLaw)
        assert words.startswith(f"solver {kind!r} cannot resolve actuator")


def test_a_run_refuses_them_before_its_first_step() -> None:
    words = "solver 'prox' cannot resolve actuator Free(); use solver='newton'"
    call = lambda: sp.simulate(robot(sp.Free()), solver="prox")  # noqa: E731
    assert refusal(call, sp.UnsupportedLaw) == words


def test_wheels_need_ground_to_stand_on() -> None:
    words = "Link.wheels is not allowed in a vertical plane: they stand on a horizontal one"
    call = lambda: sp.Newton().check(robot(wheels=sp.Wheels()), vertical())  # noqa: E731
    assert refusal(call, sp.UnsupportedLaw) == words
