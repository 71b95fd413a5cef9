"""The gate for records is one, wherever a row comes from: what is refused is named in one line, and
nothing is changed; with what is accepted, every command works.
"""

import random
import shutil
from dataclasses import asdict, replace

import msgspec
import polars as pl
import pytest
from addons import is_here
from databases import FIRST_SCHEMA, database, files, loosen
from made_records import RECORD, RUN, record_of
from places import REFERENCE

from nqbench.common.errors import InputError, NqbenchError, Place
from nqbench.common.machine import environment
from nqbench.common.machine.environment import Conditions, Session
from nqbench.common.vocabulary import Answer, CheckedBy, Outcome, Task, Verdict
from nqbench.problems.families.pigeonhole import Pigeonhole
from nqbench.problems.queens import Queens
from nqbench.records import facts, formats, frame, integrity, sources
from nqbench.records.merging import merge
from nqbench.records.record import COLUMNS, Record
from nqbench.records.store import Store

REFERENCE = sorted((REFERENCE).glob("*/records.csv"))
GOOD = record_of(8, queens=[1, 13, 24, 30, 35, 47, 50, 60], environment_id="0" * 16)

TIMES = [name for name in COLUMNS if name.endswith("_s") and "limit" not in name]

WRONG = {
    "run_id": [None, "", "abc", "A" * 32, "0" * 31, "0" * 33, "0" * 31 + "\n"],
    "environment_id": [None, "a\0b", "x" * 10_001],
    "family": [None, "", "\0"],
    "n": [0, -1, 10_001, None],
    "instance": [None, "\0", "x" * 10_001],
    "density": [-0.1, float("nan"), float("inf"), 1e300],
    "encoding": [None, ""],
    "backend": [None, ""],
    "time_limit_s": [None, 0.0, -1.0, float("inf"), 1e300],
    "cpu_limit_s": [0.0, -1.0],
    "memory_limit_bytes": [None, 0, -1],
    "memory_limit_by": [None, "", "weight"],
    "conflict_limit": [0, -1],
    "propagation_limit": [0],
    "cpus": [None],
    "seed": [None],
    "task": [None, "some"],
    "solver_seed": [-1],
    "repeat": [None, -1],
    "machine": [None, ""],
    "harness": [None, ""],
    "started_at": [None, -1.0, float("nan"), 1e15],
    "outcome": [None, "won", "FINISHED", "timeout", "skipped", "work-limit"],
    "answer": [None, "maybe", "unsat", "unknown"],
    "verdict": [None, "proved", "unchecked"],
    "checked_by": [None, "oath", "none"],
    "message": [None, "\0", "x" * 10_001],
    "queens": [[1] * 65, [0], [65], [-1]],
    "solutions": [-1, 1],
    "loading": ["magic", ""],
    "peak_rss_bytes": [-1],
    "clauses": [-1],
    "conflicts": [-1],
    "backend_version": ["\0"],
    "instance_digest": ["x" * 10_001],
} | {name: [-1e-9, 5e-324, float("nan"), float("inf"), 1e300] for name in TIMES}

RIGHT = {
    "n": [1, 10_000],
    "density": [0.0, 4.26, None],
    "seed": [-5],
    "shuffle": [-5, None],
    "exit_status": [-9, 255],
    "queens": [None, []],
    "conflicts": [0, 2**63 - 1, None],
    "cpu_limit_s": [None, 1e-9],
    "started_at": [0.0],
    "environment_id": [""],
    "message": ["a\x1bb", "x" * 10_000],
    "checked_by": ["rules", "oracle"],
    "verdict": ["refuted"],
}


def cases(values):
    return [(name, value) for name, each in values.items() for value in each]


def changed(name, value, record=GOOD):
    return asdict(record) | {name: value}


@pytest.mark.parametrize(("name", "value"), cases(WRONG))
def test_a_wrong_value_is_refused_in_a_row_and_in_a_table(name, value):
    row = changed(name, value)
    of_row = integrity.flaw(row)
    assert of_row is not None
    with pytest.raises(InputError) as caught:
        frame.admitted(pl.DataFrame([row], schema=frame.schema()), "file")
    assert caught.value.place == replace(integrity.place(row["run_id"], 1), source="file")
    assert caught.value.reason == of_row
    assert "\n" not in of_row
    assert len(of_row) < 200


