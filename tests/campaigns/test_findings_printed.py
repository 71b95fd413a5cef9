"""Findings as the command line prints them, after the table."""

import json

import nqbench as package

SMALL = ("--n", "4..5", "--encoding", "pairwise", "--backend", "minisat22", "--no-plots")


def test_the_command_line_prints_what_the_library_says(nqbench, tmp_path):
    """With --findings, after the table, wrapped, and never in JSON."""
    arguments = "--n 4..6 --encoding pairwise,level1 --backend minisat22 --repeat 1 --no-plots"
    run = nqbench(*arguments.split(), "--quiet")
    assert run.returncode == 0, run.stderr
    said = package.findings(package.read(tmp_path / "results"))
    table, found = nqbench("summary", "--findings").stdout.split("\n- ", 1)
    assert "encoding" in table
    assert " ".join(found.partition("\n\n")[0].split()) == " - ".join(said)
    assert nqbench("summary").stdout == run.stdout
    json.loads(nqbench("summary", "--json").stdout)
    assert "- " + said[0][:20] not in nqbench("summary", "--pairs").stdout


def test_lines_are_as_wide_as_the_terminal(nqbench, monkeypatch):
    nqbench(*SMALL)
    for columns in (40, 80, 200):
        monkeypatch.setenv("COLUMNS", str(columns))
        lines = nqbench("summary").stdout.splitlines()
        first = next(i for i, line in enumerate(lines) if line.startswith("- "))
        widest = max(map(len, lines[first:]))
        assert widest <= min(columns, 100)
        assert widest > min(columns, 100) * 0.6


def test_findings_fit_into_ascii(nqbench, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    done = nqbench(*SMALL)
    assert done.returncode == 0, done.stderr
    assert "- The average solve time of pairwise x minisat22 is " in done.stdout
    assert done.stdout.isascii()
