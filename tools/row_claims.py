"""What the campaign `results/reference/constraints` says about two claims.

    python tools/row_claims.py RECORDS FOLDER

RECORDS are its records, and FOLDER has the files that `tools/row_corpus.py` writes. Two tables:

- by scheme, how much longer it takes with the literals of each row in another order;
- by k/n, how much longer solvers that count themselves take than the best combination with clauses.

Ratios are Hodges-Lehmann estimates over files, with the 95 % interval of the signed rank test. An
unsolved run counts as twice the limit.
"""

import sys
from collections.abc import Iterator
from math import exp
from pathlib import Path

import polars as pl

import nqbench
from nqbench import formulas
from nqbench.clauses.constraints import Constraints, Formula
from nqbench.summary.intervals import hodges_lehmann, signed_rank_interval

ORDERS = ("occurrence", "proximity", "random")
SHARES = {0.05: "up to 0.05", 0.15: "0.05 to 0.15", 0.3: "0.15 to 0.3", 0.5: "0.3 to 0.5"}
"""The classes of k/n, by their upper ends."""

COST = pl.when(outcome="finished").then("solve_s").otherwise(2 * pl.col("time_limit_s"))
PAIR = pl.concat_str("encoding", pl.lit(" x "), "backend")
NATIVE = pl.col("encoding") == "native"
RE_ORDERED = pl.col("encoding").str.contains("order=")


def share_of(formula: Formula) -> float:
    """k/n of the longest row, in the direction in which k is smaller; of several, the largest."""
    rows = formula.rows if isinstance(formula, Constraints) else ()
    longest = max((each.length for each in rows), default=0)
    return max(
        (
            min(upper.most, upper.length - upper.most) / upper.length
            for each in rows
            for upper in each.upper()
            if upper.length == longest
        ),
        default=0.0,
    )


def by_order(records: pl.DataFrame) -> Iterator[tuple[str, str, str, pl.Series]]:
    """Yield scheme, order and answer, and the logarithms of the ratios to the order as given."""
    given = records.filter(~RE_ORDERED)
    for scheme in ("sequential", "totalizer"):
        for order in ORDERS:
            ordered = records.filter(encoding=f"{scheme}:order={order}")
            both = given.filter(encoding=scheme).join(
                ordered, on=["instance", "backend"], suffix="_ordered"
            )
            ratios = (
                both.with_columns(log=(pl.col("cost_ordered") / pl.col("cost")).log())
                .group_by("instance", "answer_known")
                .agg(pl.col("log").mean())
            )
            for answer in ("sat", "unsat"):
                yield scheme, order, answer, ratios.filter(answer_known=answer)["log"]


def by_share(records: pl.DataFrame) -> Iterator[tuple[str, str, str, pl.Series]]:
    """Yield a class of k/n, both combinations, and the logarithms of the ratios of their times.

    Each combination is the best of its kind over all files, by the mean cost.
    """
    native = best(records.filter(NATIVE))
    clauses = best(records.filter(~NATIVE & ~RE_ORDERED))
    both = records.filter(pair=native).join(
        records.filter(pair=clauses), on="instance", suffix="_clauses"
    )
    ratios = both.with_columns(log=(pl.col("cost") / pl.col("cost_clauses")).log())
    low = -1.0
    for high, share in SHARES.items():
        is_in = (pl.col("k/n") > low) & (pl.col("k/n") <= high)
        yield share, native, clauses, ratios.filter(is_in)["log"]
        low = high


def best(records: pl.DataFrame) -> str:
    """The combination with the least mean cost."""
    means = records.group_by("pair").agg(pl.col("cost").mean()).sort("cost", "pair")
    return str(means["pair"][0])


def ratio(logs: pl.Series) -> str:
    """The centre of the ratios, their interval, and in how many files the first is faster."""
    if logs.is_empty():
        return "no file |"
    low, high = signed_rank_interval(logs.to_numpy(), 0.05)
    interval = "" if low is None or high is None else f" ({exp(low):.2f} to {exp(high):.2f})"
    return f"{exp(hodges_lehmann(logs.to_numpy())):.2f}{interval} | {(logs < 0).sum()}/{len(logs)}"


def main(path: Path, folder: Path) -> None:
    """Print both tables."""
    files = formulas(folder)
    facts = pl.DataFrame(
        {
            "problem_digest": [file.digest for file in files],
            "k/n": [share_of(file.formula()) for file in files],
        }
    )
    records = (
        nqbench.read(path)
        .join(facts, on="problem_digest")
        .with_columns(
            cost=COST,
            pair=PAIR,
            answer_known=pl.col("instance").str.extract(r"/(sat|unsat)-"),
        )
    )
    print("| scheme | order | answer | ratio to the given order | faster in |")
    print("| --- " * 5 + "|")
    for *words, logs in by_order(records):
        print(f"| {' | '.join(words)} | {ratio(logs)} |")
    print("\n| k/n | native | clauses | ratio of native | faster in |")
    print("| --- " * 5 + "|")
    for *words, logs in by_share(records):
        print(f"| {' | '.join(words)} | {ratio(logs)} |")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python tools/row_claims.py RECORDS FOLDER")
    main(Path(sys.argv[1]), Path(sys.argv[2]))
