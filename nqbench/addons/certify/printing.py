"""Prints what was shown about formulas, with the boards that refute them."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from nqbench.cli.face import (
    print_table,
    print_wrapped,
)
from nqbench.common.printable import printable
from nqbench.show.tables.columns import Column, name_column

if TYPE_CHECKING:
    from nqbench.addons.certify.formula_verdict import FormulaVerdict

_COLUMNS: Final = (
    name_column("formula"),
    name_column("problem"),
    Column("variables", 2),
    Column("clauses", 1),
    Column("kept", 4),
    Column("solutions", 3),
    Column("only_solutions", 5),
    Column("every_solution", 5),
    Column("wall_s", 2, title="s"),
    Column("result"),
)


def print_verdicts(verdicts: "Sequence[FormulaVerdict]", as_json: bool) -> None:
    """Print a table, and why each formula is refuted or open."""
    for verdict in verdicts:
        for note in verdict.notes:
            click.echo(f"nqbench: {verdict.formula}: {printable(note)}", err=True)
    if as_json:
        click.echo(json.dumps(list(map(_facts, verdicts)), indent=2))
        return
    print_table(_COLUMNS, map(_row, verdicts))
    for verdict in verdicts:
        _print_reasons(verdict)
    relied_on = list(dict.fromkeys(basis for verdict in verdicts for basis in verdict.relied_on))
    if relied_on:
        click.echo()
        print_wrapped(f"These results rely on {', '.join(relied_on)}.")


def _print_reasons(verdict: "FormulaVerdict") -> None:
    directions = {
        "only solutions": verdict.only_solutions,
        "every solution": verdict.every_solution,
    }
    for name, direction in directions.items():
        if not direction.message:
            continue
        click.echo()
        print_wrapped(f"{verdict.formula}: {name}: {printable(direction.message, 400)}.")
        if direction.witness is not None:
            click.echo(verdict.problem.drawing(direction.witness))
    if verdict.hint:
        click.echo()
        print_wrapped(f"{verdict.formula}: hint: {verdict.hint}.")
        for line in verdict.hint_lines:
            click.echo(f"  {line}")


def _row(verdict: "FormulaVerdict") -> dict[str, Any]:
    return {
        "formula": verdict.formula,
        "problem": str(verdict.problem),
        "variables": verdict.variables,
        "clauses": verdict.clauses,
        "kept": verdict.kept,
        "solutions": verdict.solutions,
        "only_solutions": verdict.only_solutions.state,
        "every_solution": verdict.every_solution.state,
        "wall_s": verdict.wall_s,
        "result": verdict.result,
    }


def _facts(verdict: "FormulaVerdict") -> dict[str, Any]:
    return {
        **_row(verdict),
        "keep": verdict.keep,
        "messages": verdict.messages,
        "witness": verdict.witness,
        "drawing": verdict.drawing,
        "hint": verdict.hint,
        "hint_lines": verdict.hint_lines,
        "notes": verdict.notes,
        "relied_on": verdict.relied_on,
    }
