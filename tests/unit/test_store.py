"""Records are written to a store and read back."""

from dataclasses import replace

import pytest
from databases import database
from made_records import RECORD, RUN, ended

from nqbench.common.errors import InputError
from nqbench.common.limits import Limits
from nqbench.common.machine import environment
from nqbench.common.machine.environment import Conditions, Session
from nqbench.common.vocabulary import Outcome, Phase
from nqbench.problems.queens import Queens
from nqbench.records.integrity import ENDING
from nqbench.records.merging import merge
from nqbench.records.record import COLUMNS
from nqbench.records.store import Store

CALM = Conditions(1.0, 0.1, 0, "performance")
SESSION = Session("nqbench run", CALM, CALM, 10, 2, 0.5)


def test_what_is_added_is_there_for_another_process_at_once(store):
    store.add(RECORD)
    with Store(store.path) as other:
        assert other.recorded([RUN.id]) == {RUN.id}


class InterruptedAtBegin:
    """A connection whose user presses Ctrl-C when a transaction has just begun."""

    def __init__(self, db):
        self._db = db

    def __getattr__(self, name):
        return getattr(self._db, name)

    def execute(self, query, *values):
        done = self._db.execute(query, *values)
        if query.startswith("BEGIN"):
            raise KeyboardInterrupt
        return done


def test_what_is_written_after_an_interruption_is_kept(store, monkeypatch):
    """The session of a campaign was lost, since it belonged to a transaction that never ended."""
    with monkeypatch.context() as patch:
        patch.setattr(store, "_db", InterruptedAtBegin(store._db))
        with pytest.raises(KeyboardInterrupt):
            store.add(RECORD)
    store.add_session(SESSION)
    with Store(store.path) as other:
        assert (other.sessions(), other.recorded([RUN.id])) == ([SESSION], set())


@pytest.mark.parametrize(
    "other",
    [
        replace(RUN, problem=Queens(9)),
        replace(RUN, encoding="alo-row"),
        replace(RUN, encoding_version="nqbench 0.2.0"),
        replace(RUN, backend="minisat22"),
        replace(RUN, backend_version="python-sat 2.0"),
        replace(RUN, limits=Limits(time_s=10)),
        replace(RUN, limits=Limits(memory_bytes=2**30)),
        replace(RUN, seed=1),
        replace(RUN, repeat=1),
        replace(RUN, machine="another machine"),
        replace(RUN, harness="another harness"),
        replace(RUN, cores=2),
    ],
)
def test_a_run_under_any_other_condition_is_another_run(other):
    assert other.id != RUN.id


@pytest.mark.parametrize(
    ("outcome", "is_done", "is_done_if_failures_are_retried"),
    [
        (Outcome.FINISHED, True, True),
        (Outcome.TIMEOUT, True, True),
        (Outcome.MEMOUT, True, True),
        (Outcome.CRASHED, True, False),
        (Outcome.SKIPPED, False, False),
        (Outcome.UNAVAILABLE, False, False),
        (Outcome.CAPPED, False, False),
    ],
)
def test_failures_are_retried_on_request_and_what_was_not_done_is_done_next_time(
    store, outcome, is_done, is_done_if_failures_are_retried
):
    store.add(ended(outcome))
    assert bool(store.recorded([RUN.id])) == is_done
    is_kept = bool(store.recorded([RUN.id], retry_failed=True))
    assert is_kept == is_done_if_failures_are_retried
    assert bool(store.made()) == is_done


@pytest.mark.parametrize("measured", sorted(set(Outcome) - {Outcome.SKIPPED, Outcome.UNAVAILABLE}))
def test_what_was_measured_is_not_replaced_by_what_was_not_done(store, measured):
    """As in another campaign on the same store that gives up earlier."""
    store.add(ended(measured))
    for not_done in (Outcome.SKIPPED, Outcome.UNAVAILABLE):
        store.add(replace(ended(not_done), started_at=1.0))
        assert store.records([RUN.id]) == [ended(measured)]


