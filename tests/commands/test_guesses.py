"""What people type before they read a manual: it works, or one line says what to write."""

import re
import subprocess
import sys

import click
import polars as pl
import pytest
from addons import needs_addon

from nqbench.backends.base import Backend
from nqbench.campaign.grid import Campaign
from nqbench.cli.app import GROUPS, app, commands
from nqbench.cli.every_command import whole_help
from nqbench.common.errors import InputError
from nqbench.common.spelling import ComponentName, find_name, nearest
from nqbench.encodings.base import Encoding
from nqbench.plugins.parameters import Choice, read_values
from nqbench.problems.queens import Queens
from nqbench.records.where import fulfilling


@pytest.fixture
def told(typed, called_directly):
    """Exit status, standard output and standard error of a command line in an empty folder."""

    def call(*words):
        done = typed(*words)
        return done.returncode, done.stdout, done.stderr

    return call


@pytest.mark.parametrize(
    ("guess", "documented"),
    [
        ("-h", "--help"),
        ("help", "--help"),
        ("run -h", "run --help"),
        ("help run", "run --help"),
        ("run help", "run --help"),
        ("--help run", "run --help"),
        ("help list backends", "list backends --help"),
        ("-V", "--version"),
        ("-v", "--version"),
        ("version", "--version"),
        ("solve 8", "solve --n 8"),
        ("solve -n 8", "solve --n 8"),
        ("solve --backend minisat22 8", "solve --n 8 --backend minisat22"),
        ("solve 8 --backend MiniSat22", "solve --n 8 --backend minisat22"),
        ("solve --n 6 --solver Glucose4", "solve --n 6 --backend glucose4"),
        ("solve 6 --timeout 5", "solve --n 6 --time-limit 5s"),
        ("solve 6 --style ASCII", "solve --n 6 --style ascii"),
        ("SOLVE 6", "solve --n 6"),
        ("board 8 --family Torus", "board --n 8 --family torus"),
        ("encode 8 --encoding ALO_ROW", "encode --n 8 --encoding alo-row"),
        ("clauses 4 1,1", "clauses --n 4 --square 1,1"),
        ("list encoding", "list encodings"),
        ("run 8 --dry-run", "run --n 8 --dry-run"),
        ("8 --dry-run", "--n 8 --dry-run"),
        ("4..6 --dry-run", "--n 4..6 --dry-run"),
        ("-n8 --dry-run", "--n 8 --dry-run"),
        ("--n 4-6 --dry-run", "--n 4..6 --dry-run"),
        ("--n 4 5 6 --dry-run", "--n 4..6 --dry-run"),
        ("4 5 6 --dry-run", "--n 4..6 --dry-run"),
        ("4 5 6 --backends MiniSat22 --dry-run", "--n 4..6 --backend minisat22 --dry-run"),
        ("--n 4 --dry_run", "--n 4 --dry-run"),
        ("--n 4 -j2 -q --dry-run", "--n 4 --jobs 2 --quiet --dry-run"),
        ("--n 4 -j 2 --time-limit 5min --dry-run", "--n 4 --jobs 2 --time-limit 5m --dry-run"),
        ("--n 4 --memory 1gib --dry-run", "--n 4 --memory-limit 1GiB --dry-run"),
        ("4 --task All --backend ASTAR --dry-run", "--n 4 --task all --backend astar --dry-run"),
        ("--suite Hard --dry-run", "--suite hard --dry-run"),
    ],
)  # fmt: skip
def test_a_guess_means_the_documented_form(told, guess, documented):
    right = told(*documented.split())
    assert right[0] == 0, right
    assert right[1]
    assert told(*guess.split()) == right


def test_the_sizes_can_come_as_one_quoted_word(told):
    assert told("--n", "4 5 6", "--dry-run") == told("--n", "4..6", "--dry-run")


