"""Obstacle-aided locomotion of Aiko [transeth2008]."""

from serpenoid.papers.paper import Paper, declared
from serpenoid.papers.transeth2008 import (
    claims_gait,
    claims_models,
    claims_small,
    claims_track,
    figures,
    tables,
)
from serpenoid.papers.transeth2008.coverage import COVERAGE, ERRATA, FOUND
from serpenoid.papers.transeth2008.experiments import experiments
from serpenoid.papers.transeth2008.readings import DEADBAND, DELAY, READINGS, natural

PAPER = Paper(
    key="transeth2008",
    title="Snake Robot Obstacle-Aided Locomotion: Modeling, Simulations, and Experiments",
    reference=(
        "A. A. Transeth, R. I. Leine, C. Glocker, K. Y. Pettersen, P. Liljebäck, IEEE Transactions "
        "on Robotics 24(1), 2008."
    ),
    experiments=experiments,
    readings=READINGS,
    natural=natural,
    unpublished=(DELAY, DEADBAND),
    found=FOUND,
    coverage=COVERAGE,
    errata=ERRATA,
    **declared(claims_track, claims_small, claims_gait, claims_models, figures, tables),
)
