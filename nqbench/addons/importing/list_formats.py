"""`list formats`: the formats of results that can be imported."""

import click

from nqbench.addons.importing.base import Format, format_names
from nqbench.cli.face import (
    format_option,
    parameters_of,
    print_components,
)
from nqbench.common.errors import UnavailableError
from nqbench.show.tables.columns import Column, name_column


@click.command
@format_option
def formats(kind: str, width: str) -> None:
    """List formats of results that `nqbench import` reads, by the names that its --from takes.

    \b
    Examples:
      nqbench list formats
      nqbench list formats --json
    """
    columns = [
        name_column("name"),
        Column("meaning", 9, wraps=24),
        Column("files", 4, wraps=12),
        Column("parameters", 2, wraps=16),
        Column("reference", 3, wraps=24),
    ]
    facts = [_format_facts(name) for name in format_names()]
    print_components(
        columns, facts, kind, width, "formats", "Formats of results that can be imported"
    )


def _format_facts(name: str) -> dict[str, object]:
    facts: dict[str, object] = dict.fromkeys(("name", "meaning", "files", "parameters"))
    try:
        importer = Format.named(name)
    except UnavailableError as error:
        return facts | {"name": name, "meaning": f"unavailable: {error}", "reference": None}
    return {
        "name": name,
        "meaning": importer.meaning,
        "files": " ".join(importer.suffixes) or None,
        "parameters": parameters_of(importer),
        "reference": importer.reference or None,
    }
