"""Records what an application asks PySAT: `with nqbench.record("FOLDER"): ...`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from os import PathLike
from pathlib import Path
from typing import Any, Final, TextIO

from nqbench.addons.sequences.sequence import LOST, SOLVER, line
from nqbench.common import parsing
from nqbench.common.errors import InputError

_STATUS: Final = {True: "SATISFIABLE", False: "UNSATISFIABLE", None: "UNKNOWN"}

_LOST: Final = {
    "add_atmost": "an at-most-k constraint",
    "add_xor_clause": "an XOR clause",
    "enum_models": "the clauses of enum_models",
    "propagate": "a call of propagate",
    "prop_check": "a call of propagate",
    "connect_propagator": "a propagator",
}
"""Methods of which a file cannot say what they ask."""


class _Recording:
    """The file of one solver."""

    def __init__(self, file: TextIO, solver: str) -> None:
        self._file = file
        self._is_answered = False
        self._write("p icnf", f"c {SOLVER} {solver}")

    def add(self, clauses: Iterable[Iterable[int]]) -> None:
        self._is_answered = False
        self._write(*(line("i", clause) for clause in clauses))

    def ask(self, assumptions: Iterable[int]) -> None:
        """Write a query before the solver is asked: it may never return."""
        self._write(line("q", assumptions))
        self._file.flush()

    def answer(self, is_satisfiable: bool | None) -> None:
        self._write(f"s {_STATUS[is_satisfiable]}")
        self._file.flush()
        self._is_answered = True

    def show(self, letter: str, literals: Iterable[int] | None) -> None:
        """Write a model or a core, if the application asks for it before the next clause."""
        if self._is_answered and literals is not None:
            self._write(line(letter, literals))
            self._is_answered = False

    def lose(self, what: str) -> None:
        self._write(f"c {LOST} {what}")
        self._file.flush()

    def close(self) -> None:
        self._file.close()

    def _write(self, *lines: str) -> None:
        if not self._file.closed:
            self._file.writelines(f"{text}\n" for text in lines)


@contextmanager
def record(folder: str | PathLike[str]) -> Iterator[None]:
    """In the block, write what each `pysat.solvers.Solver` that is made there is asked to a file in
    this folder: `0001.icnf` is that of the first one, and so on. `nqbench run --cnf FOLDER`
    measures them. A query is in the file before the solver gets it.

    Clauses, assumptions, answers, and the models and cores that the application asks for are
    recorded. What the format lacks, such as a native at-most-k constraint, is noted, and nqbench
    then refuses the file. A solver that is made by its own class, such as `Minisat22()`, is not
    recorded. Raises `InputError` if the folder has recordings.
    """
    from pysat.solvers import Solver

    place = parsing.path(folder)
    place.mkdir(parents=True, exist_ok=True)
    if any(place.glob("*.icnf")):
        raise InputError(f"{place} has recordings: name another folder")
    own = {name: vars(Solver)[name] for name in [*_WRAPPED, *_LOST] if name in vars(Solver)}
    files: list[_Recording] = []
    for name, method in own.items():
        wrap = _WRAPPED.get(name) or partial(_lose, _LOST.get(name, ""))
        setattr(Solver, name, wraps(method)(wrap(method)))
    Solver.__init__ = _init(own["__init__"], place, files)
    try:
        yield
    finally:
        for name, method in own.items():
            setattr(Solver, name, method)
        for recording in files:
            recording.close()


Method = Callable[..., Any]

_HELD: Final = "_nqbench_recording"
"""The attribute of a solver that holds its recording."""


def _of(solver: Any) -> _Recording | None:
    recording: _Recording | None = vars(solver).get(_HELD)
    return recording


def _init(method: Method, place: Path, files: list[_Recording]) -> Method:
    @wraps(method)
    def recorded(
        self: Any, name: str = "m22", bootstrap_with: Any = None, *more: Any, **named: Any
    ) -> None:
        has_rows = bool(getattr(bootstrap_with, "atmosts", None))
        if bootstrap_with is not None and not has_rows:
            bootstrap_with = list(bootstrap_with)  # it may be read once only
        method(self, name, bootstrap_with, *more, **named)
        file = (place / f"{len(files) + 1:04}.icnf").open("w", encoding="ascii")
        recording = _Recording(file, type(self.solver).__name__.lower())
        files.append(recording)
        setattr(self, _HELD, recording)
        if has_rows:
            recording.lose(_LOST["add_atmost"])
        recording.add(getattr(bootstrap_with, "clauses", bootstrap_with) or ())

    return recorded


def _add_clause(method: Method) -> Method:
    def recorded(self: Any, clause: Any, *more: Any, **named: Any) -> Any:
        clause = list(clause)
        if recording := _of(self):
            recording.add([clause])
        return method(self, clause, *more, **named)

    return recorded


def _append_formula(method: Method) -> Method:
    def recorded(self: Any, formula: Any, *more: Any, **named: Any) -> Any:
        if recording := _of(self):
            if getattr(formula, "atmosts", None):
                recording.lose(_LOST["add_atmost"])
            else:
                formula = list(formula)
            recording.add(getattr(formula, "clauses", formula))
        return method(self, formula, *more, **named)

    return recorded


def _solve(method: Method) -> Method:
    def recorded(self: Any, assumptions: Any = (), *more: Any, **named: Any) -> Any:
        assumptions = list(assumptions)
        if recording := _of(self):
            recording.ask(assumptions)
        answer = method(self, assumptions, *more, **named)
        if recording:
            recording.answer(answer)
        return answer

    return recorded


def _show(letter: str, method: Method) -> Method:
    def recorded(self: Any) -> Any:
        literals = method(self)
        if recording := _of(self):
            recording.show(letter, literals)
        return literals

    return recorded


def _lose(what: str, method: Method) -> Method:
    def recorded(self: Any, *given: Any, **named: Any) -> Any:
        if recording := _of(self):
            recording.lose(what)
        return method(self, *given, **named)

    return recorded


def _keep(method: Method) -> Method:
    return method


_WRAPPED: Final[dict[str, Callable[[Method], Method]]] = {
    "__init__": _keep,  # see `record`
    "add_clause": _add_clause,
    "append_formula": _append_formula,
    "solve": _solve,
    "solve_limited": _solve,
    "get_model": partial(_show, "m"),
    "get_core": partial(_show, "u"),
}
