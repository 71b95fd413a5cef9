"""What two checkouts print, plan and write: whether anything changed for a user.

    python tools/freeze.py ../before . [WORD ...]

Each checkout is asked with its own environment, `.venv`, or with the Python in `PYTHON_BEFORE` or
`PYTHON_AFTER`. Both get the same reference campaigns and campaign files, those of the first. With
words, only the commands that contain one of them are compared. Exit status 1 if something differs.
"""

import contextlib
import difflib
import itertools
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from click import Command, Context, Group
from click.testing import CliRunner

from nqbench.campaign.job import Campaigns, Job
from nqbench.cli.app import app

KINDS = ("encodings", "backends", "families", "formats")
OUT = "out"
MOST_LINES = 40
DATA = ("results/reference", "examples", "claims")
WORKLOADS = (
    "--n 4..30",
    "--n 4..8 --encoding all --backend all",
    "--n 6..8 --family torus --seeds 3",
    "--n 8 --family excluded-diagonals --density 0.5..1.5..0.5 --instances 2",
    "--n 5 --family queen-domination:k=3 --task all",
    "--cnfgen 'php 6 5' --amo all",
    "--n 20 --shuffle-clauses 1 --repeat 3 --backend glucose4,exe:/bin/true",
)
SUMMARIES = (
    "", "--pairs", "--best", "--scaling", "--schemes", "--portfolio", "--stability", "--by-problem",
)  # fmt: skip
FORMATS = ("table", "latex", "markdown", "csv", "json")
EXPORTS = ("csv", "jsonl", "mkplot", "github-action-benchmark", "bencher")
COMPARED = (("at-most-one", "native"), ("campaign", "campaign"), ("hard", "campaign"))


def commands(data: Path) -> Iterator[list[str]]:
    """The commands that are tried, besides the help of each, in a folder with the data."""
    yield from (["list", kind, *rest] for kind in KINDS for rest in ([], ["--json"]))
    yield from (["schema", what] for what in ("record", "comparison"))
    yield from (["run", *shlex.split(words), "--dry-run"] for words in WORKLOADS)
    for suite in ("reference", "hard"):
        yield ["run", "--suite", suite, "--dry-run"]
    for file in sorted(data.rglob("*.toml")):
        if "campaign" in file.name:
            yield ["run", str(file.relative_to(data)), "--dry-run"]
    for records in sorted(data.rglob("records.csv")):
        results = ["--results", str(records.relative_to(data))]
        for table, form in itertools.product(SUMMARIES, FORMATS):
            yield ["summary", *results, *filter(None, [table]), "--format", form]
        yield from (["export", *results, "--format", form, "-o", OUT] for form in EXPORTS)
    for (old, new), form in itertools.product(COMPARED, FORMATS):
        places = [f"results/reference/{name}/records.csv" for name in (old, new)]
        yield ["compare", *places, "--format", form]


def help_pages(command: Command, context: Context, words: list[str]) -> Iterator[list[str]]:
    """The commands that print the help of a command, and of those below it."""
    yield [*words, "--help"]
    if isinstance(command, Group):
        for name in command.list_commands(context):
            if below := command.get_command(context, name):
                yield from help_pages(below, context, [*words, name])


def write(words: Sequence[str]) -> None:
    """Print, as JSON, what each command prints, plans and writes here."""
    for asked in itertools.chain(help_pages(app, Context(app), []), commands(Path())):
        name = shlex.join(asked)
        if words and not any(word in name for word in words):
            continue
        with planned_ids() as ids:
            done = CliRunner().invoke(app, asked, env={"COLUMNS": "80"})
        state = {"status": str(done.exit_code), "stdout": done.stdout, "stderr": done.stderr}
        if done.exception and not isinstance(done.exception, SystemExit):
            state["exception"] = repr(done.exception)
        state |= {"ids": "\n".join(sorted(ids))} | files_in(Path(OUT))
        print(json.dumps([name, state]), flush=True)


def files_in(out: Path) -> dict[str, str]:
    """The contents of what a command wrote, which is removed."""
    written = sorted(out.rglob("*")) if out.is_dir() else [out]
    contents = {str(file): file.read_text() for file in written if file.is_file()}
    if out.is_dir():
        shutil.rmtree(out)
    out.unlink(missing_ok=True)
    return contents


@contextlib.contextmanager
def planned_ids() -> Iterator[set[str]]:
    """The ids of all runs that are planned within."""
    ids: set[str] = set()
    true = Campaigns.job

    def noted(*values: Any, **options: Any) -> Job:
        job = true(*values, **options)
        ids.update(run.id for run in job.runs)
        return job

    Campaigns.job = noted
    try:
        yield ids
    finally:
        Campaigns.job = true


def asked(root: Path, python: str, folder: Path, words: Sequence[str]) -> "subprocess.Popen[str]":
    """Ask a checkout for its state, in the folder with the data."""
    return subprocess.Popen(
        [python, __file__, "--write", *words],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(root), "PYTHONWARNINGS": "ignore"},
        stdout=subprocess.PIPE,
        text=True,
    )


def state(process: "subprocess.Popen[str]") -> dict[str, dict[str, str]]:
    """What a checkout answers, by command."""
    out, _ = process.communicate()
    if process.returncode:
        sys.exit(f"{process.args}: exit status {process.returncode}")
    return dict(map(json.loads, out.splitlines()))


def differences(before: dict[str, str], after: dict[str, str]) -> Iterator[str]:
    """The lines in which a command differs."""
    for part in sorted(before.keys() | after.keys()):
        old, new = before.get(part, "").splitlines(), after.get(part, "").splitlines()
        yield from difflib.unified_diff(
            old, new, f"before: {part}", f"after: {part}", "", "", 1, ""
        )


def compare(before: Path, after: Path, words: Sequence[str]) -> int:
    """Print what differs between two checkouts; the number of commands that differ."""
    with contextlib.ExitStack() as stack:
        processes = []
        for root, variable in ((before, "PYTHON_BEFORE"), (after, "PYTHON_AFTER")):
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            for part in DATA:
                shutil.copytree(before / part, folder / part)
            python = os.environ.get(variable, str(root / ".venv/bin/python"))
            processes.append(asked(root, python, folder, words))
        old, new = map(state, processes)
    different = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    for name in different:
        print(f"\n$ nqbench {name}")
        lines = list(differences(old.get(name, {}), new.get(name, {})))
        print(*lines[:MOST_LINES], sep="\n")
        if len(lines) > MOST_LINES:
            print(f"... and {len(lines) - MOST_LINES} more lines")
    print(f"{len(old)} and {len(new)} commands, of which {len(different)} differ")
    return len(different)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        write(sys.argv[2:])
    elif len(sys.argv) < 3:
        sys.exit(__doc__)
    else:
        roots = [Path(root).resolve() for root in sys.argv[1:3]]
        sys.exit(bool(compare(*roots, sys.argv[3:])))
