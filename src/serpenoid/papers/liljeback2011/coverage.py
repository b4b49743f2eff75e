"""Everything in the paper and where it is, and its misprints."""

from __future__ import annotations

from serpenoid.papers.paper import Covered, Erratum

_GOLDEN = "pytest tests/methods/test_hybrid.py"
_CONTROL = "pytest tests/control"
_MODEL = "`Hybrid`, coordinates without hinges"
_STUDY = "the random fields of this reproduction"

COVERAGE = (
    Covered(
        "(1)",
        "joint angles",
        "columns `theta` and `joint_angle`; ours is minus the paper's",
        _CONTROL,
    ),
    Covered("II, Fig. 1", "links, friction, obstacle contact at link centres", _MODEL, _GOLDEN),
    Covered(
        "(2)",
        "hybrid system: flow and jump",
        "`Hybrid`, `methods/hybrid_flow.py` and `_jump.py`",
        _GOLDEN,
    ),
    Covered(
        "Conjecture 1, (3)",
        "sum of wave, adaptation and heading",
        "`References`, parts that add up",
        _CONTROL,
        ("with_adaptation",),
    ),
    Covered(
        "Remark 2, (4)", "serpenoid gait with an offset", "`Serpenoid`, `offset_deg`", _CONTROL
    ),
    Covered("(5), (6)", "heading; angles relative to it", "`analysis.following.heading`"),
    Covered(
        "(7)",
        "forward velocity",
        "`analysis.following.forward_velocity`",
        "",
        ("forward_velocity",),
    ),
    Covered(
        "(8)",
        "measured contact force",
        "`analysis.following.measured_force`; with and without impacts: `Hybrid.measures_impacts`",
        _GOLDEN,
    ),
    Covered(
        "(9)",
        "propulsive component",
        "`analysis.following.propulsive`",
        "pytest tests/analysis/test_following.py",
    ),
    Covered(
        "(10)", "objective: cross-track error to 0", _STUDY, "", ("objective_10", "oscillates")
    ),
    Covered("(11)", "objective: heading to 0", _STUDY, "", ("objective_11", "oscillates")),
    Covered("(12)", "objective: forward velocity above 0", _STUDY, "", ("objective_12",)),
    Covered(
        "Assumption 8, Remark 9", "what is measured", "`Observation`; a real sensor is out of reach"
    ),
    Covered(
        "(13) to (18), (31)",
        "wave: each joint follows the one ahead",
        "`Follower`",
        _CONTROL,
        ("improves",),
    ),
    Covered(
        "(19) to (25), (32)",
        "adaptation",
        "`Adaptation`, without limit as printed",
        _CONTROL,
        ("adaptation_helps",),
    ),
    Covered("(26) to (28), (33), Fig. 2", "guidance and heading", "`Heading`", _CONTROL),
    Covered("(29)", "joint controller", "`Servo`"),
    Covered(
        "(30)",
        "the whole law",
        "`Follower + Adaptation + Heading`, golden numbers to 1e-9",
        _CONTROL,
        ("with_adaptation",),
    ),
    Covered("Remark 10", "no proof of stability", "not a claim"),
    Covered(
        "V, Fig. 3, Algorithm 11",
        "waypoint guidance",
        "`Waypoints`, `analysis.following.progress`",
        "pytest tests/analysis/test_following.py",
    ),
    Covered("Remark 12", "five legs, five starts", "table by leg"),
    Covered(
        "VI-A",
        "parameters, solver, filter",
        "`study.scenario`; the pegs are not given: random, from seeds",
    ),
    Covered(
        "Fig. 4, VI-B",
        "without adaptation",
        "figure, in a field that is chosen as its caption's readings say",
        "",
        ("without", "third_leg", "jammed_after", "same_field", "overlap"),
    ),
    Covered(
        "Fig. 5, VI-B", "with adaptation: path", "figure", "", ("with_adaptation", "same_field")
    ),
    Covered(
        "Fig. 6, VI-B",
        "with adaptation: errors, velocity, force",
        "figure",
        "",
        ("forward_velocity", "oscillates", "force_mean", "force_high", "force_largest"),
    ),
    Covered(
        "VII",
        "conclusion: waypoints are reached",
        _STUDY,
        "",
        ("with_adaptation", "same_field"),
    ),
    Covered(
        "[10]",
        "leader-follower control and jam resolution, which this law is to improve on",
        "as far as the paper describes them: `LeaderFollower`, `JamResolution`, in `baselines`",
        "",
        ("improves",),
    ),
)

ERRATA = (
    Erratum("(17), (18)", "$N - 1$", "$n - 1$", "$N$ is not defined; there are $n - 1$ joints"),
    Erratum(
        "(19)",
        "$-\\rho_i \\cos\\tilde{\\theta}_i$",
        "times $1 - 1/n$",
        "$\\tilde{\\theta}_i = \\theta_i - \\bar{\\theta}$ (6), and $\\bar{\\theta}$ (5) holds "
        "$\\theta_i / n$; the gain absorbs it",
    ),
    Erratum(
        "(28), (33)",
        "$\\bar{\\boldsymbol{\\theta}}$ in bold",
        "a scalar",
        "(5) is a mean, and (27) has it as a scalar",
    ),
)
