"""Tables with versions of a history, such as commits: in its order, with their subjects."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from nqbench.common.printable import listed
from nqbench.show.tables.columns import Column, Row, Table

if TYPE_CHECKING:
    import polars as pl

    from nqbench.summary.history import History

_SUBJECT: Final = Column("subject", 8.2, wraps=20)
_BACKEND: Final = "backend"
_MOST_NAMED: Final = 20


def in_history(table: Table, records: "pl.DataFrame") -> Table:
    """The table of these records. Versions of one backend are at the place of the first of them, in
    the order of their history, with a column for their subjects. A table without a column for
    backends has a sentence with the subjects in place of that. If the order of some is not known, a
    sentence says so.
    """
    from nqbench.summary.history import History, described, name_unordered, revisions

    history = History.of(revisions(records))
    if not history.revisions or not table.rows:
        return table
    below = [*table.below]
    if any(column.name == _BACKEND for column in table.columns):
        columns, rows = with_subjects(table.columns, table.rows, history)
        table = replace(table, columns=columns, rows=rows)
    else:
        names = dict.fromkeys(
            described(history.revisions[name])
            for name in sorted(history.places, key=lambda name: history.places[name])
        )
        shown = listed([*names], _MOST_NAMED)
        below.append(("", f"Commits, in the order of the history: {shown}."))
    if history.unordered:
        unordered = {history.revisions[name].name for name in history.unordered}
        below.append(("", f"{name_unordered(unordered)}."))
    return replace(table, below=below)


def with_subjects(
    columns: Sequence[Column], rows: Sequence[Row], history: "History"
) -> tuple[Sequence[Column], Sequence[Row]]:
    """The columns and rows in that order, with the column for subjects if there are any."""
    from nqbench.summary.history import subject

    revisions = history.revisions
    if revisions.keys().isdisjoint(row.get(_BACKEND) for row in rows):
        return columns, rows
    filled = [
        {**row, _SUBJECT.name: subject(revisions[name]) if name in revisions else ""} for row in
        _ordered(rows, history.places) for name in [row[_BACKEND]]
    ]  # fmt: skip
    if not any(row[_SUBJECT.name] for row in filled):
        return columns, filled
    at = [column.name for column in columns].index(_BACKEND) + 1
    return [*columns[:at], _SUBJECT, *columns[at:]], filled


def _ordered(rows: Sequence[Row], places: Mapping[str, int]) -> list[Row]:
    """The rows, with those of versions of one backend together, at the place of the first."""
    from nqbench.plugins.name_rules import unversioned

    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.get("encoding", ""), unversioned(row[_BACKEND])), []).append(row)
    return [
        row
        for group in groups.values()
        for row in sorted(group, key=lambda row: places.get(row[_BACKEND], -1))
    ]
