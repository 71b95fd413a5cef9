"""Checks of every installed encoding; see also test_backends."""

import pytest

from nqbench.common.errors import InputError
from nqbench.common.vocabulary import Form
from nqbench.encodings.base import Encoding, complete_encoding_names
from nqbench.encodings.boards import STATE
from nqbench.problems.queens import Queens
from nqbench.testing import check_encoding, full_placements, solutions
from nqbench.testing.brute_force import SMALL_BOARDS
from nqbench.testing.encodings import check_instances

ENCODINGS = [name for name in complete_encoding_names() if name != "file"]
WITH_CLAUSES = [name for name in ENCODINGS if Encoding.named(name).makes is Form.CNF]

SEEDS = {
    "alo-row": "pairwise:state=rows",
    "level1": "pairwise:state=alo-columns",
    "level2": "pairwise:state=board",
}
"""Encodings that are a state of pairwise."""

VARIANTS = [
    *(f"pairwise:state={state}" for state in STATE.choices[1:]),
    "product:state=rows",
    "sequential:state=alo-columns",
    "commander:group=2",
    "commander:group=5:state=columns",
    "bimander:group=1",
    "bimander:group=4",
    "pairwise:symmetry=half",
    "product:state=board:symmetry=half",
    "order:symmetry=half",
    "log:symmetry=half",
]
"""With a scheme that is also checked without its parameters, or in test_at_most_one."""


@pytest.mark.parametrize("name", [name for name in ENCODINGS if name not in SEEDS])
def test_full_placements_are_exactly_the_solutions(name):
    check_encoding(Encoding.named(name))


@pytest.mark.parametrize("name", VARIANTS)
def test_parameters_change_no_solutions(name):
    check_instances(Encoding.named(name), SMALL_BOARDS)


@pytest.mark.parametrize("name", [name for name in WITH_CLAUSES if name != "level2"])
def test_eight_queens_have_92_solutions(name, known_values):
    found = full_placements(Encoding.named(name), Queens(8))
    assert len(found) == known_values["solutions"]["values"][8]


@pytest.mark.parametrize(("n", "kept"), [(4, 1), (5, 6), (6, 2), (7, 23)])
def test_symmetry_breaking_keeps_the_left_half(n, kept):
    """An even board keeps exactly one of each mirrored pair; an odd one also keeps solutions with
    the first queen in the middle.
    """
    solutions_kept = full_placements(Encoding.named("pairwise:symmetry=half"), Queens(n))
    expected = [s for s in solutions(Queens(n)) if s[0][1] <= (n - 1) // 2]
    assert len(solutions_kept) == len(expected) == kept


@pytest.mark.parametrize(
    ("name", "clauses"),
    [
        ("pairwise", {4: 84, 8: 744}),
        ("alo-row", {2: 8, 4: 80, 8: 736}),
        ("level1", {8: 512}),
        ("level2", {4: 77, 8: 729}),
        ("pyeda-onehot", {4: 84, 8: 744}),
    ],
)
def test_sizes_are_those_published(name, clauses):
    for n, expected in clauses.items():
        cnf = Encoding.named(name).encode(Queens(n))
        assert (cnf.num_clauses, cnf.num_variables) == (expected, n * n)


@pytest.mark.parametrize("n", range(1, 31))
def test_sizes_follow_their_formulas(n):
    pairs = n * (n - 1) * (5 * n - 1) // 3
    expected = {"pairwise": 2 * n + pairs, "alo-row": n + pairs, "level2": 1 + pairs}
    for name, clauses in expected.items():
        assert Encoding.named(name).encode(Queens(n)).num_clauses == clauses


@pytest.mark.parametrize(("name", "same"), SEEDS.items())
def test_the_seed_encodings_are_states_of_pairwise(name, same):
    formulas = [Encoding.named(one).encode(Queens(9)).digest() for one in (name, same)]
    assert formulas[0] == formulas[1]


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("commander", "commander"),
        ("commander:group=3", "commander"),
        ("commander:state=rows:group=04", "commander:group=4:state=rows"),
        ("pairwise:symmetry=none:state=both", "pairwise"),
        ("pysat", "pysat:seqcounter"),
        ("PySAT:Totalizer", "pysat:totalizer"),
        ("pysat:scheme=ladder", "pysat:ladder"),
        ("pysat:order=random:scheme=ladder", "pysat:ladder:order=random"),
        ("pindakaas:SEQUENTIAL_COUNTER:order=given", "pindakaas:sequential-counter"),
    ],
)
def test_each_combination_has_one_name(typed, canonical):
    assert Encoding.named(typed).name == canonical


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("pysat:log", "scheme is 'log', but must be one of seqcounter, "),
        ("pysat:", "scheme is '', but must be one of seqcounter, "),
        ("pysat:order=random:ladder", "unknown parameter 'ladder'"),
        ("commander:4", "unknown parameter '4'"),
    ],
)
def test_a_value_without_its_parameter_stands_first_and_is_a_scheme(typed, message):
    with pytest.raises(InputError, match=message):
        Encoding.named(typed)
