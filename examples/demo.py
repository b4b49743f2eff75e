"""Aiko on the flat and on its peg track, side by side [transeth2008 VIII-D]."""

import time

import serpenoid as sp

gait = sp.Serpenoid(amplitude_deg=-40, frequency_deg=80, phase_deg=-50)
start = sp.Start(x=0.38, y=0.15, heading_deg=5, link=5)
ground = sp.Coulomb(0.2)

for name, world in {
    "flat plane": sp.World(friction=ground),
    "seven pegs": sp.World(friction=ground, pegs=sp.fields.aiko_track()),
}.items():
    begin = time.perf_counter()
    run = sp.simulate(sp.robots.aiko(), world, gait, duration=10.0, start=start)
    wall = time.perf_counter() - begin
    energy = run.energy()
    print(f"{name}: {100 * run.mean_velocity()[0]:+.2f} cm/s along x")
    print(f"  motors did {energy['actuator']:.1f} J, friction took {-energy['friction']:.1f} J,")
    print(f"  blows took {abs(energy['impact']):.2f} J, unaccounted {energy['residual']:.0e} J")
    print(f"  10 s simulated in {wall:.2f} s; the compiled steps took {run.stepping_seconds:.3f} s")
