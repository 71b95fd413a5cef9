"""Families, and other groups of records, are summarised separately."""

import json

import polars as pl
import pytest
from click.testing import CliRunner
from made_records import about, campaign, times

import nqbench as package
from nqbench import summary
from nqbench.cli.app import app
from nqbench.common.errors import InputError


def of(family, **seconds):
    return campaign(**seconds).with_columns(family=pl.lit(family))


THREE = pl.concat(
    [
        of("queens", a=times(1), b=times(2)),
        of("latin", a=times(9), b=times(3)),
        of("pigeonhole", a=times(5), b=[*times(4)[:8], *[None] * 4]),
    ]
)
"""Twelve problems of each family. Backend a is faster on boards, b on Latin squares."""


@pytest.fixture(autouse=True)
def three(monkeypatch):
    """These are the records of any results folder."""
    monkeypatch.setattr("nqbench.records.sources.read", lambda *_: THREE)
    monkeypatch.setattr("nqbench.cli.commands.summary.tell_outdated", lambda _: None)


def printed(*arguments):
    done = CliRunner(env={"COLUMNS": "100"}).invoke(app, ["summary", *map(str, arguments)])
    assert done.exit_code == 0, done.output
    return done


HINTS = ("use it:", "more:", "why:", " " * 9 + "nqbench")


def without_use(text):
    """The text without the lines on how to use the winner, which name its problem."""
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(HINTS))


def blocks(text):
    """The lines below each heading."""
    found = {}
    for line in without_use(text).splitlines():
        if line.startswith("family "):
            found[line.removeprefix("family ")] = lines = []
        else:
            lines.append(line)
    return found


def test_a_store_of_three_families_has_three_tables_and_three_sets_of_findings():
    found = blocks(printed("--findings").stdout)
    assert list(found) == ["latin", "pigeonhole", "queens"]
    for family, best in (("latin", "b"), ("pigeonhole", "a"), ("queens", "a")):
        lines = found[family]
        rows = [line for line in lines if line.startswith("e ")]
        assert rows[0].split()[:3] == ["e", best, "12/12"]
        assert len(rows) == 2
        said = " ".join(" ".join(lines).split())
        alone = package.findings(THREE.filter(family=family))
        assert said.endswith(" ".join(f"- {sentence}" for sentence in alone))


def test_json_names_the_family_and_has_its_own_par2():
    rows = json.loads(printed("--json").stdout)
    assert len(rows) == 6
    for row in rows:
        (alone,) = (
            summary.overview(THREE.filter(family=row["family"]))
            .filter(backend=row["backend"])
            .iter_rows(named=True)
        )
        assert row == {"family": row["family"], **alone}


def test_families_are_pooled_only_on_request():
    done = printed("--by", "none")
    assert "family " not in without_use(done.stdout)
    assert len([line for line in done.stdout.splitlines() if line.startswith("e ")]) == 2
    assert "nqbench summary --where \"family = '" in done.stderr
    (row, _) = json.loads(printed("--by", "none", "--json").stdout)
    assert row["family"] == "latin, pigeonhole, queens"
    assert row["problems"] == 36


@pytest.mark.parametrize("table", ["--pairs", "--best", "--scaling"])
def test_every_table_has_a_block_for_each_family(table):
    assert list(blocks(printed(table).stdout)) == [
        "latin",
        "pigeonhole",
        "queens",
    ]
    rows = json.loads(printed(table, "--json").stdout)
    assert [row["family"] for row in rows] == sorted(row["family"] for row in rows)
    assert {row["family"] for row in rows} == {"latin", "pigeonhole", "queens"}


def test_other_columns_split_the_records_as_well():
    small = ("--where", "n < 6")
    rows = json.loads(printed(*small, "--by", "family,n", "--json").stdout)
    assert [(row["family"], row["n"]) for row in rows[:4]] == [("latin", 4)] * 2 + [
        ("latin", 5)
    ] * 2
    assert {row["problems"] for row in rows} == {1}
    assert printed(*small, "--by", "n,family").stdout.startswith("n = 4, family latin\n")
    shown = printed("--by", "answer").stdout
    assert [line for line in shown.splitlines() if line.startswith("answer")] == [
        "answer = none",
        "answer = sat",
    ]


