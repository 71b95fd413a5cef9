"""Comment lines of DIMACS files that other programs read: `c p show`, `c ind`, `c p weight`.

Model counters and samplers take from them which variables count, and with which weights. They are
no part of the clauses, and have to go with the formula when it is written anew.

Model Counting Competition, data format; UniGen's `c ind`.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

_LINE: Final = re.compile(
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
        lines = [line.strip() for line in _LINE.findall(data)]
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
