"""`cnfgen`: a formula that CNFgen makes from a name and parameters, such as `php 8 7`.

M. Lauria, J. Elffers, J. Nordström, M. Vinyals, "CNFgen: a generator of crafted benchmarks", SAT
2017. CNFgen is under the GPL, so its program is run, in a separate process under limits, and its
modules are not imported. A formula has clauses already, and no cover or rules: answers are checked
against the clauses. For a few formulas, theory knows the answer as well.
"""

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

import msgspec

from nqbench import isolate
from nqbench.common.errors import InputError, Place
from nqbench.common.limits import PatientLimits
from nqbench.common.printable import printable
from nqbench.common.spelling import nearest
from nqbench.common.vocabulary import Outcome
from nqbench.isolate import guard
from nqbench.plugins import install
from nqbench.problems.clausal import Clausal
from nqbench.problems.families.base import Family

LONGEST: Final = 500
"""The longest command, in characters."""

DEFAULT_SEED: Final = 1
"""The seed of random formulas. CNFgen ignores a seed of 0, and draws another formula each time."""

_LARGEST_SEED: Final = 2**63 - 1
_NUMBER: Final = re.compile(r"-?(\d+(\.\d*)?|\.\d+)", re.ASCII)
_NAME: Final = re.compile(r"[a-z][a-z0-9]*", re.ASCII)
_SEED: Final = ("--seed", "-S")
_THEN: Final = "-T"

_GRAPHS: Final = {"grid", "torus", "complete", "empty", "shift", "tree", "pyramid", "path"}
_CHARGES: Final = {"first", "random", "randomodd", "randomeven", "zero", "one"}
_OPTIONS: Final = {
    *("--functional", "--onto"),  # php
    *("--total", "--smart", "--knuth2", "--knuth3", "--plant"),  # op, randkcnf, randkxor
    *("--alternative", "--no-symmetry-breaking", "--sparse", "--equal"),
    *("-e", "-G", "-H"),  # the graphs of iso and subgraph
    *("--no-polarity-flips", "--no-variables-permutation", "--no-clauses-permutation"),
}
_WORDS: Final = _GRAPHS | _CHARGES | _OPTIONS

_RANDOM_GRAPHS: Final = {
    *("gnp", "gnm", "gnd", "glrp", "glrm", "glrd", "regular"),
    *("plantclique", "plantbiclique", "addedges", "splitedges"),
}
"""CNFgen draws these graphs before it uses the seed, so each call makes another one."""


@dataclass(frozen=True, slots=True)
class Command:
    """A checked command: the words of a formula, those of each transformation, and the seed."""

    formula: tuple[str, ...]
    transformations: tuple[tuple[str, ...], ...] = ()
    seed: int = DEFAULT_SEED

    def __str__(self) -> str:
        seed = [] if self.seed == DEFAULT_SEED else [f"{_SEED[0]} {self.seed}"]
        return " ".join([*seed, *self._words])

    @property
    def arguments(self) -> list[str]:
        """The arguments for the program. The text is without a header, which has the year."""
        return ["--quiet", "--output-format", "dimacs", "--seed", str(self.seed), *self._words]

    @property
    def _words(self) -> list[str]:
        return [
            *self.formula,
            *(w for transformation in self.transformations for w in (_THEN, *transformation)),
        ]


def parsed(text: str) -> Command:
    """Return the command in a text, where `--seed` may be anywhere.

    A command comes from a campaign file or a script, so it must not read or write files. A word of
    CNFgen that is not a number, an option or a graph is the name of a file. Therefore only the
    words listed above are passed on. Raises `InputError` for a command with files or other options.
    CNFgen itself checks the formula and its parameters.

    >>> str(parsed(" php  8 7 -T xor 2 "))
    'php 8 7 -T xor 2'
    >>> str(parsed("randkcnf 3 50 210 --seed 3"))
    '--seed 3 randkcnf 3 50 210'
    """
    words, seed = _without_seed(text, _split(text))
    sections: list[list[str]] = [[]]
    for word in words:
        if word == _THEN:
            sections.append([])
        else:
            sections[-1].append(word)
    for section in sections:
        _check(text, section)
    formula, *transformations = map(tuple, sections)
    return Command(formula, tuple(transformations), seed)


def _split(text: str) -> list[str]:
    if len(text) > LONGEST or not text.isprintable():
        reason = f"longer than {LONGEST} characters" if text.isprintable() else "not printable"
        raise InputError(f"the CNFgen command '{printable(text, 60)}' is {reason}")
    try:
        return shlex.split(text)
    except ValueError as error:
        raise _refusal(text, str(error)) from error


