"""Folders nested 1,200 deep, left by a program or handed in, harm nothing but their own run."""

import sys

import pytest
from addons import is_here, needs_addon
from deep_folders import nest, nesting
from solver_history import RECIPE, History

import nqbench as library
from nqbench.common.errors import InputError
from nqbench.common.trees import remove_tree
from nqbench.isolate import processes, scratch
from nqbench.isolate.scratch import Folder, sweep
from nqbench.records import component_files

if is_here("revisions"):
    from nqbench.addons.revisions.build import cache_folder
    from nqbench.addons.revisions.recipe import FILE

DEEP_AND_LONG = 1200, "d" * 200
"""Beyond the longest path and beyond recursion."""

SHAPES = [DEEP_AND_LONG, (1200, "d"), (40, "d" * 200)]
"""The second is beyond recursion only, and the third beyond the longest path only."""


@pytest.fixture(params=SHAPES, ids=["deep and long", "deep", "long"])
def shape(request):
    return request.param


@pytest.fixture
def folder():
    """A folder for deep trees, in memory: a disk takes 10 s for each."""
    made = Folder()
    yield made.path
    made.remove()


@pytest.fixture
def home(monkeypatch, tmp_path):
    """The folder with the private folders of this test only."""
    monkeypatch.setattr(scratch, "_IN_MEMORY", str(tmp_path))
    monkeypatch.setattr(scratch.tempfile, "tempdir", str(tmp_path))
    return tmp_path / scratch._name()


def test_the_folder_of_a_process_vanishes_with_what_is_nested_in_it(home, shape):
    kept = Folder()
    nest(kept.path / "top", *shape)
    kept.remove()
    assert not kept.path.exists()
    left = home / "nq-left"
    left.mkdir(parents=True, mode=0o700)
    home.chmod(0o700)
    nest(left / "top", *shape)
    for _ in range(50):  # each sweep has a limit of time
        sweep()
    assert not left.exists()


def test_what_cannot_be_removed_is_named_once(home, monkeypatch, capsys):
    for name in ("nq-a", "nq-b"):
        (home / name).mkdir(parents=True, mode=0o700)
    home.chmod(0o700)
    removed = scratch.remove_tree
    monkeypatch.setattr(
        scratch, "remove_tree",
        lambda path, *rest: not path.name.endswith("a") and removed(path, *rest),
    )  # fmt: skip
    for _ in range(3):
        sweep()
    assert capsys.readouterr().err == (
        f"nqbench: cannot remove {home}/left-nq-a: remove it by hand\n"
    )
    assert [path.name for path in home.iterdir()] == ["left-nq-a"]
    assert set(scratch.left()) == {home / "left-nq-a"}


def test_a_sweep_never_fails(home, monkeypatch, capsys):
    home.mkdir(mode=0o700)
    (home / "nq-a").mkdir()
    for error in (RecursionError("deep"), MemoryError(), PermissionError("no")):

        def fail(*_, error=error):
            raise error

        monkeypatch.setattr(scratch, "remove_tree", fail)
        sweep()
    assert capsys.readouterr().err == ""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_encoding_that_nests_folders_harms_no_other_run(here):
    text = f"import sys\nn = int(sys.argv[1])\n{nesting(*DEEP_AND_LONG)}"
    (here / "nests.py").write_text(f"{text}print(f'p cnf {{n * n}} 0')\n")
    nests = f"exe:{sys.executable} nests.py {{n}}"
    records = library.run([4, 5], encodings=[nests, "pairwise"], backends="minisat22", repeat=2)
    assert set(records["outcome"]) == {"finished"}
    assert set(records.filter(encoding="pairwise")["verdict"]) == {"verified"}
    assert library.solve(4, encoding="pairwise", backend="minisat22")


def test_an_encoding_that_leaves_its_formula_beside_nested_folders_is_refused(here):
    text = f"open('formula.cnf', 'w').write('p cnf 16 0\\n')\n{nesting(*DEEP_AND_LONG)}"
    (here / "nests.py").write_text(text)
    nests = f"exe:{sys.executable} nests.py"
    (record,) = library.run(4, encodings=nests, backends="minisat22", repeat=1).to_dicts()
    assert record["outcome"] == "crashed"
    assert "has folders nested too deep: leave them out" in record["message"]


