"""Writes a store as one HTML page that works from disk, without a network."""

import hashlib
from collections.abc import Mapping, Sequence
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
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import AS_IT_IS, combination
from nqbench.drawing.scene import Scene
from nqbench.drawing.svg import svg
from nqbench.problems.base import title
from nqbench.problems.queens import Queens, square_of
from nqbench.records.frame import digest
from nqbench.records.names import digest as names_digest
from nqbench.records.record import Record
from nqbench.show.report import heading, machines, overview, runs, vega
from nqbench.show.report.blocks import Block, blocks
from nqbench.show.report.contents import Contents
from nqbench.show.report.figures import picture
from nqbench.summary.findings.cautions import Output, cautions

_MOST_BAD: Final = 100
_KNOWN_SIZE: Final = 8
_LARGEST_PAGE: Final = 2**30

_WITH_PICTURES: Final = ("problems.js", "data.js", "text.js", "runs.js")
_BEFORE_CHARTS: Final = (
    "problems.js", "data.js", "text.js", "controls.js", "summary.js", "overview.js", "look.js",
    "limits.js",
)  # fmt: skip
_AFTER_CHARTS: Final = ("draw.js", "runs.js")
"""The scripts of the page. Each comes after those that it uses."""


def render(campaign: Contents) -> str:
    """Return the page: its charts have controls if the extra `report` is installed, otherwise they
    are pictures.
    """
    records = campaign.records
    scripts = vega.script()
    boards = [_board(record) for record in campaign.drawn]
    bad = records.filter((pl.col("verdict") == "refuted") | (pl.col("outcome") == "crashed"))
    found = blocks(records)
    templates = Templates(loader=PackageLoader("nqbench.show.report"), autoescape=True)
    templates.filters |= {"count": units.count, "commands": _with_commands}
    return templates.get_template("report.html").render(
        title=campaign.title,
        version=version("nqbench"),
        blocks=found,
        caveats=[
            *filter(None, [campaign.sample]),
            *cautions(records, Output.PAGE, campaign.environments, campaign.sessions),
        ],
        has_sizes=summary.has_sizes(records),
        has_encodings=set(records["encoding"]) != {AS_IT_IS},
        name=title,
        bad=bad.head(_MOST_BAD).to_dicts(),
        bad_count=len(bad),
        disagreements=summary.disagreements(records).to_dicts(),
        facts=heading.facts(campaign),
        machines=machines.described(campaign.environments),
        names=campaign.names,
        sessions=campaign.sessions,
        picture=boards[_nearest(campaign.drawn)] if boards else None,
        boards=boards,
        run_count=len(records),
        scripts=scripts,
        programs=_programs(found) if scripts else _WITH_PICTURES,
        pictures=_pictures(records, found, every=not scripts),
        digest=_digest(campaign.title, campaign.digest or digest(records)),
        data=_safe(msgspec.json.encode(_data(records, found, charts=bool(scripts))).decode()),
    )


def write(campaign: Contents, path: Path) -> None:
    """Write the page. Raises `InputError` if the file cannot be written."""
    files.write(path, render(campaign).encode())


def is_current(path: Path, title: str, records: pl.DataFrame, names: Mapping[str, str]) -> bool:
    """Whether the file is the page of these records with this title, as it would be written now
    with these names for readers. The records need only the fields `frame.IDENTIFYING`.
    """
    return f'"{_digest(title, digest(records) + names_digest(names))}"' in _beginning(path)


def _digest(title: str, of_records: str) -> str:
    """A digest of the title, the records and the code that shows them."""
    shown = (version("nqbench"), title, vega.is_installed(), of_records)
    return hashlib.blake2b(repr(shown).encode(), digest_size=16).hexdigest()


def _beginning(path: Path) -> str:
    try:
        with files.opened(path, _LARGEST_PAGE) as file:
            return file.read(1000).decode(errors="replace")
    except (InputError, OSError):
        return ""


def _programs(found: Sequence[Block]) -> list[str]:
    """The scripts of the page, with those of its charts."""
    drawn = dict.fromkeys(chart.script for block in found for chart in block.charts)
    return [*_BEFORE_CHARTS, *(f"{script}.js" for script in drawn if script), *_AFTER_CHARTS]


def _pictures(records: pl.DataFrame, found: Sequence[Block], every: bool) -> dict[str, str]:
    """The charts that are pictures: `every` chart, or those without a script."""
    families = summary.by_family(records)
    return {
        chart.id + block.suffix: picture(families[block.family], chart)
        for block in found
        for chart in block.charts
        if every or not chart.script
    }


def _with_commands(sentence: str) -> Markup:
    """A sentence in HTML, with the commands that stand between backticks as code."""
    parts = sentence.split("`")
    if len(parts) % 2 == 0:  # one backtick has no other
        return escape(sentence)
    code = Markup("<code>{}</code>")
    return Markup().join(code.format(p) if i % 2 else escape(p) for i, p in enumerate(parts))


def _safe(text: str) -> str:
    """JSON that cannot end the script element that contains it."""
    return text.replace("<", "\\u003c")


def _data(records: pl.DataFrame, found: Sequence[Block], charts: bool) -> dict[str, Any]:
    """The data for the page's scripts: the runs, and values that are not in a run."""
    unit = found[0].unit if len(found) == 1 else runs.unit_of(records)
    listed = {
        "count": len(records),
        "unit": unit,
        "listed": runs.LISTED,
        "runs": runs.encoded(records, unit),
    }
    if not charts:
        return listed
    told = [
        {
            "family": block.family,
            "suffix": block.suffix,
            "unit": block.unit,
            "noun": block.noun,
            "columns": overview.columns(block.unit),
        }
        for block in found
    ]
    sizes = pl.concat(
        summary.sizes(own.filter(summary.SIZED)).with_columns(family=pl.lit(family))
        for family, own in summary.by_family(records).items()
    )
    # As columns of codes too: an encoding has a row for each n, and its name may be long.
    coded = {"count": len(sizes), "columns": runs.columns(sizes)}
    return listed | {"blocks": told, "sizes": coded}


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
