"""What `grade` tells a teacher to do works when it is pasted."""

import csv
import json
import shutil
import subprocess
import tarfile
import zipfile

import pytest
from places import ROOT
from sandboxed import needs_sandbox

PROGRAM = (ROOT / "tests" / "data" / "submissions" / "right.py").read_text()
FORMULA = ROOT / "tests" / "data" / "submissions" / "formulas_by_name" / "queens4.cnf"
IN_C = r"""
#include <stdio.h>
#include <stdlib.h>
static int x(int n, int row, int column) { return n * row + column + 1; }
int main(int argc, char **argv) {
  int n = atoi(argv[argc - 1]);
  for (int pass = 0, count = 0; pass < 2; pass++) {
    if (pass) printf("p cnf %d %d\n", n * n, count);
    for (int r = 0; r < n; r++) {
      for (int c = 0; c < n && pass; c++) printf("%d ", x(n, r, c));
      count++;
      if (pass) printf("0\n");
    }
    for (int i = 0; i < n * n; i++)
      for (int j = i + 1; j < n * n; j++) {
        int rows = j / n - i / n, columns = j % n - i % n;
        if (rows && columns && rows != columns && rows != -columns) continue;
        count++;
        if (pass) printf("-%d -%d 0\n", i + 1, j + 1);
      }
  }
  return 0;
}
"""
MAKEFILE = (
    "CC = cc\nTARGET = queens\n.PHONY: all\nall: $(TARGET)\n$(TARGET): queens.c\n\t$(CC) -o $@ $<\n"
)
LIST = "from rules import clash\n"
HELPER = "def clash(a, b):\n    return a == b\n"
NOTEBOOK = json.dumps(
    {
        "cells": [
            {"cell_type": "markdown", "source": ["# Queens"]},
            {"cell_type": "code", "source": [PROGRAM]},
        ]
    }
)


FILES = {
    "ann smith.c": IN_C,
    "bea/queens'.c": IN_C,
    "bea/notes.txt": "",
    "cem/Makefile": MAKEFILE,
    "cem/queens.c": IN_C,
    "dan/main.py": LIST + PROGRAM,
    "dan/rules.py": HELPER,
    "hal.ipynb": NOTEBOOK,
    "ida smith.c": IN_C,
}
"""What is handed in besides archives; the last file is marked as executable."""

SUBMISSIONS = 9


def hand_in(folder):
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    (folder / "ida smith.c").chmod(0o755)
    (folder / "fay").mkdir()
    for archive in ("eve lee.zip", "fay/eve lee.zip"):
        with zipfile.ZipFile(folder / archive, "w") as file:
            file.writestr("task/queens.py", PROGRAM)
    with tarfile.open(folder / "gil.tar.gz", "w:gz") as file:
        file.add(ROOT / "tests" / "data" / "submissions" / "right.py", "queens.py")


@pytest.fixture
def grade(nqbench, tmp_path):
    """Grades the folder `handed in` for n = 4; returns the row of each submission, and the lines
    that are printed to be pasted.
    """

    def run(*options):
        done = nqbench(
            "grade", "handed in", "--n", 4, "--shuffles", 0, "--time-limit", "20s", *options
        )
        assert done.returncode == 0, done.stderr
        with (tmp_path / "results" / "scoreboard.csv").open() as file:
            rows = {row["submission"]: row for row in csv.DictReader(file)}
        lines = done.stdout.splitlines()
        paste = [line for line in lines if " = { command = " in line or line.startswith(SHELL)]
        return rows, paste

    (tmp_path / "handed in").mkdir()
    return run


SHELL = ("python3 -", "mkdir ", "rmdir ")


@needs_sandbox
def test_advice_works_as_it_is_printed(grade, tmp_path):
    """One line for each submission: a command, or a line of `grade.toml`."""
    folder = tmp_path / "handed in"
    hand_in(folder)
    rows, lines = grade()
    assert [row["verdict"] for row in rows.values()] == ["no formula"] * SUBMISSIONS
    assert len(lines) == SUBMISSIONS
    for line in lines:
        if line.startswith(SHELL):
            subprocess.run(line, shell=True, check=True, cwd=tmp_path)
    stated = [line for line in lines if not line.startswith(SHELL)]
    (folder / "grade.toml").write_text("\n".join(stated))
    again, paste = grade()
    assert {name: row["verdict"] for name, row in again.items()} == dict.fromkeys(
        again, "certified"
    )
    assert len(again) == SUBMISSIONS
    assert not paste


def test_an_empty_folder_is_removed_as_it_is_printed(grade, tmp_path):
    (tmp_path / "handed in" / "ann lee").mkdir()
    shutil.copy(FORMULA, tmp_path / "handed in")
    rows, (line,) = grade()
    assert rows["ann lee"]["reason"].startswith("it has no files")
    subprocess.run(line, shell=True, check=True, cwd=tmp_path)
    rows, paste = grade()
    assert (list(rows), paste) == (["queens4.cnf"], [])