@pytest.mark.parametrize(("name", "value"), [*cases(RIGHT), ("n", 8)])
def test_a_right_value_is_admitted_in_a_row_and_in_a_table(name, value):
    row = changed(name, value)
    if name == "n":
        row["queens"] = None
    assert integrity.flaw(row) is None
    frame.admitted(pl.DataFrame([row], schema=frame.schema()), "file")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n", "8"), ("n", 8.5), ("n", True), ("n", b"8"), ("n", 2**63), ("clauses", 2**5000),
        ("solve_s", "1.0"), ("solve_s", 2**70), ("message", 5), ("outcome", 5), ("family", b"q"),
        ("queens", "1 2"), ("queens", [1.5]), ("queens", ["1"]), ("queens", [2**63]),
        ("queens", (1, 2)), ("measures", "[1]"), ("measures", {"glue": float("nan")}),
        ("measures", {"run_id": 1.0}),
    ],
)  # fmt: skip
def test_a_value_of_another_type_is_refused(name, value):
    said = integrity.flaw(changed(name, value))
    assert name in said or "measure" in said
    assert len(said) < 200


def answered(outcome, answer, verdict, checked_by, **more):
    return {
        "outcome": outcome, "answer": answer, "verdict": verdict, "checked_by": checked_by,
        "task": Task.FIRST, "solve_s": 0.1, "queens": None, "solutions": None,
    } | more  # fmt: skip


UNCHECKED, NONE = Verdict.UNCHECKED, CheckedBy.NONE


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        (answered(Outcome.TIMEOUT, Answer.SAT, UNCHECKED, NONE), "answer is sat, but outcome is t"),
        (answered(Outcome.FINISHED, None, UNCHECKED, NONE), "answer is missing, but outcome is f"),
        (answered(Outcome.WORK_LIMIT, Answer.SAT, UNCHECKED, NONE), "answer is sat, but outcome"),
        (
            answered(Outcome.FINISHED, Answer.SAT, UNCHECKED, NONE, solve_s=None),
            "solve_s is missing, but outcome is finished",
        ),
        (
            answered(Outcome.FINISHED, Answer.SAT, Verdict.REFUTED, CheckedBy.BOARD, solve_s=None),
            "solve_s is missing, but outcome is finished",
        ),
        (
            answered(Outcome.TIMEOUT, None, Verdict.VERIFIED, CheckedBy.PROOF),
            "verdict is verified, but answer is missing",
        ),
        (
            answered(Outcome.FINISHED, Answer.UNKNOWN, Verdict.VERIFIED, CheckedBy.PROOF),
            "verdict is verified, but answer is unknown",
        ),
        (
            answered(Outcome.FINISHED, Answer.SAT, Verdict.VERIFIED, NONE),
            "checked_by is none, but verdict is verified",
        ),
        (
            answered(Outcome.FINISHED, Answer.SAT, UNCHECKED, CheckedBy.BOARD),
            "checked_by is board, but verdict is unchecked",
        ),
        (
            answered(Outcome.FINISHED, Answer.UNSAT, UNCHECKED, NONE, queens=[1]),
            "queens is filled, but answer is unsat",
        ),
        (
            answered(Outcome.FINISHED, Answer.SAT, UNCHECKED, NONE, solutions=2),
            "solutions is filled, but task is first",
        ),
    ],
)
def test_columns_that_contradict_each_other_are_refused(facts, said):
    assert integrity.contradiction(facts).startswith(said)
    record = replace(GOOD, **facts)
    assert integrity.flaw_of_record(record) == integrity.contradiction(facts)
    with pytest.raises(InputError, match=f"^file, record {'f' * 32}: {said}"):
        frame.admitted(frame.of([GOOD, replace(record, run_id="f" * 32)]), "file")


@pytest.mark.parametrize("path", REFERENCE, ids=lambda path: path.parent.name)
def test_what_real_campaigns_measured_is_admitted(path):
    records = sources.read_raw(str(path))
    for row in records.gather_every(10).iter_rows(named=True):
        assert integrity.flaw({name: row[name] for name in COLUMNS}) is None


def test_two_records_of_one_id_are_refused():
    with pytest.raises(InputError, match=f"^file, row 2: run_id is {GOOD.run_id}, as in a row be"):
        frame.admitted(frame.of([GOOD, GOOD]), "file")


def test_what_no_run_leaves_cannot_be_stored(store):
    for wrong in (replace(GOOD, clauses=-1), replace(GOOD, answer=None)):
        with pytest.raises(InputError, match=rf"nqbench\.db, record {GOOD.run_id}: "):
            store.add(wrong)
    assert store.frame().is_empty()
    store.add(replace(GOOD, verdict=UNCHECKED, checked_by=NONE))
    with pytest.raises(InputError, match="checked_by is none, but verdict is verified"):
        store.set_verdicts([replace(GOOD, checked_by=NONE)])
    assert store.frame()["verdict"].to_list() == ["unchecked"]


