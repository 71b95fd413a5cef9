"""Writes a store as one HTML page that works from disk, without a network."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
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
from nqbench.common.machine.environment import Environment, Session
from nqbench.common.metrics import SCORE_NAME
from nqbench.common.units import counted, plural, span
from nqbench.common.vocabulary import combination
from nqbench.problems.base import title
from nqbench.problems.queens import Queens, square_of
from nqbench.records.frame import records_digest
from nqbench.records.record import Record
from nqbench.show.boards.scene import Scene
from nqbench.show.boards.svg import svg
from nqbench.show.report import contents
from nqbench.show.report.blocks import Block, blocks
from nqbench.show.report.contents import Contents
from nqbench.show.report.currency import page_digest
from nqbench.show.report.figures import drawing
from nqbench.summary.findings.cautions import Output, cautions
from nqbench.summary.observed import count_repeats


def described(environments: Iterable[Environment]) -> list[str]:
    """Describe each machine once, with everything that was found on it. Runs need different
    packages, and versions can change during a campaign.
    """
    by_machine: dict[str, list[Environment]] = {}
    for environment in environments:
        by_machine.setdefault(environment.machine, []).append(environment)
    return [f"{machine}, {_facts(there)}." for machine, there in by_machine.items()]


def _facts(environments: Sequence[Environment]) -> str:
    memory = _either(f"{environment.memory_bytes / 2**30:.0f} GiB" for environment in environments)
    kernel = _either(environment.kernel for environment in environments)
    python = _either(environment.python for environment in environments)
    nqbench = _either(environment.nqbench for environment in environments)
    commits = _either(
        _commit(environment) for environment in environments if environment.git_commit
    )
    commit = f" (commit {commits})" if commits else ""
    facts = [memory, kernel, python, f"nqbench {nqbench}{commit}", *_packages(environments)]
    return ", ".join(facts)


def _commit(environment: Environment) -> str:
    changed = " with changes" if environment.git_dirty else ""
    return f"{(environment.git_commit or '')[:10]}{changed}"


def _packages(environments: Sequence[Environment]) -> list[str]:
    names = {name for environment in environments for name in environment.packages} - {"nqbench"}
    return [
        f"{name} {_either(each.packages[name] for each in environments if name in each.packages)}"
        for name in sorted(names)
    ]


def _either(texts: Iterable[str]) -> str:
    return " or ".join(dict.fromkeys(texts))


def facts(campaign: Contents) -> list[tuple[str, str]]:
    """The name and text of each fact; unknown facts are left out."""
    texts = {
        "campaign": _campaign(summary.Measured(campaign.records).records),
        "measured": _measured(campaign.records),
        "command": _command(campaign.sessions),
        "machine": _machine(campaign),
    }
    return [(name, text) for name, text in texts.items() if text]


def _campaign(records: pl.DataFrame) -> str:
    columns = summary.PAIR if summary.has_encodings(records) else ["backend"]
    counts = [counted(records[column].n_unique(), column) for column in columns]
    n = records.filter(summary.SIZED)["n"]
    formulas = summary.problem_count(records.filter(~summary.SIZED))
    if len(n):
        counts.append(
            f"{summary.noun(records.filter(summary.SIZED))}s of n = {span(n.unique().to_list())}"
        )
    if formulas:
        counts.append(counted(formulas, "formula"))
    repeats = records["repeat"].n_unique()
    return ", ".join([*counts, count_repeats(records, repeats)])


def _measured(records: pl.DataFrame) -> str:
    """The date with the start and end time; both dates if they differ."""
    # Imported runs without a start have 0.
    started = records.filter(pl.col("started_at") > 0)["started_at"]
    if not len(started):
        return ""
    first, last = (
        datetime.fromtimestamp(at, UTC) for at in (started.sort()[0], started.sort()[-1])
    )
    ended = f"{last:%H:%M}" if first.date() == last.date() else f"{last:%Y-%m-%d %H:%M}"
    start = f"{first:%Y-%m-%d %H:%M}"
    return f"{start} UTC" if start.endswith(ended) else f"{start} to {ended} UTC"


def _command(sessions: Sequence[Session]) -> str:
    commands = list(dict.fromkeys(session.command for session in sessions))
    rest = len(commands) - 1
    more = f" (and {rest} more {plural(rest, 'command')}, listed below)" if rest > 0 else ""
    return f"{commands[0]}{more}" if commands else ""


def _machine(campaign: Contents) -> str:
    machines = dict.fromkeys(map(_hardware, campaign.environments))
    return "; ".join(machines or summary.machines(campaign.records))


def _hardware(environment: Environment) -> str:
    memory = f"{environment.memory_bytes / 2**30:.0f} GiB"
    return f"{environment.machine}, {memory}, {environment.kernel}"


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
            facts=facts(campaign),
            machines=described(campaign.environments),
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
    unit = contents.unit_of(row for block in family_blocks for row in block.combinations)
    return {
        "count": len(records),
        "unit": unit,
        "listed": contents.LISTED,
        "runs": contents.encoded(records, unit),
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
