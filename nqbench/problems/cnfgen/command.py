"""Commands of CNFgen, such as `php 8 7 -T xor 2`.

A command comes from a campaign file or a script, so it must not read or write files. A word of
CNFgen that is not a number, an option or a graph is the name of a file. Therefore only the words
listed here are passed on.
"""

import re
import shlex
from dataclasses import dataclass
from typing import Final

from nqbench.errors import InputError
from nqbench.names import nearest
from nqbench.printable import printable

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
        return [*self.formula, *(w for each in self.transformations for w in (_THEN, *each))]


def parsed(text: str) -> Command:
    """Return the command in a text, where `--seed` may be anywhere.

    Raises `InputError` for a command with files or other options. CNFgen itself checks the formula
    and its parameters.

    >>> str(parsed(" php  8 7 -T xor 2 "))
    'php 8 7 -T xor 2'
    >>> str(parsed("randkcnf 3 50 210 --seed 3"))
    '--seed 3 randkcnf 3 50 210'
    """
    words, seed = _without_seed(text, _split(text))
    parts: list[list[str]] = [[]]
    for word in words:
        if word == _THEN:
            parts.append([])
        else:
            parts[-1].append(word)
    for part in parts:
        _check(text, part)
    formula, *transformations = map(tuple, parts)
    return Command(formula, tuple(transformations), seed)


def _split(text: str) -> list[str]:
    if len(text) > LONGEST or not text.isprintable():
        reason = f"longer than {LONGEST} characters" if text.isprintable() else "not printable"
        raise InputError(f"the CNFgen command '{printable(text, 60)}' is {reason}")
    try:
        return shlex.split(text)
    except ValueError as error:
        raise _refused(text, str(error)) from error


def _without_seed(text: str, words: list[str]) -> tuple[list[str], int]:
    """The other words, and the seed."""
    seeds = [at for at, word in enumerate(words) if word in _SEED]
    if not seeds:
        return words, DEFAULT_SEED
    at = seeds[0]
    number = words[at + 1] if at + 1 < len(words) else ""
    sound = re.fullmatch(r"\d{1,19}", number, re.ASCII) and 0 < int(number) <= _LARGEST_SEED
    if len(seeds) > 1 or not sound:
        raise _refused(text, f"write {_SEED[0]} once, with a whole number from 1")
    return words[:at] + words[at + 2 :], int(number)


def _check(text: str, part: list[str]) -> None:
    """Check the words of a formula or a transformation, of which the first is its name."""
    if not part:
        raise _refused(text, "the formula is missing: write for instance 'php 8 7'")
    if not _NAME.fullmatch(part[0]):
        raise _refused(text, f"'{part[0]}' is not a formula: write for instance 'php 8 7'")
    if part[0] == "dimacs":
        raise _refused(text, "measure a formula in a file with --cnf")
    for word in part[1:]:
        if word in _RANDOM_GRAPHS:
            raise _refused(
                text,
                f"CNFgen draws '{word}' without its seed, so each call makes another formula: "
                "write one to a file and give --cnf",
            )
        if word not in _WORDS and not _NUMBER.fullmatch(word):
            meant = nearest(word, _WORDS)
            hint = f": did you mean '{meant}'?" if meant else ", and files are not allowed"
            raise _refused(text, f"'{word}' is not a number, a graph or an option{hint}")


def _refused(text: str, reason: str) -> InputError:
    return InputError(f"CNFgen '{text}': {reason}")