def _without_seed(text: str, words: list[str]) -> tuple[list[str], int]:
    """The other words, and the seed."""
    seeds = [at for at, word in enumerate(words) if word in _SEED]
    if not seeds:
        return words, DEFAULT_SEED
    at = seeds[0]
    number = words[at + 1] if at + 1 < len(words) else ""
    sound = re.fullmatch(r"\d{1,19}", number, re.ASCII) and 0 < int(number) <= _LARGEST_SEED
    if len(seeds) > 1 or not sound:
        raise _refusal(text, f"write {_SEED[0]} once, with a whole number from 1")
    return words[:at] + words[at + 2 :], int(number)


def _check(text: str, part: list[str]) -> None:
    """Check the words of a formula or a transformation, of which the first is its name."""
    if not part:
        raise _refusal(text, "the formula is missing: write for instance 'php 8 7'")
    if not _NAME.fullmatch(part[0]):
        raise _refusal(text, f"'{part[0]}' is not a formula: write for instance 'php 8 7'")
    if part[0] == "dimacs":
        raise _refusal(text, "measure a formula in a file with --cnf")
    for word in part[1:]:
        if word in _RANDOM_GRAPHS:
            raise _refusal(
                text,
                f"CNFgen draws '{word}' without its seed, so each call makes another formula: "
                "write one to a file and give --cnf",
            )
        if word not in _WORDS and not _NUMBER.fullmatch(word):
            suggestion = nearest(word, _WORDS)
            hint = (
                f": did you mean '{suggestion}'?" if suggestion else ", and files are not allowed"
            )
            raise _refusal(text, f"'{word}' is not a number, a graph or an option{hint}")


def _refusal(text: str, reason: str) -> InputError:
    return InputError(f"CNFgen '{text}': {reason}")


_KNOWN: Final[dict[str, Callable[..., bool]]] = {
    # Pigeons and holes. With --onto alone, a pigeon may sit in several holes.
    "php #": lambda _: False,
    "php # #": lambda m, n: m <= n,
    "php # # --functional": lambda m, n: m <= n,
    "php # # --onto": lambda m, n: m <= n and (m > 0 or n == 0),
    "php # # --functional --onto": lambda m, n: m == n,
    # Parts of equal size.
    "parity #": lambda n: n % 2 == 0,
    # A finite order has a minimum.
    "op #": lambda n: n == 0,
    # A. Urquhart, "Hard examples for resolution", Journal of the ACM 34, 1987: every edge counts at
    # both ends, so the charges of a component must have an even sum.
    "tseitin #": lambda _: False,
    "tseitin # #": lambda *_: False,
    "randkcnf # # # --plant": lambda *_: True,
}
"""The answers for the formulas that are measured most. `#` is a whole number. CNFgen's help states
the principles. The answers for other formulas are checked by proofs and models alone.
"""

_KEEPS_MODELS: Final = ("flip", "none", "or", "shuffle", "xor")
"""Transformations that keep a formula satisfiable. Every one keeps it unsatisfiable, since it
replaces variables by functions of others.
"""


def satisfiable(command: Command) -> bool | None:
    """Whether the formula is satisfiable; None if no theorem applies. A claim is made only if it
    holds for all parameters that match a pattern of `_KNOWN`.

    >>> [satisfiable(parsed(text)) for text in ("php 8 7", "parity 4", "ram 5 5 44")]
    [False, True, None]
    """
    words = command.formula
    options = sorted(word for word in words if word.startswith("--"))
    plain_words = [word for word in words if not word.startswith("--")]
    numbers = [int(word) for word in plain_words if _is_whole(word)]
    pattern = " ".join(["#" if _is_whole(word) else word for word in plain_words] + options)
    claim = _KNOWN.get(pattern)
    answer = claim(*numbers) if claim else None
    if answer and any(name not in _KEEPS_MODELS for name, *_ in command.transformations):
        return None
    return answer


def _is_whole(word: str) -> bool:
    return re.fullmatch(r"\d+", word, re.ASCII) is not None


_PROGRAM: Final = "cnfgen"
_LIMITS: Final = PatientLimits(time_s=60.0)

LARGEST: Final = 240 * 2**20
"""The largest formula in bytes; a process cannot return much more."""

_LONGEST_MESSAGE: Final = 1 << 14
_ERROR: Final = "c ERROR: "


class _Ended(msgspec.Struct):
    """What the program left: its exit status, its output, and the start of its messages."""

    status: int
    text: bytes
    messages: bytes


