"""`optimum`: find the best k of a problem, or the best value of a file's objective, shown from both
sides.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from nqbench.campaign.execution import Execution
from nqbench.campaign.request import Reuse
from nqbench.cli.options.results_folder import tell, this_command
from nqbench.cli.options.setting_options import setting_option
from nqbench.cli.options.shared_options import (
    BACKEND,
    ENCODING,
    FAMILY,
    RANGE,
    OneOf,
    folder_option,
    json_option,
    limits_option,
)
from nqbench.cli.printing.tables import print_table
from nqbench.cli.printing.use_lines import print_use
from nqbench.cli.printing.waiting import WaitingLine
from nqbench.common.errors import InputError
from nqbench.common.limits import Limits
from nqbench.common.units import seconds
from nqbench.common.vocabulary import Answer, KOrder
from nqbench.records import settings
from nqbench.records.origin import Origin
from nqbench.show.tables.columns import Column, name_column
from nqbench.show.use import Subject, Use

if TYPE_CHECKING:
    from nqbench.campaign.optimum import Optimum, Step

T = TypeVar("T")


@click.command
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")
@click.option(
    "--family",
    type=FAMILY,
    help="A family with a k, such as queen-domination; the search begins at its k.",
)
@click.option("-n", "--n", "sizes", type=RANGE, metavar="RANGE", help="Sizes of the family.")
@click.option(
    "--backend", default="cadical195", show_default=True, type=BACKEND, help="The backend to use."
)
@click.option(
    "--encoding",
    type=ENCODING,
    help="The encoding to use. [sequential; totalizer for an incremental search; adder for files "
    "with weights]",
)
@click.option(
    "--search",
    type=OneOf(KOrder),
    help="One k or objective after another, or in the middle of those that are still possible; of "
    "a family, one after another by one solver, which keeps what it has learned; of a file, by the "
    "solver's own search. [linear; solver for files and a backend that optimises, such as rc2]",
)
@limits_option("each run", "1h")
@setting_option(settings.BY_NAME["reuse-imported"])
@folder_option
@json_option
def optimum(
    files: Sequence[Path],
    family: str | None,
    sizes: Sequence[int] | None,
    backend: str,
    encoding: str | None,
    search: str | None,
    limits: Limits,
    reuse_imported: bool,
    results: Path,
    as_json: bool,
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

    The exit status is 0 if every optimum is proven, and otherwise 1.

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
    from nqbench.campaign.job import Job
    from nqbench.campaign.optimum import file_optima, optima
    from nqbench.problems.families.cnf import formulas

    if bool(files) == bool(family) or bool(family) != bool(sizes):
        raise InputError("nothing to optimise: give --family and --n, or files")
    waiting = _Waiting("looking for the optimum")
    job = Job(
        runs=(),
        execution=Execution.usual(pin=False),
        reuse=Reuse(reuse_imported=reuse_imported),
        folder=results,
        command=this_command(),
        tell=waiting.printing(tell),
    )
    found: list[Optimum] = []
    how: dict[str, Any] = {
        "encoding": encoding,
        "backend": backend,
        "limits": limits,
        "order": KOrder(search) if search else None,
        "note": waiting.printing(_tell),
        "watch": waiting.show,
    }
    waiting.start()
    try:
        if family and sizes:
            found.extend(optima(family, sizes, job, **how))
        else:
            every = [formula for file in files for formula in formulas(file)]
            found.extend(file_optima(every, job, **how))
    finally:
        waiting.end()
        # What was finished before Ctrl-C or an error is shown as well.
        if found:
            _print(found, as_json)
            if not as_json:
                click.echo()
                print_use(_use_of(found[-1]))
    return 0 if all(each.is_proven for each in found) else 1


class _Waiting:
    """A line that is shown between what is printed about the runs."""

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self._line = WaitingLine(doing)

    def start(self) -> None:
        self._line = WaitingLine(self._doing)
        self._line.start()

    def show(self, doing: str) -> None:
        self._line.doing = self._doing = doing

    def end(self) -> None:
        self._line.end()

    def printing(self, tell: Callable[[T], None]) -> Callable[[T], None]:
        """The function, which prints in place of the line."""

        def tell_instead(subject: T) -> None:
            self.end()
            tell(subject)
            self.start()

        return tell_instead


def _tell(step: "Step") -> None:
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
