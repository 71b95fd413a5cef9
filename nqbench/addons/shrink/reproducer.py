"""A program that shows a fault to the maintainers of a solver, who need not have nqbench."""

import math
import os
import platform
import re
import resource
import signal
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from nqbench.addons.shrink.kept import Failure, Kept, Slowness
from nqbench.backends.base import Backend
from nqbench.backends.pysat.solvers import KINDS
from nqbench.backends.snippet import READER, Snippet
from nqbench.common.printable import as_command, as_docstring
from nqbench.common.units import counted
from nqbench.common.vocabulary import AS_IT_IS, Answer, Form, Outcome, Verdict
from nqbench.records.component_files import with_paths
from nqbench.records.record import Record

STANDARD: Final = sys.stdlib_module_names

_HEAD: Final = """\
\"\"\"{title}.

Expected: {expected}.
Happens:  {happens}.
Seen:     {versions} on Python {python}.
Status:   1 if the fault is present, 0 if not.
\"\"\"

{imports}

FORMULA = \"\"\"\\
{formula}\"\"\""""

_SOLVE: Final = """\
def {name}(path):
    \"\"\"Return {returned}, or None, and the number of conflicts.\"\"\"
{body}"""

_WRITE: Final = """\
path = str(Path(tempfile.mkdtemp(), "small{suffix}"))
Path(path).write_text(FORMULA)
"""

_CLAUSES: Final = """\
clauses = [list(map(int, line.split()[:-1])) for line in FORMULA.splitlines()[1:]]
"""

_WRONG: Final = """\
model, _ = solve(path)
broken = [clause for clause in clauses if not set(clause) & set(model or ())]
print("expected: {expected}")
print("got:     ", "unsatisfiable" if model is None else f"a model that breaks {{broken[:1]}}")
sys.exit(1 if {is_wrong} else 0)
"""

_ASK: Final = """\
clauses, flaw = [], None
with Solver(name="{name}") as solver:
    for line in Path(path).read_text().splitlines():
        letter, *words = line.split()
        literals = [int(word) for word in words[:-1]]
        if letter == "i":
            clauses.append(literals)
            solver.add_clause(literals)
        elif letter == "q":
            {check}
    return flaw, {conflicts}"""

_FLAW_OF: Final = """\
def flaw_of(solver, is_sat, clauses, assumptions):
    \"\"\"Return what is wrong with an answer, or None.\"\"\"
    if is_sat:
        model = set(solver.get_model())
        for clause in [*clauses, *([literal] for literal in assumptions)]:
            if all(-literal in model for literal in clause):
                return f"a model that breaks {{clause}}"
        return None
    core = solver.get_core() or []
    if not set(core) <= set(assumptions):
        return f"a core with more than the assumptions: {{core}}"
    with Solver(name="{other}", bootstrap_with=clauses) as other:
        is_wrong = other.solve(assumptions=core)
        return f"unsatisfiable with the core {{core}}, but it is not" if is_wrong else None"""

_WRONG_ANSWER: Final = """\
flaw, _ = solve(path)
print("expected: {expected}")
print("got:     ", flaw or "right answers")
sys.exit(1 if flaw else 0)
"""

_HOLDS: Final = """\
def holds(row, true):
    \"\"\"Return whether a row holds if these variables are true.\"\"\"
    *terms, relation, bound, _ = row.split()
    pairs = zip(map(int, terms[::2]), terms[1::2])
    total = sum(weight for weight, name in pairs if (name.lstrip("~") in true) != (name[0] == "~"))
    return total == int(bound) if relation == "=" else total >= int(bound)"""

_ROWS: Final = """\
command = [word.replace("{file}", path) for word in {command}]
run = subprocess.run(command, capture_output=True, text=True, check=False)
lines = run.stdout.splitlines()
true = {{word for line in lines if line[:2] == "v " for word in line.split()[1:]}}
broken = [row for row in FORMULA.splitlines()[1:] if not holds(row, true)]
is_unsat, is_sat = "s UNSATISFIABLE" in lines, "s SATISFIABLE" in lines
got = "unsatisfiable" if is_unsat else f"a model that breaks {{broken[:1]}}"
if not (is_unsat or is_sat):
    got = f"no answer, and exit status {{run.returncode}}"
print("expected: {expected}")
print("got:     ", got)
sys.exit(1 if {is_wrong} else 0)
"""

_FILE: Final = "@FILE@"