@pytest.fixture
def loose(tmp_path):
    """A store of two records whose columns have no types."""
    path = tmp_path / "loose.db"
    with Store(path) as store:
        store.add(record_of(8))
        store.add(record_of(9))
        store.add_environment(environment.current())
        now = Conditions.now()
        store.add_session(Session("nqbench", now, now, 2, 1, 0.5))
    loosen(path, "records", "environments", "sessions")
    return path


STORED = {
    "n": ["8.5", "x'08'", "0"],
    "solve_s": ["'fast'", "9e999", "NULL"],
    "loading": ["'magic'"],
    "environment_id": ["NULL"],
    "seed": ["NULL"],
    "message": ["NULL", "CAST(x'fffe' AS TEXT)", "char(0)", "x'00ff'"],
    "queens": ["x'c1'", "x'91a161'", "'[1]'", "x'91cfffffffffffffffff'"],
    "measures": ["'[1]'", "'{'", "5", "'{\"n\": 1}'"],
    "run_id": ["NULL", "'x'", f"'{record_of(9).run_id}'"],
}


@pytest.mark.parametrize(("name", "value"), cases(STORED))
def test_a_bad_row_of_a_store_is_named_and_the_good_store_stays(nqbench, loose, name, value):
    good = loose.parent / "results" / "nqbench.db"
    with Store(good) as store:
        store.add(RECORD)
    before = files(good.parent)
    of = f"WHERE run_id = '{record_of(8).run_id}'"
    with database(loose) as db:
        db.execute(f'UPDATE records SET "{name}" = {value} {of}')
    for command in (["merge", loose], *([["summary", "--results", loose]] if name == "n" else [])):
        told = nqbench(*command)
        assert (told.returncode, told.stdout) == (2, ""), told
        (line,) = told.stderr.splitlines()
        assert "loose.db, " in line
        assert ("row " if name == "run_id" else f"record {record_of(8).run_id}: ") in line
        assert name in line or ("measure" in line and name == "measures")
        assert line.isprintable()
    assert files(good.parent) == before


@pytest.mark.parametrize(
    "script",
    [
        "UPDATE environments SET facts = NULL",
        "UPDATE environments SET facts = x'00'",
        "UPDATE environments SET facts = 5",
        "UPDATE environments SET facts = replace(facts, 'cpu_count\":', 'cpu_count\":-')",
        "UPDATE environments SET facts = replace(facts, 'Linux', 'Minix')",
        "UPDATE environments SET id = NULL",
        "UPDATE sessions SET facts = NULL",
        "UPDATE sessions SET started_at = 'now'",
        "UPDATE sessions SET facts = replace(facts, '\"runs\":', '\"runs\":-')",
        "UPDATE sessions SET facts = '[' || facts",
    ],
)
def test_bad_facts_of_a_store_are_named_and_the_good_store_stays(nqbench, loose, script):
    good = loose.parent / "results" / "nqbench.db"
    with Store(good) as store:
        store.add(RECORD)
    before = files(good.parent)
    with database(loose) as db:
        db.execute(script)
    told = nqbench("merge", loose)
    (line,) = told.stderr.splitlines()
    assert told.returncode == 2
    assert "loose.db: environment " in line or "loose.db: session " in line
    assert files(good.parent) == before


def test_the_facts_of_this_machine_are_admitted():
    here, now = environment.current(["numpy"]), Conditions.now()
    assert facts.environment(*facts.of_environment(here)) == here
    session = Session("nqbench " + "x" * 20_000, now, now, 1, 1, None)
    assert facts.session(*facts.of_session(session)) == session
    old = {k: v for k, v in msgspec.to_builtins(here).items() if k != "builds"}
    facts.environment(here.id, msgspec.json.encode(old).decode())


def test_an_id_of_another_run_is_refused(nqbench, tmp_path, store):
    store.add(record_of(8))
    other = tmp_path / "other.db"
    with Store(other) as opened:
        opened.add(replace(record_of(9), run_id=record_of(8).run_id))
    before = list(store.frame().iter_rows())
    told = nqbench("merge", other)
    assert (told.returncode, told.stderr) == (
        2,
        f"nqbench: other.db, record {record_of(8).run_id}: n is 9, but 8 in results/nqbench.db\n"
        .replace("other.db,", f"{other},"),
    )  # fmt: skip
    with pytest.raises(InputError, match="n is 9, but 8 in"):
        merge(store.path, [other])
    assert list(store.frame().iter_rows()) == before


