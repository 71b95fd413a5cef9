"""Which encodings make formulas that are alike."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from nqbench.common.units import counted
from nqbench.common.vocabulary import AS_IT_IS
from nqbench.summary.findings.fact import Fact
from nqbench.summary.findings.wording import fit_names, listed, short, with_names
from nqbench.summary.formulas import Alike, alike, left_alone
from nqbench.summary.measured import Measured
from nqbench.summary.over_instances import noun

_MOST: Final = 3
"""Names of encodings in a list."""


def formulas(measured: Measured) -> Iterator[Fact]:
    """Encodings whose formulas have the same clauses, or the same sizes, on every problem; and how
    many formulas have no at-most-one constraint.
    """
    alone, every = left_alone(measured.records)
    if alone:
        yield Fact(left_as_they_are, list(map(short, alone)), every)
    for group in alike(measured):
        in_other_order = all(name.startswith(AS_IT_IS) for name in group.encodings)
        if len(group.encodings) > 1 and not in_other_order:
            yield Fact(alike_formulas, group, noun(measured.records))


def left_as_they_are(names: Sequence[str], every: int) -> str:
    """Name the formulas that no scheme changed."""
    head = f"No at-most-one constraint was found in {len(names)} of {counted(every, 'formula')}"
    return with_names(f"{head}, which every scheme left as they are: ", names)


def alike_formulas(group: Alike, problem_noun: str) -> str:
    """Name these encodings, and those that have n clauses fewer."""
    return fit_names(partial(_describe_alike, group, problem_noun))


def _describe_alike(group: Alike, problem_noun: str, max_names: int) -> str:
    names, less = (
        listed(list(map(short, encodings)), min(max_names, _MOST))
        for encodings in (group.encodings, group.less)
    )
    ending = f"; those of {less} have n clauses fewer" if less else ""
    if group.how == "clauses":
        return (
            f"{names} give the same clauses on every {problem_noun}, in another order, and count "
            f"once as formulas{ending}."
        )
    alike = f"are the same on every {problem_noun}" if group.same else "have equal sizes"
    return f"The formulas of {names} {alike}{ending}."
