"""Lists of components, as `nqbench list` prints them."""

from collections.abc import Sequence

from nqbench.cli.options.shared_options import TABLE
from nqbench.cli.printing.tables import print_table, print_text
from nqbench.common.machine.environment import harness
from nqbench.plugins.component import Component
from nqbench.show.tables.columns import Column, Row, Table
from nqbench.show.tables.formats import FOR_A_PAPER, OF_VALUES


def parameters_of(component: Component) -> str:
    """The parameters of a component with their defaults, in words."""
    defaults = [f"{key}={p.default}" for key, p in component.parameters.items()]
    return " ".join([*defaults, *(["opt.NAME=VALUE"] if component.passes_options else [])])


def print_components(
    columns: Sequence[Column], rows: Sequence[Row], kind: str, width: str, label: str, title: str
) -> None:
    """Print a list of components as a table of this kind."""
    if kind == TABLE:
        print_table(columns, rows)
        return
    table = Table(columns, rows, f"{title} ({harness()}).", f"tab:{label}")
    if kind in FOR_A_PAPER:
        text = FOR_A_PAPER[kind]([table], width)
    else:
        # JSON has what is not a single value, too.
        values = rows if kind == "json" else [_flat(table, row) for row in rows]
        text = OF_VALUES[kind]([column.name for column in columns], values)
    print_text(text)


def _flat(table: Table, row: Row) -> Row:
    """The row, with text in place of what is not a single value."""
    return {
        column.name: column.show(value) if isinstance(value := row[column.name], dict) else value
        for column in table.columns
    }
