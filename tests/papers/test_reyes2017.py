"""reyes2017: its claims, tables and figures."""

import json

import pytest

from serpenoid import papers
from serpenoid.papers.reproduce import reproduce

PAGE_IDS = {
    "worst_object_acceleration",
    "best_object_acceleration",
    "worst_slippage_ratio",
    "best_slippage_ratio",
    "wheels_cut_slippage",
    "com_at_right_angle_pushes_best",
}
# Scenarios 1, 2 and 3. Of 2 only what 1 and 3 leave open: what it reaches with wheels that hold.
KNOWN = {
    "worst_object_acceleration": (0.001351, 0.001422, 0.001422),
    "best_object_acceleration": (0.00858, 0.01050, 0.01050),
    "worst_slippage_ratio": (0.001522, 0.00188, 0.001618),
    "best_slippage_ratio": (0.02630, 0.987488, 0.987488),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("reyes2017")


@pytest.fixture(scope="module")
def report(folder):
    return reproduce(papers.find("reyes2017"), folder, quick=True)


@pytest.mark.thorough
def test_claims(report):
    claims = {claim["id"]: claim for claim in report.plain()["claims"]}
    assert claims.keys() == PAGE_IDS
    for name, known in KNOWN.items():
        measured = [float(part) for part in claims[name]["measured"].split(" / ")]
        assert measured == pytest.approx(known, rel=0.01)
    assert {name: claim["holds"] for name, claim in claims.items()} == {
        "worst_object_acceleration": False,
        "best_object_acceleration": False,
        "worst_slippage_ratio": False,
        "best_slippage_ratio": True,
        "wheels_cut_slippage": True,
        "com_at_right_angle_pushes_best": True,
    }
    assert claims["com_at_right_angle_pushes_best"]["measured"] == pytest.approx(90, abs=5)
    assert "sr <= 0.0008175" in claims["worst_object_acceleration"]["note"]
    assert "exceeds 0.98851" in claims["best_slippage_ratio"]["note"]
    assert "784 of 21952 shapes" in claims["worst_slippage_ratio"]["note"]


@pytest.mark.thorough
def test_files(report, folder):
    names = {path.name for path in folder.iterdir()} - {"runs", "parts"}
    figures = ("fig4", "fig5", "fig6", "ellipsoids", "artefact", "in_time")
    pictures = {f"{name}.{kind}" for name in figures for kind in ("png", "pdf")}
    assert names == pictures | {"report.md", "claims.json"}
    assert json.loads((folder / "claims.json").read_text())["claims"] == report.plain()["claims"]
    text = (folder / "report.md").read_text(encoding="utf-8")
    assert (
        "| best slippage ratio | 3 | 0.988643 | 0.987488 | -0.12 % | exact | -5, -5, -5 | no |"
        in text
    )
    assert "| least mass at the contact, m_c | 1.162118 m (0, 0, 0 deg) |" in text
    assert "| largest sr of that shape | 0.00081753 |" in text
    # The push in time: what was predicted, how far off, and later.
    assert "| best slippage ratio | 1 | -135, 75, -135 | 0.0263 | +0.01 % | +0.00 % |" in text
    assert "| best slippage ratio | 3 | -5, -5, -5 | 0.9875 | +0.00 % | +0.00 % | 0.9875 |" in text
    # Every value of scenario 2 has a bound that is hardly above it.
    lines = [
        line.split(" | ") for line in text.splitlines() if line.startswith(("| worst", "| best"))
    ]
    bounds = [cells[5] for cells in lines if len(cells) == 8 and cells[1] == "2"]
    assert len(bounds) == 4
    assert all(float(bound) < 1e-8 for bound in bounds)
