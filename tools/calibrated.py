"""What the scripts `calibration*.py` found, and the tables of it on pages."""

import json
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

FILE = Path("results", "reference", "calibration.json")
ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tools")]

from measured import JOIN, wrapped  # noqa: E402

from nqbench.common.units import thousands as _number  # noqa: E402

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
    """The lines of a table, from the part of the file with its name."""
    return TABLES[name](found["errors" if name == "exchange" else name])


def errors(found: Found) -> Iterator[str]:
    """How often one of two is called typically faster, by what is true of them."""
    yield (
        f"`python tools/calibration.py errors`: {_number(found['campaigns'])} campaigns each, "
        f"standard error {_standard_error(0.05, found['campaigns'])} at 5 %. Each cell has the "
        "share of campaigns in which one is called typically faster if the typical ratio is 1; if "
        "each is faster on half of the problems; and if their means are equal."
    )
    yield ""
    yield from _table(
        ["shapes of the two", *_headed(found["problems"])],
        (
            [row["shape"], *_percents(row["typical"], row["half"], row["mean"])]
            for row in found["rows"]
        ),
    )


def exchange(found: Found) -> Iterator[str]:
    """How often a test of means by exchanges errs."""
    yield (
        f"`python tools/calibration.py errors`: {_number(found['campaigns'])} campaigns each with "
        "equal means."
    )
    yield ""
    yield from _table(
        ["shapes of the two", *_headed(found["problems"])],
        ([row["shape"], *_percents(row["exchange"])] for row in found["rows"]),
    )


def of_many(found: Found) -> Iterator[str]:
    """How often any false difference is found among several combinations."""
    yield (
        f"`python tools/calibration.py of_many`: {_number(found['campaigns'])} campaigns each, "
        f"standard error {_standard_error(0.05, found['campaigns'])} at 5 %. Each cell has the "
        "share in which any of several combinations is called typically faster than another one, "
        "where all typical ratios are 1."
    )
    yield ""
    yield from _table(
        ["shapes", "combinations", *_headed(found["problems"])],
        (
            [row["shape"], str(row["combinations"]), *_percents(row["typical"])]
            for row in found["rows"]
        ),
    )


def related(found: Found) -> Iterator[str]:
    """How often a false difference is found if problems are related."""
    yield (
        f"`python tools/calibration.py related`: {_number(found['campaigns'])} campaigns each, "
        f"standard error {_standard_error(0.05, found['campaigns'])} at 5 %. Problems of a family "
        "share half of the variance of their log ratios."
    )
    yield ""
    first, *others = found["units"]
    yield from _table(
        ["problems are in", "unit", f"{first} families", *map(str, others)],
        (
            [
                row["families"],
                "the family" if row["is_unit_given"] else "not given",
                *_percents(row["typical"]),
            ]
            for row in found["rows"]
        ),
    )


def reference(found: Found) -> Iterator[str]:
    """How often pairs of the reference campaigns are called different, by what is true."""
    yield (
        f"`python tools/calibration.py reference`: up to 12 pairs of each campaign, and "
        f"{_number(found['campaigns'])} campaigns of each pair, drawn from its problems after the "
        "times of one are multiplied so that the statement holds exactly over all pairs of "
        "problems. Each cell has the mean over the pairs, and the worst pair, whose standard error "
        f"is {_standard_error(0.05, found['campaigns'])} at 5 %."
    )
    yield ""
    yield from _table(
        ["campaign", "pairs", "true", *_headed(found["problems"])],
        (
            [f"`{row['campaign']}`, {row['family']}", str(row["pairs"]), words, *cells]
            for row in found["rows"]
            for truth, words in REFERENCE_TRUTHS.items()
            for cells in [_percents(row[truth], row[f"{truth}_worst"])]
        ),
    )
    if without := sum(row["without"] for row in found["rows"]):
        yield ""
        yield (
            f"{without} more pairs were left out: one of the two solves so much more that no "
            "factor makes them equal."
        )


