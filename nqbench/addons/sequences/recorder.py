"""Records what an application asks PySAT: `with nqbench.record("FOLDER"): ...`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial, wraps
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any, Final

from nqbench.addons.sequences.sequence import LOST, SOLVER, line
from nqbench.common import parsing
from nqbench.common.errors import InputError

_STATUS: Final = {True: "SATISFIABLE", False: "UNSATISFIABLE", None: "UNKNOWN"}

_ROW: Final = "an at-most-k constraint"
_LOST: Final = {
    "add_atmost": _ROW,
    "add_xor_clause": "an XOR clause",
    "connect_propagator": "a propagator",
}
"""Methods of which a file cannot say what they ask."""

_MOST_PENDING: Final = 10_000

_open_block: Final = Lock()


class _Recording:
    """The file of one solver, which is open only while it is written: there may be thousands.
    Whole lines are written, and only by the process that began the file.
    """

    def __init__(self, path: Path, solver: str) -> None:
        self._path = path
        self._process = os.getpid()
        self._pending = ["p icnf", f"c {SOLVER} {solver}"]
        self._is_answered = False
        self._is_asked = False
        self._is_closed = False

    def add(self, clauses: Iterable[Any]) -> None:
        """Write clauses that the solver took; what else it took is a row."""
        self._is_answered = False
        for clause in clauses:
            if _are_literals(clause):
                self._pending.append(line("i", map(int, clause)))
            else:
                self.lose(_ROW)
            if len(self._pending) >= _MOST_PENDING:
                self.write()

    def ask(self, assumptions: Iterable[int]) -> None:
        """Write a query before the solver is asked: it may never return."""
        self._is_asked = True
        self.write(line("q", map(int, assumptions)))

    def answer(self, is_satisfiable: bool | None) -> None:
        self.write(f"s {_STATUS[is_satisfiable]}")
        self._is_answered = True

    def show(self, letter: str, literals: Iterable[int] | None) -> None:
        """Write a model or a core, if the application asks for it before the next clause."""
        if self._is_answered and literals is not None:
            self.write(line(letter, literals))
            self._is_answered = False

    def lose(self, what: str) -> None:
        self.write(f"c {LOST} {what}")

    def write(self, *lines: str) -> None:
        """Write what is pending, and these lines."""
        self._pending += lines
        if self._pending and self._is_own():
            with self._path.open("a", encoding="ascii") as file:
                file.write("\n".join([*self._pending, ""]))
        self._pending.clear()

    def close(self) -> None:
        """Write what is pending, and nothing from now on. A solver that was asked nothing leaves no
        file.
        """
        self.write()
        if not self._is_asked and self._is_own():
            self._path.unlink(missing_ok=True)
        self._is_closed = True

    def _is_own(self) -> bool:
        return not self._is_closed and os.getpid() == self._process


@contextmanager
def record(folder: str | os.PathLike[str]) -> Iterator[None]:
    """In the block, write what each `pysat.solvers.Solver` that is made there is asked to a file in
    this folder: `0001.icnf` is that of the first one, and so on. One that is asked nothing has no
    file in the end. `nqbench run --cnf FOLDER` measures them. A query is in the file before the
    solver gets it.

    Clauses, assumptions, answers, and the models and cores that the application asks for are
    recorded. What the format lacks, such as a native at-most-k constraint, is noted, and nqbench
    then refuses the file. A solver that is made by its own class, such as `Minisat22()`, is not
    recorded, and neither is what a process asks a solver of the process that it was forked from.
    Raises `InputError` if the folder has recordings or cannot be made, and in another such block.
    """
    from pysat.solvers import Solver

    place = parsing.path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{place}: {error.strerror}") from error
    if any(place.glob("*.icnf")):
        raise InputError(f"{place} has recordings: name another folder")
    place = place.absolute()  # the application may change its folder
    if not _open_block.acquire(blocking=False):
        raise InputError("another block records already: leave it before the next one")
    own = {name: vars(Solver)[name] for name in [*_WRAPPED, *_LOST] if name in vars(Solver)}
    files: list[_Recording] = []
    try:
        for name, method in own.items():
            wrap = _WRAPPED.get(name) or partial(_lose, _LOST.get(name, ""))
            setattr(Solver, name, wraps(method)(wrap(method)))
        Solver.new = _new(own["new"], place, files)
        yield
    finally:
        for name, method in own.items():
            setattr(Solver, name, method)
        for recording in files:
            recording.close()
        _open_block.release()


Method = Callable[..., Any]

_HELD: Final = "_nqbench_recording"
"""The attribute of a solver that holds its recording."""


def _of(solver: Any) -> _Recording | None:
    """The recording of a solver; None if it has none, or was deleted."""
    recording: _Recording | None = vars(solver).get(_HELD)
    return recording if solver.solver else None


def _are_literals(values: Iterable[Any]) -> bool:
    return all(isinstance(value, int) and value for value in values)


def _as_lists(formula: Iterable[Any]) -> list[Any]:
    """The clauses of a formula, which may be read once only."""
    return [each if isinstance(each, Sequence) else list(each) for each in formula]


def _free_path(place: Path, first: int) -> Path:
    """A new file. Another process of the application may have taken the number."""
    for number in count(first):
        path = place / f"{number:04}.icnf"
        try:
            path.touch(exist_ok=False)
        except FileExistsError:
            continue
        return path
    raise AssertionError


def _new(method: Method, place: Path, files: list[_Recording]) -> Method:
    @wraps(method)
    def recorded(
        self: Any, name: str = "m22", bootstrap_with: Any = None, *more: Any, **named: Any
    ) -> None:
        if self.solver:  # then nothing is made
            return
        has_rows = bool(getattr(bootstrap_with, "atmosts", None))
        if bootstrap_with is not None and not has_rows:
            bootstrap_with = _as_lists(bootstrap_with)
        method(self, name, bootstrap_with, *more, **named)
        path = _free_path(place, len(files) + 1)
        recording = _Recording(path, type(self.solver).__name__.lower())
        files.append(recording)
        setattr(self, _HELD, recording)
        recording.add(_clauses(recording, bootstrap_with or ()))
        recording.write()

    return recorded


def _clauses(recording: _Recording, formula: Any) -> Any:
    """The clauses of a formula. Its rows are lost."""
    if getattr(formula, "atmosts", None):
        recording.lose(_ROW)
    return getattr(formula, "clauses", formula)


def _add_clause(method: Method) -> Method:
    def recorded(self: Any, clause: Any, *more: Any, **named: Any) -> Any:
        clause = list(clause)
        result = method(self, clause, *more, **named)
        if recording := _of(self):
            recording.add([clause])
        return result

    return recorded


def _append_formula(method: Method) -> Method:
    def recorded(self: Any, formula: Any, *more: Any, **named: Any) -> Any:
        recording = _of(self)
        if recording and not getattr(formula, "atmosts", None):
            formula = _as_lists(formula)
        try:
            result = method(self, formula, *more, **named)
        except BaseException:
            if recording:
                recording.lose("the clauses of a call of append_formula that failed")
            raise
        if recording:
            recording.add(_clauses(recording, formula))
        return result

    return recorded


def _solve(method: Method) -> Method:
    def recorded(self: Any, assumptions: Any = (), *more: Any, **named: Any) -> Any:
        assumptions = list(assumptions)
        recording = _of(self) if _are_literals(assumptions) else None
        if recording:
            recording.ask(assumptions)
        answer = method(self, assumptions, *more, **named)
        if recording:
            recording.answer(answer)
        return answer

    return recorded


def _enum_models(method: Method) -> Method:
    """Each model is an answer, and a clause that excludes it."""

    def recorded(self: Any, assumptions: Any = (), projection: Any = ()) -> Any:
        assumptions, projection = list(assumptions), list(projection)
        models = method(self, assumptions, projection)
        return models if models is None else _asked(self, assumptions, bool(projection), models)

    return recorded


def _asked(
    solver: Any, assumptions: list[int], is_part: bool, models: Iterator[list[int]]
) -> Iterator[list[int]]:
    while True:
        if recording := _of(solver):
            recording.ask(assumptions)
        model = next(models, None)
        if recording:
            recording.answer(model is not None)
        if model is None:
            return
        if recording:
            recording.show("v" if is_part else "m", model)
            recording.add([[-literal for literal in model]])
        yield model


def _show(letter: str, method: Method) -> Method:
    def recorded(self: Any) -> Any:
        literals = method(self)
        if recording := _of(self):
            recording.show(letter, literals)
        return literals

    return recorded


def _lose(what: str, method: Method) -> Method:
    def recorded(self: Any, *given: Any, **named: Any) -> Any:
        result = method(self, *given, **named)
        if recording := _of(self):
            recording.lose(what)
        return result

    return recorded


def _keep(method: Method) -> Method:
    return method


_WRAPPED: Final[dict[str, Callable[[Method], Method]]] = {
    "new": _keep,  # see `record`
    "add_clause": _add_clause,
    "append_formula": _append_formula,
    "solve": _solve,
    "solve_limited": _solve,
    "enum_models": _enum_models,
    "get_model": partial(_show, "m"),
    "get_core": partial(_show, "u"),
}
