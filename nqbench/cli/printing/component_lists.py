"""Lists of components, as `nqbench list` prints them."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from nqbench.cli.options.shared_options import TABLE
from nqbench.cli.printing.tables import print_table, print_text
from nqbench.common.machine.environment import harness
from nqbench.plugins.component import Component
from nqbench.plugins.declared import LISTS, declared
from nqbench.show.tables.columns import Column, Row, Table
from nqbench.show.tables.formats import FOR_A_PAPER, OF_VALUES


class AddedColumns(NamedTuple):
    """Columns of an add-on in a list of components, and their values for the name of one. An entry
    point in the group `nqbench.lists`, called `encodings.NAME`, adds them to `list encodings`.
    """

    columns: Sequence[Column]
    describe: Callable[[str], Row]


def parameters_of(component: Component) -> str:
    """The parameters of a component with their defaults, in words."""
    defaults = [f"{key}={p.default}" for key, p in component.parameters.items()]
    return " ".join([*defaults, *(["opt.NAME=VALUE"] if component.passes_options else [])])


def print_components(
    columns: Sequence[Column], rows: Sequence[Row], kind: str, width: str, label: str, title: str
) -> None:
    """Print a list of components, with the columns that add-ons have for the list `label`, as a
    table of this kind.
    """
    for name, entry in declared(LISTS).items():
        if name.startswith(f"{label}."):
            added: AddedColumns = entry.load()
            columns = [*columns, *added.columns]
            rows = [{**row, **added.describe(row["name"])} for row in rows]
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
