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

print("\nAiko, eleven links, the same joint motion for 10 s:\n")
print("              forward       work of motors   simulated in")
for name, run in runs.items():
    speed, work = 100 * run.mean_velocity()[0], run.energy()["actuator"]
    print(f"  {name}  {speed:+5.1f} cm/s {work:13.1f} J {1000 * run.stepping_seconds:13.0f} ms")
print()

with plots.canvas((7.0, 3.5)) as figure:
    flat, pegs = figure.subplots(2, sharex=True)
    for ax, (name, run) in zip((flat, pegs), runs.items(), strict=True):
        # On the flat it ends where it started, nearly; one robot is easier to read than two.
        run.plot.path(ax, times=[10] if ax is flat else [0, 10])
        ax.get_legend().remove()
        words = f"{name}: {100 * run.mean_velocity()[0]:+.1f} cm/s"
        ax.set_title(words.replace("-", "\N{MINUS SIGN}"), loc="left", size=10, weight="bold")
        ax.set(xlim=(-0.42, 2.68), ylim=(-0.2, 0.38))
    flat.set_xlabel("")
plots.save(figure, out / "demo.png")
runs["seven pegs"].view(out / "aiko_pegs.html")

print("picture:  out/demo.png")
print("player:   out/aiko_pegs.html, in any browser")
