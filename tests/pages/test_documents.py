"""Executes the documentation: the code blocks of each page in order, in an empty folder.

- `sh`: every command must end with status 0. Campaigns draw nothing here, which takes longer than
  to measure them: those in `console` do.
- `console`: the same, and a command must print the text below it; `...` matches anything.
- `python`: executed, with one namespace for all blocks of a page.
- Any block below `<!-- file: NAME -->` is written to that file instead; one below `<!-- elsewhere:
  WHY -->` is tested elsewhere, as the comment says, and one below `<!-- needs: NAME -->` is skipped
  if that program, or file if it has a slash, is missing. `pip install .` installs into a folder for
  the page; what else pip would install is here already.
"""

import atexit
import doctest
import functools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import polars as pl
import pytest
from addons import is_of_missing
from places import ROOT
from run_page import BLOCK
from sybil import Example, Region, Sybil
from warm import Warm

PAGES = [
    Path("README.md"),
    *sorted(p.relative_to(ROOT) for p in ROOT.glob("docs/**/*.md") if not is_of_missing(p)),
]

GENERATED = [
    "README.md",
    "docs/index.md",
    *("docs/explanation/encodings.md", "docs/explanation/scale.md", "docs/explanation/timing.md"),
    *("docs/how-to/paper.md", "docs/reference/records.md"),
]
"""Pages with a generated part of each kind that does not take long."""

LONGEST_S = 1200
"""Nothing takes so long, also on a busy machine."""
INSTALL = """python -c '
from zipfile import ZipFile
from setuptools.build_meta import build_wheel
ZipFile("build/" + build_wheel("build")).extractall("site")
' > /dev/null"""
"""What pip does for a page, without its start."""


def blocks(document):
    for match in BLOCK.finditer(document.text):
        block = match.groupdict()
        if block["kind"] == "elsewhere":
            continue
        if block["kind"] == "needs" and not is_here(block["what"]):
            continue
        evaluate = write if block["kind"] == "file" else EVALUATORS.get(block["language"])
        if evaluate:
            yield Region(match.start(), match.end(), block, evaluate)


def is_here(needed):
    if "/" in needed:
        return any(Path("/").glob(needed.removeprefix("/")))
    return shutil.which(needed) is not None