REFERENCE_TRUTHS = {
    "typical": "typical ratio 1",
    "half": "half of the problems",
    "mean": "equal means",
}


def power(found: Found) -> Iterator[str]:
    """How often a planted difference is found."""
    least = min(row["campaigns"] for row in found["rows"])
    most = max(row["campaigns"] for row in found["rows"])
    yield (
        f"`python tools/calibration.py power`: {_number(most)} campaigns each of 2 combinations, "
        f"{_number(least)} of 4 and 10 (standard error at most "
        f"{100 * math.sqrt(0.25 / least):.1f} %). All are of one shape (sigma 0.5)."
    )
    yield ""
    yield from _table(
        ["the first takes less by", "combinations", *_headed(found["problems"])],
        (
            [row["gain"], str(row["combinations"]), *_percents(row["found"])]
            for row in found["rows"]
        ),
    )


def solved_more(found: Found) -> Iterator[str]:
    """How often *solves more* is said."""
    yield (
        f"`python tools/calibration.py solved_more`: {_number(found['campaigns'])} campaigns each "
        "of 60 problems. Those that both solved are equal but for noise."
    )
    yield ""
    coin = f"{found['by_coin']}, by a coin"
    yield from _table(
        ["solved by one of them only", "one solves more", "one is typically faster"],
        (
            [
                " : ".join(map(str, row["only"])) or coin,
                *_percents([row["solved"], row["typical"]]),
            ]
            for row in found["rows"]
        ),
    )


def means(found: Found) -> Iterator[str]:
    """How often the interval of the ratio of means misses it."""
    yield (
        f"`python tools/calibration.py means`: {_number(found['campaigns'])} campaigns each, "
        f"standard error {_standard_error(0.05, found['campaigns'])} at 5 %. Each cell has the "
        "share of 95 % intervals that miss the true ratio of means, and the median factor from "
        "their lower to their upper end."
    )
    yield ""
    yield from _table(
        ["shapes of the two", *_headed(found["problems"])],
        (
            [
                row["shape"],
                *(
                    f"{100 * missed:.0f} %, {width:.2g}"
                    for missed, width in zip(row["missed"], row["width"], strict=True)
                ),
            ]
            for row in found["rows"]
        ),
    )


def ranges(found: Found) -> Iterator[str]:
    """How often the stated range of problems holds the number."""
    yield (
        f"`python tools/calibration.py ranges`: {_number(found['campaigns'])} campaigns each of 2 "
        "combinations of one shape (sigma 0.5)."
    )
    yield ""
    yield from _table(
        ["the first takes less by", "it takes", *_headed(found["problems"])],
        (
            [row["gain"], f"{row['needed']:.0f} problems", *_percents(row["held"])]
            for row in found["rows"]
        ),
    )


def raced(found: Found) -> Iterator[str]:
    """How often the truly best leaves a race."""
    yield (
        f"`python tools/calibration_of_races.py raced`: {found['races']} races of 2 combinations "
        f"each, {found['races'] // 2} of more. Each cell has the shares with 16 and with 64 "
        "problems. The truly best is so by the average that decides. *Good* is a last leader whose "
        "true average is within 5 % of the best; the time is that of all runs, as a share of the "
        "grid's."
    )
    yield ""
    yield from _table(
        ["combinations", "`--average`", "truly best left", "any left", "good by mean",
         "good typically", "time"],
        (
            [
                row["field"],
                row["average"],
                *(
                    ", ".join(f"{100 * cell[at]:.0f}" for cell in row["cells"]) + " %"
                    for at in range(5)
                ),
            ]
            for row in found["rows"]
        ),
    )  # fmt: skip


