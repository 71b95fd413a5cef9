"""`cnf`: a formula in a file: clauses in DIMACS, or rows as well in KNF, CNF+, OPB or WCNF.

It has no rules besides: answers are checked against its clauses and rows. Clauses are measured as
they are, and rows in an encoding, or by solvers that count.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from os import PathLike
from pathlib import Path, PurePath
from typing import Any, ClassVar, Final
from urllib.parse import unquote_to_bytes

import msgspec

from nqbench import isolate
from nqbench.clauses import file_formats
from nqbench.clauses.facts import RowFacts
from nqbench.common import compression, files, parsing
from nqbench.common.errors import InputError, Place
from nqbench.common.limits import PatientLimits
from nqbench.common.printable import printable
from nqbench.common.trees import walk
from nqbench.common.vocabulary import Outcome
from nqbench.plugins.declared import FILES, declared
from nqbench.problems.base import Problem
from nqbench.problems.clausal import Clausal
from nqbench.problems.families.base import Family

SUFFIXES: Final = tuple(
    kind + packed
    for kind in (*file_formats.SUFFIXES, ".cnf.txt")
    for packed in ("", *compression.SUFFIXES)
)
"""The suffixes of formula files in a folder, in any case."""

LARGEST_FILE: Final = 8 * 2**30
"""The largest file in bytes, also unpacked: two billion literals, more than most solvers accept."""

_READING: Final = PatientLimits(time_s=60.0)
"""Limits for reading a formula before its runs."""

_HEAD: Final = 1 << 16
"""Bytes of a file in which its first line is looked for that is no comment."""

_NAMED: Final = 5
"""Of many files, so many are named."""

_ESCAPED: Final = "file://"

WITHOUT_OBJECTIVE: Final = "has no objective"


@dataclass(frozen=True, slots=True)
class Formula(Clausal):
    """A formula in a file, plain or packed, identified by name and content.

    `file_digest` is a hash of the file's bytes, empty if it could not be read. `path` is not part
    of its identity, since another machine may have the file elsewhere; it is a `file:` URI if it is
    not UTF-8. `lenient` is true if the header is wrong or missing, and variables and clauses are
    counted anew. `row_facts` are facts about its rows: by default, it has clauses only. `worst` is
    the value of its objective that a model must not be worse than, if one is asked for.
    """

    instance: str = ""
    file_digest: str = ""
    path: str = field(default="", compare=False)
    lenient: bool = False
    row_facts: RowFacts = field(default=RowFacts(), compare=False)
    worst: int | None = None

    family: ClassVar[str] = "cnf"  # type: ignore[misc]

    @classmethod
    def at(cls, path: Path, name: str) -> Formula:
        """The formula in a file. `content` reports if something is wrong with the file."""
        try:
            with files.opened(path, LARGEST_FILE) as file:
                digest = _digest(file)
        except (InputError, OSError):
            digest = ""
        place = path.absolute()
        text = str(place) if _is_text(place) else place.as_uri()
        formula = cls(printable(name), digest, text)
        if digest and may_have_rows(path):
            return formula.with_facts_of_rows()
        return formula

    @property
    def place(self) -> Path:
        """The path of the file."""
        if not self.path.startswith(_ESCAPED):
            return Path(self.path)
        return Path(os.fsdecode(unquote_to_bytes(self.path.removeprefix(_ESCAPED))))

    @property
    def identity(self) -> dict[str, Any]:
        facts: dict[str, Any] = {
            "instance": self.instance,
            "digest": self.file_digest,
            "path": "",
        }
        if self.lenient:
            facts["lenient"] = True
        if self.worst is not None:
            facts["worst"] = self.worst
        return facts

    @property
    def digest(self) -> str:
        if self.worst is None or not self.file_digest:
            return self.file_digest
        text = f"{self.file_digest} {self.worst}".encode()
        return hashlib.blake2b(text, digest_size=16).hexdigest()

    def with_worst(self, worst: int) -> Formula:
        """The formula with the objective no worse than this, which its name says as well."""
        name = self.instance if self.worst is None else self.instance.rpartition(" ")[0]
        relation = ">=" if self.row_facts.is_maximised else "<="
        facts = self.row_facts if self.worst is not None else self.row_facts.with_bound
        return replace(self, instance=f"{name} {relation}{worst}", worst=worst, row_facts=facts)

    def model_text(self, literals: Sequence[int]) -> str:
        """A model as a line of a solver's output, in the names of the file: of OPB those of its
        variables, otherwise numbers.
        """
        names = self._names()
        if names is None:
            return Clausal.model_text(self, literals)  # super() fails in classes with slots
        signs = ("-" if literal < 0 else "" for literal in literals)
        named = (names(abs(literal)) for literal in literals)
        return " ".join(["v", *map(str.__add__, signs, named)])

    def _names(self) -> Callable[[int], str] | None:
        """The name of each variable; None if the file has numbers only."""
        from nqbench.clauses import constraint_files, opb

        content = self.content()
        if constraint_files.format_of(content, self.source) is not opb.OPB:
            return None
        stated = constraint_files.statement(content, self.source)
        if stated is None or not stated.names:
            return "x{}".format
        return lambda variable: stated.names[variable - 1]

    @property
    def weight(self) -> int:
        """The bytes of the file as it is, packed or not; 0 if it cannot be read."""
        try:
            return self.place.stat().st_size
        except OSError:
            return 0

    @property
    def source(self) -> str:
        return printable(str(self.place))

    def content(self) -> bytes:
        """The unpacked text of the file.

        Raises an `InputError` with the file if it cannot be read, or has changed since the campaign
        was planned.
        """
        content = files.content(self.place, LARGEST_FILE)
        if _digest(io.BytesIO(content)) != self.file_digest:
            raise InputError(
                "changed since the campaign was planned: start again", place=Place(self.source)
            )
        return _unpack(content, self.source)

    def counted_anew(self) -> tuple[Formula, str]:
        """The formula whatever its header says, and how that differs from what the file holds, in
        words. The formula as it is, and nothing, if the header is right, or if something else is
        wrong with the file.
        """
        from nqbench.clauses import constraint_files

        def differs() -> bytes:
            try:
                return constraint_files.miscounted(self.content(), self.source).encode()
            except InputError:
                return b""

        ending = isolate.call(differs, _READING)
        if ending.outcome is not Outcome.FINISHED:  # the runs have limits, too
            return replace(self, lenient=True), ""
        differs_by = ending.payload.decode()
        return replace(self, lenient=bool(differs_by)), differs_by

    @property
    def without_objective(self) -> str:
        """What to say if it has no objective."""
        return f"{self.source} {WITHOUT_OBJECTIVE}: give OPB with 'min:' or 'max:', or WCNF"

    @property
    def facts(self) -> RowFacts:
        return self.row_facts

    def longest_row(self) -> tuple[int, int] | None:
        return self.row_facts.longest

    def with_facts_of_rows(self) -> Formula:
        """The formula, in a file that may have rows, with the facts about them. Its largest bound
        is at least 1: its format says which campaign it is for, whatever is in it. It is 1 if the
        file is wrong or takes more than a minute.
        """
        unknown = RowFacts(largest_bound=1)

        def read() -> bytes:
            from nqbench.clauses import constraint_files
            from nqbench.clauses.constraints import as_constraints

            try:
                formula, note = constraint_files.read_noting(self.content(), self.source)
                facts = replace(as_constraints(formula).facts, note=note)
            except InputError:  # which the runs report, beside those of other files with rows
                facts = unknown
            return msgspec.json.encode(facts)

        ending = isolate.call(read, _READING)
        if ending.outcome is not Outcome.FINISHED:
            return replace(self, row_facts=unknown)
        facts = msgspec.json.decode(ending.payload, type=RowFacts)
        largest_bound = max(facts.largest_bound, 1)
        return replace(self, row_facts=replace(facts, largest_bound=largest_bound))

    def text_digest(self) -> str:
        """A hash of the unpacked text; empty if it cannot be read within a minute."""

        def digest() -> bytes:
            try:
                return _digest(io.BytesIO(self.content())).encode()
            except InputError:
                return b""

        return isolate.call(digest, _READING).payload.decode()


def formulas(
    path: str | PathLike[str] | Iterable[str | PathLike[str]], *, lenient: bool = False
) -> list[Formula]:
    """Return the formula in a file, or the formulas in a folder and its subfolders, sorted by path;
    of several paths, one after the other.

    A formula in a folder is named by its path from there. With `lenient`, a wrong or missing header
    is accepted, and variables and clauses are counted anew. Raises `InputError` if there is none.
    """
    if isinstance(path, Iterable) and not isinstance(path, str | bytes | PathLike):
        return [formula for each in path for formula in formulas(each, lenient=lenient)]
    in_files, _ = in_place(parsing.path(path))
    return [formula.counted_anew()[0] for formula in in_files] if lenient else in_files


def in_place(place: Path) -> tuple[list[Formula], list[str]]:
    """The formulas in a file, or in a folder and its subfolders, sorted by path; and for what is in
    the folder besides, a sentence. Raises `InputError` if there is no formula.
    """
    place_text = printable(str(place))
    if place.is_file():
        return [_class_of(place).at(place, place.name)], []
    if not place.is_dir():
        if place.exists():
            raise InputError(f"cannot read {place_text}: it is neither a file nor a folder")
        raise InputError(f"no file or folder {place_text}")
    unread: list[str] = []
    formula_files: list[Path] = []
    other_files: list[Path] = []
    for file in _files(place, unread):
        (formula_files if is_formula(file) else other_files).append(file)
    skipped = [printable(str(file.relative_to(place))) for file in sorted(other_files)]
    if not formula_files:
        raise InputError(
            f"no formulas in {place_text}: expected files that end in {' '.join(SUFFIXES)}"
            + (f", not {_list_names(skipped)}" if skipped else "")
        )
    if skipped:
        many = "1 file" if len(skipped) == 1 else f"{len(skipped)} files"
        unread.append(f"{many} in {place_text}, not named like formulas: {_list_names(skipped)}")
    return [
        _class_of(file).at(file, file.relative_to(place).as_posix())
        for file in sorted(formula_files)
    ], unread


def _class_of(path: Path) -> type[Formula]:
    """The class of the problem in a file: that of an add-on, if one declares its suffix."""
    entry = declared(FILES).get(PurePath(_plain_name(path)).suffix)
    return entry.load() if entry else Formula


def _plain_name(path: Path) -> str:
    """The name of a file in small letters, without the suffix of a packed one."""
    name = path.name.lower()
    packing = compression.of_suffix(name)
    if packing is None:
        return name
    return next(name.removesuffix(end) for end in packing.suffixes if name.endswith(end))


def is_formula(path: Path) -> bool:
    """Whether a file is that of a formula, by its name."""
    return path.name.lower().endswith(SUFFIXES) or _class_of(path) is not Formula


def may_have_rows(path: Path) -> bool:
    """Whether a file may have rows besides clauses, by its name or its first line."""
    if _plain_name(path).endswith(file_formats.ROW_SUFFIXES):
        return True
    from nqbench.clauses import constraint_files

    with suppress(InputError, OSError), files.opened(path, LARGEST_FILE) as file:
        return constraint_files.format_of(file.read(_HEAD)) is not None
    return False


def _files(place: Path, unread: list[str]) -> Iterator[Path]:
    """Yield the files in a folder and its subfolders, of hidden ones only formulas. Add a sentence
    for each subfolder that cannot be read or is a link.
    """

    def note(folder: Path, error: OSError) -> None:
        unread.append(f"the folder {printable(str(folder))}: {error.strerror}")

    for entry in walk(place, unread=note):
        path = place / entry.path
        if path.is_dir():
            unread.append(f"the folder {printable(str(path))}, which is a link: name it as well")
        elif is_formula(path) or not any(part.startswith(".") for part in entry.path.parts):
            yield path


def same_formulas(formulas: list[Formula]) -> list[list[str]]:
    """The names of formulas that several files hold, one of which may be packed."""
    texts: dict[str, str] = {}
    by_name: dict[str, list[Formula]] = {}
    for formula in formulas:
        by_name.setdefault(_unpacked_name(formula), []).append(formula)
    for some in by_name.values():
        if len({formula.file_digest for formula in some}) > 1:
            texts |= {
                formula.file_digest: formula.text_digest()
                for formula in some
                if formula.file_digest
            }
    names: dict[tuple[str, int | None], list[str]] = {}
    for formula in formulas:
        if formula.file_digest:
            same = texts.get(formula.file_digest) or formula.file_digest
            names.setdefault((same, formula.worst), []).append(formula.instance)
    return [sorted(set(same)) for same in names.values() if len(set(same)) > 1]


def _unpacked_name(formula: Formula) -> str:
    """The name of the file without its folder, and without the suffix of a packed file."""
    name = formula.place.name.lower()
    packing = compression.of_suffix(name)
    return name if packing is None else Path(name).stem


def _list_names(names: list[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _is_text(path: Path) -> bool:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def _digest(file: io.BufferedReader | io.BytesIO) -> str:
    return hashlib.file_digest(file, partial(hashlib.blake2b, digest_size=16)).hexdigest()


def _unpack(content: bytes, source: str) -> bytes:
    from nqbench.clauses import constraint_files  # NumPy takes long to import

    text = compression.unpacked(content, source, LARGEST_FILE)
    packing = compression.of_suffix(source)
    # Some programs unpack what they download, and keep the name.
    if packing and text is content and not constraint_files.has_header(content):
        raise InputError(f"not {packing.noun}", place=Place(source))
    return text


class Formulas(Family):
    """Formulas in files and folders."""

    meaning = "a formula in a file: DIMACS, KNF, CNF+, OPB or WCNF"
    reference = "SAT competition, 'CNF format'"
    problem = Formula
    has_sizes = False
    suffixes = SUFFIXES

    def read(self, path: Path) -> list[Problem]:
        return list(formulas(path))