def test_of_several_stores_all_are_merged_or_none(nqbench, tmp_path, loose):
    with Store(tmp_path / "fine.db") as store:
        store.add(RECORD)
    with database(loose) as db:
        db.execute("UPDATE records SET clauses = -1 WHERE n = 8")
    told = nqbench("merge", "fine.db", loose)
    assert told.returncode == 2
    assert not (tmp_path / "results").exists()
    old = tmp_path / "old" / "nqbench.db"
    old.parent.mkdir()
    with database(old) as db:
        db.executescript(FIRST_SCHEMA)
    before = files(old.parent)
    assert nqbench("merge", "fine.db", loose, "--results", "old").returncode == 2
    assert files(old.parent) == before
    assert nqbench("merge", "fine.db", "--results", "old").returncode == 0
    with Store(old) as store:
        assert len(store.frame()) == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("outcome = 'won'", "outcome is 'won', which is not allowed"),
        ("seed = NULL", "seed is missing"),
        ("queens = '[1,x]'", "queens is '[1,x]', which is not of type list of int"),
        ("answer = NULL", "answer is missing, but outcome is finished"),
        ("conflicts = 'many'", "conflicts is 'many', which is not of type int"),
        ("message = CAST(x'ff' AS TEXT)", r"message is b'\xff', which is not of type text"),
    ],
)
def test_a_bad_row_of_an_earlier_schema_is_named_and_its_file_stays(
    nqbench, tmp_path, change, said
):
    folder = tmp_path / "results"
    folder.mkdir()
    with database(folder / "nqbench.db") as db:
        db.executescript(FIRST_SCHEMA)
        db.execute(f"UPDATE records SET {change}")
    before = files(folder)
    for command in (["summary"], ["run", "--n", "4"], ["check"], ["report"]):
        told = nqbench(*command)
        assert told.returncode == 2
        assert told.stderr.splitlines()[-1] == (
            f"nqbench: results/nqbench.db, record {'01d' * 10}01: {said}"
        )
        assert files(folder) == before


EXPORTED = {
    "n": ["abc", 8.5, 10**20, 0, [8, 9]],
    "solve_s": ["fast", None, -1.0, [1.0, 2.0]],
    "outcome": ["won", 5, None],
    "queens": ["1 x", [1, 2.5], [1, None], [70]],
    "seed": [None, "", "x"],
    "message": [5, "x" * 20_000],
    "answer": ["unsat", None],
    "glue": ["abc"],
}


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
@pytest.mark.parametrize(("name", "value"), cases(EXPORTED))
def test_a_bad_row_of_an_export_is_named(tmp_path, kind, name, value):
    records = [record_of(n, measures={"glue": 0.5}) for n in (7, 8, 9)]
    rows = frame.of(records).to_dicts()
    rows[1][name] = value
    path = tmp_path / f"records.{kind}"
    if kind == "jsonl":
        path.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    else:
        cells = [[cell(each) for each in row.values()] for row in rows]
        path.write_text("\n".join(map(",".join, [rows[0], *cells])) + "\n")
    if (kind, name, value) == ("csv", "message", 5):
        assert sources.read(str(path))["message"].to_list()[1] == "5"  # a text of one digit
        return
    with pytest.raises(InputError) as caught:
        sources.read(str(path))
    assert str(caught.value).isprintable()
    assert caught.value.place == Place(str(path), field=f"record {records[1].run_id}")
    assert name in caught.value.reason


def cell(value):
    """A value as in a CSV file."""
    if isinstance(value, list):
        return " ".join(map(str, value))
    return "" if value is None else f'"{value}"'


@pytest.mark.parametrize("line", ["", "[]", "5", "{", '{"n": }', '{"n": 1} {}', "\udcff"])
def test_a_line_that_is_no_object_is_named(tmp_path, line):
    path = tmp_path / "records.jsonl"
    content = formats.to_jsonl(frame.of([GOOD])) + line.encode(errors="surrogateescape") + b"\n"
    path.write_bytes(content)
    if not line:
        assert len(sources.read(str(path))) == 1
        return
    with pytest.raises(InputError, match=r"records\.jsonl, line 2: not an object of JSON"):
        sources.read(str(path))


VALUES = [
    "NULL", "0", "-1", "1", "9223372036854775807", "-9223372036854775808", "9e999", "1e300", "0.5",
    "5e-324", "''", "'abc'", "x''", "x'90'", "x'91cd2710'", "zeroblob(9)", "char(27) || '[2J'",
    "char(10) || char(13)", "char(55296)", "'finished'", "'sat'", "'=1+1'", "'<b>&amp;'", "'a,b'",
    "'completion'", "'cnf'", "'{\"glue\": 1}'", "hex(zeroblob(4999))", "9007199254740992.0",
]  # fmt: skip
CAMPAIGN = (
    "--n", "4..9", "--encoding", "pairwise,product", "--backend", "minisat22,cadical195",
    "--repeat", 2, "--no-plots",
)  # fmt: skip


