"""Answers that a campaign leaves unchecked are checked later, without measuring anything."""

import signal
import subprocess
import sys
from dataclasses import replace

import msgspec
import pytest
from measuring import HOPELESS, measure, without_notes_on_time

import nqbench as package
from nqbench.campaign import progress, runner
from nqbench.campaign.executors import local
from nqbench.campaign.executors.local import LocalExecutor
from nqbench.campaign.grid import Campaign
from nqbench.campaign.narrator import Narrator
from nqbench.campaign.schedule import Schedule
from nqbench.checking.verify import PROOF_HOLDS
from nqbench.common.limits import Checking, ProofLimits
from nqbench.common.vocabulary import (
    NOT_COUNTED,
    NOT_YET,
    Answer,
    CheckedBy,
    Outcome,
    Task,
    Verdict,
    When,
)
from nqbench.isolate.supervise import Ending
from nqbench.measure import later_checks, unchecked_answer, validation
from nqbench.measure.stored_run import pack_run, unpack_run
from nqbench.measure.wire import Prepare
from nqbench.problems.families.cnf import formulas
from nqbench.problems.families.pigeonhole import Pigeonhole
from nqbench.problems.queens import Queens
from nqbench.records.store import Store

pytestmark = pytest.mark.usefixtures("faulty_plugin")
SHORT = ProofLimits(time_s=0.2)


class Follows(later_checks.Observer):
    """Counts what is said, and raises an exception after some answers."""

    def __init__(self, after=None):
        self.answers, self.noted, self.waited, self.after = None, [], [], after

    def begin(self, answers):
        self.answers = answers

    def note(self, checked):
        self.noted.append(checked)
        if len(self.noted) == self.after:
            raise KeyboardInterrupt

    def wait(self, doing):
        self.waited += doing


def by_backend(records):
    return {record.backend: (record.verdict, record.checked_by) for record in records}


def test_no_evidence_is_looked_for_until_it_is_asked_for(store, monkeypatch):
    """Queens on a torus, and pigeons: theorems say that there is no solution."""
    problems = [Queens(6, "torus"), Queens(8, "torus"), Pigeonhole(5)]
    records = measure(store, problems, ["glucose4", "minisat22"], repeat=2)
    assert {
        (r.answer, r.verdict, r.checked_by, without_notes_on_time(r.message)) for r in records
    } == {(Answer.UNSAT, Verdict.UNCHECKED, CheckedBy.NONE, NOT_YET)}
    proofs = []
    call = unchecked_answer.Isolation.call

    def noted(caller, doing, *words, **options):
        proofs.append(doing)
        return call(caller, doing, *words, **options)

    monkeypatch.setattr(unchecked_answer.Isolation, "call", noted)
    follower = Follows()
    checked = later_checks.check(store, follower, jobs=2)
    assert follower.answers == len(follower.noted) == len(checked) == 12
    assert proofs.count("proving by glucose4") == 3  # for two repeats of three problems
    assert by_backend(store.records(record.run_id for record in records)) == {
        "glucose4": (Verdict.VERIFIED, CheckedBy.THEOREM),
        "minisat22": (Verdict.VERIFIED, CheckedBy.THEOREM),
    }
    assert {without_notes_on_time(each.record.message) for each in checked} == {PROOF_HOLDS, ""}
    assert later_checks.check(store) == []
    unchanged = {"verdict", "checked_by", "message", "verify_s", "verify_cpu_s"}
    before = {r.run_id: {**msgspec.to_builtins(r), **dict.fromkeys(unchanged)} for r in records}
    for each in store.records(before):
        assert {**msgspec.to_builtins(each), **dict.fromkeys(unchanged)} == before[each.run_id]


def test_a_lying_solver_and_a_flawed_proof_are_refuted_later(nqbench, tmp_path):
    path = tmp_path / "results" / "nqbench.db"
    backends = ["faulty-proof-cut", "faulty-liar-unsat", "cadical195"]
    with Store(path) as store:
        records = measure(store, [HOPELESS, Queens(6)], backends)
        assert {r.verdict for r in records if r.answer is Answer.SAT} == {Verdict.VERIFIED}
    told = nqbench("check", "--results", "results")
    assert told.returncode == 1
    assert told.stdout.startswith("5 answers: 2 verified, 3 refuted\n")
    assert all(len(line) <= 80 for line in told.stdout.splitlines())
    assert "wrong answer: queens n=6 pairwise x faulty-liar-unsat: 'unsat', but" in told.stderr
    with Store(path, read_only=True) as store:
        found = {(r.instance, r.backend): r for r in store.records(r.run_id for r in records)}
    cut = found[HOPELESS.instance, "faulty-proof-cut"]
    assert (cut.verdict, cut.checked_by) == (Verdict.REFUTED, CheckedBy.PROOF)
    assert nqbench("check").stdout == "no answer is unchecked\n"