def equal_races(found: Found) -> Iterator[str]:
    """How often one of two equals leaves a race."""
    yield (
        f"`python tools/calibration_of_races.py equal_races`: {found['races']} races each, "
        f"standard error {_standard_error(0.05, found['races'])} at 5 %. Each cell has the share "
        "with `--average mean`, and with `typical`."
    )
    yield ""
    first, *others = found["units"]
    yield from _table(
        ["problems are", "unit", f"{first} units", *map(str, others)],
        (
            [
                *_KINDS[row["problems"], row["is_unit_given"]],
                *_percents(row["mean"], row["typical"]),
            ]
            for row in found["rows"]
        ),
    )


_KINDS = {
    ("independent", True): ("independent", "the problem"),
    ("families", True): ("of families that share noise", "the family"),
    ("families", False): ("of families that share noise", "not given"),
}


def races(found: Found) -> Iterator[str]:
    """What summaries of races find, beside the grid."""
    total = {
        name: sum(row[name] for row in found["rows"]) for name in ("found", "same", "opposite")
    }
    yield (
        f"`python tools/calibration_of_races.py races`: {found['races']} races on each family of "
        f"each reference campaign. Of {_number(total['found'])} typical differences that the "
        f"summaries find, the grid finds {_number(total['same'])} as well, and of "
        f"{_number(total['opposite'])} the opposite."
    )
    yield ""
    yield from _table(
        ["campaign", "family", "found", "in the grid as well", "opposite in the grid"],
        ([str(row[key]) for key in KEYS] for row in found["rows"]),
    )


KEYS = ("campaign", "family", "found", "same", "opposite")


def gates(found: Found) -> Iterator[str]:
    """How often a gate alarms, and how often it finds a change."""
    above = ", ".join(f"{100 * share:g}" for share in found["above"])
    few, many = found["combinations"]
    slower = [f"{100 * share:g} % slower" for share in found["slower"]]
    yield (
        f"`python tools/calibration_of_gates.py`: {_number(found['comparisons'])} comparisons "
        f"each, standard error {_standard_error(0.05, found['comparisons'])} at 5 %. Each cell has "
        f"the share in which a combination is found to be slower by more than {above} %: any of "
        f"{few} and of {many} where nothing differs, or the one of {few} that is slower."
    )
    yield ""
    yield from _table(
        ["measured", "noise of a run", f"{few} equal", f"{many} equal", *slower],
        (
            [
                row["rule"],
                row["noise"],
                *_percents(*zip(*row["alarms"], *row["found"], strict=True)),
            ]
            for row in found["rows"]
        ),
    )


def draws(found: Found) -> Iterator[str]:
    """How often a first place is kept on the other half."""
    yield from _table(
        ["halves of", "stays first in", *found["ways"]],
        (
            [
                f"{row['halves_of']}, {SOURCES[row['source']]}",
                _stays(*(round(100 * share) for share in row["stays"])),
                *(
                    f"{100 * cell['kept']:.0f} % of {_number(cell['halves'])}" if cell else "-"
                    for cell in row["cells"]
                ),
            ]
            for row in found["rows"]
        ),
    )


def _stays(low: int, high: int) -> str:
    return f"from {low} %" if high >= 100 else f"{low} to {high} %"


TABLES = {
    "errors": errors,
    "exchange": exchange,
    "of_many": of_many,
    "related": related,
    "reference": reference,
    "power": power,
    "solved_more": solved_more,
    "means": means,
    "ranges": ranges,
    "raced": raced,
    "equal_races": equal_races,
    "races": races,
    "gates": gates,
    "draws": draws,
}


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|" + " --- |" * len(head)
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _headed(problems: Sequence[int]) -> list[str]:
    first, *others = problems
    return [f"{first} problems", *map(str, others)]


def _percents(*shares: Sequence[float]) -> list[str]:
    """A cell for each place, with the shares of all of these there."""
    return [
        ", ".join(f"{100 * share:.0f}" for share in cell) + " %"
        for cell in zip(*shares, strict=True)
    ]


def _standard_error(share: float, number: int) -> str:
    return f"{100 * math.sqrt(share * (1 - share) / number):.1f} %"
