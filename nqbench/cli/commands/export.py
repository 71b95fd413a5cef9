"""`export`: write the records of a store for other tools; `schema`: what a line of them is."""

import json
import sys
from pathlib import Path

import click

from nqbench.cli.options.results_folder import where_option
from nqbench.cli.options.shared_options import PATH, OneOf, output_option, results_option
from nqbench.cli.printing.waiting import shown_while_waiting
from nqbench.common import files
from nqbench.common.errors import InputError
from nqbench.plugins.declared import SCHEMAS, declared
from nqbench.results import Results
from nqbench.show.exports import FORMATS


@click.command
@results_option
@where_option
@click.option(
    "--format",
    "kind",
    type=OneOf(list(FORMATS)),
    required=True,
    help=" ".join(form.help for form in FORMATS.values() if form.help),
)
@output_option(
    "Write to this file, or folder for mkplot, instead of standard output.",
    PATH,
)
def export(results: Path, where: str | None, kind: str, output: Path | None) -> None:
    """Write the records, sorted so that two exports can be compared line by line.

    \b
    Examples:
      nqbench export --format csv --output records.csv
      nqbench export --format csv --where "n >= 16" --output large.csv
      nqbench export --format conditions --output conditions.json
      nqbench export --format github-action-benchmark --output benchmarks.json
      nqbench export --format mkplot --output plots && mkplot.py plots/*.json
    """
    if output is None and FORMATS[kind].needs_output:
        raise InputError(FORMATS[kind].needs_output)
    with shown_while_waiting(f"exporting {results}"):
        content = Results(results, where=where).export(kind, output)
    if output is None:
        assert isinstance(content, bytes)
        sys.stdout.buffer.write(content)


@click.command
@click.argument(
    "of", metavar="[WHAT]", type=OneOf(["record", *declared(SCHEMAS)]), default="record"
)
@output_option("Write to this file instead of standard output.")
def schema(of: str, output: Path | None) -> None:
    """Print the JSON Schema of a record: of each line of `export --format jsonl`; or with a WHAT
    such as `comparison`, of the document that the command of an add-on prints. Its `$id` ends with
    the version.

    \b
    Examples:
      nqbench schema
      nqbench schema --output record.schema.json
    """
    if of == "record":
        from nqbench.records.json_schema import document
    else:
        document = declared(SCHEMAS)[of].load()

    content = json.dumps(document(), indent=2) + "\n"
    if output is None:
        click.echo(content, nl=False)
    else:
        files.write(output, content.encode())
