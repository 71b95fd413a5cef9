"""The formula of a problem, for commands that measure nothing."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from nqbench import isolate
from nqbench.clauses import constraint_files
from nqbench.clauses.cnf import CNF, Assignment
from nqbench.clauses.comment_lines import (
    NO_ANNOTATIONS,
    NO_DESCRIPTION,
    Annotations,
    Description,
    read_description,
)
from nqbench.clauses.constraints import Constraints, Formula, occurring
from nqbench.clauses.opb import minimised
from nqbench.common.errors import InputError, SolverError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import USUAL_ENCODING, Outcome
from nqbench.encodings import base
from nqbench.encodings.base import Encoding
from nqbench.isolate import Isolation
from nqbench.measure.cache import Encoded, InstanceCache
from nqbench.measure.literals import option_literals
from nqbench.problems.base import Problem
from nqbench.problems.clausal import Clausal
from nqbench.problems.families.described import facts_of
from nqbench.problems.foreign import is_foreign
from nqbench.problems.options import Solution

_ROWS_AS_THEY_ARE: Final = "native"


@dataclass(frozen=True, slots=True)
class FormulaFile:
    """A formula to be written. `annotations` are the lines for model counters of the file that it
    was made from. `doubts` has a sentence for each reason why they may mean something else now, and
    for what is left out.
    `description` says what was encoded, and `about_file` what maps an answer back to a file.
    """

    formula: Formula
    annotations: Annotations = NO_ANNOTATIONS
    doubts: tuple[str, ...] = ()
    description: Description = NO_DESCRIPTION
    about_file: tuple[bytes, ...] = ()

    @property
    def comments(self) -> Annotations:
        """All lines besides the formula."""
        return self.annotations.preceded_by([*self.description.lines(), *self.about_file])


def usual_encoding(problem: Problem, output: Path | None) -> str:
    """The encoding that a problem is written with if none is named. Rows of a file stay rows where
    the suffix of `output` has them.
    """
    if not isinstance(problem, Clausal) or not problem.has_rows:
        return USUAL_ENCODING
    return scheme_for(output) or problem.default_encoding


def scheme_for(output: Path | None) -> str | None:
    """The scheme that a file of this name needs, if any: where it has rows, they are stated as they
    are.
    """
    has_rows = output is not None and constraint_files.states_rows(str(output))
    return _ROWS_AS_THEY_ARE if has_rows else None


def make_file(encoding: Encoding, problem: Problem, output: Path | None = None) -> FormulaFile:
    """The formula that the encoding makes of the problem, with what else the problem's file has to
    say: also its objective, if the output can hold one. Raises as `make_formula` does.
    """
    formula, note = _make_with_note(encoding, problem, Limits())
    about: tuple[bytes, ...] = ()
    left_out: tuple[str, ...] = ()
    if output is not None and constraint_files.holds_objective(output.name):
        formula = _with_objective(formula, problem)
        if isinstance(formula, Constraints) and formula.objective and _is_opb(output):
            about = tuple(_about_file(problem))
            formula = minimised(formula)
    elif isinstance(problem, Clausal) and problem.facts.has_objective:
        left_out = (f"the objective of {problem} is left out: name an output .opb or .wcnf",)
    if not isinstance(problem, Clausal):
        doubts = tuple(filter(None, [note]))
        description = _describe(encoding, problem, formula)
        return FormulaFile(formula, doubts=doubts, description=description)
    content = problem.content()
    annotations = constraint_files.annotations_of(content)
    # The variables keep their numbers, so what the file says of them stays right.
    description = read_description(content, problem.source)
    description = description.encoded_by(encoding.name, encoding.version)
    if not annotations:
        return FormulaFile(formula, doubts=left_out, description=description, about_file=about)
    source = problem.formula()
    is_left = occurring(formula)[: source.num_variables]
    dropped = np.flatnonzero(occurring(source) & ~is_left) + 1
    fresh = formula.num_variables - source.num_variables
    doubts = (*left_out, *annotations.doubts(dropped.tolist(), fresh))
    return FormulaFile(formula, annotations, doubts, description, about)


def _is_opb(output: Path) -> bool:
    return constraint_files.states_rows(output.name)


def _about_file(problem: Problem) -> Iterator[bytes]:
    """What a solver's answer needs to be mapped back to the file with an objective, as comments:
    see `backends.snippet.OPB_READER`.
    """
    if not isinstance(problem, Clausal):
        return
    stated = constraint_files.statement(problem.content(), problem.source)
    if stated is None:
        return
    yield f"c of the file: {stated.num_variables} variables".encode()
    if problem.facts.is_maximised:
        yield b"c of the file: its objective is to be maximised, and its opposite is written"
    for number, name in enumerate(stated.names, 1):
        yield f"c of the file: x{number} is {name}".encode()


def _with_objective(formula: Formula, problem: Problem) -> Formula:
    """The formula with the objective of the problem's file, whose variables keep their numbers."""
    if not isinstance(problem, Clausal) or not problem.facts.has_objective:
        return formula
    source = problem.constraints()
    constraints = formula if isinstance(formula, Constraints) else Constraints(formula)
    if constraints.objective is not None or source.objective is None:
        return formula
    is_longer = formula.num_variables > source.num_variables
    num_fresh = 0 if is_longer else source.num_fresh
    return replace(constraints, objective=source.objective, num_fresh=num_fresh)


