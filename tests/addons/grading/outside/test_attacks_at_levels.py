"""Programs that attack the sandbox, as each level finds them: what is open is exactly what is said.

Each program of `hostile/attacks/` is run by `helpers/attacked.py`, as an ordinary user, in a
changed root, and where the kernel grants less. This depends on the kernel, and only on the sandbox.
"""

import pytest
from attacking import OPENED_BY, WITHOUT_NAMESPACES, attack, check

from nqbench.addons.grading.sandbox import protection


@pytest.mark.parametrize("level", ["user", "chroot", "nested"])
def test_all_attacks_are_held_where_programs_are_confined(level):
    said, broken = attack(level)
    assert (said["level"], said["remains"]) == ("confined", [])
    assert {name: how for name, how in broken.items() if how} == {}


def test_what_remains_open_is_said_where_namespaces_are_refused():
    said, broken = attack("chroot-user")
    assert said["level"] == "restricted"
    assert set(said["remains"]) == WITHOUT_NAMESPACES
    check(said, broken)


@pytest.mark.parametrize(
    ("without", "lines"),
    [
        (["landlock"], set()),
        (["calls"], {protection.CALLS}),
        (["namespaces", "scopes"], {*WITHOUT_NAMESPACES, protection.SIGNALS}),
    ],
)
def test_what_remains_open_is_said_where_the_kernel_lacks_something(without, lines):
    names = {"secret", "writes_elsewhere"}.union(*OPENED_BY.values())
    said, broken = attack("user", sorted(names), without)
    assert said["level"] == ("restricted" if lines else "confined")
    assert set(said["remains"]) == lines
    check(said, broken)
