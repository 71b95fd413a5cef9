"""Hundreds of bad inputs: no traceback, no partial file, always status 2 and one line."""

import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from places import DATA

from nqbench.cli.app import main

MANY = settings(max_examples=40, database=None)

PICTURE = "Q...\n..#.\n....\n#...\n"
JSON = '{"n": 4, "family": "torus", "placed": [[0, 1]], "blocked": [[3, 3]]}'
CSPLIB = (DATA / "csplib079" / "diag-8-4-1.param").read_text()
DIMACS = "c a comment\np cnf 3 2\n1 -2 0\n2 3 0\n"
OUTPUT = "c a comment\ns SATISFIABLE\nv -1 2 -3 -4 -5 -6 -7 8 9 -10 -11 -12 -13 -14 15 -16 0\n"
CAMPAIGN = """repeat = 2
time-limit = "10s"

[[campaign]]
n = "4..8..2"
family = "queens"
encoding = ["pairwise", "commander:group=4"]
backend = ["glucose4", "minisat22"]
seed = 3

[[campaign]]
family = "completion"
n = "8"
density = "0.1,0.2"
instances = 2
backend = ["cadical195"]
"""
PIECES = st.sampled_from(
    ["0", "-1", "1e9", "99999999999999999999", '"', "'", "[", "]", "{", "}", "=", ",", "..", "\n",
     "\0", "é", "\u2028", "true", "nan", "#", "%", "n", "p cnf", "c", "s SATISFIABLE", "v ", "inf"]
)  # fmt: skip


@st.composite
def spoiled(draw, text):
    """A valid text with parts deleted, repeated, swapped or overwritten."""
    for _ in range(draw(st.integers(1, 4))):
        first = draw(st.integers(0, len(text)))
        last = min(len(text), first + draw(st.integers(0, 12)))
        change = draw(st.sampled_from(["cut", "double", "put", "end"]))
        piece = draw(PIECES | st.text(max_size=4))
        text = {
            "cut": text[:first] + text[last:],
            "double": text[:last] + text[first:],
            "put": text[:first] + piece + text[last:],
            "end": text[:first],
        }[change]
    return text.encode("utf-8", errors="surrogatepass")


def files(*good):
    """Arbitrary bytes, and damaged valid texts."""
    return st.one_of(st.binary(max_size=60), *map(spoiled, good))


def told(*arguments):
    """The exit status and output of a command in an empty folder, and the files that it left."""
    out, err = io.TextIOWrapper(io.BytesIO()), io.StringIO()
    argv = sys.argv
    sys.argv = ["nqbench", *arguments]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
    except SystemExit as ended:
        status = ended.code
    finally:
        sys.argv = argv
    return status, err.getvalue(), sorted(path.name for path in Path().iterdir())


def assert_well_or_refused(*arguments, given=()):
    status, said, left = told(*arguments)
    if status == 0:
        return
    assert status == 2, (status, said)
    assert said.startswith("nqbench: "), said
    assert said.count("\n") == 1, said
    assert left == sorted(given)


