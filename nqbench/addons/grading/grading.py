"""Grades all submissions in a folder: written as formulas, judged, raced; and resumes."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nqbench.addons.certify.formula_verdict import Keep
from nqbench.addons.grading import defaults, formulas, judging, races
from nqbench.addons.grading.discovery import find_submissions
from nqbench.addons.grading.ledger import Ledger
from nqbench.addons.grading.page import render, render_submission
from nqbench.addons.grading.sandbox import sandbox
from nqbench.addons.grading.sandbox.confine import shown_to_all
from nqbench.addons.grading.sandbox.protection import CURE, Level, Protection
from nqbench.addons.grading.scoreboard import Entry, Scoreboard
from nqbench.addons.grading.submission import Kind, Submission, twins
from nqbench.addons.grading.verdict import Formula, Graded, Result
from nqbench.backends.base import Backend
from nqbench.campaign.progress import Progress
from nqbench.common import files
from nqbench.common.csv_text import to_csv
from nqbench.common.errors import InputError
from nqbench.common.limits import Limits
from nqbench.common.printable import printable
from nqbench.common.spelling import ALL

LARGEST_N: Final = 64
"""Larger boards have more attacks than a verdict can be about in time."""

if TYPE_CHECKING:
    import polars as pl

_FORMULAS: Final = "formulas"
_LIMITS: Final = Limits(defaults.TIME_S, defaults.MEMORY_BYTES)
_FEW_UNITS: Final = 6
_TOO_FEW: Final = "With so few n and solvers, nothing can be told apart: ask for more n."


@dataclass(frozen=True, slots=True)
class Judged:
    """The submissions, the grades of each by its name, and how far their programs were confined;
    None if there were none.
    """

    submissions: Sequence[Submission]
    grades: Mapping[str, Sequence[Graded]]
    protection: Protection | None


@dataclass(frozen=True, kw_only=True)
class Grading:
    """What to grade, and how. `tell` gets what is being done, such as '3/40 alice n = 8'.
    `announce` gets how far programs are confined, before the first one starts; with `unconfined`,
    they start even if nothing confines them. `anonymous`: the scoreboard has numbers in place of
    names.
    """

    submissions: Path
    sizes: Sequence[int]
    folder: Path
    keep: Keep = Keep.ALL
    backends: Sequence[str] = defaults.SOLVERS
    shuffles: int = defaults.SHUFFLES
    limits: Limits = _LIMITS
    fresh: bool = False
    unconfined: bool = False
    anonymous: bool = False
    command: str = ""
    tell: Callable[[str], None] = lambda _doing: None
    announce: Callable[[Protection], None] = lambda _protection: None

    def judge(self) -> Judged:
        """Write and judge the formulas that are not judged yet. No submission ends this.

        Raises `InputError` for wrong arguments and where nothing confines programs,
        `UnavailableError` for a backend that is not installed, and `ExecutorError` if no process
        can be started.
        """
        self._check()
        found = find_submissions(self.submissions, besides=self.folder)
        protection = self._protection(found)
        files.make_folder(self.folder, parents=True)
        with Ledger(self.folder, fresh=self.fresh) as ledger:
            grades = {
                each.name: self._grade(each, ledger, f"{place}/{len(found)} {each.name}")
                for place, each in enumerate(found, 1)
            }
        return Judged(found, grades, protection)

    def finish(self, judged: Judged, display: Progress | None = None) -> Scoreboard:
        """Race the formulas that are right, and write the scoreboard into the results folder, as
        CSV and as a page, and a page for each submission. `display` shows the progress. Raises as
        `races.race` does.
        """
        board = self._scoreboard(judged, display)
        numbers = _numbers(judged.submissions) if self.anonymous else {}
        pages = self.folder / defaults.PAGES
        files.make_folder(pages)
        for submission, entry in zip(judged.submissions, board.entries, strict=True):
            page = render_submission(board, entry, numbers.get(entry.name, ""))
            files.write(pages / f"{submission.folder_name}.html", page.encode())
        current = {f"{submission.folder_name}.html" for submission in judged.submissions}
        for page_of_old in pages.glob("*.html"):
            if page_of_old.name not in current:
                page_of_old.unlink()
        if numbers:
            rows = [
                {
                    "number": numbers[entry.name],
                    "submission": entry.name,
                    "same_files_as": " ".join(numbers[name] for name in entry.twins),
                }
                for entry in board.entries
            ]
            board = board.numbered(numbers)
            whose = to_csv(["number", "submission", "same_files_as"], rows)
            files.write(self.folder / defaults.NAMES, whose.encode())
        files.write(self.folder / "scoreboard.csv", board.csv().encode())
        title = printable(self.submissions.resolve().name)
        files.write(self.folder / "scoreboard.html", render(board, title).encode())
        return board

    def _check(self) -> None:
        if not self.sizes:
            raise InputError("nothing to grade: give the sizes, such as --n 4..12")
        if max(self.sizes) > LARGEST_N:
            raise InputError(f"n = {max(self.sizes)} is too large to judge: at most {LARGEST_N}")
        for name in self.backends if self.shuffles else ():
            if name != ALL:
                Backend.named(name)

    def _protection(self, found: Sequence[Submission]) -> Protection | None:
        """How far programs are confined; None if there are none. Raises `InputError` if they are
        not, and nobody has said that this is right; and if they can read the submissions.
        """
        if not any(each.kind in {Kind.CLASS, Kind.PROGRAM} for each in found):
            return None
        protection = sandbox.protection()
        if protection.level is Level.UNCONFINED and not self.unconfined:
            raise InputError(CURE)
        for folder in (self.submissions, self.folder):
            if shown := shown_to_all(folder):
                raise InputError(
                    f"every submission could read {printable(str(folder))}, since programs need "
                    f"{printable(str(shown))}: use a folder elsewhere"
                )
        self.announce(protection)
        return protection

    def _grade(self, submission: Submission, ledger: Ledger, where: str) -> list[Graded]:
        """The grades of a submission for each n that it is for."""
        if submission.flaw:
            return []
        grades: list[Graded] = []
        stopped_at: int | None = None
        limits = replace(self.limits, output_bytes=defaults.OUTPUT_BYTES)
        with formulas.Writer(submission, limits) as writer:
            for n in filter(submission.is_for, sorted(self.sizes)):
                if stopped_at is None:
                    grade = self._grade_one(writer, n, ledger, f"{where} n = {n}")
                else:
                    # What takes too long for one n takes longer for a larger one.
                    flaw = f"not tried, as n = {stopped_at} reached a limit"
                    grade = Graded(submission.name, n, Formula(flaw=flaw))
                grades.append(grade)
                if grade.formula.reached_limit:
                    stopped_at = n
        return grades

    def _grade_one(self, writer: formulas.Writer, n: int, ledger: Ledger, where: str) -> Graded:
        submission = writer.submission
        path = self._path(submission, n)
        key = formulas.key(submission, n, writer.limits)
        formula = ledger.formula(key)
        if formula is None or (formula.digest and not formulas.is_in(path, formula)):
            self.tell(f"{where}: writing the formula")
            formula, content = writer.write(n)
            if content is not None:
                files.make_folder(path.parent, parents=True)
                files.write(path, content)
            ledger.keep_formula(key, formula)
        if not formula.digest:
            return Graded(submission.name, n, formula)
        judging_key = judging.key(formula.digest, n, self.keep, self.limits)
        verdict = ledger.verdict(judging_key)
        if verdict is None:
            tell = partial(_tell_where, self.tell, where)
            verdict = judging.judge(path, n, self.keep, self.limits, tell)
            ledger.keep_verdict(judging_key, verdict)
        return Graded(submission.name, n, formula, verdict)

    def _path(self, submission: Submission, n: int) -> Path:
        return self.folder / _FORMULAS / submission.folder_name / f"{n}.cnf"

    def _scoreboard(self, judged: Judged, display: Progress | None) -> Scoreboard:
        grades = judged.grades
        right = [
            races.Heat(each.name, grade.n, self._path(each, grade.n))
            for each in judged.submissions
            for grade in grades[each.name]
            if grade.result is Result.CERTIFIED
        ]
        records = self._race(right, display)
        times = {} if records is None else races.times(records)
        letters = {} if records is None else races.letters(records, self._complete(right))
        alike = twins(judged.submissions)
        entries = [
            Entry(
                name=each.name,
                kind=str(each.kind),
                grades=grades[each.name],
                times={n: at for (name, n), at in times.items() if name == each.name},
                letters=letters.get(each.name, ""),
                flaw=each.flaw,
                cure=each.cure,
                twins=alike.get(each.name, ()),
            )
            for each in judged.submissions
        ]
        solvers = [] if records is None else sorted(records["backend"].unique())
        units = len(self.sizes) * len(solvers)
        return Scoreboard(
            entries,
            self.sizes,
            self.keep,
            solvers=solvers,
            shuffles=0 if records is None else self.shuffles,
            records=records,
            protection=judged.protection,
            caution=[_TOO_FEW] if records is not None and units < _FEW_UNITS else [],
        )

    def _complete(self, heats: Sequence[races.Heat]) -> list[str]:
        """The submissions that are right for every n: only these are compared."""
        by_name: dict[str, set[int]] = {}
        for heat in heats:
            by_name.setdefault(heat.submission, set()).add(heat.n)
        return [name for name, sizes in by_name.items() if sizes == set(self.sizes)]

    def _race(self, heats: Sequence[races.Heat], display: Progress | None) -> "pl.DataFrame | None":
        """The records of the formulas that are right; None if nothing is measured."""
        if not self.shuffles or not heats:
            return None
        return races.race(
            heats,
            self.folder,
            backends=self.backends,
            shuffles=self.shuffles,
            limits=self.limits,
            fresh=self.fresh,
            command=self.command,
            display=display,
        )


def _numbers(submissions: Sequence[Submission]) -> dict[str, str]:
    """A number for each name, in an order that does not follow from the names, and is the same as
    long as nobody hands in something else.
    """
    ordered = sorted(submissions, key=lambda each: _mixed(each.digest, each.name))
    digits = len(str(len(ordered)))
    return {each.name: f"no. {place:0{digits}}" for place, each in enumerate(ordered, 1)}


def _mixed(*texts: str) -> bytes:
    return hashlib.blake2b(repr(texts).encode()).digest()


def _tell_where(tell: Callable[[str], None], where: str, doing: str) -> None:
    tell(f"{where.rpartition(' n = ')[0]} {doing}")
