"""Numbers of solutions that others counted, of boards that take minutes to years to count."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from nqbench.problems.base import Problem
from nqbench.problems.queens import Queens


@dataclass(frozen=True, slots=True)
class PublishedCount:
    """A number of solutions and its source."""

    number: int
    source: str


@dataclass(frozen=True, slots=True)
class _Sequence:
    source: str
    numbers: Mapping[int, int]


_SOLUTIONS: Final = _Sequence(
    "OEIS A000170",
    {
        17: 95_815_104,
        18: 666_090_624,
        19: 4_968_057_848,
        20: 39_029_188_884,
        21: 314_666_222_712,
        22: 2_691_008_701_644,
        23: 24_233_937_684_440,
        24: 227_514_171_973_736,
        25: 2_207_893_435_808_352,
        26: 22_317_699_616_364_044,
        27: 234_907_967_154_122_528,
    },
)

_FUNDAMENTAL: Final = _Sequence(
    "OEIS A002562",
    {
        17: 11_977_939,
        18: 83_263_591,
        19: 621_012_754,
        20: 4_878_666_808,
        21: 39_333_324_973,
        22: 336_376_244_042,
        23: 3_029_242_658_210,
        24: 28_439_272_956_934,
        25: 275_986_683_743_434,
        26: 2_789_712_466_510_289,
        27: 29_363_495_934_315_694,
    },
)

_ON_A_TORUS: Final = _Sequence(
    "OEIS A007705",
    {
        17: 140_692,
        19: 820_496,
        23: 128_850_048,
        25: 1_957_725_000,
        29: 605_917_055_356,
        31: 13_404_947_681_712,
    },
)


def published_count(problem: Problem, fundamental: bool) -> PublishedCount | None:
    """The published number of solutions of an empty board from n = 17, or of its `fundamental`
    ones; None for other problems, and where no number is known here.
    """
    if not isinstance(problem, Queens) or problem.placed or problem.blocked:
        return None
    if problem.wraps:
        sequence = None if fundamental else _ON_A_TORUS
    else:
        sequence = _FUNDAMENTAL if fundamental else _SOLUTIONS
    if sequence is None or problem.n not in sequence.numbers:
        return None
    return PublishedCount(sequence.numbers[problem.n], sequence.source)
