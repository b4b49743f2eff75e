"""MuJoCo as referee of loads on feet: one at each support point of a load.

The load slides along x and y and turns about z. Its mass is in the feet, each on a vertical slide
of its own, so that the ground carries the share of each foot, however the load moves.
"""

from __future__ import annotations

import mujoco
import numpy as np

from serpenoid.model.loads import Load
from tests.peers.track import Array

# Radius of the feet, half the height of the load, m.
_FOOT, _HALF_HEIGHT = 0.002, 0.05
_FEET = """
<body pos="{x} {y} 0">
  <joint type="slide" axis="0 0 1"/>
  <inertial pos="0 0 0" mass="{mass}" diaginertia="1e-9 1e-9 1e-9"/>
  <geom type="sphere" size="{radius}" pos="0 0 {radius}" condim="3" friction="{friction} 0 0"
    contype="0" conaffinity="1"/>
</body>
"""
_MODEL = """
<mujoco>
  <option timestep="{step}" gravity="0 0 -{gravity}" cone="elliptic" impratio="{sticking}"
    tolerance="1e-14" iterations="500"/>
  <default><geom solref="{soft} 1" solimp="0.999 0.999 0.001" condim="1"/></default>
  <worldbody>
    <geom type="plane" size="0 0 1" contype="1" conaffinity="0" friction="0 0 0"/>
    <body name="tip" pos="{tip}">
      <joint name="tip" type="slide" axis="1 0 0"/>
      <geom type="sphere" size="{radius}" mass="1e7" contype="0" conaffinity="2"/>
    </body>
    <body name="load" pos="{place}">
      <joint name="x" type="slide" axis="1 0 0"/>
      <joint name="y" type="slide" axis="0 1 0"/>
      <joint name="angle" type="hinge" axis="0 0 1"/>
      <inertial pos="0 0 0" mass="1e-6" diaginertia="{rest} {rest} {rest}"/>
      <geom type="{shape}" size="{size}" contype="2" conaffinity="0"/>
      {feet}
    </body>
  </worldbody>
</mujoco>
"""


def slide(
    load: Load,
    duration: float,
    *,
    step: float,
    gravity: float = 9.81,
    tip: tuple[float, float, float, float] = (-10.0, 0.0, 0.01, 0.0),
) -> Array:
    """Where a load of angle 0, heavier to turn than its feet, gets to: x, y (m), angle (rad), (3,).

    Args:
        load: The load, with its velocity.
        duration: s.
        step: Time step, s.
        gravity: m/s2.
        tip: Of what pushes it: place (m), radius (m), speed along x (m/s).
    """
    feet, rest = "", load.moment_of_inertia
    for x, y, share in load.support_points:
        mass = share * load.mass
        feet += _FEET.format(x=x, y=y, mass=mass, radius=_FOOT, friction=load.friction)
        rest -= mass * (x * x + y * y)
    assert rest > 0.0, "the feet alone have a larger moment of inertia"
    half = " ".join(map(str, (*load.half_sizes, _HALF_HEIGHT)))
    if load.rounding:
        half = f"{load.rounding} {_HALF_HEIGHT}"
    text = _MODEL.format(
        step=step,
        gravity=gravity,
        sticking=1e3,
        soft=2 * step,
        tip=f"{tip[0]} {tip[1]} 0",
        radius=tip[2],
        place=f"{load.x} {load.y} 0",
        rest=rest,
        shape="cylinder" if load.rounding else "box",
        size=half,
        feet=feet,
    )
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.joint("tip").qvel[0] = tip[3]
    axes = ("x", "y", "angle")
    for name, speed in zip(axes, (*load.velocity, np.radians(load.spin_deg)), strict=True):
        data.joint(name).qvel[0] = speed
    for _ in range(round(duration / step)):
        mujoco.mj_step(model, data)
    places: Array = np.array([load.x, load.y, 0.0]) + [data.joint(name).qpos[0] for name in axes]
    return places
