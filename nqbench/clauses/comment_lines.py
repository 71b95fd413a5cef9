"""Comment lines of formulas: annotations for other programs, and what the formula encodes.

Model counters and samplers take from `c p show`, `c ind` and `c p weight` which variables count,
and with which weights (Model Counting Competition, data format; UniGen's `c ind`). They are no part
of the clauses, and have to go with the formula when it is written anew.

Other lines say what a formula encodes, and which variable is which option:

    c nqbench problem queens n=8
    c nqbench encoding product
    c nqbench version nqbench 1.0
    c nqbench options 11..74
    c nqbench option 0 3 = 1 -2
    p cnf 74 312

All are optional, and may be anywhere. In OPB, a comment begins with *. `problem` has the name of a
family, and n and k; for problems with other fields, these as a JSON object. `options` has the
literals of the options in their order, as numbers and ranges, perhaps over several lines. `option`
has the numbers of one option, and literals that are all true if and only if it is chosen. Without
these two, the first variables are the options. The lines are no part of the formula.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from nqbench.clauses.cnf import Assignment, Block
from nqbench.clauses.dimacs_flaws import LARGEST, shown
from nqbench.common.errors import InputError, Place
from nqbench.common.printable import printable

_ANNOTATION: Final = re.compile(
    rb"^[ \t]*(?:p[ \t]+(?:w?cnf\+?|knf)[ \t]|c[ \t]+(?:p[ \t]+(?!w?cnf|knf)[a-z]+[ \t]|ind[ \t]"
    rb"|t[ \t]+[a-z]|MUST[ \t]+MULTIPLY)|cr[ \t]+\d).*$",
    re.MULTILINE,
)
_OPB_LINE: Final = re.compile(rb"^[ \t]*\*[ \t]*((?:cr?|p|ind)[ \t].*)$", re.MULTILINE)
_SHOWN: Final = (b"show", b"ind", b"cr")
_NAMED: Final = 8


@dataclass(frozen=True, slots=True)
class Annotations:
    """The lines before the header of a formula, and after it."""

    before: tuple[bytes, ...] = ()
    after: tuple[bytes, ...] = ()

    @classmethod
    def of(cls, data: bytes) -> "Annotations":
        """Those of a text in DIMACS, KNF, CNF+ or WCNF. Without a header, all stand before it."""
        lines = [line.strip() for line in _ANNOTATION.findall(data)]
        header = next((at for at, line in enumerate(lines) if line.startswith(b"p")), len(lines))
        return cls(tuple(lines[:header]), tuple(lines[header + 1 :]))

    @classmethod
    def of_opb(cls, data: bytes) -> "Annotations":
        """Those of a text in OPB, where a comment begins with *: `* c p show 1 2 0`, or `* ind`."""
        lines = (line.strip() for line in _OPB_LINE.findall(data))
        dimacs = (line if line.startswith(b"c") else b"c " + line for line in lines)
        return cls.of(b"\n".join([b"p cnf 0 0", *dimacs]))

    def preceded_by(self, lines: Iterable[bytes]) -> "Annotations":
        """The same, with other lines before the header: some programs read none after it."""
        return Annotations((*self.before, *lines), self.after)

    def __len__(self) -> int:
        return len(self.before) + len(self.after)

    @property
    def shown(self) -> set[int] | None:
        """The variables that count: of the lines `c p show`, or else `c ind`, or else `cr`; None if
        there are no such lines.
        """
        lines = [line.split() for line in (*self.before, *self.after)]
        for kind in _SHOWN:
            named = [_variables(words) for words in lines if _kind(words) == kind]
            if named:
                return set().union(*named) - {0}
        return None

    def doubts(self, dropped: Collection[int], fresh: int) -> list[str]:
        """A sentence for each reason why a formula without the `dropped` variables, and with so
        many `fresh` ones, does not mean the same to a program that reads these lines.
        """
        lines = [line.split() for line in (*self.before, *self.after)]
        named_variables = {number for words in lines for number in _variables(words)}
        reasons = []
        if lost := sorted(named_variables & set(dropped)):
            more = f" and {len(lost) - _NAMED} more" if len(lost) > _NAMED else ""
            reasons.append(
                f"the kept lines name variables that were dropped: "
                f"{' '.join(map(str, lost[:_NAMED]))}{more}"
            )
        if lines and (fresh or dropped) and not any(_kind(words) in _SHOWN for words in lines):
            reasons.append(
                "the new formula has other auxiliary variables, so its number of models may "
                "differ: add `c p show` with the variables that count"
            )
        return reasons


def _kind(words: list[bytes]) -> bytes:
    if words[0] == b"cr":
        return b"cr"
    return words[2] if words[1] == b"p" else words[1]


def _variables(words: list[bytes]) -> list[int]:
    """The variables that a line names: of a weight, the one that has it."""
    kind = _kind(words)
    if kind not in (*_SHOWN, b"weight"):
        return []
    start = 1 if kind == b"cr" else 2 if kind == b"ind" else 3
    numbers = [abs(int(word)) for word in words[start:] if re.fullmatch(rb"-?\d{1,18}", word)]
    return numbers[:1] if kind == b"weight" else numbers


NO_ANNOTATIONS: Final = Annotations()


Option = tuple[int, ...]
Range = tuple[int, int]
"""The first and the last literal."""

_MARK: Final = b"nqbench"
_LINE: Final = re.compile(rb"[ \t]*(?:c|\*)[ \t]+(?:c[ \t]+)?nqbench[ \t]+([a-z]+)(?:[ \t]+(.*))?")
_RANGE: Final = re.compile(r"(-?\d{1,10})(?:\.\.(-?\d{1,10}))?")
_FACT: Final = re.compile(r"([a-z]+)=(\d{1,18})")
_RANGES_IN_LINE: Final = 8
_MOST_LINES: Final = 100_000
"""The largest number of lines that are written for the options."""


@dataclass(frozen=True, slots=True)
class Description:
    """What the comment lines say. `facts` are the fields of the problem: n and perhaps k, or all of
    them. `version` is that of the encoding. `ranges` are the literals of the options in their
    order, and `single` those of some options, in place of theirs in `ranges`. `unknown` are lines
    that begin like these and have another word, with their numbers.
    """

    family: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    encoding: str = ""
    version: str = ""
    ranges: tuple[Range, ...] = ()
    single: Mapping[Option, tuple[int, ...]] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()

    @property
    def has_map(self) -> bool:
        """Whether it says which variable is which option."""
        return bool(self.ranges or self.single)

    def literals(self, options: Sequence[Option]) -> Block:
        """For each option, literals that are all true if and only if it is chosen: shape (options,
        k). Raises `InputError` if the lines do not fit the options.
        """
        count = len(options)
        if not self.has_map:
            return np.arange(1, count + 1, dtype=np.int32)[:, np.newaxis]
        length = sum(abs(last - first) + 1 for first, last in self.ranges)
        if self.ranges and length != count:
            raise InputError(
                f"'c nqbench options' has {length} literals, and the problem has {count} options"
            )
        if not self.ranges and len(self.single) < count:
            missing = next(option for option in options if option not in self.single)
            raise InputError(f"no line 'c nqbench option {_spelled(missing)} = ...', but others")
        positions = {}
        for option in self.single:
            if option not in options:
                raise InputError(
                    f"'c nqbench option {_spelled(option)}' is no option of the problem"
                )
            positions[options.index(option)] = self.single[option]
        width = max(map(len, self.single.values()), default=1)
        literals = np.zeros((count, width), np.int32)
        if self.ranges:
            literals[:] = np.concatenate(list(map(_expand, self.ranges)))[:, np.newaxis]
        for position, some in positions.items():
            # A literal that is repeated says the same.
            literals[position] = [*some, *some[:1] * (width - len(some))]
        return literals

    def with_literals(self, options: Sequence[Option], literals: Block) -> "Description":
        """The same with the literals of the options; without, if they need too many lines."""
        ranges: tuple[Range, ...] = ()
        single: dict[Option, tuple[int, ...]] = {}
        if literals.shape[1] == 1:
            ranges = _ranges(literals[:, 0])
            is_short = len(ranges) <= _MOST_LINES
        elif is_short := len(literals) <= _MOST_LINES:
            single = dict(zip(options, map(tuple, literals.tolist()), strict=True))
        return replace(self, ranges=ranges if is_short else (), single=single if is_short else {})

    def encoded_by(self, encoding: str, version: str | None) -> "Description":
        """The same for another encoding, which keeps the variables; empty without a problem."""
        if not self.family:
            return NO_DESCRIPTION
        return replace(self, encoding=encoding, version=version or "")

    def lines(self) -> Iterator[bytes]:
        """The lines, as DIMACS has them, without their ends."""
        if self.family:
            yield _line("problem", self.family, self._facts())
        if self.encoding:
            yield _line("encoding", self.encoding)
        if self.version:
            yield _line("version", self.version)
        for start in range(0, len(self.ranges), _RANGES_IN_LINE):
            some = self.ranges[start : start + _RANGES_IN_LINE]
            yield _line("options", *map(_spelled_range, some))
        for option, literals in self.single.items():
            yield _line("option", _spelled(option), "=", _spelled(literals))

    def _facts(self) -> str:
        if self.facts.keys() <= {"n", "k"}:
            return " ".join(f"{name}={value}" for name, value in self.facts.items())
        return json.dumps(self.facts, separators=(",", ":"))


NO_DESCRIPTION: Final = Description()


def read_description(data: bytes, source: str) -> Description:
    """Return what the comment lines in a text of any format say. Raises `InputError` with `source`
    and the line for one that cannot be read.
    """
    reader = _Reader()
    for start, line in _find_lines(data):
        try:
            reader.take(line)
        except ValueError as error:
            number = data.count(b"\n", 0, start) + 1
            reason = f"'{shown(line.strip())}': {error}"
            raise InputError(reason, place=Place(source, number)) from None
    return reader.description()


def chosen(literals: Block, values: Assignment) -> list[int]:
    """The positions of the options that are chosen in a model, by the literals of the options."""
    is_true = values[np.abs(literals) - 1] == (literals > 0)
    return np.flatnonzero(is_true.all(axis=1)).tolist()


def _find_lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The places and the texts of the lines. Searching for the mark costs little in a long text."""
    place = data.find(_MARK)
    while place >= 0:
        start = max(data.rfind(b"\n", 0, place), data.rfind(b"\r", 0, place)) + 1
        end = min(
            (at for at in (data.find(b"\n", place), data.find(b"\r", place)) if at >= 0),
            default=len(data),
        )
        line = data[start:end]
        if _LINE.fullmatch(line):
            yield start, line
        place = data.find(_MARK, end)


