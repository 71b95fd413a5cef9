"""Reads the JSON of hyperfine (`--export-json`): the times of each command.

The problem is the last word of a command that is the name of a formula, or else its last word, and
the others are the solver. What a shell does with the output is no part of either. A file states no
limits.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Final

import msgspec
import polars as pl

from nqbench.addons.importing.base import Format, ResultFile
from nqbench.addons.importing.repeated_times import (
    PARAMETERS,
    chosen_times,
    parameter_columns,
    table_of,
)
from nqbench.clauses.file_formats import SUFFIXES
from nqbench.common import compression
from nqbench.common.vocabulary import Answer, Outcome
from nqbench.plugins.parameters import Parameter

_ANSWERS: Final = {10: Answer.SAT, 20: Answer.UNSAT, 0: Answer.UNSTATED}
"""What the exit status of a SAT solver says; 0 says that the command succeeded."""

_PRINTERS: Final = (
    "cat",
    "zcat",
    "bzcat",
    "xzcat",
    "gzcat",
    "zstdcat",
    "gunzip",
    "bunzip2",
    "unxz",
)
"""Programs that print a formula for a solver behind them."""


class _Result(msgspec.Struct):
    command: str
    mean: Any = None
    median: Any = None
    min: Any = None
    times: list[Any] | None = None
    exit_codes: list[int | None] | None = None
    memory_usage_byte: list[Any] | None = None
    parameters: dict[str, Any] = {}


class _File(msgspec.Struct):
    results: list[_Result]


class Hyperfine(Format):
    """The results of each command."""

    meaning = "JSON of hyperfine"
    reference = "https://github.com/sharkdp/hyperfine"
    suffixes = (".json",)
    parameters: Mapping[str, Parameter] = PARAMETERS

    def recognises(self, file: ResultFile) -> bool:
        """Whether it has results, and nothing else."""
        return super().recognises(file) and file.keys == {"results"}

    def read(self, file: ResultFile) -> pl.DataFrame:
        """What each run of a command states. The column `command`, and one for each parameter of
        the commands, can be mapped. Raises `InputError` if this is no file of hyperfine.
        """
        results = file.json(_File, "a file of hyperfine").results
        which = str(self.values["times"])
        return table_of(row for result in results for row in _rows(result, which))


def _rows(result: _Result, which: str) -> Iterator[dict[str, Any]]:
    """What each run of a command states, by column."""
    solver, problem = _solver_and_problem(result.command)
    common = {
        "command": result.command,
        "backend": solver,
        "instance": problem,
        "harness": "hyperfine",
        **parameter_columns(result.parameters),
    }
    figures = {"mean": result.mean, "median": result.median, "min": result.min}
    times = chosen_times(result.times, figures, which)
    codes = result.exit_codes or []
    memory = result.memory_usage_byte or []
    if len(times) == 1 < len(codes):
        # The figure of several runs, which ended in the same way or else failed.
        codes = codes[:1] if len(set(codes)) == 1 else [None]
        memory = []
    for number, time in enumerate(times):
        # A file without exit statuses is of commands that all succeeded.
        code = codes[number] if number < len(codes) else None if codes else 0
        answer = None if code is None else _ANSWERS.get(code)
        yield common | {
            "solve_s": time,
            "answer": answer and str(answer),
            "outcome": str(Outcome.CRASHED if answer is None else Outcome.FINISHED),
            "exit_status": code,
            "peak_rss_bytes": memory[number] if number < len(memory) else None,
        }


def _solver_and_problem(command: str) -> tuple[str | None, str | None]:
    """The solver and the problem of a command; no problem for one without arguments."""
    try:
        words = _solving_command(command)
    except ValueError:
        return command, None
    if not words:
        return command, None
    formulas = [at for at, word in enumerate(words) if at and _is_formula(word)]
    at = formulas[-1] if formulas else len(words) - 1
    if not at:
        return words[0], None
    return " ".join([*words[:at], *_options(words[at + 1 :])]), words[at]


def _options(words: Sequence[str]) -> Iterator[str]:
    """The words behind a formula, without names of files that a solver writes, such as a proof,
    which are other ones for each formula.
    """
    before = ""
    for word in words:
        if word.startswith("-") or before.startswith("-") or word.isdigit():
            yield word
        before = word


def _solving_command(command: str) -> list[str]:
    """The words of the command that solves, without what is redirected: the first one, or the one
    behind it if that only prints a formula. A file that is read as the input is the last word.
    Raises `ValueError` for an open quote.
    """
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.commenters = ""
    words: list[str] = []
    source: list[str] = []
    for word in lexer:
        if word == "|" and words and words[0] in _PRINTERS:
            words, source = [], words[-1:]
        elif word in {"|", "||", "&&", "&", ";", "|&"}:
            break
        elif set(word) <= set("<>&"):
            # A number before it is that of a stream, as in 2>&1.
            if words and words[-1] in {"0", "1", "2"}:
                words.pop()
            target = lexer.get_token()
            if word == "<" and target:
                source = [target]
        else:
            words.append(word)
    return words + source


def _is_formula(word: str) -> bool:
    """Whether a word ends as the name of a formula does, packed or not."""
    plain = PurePath(word)
    if compression.of_suffix(plain.name):
        plain = plain.with_suffix("")
    return plain.name.lower().endswith(SUFFIXES)
