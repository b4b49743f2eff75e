"""Reproductions: claims under all readings, files, the command."""

import csv
import json

import pytest

import serpenoid as sp
from serpenoid import cli, papers
from serpenoid.errors import SerpenoidError
from serpenoid.papers import part_store
from serpenoid.papers.paper import (
    Claim,
    Covered,
    Each,
    Erratum,
    Figure,
    Paper,
    Table,
    Work,
    claim,
    declared,
    figure,
    table,
)
from serpenoid.papers.readings import Choice, Reading, Unpublished
from serpenoid.papers.report import MARKS, claim_rows, shown
from serpenoid.papers.reproduce import reproduce
from serpenoid.papers.verdicts import Finding, Verdict, near
from serpenoid.scenario.scenario import Scenario

SHORT = Scenario.load("aiko_flat", {"clock.duration": 0.1})
SIZE = Reading("size", "how large", (Choice("1", "p. 1"), Choice("2", "p. 2", "p. 3")))
SIGN = Reading("sign", "which way", (Choice("+", "p. 1"), Choice("-", "p. 2")))
calls = []


def product(size, sign):
    calls.append((size, sign))
    return float(size) * (1 if sign == "+" else -1)


def samples(number):
    return 0 if isinstance(number, tuple) else number


def refuse(words):
    raise SerpenoidError(words)


def under_readings(setting):
    return {
        "product": Work(product, setting["size"], setting["sign"]),
        "run": SHORT,
        "samples": Each(samples, range(3 if setting.quick else 30)),
    }


@claim("the product is positive", True, place="p. 4")
def _positive(results):
    return Finding(results["product"], results["product"] > 0, "of both")


@claim("it is about 2", 2.0, "m")
def _two(results):
    return near(results["product"], 2.0)


@claim("the mean is large", 14.5, argument="cannot be told")
def _mean(results):
    values = results["samples"]
    mean = sum(values) / len(values)
    return Finding(mean, True, "samples", interval=(mean - 1, mean + 1))


@claim("it is red", True, not_comparable="no colour is printed")
def _red(_results):
    return Finding(None, None, "")


@claim("it is three", 3.0, argument="1 and 2 are not")
def _three(results):
    return near(results["product"], 3.0)


@figure("Product.", (3, 2))
def _one(results, canvas):
    run = results["run"]
    canvas.subplots().plot(run.time, results["product"] * run.time)


@table("All samples", csv=True)
def _all(results):
    return [["sample", "a, b"], *([str(n), "x"] for n in results["samples"])]


@table("Product | sign")
def _product(results):
    return [["product"], [f"{results['product']:g}"]]


WITH_READINGS = Paper(
    "made1999",
    "Title",
    "Reference.",
    under_readings,
    (_positive, _two, _mean, _red, _three),
    readings=(SIZE, SIGN),
    unpublished=(Unpublished("mass", "kg", 0.5, 2.0, "it is carried by hand"),),
    found=("It is found.",),
    coverage=(
        Covered("(1)", "product", "`product`", claims=("positive", "two")),
        Covered("photo", "robot", "out of reach", command="none"),
    ),
    errata=(Erratum("(1)", "+", "-", "signs"),),
    figures=(_one,),
    tables=(_all, _product),
)


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch):
    monkeypatch.setattr(part_store, "cores", lambda: 1)
    calls.clear()


def verdicts(report):
    return {each.claim.id: each.verdict for each in report.judged}


def test_claims_are_judged_under_all_combinations_of_readings():
    report = reproduce(WITH_READINGS)
    assert verdicts(report) == {
        "positive": Verdict.CONSISTENT,
        "two": Verdict.CONSISTENT,
        "mean": Verdict.REPRODUCED,
        "red": Verdict.NOT_COMPARABLE,
        "three": Verdict.CONTRADICTED,
    }
    assert sorted(calls) == [("1", "+"), ("1", "-"), ("2", "+"), ("2", "-")]
    assert dict(report.settings[report.best]) == {"size": "2", "sign": "+"}
    assert report.found("two").measured == 2.0
    assert report.verdict("two") is Verdict.CONSISTENT


def test_worker_processes_give_the_same(monkeypatch):
    here = reproduce(WITH_READINGS)
    count = len(calls)
    monkeypatch.setattr(part_store, "cores", lambda: 2)
    assert reproduce(WITH_READINGS).plain() == here.plain()
    assert len(calls) == count


def test_the_matrix_joins_combinations_under_which_the_same_holds():
    report = reproduce(WITH_READINGS)
    yes, no, untold = MARKS[True], MARKS[False], MARKS[None]
    assert report.matrix() == [
        ["claim", "A", "B", "C", "verdict"],
        ["positive", yes, yes, no, "consistent"],
        ["two", yes, no, no, "consistent"],
        ["mean", yes, yes, yes, "reproduced"],
        ["red", untold, untold, untold, "not comparable"],
        ["three", no, no, no, "contradicted"],
    ]
    assert report.letters() == {
        "A": "size = 2, sign = +",
        "B": "size = 1, sign = +",
        "C": "sign = -",
    }


