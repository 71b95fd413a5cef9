"""Results over revisions: points, lines, and the steps in them."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from addons import needs_addon
from made_records import RUN

import nqbench
from nqbench.addons.trends.change_points import fewest_values, steps
from nqbench.addons.trends.points import ordered_points, with_points
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import Answer, CheckedBy, Outcome, Verdict
from nqbench.problems.queens import Queens
from nqbench.records.record import Record
from nqbench.records.store import Store

COMMITS = 20
SLOWER, HARDER = 8, 13
"""The commits with planted changes: 30 % slower, and 1 % more conflicts."""


SOLVED = {
    "outcome": Outcome.FINISHED, "answer": Answer.SAT,
    "verdict": Verdict.VERIFIED, "checked_by": CheckedBy.BOARD,
}  # fmt: skip
"""How each run ended."""


def commit(number):
    """Digits whose order is not that of the commits."""
    return f"{number * 0x9E3779B1 % 2**28:07x}"


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    """A store with runs of a solver's commits, in no order."""
    folder, random = tmp_path_factory.mktemp("history"), np.random.default_rng(4)
    with Store(folder / "nqbench.db") as store:
        for number in random.permutation(COMMITS):
            digits = commit(int(number))
            for n in (8, 9, 10):
                run = replace(
                    RUN,
                    problem=Queens(n),
                    backend=f"git:../minisat@{digits} --fast",
                    backend_version=f"minisat {digits} of 2026-01-{number + 1:02}T10:00:00Z, 0abc",
                )
                seconds = 0.1 * n * (1.3 if number >= SLOWER else 1) * random.normal(1, 0.02)
                conflicts = 100 * n + (n if number >= HARDER else 0)
                ended = {**SOLVED, "solve_s": float(seconds), "conflicts": conflicts}
                store.add(replace(Record.of(run, "here"), **ended))
    return folder


def planted(count, at=(), size=3.0, seed=0):
    values = np.random.default_rng(seed).normal(size=count)
    for place in at:
        values[place:] += size
    return values


def test_steps_are_found_where_they_are_and_seldom_where_they_are_not():
    hits = [steps(planted(30, [12], 4.0, seed), 0.05) for seed in range(20)]
    assert sum(found == [12] for found in hits) >= 14
    assert all(any(abs(place - 12) <= 1 for place in found) for found in hits)
    alarms = sum(bool(steps(planted(12, seed=seed), 0.05)) for seed in range(300))
    assert 3 <= alarms <= 28  # of 15 expected, with probability 0.999


def test_a_series_that_comes_back_has_both_steps():
    assert steps(np.array([5.0] * 12 + [9.0] * 8 + [5.0] * 12), 0.05) == [12, 20]
    assert steps(np.full(30, 5.0), 0.05) == []


