"""What to keep in mind before trusting a result: each caution once, with what it looks at and how
it is said in each output that has it.
"""

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Final

import polars as pl

from nqbench.common.machine.environment import Environment, Session, warnings
from nqbench.common.units import factor, number_and_noun, percent, thousands
from nqbench.common.vocabulary import LEFT, OUTSIDE
from nqbench.records.origin import MACHINE_OF, Elsewhere
from nqbench.summary.evidence import problem_count
from nqbench.summary.findings.wording import MOST_NAMED, count_pairs, counts, listed
from nqbench.summary.intervals import repeat_noise
from nqbench.summary.measured import Measured, Records
from nqbench.summary.observed import (
    BOARD,
    PAIR,
    PROBLEM,
    SOLVED,
    THERE,
    builds,
    different,
    elsewhere,
    imported,
    machines,
    time_limits,
    versions,
)
from nqbench.summary.overview import disagreements
from nqbench.summary.series import noun
from nqbench.summary.shared import coverage


class Output(Enum):
    """Where cautions are shown: in the findings, in what a terminal shows of them, on the page, as
    warnings above the main table, in a table's caption and below it, below a table without
    findings, below a figure, with how records were measured, about one side of a comparison, or as
    messages on a terminal or in a file, which have plain spaces and no full stop.
    """

    FINDINGS = auto()
    BRIEF = auto()
    PAGE = auto()
    WARNINGS = auto()
    TABLE = auto()
    BELOW = auto()
    FIGURE = auto()
    CONDITIONS = auto()
    COMPARISON = auto()
    MESSAGES = auto()


@dataclass(frozen=True, slots=True)
class Basis:
    """What a result is based on: records, and where and how they were measured."""

    measured: Measured
    environments: Sequence[Environment] = ()
    sessions: Sequence[Session] = ()

    @property
    def records(self) -> pl.DataFrame:
        """The records as a table."""
        return self.measured.records


@dataclass(frozen=True, slots=True)
class Caution:
    """What to keep in mind: what it looks at, which is empty if there is nothing to say, and the
    sentences about that in each output that has it.
    """

    look: Callable[[Basis], Any]
    words: Mapping[Output, Callable[[Any, pl.DataFrame], Iterable[str]]]


def cautions(
    records: Records,
    output: Output,
    environments: Sequence[Environment] = (),
    sessions: Sequence[Session] = (),
) -> list[str]:
    """What to keep in mind about these records, in the sentences of this output."""
    basis = Basis(Measured.of(records), environments, sessions)
    return [
        sentence
        for caution in CAUTIONS
        if output in caution.words and (evidence := caution.look(basis))
        for sentence in caution.words[output](evidence, basis.records)
    ]


def _several(
    values: Callable[[pl.DataFrame], Mapping[Any, int]],
) -> Callable[[Basis], Mapping[Any, int]]:
    """What there are several of, with the numbers of their runs."""

    def look(basis: Basis) -> Mapping[Any, int]:
        found = values(basis.records)
        return found if len(found) > 1 else {}

    return look


def _to_keep_one(what: str, mixed: Mapping[str, int], column: str, also: str = "") -> str:
    named = "; ".join(f"{name} ({runs} runs)" for name, runs in mixed.items())
    first = next(iter(mixed)).replace("'", "''")
    command = _summary_of(f"{column} = '{first}'")
    return f"{what} are mixed: {named}; to keep one: {command}{also}"


def _summary_of(condition: str) -> str:
    """The command that summarises only the records that fulfil it, as a shell takes it."""
    is_plain = not set('"$`\\!') & set(condition)
    quoted = f'"{condition}"'
    return f"nqbench summary --where {quoted if is_plain else shlex.quote(condition)}"


def _disputed(basis: Basis) -> int:
    if disagreements(basis.measured).is_empty():
        return 0
    solved = basis.records.filter(pl.col("verdict").ne_missing("refuted"))
    return disagreements(solved).select(PROBLEM).n_unique()


def _contradictions(number: int, records: pl.DataFrame) -> Iterator[str]:
    """Say that solved runs of so many problems contradict each other."""
    yield (
        f"{number_and_noun(number, noun(records)).capitalize()} got answers that contradict each "
        "other. Both sides count as solved, since it is not known which is wrong."
    )


def _families(records: pl.DataFrame) -> Mapping[str, int]:
    return dict(records.group_by("family").len().sort("family").iter_rows())


def _warn_of_families(mixed: Mapping[str, int], _: pl.DataFrame) -> Iterator[str]:
    yield _to_keep_one(f"{len(mixed)} families", mixed, "family")


