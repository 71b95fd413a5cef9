"""Sums that a solver does not take are refused before the run; others are passed on as they are."""

import pytest

import nqbench
from nqbench import summary
from nqbench.backends.base import Backend
from nqbench.backends.fit import why_not
from nqbench.common.vocabulary import Task
from nqbench.encodings.base import Encoding
from nqbench.measure.wire import Order, _read_large, _spell_large

LARGEST = {"highs": 2**28, "pumpkin": 2**30, "cp-sat": 2**62 - 1}


def formula_with(folder, total, *, objective):
    path = folder / "a.opb"
    # Weights without a common factor, which normalising leaves as they are.
    row = f"+{total // 2} x1 +{total - total // 2 - 1} x2 +1 x3"
    text = f"min: {row} ;\n+1 x1 +1 x2 >= 1 ;\n" if objective else f"{row} >= {total // 2 + 1} ;\n"
    path.write_text(text)
    return nqbench.formulas(path)[0]


@pytest.mark.parametrize("objective", [True, False])
@pytest.mark.parametrize("name", sorted(LARGEST))
def test_sums_beyond_what_a_solver_takes_are_refused_before_the_run(name, objective, tmp_path):
    solver, native = Backend.named(name), Encoding.named("native")
    task = Task.BEST if objective else Task.FIRST
    fits = formula_with(tmp_path, LARGEST[name], objective=objective)
    assert why_not(native, solver, task, [fits]) is None
    too_large = formula_with(tmp_path, LARGEST[name] + 1, objective=objective)
    reason = why_not(native, solver, task, [too_large])
    assert reason is not None
    assert reason.startswith(f"backend '{name}' takes weights that add up to at most")
    # Without the objective, or in clauses, the sums do not matter to the solver.
    if objective:
        assert why_not(native, solver, Task.FIRST, [too_large]) is None


@pytest.mark.parametrize("too_large", ["a.opb", "b.opb"])
@pytest.mark.parametrize("in_row", [1, 3])
def test_a_file_that_one_solver_does_not_take_ends_no_campaign(tmp_path, too_large, in_row):
    """In any order of the files, also if it is the only one of its kind: its run says why, and the
    others are made.
    """
    pytest.importorskip("exact")
    for name in ("a.opb", "b.opb"):
        weight, other = (2**70, in_row) if name == too_large else (3, 1)
        text = f"min: {weight} x1 +2 x2 ;\n+{other} x1 +1 x2 >= 1 ;\n"
        (tmp_path / name).write_text(text)
    records = nqbench.run(nqbench.formulas(tmp_path), backends=["pumpkin", "exact"], repeat=1)
    answers = {(r["instance"], r["backend"]): r["answer"] for r in records.to_dicts()}
    assert answers.pop((too_large, "pumpkin")) is None
    assert list(answers.values()) == ["sat"] * 3


def test_facts_of_any_size_reach_a_server():
    values = {"a": 2**70, "b": {"c": -(2**64), "d": 5, "e": "text"}, "f": None, "g": [1]}
    assert _read_large(_spell_large(values)) == values
    assert Order("cnf", _spell_large(values), {}).problem["b"]["d"] == 5


def test_an_objective_beyond_64_bits_is_recorded_as_text(tmp_path):
    path = tmp_path / "a.opb"
    path.write_text(f"min: {2**64} x1 +{2**64 + 1} x2 ;\n+1 x1 +1 x2 >= 1 ;\n")
    (optimum,) = nqbench.optimum(nqbench.formulas(path), backend="rc2", results=tmp_path / "r")
    assert (optimum.best, optimum.is_proven) == (2**64, True)
    assert optimum.literals == (1, -2)
    (row,) = nqbench.read(tmp_path / "r").to_dicts()
    assert (row["objective"], row["objective_text"]) == (None, str(2**64))
    ends = summary.overview(nqbench.read(tmp_path / "r"))
    assert ends.select("files", "optimal").row(0) == (1, 1)
    nqbench.Results(tmp_path / "r").export("jsonl", tmp_path / "r.jsonl")
    assert nqbench.read(tmp_path / "r.jsonl")["objective_text"].to_list() == [str(2**64)]


def test_large_objectives_are_proven(tmp_path):
    path = tmp_path / "a.opb"
    path.write_text(f"min: {2**62} x1 +{2**61 + 3} x2 ;\n+1 x1 +1 x2 >= 1 ;\n")
    (optimum,) = nqbench.optimum(nqbench.formulas(path), backend="rc2", results=tmp_path / "r")
    assert (optimum.best, optimum.is_proven) == (2**61 + 3, True)
