"""The command line as users see it."""

import json
import subprocess
import sys

import pytest
from addons import needs_addon
from databases import records
from places import CSPLIB

HOPELESS = CSPLIB / "diag-8-4-1.param"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--n", "0"], "'0'"),
        (["--n", "30..4"], "'30..4'"),
        (["--n", "x"], "'x'"),
        (["--n", "-1"], "'-1'"),
        (["--n", "4", "--encoding", "nope"], "'nope'"),
        (["--n", "4", "--encoding", "commander:group=1"], "must be a whole number of at least 2"),
        (["--n", "4", "--encoding", "commander:size=4"], "unknown parameter 'size'"),
        (["--n", "4", "--encoding", "pairwise:state=some"], "state is 'some', but must be one of"),
        (["--n", "4", "--backend", "minisat22:threads=2"], "unknown parameter 'threads'"),
        (["clauses", "--n", "4", "--square", "4,0"], "4,0"),
        (["clauses", "--n", "4", "--square", "x"], "'x'"),
        (["clauses", "--n", "4", "--square", "1,1", "--encoding", "log"], "'log'"),
        (["--n", "4", "--time-limit", "-1"], "'-1'"),
        (["--n", "4", "--repeat", "0"], "0"),
        (["--n", "4", "--jobs", "0"], "0"),
        (["--n", "4", "--results", "/dev/null/results"], "/dev/null/results"),
        (["run"], "--n"),
        (["encode", "--n", "0"], "0"),
        (["encode", "--n", "4", "--output", "/dev/null/x.cnf"], "/dev/null/x.cnf"),
        (["decode", "--n", "4", "missing.out"], "missing.out"),
        (["plot", "--results", "elsewhere"], "no results at elsewhere"),
        (["solve"], "give one problem: either --n 8 or --file FILE"),
        (["solve", "--n", 8, "--board", "x"], "--n and --file are two problems"),
        (["solve", "--n", 8, "--seed", 3], "family 'queens' is not random: leave out --seed"),
        (["count", "--n", 8, "--seed", 0], "family 'queens' is not random: leave out --seed"),
        (
            ["solve", "--board", HOPELESS, "--family", "torus"],
            "--family does not apply to a board in a file",
        ),
        (["solve", "--n", 8, "--diagonals", 3], "--diagonals needs a CSPLib instance"),
        (["solve", "--board", "nothing.txt"], "cannot read nothing.txt: No such file"),
        (["solve", "--board", HOPELESS, "--diagonals", 99], "99 diagonals were asked for"),
        (["solve", "--n", 8, "--backend", "glucos4"], "did you mean 'glucose4'?"),
        (["solve", "--n", 8, "--backend", "exe:/no/such"], "no program '/no/such'"),
        (["solve", "--n", 8, "--encoding", "csp"], "backend 'cadical195' cannot solve instances"),
        (["solve", "--n", 8, "--all", "--backend", "construction"], "cannot enumerate"),
        (
            ["solve", "--n", 8, "--all", "--encoding", "pairwise:symmetry=half"],
            "leaves out solutions",
        ),
        (["solve", "--n", 8, "--style", "oil"], "'oil' is unknown: choose from unicode"),
        (["count", "--n", 40], "the exhaustive count goes up to 31"),
        (["count", "--n", 8, "--ganak", "--fundamental"], "--ganak cannot be combined with"),
        (["run", "--n", 8, "--encoding", "csp"], "takes a cnf: none of the encodings csp"),
        (["run", "--n", 8, "--task", "all", "--backend", "construction"], "cannot enumerate"),
        (["encode", "--n", 8, "--encoding", "csp"], "makes a csp, not clauses"),
        (["use", "--backend", "cadical195"], "give one problem"),
        (["use", "--n", 8], "--backend"),
        (["use", "--n", 8, "--backend", "cadical195", "--encoding", "csp"], "cannot solve"),
    ],
)
def test_a_mistake_gets_one_line_that_names_it_and_nothing_is_written(
    typed, tmp_path, arguments, named
):
    result = typed(*arguments)
    assert result.returncode == 2
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("nqbench: ")
    assert named in line
    assert list(tmp_path.iterdir()) == []