def test_reasons_say_what_a_verdict_rests_on():
    rows = {row[0].split("`")[1]: row for row in claim_rows(reproduce(WITH_READINGS))[1:]}
    assert rows["positive"][0] == "`positive`: the product is positive (p. 4)"
    assert rows["positive"][4] == "of both; holds under sign = +"
    assert rows["mean"][2] == "14.5 (13.5 to 15.5)"
    assert rows["red"][4] == "no colour is printed"
    assert rows["three"][4].endswith("1 and 2 are not")


def test_one_reading_gives_no_verdicts():
    report = reproduce(WITH_READINGS, readings={"sign": "-"})
    assert set(verdicts(report).values()) == {None}
    assert [dict(setting) for setting in report.settings] == [
        {"size": "1", "sign": "-"},
        {"size": "2", "sign": "-"},
    ]


def test_quick_judges_only_what_is_the_same_in_full():
    report = reproduce(WITH_READINGS, quick=True)
    found = verdicts(report)
    assert found.pop("mean") is None
    assert report.found("mean").interval == (0.0, 2.0)
    assert found == {k: v for k, v in verdicts(reproduce(WITH_READINGS)).items() if k != "mean"}


def test_quick_does_so_without_readings(tmp_path):
    paper = made_up(
        experiments=lambda setting: {"samples": Each(samples, [1] if setting.quick else [1, 2])},
        claims=(_mean,),
    )
    assert verdicts(reproduce(paper, quick=True)) == {"mean": None}
    assert verdicts(reproduce(paper)) == {"mean": Verdict.REPRODUCED}


def test_captions_name_solvers_of_scenarios_that_calls_are_given(tmp_path):
    prox = SHORT.changed({"solver.kind": "prox"})
    for experiment, words in (
        (SHORT, "solver newton; controller serpenoid"),
        (Work(samples, (prox, 2)), "solver prox; controller serpenoid"),
        (Each(samples, [(prox, 1), (SHORT, 2)]), "solver newton and prox; controller serpenoid"),
    ):
        figures = (Figure("one", "One.", (3, 2), lambda results, _canvas: results["run"]),)
        paper = made_up(experiments=lambda _s, e=experiment: {"run": e}, claims=(), figures=figures)
        report = reproduce(paper, tmp_path)
        assert [each.caption for each in report.figures] == [f"One. ({words}.)"]


def test_the_report_has_everything(tmp_path):
    report = reproduce(WITH_READINGS, tmp_path)
    text = (tmp_path / "report.md").read_text()
    for words in (
        "It is found.",
        "| `size`: how large | `2` | p. 2 | p. 3 |",
        "| mass | 0.5 to 2 kg | it is carried by hand |",
        "- C: sign = -",
        "| (1) | product | `product` | `serpenoid reproduce made1999` | positive: consistent; two:",
        "| photo | robot | out of reach | `none` |  |",
        "| (1) | + | - | signs |",
        "## Product | sign\n\n| product |\n| --- |\n| 2 |",
        "Product. (size = 2, sign = +; solver newton; controller serpenoid.)",
        "Values, tables and figures under size = 2, sign = +.",
    ):
        assert words in text, words
    with (tmp_path / "all.csv").open(newline="") as file:
        assert list(csv.reader(file))[:2] == [["sample", "a, b"], ["0", "x"]]
    stored = json.loads((tmp_path / "claims.json").read_text())
    assert stored == json.loads(json.dumps(report.plain()))
    assert stored["claims"][1]["under"] == [[False, 1.0], [False, -1.0], [True, 2.0], [False, -2.0]]
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {
        "report.md", "claims.json", "all.csv", "one.png", "one.pdf", "runs", "parts",
    }  # fmt: skip
    run = sp.load(tmp_path / "runs" / "run.nc")
    assert run.scenario == SHORT
    assert {path.name for path in report.files} == (names - {"runs", "parts"}) | {"run.nc"}


def test_a_second_time_does_nothing_again(tmp_path):
    reproduce(WITH_READINGS, tmp_path)
    count = len(calls)
    reproduce(WITH_READINGS, tmp_path)
    assert len(calls) == count


def test_what_a_module_imports_is_declared_once():
    from types import ModuleType

    first, second = ModuleType("first"), ModuleType("second")
    first.moves = second.moves = second.again = _positive
    assert declared(first, second) == {"claims": (_positive,)}


def made_up(**parts):
    claims = (
        Claim("right", "it is so", 1.0, "m", lambda _: near(1.05, 1.0)),
        Claim("wrong", "it is not", 1.0, "m", lambda _: near(2.0, 1.0)),
    )
    parts = {"claims": claims, "experiments": lambda _: {"run": SHORT}} | parts
    return Paper("made1999", "Title", "Reference.", **parts)


