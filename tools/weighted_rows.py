"""Whether schemes for rows with weights allow what the sums do, by enumeration of random rows.

    python tools/weighted_rows.py --rows 10000
    python tools/weighted_rows.py --rows 10000 watchdog pindakaas:watchdog

Each scheme, without names all that take weights, gets the same random rows: up to 10 literals,
weights from -20 to 20, and at least, at most or exactly a bound near a sum that they can have. Each
of the 2^n choices of a row has to have a model in the clauses if and only if it meets the row; that
is computed from the numbers drawn. Rows that are read as clauses, or that only count literals, are
drawn again.
"""

import argparse
import operator
import random
import sys
from collections.abc import Iterator
from itertools import product
from typing import Final

from pysat.solvers import Solver

from nqbench.clauses import constraint_files
from nqbench.clauses.constraints import Constraints
from nqbench.encodings.base import Encoding
from nqbench.encodings.counting import WeighingEncoding
from nqbench.encodings.lines import LineEncoding
from nqbench.plugins import encoding_names
from nqbench.plugins.parameters import Choice
from nqbench.testing.brute_force import AnyCover

MOST_LITERALS: Final = 10
LARGEST_WEIGHT: Final = 20
COMPARE: Final = {">=": operator.ge, "<=": operator.le, "=": operator.eq}

Row = tuple[tuple[tuple[int, int], ...], str, int]
"""Weights and literals, the relation, and the bound. The variables are 1..n."""


def schemes() -> Iterator[str]:
    """Yield the names of all schemes that write clauses for rows with weights."""
    for name in encoding_names():
        encoding = Encoding.named(name)
        scheme = encoding.parameters.get("scheme")
        choices = scheme.choices if isinstance(scheme, Choice) else ()
        for full in [f"{name}:{choice}" for choice in choices] or [name]:
            if isinstance(each := Encoding.named(full), WeighingEncoding) and each.states_weights:
                yield full


def rows(count: int, seed: int) -> Iterator[tuple[Row, Constraints]]:
    """Yield so many random rows, and how nqbench reads them."""
    draw = random.Random(seed)
    while count:
        n = draw.randint(2, MOST_LITERALS)
        terms = tuple(
            (draw.choice((-1, 1)) * draw.randint(1, LARGEST_WEIGHT), x * draw.choice((-1, 1)))
            for x in range(1, n + 1)
        )
        some = tuple(draw.choice((False, True)) for _ in range(n))
        bound = total(terms, some) + draw.randint(-1, 1)
        row = terms, draw.choice(tuple(COMPARE)), bound
        read = constraint_files.read(text(row).encode(), "row")
        if isinstance(read, Constraints) and read.weighted:
            count -= 1
            yield row, read


def text(row: Row) -> str:
    """The row as a file of OPB, which has no at most."""
    terms, relation, bound = row
    if relation == "<=":
        terms, relation, bound = tuple((-weight, x) for weight, x in terms), ">=", -bound
    written = " ".join(f"{weight:+d} {'~' * (x < 0)}x{abs(x)}" for weight, x in terms)
    return f"* #variable= {len(terms)} #constraint= 1\n{written} {relation} {bound} ;\n"


def total(terms: tuple[tuple[int, int], ...], values: tuple[bool, ...]) -> int:
    """The sum of the weights of the true literals."""
    return sum(weight for weight, x in terms if values[abs(x) - 1] == (x > 0))


def wrong_choice(scheme: LineEncoding, row: Row, read: Constraints) -> str:
    """A choice that the clauses allow and the row does not, or the other way round; else ""."""
    terms, relation, bound = row
    cnf = scheme.encode_constraints(AnyCover(len(terms)), read)
    cnf.check()
    with Solver("minisat22", bootstrap_with=cnf.clauses()) as solver:
        for values in product((False, True), repeat=len(terms)):
            chosen = [x if value else -x for x, value in enumerate(values, 1)]
            if solver.solve(chosen) != COMPARE[relation](total(terms, values), bound):
                return f"{text(row).splitlines()[1]} with {chosen}"
    return ""


def main() -> int:
    """Check the schemes, with a line for each; return 1 if one is wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("schemes", nargs="*", metavar="SCHEME")
    parser.add_argument("--rows", type=int, default=1000, help="so many for each scheme [1000]")
    parser.add_argument("--seed", type=int, default=65, help="of the random rows [65]")
    arguments = parser.parse_args()
    wrong = 0
    for name in arguments.schemes or schemes():
        scheme = Encoding.named(name)
        if not isinstance(scheme, LineEncoding):
            parser.error(f"'{name}' writes no clauses for rows")
        choices, shown = 0, ""
        for row, read in rows(arguments.rows, arguments.seed):
            choices += 2 ** len(row[0])
            shown = wrong_choice(scheme, row, read)
            if shown:
                wrong += 1
                break
        result = f"wrong: {shown}" if shown else "all right"
        print(f"{name}: {arguments.rows} rows, {choices} choices: {result}", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