class _Reader:
    """Takes the lines one after the other; raises `ValueError` for a wrong one."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._facts: dict[str, Any] = {}
        self._ranges: list[Range] = []
        self._single: dict[Option, tuple[int, ...]] = {}
        self._unknown: list[str] = []

    def take(self, line: bytes) -> None:
        match = _LINE.fullmatch(line)
        assert match is not None
        keyword = match[1].decode()
        text = (match[2] or b"").decode(errors="backslashreplace").strip()
        if keyword in {"problem", "encoding", "version"}:
            self._take_text(keyword, text)
        elif keyword == "options":
            self._ranges += [_read_range(word) for word in text.split()]
        elif keyword == "option":
            self._take_option(text)
        else:
            self._unknown.append(printable(f"c nqbench {keyword} {text}".strip(), 60))

    def description(self) -> Description:
        return Description(
            self._texts.get("problem", ""),
            self._facts,
            self._texts.get("encoding", ""),
            self._texts.get("version", ""),
            tuple(self._ranges),
            self._single,
            tuple(self._unknown),
        )

    def _take_text(self, keyword: str, text: str) -> None:
        facts: dict[str, Any] = {}
        if not text:
            raise ValueError(f"expected a {keyword} after the word '{keyword}'")
        if keyword == "problem":
            text, _, rest = text.partition(" ")
            facts = _read_facts(rest.strip())
            if self._facts not in ({}, facts):
                raise ValueError("a second problem: are these several formulas?")
            self._facts = facts
        if self._texts.get(keyword, text) != text:
            raise ValueError(f"a second {keyword}: are these several formulas?")
        self._texts[keyword] = text

    def _take_option(self, text: str) -> None:
        numbers, equals, after = text.partition("=")
        words, literals = numbers.split(), [_read_range(word) for word in after.split()]
        is_right = words and equals and literals and all(word.isdecimal() for word in words)
        if not is_right or any(first != last for first, last in literals):
            raise ValueError("write the numbers of the option and its literals: 0 3 = 17")
        option = tuple(map(int, words))
        if option in self._single:
            raise ValueError("a second line for this option")
        self._single[option] = tuple(first for first, _ in literals)


def _read_facts(text: str) -> dict[str, Any]:
    if text.startswith("{"):
        try:
            facts = json.loads(text)
        except (ValueError, RecursionError):
            raise ValueError("the fields of the problem are no JSON object") from None
        return dict(facts)
    pairs = [_FACT.fullmatch(word) for word in text.split()]
    facts = {pair[1]: int(pair[2]) for pair in pairs if pair}
    if len(facts) < len(pairs) or not facts.keys() <= {"n", "k"}:
        raise ValueError("write the family and its size: queens n=8")
    return facts


def _read_range(word: str) -> Range:
    match = _RANGE.fullmatch(word)
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not first or (first > 0) != (last > 0) or max(abs(first), abs(last)) > LARGEST:
        raise ValueError(f"'{printable(word, 24)}' is no literal, nor a range such as 1..64")
    return first, last


def _expand(span: Range) -> Block:
    first, last = span
    step = 1 if last >= first else -1
    return np.arange(first, last + step, step, dtype=np.int32)


def _ranges(literals: Block) -> tuple[Range, ...]:
    """The ranges of literals in a row, each of one step up or down."""
    if not literals.size:
        return ()
    steps = np.diff(literals)
    is_step = (np.abs(steps) == 1) & ((literals[1:] > 0) == (literals[:-1] > 0))
    turns = np.zeros(len(steps), np.bool_)
    turns[1:] = is_step[:-1] & (steps[1:] != steps[:-1])
    cuts = np.flatnonzero(~is_step | turns) + 1
    starts, ends = np.concatenate([[0], cuts]), np.concatenate([cuts, [len(literals)]])
    return tuple(zip(literals[starts].tolist(), literals[ends - 1].tolist(), strict=True))


def _spelled_range(span: Range) -> str:
    first, last = span
    return str(first) if first == last else f"{first}..{last}"


def _spelled(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers))


def _line(*words: str) -> bytes:
    return " ".join(["c nqbench", *filter(None, words)]).encode()
