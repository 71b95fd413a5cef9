"""The table of problems: what each combination took on each of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from nqbench import summary
from nqbench.problems.base import title
from nqbench.report.overview import number
from nqbench.report.runs import Unit
from nqbench.vocabulary import AS_IT_IS

_MOST_PROBLEMS: Final = 200
_MOST_COLUMNS: Final = 24


@dataclass(frozen=True, slots=True)
class Cell:
    """A text, and whether it is the least of its row."""

    text: str
    best: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """The combinations, best PAR-2 first, as encoding and backend; for each problem its name and a
    cell for each combination; a sentence on what is left out, if anything is.
    """

    combinations: Sequence[tuple[str, str]]
    rows: Sequence[tuple[str, Sequence[Cell]]]
    left_out: str


def table(records: pl.DataFrame, unit: Unit) -> Table:
    """The median solve time of each combination on each problem, in this unit: the hardest problems
    if there are more than fit, by the time of the fastest combination.
    """
    costs = summary.boards(records)
    order = summary.overview(records).select(summary.PAIR).rows()
    pairs = order[:_MOST_COLUMNS]
    least = pl.col("time_s").min()
    every = costs.group_by(summary.BOARD).agg(least_s=least).sort("least_s", descending=True)
    shown = every.head(_MOST_PROBLEMS).sort("n", "instance", "task", nulls_last=True)
    several = shown["task"].n_unique() > 1
    by_board: dict[tuple[object, ...], dict[tuple[str, str], tuple[float | None, bool]]] = {}
    for row in costs.iter_rows(named=True):
        board = tuple(row[name] for name in summary.BOARD)
        pair = (row["encoding"], row["backend"])
        by_board.setdefault(board, {})[pair] = (row["time_s"], row["solved"])
    rows = []
    for family, instance, n, task, _ in shown.select(*summary.BOARD, "least_s").rows():
        found = by_board[family, instance, n, task]
        name = title(family, n, instance) + (f" ({task})" if several else "")
        rows.append((name, [_cell(found, pair, unit) for pair in pairs]))
    left = [
        f"the {len(shown)} hardest of {len(every)} problems" if len(every) > len(shown) else "",
        f"the {len(pairs)} best of {len(order)} combinations" if len(order) > len(pairs) else "",
    ]
    said = " and ".join(filter(None, left))
    combinations = [
        ("" if encoding == AS_IT_IS else encoding, backend) for encoding, backend in pairs
    ]
    return Table(combinations, rows, f"{said[:1].upper()}{said[1:]}." if said else "")


def _cell(
    found: dict[tuple[str, str], tuple[float | None, bool]], pair: tuple[str, str], unit: Unit
) -> Cell:
    if pair not in found:
        return Cell("")
    seconds, solved = found[pair]
    if not solved:
        return Cell("unsolved")
    least = min(time for time, done in found.values() if done and time is not None)
    return Cell(number(seconds, unit.size), best=seconds == least)
