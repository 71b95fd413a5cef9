"""Add-ons of anybody: commands, functions and names that another distribution declares."""

import subprocess
import sys

import pytest

COMMAND = """
import click
from nqbench.plugins.declared import Command

HELLO = Command("Boards", "{module}:hello", "Say hello.", example="nqbench hello")
LOST = Command("Boards", "{module}:nothing", "Is declared, and not there.")
THING = 3


@click.command
@click.argument("name")
def hello(name):
    '''Say hello.'''
    if name == "boom":
        raise RuntimeError("out of greetings")
    click.echo(f"hello {{name}}")


def greet(name):
    return f"hello {{name}}"


def size(results):
    return str(results.source)
"""
ENTRIES = """
[nqbench.commands]
hello = {module}:HELLO
lost = {module}:LOST
thing = {module}:THING
broken = {module}_missing:BROKEN

[nqbench.functions]
greet = {module}:greet
Results.size = {module}:size

[nqbench.plugin]
Greeting = {module}:greet
"""


@pytest.fixture
def site(tmp_path):
    def install(module):
        (tmp_path / f"{module}.py").write_text(COMMAND.format(module=module))
        metadata = tmp_path / f"{module}_dist-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1\n")
        (metadata / "entry_points.txt").write_text(ENTRIES.format(module=module))

    install("greetings")
    return tmp_path, install


def python(folder, *words):
    return subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        text=True,
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(folder)},
    )


def test_a_command_of_another_distribution_is_one_of_nqbench(site):
    folder, _ = site
    assert python(folder, "-m", "nqbench", "hello", "you").stdout == "hello you\n"
    shown = python(folder, "-m", "nqbench", "--help").stdout
    boards = shown.partition("\nBoards:\n")[2].partition("\n\n")[0]
    assert "  hello     Say hello." in boards
    assert "    nqbench hello\n" in shown


def test_what_cannot_be_imported_is_listed_with_its_reason_and_breaks_nothing(site):
    folder, _ = site
    shown = python(folder, "-m", "nqbench", "--help")
    assert shown.returncode == 0
    unavailable = " ".join(shown.stdout.partition("\nUnavailable:\n")[2].split())
    assert "'broken' of greetings-dist cannot be imported: ModuleNotFoundError" in unavailable
    assert "thing greetings:THING is no nqbench.plugins.declared.Command" in unavailable
    for name, reason in (
        ("broken", "No module named 'greetings_missing'"),
        ("lost", "has no attribute 'nothing'"),
    ):
        called = python(folder, "-m", "nqbench", name)
        assert (called.returncode, called.stdout) == (2, "")
        assert reason in called.stderr
        assert called.stderr.count("\n") == 1


def test_an_error_in_such_a_command_names_its_file_in_one_line(site):
    called = python(site[0], "-m", "nqbench", "hello", "boom")
    assert called.returncode == 2
    assert "the plugin in greetings.py, line" in called.stderr
    assert called.stderr.count("\n") == 1


def test_functions_methods_and_names_for_plugins_come_the_same_way(site):
    code = (
        "import nqbench, nqbench.plugin\nfrom nqbench import *\n"
        "print(greet('a'), Results('there').size(), nqbench.plugin.Greeting('b'))\n"
        "print('greet' in dir(nqbench), 'size' in dir(Results('x')),"
        " 'Greeting' in dir(nqbench.plugin))\n"
        "for name in ('size', 'nothing'):\n"
        "    try: getattr(nqbench, name)\n"
        "    except AttributeError as error: print(error)\n"
    )
    done = python(site[0], "-c", code)
    assert done.stdout.splitlines() == [
        "hello a there hello b",
        "True True True",
        "module 'nqbench' has no attribute 'size': write nqbench.Results('results').size()",
        "module 'nqbench' has no attribute 'nothing'",
    ]


def test_a_name_that_two_distributions_declare_is_unavailable(site):
    folder, install = site
    install("others")
    called = python(folder, "-m", "nqbench", "hello", "you")
    assert called.returncode == 2
    assert "'hello' is provided by greetings-dist and others-dist: uninstall" in called.stderr


def test_a_command_of_the_core_cannot_be_replaced(site):
    folder, _ = site
    entries = folder / "greetings_dist-1.0.dist-info" / "entry_points.txt"
    entries.write_text("[nqbench.commands]\nschema = greetings:HELLO\n")
    assert '"$id"' in python(folder, "-m", "nqbench", "schema", "record").stdout
