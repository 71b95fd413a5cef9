"""The ledger of claims: every claim is complete, and its commands print what it says."""

import doctest
import re
import shlex
import sys

import ledger
import pytest
from places import ROOT

from nqbench.cli.app import main

CLAIMS = ledger.read(ROOT / "claims")
LIKE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
GOOD = """
title = "One, two"
claim = "One is two."
verdict = "corrected"
measured = "It is not."
witness = "1"
source.title = "A book"

[[command]]
run = "nqbench count --n 1"
seconds = 1
prints = "1"
"""


def test_there_are_claims_of_each_verdict():
    verdicts = [claim.verdict for claim in CLAIMS.values()]
    assert len(verdicts) >= 15
    assert verdicts.count("corrected") >= 3
    assert set(verdicts) == set(ledger.Verdict)


@pytest.fixture
def printed(tmp_path, monkeypatch, capsys):
    """What a command prints in a folder that has what a clone has, and may be written to.

    In this process, which imports everything only once.
    """
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "reference").symlink_to(ROOT / "results" / "reference")
    monkeypatch.chdir(tmp_path)
    # As in a pipe: lines are as long as they have to be.
    monkeypatch.delenv("COLUMNS", raising=False)

    def call(command):
        monkeypatch.setattr(sys, "argv", shlex.split(command))
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        assert not ended.value.code, f"{command}\n{err}"
        return out

    return call


@pytest.mark.parametrize("name", [name for name, claim in CLAIMS.items() if not claim.data])
def test_the_quick_commands_of_a_claim_print_what_it_says(name, printed):
    """Of one command with several n, those that take at most 3 s, and the first one."""
    shapes = set()
    for command in CLAIMS[name].commands:
        shape = re.sub(r"--n \S+", "", command.run)
        if command.is_quick and (command.seconds <= 3 or shape not in shapes):
            shapes.add(shape)
            expected, found = f"{command.output}\n", printed(command.run)
            alike = doctest.OutputChecker().check_output(expected, found, LIKE)
            assert alike, f"{command.run}\n{found}\nbut not\n{expected}"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('witness = "1"\n', "", "a witness goes with corrected and does not carry over"),
        ('"corrected"', '"holds"', "a witness goes with corrected and does not carry over"),
        ('"corrected"', '"wrong"', "Invalid enum value 'wrong'"),
        ("One, two", "One: two", "Expected `str` matching regex"),
        ("nqbench count", "count", "Expected `str` matching regex"),
        ("seconds = 1", "seconds = 60", "no output of a command that takes at most 5 s"),
        ("measured", "meassured", "unknown field `meassured`"),
        ("source.title", "source.author", "missing required field `title`"),
        ("seconds = 1", "seconds =", "Invalid value"),
    ],
)
def test_what_is_not_a_claim_is_refused_with_its_file(tmp_path, old, new, message):
    assert old in GOOD
    (tmp_path / "good.toml").write_text(GOOD)
    assert list(ledger.read(tmp_path)) == ["good"]
    (tmp_path / "poor.toml").write_text(GOOD.replace(old, new))
    with pytest.raises(ValueError, match=f"poor.toml: .*{message}"):
        ledger.read(tmp_path)


def test_a_claim_is_in_the_table_with_a_link_to_its_section(tmp_path):
    (tmp_path / "good.toml").write_text(GOOD)
    text = "\n\n".join(ledger.page(list(ledger.read(tmp_path).values())))
    assert text.startswith("Of 1 claims: holds 0, corrected 1, does not carry over 0, undecided 0.")
    assert "\n| [One, two](#one-two) | corrected |\n\n## One, two\n" in text
    assert f"{ledger.TESTED}\n```console\n$ nqbench count --n 1\n1\n```" in text
