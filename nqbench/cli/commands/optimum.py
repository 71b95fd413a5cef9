"""`optimum`: find the best k of a problem, or the best value of a file's objective, shown from both
sides.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nqbench import api
from nqbench.cli.options.function_options import calling
from nqbench.cli.options.setting_options import lenient_option
from nqbench.cli.options.shared_options import folder_option, json_option
from nqbench.cli.printing.tables import print_table
from nqbench.cli.printing.terminal import Terminal
from nqbench.cli.printing.use_lines import print_use
from nqbench.common.errors import InputError
from nqbench.common.units import seconds
from nqbench.common.vocabulary import Answer
from nqbench.records.origin import Origin
from nqbench.show.tables.columns import Column, name_column
from nqbench.show.use import Subject, Use

if TYPE_CHECKING:
    from nqbench.campaign.optimum import Optimum, Step


def _print_step(step: "Step") -> None:
    open_answer = Answer.UNKNOWN if step.record.objective is not None else step.record.answer
    answers = {True: Answer.SAT, False: Answer.UNSAT, None: open_answer}
    answer = answers[step.has_solution] or step.record.outcome
    took = "" if step.record.solve_s is None else f" in {seconds(step.record.solve_s)}"
    click.echo(f"{step.problem}: {answer}{took}, {_evidence(step)}", err=True)


def _evidence(step: "Step") -> str:
    if step.has_solution is None:
        return step.record.message or str(step.record.verdict)
    if step.record.origin is Origin.IMPORTED:
        return f"imported from {step.record.imported_from}, not checked here"
    if step.record.origin is Origin.MERGED:
        return f"verified by {step.record.checked_by}, merged from {step.record.merged_from}"
    return f"verified by {step.shown_by}"


@click.command
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")
@calling(api.optimum, _print_step)
@lenient_option
@folder_option
@json_option
def optimum(
    files: tuple[Path, ...],
    family: str | None,
    n: Sequence[int] | None,
    lenient: bool | None,
    results: Path,
    as_json: bool,
    **settings: Any,
) -> int:
    """Find the least or the greatest k for which a problem has a solution, for each n; or the best
    value of the objective of FILEs: OPB with `min:` or `max:`, or WCNF.

    Each k that is asked for is a run with a record in the results folder, and its answer is checked
    as that of any run: a solution by the rules, `unsat` by a search or by a proof. The optimum is
    `proven` if the rules show both that there is a solution for it, and that there is none for the
    next better k; the rules of a file are its rows as the judge reads them. With weaker evidence,
    such as a proof about the formula of an encoding only, or records that were merged or imported,
    it is `best found`. If a run reaches its limit or its answer is not verified, it is `open`. Runs
    that are recorded are not measured again, but for those that were imported: see
    --reuse-imported. `nqbench plot --kind time-over-k` draws them.

    A file whose rows
    show that it has no model is `infeasible`. The exit status is 0 if every optimum is proven or
    infeasible, and otherwise 1.

    \b
    Examples:
      nqbench optimum --family queen-domination --n 1..10
      nqbench optimum --family squares-free:squares=all --n 5 --backend glucose4
      nqbench optimum --family squares-free:k=4 --n 6 --search binary
      nqbench optimum --family squares-free:k=4 --n 6 --search incremental
      nqbench optimum --family queen-domination --n 8..12 --time-limit 10m --json
      nqbench optimum knapsack.opb cover.wcnf --encoding adder --search binary
      nqbench optimum knapsack.opb --backend rc2
    """
    from nqbench.problems.families.cnf import formulas

    if bool(files) == bool(family) or bool(family) != bool(n):
        raise InputError("nothing to optimise: give --family and --n, or files")
    found: list[Optimum] = Terminal.current().found
    try:
        every = [formula for file in files for formula in formulas(file, lenient=bool(lenient))]
        api.optimum(family or every, n, results=results, **settings)
    finally:
        # What was finished before Ctrl-C or an error is shown as well.
        if found:
            _print(found, as_json)
            if not as_json:
                click.echo()
                print_use(_use_of(found[-1]))
    return 0 if all(each.is_settled for each in found) else 1


def _print(optima: "Iterable[Optimum]", as_json: bool) -> None:
    rows = [_row(each) for each in optima]
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    is_file = bool(rows[0]["instance"])
    columns = [
        name_column("instance" if is_file else "family"),
        *([] if is_file else [Column("n")]),
        Column("best", title="best objective" if is_file else f"{rows[0]['better']} k"),
        Column("excluded", 5, title="none with"),
        Column("runs", 3),
        Column("solve_s", 4, title="solve (s)"),
        Column("shown_by", 6, title="shown by"),
        Column("state", 9),
    ]
    print_table(columns, [row | {"shown_by": _sides(row)} for row in rows])


def _use_of(optimum: "Optimum") -> Use | None:
    """How to ask for the best k as it was asked for."""
    steps = [step for step in optimum.steps if step.k == optimum.best]
    if not steps or optimum.n is None:
        return None
    record = steps[-1].record
    subject = Subject.of_family(f"{optimum.family}:k={optimum.best}", optimum.n)
    return Use.of(subject, record.encoding, record.backend, record.backend_version)


def _sides(row: dict[str, Any]) -> str:
    """What shows that there is a solution, and that there is none for the next better k."""
    sides = row["best_shown_by"], row["excluded_shown_by"]
    return ", ".join(filter(None, sides)) or "-"


def _row(each: "Optimum") -> dict[str, Any]:
    return {
        "family": each.family,
        "n": each.n,
        "instance": each.instance,
        "better": each.better.value,
        "best": each.best,
        "excluded": each.excluded,
        "runs": len(each.records),
        "solve_s": sum(record.solve_s or 0.0 for record in each.records),
        "state": each.state,
        "best_shown_by": each.best_shown_by,
        "excluded_shown_by": each.excluded_shown_by,
        "solution": each.solution and [list(option) for option in each.solution],
    }
