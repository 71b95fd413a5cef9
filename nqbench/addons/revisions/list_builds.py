"""`list builds`: the commits that were built, and what they take; or remove some."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click
import msgspec

from nqbench.addons.revisions.build import Result, cache_folder
from nqbench.addons.revisions.repository import Commit
from nqbench.cli.face import print_table, tell
from nqbench.common.errors import InputError
from nqbench.common.trees import remove_tree
from nqbench.common.units import counted, memory
from nqbench.plugins.name_rules import Revision
from nqbench.show.tables.columns import Column
from nqbench.summary.history import History, name_unordered

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
    """List builds of commits, or remove some: those of a repository in the order of its history. A
    removed one is built again when it is measured.

    \b
    Examples:
      nqbench list builds
      nqbench list builds --remove failed
    """
    results = {path: _result(path) for path in _folders()}
    history = _history(results)
    rows = list(_rows(results, history))
    if not removed:
        print_table(
            [
                Column("name"),
                Column("subject", 1.5, wraps=20),
                Column("built", 2.0),
                Column("size", show=memory, right=True),
                Column("state", 1.0),
            ],
            rows,
        )
        tell(f"{counted(len(rows), 'build')} in {cache_folder()}")
        finished = {path.name for path, result in results.items() if result}
        if unordered := {history.revisions[name].name for name in history.unordered & finished}:
            tell(name_unordered(unordered))
        return
    known = {str(row["name"]) for row in rows}
    if unknown := [name for name in removed if name not in {*known, FAILED, ALL}]:
        raise InputError(f"there is no build {unknown[0]}: nqbench list builds names them")
    chosen = [row for row in rows if {str(row["name"]), str(row["state"]), ALL} & {*removed}]
    for row in chosen:
        remove_tree(cache_folder() / str(row["name"]))
    size = memory(sum(int(str(row["size"])) for row in chosen))
    tell(f"removed {counted(len(chosen), 'build')}, {size}")


def _folders() -> list[Path]:
    folder = cache_folder()
    return [path for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []


def _rows(results: Mapping[Path, Result | None], history: History) -> Iterator[dict[str, object]]:
    """A row for each build."""
    for path, result in sorted(results.items(), key=lambda each: history.places[each[0].name]):
        yield {
            "name": path.name,
            "subject": result.subject if result else "",
            "built": datetime.fromtimestamp(path.stat().st_mtime, UTC).strftime("%Y-%m-%d %H:%M"),
            "size": _size(path),
            "state": _state(result),
        }


def _history(results: Mapping[Path, Result | None]) -> History:
    """The history of each repository; what is not finished has none."""
    return History.of(
        {
            path.name: Revision(
                r.repository, Commit(r.commit, r.date, r.subject).short, r.date, r.place, r.subject
            )
            if r
            else Revision("", path.name)
            for path, r in results.items()
        }
    )


def _result(path: Path) -> Result | None:
    try:
        return msgspec.json.decode((path / "build.json").read_bytes(), type=Result)
    except (OSError, msgspec.DecodeError):
        return None


def _state(result: Result | None) -> str:
    if result is None:
        return "not finished"
    return FAILED if result.failure else "built"


def _size(path: Path) -> int:
    return sum(file.lstat().st_size for file in path.rglob("*") if not file.is_dir())
