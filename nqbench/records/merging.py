"""Merges stores into one."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from nqbench.common.errors import InputError, StoreError
from nqbench.common.printable import printable
from nqbench.records import component_files
from nqbench.records.lock import alone
from nqbench.records.sources import STORE_NAME
from nqbench.records.store import Store


def merge(path: Path, others: Sequence[Path]) -> list[tuple[int, int]]:
    """Add the records of other stores to the store at `path`, as `Store.take` does, under the names
    of their folders or files. The file is created if missing. Records of other runs are kept.

    Raises `InputError` for a row of any of them that nqbench would not write, before anything is
    written.
    """
    for other in others:
        if not other.exists():
            raise InputError(f"no store at {other}")
        if path.exists() and other.samefile(path):
            raise StoreError(f"{other} is the store itself: name another one")
    with alone(path, "nqbench.merge"), ExitStack() as opened:
        sources = [opened.enter_context(Store(other, read_only=True)) for other in others]
        records = [source.checked() for source in sources]
        for position, source in enumerate(sources):
            for before in sources[:position]:
                before.compare(records[position], source.path)
        if path.exists():
            # Opened for writing, a store of an earlier schema is migrated, so it is read first.
            with Store(path, read_only=True) as store:
                for source, table in zip(sources, records, strict=True):
                    store.compare(table, source.path)
        for other in others:
            component_files.copy(other.absolute().parent, path.absolute().parent)
        with Store(path) as store:
            return store.take(zip(sources, map(_name, others), strict=True))


def _name(path: Path) -> str:
    """The name of a results folder, or of a store that is not in one, for records."""
    folder = path.absolute().parent if path.name == STORE_NAME else path
    return printable(folder.resolve().name) or str(folder)
