"""Tables that functions return."""

from typing import Any

import polars as pl

from nqbench.common.errors import UnavailableError


class NotebookTable(pl.DataFrame):
    """A table of Polars that says what to install where Polars names only one missing module."""

    def to_pandas(self, **options: Any) -> Any:
        """The same as a table of pandas. Raises `UnavailableError` without pandas or pyarrow."""
        try:
            return super().to_pandas(**options)
        except ModuleNotFoundError:
            message = "to_pandas needs pandas and pyarrow: pip install 'nqbench[pandas]'"
            raise UnavailableError(message) from None