_IN_CHILD: Final = """\
if sys.argv[1:]:
    print(solve(sys.argv[1]))
    sys.exit(0)
"""

_CRASH: Final = """\
call = [sys.executable, __file__, path]
child = subprocess.run(call, capture_output=True, text=True, check=False)
code = child.returncode
got = signal.Signals(-code).name if code < 0 else f"status {code}"
print("expected: an answer")
print("got:     ", got, *child.stderr.splitlines()[-1:])
sys.exit(1 if code else 0)
"""

_SLOW: Final = """\
numbers = [solve(path)[1] for solve in [{solvers}]]
print("expected: less than {expected}")
print("got:     ", *numbers, "conflicts")
sys.exit(1 if numbers[0] >= {at_least}{factor} else 0)
"""

_PROVE: Final = """\
def prove(clauses):
    \"\"\"Return the proof, as lists of words.\"\"\"
    with Solver(name="{name}", bootstrap_with=clauses, with_proof=True) as solver:
        solver.solve()
        return [line.split() for line in solver.get_proof()]


def follows(clauses, lemma):
    \"\"\"Whether unit propagation shows that a lemma follows.\"\"\"
    true = {{-literal for literal in lemma}}
    while True:
        for clause in clauses:
            if not set(clause) & true:
                left = {{literal for literal in clause if -literal not in true}}
                if len(left) < 2:
                    break
        else:
            return False
        if not left:
            return True
        true |= left"""

_PROOF: Final = """\
known, wrong = list(clauses), None
for words in prove(clauses):
    lemma = [int(word) for word in words if word not in ("d", "0")]
    if words[0] != "d":
        wrong = wrong or (None if follows(known, lemma) else " ".join(words))
        known.append(lemma)
if wrong is None and [] not in known:
    wrong = "no empty clause"
print("expected: each lemma follows, and the last one is empty")
print("got:     ", wrong)
sys.exit(0 if wrong is None else 1)
"""

_NO_END: Final = """\
call = [sys.executable, __file__, path]
child = subprocess.Popen(call, start_new_session=True, stdout=subprocess.DEVNULL)
try:
    got = f"status {{child.wait({seconds})}}"
except subprocess.TimeoutExpired:
    os.killpg(child.pid, signal.SIGKILL)
    got = None
print("expected: {expected}")
print("got:     ", got or "none")
sys.exit(0 if got else 1)
"""

_WITH_NQBENCH: Final = """\
\"\"\"{title}.

Seen:     {versions}.
Status:   1 if the fault is present, 0 if not.

This needs nqbench, since only it can show this. The formula is in {file}, beside this program.
\"\"\"

import sys
from pathlib import Path

import nqbench

runs = nqbench.run(
    Path(__file__).with_name("{file}"),
    {names}
    repeat=1,
    time_limit={time_s:g},
    memory_limit={memory},
    progress=False,
).rows(named=True)
for run in runs:
    print(*(run[name] for name in ("backend", "outcome", "answer", "verdict", "message")))
{check}
"""

_SAME: Final = """\
kinds = [(run["outcome"], run["verdict"]{more}) for run in runs]
sys.exit(1 if kinds == [("{outcome}", "{verdict}"{also})] else 0)"""

_SAME_NUMBERS: Final = """\
numbers = [run["{by}"] or 0 for name in {backends} for run in runs if run["backend"] == name]
print("expected: less than {expected}")
print("got:     ", *numbers)
sys.exit(1 if numbers[0] >= {at_least}{factor} else 0)"""

_RELATIVE: Final = re.compile(r"(?<![^\s:=,'\"])\.{1,2}/[^\s:=,'\"]+")
"""A file that a name of a component has, relative to the folder."""

_START_S: Final = 20.0
"""How long a program may take to start, and to end."""

_SHORT: Final = 20
"""Literals of a model that is shown."""

_PROVING: Final = ("glucose", "maple", "minisat", "lingeling", "mergesat", "gluecard")
"""The beginnings of PySAT's solvers whose proofs Python gets as text."""


