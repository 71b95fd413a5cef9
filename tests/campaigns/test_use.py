"""What to do with the encoding and backend that won: the lines below tables, and the programs."""

import json
import subprocess
import sys

import polars as pl
import pytest
from addons import needs_addon
from made_pages import undrawn
from made_records import campaign, times
from markupsafe import escape

import nqbench as library
from nqbench.show.use import Subject, Use

ROWS = "p knf 5 3\n1 2 3 4 5 0\nk 2 1 2 3 4 5 0\nk 1 -1 -2 -3 -4 -5 0\n"
"""At least two of five variables are true, and at least one is false."""


def run_program(folder, *arguments):
    return subprocess.run(
        [sys.executable, "solve.py", *arguments],
        cwd=folder, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("encoding", "backend", "formula"),
    [("totalizer", "glucose4", "rows.totalizer.cnf"), ("native", "minicard", "rows.native.cnf+")],
)
def test_a_program_for_a_file_with_rows_gives_a_model_of_it(
    typed, folder, encoding, backend, formula
):
    (folder / "rows.knf").write_text(ROWS)
    named = ["--encoding", encoding, "--backend", backend]
    assert typed("use", "rows.knf", *named, "--output", "solve.py").returncode == 0
    assert f"--output {formula}\n" in (folder / "solve.py").read_text()
    typed("encode", "rows.knf", "--encoding", encoding, "--output", formula)
    printed = run_program(folder, "rows.knf")
    model = [int(word) for word in printed.split("v ")[1].split()]
    assert [abs(literal) for literal in model] == [1, 2, 3, 4, 5, 0]
    true = sum(literal > 0 for literal in model)
    assert 2 <= true <= 4
    used = library.use("rows.knf", encoding=encoding, backend=backend)
    assert f" {used.counters.conflicts} conflicts" in printed


def test_auxiliary_variables_that_an_encoding_does_without_get_values(typed, folder):
    typed("encode", "--n", 7, "--encoding", "sequential", "--output", "q.cnf")
    used = library.use(folder / "q.cnf", encoding="product", backend="cadical195")
    true = set(used.solution.literals)
    clauses = library.encode(7, "sequential").clauses()
    assert all(true & set(clause) for clause in clauses)


def test_a_summary_of_several_ends_with_how_to_use_the_best(typed, folder):
    asked = ["--n", "4..9", "--encoding", "pairwise", "--backend", "minisat22,pycosat"]
    ran = typed("run", *asked, "--no-plots", "-q")
    show = [line for line in ran.stdout.splitlines() if "nqbench use --n 9" in line]
    (best,) = [line for line in show if line.endswith(("minisat22", "pycosat"))]
    distribution = "python-sat" if best.endswith("minisat22") else "pycosat"
    assert f"pip install {distribution}==" in ran.stdout
    assert best in typed("summary").stdout
    assert "nqbench use" not in typed("summary", "--where", "n > 5").stdout  # too few boards
    alone = typed("summary", "--where", "backend = 'pycosat'").stdout
    assert "nqbench use" not in alone
    assert "--work" not in alone + ran.stdout  # pycosat counts no conflicts
    shown = typed(*best.split()[1:])
    assert shown.stdout.startswith('"""Solve --n 9 with pairwise x ')


def test_a_summary_ends_with_the_command_that_shows_why(typed, folder):
    asked = ["--n", "4..5", "--encoding", "pairwise", "--backend", "minisat22,glucose4"]
    ran = typed("run", *asked, "--no-plots", "-q", "--results", "my runs")
    why = "why:     nqbench summary --work --results 'my runs'"
    assert why in ran.stdout
    chosen = typed("summary", "--results", "my runs", "--where", "n > 4").stdout
    assert f"{why} --where 'n > 4'" in chosen
    alone = typed("summary", "--results", "my runs", "--where", "backend = 'glucose4'").stdout
    assert "why:" not in alone


@needs_addon("race")
def test_a_race_and_an_optimum_end_with_how_to_use_what_won(typed, folder):
    raced = typed(
        "race", "--n", "4..7", "--encoding", "pairwise,product", "--backend", "cadical195",
        "--no-plots", "-q",
    )  # fmt: skip
    assert "use it:  pip install python-sat==" in raced.stdout
    found = typed("optimum", "--family", "queen-domination", "--n", 4)
    (line,) = [line for line in found.stdout.splitlines() if "nqbench use" in line]
    assert "--family queen-domination:k=2 " in line
    assert typed(*line.split()[1:]).returncode == 0


def test_the_page_has_the_program_of_each_family():
    measured = campaign(minisat22=times(1), glucose4=times(2)).with_columns(
        encoding=pl.lit("pairwise")
    )
    families = {"latin": "", "queens": "-1"}
    page = undrawn(pl.concat(measured.with_columns(family=pl.lit(name)) for name in families))
    for family, suffix in families.items():
        section = page.split(f'<section class="use" aria-labelledby="use{suffix}">')[1]
        use = Use.of(Subject.of_family(family, 15), "pairwise", "minisat22", "python-sat 1.9")
        assert escape(use.call) in section
        assert escape(use.program) in section


def test_a_name_in_a_record_stays_text_and_loads_no_file(tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text("raise SystemExit('was executed')")
    for backend in (f"{mine}:Mine", 'exe:/bin/x """ + evil() + """', "nosuch"):
        use = Use.of(Subject.of_file(), "pairwise", backend, "nosuch 1.0")
        compile(use.program, "solve.py", "exec")
        assert "evil()\n" not in use.program
        assert json.loads(use.call.split("backend=")[1].removesuffix(")")) == backend
