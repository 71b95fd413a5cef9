"""The formulas of a campaign: whose header is wrong, and which are the same."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from nqbench.problems.base import Problem
from nqbench.problems.families.cnf import Formula, same_formulas

_MOST_NOTES: Final = 10


class Formulas(NamedTuple):
    """Problems of a campaign, and a sentence for each thing to know about the formulas."""

    problems: list[Problem]
    notes: list[str]


def read_formulas(problems: Sequence[Problem], *, lenient: bool) -> Formulas:
    """Return the same problems; with `lenient`, formulas with a wrong header are counted anew. In
    formats in which a wrong header is no error, it is noted.
    """
    as_read: list[Problem] = []
    recounted = []
    for problem in problems:
        if not (lenient and isinstance(problem, Formula)):
            as_read.append(problem)
            if problem.facts.note and isinstance(problem, Formula):
                recounted.append(f"{problem.instance}: {problem.facts.note}")
            continue
        formula, how = problem.counted_anew()
        as_read.append(formula)
        if how:
            recounted.append(f"{formula.instance}: {how}: counted anew")
    formulas = [p for p in as_read if isinstance(p, Formula)]
    same = [
        f"the same formula has {len(names)} names, and counts once in comparisons: "
        f"{', '.join(names)}"
        for names in same_formulas(formulas)
    ]
    return Formulas(as_read, [*_shortened(recounted), *_shortened(same)])


def _shortened(notes: list[str]) -> list[str]:
    more = len(notes) - _MOST_NOTES
    return notes if more <= 1 else [*notes[:_MOST_NOTES], f"and {more} more formulas like these"]
