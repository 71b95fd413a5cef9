"""The tables of `nqbench summary`: each is a function in a module of this package, decorated with
`kind`.

These modules import Polars and `nqbench.summary` only where they use them: the command line needs
the options of the tables, and starts faster without.
"""

import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from nqbench.common import parsing
from nqbench.common.errors import InputError
from nqbench.common.metrics import PAR
from nqbench.show.tables.columns import Sentence, Table
from nqbench.show.tables.revisions import in_history

if TYPE_CHECKING:
    import polars as pl

    from nqbench.summary import Group, Measured

OVERVIEW: Final = "overview"
"""The table that is shown unless another one is asked for."""

USUAL_ORDER: Final = "problem"

TWO_ARE_NEEDED: Final = (
    "nothing to compare: this needs two combinations and a problem that all combinations were "
    "measured on; choose with --where"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a table is of: the records and the metric, the columns that group the records, and the
    order of rows. `in_paper`: it is not for a terminal. `is_first`: no other one is above it.
    """

    measured: "Measured"
    metric: str
    by: Sequence[str] = ("family",)
    sort: str = USUAL_ORDER
    in_paper: bool = False
    is_first: bool = True

    @property
    def records(self) -> "pl.DataFrame":
        """The records as a table."""
        return self.measured.records


Make = Callable[["pl.DataFrame", Asked], Table]
"""The columns and rows of a table with the result of what `computes` it."""

Caption = Callable[["pl.DataFrame", Asked], tuple[str, list[Sentence]]]
"""What a table shows, and the sentences that explain it."""


@dataclass(slots=True, eq=False)
class Kind:
    """A table of `nqbench summary`: its name, which is that of its option, and the `help` of that;
    the function that makes it from the result of `computes`, a function of records and a metric,
    named as `module:function`; what is said if there is `nothing` in it; its `caption`; where a
    terminal says that the columns are for which it is too narrow (`elsewhere`). With `has_findings`
    the terminal warns of mixed records above it, and has the findings below it. `of_all_groups`:
    one table has all groups of records. `prints_empty`: a terminal shows its titles even if nothing
    is in it. `place`: its place from 1 among the tables. `reads`: columns of the records that
    other tables do not need.
    """

    name: str
    _: KW_ONLY
    place: int
    computes: str
    nothing: str
    caption: Caption
    help: str = ""
    elsewhere: str = "--json"
    has_findings: bool = False
    of_all_groups: bool = False
    prints_empty: bool = False
    reads: Sequence[str] = ()
    make: Make = field(init=False)

    def __call__(self, make: Make) -> Make:
        """Declare the table that this function makes."""
        self.make = make
        DECLARED.append(self)
        return make

    @property
    def compute(self) -> "Callable[..., pl.DataFrame]":
        """The function of records, a metric and, if it has these parameters, `par`, `sort` and
        `descending`.
        """
        function: Callable[..., pl.DataFrame] = pkgutil.resolve_name(self.computes)
        return function

    def takes(self, setting: str) -> bool:
        """Whether its function has this parameter, such as `par`."""
        return setting in inspect.signature(self.compute).parameters

    def settings(
        self,
        records: "pl.DataFrame",
        par: Any,
        sort: Any,
        *,
        descending: bool,
        sgm: Any = None,
        against: str | None = None,
    ) -> dict[str, Any]:
        """The further arguments of its function. Raises `InputError` for arguments that are for
        other tables, and for an order that these records do not have.
        """
        from nqbench.summary.by_problem import order
        from nqbench.summary.observed import find_combination

        if par != PAR and not self.takes("par"):
            raise InputError(f"par is for the tables {' and '.join(_that_take('par'))}")
        if sgm is not None and not self.takes("sgm"):
            raise InputError(f"sgm is for the table {' and '.join(_that_take('sgm'))}")
        if against is not None and not self.takes("against"):
            raise InputError(f"against is for the table {' and '.join(_that_take('against'))}")
        if not self.takes("sort") and (sort != USUAL_ORDER or descending):
            raise InputError(
                f"sort and descending are for the table {' and '.join(_that_take('sort'))}"
            )
        settings: dict[str, Any] = {}
        if self.takes("par"):
            settings["par"] = parsing.whole_number("par", par)
        if sgm is not None:
            settings["sgm"] = parsing.duration("sgm", sgm)
        if against is not None:
            settings["against"] = find_combination(str(against), records)
        if self.takes("sort"):
            settings |= {"sort": order(str(sort), records), "descending": bool(descending)}
        return settings

    def tables(self, request: Asked, **settings: Any) -> "Iterator[tuple[Group, Table]]":
        """The table of each group of the records, with the group; without rows if there is nothing
        in it. One for a paper has a caption and a label.
        """
        from nqbench.summary import Group, groups, summarise_groups

        compute = partial(self.compute, **settings)
        if self.of_all_groups:
            frame = summarise_groups(
                request.measured, request.by, lambda part: compute(part, request.metric)
            )
            every = [(Group({}, request.measured), frame)]
        else:
            of_groups = groups(request.measured, request.by)
            every = [(group, compute(group.measured, request.metric)) for group in of_groups]
        several = sum(len(frame) > 0 for _, frame in every) > 1
        for group, frame in every:
            group_request = replace(request, measured=group.measured, is_first=group is every[0][0])
            table = in_history(self.make(frame, group_request), group_request.records)
            if table.rows and request.in_paper:
                caption, about = self._write_caption(frame, group_request)
                label = _label(self.name, group.name if several else "")
                caption = _values_of(group) + caption
                table = replace(table, caption=caption, label=label, about=about)
            yield group, table

    def _write_caption(self, frame: "pl.DataFrame", request: Asked) -> tuple[str, list[Sentence]]:
        """The caption and further sentences: what it shows of which campaign; how its numbers are
        calculated, the statistical test and its correction, how unsolved runs count, the number of
        problems, the limits, and the machine.
        """
        from nqbench.summary import description

        shows, explained = self.caption(frame, request)
        caption = f"{shows}: {description.campaign_on_problems(request.records)}."
        return caption, [*explained, ("", description.conditions(request.records))]


def _that_take(setting: str) -> list[str]:
    return [kind.name for kind in sorted(DECLARED, key=lambda k: k.place) if kind.takes(setting)]


def _values_of(group: "Group") -> str:
    """The values of a group that the description of its records does not have."""
    unstated = {name: value for name, value in group.values.items() if name not in {"family", "n"}}
    return f"{replace(group, values=unstated).name}: " if unstated else ""


def _label(table: str, group: str) -> str:
    """A name that LaTeX can refer to: letters, digits and hyphens."""
    tokens = re.findall("[a-z0-9]+", f"{table} {group}".lower())
    return f"tab:{'-'.join(tokens)}"


DECLARED: Final[list[Kind]] = []
"""The tables of the modules that are imported."""

kind = Kind
"""Decorates the function that makes a table."""
