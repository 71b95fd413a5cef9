"""Writes tables for papers and for other programs: LaTeX, Markdown, CSV and JSON."""

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence
from typing import Final

from nqbench import latex
from nqbench.tables.columns import UNKNOWN, Column, Row, Table

FORMATS: Final = ("latex", "markdown", "csv", "json")
"""The formats of tables as text."""

_WIDE: Final = 40
"""LaTeX breaks the lines of a column with a longer text."""

_DIGITS: Final = re.compile(r"\d+/\d+")

_SPACE: Final = 0.6
"""The share of a line of text for all columns whose lines are broken."""


def to_latex(tables: Iterable[Table]) -> str:
    r"""The tables as environments of LaTeX with a caption and a label, in the style of booktabs.
    They need the packages booktabs and array.
    """
    return "\n".join(["% Needs \\usepackage{booktabs,array}", *map(_environment, tables)])


def _environment(table: Table) -> str:
    broken = [column.name for column in table.columns if _is_wide(column, table.rows)]
    kinds = {name: _broken(_SPACE / len(broken)) for name in broken}
    aligned = [
        "r" if _is_of_digits(column, table.rows) else kinds.get(column.name, "l")
        for column in table.columns
    ]
    rows = [
        [
            _cell(column, row[column.name], is_number=kind == "r")
            for column, kind in zip(table.columns, aligned, strict=True)
        ]
        for row in table.rows
    ]
    lines = [
        r"\begin{table}",
        r"\centering\small\setlength{\tabcolsep}{3pt}",
        rf"\caption{{{latex.escaped(table.caption)}}}",
        rf"\label{{{table.label}}}",
        r"\smallskip",
        rf"\begin{{tabular}}{{@{{}}{''.join(aligned)}@{{}}}}",
        r"\toprule",
        _line(map(_heading, table.columns, aligned)),
        r"\midrule",
        *map(_line, rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _cell(column: Column, value: object, *, is_number: bool) -> str:
    text = column.show(value)
    if text == UNKNOWN:
        return "--"
    return latex.number(text) if is_number else latex.escaped(text)


def _heading(column: Column, kind: str) -> str:
    """The heading; of a column of numbers in two lines, since it is often wider than these."""
    first, _, rest = latex.escaped(column.heading).partition(" ")
    if kind == "r" and rest:
        return rf"\shortstack[r]{{{first}\strut\\{rest}\strut}}"
    return f"{first} {rest}".strip()


def _is_of_digits(column: Column, rows: Iterable[Row]) -> bool:
    """Whether its values are numbers, or texts such as 3/7."""
    return column.has_numbers(rows) or all(
        _DIGITS.fullmatch(column.show(row[column.name])) for row in rows
    )


def _is_wide(column: Column, rows: Iterable[Row]) -> bool:
    return max((len(column.show(row[column.name])) for row in rows), default=0) > _WIDE


def _broken(share: float) -> str:
    return rf">{{\raggedright\arraybackslash}}p{{{share:.2f}\linewidth}}"


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def to_markdown(tables: Iterable[Table]) -> str:
    """The tables in the Markdown of GitHub, each with its caption below."""
    return "\n".join(map(_markdown, tables))


def _markdown(table: Table) -> str:
    aligned = ["---:" if column.has_numbers(table.rows) else "---" for column in table.columns]
    rows = [[_plain(c.show(row[c.name])) for c in table.columns] for row in table.rows]
    lines = [[_plain(column.heading) for column in table.columns], aligned, *rows]
    text = "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
    return f"{text}\n{_plain(table.caption)}\n"


def _plain(text: str) -> str:
    r"""The text in Markdown, where these characters have a meaning within a line.

    >>> print(_plain("a|b_c <x>"))
    a\|b\_c \<x>
    """
    plain = text.replace("\N{NO-BREAK SPACE}", " ")
    return "".join(f"\\{c}" if c in r"\`*_[<|" else c for c in plain)


def to_csv(names: Sequence[str], rows: Iterable[Row]) -> str:
    """The values of these columns as CSV, unrounded, with `true` and `false` as in JSON. An empty
    field is a value that is unknown.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_plainly(row[name]) for name in names] for row in rows)
    return file.getvalue()


def _plainly(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value


def to_json(rows: Sequence[Row]) -> str:
    """The rows as a JSON array of objects."""
    return json.dumps(rows, indent=2, default=str) + "\n"
