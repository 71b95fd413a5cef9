"""The files that `tools/weighted_corpus.py` writes, and their campaign, in small."""

import importlib
import tomllib
from dataclasses import replace
from itertools import islice

import pytest
import weighted_corpus
from places import REFERENCE
from programs import needs

import nqbench
from nqbench.clauses import constraint_files

CAMPAIGN = REFERENCE / "weights" / "campaign.toml"
EASY = {"knapsack": (8, 1, 20, 0), "tardiness": (4, 9, 5, 0), "domination": (12, 16, 10, 0)}
"""Arguments of problems of these kinds that every solver answers at once."""


def test_there_are_sixty_files_and_half_of_the_decisions_are_unsatisfiable():
    pairs = [
        arguments
        for kind, (_, every) in weighted_corpus.KINDS.items()
        for arguments in every
        if kind != "market-split"
    ]
    assert 2 * len(pairs) >= 60


@pytest.mark.parametrize("kind", weighted_corpus.KINDS)
def test_every_kind_has_rows_with_weights(kind):
    state, every = weighted_corpus.KINDS[kind]
    stated = state(*every[0])
    bound = [] if stated.objective is None else [stated.objective.at_most(0)]
    assert any((rows.weights > 1).any() for rows in (*stated.weighted, *bound))


def test_the_campaign_answers_as_the_names_of_the_files_say(tmp_path):
    for kind, arguments in EASY.items():
        for name, decision in weighted_corpus.files(kind, arguments):
            constraint_files.write_file(decision, tmp_path / kind / name)
    first, native = tomllib.loads(CAMPAIGN.read_text())["campaign"]
    records = nqbench.run(
        nqbench.formulas(tmp_path),
        encodings=["adder", *native["encoding"]],
        backends=[*first["backend"], "exact"],
        repeat=1,
    )
    assert set(records["outcome"]) == {"finished"}
    answers = records.select("instance", "answer").unique().rows()
    assert len(answers) == 2 * len(EASY)
    assert all(f"/{answer}-" in instance for instance, answer in answers)


UNUSUAL = """* #variable= 3 #constraint= 2
max: +3 x1 -2 ~x2 +4 x3 ;
+2 ~x3 >= 1 ;
+1 x1 +2 x2 -1 x3 >= 1 ;
"""
"""The best value is 3: a row of one term, `max:` and ~, each of which some readers do not know."""


@needs("clasp")
def test_others_read_objectives_and_find_the_same_best_values(tmp_path):
    weighted_optima = importlib.import_module("weighted_optima")
    for name, stated in islice(weighted_corpus.objectives("cut"), 2):
        constraint_files.write_file(stated, tmp_path / "cut" / name)
    (tmp_path / "unusual.opb").write_text(UNUSUAL)
    opb, wcnf, unusual = weighted_optima.every_value(tmp_path, "cp-sat")
    assert (opb.instance, wcnf.instance) == ("cut/12-30-10-0.opb", "cut/12-30-10-0.wcnf")
    assert {*opb.others, opb.own} == {opb.own, None}
    assert {*wcnf.others, wcnf.own} == {opb.own}
    assert (*unusual.others, unusual.own) == (3, 3, None, 3)
    wrong = replace(wcnf, own=opb.own + 1)
    assert (wcnf.differ, wrong.differ) == (False, True)
