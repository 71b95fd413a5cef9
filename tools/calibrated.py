"""What `calibration.py` and `calibration_of_draws.py` found, and the tables of it on pages."""

import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

FILE = Path("results", "reference", "calibration.json")
ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tools")]

from measured import JOIN, wrapped  # noqa: E402

PROBLEMS = {
    "independent": "independent",
    "copies": "twelve near-copies each",
    "families": "of families that share noise",
}
SOURCES = {"simulated": "simulated", "reference": "reference", "given": "ASlib"}

Found = Mapping[str, Any]


def store(found: Found, root: Path = ROOT) -> None:
    """Replace these parts of the file."""
    path = root / FILE
    known = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(known | dict(found), indent=1, sort_keys=True) + "\n")


def read(root: Path = ROOT) -> Found:
    """What was found."""
    found: Found = json.loads((root / FILE).read_text())
    return found


def part(name: str, root: Path = ROOT) -> Iterator[str]:
    """A part of a page: what was run, and a table."""
    lines = (
        line if line.startswith("|") else wrapped(line.replace(" %", f"{JOIN}%"))
        for line in table(name, read(root))
    )
    yield "\n".join(lines)


def table(name: str, found: Found) -> Iterator[str]:
    """The lines of the table of a part of the file."""
    return TABLES[name](found[name])


def errors(found: Found) -> Iterator[str]:
    """How often a difference is found that is none."""
    yield (
        f"`python tools/calibration.py`: {_number(found['campaigns'])} campaigns each "
        f"({_number(min(row['campaigns'] for row in found['rows']))} if the unit is not given), "
        f"standard error {_standard_error(0.05, found['campaigns'])} at 5 %. "
        "Each cell has the share on average, and on the typical board. "
        "The campaigns of a column have the same seeds, so its cells err together."
    )
    yield from _by_unit(found)
    for cell in found.get("again", ()):
        number = cell["campaigns"]
        yield ""
        yield (
            f"Problems {PROBLEMS[cell['problems']]}, {cell['units']} units: of {_number(number)} "
            f"other campaigns, `python tools/calibration.py --again` finds "
            f"{100 * cell['is']:.1f} % (standard error {_standard_error(0.05, number)}) "
            f"instead of {100 * cell['was']:.1f} %; "
            f"of all together, {100 * _pooled(cell, found['campaigns']):.1f} %."
        )


def _by_unit(found: Found) -> Iterator[str]:
    """The rows of a table: shares for each kind of problems, with and without their unit."""
    yield ""
    yield f"| problems are | unit | {_headed(found['units'])} |"
    yield _line(2 + len(found["units"]))
    for row in found["rows"]:
        unit = "given" if row["is_unit_given"] else "not given"
        unit = "the problem" if row["problems"] == "independent" else unit
        yield f"| {PROBLEMS[row['problems']]} | {unit} | {_cells(row, 1)} |"


def power(found: Found) -> Iterator[str]:
    """How often a planted difference is found."""
    yield (
        f"`python tools/calibration.py`: {_number(found['campaigns'])} campaigns each. "
        "Each cell has the share on average, and on the typical board."
    )
    yield ""
    yield f"| the first is faster by | {_headed(found['units'])} |"
    yield _line(1 + len(found["units"]))
    for row in found["rows"]:
        yield f"| {100 * row['gain']:.0f} % | {_cells(row, 0)} |"


def ranges(found: Found) -> Iterator[str]:
    """How often the stated range of problems holds the number."""
    yield f"`python tools/calibration.py`: {_number(found['campaigns'])} campaigns each."
    yield ""
    yield f"| the first is faster by | {_headed(found['units'])} |"
    yield _line(1 + len(found["units"]))
    for row in found["rows"]:
        cells = " | ".join(f"{100 * share:.0f} %" for share in row["held"])
        yield f"| {100 * row['gain']:.0f} % | {cells} |"


def races(found: Found) -> Iterator[str]:
    """What summaries of races find, beside the grid."""
    total = {
        name: sum(row[name] for row in found["rows"]) for name in ("found", "same", "opposite")
    }
    yield (
        f"`python tools/calibration.py --races {found['races']}`: {found['races']} races on each "
        f"family of each reference campaign. Of {_number(total['found'])} differences that the "
        f"summaries find, the grid finds {_number(total['same'])} as well, and of "
        f"{_number(total['opposite'])} the opposite."
    )
    yield ""
    yield "| campaign | family | found | in the grid as well | opposite in the grid |"
    yield _line(5)
    for row in found["rows"]:
        yield f"| {' | '.join(str(row[key]) for key in KEYS)} |"


def equal_races(found: Found) -> Iterator[str]:
    """How often one of two equals leaves a race."""
    yield (
        f"`python tools/calibration.py --equal-races`: {_number(found['campaigns'])} races each, "
        f"standard error {_standard_error(0.05, found['campaigns'])} at 5 %. "
        "Each cell has the share by mean, and by median."
    )
    yield from _by_unit(found)


KEYS = ("campaign", "family", "found", "same", "opposite")


def draws(found: Found) -> Iterator[str]:
    """How often a first place is kept on the other half."""
    yield "| halves of | stays first in | " + " | ".join(found["ways"]) + " |"
    yield _line(2 + len(found["ways"]))
    for row in found["rows"]:
        low, high = (round(100 * share) for share in row["stays"])
        stays = f"from {low} %" if high >= 100 else f"{low} to {high} %"
        cells = [
            f"{100 * cell['kept']:.0f} % of {_number(cell['halves'])}" if cell else "-"
            for cell in row["cells"]
        ]
        of = f"{row['halves_of']}, {SOURCES[row['source']]}"
        yield f"| {of} | {stays} | {' | '.join(cells)} |"


TABLES = {
    "errors": errors,
    "power": power,
    "ranges": ranges,
    "races": races,
    "equal_races": equal_races,
    "draws": draws,
}


def _cells(row: Found, digits: int) -> str:
    pairs = zip(row["on_average"], row["typically"], strict=True)
    return " | ".join(f"{100 * one:.{digits}f}, {100 * other:.{digits}f} %" for one, other in pairs)


def _headed(units: Sequence[int]) -> str:
    return " | ".join(
        f"{units[0]} units" if number == 0 else str(each) for number, each in enumerate(units)
    )


def _line(columns: int) -> str:
    return "|" + " --- |" * columns


def _pooled(cell: Found, campaigns: int) -> float:
    """The share of a cell and of its repetition together."""
    total = cell["was"] * campaigns + cell["is"] * cell["campaigns"]
    share: float = total / (campaigns + cell["campaigns"])
    return share


def _standard_error(share: float, number: int) -> str:
    return f"{100 * math.sqrt(share * (1 - share) / number):.1f} %"


def _number(value: int) -> str:
    return f"{value:,}"
