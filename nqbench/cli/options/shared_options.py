"""Options that several commands share, and the types of their values."""

import functools
import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import click
from click.shell_completion import CompletionItem

from nqbench.campaign.ranges import (
    parse_densities,
    parse_diagonals,
    parse_range,
    parse_square,
)
from nqbench.common import files, metrics, parsing
from nqbench.common.errors import InputError
from nqbench.common.limits import parse_count, parse_duration, parse_size
from nqbench.common.spelling import ALL, split_names, suggestion, with_all
from nqbench.common.vocabulary import USUAL_ENCODING
from nqbench.plugins import backend_names, encoding_names, family_names
from nqbench.problems.queens import LARGEST_N
from nqbench.records.sources import RESULTS
from nqbench.show.paper import CLASSES, WIDTHS, paper
from nqbench.show.tables.formats import FORMATS, USUAL_WIDTH


class Parsed(click.ParamType[Any]):
    """A value read by a function that raises `InputError`."""

    def __init__(self, name: str, parse: Callable[[str], object]) -> None:
        self.name = name
        self._parse = parse

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> object:
        """Convert the text with the function. Its error becomes one of click."""
        if not isinstance(value, str):
            return value
        try:
            return self._parse(value)
        except InputError as error:
            self.fail(str(error), param, ctx)


class OneOf(click.Choice[str]):
    """One of a few words, ignoring case."""

    def __init__(self, words: Iterable[str]) -> None:
        super().__init__(list(words), case_sensitive=False)

    def get_invalid_choice_message(
        self,
        value: Any,
        ctx: click.Context | None,  # noqa: ARG002
    ) -> str:
        """Explain what is wrong with the word, and which one would work."""
        return f"'{value}' is unknown: {suggestion(str(value), self.choices)}"


class BoardSize(click.IntRange):
    """The number of rows of one board."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Convert to a number of rows. The error for a range says that it is a range."""
        if isinstance(value, str) and re.fullmatch(r"\d+\s*(-|\.\.|,)[\d.,\s-]+", value):
            self.fail(f"'{value}' is several boards: give one number of rows", param, ctx)
        if isinstance(value, str) and not re.fullmatch(r"\s*[+-]?\d{1,9}\s*", value):
            self.fail(f"'{value}' is not a number of rows: write for instance 8", param, ctx)
        return super().convert(value, param, ctx)


class PathName(click.Path):
    """The name of a file or folder, which may be missing."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Convert to a path. A name that the system refuses is an error of the command line."""
        converted = super().convert(value, param, ctx)
        try:
            files.named(os.fsdecode(converted))
        except InputError as error:
            self.fail(str(error), param, ctx)
        return converted


class Name(click.ParamType[str]):
    """A name, or several joined by commas, with shell completion."""

    name = "name"

    def __init__(self, every: Callable[[], Iterable[str]]) -> None:
        self._every = every

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        """The completions of the last name."""
        before, comma, last = incomplete.rpartition(",")
        names = (name for name in self._every() if name.startswith(last.lower()))
        return [CompletionItem(f"{before}{comma}{name}") for name in names]


FAMILY = Name(family_names)
ENCODING = Name(encoding_names)
BACKEND = Name(backend_names)
METRIC = Name(lambda: metrics.METRICS)
RANGE = Parsed("range", parse_range)
DURATION = Parsed("duration", parse_duration)
SIZE = Parsed("size", parse_size)
DENSITIES = Parsed("densities", parse_densities)
DIAGONALS = Parsed("diagonals", parse_diagonals)
SQUARE = Parsed("square", parse_square)
SEED = Parsed(parsing.SEED.name, parsing.SEED.parse)
COUNT = Parsed("count", parse_count)
BOARD_SIZE = BoardSize(1, LARGEST_N)

PATH = PathName(path_type=Path)
FILE = PathName(path_type=Path, dir_okay=False)
FOLDER = PathName(path_type=Path, file_okay=False)
FILE_OR_INPUT = PathName(path_type=Path, dir_okay=False, allow_dash=True)

Option = Callable[[Callable[..., Any]], Callable[..., Any]]


def _results_option(kind: click.Path, metavar: str, purpose: str) -> Option:
    return click.option(
        "--results", type=kind, default=RESULTS, show_default=True, metavar=metavar, help=purpose
    )