@pytest.mark.parametrize(
    ("guess", "suggested"),
    [
        ("sumary", "Did you mean 'summary'?"),
        ("help runn", "Did you mean 'run'?"),
        ("list backens", "Did you mean 'backends'?"),
        ("nosuch", "See nqbench --help."),
        ("run --n 4 --backnd minisat22", "Did you mean --backend?"),
        ("run --n 4 --time-limt 5s", "Did you mean --time-limit?"),
        ("run --n 4 -t 5", "Did you mean --task or --time-limit or --times?"),
        ("run --n 4 -v", "See nqbench run --help."),
        ("run --n 4 --xyzzy", "See nqbench run --help."),
        ("run --n 4 --encoding pairwize", "did you mean 'pairwise'?"),
        ("run --n 4 --encoding commander:grup=4", "did you mean 'group'?"),
        ("run --n 4 --backend minisat23", "did you mean 'minisat22'?"),
        ("run --n 4 --family toru", "did you mean 'torus'?"),
        ("board --n 4 --family complet", "did you mean 'completion'?"),
        ("run --suite har", "did you mean 'hard'?"),
        ("export --format cvs", "did you mean 'csv'?"),
        ("export cvs", "did you mean 'csv'?"),
        ("export --format json", "did you mean 'jsonl'?"),
        ("plot --kind cactuss", "did you mean 'cactus'?"),
        ("plot cactuss", "did you mean 'cactus'?"),
        ("plot --kind time", "did you mean 'time-over-n'?"),
        ("solve 4 --style unicod", "did you mean 'unicode'?"),
        ("run --n 4 --memory-limit 4", "write 4GiB or 4MiB"),
        ("run --n 4 --memory-limit 4G", "write 4GiB"),
        ("run --n 4 --memory-limit 512mb", "write 512MiB"),
        ("run --n 4:30", "write 4..30"),
        ("run 4:30:2", "write 4..30..2"),
        ("run --n 4...30", "write 4..30"),
        ("run --n 4 product", "no campaign file 'product'"),
        ("solve 4..6", "'4..6' is several boards: give one number of rows"),
        ("solve 4 5", "unexpected extra argument (5): see nqbench solve --help"),
        ("solve nosuch.txt", "nosuch.txt"),
        pytest.param(
            "watch --n 4 --backend minisat22",
            "choose from astar, backtracking",
            marks=needs_addon("teaching"),
        ),
    ],
)
def test_a_wrong_guess_gets_one_line_that_says_what_to_write(told, guess, suggested):
    status, out, err = told(*guess.split())
    assert (status, out) == (2, "")
    (line,) = err.splitlines()
    assert line.startswith("nqbench: ")
    assert suggested in line.removeprefix("nqbench: ")


def test_a_word_alone_is_for_the_main_option_of_its_command(told, tmp_path):
    """Of a folder that is not there each command complains by its name, so it was understood."""
    for words in ("summary elsewhere", "report elsewhere", "summary --json elsewhere"):
        status, _, err = told(*words.split())
        assert (status, err) == (
            2,
            "nqbench: no results at elsewhere: nqbench run creates them\n",
        )
    (tmp_path / "start.txt").write_text("....\n...Q\n....\n....\n")
    assert told("solve", "start.txt") == told("solve", "--board", "start.txt")
    assert told("encode", "4", "-o", "4.cnf")[0] == 0
    assert "\np cnf 16 84\n" in (tmp_path / "4.cnf").read_text()
    (tmp_path / "4.out").write_text("SAT\n3 5 12 14 0\n")
    assert told("decode", "4", "4.out") == told("decode", "4.out", "4")
    assert told("decode", "4", "4.out")[1] == told("decode", "--n", "4", "4.out")[1] != ""


def test_names_in_any_case_are_the_same_runs():
    """The canonical name is what is recorded, and what a run's id is made of."""

    def runs(encodings, backends):
        campaign = Campaign(problems=[Queens(4)], encodings=encodings, backends=backends)
        return {(run.id, run.encoding, run.backend) for run in campaign.runs()}

    right = runs(["pairwise", "commander:group=4"], ["minisat22", "exe:cat"])
    assert runs(["PAIRWISE", "Commander:GROUP=4"], ["MiniSat22", "EXE:cat", "minisat22"]) == right
    assert Backend.named("CP_SAT").name == "cp-sat"
    assert Encoding.named("PyEDA-OneHot").name == "pyeda-onehot"
    assert Backend.named("exe:/Path/To Solver -X").name == "exe:/Path/To Solver -X"


def test_a_name_is_found_unless_two_are_alike():
    known = ["Solver", "solver", "cp-sat"]
    assert [find_name(name, known) for name in ("Solver", "solver", "SOLVER", "CP_sat", "cp")] == [
        "Solver", "solver", None, "cp-sat", None,
    ]  # fmt: skip
    assert nearest("xyzzy", known) is None
    assert nearest("", known) is None
    assert read_values(ComponentName.parse("x:A=ONE"), {"a": Choice("two", ("one", "two"))}) == {
        "a": "one"
    }


def all_commands(command, words=()):
    """Every command below one, itself included, and the words that call it."""
    yield words, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from all_commands(command.get_command(context, name), (*words, name))