def test_findings_about_several_families_are_introduced_by_them():
    found = package.findings(THREE)
    assert about(found, "latin: ", "e x b")[0] == found[0]
    assert all(each.startswith(("latin: ", "pigeonhole: ", "queens: ")) for each in found)
    together = package.findings(THREE, by=None)
    assert about(together, "36 problems")
    assert not about(together, "queens: ")
    assert package.findings(THREE, by="family,task")[0].startswith("latin, task = first: ")


def test_nothing_is_one_group_without_rows(monkeypatch):
    monkeypatch.setattr("nqbench.records.sources.read", lambda *_: THREE.clear())
    assert json.loads(printed("--json").stdout) == []
    assert "family" not in without_use(printed().stdout)
    assert package.findings(THREE.clear()) == []


def test_one_family_needs_no_heading():
    assert "family" not in without_use(printed("--where", "family = 'latin'").stdout)


def test_a_column_that_cannot_split_is_refused():
    for by, message in (("famly", "did you mean 'family'"), ("queens", "has lists")):
        done = CliRunner().invoke(app, ["summary", "--by", by])
        assert message in str(done.exception)
        with pytest.raises(InputError, match=message):
            package.findings(THREE, by=by)


def test_runs_at_a_limit_stay_among_those_of_their_problem():
    """Backend a answers `unsat` on half of the problems; b reaches its limit on all of these."""
    records = campaign(a=[1.0] * 8, b=[1.0] * 4 + [None] * 4)
    last = pl.col("n") > records["n"].median()
    records = records.with_columns(
        answer=pl.when(last & pl.col("answer").is_not_null())
        .then(pl.lit("unsat"))
        .otherwise("answer")
    )
    sat, unsat = summary.groups(records, ["known_answer"])
    assert [sat.values, unsat.values] == [{"known_answer": "sat"}, {"known_answer": "unsat"}]
    assert sat.records["n"].n_unique() == unsat.records["n"].n_unique() == 4
    assert unsat.records["answer"].null_count() == 4
    assert sat.records["answer"].null_count() == 0
    refuted = records.with_columns(verdict=pl.lit("refuted"))
    assert [each.values for each in summary.groups(refuted, ["known_answer"])] == [
        {"known_answer": None}
    ]


def test_answers_are_known_from_combinations_that_are_left_out(monkeypatch):
    """Backend c alone solves the last four problems: a and b reach their limit on them, which are
    costs of these problems whether c is looked at or not.
    """
    records = campaign(
        a=[1.0] * 8 + [None] * 4, b=[2.0] * 8 + [None] * 4, c=[9.0] * 12
    ).with_columns(
        answer=pl.when(pl.col("answer").is_not_null() & (pl.col("n") > 7))
        .then(pl.lit("unsat"))
        .otherwise("answer")
    )
    monkeypatch.setattr("nqbench.records.sources.read", lambda *_: records)
    two = package.Results("any", where="backend IN ('a', 'b')")
    both = {"sat": 4, "unsat": 8}
    table = two.summary(by="known_answer")
    assert dict(table.select("known_answer", "problems").iter_rows()) == both
    assert table.filter(known_answer="unsat")["par2_s"].to_list() == [10.5, 11.0]
    assert set(two.summary(by="family")["problems"]) == {12}
    assert len(two.summary(by=["known_answer", "encoding"], table="pairs")) == 2
    assert "known_answer" not in "".join(two.records.columns)
    assert len(two.records) == 24
    two = package.Results("any", where="backend IN ('a', 'b')")
    assert len(two.findings(by="known_answer")) > 0
    assert dict(two.summary(by="known_answer").select("known_answer", "problems").rows()) == both
