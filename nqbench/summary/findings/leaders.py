"""The combination of least average cost, how the others compare, and how firmly it is first."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import polars as pl

from nqbench.common.metrics import SCORE, SCORE_NAME
from nqbench.common.units import number_and_noun, percent, seconds, thousands
from nqbench.common.vocabulary import combination
from nqbench.summary.comparisons import with_intervals, with_one
from nqbench.summary.evidence import UNIT
from nqbench.summary.findings.wording import LONGEST, Fact, joined, listed, short
from nqbench.summary.formulas import Alike, alike
from nqbench.summary.measured import Measured, Records
from nqbench.summary.observed import FIRST_CALLS_S, GROUP, NAMED, PAIR, SOLVED, different
from nqbench.summary.power import problems_for
from nqbench.summary.series import noun
from nqbench.summary.stability import CLOSE, stability

_MANY: Final = 1_000_000
"""Problems times rivals, from which on intervals of all rivals would take seconds."""


@dataclass(frozen=True, slots=True)
class Rival:
    """A combination that solved at least one problem, compared with the first one. The numbers of
    problems are of those that both ran.
    """

    name: str
    par2_s: float
    solved: int
    """Number of problems of which it solved most repeats."""

    verdict: str
    """Typically `faster` or `slower` than the first one, or `undecided`."""

    solves: str
    """Whether it solves `more` or `less` than the first one; empty if that is undecided."""

    problems: int
    ahead: int
    """Number of problems on which it is faster than the first one."""

    behind: int
    """Number of problems on which it is slower than the first one."""

    only_it: int
    only_first: int
    """Numbers of problems that only one of the two solved."""

    p_solved: float
    needed: tuple[float, float]
    """Range of the estimated number of units that would decide which is typically faster."""

    twin: str
    """`formula` if its solver is that of the first one and gets the same formulas, `clauses` if it
    gets their clauses in another order, `size` if they are only of the same size, otherwise empty.
    """

    repeats: bool = False
    """Whether a combination of less PAR-2 gives the same clauses to the same solver."""


@dataclass(frozen=True, slots=True)
class Ratios:
    """By which factor a rival takes longer than the first one: typically, with its interval, and on
    average, with its interval and the ratio without the problem that it rests on. None if there is
    no such number.
    """

    typical: float | None
    low: float | None
    high: float | None
    mean: float
    mean_low: float | None
    mean_high: float | None
    mean_without: float | None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> "Ratios":
        """Those of a row of `comparisons` with the first one as `first`."""

        def turned(name: str) -> float | None:
            return None if row[name] is None else 1 / row[name]

        ends = turned("high"), turned("low"), 1 / row["mean_ratio"], turned("mean_high")
        return cls(turned("typical_ratio"), *ends, turned("mean_low"), turned("mean_without"))


@dataclass(frozen=True, slots=True)
class Standings:
    """All combinations on the problems that all of them were measured on."""

    measured: Measured
    metric: str
    problems: int
    units: int
    """The number of units of evidence: of the problems, or of groups of them."""

    combinations: int
    best: str
    par2_s: float
    solved: int
    rivals: Sequence[Rival]
    """Sorted by PAR-2."""

    def rivals_with(self, verdict: str) -> list[Rival]:
        """The rivals with this verdict."""
        return [rival for rival in self.rivals if rival.verdict == verdict]

    def counted_once(self) -> "Standings":
        """These without combinations that give the same clauses to the same solver as a better
        one; the same if there are no others.
        """
        counted = [rival for rival in self.rivals if not rival.repeats]
        repeated = len(self.rivals) - len(counted)
        if not counted or not repeated:
            return self
        return replace(self, rivals=counted, combinations=self.combinations - repeated)

    def ratios(self, rivals: Sequence[Rival]) -> dict[str, Ratios]:
        """The ratios of these rivals to the first one, by their names. Of very many problems, only
        those of the first few and of the last rival.
        """
        if len(rivals) * self.problems > _MANY:
            rivals = [*rivals[:4], rivals[-1]]
        names = {rival.name for rival in rivals}
        rows = with_one(self.measured, self.metric, self.best)
        shown = rows.filter(pl.col("second").is_in(names))
        table = with_intervals(self.measured, self.metric, shown)
        return {row["second"]: Ratios.of(row) for row in table.iter_rows(named=True)}


def standings(records: Records, able: pl.DataFrame, time: str) -> Standings:
    """Compare the combination of least PAR-2 with all others that can solve at least one problem.

    `able` has the columns of `PAIR` and at least one row.
    """
    measured = Measured.of(records)
    costs = measured.unit_costs(time)
    best, *other_rows = _ranking(costs.join(able, on=PAIR, how="semi"))
    compared = {
        row["second"]: row for row in with_one(measured, time, best["pair"]).iter_rows(named=True)
    }
    alike_groups = alike(measured)
    twins = _twins(alike_groups, best)
    repeated = _repeated(alike_groups, [best, *other_rows])
    units = measured.evidence(time)[UNIT].n_unique()
    has_groups = GROUP in measured.records.columns
    rivals = [
        _rival(
            row,
            compared[row["pair"]],
            twins.get(row["pair"], ""),
            units if has_groups else 0,
            repeats=row["pair"] in repeated,
        )
        for row in other_rows
    ]
    return Standings(
        measured,
        time,
        best["problems"],
        units,
        costs.select(PAIR).n_unique(),
        best["pair"],
        best[SCORE],
        best["solved"],
        rivals,
    )


def _ranking(table: pl.DataFrame) -> list[dict[str, Any]]:
    """The cost of each combination on average, and on how many problems, best first."""
    costs = [pl.col(SCORE).mean(), pl.col("solved").sum(), pl.len().alias("problems")]
    return table.sort(UNIT).group_by(NAMED, *PAIR).agg(costs).sort(SCORE, "pair").to_dicts()


def _twins(groups: Sequence[Alike], best: dict[str, Any]) -> dict[str, str]:
    """The combinations of the best one's solver with formulas that are alike, and how alike."""
    return {
        combination(encoding, best["backend"]): group.how
        for group in groups
        if best["encoding"] in group.encodings
        for encoding in group.encodings
    }


