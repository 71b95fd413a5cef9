"""What the campaign `results/reference/weights` says about encodings of rows with weights.

    python tools/weighted_claims.py RECORDS FOLDER

RECORDS are its records, FOLDER its files. Two tables:

- by scheme, how much longer it takes than `watchdog` with the same solver, as a Hodges-Lehmann
  estimate over files with the 95 % interval of the signed rank test; an unsolved run counts as
  twice the limit;
- by the length and the largest weight of the longest weighted row of a file, how many answers
  `unsat` there are, and how many of them were verified.
"""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import polars as pl
from arguments import paths
from row_claims import COST, NATIVE, ratio

import nqbench

BASE = "watchdog"
LENGTHS = (20, 40, 80)
WEIGHTS = (20, 100)


def by_scheme(records: pl.DataFrame) -> Iterator[tuple[str, pl.Series]]:
    """Yield each scheme, and the logarithms of the ratios to `BASE`."""
    clauses = records.filter(~NATIVE)
    both = clauses.filter(encoding=BASE).join(clauses, on=["instance", "backend"], suffix="_other")
    ratios = both.with_columns(log=(pl.col("cost_other") / pl.col("cost")).log())
    for scheme in ratios["encoding_other"].unique().sort():
        if scheme != BASE:
            yield scheme, ratios.filter(encoding_other=scheme)["log"]


def by_size(records: pl.DataFrame, folder: Path) -> Iterator[tuple[str, str, str, int, int]]:
    """Yield a class of lengths and one of weights, whether solvers took clauses, and the numbers of
    answers `unsat` and of verified ones.
    """
    sizes = {file.instance: _largest(file) for file in nqbench.formulas(folder)}
    counts: defaultdict[tuple[int, int, bool], list[int]] = defaultdict(lambda: [0, 0])
    for instance, encoding, verdict in (
        records.filter(answer="unsat").select("instance", "encoding", "verdict").iter_rows()
    ):
        length, weight = sizes[instance.partition("/")[2] if instance not in sizes else instance]
        key = _class(length, LENGTHS), _class(weight, WEIGHTS), encoding != "native"
        counts[key][0] += 1
        counts[key][1] += verdict == "verified"
    for (length, weight, is_clauses), (answers, verified) in sorted(counts.items()):
        how = "clauses" if is_clauses else "rows"
        yield _name(length, LENGTHS), _name(weight, WEIGHTS), how, answers, verified


def _largest(file: nqbench.Formula) -> tuple[int, int]:
    """The length of the longest weighted row, and the largest weight of those that are so long."""
    rows = file.constraints().weighted
    length = max((each.length for each in rows), default=0)
    weights = (int(each.weights.max()) for each in rows if each.length == length)
    return length, max(weights, default=1)


def _class(value: int, limits: tuple[int, ...]) -> int:
    return next((at for at, limit in enumerate(limits) if value <= limit), len(limits))


def _name(at: int, limits: tuple[int, ...]) -> str:
    return f"over {limits[-1]}" if at == len(limits) else f"to {limits[at]}"


def main(path: Path, folder: Path) -> None:
    """Print the tables."""
    records = nqbench.read(path).with_columns(cost=COST)
    print(f"| scheme | ratio to {BASE} | faster in |", "| --- | --- | --- |", sep="\n")
    for scheme, logs in by_scheme(records):
        print(f"| {scheme} | {ratio(logs)} |")
    print()
    print("| length | weights | solver takes | `unsat` | verified |")
    print("| --- | --- | --- | --- | --- |")
    for cells in by_size(records, folder):
        print(f"| {' | '.join(map(str, cells))} |")


if __name__ == "__main__":
    main(*paths(__doc__, "RECORDS", "FOLDER"))
