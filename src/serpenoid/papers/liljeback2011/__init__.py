"""Path following among obstacles [liljeback2011]."""

from serpenoid.papers.liljeback2011 import claims, figures, tables
from serpenoid.papers.liljeback2011.experiments import experiments
from serpenoid.papers.paper import Paper, declared

PAPER = Paper(
    key="liljeback2011",
    title="Path Following Control of Snake Robots in Unstructured Environments",
    reference="P. Liljebäck, K. Y. Pettersen, Ø. Stavdahl, J. T. Gravdahl, 2011.",
    experiments=experiments,
    long=True,
    **declared(claims, figures, tables),
)