def write(example: Example):
    path = Path(example.parsed["what"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(example.parsed["code"])


def python(example: Example):
    code = compile(example.parsed["code"], example.path, "exec")
    exec(code, example.namespace)


def shell(example: Example):
    code = example.parsed["code"]
    # One by one, since a single command of nqbench starts faster without a shell.
    lines = code.replace("\\\n", "").splitlines()
    alone = all(line.startswith("nqbench ") for line in lines)
    for command in lines if alone else [code]:
        done = execute(undrawn(command) if alone else command)
        assert done.returncode == 0, f"{command}\n{done.stdout}"


def undrawn(command):
    is_campaign = command.startswith("nqbench run ") and "--dry-run" not in command
    return f"{command} --no-plots" if is_campaign and "--no-plots" not in command else command


def console(example: Example):
    """Return how the output differs from the page; None if it does not."""
    checker = doctest.OutputChecker()
    for command, expected in re.findall(
        r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", example.parsed["code"], re.MULTILINE
    ):
        done = execute(command)
        assert done.returncode == 0, f"{command}\n{done.stdout}"
        wanted = doctest.Example(command, expected)
        printed = "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())
        if not checker.check_output(expected, printed, doctest.ELLIPSIS):
            return checker.output_difference(wanted, printed, doctest.ELLIPSIS)
    return None


USUAL = {
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    "NO_COLOR": "1",
    "COLUMNS": "160",
}
NEEDS_A_SHELL = set("|&;<>$`(){}*?~#\\\n")
QUOTED = re.compile(r"""'[^']*'|"[^"$`\\]*\"""")


@functools.cache
def warm():
    """Where commands start faster, as they do nothing else than nqbench."""
    started = Warm(os.environ | USUAL)
    atexit.register(started.close)
    return started


@functools.cache
def for_scripts():
    """A folder with a command `nqbench` that starts as fast."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    warm().write_command(folder / "nqbench")
    return folder


def execute(command):
    """A command of a page, in a shell unless it is one of nqbench without anything for a shell.
    What a page installs is in the folder `site`.
    """
    site = Path("site").absolute()
    environment = os.environ | USUAL | {"PYTHONPATH": str(site)}
    is_simple = not NEEDS_A_SHELL & set(QUOTED.sub("", command.strip()))
    words = shlex.split(command) if is_simple else []
    if words[:1] == ["nqbench"]:
        return warm().run(words[1:], Path.cwd(), LONGEST_S, environment=environment, together=True)
    environment["PATH"] = f"{for_scripts()}{os.pathsep}{environment['PATH']}"
    installed = command.replace("pip install .", INSTALL).replace("pip install --quiet pytest", "")
    return subprocess.run(
        ["bash", "-eu", "-c", installed],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
        timeout=LONGEST_S,
    )


EVALUATORS = {"sh": shell, "console": console, "python": python}


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_what_a_page_shows_works(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NQBENCH_BUILDS", str(tmp_path / "builds"))
    for example in Sybil(parsers=[blocks]).parse(ROOT / page):
        example.evaluate()


def test_files_of_the_project_that_pages_name_exist():
    missing = {}
    for page in PAGES:
        text = re.sub(r"https://github\.com/\S+", "", page.read_text())
        named = re.findall(r"\b(?:nqbench|tests|benchmarks|docs)/[\w/-]+\.\w+", text)
        missing[page] = [name for name in named if not (ROOT / name).exists()]
    assert {page: names for page, names in missing.items() if names} == {}


def test_generated_parts_are_what_the_code_has_now():
    """In a process with a narrow terminal, another language, and another order of sets."""
    environment = os.environ | {"COLUMNS": "40", "LANG": "de_DE.UTF-8", "PYTHONHASHSEED": "1"}
    done = subprocess.run(
        [sys.executable, "tools/generate.py", "--check"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


@pytest.fixture
def clone(tmp_path):
    """A copy of some pages and of what they are generated from: the others have been generated for
    the test above.
    """
    without_plots = shutil.ignore_patterns("*.png", "*.so", "__pycache__")
    for folder in ("docs/pictures", "nqbench", "results/reference"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=without_plots)
    for file in (*GENERATED, "docs/measured.toml", "mkdocs.yml", "pyproject.toml"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    (tmp_path / "results" / "reference" / "README.md").write_text("By hand.\n")
    return tmp_path


def test_what_differs_from_the_code_and_the_results_is_stale(clone):
    """Text by hand is not. Each page for one reason; a picture that is missing, or of nothing."""
    import generate

    expected = []

    def change(page, before, after):
        text = (clone / page).read_text()
        assert before in text
        (clone / page).write_text(text.replace(before, after, 1))
        expected.append(page)

    figures = clone / "results" / "reference" / "benchmarks.json"
    content = json.loads(figures.read_text())
    for name, figure in content["figures"].items():
        figure["value"] *= 2 if name.startswith("clocks/") else 1
    figures.write_text(json.dumps(content))
    expected.append("docs/explanation/timing.md")
    for campaign in ("start", "large"):
        path = clone / "results" / "reference" / campaign / "records.csv"
        records = pl.read_csv(path, infer_schema_length=None)
        records.with_columns(pl.col("solve_s") * 2).write_csv(path)
    expected += ["README.md", "docs/index.md", "docs/explanation/scale.md"]
    change("docs/explanation/encodings.md", "*An item of 8 options: ", "*An item of 9 options: ")
    change("docs/how-to/paper.md", "| `--width` |", "| `--breadth` |")
    by_hand = clone / "docs" / "reference" / "records.md"
    by_hand.write_text("By hand.\n" + by_hand.read_text())
    level1, gone = "docs/pictures/level1.svg", "docs/pictures/gone.svg"
    (clone / level1).unlink()
    (clone / gone).write_text("")
    found = [path.relative_to(clone).as_posix() for path in generate.stale(clone)]
    assert sorted(found) == sorted([*expected, level1, gone])
