"""Attack the checker of proofs about rows with mutants, as many as you like.

    python tools/row_proof_mutants.py 30000 --seed 1

Each seed has other files. `tests/hostile/test_row_proofs.py` runs a few of the same.
"""

import argparse
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))

from row_proofs import broken_invariant, random_opb, try_mutants


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("count", type=int, help="mutants, and random derivations")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    draw = random.Random(arguments.seed)
    tried, accepted, wrong = try_mutants(draw, arguments.count)
    print(f"{tried} mutants of proofs and files, {accepted} accepted, {len(wrong)} wrongly")
    for rows, lines in wrong:
        print(rows, b"".join(lines).decode(errors="replace"), sep="\n")
    broken = 0
    for _ in range(arguments.count):
        text = random_opb(draw, 4)
        if line := broken_invariant(draw, text):
            broken += 1
            print(text.decode(), line, sep="\n")
    print(f"{arguments.count} random derivations, {broken} with a line that does not follow")
    return 1 if wrong or broken else 0


if __name__ == "__main__":
    sys.exit(main())
