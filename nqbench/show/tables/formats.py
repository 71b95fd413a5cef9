"""Writes tables for papers and for other programs: Markdown, CSV and JSON; `typeset` has LaTeX."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from nqbench.common.csv_text import to_csv
from nqbench.show.tables.columns import Row, Table
from nqbench.show.tables.formats import to_latex


def to_markdown(tables: Iterable[Table]) -> str:
    """The tables in the Markdown of GitHub, each with its caption below."""
    return "\n".join(map(_markdown, tables))


def _markdown(table: Table) -> str:
    aligned = ["---:" if column.has_numbers(table.rows) else "---" for column in table.columns]
    rows = [[_escape_markdown(c.show(row[c.name])) for c in table.columns] for row in table.rows]
    lines = [[_escape_markdown(column.heading) for column in table.columns], aligned, *rows]
    text = "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
    return f"{text}\n{_escape_markdown(table.caption_of(table.columns))}\n"


def _escape_markdown(text: str) -> str:
    r"""The text in Markdown, where these characters have a meaning within a line.

    >>> print(_escape_markdown("a|b_c <x>"))
    a\|b\_c \<x>
    """
    plain = text.replace("\N{NO-BREAK SPACE}", " ")
    return "".join(f"\\{c}" if c in r"\`*_[<|" else c for c in plain)


def to_json(rows: Sequence[Row]) -> str:
    """The rows as a JSON array of objects."""
    return json.dumps(rows, indent=2, default=str) + "\n"


FOR_A_PAPER: Final[Mapping[str, Callable[[Sequence[Table], str], str]]] = {
    "latex": to_latex,
    "markdown": lambda tables, _: to_markdown(tables),
}
"""The formats of tables with captions, from the tables and the width of the text."""

OF_VALUES: Final[Mapping[str, Callable[[Sequence[str], Sequence[Row]], str]]] = {
    "csv": to_csv,
    "json": lambda _, rows: to_json(rows),
}
"""The formats of values, unrounded, from the names of the columns and the rows."""

FORMATS: Final = (*FOR_A_PAPER, *OF_VALUES)
"""The formats of tables as text."""
