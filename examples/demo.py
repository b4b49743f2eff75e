"""Aiko on the flat and on its peg track, with one and the same joint motion [transeth2008 VIII-D].

Writes out/demo.png and out/aiko_pegs.html.
"""

from pathlib import Path

import serpenoid as sp
from serpenoid import plots

out = Path("out")
out.mkdir(exist_ok=True)

track = sp.Scenario.load("aiko_pegs")
runs = {
    "flat plane": track.changed({"world": {}}).run(),
    "seven pegs": track.run(),
}

print()
print("Aiko, 11 links, 10 s   forward     work of      unaccounted")
print("                       cm/s        the motors   for")
for name, run in runs.items():
    energy = run.energy()
    speed = f"{100 * run.mean_velocity()[0]:+.1f}"
    print(f"  {name:20} {speed:11} {energy['actuator']:.1f} J {abs(energy['residual']):13.0e} J")
print()

with plots.canvas((7.0, 3.6)) as figure:
    for ax, (name, run) in zip(figure.subplots(2, sharex=True), runs.items(), strict=True):
        run.plot.path(ax, times=[0, 10])
        ax.set(xlim=(-0.45, 2.7), ylim=(-0.2, 0.42), xlabel="")
        ax.set_title(f"{name}: {100 * run.mean_velocity()[0]:+.1f} cm/s")
plots.save(figure, out / "demo.png")
runs["seven pegs"].view(out / "aiko_pegs.html")

print("picture:  out/demo.png")
print("player:   out/aiko_pegs.html, in any browser")