@dataclass(frozen=True, slots=True)
class Reproducer:
    """What the program shows: a fault that has to be kept, the records that show it, and the
    backends. `formula` are the clauses that these solve, in DIMACS, and `file` the name of the file
    that nqbench is given, whose lines are in `encoding`. `form` is that of the formula, and
    `is_alone` whether the solvers show it on that formula by themselves. With `has_rows`, the
    formula is rows in OPB, which a program reads.
    """

    kept: Kept
    records: Sequence[Record]
    backends: Sequence[Backend]
    formula: str
    file: str
    encoding: str
    form: Form = Form.CNF
    is_alone: bool = True
    has_rows: bool = False

    def checked(self) -> "Reproducer":
        """The same if its program shows the fault here, and otherwise one that needs nqbench."""
        if self.needs_nqbench or _shows(self.program(), self.records[0]):
            return self
        return replace(self, is_alone=False)

    @property
    def versions(self) -> str:
        """The versions of the solvers."""
        each = (record.backend_version or record.backend for record in self.records)
        return ", ".join(dict.fromkeys(each))

    @property
    def builds(self) -> str:
        """The machine code of the solvers, as records have it."""
        each = (record.backend_build or "unknown" for record in self.records)
        return ", ".join(dict.fromkeys(each))

    @property
    def title(self) -> str:
        """What it shows, in a line."""
        return self.kept.words(list(self.records))

    @property
    def needs_nqbench(self) -> bool:
        """Whether no program without nqbench can show it."""
        if not self.is_alone or (isinstance(self.kept, Slowness) and self.kept.by != "conflicts"):
            return True
        if self.records[0].outcome is Outcome.MEMOUT:
            return True  # by itself, it would take what the machine has
        if self.has_rows:
            return isinstance(self.kept, Slowness) or self.records[0].outcome is Outcome.TIMEOUT
        if isinstance(self.kept, Failure) and self.kept.is_of_proof:
            name = self.backends[0].base_name
            return self.backends[0].name != name or not name.startswith(_PROVING)
        return any(snippet is None for snippet in self._snippets)

    @property
    def command(self) -> list[str]:
        """The words of the command that measures it with nqbench."""
        words = ["nqbench", "run", "--cnf", self.file, "--fresh", "--no-plots"]
        for backend in self.backends:
            words += ["--backend", _found_anywhere(backend.name)]
        option = "--amo" if self.file.endswith(".cnf") else "--encoding"
        return words if self._encoding == AS_IT_IS else [*words, option, self._encoding]

    @property
    def _encoding(self) -> str:
        return _found_anywhere(self.encoding)

    @property
    def _snippets(self) -> list[Snippet | None]:
        if self.has_queries:
            return list(map(self._asking, self.backends))
        return [backend.snippet(self.form) for backend in self.backends]

    @property
    def has_queries(self) -> bool:
        """Whether there are queries between the clauses."""
        return self.file.endswith(".icnf")

    def _asking(self, backend: Backend) -> Snippet | None:
        """What puts the queries to a solver of PySAT without options; None for others."""
        kind = KINDS.get(backend.name)
        if kind is None or not kind.capabilities.assumptions:
            return None
        is_checked = isinstance(self.kept, Failure) and self.kept.outcome is not Outcome.CRASHED
        body = _ASK.format(
            name=backend.name,
            check="is_sat = solver.solve(assumptions=literals)\n            "
            "flaw = flaw or flaw_of(solver, is_sat, clauses, literals)"
            if is_checked
            else "solver.solve(assumptions=literals)",
            conflicts='solver.accum_stats()["conflicts"]' if kind.capabilities.counters else "None",
        )
        return Snippet(("from pysat.solvers import Solver",), body)

    def program(self) -> str:
        """The program, in Python."""
        if self.needs_nqbench:
            return self._with_nqbench()
        if isinstance(self.kept, Slowness):
            return self._slow(self.kept)
        assert isinstance(self.kept, Failure)
        if self.has_rows:
            return self._of_rows(self.kept)
        if self.kept.is_of_proof:
            prove = _PROVE.format(name=self.backends[0].base_name)
            expected = "each lemma of the proof follows from those before it"
            imports = ["import sys", "from pysat.solvers import Solver"]
            main = self._print_versions() + _CLAUSES + _PROOF
            return self._joined(expected, imports, [prove], main)
        if self.kept.outcome is Outcome.CRASHED:
            more = ["import signal", "import subprocess"]
            return self._solving("an answer", _IN_CHILD, _CRASH, more)
        if self.kept.outcome is Outcome.TIMEOUT:
            seconds = math.ceil(self.records[0].time_limit_s)
            expected = f"an answer within {seconds} s"
            end = _NO_END.format(seconds=seconds, expected=expected)
            more = ["import os", "import signal", "import subprocess"]
            return self._solving(expected, _IN_CHILD, end, more)
        if self.has_queries:
            expected = "models of the clauses and assumptions, and cores that have none"
            return self._solving(expected, "", _WRONG_ANSWER.format(expected=expected))
        is_unsat = self.kept.answer is Answer.UNSAT
        expected = f"a model{self._model()}" if is_unsat else "a model of all clauses, or none"
        is_wrong = "model is None" if is_unsat else "model is not None and broken"
        end = _CLAUSES + _WRONG.format(expected=expected, is_wrong=is_wrong)
        return self._solving(expected, "", end)

    def _of_rows(self, kept: Failure) -> str:
        expected, is_wrong = "a model of all rows, or none", "is_sat and broken"
        if kept.outcome is Outcome.CRASHED:
            expected, is_wrong = "an answer", "not (is_unsat or is_sat)"
        elif kept.answer is Answer.UNSAT:
            expected, is_wrong = "a model", "is_unsat"
        end = _ROWS.format(
            file=_FILE,
            command=list(map(_found_anywhere, self.backends[0].command(_FILE))),
            expected=expected,
            is_wrong=is_wrong,
        )
        imports = ["import subprocess", "import sys", "import tempfile", "from pathlib import Path"]
        main = self._print_versions() + _WRITE.format(suffix=".opb") + end
        return self._joined(expected, imports, [_HOLDS], main)

    def _with_nqbench(self) -> str:
        names = [_found_anywhere(backend.name) for backend in self.backends]
        given = [f"backends={names!r},"]
        if self._encoding != AS_IT_IS:
            option = "amo" if self.file.endswith(".cnf") else "encodings"
            given.append(f"{option}={self._encoding!r},")
        record = self.records[0]
        if isinstance(self.kept, Slowness):
            expected, factor = self._numbers(self.kept)
            check = _SAME_NUMBERS.format(
                by=self.kept.by,
                backends=[backend.name for backend in self.backends],
                expected=expected,
                at_least=self.kept.at_least,
                factor=factor,
            )
        else:
            is_flaw = record.verdict is Verdict.VERIFIED
            check = _SAME.format(
                outcome=record.outcome,
                verdict=record.verdict,
                more=', "proof not checked" in run["message"]' if is_flaw else "",
                also=", True" if is_flaw else "",
            )
        return _WITH_NQBENCH.format(
            title=as_docstring(_wrapped(self.title)),
            versions=as_docstring(_wrapped(self.versions, " " * 10)),
            file=self.file,
            names="\n    ".join(given),
            time_s=record.time_limit_s,
            memory=record.memory_limit_bytes,
            check=check,
        )

    def _model(self) -> str:
        """A model of a formula that has one, in words; empty if it is long."""
        from pysat.formula import CNF
        from pysat.solvers import Cadical153

        with Cadical153(bootstrap_with=CNF(from_string=self.formula)) as solver:
            model = solver.get_model() if solver.solve() else None
        return f", such as {' '.join(map(str, model))}" if model and len(model) <= _SHORT else ""

    def _slow(self, kept: Slowness) -> str:
        expected, factor = self._numbers(kept)
        solvers = ", ".join(f"solve_{number}" for number in range(1, 1 + len(self.backends)))
        end = _SLOW.format(
            solvers=solvers, expected=expected, at_least=kept.at_least, factor=factor
        )
        return self._solving(f"less than {expected}", "", end)

    def _numbers(self, kept: Slowness) -> tuple[str, str]:
        """What is expected of the numbers of steps, in words, and a condition on the second."""
        if len(self.backends) < 2:
            return f"{kept.at_least} {kept.by}", ""
        times = f", or {kept.factor:g} times as many as the other"
        factor = f" and numbers[0] >= {kept.factor:g} * max(1, numbers[1])"
        return f"{kept.at_least} {kept.by}{times}", factor

    def _solving(self, expected: str, begin: str, end: str, more: Sequence[str] = ()) -> str:
        """A program with a function that solves for each backend."""
        snippets = [snippet for snippet in self._snippets if snippet is not None]
        names = ["solve"]
        if isinstance(self.kept, Slowness):
            names = [f"solve_{number}" for number in range(1, 1 + len(snippets))]
        imports = ["import sys", "import tempfile", "from pathlib import Path", *more]
        imports += [line for snippet in snippets for line in snippet.imports]
        functions = [READER.rstrip()] if any(snippet.reads for snippet in snippets) else []
        returned, suffix = "the literals of a model", ".cnf" if self.form is Form.CNF else ".cnf+"
        if self.has_queries:
            if any("flaw_of" in snippet.body for snippet in snippets):
                is_glucose = self.backends[0].name.startswith("glucose")
                functions.append(_FLAW_OF.format(other="cadical153" if is_glucose else "glucose4"))
            returned, suffix = "what is wrong with an answer", ".icnf"
        for name, snippet in zip(names, snippets, strict=True):
            body = "\n".join(f"    {line}".rstrip() for line in snippet.body.splitlines())
            functions.append(_SOLVE.format(name=name, returned=returned, body=body))
        write = _WRITE.format(suffix=suffix)
        main = begin + self._print_versions() + write + end
        return self._joined(expected, imports, functions, main)

    def _joined(
        self, expected: str, imports: Sequence[str], functions: Sequence[str], main: str
    ) -> str:
        every = {*imports}
        if self._print_versions():
            every |= {"import platform", "from importlib.metadata import version"}
        standard = {line for line in every if line.split()[1].split(".")[0] in STANDARD}
        groups = (sorted(standard, key=_by_kind), sorted(every - standard, key=_by_kind))
        head = _HEAD.format(
            title=as_docstring(_wrapped(self.title)),
            expected=_wrapped(expected, " " * 10),
            happens=as_docstring(_wrapped(self.title, " " * 10)),
            versions=as_docstring(_wrapped(self.versions, " " * 10)),
            python=platform.python_version(),
            imports="\n\n".join("\n".join(group) for group in groups if group),
            formula=self.formula,
        )
        return "\n\n\n".join([head, *functions, main])

    def _print_versions(self) -> str:
        """A line that prints the versions that are installed where the program runs."""
        every = (name for backend in self.backends for name in backend.distributions)
        each = [name for name in dict.fromkeys(every) if name != "nqbench"]
        if not each or not all(map(_is_installed, each)):
            return ""
        printed = ", ".join(f'"{name}", version("{name}")' for name in each)
        return f'print({printed}, "Python", platform.python_version())\n'

    def readme(self, size: str, start: str, runs: int, *, is_minimal: bool) -> str:
        """A text for a report of the fault."""
        is_smallest = "No single step makes it smaller." if is_minimal else "It was stopped there."
        lines = [
            f"# {self.title}",
            "",
            f"`{self.file}` has {size}. It was made from {start} in {counted(runs, 'run')}. "
            f"{is_smallest}",
            "",
            f"- versions: {self.versions}; build: {self.builds}",
            f"- Python {platform.python_version()} on {platform.platform()}",
            *([f"- encoding: `{self.encoding}`"] if self.encoding != AS_IT_IS else []),
            f"- `python reproduce.py` shows it{' with nqbench' if self.needs_nqbench else ''}",
            f"- with nqbench: `{as_command(self.command)}`",
            "",
            "It was made by `nqbench shrink`.",
        ]
        return "\n".join([*lines, ""])