def context_of(command, name):
    """With the names of its option for help, which Click keeps from the first context."""
    return click.Context(command, info_name=name, terminal_width=80, **app.context_settings)


@pytest.mark.parametrize("words", [words for words, _ in all_commands(app)], ids=" ".join)
def test_every_help_has_an_example_that_calls_the_command(told, words):
    status, out, _ = told(*words, "-h")
    assert status == 0
    assert "-h, --help" in out
    examples = out.partition("Example")[2]
    assert f"nqbench {' '.join(words)}".strip() in examples


@pytest.mark.parametrize(
    ("words", "command"),
    list(all_commands(app)),
    ids=[" ".join(words) for words, _ in all_commands(app)],
)
def test_every_help_fits_a_terminal_of_80_columns(words, command):
    context = context_of(command, " ".join(("nqbench", *words)))
    for text in (command.get_help(context), whole_help(context)):
        assert max(map(len, text.splitlines())) <= 80


def test_the_help_of_run_lists_each_option_once_in_sections():
    command = app.get_command(click.Context(app), "run")
    context = context_of(command, "nqbench run")
    listed = re.findall(r"^  (?:-\w, )?(--[\w-]+)", whole_help(context), re.MULTILINE)
    assert sorted(listed) == sorted(
        next(name for name in option.opts if name.startswith("--"))
        for option in command.get_params(context)
        if isinstance(option, click.Option)
    )
    _, *headings = re.findall(r"^(\w[\w ]+):$", whole_help(context), re.MULTILINE)
    assert len(headings) == len(set(headings)) >= 5


def test_the_short_help_has_what_most_need_and_five_examples(told):
    _, short, _ = told("run", "-h")
    _, whole, _ = told("run", "--help-all")
    assert len(re.findall(r"^ +nqbench run", short, re.MULTILINE)) == 5
    assert len(re.findall(r"^ +nqbench run", whole, re.MULTILINE)) > 10
    options = [
        set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", text, re.MULTILINE)) for text in (short, whole)
    ]
    assert {"--n", "--cnf", "--encoding", "--backend", "--budget"} <= options[0] < options[1]
    assert f"{len(options[1] - options[0])} more options: nqbench run --help-all" in short


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("clauses --n 4 --square 1,1", "encode --n 4 --square 1,1", "encode --square ROW,COLUMN"),
        ("board --n 4", "solve --n 4 --start", "solve --start"),
        ("board --n 4 --json b.json", "encode --n 4 -o b.json", "solve --start"),
    ],
)
def test_an_old_name_does_what_the_new_one_does_and_says_it(told, old, new, name):
    status, out, err = told(*old.split())
    command = old.split()[0]
    assert err.endswith(f"nqbench: `nqbench {command}` is now `nqbench {name}`\n")
    assert told(*new.split()) == (status, out, "".join(err.splitlines(keepends=True)[:-1]))
    assert status == 0
    assert command not in commands()


def test_the_help_lists_each_command_once_in_groups_and_imports_none():
    code = (
        "import sys; from nqbench.cli.app import app, click;"
        "print(app.get_help(click.Context(app, info_name='nqbench')));"
        "print([name for name in sys.modules if name.startswith('nqbench.cli.commands')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    groups = re.findall(r"^(\w[\w ]+):\n((?:  [a-z].*\n)+)", done.stdout, re.MULTILINE)
    assert [heading for heading, _ in groups] == list(GROUPS)
    listed = [line.split()[0] for _, lines in groups for line in lines.splitlines()]
    assert listed == list(commands())
    assert len(set(listed)) == len(listed)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("words", "condition"),
    [
        ("summary --pairs --family queens", "family = 'queens'"),
        ("summary --n 4..8", "n >= 4 AND n <= 8"),
        ("plot -n 8", "n = 8"),
        ("export --encoding=product,pairwise", "encoding IN ('product', 'pairwise')"),
    ],
)
def test_a_column_that_is_taken_for_an_option_is_a_condition(told, words, condition):
    status, _, err = told(*words.split())
    assert (status, err.count("\n")) == (2, 1)
    assert err.endswith(f'Write --where "{condition}".\n')
    record = {"family": ["queens"], "n": [8], "encoding": ["product"]}
    assert len(fulfilling(pl.DataFrame(record), condition)) == 1


def test_signs_of_python_in_a_condition_are_explained():
    with pytest.raises(InputError, match=r"write AND and OR instead of & and \|"):
        fulfilling(
            pl.DataFrame({"n": [8], "encoding": ["product"]}), "n > 6 & encoding == 'product'"
        )
