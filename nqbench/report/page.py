"""From a store to one HTML page that works from disk, without a network."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
import polars as pl
from jinja2 import Environment as Templates
from jinja2 import PackageLoader

from nqbench import __version__, summary, units
from nqbench.drawing.scene import Scene
from nqbench.drawing.svg import svg
from nqbench.errors import UnavailableError
from nqbench.machine.conditions import Session
from nqbench.machine.environment import Environment
from nqbench.problem import Problem, title
from nqbench.record import Record
from nqbench.report import findings, machines

COLUMNS: Final = (
    "family", "n", "instance", "encoding", "backend", "repeat", "outcome", "answer", "verdict",
    "checked_by", "encode_s", "load_s", "solve_s", "wall_s", "peak_rss_bytes", "conflicts",
    "clauses", "message",
)  # fmt: skip
"""What the table of runs shows of a record."""

NEEDED: Final = (
    *COLUMNS, "run_id", "environment_id", "task", "density", "solutions", "time_limit_s",
    "variables", "literals", "shuffle", "machine", "encoding_version", "backend_version",
)  # fmt: skip
"""What the page needs of every record: to read no more takes half the time."""

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
    drawn: Sequence[Record] = ()
    """Of the runs that `to_draw` chose."""


def to_draw(records: pl.DataFrame) -> list[str]:
    """The runs whose solutions the page draws: the first of each board that is not too large."""
    found = (
        records.filter(
            (pl.col("verdict") == "verified")
            & (pl.col("answer") == "sat")
            & pl.col("n").is_between(1, _LARGEST_BOARD)
        )
        .unique(summary.PROBLEM, keep="first", maintain_order=True)
        .sort(summary.PROBLEM)
    )
    return found.head(_MOST_BOARDS)["run_id"].to_list()


def render(campaign: Campaign) -> str:
    """The page. Raises `UnavailableError` without the extra that brings the charts."""
    records = campaign.records
    overview = summary.overview(records)
    bad = records.filter((pl.col("verdict") == "refuted") | (pl.col("outcome") == "crashed"))
    templates = Templates(loader=PackageLoader("nqbench.report"), autoescape=True)
    templates.filters |= {"count": units.count, "ms": _ms}
    return templates.get_template("report.html").render(
        title=campaign.title,
        version=__version__,
        headlines=findings.headlines(records),
        caveats=findings.caveats(records, campaign.environments, campaign.sessions),
        has_boards=summary.has_boards(records),
        has_formulas=not summary.over_instances(records).is_empty(),
        name=title,
        bad=bad.head(_MOST_BAD).select(COLUMNS).to_dicts(),
        bad_count=len(bad),
        disagreements=summary.disagreements(records).to_dicts(),
        overview=overview.to_dicts(),
        has_unsolved=(overview["unsolved"] != "").any(),
        comparisons=_comparisons(records),
        machines=machines.described(campaign.environments),
        sessions=campaign.sessions,
        boards=[_board(record) for record in campaign.drawn],
        run_count=len(records),
        charts=_charts_library(),
        data=_safe(msgspec.json.encode(_data(records)).decode()),
    )


def _ms(seconds: float | None) -> str:
    """Milliseconds to three digits at least, without an exponent; a dash for no time."""
    if seconds is None:
        return "\N{EN DASH}"
    ms = 1000 * seconds
    return f"{ms:.0f}" if ms >= 100 else f"{ms:.3g}"


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
    boards = records.filter(summary.OF_BOARDS)
    over_n = summary.over_n(boards)
    total = summary.over_n(boards, summary.TOTAL)
    runs = records.with_columns(n=pl.when(summary.OF_BOARDS).then("n"))
    return {
        "overN": {
            "solve_s": _columns(over_n),
            "total_s": _columns(total),
        },
        "cactus": _columns(cactus.filter((pl.col("instances") % every == 0) | last)),
        "overInstances": {
            "solve_s": _columns(summary.over_instances(records)),
            "total_s": _columns(summary.over_instances(records, summary.TOTAL)),
        },
        "sizes": _columns(summary.sizes(boards)),
        "par2": _columns(summary.overview(records)),
        "runs": {name: _encoded(runs[name]) for name in COLUMNS},
    }


def _columns(table: pl.DataFrame) -> dict[str, list[Any]]:
    rounded = table.with_columns(pl.selectors.float().round_sig_figs(_DIGITS))
    return rounded.to_dict(as_series=False)


def _encoded(column: pl.Series) -> dict[str, Any]:
    """The different texts of a column and for each row which it is, or the numbers as they are."""
    if column.dtype == pl.String:
        values = column.unique(maintain_order=True)
        codes = column.to_frame("value").join(
            values.to_frame("value").with_row_index("code"), on="value", nulls_equal=True,
            how="left", maintain_order="left",
        )  # fmt: skip
        return {"values": values.to_list(), "codes": _array(codes["code"])}
    if column.dtype == pl.Float64:
        column = column.round_sig_figs(_DIGITS)
    return {"numbers": _array(column)}


def _array(numbers: pl.Series) -> msgspec.Raw:
    """A JSON array, without an object of Python for each number."""
    texts = numbers.cast(pl.String).fill_null("null")
    return msgspec.Raw(f"[{texts.str.join(',').item()}]".encode())


def _board(record: Record) -> dict[str, str]:
    problem = Problem(record.n, record.family, instance=record.instance)
    queens = tuple(divmod(square - 1, problem.n) for square in record.queens or ())
    return {
        "name": str(problem),
        "by": f"{record.encoding} x {record.backend}",
        "svg": svg(Scene(problem, queens, width="100%")),
    }