def _repeated(groups: Sequence[Alike], ranking: Sequence[dict[str, Any]]) -> set[str]:
    """The combinations of a ranking whose solver gets the same clauses from a better one."""
    group_of = {
        encoding: number
        for number, group in enumerate(groups)
        if group.how != "size"
        for encoding in group.encodings
    }
    seen: set[tuple[int, str]] = set()
    repeated = set()
    for row in ranking:
        if row["encoding"] not in group_of:
            continue
        key = group_of[row["encoding"]], row["backend"]
        if key in seen:
            repeated.add(row["pair"])
        seen.add(key)
    return repeated


_VERDICTS: Final = {-1: "slower", 0: "undecided", 1: "faster"}
_SOLVES: Final = {-1: "less", 0: "", 1: "more"}


def _rival(
    row: dict[str, Any], compared: dict[str, Any], twin: str, units: int, *, repeats: bool
) -> Rival:
    """The rival of this row, which is the second one where it is compared with the best. `units`
    is the number of groups if these are the units of evidence.
    """
    return Rival(
        name=row["pair"],
        par2_s=row[SCORE],
        solved=row["solved"],
        verdict=_VERDICTS[compared["typical"]],
        solves=_SOLVES[compared["solves_more"]],
        problems=compared["problems"],
        ahead=compared["slower"],
        behind=compared["faster"],
        only_it=compared["only_second"],
        only_first=compared["only_first"],
        p_solved=compared["p_solved"],
        needed=problems_for(
            compared["statistic"], compared["critical"], units or compared["problems"]
        ),
        twin=twin,
        repeats=repeats,
    )


_MOST_FAMILIES: Final = 2


def stable(measured: Measured, time: str) -> Iterator[Fact]:
    """In how many draws of the problems the first stays first, and when it would not be first.
    Below `FEWEST` problems nothing is said, nor if fewer than two combinations solved any.
    """
    able = measured.on_common.records.filter(SOLVED)
    table = stability(measured, time)
    if len(table) and different(able, PAIR) > 1:
        yield Fact(stays_first, table, noun(measured.records))


