"""Programs as encodings: `exe:COMMAND`."""

import os
import shlex
import sys
from pathlib import Path

import pytest
from addons import is_here, needs_addon
from measuring import measured

import nqbench
from nqbench.backends.permission import need_permission, require
from nqbench.clauses import constraint_files
from nqbench.common.errors import InputError, SolverError
from nqbench.common.limits import Limits
from nqbench.encodings.base import Encoding
from nqbench.encodings.program import Command
from nqbench.plugins.availability import why_unavailable
from nqbench.problems import board_files
from nqbench.problems.families.base import Family
from nqbench.problems.queens import Queens

if is_here("grading"):
    from nqbench.addons.grading.sandbox.sandbox import Sandbox

ENCODER = """
import itertools, os, sys
assert os.listdir() == [], os.listdir()
n = int(sys.argv[1]) if sys.argv[1:] else int(input("n? "))
square = lambda r, c: r * n + c + 1
squares = list(itertools.product(range(n), repeat=2))
clauses = [[square(r, c) for c in range(n)] for r in range(n)]
for (r, c), (s, d) in itertools.combinations(squares, 2):
    if r == s or c == d or abs(r - s) == abs(c - d):
        clauses.append([-square(r, c), -square(s, d)])
out = open(sys.argv[2], "w") if sys.argv[2:] else sys.stdout
print("c queens", file=out)
print("p cnf", n * n, len(clauses), file=out)
for clause in clauses:
    print(*clause, 0, file=out)
print("done")
"""


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "enc.py").write_text(ENCODER)


def named(arguments: str) -> Encoding:
    return Encoding.named(f"exe:{shlex.quote(sys.executable)} {arguments}".strip())


@pytest.mark.parametrize(
    ("arguments", "note"),
    [
        ("enc.py {n}", "'done'"),
        ("enc.py", "'n? c queens'"),
        ("enc.py {n} {out}", ""),
        ("enc.py {n} queens.sat", ""),
    ],
)
def test_program_makes_the_formula_of_a_board(arguments: str, note: str) -> None:
    encoding = named(arguments)
    cnf = encoding.clauses(Queens(4))
    assert (cnf.num_variables, cnf.num_main, cnf.num_clauses) == (16, 16, 80)
    assert note in encoding.note
    assert bool(note) == bool(encoding.note)
    assert [path.name for path in Path.cwd().iterdir()] == ["enc.py"]


@needs_addon("certify")
def test_program_is_certified_and_measured() -> None:
    encoding = f"exe:{shlex.quote(sys.executable)} enc.py"
    (certificate,) = nqbench.certify(encoding, [4])
    assert certificate.result == "certified"
    assert "'n? c queens'" in certificate.note
    record = measured(encoding=encoding, problem=Queens(5))
    assert (record.outcome, record.verdict) == ("finished", "verified")
    assert record.encode_s > 0
    assert "'n? c queens'" in record.message


@needs_addon("grading")
def test_command_runs_in_a_sandbox(tmp_path: Path) -> None:
    command = Command.parse(f"exe:{shlex.quote(sys.executable)} {tmp_path}/enc.py {{n}} queens.sat")
    words, given = command.prepare(Queens(4), tmp_path)
    tmp_path.chmod(0o755)  # root runs it as a user of its own
    ending = Sandbox(Limits(time_s=30.0), readable=[tmp_path]).run(words, given)
    left = {os.fsdecode(name): content for name, content in ending.files.items()}
    formula = command.find(ending.output, lambda: left)
    assert (ending.outcome, ending.output) == ("finished", b"done\n")
    assert formula.with_options(Queens(4).options).num_clauses == 80


def test_edited_script_is_another_version() -> None:
    before = named("enc.py {n}").version
    Path("enc.py").write_text(ENCODER + "# edited")
    after = named("enc.py {n}").version
    assert before is not None
    assert before != after


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("print('no n'); exit(3)", "exit status 3, last line 'no n'"),
        ("import os; os.abort()", "ended by signal SIGABRT, no output"),
        ("print('hello')", "no line 'p cnf VARIABLES CLAUSES'.*last line 'hello'"),
    ],
)
def test_failing_program_is_reported_with_its_last_line(code: str, message: str) -> None:
    with pytest.raises(SolverError, match=message):
        named(f"-c {shlex.quote(code)}").encode(Queens(4))


