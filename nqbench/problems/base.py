"""Problems: what is asked, independent of any encoding.

Answers of solvers are judged by the rules of a problem, so this module and the families do not use
encodings or solvers.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from nqbench.clauses.facts import RowFacts
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import COUNTING_ENCODING, USUAL_ENCODING, CheckedBy
from nqbench.problems.options import Option, Solution, variables

if TYPE_CHECKING:
    from nqbench.clauses.constraints import Constraints
    from nqbench.problems.cover import CoverView
    from nqbench.problems.lex_leader import LexLeader
    from nqbench.problems.picture import Picture
    from nqbench.problems.rules import Rules


def title(family: str, n: int | None, instance: str) -> str:
    """The name of a problem, from the fields of a record."""
    if n is None:
        return instance
    label = f" {instance}" if instance else ""
    return f"{family}{label} n={n}"


def digest_of(identity: Mapping[str, Any]) -> str:
    """The digest of a problem with this identity, if it does not define its own."""
    facts = {name: fact for name, fact in identity.items() if name not in {"instance", "density"}}
    return hashlib.blake2b(repr(sorted(facts.items())).encode(), digest_size=8).hexdigest()


def _of_cover(problem: Problem) -> Constraints:
    """The constraints of the problem's cover."""
    return problem.cover().constraints()


