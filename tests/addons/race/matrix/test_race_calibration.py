"""The calibration of races, which takes hours, in small."""

from places import ROOT

import nqbench


def test_the_calibration_runs_in_small(monkeypatch):
    """A race says no opposite of the grid, and the tables are written of what is found."""
    monkeypatch.syspath_prepend(ROOT / "tools")
    import calibrated
    import calibration_of_races

    field = calibration_of_races.FIELDS["10 of one shape, 1 to 8 times"]
    for average in calibration_of_races.Average:
        best_left, any_left, *_, time = calibration_of_races._race(0, field, average, 16)
        assert any_left
        assert not best_left
        assert time < 0.6
    records = nqbench.read(ROOT / "results" / "reference" / "why-minisat" / "records.csv")
    number, same, opposite = calibration_of_races.contradictions(records.filter(repeat=0), 1)
    assert number >= same > 0 == opposite
    found = {"equal_races": calibration_of_races.equal(2)}
    assert len([*calibrated.table("equal_races", found)]) == 7
