"""The table of a perfect choice for each problem."""

from typing import TYPE_CHECKING

from nqbench.common.units import is_time, time_unit
from nqbench.show.tables import captions
from nqbench.show.tables.columns import Column, Sentence, Table, in_unit, pair_columns
from nqbench.show.tables.kind import TWO_ARE_NEEDED, Asked, kind

if TYPE_CHECKING:
    import polars as pl


def _caption(frame: "pl.DataFrame", request: Asked) -> tuple[str, list[Sentence]]:
    from nqbench.summary import par_of

    name = captions.name_metric(request.metric)
    return f"Combinations and the virtual best one (VBS) by {name}", [
        captions.explain_par(par_of(frame), request.records, request.metric),
        ("", "The VBS takes the fastest combination for each problem."),
        *captions.list_cautions(request.measured),
    ]


@kind(
    "portfolio",
    place=6,
    help="Compare with a perfect choice for each problem (VBS).",
    computes="nqbench.summary.portfolio:portfolio",
    nothing=TWO_ARE_NEEDED,
    caption=_caption,
)
def portfolio(frame: "pl.DataFrame", request: Asked) -> Table:
    """A row for each combination."""
    from nqbench.summary import par_column, par_of

    par = par_of(frame)
    par_s = par_column(par)
    unit, per_unit = time_unit(frame[par_s]) if is_time(request.metric) else (request.metric, 1.0)

    def cost(name: str, importance: float, title: str) -> Column:
        return Column(name, importance, title=f"{title} ({unit})", show=in_unit(per_unit))

    columns = [
        *pair_columns(frame["encoding"]),
        Column("boards", 6, title="problems"),
        cost(par_s, 9, f"PAR-{par}"),
        Column("wins", 5),
        Column("share", 4),
        Column("only", 7, title="only it solves"),
        cost(f"vbs_{par_s}", 8, f"VBS PAR-{par}"),
        cost("vbs_without_s", 3, "VBS without it"),
        Column("over_vbs", 8, title="times the VBS"),
    ]
    return Table(columns, frame.to_dicts())
