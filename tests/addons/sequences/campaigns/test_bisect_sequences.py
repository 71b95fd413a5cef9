"""Bisecting a library with IPASIR on a sequence of queries."""

import shutil
import subprocess

from addons import needs_addon
from places import ROOT

RECIPE = """[solver]
build = "cc -shared -fPIC -o libsolver.so ipasir.c"
program = "./libsolver.so"
"""
ASKED = "p icnf\ni 1 2 0\ni -1 3 0\nq -2 0\nq -3 -2 0\ni -3 0\nq -2 0\n"
EARLY = "return is_possible && search(s) ? 10 : 20;"


@needs_addon("revisions")
def test_the_commit_that_ignores_assumptions_is_found(nqbench, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    repository = tmp_path / "solver"
    repository.mkdir()

    def git(*words):
        names = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        call = ["git", *names, *words]
        done = subprocess.run(call, cwd=repository, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    git("init", "--quiet")
    source = repository / "ipasir.c"
    shutil.copy(ROOT / "tests" / "data" / "ipasir.c", source)
    commits = []
    for number in range(4):
        if number == 2:
            text = source.read_text()
            assert EARLY in text
            deaf = "memset(s->values, 0, s->variables + 1); return search(s) ? 10 : 20;"
            source.write_text(text.replace(EARLY, deaf))
        (repository / "README").write_text(f"version {number}\n")
        git("add", "--all")
        git("commit", "--quiet", "--message", f"Version {number}")
        commits.append(git("rev-parse", "HEAD"))
    (tmp_path / "nqbench-build.toml").write_text(RECIPE)
    (tmp_path / "a.icnf").write_text(ASKED)
    ended = nqbench(
        "bisect", commits[0], commits[3], "--backend", "git:./solver", "--by", "answer",
        "--cnf", "a.icnf", "-q",
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert commits[2][:7] in ended.stdout
    assert "query 1 (line 4): its model breaks the assumption -2" in ended.stdout