class Problem(ABC):
    """Immutable and hashable: a frozen dataclass with these fields and what belongs to the family.

    It gives its constraints, which encodings are made from, and independently of them its rules, by
    which answers are judged.
    """

    family: str
    """The name of the family that makes it, with its parameters."""

    n: int | None
    """Its size, in the measure of its family; None if it has none."""

    instance: str = ""
    """Distinguishes problems of one family and size."""

    density: float | None = None
    """How full it is, in the measure of its family, if a campaign varies it."""

    placed: Solution = ()
    """The options that are chosen already."""

    symmetry: str = "none"
    """Which symmetries encodings break, in the word of its family; `none` for none."""

    added: ClassVar[Mapping[str, Any]] = MappingProxyType({"symmetry": "none"})
    """Fields that the problem did not always have, and their value in problems from before. With
    that value, they are no part of the identity.
    """

    plural: ClassVar[str] = "problems"
    """What problems of this kind are called."""

    has_rules: ClassVar[bool] = True
    """Whether it has rules besides its constraints; a formula in a file has none."""

    needs_assumptions: ClassVar[bool] = False
    """Whether one solver is asked several questions about it, under assumptions, as an add-on says:
    see `measure.asking`.
    """

    checked_by: ClassVar[CheckedBy] = CheckedBy.RULES
    """The evidence that a solution is valid."""

    def __str__(self) -> str:
        return title(self.family, self.n, self.instance)

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        """Show its name in a notebook."""
        printer.text(f"<{self}>")

    @property
    def identity(self) -> dict[str, Any]:
        """What distinguishes it from all other problems, as JSON can hold it."""
        facts: dict[str, Any] = msgspec.to_builtins(self)
        for name, earlier in self.added.items():
            if facts.get(name) == earlier:
                del facts[name]
        return facts

    @property
    def digest(self) -> str:
        """16 hexadecimal digits, the same for problems that differ only in name."""
        return digest_of(self.identity)

    @property
    def weight(self) -> int:
        """How large it is compared with others of its n, or without an n: bytes of a formula, 0 if
        that is not known without reading it.
        """
        return 0

    @property
    def has_choices(self) -> bool:
        """Whether the options form choices, of which every solution makes each: see
        `problems.choices`.
        """
        return True

    @property
    def has_bounds(self) -> bool:
        """Whether its rows have bounds above one, which few encodings can state."""
        return False

    @property
    def facts(self) -> RowFacts:
        """What its rows ask of an encoding or a solver that takes rows."""
        return RowFacts(largest_bound=2 if self.has_bounds else 1)

    @property
    def has_symmetries(self) -> bool:
        """Whether encodings leave out solutions: see `lex_leader`."""
        return self.symmetry != "none"

    @property
    def default_encoding(self) -> str:
        """The encoding to use if nobody names one."""
        return COUNTING_ENCODING if self.has_bounds else USUAL_ENCODING

    @property
    def satisfiable(self) -> bool | None:
        """Whether it has a solution, as a theorem states; None if no theorem applies."""
        return None

    @property
    def num_solutions(self) -> int | None:
        """The number of solutions, as a theorem states; None if no theorem applies."""
        return 0 if self.satisfiable is False else None

    @property
    def solution_size(self) -> int | None:
        """The number of options in every solution; None if it varies or is not known."""
        return None

    @property
    @abstractmethod
    def options(self) -> Sequence[Option]:
        """What can be chosen. The variable of an option is its position, counted from 1."""

    def constraints(self) -> Constraints:
        """Clauses and rows of options whose models are the solutions, as a new object. A class that
        defines `cover` in place of it has those of the cover.
        """
        raise NotImplementedError(f"{type(self).__name__} has neither constraints() nor cover()")

    def longest_row(self) -> tuple[int, int] | None:
        """The length n of the longest row that is stated, and its bound k: see `Constraints`. None
        if no row has bounds above one.
        """
        return self.constraints().longest_row if self.has_bounds else None

    def cover(self) -> CoverView:
        """The constraints as options and items, as a new object."""
        from nqbench.problems.cover import CoverView

        # Not those that a class has because of its cover, which may call this method.
        methods = (vars(kind).get("constraints") for kind in type(self).__mro__)
        stated = next(method for method in methods if method not in {None, _of_cover})
        return CoverView.of(stated(self))

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # IPython would prefer the `__repr__` that a dataclass gets, with thousands of squares.
        cls._repr_pretty_ = Problem._repr_pretty_  # type: ignore[method-assign]
        if "cover" in vars(cls) and "constraints" not in vars(cls):
            cls.constraints = _of_cover  # type: ignore[method-assign, assignment]

    def rules(self) -> Rules | None:
        """The rules, from which `unsat` and counts are judged. They must not use the constraints.
        Asked for only where there are at most 5,000 options. None if they are not stated: `unsat`
        is then shown for a formula only, and solutions are not counted.
        """
        return None

    def violation(self, solution: Iterable[Option]) -> str | None:
        """The first rule that the chosen options break, in words; None for a solution. It must not
        use the constraints. By default it follows from `rules`, which takes long with many options.
        """
        rules = self.rules()
        if rules is None:
            raise NotImplementedError(f"{type(self).__name__} has neither rules() nor violation()")
        return rules.violation(solution)

    def lex_leader(self) -> LexLeader:
        """The symmetries that encodings break, and which solutions they then keep. The rules stay
        those of all solutions, and have to be symmetric, which is checked. Asked for only if the
        problem `has_symmetries`.
        """
        raise NotImplementedError(f"{type(self).__name__} has a symmetry, but no lex_leader()")

    def images(self, solution: Solution) -> Iterable[Solution]:
        """Other solutions, of which an encoding may keep one in place of this one, such as its
        mirror image. By default they follow from `lex_leader`.
        """
        if not self.has_symmetries:
            return
        option_variables = frozenset(variables(self.options, solution))
        for image in self.lex_leader().orbit(option_variables) - {option_variables}:
            yield tuple(self.options[v - 1] for v in sorted(image))

    @property
    def start(self) -> Solution:
        """The options that the problem itself has placed."""
        return ()

    def picture(self, solution: Iterable[Option]) -> Picture | None:  # noqa: ARG002
        """What a picture of these options shows, which may be a part of a solution. None if there
        are no pictures of this family.
        """
        return None

    def drawing(self, solution: Iterable[Option]) -> str:
        """The chosen options as text."""
        return "\n".join(" ".join(map(str, option)) for option in solution)


class BoundedProblem(Problem):
    """A problem of size n that has rows with bounds; its options form no choices."""

    n: int

    largest_n: ClassVar[int]

    def __post_init__(self) -> None:
        if not 1 <= self.n <= self.largest_n:
            raise InputError(f"n is {self.n}: expected 1 to {self.largest_n}")

    @property
    def has_choices(self) -> bool:
        return False

    @property
    def has_bounds(self) -> bool:
        return True


class ProblemOfK(BoundedProblem):
    """A problem that asks for k things on the n^2 squares of a board: as few or as many as that. No
    board has n^2 + 1, which shows that n^2 is the greatest number.
    """

    k: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.k <= self.largest_k:
            raise InputError(f"k is {self.k}: expected 0 to {self.largest_k}")

    @property
    def largest_k(self) -> int:
        """The largest k that can be asked for."""
        return self.n**2 + 1
