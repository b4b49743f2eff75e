"""Serpentine locomotion on viscous ground, and what it costs [colorado2010]."""

from serpenoid.papers.colorado2010 import claims, figures, tables
from serpenoid.papers.colorado2010.experiments import experiments
from serpenoid.papers.paper import Paper, declared

PAPER = Paper(
    key="colorado2010",
    title="Efficient Locomotion on Non-Wheeled Snake-Like Robots",
    reference=(
        "J. Colorado, A. Barrientos, C. Rossi, M. Garzón, M. Galán, J. del Cerro, Universidad "
        "Politécnica de Madrid, 2010."
    ),
    experiments=experiments,
    **declared(claims, figures, tables),
)
