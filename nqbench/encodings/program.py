"""`exe`: the formula that any program writes, as in `exe:./encode {n}`.

The program runs in an empty folder. In its words, `{n}` is replaced by n. Without `{n}`, the
program gets n as a line on standard input. `{k}` is replaced by k, and `{file}` by the name of a
file with the problem: a picture of a board, or KNF for other problems. `{file.json}` is a board as
JSON, and `{file.knf}`, `{file.opb}` and `{file.cnf+}` are constraints in these formats. `{out}` is
replaced by the name of a file for the formula.

Without `{out}`, the formula is what the program prints from `p cnf` on. If it prints no such line,
it is the only file that the program leaves with one, whatever its name. Text around the formula and
wrong counts in its header are accepted and noted.

The first variables are the options of the problem in their order: the squares, row by row. Comment
lines can name others, such as `c nqbench option 1 2 = 17`. The encode time contains the start of
the program.
"""

import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Final

from nqbench.clauses import constraint_files
from nqbench.clauses.cnf import CNF
from nqbench.clauses.file_formats import FORMATS
from nqbench.common.errors import InputError, SolverError, UnavailableError
from nqbench.common.printable import fill, printable
from nqbench.common.trees import walk
from nqbench.common.vocabulary import NOTED
from nqbench.encodings.base import Encoding
from nqbench.encodings.program_formula import ProgramFormula, find_formula
from nqbench.isolate import guard, scratch
from nqbench.isolate.processes import how_ended
from nqbench.isolate.streams import read_apart
from nqbench.plugins import programs
from nqbench.problems import board_files
from nqbench.problems.base import Problem
from nqbench.problems.clausal import Clausal
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


_LONGEST: Final = 160
_OUTPUT_LIMIT: Final = 256 * 2**20
_ENDS_WELL: Final = (0, 10, 20)
"""Exit statuses of programs that also solve the formula are 10 and 20."""


class ProgramEncoding(Encoding):
    """The formula that a program prints or leaves in a file."""

    reference = "any program that writes DIMACS"
    states_bounds = True
    is_external = True

    def __init__(self, name: str) -> None:
        base, colon, _ = name.partition(":")
        super().__init__(base)
        self._command: Command | None = None
        if colon:
            self.name = name
            self._command = Command.parse(name)

    @cached_property
    def version(self) -> str | None:
        """The program and digests of it and of each file among its words; None if not found."""
        if self._command is None:
            return None
        program = self._command.words[0]
        # A program of one's own may write a formula for whatever it gets.
        return programs.version(self._command.words, asks="/" not in program)

    def probe(self) -> None:
        if self._command is None:
            raise UnavailableError("name a program: exe:PATH, or 'exe:./encode {n}'")
        if programs.find(self._command.words[0]) is None:
            raise UnavailableError(programs.why_not_found(self._command.words[0]))

    def takes_formula(self, problem: Problem) -> bool:
        """Rows of a file, if the program gets them."""
        has_rows = problem.facts.has_rows
        return has_rows and self._command is not None and bool(self._command.row_suffixes(problem))

    @property
    def states_weights(self) -> bool:  # type: ignore[override]
        """Whether the program gets rows with weights."""
        return self._command is not None and self._command.gets_weights

    def why_not(self, problem: Problem) -> str | None:
        if reason := super().why_not(problem):
            return reason
        if self._command is None:
            return f"encoding '{self.name}' needs a command: write 'exe:./encode {{n}}'"
        reason = self._command.why_not(problem)
        return f"encoding '{self.name}': {reason}" if reason else None

    def encode(self, problem: Problem) -> CNF:
        formula = self._run(problem)
        try:
            cnf = formula.with_options(problem.options)
            if isinstance(problem, Clausal):  # variables of the file that the program left out
                cnf = replace(
                    cnf,
                    num_variables=max(cnf.num_variables, problem.constraints().num_variables),
                )
        except InputError as error:
            raise SolverError(f"{self.name}: {error}") from error
        notes = ", and ".join(formula.notes).replace(";", ",")
        self.note = f"{NOTED} {printable(notes, _LONGEST)}" if notes else ""
        return cnf

    def _run(self, problem: Problem) -> ProgramFormula:
        """Run the program, and read its formula. Raises `SolverError` with what it printed last if
        there is none.
        """
        if self._command is None:
            raise InputError("name a program: 'exe:./encode {n}'")
        folder = scratch.Folder(on_disk=not scratch.has_room(_OUTPUT_LIMIT))
        work = folder.path / "work"
        work.mkdir()
        words, given = self._command.prepare(problem, work)
        words[0] = programs.find(words[0]) or words[0]
        (folder.path / "input").write_bytes(given)
        guard.kill_own_group()
        try:
            with (
                (folder.path / "input").open("rb") as stdin,
                subprocess.Popen(
                    words, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=work
                ) as process,
            ):
                output, errors = read_apart(process, _OUTPUT_LIMIT, None)
        except OSError as error:
            reason = programs.why_not_started(words[0], error) or str(error)
            raise SolverError(f"{self.name}: {reason}") from error
        last = _last_line(output, errors)
        shown_last = f"last line '{last}'" if last else "no output"
        end = f"{how_ended(process.returncode)}, {shown_last}"
        if process.returncode not in _ENDS_WELL:
            raise SolverError(f"{self.name}: {end}")
        try:
            return self._command.find(output, lambda: _left_in(work))
        except InputError as error:
            raise SolverError(f"{self.name}: {error}; {end}") from error


def _left_in(folder: Path) -> dict[str, bytes]:
    """The content of the files that the program left, by name. Raises `InputError` if they are too
    large, or in folders nested too deep.
    """
    contents: dict[str, bytes] = {}
    room = _OUTPUT_LIMIT
    for entry in walk(folder):
        if not entry.is_file:
            continue
        with entry.open() as file:
            content = file.read(room + 1)
        room -= len(content)
        if room < 0:
            raise InputError(f"left files of more than {_OUTPUT_LIMIT // 2**20} MiB together")
        contents[str(entry.path)] = content
    return contents


def _last_line(output: bytes, errors: bytes) -> str:
    lines = [
        line.strip()
        for text in (output, errors)
        for line in text[-4096:].decode(errors="replace").splitlines()
        if line.strip()
    ] or [""]
    return printable(lines[-1], 200)