def stays_first(table: pl.DataFrame, problem: str) -> str:
    """As much of the description as fits in a sentence of findings."""
    sentences = [
        describe(table, problem, _DISPENSABLE[:dropped]) for dropped in range(len(_DISPENSABLE) + 1)
    ]
    return next((text for text in sentences if len(text) <= LONGEST), sentences[-1])


_DISPENSABLE: Final = ("limits", "median", "without", "others", "seeds", "families", "lost")
"""What is left out of a sentence that is too long, the first ones first."""


def describe(table: pl.DataFrame, problem: str, left_out: Collection[str] = ()) -> str:
    """The shares of draws in which the first stays first; the limits, families and average by which
    it is so, too; and that seeds are not included if draws do not take others. `table` is what
    `stability` returns, with rows.
    """
    first = table.row(0, named=True)
    whatever_family = first["families"] > 1 and not first["without"]
    conditions = {
        "limits": _limits(first),
        "without": "without any one family" if whatever_family else "",
        "median": "by median" if _name_by_median(table) == _name(first) else "",
    }
    exceptions = {
        "lost": _lost(first, problem),
        "others": _others_ahead(table),
        "limits": _no_limit(first),
        "median": "" if conditions["median"] else f"by median it is {_name_by_median(table)}",
        "seeds": "" if first["has_seeds"] else "seeds are not included",
    }
    same, other = (
        [text for name, text in texts.items() if text and name not in left_out]
        for texts in (conditions, exceptions)
    )
    head = [f"It is first {joined(same)}"] if same else []
    rest = "; ".join([*head, *other])
    rest = rest if same else re.sub("^not", "it is not first", rest)
    shares = _describe_shares(first, problem, with_families="families" not in left_out)
    return f"{shares} {rest[:1].upper()}{rest[1:]}." if rest else shares


def _describe_shares(first: dict[str, Any], problem: str, *, with_families: bool) -> str:
    name, share = _name(first), percent(first["first_share"])
    units = (first["problems"], problem) if first["groups"] is None else (first["groups"], "group")
    of = f"draws of a quarter of the {number_and_noun(*units)}"
    of_families, families = first["family_share"], ""
    if with_families and of_families is not None:
        count = f"{thousands(first['families'])}\N{NO-BREAK SPACE}families"
        families = f"; of the {count}, in {percent(of_families)}"
    close = f"within {percent(CLOSE)} of the first in {percent(first['close_share'])}"
    also = f", and {close}" if first["close_share"] > first["first_share"] else ""
    return f"By {SCORE_NAME}, {name} stays first in {share} of {of}{also}{families}."


def _lost(first: dict[str, Any], problem: str) -> str:
    families = first["without"].split(", ") if first["without"] else []
    return f"not without the {problem}s of {listed(families, _MOST_FAMILIES)}" if families else ""


def _name_by_median(table: pl.DataFrame) -> str:
    return _name(table.sort("median_s", maintain_order=True).row(0, named=True))


def _others_ahead(table: pl.DataFrame) -> str:
    """The combination that is first in more draws, if there is one."""
    most = table.sort("first_share", descending=True, maintain_order=True).row(0, named=True)
    is_other = most["first_share"] > table["first_share"][0]
    return f"in {percent(most['first_share'])} of draws {_name(most)} is" if is_other else ""


def _limits(first: dict[str, Any]) -> str:
    """Where it is first if slower runs counted as unsolved, the highest range of limits."""
    low, high = first["limit_low_s"], first["limit_high_s"]
    if low is None or low == high:
        return ""
    return "at every limit" + (f" from {seconds(low)}" if low > FIRST_CALLS_S else "")


def _no_limit(first: dict[str, Any]) -> str:
    """Up to which limit it is first at none."""
    low, high = first["limit_low_s"], first["limit_high_s"]
    return f"at no limit below {seconds(high)}" if low is not None and low == high else ""


def _name(row: dict[str, Any]) -> str:
    return short(combination(*(row[name] for name in PAIR)))
