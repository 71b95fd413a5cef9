"""What has been recorded: a results folder, a store or an export, and what can be done with it.

import nqbench

results = nqbench.Results("results", where="n >= 16")
results.summary()
results.findings()
results.plot("cactus")
results.report("large-boards.html")
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from nqbench.campaign import arguments
from nqbench.campaign.caller import CALLER
from nqbench.campaign.options import Option, options
from nqbench.common import files, parsing
from nqbench.common.errors import InputError
from nqbench.common.keywords import suggesting
from nqbench.common.metrics import PAR
from nqbench.common.printable import as_utf8
from nqbench.common.spelling import match_name
from nqbench.common.units import counted
from nqbench.plugins.added_methods import AddedMethods
from nqbench.records import settings, sources
from nqbench.records.lock import alone
from nqbench.records.store import Store
from nqbench.show.exports import FORMATS

if TYPE_CHECKING:
    import polars as pl

    from nqbench.measure.user_measures import Remeasured
    from nqbench.records.names import Given
    from nqbench.show.plots.layout import Figure


class Results(AddedMethods):
    """The records of `source`: a results folder, a store (.db), an export (.csv, .jsonl, .parquet),
    or an export in a git revision of the current repository, as in 'main:results/records.csv'.

    With `where`, a condition in SQL on the fields of the records, such as "n >= 16 AND backend <>
    'pyeda'", only these records are summarised, compared, plotted, reported and exported. Nothing
    is read before it is needed, and a folder that is missing is made by `merge`. Every method
    raises `InputError` for wrong arguments and if there are no records, and `StoreError` for a
    store that cannot be used.

    `names` are names for readers, such as {"exe:/opt/solver --fast": "MySolver"}: tables, plots and
    pages call an encoding or a backend so. They are added to those of the results folder, in its
    file `names.toml`. What is stored and exported keeps the true names.

    `unit` is a column of the records, such as 'formula_family' or 'instance': all problems with one
    value of it are one unit of evidence in tests and intervals, since they may be alike.

    `source` may also be a table that `nqbench.run` returned, or a part of it, in Polars or pandas:
    then it is summarised, described, plotted and reported. What needs a store raises `InputError`.
    """

    def __init__(
        self,
        source: str | PathLike[str] | pl.DataFrame = sources.RESULTS,
        *,
        where: str | None = None,
        names: Given | None = None,
        unit: str | None = None,
    ) -> None:
        self._table = sources.of_table(source) if sources.is_table(source) else None
        self._source = None if self._table is not None else parsing.path(source)
        self.where = where
        self.unit = unit
        self.given_names = names
        self._names: Mapping[str, str] = {}
        self._narrow: dict[tuple[tuple[str, ...], tuple[str, ...]], pl.DataFrame] = {}

    def __repr__(self) -> str:
        where = "" if self.where is None else f", where={self.where!r}"
        if self._table is not None:
            return f"Results(<table of {counted(len(self._table), 'record')}>{where})"
        return f"Results({str(self.source)!r}{where}){self._lacking}"

    @property
    def source(self) -> Path:
        """The folder or the file. Raises `InputError` if these are the records of a table."""
        if self._source is None:
            raise InputError(
                "these records are a table: name what they are stored in, such as "
                "nqbench.Results('results')"
            )
        return self._source

    def _read(self, columns: Sequence[str] | None = None) -> pl.DataFrame:
        return sources.read(self.source, columns) if self._table is None else self._table

    @property
    def _lacking(self) -> str:
        """What to know before the first method fails: `merge` and imports make what is missing."""
        if self.source.exists() or ":" in str(self.source):  # a git revision
            return ""
        return f": nothing is recorded in {sources.shown(self.source.absolute())} yet"

    @cached_property
    def records(self) -> pl.DataFrame:
        """The records, as `nqbench.run` returns them, with names for readers. Read once."""
        from nqbench.records import derived

        return derived.forget(self.chosen)

    @cached_property
    def chosen(self) -> pl.DataFrame:
        """The same with what all records say of their problems, in columns that
        `records.derived` hides.
        """
        from nqbench.records import derived
        from nqbench.records.reading_order import ordered

        return ordered(self._select_records(self._read(), derived.NAMES))

    def _select_records(self, records: pl.DataFrame, derived_names: Sequence[str]) -> pl.DataFrame:
        """Those of these records that fulfil the condition, with names for readers, and with these
        derived columns as all records have them.
        """
        from nqbench.records import derived, names
        from nqbench.records.where import fulfilling

        folder = None if self._source is None else names.folder_of(self._source)
        self._names = names.of(records, self.given_names, folder)
        where = names.in_condition(self.where, self._names, names.known(records))
        if where is not None:
            records = derived.remember(records, derived_names)
        return self._in_units(names.named(fulfilling(records, where), self._names))

    def _in_units(self, records: pl.DataFrame) -> pl.DataFrame:
        """The records with their groups, if these are the units of evidence."""
        if self.unit is None:
            return records
        from nqbench.summary.evidence import in_groups

        return in_groups(records, self.unit)

    def shown_name(self, text: str) -> str:
        """The name for readers of a combination, an encoding or a backend; the same text for
        another one.
        """
        from nqbench.records import names

        return names.in_combination(text, self._names)

    @property
    def names(self) -> Mapping[str, str]:
        """The names for readers that the records have, by the true names. Empty until these were
        read.
        """
        return self._names

    def records_for(self, metric: str = "solve_s", by: Sequence[str] = ("family",)) -> pl.DataFrame:
        """The records with at least the columns that a summary by this metric needs, grouped by
        these columns. They are not in the order of `records`, and have not all its columns, unless
        these were read before: of a million records, that takes three times as long.
        """
        from nqbench.summary import measured

        used = by if self.unit is None else [*by, self.unit]
        columns = measured.columns(metric, used, self.where)
        if "chosen" in self.__dict__ or columns is None:
            return self.chosen
        names, derived_names = tuple(columns), tuple(used)
        if (names, derived_names) not in self._narrow:
            records = self._read(names)
            self._narrow[names, derived_names] = self._select_records(records, derived_names)
        return self._narrow[names, derived_names]

    @property
    def outdated(self) -> int:
        """How many records are left out because the code that made them has changed."""
        return 0 if self._source is None else sources.outdated(self._source)

    def summary(
        self,
        metric: str = "solve_s",
        *,
        table: str = "overview",
        by: str | Sequence[str] | None = "family",
        par: int = PAR,
        sgm: float | None = None,
        sort: str = "problem",
        descending: bool = False,
        against: str | None = None,
    ) -> pl.DataFrame:
        """A row for each encoding and backend, the best first, with what it solved, its medians and
        its PAR-2 by this metric. Other tables are `pairs`, which compares every two combinations,
        `best`, which compares the best with all others, `scaling`, which fits how the metric grows
        with n, `schemes`, which compares at-most-one schemes with formulas as they are,
        `portfolio`, which compares with a perfect choice for each problem, `stability`, which shows
        in how many draws of a quarter of the problems each is first, `work`, which shows sizes of
        formulas and what solvers did with them, and `by-problem`, which is that of the method
        `by_problem`. Each value of the columns `by` is summarised separately.
        `par` is the k of PAR-k in `overview`, `portfolio` and `stability`: an unsolved run costs k
        times its limit. With `sgm`, `overview` has the geometric mean shifted by so many seconds,
        or counts, too. `sort` and `descending` are for `by-problem`. `against` is the combination
        that `best` compares with all others, in place of the best one.
        """
        from nqbench.records.notebook_table import NotebookTable
        from nqbench.show.tables.kinds import KINDS
        from nqbench.summary import summarise_groups

        by_columns = arguments.columns(by)
        kind = KINDS[match_name("table", table, KINDS)]
        records = self.records_for(metric, [*by_columns, *kind.reads])
        metric_name = arguments.metric(records, metric)
        order = self.shown_name(sort)
        one = None if against is None else self.shown_name(against)
        settings = kind.settings(records, par, order, descending=descending, sgm=sgm, against=one)
        compute = kind.compute
        summarised = summarise_groups(
            records, by_columns, lambda group: compute(group, metric_name, **settings)
        )
        if kind.name == "overview":  # printed as text, a wide table shows its last four columns
            names = ("beats", "beaten_by", "wrong")
            last = [c for c in summarised.columns if c in names or c.startswith("par")]
            summarised = summarised.select(*(c for c in summarised.columns if c not in last), *last)
        return NotebookTable(summarised)

    def by_problem(
        self,
        metric: str = "solve_s",
        *,
        sort: str = "problem",
        descending: bool = False,
        by: str | Sequence[str] | None = "family",
    ) -> pl.DataFrame:
        """A row for each problem, with what each combination answered and the median of the metric
        over its repeats: in the columns `COMBINATION: answer` and `COMBINATION: METRIC`, such as
        'pairwise x minisat22: solve_s', the least PAR-2 first. An answer is sat, unsat, unstated or
        wrong; without one, it is the outcome, such as timeout, and the metric is null. If repeats
        differ, each word has its number, as in '2 sat, 1 timeout'.

        Other columns are `answer` (of all combinations), `fastest` (the combination of the least
        value), `spread` (the greatest value divided by the least), and `spread_is_least`, whether
        an unsolved run counts in it, as its limit. Of files with an objective, there are also
        `best` (the best value with a verified model), `state` (how much is known of it, as
        `nqbench.optimum` says), `by` (who showed most), and `COMBINATION: objective`.

        `sort` is 'problem', 'n', 'spread' or the name of a combination, which sorts by its value:
        there, unsolved problems are greater than any other.
        """
        return self.summary(metric, table="by-problem", by=by, sort=sort, descending=descending)

    def summary_text(
        self,
        kind: str,
        metric: str = "solve_s",
        *,
        table: str = "overview",
        by: str | Sequence[str] | None = "family",
        par: int = PAR,
        sgm: float | None = None,
        width: str = "llncs",
        sort: str = "problem",
        descending: bool = False,
        against: str | None = None,
    ) -> str:
        """The table of `summary` as text. As 'latex' or 'markdown', it is for a paper: one for each
        value of the columns `by`, with rounded numbers and a caption. As 'latex', it is no wider
        than the text in this `width`: the name of a class or a length, as for `plot`. As 'csv' or
        'json', it has all values of `summary`, unrounded.
        """
        from nqbench.show.tables import formats
        from nqbench.show.tables.kind import Asked
        from nqbench.show.tables.kinds import KINDS
        from nqbench.summary import Measured

        kind = match_name("format", kind, formats.FORMATS)
        if kind in formats.OF_VALUES:
            frame = self.summary(
                metric,
                table=table,
                by=by,
                par=par,
                sgm=sgm,
                sort=sort,
                descending=descending,
                against=against,
            )
            return formats.OF_VALUES[kind](frame.columns, frame.to_dicts())
        metric_name = arguments.metric(self.chosen, metric)
        of = KINDS[match_name("table", table, KINDS)]
        one = None if against is None else self.shown_name(against)
        settings = of.settings(
            self.chosen, par, self.shown_name(sort), descending=descending, sgm=sgm, against=one
        )
        order = settings.get("sort", sort)
        request = Asked(
            Measured(self.chosen), metric_name, arguments.columns(by), order, in_paper=True
        )
        tables = [shown for _, shown in of.tables(request, **settings) if shown.rows]
        if not tables:
            raise InputError(of.nothing)
        return formats.FOR_A_PAPER[kind](tables, width)

    def findings(
        self, metric: str = "solve_s", by: str | Sequence[str] | None = "family"
    ) -> list[str]:
        """What the records show, in sentences: see `nqbench.findings`."""
        return findings(self.chosen, metric, by)

    def plot(
        self,
        kind: str | None = None,
        metric: str = "solve_s",
        width: str = "two",
        *,
        highlight: str | Sequence[str] = (),
        title: bool = True,
    ) -> Figure:
        """A figure of the records: see `nqbench.plot`."""
        records = self.chosen
        highlights = [highlight] if isinstance(highlight, str) else highlight
        true_names = [self.shown_name(name) for name in highlights]
        return plot(records, kind, metric, width, highlight=true_names, title=title)

    def report(
        self, output: str | PathLike[str] | None = None, *, title: str | None = None
    ) -> Path:
        """Write the records as one HTML page, and return its path: by default `report.html` beside
        them.
        """
        from nqbench.show.report.contents import Contents
        from nqbench.show.report.page import write_page

        shown = title or self.title
        if self._source is None:
            contents = Contents.of_table(self.chosen, shown, self._names)
        else:
            names = self.given_names
            contents = Contents.read(self._source, shown, self.where, names, self.unit)
        path = self.folder / "report.html" if output is None else parsing.path(output)
        write_page(contents, path)
        return path

    def merge(self, *others: str | PathLike[str]) -> list[tuple[int, int]]:
        """Add the records of other results folders or stores to these. No record is added twice; a
        run that was measured here and there has both, as repeats. Each record names the folder or
        file that it was taken from in the column `merged_from`. If a store has a record that
        nqbench would not write, nothing is added. Return for each of them how many records were
        added, and how many were here already.
        """
        from nqbench.records.merging import merge

        if self.where is not None:
            raise InputError("merge adds all records: leave out where")
        destination = sources.new_store(self.source)
        paths = arguments.paths(others)
        for path in paths:
            if path.suffix in sources.EXPORTS:
                raise InputError(
                    f"{sources.shown(path)} is an export, which merge cannot add: import it, "
                    "and its runs are added as imported ones"
                )
        added = [sources.store(path) for path in paths]
        self.forget()
        return merge(destination, added)

    def measure(self, *measures: str) -> Remeasured:
        r"""Add measures to the records of runs whose output was kept, each written as `NAME=REGEX`,
        such as r'glue=average glue: ([\d.]+)': the first group of the last match is the number.
        Return how many records have a value now, and which runs have no log.

        Nothing is measured again. Records without a log stay as they are.
        """
        from nqbench.campaign.progress import tracked
        from nqbench.measure.user_measures import remeasure

        run_ids = None if self.where is None else self.records["run_id"].to_list()
        with Store(sources.store(self.source)) as store:
            logs = partial(tracked, title="reading logs")
            remeasured = remeasure(store, measures, run_ids, logs)
        self.forget()
        return remeasured

    def export(
        self, kind: str, output: str | PathLike[str] | None = None
    ) -> bytes | Mapping[str, bytes]:
        """Return all records for other tools, sorted so that two exports can be compared line by
        line: as 'csv', 'jsonl' or 'parquet'; as 'mkplot', one file for each encoding and backend,
        by name; or as 'conditions', the machines and sessions of the records, as JSON. As
        'github-action-benchmark' or 'bencher', the medians of counters, and of times with an
        interval, for these services. With `output`, also write this file, or folder for mkplot.
        """
        from nqbench.records import names
        from nqbench.records.frame import told_apart
        from nqbench.records.reading_order import SORTED_BY
        from nqbench.records.where import fulfilling

        form = FORMATS[match_name("format", kind, FORMATS)]
        path = None if output is None else parsing.path(output)
        if form.of_conditions:
            if self.where is not None:
                raise InputError(f"a condition is for records: leave it out for '{form.name}'")
            with Store(sources.store(self.source), read_only=True) as store:
                content: bytes | Mapping[str, bytes] = form.write_conditions(store)
        else:
            raw = sources.read_raw(self.source)
            readers_names = names.of(raw, self.given_names, names.folder_of(self.source))
            where = names.in_condition(self.where, readers_names, names.known(raw))
            records = fulfilling(raw, where).sort(SORTED_BY)
            content = form.write(told_apart(records) if form.tells_sources_apart else records)
        if path is not None:
            if isinstance(content, bytes):
                files.write(path, content)
            else:
                files.write_all(path, content)
        return content

    @suggesting
    @options(
        jobs=Option(parsing.COUNT, "Checks at the same time.", ("-j", "--jobs")),
        proof_time=settings.BY_NAME["proof-time"],
        proof_size=settings.BY_NAME["proof-size"],
    )
    def check(
        self,
        *,
        jobs: int = 1,
        proof_time: str | float | None = None,
        proof_size: str | int = "4GiB",
        allow_programs: str | Sequence[str] = (),
    ) -> pl.DataFrame:
        """Check the answers that are unchecked, store the verdicts, and return the records with
        them. Nothing is measured. `message` says why an answer is still unchecked.

        The limits of proofs are those of `nqbench check`. An answer that is unchecked for lack of
        time or memory can be checked again with higher limits. A warning says if no answer is
        unchecked. A program that only the store names, such as `exe:/opt/solver --fast`, or a
        solver with options, such as `cadical:opt.elim=0`, is started only if `allow_programs` has
        the same words, or a pattern such as `cadical:opt.*`.
        """
        from nqbench.measure import later_checks
        from nqbench.records import frame
        from nqbench.records.reading_order import ordered
        from nqbench.summary.findings.answers import imported_unchecked

        caller, path = CALLER.get(), sources.store(self.source)
        with alone(path, caller.command("check"), caller.tell), Store(path) as store:
            checked = caller.collect(
                later_checks.check(
                    store,
                    caller.observer,
                    jobs=parsing.whole_number("jobs", jobs),
                    proofs=arguments.proofs(proof_time, proof_size),
                    allowed=parsing.texts("allow_programs", allow_programs),
                    ask=caller.ask,
                )
            )
            left_out = store.imported_unchecked
        self.forget()
        if left_out:
            caller.tell(imported_unchecked(left_out))
        if not checked:
            caller.warn("no answer is unchecked")
        return ordered(frame.of(check.record for check in checked))

    def forget(self) -> None:
        """Read the records again when they are needed."""
        for name in ("records", "chosen"):
            self.__dict__.pop(name, None)
        self._narrow.clear()

    @property
    def title(self) -> str:
        """The title of a page about them."""
        if self._source is None:
            return "nqbench"
        path = self._source.resolve()
        is_file = path.suffix in (sources.STORE, *sources.EXPORTS, sources.BUNDLE)
        return f"nqbench: {as_utf8(path.stem if is_file else path.name)}"

    @property
    def folder(self) -> Path:
        """The folder for pictures and pages: that of the results, or of their file. Raises
        `InputError` for an export in a git revision and for a table, which are in no folder.
        """
        if self._source is None:
            raise InputError("a table is in no folder: name the output")
        if not self.source.exists():
            raise InputError(f"{sources.shown(self.source)} is in no folder: name the output")
        return self.source if self.source.is_dir() else self.source.parent


def plot(
    records: pl.DataFrame,
    kind: str | None = None,
    time: str = "solve_s",
    width: str = "two",
    *,
    highlight: str | Sequence[str] = (),
    title: bool = True,
    names: Given | None = None,
) -> Figure:
    """Return a Matplotlib figure of the records, of any kind that `nqbench plot` knows, with panels
    for each family. `time` is the metric to plot, in figures that can show any: a time, a counter
    or a measure, as the option `--metric` of the command line. `width` is that of "one" or "two"
    columns of a paper, of a class such as "llncs", or a length such as "12.2cm". `highlight` names
    combinations, such as 'pairwise x glucose4', or encodings or backends, for all their
    combinations: they have strong colours, and all others are grey. Without `title`, title and
    description of the campaign are left out. The `caption` of the figure has them, with the limits
    and the machine. `names` are names for readers, as those of `Results`.

    Raises `InputError` if there is no such kind, if the records have nothing to plot in it, or if
    they have no such combination. Without a kind, it lists the kinds.
    """
    from nqbench.records import names as of_readers
    from nqbench.show import plots

    records = arguments.records(records, "plot")
    metric = arguments.metric(records, time)
    if kind is None:
        raise InputError(f"choose a kind of plot: {', '.join(plots.KINDS)}")
    readers_names = of_readers.of(records, names)
    records = of_readers.named(records, readers_names)
    highlights = [highlight] if isinstance(highlight, str) else highlight
    combinations = [of_readers.in_combination(name, readers_names) for name in highlights]
    return plots.draw(records, str(kind), metric, width=width, highlight=combinations, title=title)


def findings(
    records: pl.DataFrame,
    time: str = "solve_s",
    by: str | Sequence[str] | None = "family",
    *,
    names: Given | None = None,
) -> list[str]:
    """What the records show, in sentences: which encoding and backend take least on average, what
    they are typically faster than and by how much, what is undecided and how many problems that
    would take, what encoding costs compared with solving, and what was not solved and why.

    `time` is the metric that counts: a time, a counter or a measure. Only what the records support
    is said: with too few boards, that they are too few. Each family has separate findings; with
    several, a sentence begins with the name of its family. `by` names other columns to split the
    records by, as `nqbench summary --by` does; None describes all records together. `names` are
    names for readers, as those of `Results`.

    Raises `InputError` if these are no records, or if they have no such metric or column.
    """
    from nqbench.records import names as of_readers
    from nqbench.summary import findings as sentences

    records = arguments.records(records, "findings")
    metric = arguments.metric(records, time)
    records = of_readers.named(records, of_readers.of(records, names))
    lines = sentences.findings(records, metric, arguments.columns(by))
    return [sentence.replace("\N{NO-BREAK SPACE}", " ") for sentence in lines]