def test_json_alone_on_standard_output(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(papers, "find", lambda _: made_up())
    assert cli.invoke(["reproduce", "made1999", "--quick", "--json", "-"]) == 0
    captured = capsys.readouterr()
    report = json.loads(captured.out)
    assert (report["paper"], report["quick"]) == ("made1999", True)
    assert [claim["verdict"] for claim in report["claims"]] == ["reproduced", "not reproduced"]
    assert "reproductions/made1999/report.md" in captured.err


def test_the_command_prints_claims_by_readings(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(papers, "find", lambda _: WITH_READINGS)
    assert cli.invoke(["reproduce", "made1999", "--out", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "claims under readings" in out
    assert "C: sign = -" in out


def test_the_command_takes_one_reading(tmp_path, monkeypatch):
    monkeypatch.setattr(papers, "find", lambda _: WITH_READINGS)
    command = ["reproduce", "made1999", "--out", str(tmp_path), "--reading", "size=1"]
    assert cli.invoke([*command, "--reading", "sign=+", "--json", str(tmp_path / "j.json")]) == 0
    report = json.loads((tmp_path / "j.json").read_text())
    assert (report["restricted"], report["best"]) == (True, {"size": "1", "sign": "+"})


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["made1999", "--reading", "size"], "--reading 'size' is not allowed: it must be NAME="),
        (["made1999", "--reading", "size=7"], "reading size = '7' is not allowed; it can be 1, 2"),
        (["all", "--reading", "size=1"], "--reading is not allowed with all papers"),
    ],
)
def test_wrong_readings_are_refused(tmp_path, monkeypatch, capsys, arguments, words):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(papers, "find", lambda _: WITH_READINGS)
    assert cli.invoke(["reproduce", *arguments]) == 2
    assert words in " ".join(capsys.readouterr().err.split())


def test_an_experiment_that_fails_is_reported_and_the_rest_goes_on(tmp_path):
    overlapping = Scenario.load("aiko_pegs", {"start.y": 0.0, "clock.duration": 0.1})
    paper = made_up(
        experiments=lambda _: {"bad": overlapping, "good": SHORT},
        claims=(
            Claim("bad", "needs it", 1.0, "m", lambda r: near(r["bad"].time[-1], 1.0)),
            Claim("good", "does not", 0.1, "s", lambda r: near(float(r["good"].time[-1]), 0.1)),
        ),
        figures=(Figure("one", "One.", (3, 2), lambda r, _: r["bad"].robot),),
        tables=(Table("a", "A table", lambda r: [[str(r["bad"])]]),),
    )
    report = reproduce(paper, tmp_path)
    assert verdicts(report) == {"bad": Verdict.NOT_REPRODUCED, "good": Verdict.REPRODUCED}
    bad = report.found("bad")
    assert (bad.measured, bad.holds) == (None, None)
    assert bad.note.startswith("experiment 'bad' failed: world.pegs[")
    text = (tmp_path / "report.md").read_text()
    assert text.count("experiment 'bad' failed") == 3
    assert not (tmp_path / "one.png").exists()


def test_a_reading_under_which_nothing_runs_is_none_under_which_a_claim_holds():
    def experiments(setting):
        return {"value": Work(*((float, 1) if setting["size"] == "1" else (refuse, "stuck")))}

    paper = made_up(
        readings=(SIZE,),
        experiments=experiments,
        claims=(Claim("one", "it is one", 1.0, "", lambda r: near(r["value"], 1.0)),),
    )
    report = reproduce(paper)
    assert verdicts(report) == {"one": Verdict.CONSISTENT}
    assert [each.holds for each in report.judged[0].findings] == [True, None]


def test_nothing_old_stands_beside_the_new(tmp_path):
    def draw(results, canvas):
        canvas.subplots().plot(results["run"].time)

    first = made_up(
        figures=(Figure("one", "One.", (3, 2), draw),),
        tables=(Table("all", "All", lambda _: [["a"]], csv=True),),
    )
    reproduce(first, tmp_path)
    assert (tmp_path / "one.png").exists()
    assert (tmp_path / "all.csv").exists()
    (tmp_path / "mine.txt").write_text("notes")
    bad = Figure("one", "One.", (3, 2), lambda r, _: r["run"].plot.path(link=99))
    none = Table("all", "All", lambda _: refuse("no rows"), csv=True)
    reproduce(made_up(figures=(bad,), tables=(none,)), tmp_path)
    assert not (tmp_path / "one.png").exists()
    assert not (tmp_path / "all.csv").exists()
    assert (tmp_path / "mine.txt").exists()
    assert "Not drawn: link = 99 is not allowed" in (tmp_path / "report.md").read_text()


def test_no_claim_measures_nan():
    paper = made_up(claims=(Claim("odd", "nothing", 1.0, "", lambda _: near(float("nan"), 1.0)),))
    report = reproduce(paper)
    assert verdicts(report) == {"odd": Verdict.NOT_REPRODUCED}
    assert report.found("odd").note == "measured = nan is not allowed: it must be a finite number"


@pytest.mark.parametrize(
    ("value", "words"),
    [(0.99996, "0.99996 m"), (1.0004, "1 m"), (0.9991, "0.999 m"), (True, "yes"), (None, "–")],
)
def test_numbers_are_shown_with_three_digits_unless_nearly_1(value, words):
    assert shown(value, "m") == words
