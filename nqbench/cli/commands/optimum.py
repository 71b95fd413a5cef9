"""`optimum`: find the best k of a problem, or the best value of a file's objective, shown from both
sides.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from nqbench import api
from nqbench.cli.options.function_options import calling, lenient_option
from nqbench.cli.options.shared_options import folder_option, json_option
from nqbench.cli.printing.sentences import print_use
from nqbench.cli.printing.tables import print_table
from nqbench.cli.printing.terminal import Terminal
from nqbench.common.errors import InputError
from nqbench.common.files import write
from nqbench.common.units import seconds
from nqbench.common.vocabulary import Answer, Task
from nqbench.problems.families.cnf import Formula, formulas
from nqbench.records.origin import Origin
from nqbench.show.tables.columns import Column, name_column
from nqbench.show.use import Subject, Use

if TYPE_CHECKING:
    from nqbench.campaign.optimum import Optimum, Step


def _print_step(step: "Step") -> None:
    if step.record.task is Task.BEST and isinstance(step.problem, Formula):
        return  # one run, of which a sentence says what it found
    open_answer = Answer.UNKNOWN if step.record.value is not None else step.record.answer
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


def _describe(optimum: "Optimum") -> str:
    """What was found for the objective of a file, in a sentence."""
    name, best = optimum.instance, optimum.best
    if optimum.flaw:
        return f"{optimum.flaw}: no solver was asked"
    record = next(
        (step.record for step in optimum.steps if step.k == best and step.has_solution),
        optimum.steps[-1].record,
    )
    found_s = record.solve_s if record.solve_s is not None else record.objective_s
    took = "" if found_s is None else f" after {seconds(found_s)}"
    by = f"by {record.backend}{took}"
    shown = optimum.excluded_shown_by
    if best is None and optimum.is_settled:
        return f"{name}: no model, {by}: {shown}"
    last = optimum.steps[-1].record
    why = f" ({last.message})" if last.message else ""
    hint = _another_backend(optimum)
    if best is None:
        says = ", which says that there is no model" if optimum.claim else ""
        return f"{name}: no value {by}{says}; it is open{why or f' ({last.outcome})'}{hint}"
    after = best + optimum.better.step
    if shown is not None:
        return f"{name}: {best} {by}; that none has {after}: {shown}"
    if optimum.claim:
        return f"{name}: {best} {by}, which says that none is better; not checked{why}"
    return f"{name}: {best} {by}; whether one has {after} is open{why}{hint}"


def _another_backend(optimum: "Optimum") -> str:
    """Which other backend to try on a file, in words; empty if there is none."""
    from nqbench.campaign.optimum import able_optimisers

    formula, tried = optimum.steps[0].problem, {step.record.backend for step in optimum.steps}
    if not isinstance(formula, Formula):
        return ""
    other = next((name for name in able_optimisers(formula) if name not in tried), None)
    return f"; try --backend {other}" if other else ""


@click.command
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")
@calling(api.optimum, _print_step)
@lenient_option
@folder_option
@json_option
@click.option(
    "--solution",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the model with the best value of a file to this file, as `v` lines.",
)
def optimum(
    files: tuple[Path, ...],
    family: str | None,
    n: Sequence[int] | None,
    lenient: bool | None,
    results: Path,
    as_json: bool,
    solution: Path | None,
    **settings: Any,
) -> int:
    """Find the least or the greatest k for which a problem has a solution, for each n; or the best
    value of the objective of FILEs: OPB with `min:` or `max:`, or WCNF.

    Each k that is asked for is a run with a record in the results folder, and its answer is checked
    as that of any run: a solution by the rules, `unsat` by a search or by a proof. The optimum is
    `optimal` if the rules show both that there is a solution for it, and that there is none for the
    next better k; the rules of a file are its rows as the judge reads them. It is `claimed` if the
    second side rests on less, such as the word of a solver, a proof about the formula of an
    encoding only, or records that were merged or imported. It is `best found` if nobody says that
    none is better, and `open` if there is no verified solution. A file whose rows show that it has
    no model is `infeasible`. Of several files, one that is wrong is `invalid`, and one on which the
    two readers of nqbench differ is `ambiguous`.

    The model of a file is printed as a line `v` in the file's own names; --solution writes it.
    Runs that are recorded are not measured again, but for those that were imported: see
    --reuse-imported. `nqbench plot --kind time-over-k` draws them. The exit status is 0 if every
    optimum is optimal or infeasible, 2 if a file is ambiguous or invalid, and otherwise 1.

    \b
    Examples:
      nqbench optimum --family queen-domination --n 1..10
      nqbench optimum --family squares-free:squares=all --n 5 --backend glucose4
      nqbench optimum --family squares-free:k=4 --n 6 --search binary
      nqbench optimum --family squares-free:k=4 --n 6 --search incremental
      nqbench optimum --family queen-domination --n 8..12 --time-limit 10m --json
      nqbench optimum knapsack.opb cover.wcnf --encoding adder --search binary
      nqbench optimum knapsack.opb --backend rc2 --solution best.txt
    """
    if bool(files) == bool(family) or bool(family) != bool(n):
        raise InputError("nothing to optimise: give --family and --n, or files")
    if solution is not None and len(files) != 1:
        raise InputError("--solution is for one file: name it")
    found: list[Optimum] = Terminal.current().found
    try:
        every = [formula for file in files for formula in formulas(file, lenient=bool(lenient))]
        api.optimum(family or every, n, results=results, **settings)
    finally:
        # What was finished before Ctrl-C or an error is shown as well.
        if found:
            _print(found, as_json)
            if solution is not None and found[0].model_text:
                write(solution, f"{_values(found[0])}\n".encode())
            if not as_json and not files:
                click.echo()
                print_use(_use_of(found[-1]))
    if any(each.flaw for each in found):
        return 2
    return 0 if all(each.is_settled for each in found) else 1


def _print(optima: "Sequence[Optimum]", as_json: bool) -> None:
    rows = [_row(each) for each in optima]
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    if rows[0]["n"] is None:
        _print_files(optima, rows)
        return
    columns = [
        name_column("family"),
        Column("n"),
        Column("best", title=f"{rows[0]['better']} k"),
        Column("excluded", 5, title="none with"),
        Column("runs", 3),
        Column("solve_s", 4, title="solve (s)"),
        Column("shown_by", 6, title="shown by"),
        Column("state", 9),
    ]
    print_table(columns, [row | {"shown_by": _sides(row)} for row in rows])


def _print_files(optima: Sequence["Optimum"], rows: Sequence[dict[str, Any]]) -> None:
    """A table of files, and the model of each."""
    for each in optima:
        click.echo(_describe(each), err=True)
    columns = [
        name_column("instance", title="file"),
        Column("best"),
        Column("bound"),
        Column("state"),
        Column("shown_by", 6, title="shown by"),
        Column("says", 5, title="solver says"),
        Column("solve_s", 4, title="solve (s)"),
    ]
    without = {each.instance for each in optima if each.has_no_objective}
    states = {name: {"state": "no objective"} for name in without}
    print_table(
        columns,
        [row | {"shown_by": _sides(row)} | states.get(row["instance"], {}) for row in rows],
    )
    for each in optima:
        if text := _values(each):
            if len(optima) > 1:
                click.echo(f"c {each.instance}")
            click.echo(text if len(text) <= _LONGEST else _shortened(text))


def _values(optimum: "Optimum") -> str:
    """The line with the model of a file."""
    return optimum.model_text.removesuffix(" 0")


_LONGEST: Final = 4_000
"""Characters of the line with a model that are printed."""


def _shortened(text: str) -> str:
    shown = text[:_LONGEST].rpartition(" ")[0]
    return f"{shown} ...\nc all values: --solution FILE, or --json"


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
    sides = [row["best_shown_by"], row["excluded_shown_by"]]
    if row["says"] and sides[1] is None:
        sides[1] = row["claimed_by"] if sides[0] else f"{row['claimed_by']} says {row['says']}"
    return ", ".join(filter(None, sides)) or "-"


def _row(each: "Optimum") -> dict[str, Any]:
    claim, is_file = each.claim, each.n is None
    says = None if claim is None else "optimal" if each.best is not None else "infeasible"
    return {
        "family": each.family,
        "n": each.n,
        "instance": each.instance,
        "better": each.better.value,
        "best": each.best,
        "excluded": each.excluded,
        "bound": each.bound,
        "runs": len(each.records),
        "solve_s": sum(record.solve_s or 0.0 for record in each.records),
        "state": each.state,
        "best_shown_by": each.best_shown_by,
        "excluded_shown_by": each.excluded_shown_by,
        "says": says,
        "claimed_by": None if claim is None else claim.backend,
        "flaw": each.flaw or None,
        "solution": (_values(each).split()[1:] or None)
        if is_file
        else each.solution and [list(option) for option in each.solution],
    }
