"""The reference campaigns on pages: what `nqbench` prints of their records, and tables of them."""

import contextlib
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, cached_property
from pathlib import Path

import msgspec
import polars as pl
from click.testing import CliRunner
from measured import FOLDER, described, records, wrapped, written

from nqbench import findings, summary
from nqbench.cli.app import app
from nqbench.common.machine.environment import Environment
from nqbench.common.units import duration, thousands
from nqbench.problems.queens import Queens, square_of
from nqbench.show.boards.scene import Scene
from nqbench.show.boards.svg import svg
from nqbench.summary import SOLVED
from nqbench.summary.comparisons import decided
from nqbench.summary.paired import FEWEST

PLAIN = dict.fromkeys(("FORCE_COLOR", "TTY_COMPATIBLE")) | {"COLUMNS": "80"}
"""Variables that would change the output of a command. None removes them. So many columns fit
beside the navigation of the site on a screen of 1,280 pixels.
"""


RULE = "\N{BOX DRAWINGS LIGHT HORIZONTAL}"
"""What the line below the heading of a table begins with."""

_OF_RUNS = re.compile(r"\d/\d")
"""How many runs were solved, which each row of the main table has."""

BOARD = 8
"""Rows of the board that README shows."""


class Moment(msgspec.Struct, frozen=True):
    """The beginning or the end of a session, in seconds since 1970."""

    at: float


class Session(msgspec.Struct, frozen=True):
    """A command that measured some runs of a campaign."""

    command: str
    started: Moment
    ended: Moment
    runs: int


class Conditions(msgspec.Struct, frozen=True):
    """What `nqbench export --format conditions` writes, as far as pages need it."""

    environments: list[Environment]
    sessions: list[Session]


@dataclass(frozen=True)
class Campaign:
    """A folder with the records of a campaign."""

    path: Path

    @property
    def records(self) -> pl.DataFrame:
        """Its runs."""
        return records(self.path)

    @cached_property
    def conditions(self) -> Conditions:
        """Its machine and sessions. Raises `ValueError` if these are not of all its runs."""
        content = (self.path / "conditions.json").read_bytes()
        found = msgspec.json.decode(content, type=Conditions)
        if sum(session.runs for session in found.sessions) != len(self.records):
            raise ValueError(f"{self.path}: conditions.json and records.csv differ in their runs")
        return found

    @property
    def took_s(self) -> float:
        """The seconds of its sessions, or from its first run to its last if these are unknown."""
        if (self.path / "conditions.json").exists():
            return sum(each.ended.at - each.started.at for each in self.conditions.sessions)
        ended = pl.col("started_at") + pl.col("wall_s").fill_null(0)
        return float(self.records.select(ended.max() - pl.col("started_at").min()).item())

    @property
    def date(self) -> str:
        """The day of its last run."""
        last = self.records.select(pl.col("started_at").max()).item()
        return f"{datetime.fromtimestamp(last, UTC):%Y-%m-%d}"

    @property
    def described(self) -> str:
        """When and where it was measured."""
        machines = sorted(set(map(described, self.conditions.environments)))
        return ": ".join([self.date, *machines])

    @property
    def measured(self) -> str:
        """When, where and with which PySAT it was measured, as its records say."""
        pysat = pl.col("backend_version").filter(
            pl.col("backend_version").str.starts_with("python-sat ")
        )
        facts = (pl.col("machine"), pl.col("harness"), pysat)
        found = [self.records.select(fact.unique().sort()).to_series() for fact in facts]
        text = ", ".join(str(value) for values in found for value in values)
        return f"{self.date}: {text.replace('Python CPython', 'Python')}"


def printed(command: str, root: Path) -> Iterator[str]:
    """A command of nqbench and what it prints. ` | head -N` keeps the first N lines, without
    counting those in which a heading or a name goes on.
    """
    lines = _printed(command.partition(" | head -")[0], root).rstrip().splitlines()
    kept = command.partition(" | head -")[2]
    shown = lines[: _first(lines, int(kept))] if kept else lines
    yield "\n".join(["```text", f"$ {command}", *shown, "```"])


def _first(lines: Sequence[str], number: int) -> int:
    """How many lines the first ones of a table are, as if none went on."""
    rule = next((at for at, line in enumerate(lines) if line.startswith(RULE)), 1)
    counted = [
        at == rule - 1 or at == rule or _OF_RUNS.search(line) for at, line in enumerate(lines)
    ]
    above = next((at for at, line in enumerate(lines) if line.startswith(" ")), rule - 1)
    counted[:above] = [True] * above
    places = [at for at, is_counted in enumerate(counted) if is_counted]
    return places[number] if number < len(places) else len(lines)


@cache
def _printed(command: str, root: Path) -> str:
    """What a command prints in a clone. Several parts show lines of the same."""
    with contextlib.chdir(root):
        done = CliRunner().invoke(app, shlex.split(command)[1:], env=PLAIN)
    if done.exit_code:
        raise ValueError(f"{command}: {done.output}")
    return done.stdout


def sentences(name: str, root: Path, by: Sequence[str]) -> Iterator[str]:
    """The findings of a campaign, as a list, for each value of the columns `by`, as `--by` does."""
    records = Campaign(root / FOLDER / name).records
    yield "\n".join(wrapped(f"- {each}") for each in findings(records, by=by))


