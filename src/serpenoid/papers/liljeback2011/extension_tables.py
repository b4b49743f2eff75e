"""Tables of what is not in the paper: other fields, other laws of ours, contact on the outline."""

from __future__ import annotations

from serpenoid.papers.liljeback2011.plan import ABLATED, FEWER, GAINS, PEGS, RADII
from serpenoid.papers.liljeback2011.readings import NATURAL_FREQUENCY
from serpenoid.papers.liljeback2011.runs import outcomes
from serpenoid.papers.liljeback2011.study import LACKS, Case, Controller
from serpenoid.papers.liljeback2011.tables import found_of, passed, strictly, tabulate
from serpenoid.papers.paper import Failed, Results, table

_LACKING = {
    "recovery": "`Recovery`, which backs out of jams",
    "spread_limit": "`SpreadLimit`, which keeps shapes from folding onto themselves",
    "adaptation": "`Adaptation`",
    "fast_filter": "its fast reference filter: 0.75 Hz, as in the paper, instead of 20 Hz",
}
_WORDS: dict[Controller, str] = {
    "none": "none",
    "printed": "as printed",
    "limited": "limited to 0.4 rad",
}
# Demands on motors and gears, as `measure_wear` finds them.
WEAR = {
    "rate_frequency": "median frequency of the joint rates (Hz)",
    "rate_95": "95 % of the joint rates below (deg/s)",
    "torque_95": "95 % of the torques below (N m)",
    "torque_99_9": "99.9 % of the torques below (N m)",
    "torque_largest": "largest torque (N m)",
    "force_95": "95 % of the forces across links in contact below (N)",
    "work": "work of the motors (J/m)",
}


@table("What the paper does not give, on the first fields, solver newton")
def _open(results: Results) -> list[list[str]]:
    """Number of pegs, friction torque of the ground, cutoff of the filter."""
    two: tuple[Controller, ...] = ("none", "printed")
    kinds = [
        (["pegs", f"{pegs}", _WORDS[name]], Case(0, name, pegs=pegs))
        for pegs in sorted({*PEGS, 320})
        for name in two
    ]
    kinds += [
        (["arm of the friction torque (m)", f"{arm:g}", _WORDS[name]], Case(0, name, arm=arm))
        for arm in (0.0, 0.035, 0.07)
        for name in two
    ]
    kinds += [
        (
            ["natural frequency of the filter (Hz)", f"{f:.3g}", _WORDS[name]],
            Case(0, name, cutoff=f),
        )
        for f in (0.75, NATURAL_FREQUENCY)
        for name in two
    ]
    return tabulate(["parameter", "value", "adaptation"], found_of(results, kinds, FEWER))


@table("Extension: the adaptation limited, or with a smaller gain, solver newton")
def _extensions(results: Results) -> list[list[str]]:
    """Neither is the paper's law."""
    kinds = [
        (["none", "–", "320"], Case(0, "none")),
        (["as printed", "0.02", "320"], Case(0, "printed")),
        *((["as printed", f"{k:g}", "320"], Case(0, "printed", gain=k)) for k in GAINS),
        (["limited to 0.4 rad", "0.02", "320"], Case(0, "limited")),
        *(
            (["limited to 0.4 rad", "0.02", f"{pegs}"], Case(0, "limited", pegs=pegs))
            for pegs in PEGS
        ),
    ]
    return tabulate(["adaptation", "gain (rad/N)", "pegs"], found_of(results, kinds))


@table("Extension: contact on the outline, solver newton")
def _outline(results: Results) -> list[list[str]]:
    """Where the head cannot pass through a peg."""
    kinds = [([words, "1"], Case(0, name, "outline")) for name, words in _WORDS.items()]
    kinds += [
        (["adaptive_path_following", f"{200 * r:.0f}"], Case(0, "adaptive", "outline", radius=r))
        for r in RADII
    ]
    lines = found_of(results, kinds)
    if not lines:
        raise Failed("this was not run")
    return tabulate(["controller", "width of the links (cm)"], lines)


@table("Extension: fields passed strictly, by what the controller lacks")
def _ablation(results: Results) -> list[list[str]]:
    rows = [["adaptive_path_following", *(f"links {200 * r:.0f} cm wide" for r in RADII)]]
    for lack in LACKS:
        cells = []
        for radius in RADII:
            kind = Case(0, "adaptive", "outline", radius=radius, lacks=lack)
            runs = outcomes(results, kind, ABLATED)
            strict, every = strictly(runs), passed(runs)
            more = f", and {every - strict} more not strictly" if every > strict else ""
            cells.append(f"{strict} of {len(runs)}{more}")
        rows.append(["as it is" if lack == "nothing" else f"without {_LACKING[lack]}", *cells])
    return rows


@table("Extension: motors and gears in field 15, means over 10 ms, solver newton")
def _wear(results: Results) -> list[list[str]]:
    found: list[dict[str, float]] = results["wear"]
    names = ("adaptive_path_following, outline", "limited to 0.4 rad, centre")
    rows = [["", *names]]
    for key, words in WEAR.items():
        values = [wear[key] for wear in found]
        rows.append([words, *(f"{v:.0f}" if v >= 100 else f"{v:.2g}" for v in values)])
    return rows
