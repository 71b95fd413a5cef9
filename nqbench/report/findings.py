"""What the data say, in sentences."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import polars as pl

from nqbench import summary
from nqbench.machine.conditions import Session, warnings
from nqbench.machine.environment import Environment
from nqbench.summary import intervals
from nqbench.units import count, percent, plural, seconds, span
from nqbench.vocabulary import combination

_FEW: Final = 4
_FEWEST_SIZES: Final = 3
"""Through two points every curve goes."""


def headlines(records: pl.DataFrame, time: str = "solve_s") -> list[str]:
    """The findings that a reader wants first, each a sentence computed from the records."""
    found = [_extent(records), _trust(records)]
    if records.select(summary.SOLVED.any()).item():
        finders = (_winner, _portfolio, _growth, _largest)
        found += [finder(records, time) for finder in finders]
    return [sentence for sentence in found if sentence]


def caveats(
    records: pl.DataFrame, environments: Sequence[Environment], sessions: Sequence[Session]
) -> list[str]:
    """What to keep in mind before believing a time."""
    cpu_count = min((environment.cpu_count for environment in environments), default=1)
    found = [
        _mixed_machines(records),
        *_mixed_versions(records),
        *(f"{line[0].upper()}{line[1:]}." for line in warnings(sessions, cpu_count)),
        _repeats(records),
        _unchecked(records),
        *_unavailable(records),
        _invalid(records),
    ]
    return [sentence for sentence in found if sentence]


def _mixed_machines(records: pl.DataFrame) -> str:
    machines = summary.machines(records)
    if len(machines) < 2:
        return ""
    return (
        f"Runs of {len(machines)} machines are mixed ({'; '.join(machines)}): comparisons of "
        "combinations stay on one machine each, but their medians and PAR-2 do not."
    )


def _mixed_versions(records: pl.DataFrame) -> Iterator[str]:
    for name, versions in summary.versions(records).items():
        yield f"Versions of {name} are mixed: {', '.join(versions)}."


def _repeats(records: pl.DataFrame) -> str:
    repeats = records.group_by([*summary.PAIR, *summary.BOARD]).len()["len"].to_list()
    if max(repeats, default=0) < 3:
        return "Few repeats: what differs by little may be noise."
    if noise := _noise(records):
        return (
            f"The slowest repeat of a run takes {percent(noise)} more time than the fastest "
            f"(median over combinations and {_noun(records)}s)."
        )
    return ""


def _unchecked(records: pl.DataFrame) -> str:
    unchecked = records.filter(summary.SOLVED & (pl.col("verdict") == "unchecked"))
    return f"{_counted(len(unchecked), 'answer')} could not be checked." if len(unchecked) else ""


def _unavailable(records: pl.DataFrame) -> Iterator[str]:
    for name in records.filter(outcome="unavailable")["backend"].unique().sort():
        yield f"{name} was not available, so that it has no times."


def _invalid(records: pl.DataFrame) -> str:
    invalid = records.filter(outcome="invalid")["message"].unique().sort().to_list()
    told = f"{_counted(len(invalid), 'file')} could not be measured: {_listed(invalid)}."
    return told if invalid else ""


def _noise(records: pl.DataFrame) -> float:
    """By which part of the fastest repeat the slowest one takes longer, the median over pairs and
    boards; of a shuffled formula repeats differ in more than noise.
    """
    time = pl.col("solve_s")
    repeated = records.filter(summary.SOLVED & pl.col("shuffle").is_null() & (time > 0))
    found = repeated.group_by([*summary.PAIR, *summary.BOARD]).agg(
        more=time.max() / time.min() - 1, runs=pl.len()
    )
    middle = found.filter(pl.col("runs") > 2)["more"].to_numpy()
    return float(np.median(middle)) if len(middle) else 0.0


def _extent(records: pl.DataFrame) -> str:
    pairs = records.select(summary.PAIR).n_unique()
    boards = records.select(summary.BOARD).n_unique()
    n = records.filter(summary.OF_BOARDS)["n"].unique().sort().to_list()
    sizes = f" (n = {span(n)})" if n else ""
    solved = records.select(summary.SOLVED.sum()).item()
    share = {0: "none", len(records): "all"}.get(
        solved, f"{count(solved)} ({percent(solved / len(records))})"
    )
    return (
        f"{_counted(pairs, 'combination')} of encoding and backend ran on "
        f"{_counted(boards, _noun(records))}{sizes}: {_counted(len(records), 'run')}, "
        f"{share} of them solved."
    )


def _trust(records: pl.DataFrame) -> str:
    wrong = records.filter(pl.col("verdict") == "refuted")
    crashed = records.filter(pl.col("outcome") == "crashed")
    if len(wrong) or len(crashed):
        return (
            f"{_counted(len(wrong), 'wrong answer')} and {_counted(len(crashed), 'crash', 'es')}."
        )
    verified = records.filter(summary.SOLVED & (pl.col("verdict") == "verified"))
    by = verified.group_by("checked_by").len().sort("len", "checked_by", descending=True).rows()
    how = ", ".join(f"{count(number)} by {name}" for name, number in by)
    verified_count = count(len(verified))
    return f"No answer was found wrong; {verified_count} were verified ({how})." if how else ""


def _winner(records: pl.DataFrame, time: str) -> str:
    """The best by PAR-2, with an interval, and who is not surely slower."""
    table = summary.common(records, time)
    means = (
        table.group_by(summary.PAIR)
        .agg(par2_s=pl.col("par2_s").mean(), costs=pl.col("par2_s"))
        .sort("par2_s", *summary.PAIR)
    )
    if len(means) < 2:
        return ""
    name, *others = _pairs(means)
    unsure = _not_surely_different(name, records, time)
    close = [other for other in others if other in unsure]
    different = "every other pair is surely different"
    if close:
        different = f"not surely different from it: {_listed(close)}"
    best = means.row(0, named=True)
    return (
        f"Least PAR-2: {name} with {seconds(best['par2_s'])} a "
        f"{_noun(records)}{_within(best['costs'])}; "
        f"{different} (Wilcoxon signed rank test, corrected by Holm)."
    )


def _not_surely_different(name: str, records: pl.DataFrame, time: str) -> set[str]:
    """The pairs of which the test does not tell that they differ from that one."""
    same = (pl.col("first") == name) | (pl.col("second") == name)
    unsure = summary.comparisons(records, time).filter(same & (pl.col("p_corrected") >= 0.05))
    return {*unsure["first"], *unsure["second"]} - {name}


def _within(costs: Sequence[float]) -> str:
    low, high = intervals.mean(costs)
    if low is None or high is None:
        return ""
    return f" (95 % interval of the mean, {seconds(low)} to {seconds(high)})"


def _pairs(table: pl.DataFrame) -> list[str]:
    return [
        combination(encoding, backend) for encoding, backend in table.select(summary.PAIR).rows()
    ]


def _portfolio(records: pl.DataFrame, time: str) -> str:
    table = summary.portfolio(records, time)
    if len(table) < 2:
        return ""
    first = table.row(0, named=True)
    if not first["par2_s"]:
        return ""
    saved = 1 - first["vbs_par2_s"] / first["par2_s"]
    winners = table.filter(pl.col("wins") > 0).sort("share", descending=True).head(2)
    often = " and ".join(
        f"{combination(row['encoding'], row['backend'])} ({percent(row['share'])})"
        for row in winners.iter_rows(named=True)
    )
    return (
        f"Choosing the best combination for each {_noun(records)} would save {percent(saved)} of "
        f"that; most often fastest: {often}."
    )


def _growth(records: pl.DataFrame, time: str) -> str:
    if not summary.has_boards(records):
        return ""
    if records["n"].n_unique() < _FEWEST_SIZES:
        return ""
    if records["family"].n_unique() > 1 or records["density"].is_not_null().any():
        return ""  # boards of one size differ in more than their size
    fits = summary.scaling(records, time).filter(model="polynomial")
    decided = fits.filter(pl.col("verdict") != "undecided")
    if fits.is_empty():
        return ""
    counts = decided.group_by("verdict").len().sort("verdict").rows()
    told = ", ".join(f"{verdict} for {_counted(pairs, 'combination')}" for verdict, pairs in counts)
    undecided = len(fits) - len(decided)
    if not told:
        return "Whether times grow as a power of n or exponentially, these data cannot decide."
    rest = f"; for {undecided} the data cannot decide" if undecided else ""
    return f"Growth over n: {told}{rest}."


def _largest(records: pl.DataFrame, time: str) -> str:
    table = summary.overview(records, time).drop_nulls("largest_n")
    if table.is_empty() or table["largest_n"].n_unique() == 1:
        return ""
    most = table["largest_n"].to_numpy().max()
    best = _pairs(table.filter(largest_n=most))
    by = _listed(best) if len(best) <= _FEW else f"{len(best)} of {len(table)} combinations"
    return f"The largest n solved in every run is {most}, by {by}."


def _noun(records: pl.DataFrame) -> str:
    return "board" if summary.has_boards(records) else "formula"


def _counted(number: int, noun: str, ending: str = "s") -> str:
    return f"{count(number)} {plural(number, noun, ending)}"


def _listed(names: Sequence[str]) -> str:
    rest = len(names) - _FEW
    return ", ".join(names[:_FEW]) + (f" and {rest} more" if rest > 0 else "")
