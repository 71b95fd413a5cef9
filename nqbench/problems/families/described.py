"""Problems that comment lines of a formula describe: see `clauses.comment_lines`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec

from nqbench.common.errors import InputError, Place, UnavailableError
from nqbench.plugins import family_names
from nqbench.problems.base import Problem
from nqbench.problems.families.base import Family
from nqbench.problems.foreign import problem_identity

if TYPE_CHECKING:
    from nqbench.clauses.cnf import Block
    from nqbench.clauses.comment_lines import Description
    from nqbench.clauses.constraints import Formula

_LABELS: Final = {"family", "instance", "density"}
"""What names a problem only."""


@dataclass(frozen=True, slots=True)
class DescribedFormula:
    """A formula in a text, and what its comment lines say. `notes` are sentences about what was
    accepted nevertheless, such as a wrong header.
    """

    formula: Formula
    description: Description
    source: str
    notes: tuple[str, ...] = ()

    @classmethod
    def read(cls, content: bytes, source: str) -> DescribedFormula:
        """Read a text in any of the formats. Its variables and clauses are counted anew. Raises
        `InputError` with the source and the line.
        """
        from nqbench.clauses import constraint_files  # NumPy takes long to import
        from nqbench.clauses.comment_lines import read_description

        formula = constraint_files.read(content, source, lenient=True)
        description = read_description(content, source)
        differs = constraint_files.miscounted(content, source)
        notes = [f"{differs}: counted anew"] if differs else []
        notes += [f"'{line}' is unknown and was not read" for line in description.unknown]
        return cls(formula, description, source, tuple(notes))

    def problem(self, named: Problem | None) -> Problem:
        """The problem that the lines describe, or the `named` one if they do not. Raises
        `InputError` if they describe another one, or if nothing says which it is.
        """
        description = self.description
        if not description.family:
            if named is None:
                raise InputError(
                    f"{self.source} does not say which problem it encodes: name it, for instance "
                    "with --n 8, or give one file of its rows with --cnf"
                )
            return named
        try:
            described = described_problem(description.family, description.facts)
        except (InputError, UnavailableError) as error:
            if named is None:
                raise InputError(str(error), place=Place(self.source)) from error
            return named
        if named is not None and not is_same(named, described):
            raise InputError(f"{self.source} says that it encodes {described}, not {named}")
        return described if named is None else named

    def literals(self, problem: Problem) -> Block:
        """The literals of the options: see `Description.literals`."""
        try:
            return self.description.literals(problem.options)
        except InputError as error:
            raise InputError(str(error), place=Place(self.source)) from error


def facts_of(problem: Problem) -> dict[str, Any]:
    """The fields by which `described_problem` finds the problem again: n and k where these are
    enough.
    """
    facts: dict[str, Any] = {"n": problem.n}
    if (k := getattr(problem, "k", None)) is not None:
        facts["k"] = k
    with suppress(InputError, UnavailableError):
        if problem.n is not None and described_problem(problem.family, facts) == problem:
            return facts
    identity = problem_identity(problem)
    return {name: value for name, value in identity.items() if name != "family"}


def described_problem(family_name: str, facts: Mapping[str, Any]) -> Problem:
    """The problem of an installed family with these fields. Raises `InputError` if there is none,
    and `UnavailableError` if the family does not work here.
    """
    if family_name.partition(":")[0] not in family_names():
        raise InputError(f"no family '{family_name}' is installed here: name the problem")
    family = Family.named(family_name)
    if not facts.keys() <= {"n", "k"}:
        try:
            fields = {**facts, "family": family.name}
            problem: Problem = msgspec.convert(fields, family.problem)
        except (msgspec.ValidationError, TypeError, ValueError) as error:
            raise InputError(f"no problem of family '{family.name}': {error}") from error
        return problem
    if "n" not in facts:
        raise InputError(f"the problem of family '{family.name}' has no n: write for instance n=8")
    problem = family.of_size(facts["n"])
    k = facts.get("k")
    if k is None or getattr(problem, "k", None) == k:
        return problem
    if "k" not in family.parameters:
        raise InputError(f"family '{family.name}' has no k")
    return family.with_k(k).of_size(facts["n"])


def is_same(one: Problem, other: Problem) -> bool:
    """Whether two problems ask the same, whatever they are called."""
    if type(one) is not type(other):
        return False
    return one.digest == other.digest or (_base(one), _asked(one)) == (_base(other), _asked(other))


def _base(problem: Problem) -> str:
    return problem.family.partition(":")[0]


def _asked(problem: Problem) -> dict[str, Any]:
    identity = problem_identity(problem)
    return {name: value for name, value in identity.items() if name not in _LABELS}