def _mixed_machines(mixed: Mapping[str, int], _: pl.DataFrame) -> Iterator[str]:
    yield (
        f"Runs of {len(mixed)} machines are mixed ({'; '.join(mixed)}): comparisons of "
        "combinations stay on one machine each, and a problem counts once, with the mean over its "
        "machines. Medians are over all runs."
    )


def _warn_of_machines(mixed: Mapping[str, int], _: pl.DataFrame) -> Iterator[str]:
    # Each imported source counts as a machine.
    is_source = any(name.startswith(MACHINE_OF) for name in mixed)
    also = "; if they are one, import their files with one --source or with --set machine=NAME"
    yield _to_keep_one(f"{len(mixed)} machines", mixed, "machine", also if is_source else "")


def _mixed_limits(mixed: Mapping[float, int], _: pl.DataFrame) -> Iterator[str]:
    yield (
        f"{len(mixed)} time limits are mixed ({'; '.join(f'{limit:g} s' for limit in mixed)}): "
        "only problems that all combinations met under the same limit are compared."
    )


def _warn_of_limits(mixed: Mapping[float, int], _: pl.DataFrame) -> Iterator[str]:
    named = "; ".join(f"{limit:g} s ({runs} runs)" for limit, runs in mixed.items())
    yield (
        f"{len(mixed)} time limits are mixed: {named}; to keep one: nqbench summary --where "
        f'"time_limit_s = {next(iter(mixed)):g}"'
    )


_Mixtures = Mapping[str, Mapping[str, int]]
"""For each encoding and backend, the values of its runs, with the numbers of runs."""


def _mixed_versions(mixed: _Mixtures, _: pl.DataFrame) -> Iterator[str]:
    for name, of_name in mixed.items():
        yield f"Versions of {name} are mixed: {', '.join(of_name)}."


def _warn_of_versions(mixed: _Mixtures, records: pl.DataFrame) -> Iterator[str]:
    for name, of_name in mixed.items():
        kind = "backend" if name in set(records["backend"]) else "encoding"
        yield _to_keep_one(f"{len(of_name)} versions of {name}", of_name, f"{kind}_version")


def _mixed_builds(mixed: _Mixtures, _: pl.DataFrame) -> Iterator[str]:
    for name, of_name in mixed.items():
        yield f"Builds of {name} are mixed: {'; '.join(of_name)}."


def _warn_of_builds(mixed: _Mixtures, _: pl.DataFrame) -> Iterator[str]:
    for name, of_name in mixed.items():
        yield _to_keep_one(f"{len(of_name)} builds of {name}", of_name, "backend_build")


def _copies(basis: Basis) -> Sequence[int]:
    """The number of names, and of problems, if some have several names."""
    names, problems = different(basis.records, BOARD), problem_count(basis.records)
    return () if names == problems else (names, problems)


def _equal_problems(numbers: Sequence[int], records: pl.DataFrame) -> Iterator[str]:
    names, problems = numbers
    what = number_and_noun(problems, f"different {noun(records)}")
    yield f"{thousands(names)} names are of {what}: equal ones count once in comparisons."


def _doubtful(what: str, condition: pl.Expr) -> Caution:
    """Runs whose times may be better than those of others for no good reason."""

    def say(runs: Sequence[pl.DataFrame], _: pl.DataFrame) -> Iterator[str]:
        for each in runs:
            yield counts(f"{number_and_noun(len(each), 'run')} {what}", count_pairs(each))

    return Caution(
        lambda basis: [runs for runs in [basis.records.filter(condition)] if len(runs)],
        {Output.FINDINGS: say, Output.PAGE: say},
    )


def _disturbances(basis: Basis) -> Sequence[str]:
    cpu_count = min((environment.cpu_count for environment in basis.environments), default=1)
    return warnings(basis.sessions, cpu_count)


def _repeats(basis: Basis) -> str:
    """What repeats show of noise, in a sentence."""
    repeats = basis.records.group_by([*PAIR, *THERE]).len()["len"].to_list()
    if max(repeats, default=0) < 3:
        return "Few repeats: what differs by little may be noise."
    if noise := repeat_noise(basis.records):
        # Percentages above 100 are hard to read.
        longer = f"{factor(1 + noise)} times as long as" if noise > 1 else ""
        return (
            f"The slowest repeat of a run takes {longer or f'{percent(noise)} more time than'} the "
            f"fastest (median over combinations and {noun(basis.records)}s)."
        )
    return ""


def _unchecked(answers: int, _: pl.DataFrame) -> Iterator[str]:
    yield f"{number_and_noun(answers, 'answer')} {'was' if answers == 1 else 'were'} not checked."


def _unavailable(names: Sequence[str], _: pl.DataFrame) -> Iterator[str]:
    for name in names:
        yield f"{name} was not available, so it has no times."


