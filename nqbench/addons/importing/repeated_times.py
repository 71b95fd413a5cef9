"""Makes a table of the results of programs that measure a command or a function several times."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import polars as pl

from nqbench.addons.importing import cells
from nqbench.common.errors import InputError
from nqbench.plugins.parameters import Choice, Parameter
from nqbench.records.columns import OF_RECORDS

PARAMETERS: Final[Mapping[str, Parameter]] = {
    "times": Choice("all", ("all", "mean", "median", "min")),
}
"""Which times are runs: all, as repeats, or one figure of each command or function."""


TAKEN: Final = ("backend", "instance", "encoding")
"""The parameters that are fields without being mapped."""


def chosen_times(
    every: Sequence[Any] | None, figures: Mapping[str, Any], which: str
) -> Sequence[Any]:
    """The times that are runs: all that a file has, or the figure that was chosen. Raises
    `InputError` if the file has not these.
    """
    if which != "all":
        return [figures.get(which)]
    if not every:
        raise InputError("it has no single times: choose times=median or times=mean")
    return every


def parameter_columns(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a command or a function as columns, which can be mapped. Those with the
    name of another field than `TAKEN` have a prefix, since they may be anything.
    """
    return {
        name if name in TAKEN or name not in OF_RECORDS else f"param_{name}": value
        for name, value in parameters.items()
    }


def table_of(rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """The rows as a table of texts, with a column for each of their keys."""
    every = list(rows)
    names = dict.fromkeys(name for row in every for name in row)
    return pl.DataFrame([cells.texts_of(name, (row.get(name) for row in every)) for name in names])
