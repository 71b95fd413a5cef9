"""Commits as backends: built once beside the repository, recorded, run only if permitted."""

import os
import subprocess
import tomllib
from pathlib import Path

import pytest
from places import ROOT
from solver_history import BROKEN, RECIPE, History

import nqbench as library
from nqbench.addons.revisions import build
from nqbench.addons.revisions.build import cache_folder
from nqbench.addons.revisions.built_program import BuiltProgram
from nqbench.addons.revisions.recipe import FILE, recipe_of
from nqbench.addons.revisions.repository import Repository
from nqbench.addons.revisions.spec import Spec, expanded, repository_of
from nqbench.backends import permission
from nqbench.backends.base import Backend
from nqbench.common.errors import InputError


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    return History(tmp_path_factory.mktemp("repository") / "solver", commits=22)


@pytest.fixture(autouse=True)
def here(history, tmp_path, monkeypatch):
    """A folder with the recipe, and a cache of builds that is empty."""
    monkeypatch.setenv("NQBENCH_BUILDS", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nqbench-build.toml").write_text(RECIPE)
    return tmp_path


def git(history, *arguments):
    command = ["git", "-C", str(history.path), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def inside(folder):
    """Every file below a folder, with its content and when it was written."""
    return {
        path: (path.read_bytes(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_each_commit_is_built_once_and_is_in_the_record(history, here, monkeypatch):
    marker = here / "hook ran"
    hook = history.path / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch '{marker}'\n")
    hook.chmod(0o755)
    # As in a hook of another repository, in which commits of this one would not be found.
    monkeypatch.setenv("GIT_DIR", str(here / "elsewhere"))
    before = inside(history.path)
    asked = f"git:{history.path}@{{HEAD~21..HEAD~17..2,{history.digits[3]}}}"
    records = library.run("8", encodings="pairwise", backends=asked, repeat=1, results=here / "r")
    numbers = (1, 3, 5)
    names = [f"git:{history.path}@{history.digits[number][:12]}" for number in numbers]
    assert set(records["backend"]) == set(names)
    assert set(records["verdict"]) == {"verified"}
    assert set(records["conflicts"]) == {21}
    for name, number in zip(names, numbers, strict=True):
        (row,) = records.filter(backend=name).to_dicts()
        of = f"solver {history.digits[number]} of 2024-01-01T00:{number:02}:00Z, "
        assert row["backend_version"].startswith(of)
        assert row["backend_build"]
    assert inside(history.path) == before
    assert not marker.exists()
    built = inside(cache_folder())
    assert len(list(cache_folder().iterdir())) == len(numbers)
    again = library.run("8", encodings="pairwise", backends=asked, repeat=1, results=here / "r")
    assert list(again["run_id"]) == list(records["run_id"])
    assert inside(cache_folder()) == built


def test_a_dry_run_builds_nothing_and_plans_what_is_built(history, here, nqbench):
    built, other = history.digits[1], history.digits[2]
    command = ["run", "--n", 4, "--encoding", "pairwise", "--repeat", 1, "--dry-run", "--backend"]
    done = nqbench(*command, f"git:{history.path}@{built}")
    assert (done.returncode, done.stdout) == (0, "")
    assert f"not built yet, so their runs are not in this plan: solver {built[:12]}" in done.stderr
    assert not cache_folder().exists()
    library.run("4", encodings="pairwise", backends=f"git:{history.path}@{built}", repeat=1)
    done = nqbench(*command, f"git:{history.path}@{{{built},{other}}}")
    assert "1 run: n 4" in done.stdout
    assert other[:12] in done.stderr
    assert len([*cache_folder().glob("*/tree")]) == 1


def test_another_command_is_another_build(history, here):
    asked = {"encodings": "pairwise", "backends": f"git:{history.path}@HEAD~21", "repeat": 1}
    first = library.run("6", **asked)
    (here / "nqbench-build.toml").write_text(RECIPE.replace("-O1", "-O0"))
    second = library.run("6", **asked)
    assert first["backend_build"][0] != second["backend_build"][0]
    assert first["backend_version"][0] != second["backend_version"][0]


def test_a_build_that_fails_is_recorded_with_its_last_lines(history, here):
    broken = history.digits[min(BROKEN)][:12]
    asked = f"git:{history.path}@{{{broken},HEAD}}"
    with pytest.warns(UserWarning, match="could not run: the build of solver"):
        records = library.run("6", encodings="pairwise", backends=asked, repeat=1)
    by_commit = {
        name[-12:]: row for name, row in zip(records["backend"], records.to_dicts(), strict=True)
    }
    assert by_commit[history.digits[22][:12]]["verdict"] == "verified"
    failed = by_commit[broken]
    assert failed["outcome"] == "unavailable"
    assert "exit status 1" in failed["message"]
    assert "#error" in failed["message"]
    log = failed["message"].rpartition("(log: ")[2].rstrip(")")
    assert "#error" in Path(log).read_text()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("git:{path}@nowhere", "no revision 'nowhere'"),
        ("git:{path}@HEAD..HEAD~3", "is not before"),
        ("git:{path}", "needs a repository and a revision"),
        ("git:{path}@{{HEAD~1,}}", None),
        ("git:{path}@--output=x", "is not a revision"),
        ("git:{path}/no@{{a,b}}", "there is no repository"),
    ],
)
def test_wrong_names_have_one_line(history, name, message):
    asked = name.format(path=history.path)
    if message is None:
        assert expanded([asked]) == [f"git:{history.path}@{history.digits[21][:12]}"]
        return
    with pytest.raises(InputError, match=message):
        library.run("6", encodings="pairwise", backends=[asked], repeat=1)


def test_an_at_sign_may_be_in_a_folder_a_revision_and_an_argument(here):
    """Which code is run is what has to be allowed. Records say it where there is no folder."""
    digits = "0123456789ab"
    for folder in ("a", "b@c", "d", "d@e"):
        (here / folder).mkdir()
    for text, place, revisions in (
        ("a@v1 mail@x", "a", "v1"),
        ("a@HEAD@{1}", "a", "HEAD@{1}"),
        ("b@c@{HEAD@{1},v1}", "b@c", "{HEAD@{1},v1}"),
        ("d@e", "d", "e"),
        ("d@e@v1", "d@e", "v1"),
        (f"x@y@{digits} --z", "x@y", digits),
        ("x@y", "x", "y"),
    ):
        spec = Spec.read(f"git:{text}")
        assert (spec.place, spec.revisions) == (place, revisions)
        assert repository_of(f"git:{text}") == f"git:{here / place}"
    with pytest.raises(InputError, match="needs a repository and a revision"):
        Spec.read("git:b@c")
    assert repository_of("git:b@c") == f"git:{here / 'b@c'}"


def test_a_repository_has_one_name_however_it_is_written(here, monkeypatch):
    """From above, from inside, from beside; with a folder of its name in it, as MiniSat has."""
    for folder in ("w/sat/sat", "w/other", "w/x/y", "far"):
        (here / folder).mkdir(parents=True)
    for folder in ("w/sat", "far"):
        subprocess.run(["git", "init", "--quiet", here / folder], check=True)
    spellings = {
        "w": ("sat", "./sat", "sat/", "../w/sat"),
        "w/sat": (".", "./", "../sat", "sat"),
        "w/other": ("../sat", "sat"),
    }
    for where, places in spellings.items():
        monkeypatch.chdir(here / where)
        for place in (*places, str(here / "w" / "sat")):
            spec = Spec.read(f"git:{place}@main --fast")
            assert (spec.place, spec.repository.path) == ("sat", here / "w" / "sat"), (where, place)
            assert spec.named("") == "git:sat --fast"
            assert repository_of(f"git:{place}@main") == f"git:{here / 'w' / 'sat'}"
    for place in ("../../far", str(here / "far")):
        spec = Spec.read(f"git:{place}@main")
        assert (spec.place, spec.repository.path) == (place, here / "far")
    monkeypatch.chdir(here / "w" / "x" / "y")
    assert Spec.read("git:../../sat@main").place == "../../sat"
    for name in ("~nobody-of-this-name", "x" * 5000):
        assert Spec.read(f"git:{name}@main").place == name


def test_without_a_recipe_the_message_says_what_to_write(history, here):
    (here / "nqbench-build.toml").unlink()
    with pytest.raises(InputError, match=r"nqbench-build.toml.*\[solver\].*build"):
        library.run("6", encodings="pairwise", backends=f"git:{history.path}@HEAD", repeat=1)


def test_the_examples_are_recipes(monkeypatch):
    folder = ROOT / "examples" / "builds"
    monkeypatch.chdir(folder)
    for name in tomllib.loads((folder / FILE).read_text()):
        command = recipe_of(Repository(Path(f"/nowhere/{name}"))).command(Path("/tree"))
        placed = [word for word in command if "/" in word]
        assert placed
        for word in placed:
            path = Path(word)
            assert Path("/tree") in path.parents or path.is_file()


def test_a_campaign_file_builds_nothing_and_starts_no_git_without_permission(
    history, here, monkeypatch
):
    file = here / "campaign.toml"
    file.write_text(
        '[[campaign]]\nn = "6"\nencoding = ["pairwise"]\n'
        f'backend = ["git:{history.path}@{{HEAD~21..HEAD~20}}"]\n'
    )
    with monkeypatch.context() as without_git:
        without_git.setattr(Repository, "attempt", lambda *_: pytest.fail("git was started"))
        with pytest.raises(InputError, match="would start git:"):
            library.run(campaign_file=file, repeat=1)
        instead = library.run(campaign_file=file, repeat=1, backends="minisat22")
    assert list(instead["backend"]) == ["minisat22"]
    assert not cache_folder().exists()
    allowed = library.run(campaign_file=file, repeat=1, allow_programs=f"git:{history.path}")
    assert list(allowed["verdict"]) == ["verified"] * 2


def test_a_wrong_revision_in_a_campaign_file_has_one_line(history, here):
    file = here / "campaign.toml"
    file.write_text(f'[[campaign]]\nn = "6"\nbackend = ["git:{history.path}@nowhere"]\n')
    with pytest.raises(InputError, match=r"campaign.toml: no revision 'nowhere'"):
        library.run(campaign_file=file, repeat=1, allow_programs=f"git:{history.path}")


def test_permission_is_for_the_repository(history):
    name = f"git:{history.path}@{history.digits[3][:12]} --fast"
    assert permission.need_permission([name], []) == [name]
    assert permission.need_permission([name], ["git:/elsewhere"]) == [name]
    relative = os.path.relpath(history.path)
    assert permission.need_permission([name], [f"git:{relative}@{{main,v1..v2}}"]) == []


def test_settings_of_the_repository_start_no_program(here):
    started = here / "started"
    program = here / "program.sh"
    program.write_text(f"#!/bin/sh\ntouch '{started}'\n")
    program.chmod(0o755)
    other = here / "other"
    subprocess.run(["git", "init", "--quiet", other], check=True)
    settings = {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": str(here),
        "remote.origin.uploadPack": str(program),
        "core.fsmonitor": str(program),
    }
    for name, value in settings.items():
        subprocess.run(["git", "-C", other, "config", name, value], check=True)
    with pytest.raises(InputError, match="no revision"):
        Repository(other).commit("0" * 39 + "1")
    assert not started.exists()


def test_a_build_that_prints_without_end_is_stopped(history, here, monkeypatch):
    monkeypatch.setattr(build, "_LARGEST_LOG", 2**16)
    text = RECIPE.replace('build = "', 'build = "yes 1>&2; ')
    (here / "nqbench-build.toml").write_text(text)
    with pytest.warns(UserWarning, match="could not run"):
        (record,) = library.run(
            "6", encodings="pairwise", backends=f"git:{history.path}@HEAD", repeat=1
        ).to_dicts()
    assert record["outcome"] == "unavailable"
    assert "it printed more than 0 MiB: y | y | y" in record["message"]
    (log,) = cache_folder().glob("*/build.log")
    assert log.stat().st_size == 2**16


def test_a_build_that_failed_for_lack_of_something_is_tried_again(here, history, nqbench):
    """By each command once: it says when it failed first, and then that it is built."""
    needed = RECIPE.replace('build = "', 'build = "cat {here}/needed.txt && ')
    (here / "nqbench-build.toml").write_text(needed)
    name = f"git:{history.path}@{history.digits[1]}"
    command = ["run", "--n", 6, "--encoding", "pairwise", "--repeat", 1, "--no-plots", "--backend"]
    failures = []
    for folder in ("a", "b"):
        build._TRIED.clear()  # a command is a process
        done = nqbench(*command, name, "--results", folder)
        assert done.stderr.count("(1 of 1, log") == 1
        assert done.stderr.count("No such file") == 1
        failures.append(library.read(folder)["message"][0])
    assert all("needed.txt" in failure for failure in failures)
    assert ["it failed first on 20" in failure for failure in failures] == [False, True]
    build._TRIED.clear()
    assert f"solver {history.digits[1][:12]}" in nqbench("list", "builds").stdout.replace("-", " ")
    assert "failed" in nqbench("list", "builds").stdout
    (here / "needed.txt").write_text("")
    assert nqbench(*command, name, "--results", "c").returncode == 0
    assert library.read("c")["verdict"].to_list() == ["verified"]
    again = nqbench(*command, name, "--results", "d")
    assert "building" not in again.stderr


def outcome_of(recipe, here, name):
    """How the run of a board ended, and its message, with this recipe."""
    (here / "nqbench-build.toml").write_text(recipe)
    build._TRIED.clear()  # a command is a process
    backend = Backend.named(name)
    assert isinstance(backend, BuiltProgram)
    return backend._build.failure


def test_another_program_of_the_same_build_is_not_built_again(history, here):
    name = f"git:{history.path}@HEAD~21"
    recipe = '[solver]\nbuild = "echo >> {here}/count; echo > {tree}/made; chmod +x made"\n'
    failure = outcome_of(f'{recipe}program = "./none"', here, name)
    assert "no program ./none" in failure
    assert not outcome_of(f'{recipe}program = "./made"', here, name)
    assert not outcome_of(f'{recipe}program = "./made"\narguments = "-a"', here, name)
    assert (here / "count").read_text() == "\n"
    assert len([*cache_folder().iterdir()]) == 1


def test_a_program_without_a_slash_that_was_built_is_not_looked_for_elsewhere(history, here):
    """As `glucose`, which is in a folder of its build, and perhaps an older one on the PATH."""
    name = f"git:{history.path}@HEAD~21"
    recipe = '[solver]\nbuild = "mkdir -p simp; echo > simp/minisat; chmod +x simp/minisat"\n'
    failure = outcome_of(f'{recipe}program = "minisat"', here, name)
    assert 'it has ./simp/minisat: write program = "./simp/minisat"' in failure
    assert not outcome_of(f'{recipe}program = "picosat"', here, name)


def test_the_arguments_that_make_a_program_print_its_model_are_known(history, here):
    """As those of `glucose`; a recipe that has them is left as it is."""
    name = f"git:{history.path}@HEAD~21 -x"
    words = {}
    for arguments in ("", "-model", "-other"):
        (here / "nqbench-build.toml").write_text(
            f'[solver]\nprogram = "bin/glucose"\narguments = "{arguments}"'
        )
        words[arguments] = Backend.named(name)._words[1:]
    assert words == {
        "": ["-model", "-x"], "-model": ["-model", "-x"], "-other": ["-other", "-model", "-x"],
    }  # fmt: skip


def test_builds_are_listed_and_removed(here, history, nqbench):
    assert "0 builds" in nqbench("list", "builds").stderr
    broken = history.digits[min(BROKEN)][:12]
    asked = f"git:{history.path}@{{{broken},HEAD}}"
    command = ["run", "--n", 4, "--encoding", "pairwise", "--repeat", 1, "--no-plots", "--backend"]
    nqbench(*command, asked, "--results", "r")
    assert len([*cache_folder().iterdir()]) == 2
    wrong = nqbench("list", "builds", "--remove", "nothing")
    assert (wrong.returncode, "no build nothing" in wrong.stderr) == (2, True)
    assert "removed 1 build" in nqbench("list", "builds", "--remove", "failed").stderr
    (left,) = cache_folder().iterdir()
    assert history.digits[22][:12] in left.name
    nqbench("list", "builds", "--remove", left.name)
    assert not [*cache_folder().iterdir()]


def test_builds_are_listed_in_the_order_of_the_history_with_subjects(here, history, nqbench):
    """Whichever was built first; and so does a dry run name what is not built."""
    numbers = (9, 1, 5)
    asked = [f"git:{history.path}@{history.digits[number]}" for number in numbers]
    command = ["run", "--n", 4, "--encoding", "pairwise", "--dry-run", "--backend"]
    first, *_, last = sorted(numbers)
    planned = nqbench(
        *command, f"git:{history.path}@{{{history.digits[first]}..{history.digits[last]}..4}}"
    )
    places = [planned.stderr.index(history.digits[number][:12]) for number in sorted(numbers)]
    assert places == sorted(places)
    for name in asked:
        Backend.named(name)._build.make()
    listed = nqbench("list", "builds").stdout
    places = [listed.index(history.digits[number][:12]) for number in sorted(numbers)]
    assert places == sorted(places)
    subject = git(history, "log", "-1", "--format=%s", history.digits[5]).split()[0]
    assert subject in listed


def test_a_shallow_clone_says_so(here, history):
    """As that of a workflow, by default. Its own commit can be measured, and has no place."""
    source = f"file://{history.path}"
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", source, "solver"], check=True)
    with pytest.raises(InputError, match=r"shallow clone.*fetch-depth: 0"):
        expanded(["git:solver@HEAD~3"])
    repository = Spec.read("git:solver@HEAD").repository
    assert repository.place(repository.commit("HEAD")) is None


def placeholder(kind, folder):
    """A repository of which a file is not what the commit means, and the name of that file."""
    origin = History(folder / "origin", commits=1).path
    identity = ["-c", "user.name=A", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"]

    def run(*arguments, at=origin):
        command = ["git", "-C", str(at), *identity, *arguments]
        subprocess.run(command, check=True, capture_output=True)

    if kind == "submodule":
        run("submodule", "add", "--quiet", str(origin), "parts")
    elif kind == "pointer":
        oid = "0" * 64
        text = f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize 12345\n"
        (origin / "big.cnf").write_text(text)
    run("add", ".")
    run("commit", "--quiet", "--allow-empty", "-m", "More")
    here = folder / "solver"
    run("clone", "--quiet", str(origin), str(here), at=folder)
    if kind == "missing":
        blob = subprocess.run(
            ["git", "-C", str(here), "rev-parse", "HEAD:constants.h"],
            check=True, capture_output=True, text=True,
        ).stdout.strip()  # fmt: skip
        run("repack", "-a", "-d", "--quiet", at=here)
        for pack in here.glob(".git/objects/pack/*.pack"):
            content = pack.rename(folder / "pack").read_bytes()
            subprocess.run(
                ["git", "-C", str(here), "unpack-objects", "-q"], input=content, check=True
            )
        (here / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    return here


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("submodule", "parts is a submodule"),
        ("pointer", "big.cnf is a pointer of Git LFS"),
        ("missing", "constants.h|unable to read|missing"),
    ],
)
def test_a_tree_that_is_not_what_the_commit_holds_is_refused(here, tmp_path, kind, said):
    repository = Repository(placeholder(kind, tmp_path))
    with pytest.raises(InputError, match=said):
        repository.check_out(repository.commit("HEAD"), tmp_path / "tree")