def _invalid(messages: Sequence[str], _: pl.DataFrame) -> Iterator[str]:
    named = listed(messages, MOST_NAMED)
    yield f"{number_and_noun(len(messages), 'file')} could not be measured: {named}."


def _counted_of(number: int, runs: int) -> str:
    """So many of all runs, and the verb."""
    of_all = (
        "All runs" if number == runs else f"{number_and_noun(number, 'run')} of {thousands(runs)}"
    )
    return f"{of_all} {'was' if number == 1 < runs else 'were'}"


def _of_imported(sources: Mapping[str, int], runs: int) -> str:
    return (
        f"{_counted_of(sum(sources.values()), runs)} imported from "
        f"{listed(list(sources), MOST_NAMED)}: not measured here, answers not checked here"
    )


def _of_merged(stores: Mapping[str, int], runs: int) -> str:
    return (
        f"{_counted_of(sum(stores.values()), runs)} merged from "
        f"{listed(list(stores), MOST_NAMED)}: measured and checked there"
    )


def _of_elsewhere(found: Elsewhere, runs: int) -> Iterator[str]:
    if found.imported:
        yield _of_imported(found.imported, runs)
    if found.merged:
        yield _of_merged(found.merged, runs)


def messages_of_elsewhere(found: Elsewhere, runs: int) -> list[str]:
    """The messages about runs that were not measured for this store, of so many runs. A campaign
    prints them before it has records.
    """
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in _of_elsewhere(found, runs)]


def _elsewhere(found: Elsewhere, records: pl.DataFrame) -> Iterator[str]:
    return (f"{line}." for line in _of_elsewhere(found, len(records)))


def _imported_line(sources: Mapping[str, int], records: pl.DataFrame) -> Iterator[str]:
    yield _of_imported(sources, len(records))


def _imported(sources: Mapping[str, int], records: pl.DataFrame) -> Iterator[str]:
    yield f"{_of_imported(sources, len(records))}."


CAUTIONS: Final = (
    Caution(_several(_families), {Output.WARNINGS: _warn_of_families}),
    Caution(_several(machines), {Output.PAGE: _mixed_machines, Output.WARNINGS: _warn_of_machines}),
    Caution(
        _several(time_limits),
        {
            **dict.fromkeys((Output.FINDINGS, Output.PAGE, Output.BELOW), _mixed_limits),
            Output.WARNINGS: _warn_of_limits,
        },
    ),
    Caution(
        lambda basis: versions(basis.records),
        {Output.PAGE: _mixed_versions, Output.WARNINGS: _warn_of_versions},
    ),
    Caution(
        lambda basis: builds(basis.records),
        {Output.PAGE: _mixed_builds, Output.WARNINGS: _warn_of_builds},
    ),
    Caution(lambda basis: coverage(basis.measured).caution, {Output.TABLE: lambda said, _: [said]}),
    Caution(_disputed, {Output.TABLE: _contradictions}),
    Caution(
        lambda basis: elsewhere(basis.records),
        {
            **dict.fromkeys((Output.FINDINGS, Output.BRIEF, Output.PAGE), _elsewhere),
            Output.MESSAGES: lambda found, records: messages_of_elsewhere(found, len(records)),
        },
    ),
    Caution(
        lambda basis: imported(basis.records),
        {
            Output.BELOW: _imported,
            Output.CONDITIONS: _imported,
            Output.FIGURE: _imported_line,
            Output.COMPARISON: _imported_line,
        },
    ),
    Caution(_copies, {Output.FINDINGS: _equal_problems, Output.PAGE: _equal_problems}),
    _doubtful(
        "spent unexplained time outside load, solve and decode",
        pl.col("message").str.contains(OUTSIDE, literal=True),
    ),
    _doubtful("did not stay on the pinned CPUs", pl.col("cpus").str.starts_with(LEFT)),
    Caution(
        _disturbances,
        {Output.PAGE: lambda lines, _: [f"{line[0].upper()}{line[1:]}." for line in lines]},
    ),
    Caution(_repeats, {Output.PAGE: lambda said, _: [said]}),
    Caution(
        lambda basis: len(basis.records.filter(SOLVED & (pl.col("verdict") == "unchecked"))),
        {Output.PAGE: _unchecked},
    ),
    Caution(
        lambda basis: (
            basis.records.filter(outcome="unavailable")["backend"].unique().sort().to_list()
        ),
        {Output.PAGE: _unavailable},
    ),
    Caution(
        lambda basis: basis.records.filter(outcome="invalid")["message"].unique().sort().to_list(),
        {Output.PAGE: _invalid},
    ),
)
"""In the order in which they are said."""
