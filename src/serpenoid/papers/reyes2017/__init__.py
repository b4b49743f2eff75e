"""Pushing an object: constraint forces, accelerations and slippage [reyes2017]."""

from serpenoid.papers.paper import Paper, declared
from serpenoid.papers.reyes2017 import claims, figures, tables
from serpenoid.papers.reyes2017.experiments import experiments

PAPER = Paper(
    key="reyes2017",
    title="Studying slippage on pushing applications with snake robots",
    reference="F. Reyes, S. Ma, Robotics and Biomimetics 4, 2017.",
    experiments=experiments,
    **declared(claims, figures, tables),
)