def main_job_in_brief(root: Path) -> Iterator[str]:
    """What the main job measures, how long that takes, and what it prints below its table."""
    campaign = Campaign(root / FOLDER / "start")
    runs = campaign.records
    sizes, encodings, backends, repeats = (
        runs[column].n_unique() for column in ("n", "encoding", "backend", "repeat")
    )
    yield wrapped(
        f"The main job makes {thousands(len(runs))} runs: {sizes} sizes, {encodings} encodings, "
        f"{backends} backends, {repeats} repeats. Measuring them took "
        f"{duration(campaign.took_s)}, without plots and report ({campaign.described}). It ends "
        "with a table, and with what to know:"
    )
    *_, below = _summary_of_main_job(campaign, root)
    said = "\n".join(below).partition("\n- ")[2].replace(f" --results {_place(campaign)}", "")
    yield f"```text\n- {said}\n```"


def _place(campaign: Campaign) -> str:
    """The records of a campaign, as a command in a clone names them."""
    return f"{FOLDER}/{campaign.path.name}/records.csv"


def _summary_of_main_job(campaign: Campaign, root: Path) -> tuple[list[str], list[str], list[str]]:
    """The head of the table that the main job prints, its rows, and what is below."""
    summary = _printed(f"nqbench summary --results {_place(campaign)}", root)
    lines = summary.rstrip().splitlines()
    rule = next(at for at, line in enumerate(lines) if line.startswith(RULE)) + 1
    end = rule + campaign.records.select("encoding", "backend").n_unique()
    return lines[:rule], lines[rule:end], lines[end:]


def main_job(root: Path) -> Iterator[str]:
    """Lines of the table that the main job prints."""
    campaign = Campaign(root / FOLDER / "start")
    yield wrapped(
        "The main job ends with one line per encoding and backend, the best first. Here are the "
        "first line, one from the middle, and the last:"
    )
    heading, rows, _ = _summary_of_main_job(campaign, root)
    shown = [*heading, rows[0], "...", rows[len(rows) // 2], "...", rows[-1]]
    yield "\n".join(["```text", *shown, "```"])


def board(root: Path) -> str:
    """The first board of 8 rows that the main job solved, as SVG."""
    runs = Campaign(root / FOLDER / "start").records
    queens = runs.filter(pl.col("n") == BOARD).get_column("queens")[0]
    squares = tuple(square_of(variable, BOARD) for variable in queens)
    return svg(Scene(Queens(BOARD), squares)) + "\n"


def large_boards(root: Path) -> Iterator[str]:
    """The phases and the memory of runs on large boards, and the command that measured them."""
    campaign = Campaign(root / FOLDER / "large")
    rows = ["| n | clauses | encode | load | solve | whole run | peak memory |", "| --- " * 7 + "|"]
    for run in campaign.records.sort("n").iter_rows(named=True):
        if run["verdict"] != "verified":
            raise ValueError(f"{campaign.path}: the run of n = {run['n']} is not verified")
        times = [run["encode_s"], run["load_s"], run["solve_s"]]
        times.append(run["encode_s"] + run["wall_s"] + run["verify_s"])
        cells = [str(run["n"]), f"{run['clauses'] / 1e6:.1f} million"]
        cells += [written(time, "s") for time in times]
        cells.append(f"{written(run['peak_rss_bytes'] / 2**30, 'GiB')}")
        rows.append(f"| {' | '.join(cells)} |")
    yield "\n".join(rows)
    yield wrapped(f"Measured on {campaign.described}. The command:")
    commands = [session.command for session in campaign.conditions.sessions]
    yield "\n".join(["<!-- elsewhere: results/reference/large -->", "```sh", *commands, "```"])


def decisions(root: Path) -> Iterator[str]:
    """A row for each campaign and family with several combinations and enough problems: what is
    decided of its pairs by solve time.
    """
    rows = [
        "| campaign | family | combinations | problems | pairs | typically faster | solves more |",
        "| --- " * 7 + "|",
    ]
    for path in sorted((root / FOLDER).glob("*/records.csv")):
        for family, part in summary.by_family(records(path.parent)).items():
            table = decided(summary.Measured(part), "solve_s")
            if table.is_empty() or table["problems"].max() < FEWEST:
                continue
            counts = [
                len({*table["first"], *table["second"]}),
                table["problems"].max(),
                len(table),
                (table["typical"] != 0).sum(),
                (table["solves_more"] != 0).sum(),
            ]
            rows.append(f"| {path.parent.name} | {family} | {' | '.join(map(str, counts))} |")
    yield "\n".join(rows)


def overview(root: Path) -> Iterator[str]:
    """A row for each campaign: its runs, answers and checks, and how long it took."""
    campaigns = [Campaign(path.parent) for path in sorted((root / FOLDER).glob("*/records.csv"))]
    rows = [
        "| campaign | runs | solved | verified | of these `unsat` | wrong | took |",
        "| --- " * 7 + "|",
    ]
    for each in campaigns:
        verdict, answer = each.records["verdict"], each.records["answer"]
        counts = [
            len(each.records),
            each.records.filter(SOLVED).height,
            (verdict == "verified").sum(),
            ((verdict == "verified") & (answer == "unsat")).sum(),
            (verdict == "refuted").sum(),
        ]
        took = duration(each.took_s)
        cells = [thousands(count) for count in counts]
        rows.append(f"| {each.path.name} | {' | '.join(cells)} | {took} |")
    yield "\n".join(rows)
    places: dict[str, list[str]] = {}
    for each in campaigns:
        places.setdefault(each.measured, []).append(each.path.name)
    for place, names in places.items():
        which = "All were" if len(places) == 1 else f"{', '.join(names)}:"
        yield wrapped(f"{which} measured on {place}.")
