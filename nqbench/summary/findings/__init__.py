"""What the records show: facts, and a sentence from each. Each module answers one question."""

from collections.abc import Callable, Iterator, Sequence

from nqbench.common import metrics
from nqbench.common.metrics import SCORE
from nqbench.common.spelling import ComponentName
from nqbench.common.units import about, is_time
from nqbench.summary.bounded import duels
from nqbench.summary.findings import (
    answers,
    cautions,
    encodings,
    growth,
    leaders,
    race,
    speed,
    unsolved,
)
from nqbench.summary.findings.wording import Fact, added, joined, short
from nqbench.summary.formulas import alike
from nqbench.summary.groups import BY_FAMILY, groups
from nqbench.summary.intervals import digits_of_times
from nqbench.summary.measured import Measured, Records
from nqbench.summary.observed import NAMED
from nqbench.summary.recommendation import Recommendation, total_costs
from nqbench.summary.series import noun


def findings(records: Records, time: str = "solve_s", by: Sequence[str] = BY_FAMILY) -> list[str]:
    """Describe what the records of each family show in about eight sentences, the most important
    first. With several families, or other groups by columns of records, each sentence begins with
    the name of its group.

    They report errors, the fastest combination of encoding and backend, those that cannot be
    distinguished from it, in how many draws of the problems it stays first, whether other
    at-most-one schemes pay, formulas that are alike, the cost of encoding, unsolved runs and the
    reasons, how answers were checked and why others were not, how the time grows with n, and what
    to keep in mind. A sentence is left out if the records do not support it. `time` is the column
    to compare, as in `observed`. Spaces within numbers do not break.
    """
    return _describe_groups(
        records, by, lambda group: [*facts(group, time), *added(group), *_cautions(group)]
    )


def stated(records: Records, time: str = "solve_s", by: Sequence[str] = BY_FAMILY) -> list[str]:
    """The findings without what to keep in mind, for a page that says that elsewhere."""
    return _describe_groups(records, by, lambda group: [*facts(group, time), *added(group)])


def _describe_groups(
    records: Records, by: Sequence[str], describe: Callable[[Measured], Sequence[object]]
) -> list[str]:
    record_groups = groups(records, by)
    return [
        f"{group.name}: {fact}" if record_groups[1:] else str(fact)
        for group in record_groups
        for fact in describe(group.measured)
    ]


def _cautions(measured: Measured) -> list[str]:
    return [
        f"To keep in mind: {caution}"
        for caution in cautions.cautions(measured, cautions.Output.FINDINGS)
    ]


def facts(records: Records, time: str = "solve_s") -> list[Fact]:
    """What records of one family, or another group, show: see `findings`."""
    measured = Measured.of(records)
    capped, by_bounds = [*unsolved.capped(measured.records)], duels(measured, time)
    measured = measured.not_capped
    records = measured.records
    if records.is_empty():
        return capped
    return [
        *answers.wrong(measured),
        *(
            speed.speed(measured, time)
            if by_bounds is None
            else race.of_race(by_bounds, noun(records), time)
        ),
        *(() if capped else leaders.stable(measured, time)),
        *encodings.best_schemes(records, time),
        *encodings.formulas(measured),
        *(encodings.encoding(measured, time) if is_time(time) else ()),
        unsolved.unsolved(records),
        *capped,
        *answers.checked(measured),
        *answers.unchecked(records),
        *growth.growth(records, time),
        *growth.largest(measured),
    ]


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
    solved = [*_solved(measured), *cautions.cautions(measured, cautions.Output.BRIEF)]
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
