"""Directives that show what `making` has made.

`{ready-scenario} NAME`: picture, numbers, player and file of a scenario of the gallery.
`{figure-kinds}`: one figure of each kind. `{player} NAME`: a run that plays inside the page.
`{gait-map}`, `{best-gait}`: figures of the studies on their page. `{study-metrics}`: what they can
measure.
`{creep}`: the figure of the page MuJoCo.
`{papers}`: the papers with a page. `{claims} KEY`: what a paper says and what was measured.
`{report-tables} KEY`: the tables of its report. `{paper-figures} KEY`: its figures.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from making import DOCS, GENERATED, note_what_was_made, paper_pages, reproduction, shown_on
from PIL import Image
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

import serpenoid as sp
from serpenoid import papers, plots
from serpenoid.studies.metrics import METRICS

# Pixels on the screen per inch of a figure, so that its letters are about as large as the text.
SCALE = 115


class _FromMarkdown(SphinxDirective):
    """Writes Markdown and has that parsed."""

    final_argument_whitespace = False

    def markdown(self) -> str:
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        """Parse it as if it stood on the page."""
        note_what_was_made(self.env, __file__)
        return self.parse_text_to_nodes(self.markdown())


def _figure(picture: Path, words: str, caption: str) -> str:
    """A figure at its natural size; words: for those who do not see it."""
    with Image.open(picture) as image:
        inches = image.width / image.info["dpi"][0]
    place = picture.relative_to(DOCS).as_posix()
    options = {"alt": words, "width": f"{SCALE * inches:.0f}px"}
    if inches > 5:
        options["figclass"] = "wide"
    lines = [f":{name}: {value}" for name, value in options.items()]
    return "\n".join([f":::{{figure}} /{place}", *lines, "", caption, ":::"])


class ReadyScenario(_FromMarkdown):
    """Picture, numbers, player and file of a scenario of the gallery."""

    required_arguments = 1

    def markdown(self) -> str:
        """A figure, and the file behind a click."""
        (name,) = self.arguments
        picture = GENERATED / "gallery" / f"{name}.png"
        line = _typeset(picture.with_suffix(".txt").read_text())
        caption = f'{line}. <a href="{self._root()}play/{name}.html">Play it</a>'
        text = sp.gallery()[name].read_text(encoding="utf-8")
        figure = _figure(picture, f"Path of the robot in {name}, with snapshots.", caption)
        return (
            f"{figure}\n\n```console\n$ serpenoid run {name}\n```\n\n"
            f"<details><summary>{name}.toml</summary>\n\n```toml\n{text}```\n\n</details>\n"
        )

    def _root(self) -> str:
        return "../" * self.env.docname.count("/")


class FigureKinds(_FromMarkdown):
    """One figure of each kind, with the call that draws it."""

    def markdown(self) -> str:
        """All figures in a grid."""
        figures = []
        for kind, function in plots.KINDS.items():
            words = (function.__doc__ or "").splitlines()[0]
            caption = f"`run.plot.{kind}()` of `{shown_on(kind)}`. {words}"
            figures.append(_figure(GENERATED / "kinds" / f"{kind}.png", words, caption))
        return "::::{container} figures\n" + "\n\n".join(figures) + "\n::::\n"


class Player(SphinxDirective):
    """The page of a ready scenario that plays its run, inside this page."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """A frame, loaded when it comes into view."""
        (name,) = self.arguments
        root = "../" * self.env.docname.count("/")
        # Until it is clicked, the frame lets the page be scrolled over it.
        frame = (
            f'<div class="player" tabindex="0"><iframe src="{root}play/{name}.html" '
            f'loading="lazy" title="{name} as a player"></iframe></div>'
        )
        return [nodes.raw("", frame, format="html")]


def _claims(key: str) -> list[dict[str, Any]]:
    text = (reproduction(key) / "claims.json").read_text(encoding="utf-8")
    return list(json.loads(text)["claims"])


def _typeset(text: str) -> str:
    """Minus signs, no zero with one, and units on the line of their number."""
    text = re.sub(r"(?<!\S)-(?=0\.0+(?!\S))", "", text)
    text = re.sub(r"(?<![^\s(])-(?=\d)", "\N{MINUS SIGN}", text)
    unit = r"(?:%|[cm]?m|cm/s|s|deg|J/m|N)(?:[\s,;.]|$)"
    return re.sub(rf"(?<=\d) (?={unit})", "\N{NO-BREAK SPACE}", text)


class GaitMap(_FromMarkdown):
    """The map of the study on the page Studies."""

    def markdown(self) -> str:
        """One figure."""
        caption = "Mean speed of the swimmer; made by the sweep above when this page was built."
        return _figure(GENERATED / "studies" / "gait_map.png", caption, caption)


class BestGait(_FromMarkdown):
    """The figures of the optimisation on the page Studies."""

    def markdown(self) -> str:
        """One figure after the other."""
        folder = GENERATED / "studies" / "best_gait" / "figures"
        captions = {
            "history": "Cost of transport of each trial, grey if too slow, and the best so far.",
            "importance": "What each parameter has to do with the cheapest tenth of all trials.",
            "map": "Cost of transport over two parameters, between trials; grey dots are too slow.",
            "parallel": "Trials across their parameters, coloured by cost, dotted if too slow.",
        }
        figures = [_figure(folder / f"{name}.png", c, c) for name, c in captions.items()]
        return "\n\n".join(figures)


class Creep(_FromMarkdown):
    """The figure of the page MuJoCo."""

    def markdown(self) -> str:
        """One figure."""
        caption = (
            "Aiko on a slope that friction can hold; made by the example above when this page was "
            "built."
        )
        return _figure(GENERATED / "mujoco" / "creep.png", caption, caption)


class StudyMetrics(_FromMarkdown):
    """What can be measured of the runs of a study."""

    def markdown(self) -> str:
        """One row a metric."""
        rows = ["| metric | unit | meaning |", "|---|---|---|"]
        rows += [f"| `{m.name}` | {m.unit} | {m.words} |" for m in METRICS.values()]
        return "\n".join(rows)


class Papers(_FromMarkdown):
    """The papers with a page, and how their claims fare."""

    def markdown(self) -> str:
        """One row a paper."""
        rows = ["| paper | title | claims |", "|---|---|---|"]
        for key in paper_pages():
            verdicts = [claim["verdict"] for claim in _claims(key)]
            counts = {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)}
            words = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
            rows.append(f"| [{key}]({key}.md) | {papers.find(key).title} | {words} |")
        return "\n".join(rows)


class Claims(_FromMarkdown):
    """What a paper says and what was measured."""

    required_arguments = 1

    def markdown(self) -> str:
        """One row a claim."""
        from serpenoid.papers.reproduce import shown

        (key,) = self.arguments
        claims = {claim.id: claim for claim in papers.find(key).claims}
        rows = ["| claim | published | measured | verdict | why |", "|---|---|---|---|---|"]
        for found in _claims(key):
            claim = claims[found["id"]]
            published, measured = shown(claim.published, claim), shown(found["measured"], claim)
            name = f"**{found['id']}**<br>{found['statement']}"
            verdict = f"[{found['verdict']}]{{.{found['verdict'].replace(' ', '-')}}}"
            rows.append(f"| {name} | {published} | {measured} | {verdict} | {found['note']} |")
        return _typeset("\n".join(rows))


class ReportTables(_FromMarkdown):
    """The tables that follow the claims in the report."""

    required_arguments = 1

    def markdown(self) -> str:
        """As the report has them; several with their headings, in bold."""
        (key,) = self.arguments
        text = (reproduction(key) / "report.md").read_text(encoding="utf-8")
        tables = text.partition("## Claims")[2].partition("## Figures")[0].split("\n## ")[1:]
        parts = [table.partition("\n") for table in tables]
        names = [f"**{name}**\n\n" if len(parts) > 1 else "" for name, _, _ in parts]
        return _typeset("\n\n".join(name + p[2] for name, p in zip(names, parts, strict=True)))


class PaperFigures(_FromMarkdown):
    """The figures of a paper, drawn from our runs."""

    required_arguments = 1

    def markdown(self) -> str:
        """All figures in a grid."""
        (key,) = self.arguments
        folder = reproduction(key)
        figures = [
            _figure(folder / f"{figure.name}.png", figure.caption, figure.caption)
            for figure in papers.find(key).figures
        ]
        return "::::{container} figures\n" + "\n\n".join(figures) + "\n::::\n"


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directives, each by the words of its class."""
    directives = (ReadyScenario, FigureKinds, Player, GaitMap, BestGait, StudyMetrics, Creep)
    for made in (*directives, Papers, Claims, ReportTables, PaperFigures):
        name = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", made.__name__).lower()
        app.add_directive(name, made)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