@pytest.mark.parametrize("level", [0.05, 0.01])
def test_shorter_series_have_no_step_however_large(level):
    fewest = fewest_values(level)
    for count in (fewest - 1, fewest + 1):
        values = np.repeat([1.0, 100.0], [count // 2, count - count // 2])
        assert bool(steps(values, level)) == (count > fewest)


@needs_addon("revisions")
def test_planted_changes_of_a_solver_are_found_by_date_of_commit(history):
    times = nqbench.trends(history)
    assert times.axis == "revision"
    assert list(times.points) == [commit(number) for number in range(COMMITS)]
    assert [line.name for line in times.lines] == [
        f"pairwise x git:../minisat --fast: queens n={n}" for n in (10, 8, 9)
    ]
    found = times.table()
    assert found.select("before_point", "at_point", "date").unique().rows() == [
        (commit(SLOWER - 1), commit(SLOWER), "2026-01-09")
    ]
    assert len(found) == 3
    assert found["ratio"].to_list() == pytest.approx([1.3] * 3, rel=0.03)
    counted = nqbench.trends(history, metric="conflicts", per="formula")
    assert [list(line.changes) for line in counted.lines] == [[HARDER]] * 3
    assert counted.table()["ratio"].to_list() == pytest.approx([1.01] * 3)
    (mean,) = nqbench.trends(history, metric="conflicts", per="combination").lines
    assert [(step.at, round(step.ratio, 6)) for step in mean.steps] == [(HARDER, 1.01)]


@needs_addon("revisions")
def test_the_page_and_the_plot_show_the_step(history, tmp_path, nqbench):
    done = nqbench("trends", history, "--output", tmp_path / "page.html", "--level", "1%")
    assert done.stdout.count(commit(SLOWER)) == 3, done.stderr
    page = (tmp_path / "page.html").read_text()
    assert page.count("<circle") == 3 * COMMITS
    assert page.count('class="step worse"') == 3
    assert "http" not in re.sub(r"http://www.w3.org\S*", "", page)
    done = nqbench("trends", history, "--per", "family", "--output", tmp_path / "lines.svg")
    assert done.returncode == 0, done.stderr
    assert "30 of" not in (tmp_path / "lines.svg").read_text()


def solver_history(folder, facts, n=8):
    """Records of commits: digits, what their version says after them, and the conflicts."""
    with Store(folder / "nqbench.db") as store:
        for digits, said, conflicts in facts:
            run = replace(
                RUN,
                problem=Queens(n),
                backend=f"git:sat@{digits}",
                backend_version=f"sat {digits} of {said}, 0abc",
            )
            record = Record.of(run, "here")
            store.add(replace(record, **SOLVED, solve_s=1.0, conflicts=int(conflicts)))
    return folder


SECOND = "2026-01-05T10:00:00Z"


@needs_addon("revisions")
def test_commits_of_one_second_are_in_the_order_of_the_history(tmp_path):
    """As after a rebase. The step is at commit 9 of 16, whatever the order of the runs."""
    order = np.random.default_rng(0).permutation(16)
    facts = [
        (
            commit(int(n)),
            f"{SECOND}, commit {n + 1} 'It is, 'really', {n + 1}'",
            100 + 900 * (n > 7),
        )
        for n in order
    ]
    found = nqbench.trends(solver_history(tmp_path, facts), metric="conflicts")
    assert list(found.points) == [commit(n) for n in range(16)]
    (row,) = found.table().to_dicts()
    assert (row["before_point"], row["at_point"]) == (commit(7), commit(8))
    assert row["subject"] == "It is, 'really', 9"
    assert not found.unordered


@needs_addon("revisions")
@pytest.mark.parametrize("same", [16, 6])
def test_between_commits_of_no_known_order_no_step_is_claimed(tmp_path, same):
    """Records without a place, of which so many share a second. The step is among these."""
    early = (16 - same) // 2
    facts = []
    for n in np.random.default_rng(1).permutation(16):
        is_same = early <= n < early + same
        said = SECOND if is_same else f"202{5 + 2 * (n >= early)}-01-{1 + n:02}T10:00:00Z"
        facts.append((commit(int(n)), said, 100 + 900 * (n >= 8)))
    found = nqbench.trends(solver_history(tmp_path, facts), metric="conflicts")
    steps_found = [(row["before_point"], row["at_point"]) for row in found.table().to_dicts()]
    if same == 16:
        assert steps_found == []
    else:
        assert steps_found == [(commit(early - 1), commit(early + same))]
    changed = [found.points[at] for at in found.changing]
    assert changed == [at for _, at in steps_found]
    assert f"{same} commits of no known order" in " ".join(found.notes)


@needs_addon("revisions")
def test_a_line_of_few_values_is_not_said_to_have_no_step(tmp_path):
    """Of 11 revisions, one combination was measured on 7 only."""
    facts = [(commit(n), f"{SECOND}, commit {n + 1} 'x'", 100) for n in range(11)]
    folder = solver_history(tmp_path, facts[:7])
    whole = " ".join(nqbench.trends(folder, metric="conflicts").notes)
    assert "results of 7 revisions in a line: a step needs at least 8" in whole
    solver_history(folder, [(digits, said, 5) for digits, said, _ in facts], n=9)
    notes = " ".join(nqbench.trends(folder, metric="conflicts").notes)
    assert "1 of 2 lines with fewer than 8 values" in notes
    assert "queens n=8 with 7: no step of them can be found" in notes
    assert "no step in 1 line over 11 revisions" in notes


def test_versions_are_ordered_as_numbers():
    import polars as pl

    versions = ["solver 1.10", "solver 1.9", "solver 1.10.dev2", "solver 1.9.1"]
    records = pl.DataFrame(
        {"backend": "solver", "backend_version": versions, "started_at": [1.0, 2.0, 3.0, 4.0]}
    )
    ordered, unordered = ordered_points(with_points(records, "version"), "version")
    assert not unordered
    assert ordered == ["solver 1.9", "solver 1.9.1", "solver 1.10.dev2", "solver 1.10"]


def test_files_of_pytest_benchmark_are_commits(tmp_path):
    for number in range(12):
        median = 0.002 if number >= 5 else 0.001
        benchmark = {"fullname": "test_a.py::test_b", "name": "test_b", "stats": {"median": median}}
        document = {
            "commit_info": {"id": commit(number) * 5, "time": f"2026-02-{20 - number:02}T10:00:00"},
            "benchmarks": [benchmark],
            "machine_info": {},
        }
        (tmp_path / f"{number}.json").write_text(json.dumps(document))
    found = nqbench.trends(*sorted(tmp_path.iterdir()))
    assert found.points[0] == (commit(11) * 5)[:10]  # the earliest
    ((at, ratio),) = found.table().select("at_point", "ratio").rows()
    assert (at, ratio) == ((commit(4) * 5)[:10], pytest.approx(0.5))
    with pytest.raises(InputError, match="leave out over"):
        nqbench.trends(tmp_path / "1.json", over="day")
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(InputError, match=r"bad\.json is not a file of pytest-benchmark"):
        nqbench.trends(tmp_path / "bad.json")


@needs_addon("revisions")
@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"over": "revisoin"}, "did you mean 'revision'"),
        ({"metric": "decisions"}, "no solved run reports decisions"),
        ({"per": "board"}, "lines are per formula, family, combination"),
        ({"level": 2}, "level is 2"),
        ({"over": "solver_seed"}, "choose another axis"),
    ],
)
def test_wrong_arguments_are_refused(history, options, says):
    with pytest.raises(InputError, match=says):
        nqbench.trends(history, **options)
