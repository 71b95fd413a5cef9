"""`nqbench --help` is quick, since it imports little. What it imports is counted, not timed."""

import subprocess
import sys

HELP = """
import contextlib, io, sys
before = set(sys.modules)
from nqbench.cli.app import app
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    app(["--help"])
print(*sorted(set(sys.modules) - before))
"""
SLOW = {"numpy", "polars", "msgspec", "rich", "matplotlib", "jinja2", "importlib.metadata"}


def test_the_help_imports_no_library_and_little_of_nqbench():
    done = subprocess.run([sys.executable, "-c", HELP], capture_output=True, text=True, check=True)
    modules = set(done.stdout.split())
    assert "nqbench.cli.app" in modules
    assert not modules & SLOW
    assert not {name for name in modules if name.startswith("nqbench.problems")}
    own = {name for name in modules if name.startswith("nqbench")}
    assert len(own) <= 40, sorted(own)
