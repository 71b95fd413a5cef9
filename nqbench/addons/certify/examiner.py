"""Certifies an encoding on problems: by counting, and by proofs in both directions."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

import msgspec

from nqbench.addons.certify.certificate import (
    CHECKER,
    OPTIONS_FIRST,
    RULES,
    SOURCES,
    Certificate,
    Count,
)
from nqbench.addons.certify.counting import MOST_LOOKED_FOR, Counting
from nqbench.addons.certify.directions import Directions, read_rules
from nqbench.addons.certify.pigeonhole_proof import Pigeonholes
from nqbench.addons.certify.row_directions import (
    ConstraintsOfRules,
    LexLeaders,
    RowDirections,
    file_rows,
)
from nqbench.addons.certify.rows_examiner import compare
from nqbench.addons.certify.shared_variables import shared_variable
from nqbench.checking import proof, stamping
from nqbench.checking.evidence import Certifier
from nqbench.checking.verify import BY_FIRST_VALUES, DECODED
from nqbench.clauses.cnf import CNF, Block
from nqbench.clauses.constraints import Constraints, as_clauses
from nqbench.common.errors import InputError, TooManyClausesError, UnavailableError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Form, Outcome
from nqbench.encodings.base import Encoding, decoded
from nqbench.isolate import Isolation
from nqbench.isolate.supervise import Ending
from nqbench.measure.cache import Encoded, InstanceCache
from nqbench.measure.copies import stampings
from nqbench.measure.encode import option_literals
from nqbench.measure.implication.implications import Subject, with_options
from nqbench.measure.implication.steps import Direction, State, Steps
from nqbench.measure.implication.templates import Templates
from nqbench.measure.readings import read_twice
from nqbench.measure.run_judge import certifier
from nqbench.plugins.availability import why_unavailable
from nqbench.problems.base import Problem
from nqbench.problems.clausal import Clausal
from nqbench.problems.queens import Queens


def certificates(
    encoding: Encoding,
    problems: Iterable[Problem],
    limits: Limits,
    caller: Isolation | None = None,
) -> Iterator[Certificate]:
    """Yield a certificate for each problem. Each step runs in a separate process under the limits.

    Raises `InputError` if the encoding cannot encode one of them or makes no clauses, and
    `UnavailableError` if it does not work here.
    """
    problem_list = list(problems)
    if reason := why_not(encoding, problem_list):
        raise InputError(reason)
    if reason := why_unavailable(lambda _: encoding, encoding.name, caller):
        raise UnavailableError(reason)
    examiner = _Examiner(encoding, limits, caller or Isolation())
    return map(examiner.certificate, problem_list)


def why_not(encoding: Encoding, problems: Iterable[Problem]) -> str | None:
    """Why the encoding makes no clauses of these problems, in words; None if it does."""
    if encoding.makes not in {Form.CNF, Form.CNF_PLUS}:
        return f"encoding '{encoding.name}' makes a {encoding.makes}, not clauses"
    for problem in problems:
        if isinstance(problem, Clausal) and not problem.has_rows:
            return f"{problem} has clauses only: give a file with rows, such as KNF"
        if isinstance(problem, Clausal) and encoding.makes is not Form.CNF:
            return f"encoding '{encoding.name}' leaves the rows of {problem} to the solver"
        if reason := encoding.why_not(problem):
            return reason
    return None


@dataclass(slots=True)
class _Examiner:
    """Certifies one encoding; counts and proofs that problems share are made once."""

    encoding: Encoding
    limits: Limits
    caller: Isolation
    certifier: Certifier = field(init=False)
    _steps: Steps = field(init=False)
    _templates: Templates = field(init=False)
    _pigeonholes: Pigeonholes = field(init=False)
    _now: str = ""

    def __post_init__(self) -> None:
        tell = self.caller.tell
        self.caller = replace(
            self.caller, tell=lambda doing, limit_s: tell(f"{self._now}: {doing}", limit_s)
        )
        self.certifier = certifier(self.caller)
        self._steps = Steps(self.certifier, self.caller, self.limits)
        self._templates = Templates(self._steps)
        self._pigeonholes = Pigeonholes(self._steps)

    def certificate(self, problem: Problem) -> Certificate:
        """Encode, count, and prove both directions."""
        started = time.monotonic()
        self._now = f"{self.encoding.name} on {problem}"
        encoded = InstanceCache(0, self.caller).get(problem, self.encoding, self.limits)
        variables = clauses = None
        formula = _clauses(encoded)
        if isinstance(encoded, Encoded) and isinstance(formula, CNF):
            count, only, every, relied_on = self._examine(problem, encoded, formula)
            variables, clauses = formula.num_variables, formula.num_clauses
        else:
            failed = Direction(message=str(formula))
            count, only, every, relied_on = Count(message=str(formula)), failed, failed, []
        return Certificate(
            encoding=self.encoding.name,
            family=problem.family,
            n=problem.n,
            instance=problem.instance,
            variables=variables,
            clauses=clauses,
            count=count,
            only_solutions=only,
            every_solution=every,
            relied_on=tuple(dict.fromkeys(relied_on)),
            wall_s=time.monotonic() - started,
            note=encoded.note if isinstance(encoded, Encoded) else "",
            has_failed=isinstance(encoded, Ending) and encoded.outcome is Outcome.CRASHED,
        )

    def _examine(
        self, problem: Problem, encoded: Encoded, formula: CNF
    ) -> tuple[Count, Direction, Direction, list[str]]:
        if isinstance(problem, Clausal):
            only, every = _both(lambda: self._examine_file(problem, formula))
            is_proved = State.PROVED in (only.state, every.state)
            basis = [CHECKER, "the judge's reading of the file"] if is_proved else []
            return Count(), only, every, basis
        # Count and proofs take the symmetries for granted.
        symmetry = self._symmetry(problem)
        if symmetry.state is not State.PROVED:
            return Count(), Direction(), symmetry, []
        why_no_rules, is_counted = read_rules(problem, self._steps)
        literals, reason = option_literals(
            self.encoding, problem, formula.num_variables, self.caller, self.limits
        )
        count = self._count(problem, formula, encoded.lazy, literals, why_no_rules)
        relied_on = _basis_of_count(count)
        has_symmetries = self.certifier.statement(problem).has_symmetries
        if has_symmetries:
            relied_on.append("the check that the symmetries are those of the rules")
        reason = reason or why_no_rules
        if literals is None or reason:
            neither = Direction(message=reason)
            return count, neither, neither, relied_on
        if is_counted and encoded.shows_options and not len(encoded.lazy):
            only, every = _both(lambda: self._examine_counted(problem, formula, has_symmetries))
            if State.PROVED in (only.state, every.state):
                relied_on += [CHECKER, RULES, OPTIONS_FIRST]
            return count, only, every, relied_on
        full = formula.with_clauses(encoded.lazy)
        has_options = encoded.shows_options
        subject = Subject(full, len(literals)) if has_options else with_options(full, literals)
        directions = Directions(
            problem,
            partial(decoded, self.encoding, problem),
            BY_FIRST_VALUES if has_options else DECODED,
            full,
            subject,
            self._steps,
            is_counted=is_counted,
            has_symmetries=has_symmetries,
            breaks_symmetry=encoded.breaks_symmetry,
            keeps_half=isinstance(problem, Queens)
            and self.encoding.values.get("symmetry") == "half",
        )
        only, every = directions.only_solutions(), directions.every_solution()
        if State.PROVED in (only.state, every.state):
            relied_on += [CHECKER, RULES, OPTIONS_FIRST if has_options else "option_literals()"]
        if only.state is State.PROVED:
            relied_on += self._pigeonholes.basis(problem, subject.formula)
        return count, only, every, relied_on

    def _examine_file(self, problem: Clausal, formula: CNF) -> tuple[Direction, Direction]:
        """Both directions for a file with rows."""
        rows = replace(read_twice(problem).linear(), worst=problem.worst)
        if not (problem.facts.has_weights or problem.facts.has_objective):
            copies = stampings(self.encoding, problem, rows, self.caller, self.limits)
            directions = RowDirections(formula, rows, copies, self._templates)
            only, every = directions.only_solutions(), directions.every_solution()
            if copies or State.OPEN not in {only.state, every.state}:
                return only, every
        # Whoever wrote it, as a program: nothing is known of how it states rows.
        formula = replace(formula, num_main=rows.num_variables)
        only, every = compare(formula, rows, self._steps)
        if every.state is State.REFUTED:
            hint = shared_variable(formula, rows, every, self._steps)
            every = replace(every, message="; ".join(filter(None, [every.message, hint])))
        return only, every

    def _examine_counted(
        self, problem: Problem, formula: CNF, has_symmetries: bool
    ) -> tuple[Direction, Direction]:
        """Both directions by the rows of the problem's constraints, and the comparison of these
        with the rules; and of all other clauses with the solutions that symmetries keep.
        """

        def packed() -> bytes:
            constraints = problem.constraints()
            constraints.check()
            return b"".join(constraints.pack())

        payload = self._steps.call("reading the constraints", packed)
        constraints = Constraints.unpack(memoryview(payload))
        rows = file_rows(constraints)
        copies = stampings(self.encoding, problem, rows, self.caller, self.limits)
        of_rows, others = formula, None
        if has_symmetries:
            of_rows, others = stamping.divide(formula, rows, copies)
        directions = RowDirections(of_rows, rows, copies, self._templates)
        only, every = directions.only_solutions(), directions.every_solution()
        compared = ConstraintsOfRules(problem, constraints, self._steps)
        if only.state is State.PROVED:
            only = compared.imply_rules()
        if every.state is State.PROVED:
            every = compared.follow_from_rules()
        if every.state is State.PROVED and others is not None:
            lex_leaders = LexLeaders(problem, others, constraints.num_variables, self._steps)
            every = lex_leaders.imply_clauses()
        return only, every

    def _symmetry(self, problem: Problem) -> Direction:
        """Whether the symmetries that the problem has, if any, keep a solution of each class."""
        try:
            flaw = self.certifier.flaw_of_symmetry(problem, self.limits)
        except proof.NotCheckedError as error:
            return Direction(message=str(error))
        return Direction(State.REFUTED, flaw) if flaw else Direction(State.PROVED)

    def _count(
        self,
        problem: Problem,
        formula: CNF,
        lazy: Block,
        literals: Block | None,
        why_no_rules: str,
    ) -> Count:
        expected, source = self.certifier.count(problem)
        if expected is None:
            return Count(message=why_no_rules or "too many solutions to count")
        if expected > MOST_LOOKED_FOR:
            message = f"more than {MOST_LOOKED_FOR} solutions"
            return Count(message=message, expected=expected, source=source)
        counting = Counting(problem, self.encoding, formula, lazy, literals, expected, source)
        ending = self.caller.call("counting", counting.count, self.limits)
        if ending.outcome is not Outcome.FINISHED:
            return Count(message=ending.message, expected=expected, source=source)
        return msgspec.msgpack.decode(ending.payload, type=Count)


def _both(show: Callable[[], tuple[Direction, Direction]]) -> tuple[Direction, Direction]:
    """Both directions; neither if something that they need is missing."""
    try:
        return show()
    except (proof.NotCheckedError, InputError, ValueError) as error:
        neither = Direction(message=str(error))
        return neither, neither


def _clauses(encoded: Encoded | Ending) -> CNF | str:
    """The clauses of an instance, or why there are none."""
    if not isinstance(encoded, Encoded):
        return encoded.message
    assert isinstance(encoded.instance, CNF | Constraints)
    try:
        return as_clauses(encoded.instance)
    except TooManyClausesError as error:
        return str(error)


def _basis_of_count(count: Count) -> list[str]:
    """What a count relies on, if it is right."""
    if count.state is not State.PROVED:
        return []
    basis = [RULES, SOURCES[count.source]]
    return [*basis, "the solver finding all models"] if count.every_model else basis
