"""Writes a store as one HTML page that works from disk, without a network."""

from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import msgspec
import polars as pl
from jinja2 import Environment as Templates
from jinja2 import PackageLoader
from markupsafe import Markup, escape

from nqbench import summary
from nqbench.common import files, units
from nqbench.common.metrics import SCORE_NAME
from nqbench.common.vocabulary import combination
from nqbench.problems.base import title
from nqbench.problems.queens import Queens, square_of
from nqbench.records.frame import records_digest
from nqbench.records.record import Record
from nqbench.show.boards.scene import Scene
from nqbench.show.boards.svg import svg
from nqbench.show.report import heading, machines, runs
from nqbench.show.report.blocks import Block, blocks
from nqbench.show.report.contents import Contents
from nqbench.show.report.currency import page_digest
from nqbench.show.report.figures import drawing
from nqbench.summary.findings.cautions import Output, cautions

_MOST_BAD: Final = 100
_MOST_DISPUTED: Final = 6
"""The most answers that contradict each other above the table. The others are folded."""
_KNOWN_SIZE: Final = 8

_SCRIPTS: Final = ("problems.js", "runs.js")


def render(campaign: Contents) -> str:
    """Return the page."""
    records = campaign.records
    boards = [_board(record) for record in campaign.drawn]
    bad = records.filter((pl.col("verdict") == "refuted") | (pl.col("outcome") == "crashed"))
    family_blocks = blocks(records, campaign.names)
    return (
        _templates()
        .get_template("report.html")
        .render(
            title=campaign.title,
            version=version("nqbench"),
            blocks=family_blocks,
            caveats=[
                *filter(None, [campaign.sample]),
                *cautions(records, Output.PAGE, campaign.environments, campaign.sessions),
            ],
            has_sizes=summary.has_sizes(records),
            has_totals=records["encode_s"].is_not_null().any(),
            has_encodings=summary.has_encodings(records),
            name=title,
            score_name=SCORE_NAME,
            combination=combination,
            bad=bad.head(_MOST_BAD).to_dicts(),
            bad_count=len(bad),
            disagreements=summary.disagreements(records).to_dicts(),
            most_disputed=_MOST_DISPUTED,
            facts=heading.facts(campaign),
            machines=machines.described(campaign.environments),
            names=campaign.names,
            sessions=campaign.sessions,
            picture=boards[_nearest(campaign.drawn)] if boards else None,
            boards=boards,
            run_count=len(records),
            scripts=_SCRIPTS,
            drawings=_drawings(family_blocks),
            digest=page_digest(campaign.title, campaign.digest or records_digest(records)),
            data=_safe(msgspec.json.encode(_data(records, family_blocks)).decode()),
        )
    )


@cache
def _templates() -> Templates:
    """The templates of the page, each of which is compiled once."""
    templates = Templates(loader=PackageLoader("nqbench.show.report"), autoescape=True)
    templates.filters |= {"count": units.thousands, "commands": _with_commands}
    return templates


def write_page(campaign: Contents, path: Path) -> None:
    """Write the page. Raises `InputError` if the file cannot be written."""
    files.write(path, render(campaign).encode())


def _drawings(family_blocks: Sequence[Block]) -> dict[str, Markup]:
    """The elements of the charts, by their names."""
    return {
        (name := chart.kind + block.suffix): drawing(block.measured.records, chart, name)
        for block in family_blocks
        for chart in block.charts
    }


def _with_commands(sentence: str) -> Markup:
    """A sentence in HTML, with the commands that stand between backticks as code."""
    texts = sentence.split("`")
    if len(texts) % 2 == 0:  # one backtick has no other
        return escape(sentence)
    code = Markup("<code>{}</code>")
    return Markup().join(code.format(p) if i % 2 else escape(p) for i, p in enumerate(texts))


def _safe(text: str) -> str:
    """JSON that cannot end the script element that contains it."""
    return text.replace("<", "\\u003c")


def _data(records: pl.DataFrame, family_blocks: Sequence[Block]) -> dict[str, Any]:
    """The runs, for the page's scripts."""
    unit = runs.unit_of(row for block in family_blocks for row in block.combinations)
    return {
        "count": len(records),
        "unit": unit,
        "listed": runs.LISTED,
        "runs": runs.encoded(records, unit),
    }


def _nearest(drawn: Sequence[Record]) -> int:
    """Position of the board whose size is nearest to one that most people know."""
    return min(range(len(drawn)), key=lambda position: abs((drawn[position].n or 0) - _KNOWN_SIZE))


def _board(record: Record) -> dict[str, str]:
    problem = Queens(record.n or 0, record.family, instance=record.instance)
    queens = tuple(square_of(variable, problem.n) for variable in record.queens or ())
    return {
        "name": str(problem),
        "by": combination(record.encoding, record.backend),
        "svg": svg(Scene(problem, queens, width="100%")),
    }
