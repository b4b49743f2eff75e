"""transeth2008: what it measures."""

import pytest

import serpenoid as sp
from serpenoid import papers
from serpenoid.papers.reproduce import reproduce


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return reproduce(papers.find("transeth2008"), tmp_path_factory.mktemp("transeth2008"))


@pytest.mark.thorough
def test_measured(report):
    claims = {claim["id"]: claim for claim in report.plain()["claims"]}
    assert -1.15 <= claims["flat_speed"]["measured"] <= -0.9
    assert 13 <= claims["track_speed"]["measured"] <= 18
    assert 13 <= claims["speed_ratio"]["measured"] <= 18
    assert all(claim["note"] for claim in claims.values())
    track = sp.load(next(path for path in report.files if path.name == "track.nc"))
    assert 100 * (track.columns["x"][1000, 5] - track.columns["x"][100, 5]) / 9 == pytest.approx(
        report.found("track_speed").measured
    )
