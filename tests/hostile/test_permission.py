"""A program, library or option that only a file names is used only if the user names it as well."""

import contextlib
import json
import os
import pty
import re
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from addons import is_here, needs_addon
from made_records import RUN
from measuring import measure
from programs import needs

import nqbench as library
from nqbench.backends import permission
from nqbench.backends.base import Backend
from nqbench.campaign import campaign_file
from nqbench.campaign.execution import Execution
from nqbench.common.errors import InputError
from nqbench.common.machine.environment import machine
from nqbench.common.vocabulary import Answer, Outcome, Verdict
from nqbench.encodings.product import Product
from nqbench.measure import later_checks
from nqbench.measure.stored_run import pack_run
from nqbench.plugins.parameters import Whole
from nqbench.problems.families.base import Family
from nqbench.problems.families.latin import LatinSquares
from nqbench.problems.queens import Queens
from nqbench.records import frame
from nqbench.records.record import Record

if is_here("bundle"):
    from nqbench.addons.bundle.plan import Trust, plan
    from nqbench.addons.bundle.reading import Bundle

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


def test_a_known_program_and_its_parameters_need_no_permission(nqbench, campaign):
    command = campaign("minisat", "kissat:seed=3", "cadical195:phase=false")
    assert nqbench(*command, "--dry-run").returncode == 0


OPTIONS = (
    pytest.param("minisat:opt.dimacs=precious", marks=needs("minisat")),
    pytest.param("clasp:opt.lemma-out=precious", marks=needs("clasp")),
    pytest.param("clasp:opt.lemma-o=precious", marks=needs("clasp")),
    pytest.param(
        "cryptominisat5:opt.dumpresult=precious:opt.maxsol=2", marks=needs("cryptominisat5")
    ),
    "glucose:opt.certified-output=precious",
    "kissat:opt.restartint=50",
    "cadical195:seed=3:opt.restartint=50",
    "cryptominisat:opt.printgatedot=1",
    "ergo:opt.var-decay=0.8",
    "cp-sat-cover:opt.output_drat_proof=true",
)
"""Options of programs and libraries, some of which overwrite a file in the current folder."""


@pytest.mark.parametrize("name", OPTIONS)
def test_a_campaign_file_sets_no_option_that_the_user_has_not_named(
    nqbench, campaign, tmp_path, name
):
    (tmp_path / "precious").write_text("keep me")
    told = nqbench(*campaign(name))
    assert (told.returncode, told.stderr) == (
        2,
        f"nqbench: campaign.toml would start {name}: if you trust it, add --allow-program {name}\n",
    )
    assert (tmp_path / "precious").read_text() == "keep me"
    assert {each.name for each in tmp_path.iterdir()} == {"campaign.toml", "precious"}


@pytest.mark.parametrize(
    ("allowed", "is_enough"),
    [
        (["cadical195:opt.elim=0:opt.restartint=50"], True),
        (["CaDiCaL195:opt.restartint=50:opt.elim=0"], True),
        (["cadical195:opt.*"], True),
        (["cadical195:*"], True),
        (["cadical195:opt.elim=*:opt.restart*"], True),
        (["cadical195:opt.elim=0"], False),
        (["cadical195:opt.elim=0", "cadical195:opt.restartint=50"], False),
        (["cadical195:opt.elim=0:opt.restartint=51"], False),
        (["cadical195:opt.elim=*"], False),
        (["cadical195:opt.restart*", "cadical195:opt.elim=*"], False),
        (["cadical195"], False),
        (["cadical:opt.*"], False),
        (["cadical153:opt.*"], False),
        (["exe:*"], False),
    ],
)
def test_options_are_allowed_in_the_same_words_or_by_a_pattern(allowed, is_enough):
    name = "cadical195:opt.elim=0:opt.restartint=50"
    with contextlib.nullcontext() if is_enough else pytest.raises(InputError):
        permission.require([name], allowed, "it")


