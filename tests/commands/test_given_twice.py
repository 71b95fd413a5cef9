"""Options that are given twice, and options that another one would make useless, are refused."""

import click
import polars as pl
import pytest
from addons import needs_addon
from click.testing import CliRunner
from made_records import THREE

from nqbench import api
from nqbench.cli.app import app, commands
from nqbench.common.errors import InputError


def options():
    """Each option of each command."""
    context = click.Context(app, **app.context_settings)
    for name in commands():
        command = app.get_command(context, name)
        for option in command.params:
            if isinstance(option, click.Option):
                yield command, option


def parsed(command, *arguments):
    context = click.Context(command, **app.context_settings)
    return command.make_parser(context).parse_args(list(map(str, arguments)))


def test_of_each_option_with_one_value_a_second_one_is_refused():
    checked = 0
    for command, option in options():
        name, value = option.opts[-1], () if option.is_flag else ("1",) * option.nargs
        twice = (command, name, *value, name, *value)
        if option.multiple or (option.is_flag and not option.secondary_opts):
            parsed(*twice)
            continue
        with pytest.raises(click.BadOptionUsage, match=f"{name}.* is given twice: "):
            parsed(*twice)
        parsed(command, name, *value)
        checked += 1
    assert checked > 100


def said(*arguments):
    done = CliRunner().invoke(app, list(map(str, arguments)))
    error = done.exception
    return (str(error) if isinstance(error, InputError) else done.output), done.exit_code


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["report", "--results", "a", "--results", "b"], "use several folders, put them together"),
        (["summary", "--where", "n = 4", "--where", "n = 5"], "join the conditions with AND"),
        (["--n", 4, "--n", 5], "separate the values by comma"),
        (["run", "--n", 4, "-n", 5, "--n", 6], "is given 3 times"),
        (["run", "--n", 4, "--pin", "--no-pin"], "--pin/--no-pin is given twice"),
    ],
)
def test_what_would_work_is_said(arguments, message):
    told, status = said(*arguments)
    assert message in told
    assert status == 2


@needs_addon("race", "teaching")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["race", "--n", 4, "--seeds", 3, "--repeat", 5], "leave out `repeat`"),
        (["run", "--family", "completion", "--density", 0.5, "--file", "b.txt"], "a density is of"),
        (["run", "--cnf", ".", "--instances", 5], "--instances is a number of random problems"),
        (["watch", "--window", "--frames", 20], "--frames has no effect on a window"),
    ],
)
def test_an_option_that_another_one_makes_useless_is_refused(
    arguments, message, tmp_path, monkeypatch
):
    """Others are in `test_followed_advice.py`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b.txt").write_text("Q")
    told, status = said(*arguments)
    assert message in told
    assert status != 0


def test_seeds_and_repeats_of_a_campaign_file(tmp_path):
    file = tmp_path / "c.toml"
    file.write_text('[[campaign]]\nn = "4"\nseeds = 2\nrepeat = 3\n')
    told, _ = said("run", file, "--dry-run", "--results", tmp_path)
    assert "c.toml, line 4: " in told
    assert "leave out `repeat`" in told
    file.write_text('[[campaign]]\nn = "4"\nseeds = 2\n')
    assert "leave out `repeat`" in said("run", file, "--repeat", 3, "--dry-run")[0]
    with pytest.raises(InputError, match="leave out `repeat`"):
        api.run(4, seeds=2, repeat=3, results=tmp_path)


@pytest.fixture
def drawn(tmp_path):
    ids = pl.Series([f"{number:032x}" for number in range(len(THREE))])
    by = pl.lit("board")
    records = THREE.drop("queens").with_columns(run_id=ids, checked_by=by, environment_id=ids)
    records.filter(outcome="finished").write_csv(tmp_path / "r.csv")
    return tmp_path / "r.csv"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--kind", "sizes", "--metric", "wall_s"], "sizes can show no other metric"),
        (["--kind", "cactus", "--pair", "e x a", "--pair", "e x b"], "add --kind scatter"),
    ],
)
def test_a_plot_takes_only_what_it_shows(drawn, tmp_path, arguments, message):
    told, _ = said("plot", "--results", drawn, "--output", tmp_path / "plots", *arguments)
    assert message in told


def test_formula_families_need_folders(tmp_path, drawn):
    """Formulas of several --cnf have no folder in their names, so all would be one family."""
    records = pl.read_csv(drawn)
    flat = records.with_columns(
        family=pl.lit("cnf"), instance=pl.format("{}.cnf", "n"), n=pl.lit(None, pl.Int64)
    )
    flat.write_csv(tmp_path / "flat.csv")
    asked = ("summary", "--by", "formula_family", "--results")
    assert "lack a folder" in said(*asked, tmp_path / "flat.csv")[0]
    folder = pl.when(pl.col("instance") == "4.cnf").then(pl.lit("easy/")).otherwise(pl.lit("hard/"))
    flat.with_columns(instance=folder + pl.col("instance")).write_csv(tmp_path / "deep.csv")
    told, status = said(*asked, tmp_path / "deep.csv")
    assert status == 0
    assert "formula_family = easy" in told
