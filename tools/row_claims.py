"""What the campaign `results/reference/constraints` says about two claims.

    python tools/row_claims.py RECORDS

RECORDS are its records. Three tables:

- by scheme, how much longer it takes with the literals of each row in another order;
- by scheme, how much longer it takes than `totalizer`, with the same solver;
- by k/n, how much longer solvers that count themselves take than the best combination with clauses.

Ratios are Hodges-Lehmann estimates over files, with the 95 % interval of the signed rank test. An
unsolved run counts as twice the limit.
"""

from collections.abc import Iterator
from math import inf
from pathlib import Path

import polars as pl
from arguments import paths

import nqbench
from nqbench.records.derived import K_SHARE, SHARES, with_derived
from nqbench.summary.paired import Pair, decide, typical_ratios

ORDERS = ("occurrence", "proximity", "random")
SOLVERS = ("cadical195", "minisat22")
"""Those that re-ordered rows were measured with."""

BASE = "totalizer"

COST = pl.when(outcome="finished").then("solve_s").otherwise(2 * pl.col("time_limit_s"))
PAIR = pl.concat_str("encoding", pl.lit(" x "), "backend")
NATIVE = pl.col("encoding") == "native"
RE_ORDERED = pl.col("encoding").str.contains("order=")


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


def by_scheme(records: pl.DataFrame) -> Iterator[tuple[str, str, pl.Series]]:
    """Yield scheme and answer, and the logarithms of the ratios to `BASE`, of schemes that can
    state every row.
    """
    given = records.filter(~RE_ORDERED & ~NATIVE & pl.col("backend").is_in(SOLVERS))
    is_whole = (pl.col("outcome") != "invalid").all().over("encoding")
    both = given.filter(encoding=BASE).join(
        given.filter(is_whole), on=["instance", "backend"], suffix="_other"
    )
    ratios = (
        both.with_columns(log=(pl.col("cost_other") / pl.col("cost")).log())
        .group_by("encoding_other", "instance", "answer_known")
        .agg(pl.col("log").mean())
    )
    for scheme in ratios["encoding_other"].unique().sort():
        for answer in ("sat", "unsat"):
            if scheme != BASE:
                chosen = ratios.filter(encoding_other=scheme, answer_known=answer)
                yield scheme, answer, chosen["log"]


def by_share(records: pl.DataFrame) -> Iterator[tuple[str, str, str, str, pl.Series]]:
    """Yield a class of k/n, the answer, both combinations, and the logarithms of the ratios of
    their times.

    Each combination is the best of its kind over all files, by the mean cost.
    """
    native = best(records.filter(NATIVE))
    clauses = best(records.filter(~NATIVE & ~RE_ORDERED))
    both = records.filter(pair=native).join(
        records.filter(pair=clauses), on="instance", suffix="_clauses"
    )
    ratios = both.with_columns(log=(pl.col("cost") / pl.col("cost_clauses")).log())
    for share in SHARES:
        for answer in ("sat", "unsat"):
            chosen = ratios.filter(pl.col(K_SHARE) == share, answer_known=answer)
            yield share, answer, native, clauses, chosen["log"]


def best(records: pl.DataFrame) -> str:
    """The combination with the least mean cost."""
    means = records.group_by("pair").agg(pl.col("cost").mean()).sort("cost", "pair")
    return str(means["pair"][0])


def ratio(logs: pl.Series) -> str:
    """The centre of the ratios, their interval, and in how many files the first is faster."""
    if logs.is_empty():
        return "no file |"
    pair = Pair(logs.to_numpy())
    critical = decide([pair], len(logs)).critical
    (center,), (low,), (high,) = typical_ratios([pair], len(logs), critical)
    interval = f" ({low:.2f} to {high:.2f})" if low > 0 and high < inf else ""
    return f"{center:.2f}{interval} | {(logs < 0).sum()}/{len(logs)}"


def main(path: Path) -> None:
    """Print the tables."""
    records = with_derived(nqbench.read(path), [K_SHARE]).with_columns(
        cost=COST,
        pair=PAIR,
        answer_known=pl.col("instance").str.extract(r"/(sat|unsat)-"),
    )
    for title, rows in (
        ("| scheme | order | answer | ratio to the given order | faster in |", by_order(records)),
        (f"| scheme | answer | ratio to {BASE} | faster in |", by_scheme(records)),
        (
            "| k/n | answer | native | clauses | ratio of native | faster in |",
            by_share(records),
        ),
    ):
        print(title, "| --- " * (title.count("|") - 1) + "|", sep="\n")
        for *words, logs in rows:
            print(f"| {' | '.join(words)} | {ratio(logs)} |")
        print()


if __name__ == "__main__":
    main(*paths(__doc__, "RECORDS"))
