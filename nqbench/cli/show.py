"""`list`: what can be named on the command line."""

import json
from collections.abc import Mapping, Sequence

import click

from nqbench.cli.tables import print_table
from nqbench.errors import UnavailableError
from nqbench.plugins import backend_names, encoding_names, load_encoding
from nqbench.problem import FAMILIES


@click.group(name="list", short_help="What encodings, backends and families there are.")
def list_() -> None:
    """List what can be named on the command line.

    \b
    Examples:
      nqbench list encodings
      nqbench list backends --json
    """


_json_option = click.option("--json", "as_json", is_flag=True, help="One JSON array of objects.")


@list_.command()
@_json_option
def encodings(as_json: bool) -> None:
    """Encodings, and where each comes from."""
    rows = []
    for name in encoding_names():
        try:
            encoding = load_encoding(name)
            rows.append(
                {"name": name, "version": encoding.version, "reference": encoding.reference}
            )
        except UnavailableError as error:
            rows.append({"name": name, "version": None, "reference": str(error)})
    _show(rows, as_json)


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
