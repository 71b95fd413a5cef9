"""Any exact cover, with names of its items, and its rules."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from nqbench.problems import choices
from nqbench.problems.base import Problem
from nqbench.problems.cover import Cover, by_length
from nqbench.problems.options import Box, Option
from nqbench.problems.rules import Flags, Numbers, Rules

Names = tuple[str, ...]
"""The names of some items."""


@dataclass(frozen=True, slots=True)
class ExactCover(Problem):
    """Choose options so that each primary item is covered exactly once, and each secondary item at
    most once. Option (k,) covers the items `covering[k]`.
    """

    primary: Names
    secondary: Names
    covering: tuple[Names, ...]
    instance: str = ""
    family: str = "cover"
    n: None = None

    @property
    def options(self) -> Box:
        """The options (0,), (1,), ..."""
        return Box(len(self.covering))

    @property
    def has_choices(self) -> bool:
        return _has_choices(self)

    def cover(self) -> Cover:
        """The same items and options, without names."""
        found: dict[str, list[int]] = {name: [] for name in (*self.primary, *self.secondary)}
        for variable, names in enumerate(self.covering, 1):
            for name in names:
                found[name].append(variable)
        primary = by_length(found[name] for name in self.primary)
        secondary = by_length(found[name] for name in self.secondary)
        return Cover(len(self.covering), primary, secondary)

    def rules(self) -> Rules:
        """No two options name the same item. Each primary item is named."""
        place = {name: at for at, name in enumerate((*self.primary, *self.secondary))}
        # Shape (options, items), as numbers that can be multiplied fast.
        named = np.zeros((len(self.covering), len(place)), dtype=np.float32)
        for option, own in enumerate(self.covering):
            named[option, [place[name] for name in own]] = 1
        clashing = named @ named.T > 0

        def clash(one: Numbers, other: Numbers) -> Flags:
            found: Flags = clashing[one[0], other[0]]
            return found

        return Rules(self.options, clash, list(named.T[: len(self.primary)] > 0))

    def violation(self, solution: Iterable[Option]) -> str | None:
        covered: dict[str, int] = {}
        for (k,) in solution:
            if not 0 <= k < len(self.covering):
                return f"there is no option {k}, only {len(self.covering)}"
            for name in self.covering[k]:
                if name in covered:
                    return f"item '{name}' is covered by options {covered[name]} and {k}"
                covered[name] = k
        missing = next((name for name in self.primary if name not in covered), None)
        return None if missing is None else f"item '{missing}' is not covered"

    def drawing(self, solution: Iterable[Option]) -> str:
        """The chosen options, one per line, as their items."""
        return "\n".join(" ".join(self.covering[k]) for (k,) in solution)


@lru_cache(maxsize=64)
def _has_choices(problem: ExactCover) -> bool:
    return choices.find(problem.cover()) is not None
