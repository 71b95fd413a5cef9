"""Commands that nqbench prints as advice are run as they are printed."""

import itertools
import re
import shlex
import subprocess
import sys

import polars as pl
import pytest
from addons import needs_addon
from made_records import campaign, times

import nqbench as library

MARKED = re.compile(r"^(?:use it: |more:   |why:    |        ) (\S.*)$", re.MULTILINE)
TO_KEEP = re.compile(r"; to keep one: (nqbench .*)$", re.MULTILINE)
QUOTED = re.compile(r"`(nqbench .*?)`")


def advice_in(printed):
    """The commands that an output advises. One in a sentence may go over several lines."""
    sentences = " ".join(printed.split())
    return [*MARKED.findall(printed), *TO_KEEP.findall(printed), *QUOTED.findall(sentences)]


@pytest.fixture
def follow(typed, tmp_path, monkeypatch):
    """Does in the folder of this test what a command says, which has to work."""
    monkeypatch.chdir(tmp_path)

    def run(command):
        if command.startswith("nqbench."):
            return eval(command, {"nqbench": library})
        words, _, output = command.partition(" > ")
        program, *words = shlex.split(words)
        if program == "nqbench":
            done = typed(*words)
        else:
            assert program == "python"
            python = [sys.executable, *words]
            done = subprocess.run(python, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, (command, done.stderr)
        if output:
            (tmp_path / output).write_text(done.stdout)
        return done

    return run


def knf(n):
    every = " ".join(map(str, range(1, n + 1)))
    return f"p knf {n} 2\nk 2 {every} 0\nk 1 -1 -2 -3 -4 -5 0\n"


def opb(n):
    terms = " ".join(f"{1 + at * 7 % 5} x{at}" for at in range(1, n + 1))
    return f"* #variable= {n} #constraint= 2\nmin: {terms} ;\n{terms} >= {n} ;\n1 x1 1 x2 >= 1 ;\n"


def wcnf(n):
    return f"p wcnf {n} 4 30\n30 1 2 0\n30 -3 {n} 0\n3 -1 -2 0\n4 -{n} 0\n"


MEASURED = {
    "queens": ("pairwise", "queens", ""),
    "latin": ("product", "latin", ""),
    ".cnf": ("product", "cnf", "p cnf {n} 2\n1 {n} 0\n-1 -{n} 0\n"),
    ".knf": ("totalizer", "cnf", knf),
    ".opb": ("adder", "cnf", opb),
    ".wcnf": ("adder", "cnf", wcnf),
}
"""The encoding, the family, and the text of a file."""


def records_of(encoding, family, suffix):
    """Records in which CaDiCaL is three times as fast as MiniSat."""
    made = campaign(cadical195=times(1), minisat22=times(3)).with_columns(
        encoding=pl.lit(encoding),
        family=pl.lit(family),
        run_id=pl.int_range(pl.len()).cast(pl.String).str.zfill(32),
        backend_version=pl.lit("python-sat 1.9"),
        checked_by=pl.lit("board" if family != "cnf" else "clauses"),
    )
    if family != "cnf":
        return made
    name = pl.concat_str(pl.col("n").cast(pl.String), pl.lit(suffix))
    return made.with_columns(instance=name, n=pl.lit(None, pl.Int64))


@pytest.mark.parametrize("what", MEASURED)
def test_how_to_use_what_was_measured_works_as_printed(follow, tmp_path, what):
    encoding, family, text = MEASURED[what]
    records_of(encoding, family, what).write_parquet(tmp_path / "my results.parquet")
    done = follow("nqbench summary --results 'my results.parquet'")
    install, use, *why = advice_in(done.stdout)
    assert install == "pip install python-sat==1.9"
    if family == "cnf":  # the advice is for any such file
        content = text(9) if callable(text) else text.format(n=9)
        (tmp_path / f"FILE{what}").write_text(content)
    for command in itertools.chain([f"{use} > solve.py", *why], commands_of_program(tmp_path)):
        follow(command)


def commands_of_program(folder):
    """How to run the program that was printed, as it says itself, once it is there."""
    for line in (folder / "solve.py").read_text().split('"""')[1].splitlines():
        if line.startswith("    ") and not line.lstrip().startswith("pip "):
            yield line.strip()


def test_what_is_mixed_is_kept_apart_by_the_command_that_is_printed(follow, tmp_path):
    """Families, machines and time limits; names may have quotes and signs of the shell."""
    parts = [
        records_of("pairwise", "queens", "").with_columns(machine=pl.lit("Ann's $HOME, 2 CPUs")),
        records_of("pairwise", "latin", "").with_columns(time_limit_s=pl.lit(30.0)),
    ]
    table = pl.concat(parts).with_columns(
        run_id=pl.int_range(2 * len(parts[0])).cast(pl.String).str.zfill(32)
    )
    table.write_parquet(tmp_path / "mixed.parquet")
    advised = advice_in(follow("nqbench summary --results mixed.parquet --by encoding").stderr)
    assert len(advised) == 3
    for command in advised:
        follow(f"{command} --results mixed.parquet")


def test_answers_are_checked_by_the_command_that_is_printed(follow, tmp_path):
    done = follow(
        "nqbench run --family pigeonhole --n 4 --encoding pairwise --backend cadical195 "
        "--repeat 1 --no-plots --check later --results 'my results'"
    )
    (command,) = [each for each in advice_in(done.stderr) if "nqbench check" in each]
    follow(command)
    assert library.Results(tmp_path / "my results").records["verdict"].to_list() == ["verified"]


@pytest.mark.parametrize("suffix", [".knf", ".wcnf"])
def test_rows_are_encoded_by_the_command_that_is_printed(typed, follow, tmp_path, suffix):
    """With the name of the file in place of FILE."""
    (tmp_path / "rows.knf").write_text(knf(9))
    refused = {
        ".knf": ("reencode", "rows.knf", "--amo", "product"),
        ".wcnf": ("encode", "rows.knf", "--encoding", "native", "--output", "a.wcnf"),
    }
    (command,) = advice_in(typed(*refused[suffix]).stderr)
    follow(command.replace("FILE ", "rows.knf "))
    assert list(tmp_path.glob("FILE.*"))


@needs_addon("compare")
def test_a_slow_session_is_measured_again_as_it_is_advised(typed, tmp_path):
    """With the name of the folder in place of FOLDER: two sessions that are slower fail."""
    for name, factor in (("old", 1.0), ("new", 3.0), ("FOLDER", 3.1)):
        made = records_of("pairwise", "queens", "")
        slower = pl.when(backend="cadical195").then(pl.col("solve_s") * factor)
        made = made.with_columns(solve_s=slower.otherwise("solve_s"))
        made.write_parquet(tmp_path / f"{name}.parquet")
    words = (
        "compare", "old.parquet", "new.parquet", "--fail-above", "10%", "--reference",
        "pairwise x minisat22",
    )  # fmt: skip
    alone = typed(*words)
    assert "add --again FOLDER" in " ".join((alone.stdout + alone.stderr).split())
    both = typed(*words, "--again", "FOLDER.parquet")
    assert (alone.returncode, both.returncode) == (1, 1), both.stderr
    assert "--again" not in both.stdout + both.stderr


def test_runs_without_a_number_are_left_out_as_it_is_advised(typed, follow, tmp_path):
    made = records_of("pairwise", "queens", "")
    counted = pl.when(backend="minisat22").then(pl.lit(7))
    made.with_columns(conflicts=counted).write_parquet(tmp_path / "counted.parquet")
    words = "nqbench summary --results counted.parquet --metric conflicts"
    refused = typed(*words.split()[1:])
    (where,) = re.findall(r"""--where (?:"[^"]*"|'[^']*')""", refused.stderr)
    assert "minisat22" in follow(f"{words} {where}").stdout


def test_a_program_is_made_executable_as_it_is_advised(nqbench, tmp_path):
    solver = tmp_path / "my solver"
    solver.write_text("#!/bin/sh\necho s UNSATISFIABLE\n")
    solver.chmod(0o644)
    words = (
        "run", "--n", 3, "--encoding", "pairwise", "--backend", "exe:'./my solver' {file}",
        "--repeat", 1, "--no-plots", "--retry-failed",
    )  # fmt: skip
    (command,) = {*re.findall(r"try: (.*?)(?:$|[,;)] )", nqbench(*words).stderr, re.MULTILINE)}
    subprocess.run(command, shell=True, check=True, cwd=tmp_path)
    # It starts now, and is not good at solving.
    assert "self-test failed: got 'unsat'" in nqbench(*words).stderr
