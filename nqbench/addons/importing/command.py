"""`import`: add runs from elsewhere to the results."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click

from nqbench.addons.importing.functions import import_files
from nqbench.cli.face import PATH, alone, calling, shown_while_waiting, store_option
from nqbench.common.units import counted
from nqbench.records import sources
from nqbench.records.store import Imported
from nqbench.results import Results

_MEANS: Final = "imported runs count as measured and checked elsewhere, even your own"


@click.command(name="import")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=PATH)
@store_option
@calling(import_files)
def import_(files: tuple[Path, ...], results: Path, **settings: Any) -> None:
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
            imports = result_set.import_files(files, **settings)
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
