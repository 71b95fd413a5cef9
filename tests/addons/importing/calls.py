"""Calls of `import`, from end to end: see `tests/commands/test_each_command.py`."""

CALLS = {
    "import": ("import times.csv --time-limit 10s --results imported", "2 runs added"),
}


def prepare(folder, _nqbench):
    (folder / "times.csv").write_text(
        "instance,backend,answer,solve_s\nhard,kissat,sat,1.5\nhard,minisat,,10\n"
    )
