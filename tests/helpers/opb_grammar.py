"""The grammar of OPB, WBO and WCNF as one table, from which texts for both readers are drawn.

A symbol has alternatives with their weights. What is in capitals is a symbol, anything else stands
for itself. The readers of nqbench were not made from this table, and know nothing of each other.
"""

import random
import re

GRAMMAR = {
    "OPB": {"HEADER OBJECTIVE ROWS": 6, "HEADER ROWS OBJECTIVE ROWS": 2, "ROWS": 1, "WBO": 2},
    "WBO": {"HEADER soft: NUMBER ; SOFT ROWS": 2, "soft: ; ROWS SOFT": 1, "ROWS SOFT": 1},
    "HEADER": {"* #variable= 3 #constraint= 2\n": 3, "COMMENT": 1, "": 1},
    "OBJECTIVE": {"KEY: SUM;": 6, "KEY:;\n": 1, "KEY : SUM ;\n": 1, "": 1},
    "KEY": {"min": 3, "max": 1},
    "SOFT": {"[NUMBER] ROW": 3, "[NUMBER] ROW SOFT": 2},
    "ROWS": {"ROW": 1, "ROW ROWS": 3, "COMMENT ROWS": 1},
    "ROW": {"SENTENCE ;\n": 12, "SENTENCE;": 2, "LABEL: SENTENCE;\n": 1},
    "SENTENCE": {"SUM RELATION BOUND": 1},
    "LABEL": {"C1": 1, "NAME": 1},
    "SUM": {"TERM": 2, "TERM SUM": 4, "": 1},
    "TERM": {"COEF LITERAL": 12, "COEF*LITERAL": 3, "COEF LITERAL LITERAL": 2, "SIGN LITERAL": 2,
             "COEFLITERAL": 1, "SIGN COEF LITERAL": 1, "COEF * LITERAL*LITERAL": 1},
    "COEF": {"SIGNNUMBER": 8, "NUMBER": 3, "SIGN NUMBER": 1},
    "SIGN": {"+": 3, "-": 2},
    "NUMBER": {"1": 4, "2": 3, "3": 2, "07": 1, "0": 1, "12345678901234567890": 1},
    "LITERAL": {"NAME": 3, "~NAME": 1},
    "NAME": {"x1": 5, "x2": 5, "x3": 3, "x03": 1, "x0": 1, "y_1": 1, "P1N1": 1, "a[1]-b": 1,
             "x1-2": 1, "min": 1},
    "RELATION": {">=": 6, "=": 3, "<=": 3, "GLUED": 1},
    "GLUED": {">=": 1, "=": 1},
    "BOUND": {"NUMBER": 4, "SIGNNUMBER": 4, "SIGN NUMBER": 1},
    "COMMENT": {"* min: x1 ;\n": 1, "\n* x9 ;\n": 1, "/* a ; b */": 1, "/*\n * c */\n": 1},
    "WCNF": {"p wcnf 3 2 TOP\nCLAUSES": 3, "p wcnf 3 2\nCLAUSES": 1, "h 1 2 0\nCLAUSES": 3},
    "TOP": {"10": 4, "0": 1, "12345678901234567891": 1},
    "CLAUSES": {"CLAUSE": 1, "CLAUSE CLAUSES": 4, "c 1 2 0\nCLAUSES": 1},
    "CLAUSE": {"COST DIGITS 0\n": 8, "COST\nDIGITS 0\n": 1, "COST DIGITS\n0 ": 1, "COST 0\n": 1},
    "COST": {"h": 2, "10": 2, "1": 2, "4": 2, "12345678901234567890": 1},
    "DIGITS": {"DIGIT": 2, "DIGIT DIGITS": 3},
    "DIGIT": {"1": 2, "-2": 2, "3": 1, "-3": 1, "2": 1},
}  # fmt: skip

EDITS = "+-*~;:x10 3\n[]<>=/yh"

_SYMBOL = re.compile("|".join(sorted(GRAMMAR, key=len, reverse=True)))


def draw(random_numbers: random.Random, symbol: str, depth: int = 0) -> str:
    """A text of this symbol."""
    alternatives = GRAMMAR[symbol]
    if depth > 12:
        chosen = min(alternatives, key=len)
    else:
        (chosen,) = random_numbers.choices(list(alternatives), list(alternatives.values()))
    return _SYMBOL.sub(lambda match: draw(random_numbers, match[0], depth + 1), chosen)


def edited(random_numbers: random.Random, text: str) -> str:
    """The text with one character removed, added or replaced."""
    place = random_numbers.randrange(len(text) + 1)
    added = random_numbers.choice(["", random_numbers.choice(EDITS)])
    return text[:place] + added + text[place + random_numbers.randrange(2) :]
