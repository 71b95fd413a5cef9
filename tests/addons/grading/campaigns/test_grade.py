"""`grade`: planted submissions of a course are judged as they should be."""

import csv
import os
import shutil
import socket
import tomllib
from pathlib import Path

import pytest
from addons import needs_addon
from places import ROOT
from sandboxed import needs_sandbox

from nqbench.addons.grading.sandbox.confine import readable_for_python
from nqbench.addons.grading.sandbox.protection import Level
from nqbench.addons.grading.sandbox.sandbox import protection
from nqbench.addons.grading.submission import Kind, Submission

PLANTED = ROOT / "tests" / "data" / "submissions"
EXPECTED = tomllib.loads((ROOT / "tests" / "data" / "submissions.toml").read_text())
ENDLESS = "endless_loop.py"
OUTSIDE = Path("/tmp/nqbench-planted-submission")


def rows_of(folder):
    with (folder / "scoreboard.csv").open() as file:
        return {(row["submission"], int(row["n"] or 0)): row for row in csv.DictReader(file)}


@needs_sandbox
def test_planted_submissions_are_judged_as_they_should_be(nqbench, tmp_path):
    """With a limit that none of them reaches but the one that has a test below."""
    folder = tmp_path / "submissions"
    shutil.copytree(PLANTED, folder, ignore=shutil.ignore_patterns(ENDLESS), symlinks=True)
    with socket.create_server(("127.0.0.1", 48713)) as server:
        server.settimeout(0)
        done = nqbench("grade", folder, "--n", 6, "--time-limit", "60s", "--shuffles", 0)
        assert done.returncode == 0, done.stderr
        with pytest.raises(BlockingIOError):
            server.accept()
    assert done.stderr.startswith(f"Sandbox: {protection().level}.")
    rows = rows_of(tmp_path / "results")
    assert {name for name, _ in rows} == EXPECTED.keys() - {ENDLESS}
    page = (tmp_path / "results" / "scoreboard.html").read_text()
    # It writes into a /tmp of its own. There is none without a root, or if Python is below /tmp.
    has_own = protection().level is Level.CONFINED and not any(
        path.is_relative_to(OUTSIDE.parent) for path in readable_for_python()
    )
    unsure = set() if has_own else {"writes_outside.py"}
    for name in sorted(EXPECTED.keys() - unsure - {ENDLESS}):
        row, expected = rows[name, 6], EXPECTED[name]
        assert row["verdict"] == expected["verdict"], (name, row)
        assert row["witness"] == expected.get("board", ""), (name, row)
        assert expected.get("says", "") in row["reason"] + row["notes"], (name, row)
        if row["board"]:
            queens = [tuple(map(int, square.split("."))) for square in row["board"].split()]
            assert is_solution(queens) == (row["witness"] == "forbidden"), (name, queens)
            assert f"<strong>{name}</strong>" in page
    assert not OUTSIDE.exists()


@needs_sandbox
def test_a_submission_that_does_not_end_is_stopped_at_the_limit(nqbench, tmp_path):
    (tmp_path / "handed-in").mkdir()
    shutil.copy(PLANTED / ENDLESS, tmp_path / "handed-in")
    done = nqbench("grade", tmp_path / "handed-in", "--n", 6, "--time-limit", "1s")
    assert done.returncode == 0, done.stderr
    (row,) = rows_of(tmp_path / "results").values()
    assert row["verdict"] == EXPECTED[ENDLESS]["verdict"]
    assert EXPECTED[ENDLESS]["says"] in row["reason"]


def is_solution(queens, n=6):
    lines = [
        {row for row, _ in queens},
        {column for _, column in queens},
        {row - column for row, column in queens},
        {row + column for row, column in queens},
    ]
    return len(queens) == n and all(len(line) == n for line in lines)


@pytest.fixture
def submissions(tmp_path):
    folder = tmp_path / "handed-in"
    folder.mkdir()
    for name in ("right.py", "half_of_the_solutions.py", "formulas_by_name"):
        copy = shutil.copytree if (PLANTED / name).is_dir() else shutil.copy
        copy(PLANTED / name, folder / name)
    return folder


