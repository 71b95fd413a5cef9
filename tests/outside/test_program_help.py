"""A value that a program would silently replace is rejected by the range that its help states."""

import pytest
from programs import needs

from nqbench.backends.base import Backend
from nqbench.backends.program import flags
from nqbench.common.errors import InputError
from nqbench.plugins import programs
from nqbench.plugins.availability import why_rejected

CADICAL = """\
usage: cadical [ <option> ... ] [ <input> [ <proof> ] ]
  --elim=bool                bounded variable elimination [true]
  --elimboundmin=-1..2e6     minimum elimination bound [0]
  --restartint=1..2e9        restart interval [2]
  --no-colors    disable colored output to terminal
"""

MINISAT = """\
  -luby, -no-luby                         (default: on)
  -rnd-freq     = <double> [   0 ..    1] (default: 0)
  -rinc         = <double> (   1 ..  inf) (default: 2)
  -rfirst       = <int32>  [   1 .. imax] (default: 100)
  -grow         = <int32>  [imin .. imax] (default: 0)
  -dimacs     = <string>
"""


@pytest.mark.parametrize(
    ("said", "option", "stated"),
    [
        (CADICAL, {"elim": 7}, "option 'elim' is 7, but must be false or true"),
        (CADICAL, {"elimboundmin": -2}, "must be a whole number from -1 to 2000000"),
        (CADICAL, {"restartint": 2.5}, "must be a whole number from 1 to 2000000000"),
        (MINISAT, {"rfirst": 1.5}, "must be a whole number from 1 to 2147483647"),
        (MINISAT, {"grow": "ten"}, "must be a whole number from -2147483648 to 2147483647"),
        (MINISAT, {"rnd-freq": "x"}, "must be a number from 0 to 1"),
        (MINISAT, {"rinc": 1}, "must be a number between 1 and inf"),
        (MINISAT, {"rinc": float("nan")}, "must be a number between 1 and inf"),
    ],
)
def test_a_value_outside_of_the_stated_range_is_rejected(said, option, stated):
    with pytest.raises(InputError) as caught:
        flags.check(option, said)
    assert str(caught.value).endswith(stated)


@pytest.mark.parametrize(
    ("said", "options"),
    [
        (CADICAL, {"elim": False, "elimboundmin": -1, "restartint": 2_000_000_000}),
        (CADICAL, {"elim": 1, "colors": 7, "restartint": 1}),
        (MINISAT, {"rnd-freq": 0, "rinc": 1.001, "rfirst": 1, "grow": -5}),
        (MINISAT, {"luby": False, "dimacs": "file"}),
        ("", {"elim": 7}),
        ("  --elim=....... what\n  --elim=1..many\n  -elim = <int32> [ . .. e9]\n", {"elim": 7}),
    ],
)
def test_a_value_in_the_range_or_without_one_is_accepted(said, options):
    flags.check(options, said)


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        pytest.param("cadical:opt.restartint={}", (1, 2_000_000_000), marks=needs("cadical")),
        pytest.param("minisat:opt.phase-saving={}", (0, 2), marks=needs("minisat")),
    ],
)
def test_the_ranges_of_an_installed_program_are_known(name, ends):
    for value in ends:
        assert why_rejected(Backend.named, name.format(value)) is None
    for wrong in (ends[0] - 1, ends[1] + 1, 1.5):
        assert str(wrong) in why_rejected(Backend.named, name.format(wrong))


def test_a_program_that_is_not_installed_rejects_no_option(monkeypatch):
    monkeypatch.setattr(programs, "find", lambda _: None)
    assert why_rejected(Backend.named, "glucose:opt.K=0.8") is None
