"""The strength of each scheme on some rows, measured once and kept in `table.json`.

    python -m nqbench.addons.strength.table     measure it again

A scheme has its default parameters. Rows of up to 8 literals are tried in all partial assignments.
Some schemes become another one on short rows, so longer rows show what they are.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from nqbench.addons.strength.strength import Row, Strength, measure
from nqbench.cli.face import AddedColumns
from nqbench.common.errors import InputError, UnavailableError
from nqbench.encodings.base import Encoding
from nqbench.encodings.library import LibraryEncoding
from nqbench.encodings.lines import LineEncoding
from nqbench.plugins import encoding_names
from nqbench.plugins.parameters import Choice
from nqbench.problems.base import Problem
from nqbench.show.tables.columns import Column, shown
from nqbench.show.tables.columns import Row as Values

ROWS: Final = (
    Row((1,) * 8, 0, 1),
    Row((1,) * 8, 1, 1),
    Row((1,) * 8, 0, 3),
    Row((1,) * 8, 3, 3),
    Row((1,) * 8, 2, 5),
    Row((7, 6, 5, 4, 3, 3, 2, 1), 0, 15),
    Row((1,) * 12, 0, 3),
    Row((1,) * 12, 3, 3),
)
"""The rows of the table."""

LONGEST_EXHAUSTIVE: Final = 8
SAMPLES: Final = 2000
"""Partial assignments that are drawn for longer rows."""

Table = Mapping[str, Mapping[str, Strength]]
"""The strength by scheme and row."""

FILE: Final = Path(__file__).with_name("table.json")


def describe(name: str) -> Values:
    """The values of `ADDED` for an encoding. They are unknown if it is not in the table."""
    try:
        by_row = table().get(Encoding.named(name).name)
    except UnavailableError:
        by_row = None
    if by_row is None:
        return {"finds": None, "models": None}
    every = by_row.values()
    finds = "all" if all(each.finds_all for each in every) else "some"
    if finds == "some" and all(each.finds_conflicts for each in every):
        finds = "conflicts"
    several = {row for row, each in by_row.items() if each.several_models}
    exact = {str(row) for row in ROWS if row.least == row.most}
    models = "one if exact" if several and not several & exact else "several"
    return {"finds": finds, "models": models if several else "one"}


ADDED: Final = AddedColumns(
    [Column("finds", 5), Column("models", 4)],
    describe,
)
"""For lists of encodings: what unit propagation `finds` on the rows of the table, and whether a
solution has one of the `models` or several.
"""


@cache
def table() -> Table:
    """The table as it was measured."""
    return msgspec.json.decode(FILE.read_bytes(), type=dict[str, dict[str, Strength]])


def measure_table() -> Table:
    """Measure each scheme on each row that it states, for those that work here."""
    return {name: measured for name in schemes() if (measured := measure_rows(name, ROWS))}


def schemes() -> list[str]:
    """The names of the schemes of nqbench, and of the libraries whose encoders it calls."""
    names = []
    for encoding in map(Encoding.named, encoding_names()):
        is_scheme = isinstance(encoding, LineEncoding) and encoding.only_for is Problem
        if not is_scheme or encoding.brought_by != "nqbench":
            continue
        choices = [""]
        if isinstance(encoding, LibraryEncoding):
            scheme = encoding.parameters["scheme"]
            assert isinstance(scheme, Choice)
            choices = [f":{choice}" for choice in scheme.choices]
        names += [encoding.base_name + choice for choice in choices]
    return names


def measure_rows(name: str, rows: Sequence[Row]) -> dict[str, Strength]:
    """Measure a scheme on these rows, without those that it does not state."""
    measured = {}
    for row in rows:
        samples = None if len(row.weights) <= LONGEST_EXHAUSTIVE else SAMPLES
        try:
            measured[str(row)] = measure(Encoding.named(name), row, samples)
        except (InputError, UnavailableError):
            continue  # it states no such rows
    return measured


def page() -> str:
    """The table in Markdown, with the shares that are found in percent."""
    titles = [str(row) for row in ROWS]
    rows = [["scheme", *titles], ["---"] * (1 + len(titles))]
    for name, by_row in table().items():
        rows.append([f"`{name}`", *(_cell(by_row.get(title)) for title in titles)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cell(strength: Strength | None) -> str:
    if strength is None:
        return shown(None)
    found = "all"
    if not strength.finds_all:
        found = f"{_percent(*strength.conflicts)} / {_percent(*strength.forced)}"
    return found + (" *" if strength.several_models else "")


def _percent(found: int, there_are: int) -> str:
    """A share in percent: 0 and 100 are exact."""
    rounded = round(100 * found / there_are)
    if 0 < found < there_are:
        return "< 1" if rounded == 0 else "> 99" if rounded == 100 else str(rounded)
    return str(rounded)


if __name__ == "__main__":
    lines = [
        f"{msgspec.json.encode(name).decode()}: {msgspec.json.encode(of_scheme).decode()}"
        for name, of_scheme in measure_table().items()
    ]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
