"""Reads solver output: the answer and the models in it.

A line ends with LF, CRLF or CR. Blanks around it do not count. These lines belong to an answer;
`LIT` is an integer, perhaps with a sign, and words are separated by blanks:

    output = { line }
    line   = status | values | bare | any other line, which is ignored
    status = "s SATISFIABLE" | "s OPTIMUM FOUND" | "s UNSATISFIABLE"
           | "s UNKNOWN" | "s INDETERMINATE" | "c UNKNOWN"
           | "s SOLUTIONS" NUMBER
           | "s" ( "cnf" | "sat" ) ( "1" | "0" | "-1" ) NUMBER NUMBER
    values = "v" { LIT } [ "0" ]
    bare   = ( "SAT" | "SATISFIABLE" | "UNSAT" | "UNSATISFIABLE" | "INDET" | "INDETERMINATE" )
             [ newline { LIT } [ newline ] "0" ]

- A model begins with the first literal and ends with the first 0. Nothing may follow in the line of
  that 0. Literals in later `v` lines are another model.
- Without its 0, a model ends at the next status line, at clasp's `c Answer: NUMBER`, or at the end
  of the output. It is then unfinished: DIMACS 1993 and z3 print no 0, but an output that was cut
  off has none either. Neither is a model whole at the line that says how much of a log was left
  out.
- `s SOLUTIONS` is PicoSAT's line after all models; `s cnf` and `s sat` are those of DIMACS 1993.
- Bare lines count only without a status line. The values directly follow the bare status, with
  nothing between them but empty lines and comments, which begin with `c`.
- One model has no literal together with its negation.
- An answer stands against unknown. Satisfiable and unsatisfiable contradict each other, unless
  unsatisfiable follows at least two models, or CryptoMiniSat's `c Number of solutions found until
  now: NUMBER`: then it means that there are no more.
"""

import codecs
import re
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from nqbench.clauses.cnf import Assignment
from nqbench.clauses.constraints import Constraints, Formula
from nqbench.common.errors import InputError, Place
from nqbench.common.vocabulary import Answer
from nqbench.isolate.printed_output import LEFT_OUT

_STATUS: Final = {
    b"s SATISFIABLE": Answer.SAT,
    b"s OPTIMUM FOUND": Answer.SAT,  # clasp, and MaxSAT solvers
    b"s UNSATISFIABLE": Answer.UNSAT,
    b"s UNKNOWN": Answer.UNKNOWN,
    b"s INDETERMINATE": Answer.UNKNOWN,  # CryptoMiniSat
    b"c UNKNOWN": Answer.UNKNOWN,  # CaDiCaL before version 2
}
_BARE: Final = {
    b"SAT": Answer.SAT,
    b"SATISFIABLE": Answer.SAT,
    b"UNSAT": Answer.UNSAT,
    b"UNSATISFIABLE": Answer.UNSAT,
    b"INDET": Answer.UNKNOWN,
    b"INDETERMINATE": Answer.UNKNOWN,
}
_OF_1993: Final = {b"1": Answer.SAT, b"0": Answer.UNSAT, b"-1": Answer.UNKNOWN}
_COUNTED: Final = re.compile(rb"s SOLUTIONS (\d+)")
_IN_1993: Final = re.compile(rb"s (?:cnf|sat) (1|0|-1) \d+ \d+")

EXPECTED: Final = "expected 's SATISFIABLE', 's UNSATISFIABLE' or 's UNKNOWN' in a line"

