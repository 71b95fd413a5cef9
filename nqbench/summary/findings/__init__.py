"""What the records show: facts, and a sentence from each. Each module answers one question."""

from collections.abc import Callable, Sequence

from nqbench.common.units import is_time
from nqbench.summary.bounded import duels
from nqbench.summary.findings import (
    answers,
    cautions,
    encoding,
    formulas,
    growth,
    race,
    schemes,
    speed,
    stability,
    unchecked,
    unsolved,
)
from nqbench.summary.findings.added import added
from nqbench.summary.findings.fact import Fact
from nqbench.summary.groups import BY_FAMILY, groups
from nqbench.summary.measured import Measured, Records
from nqbench.summary.over_instances import noun


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
        *(() if capped else stability.stable(measured, time)),
        *schemes.best_schemes(records, time),
        *formulas.formulas(measured),
        *(encoding.encoding(measured, time) if is_time(time) else ()),
        unsolved.unsolved(records),
        *capped,
        *answers.checked(measured),
        *unchecked.unchecked(records),
        *growth.growth(records, time),
        *growth.largest(measured),
    ]
