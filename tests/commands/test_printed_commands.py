"""Every command in a text of nqbench exists and takes what stands there. Those that are printed as
advice are run by `test_advice.py`, with what was measured in place of their fields.
"""

import ast
import re
import shlex

import click
import pytest
from places import ROOT

from nqbench.cli.app import app

FIELD = "{}"
IN_TEXT = re.compile(r"`(nqbench [a-z][^`]*)`")
ALONE = re.compile(r"nqbench [a-z][a-z-]*(?: (?:--?[a-z]|[A-Z]|\{).*)?")


def texts(tree):
    """The strings of a module but its docstrings, with `{}` for each field."""
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)
             for part in ast.walk(node) if part is not node}  # fmt: skip
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = {id(n.body[0].value) for n in ast.walk(tree) if isinstance(n, documented)
                  and n.body and isinstance(n.body[0], ast.Expr)}  # fmt: skip
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                part.value if isinstance(part, ast.Constant) else FIELD for part in node.values
            )
        elif id(node) not in parts | docstrings and isinstance(node, ast.Constant):
            yield str(node.value)


def commands_in(text):
    """The commands between backticks, or the one that a text is."""
    flat = " ".join(text.split())
    return IN_TEXT.findall(flat) or ALONE.findall(flat) * bool(ALONE.fullmatch(flat))


FOUND = sorted(
    {
        command
        for path in (ROOT / "nqbench").rglob("*.py")
        for text in texts(ast.parse(path.read_text()))
        for command in commands_in(text)
    }
)


def test_a_command_in_a_text_is_found():
    tree = ast.parse(
        '"""`nqbench doc`"""\nf"see `nqbench use {x} --n 4`"\ny = "nqbench run --jobs 2"'
    )
    found = [command for text in texts(tree) for command in commands_in(text)]
    assert found == ["nqbench use {} --n 4", "nqbench run --jobs 2"]
    assert len(FOUND) > 25


@pytest.mark.parametrize("printed", FOUND)
def test_a_command_in_a_text_exists_and_has_its_options(printed):
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
    assert stated <= known | {"--help", "--help-all"}, printed
