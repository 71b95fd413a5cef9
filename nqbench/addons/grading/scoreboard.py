"""The scoreboard: a row for each submission, and for each submission and n. Columns, no marks."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

import polars as pl

from nqbench.addons.certify.formula_verdict import Keep
from nqbench.addons.grading.races import Times
from nqbench.addons.grading.sandbox.protection import Protection
from nqbench.addons.grading.verdict import Graded, Result, Verdict
from nqbench.common.csv_text import to_csv
from nqbench.common.printable import printable, without_numbers
from nqbench.common.units import counted
from nqbench.records.notebook_table import NotebookTable

PARTLY: Final = "in part"
"""The verdict on a submission that is right for some n, and has no formula for others, or an open
one.
"""

_FIRST: Final = (Result.REFUTED, Result.NO_FORMULA, Result.OPEN)

_TEXT, _WHOLE, _SECONDS = pl.String, pl.Int64, pl.Float64

SCHEMA: Final = {
    "submission": _TEXT, "n": _WHOLE, "verdict": _TEXT, "reason": _TEXT, "witness": _TEXT,
    "board": _TEXT, "notes": _TEXT, "variables": _WHOLE, "clauses": _WHOLE, "kept": _WHOLE,
    "solutions": _WHOLE,
    "encode_s": _SECONDS, "judge_s": _SECONDS, "median_s": _SECONDS, "low_s": _SECONDS,
    "high_s": _SECONDS, "runs": _WHOLE, "unsolved": _WHOLE, "alike": _TEXT,
}  # fmt: skip
"""The columns of the table and of the CSV. `witness` says whether the formula allows the `board`,
whose queens are `row.column` from 0, or forbids it.
"""


def write_sizes(sizes: Iterable[int]) -> str:
    """Sizes as ranges.

    >>> write_sizes([4, 5, 6, 8])
    '4..6, 8'
    """
    runs: list[list[int]] = []
    for n in sorted(sizes):
        if runs and n == runs[-1][1] + 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    return ", ".join(f"{a}" if a == b else f"{a}..{b}" for a, b in runs)


@dataclass(frozen=True, slots=True)
class Entry:
    """A submission with its verdicts and times at each n, and letters: two submissions that share
    a letter cannot be told apart. `flaw`: why it could not be graded, and
    `cure`: lines to paste that help. `twins` are the names of others with the same files.
    """

    name: str
    kind: str
    grades: Sequence[Graded]
    times: Mapping[int, Times] = field(default_factory=dict)
    letters: str = ""
    flaw: str = ""
    cure: Sequence[str] = ()
    twins: Sequence[str] = ()

    @property
    def verdict(self) -> str:
        """What holds for the whole submission: the worst of its n; `in part` if it is right for
        some, and nothing is refuted.
        """
        results = set(self.results)
        if self.flaw or not results:
            return str(Result.NO_FORMULA)
        if Result.REFUTED in results or len(results) == 1:
            return str(next((r for r in _FIRST if r in results), Result.CERTIFIED))
        return PARTLY if Result.CERTIFIED in results else str(Result.NO_FORMULA)

    @property
    def results(self) -> Counter[Result]:
        """How often each result is there."""
        return Counter(grade.result for grade in self.grades)

    @property
    def right(self) -> list[int]:
        """The n for which it is certified."""
        return [g.n for g in self.grades if g.result is Result.CERTIFIED]

    @property
    def decisive(self) -> list[int]:
        """The n which the verdict on the whole is about: those that are refuted, if one is."""
        refuted = [g.n for g in self.grades if g.result is Result.REFUTED]
        return refuted or self.right

    @property
    def worst(self) -> Graded | None:
        """The grade that decides the verdict: the refuted one with the smallest n that has a board,
        otherwise the first that is not certified.
        """
        wrong = [g for g in self.grades if g.result is not Result.CERTIFIED]
        wrong.sort(key=lambda g: (_FIRST.index(g.result), g.board is None, g.n))
        return wrong[0] if wrong else None

    @property
    def reason(self) -> str:
        """Why it is not certified as a whole, in words; empty if it is."""
        if self.flaw or not self.grades:
            return self.flaw or "it has no formula for these n"
        if (worst := self.worst) is None:
            return ""
        parts = [f"n = {worst.n}: {worst.flaw}"] if worst.flaw else []
        if remedy := self._remedy:
            hint = remedy[0].hint
            sizes = [g.n for g in self.grades if g.verdict and g.verdict.hint == hint]
            parts.append(f"n = {write_sizes(sizes)}: {hint}")
        if self.right:
            parts.append(f"certified for n = {write_sizes(self.right)}")
        return "; ".join(parts)

    @property
    def _remedy(self) -> tuple[Verdict, int] | None:
        """What would make formulas right for most n, with the first of these n: for a small one,
        several numberings of the squares may look alike, or none.
        """
        hinted = [(g.verdict, g.n) for g in self.grades if g.verdict and g.verdict.hint]
        counts = Counter(verdict.hint for verdict, _ in hinted)
        return max(hinted, key=lambda one: (counts[one[0].hint], -one[1]), default=None)

    @property
    def to_paste(self) -> Sequence[str]:
        """Lines that would help: for `grade.toml`, a terminal, or the formula."""
        if self.cure or not (remedy := self._remedy):
            return self.cure
        return remedy[0].hint_lines

    @property
    def pasted_n(self) -> int | None:
        """The n whose formula these lines are for; None if there is none."""
        return self._remedy[1] if self._remedy else None

    @property
    def largest(self) -> Graded | None:
        """The largest n for which there is a formula that was read."""
        read = [grade for grade in self.grades if grade.verdict and grade.verdict.variables]
        return max(read, key=lambda grade: grade.n, default=None)

    @property
    def notes(self) -> dict[str, list[int]]:
        """What is odd about its formulas, with the n of each note. Of notes that differ in numbers
        only, the first is enough.
        """
        first: dict[str, str] = {}
        notes: dict[str, list[int]] = {}
        for grade in self.grades:
            for note in grade.formula.notes:
                same = first.setdefault(without_numbers(note), note)
                notes.setdefault(same, []).append(grade.n)
        return notes

    @property
    def own_remarks(self) -> list[str]:
        """Why it is not certified, and what is odd about its formulas, in words."""
        notes = [f"{note} (n = {write_sizes(sizes)})" for note, sizes in self.notes.items()]
        return [*filter(None, [self.reason, self._repeated]), *notes]

    @property
    def _repeated(self) -> str:
        """That several n have one formula, in words; empty if each has its own."""
        sizes: dict[str, list[int]] = {}
        for grade in self.grades:
            if grade.formula.digest:
                sizes.setdefault(grade.formula.digest, []).append(grade.n)
        most = max(sizes.values(), key=len, default=[])
        if len(most) < 2:
            return ""
        return f"the formula is the same for n = {write_sizes(most)}: does the program use its n?"

    @property
    def remarks(self) -> list[str]:
        """The same, after who has the same files: lines to paste follow."""
        twins = [f"the same files as {', '.join(self.twins)}"] if self.twins else []
        return [*twins, *self.own_remarks]

    def rows(self) -> list[dict[str, Any]]:
        """A row for each n, or one if there is none, with the columns `SCHEMA`."""
        return [_row(self, grade) for grade in self.grades] or [_row(self, None)]

    def unnamed(self, number: str) -> Self:
        """The same with a number as its name, and only what nqbench says about it."""
        grades = [grade.unnamed(number) for grade in self.grades]
        return replace(self, name=number, grades=grades, flaw="", cure=(), twins=())

    def row(self) -> dict[str, Any]:
        """Its row of the scoreboard."""
        largest = self.largest
        found = largest.verdict if largest else None
        times = self.times.get(largest.n) if largest else None
        return {
            "submission": self.name,
            "verdict": self.verdict,
            "right": write_sizes(self.right),
            "n": largest.n if largest else None,
            "variables": found.variables if found else None,
            "clauses": found.clauses if found else None,
            "median_s": times.median_s if times else None,
            "low_s": times.low_s if times else None,
            "high_s": times.high_s if times else None,
            "unsolved": times.unsolved if times else None,
            "alike": self.letters,
        }


@dataclass(frozen=True, slots=True)
class Scoreboard:
    """All submissions, in the order of their names. `records` are those of the race, as if each
    submission were an encoding. `protection` says how far their programs were
    confined, `caution` what is to know about the times.
    """

    entries: Sequence[Entry]
    sizes: Sequence[int]
    keep: Keep
    solvers: Sequence[str] = ()
    shuffles: int = 0
    records: pl.DataFrame | None = None
    protection: Protection | None = None
    caution: Sequence[str] = ()

    def numbered(self, numbers: Mapping[str, str]) -> Self:
        """The same with these numbers in place of names, in their order. What programs have
        printed, names of files, and who has the same files are left out: they may name somebody.
        """
        entries = [entry.unnamed(numbers[entry.name]) for entry in self.entries]
        records = self.records
        if records is not None:
            records = records.with_columns(pl.col("encoding").replace(numbers))
        return replace(self, entries=sorted(entries, key=lambda e: e.name), records=records)

    def __repr__(self) -> str:
        return f"<{'; '.join(self.sentences)}>"

    @property
    def sentences(self) -> list[str]:
        """How many submissions have which verdict, in words."""
        counts = Counter(entry.verdict for entry in self.entries)
        words = [f"{counts[word]} {word}" for word in _ORDER if counts[word]]
        many = "1 submission" if len(self.entries) == 1 else f"{len(self.entries)} submissions"
        return [f"{many}: {', '.join(words)}"]

    @property
    def asked(self) -> str:
        """Which solutions have to remain, in words."""
        return _ASKED[self.keep]

    @property
    def about_times(self) -> str:
        """What the times are of, in words."""
        return (
            f"Time: median of {counted(len(self.solvers), 'solver')} x "
            f"{counted(self.shuffles, 'shuffle')} at the n of "
            "its row, an unsolved run as its limit."
        )

    @property
    def about_letters(self) -> str:
        """What decides about letters, in words: see `races.letters`."""
        return (
            "Submissions that share a letter cannot be told apart at 5 %. Each n with each solver "
            "is one piece of evidence; signed ranks say which of two is typically faster, and what "
            "only one of them solved which solves more, for all pairs together."
        )

    def rows(self) -> list[dict[str, Any]]:
        """A row for each submission and n, with the columns `SCHEMA`."""
        return [row for entry in self.entries for row in entry.rows()]

    def table(self) -> pl.DataFrame:
        """The rows as a table: times in seconds."""
        return NotebookTable(self.rows(), schema=SCHEMA)

    def csv(self) -> str:
        """The rows as CSV, without control characters."""
        rows = ({name: _plain(value) for name, value in row.items()} for row in self.rows())
        return to_csv(list(SCHEMA), rows)


_ASKED: Final = {
    Keep.ALL: "all solutions have to remain",
    Keep.SYMMETRIC: "one of each class of symmetric solutions has to remain",
    Keep.ONE: "one solution has to remain",
}

_ORDER: Final = (
    str(Result.CERTIFIED), PARTLY, str(Result.REFUTED), str(Result.OPEN), str(Result.NO_FORMULA),
)  # fmt: skip
"""The verdicts on submissions, best first."""


def _row(entry: Entry, grade: Graded | None) -> dict[str, Any]:
    verdict = grade.verdict if grade else None
    times = entry.times.get(grade.n) if grade else None
    return {
        "submission": entry.name,
        "n": grade.n if grade else None,
        "verdict": str(grade.result if grade else Result.NO_FORMULA),
        "reason": grade.reason if grade else " ".join([entry.reason, *entry.cure]),
        **_board(verdict),
        "notes": "; ".join(grade.formula.notes) if grade else "",
        "variables": verdict.variables if verdict else None,
        "clauses": verdict.clauses if verdict else None,
        "kept": verdict.kept if verdict else None,
        "solutions": verdict.solutions if verdict else None,
        "encode_s": grade.formula.encode_s if grade else None,
        "judge_s": verdict.judge_s if verdict else None,
        "median_s": times.median_s if times else None,
        "low_s": times.low_s if times else None,
        "high_s": times.high_s if times else None,
        "runs": times.runs if times else None,
        "unsolved": times.unsolved if times else None,
        "alike": entry.letters,
    }


def _board(verdict: Verdict | None) -> dict[str, str]:
    if verdict is None or verdict.board is None:
        return {"witness": "", "board": ""}
    board = " ".join(f"{row}.{column}" for row, column in verdict.board)
    return {"witness": "allowed" if verdict.is_allowed else "forbidden", "board": board}


def _plain(value: object) -> object:
    if isinstance(value, float):
        return f"{value:.6g}"
    return printable(value) if isinstance(value, str) else value
