"""Regions and covers conform, with every encoding."""

from covers_by_hand import BY_HAND, TOY, cover, drawn, queens, regions, tiling

from nqbench.problems.families.base import Family
from nqbench.testing import check_family


def test_the_family_of_covers_conforms():
    small = "a b | c\na b\na c\nb c\nb\n"
    problems = [cover(TOY), cover(small), cover("a b\na\n"), queens(4), tiling(2, 3)]
    check_family(Family.named("cover"), problems)


def test_the_family_of_regions_conforms():
    rows = ["aaa\nbbb\nccc", "aab\nabb\nccc", "ab\nab", "a"]
    problems = [*map(regions, [BY_HAND, *rows]), *drawn(4, instances=1), *drawn(5)]
    check_family(Family.named("regions"), problems)
