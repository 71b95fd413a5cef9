"""Figures on pages: the texts of `measured.toml`, filled with figures of the benchmarks and of the
reference campaigns. Below each text is when, where and by which command they were measured.
"""

import re
import sys
import textwrap
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

import msgspec
import polars as pl

from nqbench.common.machine.environment import Environment
from nqbench.common.units import thousands
from nqbench.records import sources
from nqbench.summary import TOTAL, observed

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "benchmarks")]

from figures import Figure, Figures, read  # noqa: E402

TEXTS = Path("docs", "measured.toml")
FOLDER = Path("results", "reference")
FIGURES = FOLDER / "benchmarks.json"
CODE = re.compile(r"`[^`]*`")
JOIN = "\N{WORD JOINER}"
WIDTH = 110
PLACE = re.compile(r"\{([^{}]+)\}")
UNITS = {"s": "s", "ms": "s", "MiB": "bytes", "%": "%"}
"""The units of a page, and the unit in which each is stored."""

SCALE = {"ms": 1e3, "MiB": 2**-20}


class Texts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Texts with places for figures, and queries over records, by name."""

    texts: dict[str, str]
    queries: dict[str, str]


def part(name: str, root: Path) -> Iterator[str]:
    """A text with its figures, and below it the conditions of their measurement."""
    every = msgspec.convert(tomllib.loads((root / TEXTS).read_text()), Texts)
    known = read(root / FIGURES)
    lines = [Line(line, known) for line in every.texts[name].strip().splitlines()]
    filled = [line.filled(every.queries, root) for line in lines]
    yield "\n".join(each if each.startswith("|") else wrapped(each) for each in filled)
    yield from conditions([line for line in lines if line.figures])


def wrapped(line: str) -> str:
    """A line of text or of a list on several lines, without breaks in code that fits into one."""
    indent = "  " if line.startswith("- ") else ""

    def together(code: re.Match[str]) -> str:
        return code[0].replace(" ", JOIN) if len(code[0]) < WIDTH - len(indent) else code[0]

    joined = CODE.sub(together, line)
    lines = textwrap.fill(joined, WIDTH, subsequent_indent=indent, break_on_hyphens=False)
    return lines.replace(JOIN, " ")


class Line:
    """A line of a text, and the figures that it quotes."""

    def __init__(self, template: str, known: Figures) -> None:
        self.template = template
        self.known = known
        self.figures: list[Figure] = []

    def filled(self, queries: Mapping[str, str], root: Path) -> str:
        """The line with figures in place of the braces."""

        def content(place: re.Match[str]) -> str:
            match place[1].split():
                case ["least" | "most" as which, pattern]:
                    return self.extreme(which, pattern)
                case ["version", distribution, figure]:
                    environment = self.figure(figure).environment
                    return self.known.environments[environment].packages[distribution]
                case [name, *unit] if name in queries:
                    return written(queried(queries[name], root), "".join(unit))
                case [name, *unit]:
                    return self.value(name, "".join(unit))
            raise ValueError(f"{TEXTS}: cannot read {place[0]}")

        return PLACE.sub(content, self.template)

    def figure(self, name: str) -> Figure:
        """A figure by its name. Raises `ValueError` if there is none."""
        if name not in self.known.figures:
            raise ValueError(f"{FIGURES} has no figure {name}: see tox -e bench")
        return self.known.figures[name]

    def number(self, name: str) -> float:
        """The value of a figure. Raises `ValueError` if it was not measured."""
        value = self.figure(name).value
        if value is None:
            raise ValueError(f"{FIGURES} has no value of {name}: it was written with --smallest")
        return value

    def value(self, name: str, unit: str) -> str:
        """A figure in a unit. Raises `ValueError` if it is not stored in a unit that fits."""
        figure = self.figure(name)
        if unit and UNITS.get(unit) != figure.unit:
            raise ValueError(f"{TEXTS}: {name} is in {figure.unit}, not in {unit}")
        self.figures.append(figure)
        return written(self.number(name), unit)

    def extreme(self, which: str, pattern: str) -> str:
        """The least or greatest of some figures, and the end of its name if ends differ."""
        found = [name for name in self.known.figures if fnmatchcase(name, pattern)]
        if not found:
            raise ValueError(f"{FIGURES} has no figures {pattern}: see tox -e bench")
        self.figures += map(self.figure, found)
        name = sorted(found, key=self.number)[0 if which == "least" else -1]
        ends = {each.rpartition("/")[2] for each in found}
        end = f" (`{name.rpartition('/')[2]}`)" if len(ends) > 1 else ""
        return f"{written(self.number(name), '')}{end}"

    @property
    def conditions(self) -> tuple[str, str]:
        """The machine and the date of all its figures. Raises `ValueError` if they differ."""
        places = self.known.environments
        found = {(described(places[each.environment]), each.date) for each in self.figures}
        if len(found) > 1:
            raise ValueError(
                f"{TEXTS}: '{self.template}' compares figures of different days or machines; "
                f"measure them together: {command(self.figures)}"
            )
        return found.pop()


def conditions(lines: Sequence[Line]) -> Iterator[str]:
    """When, where and by which command the figures of these lines were measured."""
    together: dict[str, dict[str, list[int]]] = {}
    for number, line in enumerate(lines, start=1):
        machine, date = line.conditions
        together.setdefault(machine, {}).setdefault(date, []).append(number)
    for machine, dates in together.items():
        sentences = []
        for date, numbers in dates.items():
            by = command([each for number in numbers for each in lines[number - 1].figures])
            which = "Measured" if len(numbers) == len(lines) else f"{rows(numbers)} measured"
            sentences.append(f"{which} on {date} by `{by}`.")
        yield wrapped(f"{' '.join(sentences)} Machine: {machine}.")


def rows(numbers: Sequence[int]) -> str:
    """The subject of a sentence about some rows: `Row 5 was`, `Rows 1, 2 and 4 were`."""
    *others, last = map(str, numbers)
    return f"Rows {', '.join(others)} and {last} were" if others else f"Row {last} was"


def command(figures: Sequence[Figure]) -> str:
    """The command that measures these figures."""
    asked = ["--on-request"] if any(figure.on_request for figure in figures) else []
    return " ".join(["tox -e bench --", *asked, *sorted({each.benchmark for each in figures})])


def described(environment: Environment) -> str:
    """The machine and the software in one line."""
    kernel = re.match(r"\w+ \d+\.\d+", environment.kernel)
    return ", ".join(
        [
            environment.machine,
            f"{environment.memory_bytes / 2**30:.0f} GiB",
            kernel[0] if kernel else environment.kernel,
            environment.python.removeprefix("C"),
            f"nqbench {environment.nqbench}",
        ]
    )


def written(value: float, unit: str) -> str:
    """A number as on pages: counts in full, errors with a sign and one digit after the point, and
    anything else with two digits.
    """
    scaled = value * SCALE.get(unit, 1)
    if unit == "%":
        text = f"{scaled:+.1f}"
        return f"{'0.0' if float(text) == 0 else text} %"
    if isinstance(value, int) and not unit:
        whole = value
    elif abs(scaled) < 9.95:
        return f"{scaled:#.2g} {unit}".strip()
    else:
        whole = int(float(f"{scaled:.2g}"))
    return f"{thousands(whole)} {unit}".strip()


def queried(sql: str, root: Path) -> float:
    """The result of a query over the records of the campaigns that it names."""
    campaigns = set(re.findall(r'"([\w-]+)"', sql))
    frames = {name: observed(records(root / FOLDER / name), TOTAL) for name in campaigns}
    value = pl.SQLContext(frames).execute(sql, eager=True).item()
    if value is None:
        raise ValueError(f"{TEXTS}: no records for {sql}")
    return float(value) if isinstance(value, float) else int(value)


def records(campaign: Path) -> pl.DataFrame:
    """The records in the folder of a campaign."""
    file = campaign / "records.csv"
    return _records(file, file.stat().st_mtime_ns)


@lru_cache
def _records(file: Path, _changed_ns: int) -> pl.DataFrame:
    return sources.read(str(file))