_LITERAL: Final = re.compile(rb"[+-]?\d{1,18}")
_END: Final = re.compile(rb"(?<![^ \t])[+-]?0+(?![^ \t])")
_CHARACTERS: Final = b"0123456789+- \t"
_LARGEST: Final = 10**18
_SEVERAL: Final = 2
_SHOWN: Final = 40


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A model as it was printed. `place` is its first line; `is_ended`: whether it has its 0."""

    place: Place
    is_ended: bool
    _lines: list[tuple[int, bytes]]

    def literals(self) -> npt.NDArray[np.int64]:
        """Its literals in the order in which they were printed.

        Raises `InputError` for what is not a literal, and for a literal together with its negation.
        """
        text = b" ".join(values for _, values in self._lines)
        literals = _integers(text)
        if literals is None:
            raise self._flaw()
        by_variable = literals[np.argsort(np.abs(literals), kind="stable")]
        contradictions = np.flatnonzero(by_variable[1:] == -by_variable[:-1])
        if contradictions.size:
            variable = abs(by_variable[contradictions[0]])
            reason = f"the model has both {variable} and -{variable}"
            raise InputError(reason, place=self.place)
        return literals

    def values(self, formula: Formula, *, trusting: bool = False) -> Assignment:
        """The values of the variables of a formula, shape (num_variables,). Literals of other
        variables are ignored. Variables without a literal are false.

        Raises `InputError` if that is a guess: if there are such variables, and a clause needs one
        of them. With `trusting`, only an unfinished model is refused then.
        """
        literals = self.literals()
        own_literals = literals[np.abs(literals) <= formula.num_variables]
        values = np.zeros(formula.num_variables, np.bool_)
        values[own_literals[own_literals > 0] - 1] = True
        has_literal = values.copy()
        has_literal[-own_literals[own_literals < 0] - 1] = True
        if has_literal.all() or (trusting and self.is_ended):
            return values
        need, falsified = _find_open(formula, values, has_literal)
        if need is None or (falsified and self.is_ended):
            return values
        if not self.is_ended:
            variable = int(np.argmin(has_literal)) + 1
            raise InputError(
                "the model does not end with 0 and has no literal of variable "
                f"{variable}: the output was cut off",
                place=self.place,
            )
        raise InputError(f"the model leaves '{need}' open: print all literals", place=self.place)

    def _flaw(self) -> InputError:
        for number, values in self._lines:
            for word in values.split():
                if _LITERAL.fullmatch(word) is None:
                    return InputError(
                        f"'{_shown(word)}' is not a literal", place=replace(self.place, line=number)
                    )
        return InputError("not a model", place=self.place)


@dataclass(frozen=True, slots=True, eq=False)
class Output:
    """What a solver printed. `answer` is None without a status line. `is_list` says whether the end
    of a list of all models was reported: then its exit status is that of the last search.
    """

    source: str
    answer: Answer | None
    models: list[Model]
    is_list: bool = False

    @property
    def model(self) -> Model:
        """The first model with its 0, or the first one. Raises `InputError` without a model."""
        for model in self.models:
            if model.is_ended:
                return model
        if self.models:
            return self.models[0]
        raise InputError(
            "satisfiable, but without a model: expected 'v' lines", place=Place(self.source)
        )

    def require_answer(self) -> Answer:
        """The answer. Raises `InputError` if there is none."""
        if self.answer is None:
            raise InputError(f"no answer: {EXPECTED}", place=Place(self.source))
        return self.answer


def read(printed: bytes, source: str) -> Output:
    """Read what a solver printed. Raises `InputError` with `source` and the line if the grammar
    does not allow it.
    """
    reader = _Reader(source)
    for number, line in enumerate(re.split(rb"\r\n?|\n", _in_utf_8(printed)), start=1):
        if text := line.strip():
            reader.take(number, text)
    return reader.output()


def _in_utf_8(printed: bytes) -> bytes:
    """The same text, if Windows wrote it, which marks its encoding."""
    for mark, name in ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")):
        if printed.startswith(mark):
            return printed.decode(name, errors="replace").encode()
    return printed.removeprefix(codecs.BOM_UTF8)


@dataclass(slots=True)
class _Models:
    """Collects models from lines of values."""

    source: str
    done: list[Model] = field(default_factory=list)
    _lines: list[tuple[int, bytes]] = field(default_factory=list)
    _lacks_start: bool = False

    def take(self, number: int, values: bytes) -> None:
        self._lines.append((number, values))
        if end := _END.search(values):
            if after := values[end.end() :].split():
                kind = "literal" if _LITERAL.fullmatch(after[0]) else "word"
                reason = f"the {kind} '{_shown(after[0])}' after the 0"
                raise InputError(reason, place=Place(self.source, number))
            self._lines[-1] = (number, values[: end.start()])
            self._close(is_ended=True)

    def end(self) -> None:
        """End a model that has no 0."""
        if self._lines:
            self._close(is_ended=False)

    def leave_out(self) -> None:
        """Note that a part of the output is missing here."""
        self.end()
        self._lacks_start = True

    @property
    def is_inside(self) -> bool:
        return bool(self._lines)

    def _close(self, *, is_ended: bool) -> None:
        place = Place(self.source, self._lines[0][0])
        is_complete = is_ended and not self._lacks_start
        self.done.append(Model(place, is_complete, self._lines))
        self._lines, self._lacks_start = [], False


class _Reader:
    """Takes the lines of an output one after the other."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._answers = _Answers(source)
        self._bare_answers = _Answers(source)
        self._models, self._bare_models = _Models(source), _Models(source)
        self._is_bare = self._is_list = False

    def take(self, number: int, line: bytes) -> None:
        first, second = line[:1], line[1:2]
        if first == b"v" and second in (b"", b" ", b"\t"):
            self._models.take(number, line[1:])
            self._is_bare = False
        elif first in (b"s", b"c") and second in (b" ", b"\t"):
            self._take_status(number, b" ".join(line.split()))
        elif line in _BARE:
            self._bare_models.end()
            self._bare_answers.take(number, line, _BARE[line], self._bare_models.done)
            self._is_bare = _BARE[line] is Answer.SAT
        elif self._is_bare and not line.translate(None, _CHARACTERS):
            self._bare_models.take(number, line)
            self._is_bare = self._bare_models.is_inside
        else:
            self._is_bare = False
            if LEFT_OUT.fullmatch(line):
                self._models.leave_out()

    def _take_status(self, number: int, line: bytes) -> None:
        answer = _STATUS.get(line)
        if count := _COUNTED.fullmatch(line):
            answer = Answer.SAT if int(count[1]) else Answer.UNSAT
            self._is_list = True
        elif of_1993 := _IN_1993.fullmatch(line):
            answer = _OF_1993[of_1993[1]]
        if answer is not None:
            self._models.end()
            self._answers.take(number, line, answer, self._models.done)
        elif line.startswith(b"c Answer: "):
            self._models.end()
        elif line.startswith(b"c Number of solutions found until now: "):
            self._answers.is_list = True

    def output(self) -> Output:
        self._models.end()
        self._bare_models.end()
        answers = self._answers if self._answers.found else self._bare_answers
        models = self._models.done
        if answers is self._bare_answers and answers.found and not models:
            models = self._bare_models.done
        is_list = self._is_list or answers.ends_list
        return Output(self._source, answers.found, models, is_list)


