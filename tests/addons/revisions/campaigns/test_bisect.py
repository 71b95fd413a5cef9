"""Planted changes in the history of a solver are found, and what cannot be said is not said."""

import json
import os
import re
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from made_records import RECORD
from solver_history import BROKEN, PLANTED, RECIPE, History

import nqbench as library
from nqbench.addons.revisions.bisection.judgement import CannotTellError, Mark
from nqbench.addons.revisions.bisection.timed import ByTime
from nqbench.addons.revisions.repository import Commit
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import Outcome, Verdict


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    return History(tmp_path_factory.mktemp("repository") / "solver")


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """Builds that the tests share."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def here(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("NQBENCH_BUILDS", str(cache))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nqbench-build.toml").write_text(RECIPE)
    return tmp_path


@pytest.mark.parametrize(
    ("by", "between", "problems", "evidence"),
    [
        ("conflicts", (13, 22), "8", "26 conflicts, 21 in the good commit"),
        ("answer", (19, 27), "6", "'unsat', but queens n=6 has a solution"),
        ("crash", (30, 36), "7", "SIGABRT"),
    ],
)
def test_each_planted_change_is_found(by, between, problems, evidence, history):
    first, last = between
    found = library.bisect(
        history.digits[first], history.digits[last], problems, backend=f"git:{history.path}", by=by
    )
    assert found.commit.digits == history.digits[PLANTED[by]]
    assert evidence in found.evidence
    marks = {step.commit.digits: step.judgement.mark for step in found.steps}
    for number in range(first, last + 1):
        mark = marks.get(history.digits[number])
        expected = Mark.BAD if number >= PLANTED[by] else Mark.GOOD
        assert mark in (None, Mark.SKIP if number in BROKEN else expected)
    assert found.commit.short in str(found)


def test_a_slower_commit_is_found_and_nothing_is_measured_twice(history, here):
    between = history.digits[8], history.digits[10], "8"
    how = {"backend": f"git:{history.path}", "by": "time", "results": here / "results"}
    found = library.bisect(*between, **how)
    assert found.commit.digits == history.digits[PLANTED["time"]]
    assert "times as long" in found.evidence
    assert found.measured == found.runs
    again = library.bisect(*between, **how)
    assert (again.commit, again.measured) == (found.commit, 0)
    assert again.table().equals(found.table())


def test_a_dry_run_builds_nothing_and_says_what_is_done_then(history, here, monkeypatch, nqbench):
    first, last = history.digits[13], history.digits[22]
    command = ["bisect", first, last, "--backend", f"git:{history.path}", "--n", 8, "--dry-run"]
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("NQBENCH_BUILDS", str(here / "empty"))
        for by in ("conflicts", "time"):
            done = nqbench(*command, "--by", by)
            assert done.returncode == 0, done.stderr
            assert "9 commits in" in done.stdout
            assert f"{first[:12]}, {last[:12]} among them" in done.stdout
    assert not (here / "empty").exists()
    assert not (here / "results").exists()
    (steps,) = re.findall(r"about (\d+) step", done.stdout)
    (fewest, most) = re.findall(r"About (\d+) to (\d+)", done.stdout)[0]
    found = library.bisect(first, last, "8", backend=f"git:{history.path}", by="conflicts")
    assert abs(int(steps) - (len(found.steps) - 2)) <= 1
    # Eight looks by time share one error of 5 %, so the first is at 2^-9, at 9 pairs.
    assert (int(fewest), int(most)) == (2 * 9 * (int(steps) + 1), 8 * 9 * (int(steps) + 1))


def test_skipped_commits_leave_several_candidates(tmp_path, nqbench):
    broken = History(tmp_path / "solver", commits=23, planted={"conflicts": 21})
    command = ["bisect", broken.digits[19], broken.digits[22], "--backend", "git:solver", "--n", 8]
    done = nqbench(*command, "--by", "conflicts", "--json", "-q")
    assert done.returncode == 1, done.stderr
    result = json.loads(done.stdout)
    assert result["commit"] is None
    assert set(result["candidates"]) == {broken.digits[number] for number in (20, 21, 22)}


@pytest.mark.parametrize(
    ("words", "status"), [("the first 'bad' commit", 0), ("le premier mauvais commit", 2)]
)
def test_git_that_words_its_end_otherwise_is_no_endless_search(
    words, status, history, monkeypatch, nqbench
):
    # git 2.55 wrote the first of these.
    real, ours = shutil.which("git"), Path("bin/git").absolute()
    ours.parent.mkdir()
    script = f'#!/bin/bash\nset -o pipefail\n{real} "$@" | sed "s/the first bad commit/{words}/"\n'
    ours.write_text(script)
    ours.chmod(0o755)
    monkeypatch.setenv("PATH", str(ours.parent), prepend=os.pathsep)
    ends = history.digits[15], history.digits[18]
    done = nqbench(
        *("bisect", *ends, "--backend", f"git:{history.path}", "--n", 8, "--by", "conflicts")
    )
    assert done.returncode == status, done.stderr
    if status:
        assert "git bisect asks for" in done.stderr
    else:
        assert history.digits[PLANTED["conflicts"]][:12] in done.stdout.splitlines()[0]


def test_the_command_at_the_end_shows_it_again(tmp_path, nqbench, history):
    short = History(tmp_path / "solver", commits=4, planted={"conflicts": 3})
    done = nqbench(
        "bisect", "HEAD~3", "HEAD", "--backend", "git:solver", "--n", 8, "--by", "conflicts", "-q"
    )
    assert done.returncode == 0, done.stderr
    assert short.digits[3][:12] in done.stdout.splitlines()[0]
    (again,) = re.findall(r"See it again: nqbench (.*)", done.stdout)
    revisions = again.split()[1:3]
    assert revisions == [f"'{short.digits[3][:12]}~1'", short.digits[3][:12]]
    done = nqbench(*again.replace("'", "").split())
    assert short.digits[3][:12] in done.stdout.splitlines()[0]
    # The runs on both commits were recorded, but not the second ones that show they do not vary.
    assert re.search(r"[0-2] measured now", done.stdout)


@pytest.mark.parametrize(
    ("good", "bad", "more", "message"),
    [
        (32, 1, {}, "BAD, .*, is before GOOD, .*: write GOOD first"),
        (1, 1, {}, "same commit"),
        (13, 14, {}, "is not bad by conflicts: 21 conflicts"),
        (1, 5, {"by": "speed"}, "unknown kind 'speed'"),
        (1, 5, {"backend": "git:nowhere"}, "there is no repository nowhere"),
        (1, 5, {"backend": "cadical195"}, "is no repository"),
    ],
)
def test_wrong_ends_are_refused(good, bad, more, message, history):
    how = {"backend": f"git:{history.path}", "by": "conflicts"} | more
    with pytest.raises(InputError, match=message):
        library.bisect(history.digits[good], history.digits[bad], "8", **how)


class Drawn:
    """Trials whose times are drawn: `slow` has the factor of each commit, `noise` the standard
    deviation of the logarithms. The machine becomes slower and faster meanwhile.
    """

    problems = (None,)

    def __init__(self, slow, noise, seed):
        self.slow, self.noise, self.asked = slow, noise, 0
        self.random = np.random.default_rng(seed)

    def records(self, wanted):
        return [[self._record(commit)] for commit, _ in wanted]

    def _record(self, commit):
        self.asked += 1
        drift = 1 + 0.5 * np.sin(self.asked / 50)
        time_s = self.slow[commit.digits] * drift * np.exp(self.random.normal(0, self.noise))
        return SimpleNamespace(
            outcome=Outcome.FINISHED, verdict=Verdict.VERIFIED, solve_cpu_s=float(time_s)
        )


GOOD, BAD, LIKE_GOOD, LIKE_BAD = (Commit(name, "", "") for name in "abcd")
COMMITS = 40
TIMES = 25


def judged(slow, noise, seed):
    """The marks of two commits between the ends; None if the ends could not be distinguished."""
    trials = Drawn(dict(zip("abcd", slow, strict=True)), noise, seed)
    judge = ByTime(trials, "solve_cpu_s", None, COMMITS)
    try:
        judge.begin(GOOD, BAD)
    except (CannotTellError, InputError):
        return None, trials
    return [judge.judge(commit).mark for commit in (LIKE_GOOD, LIKE_BAD)], trials


@pytest.mark.parametrize("noise", [0.05, 0.2])
def test_times_are_judged_right_beside_noise_and_drift(noise):
    marks = [judged((1, 1.5, 1, 1.5), noise, seed)[0] for seed in range(TIMES)]
    known = [pair for pair in marks if pair is not None]
    assert len(known) > 0.9 * TIMES
    wrong = sum(Mark.BAD is good or Mark.GOOD is bad for good, bad in known)
    assert wrong <= 1  # the error of all judgements of a bisection is 5 %
    if noise < 0.1:
        assert known.count([Mark.GOOD, Mark.BAD]) == TIMES


def test_more_noise_takes_more_repeats():
    quiet, loud = (judged((1, 1.5, 1, 1.5), noise, 1)[1].asked for noise in (0.02, 0.3))
    assert loud > quiet


def test_equal_times_are_not_told_apart():
    marks = [judged((1, 1, 1, 1), 0.1, seed)[0] for seed in range(TIMES)]
    assert sum(pair is not None for pair in marks) <= 1


def test_a_run_at_its_limit_is_slower_only_if_that_is_enough():
    def at_limit(cpu_s):
        record = replace(
            RECORD, outcome=Outcome.TIMEOUT, cpu_s=cpu_s, solve_at_least_s=cpu_s, solve_cpu_s=None
        )
        finished = replace(
            RECORD, outcome=Outcome.FINISHED, verdict=Verdict.VERIFIED, solve_cpu_s=1.0
        )
        slow = replace(finished, solve_cpu_s=9.0)
        by_commit = {"a": finished, "b": slow, "c": record}
        trials = SimpleNamespace(
            problems=(None,), asked=0,
            records=lambda wanted: [[by_commit[commit.digits]] for commit, _ in wanted],
        )  # fmt: skip
        judge = ByTime(trials, "solve_cpu_s", None, COMMITS)
        judge.begin(GOOD, BAD)
        return judge.judge(LIKE_GOOD).mark

    assert at_limit(5.0) is Mark.BAD  # at least 5 times as long, and the threshold is 3
    assert at_limit(2.0) is Mark.SKIP
