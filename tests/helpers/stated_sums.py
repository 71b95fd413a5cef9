"""Sums of weighted literals and rows that bound them, by definition, and as OPB.

A term is a weight and a literal, or several literals, of which the product counts. A row is its
terms, a relation and a bound. Values are those of variables 1, 2 and so on.
"""

import itertools


def choices(n):
    """All values of n variables."""
    return list(itertools.product([False, True], repeat=n))


def is_true(literal, values):
    return values[abs(literal) - 1] == (literal > 0)


def total(terms, values):
    return sum(weight for weight, *xs in terms if all(is_true(x, values) for x in xs))


def meets(rows, values):
    compare = {">=": int.__ge__, "<=": int.__le__, "=": int.__eq__}
    return all(compare[relation](total(terms, values), bound) for terms, relation, bound in rows)


def as_text(terms):
    return " ".join(f"{weight:+} {'~' * (x < 0)}x{abs(x)}" for weight, x in terms)


def as_opb(n, rows, objective=""):
    lines = [f"{as_text(terms)} {relation} {bound} ;" for terms, relation, bound in rows]
    header = f"* #variable= {n} #constraint= {len(rows)}"
    return "\n".join([header, *filter(None, [objective]), *lines, ""])
