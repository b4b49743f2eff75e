"""Pedal waves with series-elastic joints, on the flat and over a stair [koopaee2020]."""

from serpenoid.papers.koopaee2020 import figures, tables
from serpenoid.papers.koopaee2020.claims import CLAIMS
from serpenoid.papers.koopaee2020.experiments import experiments
from serpenoid.papers.paper import Paper, declared

PAPER = Paper(
    key="koopaee2020",
    title=(
        "Dynamical Modelling and Control of Modular Snake Robots with Series Elastic Actuators for "
        "Pedal Wave Locomotion on Uneven Terrain"
    ),
    reference=(
        "M. J. Koopaee, C. Pretty, K. Classens, X. Chen, Journal of Mechanical Design 142(3), 2020."
    ),
    experiments=experiments,
    long=True,
    claims=CLAIMS,
    **declared(figures, tables),
)
