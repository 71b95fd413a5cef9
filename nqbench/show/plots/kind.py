"""The kinds of figures: each is a function in a module of this package, decorated with `kind`."""

import inspect
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Final

import polars as pl

from nqbench import summary
from nqbench.show.plots.layout import Figure
from nqbench.summary import PAIR, POSSIBLE, SIZED
from nqbench.summary.searches import as_searches

Draw = Callable[..., Figure]


@dataclass(frozen=True, slots=True)
class Chart:
    """How the report shows a kind of figure: its title, what its reader has to know besides the
    notes in the figure, and whether it takes the whole width. `kind` is the name of the kind.
    """

    title: str
    text: str = ""
    wide: bool = False
    kind: str = ""


@dataclass(slots=True, eq=False)
class Kind:
    """A kind of figure of one family: its name, the function that draws it from the records, a
    sheet and, if it has these parameters, `time` and `pairs`; what it needs, in words and as a
    test of records. `place`: its place from 1 among those that a campaign draws at its end, if it
    does. `over_n`: it draws over n, which formulas do not have. `over_k`: it draws over k, so
    families that differ only in their k are one. `ranks`: it ranks combinations, so it draws only
    problems that all of them were measured on. `with_capped`: it draws runs that a race stopped,
    too. `chart`: how the report shows the records, if it does.
    """

    name: str
    _: KW_ONLY
    needs: str = "runs that were possible"
    fits: Callable[[pl.DataFrame], bool] = lambda _: True
    place: int | None = None
    over_n: bool = False
    over_k: bool = False
    ranks: bool = False
    with_capped: bool = False
    chart: Chart | Callable[[pl.DataFrame], Chart] | None = None
    draw: Draw = field(init=False)

    def __call__(self, draw: Draw) -> Draw:
        """Declare the kind that this function draws. What a reader has to know of the figure is its
        first paragraph, in Markdown.
        """
        self.draw = draw
        DECLARED.append(self)
        return draw

    @property
    def told(self) -> list[str]:
        """The arguments of the function besides the records and the sheet."""
        return list(inspect.signature(self.draw).parameters)[2:]

    @property
    def reading(self) -> str:
        """How to read the figure: the first paragraph about its function."""
        docstring = inspect.getdoc(self.draw) or ""
        return " ".join(docstring.partition("\n\n")[0].split())

    def shown(self, records: pl.DataFrame) -> Chart | None:
        """How the report shows these records; None if it does not."""
        if self.chart is None or not self.can_be_drawn(records):
            return None
        chart = self.chart(records) if callable(self.chart) else self.chart
        return replace(chart, kind=self.name)

    def select_possible(self, records: pl.DataFrame) -> pl.DataFrame:
        """The records of runs that were possible, and of capped runs if it draws them: without
        those of unavailable solvers, and without those of invalid files. The steps of a search
        for the best value of a file are one run.
        """
        capped = (pl.col("outcome") == "capped") & pl.lit(self.with_capped)
        return as_searches(records).filter(POSSIBLE | capped)

    def by_figure(self, drawable: pl.DataFrame) -> pl.DataFrame:
        """The possible records, with one family for those that are drawn together."""
        return summary.with_k(drawable) if self.over_k else drawable

    def parts(self, records: pl.DataFrame) -> dict[str, pl.DataFrame]:
        """The records of each family that have data for the figure."""
        families = summary.by_family(self.by_figure(self.select_possible(records)))
        drawn = {family: self._select_drawn(own) for family, own in families.items()}
        return {name: own for name, own in drawn.items() if len(own) and self.fits(own)}

    def _select_drawn(self, drawable: pl.DataFrame) -> pl.DataFrame:
        """Those of the possible records of a family that are drawn."""
        if self.over_n:
            drawable = drawable.filter(SIZED)
        return summary.on_common(drawable) if self.ranks else drawable

    def can_be_drawn(self, records: pl.DataFrame) -> bool:
        """Whether these records have data for the figure."""
        return bool(self.parts(records))


DECLARED: Final[list[Kind]] = []
"""The kinds of the modules that are imported."""

kind = Kind
"""Decorates the function that draws a kind of figure."""


def several_pairs(records: pl.DataFrame) -> bool:
    """Whether there are several combinations."""
    return records.select(PAIR).n_unique() > 1


def several_problems(records: pl.DataFrame) -> bool:
    """Whether there are several problems."""
    return summary.problem_count(records) > 1


def several_sizes(records: pl.DataFrame) -> bool:
    """Whether there are several sizes."""
    return records["n"].n_unique() > 1
