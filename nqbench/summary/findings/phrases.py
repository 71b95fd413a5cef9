"""How findings say by how much one combination is better, by a metric and on problems of a kind."""

from dataclasses import dataclass
from typing import Self

from nqbench.common import metrics
from nqbench.common.metrics import SCORE_NAME
from nqbench.common.units import amount, factor, is_time, thousands
from nqbench.summary.coverage import Coverage


@dataclass(frozen=True, slots=True)
class Phrases:
    """The words for a metric, and for the `problem` that is measured; a unit of evidence is such a
    problem, or a group of them. `worse` is said of a number of problems, `times_as` follows a
    ratio, and `par2` is PAR-2, with the problems that it is of if these are not all. Times have so
    many `digits`.
    """

    problem: str
    unit: str
    metric: str
    least: str
    faster: str
    worse: str
    takes: str
    times_as: str
    par2: str
    digits: int = 3

    @classmethod
    def of(cls, problem: str, unit: str, metric: str, coverage: Coverage, digits: int = 3) -> Self:
        """The words for these nouns and this metric."""
        noun, par2 = metrics.noun(metric), SCORE_NAME
        if coverage.common < coverage.measured:
            share = f"{thousands(coverage.common)} of {thousands(coverage.measured)}"
            par2 += f" of the {share} {problem}s that all were measured on"
        if is_time(metric):
            least = f"Least average {noun}"
            times = ("faster", "slower", "takes", "long")
            return cls(problem, unit, metric, least, *times, par2, digits)
        least, better = f"Fewest {noun} on average", f"better, with fewer {noun}"
        return cls(problem, unit, metric, least, better, "more", "needs", f"many {noun}", par2)

    def cost(self, par2: float) -> str:
        """An average cost."""
        return amount(par2, self.metric, self.digits)

    def longer(self, ratio: float) -> str:
        """What takes so many times as long.

        >>> Phrases("board", "board", "solve_s", "", "", "", "takes", "long", "").longer(2.5)
        'takes 2.5 times as long'
        """
        return f"{self.takes} {factor(ratio)} times as {self.times_as}"


def interval(low: float | None, high: float | None) -> str:
    """The ends of an interval; empty if neither is known, or if they look the same.

    >>> interval(0.713, 1.4), interval(None, 2.0), interval(1.5, None), interval(None, None)
    ('0.71 to 1.4', 'at most 2.0', 'at least 1.5', '')
    """
    if low is None or high is None:
        known = (("at least", low), ("at most", high))
        return "".join(f"{word} {factor(end)}" for word, end in known if end is not None)
    ends = factor(low), factor(high)
    return "" if ends[0] == ends[1] else " to ".join(ends)


def in_brackets(*parts: str, separator: str = ", ") -> str:
    """These parts in brackets, with a space before; empty if all are.

    >>> in_brackets("", "on 3 of 4"), in_brackets("", "")
    (' (on 3 of 4)', '')
    """
    text = separator.join(filter(None, parts))
    return f" ({text})" if text else ""


def on(count: int, problems: int) -> str:
    """On how many problems something holds."""
    return f"on {thousands(count)} of {thousands(problems)}"
