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


def read_formulas(given: Sequence[Problem], *, lenient: bool) -> Formulas:
    """Return the same problems; with `lenient`, formulas with a wrong header are counted anew."""
    problems: list[Problem] = []
    recounted = []
    for problem in given:
        if not (lenient and isinstance(problem, Formula)):
            problems.append(problem)
            continue
        formula, how = problem.counted_anew()
        problems.append(formula)
        if how:
            recounted.append(f"{formula.instance}: {how}: counted anew")
    formulas = [each for each in problems if isinstance(each, Formula)]
    same = [
        f"the same formula has {len(names)} names, and counts once in comparisons: "
        f"{', '.join(names)}"
        for names in same_formulas(formulas)
    ]
    return Formulas(problems, [*_shortened(recounted), *_shortened(same)])


def _shortened(notes: list[str]) -> list[str]:
    more = len(notes) - _MOST_NOTES
    return notes if more <= 1 else [*notes[:_MOST_NOTES], f"and {more} more formulas like these"]
