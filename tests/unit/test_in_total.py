"""What to use if encoding counts as well, and if the first is a shuffle."""

import polars as pl
import pytest
from made_records import campaign, encoded, times

from nqbench.common.vocabulary import unshuffled
from nqbench.show.use import Use
from nqbench.summary import Measured, overview
from nqbench.summary.in_total import in_total, notes

SLOW_TO_MAKE = encoded(2.0, minisat22=times(1))
"""It solves in less time than the other, and takes longer to encode."""

QUICK_TO_MAKE = encoded(0.001, minisat22=times(1.5))


def winner(records):
    measured = Measured(records)
    return Use.of_winner(measured, "solve_s", overview(measured).to_dicts())


def test_another_is_named_if_encoding_and_solving_take_longer_together():
    both = pl.concat([SLOW_TO_MAKE, QUICK_TO_MAKE])
    use = winner(both)
    assert use.name == "takes-2.0 x minisat22"
    assert use.note.startswith("If encoding counts as well, use takes-0.001 x minisat22: ")
    assert use.note.endswith(" for takes-2.0 x minisat22.")
    assert notes(both, "total_s", "takes-0.001 x minisat22") == []


@pytest.mark.parametrize("encode_s", [0.0, 0.002])
def test_nothing_is_said_where_encoding_changes_little(encode_s):
    both = pl.concat([encoded(encode_s, minisat22=times(1)), QUICK_TO_MAKE])
    assert winner(both).note == ""


def test_others_that_a_race_stopped_say_nothing_about_the_sum():
    stopped = QUICK_TO_MAKE.with_columns(outcome=pl.lit("capped"))
    said = in_total(pl.concat([SLOW_TO_MAKE, stopped]), "takes-2.0 x minisat22")
    assert "takes 2 s on average and solving" in said
    assert "total_s" in said
    quick = in_total(pl.concat([encoded(0.001, minisat22=times(1)), stopped]), "takes-0.001 x a")
    assert quick is None


def test_no_shuffle_is_recommended():
    shuffled = campaign(minisat22=times(1)).with_columns(encoding=pl.lit("file:shuffle=1"))
    plain = campaign(glucose4=times(2), minisat22=times(1.1)).with_columns(encoding=pl.lit("file"))
    use = winner(pl.concat([shuffled, plain]))
    assert "shuffle" not in use.show
    assert "--backend minisat22" in use.show
    assert use.note == (
        "file:shuffle=1 x minisat22 is minisat22 with the clauses in another order: that is luck."
    )
    unmeasured = winner(pl.concat([shuffled, plain.filter(backend="glucose4")]))
    assert "shuffle" not in unmeasured.show
    assert "minisat22 with the clauses in another order, which was not measured" in unmeasured.note


def test_other_parameters_stay():
    assert unshuffled("commander:group=3") == "commander:group=3"
