"""Every command in a text of nqbench exists and takes what stands there. Those that are printed as
advice are run by `test_advice.py`, with what was measured in place of their fields.
"""

import ast
import re
import shlex

import click
from places import ROOT

from nqbench.cli.app import app

FIELD = "{}"
IN_TEXT = re.compile(r"`(nqbench [a-z][^`]*)`")
ALONE = re.compile(r"nqbench [a-z][a-z-]*(?: (?:--?[a-z]|[A-Z]|\{).*)?")


def texts(tree):
    """The strings of a module but its docstrings, with `{}` for each field."""
    left_out, documented = set(), (ast.Module, ast.ClassDef, ast.FunctionDef)
    for node in ast.walk(tree):  # each before what is in it
        if isinstance(node, ast.JoinedStr):
            left_out.update(id(part) for part in ast.walk(node))
            yield "".join(
                part.value if isinstance(part, ast.Constant) else FIELD for part in node.values
            )
        elif isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr):
            left_out.add(id(node.body[0].value))
        elif isinstance(node, ast.Constant) and id(node) not in left_out:
            yield str(node.value)


def commands_in(text):
    """The commands between backticks, or the one that a text is."""
    flat = " ".join(text.split())
    return IN_TEXT.findall(flat) or ALONE.findall(flat) * bool(ALONE.fullmatch(flat))


def found():
    """The commands in all texts of nqbench."""
    sources = (path.read_text() for path in (ROOT / "nqbench").rglob("*.py"))
    return {
        command
        for source in sources
        if "nqbench " in source
        for text in texts(ast.parse(source))
        for command in commands_in(text)
    }


def test_a_command_in_a_text_is_found():
    tree = ast.parse(
        '"""`nqbench doc`"""\nf"see `nqbench use {x} --n 4`"\ny = "nqbench run --jobs 2"'
    )
    found = [command for text in texts(tree) for command in commands_in(text)]
    assert found == ["nqbench use {} --n 4", "nqbench run --jobs 2"]


def test_a_command_in_a_text_exists_and_has_its_options():
    printed = found()
    assert len(printed) > 25
    for each in printed:
        assert unknown(each) == set(), each


def unknown(printed):
    """The options of a command that it does not have."""
    _, *words = shlex.split(printed.replace("'", ""))
    command, context = app, click.Context(app, info_name="nqbench", **app.context_settings)
    while isinstance(command, click.Group) and words and words[0] not in ("COMMAND", FIELD):
        found = command.get_command(context, words.pop(0))
        assert found is not None, printed
        command, context = found, click.Context(found, parent=context, **found.context_settings)
    known = {name for each in command.params for name in each.opts + each.secondary_opts}
    stated = {
        word.partition("=")[0] for word in words if word.startswith("--") and FIELD not in word
    }
    return stated - known - {"--help", "--help-all"}