def program() -> str:
    """The path of the program: installed with the running Python, or on the PATH. Raises
    `InputError` with the command that installs it.
    """
    beside = Path(sys.executable).with_name(_PROGRAM)
    path = beside if os.access(beside, os.X_OK) else install.script(_PROGRAM, _PROGRAM)
    path = path or shutil.which(_PROGRAM)
    if path is None:
        raise InputError(f"CNFgen is not installed; try: {install.command('nqbench[cnfgen]')}")
    return str(Path(path).absolute())


def made_by(command: Command) -> bytes:
    """The formula that CNFgen makes, as DIMACS text without comments.

    Raises `InputError` with the first line of CNFgen's message if it makes none, if it takes more
    than a minute, or if the formula is larger than `LARGEST`.
    """
    path = program()
    ending = isolate.call(lambda: _run(path, command), _LIMITS)
    if ending.outcome is Outcome.TIMEOUT:
        raise _failure(command, f"CNFgen takes more than {_LIMITS.time_s:g} s: ask for less")
    if ending.outcome is not Outcome.FINISHED:
        raise _failure(command, ending.message)
    ended = msgspec.msgpack.decode(ending.payload, type=_Ended)
    if len(ended.text) > LARGEST:
        raise _failure(command, f"the formula is larger than {LARGEST // 2**20} MiB: ask for less")
    if ended.status:
        reason = _reason(ended.messages.decode(errors="replace"))
        raise _failure(command, f"{reason.removesuffix('.')}: see `cnfgen --help`")
    return ended.text


def _run(path: str, command: Command) -> bytes:
    messages = os.memfd_create("messages")
    guard.kill_own_group()
    process = subprocess.Popen(
        [path, *command.arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=messages,
        cwd="/",
    )
    assert process.stdout is not None
    output = process.stdout.read(LARGEST + 1)
    if len(output) > LARGEST:
        process.kill()
    status = process.wait()
    message = os.pread(messages, _LONGEST_MESSAGE, 0)
    return msgspec.msgpack.encode(_Ended(status, output, message))


def _reason(messages: str) -> str:
    """The first line of an error message, or the last line of a traceback."""
    lines = [line.strip() for line in messages.splitlines() if line.strip()]
    errors = [line.removeprefix(_ERROR) for line in lines if line.startswith(_ERROR)]
    return next(iter([*errors, *reversed(lines)]), "CNFgen failed without a message")


def _failure(command: Command, reason: str) -> InputError:
    return InputError(printable(f"CNFgen '{command}': {reason}"))


@dataclass(frozen=True, slots=True)
class Generated(Clausal):
    """A formula that CNFgen makes. `instance` is its command, such as 'php 8 7'.

    `text_digest` is a hash of the text. The process that needs the clauses makes them again, so the
    digest shows whether it has a CNFgen that makes another formula. `text_bytes` is the size of the
    text, which is not part of its identity.
    """

    instance: str = ""
    text_digest: str = ""
    text_bytes: int = 0

    family: ClassVar[str] = "cnfgen"  # type: ignore[misc]

    @property
    def identity(self) -> dict[str, Any]:
        return {"family": self.family, "instance": self.instance, "digest": self.text_digest}

    @property
    def digest(self) -> str:
        return self.text_digest

    @property
    def weight(self) -> int:
        return self.text_bytes

    @property
    def satisfiable(self) -> bool | None:
        return satisfiable(parsed(self.instance))

    @property
    def source(self) -> str:
        return f"CNFgen '{self.instance}'"

    def content(self) -> bytes:
        text = made_by(parsed(self.instance))
        if _digest(text) != self.text_digest:
            raise InputError(
                "changed since the campaign was planned: start again", place=Place(self.source)
            )
        return text


def cnfgen(*commands: str) -> list[Generated]:
    """Return the formulas that CNFgen makes from commands such as 'php 8 7' or 'tseitin 20 3'.

    Random formulas are drawn with seed 1, or another one as in 'randkcnf 3 50 210 --seed 2'. Raises
    `InputError` if CNFgen is not installed, for a wrong command, and for one that names a file.
    """
    # Parsed first: a wrong command is refused before any formula is made.
    every_command = [parsed(text) for text in commands]
    formulas = ((command, made_by(command)) for command in every_command)
    return [
        Generated(str(command), _digest(formula), len(formula)) for command, formula in formulas
    ]


def _digest(text: bytes) -> str:
    return hashlib.blake2b(text, digest_size=16).hexdigest()


class CNFgen(Family):
    """Formulas by name and parameters, as `nqbench.cnfgen` takes them."""

    meaning = "a formula of CNFgen, by a command such as 'php 8 7'"
    reference = "M. Lauria, J. Elffers, J. Nordström, M. Vinyals, SAT 2017"
    problem = Generated
    has_sizes = False