def test_only_what_changed_is_graded_again(nqbench, tmp_path, submissions):
    command = ("grade", submissions, "--n", "4..5", "--shuffles", 1, "--backend", "minisat22")
    first = nqbench(*command)
    assert "3 submissions: 2 certified, 1 refuted." in first.stdout
    rows = rows_of(tmp_path / "results")
    assert float(rows["right.py", 5]["median_s"]) > 0
    assert not rows["half_of_the_solutions.py", 5]["median_s"]
    assert {n for name, n in rows if name == "formulas_by_name"} == {4}

    ledger = tmp_path / "results" / "grades.jsonl"
    before = ledger.read_text()
    again = nqbench(*command)
    assert again.stdout == first.stdout
    assert ledger.read_text() == before
    assert "recorded already" in again.stderr

    changed = submissions / "right.py"
    changed.write_text(changed.read_text().replace("p cnf", "no cnf"))
    nqbench(*command)
    assert rows_of(tmp_path / "results")["right.py", 4]["verdict"] == "no formula"
    assert len(ledger.read_text().splitlines()) == len(before.splitlines()) + 2


def test_one_solution_may_suffice(nqbench, tmp_path, submissions):
    done = nqbench("grade", submissions, "--n", 4, "--shuffles", 0, "--keep", "one")
    assert "3 submissions: 3 certified." in done.stdout
    again = nqbench("grade", submissions, "--n", 4, "--shuffles", 0, "--keep", "all")
    assert "3 submissions: 2 certified, 1 refuted." in again.stdout


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('rigth = { command = "./x" }', "'rigth'"),
        ('"right.py" = "./x"', "command ="),
        ('"right.py" = { comand = "./x" }', "'comand'"),
        ('right.py = { command = "./x" }', 'write "right.py" = '),
        ('"right.py" = { sizes = "9..4" }', "9..4"),
    ],
)
def test_a_wrong_line_is_named(nqbench, submissions, line, complaint):
    (submissions / "grade.toml").write_text(line)
    done = nqbench("grade", submissions, "--n", 4)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "grade.toml" in done.stderr
    assert complaint in done.stderr


def test_what_a_submission_needs_is_said(nqbench, tmp_path):
    folder = tmp_path / "handed-in"
    for name in ("two", "empty", "source"):
        (folder / name).mkdir(parents=True)
    for name in ("a.py", "b.sh"):
        (folder / "two" / name).write_text("")
    (folder / "source" / "encode.c").write_text("int main() {}")
    (folder / "link.py").symlink_to(PLANTED / "right.py")
    done = nqbench("grade", folder, "--n", 4, "--shuffles", 0)
    assert done.returncode == 0
    rows = rows_of(tmp_path / "results")
    lines = "add to handed-in/grade.toml"
    assert f"it has 2 programs (a.py, b.sh): {lines}" in rows["two", 0]["reason"]
    assert lines in rows["source", 0]["reason"]
    assert "it is a link" in rows["link.py", 0]["reason"]


def test_a_mistake_is_named_with_its_line(nqbench, tmp_path):
    folder = tmp_path / "handed-in"
    folder.mkdir()
    (folder / "carol.py").write_text("import sys\n\nfor n in sys.argv[1]\n    print(n)\n")
    done = nqbench("grade", folder, "--n", 4, "--shuffles", 0)
    assert "SyntaxError" in done.stdout
    assert "(carol.py, line 3)" in done.stdout


@needs_addon("bundle")
def test_a_colleague_can_measure_the_race_again(nqbench, tmp_path, submissions):
    assert nqbench("grade", submissions, "--n", 4, "--shuffles", 1).returncode == 0
    named = ("--cnf", tmp_path / "results" / "formulas", "--no-plots")
    made = nqbench("bundle", "course.zip", *named)
    assert made.returncode == 0, made.stderr
    assert nqbench("replay", "course.zip", "--sample", 1).returncode == 0


def test_a_formula_that_ends_inside_a_clause_is_none(nqbench, tmp_path):
    folder = tmp_path / "handed-in"
    (folder / "files").mkdir(parents=True)
    cut = "p cnf 16 2\n1 2 3 4 0\n-1 -"
    (folder / "prints.py").write_text(f"print({cut!r}, end='')")
    (folder / "leaves.py").write_text(f"open('formula', 'w').write({cut!r})")
    (folder / "killed.py").write_text(f"print({cut!r}, 'Killed')")
    (folder / "files" / "4.cnf").write_text(cut)
    done = nqbench("grade", folder, "--n", 4, "--shuffles", 0)
    assert done.returncode == 0, done.stderr
    for (name, _), row in rows_of(tmp_path / "results").items():
        assert row["verdict"] == "no formula", (name, row)
        assert "line 3" in row["reason"], (name, row)
    for command in (["certify"], ["run", "--repeat", 1, "--cnf"], ["run", "--lenient", "--cnf"]):
        done = nqbench(*command, folder / "files" / "4.cnf")
        assert done.returncode == (2 if command == ["certify"] else 1), done.stderr
        assert "line 3" in done.stderr + done.stdout


