"""Whether a page shows the records as they are now; quick to import, since most pages do."""

import hashlib
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Final

import polars as pl

from nqbench.common import files
from nqbench.common.errors import InputError
from nqbench.records.frame import records_digest
from nqbench.records.names import names_digest

_LARGEST_PAGE: Final = 2**30


def is_current(path: Path, title: str, records: pl.DataFrame, names: Mapping[str, str]) -> bool:
    """Whether the file is the page of these records with this title, as it would be written now
    with these names for readers. The records need only the fields `frame.IDENTIFYING`.
    """
    of_records = records_digest(records) + names_digest(names)
    return f'"{page_digest(title, of_records)}"' in _beginning(path)


def page_digest(title: str, of_records: str) -> str:
    """A digest of the title, the records and the code that shows them."""
    facts = (version("nqbench"), title, of_records)
    return hashlib.blake2b(repr(facts).encode(), digest_size=16).hexdigest()


def _beginning(path: Path) -> str:
    try:
        with files.opened(path, _LARGEST_PAGE) as file:
            return file.read(1000).decode(errors="replace")
    except (InputError, OSError):
        return ""
