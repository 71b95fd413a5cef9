import subprocess
import sys
from dataclasses import replace
from functools import partial

import click
import pytest

from nqbench.campaign.execution import Execution
from nqbench.campaign.grid import Campaign
from nqbench.campaign.ranges import parse_range
from nqbench.cli.commands.run import run
from nqbench.common.errors import InputError
from nqbench.common.limits import (
    Checking,
    Limits,
    MemoryBy,
    ProofLimits,
    parse_count,
    parse_duration,
    parse_size,
)
from nqbench.common.vocabulary import When
from nqbench.problems.queens import Queens

from_1_to_3, up_to_3, only_3 = (partial(parse_count, least=a, most=3) for a in (1, 0, 3))


def test_a_limit_is_at_most_2_to_the_53():
    """Up to there, a float holds every number of bytes or seconds exactly."""
    assert parse_size(f"{2**53}B") == 2**53
    for parse, text in ((parse_size, f"{2**53 + 2}B"), (parse_duration, "9" * 17)):
        with pytest.raises(InputError, match="it is more than any machine has"):
            parse(text)


@pytest.mark.parametrize(
    ("factor", "words"),
    [
        (0.001, ["ms"]),
        (1, ["", "s", "sec", "secs", "second", "seconds"]),
        (60, ["m", "min", "mins", "minute", "minutes"]),
        (3600, ["h", "hr", "hrs", "hour", "hours"]),
    ],
)
def test_durations_as_people_write_them(factor, words):
    for word in words:
        for text in (f"1.5{word}", f" 1.5 {word}", f"1.5{word.upper()}"):
            assert parse_duration(text) == pytest.approx(1.5 * factor)
    assert parse_duration(".5") == 0.5


@pytest.mark.parametrize(
    ("parse", "text", "value"),
    [
        (parse_size, "100B", 100),
        (parse_size, "3KiB", 3072),
        (parse_size, "512MiB", 2**29),
        (parse_size, "1.5GiB", 3 * 2**29),
        (parse_size, "1TiB", 1_099_511_627_776),
        (parse_size, "2gib", 2**31),
        (parse_range, "8", [8]),
        (parse_range, "4..7", [4, 5, 6, 7]),
        (parse_range, "4..10..3", [4, 7, 10]),
        (parse_range, "4..9..3", [4, 7]),
        (parse_range, "16,4,8", [4, 8, 16]),
        (parse_range, "4..6,5..7, 20", [4, 5, 6, 7, 20]),
        (parse_range, "8..8", [8]),
        (parse_range, "4-6", [4, 5, 6]),
        (parse_range, "4 .. 6", [4, 5, 6]),
        (parse_range, "4  5, 6", [4, 5, 6]),
        (parse_count, "1", 1),
        (parse_count, "2147483647", 2_147_483_647),
        (parse_count, "1_000", 1000),
        (parse_count, "1.5e6", 1_500_000),
        (parse_count, "2.0", 2),
        (up_to_3, "0", 0),
        (up_to_3, "3", 3),
        (only_3, "3", 3),
    ],
)
def test_sizes_ranges_and_counts_are_read(parse, text, value):
    assert parse(text) == value


@pytest.mark.parametrize(
    ("parse", "text", "message"),
    [
        (parse_size, "4", "'4' is not a size: write 4GiB or 4MiB"),
        (parse_size, "4G", "write 4GiB"),
        (parse_size, "512mb", "write 512MiB"),
        (parse_size, "8 KB", "write 8KiB"),
        (parse_size, "1t", "write 1TiB"),
        (parse_size, "much", "write for instance 512MiB or 2GiB"),
        *((parse_size, text, f"'{text}' is not") for text in ("", "10", "2GB", "-1GiB", "0MiB")),
        *(
            (parse_duration, text, f"'{text}' is not")
            for text in ("", "s", "-1s", "10 parsecs", "1e3s", "0", "0s", "0ms", "1.s")
        ),
        *(
            (parse_range, text, f"'{text}' is not a range")
            for text in ("x", "", "4..", "4-8-2", "-4")
        ),
        (parse_range, "4,,8", "'' is not a range"),
        (parse_range, "4:8", "'4:8' is not a range: write 4..8"),
        (parse_range, "4:8:2", "'4:8:2' is not a range: write 4..8..2"),
        (parse_range, "4...8", "'4...8' is not a range: write 4..8"),
        (parse_range, "30..4", "'30..4' is empty: write 4..30"),
        (parse_range, "0", "'0' starts at 0"),
        (parse_range, "0..4", "'0..4' starts at 0"),
        (parse_range, "4..8..0", "a step of 0"),
        (from_1_to_3, "0", "'0' is out of range: .* 1 to 3"),
        (up_to_3, "4", "'4' is out of range: .* 0 to 3"),
        (only_3, "2", "'2' is out of range: .* 3 to 3"),
        (only_3, "4", "'4' is out of range: .* 3 to 3"),
    ],
)
def test_what_is_no_size_duration_range_or_count_is_named(parse, text, message):
    with pytest.raises(InputError, match=message):
        parse(text)


def test_the_help_states_the_limits_that_hold_by_default():
    limits = Campaign(problems=[Queens(4)]).limits
    assert limits == Limits()
    shown = {
        option.name: (option.help or "").split("[")[-1].rstrip("]")
        for option in run.params
        if isinstance(option, click.Option)
    }
    assert limits.time_s == parse_duration(shown["time_limit"])
    assert limits.memory_bytes == parse_size(shown["memory_limit"])
    assert limits.memory_by == shown["memory_limit_by"]
    assert limits.cpu_s is None
    assert limits.output_bytes == parse_size("64MiB")


@pytest.mark.parametrize("by", MemoryBy)
def test_the_address_space_is_bound_unless_a_control_group_counts(by):
    code = (
        "import resource\n"
        "from nqbench.common.limits import Limits, MemoryBy, apply_to_this_process\n"
        f"apply_to_this_process(Limits(memory_bytes=2**31, memory_by=MemoryBy('{by}')))\n"
        "print(*resource.getrlimit(resource.RLIMIT_AS))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    bound = told.stdout.split() == [str(2**31)] * 2
    assert bound == (by is MemoryBy.ADDRESS_SPACE)


@pytest.mark.parametrize("counter", ["conflicts", "propagations"])
def test_a_limit_of_work_is_a_number_that_every_solver_takes(counter):
    for limit in (1, 2**31 - 1):
        assert Limits(**{counter: limit}).work == {counter: limit}
    for limit in (-1, 0, 2**31):
        with pytest.raises(InputError, match=f"limit of {counter} is {limit}:"):
            Limits(**{counter: limit})
    assert Limits().work == {}


def test_proofs_have_4_gib_and_answers_are_checked_later_within_a_budget():
    assert ProofLimits().size_bytes == 4_294_967_296
    assert ProofLimits().time_s is None
    proofs = ProofLimits(5.0, 7)
    usual = Execution.usual(proof_time=5.0, proof_size=7)
    assert usual.checking == Checking(When.NOW, proofs)
    assert replace(usual, budget_s=1.0).checking == Checking(When.LATER, proofs)
    for asked in When:
        assert replace(usual, budget_s=1.0, check=asked).checking.when is asked