@pytest.fixture(autouse=True)
def folder():
    """Change to an empty folder, which all examples of this module share."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        yield
        os.chdir(before)


@MANY
@given(files(PICTURE, JSON, CSPLIB))
@example(b"")
@example(b"\xff\xfe")
@example(b"Q" * 5000)
@example(b'{"n": 1e400}')
def test_board_files(content):
    Path("board").write_bytes(content)
    assert_well_or_refused("board", "--board", "board", "--style", "ascii", given=["board"])


@MANY
@given(files(CSPLIB, PICTURE), st.integers(-2, 40))
def test_instances_of_csplib(content, diagonals):
    Path("board").write_bytes(content)
    options = ["--board", "board", "--diagonals", str(diagonals)]
    assert_well_or_refused("board", *options, given=["board"])


@MANY
@given(files(CAMPAIGN))
def test_campaign_files(content):
    Path("own.toml").write_bytes(content)
    assert_well_or_refused("run", "own.toml", "--dry-run", given=["own.toml"])


KEYS = ["n", "family", "density", "instances", "board", "diagonals", "cnf", "encoding", "backend",
        "task", "repeat", "time-limit", "memory-limit", "memory-limit-by", "cpu-limit",
        "shuffle-clauses", "seed", "nosuch"]  # fmt: skip
VALUES = st.sampled_from(
    [-1, 0, 1, 3, 2**40, 0.5, -0.5, True, [], [""], "", "0", "4", "4..6", "6..4", "n", "all",
     "first", "10s", "0s", "1GiB", "cgroup", "torus", "completion", "0.2", ["pairwise"], ["all"],
     ["minisat22"], ["minisat22", "cp-sat"], ["csp"], ["nosuch"], [3], [["pairwise"]], ["."]]
)  # fmt: skip


@MANY
@given(st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=5), st.booleans())
@example({"repeat": 2**40}, True)
@example({"family": "completion", "density": "0.2", "instances": 2**40}, True)
def test_campaigns_of_odd_values(stated, with_n):
    """Values that JSON and TOML write in the same way."""
    entry = ({"n": "4..5"} if with_n else {}) | stated
    lines = [f"{key} = {json.dumps(value)}" for key, value in entry.items()]
    Path("own.toml").write_text("\n".join(["[[campaign]]", *lines, ""]))
    assert_well_or_refused("run", "own.toml", "--dry-run", given=["own.toml"])


@MANY
@given(files(OUTPUT))
def test_output_of_solvers(content):
    Path("out").write_bytes(content)
    status, said, left = told("decode", "--n", "4", "out")
    assert status in {0, 1, 2}
    # A model that is not a solution is not a user's mistake.
    assert (status == 1) == (": not a solution: " in said)
    models = said.count(": not a solution: ") + said.count("is left out")
    assert said.count("\n") == max(status > 0, models)
    assert left == ["out"]


@MANY
@given(files(DIMACS))
def test_dimacs(content):
    from nqbench.common.errors import InputError
    from nqbench.encodings.base import Encoding
    from nqbench.problems.families.cnf import Formula

    path = Path("a.cnf")
    path.write_bytes(content)
    refused = None
    try:
        Encoding.named("file").encode(Formula.at(path, "a.cnf")).check()
    except InputError as error:
        refused = str(error)
    assert refused is None or ("a.cnf" in refused and "\n" not in refused)


WORDS = st.sampled_from(
    ["run", "solve", "count", "board", "encode", "clauses", "summary", "plot", "export",
     "merge", "compare", "report", "--n", "--board", "--family", "--density", "--encoding",
     "--backend", "--repeat", "--time-limit", "--memory-limit", "--cnf", "--suite", "--jobs",
     "--scheduler", "--where", "--kind", "--format", "--output", "--square", "--diagonals",
     "--instances", "--task", "--seed", "--pair", "--metric", "--results", "--reference",
     "8", "4..", "4..2", "-1", "0", "1e9", "4..8..0", "nosuch", "torus", "pairwise", "product:x=1",
     "minisat22", "all", "10", "10s", "0s", "-5m", "1GiB", "csv", "n >", "3,3", "9,9", "a x b", ""]
)  # fmt: skip

# No system passes an argument with a zero byte to a process.
ANY_WORD = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=6)


@MANY
@given(st.lists(WORDS | ANY_WORD, max_size=6))
def test_command_lines(words):
    """Campaigns are only planned and nothing is solved, since valid commands may take long."""
    if words[:1] == ["run"] or (words and words[0].startswith("-")):
        words = ["run", *(word for word in words if word != "run"), "--dry-run"]
    elif words and words[0][:1].isdecimal():  # sizes mean `run` as well
        words = [*words, "--dry-run"]
    elif words[:1] != [] and words[0] in {"solve", "count", "watch"}:
        words = ["board", *words[1:]]
    status, said, _ = told(*words)
    assert status in {0, 2}, (status, said)
    if status == 2 and words:
        assert said.startswith("nqbench: "), said
        assert said.count("\n") == 1, said