def test_a_refuted_answer_is_named_and_sets_the_exit_status(nqbench):
    result = nqbench(
        "--n", "6", "--repeat", 1, "--backend", "faulty-liar-sat,minisat22", "--no-plots"
    )
    assert result.returncode == 1
    assert "wrong answer: queens n=6 pairwise faulty-liar-sat" in result.stderr


def test_solvers_that_contradict_each_other_are_named(nqbench):
    pair = ("--backend", "minisat22,faulty-liar-unsat", "--encoding", "pairwise")
    done = nqbench("--n", 6, *pair, "--no-plots")
    assert done.returncode == 1
    assert "disagreement: queens n=6: sat according to pairwise x minisat22" in done.stderr
    assert "disagreement: queens n=6: unsat according to pairwise x faulty-liar" in done.stderr


def test_a_crash_is_named_and_sets_the_exit_status(nqbench):
    result = nqbench("--n", "6", "--repeat", 1, "--backend", "faulty-aborts", "--no-plots")
    assert result.returncode == 1
    assert "crash: queens n=6 pairwise faulty-aborts: signal SIGABRT" in result.stderr


def test_a_timeout_is_data_and_not_a_failure(nqbench, tmp_path):
    arguments = ("--n", "6", "--repeat", 1, "--encoding", "pairwise", "--backend", "faulty-sleeps")
    result = nqbench(*arguments, "--time-limit", "300ms", "--no-plots")
    assert result.returncode == 0
    assert records(tmp_path, "outcome") == [("timeout",)]


def test_a_missing_solver_is_reported_and_the_rest_goes_on(nqbench, tmp_path):
    result = nqbench(
        "--n", "4", "--repeat", 1, "--backend", "faulty-missing,minisat22", "--no-plots"
    )
    assert result.returncode == 1
    assert "faulty-missing is unavailable: No module named 'no_such_module'" in result.stderr
    assert "faulty-missing could not run: No module named 'no_such_module'" in result.stderr
    assert dict(records(tmp_path, "backend, outcome")) == {
        "faulty-missing": "unavailable",
        "minisat22": "finished",
    }


def test_a_dry_run_says_what_would_be_run_and_does_nothing(typed, tmp_path):
    result = typed("--n", "4..30", "--dry-run")
    assert result.returncode == 0
    assert result.stdout.startswith("1296 runs: ")
    assert list(tmp_path.iterdir()) == []


def test_encode_writes_dimacs(typed, tmp_path):
    result = typed("encode", "--n", 4, "--encoding", "alo-row")
    lines = result.stdout.splitlines()
    header = lines.index("p cnf 16 80")
    assert all(line.startswith("c nqbench ") for line in lines[:header])
    assert (lines[header + 1], len(lines[header + 1 :])) == ("1 2 3 4 0", 80)
    assert typed("encode", "--n", 4, "--encoding", "alo-row", "--output", "q4.cnf").stdout == ""
    assert (tmp_path / "q4.cnf").read_text() == result.stdout


def test_a_reader_that_has_had_enough_is_no_error(tmp_path):
    """The status is that of a process ended by SIGPIPE, since 1 would mean a wrong answer."""
    command = f"{sys.executable} -m nqbench encode --n 60 | head -1; echo ${{PIPESTATUS[0]}}"
    result = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert result.stdout == "c nqbench problem queens n=60\n141\n"
    assert result.stderr == ""


BOARD = ". Q . .\n. . . Q\nQ . . .\n. . Q .\n"
MODEL = "-1 2 -3 -4 -5 -6 -7 8 9 -10 -11 -12 -13 -14 15 -16 0\n"


@pytest.mark.parametrize("text", [f"SAT\n{MODEL}", f"s SATISFIABLE\nv {MODEL}"])
def test_decode_draws_the_board(typed, tmp_path, text):
    (tmp_path / "q4.out").write_text(text)
    result = typed("decode", "--n", 4, "q4.out")
    assert (result.returncode, result.stdout) == (0, BOARD)
    assert typed("decode", "--n", 4, "-", given=text).stdout == BOARD


