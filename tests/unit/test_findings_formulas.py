"""Findings about formulas that are alike, and about what a user pays, of records made by hand and
of the main job.
"""

import polars as pl
import pytest
from made_records import campaign, facts, one_fact, times
from places import REFERENCE
from worded_facts import of

import nqbench as package
from nqbench import summary
from nqbench.encodings.base import Encoding
from nqbench.problems.queens import Queens
from nqbench.summary.formulas import alike

MAIN_JOB = REFERENCE / "main-job" / "records.csv"


def test_the_first_sentence_says_of_which_boards_it_is():
    more = campaign(a=times(1), b=times(2)).filter((pl.col("backend") == "a") | (pl.col("n") < 14))
    par2 = one_fact(more, "lead").found.phrases.par2
    assert [number in par2 for number in ("10 of 12", "boards")] == [True, True]


@pytest.mark.parametrize(("digest", "kind"), [("other", "same_sizes"), ("d", "same_formulas")])
def test_no_boards_are_asked_for_to_distinguish_a_formula_from_itself(digest, kind):
    """The other encoding is faster on half of the boards: nothing is decided."""
    base = times(1)
    mixed = [t * (1.01 if i % 2 else 0.98) for i, t in enumerate(base)]
    records = pl.concat([of("e", a=base), of("f", digest=digest, a=mixed)])
    asking = (kind, "no_difference")
    assert [fact.kind for fact in facts(records, *asking)] == [kind]
    larger = pl.concat([of("e", a=base), of("f", fewer=1, digest=digest, a=mixed)])
    # Another solver on the same formulas is a question that boards can answer.
    solvers = pl.concat([of("e", a=base), of("f", digest=digest, b=mixed)])
    for others in (larger, solvers):
        assert [fact.kind for fact in facts(others, *asking)] == ["no_difference"]


def test_encodings_are_alike_if_all_sizes_are_equal_on_every_board():
    records = pl.concat(
        [
            of("whole", a=times(1)),
            of("same", a=times(1)),
            of("shuffled", digest="other", a=times(1)),
            of("n fewer", a=times(1)).with_columns(clauses=9 * pl.col("n")),
            of("one fewer", fewer=1, a=times(1)),
            of("once", a=times(1)).with_columns(
                clauses=pl.col("clauses") + (pl.col("n") == 15).cast(pl.Int64)
            ),
        ]
    )
    found = {group.encodings: group for group in alike(records)}
    assert set(found) == {
        ("same", "shuffled", "whole"), ("n fewer",), ("one fewer",), ("once",)
    }  # fmt: skip
    group = found["same", "shuffled", "whole"]
    assert (group.same, group.less) == (False, ("n fewer",))
    same = alike(records.filter(pl.col("encoding").is_in(["same", "whole"])))
    assert [(group.encodings, group.same) for group in same] == [(("same", "whole"), True)]
    assert one_fact(records, "alike_formulas").group == group
    few = records.filter(pl.col("n") < 6)
    assert {group.encodings for group in alike(few)} >= {("once", "same", "whole"), ("shuffled",)}
    unknown = alike(records.with_columns(instance_digest=pl.lit(None, pl.String)))
    assert ("same", "shuffled", "whole") in {each.encodings for each in unknown if not each.same}
    assert not alike(campaign(a=[1]).with_columns(clauses=None))


def test_the_main_job_explains_itself():
    """As the formulas themselves show."""
    records = package.read(MAIN_JOB)
    sets = {
        name: {frozenset(clause) for clause in Encoding.named(name).clauses(Queens(8)).clauses()}
        for name in ("pairwise", "pyeda-onehot", "alo-row")
    }
    assert sets["pairwise"] == sets["pyeda-onehot"]
    assert len(sets["pairwise"] - sets["alo-row"]) == 8
    assert sets["alo-row"] < sets["pairwise"]
    (group,) = (f.group for f in facts(records, "alike_formulas") if f.group.less)
    assert (group.encodings, group.less) == (("pairwise", "pyeda-onehot"), ("alo-row",))
    best = summary.overview(records).row(0, named=True)
    assert (best["encoding"], best["backend"]) == ("pairwise", "minisat22")
    assert one_fact(records, "same_sizes").names == ["pyeda-onehot x minisat22"]


def test_formulas_without_a_constraint_are_named():
    """Of eight formulas, a scheme changed six; a shuffled one is another formula, not a scheme."""
    kept = of("file", a=[1.0] * 8)
    digests = kept["instance_digest"].to_list()
    rewritten = kept.with_columns(
        encoding=pl.lit("product"),
        instance_digest=pl.Series(digests[:2] + [f"new {each}" for each in digests[2:]]),
    )
    shuffled = of("file:shuffle=1", digest="s", a=[1.0] * 8)
    changed = rewritten.filter(pl.col("instance_digest").str.starts_with("new"))

    def said(*parts):
        return [(f.names, f.every) for f in facts(pl.concat(parts), "left_as_they_are")]

    assert said(kept, rewritten, shuffled) == [(["queens n=4", "queens n=5"], 8)]
    assert said(kept, shuffled) == said(kept, changed) == []
