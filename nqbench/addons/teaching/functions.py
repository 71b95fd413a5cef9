"""`nqbench.watch`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nqbench.campaign import arguments
from nqbench.campaign.caller import OneProblem, name_of
from nqbench.common.keywords import suggesting

if TYPE_CHECKING:
    from nqbench.addons.teaching.watching import Watching


@suggesting
def watch(
    problem: OneProblem,
    *,
    backend: str | type = "backtracking",
    encoding: str | type | None = None,
) -> Watching:
    """Yield the steps of a search for all solutions. The backend must report its steps, as
    `backtracking` and `astar` do. `board(problem)` of a step is its picture. A notebook plays the
    steps up to the first solution, with controls.

    Raises `InputError` for wrong arguments and boards that are too large.
    """
    from nqbench.addons.teaching.steps import Watched
    from nqbench.addons.teaching.watching import Watching

    watched_problem = arguments.problem(problem, "watch")
    return Watching(Watched.named(watched_problem, name_of(encoding), name_of(backend)))
