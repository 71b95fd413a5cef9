"""`plot`: draw the figures of a store."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from nqbench.cli.options.results_folder import (
    draw_chosen,
    name_option,
    tell_outdated,
    unit_option,
    where_option,
)
from nqbench.cli.options.shared_options import (
    FOLDER,
    Name,
    metric_option,
    output_option,
    results_option,
    unique_names,
)
from nqbench.cli.printing.waiting import shown_while_waiting
from nqbench.common import metrics
from nqbench.common.errors import InputError
from nqbench.common.metrics import SCORE_NAME
from nqbench.common.spelling import match_name
from nqbench.results import Results
from nqbench.show.paper import CLASSES, WIDTHS, paper


def _kinds() -> Iterable[str]:
    from nqbench.show import plots

    return plots.KINDS


def _formats() -> Iterable[str]:
    from nqbench.show import plots

    return plots.FORMATS


def _check_used(kinds: Sequence[str], metric: str, pairs: Sequence[str]) -> None:
    """Raise `InputError` for an option that none of these plots uses."""
    from nqbench.show import plots

    parameters = {name for kind in kinds for name in plots.KINDS[kind].told}
    if pairs and "pairs" not in parameters:
        raise InputError("--pair is for the plot scatter: add --kind scatter, or leave it out")
    if metric != metrics.USUAL and "time" not in parameters:
        raise InputError(f"{' and '.join(kinds)} can show no other metric: leave out --metric")


@click.command(name="plot")
@results_option
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=Name(_kinds),
    help="Which plots: repeat, or separate by comma. [all]",
)
@where_option
@unit_option
@name_option
@metric_option("What to show, in plots that can show any metric")
@click.option(
    "--pair",
    "pairs",
    multiple=True,
    metavar="'ENCODING x BACKEND'",
    help="For scatter: give it twice, for the x-axis and the y-axis. "
    f"[the two of least {SCORE_NAME}, "
    "highlighted ones first]",
)
@click.option(
    "--width",
    type=Name(lambda: [*WIDTHS, *CLASSES]),
    default="two",
    show_default=True,
    help="Columns of a paper: one is 3.4 inches wide, two are 7 inches. Or the text width of a "
    f"class: {', '.join(CLASSES)}. Or a length: 12.2cm, 85mm, 3.3in, 345pt.",
)
@click.option(
    "--format",
    "formats",
    multiple=True,
    type=Name(_formats),
    help="png, svg, pdf or pgf, which LaTeX sets in the font of the paper: repeat, or separate by "
    "comma; 'all' for the first three. [png,svg]",
)
@click.option(
    "--highlight",
    multiple=True,
    metavar="'ENCODING x BACKEND'",
    help="Draw this combination, or all of an encoding or a backend, in strong colours and all "
    "others in grey; repeatable.",
)
@click.option(
    "--no-title",
    is_flag=True,
    help="Leave out the title, as for a paper, and write the caption for LaTeX to KIND.tex.",
)
@output_option("Folder for the pictures. [RESULTS/plots]", FOLDER)
def plot(
    results: Path,
    kinds: tuple[str, ...],
    where: str | None,
    unit: str | None,
    shown: tuple[str, ...],
    metric: str,
    pairs: tuple[str, ...],
    width: str,
    formats: tuple[str, ...],
    highlight: tuple[str, ...],
    no_title: bool,
    output: Path | None,
) -> None:
    """Draw plots of the records in the store, for a screen or a paper. Each family has its own
    panels.

    \b
    Examples:
      nqbench plot --results results
      nqbench plot --kind total-over-n,sizes --output pictures
      nqbench plot --kind time-over-n --where "n >= 16" --metric total_s
      nqbench plot --kind cactus --width llncs --format pdf --no-title
      nqbench plot --kind cactus --highlight 'product x pyeda' --no-title
      nqbench plot --kind scatter --pair 'pairwise x pyeda' --pair 'log x pyeda'
    """
    from nqbench import summary
    from nqbench.show import plots

    if pairs and len(pairs) != 2:
        raise InputError("--pair must be given twice, once for each axis, or not at all")
    names = unique_names(kinds, ("all",), lambda: ["all"])
    chosen_kinds = [match_name("plot", kind, plots.KINDS) for kind in names if kind != "all"]
    saved = unique_names(formats, plots.USUAL_FORMATS, lambda: plots.WITHOUT_LATEX)
    plots.check_formats(saved)
    paper(width)
    result_set = Results(results, where=where, names=shown, unit=unit)
    tell_outdated(result_set)
    with shown_while_waiting(f"reading {results}"):
        records = result_set.chosen
    metric = summary.metric(records, metric)
    drawn = plots.kinds_of(records) if "all" in names else chosen_kinds
    _check_used(drawn, metric, pairs)
    for kind in drawn:
        plots.check(records, kind)
    folder = output or result_set.folder / "plots"
    draw_chosen(
        records, folder, drawn, saved, time=metric, pairs=[*map(result_set.shown_name, pairs)],
        width=width, highlight=[*map(result_set.shown_name, highlight)], title=not no_title,
    )  # fmt: skip
