"""Writes steps as a page that works from disk, without a network."""

from collections.abc import Iterable
from pathlib import Path

import msgspec
from jinja2 import Environment, PackageLoader

from nqbench.animation.steps import Moment
from nqbench.drawing import look
from nqbench.drawing.scene import Scene
from nqbench.drawing.svg import CROWN, svg
from nqbench.problems import kinds
from nqbench.problems.queens import Queens, Square


def write(
    problem: Queens, moments: Iterable[Moment], path: Path, per_second: float, title: str
) -> None:
    """Write the page. Raises `OSError`."""
    steps = [_step(moment, problem) for moment in moments]
    environment = Environment(loader=PackageLoader("nqbench.animation"), autoescape=True)
    page = environment.get_template("page.html").render(
        title=title,
        board=svg(Scene(problem, width="100%")),
        n=problem.n,
        crown=CROWN,
        look=look,
        per_second=per_second,
        steps=msgspec.json.encode(steps).decode(),
        count=len(steps),
    )
    path.write_text(page, encoding="utf-8")


def _step(moment: Moment, problem: Queens) -> dict[str, str | list[int]]:
    given = set(problem.placed)
    queens = [
        _number(square, problem) for square in kinds.placement(moment.chosen) if square not in given
    ]
    free = [_number(square, problem) for square in kinds.placement(moment.free)]
    return {"text": str(moment), "queens": queens, "free": free}


def _number(square: Square, problem: Queens) -> int:
    return square[0] * problem.n + square[1]
