"""Campaigns in TOML: what is read, and the messages for wrong files."""

import re

import pytest
from places import ROOT
from stated_campaigns import GOOD, written

from nqbench.campaign import campaign_file
from nqbench.common.errors import InputError
from nqbench.common.limits import MemoryBy
from nqbench.common.vocabulary import Task


def test_what_stands_above_holds_for_each_that_does_not_say_otherwise(tmp_path):
    first, second = campaign_file.read(written(tmp_path, GOOD))
    assert [problem.n for problem in first.problems] == [4, 5, 6]
    assert (first.repeat, first.limits.time_s, first.task) == (2, 10.0, None)
    assert first.encodings == ["pairwise", "product:state=rows"]
    assert [problem.instance for problem in second.problems] == ["a", "b"]
    assert (second.repeat, second.limits.time_s, second.limits.cpu_s) == (2, 60.0, 30.0)
    assert (second.limits.memory_bytes, second.limits.memory_by) == (2**30, MemoryBy.CGROUP)
    assert (second.task, second.shuffle, second.encodings) == (Task.ALL, 5, None)
    assert len(first.runs()) == 3 * 2 * 2
    assert {run.encoding for run in second.runs()} == {"csp"}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('n = "4..6"', 'n = "6..4"', "line 6: '6..4' is empty: write 4..6"),
        ('n = "4..6"', "n = 4", "line 6: n: Expected `str`, got `int`"),
        ('n = "4..6"', 'size = "4..6"', "line 6: unknown key 'size'"),
        ('n = "4..6"', 'backends = "x"', "line 6: unknown key 'backends': did you mean 'backend'?"),
        ('n = "4..6"', 'solver = "x"', "line 6: unknown key 'solver': did you mean 'backend'?"),
        ('n = "4..6"', 'timeout = "9s"', "unknown key 'timeout': did you mean 'time-limit'?"),
        ('n = "4..6"', 'Encodings = "x"', "unknown key 'Encodings': did you mean 'encoding'?"),
        ('n = "4..6"', "", "line 5: needs n, file, board, cnf or cnfgen"),
        ("repeat = 2", 'repeat = "2"', "line 2: repeat: Expected `int`, got `str`"),
        ("repeat = 2", "repeat = 0", "line 2: repeat: Expected `int` >= 1"),
        (
            'n = "4..6"',
            'n = "9"\nfamily = "completion"\ndensity = "0.2"\ninstances = 9000000',
            "9000000 problems are more than 1000000",
        ),
        ('"10s"', '"10 fortnights"', "line 3: '10 fortnights' is not a duration"),
        ("[[campaign]]", "[[campain]]", "no campaign: write [[campaign]] above each"),
        ("boards/*.txt", "boards/*.cnf", "line 11: no file matches 'boards/*.cnf'"),
        ('"all"', '"some"', "line 13: task: Invalid enum value 'some'"),
        ('"1GiB"', '"1 barrel"', "line 16: '1 barrel' is not a size"),
        ('"backtracking"', '"backtrack"', "line 12: unknown backend 'backtrack'"),
        ('"pairwise",', '"pairwise:state=x",', "line 7: 'pairwise:state=x': state is 'x'"),
        ("repeat = 2", "repeat =", "(at line 2, column"),
        (GOOD, "campaign = [1]", "no campaign: write [[campaign]] above each"),
        (GOOD, 'campaign = [{n = "4", encoding = ["x"]}]', "line 1: unknown encoding 'x'"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(tmp_path, old, new, message):
    with pytest.raises(InputError, match=re.escape(message)):
        campaign_file.read(written(tmp_path, GOOD.replace(old, new)))


def test_boards_may_be_named_from_the_root(tmp_path):
    path = written(tmp_path, GOOD.replace("boards/*.txt", f"{tmp_path}/boards/*.txt"))
    assert [problem.instance for problem in campaign_file.read(path)[1].problems] == ["a", "b"]


def test_the_example_is_a_campaign_file():
    example = ROOT / "examples" / "campaign.toml"
    first, second, third = campaign_file.read(example)
    assert len(first.runs()) == 8 * 3 * 2 * 3
    assert {run.shuffle for run in second.runs()} == {1}
    assert {run.task for run in third.runs()} == {Task.ALL}


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match=r"cannot read .*none\.toml: No such file"):
        campaign_file.read(tmp_path / "none.toml")


def test_an_option_replaces_what_the_file_says(nqbench, tmp_path):
    written(tmp_path, GOOD.replace("cgroup", "address-space"))
    plan = nqbench(
        "run", "campaign.toml", "--encoding", "csp", "--backend", "constraint2", "--repeat", 1,
        "--time-limit", "7s", "--dry-run",
    )  # fmt: skip
    assert plan.stdout.startswith(
        "5 runs: n 4..6 (5 boards of completion, queens) x 1 combination of encoding and backend "
        "(csp x constraint2) x 1 repeat, at most 7 s each"
    )


def test_a_campaign_may_have_several_families(tmp_path):
    both, one, formula = campaign_file.read(
        written(
            tmp_path,
            'family = "torus"\n[[campaign]]\nn = "5"\nfamily = ["queens", "latin"]\n'
            '[[campaign]]\nn = "5"\n[[campaign]]\ncnfgen = ["php 3 2"]\n',
        )
    )
    assert [problem.family for problem in both.problems] == ["queens", "latin"]
    assert [problem.family for problem in one.problems] == ["torus"]
    assert [problem.family for problem in formula.problems] == ["cnfgen"]
    with pytest.raises(InputError, match=r"campaign.toml, line 2: unknown family 'ltin'"):
        campaign_file.read(
            written(tmp_path, '[[campaign]]\nfamily = ["queens", "ltin"]\nn = "4"\n')
        )