def test_a_page_is_written_again_after_answers_were_checked(nqbench, tmp_path):
    job = ["run", "--family", "torus", "--n", 6, "--encoding", "pairwise", "--backend", "glucose4"]
    job += ["--repeat", 1, "--check", "later"]
    page = tmp_path / "results" / "report.html"
    assert nqbench(*job).returncode == 0
    assert "left for later" in page.read_text()
    assert nqbench("check").returncode == 0
    assert nqbench(*job).returncode == 0
    assert "left for later" not in page.read_text()


def test_a_wrong_proof_of_another_version_refutes_nothing(store):
    (record,) = measure(store, [HOPELESS], ["faulty-proof-cut"])
    run = replace(
        unpack_run(store.unchecked_run(record.run_id), record), backend_version="faulty 0"
    )
    other = replace(record, run_id=run.id, backend_version="faulty 0", started_at=1.0)
    store.add(other, run=pack_run(other, run))
    checked = {each.record.backend_version: each for each in later_checks.check(store)}
    assert checked[record.backend_version].check.verdict is Verdict.REFUTED
    assert checked["faulty 0"].check.verdict is Verdict.UNCHECKED
    assert "faulty 1.0 gave it, faulty 0 answered" in checked["faulty 0"].check.message


@pytest.fixture
def pigeons(tmp_path):
    """A formula that no solver decides in a fifth of a second."""
    pigeons, holes = 13, 12
    clauses = [[p * holes + h + 1 for h in range(holes)] for p in range(pigeons)]
    clauses += [
        [-(p * holes + h + 1), -(q * holes + h + 1)]
        for h in range(holes)
        for p in range(pigeons)
        for q in range(p)
    ]
    path = tmp_path / "pigeons.cnf"
    lines = [f"p cnf {pigeons * holes} {len(clauses)}"]
    path.write_text("\n".join([*lines, *(" ".join(map(str, [*c, 0])) for c in clauses)]) + "\n")
    return path


def test_a_proof_that_hangs_stops_at_its_limit_and_can_be_tried_again(nqbench, store, pigeons):
    (record,) = measure(
        store,
        formulas(pigeons),
        ["faulty-proof-hangs"],
        checking=Checking(proofs=SHORT),
        encodings=None,
    )
    stopped = "proof not checked: stopped at the time limit of 0.2 s"
    assert (record.answer, record.verdict) == (Answer.UNSAT, Verdict.UNCHECKED)
    assert without_notes_on_time(record.message) == stopped
    (sentence,) = [s for s in package.findings(store.frame()) if s.startswith("Unchecked")]
    assert sentence == (
        "Unchecked answers: 1 proof reached the time limit of 0.2 s (faulty-proof-hangs): "
        "run `nqbench check --proof-time 1m`."
    )
    told = nqbench("check", "--proof-time", "100ms")
    assert told.returncode == 0
    assert told.stdout.startswith("1 answer: 1 unchecked\nunchecked: 1 x proof not checked: stopp")
    (again,) = store.unchecked()
    assert without_notes_on_time(again.message) == stopped.replace("0.2", "0.1")
    pigeons.unlink()
    (gone,) = later_checks.check(store)
    assert "cannot read" in gone.record.message
    assert gone.check.verdict is Verdict.UNCHECKED


def test_a_limit_is_named_when_another_solver_looks_for_the_proof(nqbench, store, pigeons):
    """The solver has no proofs, and no other decides this formula within the limit."""
    measure(store, formulas(pigeons), ["faulty-liar-unsat"], encodings=None)
    limits = "--proof-time 1m"
    told = " ".join(nqbench("check", "--proof-time", "200ms").stdout.split())
    stopped = "proof by cadical195 not checked: stopped at the time limit of 0.2 s"
    assert f"unchecked: 1 x {stopped} (faulty-liar-unsat)" in told
    assert f"`nqbench check {limits}` tries again" in told
    (record,) = store.unchecked()
    assert without_notes_on_time(record.message) == stopped
    sentence = "1 proof reached the time limit of 0.2 s (faulty-liar-unsat)"
    found = " ".join(nqbench("summary", "--findings").stdout.split())
    assert f"{sentence}: run `nqbench check {limits}`" in found


