"""Path following among obstacles [liljeback2011]."""

from serpenoid.papers.liljeback2011 import (
    audit_table,
    baselines,
    claims,
    extension_tables,
    figures,
    shown,
    tables,
)
from serpenoid.papers.liljeback2011.coverage import COVERAGE, ERRATA
from serpenoid.papers.liljeback2011.experiments import experiments
from serpenoid.papers.liljeback2011.found import found
from serpenoid.papers.liljeback2011.readings import READINGS, UNPUBLISHED, natural
from serpenoid.papers.paper import Paper, declared

PAPER = Paper(
    key="liljeback2011",
    title="Path Following Control of Snake Robots in Unstructured Environments",
    reference="P. Liljebäck, K. Y. Pettersen, Ø. Stavdahl, J. T. Gravdahl, 2011.",
    experiments=experiments,
    readings=READINGS,
    natural=natural,
    unpublished=UNPUBLISHED,
    found=found(),
    coverage=COVERAGE,
    errata=ERRATA,
    **declared(claims, shown, tables, audit_table, extension_tables, baselines, figures),
)
