"""`import`: add runs from elsewhere to the results."""

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click

from nqbench.cli.face import (
    DURATION,
    PATH,
    SIZE,
    Parsed,
    alone,
    shown_while_waiting,
    store_option,
)
from nqbench.common.errors import InputError
from nqbench.common.units import counted
from nqbench.records import sources
from nqbench.records.store import Imported
from nqbench.results import Results

_MEANS: Final = "imported runs count as measured and checked elsewhere, even your own"


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise InputError(f"'{text}' has no '=': write for instance instance=Name")
    return name.strip(), value.strip()


def _pairs(option: str, metavar: str, purpose: str) -> Callable[..., Any]:
    return click.option(
        option, f"{option[2:]}_pairs", multiple=True, type=Parsed("pair", _pair), metavar=metavar,
        help=purpose,
    )  # fmt: skip


@click.command(name="import")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=PATH)
@store_option
@click.option(
    "--from",
    "kind",
    metavar="FORMAT",
    help="The format of the files, as `nqbench list formats` names it.  [detected]",
)
@_pairs("--map", "FIELD=COLUMN", "The column of a CSV with this field of records; repeatable.")
@_pairs(
    "--match",
    "COLUMN=REGEX",
    "A column of a CSV, a field of another file, or 'file' for the name of the file, and a regular "
    "expression whose named groups are fields; repeatable.",
)
@_pairs("--set", "FIELD=VALUE", "Set a field in all runs, whatever the file says; repeatable.")
@_pairs(
    "--unit",
    "FIELD=UNIT",
    "The unit of a field of a CSV whose numbers have none: solve_s=ms, peak_rss_bytes=kB; "
    "repeatable.  [seconds, bytes]",
)
@_pairs(
    "--word",
    "WORD=MEANING",
    "What a word for an answer or an outcome means: XX=memout, or XX= for nothing; repeatable.",
)
@click.option("--time-limit", type=DURATION, help="The time limit of the runs: 5000s, 1h.")
@click.option("--memory-limit", type=SIZE, help="The memory limit of the runs: 16GiB.")
@click.option(
    "--source",
    metavar="NAME",
    help="The source that records name. Files of one source count as one campaign on one machine.  "
    "[FILE's name; for several, their folder's]",
)
def import_(
    files: tuple[Path, ...],
    results: Path,
    kind: str | None,
    map_pairs: Iterable[tuple[str, str]],
    match_pairs: Iterable[tuple[str, str]],
    set_pairs: Iterable[tuple[str, str]],
    unit_pairs: Iterable[tuple[str, str]],
    word_pairs: Iterable[tuple[str, str]],
    time_limit: float | None,
    memory_limit: int | None,
    source: str | None,
) -> None:
    """Add runs that other programs measured: a CSV, results of BenchExec, StarExec, hyperfine or
    pytest-benchmark, the folder of an ASlib scenario, exports of nqbench, and other formats of
    `nqbench list formats`.

    Tables, plots and pages say that such runs were not measured here, and that their answers were
    not checked here. Files may be packed: .gz, .bz2, .xz, .lzma, .zst. Importing a file again
    replaces its runs. Another file of the same source, such as one for each seed, adds repeats.
    Campaigns measure runs that were only imported, even if they are your own: `nqbench merge` adds
    own results of other machines.

    For a CSV, fields are the columns of `nqbench export`: instance, backend, answer, solve_s and so
    on. A column with the name of a field needs no mapping, nor do `solver` and `time`, and a FIELD
    that records do not have is kept as a measure. A run that took as long as its limit is a
    timeout, whatever it answered. A column with answers and outcomes, such as SAT and TIMEOUT, is
    `status`; one with the answer that was expected is `expected`: another answer is wrong, and not
    solved.

    \b
    Examples:
      nqbench import --results theirs minisat.results.xml.bz2
      nqbench import --results theirs SAT20-MAIN/
      nqbench import --results theirs times.csv --time-limit 5000s \\
        --map instance=Formula --map solve_s=Time --map answer=Result
      nqbench import --results theirs times.csv --time-limit 1h \\
        --match 'Name=(?P<instance>.+)-(?P<backend>.+)' --map solve_s=Time
      nqbench import --results theirs run1.csv run2.csv --time-limit 1h \\
        --match 'file=run(?P<solver_seed>.+)[.]csv'
      nqbench summary --results theirs
    """
    result_set = Results(results)
    with alone(sources.new_store(results)), _cautions():
        with shown_while_waiting(f"importing {_named(files)}"):
            imports = result_set.import_files(
                files,
                kind=kind,
                columns=dict(map_pairs),
                patterns=dict(match_pairs),
                source=source,
                time_limit=time_limit,
                memory_limit=memory_limit,
                stated=dict(set_pairs),
                unit=dict(unit_pairs),
                words=dict(word_pairs),
            )
        for file, imported in zip(files, imports, strict=True):
            _print_imported(file, imported)


def _named(files: tuple[Path, ...]) -> str:
    return files[0].name if len(files) == 1 else counted(len(files), "file")


def _print_imported(file: Path, imported: Imported) -> None:
    text = f"{counted(imported.added, 'run')} added"
    if imported.replaced:
        text += f", {imported.replaced} replaced"
    click.echo(f"{file}: {text}; {_MEANS}", err=True)


@contextmanager
def _cautions() -> Iterator[None]:
    """Print the warnings of a block below what it prints itself, each once."""
    with warnings.catch_warnings(record=True) as cautions:
        warnings.simplefilter("always")
        try:
            yield
        finally:
            messages = [
                str(warning.message) for warning in cautions if warning.category is UserWarning
            ]
            for caution in dict.fromkeys(messages):
                click.echo(caution, err=True)
