"""From a store to one HTML page that works from disk, without a network."""

import hashlib
import importlib.util
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
import polars as pl
from jinja2 import Environment as Templates
from jinja2 import PackageLoader

from nqbench import files, isolate, summary, units
from nqbench.drawing.scene import Scene
from nqbench.drawing.svg import svg
from nqbench.errors import InputError
from nqbench.limits import Limits
from nqbench.problems.base import Problem, square_of, title
from nqbench.records.frame import digest
from nqbench.records.record import Record
from nqbench.report import findings, machines
from nqbench.report.contents import COLUMNS, Contents
from nqbench.vocabulary import combination

if TYPE_CHECKING:
    from nqbench.report.figures import Picture

_MOST_BAD: Final = 100
_MOST_COMPARISONS: Final = 300
_CACTUS_POINTS: Final = 400
_DIGITS: Final = 4
_LARGEST_PAGE: Final = 2**30
_FOR_LIBRARY: Final = Limits(time_s=60.0, memory_bytes=2**40)


def render(campaign: Contents) -> str:
    """The page: with charts that have controls where the extra `report` is installed, with pictures
    elsewhere.
    """
    records = campaign.records
    scripts = _charts_library()
    overview = summary.overview(records)
    bad = records.filter((pl.col("verdict") == "refuted") | (pl.col("outcome") == "crashed"))
    templates = Templates(loader=PackageLoader("nqbench.report"), autoescape=True)
    templates.filters |= {"count": units.count, "ms": _ms}
    return templates.get_template("report.html").render(
        title=campaign.title,
        version=version("nqbench"),
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
        scripts=scripts,
        pictures=[] if scripts else _pictures(records),
        digest=_digest(campaign.title, records),
        data=_safe(msgspec.json.encode(_data(records, charts=bool(scripts))).decode()),
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


def write(campaign: Contents, path: Path) -> None:
    """Write the page. Raises `InputError` if the file cannot be written."""
    page = render(campaign)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error


def is_current(path: Path, title: str, records: pl.DataFrame) -> bool:
    """Whether the file is the page of these records under this title, as it would be written now.
    Of the records, `run_id` and `started_at` are enough.
    """
    return f'"{_digest(title, records)}"' in _beginning(path)


def _digest(title: str, records: pl.DataFrame) -> str:
    """The same for the same records, shown by the same code."""
    shown = (version("nqbench"), title, _has_charts_library(), digest(records))
    return hashlib.blake2b(repr(shown).encode(), digest_size=16).hexdigest()


def _beginning(path: Path) -> str:
    try:
        with files.opened(path, _LARGEST_PAGE) as file:
            return file.read(1000).decode(errors="replace")
    except (InputError, OSError):
        return ""


def _pictures(records: pl.DataFrame) -> "Sequence[Picture]":
    from nqbench.report.figures import pictures  # Matplotlib takes its time

    return pictures(records)


def _has_charts_library() -> bool:
    return importlib.util.find_spec("vl_convert") is not None


def _charts_library() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script; empty if they are not installed or do not work.

    Where memory or descriptors are scarce, the engine of vl-convert aborts its process: it has one
    of its own.
    """

    def bundle() -> bytes:
        import vl_convert

        script: str = vl_convert.javascript_bundle(None)
        return script.replace("</script", "<\\/script").encode()

    return isolate.call(bundle, _FOR_LIBRARY).payload.decode() if _has_charts_library() else ""


def _safe(text: str) -> str:
    """JSON that cannot end the script element it stands in."""
    return text.replace("<", "\\u003c")


def _data(records: pl.DataFrame, charts: bool) -> dict[str, Any]:
    """What the page's scripts show: the runs, and the tables that charts draw."""
    runs = records.with_columns(n=pl.when(summary.OF_BOARDS).then("n"))
    listed = {"runs": {name: _encoded(runs[name]) for name in COLUMNS}}
    return listed | (_charted(records) if charts else {})


def _charted(records: pl.DataFrame) -> dict[str, Any]:
    """Tables of columns, numbers to a few digits."""
    cactus = summary.cactus(records)
    longest = int(cactus.group_by(summary.PAIR).len()["len"].to_numpy().max(initial=1))
    every = -(-longest // _CACTUS_POINTS)
    last = pl.col("instances") == pl.col("instances").max().over(summary.PAIR)
    boards = records.filter(summary.OF_BOARDS)
    return {
        "overN": {
            "solve_s": _columns(summary.over_n(boards)),
            "total_s": _columns(summary.over_n(boards, summary.TOTAL)),
        },
        "cactus": _columns(cactus.filter((pl.col("instances") % every == 0) | last)),
        "overInstances": {
            "solve_s": _columns(summary.over_instances(records)),
            "total_s": _columns(summary.over_instances(records, summary.TOTAL)),
        },
        "sizes": _columns(summary.sizes(boards)),
        "par2": _columns(summary.overview(records)),
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
    queens = tuple(square_of(variable, problem.n) for variable in record.queens or ())
    return {
        "name": str(problem),
        "by": combination(record.encoding, record.backend),
        "svg": svg(Scene(problem, queens, width="100%")),
    }
