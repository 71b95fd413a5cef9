"""Prints tables on the terminal. No text is cut off: columns that do not fit on a line are left
out, and a message names them.
"""

import contextlib
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import Final

import click
from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.text import Text

from nqbench.show.tables.columns import GAP, Column, Extent, Row, needed, widths
from nqbench.show.tables.formats import LEFT_OUT

_WIDEST_NAME: Final = 60
"""A name without a place for a break is broken anywhere if it is wider, in cells."""

_WIDTH_ELSEWHERE: Final = 160
"""Width of a line in a file or a pipe, in cells; wider if the columns need it."""


def print_table(
    columns: Sequence[Column], rows: Iterable[Row], elsewhere: str = "--json"
) -> list[Column]:
    """Print a table on standard output, and return the columns that it shows: text is left-aligned,
    numbers are right-aligned.

    If a terminal is too narrow for all columns, a line on standard error names those left out, and
    `elsewhere`: the option or command that shows them.
    """
    rows = list(rows)
    console = Console()
    filled = [_Filled.of(column, rows, console) for column in columns]
    extents = [each.extent for each in filled]
    room = _room(console, extents)
    width_of = widths(extents, room)
    visible = [(filled[position], width) for position, width in width_of.items()]
    table = Text.assemble(
        (
            _lines(_bottom([_cell(each.heading, width, each.right) for each, width in visible])),
            "bold",
        ),
        _lines([[("-" if console.options.ascii_only else "─") * width] for _, width in visible]),
        *(
            _lines([_cell(each.texts[row], width, each.right) for each, width in visible])
            for row in range(len(rows))
        ),
    )
    console.print(table, soft_wrap=True, end="")
    left_out = [each.heading for i, each in enumerate(filled) if i not in width_of]
    _name_left_out(left_out, room, elsewhere)
    return [columns[position] for position in width_of]


def print_text(text: str) -> None:
    """Print tables for a paper or a program, and on standard error the columns left out of them."""
    click.echo(text, nl=False)
    for line in dict.fromkeys(text.splitlines()):
        if line.startswith(LEFT_OUT):
            click.echo(
                f"nqbench: not in the table, as the text is too narrow: "
                f"{line.removeprefix(LEFT_OUT)}; use a wider --width, or --format csv",
                err=True,
            )


@dataclass(frozen=True, slots=True)
class _Filled:
    """A column with its cells."""

    heading: str
    texts: tuple[str, ...]
    right: bool
    extent: Extent

    @classmethod
    def of(cls, column: Column, rows: Sequence[Row], console: Console) -> "_Filled":
        texts = tuple(_encodable(column.show(row[column.name]), console) for row in rows)
        heading = _encodable(column.heading, console)
        return cls(heading, texts, column.has_numbers(rows), _extent(heading, texts, column))


def _extent(heading: str, texts: Iterable[str], column: Column) -> Extent:
    word = max(map(cell_len, heading.split()))
    longest = max(map(cell_len, texts), default=0)
    folded = max(word, longest)
    least = max(word, min(longest, _WIDEST_NAME))
    if column.wraps is not None:
        widest = max(map(widest_part, texts), default=0)
        least = min(least, max(word, min(widest, _WIDEST_NAME), column.wraps))
    most = max(cell_len(heading), longest)
    return Extent(most, folded, least, word, column.importance)


def _encodable(text: str, console: Console) -> str:
    """The text, with escapes for characters that the output cannot represent."""
    return text.encode(console.encoding, "backslashreplace").decode(console.encoding)


def _room(console: Console, columns: Iterable[Extent]) -> int:
    """Width of a line in cells, from COLUMNS or the terminal, also where only standard error is
    one, as before `| less`; other outputs fit all columns.
    """
    if console.is_terminal or os.environ.get("COLUMNS", "").isdigit():
        return console.width
    with contextlib.suppress(OSError, ValueError):
        return os.get_terminal_size(sys.stderr.fileno()).columns or _WIDTH_ELSEWHERE
    return max(_WIDTH_ELSEWHERE, needed([extent.least for extent in columns]))


def _cell(text: str, width: int, right: bool) -> list[str]:
    return [_padded(line, width, right) for line in wrapped(text, width)]


def _bottom(cells: Sequence[list[str]]) -> list[list[str]]:
    """The cells with blank lines in front, so that all of them end on the same line."""
    height = max(map(len, cells))
    return [[" " * cell_len(cell[0])] * (height - len(cell)) + cell for cell in cells]


def _padded(line: str, width: int, right: bool) -> str:
    space = " " * (width - cell_len(line))
    return space + line if right else line + space


def _lines(cells: Sequence[Sequence[str]]) -> str:
    """Put cells side by side. Each is given as its padded lines."""
    blank = [" " * cell_len(cell[0]) for cell in cells]
    text = ""
    for lines in zip_longest(*cells):
        texts = [line or space for line, space in zip(lines, blank, strict=True)]
        text += (" " * GAP).join(texts).rstrip() + "\n"
    return text


def _name_left_out(headings: Sequence[str], room: int, elsewhere: str) -> None:
    """Name the columns, once for all the tables of a command."""
    if not headings:
        return
    message = (
        f"nqbench: not shown at a width of {room}: {', '.join(headings)}; use a wider terminal "
        f"or {elsewhere}"
    )
    context = click.get_current_context(silent=True)
    messages: set[str] = context.meta.setdefault(__name__, set()) if context else set()
    if message not in messages:
        click.echo(message, err=True)
    messages.add(message)


_BREAKS: Final = (r"(?<=[,;] )", r"(?<= )", r"(?<=[-:/])(?!/)")
"""Places where a line may end, the best first: between the items of a list, between words, and in a
name after a hyphen, a colon or a slash.
"""


def wrapped(text: str, width: int) -> list[str]:
    """Break a text into lines that are at most `width` cells wide.

    A word is broken only if it is wider than a line, at its hyphens if it has any.

    >>> wrapped("A. Frisch, T. Peugniez, JAR 35", 16)
    ['A. Frisch,', 'T. Peugniez,', 'JAR 35']
    >>> wrapped("cardinality-network x minisat22", 14)
    ['cardinality-', 'network x', 'minisat22']
    """
    lines = [""]
    for piece in _pieces(text, width, _BREAKS):
        if lines[-1] and cell_len((lines[-1] + piece).rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines]


def widest_part(text: str) -> int:
    """The width of the narrowest column that holds a text without a break inside a word.

    >>> widest_part("cardinality-network x minisat22")
    12
    """
    return max(cell_len(part.rstrip()) for part in _split(text, "|".join(_BREAKS)))


def _pieces(text: str, width: int, breaks: Sequence[str]) -> Iterator[str]:
    if cell_len(text.rstrip()) <= width:
        yield text
    elif not breaks:
        yield from chop_cells(text, width)
    else:
        for part in _split(text, breaks[0]):
            yield from _pieces(part, width, breaks[1:])


def _split(text: str, at: str) -> list[str]:
    places = [0, *(match.start() for match in re.finditer(at, text)), len(text)]
    return [text[start:end] for start, end in pairwise(places)]
