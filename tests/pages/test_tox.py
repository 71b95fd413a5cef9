"""Every tox environment is run by default, or tested on a small scale elsewhere."""

import os
import re
import shlex
import shutil
import subprocess
import sys

import fresh
import run_page
from environments import SMALL, read
from places import ROOT

PAGES = ["README.md", "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob(".github/**/*.yml")]

ELSEWHERE = {
    "bench": "tests/pages/test_benchmarks.py",
    "docs": "tests/pages/test_site.py",
    "fresh": "the tests below, as far as they go",
    "outside": "a job of .github/workflows/ci.yml, beside the others",
    "release": "the same job",
    "without": "tests/pages/test_without.py without all, and a job for each add-on",
}


def test_every_environment_that_is_there_or_on_a_page_is_tried():
    tox = read()
    by_default = re.split(r",\s*", tox["tox"]["env_list"])
    tried = {*by_default, "thorough", *SMALL, *ELSEWHERE}
    there = {name.partition(":")[2] for name in tox.sections() if name.startswith("testenv:")}
    assert tried == there
    named = {
        name
        for page in PAGES
        for names in re.findall(r"tox -e ([\w,-]+)", (ROOT / page).read_text())
        for name in names.split(",")
    }
    assert set(ELSEWHERE) < named <= there


def test_what_only_the_workflow_tries_is_there():
    """What takes minutes is a separate job."""
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    for command in (
        ".ci/run",
        "tox -e outside",
        "tox -e release",
        'tox -e without -- "$ADDON"',
        'tox)" -e fresh',
    ):
        assert f"{command}\n" in workflow


def test_what_pages_pass_on_to_the_benchmarks_finds_some():
    """Each file that a command names has benchmarks; there is no option that leaves out some."""
    commands = {
        words
        for page in [*PAGES, *ROOT.glob("benchmarks/*.py")]
        for words in re.findall(
            r"tox -e bench --\s+(.+?)(?=`| -->|\n)", (ROOT / page).read_text() + "\n"
        )
    }
    assert len(commands) > 8
    words = {word for command in commands for word in shlex.split(command)}
    options = {word for word in words if word.startswith("-")}
    assert options == {"--on-request"}
    # pytest-benchmark warns where it finds itself in a process of pytest-xdist.
    environment = {name: value for name, value in os.environ.items() if "XDIST" not in name}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", *sorted(words)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    found = {line.partition("::")[0] for line in done.stdout.splitlines() if "::" in line}
    assert found == words - options


def test_commands_of_a_page_are_found_in_order():
    page = (
        "```sh\na 1\nb\n```\n<!-- elsewhere: x -->\n```sh\nno\n```\n"
        "<!-- needs: y -->\n\n```sh\nno\n```\n```console\n$ c | d\nprinted\n```\n```text\nno\n```\n"
    )
    assert [step.code for step in run_page.steps(page)] == ["a 1\nb\n", "c | d\n"]
    needing = f"`pip install 'nqbench[x]'`\n<!-- file: a/f.py -->\n```python\nf\n```\n{page}"
    install, *steps = run_page.steps(needing)
    assert "pip install" in install.code
    assert f"{ROOT}[x]" in install.code
    assert steps[0] == ("file", "f\n", "a/f.py")


def test_a_page_is_done_in_an_empty_folder_and_what_failed_is_said(tmp_path, capfd):
    good, bad = tmp_path / "good.md", tmp_path / "bad.md"
    good.write_text(
        "<!-- file: n.txt -->\n```text\n3\n```\n"
        "```python\nfrom pathlib import Path\n\nn = int(Path('n.txt').read_text())\n```\n"
        "```sh\ntest -f n.txt\n```\n```python\nassert n == 3\n```\n"
    )
    bad.write_text("```sh\ntest -f n.txt\n```\n```sh\necho not here\n```\n")
    assert run_page.main([str(good)]) == 0
    assert run_page.main([str(bad), str(good)]) == 1
    printed = capfd.readouterr().out
    assert f"failed: {bad}: test -f n.txt" in printed
    assert printed.endswith("1 of 2 pages\n")
    assert "not here" not in printed


def test_all_pages_are_done_on_new_systems():
    """Those that install something more come last."""
    pages = fresh.pages()
    assert {"README.md", "docs/tutorial.md", "docs/how-to/use.md"} <= {*pages}
    assert pages.index("docs/how-to/python-model.md") > pages.index("docs/tutorial.md")


def test_the_commands_tried_on_new_systems_are_those_of_the_readme():
    packages, clone, main_job, tests = fresh.readme_commands((ROOT / "README.md").read_text())
    assert {"python3-venv", "python3-dev", "git"} <= set(packages)
    assert clone == "git clone https://github.com/nqbench/nqbench && cd nqbench"
    assert main_job.endswith("-m nqbench --n 4..30")
    assert tests.endswith("tox p -o")


def test_what_pytest_says_on_a_new_system_becomes_a_row(tmp_path):
    (tmp_path / "test_some.py").write_text(
        "import pytest\n"
        "def test_one(): pass\n"
        "@pytest.mark.parametrize('n', [1, 2])\n"
        "def test_two(n): pytest.skip('no minisat: apt install minisat')\n"
    )
    command = [sys.executable, "-m", "pytest", "-ra", "-p", "no:cacheprovider", tmp_path]
    said = subprocess.run(command, capture_output=True, text=True).stdout
    assert fresh.skipped_in(said) == ["2 x no minisat: apt install minisat"]
    assert fresh.outcome_in(said) == "1 passed, 2 skipped"
    facts = ("3.14.0", "16.2", "1296 of 1296 verified", "3 of 3", "compiled", "1.01 x")
    good = fresh.Result("sid", *facts, "0.5 MB", "44 of 44", "1 passed")
    bad = fresh.Result("trixie", skipped=["2 x no minisat"], failed="main job failed")
    heading, of_good, of_bad, *below = fresh.table([good, bad]).splitlines()
    assert heading.split()[-4:] == ["PicoSAT", "report", "pages", "tests"]
    assert of_good.split()[-7:] == ["0.5", "MB", "44", "of", "44", "1", "passed"]
    assert of_bad.index("main job failed") == of_good.index("1296 of 1296")
    assert below == ["trixie: main job failed", "trixie skipped 2 x no minisat"]


def test_new_systems_need_root_and_say_so(tmp_path):
    if os.geteuid() == 0 and shutil.which("debootstrap"):
        command = ["setpriv", "--reuid=65534", "--clear-groups"]
    else:
        command = []
    done = subprocess.run(
        [*command, sys.executable, ROOT / "tools" / "fresh.py", tmp_path],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "needs root" in done.stderr or "no debootstrap" in done.stderr
