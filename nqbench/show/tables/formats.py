"""Writes tables for papers and for other programs: LaTeX, Markdown, CSV and JSON.

A table whose text is too long gets columns of tabularx, whose lines are broken. LaTeX then gives
them all the width that the numbers leave. Only how they share it is estimated here, and which
columns do not fit at all.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from nqbench.common.csv_text import to_csv
from nqbench.show import latex
from nqbench.show.paper import Paper, paper
from nqbench.show.tables.columns import UNKNOWN, Column, Extent, Row, Table, needed, widths

USUAL_WIDTH: Final = "llncs"
"""A class whose text is in one column, and narrow."""

LEFT_OUT: Final = "% Left out, as the text is too narrow: "
"""What a comment above a table begins with that does not have all its columns."""

_SIZES: Final = {
    9: (r"\fontsize{9}{11}\selectfont", 1.03),
    8: (r"\fontsize{8}{9.5}\selectfont", 1.07),
}
r"""The sizes of text in points, the better first, with their commands and their em as a share of
the size. `\small` has another size in each class.
"""

_GAP: Final = 6
"""The gap between two columns in points."""

_LONGEST_PART: Final = 8.0
_LEAST: Final = 4.0
_HANG: Final = 0.7
"""Widths of text in ems: up to the first, a part of a name is not broken, if all columns fit then;
the least width of a column, and the indent of a line that goes on with a name.
"""


def to_latex(tables: Iterable[Table], width: str = USUAL_WIDTH) -> str:
    r"""The tables as environments of LaTeX with a caption and a label, in the style of booktabs.
    None is wider than the text in this width, as `nqbench.show.paper.paper` takes it. They need the
    packages booktabs and tabularx.
    """
    text = paper(width)
    environments = [_write_environment(table, text) for table in tables]
    return "\n".join(["% Needs \\usepackage{booktabs,tabularx}", *environments])


@dataclass(frozen=True, slots=True)
class _TextColumn:
    """A column with its cells as text. `is_number`: right-aligned, with its heading in several
    lines, since that is often wider than the numbers.
    """

    column: Column
    texts: Sequence[str]
    is_number: bool

    @classmethod
    def of(cls, column: Column, rows: Sequence[Row]) -> "_TextColumn":
        texts = [column.show(row[column.name]) for row in rows]
        is_number = column.has_numbers(rows) or all(map(latex.is_of_digits, texts))
        return cls(column, texts, is_number)

    @property
    def heading(self) -> list[str]:
        """The lines of the heading: above numbers, no wider than these or its longest word."""
        if not self.is_number:
            return [self.column.heading]
        words = self.column.heading.split(" ")
        room = max(map(latex.ems, (*words, *self.texts)))
        lines = words[:1]
        for word in words[1:]:
            longer = f"{lines[-1]} {word}"
            lines[-1:] = [longer] if latex.ems(longer) <= room else [lines[-1], word]
        return lines

    def extent(self, points: int) -> Extent:
        """The possible widths with text of this size."""
        _, em = _SIZES[points]
        most = least = broken = max(map(latex.ems, (*self.heading, *self.texts)))
        if not self.is_number:
            parts = (
                part
                for text in (*self.heading, *self.texts)
                for part in latex.split_at_breaks(text)
            )
            widest = max(map(latex.ems, parts))
            least = min(most, max(min(widest, _LONGEST_PART) + _HANG, _LEAST))
            broken = min(most, _LEAST)
        most, least, broken = (int(points * em * ems) + 1 for ems in (most, least, broken))
        return Extent(most, most, least, broken, self.column.importance)


def _write_environment(table: Table, text: Paper) -> str:
    text_columns = [_TextColumn.of(column, table.rows) for column in table.columns]
    room = int(text.points_of_latex)
    points, extents, widths = _choose_size(text_columns, room)
    broken = {i: w for i, w in widths.items() if w < extents[i].most}
    visible = [text_columns[i] for i in widths]
    aligned = "".join(
        "r" if text_columns[i].is_number else _wrapping_column(i, broken) if i in broken else "l"
        for i in widths
    )
    command, em = _SIZES[points]
    lengths = [broken[i] / (points * em) if i in broken else None for i in widths]
    begin, end = _tabular(f"@{{}}{aligned}@{{}}", is_broken=bool(broken))
    left_out = [
        text_column.column.heading for i, text_column in enumerate(text_columns) if i not in widths
    ]
    kind = "table*" if text.spans else "table"
    caption = table.caption_of(text_column.column for text_column in visible)
    lines = [
        *([LEFT_OUT + ", ".join(left_out)] if left_out else []),
        rf"\begin{{{kind}}}",
        rf"\centering{command}\setlength{{\tabcolsep}}{{{_GAP / 2:g}pt}}\emergencystretch=3em",
        rf"\caption{{{latex.breakable(caption)}}}",
        rf"\label{{{table.label}}}",
        r"\smallskip",
        begin,
        r"\toprule",
        _line(map(_heading, visible)),
        r"\midrule",
        *(
            _line(
                _cell(text_column, row, ems)
                for text_column, ems in zip(visible, lengths, strict=True)
            )
            for row in range(len(table.rows))
        ),
        r"\bottomrule",
        end,
        rf"\end{{{kind}}}",
    ]
    return "\n".join(lines) + "\n"


def _choose_size(
    text_columns: Sequence[_TextColumn], room: int
) -> tuple[int, Sequence[Extent], Mapping[int, int]]:
    """The largest size in which all columns fit, or else the smallest; with the possible widths
    and, for the columns that fit, their widths.
    """
    attempts = [(points, [column.extent(points) for column in text_columns]) for points in _SIZES]
    fitting = (
        (points, extents)
        for points, extents in attempts
        if needed([extent.least for extent in extents], _GAP) <= room
    )
    points, extents = next(fitting, attempts[-1])
    return points, extents, widths(extents, room, _GAP)


def _wrapping_column(i: int, broken: Mapping[int, int]) -> str:
    """A column of tabularx. The shares of all of them have their number as the sum."""
    mean = sum(broken.values()) / len(broken)
    shares = {column: round(width / mean, 2) for column, width in broken.items()}
    last_column = [*broken][-1]
    shares[last_column] += len(broken) - sum(shares.values())
    share = rf"\hsize={shares[i]:.2f}\hsize" if len(broken) > 1 else ""
    # A hyphen that LaTeX adds would be part of a name.
    how = rf"{share}\raggedright\hyphenpenalty=10000\hangindent={_HANG}em\arraybackslash"
    return f">{{{how}}}X"


def _tabular(columns: str, *, is_broken: bool) -> tuple[str, str]:
    if is_broken:
        return rf"\begin{{tabularx}}{{\linewidth}}{{{columns}}}", r"\end{tabularx}"
    return rf"\begin{{tabular}}{{{columns}}}", r"\end{tabular}"


def _cell(text_column: _TextColumn, row: int, ems: float | None) -> str:
    """The text of a cell; with marks where its lines may be broken, if the column is so wide."""
    text = text_column.texts[row]
    if text == UNKNOWN:
        return "--"
    if text_column.is_number:
        return latex.number(text)
    return latex.escaped(text) if ems is None else latex.breakable(text, ems - _HANG)


def _heading(text_column: _TextColumn) -> str:
    if not text_column.is_number or len(text_column.heading) == 1:
        return latex.escaped(text_column.column.heading)
    lines = r"\\".join(rf"{latex.escaped(line)}\strut" for line in text_column.heading)
    return rf"\shortstack[r]{{{lines}}}"


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


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
