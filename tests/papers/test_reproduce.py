"""The paper framework, and transeth2008 through it."""

import json
import re
from pathlib import Path
from types import ModuleType

import pytest

import serpenoid as sp
from serpenoid import cli, papers
from serpenoid.papers.paper import Claim, Figure, Finding, Paper, Table, Verdict, declared, near
from serpenoid.papers.reproduce import reproduce, shown
from serpenoid.scenario.scenario import Scenario

PAGE_IDS = {
    "flat_speed",
    "track_speed",
    "speed_ratio",
    "three_push_points",
    "peg3_removed",
    "peg3_moved",
}
REPRODUCTIONS = Path(__file__).parents[2] / "docs" / "reproductions"
SHORT = Scenario.load("aiko_flat", {"clock.duration": 0.1})


@pytest.mark.thorough
def test_transeth2008(tmp_path):
    report = reproduce(papers.find("transeth2008"), tmp_path)
    check_claims(report)
    check_files(report, tmp_path)


def test_what_a_module_imports_is_declared_once():
    moves = Claim("moves", "it moves", True, "", lambda _: Finding(True, Verdict.CLOSE, ""))
    first, second = ModuleType("first"), ModuleType("second")
    first.moves = second.moves = second.again = moves
    assert declared(first, second) == {"claims": (moves,)}


def check_claims(report):
    claims = {claim["id"]: claim for claim in report.plain()["claims"]}
    assert claims.keys() >= PAGE_IDS
    assert -1.15 <= claims["flat_speed"]["measured"] <= -0.9
    assert 13 <= claims["track_speed"]["measured"] <= 18
    assert 13 <= claims["speed_ratio"]["measured"] <= 18
    assert claims["three_push_points"]["measured"] == 3
    assert claims["peg3_removed"]["measured"] is False
    assert claims["peg3_moved"]["measured"] is True
    assert 10 < claims["peg3_turns"]["measured"] < 45
    assert claims["same_path"]["measured"] < 1.5
    assert claims["phase_30"]["measured"] < 1.6 < 10 < claims["phase_70"]["measured"]
    assert 1.1 < claims["phase_70_force"]["measured"] < 2.0
    assert 0.5 < claims["phase_70_torque"]["measured"] < 0.9
    assert claims["behind"]["measured"] == "1.6 to 3.7 cm"
    verdicts = {name: claim["verdict"] for name, claim in claims.items()}
    others = {"peg3_moved": "close", "phase_70_torque": "contradicted", "behind": "close"}
    assert {n: v for n, v in verdicts.items() if v != "reproduced"} == others
    assert all(claim["note"] for claim in claims.values())
    assert report.passed


def check_files(report, folder):
    names = {path.name for path in folder.iterdir()}
    figures = {f"fig{number:02d}.{kind}" for number in range(9, 16) for kind in ("png", "pdf")}
    assert names == figures | {"report.md", "claims.json", "runs"}
    assert {path.name for path in report.files} == (names - {"runs"}) | {
        path.name for path in (folder / "runs").iterdir()
    }
    stored = json.loads((folder / "claims.json").read_text())
    assert stored == report.plain()
    text = (folder / "report.md").read_text()
    for claim in report.paper.claims:
        assert f"| `{claim.id}`: {claim.statement} |" in text
    assert "| torque limit | 2 N m |" in text
    track = sp.load(folder / "runs" / "track.nc")
    assert 100 * (track.columns["x"][1000, 5] - track.columns["x"][100, 5]) / 9 == pytest.approx(
        report.findings["track_speed"].measured
    )


def check_kept(report):
    """What the page of the paper shows is what it gives now, but for rounding of processors."""
    kept = json.loads((REPRODUCTIONS / report.paper.key / "claims.json").read_text())
    for then, now in zip(kept["claims"], report.plain()["claims"], strict=True):
        numbers = [numbers_in(claim["measured"]) for claim in (then, now)]
        message = f"{now['id']} is now {now['measured']}: run `make reproduce`"
        assert numbers[0] == pytest.approx(numbers[1], rel=0.05, abs=1e-3), message
        assert then["verdict"] == now["verdict"], message