def test_with_what_is_accepted_every_command_works(nqbench, tmp_path):
    """A value of `VALUES` in each column: refused, or every command works with them."""
    assert nqbench("run", *CAMPAIGN).returncode == 0
    measured = tmp_path / "results" / "nqbench.db"
    with Store(measured, read_only=True) as store:
        ids = store.frame()["run_id"].to_list()
    shutil.copy(measured, tmp_path / "loose.db")
    loosen(tmp_path / "loose.db", "records")
    source = random.Random(1)
    accepted = []
    for name in [*COLUMNS, "measures"]:
        value = source.choice(VALUES)
        if is_merged(tmp_path, [(source.choice(ids), name, value)]):
            accepted.append((name, value))
    assert len(accepted) > 7
    source.shuffle(accepted)
    for start in range(0, len(accepted), len(ids)):
        some = accepted[start : start + len(ids)]
        changes = [(run_id, *change) for run_id, change in zip(ids, some, strict=False)]
        while changes and not is_merged(tmp_path, changes):
            changes.pop()  # two rows with one id
        every_command_works(nqbench, tmp_path, changes)


def is_merged(folder, changes):
    """Whether a store with these changes can be merged into an empty one, `folder/all`."""
    spoiled = folder / "spoiled.db"
    shutil.copy(folder / "loose.db", spoiled)
    with database(spoiled) as db:
        for run_id, name, value in changes:
            db.execute(f'UPDATE records SET "{name}" = {value} WHERE run_id = ?', [run_id])
    shutil.rmtree(folder / "all", ignore_errors=True)
    with Store(folder / "all" / "nqbench.db") as store:
        try:
            merge(store.path, [spoiled])
        except NqbenchError as error:
            said = str(error)
        else:
            return True
        assert said.startswith((f"{spoiled}: ", f"{spoiled}, "))
        assert said.isprintable()
        assert store.frame().is_empty()
    return False


COMMANDS = [
    ["summary", "--results", "all"],
    ["summary", "--results", "all", "--pairs"],
    ["summary", "--results", "all", "--metric", "total_s", "--json"],
    ["export", "--results", "all", "--format", "csv", "--output", "all.csv"],
    ["export", "--results", "all", "--format", "jsonl", "--output", "all.jsonl"],
    ["export", "--results", "all", "--format", "parquet", "--output", "all.parquet"],
    ["export", "--results", "all", "--format", "mkplot", "--output", "mkplot"],
    ["summary", "--results", "all.csv"],
    ["summary", "--results", "all.jsonl"],
    ["summary", "--results", "all.parquet"],
    *([["compare", "all", "results"]] if is_here("compare") else []),
    ["report", "--results", "all"],
    ["plot", "--results", "all"],
    ["check", "--results", "all"],
    ["run", *CAMPAIGN, "--give-up-after", 2, "--results", "all"],
    ["merge", "all/nqbench.db", "--results", "again"],
]


def every_command_works(nqbench, folder, changes):
    for command in COMMANDS:
        told = nqbench(*command)
        what = f"{command}: {told.stderr[-2000:]}\n{changes}"
        assert "Traceback" not in told.stderr, what
        assert told.returncode in (0, 1), what  # 1: answers are wrong or contradict each other
    shutil.rmtree(folder / "again")


def test_older_exports_of_formulas_have_no_size(tmp_path):
    table = frame.of([replace(GOOD, family="cnf", n=None, instance="f.cnf", queens=None)])
    path = tmp_path / "records.csv"
    path.write_bytes(formats.to_csv(table.with_columns(n=pl.lit(0, pl.Int64))))
    assert sources.read(str(path))["n"].to_list() == [None]


def test_other_problems_may_have_options_beyond_n_times_n():
    problem = Pigeonhole(4)
    record = replace(
        Record.of(replace(RUN, problem=problem), "here"),
        outcome=Outcome.FINISHED,
        answer=Answer.SAT,
        verdict=Verdict.REFUTED,
        checked_by=CheckedBy.RULES,
        solve_s=0.1,
        queens=[0, 17, 99],
    )
    assert integrity.flaw_of_record(record) is None
    frame.admitted(frame.of([record]), "file")
    refuted = replace(GOOD, verdict=Verdict.REFUTED, queens=[0, 65])
    assert integrity.flaw_of_record(refuted) is None
    frame.admitted(frame.of([refuted]), "file")
    assert Queens(8).n == 8
