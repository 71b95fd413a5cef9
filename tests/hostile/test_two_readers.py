"""Texts drawn from one grammar table, read by both readers: they agree, or one refuses."""

import random
from collections import Counter

import numpy as np
import pytest
from opb_grammar import draw, edited

from nqbench.checking.constraint_file import read_rows
from nqbench.clauses import constraint_files
from nqbench.common.errors import InputError
from nqbench.measure.readings import compare

TEXTS = 800
EDITED = 0.3


def refused(read):
    try:
        read()
    except InputError as error:
        return str(error)
    return None


def drawn(symbol, seed):
    random_numbers = random.Random(seed)
    for _ in range(TEXTS):
        text = draw(random_numbers, symbol)
        yield edited(random_numbers, text) if random_numbers.random() < EDITED else text


@pytest.mark.parametrize("symbol", ["OPB", "WCNF"])
def test_no_text_is_read_in_two_ways(symbol):
    name, kinds = f"a.{symbol.lower()}", Counter()
    for text in drawn(symbol, 1):
        data = text.encode()
        if constraint_files.format_of(data, name) is None:
            continue
        reasons = [
            refused(lambda data=data: constraint_files.statement(data, name)),
            refused(lambda data=data: read_rows(data.splitlines())),
        ]
        if reasons == [None, None]:
            compare(data, name)  # which raises an error if they differ
        kinds[sum(reason is None for reason in reasons)] += 1
    # Most texts are right; hardly any is read by one reader only.
    assert kinds[2] > TEXTS / 3
    assert kinds[1] < TEXTS / 100


def test_what_both_read_means_the_same_to_both():
    """Also after normalising, which the encoders' reader does: on random values."""
    rng = np.random.default_rng(3)
    for text in list(drawn("OPB", 3))[:400]:
        data = text.encode()
        if refused(lambda data=data: compare(data, "a.opb")):
            continue
        judged = compare(data, "a.opb")
        stated = constraint_files.statement(data, "a.opb")
        if judged.num_variables > 40:
            continue
        formula = stated.formula()
        for values in rng.random((4, judged.num_variables)) < 0.5:
            is_broken = formula.broken_by(stated.extended(values)) is not None
            assert is_broken == (judged.broken_by(values) is not None), text
