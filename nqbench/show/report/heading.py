"""The facts at the top of a page: what was measured, when, with which command and machine."""

from collections.abc import Sequence
from datetime import UTC, datetime

import polars as pl

from nqbench import summary
from nqbench.common.machine.environment import Environment, Session
from nqbench.common.units import counted, plural, span
from nqbench.show.report.contents import Contents
from nqbench.summary.observed import count_repeats


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
    described = dict.fromkeys(map(_hardware, campaign.environments))
    return "; ".join(described or summary.machines(campaign.records))


def _hardware(environment: Environment) -> str:
    memory = f"{environment.memory_bytes / 2**30:.0f} GiB"
    return f"{environment.machine}, {memory}, {environment.kernel}"
