"""What the site takes from elsewhere, so that it cannot be out of date: pictures of encodings and
the help of commands from the code, and the reference campaigns from the folder beside this one.
"""

import inspect
import io
import re
import sys
from pathlib import Path

import click
import numpy as np
from matplotlib.figure import Figure
from mkdocs.structure.files import File, Files

from nqbench.cli.app import app
from nqbench.encodings.lines import LineEncoding
from nqbench.instances.cnf import CNF
from nqbench.plugins import encoding_names, load_encoding
from nqbench.problems.base import Problem
from nqbench.vocabulary import Form

ROOT = Path(__file__).parents[1]
REFERENCE = "results/reference/"
IN_A_CLONE = re.compile(r"^<!-- in a clone -->\n(?:.+\n)+\n?", re.MULTILINE)
TRUE, FALSE, EDGE = "#0072B2", "#D55E00", "#888888"
SQUARES = 8
ROWS = 4


def on_files(files: Files, config) -> Files:
    """Add a picture of each encoding, and the page of the reference campaigns with its plots."""
    for source in sorted((ROOT / REFERENCE).rglob("*.*")):
        if source.suffix in {".md", ".png"}:
            name = source.relative_to(ROOT).as_posix()
            files.append(File.generated(config, name, abs_src_path=str(source)))
    for name in encoding_names():
        if shown := formula(name):
            content = picture(shown)
            files.append(File.generated(config, f"pictures/{name}.svg", content=content))
    return files


def on_page_markdown(markdown: str, **_) -> str:
    """Put what is taken from the code in the place of its marker, leave out what is said to readers
    of a clone, and take one `../` from links to the reference campaigns: these lie beside `docs`
    in a clone, and in the site among the pages.
    """
    markdown = IN_A_CLONE.sub("", markdown).replace(f"../{REFERENCE}", REFERENCE)
    markdown = markdown.replace("<!-- encodings -->", "\n".join(map(section, encoding_names())))
    return markdown.replace("<!-- commands -->", "\n".join(commands(app, "nqbench")))


def formula(name: str) -> CNF | None:
    """An at-most-one scheme on one line, or an encoding of a whole small board."""
    encoding = load_encoding(name)
    if encoding.makes is not Form.CNF:
        return None
    if isinstance(encoding, LineEncoding) and encoding.state == "both":
        return encoding.at_most_one(SQUARES)
    return encoding.clauses(Problem(ROWS))


def picture(cnf: CNF) -> str:
    """A column for each clause, a row for each variable; those of the board above the line."""
    clauses = list(cnf.clauses())
    grid = np.zeros((cnf.num_variables, len(clauses)))
    for column, clause in enumerate(clauses):
        for literal in clause:
            grid[abs(literal) - 1, column] = np.sign(literal)
    figure = Figure(figsize=(0.4 + 0.11 * grid.shape[1], 0.4 + 0.11 * grid.shape[0]))
    axes = figure.add_axes((0, 0, 1, 1))
    for sign, colour, marker in ((1, TRUE, "o"), (-1, FALSE, "|")):
        rows, columns = np.nonzero(grid == sign)
        axes.scatter(columns, rows, s=14, c=colour, marker=marker)
    if cnf.board < cnf.num_variables:
        axes.axhline(cnf.board - 0.5, color=EDGE, lw=0.8)
    axes.set(xlim=(-1, grid.shape[1]), ylim=(grid.shape[0], -1))
    axes.set_axis_off()
    file = io.StringIO()
    figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    return file.getvalue()


def section(name: str) -> str:
    """The encoding's own words, and its picture."""
    encoding = load_encoding(name)
    words = inspect.cleandoc(sys.modules[type(encoding).__module__].__doc__ or "")
    words = re.sub(r"^`[\w-]+`: ", "", words).partition("\n>>>")[0]
    lines = [f"## `{name}`", "", words[:1].upper() + words[1:], ""]
    if shown := formula(name):
        what = f"a line of {SQUARES} squares" if shown.board == SQUARES else f"{ROWS} rows"
        size = f"{shown.num_variables} variables, {shown.num_clauses} clauses"
        lines += [f"![The clauses of {name} on {what}](../pictures/{name}.svg)", ""]
        lines += [f"*{what[0].upper()}{what[1:]}: {size}.*", ""]
    return "\n".join(lines)


def commands(command: click.Command, name: str, parent: click.Context | None = None):
    """What `--help` says of a command and of each below it."""
    context = click.Context(command, info_name=name, parent=parent, terminal_width=88)
    title = context.command_path
    yield f"{'#' * (2 + (parent is not None))} `{title}`\n\n```text\n{context.get_help()}\n```\n"
    for below, child in getattr(command, "commands", {}).items():
        yield from commands(child, below, context)