def numbers_in(value: float | bool | str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", str(value))]


@pytest.mark.thorough
@pytest.mark.parametrize("key", [k for k in papers.available() if not papers.find(k).long])
def test_kept_claims_are_those_of_this_version(key):
    check_kept(reproduce(papers.find(key)))


def made_up(**parts):
    claims = (
        Claim("right", "it is so", 1.0, "m", lambda _: near(1.05, 1.0)),
        Claim("wrong", "it is not", 1.0, "m", lambda _: near(2.0, 1.0)),
    )
    parts = {"claims": claims} | parts
    return Paper("made1999", "Title", "Reference.", lambda _: {"run": SHORT}, **parts)


def test_json_alone_on_standard_output(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(papers, "find", lambda _: made_up())
    assert cli.invoke(["reproduce", "made1999", "--quick", "--json", "-"]) == 1
    captured = capsys.readouterr()
    report = json.loads(captured.out)
    assert (report["paper"], report["quick"]) == ("made1999", True)
    for claim in report["claims"]:
        assert claim.keys() >= {"id", "published", "measured", "unit", "verdict", "note"}
        assert claim["verdict"] in list(Verdict)
    assert "reproductions/made1999/report.md" in captured.err


def test_quick_transeth2008():
    assert reproduce(papers.find("transeth2008"), quick=True).passed


def test_failed_claim_fails(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(papers, "find", lambda _: made_up())
    assert cli.invoke(["reproduce", "made1999", "--json", "claims.json"]) == 1
    verdicts = [c["verdict"] for c in json.loads((tmp_path / "claims.json").read_text())["claims"]]
    assert verdicts == ["reproduced", "not reproduced"]


@pytest.mark.parametrize(
    ("measured", "verdict"),
    [
        (-1.0, Verdict.REPRODUCED),
        (-1.1, Verdict.REPRODUCED),
        (-0.9, Verdict.REPRODUCED),
        (-1.11, Verdict.CLOSE),
        (-0.75, Verdict.CLOSE),
        (-1.26, Verdict.NOT_REPRODUCED),
        (1.0, Verdict.NOT_REPRODUCED),
    ],
)
def test_near(measured, verdict):
    assert near(measured, -1.0).verdict is verdict


def test_experiment_that_fails_is_reported_and_the_rest_goes_on(tmp_path):
    overlapping = Scenario.load("aiko_pegs", {"start.y": 0.0, "clock.duration": 0.1})
    paper = Paper(
        "made1999",
        "Title",
        "Reference.",
        lambda _: {"bad": overlapping, "good": SHORT},
        (
            Claim("bad", "needs it", 1.0, "m", lambda r: near(r["bad"].time[-1], 1.0)),
            Claim("good", "does not", 0.1, "s", lambda r: near(float(r["good"].time[-1]), 0.1)),
        ),
        (Figure("one", "One.", (3, 2), lambda r, _: r["bad"].robot),),
        (Table("A table", lambda r: [[str(r["bad"])]]),),
    )
    report = reproduce(paper, tmp_path)
    assert report.findings["good"].verdict is Verdict.REPRODUCED
    bad = report.findings["bad"]
    assert (bad.measured, bad.verdict) == (None, Verdict.NOT_REPRODUCED)
    assert bad.note.startswith("experiment 'bad' failed: world.pegs[")
    text = (tmp_path / "report.md").read_text()
    assert text.count("experiment 'bad' failed") == 3
    assert not (tmp_path / "one.png").exists()


def test_any_measure_can_be_an_experiment():
    paper = Paper(
        "made1999",
        "Title",
        "Reference.",
        lambda quick: {"sum": lambda _: 1 if quick else 2},
        (Claim("sum", "one and one", 2.0, "", lambda r: near(r["sum"], 2.0)),),
    )
    assert reproduce(paper).passed
    assert not reproduce(paper, quick=True).passed
    assert reproduce(paper).files == ()


def test_contradicted_claims_pass():
    finding = Finding(0.5, Verdict.CONTRADICTED, "proved to be impossible")
    paper = made_up(claims=(Claim("impossible", "more than all", 2.0, "", lambda _: finding),))
    assert reproduce(paper).passed


def test_nothing_old_stands_beside_the_new(tmp_path):
    def draw(results, canvas):
        canvas.subplots().plot(results["run"].time)

    figure = Figure("one", "One.", (3, 2), draw)
    reproduce(made_up(figures=(figure,)), tmp_path)
    assert (tmp_path / "one.png").exists()
    (tmp_path / "mine.txt").write_text("notes")
    bad = Figure("one", "One.", (3, 2), lambda r, _: r["run"].plot.path(link=99))
    reproduce(made_up(figures=(bad,)), tmp_path)
    assert not (tmp_path / "one.png").exists()
    assert (tmp_path / "mine.txt").exists()
    assert "Not drawn: link = 99 is not allowed" in (tmp_path / "report.md").read_text()


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_no_claim_measures_nan(value):
    paper = made_up(claims=(Claim("odd", "nothing", 1.0, "", lambda _: near(value, 1.0)),))
    finding = reproduce(paper).findings["odd"]
    assert finding.verdict is Verdict.NOT_REPRODUCED
    assert finding.note == f"measured = {value} is not allowed: it must be a finite number"


@pytest.mark.parametrize(
    ("value", "words"),
    [(0.99996, "0.99996 m"), (1.0004, "1 m"), (0.9991, "0.999 m"), (True, "yes")],
)
def test_numbers_are_shown_with_three_digits_unless_nearly_1(value, words):
    assert shown(value, made_up().claims[0]) == words


def test_near_nothing_is_refused():
    with pytest.raises(sp.InvalidInput, match="published = 0 is not allowed"):
        near(0.1, 0.0)
