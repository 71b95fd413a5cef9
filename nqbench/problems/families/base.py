"""The interface of a family of problems."""

import random
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, ClassVar, Self

from nqbench.common import files
from nqbench.common.errors import InputError, Place
from nqbench.common.printable import printable
from nqbench.plugins.component import Component
from nqbench.plugins.loading import FAMILIES
from nqbench.plugins.parameters import Choice, Parameter, WholeOr, canonical_name
from nqbench.problems.base import Problem


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Problems that do not exist, as a sentence."""

    sentence: str

    def __str__(self) -> str:
        return self.sentence


class Better(Enum):
    """Which k of a problem is better: a problem with a worse k has every solution, too."""

    LESS = "least"
    MORE = "greatest"

    @property
    def step(self) -> int:
        """From a k to the next better one."""
        return -1 if self is Better.LESS else 1


class Family(Component, ABC):
    """Makes problems of one kind: from sizes, at random, or from files, and says which."""

    group: ClassVar[str] = FAMILIES

    meaning: ClassVar[str]
    """What is asked, in a few words."""

    reference: ClassVar[str] = ""
    """The paper or collection that the problem comes from."""

    problem: ClassVar[type[Any]]
    """The class of its problems, a dataclass with the fields `n` and `family`."""

    has_sizes: ClassVar[bool] = True
    """Whether there is one problem for each n."""

    measure: ClassVar[str] = ""
    """What the density of a random problem is, such as 'queens placed / n'; empty if it has none.
    """

    suffixes: ClassVar[tuple[str, ...]] = ()
    """How the names of its files end, with the dot; empty if it reads no files."""

    is_random: ClassVar[bool] = False
    """Whether problems of a size are drawn with a seed."""

    better: ClassVar[Better | None] = None
    """Which k is better, if it has a parameter `k` and its problems are each a `ProblemOfK`."""

    def with_k(self, k: int) -> Self:
        """The same family with another k. Called only if it has one."""
        values = {**self.values, "k": k}
        return type(self)(canonical_name(self.base_name, values, self.parameters))

    def of_size(self, n: int) -> Problem:
        """The problem of this size. Raises `InputError` if there is none."""
        problem: Problem = self.problem(n=n, family=self.name)
        return problem

    def drawn(
        self, sizes: Iterable[int], densities: Sequence[float], instances: int, seed: int
    ) -> Iterator[Problem | LeftOut]:
        """Yield random problems, `instances` for each size and density. Called only if `is_random`.
        Raises `InputError`.
        """
        raise InputError(f"family '{self.name}' has no random problems")

    def parsed(self, text: str, source: str, name: str) -> list[Problem]:
        """The problems in a text file. Called only if there are `suffixes`. Raises an `InputError`
        with the source, the place, and what was expected.
        """
        raise InputError(f"family '{self.name}' reads no files", place=Place(source))

    def read(self, path: Path) -> list[Problem]:
        """The problems in a file. Raises `InputError` as `parsed` does."""
        if not self.suffixes:
            raise InputError(f"family '{self.name}' reads no files", place=Place(str(path)))
        return self.parsed(files.text(path), str(path), printable(path.stem))


class FamilyOfK(Family):
    """Problems of the kind `ProblemOfK`. With `k=known`, k is the best that is known. With
    `symmetry=eight`, encodings leave out solutions that are images of others by a symmetry of the
    square.
    """

    parameters: Mapping[str, Parameter] = {
        "k": WholeOr("known", least=0),
        "symmetry": Choice("none", ("none", "eight")),
    }

    @property
    def symmetry(self) -> str:
        """Which symmetries encodings break."""
        return str(self.values["symmetry"])

    def k(self, n: int, known: Sequence[int], otherwise: int) -> int:
        """The k of size n; `known` are the best ones for n = 1, 2 and so on."""
        k = self.values["k"]
        if k == "known":
            return known[n - 1] if 1 <= n <= len(known) else otherwise
        return int(k)


class FilledFamily(Family):
    """Random problems from empty to as full as possible.

    The problem of a seed and number is filled in one random order, so a denser problem contains
    everything that is in a sparser one. A sweep over densities then shows the effect of the density
    alone.
    """

    has_sizes = False
    is_random = True

    part: ClassVar[str]
    """The name of what it is filled with, such as 'queens'."""

    def whole(self, n: int) -> int:
        """The number of parts for a density of 1."""
        return n

    @abstractmethod
    def parts(self, n: int, source: random.Random) -> Sequence[Any]:
        """As many parts as fit, in random order."""

    @abstractmethod
    def filled(self, n: int, parts: Sequence[Any], name: str) -> Problem:
        """The problem with these parts."""

    def drawn(
        self, sizes: Iterable[int], densities: Sequence[float], instances: int, seed: int
    ) -> Iterator[Problem | LeftOut]:
        if not densities:
            raise InputError(f"family '{self.name}' needs a density, for instance 0.9")
        if min(densities) < 0:
            raise InputError(f"a density of {min(densities):g} is below 0")
        for n in sizes:
            # Not by round(), which takes halves to the even number.
            counts = sorted({int(density * self.whole(n) + 0.5) for density in densities})
            names = [f"{seed}-{number}" for number in range(1, instances + 1)]
            # Drawn once for all densities: a denser problem contains the sparser ones.
            every = {
                name: self.parts(n, random.Random(f"{self.name} {n} {name}")) for name in names
            }
            for count in counts:
                fitting = {name: parts for name, parts in every.items() if len(parts) >= count}
                for name, parts in fitting.items():
                    yield self.filled(n, parts[:count], name)
                if len(fitting) < instances:
                    yield LeftOut(
                        f"{self.name} n={n}: {instances - len(fitting)} of the random problems "
                        f"hold fewer than {count} {self.part}"
                    )