def _describe(encoding: Encoding, problem: Problem, formula: Formula) -> Description:
    """What the file of a formula says about it."""
    description = Description(problem.family, facts_of(problem)).encoded_by(
        encoding.name, encoding.version
    )
    if _is_own(encoding, problem):
        literals = encoding.option_literals(problem)
    else:
        variables = formula.num_variables
        literals, _ = option_literals(encoding, problem, variables, Isolation(), Limits())
    if literals is None:
        return description
    return description.with_literals(problem.options, literals)


def make_formula(encoding: Encoding, problem: Problem, limits: Limits | None = None) -> Formula:
    """The formula that the encoding makes of the problem. What a plugin or another library makes is
    made in a separate process under limits: a library may end its process without memory.

    Raises `InputError` if there is none, and `SolverError` if that process does not end well.
    """
    formula, _ = _make_with_note(encoding, problem, limits or Limits())
    return formula


def _make_with_note(encoding: Encoding, problem: Problem, limits: Limits) -> tuple[Formula, str]:
    """The formula, and what the encoding noted."""
    if _is_own(encoding, problem):
        return encoding.formula(problem), encoding.note
    encoded = InstanceCache(0).get(problem, encoding, limits)
    if isinstance(encoded, Encoded):
        if isinstance(encoded.instance, CNF | Constraints):
            return encoded.instance, encoded.note
        raise InputError(f"encoding '{encoding.name}' makes a {encoding.makes}, not clauses")
    if encoded.outcome is Outcome.INVALID:
        raise InputError(encoded.message)
    raise SolverError(f"encoding '{encoding.name}': {encoded.message}")


def make_clauses(encoding: Encoding, problem: Problem, limits: Limits | None = None) -> CNF:
    """The same as clauses only; raises `InputError` if there are constraints as well."""
    formula = make_formula(encoding, problem, limits)
    if not isinstance(formula, CNF):
        raise InputError(
            f"encoding '{encoding.name}' makes a {encoding.makes}, not clauses only: "
            "choose another encoding"
        )
    return formula


def decoded(
    encoding: Encoding, problem: Problem, values: Assignment, limits: Limits | None = None
) -> tuple[Solution, str | None]:
    """The solution of a model, and the rule that it breaks, if any; of plugins and libraries in a
    separate process. Raises `SolverError` if that process does not end well.
    """

    def decode_and_check() -> tuple[Solution, str | None]:
        solution = base.decoded(encoding, problem, values)
        return solution, problem.violation(solution)

    if _is_own(encoding, problem):
        return decode_and_check()
    ending = isolate.call(lambda: msgspec.msgpack.encode(decode_and_check()), limits or Limits())
    if ending.outcome is not Outcome.FINISHED:
        raise SolverError(f"encoding '{encoding.name}': {ending.message}")
    return msgspec.msgpack.decode(ending.payload, type=tuple[Solution, str | None])


def _is_own(encoding: Encoding, problem: Problem) -> bool:
    """Whether nothing but nqbench decides what the encoding makes."""
    if encoding.is_external:
        return False
    return encoding.distributions == ["nqbench"] and not is_foreign(problem)
