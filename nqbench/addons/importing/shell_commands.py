"""Finds the solver and the problem in a command of a shell.

The problem is the last word that is the name of a formula, or else the last word, and the others
are the solver. What a shell does with the output belongs to neither, nor does a program that only
starts, times or limits the solver.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Final

from nqbench.clauses.file_formats import SUFFIXES
from nqbench.common import compression

_PRINTERS: Final = (
    "cat", "zcat", "bzcat", "xzcat", "gzcat", "zstdcat", "gunzip", "bunzip2", "unxz",
)  # fmt: skip
"""Programs that print a formula for a solver behind them."""

_STARTERS: Final = {
    "timeout": 1, "taskset": 1, "nice": 0, "time": 0, "nohup": 0, "exec": 0, "stdbuf": 0,
    "setsid": 0, "command": 0,
}  # fmt: skip
"""Programs that start another one, with the number of words between their options and that."""

_WITH_VALUE: Final = {
    "timeout": ("-s", "-k"), "nice": ("-n",), "stdbuf": ("-i", "-o", "-e"), "time": ("-f", "-o"),
}  # fmt: skip
"""The options of these whose value is the next word."""

_SHELLS: Final = ("sh", "bash", "dash", "zsh")
_ENDS: Final = {"||", "&&", "&", ";", "|&"}
_DEEPEST: Final = 3


def solver_and_problem(command: str) -> tuple[str | None, str | None]:
    """The solver and the problem of a command; no problem for one without arguments."""
    try:
        commands = [words for words in _started(command) if words]
    except ValueError:  # an open quote
        return command, None
    if not commands:
        return command, None
    words = next((words for words in commands if _places(words)), commands[0])
    places = _places(words)
    at = places[-1] if places else len(words) - 1
    if not at:
        return words[0], None
    return " ".join([*words[:at], *_options(words[at + 1 :])]), words[at]


def _started(text: str, depth: int = 0) -> Iterator[list[str]]:
    """The words of each command, also of those that a command gives to another shell."""
    for words in map(_without_starters, _commands(text)):
        is_shell = len(words) > 2 and PurePath(words[0]).name in _SHELLS
        if is_shell and re.fullmatch("-[a-z]*c", words[1]) and depth < _DEEPEST:
            yield from _started(words[2], depth + 1)
        else:
            yield words


def _places(words: Sequence[str]) -> list[int]:
    """The places of formulas among the words."""
    return [at for at, word in enumerate(words) if at and _is_formula(word)]


def _options(words: Sequence[str]) -> Iterator[str]:
    """The words behind a formula, without names of files that a solver writes, such as a proof,
    which are other ones for each formula.
    """
    before = ""
    for word in words:
        if word.startswith("-") or before.startswith("-") or word.isdigit():
            yield word
        before = word


def _commands(text: str) -> list[list[str]]:
    """The words of each command, without what is redirected: of a pipe, the first one, or the one
    behind it if that only prints a formula. A file that is read as the input is the last word.
    Raises `ValueError` for an open quote.
    """
    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.commenters = ""
    commands: list[list[str]] = []
    words: list[str] = []
    source: list[str] = []
    is_piped = False
    for word in lexer:
        if word == "|" and words and words[0] in _PRINTERS:
            words, source = [], words[-1:]
        elif word == "|":
            is_piped = True
        elif word in _ENDS:
            commands.append(words + source)
            words, source, is_piped = [], [], False
        elif set(word) <= set("<>&"):
            # A number before it is that of a stream, as in 2>&1.
            if words and words[-1] in {"0", "1", "2"}:
                words.pop()
            target = lexer.get_token()
            if word == "<" and target:
                source = [target]
        elif not is_piped and not set(word) <= set("()"):
            words.append(word)
    return [*commands, words + source]


def _without_starters(words: list[str]) -> list[str]:
    """The words without programs at the beginning that only start another one."""
    while words and (name := PurePath(words[0]).name) in _STARTERS:
        at = 1
        while at < len(words) and words[at].startswith("-"):
            at += 2 if words[at] in _WITH_VALUE.get(name, ()) else 1
        rest = words[at + _STARTERS[name] :]
        if not rest:
            return words
        words = rest
    return words


def _is_formula(word: str) -> bool:
    """Whether a word ends as the name of a formula does, packed or not."""
    plain = PurePath(word)
    if compression.of_suffix(plain.name):
        plain = plain.with_suffix("")
    return plain.name.lower().endswith(SUFFIXES)
