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

_RUN_OF_HYPHENS: Final = re.compile("-(?=-)")
_OPENING_QUOTE: Final = re.compile(r"(?<![^\s(])'(?=\S)")
_NUMBER: Final = re.compile(r"(-?)(\d+(?:\.\d+)?)(?:e([+-]\d+))?")


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
    whole = "".join(_SPECIAL.get(c, c) for c in apart)
    return whole.replace("\0", "{}").replace("\1", "`")


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
