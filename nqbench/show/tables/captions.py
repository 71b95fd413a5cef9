"""Sentences of captions of tables: what their numbers are, and what a reviewer asks about them."""

from typing import TYPE_CHECKING

from nqbench.common import metrics
from nqbench.common.metrics import SCORE_NAME
from nqbench.common.units import counted, has_limit, is_time, percent, seconds
from nqbench.show.tables.columns import Sentence

if TYPE_CHECKING:
    import polars as pl

    from nqbench.summary import Measured


def name_metric(metric: str) -> str:
    """A metric in a sentence."""
    return metrics.noun(metric) if is_time(metric) else metrics.label(metric)


def explain_times(table: "pl.DataFrame", records: "pl.DataFrame", metric: str) -> list[Sentence]:
    """What the times of an `overview` are, and what its PAR-k is."""
    from nqbench.summary import par_of, sgm_column, sgm_of

    has_total = table["total_s"].is_not_null().any()
    of_medians = ("total_s", "; the total includes decoding") if has_total else ("solve_s", "")
    shift = sgm_of(table)
    return [
        (of_medians[0], f"Times are medians over the runs{of_medians[1]}."),
        explain_par(par_of(table), records, metric),
        *([] if shift is None else [(sgm_column(shift), _explain_sgm(shift, metric))]),
    ]


def explain_par(par: int, records: "pl.DataFrame", metric: str) -> Sentence:
    """What a PAR-k is."""
    from nqbench.summary import par_column

    mean = f"{name_metric(metric)}{_explain_unsolved_runs(par, records, metric)}"
    return par_column(par), f"PAR-{par} is the mean {mean}."


def _explain_sgm(shift: float, metric: str) -> str:
    """What the shifted geometric mean of an `overview` is."""
    by = seconds(shift) if is_time(metric) else f"{shift:g}"
    unsolved = ", with unsolved runs at the limit" if has_limit(metric) else ""
    return f"SGM is the geometric mean shifted by {by}{unsolved}."


def _explain_unsolved_runs(par: int, records: "pl.DataFrame", metric: str) -> str:
    """What an unsolved run counts as. Where a source states the limit, it is named."""
    from nqbench.common.metrics import PAR
    from nqbench.summary import imported, time_limits

    if not has_limit(metric):
        return ""
    times = "twice" if par == PAR else f"{par} times"
    time_limits_s = sorted(time_limits(records)) if imported(records) and is_time(metric) else []
    limits = " and ".join(f"{limit:g} s" for limit in time_limits_s)
    return f", with unsolved runs at {times} the limit{f' of {limits}' if limits else ''}"


def explain_pairing(records: "pl.DataFrame", metric: str) -> str:
    """How ratios pair two combinations: by problem, and what an unsolved run counts as."""
    from nqbench.summary import noun

    return f"{noun(records)} by {noun(records)}{explain_penalty(metric)}"


def explain_penalty(metric: str) -> str:
    """What an unsolved run counts as in a ratio."""
    return "; an unsolved run counts as twice the limit" if has_limit(metric) else ""


def explain_test(pairs: int, unit: str = "pair") -> list[Sentence]:
    """The tests of so many pairs of combinations."""
    from nqbench.summary.paired import LEVEL

    every = f"for all {counted(pairs, unit)} together"
    below = f"below {percent(LEVEL)}, a difference is decided"
    return [
        ("typical_ratio", "The typical ratio is the Hodges-Lehmann estimate."),
        ("typical_ratio low high", f"Low and high are its 95 % interval {every}."),
        (
            "p",
            "P is of signed ranks of the log ratios, where a problem that only one solved is "
            f"larger than any ratio, {every} by joint sign flips: {below}.",
        ),
        ("p_solved", f"P solved is that of who solves more, {every}."),
        ("mean_ratio", f"The mean ratio is that of {SCORE_NAME}; it is not tested."),
        (
            "mean_ratio mean_low mean_high",
            "Its interval is a percentile-t interval of this row only.",
        ),
    ]


def list_cautions(measured: "Measured") -> list[Sentence]:
    """What to keep in mind about a table."""
    from nqbench.summary.findings.cautions import Output, cautions

    return [("", caution) for caution in cautions(measured, Output.TABLE)]
