"""A million records: to import them, to summarise and report them, and to go on with a campaign.

tox -e bench -- --on-request benchmarks/test_million.py
"""

import numpy as np
import polars as pl
import pytest

SOLVERS = 10
LIMIT_S = 5000


@pytest.fixture
def took(figure, cost):
    """Report how long a command takes, and its memory; return what it printed."""

    def report(name, *words):
        found = cost(*words)
        figure(f"million/{name}/time", found.seconds, "s")
        figure(f"million/{name}/memory", found.peak, "bytes")
        print(f"\n{name}: {found.seconds:.1f} s, {found.peak / 2**20:.0f} MiB")
        return found.printed

    return report


def write(path, formulas):
    """The times of ten solvers on formulas, half of them satisfiable."""
    random = np.random.default_rng(0)
    hardness = random.lognormal(2, 3, formulas)
    answers = np.where(np.arange(formulas) % 2, "sat", "unsat")
    tables = []
    for solver in range(SOLVERS):
        times = hardness * random.lognormal(solver / 10, 1, formulas)
        tables.append(
            pl.DataFrame(
                {
                    "instance": [f"formula-{number:06d}.cnf" for number in range(formulas)],
                    "backend": f"solver{solver}",
                    "solve_s": np.minimum(times, LIMIT_S),
                    "answer": np.where(times < LIMIT_S, answers, ""),
                }
            )
        )
    pl.concat(tables).write_csv(path)


@pytest.mark.on_request
def test_a_million_records(figure, took, tmp_path, scaled):
    results = ("--results", tmp_path / "results")
    write(tmp_path / "times.csv", scaled(100_000, 20))
    took("import", "import", tmp_path / "times.csv", *results, "--time-limit", f"{LIMIT_S}s")
    took("export", "export", *results, "--format", "csv", "--output", tmp_path / "all.csv")
    from_store = took("summary-of-store", "summary", *results)
    from_file = took("summary-of-export", "summary", "--results", tmp_path / "all.csv")
    hints = "more: ", "why: "  # commands that name the results
    assert [line for line in from_store.splitlines() if not line.startswith(hints)] == [
        line for line in from_file.splitlines() if not line.startswith(hints)
    ]
    took("report", "report", *results, "--output", tmp_path / "page.html")
    figure("million/page", (tmp_path / "page.html").stat().st_size, "bytes")
    one = ("--n", "4", "--encoding", "pairwise", "--backend", "minisat22", "--repeat", "1")
    took("go-on", "run", *one, "--no-plots", *results)
