"""Reads results, and finds their trends."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from nqbench.addons.trends import benchmark_files, lines, points
from nqbench.addons.trends.change_points import fewest_values
from nqbench.addons.trends.lines import Line, Trends
from nqbench.common import files
from nqbench.common.errors import InputError
from nqbench.common.printable import listed
from nqbench.common.units import counted
from nqbench.records import frame, sources
from nqbench.records.where import fulfilling
from nqbench.summary.history import name_unordered
from nqbench.summary.observed import NOT_CAPPED, metric

if TYPE_CHECKING:
    from nqbench.show.plots.layout import Figure


class FoundTrends(Trends):
    """Trends, and how they are shown."""

    def __repr__(self) -> str:
        points, lines = counted(len(self.points), self.axis), counted(len(self.lines), "line")
        return f"<{self.metric} of {lines} over {points}, {len(self.stepping)} with a step>"

    @property
    def notes(self) -> Iterator[str]:
        """Sentences about what was found, and what could not be."""
        fewest = fewest_values(self.level)
        short = [line for line in self.lines if line.searched < fewest]
        if self.unordered:
            yield f"{name_unordered(self.unordered)}: no step is looked for among them"
        if self.lines and len(short) == len(self.lines):
            most = max(line.searched for line in self.lines)
            yield (
                f"results of {counted(most, self.axis)} in a line: a step needs at least {fewest}; "
                "values are shown without steps"
            )
        else:
            if short:
                yield (
                    f"{len(short)} of {counted(len(self.lines), 'line')} with fewer than {fewest} "
                    f"values, such as {short[0].name} with {short[0].searched}: no step of them "
                    "can be found"
                )
            if not self.stepping:
                lines = counted(len(self.lines) - len(short), "line")
                count = max(line.searched for line in self.lines)
                yield f"no step in {lines} over {counted(count, self.axis)}"
        if self.left_out:
            problems = counted(self.left_out, "problem")
            yield f"{problems} not measured at every {self.axis}: left out of the means"
        if changing := [line for line in self.lines if line.changes]:
            where = [
                f"{self.points[at]} ({counted(len(lines), 'line')})"
                for at, lines in self.changing.items()
            ]
            yield (
                f"{self.metric} changed in {len(changing)} of {counted(len(self.lines), 'line')}, "
                f"at {counted(len(where), self.axis)}: {listed(where)}"
            )

    def plot(self, width: str = "two") -> "Figure":
        """A Matplotlib figure of the lines with the largest steps, at most twelve. `width` is as
        that of `nqbench.plot`.
        """
        from nqbench.addons.trends import plot

        return plot.draw(self, width)

    def write_plot(self, path: Path) -> None:
        """Write that figure to a file, in the format of its ending."""
        with files.written(path) as file:
            self.plot().savefig(file, format=path.suffix[1:].lower())

    def write_page(self, path: Path, title: str = "nqbench: trends") -> None:
        """Write a page with all steps and lines, which needs no network."""
        from nqbench.addons.trends import page

        page.write_page(self, title, path)


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read: the lines, and their points."""

    axis: str
    points: Sequence[str]
    dates: dict[str, str]
    lines: Sequence[Line]
    left_out: int = 0
    unordered: Collection[str] = ()
    subjects: Mapping[str, str] = field(default_factory=dict)


def find(
    names: Sequence[Path],
    *,
    over: str | None,
    per: str,
    metric_name: str,
    where: str | None,
    level: float,
) -> FoundTrends:
    """The trends of these sources together. Raises `InputError` for wrong arguments."""
    if not names:
        raise InputError("name at least one source")
    are_benchmarks = [benchmark_files.is_benchmark_file(name) for name in names]
    if any(are_benchmarks) and not all(are_benchmarks):
        raise InputError("files of pytest-benchmark and results of nqbench need separate trends")
    read = (
        _benchmarks(names, over, per, where, level)
        if all(are_benchmarks)
        else _records(names, over=over, per=per, metric_name=metric_name, where=where, level=level)
    )
    name = "solve_s" if all(are_benchmarks) else metric_name
    return FoundTrends(
        read.axis,
        name,
        per,
        level,
        read.points,
        read.dates,
        read.lines,
        read.left_out,
        read.unordered,
        read.subjects,
    )


def _benchmarks(
    paths: Sequence[Path], over: str | None, per: str, where: str | None, level: float
) -> _Read:
    given: dict[str, Any] = {"over": over, "where": where, "per": None if per == "formula" else per}
    for option, value in given.items():
        if value is not None:
            raise InputError(
                f"files of pytest-benchmark have a line for each function: leave out {option}"
            )
    table, commits, dates = benchmark_files.read(paths)
    return _Read("commit", commits, dates, lines.of_values(table, commits, level, exact=False))


def _records(
    paths: Sequence[Path],
    *,
    over: str | None,
    per: str,
    metric_name: str,
    where: str | None,
    level: float,
) -> _Read:
    names = [str(path) for path in paths]
    tables = [
        fulfilling(sources.read_raw(name), where, name).with_columns(pl.lit(name).alias("source"))
        for name in names
    ]
    records = frame.told_apart(pl.concat(tables, how="diagonal")).filter(NOT_CAPPED)
    axis = over or points.usual_axis(records, len(names))
    wanted = metric(records, metric_name)
    table = points.with_points(records, axis)
    ordered, unordered = points.ordered_points(table, axis, names)
    drawn, left_out = lines.of_records(table, ordered, wanted, per, level, unordered=unordered)
    dates, subjects = points.dates(table, axis), points.subjects(table, axis)
    return _Read(axis, ordered, dates, drawn, left_out, unordered, subjects)
