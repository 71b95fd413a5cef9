"""At-most-one schemes compared with the formulas as they are, on records made by hand."""

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from made_records import LIMIT, campaign, facts, one_fact
from places import REFERENCE
from scipy.stats import wilcoxon

from nqbench import summary
from nqbench.cli.app import app
from nqbench.show.report.contents import Unit
from nqbench.show.report.tables import scheme_table as reported

KEPT = [0.01 * 2**i for i in range(8)]


def of(encoding, digest, instances="php {}", **seconds):
    """Formulas in this scheme, one for each time of a backend."""
    return campaign(**seconds).with_columns(
        encoding=pl.lit(encoding),
        family=pl.lit("cnfgen"),
        instance=pl.format(instances, pl.col("n")),
        n=pl.lit(None, pl.Int64),
        instance_digest=pl.format("{}{}", pl.lit(digest), "n"),
    )


def times(factor):
    return [factor * seconds for seconds in KEPT]


def row_of(*records):
    """The only row of the table of schemes."""
    (row,) = summary.schemes(pl.concat(records)).to_dicts()
    return row


def test_a_ratio_is_the_mean_over_the_backends_of_each_formula():
    """A quarter of the time with one solver and all of it with another: the square root."""
    row = row_of(of("file", "d", a=KEPT, b=KEPT), of("product", "p", a=times(0.25), b=KEPT))
    assert (row["encoding"], row["formulas"], row["changed"], row["runs"]) == ("product", 8, 8, 16)
    found = row["typical_ratio"], row["low"], row["high"]
    assert found == pytest.approx((0.5, 0.5, 0.5), rel=1e-6)
    assert row["mean_ratio"] == pytest.approx((0.25 + 1) / 2)
    # One of all ways to choose the signs of the formulas, and its opposite.
    assert row["p"] == pytest.approx(2 / 2**8)
    assert (row["faster"], row["slower"], row["equal"]) == (8, 0, 8)
    assert (row["solved"], row["solved_as_it_is"]) == (16, 16)


def test_an_unsolved_run_costs_twice_the_limit():
    row = row_of(of("file", "d", a=[None]), of("product", "p", a=[LIMIT]))
    assert row["mean_ratio"] == pytest.approx(0.5)
    assert row["typical_ratio"] is None
    assert (row["solved"], row["solved_as_it_is"], row["only_in_it"]) == (1, 0, 1)
    assert row["low"] is row["high"] is None  # one formula shows nothing


def test_p_is_that_of_scipy_and_for_all_schemes_together():
    factors = [0.5, 1.1, 0.7, 0.8, 0.6, 1.2, 0.9, 0.3]
    mixed = [seconds * factor for seconds, factor in zip(KEPT, factors, strict=True)]
    kept, product = of("file", "d", a=KEPT), of("product", "p", a=mixed)
    alone = row_of(kept, product)["p"]
    assert alone == pytest.approx(wilcoxon(np.log(factors)).pvalue)
    three = pl.concat([kept, product, of("ladder", "l", a=mixed), of("native", "n", a=mixed)])
    # What is the same in all schemes is one comparison.
    assert summary.schemes(three)["p"].to_list() == pytest.approx([alone] * 3)
    other = pl.concat([kept, product, of("ladder", "l", a=mixed[::-1])])
    assert summary.schemes(other)["p"].min() >= alone


def test_a_solver_that_did_not_solve_the_formula_as_it_is_does_not_count():
    """Only `native` ran with b, so there is nothing to compare it with."""
    records = pl.concat([of("file", "d", a=KEPT), of("native", "n", b=KEPT)])
    assert summary.schemes(records).is_empty()


def test_formulas_without_a_constraint_count_but_are_not_changed():
    row = row_of(of("file", "d", a=KEPT), of("product", "d", a=times(1.1)))
    assert (row["formulas"], row["changed"]) == (8, 0)
    assert row["typical_ratio"] == pytest.approx(1.1)


CONTROLLED = pl.concat(
    [
        of("file", "d", a=KEPT),
        of("product", "p", a=times(0.5)),
        of("file:shuffle=1", "s", a=times(0.9)),
    ]
)


