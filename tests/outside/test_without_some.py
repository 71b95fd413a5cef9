"""Without some add-ons, the tests of the others are collected, and each of these is whole."""

from itertools import combinations

import deleting
import pytest
import without

OF_ADDONS = (
    *("-k", "test_addons or test_every_command_is_here"),
    *("tests/addons", "tests/project/test_addons.py", "tests/commands/test_each_command.py"),
)
"""What is collected and what is run of it if an add-on may need another one."""


def covering():
    """Few groups of add-ons, such that each add-on is missing where any other one is left, unless
    that one stands on it.
    """
    names = without.ADDONS
    halves = combinations(names, len(names) // 2)
    groups = [frozenset(without.all_to_delete(half)) for half in halves]

    def pairs(missing):
        return {(gone, left) for gone in missing for left in {*names} - missing}

    open_pairs, chosen = set().union(*map(pairs, groups)), []
    while open_pairs:
        chosen.append(max(groups, key=lambda group: len(pairs(group) & open_pairs)))
        open_pairs -= pairs(chosen[-1])
    return [sorted(group) for group in chosen]


@pytest.mark.parametrize("names", covering(), ids=",".join)
def test_the_rest_needs_no_add_on(tmp_path, names):
    deleting.copy(names, tmp_path)
    deleting.check_tests(*OF_ADDONS, folder=tmp_path)
