"""Pushing an object: constraint forces, accelerations and slippage [reyes2017]."""

from serpenoid.papers.paper import Paper
from serpenoid.papers.reyes2017.claims import CLAIMS
from serpenoid.papers.reyes2017.experiments import experiments
from serpenoid.papers.reyes2017.figures import FIGURES
from serpenoid.papers.reyes2017.tables import TABLES

PAPER = Paper(
    key="reyes2017",
    title="Studying slippage on pushing applications with snake robots",
    reference="F. Reyes, S. Ma, Robotics and Biomimetics 4, 2017.",
    experiments=experiments,
    claims=CLAIMS,
    figures=FIGURES,
    tables=TABLES,
)
