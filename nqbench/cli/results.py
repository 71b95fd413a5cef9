"""`plot`, `export`, `merge`: from a store to figures, files and another store."""

import difflib
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from nqbench.cli.options import METRICS, Name, names, results_option
from nqbench.errors import InputError, StoreError
from nqbench.records import sources
from nqbench.records.store import Store

if TYPE_CHECKING:
    import polars as pl

_STAMP: Final = ".drawn-from"


def _kinds() -> Iterable[str]:
    from nqbench import plots

    return plots.KINDS


where_option = click.option(
    "--where",
    metavar="CONDITION",
    help="Only records for which this holds, as in SQL: \"n >= 16 AND backend <> 'pyeda'\".",
)


def store_path(results: Path) -> Path:
    """Where a results folder keeps its records."""
    return results / sources.STORE_NAME


@click.command(name="plot", short_help="Draw the plots of what was measured.")
@results_option
@click.option(
    "--kind", "kinds", multiple=True, type=Name(_kinds), help="Repeat, or separate by comma. [all]"
)
@where_option
@click.option(
    "--metric",
    type=click.Choice(METRICS),
    default=METRICS[0],
    show_default=True,
    help="The time that counts, where a plot can show any.",
)
@click.option(
    "--pair",
    "pairs",
    multiple=True,
    metavar="'ENCODING x BACKEND'",
    help="For scatter: across, and once more for up. [the two of least PAR-2]",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the pictures. [RESULTS/plots]",
)
def plot(
    results: Path,
    kinds: tuple[str, ...],
    where: str | None,
    metric: str,
    pairs: tuple[str, ...],
    output: Path | None,
) -> None:
    """Draw plots of the records in the store as PNG and SVG.

    \b
    Examples:
      nqbench plot --results results
      nqbench plot --kind total-over-n,sizes --output pictures
      nqbench plot --kind time-over-n --where "n >= 16 AND encoding = 'product'" --metric total_s
      nqbench plot --kind scatter --pair 'pairwise x glucose4' --pair 'product x glucose4'
    """
    from nqbench import plots

    if pairs and len(pairs) != 2:
        raise InputError("--pair stands twice, for the two axes, or not at all")
    asked = names(kinds, ("all",), lambda: ())
    for kind in asked:
        plots.check_name(kind)
    records = with_condition(sources.read(str(store_path(results))), where)
    chosen = asked or plots.kinds_of(records)
    for kind in chosen:
        plots.check(records, kind)
    folder = output or results / "plots"
    _save(records, folder, chosen, metric, pairs)
    (folder / _STAMP).unlink(missing_ok=True)  # what lies there is not what a run would draw
    _tell_plots(folder, chosen)


def with_condition(records: "pl.DataFrame", condition: str | None) -> "pl.DataFrame":
    """The records for which a condition in SQL holds. Raises `InputError`."""
    if condition is None:
        return records
    import polars as pl

    try:
        chosen = records.filter(pl.sql_expr(condition))
    except pl.exceptions.ColumnNotFoundError as error:
        missing = re.search(r'"(\w+)"', str(error))
        close = difflib.get_close_matches(missing[1], records.columns, n=1) if missing else []
        hint = f"did you mean {close[0]}? " if close else ""
        raise InputError(
            f"cannot use the condition '{condition}': no field {missing[1] if missing else ''}; "
            f"{hint}Text stands in single quotes, and fields are those of `nqbench export`"
        ) from error
    except pl.exceptions.PolarsError as error:
        reason = str(error).partition("\n")[0]
        raise InputError(f"cannot use the condition '{condition}': {reason}") from error
    if chosen.is_empty():
        raise InputError(f"no record fulfils '{condition}'")
    return chosen


