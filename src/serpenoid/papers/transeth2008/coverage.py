"""All equations, figures and conclusions of the paper, what was found, and its misprints."""

from __future__ import annotations

from serpenoid.papers.paper import Covered, Erratum

FOUND = (
    "On the flat Aiko moves backwards at 1 cm/s, along the pegs forwards at 16 cm/s, under every "
    "reading; the paper's method finds the same way along the pegs.",
    "The paper prints two radii for its pegs, 0.125 m and 0.0125 m; along both, every start that "
    "we tried among three pegs runs, though many others do not, so that our earlier erratum, which "
    "called the larger radius impossible, is withdrawn.",
    "One set of readings carries every claim that holds under any: pegs of 0.125 m, the mirrored "
    "wave, and pegs of VIII-B that touch the robot at the same places; then links 3, 7 and 10 push "
    "at 5.2 s (in the paper 2, 7 and 10, which no reading gives), only link 7 is pushed to "
    "\N{MINUS SIGN}y and pushed most, the robot passes a moved peg 3, and without peg 3 it turns "
    "left and fails.",
    "The headline holds: once it runs, the robot comes one peg further in each half period, with "
    "friction of the ground from 0.05 to 0.8 and with both radii of the pegs, so that the speed "
    "decides nothing between readings.",
    "Open remain the gap of 3 to 4 cm between robot and simulation, which delay and gear play of "
    "VIII-E explain if references change all the time, but not at 10 Hz, as VIII-C sends them, "
    "and the joint torques at \N{MINUS SIGN}70 deg, whose three push-points the paper does not "
    "give.",
)

_PROX = "serpenoid run aiko_pegs --set solver.kind=prox"
_TRACK = "serpenoid run aiko_pegs"
_FLAT = "serpenoid run aiko_flat"

