"""Solutions that display themselves (boards as pictures, others as text), or that there is none."""

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any, Final, TypeVar

from nqbench.common.metrics import Counters
from nqbench.common.units import counted
from nqbench.common.vocabulary import Answer, Verdict
from nqbench.problems.base import Problem
from nqbench.problems.clausal import Clausal
from nqbench.problems.options import Solution
from nqbench.show.boards.scene import Scene
from nqbench.show.boards.svg import picture_svg, svg
from nqbench.show.boards.text import text_board, text_scene

if TYPE_CHECKING:
    from nqbench.checking.verify import Check

T = TypeVar("T")

_MOST_PICTURES: Final = 24
"""How many solutions of a list a notebook shows."""


class Board(Scene):
    """A scene that prints as text and displays as a picture in a notebook.

    >>> from nqbench import Queens
    >>> print(Board(Queens(4), ((0, 1), (1, 3), (2, 0), (3, 2))))
    . Q . .
    . . . Q
    Q . . .
    . . Q .
    """

    __slots__ = ()

    def __str__(self) -> str:
        return text_scene(self)

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        _show_text(self, self.problem, printer)

    def _repr_svg_(self) -> str:
        return svg(self)

    def _repr_html_(self) -> str:
        standing = text_board(self.problem, (*self.problem.placed, *self.queens))
        return _image(svg(replace(self, width="100%")), standing, self.width)


def _show_text(shown: object, problem: Problem, printer: Any) -> None:
    """Draw what IPython shows as text; in a list or a dictionary, name it only."""
    printer.text(str(shown) if len(printer.stack) == 1 else f"<solution of {problem}>")


def _image(drawn: str, standing: str, width: str) -> str:
    """An SVG as an image whose width is set outside it, since percentages only work there."""
    picture = b64encode(drawn.encode()).decode()
    return (
        f'<img src="data:image/svg+xml;base64,{picture}" alt="{escape(standing)}" '
        f'style="width: {escape(width)}; max-width: 100%">'
    )


@dataclass(frozen=True, slots=True)
class Solved:
    """A problem and the options of a solution; prints as the family draws it, and displays as a
    picture in a notebook, if the family has pictures.
    """

    problem: Problem
    solution: Solution

    def __str__(self) -> str:
        return self.problem.drawing(self.solution)

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        _show_text(self, self.problem, printer)

    def _repr_html_(self) -> str:
        picture = self.problem.picture(self.solution)
        if picture is None:
            return f"<pre>{escape(str(self))}</pre>"
        return _image(picture_svg(picture, "100%"), str(self), "360px")


@dataclass(frozen=True, slots=True, repr=False)
class Model:
    """A formula, and the literals that are true in one of its models: those of the variables that
    `c p show` or `c ind` lines name, or else of all. Prints as a solver's line `v 1 -2 0`, or with
    the variables of the model that the formula was made of.
    """

    problem: Clausal
    literals: tuple[int, ...]

    @property
    def values(self) -> Mapping[Any, Any]:
        """The value of each variable: of a CPMpy model, by its variables; otherwise by numbers."""
        return self.problem.values(self.literals)

    def __str__(self) -> str:
        return self.problem.model_text(self.literals)

    __repr__ = __str__  # in a notebook


@dataclass(frozen=True, slots=True, repr=False)
class NoSolution:
    """The answer for a problem without a solution, and how it was checked. It is false, and prints
    and displays a sentence.
    """

    problem: Problem
    checked: "Check"

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        verified = self.checked.verdict is Verdict.VERIFIED
        how = f"verified by {self.checked.checked_by}" if verified else self.checked.verdict
        return f"{self.problem} has no solution ({how})"


@dataclass(frozen=True, slots=True, repr=False)
class Used:
    """The checked answer of one encoding and backend, and the solver's count of its work. It is
    false if there is no solution, and prints and displays its solution.
    """

    solution: Board | Solved | Model | NoSolution
    counters: Counters
    """What the solver reports, such as `counters.conflicts`; None for what it does not report."""

    @property
    def answer(self) -> Answer:
        """`sat` or `unsat`."""
        return Answer.UNSAT if isinstance(self.solution, NoSolution) else Answer.SAT

    def __bool__(self) -> bool:
        return self.answer is Answer.SAT

    def __str__(self) -> str:
        return str(self.solution)

    __repr__ = __str__  # in a notebook

    def _repr_html_(self) -> str | None:
        return self.solution._repr_html_() if isinstance(self.solution, Board | Solved) else None


class Solutions(list[T]):
    """Solutions in a list, which a notebook displays side by side as pictures, if they have any."""

    def _repr_html_(self) -> str | None:
        shown = [each for each in self[:_MOST_PICTURES] if isinstance(each, Board | Solved)]
        if not shown:
            return None
        boxes = "".join(f'<div style="width: 160px">{each._repr_html_()}</div>' for each in shown)
        more = len(self) - len(shown)
        rest = f"<div>and {counted(more, 'more solution')}</div>" if more else ""
        return f'<div style="display: flex; flex-wrap: wrap; gap: 12px">{boxes}</div>{rest}'
