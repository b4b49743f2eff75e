"""Path following among obstacles [liljeback2011]."""

from serpenoid.papers.liljeback2011.claims import CLAIMS
from serpenoid.papers.liljeback2011.experiments import experiments
from serpenoid.papers.liljeback2011.figures import FIGURES
from serpenoid.papers.liljeback2011.tables import TABLES
from serpenoid.papers.paper import Paper

PAPER = Paper(
    key="liljeback2011",
    title="Path Following Control of Snake Robots in Unstructured Environments",
    reference="P. Liljebäck, K. Y. Pettersen, Ø. Stavdahl, J. T. Gravdahl, 2011.",
    experiments=experiments,
    claims=CLAIMS,
    figures=FIGURES,
    tables=TABLES,
    long=True,
)