class _Answers:
    """The answer of several status lines."""

    def __init__(self, source: str) -> None:
        self._source = source
        self.found: Answer | None = None
        self.is_list = self.ends_list = False

    def take(self, number: int, line: bytes, answer: Answer, models: list[Model]) -> None:
        """Take the answer of a line, which follows these models."""
        ended = sum(model.is_ended for model in models)
        if answer is Answer.UNSAT and ended >= (1 if self.is_list else _SEVERAL):
            self.found, self.ends_list = Answer.SAT, True
            return
        place = Place(self._source, number)
        if answer is Answer.UNSAT and models and self.found is not Answer.UNSAT:
            raise InputError(f"'{line.decode()}' after an answer of {Answer.SAT}", place=place)
        is_decided = self.found not in (None, Answer.UNKNOWN)
        if is_decided and answer not in (self.found, Answer.UNKNOWN):
            raise InputError(f"'{line.decode()}' after an answer of {self.found}", place=place)
        if not is_decided:
            self.found = answer


def _integers(text: bytes) -> npt.NDArray[np.int64] | None:
    """The integers in a text; None if something else is in it."""
    if not text.strip():
        return np.zeros(0, np.int64)
    if text.translate(None, _CHARACTERS) or not _signs_are_first(text):
        return None
    numbers = np.fromstring(text, dtype=np.int64, sep=" ")  # much faster than word by word
    return None if (np.abs(numbers) >= _LARGEST).any() else numbers


def _signs_are_first(text: bytes) -> bool:
    """Whether each sign begins a word and is not all of it. Faster than a regular expression."""
    padded = b" %b " % text.replace(b"\t", b" ")
    leading = sum(padded.count(b" %c" % sign) for sign in b"+-")
    alone = sum(padded.count(b"%c " % sign) for sign in b"+-")
    return not alone and leading == sum(map(padded.count, (b"+", b"-")))


def _find_open(
    formula: Formula, values: Assignment, has_literal: Assignment
) -> tuple[str | None, bool]:
    """The first clause or constraint that the stated values alone do not satisfy, None if there is
    none; and whether they falsify one, whatever the other values are.
    """
    cnf = formula.cnf if isinstance(formula, Constraints) else formula
    # Indexed by literal: positive from the start, negative from the end.
    true = np.concatenate([[False], values, (has_literal & ~values)[::-1]])
    false = np.concatenate([[False], has_literal & ~values, values[::-1]])
    need, falsified = None, False
    for block in cnf.blocks:
        is_open = ~true[block].any(axis=1)
        falsified = falsified or bool(false[block[is_open]].all(axis=1).any())
        if need is None and is_open.any():
            need = " ".join(map(str, block[np.argmax(is_open)].tolist()))
    upper = () if not isinstance(formula, Constraints) else formula.by_bound()
    for most, block in ((most, block) for most, rows in upper for block in rows.blocks):
        is_open = (~false[block]).sum(axis=1) > most
        falsified = falsified or bool((true[block].sum(axis=1) > most).any())
        if need is None and is_open.any():
            row = " ".join(map(str, block[np.argmax(is_open)].tolist()))
            need = f"{row} <= {most}"
    return need, falsified


def _shown(word: bytes) -> str:
    return word[:_SHOWN].decode(errors="replace")