COVERAGE = (
    Covered("(1), (2)", "equality of measures, outline", "midpoint step", _TRACK),
    Covered("(3)-(7)", "coordinates, velocities, frames", "kernels/chain.py", _TRACK),
    Covered("(8)-(11), Fig. 3", "gaps between links and pegs", "kernels/outlines.py", _TRACK),
    Covered("(12), Fig. 4", "gaps in joints", "hinges are closed by the sweep", _TRACK),
    Covered("(13)-(22)", "relative velocities of pegs", "kernels/contact_rates.py", _TRACK),
    Covered(
        "(23)-(29)", "velocities along and across links", "kernels/laws/dry_friction.py", _FLAT
    ),
    Covered("(30)-(34)", "rates of joint gaps", "methods/prox_solver.py, kernels/sweep.py", _PROX),
    Covered("(35)-(41)", "equality of measures, impulses", "kernels/midpoint.py", _TRACK),
    Covered(
        "(42), (43)", "joint torques, PD control", "kernels/laws/servo.py, misprint below", _PROX
    ),
    Covered(
        "(44)-(48)", "Signorini's law, inelastic impact", "kernels/laws/contact_normal.py", _TRACK
    ),
    Covered(
        "(49)-(52), Fig. 5",
        "isotropic and orthotropic friction",
        "kernels/laws/dry_friction.py",
        claims=("friction_opposite",),
    ),
    Covered(
        "V-B2",
        "against two sign functions and smoothed friction",
        "friction laws 'rectangular' and 'smooth'",
        claims=("two_sign_functions", "smooth_slides", "smooth_stiff"),
    ),
    Covered(
        "I",
        "against pegs of springs and dampers",
        "world.contact",
        claims=("stiff_springs", "damping_ambiguous"),
    ),
    Covered("(53)", "force laws as projections", "kernels/projections.py", _PROX),
    Covered("(54)-(63)", "time stepping", "methods/prox_step.py", _PROX),
    Covered(
        "(64)-(70)",
        "modified Newton iteration, r_H, r_T",
        "methods/prox_solver.py",
        claims=("r_normal", "r_tangential"),
    ),
    Covered("VI-C", "projection of hinge gaps", "methods/prox_solver.py", _PROX),
    Covered("Figs 1, 2, 6", "photograph, sketches", "nothing to compare"),
    Covered("VII-A, VII-C", "motivation, requirements", "no statement about these runs"),
    Covered("VII-B, Fig. 7", "Gray's three links", "mechanism.gray", claims=("gray",)),
    Covered(
        "VII-B, Fig. 8",
        "three push-points near the centre line",
        "mechanism.push_statics, fields.pegs_for_wave",
        claims=("centre_line_forces", "centre_line_torques", "three_push_points"),
    ),
    Covered(
        "VII-D",
        "a posture for three push-points, pegs too large for the joints",
        "fields.pegs_for_wave; mechanism.notch, its table is above",
        claims=("phase_30", "three_push_points"),
    ),
    Covered("(71)", "lateral undulation", "control/gaits.py", _TRACK),
    Covered("VIII-A", "parameters of Aiko", "robots.aiko", _TRACK),
    Covered(
        "VIII-B, Fig. 9",
        "path among small pegs",
        "tracks.small_track",
        claims=("same_path",),
    ),
    Covered("(72)", "force of the pegs", "contact_force of a run", _TRACK),
    Covered(
        "Fig. 10",
        "pushing links at 5.2 s",
        "measures.pushes_at",
        claims=("fig10_links", "fig10_signs", "fig10_forward"),
    ),
    Covered(
        "Fig. 11",
        "forces on links 2, 7, 10",
        "measures.mean_forces; its curves are no data",
        claims=("fig11_link7",),
    ),
    Covered(
        "VIII-B, Fig. 12",
        "phase and amplitude",
        "analysis.wave_maps",
        claims=("phase_30", "phase_70", "phase_70_force", "phase_70_torque", "amplitude"),
    ),
    Covered(
        "VIII-B",
        "frequency: speed and impacts",
        "analysis.wave_maps",
        claims=("frequency_speed", "frequency_impact"),
    ),
    Covered(
        "VIII-B",
        "limits: torque of actuators, pegs that yield, pegs far apart",
        "torque limits are among the causes above; the others are remarks that are not run here",
    ),
    Covered(
        "VIII-B",
        "friction between pegs and robot",
        "the paper's model has none; world.contact.friction adds it",
        "serpenoid run aiko_pegs --set world.contact.friction=0.1",
    ),
    Covered(
        "VIII-B1",
        "peg 3 moved and removed",
        "tracks.small_track",
        claims=(
            "peg3_moved",
            "peg3_moved_turns",
            "peg3_removed",
            "peg3_removed_turns",
            "no_third_point",
        ),
    ),
    Covered(
        "VIII-C",
        "robot, 10 Hz references",
        "real_robot.SentReferences; photographs and measurements are no data",
        claims=("behind",),
    ),
    Covered(
        "VIII-D1, Fig. 13",
        "flat; backwards, as in [26], [27]",
        "scenario aiko_flat; measured curves are no data",
        claims=("flat_speed",),
    ),
    Covered(
        "VIII-D2, Figs 14, 15",
        "track of seven pegs",
        "fields.aiko_track; measured curves and photographs are no data",
        claims=("track_speed", "speed_ratio", "thrust_from_pegs", "same_path", "phase_speed"),
    ),
    Covered("VIII-E", "why the robot is behind", "real_robot", claims=("behind",)),
    Covered(
        "IX",
        "faster and more robust with obstacles; robot and simulation compare well",
        "tracks.speeds_by_friction; measured curves are no data",
        claims=("speed_ratio", "friction_robust", "behind"),
    ),
)

ERRATA = (
    Erratum(
        "(43)",
        "damping K_D (rate of phi_i,d - omega_i)",
        "damping K_D (rate of phi_i,d - rate of phi_i)",
        "phi_i is an angle between two links; with omega_i, the rate of link i alone, servos would "
        "brake a straight robot that turns as a whole",
    ),
    Erratum(
        "(14)",
        "the Jacobian ends in u_i",
        "without u_i",
        "(13) multiplies it by u_i once more; the derivative of (8) gives the rest",
    ),
    Erratum(
        "(16)",
        "the unit vector is a column",
        "it is transposed",
        "a row of three is needed, as in (14): the derivative of a norm",
    ),
    Erratum(
        "(34)",
        "W_J transposed is 3n x 2(n - 1)",
        "2(n - 1) x 3n",
        "(33) multiplies it by u, which has 3n entries",
    ),
    Erratum(
        "(61)",
        "gamma_J(q_E, u_E)",
        "gamma_J(q_M, u_E)",
        "its right side has W_JM, at the midpoint, as (59) and (60) do",
    ),
    Erratum(
        "VIII-A",
        "K_D = 2 Nm, J_i",
        "2 N m s, and Theta_i as in (38)",
        "K_D multiplies a rate in (43)",
    ),
    Erratum(
        "VIII-B",
        "eight radii for obstacles 1 to 7",
        "seven",
        "one is too many; both readings are in the table",
    ),
    Erratum(
        "VIII-C, VIII-D",
        "a pipe of 0.25 m outer diameter, and L_H = 0.0125 m",
        "one is wrong by a factor of ten",
        "half of 0.25 m is 0.125 m; VII-D and VIII-B speak for it, and both are in the table",
    ),
)
