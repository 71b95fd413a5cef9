"""Any program that reads a DIMACS file, found by name on the PATH or given as `exe:PATH`.

In its arguments, `{cnf}` or `{file}` is replaced by the name of the formula's file, which otherwise
comes last; `{opb}` by that of a file with rows and objective in OPB. `{result}` is replaced by the
name of a result file, for programs that write their answer to a file as MiniSat does, and `{proof}`
by that of a file for a proof. `solver_output` has the grammar of answers.
"""

import os
import re
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, Final

from nqbench.backends.base import Backend, Capabilities
from nqbench.backends.program import flags, proofs, statistics
from nqbench.backends.program.process import FORMULA, RESULT, ProgramSolver, contains_file
from nqbench.backends.program.pseudo_boolean import LARGEST_SUM, OpbProgram, WeighingProgram
from nqbench.backends.snippet import BestSnippet, Snippet
from nqbench.clauses.cnf import CNF
from nqbench.clauses.constraints import Formula
from nqbench.common.errors import InputError, NqbenchError, UnavailableError
from nqbench.common.printable import as_python, fill
from nqbench.common.vocabulary import Form
from nqbench.plugins import programs
from nqbench.plugins.known_programs import UNKNOWN, known
from nqbench.plugins.parameters import options

_OPB: Final = "{opb}"
"""The placeholder for a file in OPB."""


def _argument(word: str) -> str:
    """A word of the command as Python, with the name of a file in place of its placeholder."""
    names = {FORMULA: "path", RESULT: 'path + ".out"'}
    parts = re.split(f"({FORMULA}|{RESULT})", word)
    return " + ".join(names.get(part) or as_python(part) for part in parts if part) or '""'


_BEST: Final = """\
printed = run.stdout.decode(errors="replace")
if "\\ns UNSATISFIABLE" in printed:
    return None
if "\\ns OPTIMUM FOUND" not in printed:
    raise SystemExit(run.stderr.decode(errors="replace") or printed)
last = printed.rpartition("c Answer: ")[2].splitlines()
true = {word for line in last if line[:2] == "v " for word in line.split()[1:]}
return [int(f"x{variable}" in true) for variable in range(1, count + 1)]"""
"""What follows the run of a program that prints the models that it finds, the best one last."""


