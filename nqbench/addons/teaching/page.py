"""Writes steps as a page that works from disk, without a network."""

from collections.abc import Iterable
from pathlib import Path

import msgspec
from jinja2 import Environment, PackageLoader

from nqbench.addons.teaching.steps import Moment
from nqbench.common import files
from nqbench.problems.queens import Queens, placement_of
from nqbench.show.boards import scene
from nqbench.show.boards.scene import Scene
from nqbench.show.boards.svg import CROWN, svg


def write(
    problem: Queens, moments: Iterable[Moment], path: Path, per_second: float, title: str
) -> None:
    """Write the page. Raises `InputError`."""
    files.write(path, html(problem, moments, per_second, title).encode())


def html(problem: Queens, moments: Iterable[Moment], per_second: float, title: str) -> str:
    """The page."""
    steps = [_step(moment, problem) for moment in moments]
    environment = Environment(loader=PackageLoader(__name__.rpartition(".")[0]), autoescape=True)
    return environment.get_template("page.html").render(
        title=title,
        board=svg(Scene(problem, width="100%")),
        n=problem.n,
        crown=CROWN,
        look=scene,
        per_second=per_second,
        steps=msgspec.json.encode(steps).decode(),
        count=len(steps),
    )


def _step(moment: Moment, problem: Queens) -> dict[str, str | list[int]]:
    """The text of a step, and the numbers of its squares by rows from 0."""
    placed = set(problem.placed)
    queens = [r * problem.n + c for r, c in placement_of(moment.chosen) if (r, c) not in placed]
    free = [r * problem.n + c for r, c in placement_of(moment.free)]
    return {"text": str(moment), "queens": queens, "free": free}
