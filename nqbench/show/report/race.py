"""The table of a race: its leader, and each other combination where both ran.

The table of other campaigns compares on the problems that all combinations finished, which may be
few in a race, and are those on which the others were close.
"""

from collections.abc import Sequence
from typing import Any, Final

from nqbench.common.metrics import SCORE_NAME
from nqbench.common.units import counted, factor, thousands
from nqbench.common.vocabulary import combination
from nqbench.show.report.overview import number
from nqbench.show.report.runs import Unit
from nqbench.show.tables.columns import Column, Row, Table, pair_columns
from nqbench.summary import PAIR, Measured
from nqbench.summary.bounded import Duel

_VERDICTS: Final = {-1: "typically slower", 0: "undecided", 1: "typically faster"}


def table(measured: Measured, duels: Sequence[Duel], unit: Unit, problem: str) -> Table:
    """The leader first, then the others by their averages as multiples of the leader's."""
    pairs = {combination(*pair): pair for pair in measured.records.select(PAIR).unique().rows()}
    first = duels[0]
    rows = [_row(pairs[first.leader], first.leader_units, number(first.leader_cost, unit.size))]
    for duel in sorted(duels, key=lambda duel: duel.ratio):
        at_least = "> " if duel.capped else ""
        row = _row(
            pairs[duel.other],
            len(duel.costs),
            at_least + number(float(duel.costs[:, 1].mean()), unit.size),
        )
        row |= {"capped": thousands(duel.capped), "ratio": at_least + factor(duel.ratio)}
        rows.append(row | {"verdict": _VERDICTS[duel.typical]})
    below = (
        "",
        f"Average: {SCORE_NAME} on the {problem}s that a combination ran and the leader finished; "
        "> where runs were stopped, of which only a lower bound is known. Times as long: as the "
        f"leader on the same {problem}s. The leader finished "
        f"{counted(first.leader_units, problem)}.",
    )
    return Table(_columns(unit, problem, rows), rows, below=[below])


def _row(pair: tuple[str, str], problems: int, average: str) -> dict[str, Any]:
    return {
        **dict(zip(PAIR, pair, strict=True)),
        "average": average,
        "problems": thousands(problems),
        "capped": "0",
        "ratio": "",
        "verdict": "leads",
    }


def _columns(unit: Unit, problem: str, rows: Sequence[Row]) -> list[Column]:
    return [
        *pair_columns(row["encoding"] for row in rows),
        Column("average", title=f"average ({unit.name})", show=str, right=True),
        Column("ratio", title="times as long", show=str, right=True),
        Column("verdict", show=str),
        Column("problems", title=f"{problem}s", show=str, right=True),
        Column("capped", title="stopped", show=str, right=True),
    ]
