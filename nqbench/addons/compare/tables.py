"""The tables of a comparison of two campaigns."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from nqbench.common import metrics
from nqbench.common.printable import listed
from nqbench.common.units import three_digits
from nqbench.problems.base import title
from nqbench.show.tables.columns import Column, Row, Sentence, Table, name_column, shown
from nqbench.show.tables.revisions import with_subjects

if TYPE_CHECKING:
    import polars as pl

    from nqbench.addons.compare.besides import Difference
    from nqbench.addons.compare.gate import Comparison
    from nqbench.plugins.name_rules import Revision


def _short(value: object) -> str:
    """A value of a campaign; a hash is cut to its beginning."""
    text = shown(value)
    return f"{text[:12]}..." if re.fullmatch("[0-9a-f]{32,}", text) else text


OUTCOME: Final = (
    Column("what"),
    name_column("encoding"),
    name_column("backend"),
    Column("runs", 2),
    Column("example", 1, wraps=12, title="first in"),
    Column("old", 8, wraps=12, title="in OLD"),
    Column("new", 8, wraps=12, title="in NEW"),
)

CHANGED: Final = (
    Column("quantity"),
    name_column("encoding"),
    name_column("backend"),
    Column("runs", 2),
    Column("example", 1, wraps=12, title="first in"),
    Column("old", 8, wraps=12, show=_short),
    Column("new", 8, wraps=12, show=_short),
)

SOLVED: Final = (
    name_column("encoding"),
    name_column("backend"),
    name_column("family", 2),
    name_column("instance", 7),
    Column("n", 8),
    Column("task", 1),
    Column("change", 9),
)

RATIOS: Final = (
    name_column("encoding"),
    name_column("backend"),
    Column("boards", 2),
    Column("typical_ratio", 9),
    Column("low", 7, title="from"),
    Column("high", 7, title="to"),
    Column("at_least", 9),
    Column("p", 8),
    Column("faster", 3),
    Column("slower", 6),
    Column("mean_ratio", 5),
    Column("mean_low", 4),
    Column("mean_high", 4),
    Column("change", 10),
)

MISSING: Final = (
    name_column("encoding"),
    name_column("backend"),
    Column("old", 9, wraps=8, title="in OLD"),
    Column("new", 9, wraps=8, title="in NEW"),
    Column("problems", 2),
    Column("runs", 3),
    Column("example", 1, wraps=12, title="first"),
)

OUTCOMES: Final = "Answers and outcomes"

CHANGES: Final = "Changes in sizes, hashes and counters"

BESIDES: Final = "What differs besides"

_MOST_VALUES: Final = 3
_MOST_BESIDES: Final = 8

OTHER: Final = (
    "what", "quantity", "encoding", "backend", "runs", "example", "old", "new", "why"
)  # fmt: skip
"""The columns of a comparison as CSV, before those of a ratio."""

ONE_SOLVED: Final = "Boards that only one campaign solved"


def besides(comparison: "Comparison") -> list[str]:
    """What differs besides what was measured, a line for each difference; after so many, a line
    with the number of the others.
    """
    lines = [
        _revisions(difference)
        or f"{difference.what}{_of(difference.names)} "
        f"({_values(difference.old)} in OLD, {_values(difference.new)} in NEW)"
        for difference in comparison.besides
    ]
    more = len(lines) - _MOST_BESIDES
    return lines[:_MOST_BESIDES] + ([f"and {more} more, which --json has"] if more > 0 else [])


def _revisions(difference: "Difference") -> str:
    """The line for one revision in OLD and another one in NEW; empty for another difference."""
    from nqbench.plugins.name_rules import revision_of

    if not difference.names or len(difference.old) != 1 or len(difference.new) != 1:
        return ""
    old, new = (
        revision_of(difference.names[0], version) for version in (*difference.old, *difference.new)
    )
    if old is None or new is None or old.name == new.name:
        return ""
    return f"revision{_of(difference.names)} ({_revision(old)} in OLD, {_revision(new)} in NEW)"


def _revision(revision: "Revision") -> str:
    """A revision with its place, which says nothing about two branches by itself."""
    from nqbench.summary.history import described

    place = "" if revision.place is None else f", commit {revision.place},"
    return f"{described(revision)}{place}"


def _of(names: Sequence[str]) -> str:
    return f" of {listed(names)}" if names else ""


def _values(values: Sequence[str]) -> str:
    return listed(values, _MOST_VALUES, "; ") if values else "not recorded"


def differences(comparison: "Comparison", ratios: Sequence[Row]) -> list[Row]:
    """The whole comparison as rows of one table, in the order in which it is shown: what differs
    besides, outcomes, changes, missing runs, boards that only one campaign solved, and `ratios`.
    """
    rows: list[dict[str, Any]] = [
        {
            "what": "differs besides",
            "quantity": difference.what,
            "backend": ", ".join(difference.names),
            "old": "; ".join(difference.old),
            "new": "; ".join(difference.new),
        }
        for difference in comparison.besides
    ]
    rows += comparison.outcomes.to_dicts()
    rows += [{"what": "change", **row} for row in comparison.other_changes.iter_rows(named=True)]
    rows += [
        {"what": "not compared", **row} for row in comparison.other_missing.iter_rows(named=True)
    ]
    rows += [
        {"what": row["change"], **row, "example": title(row["family"], row["n"], row["instance"])}
        for row in comparison.solved.iter_rows(named=True)
    ]
    return [*rows, *({"what": "ratio", "quantity": comparison.metric, **row} for row in ratios)]


def shown_in_history(
    comparison: "Comparison", columns: Sequence[Column], rows: Sequence[Row]
) -> tuple[Sequence[Column], Sequence[Row]]:
    """The columns and rows of a table, in the order of the history: see `with_subjects`. A backend
    whose revisions are compared has no subject.
    """
    from nqbench.summary.history import History, revisions

    old, new = revisions(comparison.old), revisions(comparison.new)
    same = {
        name: revision
        for name, revision in (old | new).items()
        if old.get(name, revision).name == new.get(name, revision).name
    }
    return with_subjects(columns, rows, History.of(same))


def ratios(comparison: "Comparison", slower: "pl.DataFrame") -> list[Row]:
    """The rows of the ratios. Those that are also in `slower` have a word for it."""
    word = "slower" if comparison.times.common is not None else "more"
    surely = set(slower.select("encoding", "backend").rows())
    return [
        {**row, "change": word if (row["encoding"], row["backend"]) in surely else ""}
        for row in comparison.times.table.iter_rows(named=True)
    ]


def heading(comparison: "Comparison", has_reference: bool) -> str:
    """What the ratios are."""
    from nqbench.addons.compare.sessions import Sessions

    if comparison.times.common is None:
        noun = metrics.noun(comparison.metric)
        return f"Ratios of {noun} (NEW divided by OLD, as recorded)"
    if comparison.times.sessions is Sessions.IN_TURNS and not has_reference:
        return "Times (old and new in turns; ratios as measured)"
    machine = f"machine{', by the reference' if has_reference else ''}"
    factor = three_digits(comparison.times.common)
    against = (
        ", and to several old campaigns" if comparison.times.sessions is Sessions.SEVERAL else ""
    )
    return f"Times ({machine}: {factor} x as slow; ratios are relative to that{against})"


_DIFFERS: Final = (Column("what", wraps=40, title="differs"),)


def tables(comparison: "Comparison", slower: "pl.DataFrame", has_reference: bool) -> list[Table]:
    """The tables that have rows, with their captions and labels for a paper."""
    from nqbench.addons.compare.sessions import Sessions
    from nqbench.summary import description

    sides = [
        (
            "",
            f"{side}: {description.campaign_on_problems(records)}. "
            f"{description.conditions(records)}",
        )
        for side, records in (("OLD", comparison.old), ("NEW", comparison.new))
    ]
    test = (
        "the spread of the old campaigns"
        if comparison.times.sessions is Sessions.SEVERAL
        else "signed ranks"
    )
    every: list[tuple[Sequence[Column], Sequence[Row], str, str]] = [
        (_DIFFERS, [{"what": line} for line in besides(comparison)], BESIDES, "besides"),
        (OUTCOME, comparison.outcomes.to_dicts(), OUTCOMES, "outcomes"),
        (CHANGED, comparison.other_changes.to_dicts(), CHANGES, "changes"),
        (MISSING, comparison.other_missing.to_dicts(), "Runs that were not compared", "missing"),
        (SOLVED, comparison.solved.to_dicts(), ONE_SOLVED, "solved"),
        (
            RATIOS,
            ratios(comparison, slower),
            heading(comparison, has_reference),
            "ratios",
        ),
    ]
    about = [*_explain_ratios(test), *sides]
    return [
        Table(
            *shown_in_history(comparison, columns, rows),
            f"{caption}.",
            f"tab:compared-{label}",
            about=about,
        )
        for columns, rows, caption, label in every
        if rows
    ]


def _explain_ratios(test: str) -> list[Sentence]:
    """What the columns `RATIOS` are, whose p is of this test."""
    every = "for all rows together"
    return [
        (
            "typical_ratio",
            "The typical ratio is the Hodges-Lehmann estimate over the problems that both solved.",
        ),
        ("typical_ratio low high", f"From and to are its 95 % interval {every}."),
        ("typical_ratio at_least", f"At least is the end of its one-sided interval {every}."),
        ("p", f"P is of {test}, {every}."),
        ("mean_ratio", "The mean ratio is that of the mean values; it is not tested."),
        (
            "mean_ratio mean_low mean_high",
            "Its interval is a percentile-t interval of this row only.",
        ),
    ]
