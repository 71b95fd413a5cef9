"""What the site has besides the pages in `docs`: the page of the reference campaigns with its
plots, the reports of the gallery, and the help texts of the commands.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path

import click
from mkdocs.structure.files import File, Files

from nqbench.cli.app import app, commands
from nqbench.cli.every_command import whole_help
from nqbench.show.report.contents import Contents
from nqbench.show.report.page import render

ROOT = Path(__file__).parents[1]
REFERENCE = "results/reference/"
GALLERY = ROOT / "docs" / "gallery.md"
REPORT = re.compile(r"^<!-- report: (.+) -->$", re.MULTILINE)
HELP_TEXTS = "<!-- help texts -->"
WIDTH = 80
"""Columns of a help text, whatever the terminal has."""


def on_files(files: Files, config) -> Files:
    """Add the page of the reference campaigns, with its plots, and the reports of the gallery."""
    for source in sorted((ROOT / REFERENCE).rglob("*.*")):
        if source.suffix in {".md", ".png"}:
            name = source.relative_to(ROOT).as_posix()
            files.append(File.generated(config, name, abs_src_path=str(source)))
    for campaign in REPORT.findall(GALLERY.read_text()):
        files.append(File.generated(config, f"gallery/{campaign}.html", content=report(campaign)))
    return files


@cache
def report(campaign: str) -> str:
    """The page of a reference campaign. While the site is served, it is made once."""
    return render(Contents.read(ROOT / REFERENCE / campaign / "records.csv", campaign))


def on_page_markdown(markdown: str, **_) -> str:
    """Put in the help texts and the links to reports, and shorten links to and from the reference
    campaigns: these are beside `docs` in a clone, and among the pages in the site.
    """
    if HELP_TEXTS in markdown:
        markdown = markdown.replace(HELP_TEXTS, "\n\n".join(help_texts()))
    markdown = REPORT.sub(r"[Open the report of \1](gallery/\1.html)", markdown)
    return markdown.replace("../../docs/", "../../").replace(f"../{REFERENCE}", REFERENCE)


def help_texts() -> Iterator[str]:
    """What `--help` prints for nqbench and for each command, in its groups.

    mkdocs-click would sort the commands, put all options of a command under one heading, and make
    one paragraph of its examples.
    """
    yield from help_text(app, "nqbench")
    top = click.Context(app, info_name="nqbench", **app.context_settings)
    for heading, group in groupby(commands().items(), lambda each: each[1].heading):
        yield f"### {heading}"
        for name, _ in group:
            command = app.get_command(top, name)
            assert command is not None
            yield from help_text(command, name, top)


def help_text(
    command: click.Command, name: str, parent: click.Context | None = None
) -> Iterator[str]:
    """What `--help-all` prints for a command, and for those below it."""
    context = click.Context(
        command, info_name=name, parent=parent, terminal_width=WIDTH, **command.context_settings
    )
    yield f"#### `{context.command_path}`\n\n```text\n{whole_help(context)}\n```"
    if parent is not None and isinstance(command, click.Group):
        for below in command.list_commands(context):
            if child := command.get_command(context, below):
                yield from help_text(child, below, context)
