"""Shrinks a formula for its runs, and what is known at the end."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from nqbench.addons.shrink.kept import Failure, Kept, Slowness, ending
from nqbench.addons.shrink.reproducer import Reproducer
from nqbench.addons.shrink.shrinking import Budget, Shrinking, Tell
from nqbench.addons.shrink.statement import DROP_FIRST, FIX_FIRST, Asked, Statement
from nqbench.addons.shrink.trial import Trial
from nqbench.backends.base import Backend
from nqbench.clauses import constraint_files
from nqbench.clauses.cnf import CNF
from nqbench.clauses.constraints import Constraints, as_constraints
from nqbench.common import files
from nqbench.common.errors import InputError
from nqbench.common.limits import Checking, ProofLimits
from nqbench.common.units import counted
from nqbench.common.vocabulary import AS_IT_IS, Form, Outcome, When
from nqbench.encodings.base import Encoding
from nqbench.problems.families.cnf import Formula
from nqbench.records.record import Record, Run

_TRIES: Final = 3
"""How often the start has to show it: what comes and goes cannot be made smaller."""

_PROOF_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class Subject:
    """A formula, and the runs on it of one backend, or of two to compare."""

    formula: Formula
    runs: Sequence[Run]

    @property
    def statement(self) -> Statement:
        """Its clauses and rows, or its queries."""
        if isinstance(self.formula, Asked):
            return Statement.of_queries(self.formula)
        stated = self.formula.formula()
        return Statement.of(as_constraints(stated), is_clauses=not self.formula.has_rows)


@dataclass(frozen=True, slots=True)
class Shrunk:
    """What is left of a formula: its `text` in DIMACS or OPB, or of queries in the format of their
    file; a `program` that shows the same, and a `readme` for a report. `found` says what it shows,
    and `size` and `start` how large it is and was. `clauses` is the number of its clauses or rows.
    `is_minimal`: no single step makes it smaller; otherwise, the budget was used up, or with
    `is_interrupted` Ctrl-C ended it. `is_steady`: it was shown once more. `needs_nqbench`: the
    program needs it.
    """

    text: str
    suffix: str
    program: str
    readme: str
    found: str
    size: str
    start: str
    clauses: int
    runs: int
    is_minimal: bool
    needs_nqbench: bool
    is_interrupted: bool = False
    is_steady: bool = True

    @property
    def file(self) -> str:
        """The name of the file with the formula."""
        return f"small{self.suffix}"

    def write(self, folder: Path) -> None:
        """Write the formula, the program and the text into a new folder. Raises `InputError` if the
        folder has something in it.
        """
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise InputError(f"{folder} is there already: name another folder with --output")
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in (
            (self.file, self.text),
            ("reproduce.py", self.program),
            ("README.md", self.readme),
        ):
            files.write(folder / name, text.encode())

    def __str__(self) -> str:
        end = "" if self.is_minimal else ", stopped by the budget"
        if self.is_interrupted:
            end = ", interrupted"
        if not self.is_steady:
            end += ", and not each time"
        return f"{self.size}, from {self.start}, in {counted(self.runs, 'run')}{end}: {self.found}"


def shrink_subject(
    subject: Subject,
    budget: Budget,
    tell: Tell,
    *,
    by: str | None,
    factor: float | None,
    at_least: int | None,
) -> Shrunk:
    """Shrink the formula of a subject; see `nqbench.shrink`."""
    start = subject.statement
    checking = Checking(When.NOW if by is None else When.LATER, ProofLimits(_PROOF_S))
    with Trial(subject.runs, checking) as trial:
        first = [trial.records(start) for _ in range(_TRIES)]
        if not first[0]:
            raise InputError(f"{subject.formula} is refused by its backend or encoding")
        kept: Kept = (
            Failure.of([record for (record,) in first])
            if by is None
            else _slowness(first, by, factor, at_least)
        )
        records = first[0]

        def shows(small: Statement) -> bool:
            nonlocal records
            tried = trial.records(small)
            if kept.shows(tried):
                records = tried
                return True
            return False

        shrinking = Shrinking(shows, budget, tell)
        small = shrinking.shrink(start, FIX_FIRST if by is None else DROP_FIRST)
        is_steady = shrinking.is_interrupted or shows(small)
    reproducer = _reproducer(subject, kept, records, small, checking).checked()
    return Shrunk(
        small.text(),
        small.suffix,
        reproducer.program(),
        reproducer.readme(
            small.size(), start.size(), shrinking.runs, is_minimal=shrinking.is_minimal
        ),
        kept.words(records),
        small.size(),
        start.size(),
        len(small.lines) - len(small.queries),
        shrinking.runs,
        shrinking.is_minimal,
        reproducer.needs_nqbench,
        shrinking.is_interrupted,
        is_steady,
    )


def _slowness(
    tries: list[list[Record]], by: str, factor: float | None, at_least: int | None
) -> Slowness:
    """What has to stay: without numbers, half of what the first try shows. Raises `InputError` if
    one of them does not show it.
    """
    records, numbers = tries[0], []
    for record in records:
        number: int | None = getattr(record, by)
        if number is None:
            why = "" if record.outcome is Outcome.FINISHED else f": {ending(record)}"
            raise InputError(f"{record.backend} says no number of {by} here{why}")
        numbers.append(number)
    ratio = numbers[0] / max(1, numbers[-1]) if len(numbers) > 1 else 1.0
    slowness = Slowness(
        by,
        math.floor(ratio * 5) / 10 if factor is None else factor,
        max(1, numbers[0] // 2) if at_least is None else at_least,
    )
    for records in tries:
        if slowness.shows(records):
            continue
        limits = f"at least {slowness.at_least}"
        if len(numbers) > 1:
            limits += f" and {slowness.factor:g} times as many as the second"
        raise InputError(f"the start does not show {limits}: {slowness.words(records)}")
    return slowness


def _reproducer(
    subject: Subject, kept: Kept, records: list[Record], small: Statement, checking: Checking
) -> Reproducer:
    """The program for what is left. Of rows, it has what the encoding makes of them, if the solver
    shows the same on that alone.
    """
    backends = [Backend.named(run.backend) for run in subject.runs]
    encoding = Encoding.named(subject.runs[0].encoding)
    file = f"small{small.suffix}"
    reproducer = Reproducer(kept, records, backends, small.text(), file, encoding.name)
    if encoding.name == AS_IT_IS:
        return reproducer
    with TemporaryDirectory(prefix="nqbench-") as folder:
        path = Path(folder, file)
        path.write_text(small.text())
        instance = encoding.encode(Formula.at(path, file))
    if isinstance(instance, CNF):
        runs = [replace(r, encoding=AS_IT_IS, encoding_version=None) for r in subject.runs]
        encoded = Statement.of(as_constraints(instance), is_clauses=True)
        with Trial(runs, checking) as trial:
            found = trial.records(encoded)
        if isinstance(kept, Failure):
            is_same = any(Failure.is_one(record) for record in found)
            kept = Failure.of(found) if is_same else kept
        if found and kept.shows(found):
            return replace(reproducer, kept=kept, records=found, formula=encoded.text())
    elif isinstance(instance, Constraints) and backends[0].command(file):
        return replace(reproducer, has_rows=True)
    elif isinstance(instance, Constraints) and not instance.weighted:
        text = constraint_files.text(instance, ".cnf+")
        is_crash = records[0].outcome is Outcome.CRASHED
        return replace(reproducer, formula=text + "\n", form=Form.CNF_PLUS, is_alone=is_crash)
    return replace(reproducer, is_alone=False)
