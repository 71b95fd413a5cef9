r"""Tables for LaTeX that fit the width of the text.

A table whose text is too long gets columns of tabularx, whose lines are broken. LaTeX then gives
them all the width that the numbers leave. Only how they share it is estimated here, and which
columns do not fit at all.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from nqbench.show import latex
from nqbench.show.paper import Paper, paper
from nqbench.show.tables.columns import UNKNOWN, Column, Row, Table
from nqbench.show.tables.widths import Extent, needed, widths

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
    made = [_environment(table, text) for table in tables]
    return "\n".join(["% Needs \\usepackage{booktabs,tabularx}", *made])


@dataclass(frozen=True, slots=True)
class _Set:
    """A column with its cells as text. `is_number`: right-aligned, with its heading in several
    lines, since that is often wider than the numbers.
    """

    column: Column
    texts: Sequence[str]
    is_number: bool

    @classmethod
    def of(cls, column: Column, rows: Sequence[Row]) -> "_Set":
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
            words = (part for text in (*self.heading, *self.texts) for part in latex.parts(text))
            widest = max(map(latex.ems, words))
            least = min(most, max(min(widest, _LONGEST_PART) + _HANG, _LEAST))
            broken = min(most, _LEAST)
        most, least, broken = (int(points * em * ems) + 1 for ems in (most, least, broken))
        return Extent(most, most, least, broken, self.column.importance)


def _environment(table: Table, text: Paper) -> str:
    filled = [_Set.of(column, table.rows) for column in table.columns]
    room = int(text.points_of_latex)
    points, extents, chosen = _fitted(filled, room)
    broken = {i: w for i, w in chosen.items() if w < extents[i].most}
    kept = [filled[i] for i in chosen]
    aligned = "".join(
        "r" if filled[i].is_number else _kind(i, broken) if i in broken else "l" for i in chosen
    )
    command, em = _SIZES[points]
    lengths = [broken[i] / (points * em) if i in broken else None for i in chosen]
    begin, end = _tabular(f"@{{}}{aligned}@{{}}", is_broken=bool(broken))
    left_out = [each.column.heading for i, each in enumerate(filled) if i not in chosen]
    kind = "table*" if text.spans else "table"
    lines = [
        *([LEFT_OUT + ", ".join(left_out)] if left_out else []),
        rf"\begin{{{kind}}}",
        rf"\centering{command}\setlength{{\tabcolsep}}{{{_GAP / 2:g}pt}}\emergencystretch=3em",
        rf"\caption{{{latex.breakable(table.caption)}}}",
        rf"\label{{{table.label}}}",
        r"\smallskip",
        begin,
        r"\toprule",
        _line(map(_heading, kept)),
        r"\midrule",
        *(
            _line(_cell(each, row, ems) for each, ems in zip(kept, lengths, strict=True))
            for row in range(len(table.rows))
        ),
        r"\bottomrule",
        end,
        rf"\end{{{kind}}}",
    ]
    return "\n".join(lines) + "\n"


def _fitted(filled: Sequence[_Set], room: int) -> tuple[int, Sequence[Extent], Mapping[int, int]]:
    """The largest size in which all columns fit, or else the smallest; with the possible widths
    and, for the columns that fit, their widths.
    """
    tried = [(points, [each.extent(points) for each in filled]) for points in _SIZES]
    fit = (one for one in tried if needed([each.least for each in one[1]], _GAP) <= room)
    points, extents = next(fit, tried[-1])
    return points, extents, widths(extents, room, _GAP)


def _kind(i: int, broken: Mapping[int, int]) -> str:
    """A column of tabularx. The shares of all of them have their number as the sum."""
    mean = sum(broken.values()) / len(broken)
    shares = {each: round(width / mean, 2) for each, width in broken.items()}
    last = [*broken][-1]
    shares[last] += len(broken) - sum(shares.values())
    share = rf"\hsize={shares[i]:.2f}\hsize" if len(broken) > 1 else ""
    # A hyphen that LaTeX adds would be part of a name.
    how = rf"{share}\raggedright\hyphenpenalty=10000\hangindent={_HANG}em\arraybackslash"
    return f">{{{how}}}X"


def _tabular(columns: str, *, is_broken: bool) -> tuple[str, str]:
    if is_broken:
        return rf"\begin{{tabularx}}{{\linewidth}}{{{columns}}}", r"\end{tabularx}"
    return rf"\begin{{tabular}}{{{columns}}}", r"\end{tabular}"


def _cell(of: _Set, row: int, ems: float | None) -> str:
    """The text of a cell; with marks where its lines may be broken, if the column is so wide."""
    text = of.texts[row]
    if text == UNKNOWN:
        return "--"
    if of.is_number:
        return latex.number(text)
    return latex.escaped(text) if ems is None else latex.breakable(text, ems - _HANG)


def _heading(of: _Set) -> str:
    if not of.is_number or len(of.heading) == 1:
        return latex.escaped(of.column.heading)
    lines = r"\\".join(rf"{latex.escaped(line)}\strut" for line in of.heading)
    return rf"\shortstack[r]{{{lines}}}"


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"
