"""Campaigns with an encoding, a backend and a family from one file, and what becomes of them."""

import json
import shlex
import shutil
import subprocess
import sys
import textwrap

import pytest
from addons import needs_addon
from bundles import contents

import nqbench as library
from nqbench.common.errors import InputError
from nqbench.encodings.base import Encoding
from nqbench.records import component_files
from nqbench.records.store import Store
from nqbench.show.use import Use

MINE = '''
import numpy as np
from helper import COUNT
from nqbench.plugin import Answer, Backend, LineEncoding, Solver, Whole, pairs
from nqbench.problems.families.latin import LatinSquares


class MyScheme(LineEncoding):
    """All pairs."""

    def constrain(self, cnf, x):
        cnf.add(pairs(x))


class MySolver(Backend, Solver):
    """Tries all assignments."""

    parameters = {"seed": Whole(0, least=0)}

    def load(self, cnf):
        self.cnf = cnf
        return self

    def solve(self):
        size = self.cnf.num_variables
        every = (np.arange(2**size)[:, None] >> np.arange(size)) % 2 == 1
        fits = np.ones(2**size, bool)
        for block in self.cnf.blocks:
            for clause in block:
                fits &= (every[:, np.abs(clause) - 1] == (clause > 0)).any(axis=1)
        self.found = every[fits]
        return Answer.SAT if len(self.found) else Answer.UNSAT

    def model(self):
        return self.found[0]


class MyProblem(LatinSquares):
    """Latin squares."""
'''


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "schemes"
    place.mkdir()
    (place / "mine.py").write_text(MINE)
    (place / "helper.py").write_text("COUNT = 1\n")
    return tmp_path


def versions(results):
    with Store(results / "nqbench.db") as store:
        rows = store.frame().select("encoding", "encoding_version", "verdict").unique()
        return sorted(rows.iter_rows())


def test_an_edited_file_is_measured_again_and_replaces_the_earlier_one(nqbench, folder):
    arguments = ["--n", "4", "--encoding", "./schemes/mine.py", "--backend", "minisat22"]
    arguments += ["--repeat", 1, "--no-plots", "-q"]
    assert nqbench(*arguments).returncode == 0
    (first,) = versions(folder / "results")
    assert (first[0], first[2]) == ("mine.py:MyScheme", "verified")
    (folder / "schemes" / "helper.py").write_text("COUNT = 2\n")
    edited = nqbench(*arguments)
    assert "mine.py:MyScheme has changed since 1 run of it was recorded" in edited.stderr
    (second,) = versions(folder / "results")
    assert second[0] == first[0]
    assert second[1] != first[1]


def test_what_uses_a_component_from_a_file_names_a_path_that_is_there(nqbench, folder, monkeypatch):
    monkeypatch.chdir(folder)
    words = ["--n", 3, "--encoding", "./schemes/mine.py", "--backend", "./schemes/mine.py"]
    assert nqbench("run", *words, "--repeat", 1, "--no-plots").returncode == 0
    records = library.read("results")
    use = Use.of_best(records, "mine.py:MyScheme x mine.py:MySolver")
    kept = use.show
    assert kept.count(" results/components/mine.py-") == 2
    assert eval(use.call, {"nqbench": library}).answer == "unsat"
    Encoding.named("./schemes/mine.py")
    assert component_files.with_paths("mine.py:MyScheme") == "./schemes/mine.py:MyScheme"
    for name in ("mine.py", "helper.py"):
        shutil.copy(folder / "schemes" / name, folder)
    unknown = component_files.with_paths("sequential:one=mine.py:MyScheme@12345678:a=1")
    assert unknown == "sequential:one=./mine.py:MyScheme:a=1"
    for command in (kept, use.show):
        assert "import nqbench" in nqbench(*shlex.split(command)[1:]).stdout


