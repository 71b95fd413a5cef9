"""What differs between a command and a call in Python: the `Caller` of a function, and nothing
else. The options of a command are those that its function declares.
"""

import inspect
import warnings

import click
import pytest
from click.testing import CliRunner

from nqbench.campaign import arguments
from nqbench.campaign.caller import CALLER
from nqbench.campaign.options import Option, declared_options, limit_options, options
from nqbench.cli.options.function_options import calling
from nqbench.cli.printing.terminal import Terminal
from nqbench.common import parsing
from nqbench.common.errors import InputError
from nqbench.records import settings


@options(
    n=Option(arguments.SIZES, "Sizes.", ("-n", "--n"), "RANGE", is_required=True),
    least=Option(parsing.whole(3, 9), "The least."),
    **limit_options("a run", memory="2GiB"),
    plain=Option(parsing.FLAG, "Plainly."),
    plots=Option(parsing.FLAG, "With plots."),
    jobs=settings.BY_NAME["jobs"],
)
def search(n, *, least=6, time_limit=4.0, memory_limit=None, plain=False, plots=True, jobs=1):
    """A function with options of each kind."""
    caller = CALLER.get()
    with caller.doing("searching"):
        caller.tell("add `seeds`")
        caller.warn("printed by the command")
        caller.note("half of it")
        found = caller.collect(_steps(n))
    return found, (n, least, time_limit, memory_limit, plain, plots, jobs)


def _steps(n):
    for number in n:
        if number == 13:
            raise KeyboardInterrupt
        yield number


SEEN = []


@click.command
@calling(search, lambda known: click.echo(f"known: {known}", err=True))
def command(**values):
    try:
        SEEN.append(search(**values))
    finally:
        click.echo(f"found {Terminal.current().found}")


def run(*words):
    SEEN.clear()
    return CliRunner().invoke(command, words)


def test_options_have_the_defaults_of_the_function():
    assert run("--n", "4").exit_code == 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [search([4])] == SEEN
    help_text = run("--help").output
    for words in ("[default: 4s]", "[default: 6; 3<=x<=9]", "[default: 2GiB]", "[required]"):
        assert words in help_text
    assert "--no-plots" in help_text
    assert "--no-plain" not in help_text


def test_what_is_given_reaches_the_function():
    words = "--n 4,5 --least 3 --time-limit 2m --memory-limit 1GiB --plain --no-plots -j 2"
    assert run(*words.split()).exit_code == 0
    assert SEEN[0][1] == ([4, 5], 3, 120.0, 2**30, True, False, 2)
    assert "--least" in run("--n", "4", "--least", "2").output
    with pytest.raises(InputError, match="up to 9"):
        parsing.whole(3, 9).read("least", 10)


def test_a_command_prints_and_names_options():
    printed = run("--n", "4").stderr
    assert printed == "nqbench: add --seeds\nknown: half of it\n"


def test_what_was_found_before_an_interruption_is_there():
    assert "found [4, 5]" in run("--n", "4,5,13").output


def test_in_python_it_warns_at_the_line_of_the_call():
    with pytest.warns(UserWarning, match="add|printed") as told:
        search([4])
    assert [str(each.message) for each in told] == ["add `seeds`", "printed by the command"]
    assert {each.filename for each in told} == {__file__}
    assert CALLER.get().command("search") == "nqbench.search"


def test_a_declared_option_is_that_of_an_argument_with_the_default_of_its_setting():
    with pytest.raises(AssertionError, match="no argument jobs"):
        options(jobs=settings.BY_NAME["jobs"])(lambda: None)
    with pytest.raises(AssertionError, match="jobs"):
        options(jobs=settings.BY_NAME["jobs"])(lambda jobs=2: jobs)
    arguments_of = [argument for argument, _, _ in declared_options(search)]
    assert arguments_of == list(inspect.signature(search).parameters)
