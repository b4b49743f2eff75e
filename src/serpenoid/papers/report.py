"""The report of a reproduction: claims, what was found under each reading, and verdicts."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from serpenoid._version import __version__
from serpenoid.checks import plain
from serpenoid.papers.paper import Claim, Paper
from serpenoid.papers.readings import Setting, described
from serpenoid.papers.verdicts import Finding, Verdict

# Whether a claim holds under a combination of readings.
MARKS = {True: "✓", False: "✗", None: "–"}
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class Judged:
    """A claim and what was found.

    Attributes:
        claim: The claim.
        findings: What was found under each combination of readings.
        verdict: The verdict; None if not all combinations, or fewer samples, were run.
    """

    claim: Claim
    findings: tuple[Finding, ...]
    verdict: Verdict | None


@dataclass(frozen=True)
class Shown:
    """A figure or table of the report.

    Attributes:
        name: File name without ending.
        caption: Caption.
        rows: Heading and lines of a table; none of a figure.
        missing: Why it is not there; empty if it is.
    """

    name: str
    caption: str
    rows: list[list[str]] = field(default_factory=list)
    missing: str = ""


@dataclass(frozen=True)
class Report:
    """A finished reproduction.

    Attributes:
        paper: The paper.
        settings: The combinations of readings.
        best: Index of the combination that carries most claims, under which figures are drawn.
        judged: Claims and what was found.
        restricted: Whether combinations were left out.
        quick: Whether the experiments were shortened.
        foreign: Number of parts of the work that other sources did.
        tables: Tables.
        figures: Figures.
        files: Files written.
        seconds: Wall time, s.
    """

    paper: Paper
    settings: tuple[Setting, ...]
    best: int
    judged: tuple[Judged, ...]
    restricted: bool
    quick: bool
    foreign: int = 0
    tables: tuple[Shown, ...] = ()
    figures: tuple[Shown, ...] = ()
    files: tuple[Path, ...] = ()
    seconds: float = 0.0

    def found(self, claim: str) -> Finding:
        """Look up what was found about a claim under the best combination.

        Args:
            claim: Id of the claim.

        Returns:
            The finding.
        """
        return next(each.findings[self.best] for each in self.judged if each.claim.id == claim)

    def verdict(self, claim: str) -> Verdict | None:
        """Look up the verdict on a claim.

        Args:
            claim: Id of the claim.

        Returns:
            The verdict; None if the claim was not judged.
        """
        return next(each.verdict for each in self.judged if each.claim.id == claim)

    def columns(self) -> list[list[int]]:
        """Group the combinations under which the same claims hold.

        Returns:
            Groups of indices of combinations, that of the best one first.
        """
        groups: dict[tuple[bool | None, ...], list[int]] = {}
        for index in [self.best, *range(len(self.settings))]:
            group = groups.setdefault(tuple(j.findings[index].holds for j in self.judged), [])
            if index not in group:
                group.append(index)
        return [sorted(group) for group in groups.values()]

    def letters(self) -> dict[str, str]:
        """Name the columns of the matrix.

        Returns:
            Letters, and the readings that each stands for in words.
        """
        groups = [[self.settings[k] for k in column] for column in self.columns()]
        names = [_letter(k) for k in range(len(groups))]
        words = [described(group, self.settings) for group in groups]
        return dict(zip(names, words, strict=True))

    def matrix(self) -> list[list[str]]:
        """Tabulate claims by readings.

        Returns:
            A heading with the letters of the columns, and a line for each claim.
        """
        columns = self.columns()
        rows = [["claim", *self.letters(), "verdict"]]
        for each in self.judged:
            marks = [MARKS[each.findings[column[0]].holds] for column in columns]
            rows.append([each.claim.id, *marks, each.verdict or "–"])
        return rows

    def plain(self) -> dict[str, Any]:
        """The report as plain values for JSON.

        Returns:
            Numbers, texts, lists and tables.
        """
        paper = self.paper
        return {
            "paper": paper.key,
            "serpenoid_version": __version__,
            "quick": self.quick,
            "restricted": self.restricted,
            "foreign_parts": self.foreign,
            "combinations": [dict(setting) for setting in self.settings],
            "best": dict(self.settings[self.best]),
            "letters": self.letters(),
            "matrix": self.matrix(),
            "claims": [self._claim(each) for each in self.judged],
            "tables": [vars(each) for each in self.tables],
            "figures": [vars(each) for each in self.figures],
        }

    def _claim(self, each: Judged) -> dict[str, Any]:
        claim, finding = each.claim, each.findings[self.best]
        return {
            "id": claim.id,
            "statement": claim.statement,
            "place": claim.place,
            "published": claim.published,
            "measured": _rounded(finding.measured),
            "interval": None if finding.interval is None else plain(list(finding.interval)),
            "share": finding.share,
            "unit": claim.unit,
            "holds": finding.holds,
            "verdict": None if each.verdict is None else str(each.verdict),
            "note": self.why(each),
            "under": [[found.holds, _rounded(found.measured)] for found in each.findings],
        }

    def why(self, each: Judged) -> str:
        """Word the reason for a verdict.

        Args:
            each: The claim and what was found.

        Returns:
            How it was measured, and under which readings it holds.
        """
        parts = [each.findings[self.best].note]
        if each.verdict is Verdict.CONSISTENT:
            held = [s for s, f in zip(self.settings, each.findings, strict=True) if f.holds]
            words = described(held, self.settings)
            count = f"{len(held)} of {len(self.settings)} combinations"
            parts.append(f"holds under {words if len(words) < 80 else count}")
        if each.verdict is Verdict.FITTED:
            share = max(found.share or 0.0 for found in each.findings)
            parts.append(f"holds in {100 * share:.2g} % of the plausible range")
        if each.verdict is Verdict.NOT_COMPARABLE:
            parts.append(each.claim.not_comparable)
        if each.verdict is Verdict.CONTRADICTED:
            parts.append(each.claim.argument)
        return "; ".join(part for part in parts if part)


def value_words(claim: Claim, finding: Finding) -> str:
    """What was measured, with its unit and interval, as text."""
    words = shown(finding.measured, claim.unit)
    if finding.interval is None:
        return words
    low, high = (shown(end, "") for end in finding.interval)
    return f"{words} ({low} to {high})"


def shown(value: float | bool | str | None, unit: str) -> str:
    """A published or measured value with its unit, as text."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    # What is nearly 1 is not rounded to it: an R2 of 0.9999 is less.
    digits = 5 if 0.9995 <= abs(value) < 1 else 3
    return f"{value:.{digits}g} {unit}".strip()


def _letter(number: int) -> str:
    more, last = divmod(number, len(_LETTERS))
    return (_letter(more - 1) if more else "") + _LETTERS[last]


def _rounded(value: float | bool | str | None) -> float | bool | str | None:
    """Six digits, which is more than any claim needs."""
    value = plain(value)
    return float(f"{value:.6g}") if isinstance(value, float) else value
