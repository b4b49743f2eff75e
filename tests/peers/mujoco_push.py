"""MuJoCo as referee of loads that a robot pushes on slippery ground.

The robot is the exported one. A load is a body that slides along x and y and turns about z; discs
are spheres, whose centres are as high as the links' axes.
"""

from __future__ import annotations

from xml.etree import ElementTree as ET

import mujoco
import numpy as np

import serpenoid as sp
from serpenoid.model.loads import Load
from tests.peers.track import Array

# Half the height of boxes, m: links touch their sides only.
_HALF_HEIGHT = 0.2
# How much stiffer contact friction is than the normal force: what sticks shall not creep.
STICKING = 1e4
# Damping ratio of contacts: critically damped ones, which cannot pull, bounce by 0.14.
DAMPING = 50.0
# Share of the relative velocity that contacts take away at most; MuJoCo's limit is 0.9999.
HARDNESS = 0.999


def push_xml(scenario: sp.Scenario, loads: tuple[Load, ...], friction: float) -> str:
    """MJCF of a scenario without loads, and these; friction: of links with loads."""
    root = ET.fromstring(sp.export.mjcf(scenario))
    option, world, key = (_only(root, tag) for tag in ("option", "worldbody", "keyframe/key"))
    option.set("tolerance", "1e-14")
    option.set("impratio", str(STICKING))
    height = _only(world, "body").attrib["pos"].split()[2]
    soft = f"{2 * scenario.clock.time_step} {DAMPING}"
    touch = {"class": "obstacle", "solref": soft, "solimp": f"{HARDNESS} {HARDNESS} 0.001"}
    touch |= {"condim": "3" if friction else "1", "friction": f"{friction} 0 0"}
    for k, load in enumerate(loads):
        at = {"pos": f"{load.x} {load.y} {height}", "euler": f"0 0 {np.radians(load.angle_deg)}"}
        body = ET.SubElement(world, "body", {"name": f"load{k}"} | at)
        # Axes of joints turn with the body at the start, so the body turns back first.
        turned = -np.radians(load.angle_deg)
        for way in (0.0, np.pi / 2):
            axis = f"{np.cos(way + turned)} {np.sin(way + turned)} 0"
            ET.SubElement(body, "joint", {"type": "slide", "axis": axis})
        ET.SubElement(body, "joint", {"type": "hinge", "axis": "0 0 1", "name": f"turn{k}"})
        inertia = " ".join([str(load.moment_of_inertia)] * 3)
        mass = {"pos": "0 0 0", "mass": str(load.mass), "diaginertia": inertia}
        ET.SubElement(body, "inertial", mass)
        size = {"type": "sphere", "size": str(load.reach)}
        if isinstance(load, sp.Box):
            a, b = load.half_sizes
            size = {"type": "box", "size": f"{a} {b} {_HALF_HEIGHT}"}
        ET.SubElement(body, "geom", touch | size)
        key.set("qpos", f"{key.attrib['qpos']} 0 0 0")
        speed = (*load.velocity, np.radians(load.spin_deg))
        key.set("qvel", " ".join([key.attrib["qvel"], *map(str, speed)]))
    return ET.tostring(root, encoding="unicode")


def push_run(
    scenario: sp.Scenario,
    loads: tuple[Load, ...],
    friction: float,
    duration: float,
    every: int,
) -> tuple[Array, Array]:
    """Links, (rows, links, 3), and loads, (rows, loads, 3): x, y (m), angle (rad)."""
    model = mujoco.MjModel.from_xml_string(push_xml(scenario, loads, friction))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    links = len(scenario.built[0].links)
    gait, step = scenario.controller, scenario.clock.time_step
    rows = []
    for count in range(round(duration / step) + 1):
        if count % every == 0:
            mujoco.mj_kinematics(model, data)
            theta = np.cumsum(data.qpos[2 : links + 2])
            bodies = [model.body(f"link{i}").id for i in range(links)]
            bodies += [model.body(f"load{k}").id for k in range(len(loads))]
            turned = [
                np.radians(load.angle_deg) + data.joint(f"turn{k}").qpos[0]
                for k, load in enumerate(loads)
            ]
            angle = np.concatenate([theta, turned])
            rows.append(np.column_stack([data.xpos[bodies, :2], angle]))
        if isinstance(gait, sp.Serpenoid):
            now = (count + 1) * step
            data.ctrl[:] = [*gait.angles(links - 1, now), *gait.rates(links - 1, now)]
        mujoco.mj_step(model, data)
    found = np.array(rows)
    return found[:, :links], found[:, links:]


def _only(root: ET.Element, path: str) -> ET.Element:
    (found,) = root.findall(path)
    return found
