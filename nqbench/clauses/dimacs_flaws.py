"""Says why a text is not a formula in DIMACS: which line, or which other format it is in.

It goes through the text line by line, which is slow, and is asked only about a text that
`dimacs.read` did not accept.
"""

import re
from typing import Final

from nqbench.clauses.file_formats import FORMATS
from nqbench.common.errors import InputError, Place
from nqbench.common.printable import printable

LARGEST: Final = 2**31 - 1
"""The largest variable; solvers take no larger one."""

_HEADER: Final = "'p cnf VARIABLES CLAUSES'"
_DIGITS: Final = 18
_SHOWN: Final = 40

_MARKS: Final = {
    **dict.fromkeys(
        (b"\xff\xfe", b"\xfe\xff"),
        "is text in UTF-16: convert it with `iconv -f UTF-16 -t ASCII`",
    ),
    b"\xef\xbb\xbf": "begins with a byte order mark, which solvers do not read: save it as UTF-8 "
    "without BOM",
    b"version https://git-lfs": "is a pointer of Git LFS in place of the file: run `git lfs pull`",
}
"""What begins a file that is no text of a formula."""

_AFTER_P: Final = {
    **{form.header: f"{form.name}, with {form.holds}" for form in FORMATS[1:] if form.header},
    **dict.fromkeys(
        ("icnf", "inccnf"), "iCNF, with assumptions, which `nqbench run` reads from FILE.icnf"
    ),
}
"""The format that the second word of a header names."""

_FIRST_LINES: Final = {
    rb"\* *#variable|[+-]?\d+ *\*? *~?x\d|min: |max: ": "OPB (pseudo-Boolean)",
    rb"h [-\d]": "WCNF, with weights (MaxSAT)",
    rb"[sv] |SAT$|UNSAT$|INDET$": "the output of a solver",
    rb"<": "an HTML or XML page",
}
"""The format that the first line shows which is no comment."""

_LINES: Final = {
    rb"[ae] *-?\d": "a quantifier of QDIMACS",
    rb"x *-?\d": "an XOR clause of CryptoMiniSat",
    rb"[kb] *-?\d": "a cardinality constraint",
    rb"w *-?\d": "a weight",
    rb".*[<>]=": "an at-most-k constraint of CNF+",
}
"""Lines of formats that have the header of DIMACS CNF, but are more than clauses."""

ADD_HEADER: Final = "add it, or add --lenient to count anew"

_NUL: Final = "a NUL byte: the file is binary, or was damaged"
_COMMENT: Final = re.compile(rb"c|#|//|;")


def dimacs_error(data: bytes, source: str) -> InputError:
    """The error that names what is wrong with a text in which something else is than clauses below
    a header.
    """
    flaw = flaw_of_whole(data)
    return InputError(f"{source} {flaw}") if flaw else _Lines(data, source).flaw()


def first_beyond(data: bytes, variables: int) -> str:
    """The first literal beyond so many variables, and its line, in words."""
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip().startswith((b"c", b"p")):
            continue
        for word in line.split():
            if _is_literal(word) and abs(int(word)) > variables:
                return f"literal {int(word)} in line {number}"
    return "a literal beyond"


def flaw_of_whole(data: bytes) -> str:
    """What is wrong with the text as a whole; empty if it has to be read line by line."""
    if not data.strip():
        return "is empty"
    for mark, flaw in _MARKS.items():
        if data.startswith(mark):
            return flaw
    start = data[:1000]
    strange = sum(byte < 32 and byte not in b"\t\n\v\f\r" for byte in start)
    is_binary = strange * 10 > len(start) and b"p cnf" not in start
    return "is binary, not a text" if is_binary else ""