def test_a_pattern_is_for_any_parameters_too(nqbench, campaign):
    """A parameter alone needs no permission."""
    command = campaign("cadical195:seed=3:opt.restartint=50")
    assert nqbench(*command, "--dry-run", "--allow-program", "cadical195:opt.*").returncode == 0


def test_a_pattern_is_for_no_program_at_a_path(nqbench, campaign, solver, marker):
    told = nqbench(*campaign(solver), "--allow-program", "exe:*", "--allow-program", f"{solver}*")
    assert told.returncode == 2
    assert not marker.exists()


def test_the_base_of_a_pattern_is_a_backend(nqbench, campaign):
    told = nqbench(*campaign("cadical195:opt.elim=0"), "--allow-program", "*:opt.*")
    assert (told.returncode, told.stderr.count("\n")) == (2, 1)
    assert "unknown backend '*'" in told.stderr


def test_options_on_the_command_line_need_no_permission(nqbench, campaign):
    command = campaign("cadical195:opt.elim=0")
    told = nqbench(*command, "--backend", "cadical195:opt.restartint=50", "--dry-run")
    assert told.returncode == 0, told.stderr


@needs_addon("bundle")
def test_a_bundle_sets_no_option_that_the_user_has_not_named(tmp_path):
    name = "cadical195:opt.restartint=50"
    library.run("6", encodings="pairwise", backends=name, repeat=1, results=tmp_path / "r")
    made = library.Results(tmp_path / "r").bundle(tmp_path / "b.zip", plots=False)
    with pytest.raises(InputError, match=f"only the bundle names {name}: if you trust it"):
        library.replay(made.path)
    assert library.replay(made.path, allow_programs=name).agrees
    assert library.replay(made.path, allow_programs="cadical195:opt.*").agrees


@pytest.mark.parametrize("allowed", ["cadical195:opt.elim=0", "cadical195:opt.*"])
def test_a_store_sets_no_option_that_the_user_has_not_named(store, allowed):
    measure(store, [Queens(6, "torus")], ["cadical195:opt.elim=0"])
    (checked,) = later_checks.check(store)
    assert checked.check.message == (
        "not checked: the store would start cadical195:opt.elim=0: if you trust it, "
        "add `allow_programs=cadical195:opt.elim=0`"
    )
    (checked,) = later_checks.check(store, allowed=[allowed])
    assert checked.check.verdict is Verdict.VERIFIED


@needs("kissat")
def test_check_asks_for_the_options_of_programs(nqbench, store):
    measure(store, [Queens(6, "torus")], ["kissat:opt.restartint=50"])
    told = nqbench("check")
    assert "1 unchecked" in told.stdout
    assert "add --allow-program" in " ".join(told.stdout.split())
    told = nqbench("check", "--allow-program", "kissat:opt.*")
    assert "1 verified" in told.stdout


def test_a_campaign_checks_its_own_answers_with_options(nqbench):
    """Its backends are the user's words, and so the checks need no further permission."""
    told = nqbench(
        *("run", "--n", 6, "--family", "torus", "--encoding", "pairwise", "--repeat", 1),
        *("--backend", "cadical195:opt.elim=0", "--budget", "60s", "--no-plots"),
    )
    assert told.returncode == 0, told.stderr
    (line,) = nqbench("export", "--format", "jsonl").stdout.splitlines()
    assert json.loads(line)["verdict"] == "verified"


def test_recorded_runs_with_options_are_reused_without_permission(nqbench, campaign):
    """A store whose runs are reused starts nothing; the campaign file does, or would."""
    name = "cadical195:opt.elim=0"
    command = campaign(name)
    assert nqbench(*command, "--allow-program", name).returncode == 0
    assert nqbench("summary").returncode == 0
    assert nqbench(*command).returncode == 2


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
    checked = {each.record.backend: each.check for each in later_checks.check(store)}
    assert checked["glucose4"].verdict is Verdict.VERIFIED
    assert checked["cadical195"].message == (
        "not checked: the store would start cadical195: if you trust it, "
        "add `allow_programs=cadical195`"
    )
    (checked,) = later_checks.check(store, allowed=["cadical195"])
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

    checked = later_checks.check(store, ask=ask)
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
    assert permission.need_permission(["Kissat:opt.elim=0:seed=3"]) == ["kissat:seed=3:opt.elim=0"]


