"""From a store to one HTML page that works from disk, without a network."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
import polars as pl
from jinja2 import Environment as Templates
from jinja2 import PackageLoader

from nqbench import __version__, summary
from nqbench.conditions import Session
from nqbench.drawing.board import Board
from nqbench.drawing.svg import svg
from nqbench.environment import Environment
from nqbench.errors import UnavailableError
from nqbench.problem import Problem
from nqbench.report import findings

COLUMNS: Final = (
    "family", "n", "instance", "encoding", "backend", "repeat", "outcome", "answer", "verdict",
    "checked_by", "encode_s", "load_s", "solve_s", "wall_s", "peak_rss_bytes", "conflicts",
    "clauses", "message",
)  # fmt: skip
"""What the table of runs shows of a record."""

_MOST_BOARDS: Final = 36
_LARGEST_BOARD: Final = 40
_MOST_BAD: Final = 100
_MOST_COMPARISONS: Final = 300
_CACTUS_POINTS: Final = 400
_DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class Campaign:
    """What a page is made of."""

    title: str
    records: pl.DataFrame
    environments: Sequence[Environment]
    sessions: Sequence[Session]


def render(campaign: Campaign) -> str:
    """The page. Raises `UnavailableError` without the extra that brings the charts."""
    records = campaign.records
    bad = records.filter((pl.col("verdict") == "refuted") | (pl.col("outcome") == "crashed"))
    templates = Templates(loader=PackageLoader("nqbench.report"), autoescape=True)
    return templates.get_template("report.html").render(
        title=campaign.title,
        version=__version__,
        headlines=findings.headlines(records),
        caveats=findings.caveats(records, campaign.environments, campaign.sessions),
        bad=bad.head(_MOST_BAD).select(COLUMNS).to_dicts(),
        bad_count=len(bad),
        disagreements=summary.disagreements(records).to_dicts(),
        overview=summary.overview(records).to_dicts(),
        comparisons=_comparisons(records),
        environments=campaign.environments,
        sessions=campaign.sessions,
        boards=_boards(records),
        run_count=len(records),
        charts=_charts_library(),
        data=_safe(msgspec.json.encode(_data(records)).decode()),
    )


def _comparisons(records: pl.DataFrame) -> list[dict[str, Any]]:
    """The surest differences first."""
    table = summary.comparisons(records).sort("p_corrected", "first", "second")
    return table.head(_MOST_COMPARISONS).to_dicts()


def _charts_library() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script."""
    try:
        import vl_convert
    except ImportError as error:
        raise UnavailableError(
            "the charts of a report need vl-convert-python: pip install 'nqbench[report]'"
        ) from error
    bundle: str = vl_convert.javascript_bundle(None)
    return bundle.replace("</script", "<\\/script")


def _safe(text: str) -> str:
    """JSON that cannot end the script element it stands in."""
    return text.replace("<", "\\u003c")


def _data(records: pl.DataFrame) -> dict[str, Any]:
    """What the page's script draws: tables of columns, numbers to a few digits."""
    cactus = summary.cactus(records)
    longest = int(cactus.group_by(summary.PAIR).len()["len"].to_numpy().max(initial=1))
    every = -(-longest // _CACTUS_POINTS)
    last = pl.col("instances") == pl.col("instances").max().over(summary.PAIR)
    over_n = summary.over_n(records)
    total = summary.over_n(records, summary.TOTAL)
    return {
        "overN": {
            "solve_s": _columns(over_n),
            "total_s": _columns(total),
        },
        "cactus": _columns(cactus.filter((pl.col("instances") % every == 0) | last)),
        "sizes": _columns(summary.sizes(records)),
        "par2": _columns(summary.overview(records)),
        "runs": {name: _encoded(records[name]) for name in COLUMNS},
    }


def _columns(table: pl.DataFrame) -> dict[str, list[Any]]:
    rounded = table.with_columns(pl.selectors.float().round_sig_figs(_DIGITS))
    return rounded.to_dict(as_series=False)


def _encoded(column: pl.Series) -> dict[str, list[Any]]:
    """The different texts of a column and for each row which it is, or the numbers as they are."""
    if column.dtype == pl.String:
        values = column.unique(maintain_order=True)
        codes = column.to_frame("value").join(
            values.to_frame("value").with_row_index("code"), on="value", nulls_equal=True,
            how="left", maintain_order="left",
        )  # fmt: skip
        return {"values": values.to_list(), "codes": codes["code"].to_list()}
    if column.dtype == pl.Float64:
        column = column.round_sig_figs(_DIGITS)
    return {"numbers": column.to_list()}


def _boards(records: pl.DataFrame) -> list[dict[str, str]]:
    """A solution of each board that is not too large, the first that was found."""
    found = (
        records.filter((pl.col("verdict") == "verified") & (pl.col("n") <= _LARGEST_BOARD))
        .drop_nulls("queens")
        .unique(summary.PROBLEM, keep="first", maintain_order=True)
        .sort(summary.PROBLEM)
        .head(_MOST_BOARDS)
    )
    boards = []
    for row in found.iter_rows(named=True):
        problem = Problem(row["n"], row["family"], instance=row["instance"])
        queens = tuple(divmod(square - 1, problem.n) for square in row["queens"])
        by = f"{row['encoding']} x {row['backend']}"
        picture = svg(Board(problem, queens, width="100%"))
        boards.append({"name": str(problem), "by": by, "svg": picture})
    return boards