def test_commands_take_a_backend_and_a_family_as_well(nqbench, folder):
    solved = nqbench("solve", "--n", 4, "--backend", "./schemes/mine.py:MySolver:seed=3")
    assert solved.stdout.count("♛") == 4, solved.stderr
    encoded = nqbench("encode", "--n", 4, "--encoding", "./schemes/mine.py:MyScheme")
    assert encoded.stdout.splitlines()[-1].endswith(" 0"), encoded.stderr
    mine = ["--encoding", "./schemes/mine.py", "--backend", "./schemes/mine.py,minisat22"]
    run = nqbench("run", "--family", "./schemes/mine.py", "--n", 2, *mine, "--no-plots", "-q")
    assert run.returncode == 0, run.stderr
    with Store(folder / "results" / "nqbench.db") as store:
        frame = store.frame()
    assert set(frame["backend"]) == {"mine.py:MySolver", "minisat22"}
    assert set(frame["family"]) == {"mine.py:MyProblem"}
    assert set(frame["verdict"]) == {"verified"}


def test_a_campaign_file_needs_permission_for_it_and_finds_it_beside_itself(nqbench, folder):
    campaign = folder / "schemes" / "campaign.toml"
    campaign.write_text(
        '[[campaign]]\nn = "4"\nencoding = ["pairwise", "./mine.py:MyScheme"]\n'
        'backend = ["minisat22"]\nrepeat = 1\n'
    )
    (folder / "schemes" / "helper.py").write_text("open('executed', 'w').close()\nCOUNT = 1\n")
    command = ["run", "schemes/campaign.toml", "--no-plots", "-q"]
    refused = nqbench(*command)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert f"would start {folder}/schemes/mine.py:MyScheme: if you trust it" in refused.stderr
    assert nqbench(*command, "--allow-program", "./mine.py").returncode == 2
    assert not (folder / "executed").exists()
    allowed = nqbench(*command, "--allow-program", "./schemes/mine.py")
    assert allowed.returncode == 0, allowed.stderr
    assert [name for name, *_ in versions(folder / "results")] == ["mine.py:MyScheme", "pairwise"]


@needs_addon("bundle")
def test_a_bundle_has_the_files_and_replay_executes_them_if_allowed(folder, monkeypatch):
    (folder / "schemes" / "helper.py").write_text("open('executed', 'w').close()\nCOUNT = 1\n")
    monkeypatch.chdir(folder)
    library.run(
        4,
        encodings=["./schemes/mine.py", "pairwise"],
        backends="minisat22",
        repeat=1,
        results="results",
    )
    bundled = library.Results("results").bundle("b.zip", plots=False)
    (need,) = bundled.plugins
    files = contents(bundled.path)
    (place,) = {name.rpartition("/")[0] for name in files if name.startswith("components/")}
    assert files[f"{place}/mine.py"].decode() == MINE
    assert need.startswith(f"mine.py:MyScheme of 1 run is from a file: it is in {place}, with the")
    assert need in files["README.md"].decode()
    code = """
        import json, pathlib
        import nqbench
        for allowed in ([], ["mine.py:MyScheme"]):
            replay = nqbench.replay("../b.zip", allow_programs=allowed)
            executed = pathlib.Path("executed").exists()
            print(json.dumps([replay.agrees, len(replay.records), executed, *replay.plan.left_out]))
    """
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    command = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(command, cwd=elsewhere, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (agrees, runs, executed, why), allowed = map(json.loads, done.stdout.splitlines())
    assert (agrees, runs, executed) == (False, 1, False)
    assert why.startswith("only the bundle names mine.py:MyScheme: if you trust it, add")
    assert allowed == [True, 2, True]


@needs_addon("certify")
def test_answers_are_checked_later_with_the_file_that_measured(folder, monkeypatch):
    """Also in a folder into which the records were merged."""
    monkeypatch.chdir(folder)
    arguments = {"encodings": "./schemes/mine.py", "backends": "cadical195", "repeat": 1}
    library.run(3, **arguments, check="later", results="results")
    with pytest.raises(InputError, match="name its path"):
        library.certify("gone.py:MyScheme", 4)
    library.Results("all").merge("results")
    (refused,) = library.check("all")["message"]
    assert "the store would start mine.py:MyScheme" in refused
    (checked,) = library.check("all", allow_programs="mine.py:MyScheme").to_dicts()
    assert checked["verdict"] == "verified", checked["message"]
