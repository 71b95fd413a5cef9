"""Up to which size `nqbench certify` certifies schemes for rows with weights.

    python tools/weighted_certificates.py --rows 3 --time-limit 5
    python tools/weighted_certificates.py --lengths 10,20 --weights 100 adder

Each scheme, without names all own ones that take weights, is certified on the same random rows: so
many literals, weights from 1 to a largest one, and at least half of their sum. Prints how many of
the rows are certified, for each number of literals and largest weight. If none is at some length,
longer rows with the same weights are left out, which is shown as -. A refuted row ends the script.
"""

import argparse
import random
import sys
import tempfile
from pathlib import Path

from nqbench.addons.certify.certificate import Result
from nqbench.addons.certify.examiner import certificates
from nqbench.common.limits import Limits
from nqbench.encodings.base import Encoding
from nqbench.encodings.counting import WeighingEncoding
from nqbench.plugins import encoding_names
from nqbench.problems.families.cnf import Formula

LENGTHS = "5,10,15,20,30,50"
WEIGHTS = "1,5,20,100,1000"


def row(length: int, largest: int, number: int) -> str:
    """A row as OPB, the same for the same numbers."""
    draw = random.Random(f"{length} {largest} {number}")
    weights = [draw.randint(1, largest) for _ in range(length)]
    terms = " ".join(f"+{weight} x{v}" for v, weight in enumerate(weights, start=1))
    bound = -(-sum(weights) // 2)
    return f"* #variable= {length} #constraint= 1\n{terms} >= {bound} ;\n"


def own_schemes() -> list[str]:
    """The schemes for weights that need no other library."""
    every = (Encoding.named(name) for name in encoding_names())
    return [e.name for e in every if isinstance(e, WeighingEncoding) and not e.distribution]


def certified(scheme: str, texts: list[str], time_s: float) -> int:
    """How many of the rows are certified. Raises `SystemExit` if one is refuted."""
    with tempfile.TemporaryDirectory() as folder:
        problems = []
        for number, text in enumerate(texts):
            path = Path(folder, f"{number}.opb")
            path.write_text(text)
            problems.append(Formula.at(path, path.name))
        results = list(certificates(Encoding.named(scheme), problems, Limits(time_s=time_s)))
    for text, result in zip(texts, results, strict=True):
        if result.result is Result.REFUTED:
            sys.exit(f"{scheme} is refuted: {result.messages}\n{text}")
    return sum(result.result is Result.CERTIFIED for result in results)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("schemes", nargs="*", help="names of encodings")
    parser.add_argument("--rows", type=int, default=3, help="rows of each kind (default: 3)")
    parser.add_argument("--lengths", default=LENGTHS, help=f"literals (default: {LENGTHS})")
    parser.add_argument("--weights", default=WEIGHTS, help=f"largest ones (default: {WEIGHTS})")
    parser.add_argument("--time-limit", type=float, default=5.0, help="seconds of a step")
    arguments = parser.parse_args()
    lengths = [int(number) for number in arguments.lengths.split(",")]
    print(f"| encoding | largest weight | {' | '.join(f'n = {n}' for n in lengths)} |")
    print(f"| --- | --- | {' | '.join('---' for _ in lengths)} |")
    for scheme in arguments.schemes or own_schemes():
        for largest in map(int, arguments.weights.split(",")):
            cells = []
            is_over = False
            for length in lengths:
                texts = [row(length, largest, number) for number in range(arguments.rows)]
                count = 0 if is_over else certified(scheme, texts, arguments.time_limit)
                cells.append("-" if is_over else f"{count}/{len(texts)}")
                is_over = is_over or not count
            print(f"| `{scheme}` | {largest} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
