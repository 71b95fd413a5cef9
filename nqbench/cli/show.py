"""`list`: what can be named on the command line."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

import click

from nqbench.cli.options import BOARD_SIZE
from nqbench.cli.tables import print_table
from nqbench.errors import UnavailableError
from nqbench.plugins import backend_names, encoding_names, load_encoding
from nqbench.problem import FAMILIES, Problem


@click.group(name="list", short_help="What encodings, backends and families there are.")
def list_() -> None:
    """List what can be named on the command line.

    \b
    Examples:
      nqbench list encodings --n 16
      nqbench list backends --json
    """


_json_option = click.option("--json", "as_json", is_flag=True, help="One JSON array of objects.")


@list_.command()
@click.option("--n", type=BOARD_SIZE, default=8, show_default=True, help="Size of the formulas.")
@_json_option
def encodings(n: int, as_json: bool) -> None:
    """Encodings: what each writes for a board, its parameters, and where it comes from."""
    _show([_encoding_facts(name, n) for name in encoding_names()], as_json)


def _encoding_facts(name: str, n: int) -> dict[str, object]:
    from nqbench import instance

    nothing = asdict(instance.Size())
    try:
        encoding = load_encoding(name)
        encoding.probe()
    except UnavailableError as error:
        return {"name": name, **nothing, "parameters": None, "reference": f"unavailable: {error}"}
    try:
        made = encoding.encode(Problem(n))
        if not isinstance(made, Problem):
            made.check()
    except Exception as error:
        reason = f"fails at n={n}: {type(error).__name__}: {error}"
        return {"name": name, **nothing, "parameters": None, "reference": reason}
    return {
        "name": name,
        **asdict(instance.size(made)),
        "parameters": " ".join(f"{key}={p.default}" for key, p in encoding.parameters.items()),
        "reference": encoding.reference,
    }


@list_.command()
@_json_option
def backends(as_json: bool) -> None:
    """Backends, and whether each works here: each solves a formula of two clauses to show it."""
    from nqbench.runner import unavailable
    from nqbench.server import Prepare

    names = backend_names()
    reasons = unavailable(Prepare(encodings=[], backends=names))
    _show(
        [
            {"name": name, "available": name not in reasons, "reason": reasons.get(name)}
            for name in names
        ],
        as_json,
    )


@list_.command()
@_json_option
def families(as_json: bool) -> None:
    """Problem families."""
    _show([{"name": name} for name in FAMILIES], as_json)


def _show(rows: Sequence[Mapping[str, object]], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(rows, indent=2))
    else:
        print_table(list(rows[0]), [list(row.values()) for row in rows])