class _Lines:
    """The lines of a text, up to the first that is wrong."""

    def __init__(self, data: bytes, source: str) -> None:
        self._lines = data.split(b"\n")
        self._source = source
        self._number = 0
        self._stated: int | None = None
        """The clauses that the header states; -1 without a header."""
        self._first = 1
        self._clauses = 0
        self._last = b"0"

    def flaw(self) -> InputError:
        """The error for the first wrong line, or for the end."""
        for number, line in enumerate(self._lines, start=1):
            self._number = number
            text = line.strip()
            if not text or text.startswith(b"c"):
                continue
            if text.startswith(b"%") and self._stated is not None:
                break
            message = self._of_header(text) if self._stated is None else self._of_clause(text)
            if message:
                return self._error(message)
        return self._error(self._at_end())

    def _error(self, message: str) -> InputError:
        return InputError(message, place=Place(self._source, self._number))

    def _of_header(self, text: bytes) -> str:
        """What is wrong with the first line that is no comment. If it is a header, note what it
        states.
        """
        words = text.split()
        if b"\0" in text:
            return _NUL
        if words[0] == b"p" and words[1:2] == [b"cnf"]:
            return self._of_numbers(text, words[2:])
        if words[0] == b"p" and len(words) > 1:
            format_name = _AFTER_P.get(shown(words[1]).lower())
            if format_name:
                return f"the format is {format_name}, not {_HEADER}"
        if words[0].lower().startswith(b"p"):
            return f"the header is '{shown(text)}', expected {_HEADER}"
        for pattern, name in _FIRST_LINES.items():
            if re.match(pattern, text):
                return f"this is {name}, not a formula with {_HEADER}"
        if all(map(_is_literal, words)):
            self._stated, self._first = -1, self._number
            return self._of_clause(text)
        return f"expected {_HEADER} before the clauses, not '{shown(text)}'"

    def _of_numbers(self, text: bytes, words: list[bytes]) -> str:
        """What is wrong with the two numbers of the header."""
        if len(words) != 2 or not all(re.fullmatch(rb"\d+", word) for word in words):
            return f"the header is '{shown(text)}', expected {_HEADER}, two whole numbers"
        if any(len(word) > _DIGITS for word in words) or int(words[0]) > LARGEST:
            return f"the header is '{shown(text)}', but solvers take at most {LARGEST} variables"
        self._stated = int(words[1])
        return ""

    def _of_clause(self, text: bytes) -> str:
        """What is wrong with a line of clauses."""
        words = text.split()
        if words[0] == b"p":
            return f"a header after clauses, '{shown(text)}': are these several formulas?"
        for self._last in words:
            if not _is_literal(self._last):
                return word_flaw(self._last, text)
            if len(self._last) > _DIGITS or abs(int(self._last)) > LARGEST:
                return beyond(shown(self._last, 24))
            self._clauses += int(self._last) == 0
        return ""

    def _at_end(self) -> str:
        if self._stated is None:
            return f"the file ends without {_HEADER}"
        if int(self._last) != 0:
            cut = self._stated > self._clauses + 1
            more = f", and the header says {self._stated}: it may be cut off" if cut else ""
            return f"the last clause does not end with 0{more}"
        self._number = self._first
        return f"expected {_HEADER} before the clauses: {ADD_HEADER}"


def _is_literal(word: bytes) -> bool:
    return re.fullmatch(rb"-?\d+", word) is not None


def beyond(literal: str) -> str:
    """What is wrong with a literal of a variable that is too large."""
    return f"literal {literal} is beyond {LARGEST}, the largest variable that solvers take"


def correct_header(*, is_short: bool) -> str:
    """What to do about wrong counts in a header; `is_short`: if the text has less than it says."""
    unless = "unless the file was cut off, " if is_short else ""
    return f"{unless}correct it, or add --lenient to count anew"


def second_header(line: bytes) -> str:
    """What is wrong with a header after another one."""
    return f"'{shown(line)}' is a second header: are these several formulas?"


def has_weights(line: bytes) -> str:
    """What is wrong with a row with weights in a format without them."""
    return f"'{shown(line)}' has weights: write it as OPB or WCNF"


def unended(what: str, end: str = "0") -> str:
    """What is wrong with the last row or clause of a text that ends before it."""
    return f"the last {what} does not end with {end}: is the file cut off?"


def word_flaw(word: bytes, line: bytes) -> str:
    """What is wrong with a word that is no literal."""
    for pattern, name in _LINES.items():
        if re.match(pattern, line):
            return f"'{shown(line)}' is {name}, not a clause"
    short = shown(word, 20)
    if b"\0" in word:
        return _NUL
    if _COMMENT.match(word):
        return f"'{short}' is not a literal: a comment needs a line of its own, which begins with c"
    if word.startswith(b"+") and _is_literal(word[1:]):
        return f"'{short}' is not a literal: write it without +"
    return f"'{short}' is not a literal"


def shown(text: bytes, longest: int = _SHOWN) -> str:
    """The text as an error shows it: printable, and cut if it is long."""
    return printable(text[: longest + 1].decode(errors="backslashreplace"), longest)
