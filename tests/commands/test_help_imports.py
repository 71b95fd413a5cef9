"""`nqbench --help` is quick, since it imports little. What it imports is counted, not timed."""

import subprocess
import sys
from pathlib import Path

HELP = """
import contextlib, io, sys
before = set(sys.modules)
from nqbench.cli.app import app
for command in sys.argv[1:]:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        app(command.split())
print(*sorted(set(sys.modules) - before))
"""
SLOW = {"numpy", "polars", "msgspec", "rich", "matplotlib", "jinja2", "importlib.metadata"}


def imported(code, *words):
    """The modules that a Python process imports."""
    command = [sys.executable, "-c", code, *words]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def test_the_help_imports_no_library_and_little_of_nqbench():
    modules = imported(HELP, "--help")
    assert "nqbench.cli.app" in modules
    assert not modules & SLOW
    assert not {name for name in modules if name.startswith("nqbench.problems")}
    own = {name for name in modules if name.startswith("nqbench")}
    assert len(own) <= 40, sorted(own)


def test_the_help_of_commands_imports_no_numpy_and_no_solver():
    names = ("run", "solve", "encode", "check", "summary")
    modules = imported(HELP, *(f"{name} --help" for name in names))
    for name in names:
        assert f"nqbench.cli.commands.{'clauses' if name == 'encode' else name}" in modules
    assert not modules & {"numpy", "polars", "matplotlib"}
    assert not modules & {"pysat", "pysolvers", "pycryptosat", "pyeda"}


VERSION = """
import atexit, sys
before = set(sys.modules)
atexit.register(lambda: print(*sorted(set(sys.modules) - before)))
sys.argv = ["nqbench", "--version"]
from nqbench.__main__ import main
main()
"""


def test_the_version_imports_nothing_of_the_command_line():
    modules = imported(VERSION)
    assert "nqbench.__main__" in modules
    assert not {name for name in modules if name.startswith(("nqbench.cli", "click"))}


def test_the_version_says_what_is_wrong_with_the_output():
    """As every command does, though nothing of the command line is imported for it."""
    words = [sys.executable, "-m", "nqbench", "--version"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("nqbench: cannot write the output")