@pytest.fixture
def scheme(tmp_path):
    """Hand in the right class, with lines before what it does for each line of the board; `seen`
    are the lengths of those before.
    """

    def hand_in(name, *lines):
        text = (PLANTED / "scheme.py").read_text()
        (tmp_path / "handed-in").mkdir()
        before = "".join(f"        {line}\n" for line in ("seen.add(len(x))", *lines))
        text = text.replace("        passed =", f"{before}        passed =")
        text = text.replace("class Scheme", "seen = set()\n\n\nclass Scheme")
        (tmp_path / "handed-in" / name).write_text(text)
        return tmp_path / "handed-in"

    return hand_in


@needs_sandbox
def test_one_interpreter_writes_all_formulas_of_a_class(nqbench, tmp_path, scheme):
    # Rows come first, so the longest line is n.
    folder = scheme("a.py", "if max(seen) == 5: raise ValueError(f'after {sorted(seen)}')")
    nqbench("grade", folder, "--n", "4..6", "--shuffles", 0, "--time-limit", "20s")
    rows = rows_of(tmp_path / "results")
    verdicts = [rows["a.py", n]["verdict"] for n in (4, 5, 6)]
    assert verdicts == ["certified", "no formula", "certified"]
    # A new interpreter would have seen lines of 5 only.
    assert "4, 5]" in rows["a.py", 5]["reason"]


@needs_sandbox
def test_a_class_that_ends_its_interpreter_gets_another_one(nqbench, tmp_path, scheme):
    folder = scheme("a.py", "import os", "if max(seen) == 4: os._exit(3)")
    nqbench("grade", folder, "--n", "4,5", "--shuffles", 0, "--time-limit", "20s")
    rows = rows_of(tmp_path / "results")
    assert rows["a.py", 4]["reason"] == "exit status 3"
    assert rows["a.py", 5]["verdict"] == "certified"


PROGRAM = "import sys\nn = int(sys.argv[1])\nprint(f'p cnf {n * n} 1\\n1 0')\n"
NAMES = [
    b"M\xfcller", b"M\\xfcller", b"new\nline", b"\x1b[2Jtab\t", b"-rf", b"a{n}{out}{program}",
    b"x" * 240, b"=cmd|' calc'!A0", b"[red]", b"[.]", b":smile:", b"%s", "üñ".encode(), b"a b",
    b"\xed\xa0\x80", b"quote\"'", b"\xe2\x80\xaeflip", b"\xff" * 200,
]  # fmt: skip


@needs_addon("bundle")
def test_submissions_of_any_name_are_graded_also_the_second_time(nqbench, tmp_path):
    folder = tmp_path / os.fsdecode(b"handed-in \xff")
    folder.mkdir()
    right = (PLANTED / "right.py").read_text()
    for place, name in enumerate(NAMES):
        text = right if place % 3 == 0 else PROGRAM
        (folder / os.fsdecode(name + b".py")).write_text(text)
    (folder / os.fsdecode(b"folder\xfc\n")).mkdir()
    (folder / os.fsdecode(b"folder\xfc\n") / os.fsdecode(b"-\xfc{n}.py")).write_text(PROGRAM)
    (folder / os.fsdecode(b"file\xfc4.cnf")).write_text("p cnf 16 1\n1 0\n")
    command = ["grade", folder, "--n", 4, "--backend", "minisat22"]
    for options in (["--shuffles", 1], ["--shuffles", 0, "--fresh"]):
        done = nqbench(*command, *options)
        assert done.returncode == 0, done.stderr
        assert max(map(len, done.stdout.splitlines())) <= 160
        page = (tmp_path / "results" / "scoreboard.html").read_text()
        content = (tmp_path / "results" / "scoreboard.csv").read_bytes()
        text = content.decode()
        assert text.isascii() or "üñ" in text
        assert not set(text) & {chr(c) for c in range(32) if c != 10}
        rows = rows_of(tmp_path / "results")
        assert len(rows) == len(NAMES) + 2
        assert {row["verdict"] for row in rows.values()} == {"certified", "refuted"}
        assert sum(row["verdict"] == "certified" for row in rows.values()) == 6
        names = {name for name, _ in rows}
        assert {"M\\xfcller.py", "M\\xfcller.py (2)", "-rf.py", "new line.py"} <= {
            name.removeprefix("'") for name in names
        }
        assert {name for name in names if name.startswith(("=", "-", "+", "@"))} == set()
        assert "\\xed\\xa0\\x80.py" in page
    made = nqbench("bundle", "course.zip", "--cnf", tmp_path / "results" / "formulas", "--no-plots")
    assert made.returncode == 0, made.stderr