def test_a_capped_run_is_replaced_by_a_whole_one_or_a_later_cap_and_replaces_neither(store):
    capped = ended(Outcome.CAPPED)
    for later in (capped, replace(capped, cap_s=3.0), RECORD):
        store.add(later)
        assert store.records([RUN.id]) == [later]
    store.add(capped)
    assert store.records([RUN.id]) == [RECORD]


def test_a_capped_record_has_a_cap_and_no_other_has(store):
    for record in (replace(RECORD, cap_s=1.0), replace(ended(Outcome.CAPPED), cap_s=None)):
        with pytest.raises(InputError, match="cap_s is"):
            store.add(record)


@pytest.mark.parametrize(
    "outcomes", [["skipped", "unavailable", "skipped", "timeout"], ["crashed", "finished"]], ids=str
)
def test_what_was_not_done_or_failed_is_replaced(store, outcomes):
    for outcome in map(Outcome, outcomes):
        store.add(ended(outcome))
        assert store.frame()["outcome"].to_list() == [outcome]


@pytest.mark.parametrize("not_done", [Outcome.SKIPPED, Outcome.UNAVAILABLE])
def test_what_another_store_measured_replaces_what_was_not_done(tmp_path, store, not_done):
    store.add(ended(not_done))
    with Store(tmp_path / "other.db") as other:
        other.add(RECORD)
        assert merge(other.path, [store.path]) == [(0, 1)]
        assert other.records([RUN.id]) == [RECORD]
    assert merge(store.path, [tmp_path / "other.db"]) == [(1, 0)]
    assert store.records([RUN.id]) == [replace(RECORD, merged_from="other.db")]


def test_a_frame_can_be_had_of_some_runs_only(store):
    store.add(RECORD)
    assert len(store.frame([RUN.id])) == 1
    assert len(store.frame(["another"])) == 0
    assert len(store.frame([])) == 0


def test_an_empty_store_is_a_table_without_rows(store):
    assert store.frame().shape == (0, len(COLUMNS))


def test_an_environment_is_noted_once(store):
    here = environment.current(["python-sat"])
    store.add_environment(here)
    store.add_environment(here)
    with database(store.path) as db:
        ((found, facts),) = db.execute("SELECT * FROM environments").fetchall()
    assert found == here.id
    assert here.cpu_model in facts
    assert "python-sat" in facts


@pytest.mark.parametrize("name", ["stopped_in", "load_at_least_s", "solve_at_least_s"])
def test_only_a_run_that_was_stopped_has_bounds(store, name):
    bound = {name: Phase.LOAD if name == "stopped_in" else 0.5}
    for number, outcome in enumerate(Outcome):
        record = replace(ended(outcome), **bound)
        if outcome in {Outcome.TIMEOUT, Outcome.MEMOUT, Outcome.CAPPED}:
            other = replace(record, run_id=f"{number:032x}")
            store.add(other)
            assert store.records([other.run_id]) == [other]
        else:
            with pytest.raises(InputError, match=f"{name} is filled, but outcome is {outcome}"):
                store.add(record)


def test_a_capped_run_is_read_with_any_columns(store):
    store.add(ended(Outcome.CAPPED))
    for columns in (["run_id"], [*ENDING, "solve_s"], [*ENDING, "solve_s", "cap_s"]):
        assert len(store.frame(columns=columns)) == 1


def test_what_is_added_comes_back_unrounded(store):
    """Whether all records have the same value decides how a column is read."""
    records = [
        replace(RECORD, run_id=f"{number:032x}", repeat=number, started_at=float(number))
        for number in range(3)
    ]
    for record in records:
        store.add(record)
    assert store.frame().to_dicts() == [
        {name: getattr(record, name) for name in COLUMNS} for record in records
    ]
    assert store.frame(columns=["machine"])["machine"].to_list() == [RECORD.machine] * 3


def test_only_outdated_records_are_a_table_without_rows(store):
    store.add(RECORD)
    store.outdate([RUN.id], "its code has changed")
    assert store.frame().is_empty()
    assert store.outdated == 1


def test_measures_that_all_records_have_in_common_are_columns(store):
    for number in range(2):
        store.add(replace(RECORD, run_id=f"{number:032x}", measures={"glue": 2.5}))
    assert store.frame()["glue"].to_list() == [2.5, 2.5]
