"""`list builds`: the commits that were built, and what they take; or remove some."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click
import msgspec

from nqbench.addons.revisions.build import Result, cache_folder
from nqbench.cli.face import print_table, tell
from nqbench.common.errors import InputError
from nqbench.common.trees import remove_tree
from nqbench.common.units import counted, memory
from nqbench.show.tables.columns import Column

FAILED: Final = "failed"
ALL: Final = "all"


@click.command
@click.option(
    "--remove",
    "removed",
    multiple=True,
    metavar="NAME",
    help="Remove this build; failed: all that failed; all: every one. Repeat for several.",
)
def builds(removed: tuple[str, ...]) -> None:
    """List builds of commits, the oldest first, or remove some. A removed one is built again when
    it is measured.

    \b
    Examples:
      nqbench list builds
      nqbench list builds --remove failed
    """
    rows = list(_rows())
    if not removed:
        print_table(
            [
                Column("name"),
                Column("built", 2.0),
                Column("size", show=memory, right=True),
                Column("state", 1.0),
            ],
            rows,
        )
        tell(f"{counted(len(rows), 'build')} in {cache_folder()}")
        return
    known = {str(row["name"]) for row in rows}
    if unknown := [name for name in removed if name not in {*known, FAILED, ALL}]:
        raise InputError(f"there is no build {unknown[0]}: nqbench list builds names them")
    chosen = [row for row in rows if {str(row["name"]), str(row["state"]), ALL} & {*removed}]
    for row in chosen:
        remove_tree(cache_folder() / str(row["name"]))
    size = memory(sum(int(str(row["size"])) for row in chosen))
    tell(f"removed {counted(len(chosen), 'build')}, {size}")


def _rows() -> Iterator[dict[str, object]]:
    """A row for each build."""
    folder = cache_folder()
    found = [path for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []
    for path in sorted(found, key=lambda path: (path.stat().st_mtime, path.name)):
        yield {
            "name": path.name,
            "built": datetime.fromtimestamp(path.stat().st_mtime, UTC).strftime("%Y-%m-%d %H:%M"),
            "size": _size(path),
            "state": _state(path),
        }


def _state(path: Path) -> str:
    try:
        result = msgspec.json.decode((path / "build.json").read_bytes(), type=Result)
    except (OSError, msgspec.DecodeError):
        return "not finished"
    return FAILED if result.failure else "built"


def _size(path: Path) -> int:
    return sum(file.lstat().st_size for file in path.rglob("*") if not file.is_dir())
