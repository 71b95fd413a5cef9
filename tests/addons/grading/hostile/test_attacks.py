"""Programs that attack the sandbox, as whoever runs the tests, and as a user to whom the kernel
grants little. In `outside`, the same programs are run at all other levels.

Each program of `attacks/` is run by `helpers/attacked.py`. Honest programs come first: they have to
work.
"""

import pytest
from attacking import OPENED_BY, WITHOUT_NAMESPACES, attack, check

from nqbench.addons.grading.sandbox import protection


def test_all_attacks_are_held_where_programs_are_confined():
    said, broken = attack("self")
    if said["level"] != "confined":
        pytest.skip(f"this machine grants no root of its own: {said['level']}")
    assert said["remains"] == []
    assert {name: how for name, how in broken.items() if how} == {}


def test_what_remains_open_is_said_where_the_kernel_lacks_most():
    names = {"secret", "writes_elsewhere"}.union(*OPENED_BY.values())
    said, broken = attack("user", sorted(names), ["calls", "namespaces"])
    assert said["level"] == "restricted"
    assert set(said["remains"]) == {
        *WITHOUT_NAMESPACES,
        *(protection.CALLS, protection.NETWORK, protection.FOLDERS, protection.SLOWED),
    }
    check(said, broken)
