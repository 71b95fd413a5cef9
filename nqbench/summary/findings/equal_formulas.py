"""Which of two encodings to use if a solver gets the same formulas from both."""

from collections.abc import Sequence

from nqbench.common.units import factor
from nqbench.common.vocabulary import COMBINATION
from nqbench.records.derived import TOTAL
from nqbench.summary.comparisons import with_intervals, with_one
from nqbench.summary.findings.fact import Fact
from nqbench.summary.findings.leaders import Ratios, Rival, Standings
from nqbench.summary.findings.phrases import in_brackets, interval, on
from nqbench.summary.findings.wording import short, with_names
from nqbench.summary.in_total import total_costs
from nqbench.summary.observed import NAMED

Cheaper = tuple[Ratios, bool, str] | None


def equal_formulas(standings: Standings, rivals: Sequence[Rival]) -> Fact:
    """That only encoding and loading differ, and which of two takes less in total, if that is
    decided.

    `rivals` get the same formulas as the first one, perhaps with their clauses in another order.
    """
    names = [rival.name for rival in rivals]
    in_order = all(rival.twin == "formula" for rival in rivals)
    cheaper = None if names[1:] else _cheaper(standings, rivals[0])
    return Fact(same_formulas, standings.best, names, cheaper, in_order=in_order)


def same_formulas(best: str, others: Sequence[str], cheaper: Cheaper, *, in_order: bool) -> str:
    """Of several others, only the names are given."""
    same = "the same formulas" if in_order else "the same clauses"
    differ = "only encoding and loading differ"
    differ = differ if in_order else f"only their order, {differ.removeprefix('only ')}"
    if others[1:]:
        return with_names("", list(map(short, [best, *others])), f" get {same}: {differ}.")
    one, solver = best.split(COMBINATION.format("", ""), 1)
    other = others[0].split(COMBINATION.format("", ""), 1)[0]
    head = f"{one} and {other} give {same} to {solver}: {differ}"
    if cheaper is None:
        return f"{head}, and no difference in total was found."
    ratios, is_first, count = cheaper
    if ratios.typical is None:
        return f"{head}."
    name, typical = (one, 1 / ratios.typical) if is_first else (other, ratios.typical)
    low, high = ratios.low, ratios.high
    ends = interval(low, high)
    if is_first and low is not None and high is not None:
        ends = interval(1 / high, 1 / low)
    tail = in_brackets(ends, count)
    return f"{head}; {name} typically takes {factor(typical)} times as long in total{tail}."


def _cheaper(standings: Standings, rival: Rival) -> Cheaper:
    """The ratios of total times, whether the first one takes less, and on how many problems; None
    if that is undecided, or the total times are not known.
    """
    measured = standings.measured
    known = total_costs(measured).select(NAMED)["pair"]
    if not {standings.best, rival.name} <= set(known):
        return None
    row = with_one(measured, TOTAL, standings.best).filter(second=rival.name)
    side = row["typical"][0]
    if not side:
        return None
    (described,) = with_intervals(measured, TOTAL, row).iter_rows(named=True)
    count = on(described["faster" if side < 0 else "slower"], described["problems"])
    return Ratios.of(described), side < 0, count