@needs_addon("certify")
def test_missing_program_is_unavailable() -> None:
    assert why_unavailable(Encoding.named, "exe:./nope {n}") == f"no program '{Path.cwd()}/nope'"
    with pytest.raises(InputError, match="needs a command"):
        nqbench.certify("exe", [4])


def test_problem_is_written_in_the_format_that_is_asked_for(tmp_path: Path) -> None:
    board = Queens(4, placed=((0, 1),), blocked=((3, 3),))
    command = Command.parse("exe:cat {file} {file.json} {file.opb} {n}")
    (_, picture, as_json, opb, n), given = command.prepare(board, tmp_path)
    assert (n, given) == ("4", b"")
    assert board_files.of_picture(Path(picture).read_text(), picture).placed == board.placed
    assert board_files.of_json(Path(as_json).read_text(), as_json).digest == board.digest
    assert constraint_files.format_of(Path(opb).read_bytes()).name == "OPB"
    (latin,) = Command.parse("exe:cat {file}").prepare(Family.named("latin").of_size(3), tmp_path)[
        0
    ][1:]
    assert constraint_files.format_of(Path(latin).read_bytes()).name == "KNF"


def test_program_that_gets_only_n_is_not_asked_about_more() -> None:
    assert "add {file}" in (
        Encoding.named("exe:cat {n}").why_not(Queens(4, placed=((0, 1),))) or ""
    )
    assert Encoding.named("exe:cat {file}").why_not(Queens(4, placed=((0, 1),))) is None
    dominating = Family.named("queen-domination").of_size(4)
    assert "{k}" in (Encoding.named("exe:cat {n}").why_not(dominating) or "")
    with pytest.raises(InputError, match="no known format"):
        Encoding.named("exe:cat {file.xyz}")


def test_program_that_only_a_file_names_needs_permission() -> None:
    name = "exe:./encode {n}"
    assert need_permission([name]) == [name]
    assert need_permission([name], [name]) == []
    with pytest.raises(InputError, match=r"would start exe:\./encode"):
        require([name], [], "campaign.toml")


CUT = """import sys
text = f"p cnf 16 3{chr(10)}1 2 3 0{chr(10)}-1 -2 0{chr(10)}1 2 -"
if sys.argv[1] == "print":
    print(text, end="")
else:
    open(sys.argv[3] if sys.argv[1] == "out" else "formula", "w").write(text)
"""


def test_no_answer_counts_if_the_formula_ends_inside_a_clause() -> None:
    """Wherever it is written: printed, in the file that is asked for, or left behind."""
    Path("cut.py").write_text(CUT)
    places = ("print {n}", "out {n} {out}", "left {n}")
    names = [f"exe:{sys.executable} cut.py {place}" for place in places]
    records = nqbench.run(4, encodings=names, backends="minisat22", repeat=1).to_dicts()
    assert len(records) == len(names)
    for record in records:
        assert (record["outcome"], record["answer"]) == ("crashed", None), record["message"]
        assert "line 4" in record["message"]


def test_a_program_gets_the_rows_of_a_file(tmp_path):
    """As OPB with weights. Before, it "did not apply, which has clauses already"."""
    program = tmp_path / "encode.py"
    program.write_text(
        "import sys\n"
        "text = open(sys.argv[1]).read()\n"
        "assert '+2 x1 +3 x2 +4 x3 >= 5' in text, text\n"
        "print('p cnf 3 3', '1 2 0', '1 3 0', '2 3 0', sep='\\n')\n"
    )
    path = tmp_path / "rows.opb"
    path.write_text("* #variable= 4 #constraint= 1\n+2 x1 +3 x2 +4 x3 >= 5 ;\n")
    (formula,) = nqbench.formulas(path)
    name = f"exe:{sys.executable} {program} {{file.opb}}"
    encoding = Encoding.named(name)
    assert encoding.why_not(formula) is None
    made = encoding.encode(formula)
    assert made.num_variables == 4
    assert sorted(made.clauses()) == [[1, 2], [1, 3], [2, 3]]
    # KNF has no weights, and without a file it gets nothing.
    in_knf = Encoding.named(f"exe:{sys.executable} {program} {{file.knf}}")
    assert "states no weights" in in_knf.why_not(formula)
    without = Encoding.named(f"exe:{sys.executable} {program} {{n}}")
    assert "has clauses already" in without.why_not(formula)
