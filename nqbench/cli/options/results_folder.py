"""A results folder: the path of its store, and its plots."""

import hashlib
import shlex
import sys
from collections.abc import Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from nqbench.campaign.options import UNIT_HELP
from nqbench.cli.printing.sentences import echo_status
from nqbench.cli.printing.waiting import shown_while_waiting
from nqbench.common import files
from nqbench.common.errors import InputError
from nqbench.common.printable import as_utf8
from nqbench.records import lock, sources
from nqbench.results import Results

if TYPE_CHECKING:
    import polars as pl

_STAMP: Final = ".drawn-from"
"""The file beside the plots that a run drew: the digest of their records, that of the pictures, and
which plots they are.
"""

_FORMATS: Final = ("png", "svg")
"""The formats of the plots of a run. `plots.USUAL_FORMATS` would import Matplotlib."""

_CAPTION: Final = "tex"
"""The ending of a caption, which is `plots.CAPTION`."""

where_option = click.option(
    "--where",
    metavar="CONDITION",
    help="Use only records that fulfil this condition, in SQL: \"n >= 16 AND backend <> 'pyeda'\".",
)

unit_option = click.option(
    "--unit",
    metavar="COLUMN",
    help=UNIT_HELP.format(columns="'formula_family', 'instance' or another column"),
)

name_option = click.option(
    "--name",
    "shown",
    multiple=True,
    metavar="'NAME=FOR READERS'",
    help="Call an encoding or a backend so, as in 'exe:/opt/solver --fast=MySolver'; repeatable. "
    "Records and exports keep the true name.",
)


def store_path(results: Path) -> Path:
    """The path of the store in the results folder of a campaign."""
    return results / sources.STORE_NAME


def this_command() -> str:
    """The command line of this process, as a shell would take it."""
    return as_utf8(shlex.join(["nqbench", *sys.argv[1:]]))


def alone(store: Path) -> AbstractContextManager[float]:
    """Wait until no other command writes to this store, and say so: see `lock.alone`."""
    return lock.alone(store, this_command(), tell)


def tell(line: str) -> None:
    """Print a line about what nqbench does, besides its output."""
    echo_status(f"nqbench: {line}")


def tell_outdated(results: Results) -> None:
    """Print how many records are left out, since their code has changed."""
    if number := results.outdated:
        runs = "1 recorded run is" if number == 1 else f"{number} recorded runs are"
        again = "`nqbench run` measures them again"
        echo_status(f"nqbench: {runs} left out, made with code that has changed: {again}")


def check_command(results: Path) -> str:
    """The command that checks the unchecked answers of a results folder."""
    usual = results == sources.RESULTS
    return "nqbench check" if usual else f"nqbench check --results {shlex.quote(str(results))}"


def draw_plots(results: Path, runs: int) -> None:
    """Draw the plots of all records in the store, as the report has them, and name them. Keep plots
    that were drawn from the same records, and remove those that a run drew from others. If there
    are more records than the `runs` of this campaign, say so.
    """
    folder = results / "plots"
    _, _, *kinds = _drawn(folder)
    with shown_while_waiting(f"drawing into {folder}"):
        if not are_drawn(results):
            kinds = _draw_all(results, folder, earlier=kinds)
    every = len(_identified(results))
    _tell_plots(
        folder, kinds, _FORMATS, f" (all {every} runs in {results})" if every > runs else ""
    )


def _draw_all(results: Path, folder: Path, earlier: Collection[str]) -> list[str]:
    """Draw the plots of all records, remove those of `earlier` that no longer apply, and return
    their kinds.
    """
    from nqbench.records import names
    from nqbench.show import plots

    records = sources.read(str(store_path(results)))
    named_records = names.named(records, names.of(records, None, results))
    kinds = plots.kinds_of(named_records, plots.AT_A_GLANCE)
    plots.save_all(named_records, folder, kinds, formats=_FORMATS)
    for kind in set(earlier) - set(kinds):
        for suffix in _FORMATS:
            (folder / f"{kind}.{suffix}").unlink(missing_ok=True)
    facts = [_stamp(records, results), _pictures_digest(folder, kinds), *kinds]
    files.write(folder / _STAMP, " ".join(facts).encode())
    return kinds


def _identified(results: Path) -> "pl.DataFrame":
    """What identifies the records of the store."""
    from nqbench.records.frame import IDENTIFYING

    return sources.read(str(store_path(results)), IDENTIFYING)


def are_drawn(results: Path) -> bool:
    """Whether the plots of the records in the store are in the folder, as they were drawn."""
    folder, records = results / "plots", _identified(results)
    source, pictures, *kinds = _drawn(folder)
    return source == _stamp(records, results) and pictures == _pictures_digest(folder, kinds)


def _pictures_digest(folder: Path, kinds: Iterable[str]) -> str:
    """A digest of the pictures of these plots; empty if one is missing or cannot be read."""
    content = hashlib.blake2b(digest_size=16)
    try:
        for kind in kinds:
            for suffix in _FORMATS:
                content.update((folder / f"{kind}.{suffix}").read_bytes())
    except OSError:
        return ""
    return content.hexdigest()


def _stamp(records: "pl.DataFrame", results: Path) -> str:
    """A digest of these records, of the names for readers of the folder, and of the code that draws
    them.
    """
    from nqbench.records import frame, names

    facts = (
        version("nqbench"),
        version("matplotlib"),
        frame.records_digest(records),
        names.names_digest(names.in_folder(results)),
    )
    return hashlib.blake2b(repr(facts).encode(), digest_size=16).hexdigest()


def _drawn(folder: Path) -> list[str]:
    """What `_STAMP` says of the plots that a run drew last."""
    try:
        facts = files.text(folder / _STAMP).split()
    except InputError:
        facts = []
    return facts if len(facts) > 1 else ["", ""]


def draw_chosen(
    records: "pl.DataFrame", folder: Path, kinds: Sequence[str], formats: Sequence[str], **how: Any
) -> None:
    """Draw these plots even if the folder contains some, and name them. `how` are further arguments
    of `plots.save_all`.
    """
    with shown_while_waiting(f"drawing into {folder}"):
        from nqbench.show import plots

        plots.save_all(records, folder, kinds, formats=formats, **how)
    (folder / _STAMP).unlink(missing_ok=True)  # the folder no longer contains what a run would draw
    _tell_plots(folder, kinds, formats if how.get("title", True) else [*formats, _CAPTION])


def _tell_plots(folder: Path, kinds: Sequence[str], formats: Sequence[str], note: str = "") -> None:
    if kinds:
        echo_status(f"plots: {folder}/{_braced(sorted(kinds))}.{_braced(formats)}{note}")


def _braced(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{{{','.join(names)}}}"
