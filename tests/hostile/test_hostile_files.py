"""Untrusted files, and closed or full outputs: one clear line without delay, and status 2."""

import os
import subprocess
import sys

import pytest
from addons import needs_addon

from nqbench.common.printable import printable
from nqbench.problems.families.cnf import formulas
from nqbench.problems.queens import LARGEST_N


def one_line(done, *parts):
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("nqbench: ")
    for part in parts:
        assert part in done.stderr


def too_many_diagonals():
    count = 2 * LARGEST_N - 1
    pairs = ", ".join(f"[{k}, {kind}]" for k in range(count) for kind in (0, 1))
    return f"n = {LARGEST_N}\nnumdiags = {2 * count}\ndiags = [{pairs}]\n"


def sparse(path):
    path.touch()
    os.truncate(path, 2**40)


SPECIAL = {
    "pipe": os.mkfifo,
    "link to zero": lambda path: path.symlink_to("/dev/zero"),
    "folder": os.mkdir,
    "sparse": sparse,
}
TEXTS = {
    "empty lines": lambda: "\n" * 300_000,
    "many blanks": lambda: "n" + " " * 3_000_000 + "\n" + " " * 3_000_000 + "x",
    "a billion rows": lambda: '{"n": 1000000000}',
    "too many rows": lambda: f'{{"n": {LARGEST_N + 1}}}',
    "too many diagonals": too_many_diagonals,
    "csplib of a million": lambda: "n = 999999\nnumdiags = 0\ndiags = []\n",
}


def make(name, path):
    if name in TEXTS:
        path.write_text(TEXTS[name]())
    else:
        SPECIAL[name](path)


@pytest.mark.parametrize("name", [*SPECIAL, *TEXTS])
def test_no_board_keeps_us_waiting(nqbench, tmp_path, name):
    path = tmp_path / "start.txt"
    make(name, path)
    said = ("is a directory", "no problems") if name == "folder" else ("start.txt", "start.txt")
    one_line(nqbench("solve", "--board", path), said[0])
    one_line(nqbench("run", "--dry-run", "--board", path), said[1])


@pytest.mark.parametrize("kind", ["pipe", "link to zero"])
def test_no_file_in_a_folder_keeps_us_waiting(nqbench, tmp_path, kind):
    make(kind, tmp_path / "start.txt")
    one_line(nqbench("run", "--board", tmp_path, "--dry-run"), "is not a regular file")
    (tmp_path / "start.txt").unlink()
    make(kind, tmp_path / "hard.cnf")
    planned = nqbench("run", "--cnf", tmp_path, "--dry-run")
    assert planned.returncode == 0, planned.stderr
    arguments = ("--backend", "minisat22", "--repeat", 1, "--no-plots")
    done = nqbench("run", "--cnf", tmp_path, *arguments)
    assert done.returncode == 1
    assert "bad input: cannot read " in done.stderr
    assert "it is not a regular file" in done.stderr


@pytest.mark.parametrize("kind", SPECIAL)
@pytest.mark.parametrize(
    ("command", "name"),
    [
        (("run",), "campaign.toml"),
        pytest.param(("compare", "records.csv"), "records.csv", marks=needs_addon("compare")),
        (("summary", "--results"), "nqbench.db"),
    ],
    ids=["campaign", "export", "store"],
)
def test_no_other_file_does_either(nqbench, tmp_path, kind, command, name):
    make(kind, tmp_path / name)
    one_line(nqbench(*command, tmp_path if name.endswith(".db") else name))


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "--n", "999999"),
        ("run", "--n", "1..999999"),
        ("solve", "--n", "999999"),
        ("count", "--n", "10001"),
        ("encode", "--n", "10001"),
        ("run", "--family", "blocked", "--n", "8", "--density", "0..999999..0.000001"),
        ("run", "--n", "8", "--seed", str(2**63)),
        ("run", "--n", "8", "--shuffle-clauses", str(2**63)),
        ("run", "--n", "8", "--time-limit", "9" * 400 + "h"),
        ("run", "--n", "8", "--memory-limit", "9" * 30 + "TiB"),
    ],
    ids=lambda arguments: " ".join(arguments)[:40],
)
def test_a_number_that_is_too_large_is_said_to_be_so(nqbench, arguments):
    one_line(nqbench(*arguments))


def test_a_name_of_a_file_cannot_write_to_the_terminal(nqbench, tmp_path):
    name = "\x1b]0;owned\x07\x1b[2Jstart.txt"
    (tmp_path / name).write_text("Q.\n")
    bad = nqbench("solve", "--board", name)
    one_line(bad, r"\x1b]0;owned\x07\x1b[2Jstart.txt")
    assert "\x1b" not in bad.stderr
    (tmp_path / name).write_text("....\n" * 4)
    (tmp_path / "\x1b[2J.cnf").write_text("p cnf 1 1\n1 0\n")
    for option in ("--board", "--cnf"):
        arguments = (option, tmp_path, "--backend", "minisat22", "--repeat", 1)
        done = nqbench("run", *arguments, "--results", f"of{option}")
        assert done.returncode == 0, done.stderr
        assert "\x1b" not in done.stdout + done.stderr
    (formula,) = formulas(tmp_path)
    assert formula.instance == r"\x1b[2J.cnf"


@pytest.mark.parametrize(
    "text", ["", "plain", "ünïcödé ♛", "a\nb", "\x00\x7f\x9b", "\u202e", "x" * 9999]
)
def test_what_is_printable_is_a_line_that_no_terminal_obeys(text):
    shown = printable(text)
    assert shown.isprintable()
    assert len(shown) <= 1000
    if text.isprintable() and len(text) <= 1000:
        assert shown == text


def shell(command, folder):
    """Run a command line in a shell, which can close and fill outputs."""
    line = command.replace("nqbench", f"{sys.executable} -m nqbench", 1)
    return subprocess.run(
        ["/bin/sh", "-c", line], cwd=folder, capture_output=True, text=True, timeout=120
    )


@pytest.fixture(scope="module")
def results(tmp_path_factory, nqbench_in):
    path = tmp_path_factory.mktemp("outputs")
    options = ("--encoding", "pairwise", "--backend", "minisat22", "--repeat", 1, "--no-plots")
    assert nqbench_in(path)("--n", 4, *options).returncode == 0
    return path


@pytest.mark.parametrize(
    "command",
    [
        "summary",
        "export --format csv",
        "list encodings",
        "solve --n 8 --all",
        "encode --n 60",
        "--help",
    ],
)
def test_a_full_output_is_said_in_one_line(results, command):
    full = shell(f"nqbench {command} > /dev/full", results)
    one_line(full, "cannot write the output: No space left on device")


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
@pytest.mark.parametrize(
    "command",
    [
        "summary",
        "run --n 4 --encoding pairwise --backend minisat22 --repeat 1 --no-plots --results {}",
    ],
)
def test_a_closed_stream_ends_nothing(nqbench, results, command, closed, tmp_path):
    done = shell(f"nqbench {command.format(tmp_path)} {closed}", results)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "{}" not in command or "1/1" in nqbench("summary", "--results", tmp_path).stdout


def test_a_folder_that_is_gone_is_said_in_one_line(tmp_path):
    (tmp_path / "gone").mkdir()
    done = shell("cd gone && rmdir ../gone && exec nqbench --n 4", tmp_path)
    assert done.returncode == 2
    assert done.stderr == "nqbench: the current folder no longer exists: change to another one\n"