def test_the_control_is_beside_the_best_scheme_in_the_findings():
    fact = one_fact(CONTROLLED, "best_scheme")
    assert (fact.known, fact.best["encoding"], fact.best["formulas"]) == (
        "satisfiable",
        "product",
        8,
    )
    ratios = [fact.best["typical_ratio"], fact.best["mean_ratio"], fact.control[0]["typical_ratio"]]
    assert ratios == pytest.approx([0.5, 0.5, 0.9])
    slower = CONTROLLED.filter(pl.col("encoding") != "product")
    slower = pl.concat([slower, of("product", "p", a=times(2))])
    best = one_fact(slower, "best_scheme").best
    assert (best["typical_ratio"], best["slower"], best["runs"]) == (pytest.approx(2), 8, 8)
    mixed = [s * (1.1 if i % 2 else 0.8) for i, s in enumerate(KEPT)]
    undecided = pl.concat([of("file", "d", a=KEPT), of("product", "p", a=mixed)])
    best = one_fact(undecided, "best_scheme").best
    assert (best["encoding"], best["p"] >= 0.05) == ("product", True)


def test_unsatisfiable_formulas_are_apart_in_findings_and_report():
    unsat = CONTROLLED.with_columns(
        answer=pl.lit("unsat"), instance=pl.format("{} --onto", "instance")
    )
    both = pl.concat([CONTROLLED, unsat])
    found = [(fact.known, fact.best["formulas"]) for fact in facts(both, "best_scheme")]
    assert found == [("satisfiable", 8), ("unsatisfiable", 8)]
    rows = reported(both, Unit("ms", 1e-3)).of_all
    assert [(row["answer"], row["scheme"], row["typical_ratio"]) for row in rows] == [
        (answer, scheme, ratio)
        for answer in ("sat", "unsat")
        for scheme, ratio in (("product", "0.500"), ("file:shuffle=1", "0.900"))
    ]


def test_a_scheme_that_takes_thousands_of_times_as_long_has_a_ratio_in_full_on_the_page():
    slow = CONTROLLED.with_columns(
        time_limit_s=1e6,
        solve_s=pl.when(encoding="product").then(4000 * pl.col("solve_s")).otherwise("solve_s"),
    )
    ratios = {
        row["scheme"]: row["typical_ratio"] for row in reported(slow, Unit("ms", 1e-3)).of_all
    }
    assert ratios["product"] == "2000"


def test_families_of_formulas_are_names_of_cnfgen_and_folders():
    """What has neither is of its family."""
    named = pl.concat(
        [
            of("file", "d", a=KEPT[:1]),
            of("file", "d", "op {}", a=KEPT[:1]),
            *(
                of("file", "d", text, a=KEPT[:1]).with_columns(family=pl.lit("cnf"))
                for text in ("tables/small/{}.cnf", "{}.cnf")
            ),
            campaign(a=KEPT[:1]),
        ]
    )
    found = [each.values["formula_family"] for each in summary.groups(named, ["formula_family"])]
    assert found == ["cnf", "op", "php", "queens", "tables/small"]


def test_the_table_is_printed_of_a_campaign():
    records = REFERENCE / "re-encoding" / "records.csv"
    asked = ["summary", "--results", str(records), "--where", "family = 'cnfgen'", "--schemes"]
    done = CliRunner().invoke(app, [*asked, "--by", "known_answer"])
    rows = [line.split() for line in done.output.splitlines() if " product " in line]
    read = pl.read_csv(records, infer_schema_length=None)
    verified = read.filter(verdict="verified", family="cnfgen")
    for row, answer in zip(rows, ("sat", "unsat"), strict=True):
        of_answer = verified.filter(pl.col("answer") == answer)
        # Two names of one formula are one formula.
        formulas = of_answer["problem_digest"].n_unique()
        solved = dict(
            of_answer.unique(["encoding", "backend", "problem_digest"])
            .group_by("encoding")
            .len()
            .iter_rows()
        )
        assert row[:2] == [answer, "product"]
        told = [int(row[place]) for place in (2, 4, 5, 6)]
        assert told == [formulas, 4 * formulas, solved["product"], solved["file"]]
    alone = [*asked[:4], "encoding = 'product'", "--schemes"]
    nothing = CliRunner().invoke(app, alone)
    assert "measure with --amo" in nothing.output
