"""Tables for the terminal."""

from collections.abc import Iterable, Sequence
from typing import Final

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

_NEVER_WRAPPED: Final = 30
_WIDTH_ELSEWHERE: Final = 160


def print_table(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table on standard output: first columns that hold text left, numbers right."""
    rows = [list(row) for row in rows]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for position, title in enumerate(titles):
        short = all(len(str(row[position])) <= _NEVER_WRAPPED for row in rows)
        numeric = all(isinstance(row[position], int | float | None) for row in rows)
        table.add_column(title, justify="right" if numeric else "left", no_wrap=numeric or short)
    for row in rows:
        table.add_row(*(escape(_shown(value)) for value in row))
    console = Console()
    if not console.is_terminal:
        console.width = _WIDTH_ELSEWHERE
    console.print(table)


def _shown(value: object) -> str:
    match value:
        case None:
            return "-"
        case float():
            return f"{value:.3g}" if value < 1000 else f"{value:.0f}"
        case _:
            return str(value)
