"""A program or library that only a file names is started only if the user names it as well."""

import os
import pty
import re
import subprocess
import sys
import time

import pytest
from measuring import measure
from programs import needs

import nqbench as library
from nqbench.backends import permission
from nqbench.backends.base import Backend
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import Verdict
from nqbench.measure import later
from nqbench.problems.queens import Queens

SOLVER = """#!{python}
import sys
open("{marker}", "a").write(" ".join(sys.argv[1:]) + "\\n")
if "--version" in sys.argv:
    sys.exit("solver 1.0")
print("s SATISFIABLE")
print("v 1 2 0" if open(sys.argv[-1]).readline().startswith("p cnf 2 ") else "v 1 0")
sys.exit(10)
"""


@pytest.fixture
def marker(tmp_path):
    """The file that the solver writes whenever it is started."""
    return tmp_path / "started"


@pytest.fixture
def solver(tmp_path, marker):
    path = tmp_path / "solver"
    path.write_text(SOLVER.format(python=sys.executable, marker=marker))
    path.chmod(0o755)
    return f"exe:{path} --fast"


@pytest.fixture
def campaign(tmp_path):
    def write(*backends):
        names = ", ".join(f'"{name}"' for name in backends)
        (tmp_path / "campaign.toml").write_text(
            f'[[campaign]]\nn = "1"\nencoding = ["pairwise"]\nbackend = [{names}]\nrepeat = 1\n'
        )
        return ["run", "campaign.toml", "--no-plots"]

    return write


@pytest.mark.parametrize("more", [[], ["--dry-run"], ["--encoding", "all"], ["--backend", ","]])
def test_a_campaign_file_starts_no_program_that_the_user_has_not_named(
    nqbench, campaign, solver, marker, more
):
    told = nqbench(*campaign("minisat22", solver), *more)
    assert (told.returncode, told.stderr.count("\n")) == (2, 1)
    assert told.stderr == (
        f"nqbench: campaign.toml would start {solver}: if you trust it, "
        f"add --allow-program '{solver}'\n"
    )
    assert not marker.exists()


def test_a_library_at_a_path_needs_permission_as_well(nqbench, campaign, tmp_path):
    (tmp_path / "lib.so").write_bytes(b"\x7fELF")
    told = nqbench(*campaign("ipasir:./lib.so"), "--dry-run")
    assert told.returncode == 2
    assert "would start ipasir:./lib.so: if you trust it, add --allow-program" in told.stderr


def test_permission_is_for_the_same_words(nqbench, campaign, solver, marker):
    """Another argument may make a harmless program write a file."""
    command = campaign(solver)
    program = solver.removesuffix(" --fast")
    assert nqbench(*command, "--allow-program", program).returncode == 2
    assert nqbench(*command, "--allow-program", f"{program} --slow").returncode == 2
    assert not marker.exists()
    told = nqbench(*command, "--allow-program", solver)
    assert told.returncode == 0, told.stderr
    assert "--fast" in marker.read_text()


def test_what_the_command_line_names_needs_no_permission(nqbench, campaign, solver, marker):
    told = nqbench(*campaign("exe:/no/such/program"), "--backend", solver)
    assert told.returncode == 0, told.stderr
    assert marker.exists()


def test_a_known_program_needs_no_permission(nqbench, campaign):
    assert nqbench(*campaign("minisat", "kissat:opt.restartint=50"), "--dry-run").returncode == 0


@pytest.mark.parametrize(("answer", "status"), [("y", 0), ("n", 2), ("", 2)])
def test_on_a_terminal_the_user_is_asked(campaign, solver, tmp_path, answer, status):
    marker = tmp_path / "started"
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "nqbench", *campaign(solver), "--dry-run"],
        cwd=tmp_path,
        stdin=theirs,
        stderr=theirs,
        stdout=subprocess.PIPE,
    )
    os.close(theirs)
    shown = until(ours, "[y/N]")
    assert not marker.exists()
    os.write(ours, f"{answer}\n".encode())
    process.communicate(timeout=60)
    os.close(ours)
    assert f"would start {solver}. Start it?" in re.sub(r"\s+", " ", shown)
    assert process.returncode == status
    assert marker.exists() == (status == 0)


def until(terminal, text):
    """What the terminal shows until this text, or for 60 s."""
    shown, deadline = "", time.monotonic() + 60
    while text not in shown and time.monotonic() < deadline:
        shown += os.read(terminal, 4096).decode()
    return shown


@pytest.fixture
def with_path(monkeypatch):
    """Make `cadical195` a backend that needs a path. No built-in one with a path has proofs."""
    monkeypatch.setattr(permission, "needs_path", lambda name: name == "cadical195")


@pytest.mark.usefixtures("with_path")
def test_a_store_starts_no_program_that_the_user_has_not_named(store):
    measure(store, [Queens(6, "torus")], ["cadical195", "glucose4"])
    checked = {each.record.backend: each.check for each in later.check(store)}
    assert checked["glucose4"].verdict is Verdict.VERIFIED
    assert checked["cadical195"].message == (
        "not checked: the store would start cadical195: if you trust it, "
        "add `allow_programs=cadical195`"
    )
    (checked,) = later.check(store, allowed=["cadical195"])
    assert checked.check.verdict is Verdict.VERIFIED


@pytest.mark.usefixtures("with_path")
def test_python_names_programs_by_a_keyword(store, tmp_path):
    measure(store, [Queens(6, "torus")], ["cadical195"])
    folder = tmp_path / "results"
    assert library.check(folder)["verdict"].to_list() == ["unchecked"]
    checked = library.check(folder, allow_programs="cadical195")
    assert checked["verdict"].to_list() == ["verified"]


@pytest.mark.usefixtures("with_path")
def test_one_question_is_for_all_answers(store):
    measure(store, [Queens(6, "torus"), Queens(8, "torus")], ["cadical195"], repeat=2)
    asked = []

    def ask(question):
        asked.append(question)
        return True

    checked = later.check(store, ask=ask)
    assert {each.check.verdict for each in checked} == {Verdict.VERIFIED}
    assert asked == ["the store would start cadical195. Start it?"]


@needs("cadical")
def test_check_says_which_programs_it_starts(nqbench, store):
    measure(store, [Queens(6, "torus")], ["cadical:seed=1", "cadical195"])
    told = nqbench("check")
    assert "2 answers: 2 verified" in told.stdout
    assert re.search(r"programs that find proofs: cadical:seed=1 \(/\S+/cadical\)\n", told.stderr)


def test_a_wrong_name_in_the_option_is_an_error():
    with pytest.raises(InputError, match="unknown backend"):
        permission.require(["exe:/a"], ["/a"], "it")


def test_names_are_compared_as_they_are_recorded():
    assert Backend.named("EXE:/a").name == "exe:/a"
    assert permission.need_permission(["EXE:/a", "exe:/a", "minisat22"]) == ["exe:/a"]
    assert permission.need_permission(["exe:/a"], ["Exe:/a"]) == []