def test_options_of_an_encoding_need_permission_as_well(monkeypatch):
    """No built-in encoding takes options; a plugin may."""
    monkeypatch.setattr(Product, "passes_options", True)
    assert permission.need_permission(["product:opt.x=1"]) == ["product:opt.x=1"]
    for allowed in ("product:opt.x=1", "Product:opt.*"):
        assert permission.need_permission(["product:opt.x=1"], [allowed]) == []


NAME = "latin:opt.x=1"


@pytest.fixture
def with_options(monkeypatch):
    """Make `latin` a family with options, as a plugin's may be; the list has the sizes that it was
    asked for.
    """
    sizes = []
    of_size = LatinSquares.of_size
    monkeypatch.setattr(LatinSquares, "passes_options", True)
    monkeypatch.setattr(
        LatinSquares, "of_size", lambda self, n: sizes.append(n) or of_size(self, n)
    )
    return sizes


def latin_run():
    return replace(RUN, problem=Family.named(NAME).of_size(2), machine=machine())


def test_a_campaign_file_uses_no_options_of_a_family(with_options, tmp_path):
    file = tmp_path / "campaign.toml"
    file.write_text('[[campaign]]\nn = "2"\nfamily = ["Latin:opt.x=1"]\n' * 2)
    with pytest.raises(InputError, match=f"campaign.toml would start {NAME}: if you trust it, add"):
        campaign_file.permitted(file, {}, [])
    assert with_options == []
    for allowed in (NAME, "latin:opt.*"):
        assert len(campaign_file.permitted(file, {}, [allowed])) == 2
    questions = []
    campaign_file.permitted(file, {}, [], lambda text: questions.append(text) or True)
    assert questions == [f"{file} would start {NAME}. Start it?"]


@pytest.mark.usefixtures("with_options")
def test_a_store_uses_no_options_of_a_family(store):
    record = replace(
        Record.of(latin_run(), "here"), outcome=Outcome.FINISHED, answer=Answer.UNSAT, solve_s=1.0
    )
    store.add(record, run=pack_run(record, latin_run()))
    (checked,) = later_checks.check(store)
    assert checked.check.message == (
        f"not checked: the store would start {NAME}: if you trust it, add `allow_programs={NAME}`"
    )
    questions = []
    (checked,) = later_checks.check(store, ask=lambda text: questions.append(text) or True)
    assert questions == [f"the store would start {NAME}. Start it?"]
    assert "if you trust it" not in checked.check.message


@needs_addon("bundle")
@pytest.mark.usefixtures("with_options")
def test_a_bundle_uses_no_options_of_a_family(tmp_path):
    run = latin_run()
    records = frame.of([Record.of(run, "here")])
    bundle = Bundle(tmp_path / "b.zip", records, {}, {run.id: run}, [])
    execution = Execution.usual()
    refused = plan(bundle, [run.id], execution, Trust(other_solvers=True))
    assert (refused.runs, refused.left_out) == (
        {},
        {f"only the bundle names {NAME}: if you trust it, add `allow_programs={NAME}`": [run.id]},
    )
    allowed = plan(bundle, [run.id], execution, Trust(programs=[NAME], other_solvers=True))
    assert list(allowed.runs) == [run.id]


def test_a_declared_parameter_with_the_prefix_of_options_needs_permission(monkeypatch):
    """Parameters are found whatever their case."""
    monkeypatch.setattr(LatinSquares, "parameters", {"opt.x": Whole(0, least=0)})
    assert permission.need_permission(["Latin:OPT.x=1", "latin:opt.x=1"]) == [NAME]