@click.command(short_help="Write the records for other tools.")
@results_option
@click.option(
    "--format",
    "kind",
    type=click.Choice(["csv", "jsonl", "parquet", "mkplot", "conditions"]),
    required=True,
    help="mkplot writes a file for each encoding x backend; conditions, JSON of the machines and "
    "sessions of the records.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="Instead of standard output; for mkplot a folder.",
)
def export(results: Path, kind: str, output: Path | None) -> None:
    """Write all records, sorted so that two exports can be compared line by line.

    \b
    Examples:
      nqbench export --format csv --output records.csv
      nqbench export --format conditions --output conditions.json
      nqbench export --format mkplot --output plots && mkplot.py plots/*.json
    """
    from nqbench.records import formats

    order = ["family", "n", "instance", "encoding", "backend", "repeat", "started_at"]
    records = sources.read_raw(str(store_path(results))).sort(order)
    if kind == "mkplot":
        if output is None:
            raise InputError("mkplot reads a file for each encoding x backend: add --output FOLDER")
        for name, content in formats.to_mkplot(records).items():
            _write(output / name, content)
        return
    if kind == "parquet" and output is None:
        raise InputError("Parquet is not text: add --output FILE")
    if kind == "conditions":
        with Store(store_path(results), read_only=True) as store:
            content = formats.to_conditions(store.environments(), store.sessions())
    else:
        as_bytes: dict[str, Callable[[pl.DataFrame], bytes]] = {
            "csv": formats.to_csv,
            "jsonl": formats.to_jsonl,
            "parquet": formats.to_parquet,
        }
        content = as_bytes[kind](records)
    if output is not None:
        _write(output, content)
    else:
        sys.stdout.buffer.write(content)


@click.command(short_help="Add the records of other stores.")
@results_option
@click.argument(
    "others",
    metavar="OTHER.db...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
)
def merge(results: Path, others: tuple[Path, ...]) -> None:
    """Add the records of other stores, for instance from other machines; no run comes twice.

    Runs of other machines are other runs: comparisons of pairs stay on one machine each.

    \b
    Examples:
      nqbench merge --results all laptop/nqbench.db server/nqbench.db
      nqbench summary --results all --where "machine LIKE '%Xeon%'"
    """
    for other in others:
        if not other.exists():
            raise InputError(f"no store at {other}")
    with Store(store_path(results)) as store:
        for other in others:
            added, known = store.merge(other)
            kept = f"; {known} of runs that are recorded already stay as they are" if known else ""
            click.echo(f"{added} records from {other}{kept}", err=True)


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error


def draw_plots(records: "pl.DataFrame", results: Path) -> None:
    """Draw the plots and name them; drawn from the same records before, they are left alone."""
    from nqbench.records.frame import digest

    folder = results / "plots"
    stamp = folder / _STAMP
    source = digest(records)
    before, *kinds = stamp.read_text().split() if stamp.exists() else [""]
    if before != source or not all(path.exists() for path in _pictures(folder, kinds)):
        from nqbench import plots

        kinds = plots.kinds_of(records, plots.AT_A_GLANCE)
        _save(records, folder, kinds)
        stamp.write_text(" ".join([source, *kinds]))
    _tell_plots(folder, kinds)


def _pictures(folder: Path, kinds: Iterable[str]) -> list[Path]:
    return [folder / f"{kind}.{suffix}" for kind in kinds for suffix in ("png", "svg")]


def _tell_plots(folder: Path, kinds: Sequence[str]) -> None:
    if not kinds:
        return
    which = kinds[0] if len(kinds) == 1 else f"{{{','.join(sorted(kinds))}}}"
    click.echo(f"plots: {folder}/{which}.{{png,svg}}", err=True)


def _save(
    records: "pl.DataFrame",
    folder: Path,
    kinds: Iterable[str],
    metric: str = METRICS[0],
    pairs: Sequence[str] = (),
) -> None:
    from nqbench import plots

    try:
        plots.save_all(records, folder, kinds, metric, pairs)
    except OSError as error:
        raise StoreError(f"cannot write plots to {folder}: {error.strerror}") from error