def test_a_solver_that_nests_folders_harms_no_other_run(here):
    (here / "nests.py").write_text(
        "import os, sys\n"
        "os.chdir(os.path.dirname(sys.argv[1]))\n"
        f"{nesting(*DEEP_AND_LONG)}print('s SATISFIABLE'); print('v 1 2 0'); sys.exit(10)\n"
    )
    nests = f"exe:{sys.executable} nests.py {{file}}"
    records = library.run([4, 5], encodings="pairwise", backends=[nests, "minisat22"], repeat=2)
    assert set(records.filter(backend="minisat22")["verdict"]) == {"verified"}
    assert set(records.filter(backend=nests)["verdict"]) <= {"refuted", "unchecked"}
    assert library.solve(4, encoding="pairwise", backend="minisat22")


def test_a_folder_of_formulas_with_nested_folders_has_one_line(nqbench, folder, shape):
    (folder / "a.cnf").write_text("p cnf 1 1\n1 0\n")
    nest(folder / "top", *shape)
    for command in (["run", "--repeat", 1, "--cnf"], ["certify"]):
        done = nqbench(*command, folder)
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1, done.stderr
    done = nqbench("run", "--repeat", 1, "--cnf", folder)
    assert done.stderr == f"nqbench: {folder} has folders nested too deep: leave them out\n"


@needs_addon("grading")
def test_a_submission_of_nested_folders_is_the_only_one_that_is_not_graded(nqbench, folder):
    nest(folder / "deep", *DEEP_AND_LONG)
    (folder / "zoe").mkdir()
    (folder / "zoe" / "zoe.py").write_text("print('p cnf 16 0')")
    done = nqbench("grade", folder, "--n", 4, "--shuffles", 0, "-q")
    assert done.returncode == 0, done.stderr
    printed = " ".join(done.stdout.split())
    assert "has folders nested too deep: leave them out" in printed
    assert "2 submissions: 1 refuted, 1 no formula." in printed


@needs_addon("revisions")
def test_a_build_that_nests_folders_is_removed_when_it_is_made_again(here, monkeypatch):
    monkeypatch.setenv("NQBENCH_BUILDS", str(here / "cache"))
    history = History(here / "solver", commits=1)
    (here / "nest.py").write_text(nesting(*DEEP_AND_LONG))
    (here / FILE).write_text(RECIPE.replace('build = "', f'build = "python3 {here}/nest.py; '))
    name = f"git:{history.path}@HEAD"
    (record,) = library.run("6", encodings="pairwise", backends=name, repeat=1).to_dicts()
    assert record["verdict"] == "verified", record["message"]
    (built,) = cache_folder().iterdir()
    (built / "build.json").unlink()
    (record,) = library.run("6", encodings="pairwise", backends=name, repeat=1).to_dicts()
    assert record["verdict"] == "verified", record["message"]
    assert remove_tree(here / "cache")


def test_a_file_with_an_encoding_beside_nested_folders_is_used(nqbench, folder):
    (folder / "mine.py").write_text(
        "from nqbench.plugin import LineEncoding\n"
        "class Mine(LineEncoding):\n"
        "    def constrain(self, cnf, x):\n"
        "        cnf.add([[-a, -b] for i, a in enumerate(x) for b in x[:i]])\n"
    )
    nest(folder / "mine", *DEEP_AND_LONG)
    done = nqbench(
        "run", "--n", 4, "--encoding", folder / "mine.py", "--backend", "minisat22", "--repeat", 1
    )
    assert done.returncode == 0, done.stderr


def test_imports_of_nested_packages_have_one_line(nqbench, tmp_path):
    (tmp_path / "mine.py").write_text(f"import {'.'.join(['d' * 200] * 3000)}\n")
    done = nqbench("run", "--n", 4, "--encoding", "./mine.py", "--repeat", 1)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1, done.stderr


def test_results_with_nested_folders_among_components_have_one_line(folder, shape):
    place = folder / component_files.FOLDER / "mine.py-0123456789abcdef"
    place.parent.mkdir()
    nest(place, *shape)
    with pytest.raises(InputError, match="has folders nested too deep"):
        component_files.kept(folder, {"mine.py:Mine": "0123456789abcdef"})


def test_a_campaign_file_over_nested_folders_has_one_line(nqbench, folder):
    nest(folder / "top", 1900, "d")
    (folder / "all.toml").write_text("[[campaign]]\ncnf = ['**/*.cnf']\n")
    done = nqbench("run", folder / "all.toml")
    assert done.returncode == 2
    assert "nested too deep" in done.stderr or "no file matches" in done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr


def test_the_programs_of_a_long_chain_are_all_found(monkeypatch):
    monkeypatch.setattr(processes, "_children", lambda pid: [pid + 1] if pid < 5000 else [])
    assert list(processes.with_descendants(1)) == list(range(1, 5001))
