"""What to do with an encoding and a backend that won: how to install the solver, and a program that
solves a problem or file with them, as it was measured.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from nqbench.backends.base import Backend
from nqbench.backends.snippet import OPB_READER, READER, BestSnippet, Snippet
from nqbench.clauses import file_formats
from nqbench.common import compression
from nqbench.common.errors import InputError, UnavailableError
from nqbench.common.printable import as_command, as_docstring, as_python, as_word, printable
from nqbench.common.vocabulary import AS_IT_IS, Form, Task, combination, unshuffled
from nqbench.encodings.base import Encoding
from nqbench.problems.families.cnf import SUFFIXES
from nqbench.problems.queens import Queens
from nqbench.records import component_files
from nqbench.summary.measured import Measured
from nqbench.summary.recommendation import Recommendation

if TYPE_CHECKING:
    import polars as pl

C = TypeVar("C", Encoding, Backend)

_PROGRAM: Final = "solve.py"
_ANY_FORMULA: Final = "FILE.cnf"
_QUEENS: Final = "queens"
_WITH_OBJECTIVE: Final = {
    suffix for form in file_formats.FORMATS if form.has_objective for suffix in form.suffixes
}

_WITH_HEADER: Final = tuple(
    suffix
    for form in file_formats.FORMATS
    for suffix in form.suffixes
    if form.header and not form.has_objective
)
"""The suffixes of files whose first line always has the number of variables."""

_OF_A_FILE: Final = """\
for name in sys.argv[1:] or sys.exit(__doc__):
    model, conflicts = solve({path})
    print("c", ascii(name)[1:-1], "" if conflicts is None else f"{{conflicts}} conflicts")
    print("s SATISFIABLE" if model is not None else "s UNSATISFIABLE")
    if model is not None:
        print("v", *{literals}, 0)
"""

_OWN_VARIABLES: Final = """\
    headers = (line.split() for line in open(name, errors="replace"))
    own = next(int(words[2]) for words in headers if words[:1] == ["p"])
"""

_OF_AN_OBJECTIVE: Final = """\
for path in sys.argv[1:] or sys.exit(__doc__):
    count, rows, costs, sign, own, names = read(path)
    values = solve(path, count, rows, costs)
    if values is None:
        print("s UNSATISFIABLE")
        continue
    print("o", sign * sum(weight * values[v - 1] for v, weight in costs.items()))
    print("s OPTIMUM FOUND")
    own_names = (names.get(v, f"{prefix}{{v}}") for v in range(1, own + 1))
    print("v", *(("" if value else "-") + name for value, name in zip(values, own_names)))
"""

_SQUARES: Final = """\
        print("c queens (row, column):", *(divmod(v - 1, {n}) for v in model if 0 < v <= {n} * {n}))
"""

_OF_A_BOARD: Final = """\
for n in map(int, sys.argv[1:] or sys.exit(__doc__)):
    columns, conflicts = solve(n)
    print(f"n = {{n}}: {{conflicts}} conflicts")
    print("no solution" if columns is None else list(enumerate(columns)), "(row, column)")
