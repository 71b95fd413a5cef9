"""Commits in tables: in the order of the history and with their subjects."""

import re
from dataclasses import replace

import pytest
from addons import needs_addon
from made_records import RUN

import nqbench as library
from nqbench.addons.revisions.recorded import read_version, write_version
from nqbench.addons.revisions.repository import Commit
from nqbench.common.vocabulary import Answer, CheckedBy, Outcome, Verdict
from nqbench.problems.queens import Queens
from nqbench.records.record import Record
from nqbench.records.store import Store
from nqbench.summary.history import History, revisions

SECOND = "2026-01-05T10:00:00Z"


def digits(number):
    """Digits whose order is not that of the commits."""
    return f"{number * 0x9E3779B1 % 2**48:012x}"


def version(number, place, date=SECOND, repository="sat", before=""):
    commit = Commit(digits(number), date, f"It's, 'really', step {number}")
    return write_version(repository, commit, place, before, "0abc 1def")


def measured(folder, versions, seconds=lambda number: 1.0):
    """A folder with runs of commits: names of backends, their versions, and their numbers."""
    with Store(folder / "nqbench.db") as store:
        for number, (name, text) in enumerate(versions.items(), 1):
            for n in (8, 9):
                run = replace(RUN, problem=Queens(n), backend=name, backend_version=text)
                record = Record.of(run, "here")
                store.add(replace(
                    record, outcome=Outcome.FINISHED, answer=Answer.SAT, solve_s=seconds(number),
                    verdict=Verdict.VERIFIED, checked_by=CheckedBy.BOARD, conflicts=5,
                ))  # fmt: skip
    return folder


def test_a_version_is_read_as_it_was_written():
    """With what a subject may have; and of an earlier nqbench, which wrote no place."""
    read = read_version(version(3, 12), "git:/a/sat", digits(3))
    assert (read.place, read.date, read.subject) == (12, SECOND, "It's, 'really', step 3")
    assert read_version(version(3, 12), "git:/a/sat", "").name == digits(3)
    shallow = read_version(version(3, None), "git:/a/sat", digits(3))
    assert (shallow.place, shallow.subject) == (None, "It's, 'really', step 3")
    early = read_version(f"sat {digits(3)} of {SECOND}, 0abc", "git:/a/sat", digits(3))
    assert (early.place, early.date, early.subject) == (None, SECOND, "")
    assert read_version("", "git:/a/sat", "main").date == ""


@needs_addon("compare")
def test_tables_are_in_the_order_of_the_history_with_subjects(tmp_path, nqbench):
    """The later, the faster: by PAR-2, the order would be the other one."""
    versions = {f"git:sat@{digits(n)}": version(n, n) for n in range(1, 13)} | {"cadical": "1.9"}
    measured(tmp_path, versions, lambda number: 2 - number / 10)
    first, last = f"git:sat@{digits(1)}", f"git:sat@{digits(12)}"
    done = nqbench("summary", "--results", tmp_path)
    at = [done.stdout.index(digits(n)) for n in range(1, 13)]
    assert at == sorted(at)
    assert "'really', step 7" in done.stdout
    assert "no known order" not in done.stdout
    paper = nqbench("summary", "--results", tmp_path, "--format", "markdown").stdout
    assert [paper.index(digits(n)) for n in range(1, 13)] == sorted(
        paper.index(digits(n)) for n in range(1, 13)
    )
    pairs = nqbench("summary", "--results", tmp_path, "--by-problem").stdout
    assert re.search(rf"in the\s+order\s+of\s+the\s+history:\s+{digits(1)}", pairs)
    nqbench("report", "--results", tmp_path)
    page = (tmp_path / "report.html").read_text()
    table = page[page.index('<table id="overview"') :].partition("</table>")[0]
    assert re.findall(r'data-backend="(.*?)"', table)[-12:] == [
        f"git:sat@{digits(n)}" for n in range(1, 13)
    ]
    assert "step 7" in table
    compared = nqbench("compare", tmp_path, "--old", first, "--new", last)
    assert f"({digits(1)} 'It's, 'really', step 1', commit 1, in OLD, {digits(12)} 'It's" in (
        compared.stdout
    )
    assert "subject" not in compared.stdout
    same = nqbench("compare", tmp_path, tmp_path)
    assert [same.stdout.index(f"'really', step {n} ") for n in range(1, 13)] == sorted(
        same.stdout.index(f"'really', step {n} ") for n in range(1, 13)
    )
    # Numbers for programs stay in the order that is documented.
    table = library.Results(tmp_path).summary()
    assert table["par2_s"].to_list() == sorted(table["par2_s"].to_list())