class Executable(Backend):
    """A program on the PATH, or `exe:PATH` with arguments as in `exe:/opt/kissat --sat`,
    `exe:/opt/solver -f {cnf} -o {result}`, `exe:/opt/solver {file} {proof}` or, if it reads OPB,
    `exe:/opt/solver {opb}`.
    """

    is_bound_by_proof = False  # the file may hold something else than the proof of this answer

    prints: str | None = None
    """The program whose statistics it prints, if its name does not say it."""

    def __init__(self, name: str) -> None:
        if name.startswith("exe:"):
            self._known = UNKNOWN
            super().__init__("exe")
            self.name = name
            self._words = programs.split_command(name, "exe:/opt/kissat")
        else:
            self._known = known(name.partition(":")[0])
            self.parameters = flags.parameters(self._known)
            self.passes_options = bool(self._known.option)
            super().__init__(name)
            arguments = [*self._known.arguments, *flags.words(self._known, self.values, self.phase)]
            self.needs_path = name == "exe"
            self._words = [] if self.needs_path else [self.base_name, *arguments]
        self.takes_weights = self._known.weighs or self._reads_opb
        self.largest_sum = LARGEST_SUM if self._known.weighs else None
        # How threads share the work is a matter of chance.
        is_alone = self.values.get("threads", 1) == 1
        self.capabilities = Capabilities(
            proof=self._writes_proofs and not self._reads_opb,
            row_proofs=self._writes_proofs and self._reads_opb,
            counters=self._known.statistics is not None,
            work_limits=tuple(self._known.limits) if is_alone else (),
            at_most_k=self._known.at_most_k or self._reads_opb,
            optimises=self.takes_weights,
        )

    @property
    def _reads_opb(self) -> bool:
        return contains_file(_OPB, self._words[1:])

    @property
    def _writes_proofs(self) -> bool:
        if not self._words:
            return False
        return proofs.is_named(self._words) or bool(proofs.arguments(self._words[0], self._words))

    @cached_property
    def version(self) -> str | None:
        """The version and digests of the program; see `programs.version`. None if not found."""
        return programs.version(self._words) if self._words else None

    def probe(self) -> None:
        if not self._words:
            raise UnavailableError("name a program: exe:PATH, or 'exe:PATH ARGUMENTS'")
        path = programs.find(self._words[0])
        if path is None:
            raise UnavailableError(programs.why_not_found(self._words[0]))
        try:
            super().probe()
        except (OSError, NqbenchError) as error:
            if reason := programs.why_not_started(path, error):
                raise UnavailableError(reason) from error
            raise

    @property
    def binaries(self) -> list[Path]:
        """The program."""
        path = programs.find(self._words[0]) if self._words else None
        return [Path(path)] if path else []

    @property
    def varies_with_seed(self) -> bool:
        """Whether its seed decides more than a few choices that most searches never make."""
        return "seed" in self.parameters and self._known.varies_with_seed

    def check_options(self) -> None:
        path = programs.find(self._words[0])
        if path is None:
            raise UnavailableError(f"no program '{self._words[0]}'")
        try:
            self.load(self.smallest()).solve()
        except NqbenchError as error:
            raise InputError(str(error)) from error
        flags.check(options(self.values), programs.help_text(path))

    def prove(self, cnf: CNF, proof: BinaryIO) -> None:
        self.load(cnf).prove(proof)

    def prove_about_rows(self, opb: bytes, proof: BinaryIO) -> None:
        self.load(self.smallest()).prove_about_rows(opb, proof)

    def load(self, formula: Formula) -> ProgramSolver:
        program, *arguments = self._with_files()
        words = [programs.find(program) or program, *arguments]
        kind: type[ProgramSolver] = WeighingProgram if self.takes_weights else ProgramSolver
        kind = OpbProgram if self._reads_opb else kind
        return kind(self.name, words, formula, self._known.limits, self.prints)

    def _with_files(self) -> list[str]:
        """The words of the command, with the placeholders of its files."""
        program, *arguments = self._words
        arguments = [word.replace("{file}", FORMULA).replace(_OPB, FORMULA) for word in arguments]
        words = [program, *arguments]
        if not contains_file(FORMULA, arguments):
            words.append(FORMULA)
        if Path(program).name.startswith("minisat") and not contains_file(RESULT, arguments):
            words.append(RESULT)
        return words

    def command(self, file: str) -> list[str]:
        if not self._words:
            return []
        program, *arguments = proofs.with_file(self._with_files(), os.devnull)
        names = {FORMULA: file, RESULT: f"{file}.out"}
        return [programs.as_typed(program), *(fill(word, names) for word in arguments)]

    def best_snippet(self) -> BestSnippet | None:
        if not self.takes_weights or not self._words:
            return None
        program, *arguments = self._with_files()
        command = [as_python(programs.as_typed(program)), *map(_argument, arguments)]
        body = (
            "path = os.path.abspath(path)  # a name may begin with -\n"
            f"run = subprocess.run([{', '.join(command)}], capture_output=True)\n"
            f"{_BEST}"
        )
        return BestSnippet(("import os", "import subprocess"), body)

    def snippet(self, form: Form) -> Snippet | None:  # noqa: ARG002
        if not self._words or self._reads_opb:
            return None
        program, *arguments = proofs.with_file(self._with_files(), os.devnull)
        imports = ["import os", "import subprocess"]
        named = as_python(programs.as_typed(program))
        if in_packages := programs.place_in_packages(program):
            imports.append("import sysconfig")
            named = f'sysconfig.get_path("platlib") + {as_python(f"/{in_packages}")}'
        command = [named, *map(_argument, arguments)]
        lines = [
            "path = os.path.abspath(path)  # a name may begin with -",
            f"run = subprocess.run([{', '.join(command)}], capture_output=True)",
            'printed = run.stdout.decode(errors="replace")',
        ]
        if contains_file(RESULT, arguments):
            lines.append('printed += "\\nv " + " ".join(open(path + ".out").read().split()[1:])')
            lines.append('os.remove(path + ".out")')
        lines += [
            'if run.returncode not in (10, 20, 30) and "\\ns SAT" not in "\\n" + printed:',
            '    said = run.stderr.decode(errors="replace") or printed',
            '    raise SystemExit(said or f"exit status {run.returncode}")',
            'values = [line.split()[1:] for line in printed.splitlines() if line[:2] == "v "]',
            "model = [int(word) for words in values for word in words if int(word)]",
        ]
        conflicts = "None"
        if pattern := statistics.pattern_of(self._words[0]):
            imports.insert(0, "import re")
            lines.append(f'counts = re.findall(r"{pattern}", printed)')
            conflicts = "int(counts[-1]) if counts else 0"
        lines.append(f"return None if run.returncode == 20 else model, {conflicts}")
        return Snippet(tuple(imports), "\n".join(lines))

    def how_to_install(self, version: str | None) -> str:
        line = programs.installation(self._words[0]) if self._words else ""
        return f"{line}  # measured: {version}" if line and version else line
