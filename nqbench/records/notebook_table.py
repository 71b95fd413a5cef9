"""Tables that functions return."""

from collections.abc import Callable
from functools import wraps
from inspect import isfunction
from typing import Any

import polars as pl

from nqbench.common.errors import UnavailableError


class NotebookTable(pl.DataFrame):
    """A table of Polars that says what to install where Polars names only one missing module. So do
    tables that its methods return, such as `filter`, and those of its groups.
    """

    def to_pandas(self, **options: Any) -> Any:
        """The same as a table of pandas. Raises `UnavailableError` without pandas or pyarrow."""
        try:
            return super().to_pandas(**options)
        except ModuleNotFoundError:
            message = "to_pandas needs pandas and pyarrow: pip install 'nqbench[pandas]'"
            raise UnavailableError(message) from None

    def group_by(self, *by: Any, **options: Any) -> Any:
        """The groups of rows that are equal in these columns."""
        groups: Any = super().group_by(*by, **options)
        groups.agg = _for_notebooks(groups.agg)
        return groups


def _for_notebooks(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method whose tables are those of this module."""

    @wraps(method)
    def call(*arguments: Any, **options: Any) -> Any:
        result = method(*arguments, **options)
        return NotebookTable(result) if type(result) is pl.DataFrame else result

    return call


for _name, _method in list(vars(pl.DataFrame).items()):
    returns_table = isfunction(_method) and _method.__annotations__.get("return") == "DataFrame"
    if returns_table and not _name.startswith("_"):
        setattr(NotebookTable, _name, _for_notebooks(_method))
NotebookTable.__getitem__ = _for_notebooks(pl.DataFrame.__getitem__)  # type: ignore[method-assign]
