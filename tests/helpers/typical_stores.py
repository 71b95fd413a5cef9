"""Records of twelve kinds that users have, made up. What `nqbench summary --findings` prints of
them is in `tests/data/summaries.txt`, for a person to read. To write it again:

    python tests/helpers/typical_stores.py
"""

import os
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

import numpy as np
import polars as pl
from made_records import DONE, LATE, LIMIT, table
from places import ROOT

from nqbench.cli.commands.summary import print_tables
from nqbench.common import metrics
from nqbench.show.tables.kind import OVERVIEW, Asked
from nqbench.show.tables.kinds import KINDS
from nqbench.summary import Measured

GOLDEN = ROOT / "tests" / "data" / "summaries.txt"

COMBINATIONS = {
    ("pairwise", "minisat22"): 1.0,
    ("product", "minisat22"): 1.3,
    ("sequential", "cadical195"): 4.0,
}
FILES = {("file", "minisat22"): 1.0, ("file", "glucose4"): 1.15, ("file", "cadical195"): 4.0}
TWO = {("pairwise", "minisat22"): 1.0, ("pairwise", "cadical195"): 2.5}


def runs(seed, problems, combinations=COMBINATIONS, spread=0.5, hardness=0.05):
    """One run of each combination on each problem, n = 4 and more. Times over the limit are
    unsolved.
    """
    random = np.random.default_rng(seed)
    base = hardness * random.lognormal(0, 1.5, problems)
    tables = []
    for (encoding, backend), factor in combinations.items():
        times = factor * base * random.lognormal(0, spread, problems)
        rows = [(n, DONE if s < LIMIT else LATE, s if s < LIMIT else None)
                for n, s in enumerate(times.tolist(), 4)]  # fmt: skip
        tables.append(
            table(*rows).with_columns(
                encoding=pl.lit(encoding),
                backend=pl.lit(backend),
                run_id=pl.format(f"{encoding} {backend} {{}}", "n"),
                encode_s=pl.lit(0.002),
                load_s=pl.lit(0.001),
                checked_by=pl.lit("board"),
                clauses=pl.col("n") ** 2 * {"pairwise": 5, "product": 4}.get(encoding, 3),
            )
        )
    return pl.concat(tables)


def as_formulas(records, name="f{}.cnf"):
    """The same runs on files with these names."""
    return records.with_columns(
        family=pl.lit("cnf"),
        instance=pl.format(name, "n") if "{}" in name else pl.lit(name),
        n=pl.lit(None, pl.Int64),
        clauses=pl.lit(900, pl.Int64),
        variables=pl.lit(200, pl.Int64),
        literals=pl.lit(1800, pl.Int64),
        checked_by=pl.lit("clauses"),
    )


def one_formula():
    return as_formulas(runs(1, 1, FILES))


def two_solvers():
    return runs(2, 27, TWO)


def folders():
    """Forty formulas in three folders."""
    names = [f"{('bmc', 'planning', 'random')[i % 3]}/f{i}.cnf" for i in range(40)]
    return as_formulas(runs(3, 40, FILES)).with_columns(instance=pl.Series(names * len(FILES)))


def machines():
    """The same boards on three machines, of which one is half as fast."""
    return pl.concat(
        runs(4, 20).with_columns(
            machine=pl.lit(f"machine {number}"),
            solve_s=pl.col("solve_s") * factor,
            run_id=pl.format("{} {}", "run_id", pl.lit(number)),
        )
        for number, factor in enumerate((1, 1.1, 2))
    )


def seeds():
    """Five solver seeds, with other clauses' orders, of twenty-four boards."""
    return pl.concat(
        runs(5, 24).with_columns(
            seed=pl.lit(seed),
            shuffle=pl.lit(seed),
            repeat=pl.lit(seed),
            solve_s=pl.col("solve_s")
            * pl.Series(np.random.default_rng(seed).lognormal(0, 0.4, 24 * len(COMBINATIONS))),
            run_id=pl.format("{} {}", "run_id", pl.lit(seed)),
        )
        for seed in range(1, 6)
    ).with_columns(
        outcome=pl.when(pl.col("solve_s") >= LIMIT).then(pl.lit("timeout")).otherwise("outcome")
    )