def _shows(program: str, record: Record) -> bool:
    """Whether a program shows a fault, within the limits of its record."""
    with TemporaryDirectory(prefix="nqbench-") as folder:
        path, printed = Path(folder, "reproduce.py"), Path(folder, "printed")
        path.write_text(program)
        with printed.open("w") as output:
            child = subprocess.Popen(
                [sys.executable, path.name],
                cwd=folder,
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.DEVNULL,
            )
        if most := record.memory_limit_bytes:
            with suppress(ProcessLookupError):
                resource.prlimit(child.pid, resource.RLIMIT_AS, (most, most))
        try:
            status = child.wait(_START_S + 2 * record.time_limit_s)
        except subprocess.TimeoutExpired:
            return False
        finally:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        return status == 1 and "got:" in printed.read_text(errors="replace")


def _wrapped(text: str, indent: str = "") -> str:
    """A text in lines of a docstring."""
    lines = textwrap.wrap(text, 88 - len(indent), break_long_words=False, break_on_hyphens=False)
    return f"\n{indent}".join(lines)


def _found_anywhere(name: str) -> str:
    """The name of a component as a command takes it in any folder."""
    return _RELATIVE.sub(lambda place: str(Path.cwd() / place[0]), with_paths(name))


def _is_installed(distribution: str) -> bool:
    """Whether it is one: a solver in a file is none."""
    try:
        return bool(version(distribution))
    except PackageNotFoundError:
        return False


def _by_kind(statement: str) -> tuple[bool, str]:
    return statement.startswith("from"), statement