@pytest.mark.parametrize("encoding", ["log", "product"])
def test_decode_needs_nothing_but_the_solved_file(typed, tmp_path, encoding):
    """A model of each encoding is what another solver finds."""
    from pysat.formula import CNF
    from pysat.solvers import Solver

    typed("encode", "--n", 5, "--family", "torus", "--encoding", encoding, "-o", "t5.cnf")
    with Solver("minisat22", bootstrap_with=CNF(from_file=str(tmp_path / "t5.cnf"))) as solver:
        assert solver.solve()
        (tmp_path / "t5.out").write_text(f"SAT\n{' '.join(map(str, solver.get_model()))} 0\n")
    drawn = typed("decode", "t5.out", "--cnf", "t5.cnf")
    assert (drawn.returncode, drawn.stdout.count("Q"), drawn.stderr) == (0, 5, "")
    for wrong, why in [
        (["--n", 5], "t5.cnf says that it encodes torus n=5, not queens n=5"),
        (["--encoding", "bitwise"], f"t5.cnf says that its encoding is {encoding}, not bitwise"),
    ]:
        refused = typed("decode", "t5.out", "--cnf", "t5.cnf", *wrong)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert why in refused.stderr


@needs_addon("certify")
def test_certify_takes_a_file(typed, tmp_path):
    typed("encode", "--n", 4, "--encoding", "log", "-o", "log.cnf")
    certified = typed("certify", "log.cnf")
    assert (certified.returncode, certified.stderr) == (0, "")
    assert "certified" in certified.stdout
    (tmp_path / "student.txt").write_text("p cnf 16 2\n1 2 3 4 0\n")
    refuted = typed("certify", "student.txt", "--n", 4)
    assert refuted.returncode == 1
    assert "share a row.\nQ Q . .\n. . . .\n" in refuted.stdout
    assert "student.txt: the file holds 1 clause, but the header says 2" in refuted.stderr
    for words, why in [
        (["student.txt"], "does not say which problem it encodes"),
        (["student.txt", "--n", "4..5"], "a formula encodes one problem, not 2"),
        (["log.cnf", "--n", 5], "log.cnf says that it encodes queens n=4, not queens n=5"),
        (["log", "--n", 4, "--keep", "one"], "--keep is for formulas"),
        (["--n", 4], "name an encoding, or a file"),
    ]:
        refused = typed("certify", *words)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert why in refused.stderr


SECOND = "-1 -2 3 -4 5 -6 -7 -8 -9 -10 -11 12 -13 14 -15 -16 0\n"
OTHER_BOARD = ". . Q .\nQ . . .\n. . . Q\n. Q . .\n"


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        (f"v {MODEL}".replace(" 8", " +8"), BOARD),
        (f"v {MODEL}v {SECOND}", f"{BOARD}\n{OTHER_BOARD}"),
        (f"c Answer: 1\nv {SECOND}c Answer: 2\nv {MODEL}s SATISFIABLE", f"{OTHER_BOARD}\n{BOARD}"),
        (f"s SATISFIABLE\nv {MODEL}0.01user 0.00system\n12 13\n", BOARD),
        (f"s SATISFIABLE\nv {MODEL}"[:-2], BOARD),
    ],
)
def test_decode_draws_each_model_apart(typed, text, drawn):
    result = typed("decode", "--n", 4, "-", given=text)
    assert (result.returncode, result.stdout, result.stderr) == (0, drawn, "")


def test_decode_leaves_out_a_model_that_is_cut_off(typed):
    result = typed("decode", "--n", 4, "-", given=f"v {MODEL}v {SECOND[:20]}")
    assert (result.returncode, result.stdout) == (0, BOARD)
    assert "line 2: the model has no 0 and is left out" in result.stderr


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"v {MODEL[:20]}", "line 1: the model does not end with 0 and has no literal of variable"),
        (f"v 1 {MODEL}", "line 1: the model has both 1 and -1"),
        ("c nothing\n", "no answer: expected"),
    ],
)
def test_decode_refuses_what_is_no_model(typed, text, why):
    result = typed("decode", "--n", 4, "-", given=text)
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert why in result.stderr


@pytest.mark.parametrize(
    ("asked", "model", "drawn"),
    [((), "1 2 0\n", "Q Q . .\n"), (("--family", "torus"), MODEL, BOARD)],
)
def test_decode_refutes_what_breaks_the_rules(typed, asked, model, drawn):
    """The solution of the plain board has queens that attack each other on the torus."""
    result = typed("decode", "--n", 4, *asked, "-", given=f"SAT\n{model}")
    assert (result.returncode, result.stdout.startswith(drawn)) == (1, True)
    assert "share" in result.stderr


