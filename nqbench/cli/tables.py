"""Tables for the terminal."""

from collections.abc import Iterable, Sequence
from typing import Final

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

_LEAST_WIDTH: Final = 12
_WIDTH_ELSEWHERE: Final = 160


def print_table(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table on standard output: text left, numbers right. Nothing is cut off: where the
    terminal is narrow, text is folded, and titles are broken at their underscores.
    """
    rows = [list(row) for row in rows]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for position, title in enumerate(titles):
        values = [row[position] for row in rows]
        numeric = all(isinstance(value, int | float | None) for value in values)
        width = max((len(_shown(value)) for value in values), default=0)
        table.add_column(
            title.replace("_", "\n"),
            justify="right" if numeric else "left",
            min_width=width if numeric else min(width, _LEAST_WIDTH),
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(escape(_shown(value)) for value in row))
    console = Console()
    if not console.is_terminal:
        console.width = _WIDTH_ELSEWHERE
    console.print(table)


def _shown(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3g}" if value < 1000 else f"{value:.0f}"
    return str(value)
