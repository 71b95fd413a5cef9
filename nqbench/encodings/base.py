"""The interface of an encoding, and the names of those that are installed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, ClassVar, Final

from nqbench.common.errors import InputError, SolverError, UnavailableError
from nqbench.common.vocabulary import AS_IT_IS, WEIGHING_ENCODING, Form
from nqbench.plugins import encoding_names
from nqbench.plugins.component import Component
from nqbench.plugins.loading import ENCODINGS
from nqbench.problems.base import Problem
from nqbench.problems.options import Solution

if TYPE_CHECKING:
    from nqbench.clauses.cnf import CNF, Assignment, Block
    from nqbench.clauses.constraints import Formula
    from nqbench.clauses.stamp import Copies
    from nqbench.problems.instances import Instance

_LARGEST_NUMBER: Final = 2**31 - 1


class Encoding(Component, ABC):
    """Turns a problem into an instance, usually clauses, and a model back into a solution."""

    group: ClassVar[str] = ENCODINGS

    reference: ClassVar[str]
    """The paper or system that the scheme comes from."""

    makes: ClassVar[Form] = Form.CNF
    """The kind of instance that `encode` returns."""

    @property
    def only_for(self) -> type[Problem]:
        """The kind of problems that it is for."""
        return Problem

    needs_choices: ClassVar[bool] = False
    """Whether the options of the problem have to form choices: see `encodings.choices`."""

    states_bounds: bool = False
    """Whether it can encode rows with bounds above one."""

    states_weights: bool = False
    """Whether it can encode rows with weights."""

    @property
    def counting(self) -> str:
        """The name of an encoding that counts, and that states rows with bound 1 as this one does;
        empty if there is none.
        """
        return ""

    tightens: bool = False
    """Whether its auxiliary variables mean the same for every bound: then the clauses for a tighter
    bound can be added to those for a looser one, and both together have the solutions of the
    tighter one.
    """

    breaks_symmetries: ClassVar[bool] = False
    """Whether it states which solutions are kept, where a problem has a `lex_leader`."""

    rewrites: ClassVar[bool] = False
    """Whether it also encodes formulas, by stating their at-most-one constraints in its own way."""

    is_external: ClassVar[bool] = False
    """Whether a program makes the formula, whose command follows the name: `exe:COMMAND`."""

    note: str = ""
    """What the last `encode` accepted, for messages: short, and empty if it has nothing to say."""

    def shows_options(self, problem: Problem) -> bool:  # noqa: ARG002
        """Whether a model starts with the values of the options. If so, the solution is checked
        against them as well.
        """
        return True

    def option_literals(self, problem: Problem) -> Block | None:
        """For each option, literals on the model's first variables: in a model, the option is
        chosen if and only if all of them are true. Shape (options, literals), or None if there are
        no such literals. Solutions are checked against them where a model does not start with the
        values of the options. Proofs that the encoding is correct need them, too.
        """
        if not self.shows_options(problem):
            return None
        import numpy as np  # not for the help of a command, which names encodings only

        return np.arange(1, len(problem.options) + 1, dtype=np.int32)[:, np.newaxis]

    def derivation(self, problem: Problem, *, binary: bool) -> Iterator[bytes]:  # noqa: ARG002
        """The first part of a DRAT proof, which derives the instance from the clauses of a formula,
        in text or in the binary format. By default it is empty: there are no other clauses.
        """
        return iter(())

    def copies(self, problem: Problem) -> Sequence[Copies]:  # noqa: ARG002
        """The copies of templates that the instance states the rows of a problem with. They are
        compared with the instance and with the rows. By default there are none: then `unsat` about
        a file with rows is verified by other means, or not at all.
        """
        return ()

    def lazy_clauses(self, problem: Problem) -> Block:  # noqa: ARG002
        """Clauses that every solution satisfies and the instance leaves out, shape (clauses, k). A
        model that breaks one is rejected: the first one that it breaks is added, and the solver is
        asked again. By default there are none, and every model is a solution.
        """
        from nqbench.clauses.cnf import no_clauses

        return no_clauses()

    def breaks_symmetry(self, problem: Problem) -> bool:
        """Whether it leaves out solutions of this problem of which it keeps one of the `images`."""
        return problem.has_symmetries

    def takes_formula(self, problem: Problem) -> bool:  # noqa: ARG002
        """Whether it can encode what has clauses or rows already, and no rules."""
        return self.rewrites

    def why_not(self, problem: Problem) -> str | None:
        """Why it cannot encode this problem, in words; None if it can."""
        if not problem.has_rules and not self.takes_formula(problem):
            return f"encoding '{self.name}' does not apply to {problem}, which has clauses already"
        if problem.needs_assumptions and self.name != AS_IT_IS:
            return f"{problem} is asked as it is: leave out encoding '{self.name}'"
        if not isinstance(problem, self.only_for):
            return f"encoding '{self.name}' is for {self.only_for.plural}, not for {problem}"
        if problem.has_bounds and not self.states_bounds:
            choose = f": choose for instance {self.counting}" if self.counting else ""
            return f"encoding '{self.name}' does not count, as {problem} needs{choose}"
        if problem.facts.has_weights and not self.states_weights:
            choose = WEIGHING_ENCODING
            return f"encoding '{self.name}' states no weights, as {problem} needs: use {choose}"
        if problem.has_symmetries and not self.breaks_symmetries:
            return f"encoding '{self.name}' does not break symmetries, as {problem} asks"
        if self.needs_choices and not problem.has_choices:
            return f"encoding '{self.name}' needs choices, which {problem} does not have"
        return None

    @abstractmethod
    def encode(self, problem: Problem) -> Instance:
        """Return the instance whose models are the solutions of the problem."""

    def formula(self, problem: Problem) -> Formula:
        """Return the instance as clauses, perhaps with at-most-k constraints. Raises `InputError`
        if the encoding makes no clauses.
        """
        from nqbench.clauses.cnf import CNF
        from nqbench.clauses.constraints import Constraints

        instance = self.encode(problem)
        if not isinstance(instance, CNF | Constraints):
            raise InputError(f"encoding '{self.name}' makes a {self.makes}, not clauses")
        return instance

    def clauses(self, problem: Problem) -> CNF:
        """Return the instance as clauses. Raises `InputError` if it is not clauses only."""
        from nqbench.clauses.cnf import CNF

        formula = self.formula(problem)
        if not isinstance(formula, CNF):
            raise InputError(
                f"encoding '{self.name}' makes a {self.makes}, not clauses only: "
                "choose another encoding"
            )
        return formula

    def decode(self, problem: Problem, values: Assignment) -> Solution:
        """Return the solution of a model, whose `values` have shape (model_size,). By default the
        first values are those of the options.
        """
        options = problem.options
        return tuple(options[at] for at in values[: len(options)].nonzero()[0].tolist())


def decoded(encoding: Encoding, problem: Problem, values: Assignment) -> Solution:
    """Return the result of `decode`. Raises `SolverError` unless it consists of tuples of int, each
    of the length that options have.
    """
    solution = tuple(encoding.decode(problem, values))
    if not solution:
        return solution
    width = len(problem.options[0]) if len(problem.options) else 0
    sound = set(map(len, solution)) == {width} and set(map(type, chain(*solution))) <= {int}
    if not sound or max(map(abs, chain(*solution)), default=0) > _LARGEST_NUMBER:
        excerpt, expected = f"{solution[:2]}"[:60], "pairs" if width == 2 else f"tuples of {width}"
        raise SolverError(
            f"decode() of {encoding.name} returned {excerpt}: expected {expected} of int"
        )
    return solution


def complete_encoding_names() -> list[str]:
    """The names of the installed encodings except those that need a command, such as `exe`."""
    return [name for name in encoding_names() if not needs_command(name)]


def needs_command(encoding: str) -> bool:
    """Whether a command has to follow the name of this encoding, as in `exe:COMMAND`."""
    try:
        return Encoding.named(encoding).is_external
    except UnavailableError:
        return False