results_option = _results_option(
    PATH,
    "RESULTS",
    "A results folder, a store (.db), an export (.csv, .jsonl, .parquet), or a bundle (.zip).",
)
"""The records to read, for whatever needs only records."""

store_option = _results_option(PATH, "RESULTS", "A results folder, or a store (.db).")
"""The store to use, for what exports lack: logs, machines, and answers to check."""

folder_option = _results_option(FOLDER, "FOLDER", "Folder for the store.")
"""Where a command records runs."""

TABLE: Final = "table"
"""The format of tables on the terminal."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print a JSON array of objects.")


def format_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that choose how tables are printed: `--format`, its short form `--json`, and
    `--width`. The command gets them as its parameters `kind`, one of `tables.formats.FORMATS` or
    `table`, and `width`.
    """

    @functools.wraps(command)
    def with_one(kind: str | None, as_json: bool, width: str | None, **values: Any) -> Any:
        if as_json and kind not in {None, "json"}:
            raise InputError(f"--json is short for --format json: leave it out, or --format {kind}")
        if width is not None:
            if kind != "latex":
                raise InputError("--width is for --format latex: add that, or leave out --width")
            paper(width)
        return command(
            kind="json" if as_json else kind or TABLE, width=width or USUAL_WIDTH, **values
        )

    option = click.option(
        "--format",
        "kind",
        type=OneOf([TABLE, *FORMATS]),
        metavar="FORMAT",
        help="table: for the terminal. latex or markdown: for a paper, with a caption. csv or "
        "json: all values, unrounded. [table]",
    )
    short = click.option("--json", "as_json", is_flag=True, help="Short for --format json.")
    width = click.option(
        "--width",
        type=Name(lambda: [*WIDTHS, *CLASSES]),
        help="With --format latex: the width of the text, as the name of a class or a length, as "
        f"for `nqbench plot`. [{USUAL_WIDTH}]",
    )
    return option(width(short(with_one)))


def encoding_option(purpose: str = "The encoding to use.") -> Option:
    """The option that chooses one encoding, with its help."""
    return click.option(
        "--encoding", default=USUAL_ENCODING, show_default=True, type=ENCODING, help=purpose
    )


def output_option(purpose: str, kind: click.Path = FILE) -> Option:
    """The option that names a file to write, or with another `kind` a folder, with its help."""
    return click.option("-o", "--output", type=kind, help=purpose)


def metric_option(purpose: str) -> Option:
    """The option that chooses a metric, with its help. Its value is text: which measures there are
    only the records know, so the command passes it to `summary.metric`.
    """
    return click.option(
        "--metric",
        type=METRIC,
        default=metrics.USUAL,
        show_default=True,
        metavar="METRIC",
        help=f"{purpose}. A time: {_or([*metrics.TIMES, *metrics.OF_SEARCHES])}; "
        f"a counter: {_or([*metrics.COUNTERS])}; {_or([*metrics.EVENTS])}, where the machine "
        "counts them; or the name of a --measure.",
    )


def _or(words: Sequence[str]) -> str:
    return " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def given_parameters(context: click.Context) -> dict[str, Any]:
    """The options given on the command line."""
    given = click.core.ParameterSource.COMMANDLINE
    source = context.get_parameter_source
    return {name: value for name, value in context.params.items() if source(name) is given}


def unique_names(
    values: Sequence[str] | None,
    default: Sequence[str] | None,
    every: Callable[[], Iterable[str]],
    known: Callable[[], Iterable[str]] | None = None,
) -> list[str]:
    """Names from a repeated option or separated by commas, in the given order without duplicates.

    `all` stands for what `every` returns. Without names, return the default. Names of components
    are those that `known` returns, perhaps with parameters: see `split_names`.
    """
    return with_all(split_names(values or (), known() if known else ()) or default or (), every)


def separated(kind: parsing.Kind) -> Callable[[object, click.Parameter, Any], list[str] | None]:
    """A callback for a repeated option with names of components; None if there are none."""
    return lambda _context, _option, value: (
        kind.expand(unique_names(value, None, lambda: [ALL], kind.known)) or None
    )