"""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is to be solved, as the command line and Python name it.

    `words` name it to `nqbench encode` and others, `python` is the same as an expression. `file` is
    the path of a formula, `variables` their number if it is known, and `is_plain` whether every
    solver reads it as it is. `n` is the number of rows of an empty board of queens, if it is one.
    `task` is what `nqbench use` has to be told of it; empty if that is what it does anyway.
    """

    words: tuple[str, ...]
    python: str
    file: str = ""
    variables: int | None = None
    is_plain: bool = True
    n: int | None = None
    task: str = ""

    @classmethod
    def of_file(
        cls, path: str = _ANY_FORMULA, variables: int | None = None, *, is_plain: bool = True
    ) -> Self:
        """A formula."""
        path = _operand(path)
        return cls((path,), as_python(path), path, variables, is_plain)

    @classmethod
    def of_family(cls, family: str, n: int, **drawn: Any) -> Self:
        """A problem of a family; `drawn` has the density and the seed of a random one."""
        family = component_files.with_paths(family)
        if family == _QUEENS and not drawn:
            return cls(("--n", str(n)), str(n), n=n)
        options = [word for name, value in drawn.items() for word in (f"--{name}", str(value))]
        arguments = "".join(f", {name}={value!r}" for name, value in drawn.items())
        several = ", instances=1" if drawn else ""
        return cls(
            ("--n", str(n), "--family", family, *options),
            f"nqbench.problems_of({as_python(family)}, {n}{arguments}{several})[0]",
        )

    @classmethod
    def of_board(cls, path: str, family: str | None, diagonals: int | None = None) -> Self:
        """A problem of a family in a file; `diagonals` are those excluded of a CSPLib instance."""
        path = _operand(path)
        options = [] if family is None else ["--family", family]
        named = f"{as_python(family or _QUEENS)}, files={as_python(path)}"
        if diagonals is not None:
            options += ["--diagonals", str(diagonals)]
            named += f", diagonals={diagonals}"
        return cls(("--file", path, *options), f"nqbench.problems_of({named})[0]")

    @classmethod
    def of_records(cls, records: "pl.DataFrame") -> Self:
        """The largest problem of these records of one family; for a formula, a name in place of the
        reader's own file.
        """
        largest = records.sort("n", nulls_last=False).row(-1, named=True)
        if largest["n"] is None:
            # What was imported may be called without its folder, or be packed.
            suffixes = [
                s for s in PurePath(largest["instance"]).suffixes if s in file_formats.SUFFIXES
            ]
            suffix = suffixes[-1] if suffixes else ".cnf"
            is_any = suffix in _WITH_OBJECTIVE and largest.get("task") not in (None, Task.BEST)
            return replace(cls.of_file(f"FILE{suffix}"), task=Task.FIRST.value if is_any else "")
        density = largest.get("density")
        drawn = {} if density is None else {"density": density}
        return cls.of_family(largest["family"], largest["n"], **drawn)

    @property
    def header_suffix(self) -> str:
        """The suffix of a file that is not packed and has a header; empty for others."""
        suffix = PurePath(self.file).suffix
        return suffix if suffix in _WITH_HEADER else ""

    @property
    def stem(self) -> str:
        """The name of files that are made of it, without their suffix."""
        if not self.file:
            return _plain("-".join(self.words))
        if suffix := self.header_suffix:
            return self.file.removesuffix(suffix)
        name = self.file
        while PurePath(name).suffix in {*SUFFIXES, *compression.SUFFIXES, ".txt"}:
            name = str(PurePath(name).with_suffix(""))
        return name


def _operand(path: str) -> str:
    """The path of a file, written so that no command takes it for an option."""
    return f"./{path}" if path.startswith("-") else path


def _plain(name: str) -> str:
    return re.sub(r"[^\w]+", "-", name).strip("-")


_FOREIGN: Final = "It was imported: nqbench has no encoding and backend of these names to call."


