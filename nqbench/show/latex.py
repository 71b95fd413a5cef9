r"""Text for LaTeX, in which no character is a command."""

import re
from typing import Final

_SPECIAL: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "#": r"\#",
    "$": r"\$",
    "%": r"\%",
    "&": r"\&",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    # The usual fonts have other characters in the place of these.
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    # At the start of a cell, these would be arguments of the command that ends the row above.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "`": r"\textasciigrave{}",
    "\N{NO-BREAK SPACE}": "~",
    "\N{MICRO SIGN}": r"$\mu$",
    "\N{GREEK SMALL LETTER MU}": r"$\mu$",
    "\N{SUPERSCRIPT TWO}": r"\textsuperscript{2}",
    "\N{SUPERSCRIPT THREE}": r"\textsuperscript{3}",
    "\N{MULTIPLICATION SIGN}": r"$\times$",
    "\N{MINUS SIGN}": "$-$",
    "\N{LESS-THAN OR EQUAL TO}": r"$\leq$",
    "\N{GREATER-THAN OR EQUAL TO}": r"$\geq$",
    "\N{EN DASH}": "--",
    "\N{EM DASH}": "---",
    "\N{HORIZONTAL ELLIPSIS}": r"\ldots{}",
}

_EMS: Final = {
    **dict.fromkeys("!',.:;[]`il", 0.28),
    **dict.fromkeys("fj", 0.31),
    **dict.fromkeys("- \N{NO-BREAK SPACE}", 0.34),
    **dict.fromkeys("()trsI", 0.4),
    **dict.fromkeys("$*/0123456789?\\^_acegoz{}~", 0.5),
    **dict.fromkeys("kqvxySbdhnpuJ", 0.56),
    **dict.fromkeys("EFLPZ", 0.69),
    **dict.fromkeys("#%mM", 0.92),
    **dict.fromkeys("wBCRT", 0.74),
    "W": 1.03,
}
"""The widths of characters in Computer Modern, the usual font of LaTeX, rounded up."""

_OTHER: Final = 0.79

_ENDS_OF_PARTS: Final = re.compile(
    r"(?<=[:/=_])(?=[^\s/])|(?<=,)(?=[^\s\d])|(?<=\w-)(?=\w)|(?<=\s)"
)

_LONGEST_PART: Final = 12.0
"""The longest part of a name in a line of the text, in ems."""

_CHOPPED: Final = 4
"""Characters between two marks in a part that is too long."""

_RUN_OF_HYPHENS: Final = re.compile("-(?=-)")
_OPENING_QUOTE: Final = re.compile(r"(?<![^\s(])'(?=\S)")
_DIGITS: Final = re.compile(r"\d+/\d+")
_NUMBER: Final = re.compile(r"(-?)(\d+(?:\.\d+)?)(?:e([+-]\d+))?")


def ems(text: str) -> float:
    """The width of a text in the font of LaTeX, in ems; in most others it is less."""
    return sum(_EMS.get(c, _OTHER) for c in text)


def split_at_breaks(text: str) -> list[str]:
    """The parts of a text between which a line may end.

    >>> split_at_breaks("product:state=alo-rows x minisat22")
    ['product:', 'state=', 'alo-', 'rows ', 'x ', 'minisat22']
    """
    return _ENDS_OF_PARTS.split(text)


def breakable(text: str, longest: float = _LONGEST_PART) -> str:
    r"""The text as `escaped` returns it, with marks where a line may end within a name: after a
    colon or the like, and less willingly in a part that is longer than this, in ems.

    >>> print(breakable("product:state=rows x cadical195"))
    product:\penalty50{}state=\penalty50{}rows x cadical195
    """
    # Control characters stand for commands until the rest is escaped: no printable text has them.
    marked = ""
    for part in split_at_breaks(text):
        bare = part.rstrip()
        chopped = "\3".join(_chop(bare)) if ems(bare) > longest else bare
        is_open = bare == part and not part.endswith("-")  # LaTeX breaks after a hyphen itself
        marked += chopped + part[len(bare) :] + ("\2" if is_open else "")
    latex_text = escaped(marked.removesuffix("\2"))
    return latex_text.replace("\2", r"\penalty50{}").replace("\3", r"\penalty500{}")


def _chop(text: str) -> list[str]:
    return [text[i : i + _CHOPPED] for i in range(0, len(text), _CHOPPED)]


def escaped(text: str) -> str:
    r"""The text for LaTeX, with a command for each character that LaTeX would not print as it is.
    Letters beyond these stay: pdfLaTeX knows those of European languages.

    >>> print(escaped("50 % of a_b & \\input{x}"))
    50 \% of a\_b \& \textbackslash{}input\{x\}
    >>> print(escaped("solver --fast, n², 3 µs"))
    solver -{}-fast, n\textsuperscript{2}, 3 $\mu$s
    >>> print(escaped("the 'naive' encoding"))
    the `naive' encoding
    """
    apart = _RUN_OF_HYPHENS.sub("-\0", _OPENING_QUOTE.sub("\1", text))
    with_commands = "".join(_SPECIAL.get(c, c) for c in apart)
    return with_commands.replace("\0", "{}").replace("\1", "`")


def is_of_digits(text: str) -> bool:
    """Whether a text is a number of a number, such as 3/7."""
    return _DIGITS.fullmatch(text) is not None


def number(text: str) -> str:
    r"""A number as LaTeX typesets it: a minus, and a power of ten. Other text is escaped.

    >>> print(number("0.66"), number("-0.66"), number("1.20e-07"))
    0.66 $-0.66$ $1.20 \times 10^{-7}$
    """
    match = _NUMBER.fullmatch(text)
    if match is None or not (match[1] or match[3]):
        return escaped(text)
    power = rf" \times 10^{{{int(match[3])}}}" if match[3] else ""
    return f"${match[1]}{match[2]}{power}$"
