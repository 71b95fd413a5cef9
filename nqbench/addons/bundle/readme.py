"""The README of a bundle: what it is, how to check it, and how to measure its runs again."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from nqbench.addons.bundle.license import NO_LICENSE, License
from nqbench.common.metrics import SCORE, SCORE_NAME
from nqbench.common.units import counted, seconds
from nqbench.common.vocabulary import combination
from nqbench.show.tables import formats
from nqbench.show.tables.columns import Column, Table

FILE: Final = "README.md"


@dataclass(frozen=True, slots=True)
class Facts:
    """What the README says: a title, what was measured in a sentence, the conditions in words, the
    table of solvers, the table of results, findings as sentences, what each file is, the names of
    formulas by their files, why some runs cannot be measured again, the license, which plugins are
    in the bundle, which it lacks, which components it has that are from files, and the names that
    `replay` starts only if they are allowed.
    """

    title: str
    measured: str
    conditions: Sequence[str]
    solvers: pl.DataFrame
    results: pl.DataFrame
    findings: Sequence[str]
    files: Mapping[str, str]
    formulas: Mapping[str, str]
    carried: Sequence[str]
    license: License | None
    plugins: Sequence[str] = ()
    lacking: Sequence[str] = ()
    components: Sequence[str] = ()
    programs: Sequence[str] = ()


def text(facts: Facts) -> str:
    """The README, in Markdown."""
    sections = [
        f"# {facts.title}",
        f"{facts.measured} Recorded with [nqbench](https://pypi.org/project/nqbench/). This bundle "
        f"{_has(facts)}",
        "## Measure again",
        "```sh\npython3 -m venv .venv\n.venv/bin/pip install -r requirements.txt\n"
        f".venv/bin/nqbench replay BUNDLE.zip{_allowing(facts)}\n```",
        "`--allow-program` names what is started only if you trust it: leave it out if you do not."
        if facts.programs
        else "",
        "`requirements.txt` is in the bundle. `replay` reads the bundle as it is, so do not unpack "
        "it for that. It compares answers, formulas and counters exactly, and times as ratios with "
        "an interval. `nqbench replay BUNDLE.zip --sample 10%` measures some of the runs.",
        "A solver of another version is left out, unless you add `--allow-other-solvers`. "
        "`sha256sum --check SHA256SUMS` checks the unpacked files.",
        "## What is here",
        _bullet_list(f"`{name}`: {meaning}" for name, meaning in facts.files.items()),
        "## How it was measured",
        _bullet_list(facts.conditions),
        _table(facts.solvers),
        "## Results",
        _table(facts.results),
        _bullet_list(facts.findings),
    ]
    if facts.components:
        sections += ["## Components", _bullet_list(facts.components)]
    if facts.plugins or facts.lacking:
        sections += ["## Plugins", _bullet_list([*facts.plugins, *facts.lacking])]
    if facts.plugins:
        sections += [
            "These files are code of whoever made the bundle, and `replay` executes none of them. "
            "Read them. If you trust them, unpack the bundle and install them, one folder for each "
            "plugin:",
            "```sh\nunzip BUNDLE.zip 'plugins/*'\n.venv/bin/pip install plugins/*/\n```",
        ]
    if facts.formulas:
        sections += [
            "## Formulas",
            _bullet_list(f"`{name}`: {instance}" for name, instance in facts.formulas.items()),
        ]
    if facts.carried:
        sections += ["## Not measured again", _bullet_list(facts.carried)]
    sections += ["## License", _license(facts)]
    return "\n\n".join(filter(None, sections)) + "\n"


def _allowing(facts: Facts) -> str:
    """The options that allow all that `replay` starts."""
    return "".join(f" --allow-program {shlex.quote(name)}" for name in facts.programs)


def _has(facts: Facts) -> str:
    """What the bundle has of what it takes to measure again, as the end of a sentence."""
    if facts.lacking:
        return "does not have all that is needed to measure these runs again: see Plugins."
    if facts.plugins:
        return (
            "has all that is needed to measure these runs again, and plugins to install first: see "
            "Plugins."
        )
    return "has all that is needed to measure these runs again."


def _license(facts: Facts) -> str:
    if facts.license is None:
        return NO_LICENSE
    about_formulas = (
        " The formulas may be the work of others, on their terms." if facts.formulas else ""
    )
    return f"{facts.license.in_markdown}.{about_formulas}"


def results(summary: pl.DataFrame) -> pl.DataFrame:
    """The table of results as text: a row of `summary` for each combination."""
    rows = [
        {
            "family": row["family"],
            "combination": combination(row["encoding"], row["backend"]),
            "solved": f"{row['solved']}/{row['runs']}",
            "median solve time": _time(row["solve_s"]),
            "median total time": _time(row["total_s"]),
            SCORE_NAME: _time(row[SCORE]),
        }
        for row in summary.iter_rows(named=True)
    ]
    return pl.DataFrame(rows)


def _table(table: pl.DataFrame) -> str:
    rows = table.to_dicts()
    return formats.to_markdown([Table([Column(name) for name in table.columns], rows)]).strip()


def runs_of(reasons: Mapping[str, Sequence[str]]) -> list[str]:
    """Each reason with the number of its runs, as sentences."""
    return [f"{counted(len(ids), 'run')}: {why}" for why, ids in sorted(reasons.items())]


def _time(value: float | None) -> str | None:
    return None if value is None else seconds(value)


def _bullet_list(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)