def test_a_slow_proof_is_seen_while_it_is_made(monkeypatch, capsys):
    monkeypatch.setattr(local, "_WATCH_EVERY_S", 0.05)
    campaign = Campaign(
        problems=[HOPELESS], encodings=["pairwise"], backends=["faulty-proof-hangs"], repeat=1
    )
    narrator = Narrator(progress.Progress())
    schedule = Schedule(campaign.runs())
    narrator.begin(schedule, 0)
    monkeypatch.setattr(progress.Progress, "every_s", 0.0)
    checking, watch = Checking(proofs=SHORT), narrator.watch
    with LocalExecutor(campaign.runs(), checking=checking, watch=watch) as executor:
        (record,) = runner.records(schedule, executor)
    assert (record.verdict, record.checked_by) == (Verdict.VERIFIED, CheckedBy.ORACLE)
    assert f"{HOPELESS} pairwise x faulty-proof-hangs: proving by " in capsys.readouterr().err


def test_a_formula_that_is_not_the_one_that_was_solved_is_refused(store, monkeypatch):
    measure(store, [Queens(6, "torus")], ["cadical195"], encodings=["faulty-changes", "pairwise"])
    monkeypatch.setenv("FAULTY_CHANGES", "1")
    checked = {each.record.encoding: each.check for each in later_checks.check(store)}
    assert checked["pairwise"].verdict is Verdict.VERIFIED
    assert checked["faulty-changes"].message == "the formula is not the one that was solved"
    monkeypatch.delenv("FAULTY_CHANGES")
    (again,) = later_checks.check(store)
    assert again.record.verdict is Verdict.VERIFIED
    assert without_notes_on_time(again.record.message) == PROOF_HOLDS


def test_a_backend_that_is_missing_is_reported_for_its_answers_only(store, monkeypatch):
    measure(store, [Queens(6, "torus")], ["cadical195", "glucose4"])
    monkeypatch.setattr(
        unchecked_answer,
        "why_unavailable",
        lambda _load, name, _caller: "it is missing" if name == "glucose4" else None,
    )
    checked = {each.record.backend: each.check for each in later_checks.check(store)}
    assert checked["cadical195"].verdict is Verdict.VERIFIED
    assert checked["glucose4"].message == "not checked: glucose4 is unavailable: it is missing"


def test_what_is_interrupted_goes_on_with_the_rest(store, nothing_is_left_behind):
    backends = ["cadical195", "glucose4", "minisat22"]
    measure(store, [Queens(6, "torus"), Queens(8, "torus")], backends)
    with pytest.raises(KeyboardInterrupt):
        later_checks.check(store, Follows(after=2))
    left = len(store.unchecked())
    assert left == 4
    follower = Follows()
    later_checks.check(store, follower)
    assert (follower.answers, store.unchecked()) == (left, [])


def test_ctrl_c_ends_a_hanging_check_at_once(store, tmp_path, pigeons):
    measure(store, formulas(pigeons), ["faulty-proof-hangs"], encodings=None)
    command = [sys.executable, "-m", "nqbench", "check"]
    check = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    assert "pigeons.cnf faulty-proof-hangs: proving by" in check.stderr.readline()
    check.send_signal(signal.SIGINT)
    said = check.communicate(timeout=100)[1]  # a proof may take two minutes
    assert check.returncode == 130
    assert "checks ended for 0 of 1 answer; the same command continues" in said


def test_all_solutions_are_counted_later(store):
    boards = [Queens(6), Queens(6, "completion", placed=((0, 1),))]
    backends = ["minisat22", "faulty-skips", "faulty-repeats"]
    records = measure(store, boards, backends, task=Task.ALL)
    found = {(r.family, r.backend): r for r in records}
    assert without_notes_on_time(found["completion", "minisat22"].message) == NOT_COUNTED
    assert found["completion", "faulty-repeats"].verdict is Verdict.REFUTED  # which costs nothing
    checked = {(e.record.family, e.record.backend): e.check for e in later_checks.check(store)}
    assert checked["completion", "minisat22"].verdict is Verdict.VERIFIED
    assert ("completion", "faulty-repeats") not in checked


def test_what_a_message_says_besides_the_check_is_kept():
    runs = Campaign(problems=[Queens(4)], encodings=["pairwise"], backends=["minisat22"]).runs()
    ending = Ending(Outcome.FINISHED, "", b"", 9.0, 0.0, None, 0, None, function_s=9.0)
    notes = [
        validation.what_phases_leave_open(runs[0], validation.WorkerReport(Answer.UNSAT), ending),
        "measure 'glue' found 'x', which is not a number",
    ]
    assert validation.notes("; ".join([NOT_YET, *notes])) == notes
    assert validation.notes(NOT_YET) == []


def test_how_answers_are_checked_is_no_part_of_a_run_and_reaches_the_servers():
    runs = Campaign(problems=[Queens(4)], encodings=["pairwise"], backends=["minisat22"]).runs()
    prepare = Prepare.of(runs, Checking(When.LATER, SHORT))
    sent = msgspec.msgpack.decode(msgspec.msgpack.encode(prepare), type=Prepare)
    assert (sent, sent.checking.proofs.time_s) == (prepare, 0.2)
