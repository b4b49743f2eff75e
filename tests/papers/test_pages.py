"""Pages of papers: no number that no command prints, and reproductions that are current."""

import json
import re
from pathlib import Path

import pytest

from serpenoid import papers
from serpenoid.papers.reproduce import reproduce

DOCS = Path(__file__).parents[2] / "docs"
# Papers whose pages are not yet made of what their commands print.
UNCHECKED = {"colorado2010", "koopaee2020", "reyes2017"}
# Written by the package, or run by the tests of the documentation.
_PRINTED = re.compile(
    r"^<!-- made by.*?^<!-- end -->$|^```.*?^```$|^    \S.*?$|`[^`\n]+`", re.MULTILINE | re.DOTALL
)
# Numbers that count, or name things: equations, figures, links, sections, links to pages.
_NAMES = re.compile(
    r"\(\d+[a-z]?\)|\]\([^)]*\)|\[\w+\d{4}\]"
    r"|\b(?:Eqs?|Figs?|Tables?|Sections?|Algorithms?|[Ll]inks?|[Pp]egs?|[Ww]aypoints?|[Jj]oints?"
    r"|[Ff]ields?|[Ss]cenarios?|Definition)\.? \d+(?:(?:, | to | and |–)\d+)*"
    r"|\b[IVX]+-[A-Z]\d*"
)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?(?!\w)")


def numbers(text):
    return [float(number) for number in _NUMBER.findall(text.replace("\N{MINUS SIGN}", "-"))]


def unprinted(page, evidence):
    """Numbers in the prose of a page that stand nowhere in what is printed."""
    known = set(numbers(evidence)) | {n for part in _PRINTED.findall(page) for n in numbers(part)}
    _title, _citation, text = page.split("\n\n", 2)
    prose = _NAMES.sub(" ", _PRINTED.sub(" ", text))
    # Up to three, they count.
    return [n for n in numbers(prose) if n not in known and n not in (0, 1, 2, 3)]


@pytest.mark.parametrize("key", papers.available())
def test_no_number_stands_on_a_page_that_no_command_prints(key):
    page = (DOCS / "papers" / f"{key}.md").read_text(encoding="utf-8")
    evidence = (DOCS / "reproductions" / key / "report.md").read_text(encoding="utf-8")
    found = unprinted(page, evidence)
    if key in UNCHECKED:
        assert found, f"{key} can leave UNCHECKED"
    else:
        assert found == []


def test_numbers_that_nothing_prints_are_found():
    page = (
        "# key\n\nA citation of 2008.\n\nIt takes 7.5 s on link 9 (43), Fig. 10, `x = 11`, "
        "VIII-D2, and 16.4 cm/s in 2 runs of 35, see [page](a2011.md).\n\n```python\n6.25\n```\n\n"
        "<!-- made by `make pages`: claims key -->\n\n16.4\n\n<!-- end -->\n\nAlso 6.25 and 8 %.\n"
    )
    assert unprinted(page, "7.5 seconds") == [35.0, 8.0]


@pytest.mark.thorough
@pytest.mark.parametrize("key", [k for k in papers.available() if not papers.find(k).long])
def test_kept_claims_are_those_of_this_version(key):
    """What the page of a paper shows is what it gives now, but for rounding of processors."""
    kept = json.loads((DOCS / "reproductions" / key / "claims.json").read_text())
    fresh = reproduce(papers.find(key)).plain()
    for then, now in zip(kept["claims"], fresh["claims"], strict=True):
        then_numbers, now_numbers = (numbers(str(each["measured"])) for each in (then, now))
        message = f"{now['id']} is now {now['measured']}: run `make reproduce`"
        assert then_numbers == pytest.approx(now_numbers, rel=0.05, abs=1e-3), message
        assert then["verdict"] == now["verdict"], message