@needs_addon("trends")
@pytest.mark.parametrize(
    ("places", "dates", "unordered"),
    [
        ([1, 2, 3, 4], [SECOND] * 4, []),  # one second, as after a rebase
        ([1, 2, 3, 3], [SECOND] * 4, [2, 3]),  # two branches
        ([None] * 4, [SECOND] * 3 + ["2026-01-06T10:00:00Z"], [0, 1, 2]),  # a shallow clone
        ([1, 2, 3, None], [f"2026-01-0{n}T10:00:00Z" for n in range(1, 5)], []),
    ],
)
def test_what_has_no_known_order_is_said(tmp_path, nqbench, places, dates, unordered):
    versions = {
        f"git:sat@{digits(n)}": version(n, place, date)
        for n, (place, date) in enumerate(zip(places, dates, strict=True))
    }
    measured(tmp_path, versions)
    said = f"{len(unordered)} commits of no known order"
    assert (said in nqbench("summary", "--results", tmp_path).stdout) == bool(unordered)
    history = History.of(revisions(library.read(tmp_path)))
    assert {*history.unordered} == {f"git:sat@{digits(n)}" for n in unordered}
    trends = library.trends(tmp_path)
    assert {*trends.unordered} == {digits(n) for n in unordered}


@needs_addon("trends")
def test_between_branches_without_a_common_place_no_step_is_claimed(tmp_path):
    """Four commits of a branch that left at 4, then six of main: the shorter one is left out."""
    line = [*((n, n, n - 1) for n in (5, 6, 7, 8)), (109, 9, 108)]
    line += [(100 + n, n, 99 + n) for n in (10, 11, 12, 13, 14)]
    versions = {
        f"git:sat@{digits(n)}": version(n, place, before=digits(before))
        for n, place, before in line
    }
    folder = measured(tmp_path, versions, lambda number: 1.0 if number <= 4 else 9.0)
    trends = library.trends(folder)
    assert {*trends.unordered} == {digits(n) for n in (5, 6, 7, 8)}
    assert not trends.stepping
    whole = {name: text.replace(digits(108), digits(8)) for name, text in versions.items()}
    (tmp_path / "whole").mkdir()
    assert not library.trends(measured(tmp_path / "whole", whole)).unordered


@needs_addon("trends")
def test_repositories_are_ordered_one_after_another(tmp_path):
    """Commits of two of them never tie. With other arguments, it is the same commit."""
    versions = {}
    for n in (2, 1):
        versions |= {
            f"git:sat@{digits(n)}": version(n, n),
            f"git:sat@{digits(n)} --fast": version(n, n),
            f"git:other@{digits(n + 10)}": version(n + 10, n, repository="other"),
        }
    trends = library.trends(measured(tmp_path, versions))
    assert not trends.unordered
    assert list(trends.points) == [digits(n) for n in (11, 12, 1, 2)]


def test_names_of_any_text_are_shown(tmp_path, nqbench, monkeypatch):
    """A store may be a stranger's, and what it names may be a loop of links."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop").symlink_to("loop")
    names = ("git:", "git:loop@main", f"git:{'x' * 900}@v", "git:~nobody-of-this-name@v", "git:@")
    measured(tmp_path, dict.fromkeys(names, "it's 'odd', 1"))
    done = nqbench("summary", "--results", tmp_path)
    assert done.returncode == 0, done.stderr
    assert {revision.name for revision in revisions(library.read(tmp_path)).values()} == {
        "main", "v"
    }  # fmt: skip
