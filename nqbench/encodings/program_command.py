"""A command that writes a formula: its words, what replaces the placeholders in them, and what it
reads.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nqbench.clauses import constraint_files
from nqbench.clauses.file_formats import FORMATS
from nqbench.common.errors import InputError
from nqbench.common.printable import fill
from nqbench.encodings.program_formula import ProgramFormula, find_formula
from nqbench.plugins import programs
from nqbench.problems import board_files
from nqbench.problems.base import Problem
from nqbench.problems.queens import Queens

N, K, OUT = "{n}", "{k}", "{out}"
_FILE: Final = re.compile(r"\{file(\.[a-z+]+)?\}")
_ROWS: Final = tuple(suffix for form in FORMATS if form.has_rows for suffix in form.suffixes)
_WEIGHTS: Final = tuple(
    suffix for form in FORMATS if form.has_rows and form.has_objective for suffix in form.suffixes
)
"""Of formats with rows, those that have an objective have weights as well."""

_SUFFIXES: Final = (*_ROWS, ".txt", ".json")
_PROBLEM, _OUT = "nqbench-problem", "nqbench-formula.cnf"


@dataclass(frozen=True, slots=True)
class Command:
    """The words of a command. In those that name no file, `{n}` and `{k}` are the numbers of the
    problem, `{file}` is
    the name of a file with the problem, and `{out}` that of a file for the formula. `{file}` is a
    picture of a board, and KNF for other problems; `{file.json}`, `{file.knf}`, `{file.opb}` and
    `{file.cnf+}` are in these formats.
    """

    words: tuple[str, ...]

    @classmethod
    def parse(cls, name: str) -> "Command":
        """The command in a name such as `exe:./encode {n}`. A program with a slash, and words that
        are files, become absolute. Raises `InputError` for a wrong one.
        """
        program, *arguments = programs.split_command(name, "'exe:./encode {n}'")
        absolute = [str(Path(word).absolute()) if _is_file(word) else word for word in arguments]
        for word in (word for word in arguments if not _is_file(word)):
            for match in _FILE.finditer(word):
                if match[1] and match[1] not in _SUFFIXES:
                    known = ", ".join(f"{{file{suffix}}}" for suffix in _SUFFIXES)
                    raise InputError(f"'{match[0]}' is in no known format: write one of {known}")
        return cls((program, *absolute))

    def gets(self, placeholder: str) -> bool:
        """Whether a word contains this placeholder."""
        return any(placeholder in word for word in self._templates)

    @property
    def gets_file(self) -> bool:
        """Whether it gets the whole problem."""
        return any(_FILE.search(word) for word in self._templates)

    def row_suffixes(self, problem: Problem) -> list[str]:
        """The suffixes of files that it gets with the rows of the problem."""
        return [suffix for suffix in self._suffixes(problem) if suffix in _ROWS]

    @property
    def gets_weights(self) -> bool:
        """Whether it gets a file that has rows with weights, if the problem has them."""
        named = (match[1] for word in self._templates for match in _FILE.finditer(word))
        return any(suffix in _WEIGHTS for suffix in named)

    @property
    def _templates(self) -> list[str]:
        """The words with placeholders: those that do not name the program or a file."""
        return [word for word in self.words[1:] if not _is_file(word)]

    def why_not(self, problem: Problem) -> str | None:
        """What of the problem it does not get, and what would work; None if it gets all."""
        if self.gets_file:
            for suffix in self._suffixes(problem):
                if suffix in {".txt", ".json"} and not isinstance(problem, Queens):
                    return f"{{file{suffix}}} is for boards, not for {problem}: write {{file.knf}}"
            return None
        if problem.instance or problem.placed or problem.n is None:
            return f"it gets no more than n of {problem}: add {{file}} to its words"
        if getattr(problem, "k", None) is not None and not self.gets(K):
            return f"it gets no k of {problem}: add {K} to its words"
        return None

    def prepare(self, problem: Problem, folder: Path) -> tuple[list[str], bytes]:
        """Write the files that the command reads to its folder. Returns its words, and what it
        reads from standard input: a line with n, unless that is among the words.
        """
        values = {OUT: str(folder / _OUT)}
        for suffix in self._suffixes(problem):
            path = folder / f"{_PROBLEM}{suffix}"
            _write(problem, path)
            values[f"{{file{suffix}}}"] = str(path)
            if suffix == _usual_suffix(problem):
                values["{file}"] = str(path)
        numbers = {N: problem.n, K: getattr(problem, "k", None)}
        values |= {place: str(number) for place, number in numbers.items() if number is not None}
        program, *arguments = self.words
        words = [program, *(w if _is_file(w) else fill(w, values) for w in arguments)]
        asks = problem.n is not None and not self.gets(N)
        return words, f"{problem.n}\n".encode() if asks else b""

    def find(self, printed: bytes, left: Callable[[], Mapping[str, bytes]]) -> ProgramFormula:
        """The formula in what the command printed, or in the files that it left, by their names in
        its folder. Raises `InputError` if there is none.
        """

        def own() -> dict[str, bytes]:
            return {name: text for name, text in left().items() if not name.startswith(_PROBLEM)}

        return find_formula(printed, own, _OUT if self.gets(OUT) else "")

    def _suffixes(self, problem: Problem) -> Sequence[str]:
        matches = (match for word in self._templates for match in _FILE.finditer(word))
        return list(dict.fromkeys(match[1] or _usual_suffix(problem) for match in matches))


def _is_file(word: str) -> bool:
    try:
        return Path(word).is_file()
    except (OSError, ValueError):
        return False


def _usual_suffix(problem: Problem) -> str:
    return ".txt" if isinstance(problem, Queens) else ".knf"


def _write(problem: Problem, path: Path) -> None:
    if path.suffix in _ROWS:
        constraint_files.write_file(problem.constraints(), path)
    elif isinstance(problem, Queens):
        as_text = board_files.as_json if path.suffix == ".json" else board_files.as_picture
        path.write_text(as_text(problem))
