"""A search whose steps a notebook shows."""

import time
from collections.abc import Iterator
from html import escape
from typing import Final, Self

from nqbench.addons.teaching.sampling import Thinned
from nqbench.addons.teaching.steps import Moment, Watched
from nqbench.backends.base import StepKind
from nqbench.problems.queens import Queens

_LONGEST_S: Final = 2.0
_MOST_STEPS: Final = 300
_PER_SECOND: Final = 8.0
_FRAME: Final = '<iframe srcdoc="{}" width="480" height="620" style="border: 0"></iframe>'


class Watching(Iterator[Moment]):
    """The steps of a search, one after another. A notebook shows those up to the first solution,
    with controls: at most 300, evenly spread, of a search of at most 2 s.
    """

    def __init__(self, watched: Watched) -> None:
        self._watched = watched
        self._moments = watched.moments()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Moment:
        return next(self._moments)

    def __repr__(self) -> str:
        return f"<steps of {self._title}>"

    @property
    def _title(self) -> str:
        return f"{self._watched.backend.name} on {self._watched.problem}"

    def _repr_html_(self) -> str | None:
        """The page that plays the steps, from the first one; None for what is no board."""
        if not isinstance(self._watched.problem, Queens):
            return None
        from nqbench.addons.teaching import page

        deadline = time.monotonic() + _LONGEST_S
        steps: Thinned[Moment] = Thinned(_MOST_STEPS)
        for moment in self._watched.moments():
            steps.add(moment)
            if moment.kind is StepKind.SOLUTION or time.monotonic() > deadline:
                break
        player = page.html(self._watched.problem, steps.items(), _PER_SECOND, self._title)
        return _FRAME.format(escape(player))
