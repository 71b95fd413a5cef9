"""Conflicts and forced literals that unit propagation finds, against brute force, and the schemes
that find all of them.
"""

import json
import random
import subprocess
import sys
from itertools import product
from math import comb

import pytest

import nqbench
from nqbench.addons.strength import table
from nqbench.addons.strength.strength import Row, measure
from nqbench.common.errors import InputError, SolverError
from nqbench.encodings.base import Encoding

FIND_ALL = [
    *("cardinality-network", "decision-diagram", "generalized-totalizer", "pairwise", "product"),
    *("pysat:cardnetwrk", "pysat:seqcounter", "pysat:sortnetwrk", "pysat:totalizer"),
    *("sequential", "sorting-network", "totalizer", "watchdog"),
]
"""Counting schemes whose every conflict and forced literal unit propagation finds."""

WEAK = [
    *("adder", "commander", "k-modulo-totalizer", "modulo-totalizer", "parallel-counter"),
    *("pysat:kmtotalizer", "pysat:mtotalizer"),
]


def propagated(clauses, values):
    """The values of variables after unit propagation; None after a conflict."""
    true, before = {each if value else -each for each, value in values.items()}, None
    while before != len(true):
        before = len(true)
        for clause in clauses:
            if true.isdisjoint(clause):
                open_literals = [each for each in clause if -each not in true]
                if not open_literals:
                    return None
                if len(open_literals) == 1:
                    true.add(open_literals[0])
    return {abs(each): each > 0 for each in true}


def number_of_models(clauses, values, variables):
    """The number of models that agree with these values; if there are several, at least 2."""
    values = propagated(clauses, values)
    if values is None:
        return 0
    if len(values) == variables:
        return 1
    free = next(each for each in range(1, variables + 1) if each not in values)
    first = number_of_models(clauses, {**values, free: False}, variables)
    if first > 1:
        return first
    return first + number_of_models(clauses, {**values, free: True}, variables)


def brute_force(encoding, row):
    """What `measure` counts, by trying everything."""
    cnf = row.clauses(encoding)
    n, clauses = len(row.weights), sorted(cnf.clauses(), key=len)
    solutions = [
        values
        for values in product((False, True), repeat=n)
        if row.least <= sum(w for w, value in zip(row.weights, values, strict=True) if value)
        and sum(w for w, value in zip(row.weights, values, strict=True) if value) <= row.most
    ]
    conflicts, forced = [0, 0], [0, 0]
    for partial in product((False, True, None), repeat=n):
        values = {i: value for i, value in enumerate(partial, 1) if value is not None}
        left = [s for s in solutions if all(s[i - 1] == value for i, value in values.items())]
        found = propagated(clauses, values)
        if not left:
            conflicts[0] += found is None
            conflicts[1] += 1
            continue
        same = [i for i in range(1, n + 1) if len({s[i - 1] for s in left}) == 1]
        forced[1] += sum(i not in values for i in same)
        forced[0] += sum(i in found and i not in values for i in same)
    several = sum(
        number_of_models(clauses, dict(enumerate(s, 1)), cnf.num_variables) > 1 for s in solutions
    )
    return tuple(conflicts), tuple(forced), several, len(solutions)


def facts(measured):
    return measured.conflicts, measured.forced, measured.several_models, measured.solutions


@pytest.mark.parametrize("name", [*FIND_ALL, *WEAK])
def test_strength_of_short_rows_is_that_of_brute_force(name):
    encoding = Encoding.named(name)
    for least, most in ((0, 1), (0, 2), (1, 1), (1, 2), (2, 3)):
        row = Row((1,) * 3, least, most)
        assert facts(measure(encoding, row)) == brute_force(encoding, row), (least, most)


@pytest.mark.parametrize("name", ["adder", "decision-diagram", "generalized-totalizer", "watchdog"])
def test_strength_of_weights_is_that_of_brute_force(name):
    """Also of rows whose literals get values before anything is assumed."""
    encoding, drawn = Encoding.named(name), random.Random(7)
    for _ in range(6):
        weights = tuple(drawn.randint(1, 9) for _ in range(5))
        least, most = sorted(drawn.sample(range(1, sum(weights)), 2))
        row = Row(weights, least, most)
        assert facts(measure(encoding, row)) == brute_force(encoding, row), row


@pytest.mark.parametrize("name", FIND_ALL)
def test_these_schemes_find_all(name):
    """On rows of 5 literals, whose bounds differ by 0 or are on one side."""
    encoding = Encoding.named(name)
    for least, most in ((0, 1), (0, 2), (2, 2), (3, 3), (2, 5), (4, 5)):
        assert measure(encoding, Row((1,) * 5, least, most)).finds_all, (least, most)