def one_n():
    """Three repeats of one board."""
    return pl.concat(
        runs(6, 1).with_columns(
            n=pl.lit(20, pl.Int64),
            repeat=pl.lit(repeat),
            run_id=pl.format("{} {}", "run_id", pl.lit(repeat)),
        )
        for repeat in range(3)
    )


def nothing_solved():
    return runs(7, 12, hardness=1e5)


def imported():
    """As `nqbench import` reads the results of another program."""
    return as_formulas(runs(8, 60, FILES)).with_columns(
        imported_from=pl.lit("runs.csv"),
        verdict=pl.lit("unchecked"),
        checked_by=pl.lit(None, pl.String),
        answer=pl.when(outcome="finished").then(pl.lit("unstated")),
        machine=pl.lit("the machine of runs.csv"),
        load_s=pl.lit(None, pl.Float64),
        encode_s=pl.lit(None, pl.Float64),
    )


def race():
    """A race whose leader is measured in full; others are stopped once they take longer."""
    records = runs(9, 24, spread=0.3)
    leader = (pl.col("backend") == "minisat22") & (pl.col("encoding") == "pairwise")
    own = pl.col("solve_s").filter(leader).first().over("n")
    is_capped = ~leader & (pl.col("solve_s").fill_null(LIMIT) > 2 * own.fill_null(LIMIT))
    return records.with_columns(
        outcome=pl.when(is_capped).then(pl.lit("capped")).otherwise("outcome"),
        answer=pl.when(~is_capped).then("answer"),
        solve_at_least_s=pl.when(is_capped).then(2 * own),
        cap_s=pl.when(is_capped).then(2 * own),
        solve_s=pl.when(~is_capped).then("solve_s"),
    )


def shuffles():
    """Forty shuffles of one formula."""
    records = runs(10, 40, FILES)
    return as_formulas(records, "f.cnf").with_columns(
        shuffle=records["n"], solve_s=records["solve_s"]
    )


def capped():
    """All but three boards of each combination were stopped."""
    records = race()
    is_late = (pl.col("n") > 6) & (pl.col("outcome") != "timeout")
    bound = pl.coalesce("solve_s", "solve_at_least_s")
    return records.with_columns(
        outcome=pl.when(is_late).then(pl.lit("capped")).otherwise("outcome"),
        answer=pl.when(~is_late).then("answer"),
        cap_s=pl.when(is_late).then(bound).otherwise("cap_s"),
        solve_at_least_s=pl.when(is_late).then(bound).otherwise("solve_at_least_s"),
        solve_s=pl.when(~is_late).then("solve_s"),
    )


def two_units():
    """Boards of two families, one of which takes milliseconds and the other seconds."""
    slow = runs(11, 12, hardness=0.8).with_columns(
        family=pl.lit("latin"), checked_by=pl.lit("rules")
    )
    return pl.concat([runs(12, 12, hardness=0.0004), slow])


STORES: Mapping[str, Callable[[], pl.DataFrame]] = {
    "one formula": one_formula,
    "two solvers": two_solvers,
    "forty formulas in three folders": folders,
    "three machines": machines,
    "five seeds": seeds,
    "one n": one_n,
    "nothing solved": nothing_solved,
    "imported": imported,
    "a race": race,
    "shuffles of one formula": shuffles,
    "capped runs": capped,
    "milliseconds and seconds": two_units,
}


def printed(name):
    """What `nqbench summary --findings` prints of such a store on a terminal of 80 columns."""
    text = StringIO()
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "80"
    try:
        with redirect_stdout(text), redirect_stderr(StringIO()):
            asked = Asked(Measured(STORES[name]().rechunk()), metrics.USUAL)
            print_tables(KINDS[OVERVIEW], asked, {}, is_whole=True)
    finally:
        os.environ.pop("COLUMNS") if before is None else os.environ.update(COLUMNS=before)
    return text.getvalue().rstrip()


def summaries():
    """The same of all, below their names."""
    return "\n\n\n".join(f"## {name}\n\n{printed(name)}" for name in STORES) + "\n"


if __name__ == "__main__":
    GOLDEN.write_text(summaries())