STRANGE = {
    "minus": "class A(" + "-" * 2**19 + "Encoding): pass",
    "parentheses": "x = " + "(" * 500_000 + "Encoding",
    "list": "x = [" + "Encoding, " * 100_000 + "]",
    "blocks": "Encoding\n" + "if x:\n" + "".join(f"{' ' * i}if x:\n" for i in range(1, 1200)),
    "attributes": "Encoding\n" + "x" + ".a" * 500_000,
}


def test_a_strange_source_ends_nothing(nqbench, tmp_path):
    folder = tmp_path / "handed-in"
    folder.mkdir()
    for name, text in (STRANGE | {"zoe": PROGRAM}).items():
        (folder / f"{name}.py").write_text(text)
    done = nqbench("grade", folder, "--n", 4, "--shuffles", 0)
    assert done.returncode == 0, done.stderr
    verdicts = {name: row["verdict"] for (name, _), row in rows_of(tmp_path / "results").items()}
    assert verdicts == {f"{name}.py": "no formula" for name in STRANGE} | {"zoe.py": "refuted"}


def test_values_nested_deeply_in_grade_toml_have_one_line(nqbench, submissions):
    (submissions / "grade.toml").write_text("x = " + "[" * 100_000)
    done = nqbench("grade", submissions, "--n", 4)
    assert (done.returncode, done.stderr) == (2, "nqbench: grade.toml: nested too deeply\n")


RIGHT = PLANTED / "right.py"
WRONG = "n = int(input())\nprint('p cnf', n * n, n)\nfor r in range(n): print(r * n + 1, 0)\n"


def put_program(folder, program):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "m.py").write_text(program)


@needs_sandbox
def test_a_formula_is_not_judged_as_that_of_an_earlier_submission(nqbench, tmp_path):
    """The second verdict on `carol` would be that on the first formula of `alice`."""
    folder = tmp_path / "handed-in"
    put_program(folder / "alice", RIGHT.read_text())
    put_program(folder / "carol", WRONG)
    command = ("grade", folder, "--n", 4, "--shuffles", 0)
    assert nqbench(*command).returncode == 0
    put_program(folder / "alice", WRONG)
    assert nqbench(*command, "--keep", "one").returncode == 0
    verdicts = {name: row["verdict"] for (name, _), row in rows_of(tmp_path / "results").items()}
    assert verdicts == {"alice": "refuted", "carol": "refuted"}


@needs_sandbox
def test_no_submission_gets_the_name_of_another_one(nqbench, tmp_path):
    folder = tmp_path / "handed-in"
    folder.mkdir()
    for name in ("\x01.py", r"\x01.py"):
        (folder / name).write_text(WRONG)
    put_program(folder / r"\x01.py (2)", RIGHT.read_text())
    assert nqbench("grade", folder, "--n", 4, "--shuffles", 0).returncode == 0
    verdicts = [row["verdict"] for row in rows_of(tmp_path / "results").values()]
    assert sorted(verdicts) == ["certified", "refuted", "refuted"]


def test_no_submission_writes_into_the_folder_of_another_one(tmp_path):
    first = Submission(r"M\xfcller", tmp_path / os.fsdecode(b"M\xfcller"), Kind.PROGRAM)
    name = first.folder_name
    second = Submission(name, tmp_path / name, Kind.PROGRAM)
    assert second.folder_name != name


def test_a_link_stops_nobody(nqbench, tmp_path):
    folder = tmp_path / "handed-in"
    folder.mkdir()
    shutil.copy(PLANTED / "formulas_by_name" / "queens4.cnf", folder)
    targets = {"itself": "itself", "long": "a" * 300, "nowhere": "/nowhere", "above": ".."}
    for name, target in targets.items():
        (folder / name).symlink_to(target)
    done = nqbench("grade", folder, "--n", 4, "--shuffles", 0)
    assert done.returncode == 0, done.stderr
    rows = rows_of(tmp_path / "results")
    for name in targets:
        assert "it is a link" in rows[name, 0]["reason"]
    assert rows["queens4.cnf", 4]["verdict"]


@needs_sandbox
def test_submissions_are_not_where_every_program_may_read(nqbench, tmp_path):
    """The package is a place that exists on each machine, and that every program may read."""
    (tmp_path / "a.py").write_text(WRONG)
    for submissions, results in ((tmp_path, ROOT / "nqbench"), (ROOT / "nqbench", tmp_path)):
        done = nqbench("grade", submissions, "--n", 4, "--shuffles", 0, "--results", results)
        assert (done.returncode, done.stdout) == (2, "")
        assert "every submission could read" in done.stderr