def test_a_row_that_is_known_from_the_literature_of_no_scheme():
    """Commander for at most 3 of 8, counted by hand-written code of somebody else."""
    measured = nqbench.strength("commander", 8, most=3)
    assert (measured.conflicts, measured.forced) == ((1217, 1697), (400, 4480))
    assert (measured.several_models, measured.solutions) == (0, 93)
    assert (measured.assignments, measured.is_exhaustive) == (3**8, True)


def test_samples_estimate_the_shares():
    """And the same seed draws the same."""
    exact = nqbench.strength("modulo-totalizer", 8, most=3)
    first, again = (nqbench.strength("modulo-totalizer", 8, most=3, samples=3000) for _ in "12")
    assert first == again
    assert (first.assignments, first.is_exhaustive) == (3000, False)
    for whole, part in ((exact.conflicts, first.conflicts), (exact.forced, first.forced)):
        assert part[0] / part[1] == pytest.approx(whole[0] / whole[1], abs=0.08)


def test_the_table_has_every_scheme_and_is_that_of_the_code():
    """Some of it; the rest in `matrix`."""
    assert list(table.table()) == table.schemes()
    for name in ("commander", "watchdog", "product"):
        for row in table.ROWS[1:6:2]:
            kept = table.table()[name].get(str(row))
            if kept is not None:
                assert kept == measure(Encoding.named(name), row)


def test_words_about_a_scheme():
    finds = {name: table.describe(name)["finds"] for name in (*FIND_ALL, *WEAK)}
    assert [name for name in finds if finds[name] == "all"] == [
        name for name in FIND_ALL if name != "watchdog"
    ]
    assert finds["watchdog"] == "conflicts"
    assert {finds[name] for name in WEAK} == {"some"}
    models = {name: table.describe(name)["models"] for name in ("pairwise", "adder", "totalizer")}
    assert models == {"pairwise": "one", "adder": "one if exact", "totalizer": "several"}
    assert table.describe("log") == {"finds": None, "models": None}


def test_a_share_of_all_or_nothing_is_exact():
    assert [table._percent(*share) for share in ((0, 9), (1, 999), (998, 999), (9, 9))] == [
        *("0", "< 1", "> 99", "100")
    ]


def test_the_list_of_encodings_has_both_columns():
    listed = subprocess.run(
        [sys.executable, "-m", "nqbench", "list", "encodings", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    rows = {row["name"]: row for row in json.loads(listed.stdout)}
    assert (rows["commander"]["finds"], rows["commander"]["models"]) == ("some", "one")
    assert (rows["log"]["finds"], rows["log"]["models"]) == (None, None)


@pytest.mark.parametrize(
    ("literals", "given", "message"),
    [
        (1, {}, "a row has 2 to 13 literals here, not 1"),
        (14, {}, "a row has 2 to 13 literals here, not 14"),
        ([3, 0], {}, "weights must be at least 1, not 0: negate the literal"),
        (4, {"least": 3, "most": 2}, "bounds must be in order from 0 to 4, not 3 and 2"),
        (4, {"most": 4}, "at most 4 of 4 allows everything: give a tighter bound"),
        (4, {"samples": 0}, "samples must be at least 1"),
        ([2, 1, 1], {}, "'commander' states no weights"),
    ],
)
def test_wrong_arguments(literals, given, message):
    with pytest.raises(InputError, match=message):
        nqbench.strength("commander", literals, **given)


def test_least_alone_is_at_least():
    alone = nqbench.strength("sequential", 6, least=4)
    assert alone == nqbench.strength("sequential", 6, least=4, most=6)
    assert alone.solutions == comb(6, 4) + 6 + 1


ALLOWS_MORE = """\
from nqbench.plugin import LineEncoding


class AllowsMore(LineEncoding):
    reference = "none"

    def constrain(self, cnf, x):
        cnf.add_each(-x[:-1], -x[1:])
"""


def test_an_encoding_that_allows_more_has_no_strength(tmp_path):
    (tmp_path / "more.py").write_text(ALLOWS_MORE)
    with pytest.raises(SolverError, match="allows more than at most 1 of 5"):
        nqbench.strength(str(tmp_path / "more.py"), 5, most=1)


@pytest.mark.parametrize("literals", [8.0, "8", [2**62, 1], [10**30, 1]])
def test_what_is_no_row_is_refused(literals):
    with pytest.raises(InputError):
        nqbench.strength("adder", literals, most=1)