@pytest.mark.parametrize(
    ("n", "status", "said"), [(3, 0, "verified by theorem"), (4, 1, "refuted by theorem")]
)
def test_decode_checks_that_there_is_no_solution(typed, n, status, said):
    result = typed("decode", "--n", n, "-", given="s UNSATISFIABLE\n")
    assert (result.returncode, result.stdout) == (status, "unsatisfiable\n")
    assert said in result.stderr


def test_the_clauses_of_a_square_are_grouped_by_line(typed):
    """The published clauses of square 28, after the row's at-least-one clause."""
    said = typed("clauses", "--n", 8, "--square", "3,3", "--encoding", "alo-row").stdout
    groups = {}
    for line in said.splitlines()[1:]:
        if line and not line.startswith(" "):
            name = line.partition(":")[0]
            groups[name] = set()
        elif line:
            groups[name].add(line.partition("    ")[0].strip())

    def pairs(squares):
        return {f"-{min(s, 28)} -{max(s, 28)} 0" for s in squares}

    assert groups == {
        "row": {"25 26 27 28 29 30 31 32 0", *pairs([25, 26, 27, 29, 30, 31, 32])},
        "column": pairs([4, 12, 20, 36, 44, 52, 60]),
        "falling diagonal": pairs([1, 10, 19, 37, 46, 55, 64]),
        "rising diagonal": pairs([7, 14, 21, 35, 42, 49]),
    }
    assert "not q[0,0] or not q[3,3]" in said


@pytest.mark.parametrize("encoding", ["product", "totalizer", "sequential"])
def test_clauses_with_auxiliary_variables_are_grouped_too(typed, encoding):
    said = typed("clauses", "--n", 8, "--square", "3,3", "--encoding", encoding).stdout
    groups = [line.partition(":")[0] for line in said.splitlines() if line and line[0] in "rcfb"]
    assert groups == ["row", "column", "falling diagonal", "rising diagonal"]


def test_exports_hold_every_record(nqbench, tmp_path):
    nqbench("--n", "4..5", "--repeat", 1, "--encoding", "pairwise", "--no-plots")
    lines = nqbench("export", "--format", "jsonl").stdout.splitlines()
    exported = [json.loads(line) for line in lines]
    assert [entry["n"] for entry in exported] == [4] * 4 + [5] * 4
    assert {entry["run_id"] for entry in exported} == {r for (r,) in records(tmp_path, "run_id")}
    assert sorted(exported[0]["queens"]) in ([2, 8, 9, 15], [3, 5, 12, 14])
    nqbench("export", "--format", "csv", "--output", "records.csv")
    table = (tmp_path / "records.csv").read_text().splitlines()
    assert len(table) == 9
    assert table[0].startswith(
        "run_id,environment_id,family,n,instance,density,problem_digest,encoding"
    )


@needs_addon("certify")
def test_a_mistake_of_an_encoding_is_reported_once(nqbench, tmp_path):
    scheme = tmp_path / "scheme.py"
    head = "from nqbench.plugin import LineEncoding\n\n\nclass Scheme(LineEncoding):\n"
    scheme.write_text(head + "    def constrain(self, cnf, x)\n        cnf.add(x[99])\n")
    assert "scheme.py, line 5: expected ':'" in nqbench("certify", "./scheme.py").stderr
    scheme.write_text(head + "    def constrain(self, cnf, x):\n        cnf.add(x[99])\n")
    solvers = ("--backend", "minisat22,glucose4", "--repeat", 1, "--no-plots")
    run = nqbench("run", "--n", "4..5", "--encoding", "./scheme.py", *solvers)
    assert run.returncode == 1
    assert run.stderr.count("IndexError") == 1
    assert "and in 3 more runs, with 2 backends" in run.stderr


@needs_addon("race")
def test_usage_shows_what_is_taken_without_an_option(typed):
    assert "solve [OPTIONS] [N | FILE]" in typed("solve", "--help").stdout
    assert "use [OPTIONS] [N | FILE]" in typed("use", "--help").stdout
    assert "race [OPTIONS] [N | FILE | CAMPAIGN.TOML]" in typed("race", "--help").stdout
