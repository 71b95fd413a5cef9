"""Which combination is fastest, by how much, and which cannot be distinguished from it."""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import Final

import polars as pl

from nqbench.summary.compare import boards_needed
from nqbench.summary.findings.race import Race, Rival, race
from nqbench.summary.findings.wording import counted, factor, fitted, joined, listed, short
from nqbench.summary.observed import PAIR, POSSIBLE, SOLVED, THERE, common
from nqbench.summary.over_instances import noun
from nqbench.units import count, seconds

_TEST: Final = " (Wilcoxon test, Holm's correction)"
_SILLY: Final = 1000
"""A larger estimate only means that there is hardly a difference."""

_TIMES: Final = {
    "solve_s": "solve time",
    "total_s": "total time",
    "wall_s": "wall time",
    "cpu_s": "CPU time",
    "load_s": "load time",
    "encode_s": "encoding time",
}


def speed(records: pl.DataFrame, time: str) -> Iterator[str]:
    """Which combination is fastest, by how much, and which cannot be distinguished from it.

    PAR-2 decides which is first; `comparisons` decides which can be distinguished. If there are too
    few boards for any significant difference, the only sentence says so. A combination that solved
    nothing is not compared.
    """
    table, what = common(records, time), noun(records)
    solved = records.filter(SOLVED)
    able = solved.join(table, on=THERE, how="semi", nulls_equal=True).select(PAIR).unique()
    boards = table.select(THERE).n_unique()
    combinations = records.filter(POSSIBLE).select(PAIR).n_unique()
    if combinations > 1 and not boards:
        yield f"No {what} was measured with every combination, so nothing can be compared."
    elif len(able) > 1 and boards < boards_needed(math.comb(combinations, 2)):
        yield _too_few(what, boards, combinations)
    elif len(able):
        yield from _said(race(records, table, able, time), what, _TIMES.get(time, time))


def _too_few(what: str, boards: int, combinations: int) -> str:
    least = count(boards_needed(math.comb(combinations, 2)))
    return (
        f"Too few {what}s to say which combination is fastest: {count(combinations)} combinations "
        f"need at least {least}, not {count(boards)}."
    )


def _said(found: Race, what: str, time: str) -> Iterator[str]:
    yield _lead(found, f"{seconds(found.par2_s)} per {what} (PAR-2)", time)
    end = f"{_TEST}."
    for verdict, tell in (("faster", _faster), ("slower", _slower), ("undecided", _undecided)):
        if rivals := found.those(verdict):
            yield fitted(partial(tell, found, rivals, what, end))
            end = "."


def _lead(found: Race, took: str, time: str) -> str:
    best = short(found.best)
    if found.combinations == 1:
        return f"The average {time} of {best} is {took}."
    if not found.rivals:
        return f"Only {best} solved anything; its average {time} is {took}."
    second = found.rivals[0]
    place = "ahead of" if seconds(found.par2_s) != seconds(second.par2_s) else "level with"
    after = f"{place} {short(second.name)} ({seconds(second.par2_s)})"
    return f"Fastest by average {time}: {best} with {took}, {after}."


def _faster(found: Race, rivals: Sequence[Rival], what: str, end: str, shown: int) -> str:
    """Name those that are faster than the best one board by board, but not on average."""
    each = [
        f"{short(rival.name)} ({count(rival.ahead)} of {count(found.boards)})" for rival in rivals
    ]
    are = "is" if len(rivals) == 1 else "are"
    by = f"{what.capitalize()} by {what}"
    return f"{by}, {listed(each, shown)} {are} significantly faster than it{end}"


def _slower(found: Race, rivals: Sequence[Rival], what: str, end: str, shown: int) -> str:
    """Name those that are slower, and by how much."""
    every = "all " if len(rivals) == found.combinations - 1 else ""
    others = f"{every}{count(len(rivals))} others, which take {_ratios(rivals, named=shown > 1)}"
    if len(rivals) == 1:
        others = f"{short(rivals[0].name)}, which takes {factor(rivals[0].ratio)}"
    return f"It is significantly faster than {others} times as long on the median {what}{end}"


def _ratios(rivals: Sequence[Rival], named: bool) -> str:
    ends = (pick(rivals, key=attrgetter("ratio")) for pick in (min, max))
    return " to ".join(
        factor(rival.ratio) + (f" ({short(rival.name)})" if named else "") for rival in ends
    )


def _undecided(found: Race, rivals: Sequence[Rival], what: str, end: str, shown: int) -> str:
    """Name those not distinguished from the best one, and how many boards it would take."""
    head = f"With {counted(found.boards, what)} it cannot be distinguished from"
    names = [_with_solved(rival, found) for rival in rivals]
    if 1 < len(rivals) <= shown:
        needed = [_needed([rival], found) for rival in rivals]
        each = [f"{name} ({boards} needed)" for name, boards in zip(names, needed, strict=True)]
        return f"{head} {joined(each)}{end}"
    takes = f"that would take {_needed(rivals, found)} such {what}s"
    return f"{head} {listed(names, shown)}: {takes}{end}"


def _with_solved(rival: Rival, found: Race) -> str:
    """Its name, and how many boards it solved if the best one solved more."""
    less = f", {count(rival.solved)} of {count(found.boards)} solved"
    return short(rival.name) + (less if rival.solved < found.solved else "")


def _needed(rivals: Sequence[Rival], found: Race) -> str:
    """The estimated numbers of boards to distinguish the rivals, as a range."""
    silly = max(_SILLY, 10 ** len(str(found.boards)))
    needed = [min(pick(rival.needed for rival in rivals), silly) for pick in (min, max)]
    return " to ".join(dict.fromkeys(map(partial(_about, silly), needed)))


def _about(silly: int, number: float) -> str:
    """A number with two digits, or "more than" a silly one."""
    if number >= silly:
        return f"more than {count(silly)}"
    step = 10 ** max(len(str(int(number))) - 2, 0)
    return f"about {count(math.ceil(number / step) * step)}"
