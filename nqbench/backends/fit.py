"""Which encodings, backends and tasks fit together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from nqbench.backends.base import Backend
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import (
    LARGE_ENCODING,
    LARGE_OPTIONS,
    NATIVE_ENCODING,
    USUAL_ENCODING,
    Form,
    Task,
)
from nqbench.encodings.base import Encoding
from nqbench.problems.base import Problem, ProblemOfK
from nqbench.problems.clausal import Clausal

_CANNOT: Final = {
    Task.ALL: "enumerate all solutions",
    Task.BEST: "take clauses after an answer, as the best k needs, and has no search for the best "
    "objective",
}


def task_of(problem: Problem, asked: Task | None) -> Task:
    """The task that is asked of a problem: without one, the best value of its objective, or the
    first solution if it has none, or asks for a value that is good enough.
    """
    is_open = isinstance(problem, Clausal) and problem.facts.has_objective and problem.worst is None
    return asked or (Task.BEST if is_open else Task.FIRST)


def encoding_to_optimise(formula: Clausal, backend: Backend) -> str:
    """The encoding of all steps: that of a file with a bound on its objective, which may have
    weights where no row has; none for a solver that takes them.
    """
    native = Encoding.named(NATIVE_ENCODING)
    if backend.takes_weights and backend.accepts(native):
        return native.name
    return formula.with_worst(formula.facts.ideal).default_encoding


def default_encoding(backend: Backend, problems: Iterable[Problem]) -> str | None:
    """The encoding of a backend that takes no usual one: its default, or `native` for problems that
    the default is not for, if it takes that. None if it has no default.
    """
    default, native = backend.default_encoding, Encoding.named(NATIVE_ENCODING)
    if default is None or not backend.accepts(native):
        return default
    return native.name if any(map(Encoding.named(default).why_not, problems)) else default


def why_not(
    encoding: Encoding, backend: Backend, task: Task, problems: Iterable[Problem]
) -> str | None:
    """Return in words why the backend cannot do the task for these problems with this encoding;
    None if it can.
    """
    if not backend.accepts(encoding):
        return (
            f"backend '{backend.name}' cannot solve instances of encoding '{encoding.name}' "
            f"({encoding.makes})"
        )
    if not backend.can_do(task):
        return f"backend '{backend.name}' cannot {_CANNOT[task]}"
    return next(filter(None, (_why_not_this(encoding, backend, task, p) for p in problems)), None)


def _why_not_this(encoding: Encoding, backend: Backend, task: Task, problem: Problem) -> str | None:
    if reason := _why_not_kind(encoding, backend, problem):
        return reason
    if reason := encoding.why_not(problem):
        return reason
    if not counts(encoding, backend, problem):
        return f"backend '{backend.name}' does not count, as {problem} needs"
    if reason := _why_not_weights(encoding, backend, task, problem):
        return reason
    if task is Task.BEST and (reason := _why_not_best(encoding, backend, problem)):
        return reason
    if task is Task.ALL and not problem.has_rules:
        return f"task '{task}' needs a problem with rules: use task 'first' for formulas"
    if task is Task.ALL and encoding.breaks_symmetry(problem):
        return f"encoding '{encoding.name}' leaves out solutions"
    return None


def _why_not_weights(
    encoding: Encoding, backend: Backend, task: Task, problem: Problem
) -> str | None:
    """Why the backend does not take the weights of rows or of the objective, in words; None if it
    does.
    """
    if not weighs(encoding, backend, problem):
        return f"backend '{backend.name}' takes no weights, as {problem} needs"
    return why_too_heavy(encoding, backend, task, problem)


def why_too_heavy(encoding: Encoding, backend: Backend, task: Task, problem: Problem) -> str | None:
    """Why the weights add up to more than the backend takes, in words; None if they do not."""
    if backend.largest_sum is None:
        return None
    facts, has_objective = problem.facts, task is Task.BEST
    largest = max(
        facts.largest_sum if encoding.makes in {Form.COVER, Form.CNF_PLUS} else 0,
        facts.objective_sum if has_objective else 0,
    )
    from nqbench.clauses.linear import why_too_large  # imports NumPy

    return why_too_large(largest, backend.largest_sum, backend.name)


def _why_not_kind(encoding: Encoding, backend: Backend, problem: Problem) -> str | None:
    # The backend first, since the encoding may be its default, which nobody named.
    is_default = backend.default_encoding == encoding.name
    for kind in (backend.only_for, encoding.only_for if is_default else Problem):
        if not isinstance(problem, kind):
            if is_default and (other := default_encoding(backend, [problem])) != encoding.name:
                return f"backend '{backend.name}' needs an encoding for {problem}: try {other}"
            return f"backend '{backend.name}' is for {kind.plural}, not for {problem}"
    if problem.needs_assumptions and not backend.capabilities.assumptions:
        return f"backend '{backend.name}' takes no assumptions, as {problem} needs"
    return None


def _why_not_best(encoding: Encoding, backend: Backend, problem: Problem) -> str | None:
    if problem.facts.has_objective:
        if backend.capabilities.optimises:
            return None
        return without_search(problem, backend.name)
    if not isinstance(problem, ProblemOfK):
        return f"{problem} has no k or objective to optimise"
    if not backend.tightens:
        return f"backend '{backend.name}' cannot take clauses after an answer, as the best k needs"
    if not encoding.tightens:
        return f"encoding '{encoding.name}' has other variables for each bound: choose totalizer"
    return None


def without_search(problem: Problem, backend: str) -> str:
    """Why a backend that does not optimise is refused, with both ways out."""
    return (
        f"{problem} has an objective, and {backend} does not optimise: choose one that does, such "
        "as rc2, or --task first for any model"
    )


def counts(encoding: Encoding, backend: Backend, problem: Problem) -> bool:
    """Whether the backend can solve what the encoding makes of bounded items, or there are none."""
    return not problem.has_bounds or encoding.makes is not Form.COVER or backend.takes_bounds


def weighs(encoding: Encoding, backend: Backend, problem: Problem) -> bool:
    """Whether the backend can solve what the encoding makes of rows with weights, or there are
    none.
    """
    leaves_rows = encoding.makes in {Form.COVER, Form.CNF_PLUS}
    return not problem.facts.has_weights or not leaves_rows or backend.takes_weights


def loaded(
    problem: Problem, encoding: str | None, backend: str, task: Task
) -> tuple[Encoding, Backend]:
    """Load the encoding and the backend with these names for this problem. Without an encoding, use
    the default of the backend, or a scheme that suits the size of the problem.

    Raises `InputError` for a wrong name, or a combination that does not fit or cannot do the task.
    """
    solver = Backend.named(backend)
    loaded_encoding = Encoding.named(
        encoding or default_encoding(solver, [problem]) or encoding_by_size(problem)
    )
    if reason := why_not(loaded_encoding, solver, task, [problem]):
        raise InputError(reason)
    return loaded_encoding, solver


def encoding_by_size(problem: Problem) -> str:
    """The encoding that solves a problem if nobody names one: the default of the problem, or a
    smaller one if that is the usual one and the problem is large.
    """
    usual = problem.default_encoding
    is_large = usual == USUAL_ENCODING and len(problem.options) >= LARGE_OPTIONS
    return LARGE_ENCODING if is_large else usual
