"""Obstacle-aided locomotion of Aiko [transeth2008]."""

from serpenoid.papers.paper import Paper, declared
from serpenoid.papers.transeth2008 import claims, figures
from serpenoid.papers.transeth2008.experiments import experiments

PAPER = Paper(
    key="transeth2008",
    title="Snake Robot Obstacle-Aided Locomotion: Modeling, Simulations, and Experiments",
    reference=(
        "A. A. Transeth, R. I. Leine, C. Glocker, K. Y. Pettersen, P. Liljebäck, IEEE Transactions "
        "on Robotics 24(1), 2008."
    ),
    experiments=experiments,
    **declared(claims, figures),
)
