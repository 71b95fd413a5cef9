"""What an encoding makes of a problem and says of it, asked in a separate process."""

from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec
import numpy as np

from nqbench.clauses.cnf import CNF, Block
from nqbench.clauses.constraints import Constraints
from nqbench.common import array_bytes
from nqbench.common.errors import InputError, SolverError, TooManyClausesError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Outcome
from nqbench.encodings.base import Encoding, decoded
from nqbench.isolate import Isolation, describe_error
from nqbench.measure.timing import PhaseTime
from nqbench.problems.base import Problem
from nqbench.problems.instances import Instance, broken_by, model_size
from nqbench.problems.options import Solution


@dataclass(slots=True)
class EncodeReport:
    """What encoding cost; or why the problem has no instance, such as the flaw of a formula's file.

    The lazy clauses, of shape `lazy`, are written after the `instance_bytes` of the instance.
    `shows_options` and `breaks_symmetry` are what the encoding says of this problem, and `row` is
    its longest row. `note` is for the message of the record.
    """

    spent: PhaseTime = field(default_factory=PhaseTime)
    flaw: str = ""
    instance_bytes: int = 0
    lazy: tuple[int, int] = (0, 1)
    shows_options: bool = True
    breaks_symmetry: bool = False
    row: tuple[int, int] | None = None
    note: str = ""


def encode(encoding: Encoding, problem: Problem, write: Callable[[memoryview], object]) -> bytes:
    """Encode, write the packed instance and the lazy clauses, and return the packed `EncodeReport`.
    Everything that is asked of the encoding about this problem is asked here.
    """
    report = EncodeReport()
    try:
        with report.spent:
            instance = encoding.encode(problem)
    except InputError as error:
        report.flaw = str(error)
        return msgspec.msgpack.encode(report)
    except TooManyClausesError as error:
        report.flaw = f"encoding '{encoding.name}': {error}"
        return msgspec.msgpack.encode(report)
    if problem.has_rules:
        _check_decode(encoding, problem, instance)
    report.shows_options = bool(encoding.shows_options(problem))
    report.breaks_symmetry = bool(encoding.breaks_symmetry(problem))
    report.row = problem.longest_row()
    report.note = encoding.note
    if not isinstance(instance, Problem):
        instance.check()
        for piece in instance.pack():
            report.instance_bytes += len(piece)
            write(piece)
    lazy = _lazy_clauses(encoding, problem)
    report.lazy = lazy.shape
    for piece in array_bytes.pieces(lazy):
        write(piece)
    return msgspec.msgpack.encode(report)


def _lazy_clauses(encoding: Encoding, problem: Problem) -> Block:
    """The lazy clauses as an array. Raises `SolverError` if they are something else."""
    clauses = encoding.lazy_clauses(problem)
    lazy = np.asarray(clauses)
    if lazy.ndim != 2 or (lazy.size and lazy.dtype.kind not in "iu"):
        raise SolverError(
            f"lazy_clauses() of {encoding.name} returned {type(clauses).__name__}: expected int32 "
            "of shape (clauses, literals)"
        )
    return lazy.astype(np.int32, copy=False)


def _check_decode(encoding: Encoding, problem: Problem, instance: Instance) -> None:
    """Raise `SolverError` if `decode` returns a solution for values that are no model, or the same
    one for opposite values: it has to read the model, and must not search for a solution itself.
    """
    size = model_size(instance)
    solutions: list[Solution] = []
    for value in (False, True) if size else ():
        try:
            solution = decoded(encoding, problem, np.full(size, value))
        except (IndexError, ValueError):
            continue  # it may refuse values that are not a model
        if not _is_solution(problem, solution):
            continue
        may_be_left_out = encoding.breaks_symmetry(problem)
        if solution in solutions or not (
            may_be_left_out or _may_be_model(problem, instance, value)
        ):
            raise SolverError(
                f"decode() of {encoding.name} finds a solution where all of {size} values are "
                f"{str(value).lower()}"
            )
        solutions.append(solution)


def _is_solution(problem: Problem, solution: Solution) -> bool:
    """Whether a solution follows the rules. Raises `SolverError` if the code of the family fails:
    its encoding is not to blame.
    """
    try:
        return problem.violation(solution) is None
    except MemoryError:
        raise
    except Exception as error:
        reason = describe_error(error)
        raise SolverError(f"family '{problem.family}' cannot check a solution: {reason}") from error


def _may_be_model(problem: Problem, instance: Instance, value: bool) -> bool:
    """Whether the instance may have a model in which all main variables have this value."""
    if instance is problem:
        return problem.violation(problem.options if value else ()) is None
    if isinstance(instance, CNF | Constraints):
        cnf = instance if isinstance(instance, CNF) else instance.cnf
        about_main = [block[(np.abs(block) <= cnf.num_main).all(axis=1)] for block in cnf.blocks]
        instance = CNF(cnf.num_variables, cnf.num_main, tuple(about_main))
    return broken_by(instance, np.full(model_size(instance), value)) is None


def option_literals(
    encoding: Encoding, problem: Problem, values: int, caller: Isolation, limits: Limits
) -> tuple[Block | None, str]:
    """The encoding's `option_literals` for models of so many values; otherwise None, and why."""

    def packed() -> bytes:
        literals = encoding.option_literals(problem)
        if literals is None:
            return b""
        if literals.dtype != np.int32 or literals.ndim != 2:
            raise ValueError(f"option_literals() returned {literals.dtype} {literals.shape}")
        return msgspec.msgpack.encode((literals.shape, literals.tobytes()))

    ending = caller.call("reading the options", packed, limits)
    if ending.outcome is not Outcome.FINISHED:
        return None, ending.message or str(ending.outcome)
    if not ending.payload:
        return None, "the encoding has no option_literals()"
    shape, content = msgspec.msgpack.decode(ending.payload, type=tuple[tuple[int, int], bytes])
    literals = np.frombuffer(content, dtype=np.int32).reshape(shape)
    is_known = literals.all() and np.abs(literals).max(initial=0) <= values
    if len(literals) != len(problem.options) or not is_known:
        return None, "option_literals() does not fit the options and the formula"
    return literals, ""