@dataclass(frozen=True, slots=True)
class Use:
    """How to use one encoding and backend on a subject. `version` is that of the backend's record,
    or what is installed here. `note` says when another combination is the one to use, and what was
    measured instead; `others` say for what another one is the better choice. A text is empty where
    there is no such thing. `is_foreign`: it was imported, and nqbench cannot call it.
    `is_best`: the best value of the objective of a file is asked for.
    """

    subject: Subject
    encoding: str
    backend: str
    version: str | None
    _encoding: Encoding | None
    _backend: Backend | None
    note: str = ""
    others: tuple[str, ...] = ()
    is_foreign: bool = False
    is_best: bool = False
    encoding_version: str | None = None

    @classmethod
    def of(
        cls,
        subject: Subject,
        encoding: str,
        backend: str,
        version: str | None = None,
        *,
        recorded: bool = True,
        is_best: bool = False,
    ) -> Self:
        """How to use them. Names that are `recorded` load no file."""
        scheme = _loaded(Encoding.recorded if recorded else Encoding.named, encoding)
        solver = _loaded(Backend.recorded if recorded else Backend.named, backend)
        if solver is not None and not recorded:
            version = version or solver.version  # which starts a program
        return cls(subject, encoding, backend, version, scheme, solver, is_best=is_best)

    @classmethod
    def of_best(
        cls, records: "pl.DataFrame", best: str, readers_names: Mapping[str, str] | None = None
    ) -> Self | None:
        """How to use the best combination of these records, without a shuffle; None if it has none,
        or if they are of queries, which no program here asks. The names in the records may be those
        for readers, which are given by the true names.
        """
        if "queries" in records.columns and records["queries"].count():
            return None
        pairs = records.select("encoding", "backend").unique().rows()
        pair = next((pair for pair in pairs if combination(*pair) == best), None)
        if pair is None:
            return None
        own = records.filter(encoding=pair[0], backend=pair[1])
        true = {shown: name for name, shown in (readers_names or {}).items()}
        encoding, backend = (true.get(name, name) for name in pair)
        versions = own["backend_version"].drop_nulls()
        version = versions[-1] if len(versions) else None
        subject = Subject.of_records(own)
        is_best = bool(subject.file) and set(own["task"]) == {Task.BEST}
        use = cls.of(subject, unshuffled(encoding), backend, version, is_best=is_best)
        of_encoding = own["encoding_version"].drop_nulls()
        use = replace(use, encoding_version=of_encoding[-1] if len(of_encoding) else None)
        is_unknown = use._backend is None or use._encoding is None
        if is_unknown and "imported_from" in own.columns and own["imported_from"].null_count() == 0:
            return replace(use, is_foreign=True, note=_FOREIGN)
        return use

    @classmethod
    def of_recommendation(
        cls,
        measured: Measured,
        found: Recommendation,
        readers_names: Mapping[str, str] | None = None,
    ) -> Self | None:
        """How to use the recommended combination, with its notes; None if the records have none of
        this name.
        """
        use = cls.of_best(measured.records, found.name, readers_names)
        if use is None:
            return None
        note = " ".join(filter(None, [use.note, *found.notes]))
        return replace(use, note=note, others=tuple(found.others))

    @property
    def name(self) -> str:
        """The name of the combination."""
        return combination(self.encoding, self.backend)

    @property
    def _typed(self) -> tuple[str, str]:
        """The encoding and the backend as a command or a call takes them."""
        return (
            component_files.with_paths(self.encoding, self.encoding_version),
            component_files.with_paths(self.backend, self.version),
        )

    @property
    def install(self) -> str:
        """The shell command that installs the solver, in the version that was measured."""
        if self._backend is None:
            return ""
        return self._backend.how_to_install(self.version)

    @property
    def encode(self) -> str:
        """The shell command that writes the formula to solve, if it is not the file itself."""
        if self.is_best:
            return "" if self._best_snippet is None else self._encode
        if self._snippet is None or self._snippet.of_board or not self._is_encoded:
            return ""
        return self._encode

    @property
    def _encode(self) -> str:
        named = ["--encoding", self._typed[0], "--output", self._formula]
        return as_command(["nqbench", "encode", *self.subject.words, *named])

    @property
    def command(self) -> str:
        """The shell command of a program with the options that were measured."""
        if self._backend is None or (self._best_snippet or self._snippet) is None:
            return ""
        return as_command(self._backend.command(self._formula))

    @property
    def call(self) -> str:
        """The same with nqbench, in Python."""
        encoding, backend = map(as_python, self._typed)
        return f"nqbench.use({self.subject.python}, encoding={encoding}, " + (
            f"backend={backend}"
            f"{f', task={as_python(self.subject.task)}' if self.subject.task else ''})"
        )

    @property
    def show(self) -> str:
        """The command of nqbench that prints `program`."""
        typed = self._typed
        encoding = [] if self.encoding == AS_IT_IS else ["--encoding", typed[0]]
        named = [*encoding, "--backend", typed[1]]
        task = ["--task", self.subject.task] if self.subject.task else []
        return as_command(["nqbench", "use", *self.subject.words, *named, *task])

    def lines(self) -> list[str]:
        """What to do, in two lines for a terminal: a shell command each. Nothing for what nqbench
        cannot call.
        """
        return [] if self.is_foreign else [*filter(None, [self.install]), self.show]

    @property
    def program(self) -> str:
        """A program in Python that solves the subject. It needs nothing but the solver, unless only
        nqbench can call the solver so.
        """
        if (best := self._best_snippet) is not None:
            prefix = "" if self.subject.file.lower().endswith(".wcnf") else "x"
            return self._assemble(
                best,
                [OPB_READER],
                "path, count, rows, costs",
                "Return the values of a best model, or None if there is no model.",
                _OF_AN_OBJECTIVE.format(prefix=prefix),
            )
        snippet = self._snippet
        if snippet is None:
            return (
                f'"""{as_docstring(self._head())}"""\n\nimport nqbench\n\nused = {self.call}\n'
                "print(used.answer, used.counters.conflicts)\nprint(used.solution)\n"
            )
        gets, gives = ("path", "the literals of a model")
        if snippet.of_board:
            gets, gives = ("n", "the columns of the queens")
        return self._assemble(
            snippet,
            [READER] if snippet.reads else [],
            gets,
            f"Return {gives}, or None, and the number of conflicts.",
            self._main(snippet),
        )

    def _assemble(
        self, snippet: Snippet | BestSnippet, readers: list[str], gets: str, returns: str, main: str
    ) -> str:
        """The program: its docstring, imports, `solve` and what calls it."""
        statements = {"import sys", *snippet.imports}
        if self._reads_header and not self.is_best:
            statements.add("from pathlib import Path")
        standard = sorted(
            (line for line in statements if line.split()[1] in _STANDARD), key=_by_kind
        )
        others = [line for line in snippet.imports if line not in standard]
        imports = "\n\n".join("\n".join(group) for group in (standard, others) if group)
        body = "".join(f"    {line}".rstrip() + "\n" for line in snippet.body.splitlines())
        solve = f'def solve({gets}):\n    """{returns}"""\n{body}'
        head = f'"""{as_docstring(self._head())}"""\n\n{imports}\n'
        return "\n\n".join([head, *readers, solve, main])

    @property
    def _best_snippet(self) -> BestSnippet | None:
        """The code of a backend that finds the best value, if the solver needs nothing else."""
        if not self.is_best or self._backend is None or self._encoding is None:
            return None
        if self._form is not (Form.CNF_PLUS if self._backend.takes_weights else Form.CNF):
            return None
        return self._backend.best_snippet() if self._backend.accepts(self._encoding) else None

    def _main(self, snippet: Snippet) -> str:
        if snippet.of_board:
            return _OF_A_BOARD.replace("{{", "{").replace("}}", "}")
        if not self._reads_header:
            own = self.subject.variables if self._maps else None
            literals = f"(v for v in model if abs(v) <= {own})" if own is not None else "model"
            text = _OF_A_FILE.format(path="name", literals=literals)
            has_squares = (
                self.subject.n is not None
                and self._encoding
                and self._encoding.shows_options(Queens(self.subject.n))
            )
            return text + (_SQUARES.format(n=self.subject.n) if has_squares else "")
        path = f'str(Path(name).with_suffix("{self._suffix}"))'
        literals = "(literal for literal in model if abs(literal) <= own)"
        first, *rest = _OF_A_FILE.format(path=path, literals=literals).splitlines(keepends=True)
        return "".join([first, _OWN_VARIABLES, *rest])

    def _head(self) -> str:
        """The text of the program's docstring."""
        what = printable(self.subject.file or " ".join(self.subject.words))
        name = printable(self.name)
        if self._best_snippet is not None:
            first, given = f"The best value of {what}", self._formula
            about = (
                "It prints the value and the model in the terms of the file: lines o, s and v.\n"
            )
        elif self._snippet is None:
            what = f"the best value of {what}" if self.is_best else what
            need = f"    {self.install}\n\n" if self.install else ""
            return f"Solve {what} with {name}, as it was measured.\n\n{need}{self._why_not()}\n"
        else:
            first, about = f"Solve {what}", self._mapping()
            given = self.subject.file if self._reads_header else self._formula
            given = str(self.subject.n) if self._snippet.of_board else given
        steps = [self.install, self.encode, f"python {_PROGRAM} {as_word(given)}"]
        lines = "".join(f"    {step}\n" for step in steps if step)
        also = f"The command of the solver: {self.command}\n\n" if self.command else ""
        return (
            f"{first} with {name}, as it was measured.\n\n{lines}\n{also}{about}"
            f"The same with nqbench, which also checks the answer:\n\n    {self.call}\n"
        )

    def _mapping(self) -> str:
        """How a model is mapped back."""
        if not self.subject.file:
            if self._snippet and self._snippet.of_board:
                return ""
            formula = as_word(self._formula)
            decode = f"nqbench decode - --cnf {formula}"
            return f"To draw the solution: python {_PROGRAM} {formula} | {decode}\n\n"
        if not self._maps:
            return ""
        kept = (
            "Variables keep their numbers, and those of the encoding follow: these are left out.\n"
        )
        if self.subject.file.lower().endswith(file_formats.ROW_SUFFIXES):
            return f"{kept}\n"
        return (
            f"{kept}"
            "If the file has auxiliary variables of at-most-ones, the encoding does without them:\n"
            "their values mean nothing here, and nqbench.use gives them values.\n\n"
        )

    def _why_not(self) -> str:
        if self._backend is None or self._encoding is None:
            missing = "backend" if self._backend is None else "encoding"
            return f"The {missing} is not installed here, so this calls it through nqbench."
        return "This needs nqbench, which makes what the solver gets, and checks the answer."

    @property
    def _form(self) -> Form | None:
        return self._encoding.makes if self._encoding else None

    @property
    def _snippet(self) -> Snippet | None:
        """The code of the backend, if the solver needs nothing else from nqbench."""
        if self._backend is None or self._encoding is None or self._form is None or self.is_best:
            return None
        if self._form not in {Form.CNF, Form.CNF_PLUS, Form.PROBLEM}:
            return None
        if not self._backend.accepts(self._encoding) or _is_lazy(self._encoding):
            return None
        if self._form is Form.PROBLEM and self.subject.n is None:
            return None
        return self._backend.snippet(self._form)

    @property
    def _is_encoded(self) -> bool:
        """Whether the solver gets another formula than the file."""
        is_packed = PurePath(self.subject.file).suffix in compression.SUFFIXES
        is_readable = self.subject.is_plain and not is_packed
        return not self.subject.file or self.encoding != AS_IT_IS or not is_readable

    @property
    def _maps(self) -> bool:
        """Whether the formula has other variables than the file."""
        return bool(self.subject.file) and self._is_encoded

    @property
    def _reads_header(self) -> bool:
        """Whether the program is given the file, and finds the solved formula beside it."""
        return self._maps and bool(self.subject.header_suffix)

    @property
    def _suffix(self) -> str:
        end = ".cnf+" if self._form is Form.CNF_PLUS else ".cnf"
        end = ".opb" if self.is_best else end
        return f".{_plain(self.encoding)}{end}"

    @property
    def _formula(self) -> str:
        """The name of the file that the solver gets."""
        return self.subject.stem + self._suffix if self._is_encoded else self.subject.file


_STANDARD: Final = ("ctypes", "os", "pathlib", "re", "subprocess", "sys", "sysconfig")


def _by_kind(statement: str) -> tuple[bool, str]:
    return statement.startswith("from"), statement


def _is_lazy(encoding: Encoding) -> bool:
    """Whether it leaves out clauses, which are added when a model breaks them."""
    overridden = type(encoding).lazy_clauses is not Encoding.lazy_clauses
    return (
        overridden and encoding.only_for is Queens and bool(len(encoding.lazy_clauses(Queens(4))))
    )


def _loaded(load: Callable[[str], C], name: str) -> C | None:
    """The component with this name; None if it is not installed, or is the path of a file and only
    a record names it.
    """
    try:
        return load(name)
    except (InputError, UnavailableError):
        return None
