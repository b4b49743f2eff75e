"""Readings of papers and the rule that judges claims under them."""

import itertools

import pytest

import serpenoid as sp
from serpenoid.papers.readings import Choice, Reading, Setting, combinations, described
from serpenoid.papers.verdicts import Finding, Verdict, near, printed, verdict

SIZE = Reading("size", "how large", (Choice("large", "p. 1"), Choice("small", "p. 2", "p. 3")))
SIGN = Reading("sign", "which way", (Choice("left", "p. 1"), Choice("right", "p. 2")))


def all_of(*readings, natural=lambda _: True, quick=False, **chosen):
    return combinations(readings, natural, chosen, quick=quick)


def test_all_combinations_come_in_the_order_declared():
    settings = all_of(SIZE, SIGN)
    assert [str(setting) for setting in settings] == [
        "size = large, sign = left",
        "size = large, sign = right",
        "size = small, sign = left",
        "size = small, sign = right",
    ]
    assert all_of() == [Setting()]


def test_quick_is_part_of_a_setting():
    (setting,) = all_of(quick=True)
    assert setting.quick
    assert setting != Setting()
    assert len({setting, Setting(), Setting()}) == 2


def test_combinations_that_make_no_sense_are_left_out():
    settings = all_of(SIZE, SIGN, natural=lambda s: s["size"] == "large" or s["sign"] == "left")
    assert len(settings) == 3


def test_a_choice_leaves_the_combinations_that_have_it():
    assert [s["sign"] for s in all_of(SIZE, SIGN, size="small")] == ["left", "right"]


@pytest.mark.parametrize(
    ("readings", "chosen", "words"),
    [
        (
            (SIZE, SIGN),
            {"sice": "large"},
            "reading 'sice' is not known (did you mean 'size'?); there are size, sign",
        ),
        (
            (SIZE,),
            {"size": "lage"},
            "reading size = 'lage' is not allowed (did you mean 'large'?); it can be large, small",
        ),
        ((), {"size": "large"}, "reading 'size' is not known: this paper has none"),
    ],
)
def test_wrong_choices_are_refused_in_a_sentence(readings, chosen, words):
    with pytest.raises(sp.InvalidInput) as error:
        all_of(*readings, **chosen)
    assert str(error.value) == words


def test_choices_that_exclude_each_other_are_refused():
    with pytest.raises(sp.InvalidInput, match=r"size=small.* exclude each other"):
        all_of(SIZE, SIGN, natural=lambda s: s["size"] == "large", size="small")


def test_groups_of_combinations_are_described_by_what_tells_them_from_the_rest():
    every = all_of(SIZE, SIGN)
    assert described(every, every) == "all"
    assert described(every[:2], every) == "size = large"
    assert described(every[:1], every) == "size = large, sign = left"
    assert described([every[0], every[3]], every) == (
        "size = large, sign = left; or size = small, sign = right"
    )


def test_a_description_picks_out_its_group_and_nothing_else():
    every = all_of(SIZE, SIGN)
    for count in range(1, 4):
        words = [described(group, every) for group in itertools.combinations(every, count)]
        assert len(set(words)) == len(words)


YES, NO, UNTOLD = Finding(1.0, True, ""), Finding(1.0, False, ""), Finding(None, None, "")


@pytest.mark.parametrize(
    ("findings", "flags", "expected"),
    [
        ([YES, YES], {}, Verdict.REPRODUCED),
        ([YES, NO], {}, Verdict.CONSISTENT),
        ([YES, UNTOLD], {}, Verdict.CONSISTENT),
        ([YES, NO], {"argument": True}, Verdict.CONSISTENT),
        ([NO, NO], {}, Verdict.NOT_REPRODUCED),
        ([NO, UNTOLD], {}, Verdict.NOT_REPRODUCED),
        ([NO, NO], {"argument": True}, Verdict.CONTRADICTED),
        ([NO, Finding(1.0, False, "", share=0.01)], {"argument": True}, Verdict.FITTED),
        ([NO, Finding(1.0, False, "", share=0.0)], {}, Verdict.NOT_REPRODUCED),
        ([YES, YES], {"not_comparable": True}, Verdict.NOT_COMPARABLE),
    ],
)
def test_the_rule(findings, flags, expected):
    assert verdict(findings, **flags) is expected


@pytest.mark.parametrize(
    ("measured", "holds"),
    [(-1.0, True), (-1.1, True), (-0.9, True), (-1.11, False), (-0.89, False), (1.0, False)],
)
def test_a_number_in_words_is_known_to_a_tenth(measured, holds):
    assert near(measured, -1.0).holds is holds


def test_a_printed_number_is_compared_to_as_many_per_cent_as_said():
    assert printed(10.4, 10.0, 5, "link 6") == Finding(10.4, True, "4 % off, 5 % allowed; link 6")
    assert not printed(10.6, 10.0, 5).holds


def test_nothing_is_near_zero():
    with pytest.raises(sp.InvalidInput, match="published = 0 is not allowed"):
        near(0.1, 0.0)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["measured", "share", "interval"])
def test_no_finding_holds_nan(name, bad):
    values = {"measured": 1.0, name: (0.0, bad) if name == "interval" else bad}
    with pytest.raises(sp.InvalidInput, match=rf"{name}\S* = {bad} is not allowed"):
        Finding(**values, holds=True, note="")
