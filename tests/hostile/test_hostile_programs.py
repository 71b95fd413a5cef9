"""Programs given by path: the program that runs is the one given, and the record names it."""

import sys
from pathlib import Path

import pytest
from measuring import measured

from nqbench.backends.base import Backend
from nqbench.common.vocabulary import Outcome, Verdict

pytestmark = pytest.mark.usefixtures("faulty_plugin")

PROGRAM = """#!{python}
import sys
if "--version" in sys.argv:
    print("solver 1.0")
    sys.exit()
print("s SATISFIABLE"); print("v {values} 0"); sys.exit(10)
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A file in the current folder with the name of a program on the PATH."""
    monkeypatch.chdir(tmp_path)

    def write(name, values="1 2"):
        path = tmp_path / name
        path.write_text(PROGRAM.format(python=sys.executable, values=values))
        path.chmod(0o755)
        return path

    return write


def test_a_word_with_a_slash_is_a_path(program):
    path = program("minisat")
    by_path, on_the_path = Backend.named("exe:./minisat"), Backend.named("exe:sh")
    assert f" at {path}, " in by_path.version
    assert " at " not in on_the_path.version
    record = measured("exe:./minisat")
    assert record.verdict is not Verdict.VERIFIED  # the distribution's own module would be correct
    assert Backend.named("exe:../nowhere/minisat").version is None


def test_a_program_without_a_namesake_is_found_by_its_path(program):
    program("sol")
    record = measured("exe:./sol")
    assert "not executable" not in record.message
    assert record.outcome is not Outcome.UNAVAILABLE or "smallest" in record.message


def test_an_edited_file_is_another_version(program, tmp_path):
    program("solver.py")
    name = f"exe:{sys.executable} solver.py --config={tmp_path / 'settings'}"
    (tmp_path / "settings").write_text("a = 1")
    versions = [Backend.named(name).version]
    (tmp_path / "settings").write_text("a = 2")
    versions.append(Backend.named(name).version)
    program("solver.py", values="3 4")
    versions.append(Backend.named(name).version)
    assert len(set(versions)) == 3
    assert Backend.named(name).version == versions[-1]


def test_a_daemon_that_a_program_starts_when_asked_for_its_version_is_killed(tmp_path):
    path = tmp_path / "solver"
    path.write_text(f"#!/bin/sh\nsetsid sleep 60 & echo $! > {tmp_path}/pid\necho solver 1.2.3\n")
    path.chmod(0o755)
    assert Backend.named(f"exe:{path}").version.startswith("solver 1.2.3 at ")
    pid = int((tmp_path / "pid").read_text())
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return
    assert state in "ZX"  # killed, and not yet reaped by the first process of the system
