"""What a terminal shows of the findings: three sentences."""

from collections.abc import Iterator

from nqbench.common import metrics
from nqbench.common.metrics import SCORE
from nqbench.common.spelling import ComponentName
from nqbench.common.units import about, is_time
from nqbench.summary.bounded import duels
from nqbench.summary.findings import answers, race, speed, unsolved
from nqbench.summary.findings.added import added
from nqbench.summary.findings.cautions import Output, cautions
from nqbench.summary.findings.wording import joined, short
from nqbench.summary.formulas import alike
from nqbench.summary.in_total import total_costs
from nqbench.summary.measured import Measured
from nqbench.summary.noise import digits_of_times
from nqbench.summary.observed import NAMED
from nqbench.summary.over_instances import noun
from nqbench.summary.recommendation import Recommendation


def in_brief(measured: Measured, metric: str, use: Recommendation | None) -> list[str]:
    """What is first and how sure that is; what to use; and what was not solved or wrong, which
    comes before the others if an answer is wrong, and what was not measured here. `use` is the
    recommendation, if there is one. What add-ons say is at the end.
    """
    wrong = map(str, answers.wrong(measured.not_capped))
    by_bounds = duels(measured, metric)
    first = (
        speed.first_in_brief(measured.not_capped, metric)
        if by_bounds is None
        else race.first_in_brief(by_bounds, noun(measured.records), metric)
    )
    about_use = "" if use is None else _what_to_use(measured, metric, use)
    solved = [*_solved(measured), *cautions(measured, Output.BRIEF)]
    more = " ".join([*_own_that_are_known(measured, first), *added(measured)])
    return [*filter(None, [" ".join(wrong), first, about_use, " ".join(solved), more])]


def _own_that_are_known(measured: Measured, said: str) -> Iterator[str]:
    """Which encodings from files of the user give the same clauses as others, unless that is said
    already.
    """
    for group in alike(measured.records):
        names = group.encodings
        own = [name for name in names if ComponentName.parse(name).is_from_file]
        is_new = any(name not in said for name in own)
        if len(names) > 1 and group.how != "size" and is_new:
            yield f"{joined(names)} give the same clauses."


def _what_to_use(measured: Measured, metric: str, use: Recommendation) -> str:
    """The recommended combination, and why it is not the first one, if it is not."""
    if use.name == use.first:
        return f"Use {short(use.name)}."
    why = "of those from which no difference was found"
    if not is_time(metric):
        return f"Use {short(use.name)}, which has the fewest {metrics.noun(metric)} {why}."
    costs = dict(total_costs(measured).select(NAMED, SCORE).iter_rows())
    digits = digits_of_times(measured)
    times = [about(costs[name], digits) for name in (use.name, use.first) if name in costs]
    against = f" ({times[0]} against {times[1]})" if len(times) == 2 else ""
    return (
        f"Use {short(use.name)}: no difference to the first one was found, and it takes less on "
        f"average in total{against}, with encoding and loading."
    )


def _solved(measured: Measured) -> Iterator[str]:
    """What was solved, why the rest was not, what a race stopped, and whether the answers were
    checked.
    """
    records = measured.not_capped.records
    if not records.is_empty():
        yield str(unsolved.unsolved(records))
    yield from map(str, unsolved.capped(measured.records))
    if checks := answers.Checks.of(measured.not_capped):
        yield answers.checked_in_brief(checks)
