"""Whether a solver was compiled in a way that makes its times worthless."""

from collections.abc import Iterator

import polars as pl

from nqbench import summary


def unoptimised(records: pl.DataFrame) -> Iterator[str]:
    """Which solvers were compiled without optimisation, in one sentence."""
    found = summary.unoptimised(records)
    if found:
        whose = ", ".join(f"{name} ({build})" for name, build in found.items())
        yield (f"Times are longer than they need be for {whose}; `nqbench doctor` says more.")
