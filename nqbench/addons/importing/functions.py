"""`Results.import_file`, `Results.import_files` and `nqbench.plugin.load_format`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING

from nqbench.addons.importing.base import Format
from nqbench.campaign import arguments
from nqbench.campaign.caller import CALLER
from nqbench.campaign.options import Option, options
from nqbench.common import parsing
from nqbench.common.errors import InputError
from nqbench.records import sources
from nqbench.records.lock import alone
from nqbench.records.store import Store

if TYPE_CHECKING:
    from nqbench.records.store import Imported
    from nqbench.results import Results

Pairs = Mapping[str, str] | Iterable[tuple[str, str]]
"""Texts by names."""


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise InputError(f"'{text}' has no '=': write for instance instance=Name")
    return name.strip(), value.strip()


_PAIRS = parsing.Kind("pair", lambda _, pairs: dict(pairs), _pair, several=True)


def import_file(
    results: Results,
    file: str | PathLike[str],
    *,
    kind: str | None = None,
    columns: Mapping[str, str] | None = None,
    patterns: Mapping[str, str] | None = None,
    source: str | None = None,
    time_limit: str | float | None = None,
    memory_limit: str | int | None = None,
    stated: Mapping[str, str | float] | None = None,
    unit: Mapping[str, str] | None = None,
    words: Mapping[str, str] | None = None,
    ignore: Sequence[str] = (),
) -> Imported:
    """Add runs that were not measured here: those of a CSV, a result of BenchExec, a scenario
    of ASlib (its folder), an export of nqbench, or another file that `nqbench list formats`
    names. Such records name their `source`, by default the name of the file, in the column
    `imported_from`. Return how many runs were added and replaced. What was measured here stays
    beside them. Runs of another file of the same source count as repeats.

    By default the `kind`, which is the name of a format, is found out. For
    a CSV, `columns` has the column of each field, such as {"instance": "Name"}, and `patterns`
    a regular expression with named groups for each column with several fields, such as
    {"Name": "(?P<instance>.+)-(?P<backend>.+)"}. `stated` holds for all runs, and so do the
    limits: a run that took as long as its limit is a timeout, whatever it answered.

    `unit` has the units of fields in a CSV whose numbers are not in seconds or bytes, such as
    {"solve_s": "ms"}, and `words` what words for answers and outcomes mean, such as {"XX":
    "memout"}. The columns of a CSV in `ignore` are not read. An answer that the file calls wrong,
    or that is not the `expected` one, is refuted. A `UserWarning` says how many answers are wrong,
    and how many runs are left out because they never started.
    """
    (imported,) = import_files(
        results,
        [file],
        kind=kind,
        columns=columns,
        patterns=patterns,
        source=source,
        time_limit=time_limit,
        memory_limit=memory_limit,
        stated=stated,
        unit=unit,
        words=words,
        ignore=ignore,
    )
    return imported


@options(
    kind=Option(
        parsing.TEXT,
        "The format of the files, as `nqbench list formats` names it.  [detected]",
        ("--from",),
        "FORMAT",
    ),
    columns=Option(
        _PAIRS,
        "The column of a CSV with this field of records, or several: backend=solver+configuration; "
        "repeatable.",
        ("--map",),
        "FIELD=COLUMN",
    ),
    patterns=Option(
        _PAIRS,
        "A column of a CSV, a field of another file, or 'file' for the name of the file, and a "
        "regular expression whose named groups are fields; repeatable.",
        ("--match",),
        "COLUMN=REGEX",
    ),
    stated=Option(
        _PAIRS,
        "Set a field in all runs, whatever the file says; repeatable.",
        ("--set",),
        "FIELD=VALUE",
    ),
    unit=Option(
        _PAIRS,
        "The unit of a field of a CSV whose numbers have none: solve_s=ms, peak_rss_bytes=kB; "
        "repeatable.  [seconds, bytes]",
        metavar="FIELD=UNIT",
    ),
    words=Option(
        _PAIRS,
        "What a word for an answer or an outcome means: XX=memout, XX=wrong for an answer that is "
        "wrong, or XX= for nothing; repeatable.",
        ("--word",),
        "WORD=MEANING",
    ),
    ignore=Option(
        parsing.TEXTS,
        "A column of a CSV that is not read, such as VBS where each solver has one; repeatable.",
        metavar="COLUMN",
    ),
    time_limit=Option(parsing.DURATION, "The time limit of the runs: 5000s, 1h."),
    memory_limit=Option(parsing.SIZE, "The memory limit of the runs: 16GiB."),
    source=Option(
        parsing.TEXT,
        "The source that records name. Files of one source count as one campaign on one machine.  "
        "[FILE's name; for several, their folder's]",
        metavar="NAME",
    ),
)
def import_files(
    results: Results,
    files: Sequence[str | PathLike[str]],
    *,
    kind: str | None = None,
    columns: Pairs | None = None,
    patterns: Pairs | None = None,
    source: str | None = None,
    time_limit: str | float | None = None,
    memory_limit: str | int | None = None,
    stated: Mapping[str, str | float] | Pairs | None = None,
    unit: Pairs | None = None,
    words: Pairs | None = None,
    ignore: Sequence[str] = (),
) -> list[Imported]:
    """Add the runs of files that belong together, such as one for each solver, as `import_file`
    does, and return the same for each of them. By default their source is named after their
    folder; exports of nqbench and scenarios of ASlib are a source each. All files are read
    before the first one is added.
    """
    from nqbench.addons.importing import adding
    from nqbench.addons.importing.csv_columns import Mapped
    from nqbench.records.imports import ImportedFiles

    if results.where is not None:
        raise InputError("all runs of a file are imported: leave out `where`")
    constants: dict[str, str | float | None] = dict(stated or ())
    if time_limit is not None:
        constants["time_limit_s"] = parsing.duration("time_limit", time_limit)
    if memory_limit is not None:
        constants["memory_limit_bytes"] = parsing.byte_count("memory_limit", memory_limit)
    path = sources.new_store(results.source)
    imported = ImportedFiles()
    if path.exists():
        with Store(path, read_only=True) as store:
            imported = store.imported_files()
    parts = adding.read(
        arguments.paths(files),
        imported,
        kind=kind,
        mapped=Mapped.parse(
            *(dict(each or ()) for each in (columns, patterns, unit, words)),
            ignored=parsing.texts("ignore", ignore),
        ),
        source=source,
        stated=constants,
    )
    results.forget()
    caller = CALLER.get()
    with alone(path, caller.command("import_file"), caller.tell), Store(path) as store:
        return [adding.add(store, part) for part in parts]


def load_format(name: str) -> Format:
    """Short for `Format.named`."""
    return Format.named(name)
