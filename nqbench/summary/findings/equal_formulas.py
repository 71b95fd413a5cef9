"""Which of two encodings to use if a solver gets the same formulas from both."""

from collections.abc import Sequence

from nqbench.common.units import factor
from nqbench.common.vocabulary import COMBINATION
from nqbench.records.derived import TOTAL
from nqbench.summary.comparisons import with_intervals, with_one
from nqbench.summary.findings.leaders import Ratios, Rival, Standings
from nqbench.summary.findings.phrases import in_brackets, interval, on
from nqbench.summary.findings.wording import fit_names, listed, short
from nqbench.summary.in_total import total_costs
from nqbench.summary.observed import NAMED


def equal_formulas(standings: Standings, rivals: Sequence[Rival]) -> str:
    """Say that only encoding and loading differ, and which of the two takes less in total, if that
    is decided; otherwise that the order of the names decides.

    `rivals` get the same formulas as the first one, perhaps with their clauses in another order. Of
    several, only the names are given.
    """
    in_order = all(rival.twin == "formula" for rival in rivals)
    same = "the same formulas" if in_order else "the same clauses"
    differ = "only encoding and loading differ"
    differ = differ if in_order else f"only their order, {differ.removeprefix('only ')}"
    if len(rivals) > 1:
        names = [short(rival.name) for rival in rivals]
        return fit_names(
            lambda max_names: (
                f"{short(standings.best)} and {listed(names, max_names)} get {same}: {differ}."
            )
        )
    one, solver = standings.best.split(COMBINATION.format("", ""), 1)
    other = rivals[0].name.split(COMBINATION.format("", ""), 1)[0]
    head = f"{one} and {other} give {same} to {solver}: {differ}"
    better = _cheaper(standings, rivals[0])
    if better is None:
        return f"{head}, and no difference in total was found."
    ratios, is_first, count = better
    if ratios.typical is None:
        return f"{head}."
    name, typical = (one, 1 / ratios.typical) if is_first else (other, ratios.typical)
    low, high = ratios.low, ratios.high
    ends = interval(low, high)
    if is_first and low is not None and high is not None:
        ends = interval(1 / high, 1 / low)
    tail = in_brackets(ends, count)
    return f"{head}; {name} typically takes {factor(typical)} times as long in total{tail}."


def _cheaper(standings: Standings, rival: Rival) -> tuple[Ratios, bool, str] | None:
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
