"""Prints how a campaign ended, and warnings."""

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from nqbench.cli.options.results_folder import check_command
from nqbench.cli.printing.sentences import echo_status
from nqbench.common.printable import without_numbers
from nqbench.common.units import counted
from nqbench.common.vocabulary import WHILE_ENCODING
from nqbench.problems.base import title
from nqbench.records.measures import UNREAD

if TYPE_CHECKING:
    import polars as pl


def tell_shadowed() -> None:
    """Print why the compiled modules of the installed nqbench are not used, if that is so."""
    from nqbench.common.machine.installation import why_shadowed

    if why := why_shadowed():
        echo_status(f"nqbench: {why}")


def tell_unread(records: "pl.DataFrame") -> None:
    """Print which measures could not be read, and in how many runs; and which the output of no run
    contains, which is often a mistake in the expression.
    """
    import polars as pl

    from nqbench.records.frame import measures_of
    from nqbench.summary.observed import POSSIBLE

    unread = records["message"].str.extract_all(UNREAD).explode().drop_nulls()
    for why, count in unread.value_counts(sort=True).head(10).iter_rows():
        echo_status(f"nqbench: {why} ({counted(count, 'run')})")
    ran = records.filter(POSSIBLE & (pl.col("outcome") != "skipped"))
    for name in measures_of(ran):
        is_told = any(f"'{name}'" in why for why in unread)
        if len(ran) and ran[name].is_null().all() and not is_told:
            runs = "the run" if len(ran) == 1 else f"any of the {len(ran)} runs"
            echo_status(f"nqbench: measure '{name}' is not in the output of {runs}")


def tell_unchecked(records: "pl.DataFrame", results: Path) -> None:
    """Print how many answers are unchecked, and what checks them."""
    from nqbench.summary.observed import UNCHECKED

    if number := len(records.filter(UNCHECKED)):
        answers = "1 answer is unchecked" if number == 1 else f"{number} answers are unchecked"
        echo_status(f"{answers}: `{check_command(results)}` checks them")


def tell_never_ran(
    records: "pl.DataFrame", encodings: Collection[str], backends: Collection[str]
) -> int:
    """Print which of these encodings and backends could not run, and why. Return 1 if there are
    any, the exit status, and otherwise 0.
    """
    from nqbench.summary import never_ran

    reasons = never_ran(records, encodings, backends)
    for name, reason in reasons.items():
        echo_status(f"nqbench: {name} could not run: {reason}")
    return 1 if reasons else 0


def exit_status(records: "pl.DataFrame") -> int:
    """Print refuted answers, crashes, contradicting answers and invalid files. Return 1 if there
    are any.
    """
    import polars as pl

    from nqbench.summary import disagreements

    invalid = records.filter(outcome="invalid").unique("message").sort("instance")
    for row in invalid.head(10).iter_rows(named=True):
        echo_status(f"nqbench: bad input: {row['message']}")
    bad = records.filter((pl.col("verdict") == "refuted") | (pl.col("outcome") == "crashed"))
    # The backend does not matter to a mistake of an encoding, nor do numbers in its message, such
    # as the size of a line.
    is_of_encoding = pl.col("message").str.starts_with(WHILE_ENCODING)
    message = pl.col("message").map_elements(without_numbers, return_dtype=pl.String)
    same = {
        "same_backend": pl.when(~is_of_encoding).then("backend"),
        "same_message": pl.when(is_of_encoding).then(message).otherwise("message"),
    }
    groups = bad.group_by("verdict", "encoding", maintain_order=True, **same).agg(
        pl.first("family", "n", "instance", "backend", "message"),
        runs=pl.len(),
        backends=pl.n_unique("backend"),
    )
    for row in groups.head(10).iter_rows(named=True):
        fault = "wrong answer" if row["verdict"] == "refuted" else "crash"
        problem = title(row["family"], row["n"], row["instance"])
        where = f"{problem} {row['encoding']} {row['backend']}"
        with_all = f", with {row['backends']} backends" if row["backends"] > 1 else ""
        more = f" (and in {counted(row['runs'] - 1, 'more run')}{with_all})"
        more = more if row["runs"] > 1 else ""
        echo_status(f"nqbench: {fault}: {where}: {row['message']}{more}")
    if len(groups) > 10:
        echo_status(f"nqbench: and {groups['runs'][10:].sum()} more")
    disputed = disagreements(records)
    for row in disputed.head(10).iter_rows(named=True):
        problem = title(row["family"], row["n"], row["instance"])
        by = ", ".join(row["by"][:4]) + (" and others" if len(row["by"]) > 4 else "")
        echo_status(f"nqbench: disagreement: {problem}: {row['said']} according to {by}")
    return 1 if len(bad) or len(disputed) or len(invalid) else 0
