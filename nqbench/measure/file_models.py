"""The models of a formula in a file as they are found, each checked before it is returned.

Models count once per projection: they are one if they agree on all variables but the auxiliary ones
of an encoding, and but those left out of `counted_variables`.
"""

from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from nqbench.checking.file_rows import FileRows
from nqbench.checking.judge import MOST_MODELS
from nqbench.checking.verify import Check
from nqbench.clauses import constraint_files
from nqbench.clauses.cnf import CNF
from nqbench.clauses.constraints import Literals, num_stated_variables, occurring
from nqbench.common.errors import InputError, Place, SolverError
from nqbench.common.units import counted
from nqbench.common.vocabulary import AS_IT_IS, Answer, Task
from nqbench.encodings.base import Encoding
from nqbench.encodings.rewriting import RewritingEncoding
from nqbench.isolate import Emit
from nqbench.measure.loaded_run import LoadedRun
from nqbench.measure.run_judge import RunJudge
from nqbench.measure.search import Search, objective_for
from nqbench.measure.solutions import Conclusion, End, conclude, stream
from nqbench.problems.clausal import Clausal

if TYPE_CHECKING:
    from nqbench.clauses.rewriting.rewrite import Reencoded


def counted_variables(problem: Clausal) -> Literals:
    """The variables of which each choice of values is one model, sorted: those that the lines
    `c p show` of the file name, or else `c ind`, or else all.

    Raises `InputError` if the formula cannot be read, or has no such variable.
    """
    num_variables = num_stated_variables(problem.formula())
    shown = constraint_files.annotations_of(problem.content()).shown
    if shown is None:
        return np.arange(1, num_variables + 1, dtype=np.int32)
    if beyond := [variable for variable in shown if variable > num_variables]:
        raise InputError(
            f"a line for model counters names variable {min(beyond)}, but the "
            f"formula has {counted(num_variables, 'variable')}",
            place=Place(problem.source),
        )
    return np.array(sorted(shown), np.int32)


def split_free(problem: Clausal, variables: Literals) -> tuple[Literals, int]:
    """Those of the variables that are in a clause or row of the formula, and the number of the
    others, each of which doubles the number of models.
    """
    bound = variables[occurring(problem.formula())[variables - 1]]
    return bound, len(variables) - len(bound)


def check_kept(problem: Clausal, encoding: Encoding, formula: CNF, variables: Literals) -> None:
    """Raise `InputError` if the encoding has left out one of these variables, as those that write
    constraints of clauses anew do.
    """
    if problem.has_rows or encoding.name == AS_IT_IS:
        return
    is_dropped = occurring(problem.formula())
    kept = occurring(formula)[: len(is_dropped)]
    is_dropped[: len(kept)] &= ~kept
    dropped = variables[is_dropped[variables - 1]]
    if len(dropped):
        raise InputError(
            f"encoding '{encoding.name}' does without variables that count, such as {dropped[0]}: "
            f"choose {AS_IT_IS}"
        )


@dataclass(frozen=True, slots=True)
class FileModels(LoadedRun):
    """Solves one formula for the first model or all, under limits and in a separate process."""

    problem: Clausal

    def models(self, variables: Literals) -> Generator[tuple[int, ...], None, Conclusion]:
        """Yield the first model or all, each as the literals of these variables that are true in
        it; return the conclusion.

        Raises `InputError` if the file is ambiguous. Raises `SolverError` as soon as a model breaks
        it, and if the solver crashes, reaches a limit, gives up before it has found all, or misses
        one.
        """
        judge = RunJudge()
        stated = judge.stated(self.problem)
        coming = stream(lambda emit: self._find(emit, variables), self.backend.name, self.limits)
        count, excluded = 0, set[tuple[int, ...]]()
        while True:
            try:
                content = next(coming)
            except StopIteration as stop:
                check_all = partial(self._check_all, judge, stated, excluded)
                return conclude(self, stop.value, count, judge, check_all)
            except SolverError as error:
                so_far = f"; {counted(count, 'model')} until then" if count else ""
                raise SolverError(f"{error}{so_far}") from None
            values = np.frombuffer(content, np.bool_)
            if len(values) != stated.num_variables:
                raise SolverError(f"{self.backend.name} returned a model of another size")
            if broken := stated.broken_by(values):
                raise SolverError(f"{self.backend.name} returned a wrong model: {broken}")
            literals = np.where(values[variables - 1], variables, -variables)
            model = tuple(literals.tolist())
            if model in excluded:
                raise SolverError(f"{self.backend.name} returned a model twice")
            count += 1
            if count <= MOST_MODELS + 1:
                excluded.add(model)
            yield model

    def _find(self, emit: Emit, variables: Literals) -> End:
        rewritten = self._rewritten() if self.task is Task.FIRST else None
        instance = rewritten.formula if rewritten else self.encoding.formula(self.problem)
        if isinstance(instance, CNF) and rewritten is None:
            check_kept(self.problem, self.encoding, instance, variables)
        size = num_stated_variables(self.problem.formula())
        search = Search(
            self.problem,
            self.encoding,
            self.backend,
            instance,
            counted=variables,
            objective=objective_for(self.task, self.problem, instance),
        )
        for found in search.all() if self.task is Task.ALL else filter(None, [search.first()]):
            model = rewritten.original(found.model) if rewritten else found.model
            emit(model[:size].tobytes())
            if not len(variables):  # then there is nothing to tell models apart
                answer = Answer.UNSAT if self.task is Task.ALL else Answer.SAT
                return End(answer, search.counters())
        return End(search.answer, search.counters())

    def _rewritten(self) -> "Reencoded | None":
        """The formula with its constraints in the scheme of the encoding, which gives auxiliary
        variables that it does without their values back; None if the encoding does not rewrite.
        """
        formula = None if self.problem.has_rows else self.problem.formula()
        encoding = self.encoding
        if not isinstance(encoding, RewritingEncoding) or not isinstance(formula, CNF):
            return None
        has_own_way = type(encoding).encode is not RewritingEncoding.encode
        return None if has_own_way else encoding.reencoded(formula)

    def _check_all(
        self, judge: RunJudge, stated: CNF | FileRows, models: set[tuple[int, ...]]
    ) -> Check:
        return judge.check_models(stated, sorted(models), self.limits)
