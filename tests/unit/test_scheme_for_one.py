"""The parameter `one` of schemes for at most k: another scheme for rows with bound 1."""

import numpy as np
import pytest

from nqbench.clauses.constraints import Constraints, Rows
from nqbench.common.errors import InputError
from nqbench.encodings.base import Encoding
from nqbench.problems.families.base import Family
from nqbench.problems.queens import Queens
from nqbench.testing.brute_force import BOUNDED_COVERS, AnyCover
from nqbench.testing.encodings import check_instances

NAMES = [
    "sequential:one=ladder",
    "totalizer:one=commander:group=2",
    "pairwise:one=product",
    "commander:group=4:one=commander",
    "pysat:totalizer:one=pairwise",
]


@pytest.mark.parametrize("name", NAMES)
def test_rows_with_bound_one_have_the_other_scheme(name):
    own, one = name.split(":one=")
    both = Encoding.named(name)
    assert both.name == name
    for n in (2, 3, 5, 8):
        assert both.at_most_one(n).digest() == Encoding.named(one).at_most_one(n).digest()
        assert both.at_most(n, 1).digest() == Encoding.named(one).at_most(n, 1).digest()
        for most in (0, *range(2, n)):
            assert both.at_most(n, most).digest() == Encoding.named(own).at_most(n, most).digest()
    assert both.encode(Queens(6)).digest() == Encoding.named(one).encode(Queens(6)).digest()


class AllButOne(AnyCover):
    """At least 5 of 6 options."""

    def constraints(self):
        return Constraints.of(6, Rows.at_least(np.arange(1, 7, dtype=np.int32)[np.newaxis], 5))


def test_so_have_rows_of_all_but_one():
    problem = AllButOne(6, bounded=((tuple(range(1, 7)), 5, 6),))
    (both, one, own) = (
        Encoding.named(name).encode(problem).digest()
        for name in ("totalizer:one=product", "product", "totalizer")
    )
    assert both == one != own


@pytest.mark.parametrize("name", NAMES)
def test_the_solutions_are_the_same(name):
    problems = [*BOUNDED_COVERS, Family.named("queen-domination:independent=yes").of_size(4)]
    check_instances(Encoding.named(name), problems)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("sequential:one=same", "sequential"),
        ("sequential:one=sequential", "sequential"),
        ("sequential:one=Product", "sequential:one=product"),
        ("sequential:order=random:one=sequential", "sequential:order=random"),
        ("commander:one=commander:group=3", "commander"),
        ("sequential:one=commander:group=3", "sequential:one=commander"),
        ("commander:one=commander:group=4", "commander:one=commander:group=4"),
    ],
)
def test_a_pair_of_schemes_has_one_name(written, name):
    assert Encoding.named(written).name == name


def test_clauses_for_a_tighter_bound_cannot_be_added():
    assert Encoding.named("totalizer").tightens
    assert not Encoding.named("totalizer:one=product").tightens
    assert not Encoding.named("pysat:totalizer:one=product").tightens


def test_the_library_of_the_other_scheme_is_a_part_of_the_version():
    assert "python-sat" in Encoding.named("sequential:one=pysat:ladder").version


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("sequential:one=", "one is '', but must be 'same' or a name"),
        ("sequential:one=produkt", "did you mean 'product'"),
        ("sequential:one=cover", "'cover' has no at-most-one scheme"),
        ("sequential:one=product:order=random", "order is no parameter of a scheme"),
        ("sequential:one=totalizer:one=product", "one is no parameter of a scheme"),
        ("sequential:one=commander:group=x", "group is 'x', but must be a whole number"),
        ("ladder:one=product", "unknown parameter 'one'"),
        ("pysat:ladder:one=product", "ladder is itself for at most one"),
    ],
)
def test_a_wrong_name_is_refused(name, message):
    with pytest.raises(InputError, match=message):
        Encoding.named(name)
