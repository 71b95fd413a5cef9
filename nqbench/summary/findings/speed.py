"""Which combination is fastest, by how much, and which cannot be distinguished from it."""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

import polars as pl

from nqbench.summary.compare import boards_needed
from nqbench.summary.findings.race import Race, Rival, race
from nqbench.summary.findings.wording import counted, factor, fitted, joined, listed, noun, short
from nqbench.summary.observed import PAIR, POSSIBLE, SOLVED, THERE, common
from nqbench.units import count, seconds

_TEST: Final = " (Wilcoxon test, Holm's correction)"
_SILLY: Final = 1000
"""A larger estimate says only that there is hardly a difference."""

_TIMES: Final = {
    "solve_s": "solve time",
    "total_s": "total time",
    "wall_s": "wall time",
    "cpu_s": "CPU time",
    "load_s": "load time",
    "encode_s": "encoding time",
}

_Sentence = Callable[[int], str]
"""A sentence without its end, with so many names."""


def speed(records: pl.DataFrame, time: str) -> Iterator[str]:
    """Which combination is fastest, by how much, and which cannot be distinguished from it.

    PAR-2 decides who is first, `comparisons` who can be distinguished. If there are too few boards
    for any significant difference, that is all that is said. A combination that solved nothing is
    not compared.
    """
    table, what = common(records, time), noun(records)
    able = records.filter(SOLVED).join(table, on=THERE, how="semi").select(PAIR).unique()
    combinations = records.filter(POSSIBLE).select(PAIR).n_unique()
    boards = table.select(THERE).n_unique()
    if combinations > 1 and not boards:
        yield f"No {what} was measured with every combination, so nothing can be compared."
    elif len(able) > 1 and boards < (needed := boards_needed(math.comb(combinations, 2))):
        are = "is" if boards == 1 else "are"
        yield (
            f"{counted(boards, what)} {are} too few to say which combination is fastest: "
            f"to compare {count(combinations)} of them takes at least {count(needed)} {what}s."
        )
    elif len(able):
        yield from _said(race(records, table, able, time), what, _TIMES.get(time, time))


def _said(found: Race, what: str, time: str) -> Iterator[str]:
    took = f"{seconds(found.par2_s)} per {what} (PAR-2)"
    if found.combinations == 1:
        yield f"The average {time} of {short(found.best)} is {took}."
    elif not found.rivals:
        yield f"Only {short(found.best)} solved anything; its average {time} is {took}."
    else:
        yield _lead(found, took, time)
    end = f"{_TEST}."
    for tell in (_faster, _slower, _open):
        if sentence := tell(found, what):
            yield fitted(partial(_ended, sentence, end))
            end = "."


def _ended(sentence: _Sentence, end: str, shown: int) -> str:
    return sentence(shown) + end


def _lead(found: Race, took: str, time: str) -> str:
    second = found.rivals[0]
    after = seconds(second.par2_s)
    place = "level with" if seconds(found.par2_s) == after else "ahead of"
    return (
        f"Fastest by average {time}: {short(found.best)} with {took}, "
        f"{place} {short(second.name)} ({after})."
    )


def _faster(found: Race, what: str) -> _Sentence | None:
    """Who is faster than the best one board by board, though not on average."""
    faster = [each for each in found.rivals if each.significant and not each.slower]
    if not faster:
        return None
    on = [f"{short(each.name)} ({count(each.ahead)} of {count(found.boards)})" for each in faster]
    are = "is" if len(faster) == 1 else "are"
    head = f"{what.capitalize()} by {what}"
    return lambda shown: f"{head}, {listed(on, shown)} {are} significantly faster than it"


def _slower(found: Race, what: str) -> _Sentence | None:
    """Who is slower, and by how much."""
    slower = [each for each in found.rivals if each.significant and each.slower]
    if not slower:
        return None
    slower.sort(key=lambda each: each.ratio)
    least, most = (factor(each.ratio) for each in (slower[0], slower[-1]))
    first, last = (f" ({short(each.name)})" for each in (slower[0], slower[-1]))
    every = "all " if len(slower) == found.combinations - 1 else ""
    on = f"times as long on the median {what}"
    if len(slower) == 1:
        named = short(slower[0].name)
        return lambda _: f"It is significantly faster than {named}, which takes {least} {on}"
    head = f"It is significantly faster than {every}{count(len(slower))} others, which take"
    return lambda shown: (
        f"{head} {least}{first} to {most}{last} {on}"
        if shown > 1
        else f"{head} {least} to {most} {on}"
    )


def _open(found: Race, what: str) -> _Sentence | None:
    """Who cannot be distinguished from the best one, and how many boards that would take."""
    unsure = [each for each in found.rivals if not each.significant]
    if not unsure:
        return None
    head = f"With {counted(found.boards, what)} it cannot be distinguished from"
    return lambda shown: f"{head} {_unsure(unsure, found, what, shown)}"


def _unsure(unsure: Sequence[Rival], found: Race, what: str, shown: int) -> str:
    names = [_with_solved(each, found) for each in unsure]
    needed = [_needed(each, found) for each in unsure]
    if 1 < len(unsure) <= shown:
        each = zip(names, needed, strict=True)
        return joined([f"{name} ({boards} needed)" for name, boards in each])
    by_need = sorted(zip((each.needed for each in unsure), needed, strict=True))
    span = " to ".join(dict.fromkeys([by_need[0][1], by_need[-1][1]]))
    return f"{listed(names, shown)}: that would take {span} such {what}s"


def _with_solved(rival: Rival, found: Race) -> str:
    """Its name, and how much it solved if that is less than the best one did."""
    less = f", {count(rival.solved)} of {count(found.boards)} solved"
    return short(rival.name) + (less if rival.solved < found.solved else "")


def _needed(rival: Rival, found: Race) -> str:
    """About how many boards it takes to distinguish the rival, in two digits."""
    silly = max(_SILLY, 10 ** len(str(found.boards)))
    if rival.needed > silly:
        return f"more than {count(silly)}"
    step = 10 ** max(len(str(int(rival.needed))) - 2, 0)
    return f"about {count(math.ceil(rival.needed / step) * step)}"
