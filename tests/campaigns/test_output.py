"""Logs: what runs print is kept on request, bounded and unchanged."""

import os
import pty
import random
import subprocess
import sys
import zlib

import pytest
from addons import needs_addon
from databases import database
from made_records import RECORD, RUN, ended, record_of

from nqbench.campaign import runner
from nqbench.campaign.executors.local import LocalExecutor
from nqbench.campaign.grid import Campaign
from nqbench.campaign.schedule import Schedule
from nqbench.common.errors import InputError, NqbenchError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Outcome
from nqbench.isolate import printed_output
from nqbench.isolate.printed_output import KEPT, Printed
from nqbench.measure import validation
from nqbench.problems.queens import Queens
from nqbench.records.merging import merge
from nqbench.records.store import Store

SOLVER = """#!{python} -u
import sys, time
if "--version" in sys.argv:
    sys.exit("solver 1.0")
formula = open(sys.argv[-1]).readline()
if not formula.startswith("p cnf 2 "):
    {prints}
print("s SATISFIABLE")
print("v 1 2 0" if formula.startswith("p cnf 2 ") else "v 1 0")
sys.exit(10)
"""
STRANGE = b"c \0 \x1b[2J \x07 \xff\xfe caf\xc3\xa9 \r\n"


@pytest.fixture
def solver(tmp_path):
    """Write a program that solves n = 1 and runs these statements before."""

    def write(prints):
        path = tmp_path / "solver"
        path.write_text(SOLVER.format(python=sys.executable, prints=prints))
        path.chmod(0o755)
        return f"exe:{path}"

    return write


def run_of(backend, n=1, **options):
    (run,) = Campaign(
        problems=[Queens(n)], encodings=["pairwise"], backends=[backend], repeat=1, **options
    ).runs()
    return run


def executed(run):
    """The record of a run, and its log."""
    with LocalExecutor([run]) as executor:
        (record,) = runner.records(Schedule([run]), executor)
    stored = executor.logs.get(run.id)
    return record, None if stored is None else printed_output.unpack_log(stored)


@pytest.mark.parametrize("size", [0, 1, KEPT, KEPT + 1, 2 * KEPT, 2 * KEPT + 1, 5 * KEPT])
def test_both_ends_are_kept_and_what_is_left_out_is_counted(size):
    content, printed, source = random.Random(size).randbytes(size), Printed(), random.Random(1)
    start = 0
    while start < size:
        end = start + source.randrange(1, 200_000)
        printed.add(content[start:end])
        start = end
    assert printed.size == size
    assert printed.end(2000) == content[-2000:]
    if size <= 2 * KEPT:
        assert printed.content() == content
        return
    line = f"\n[nqbench left out {size - 2 * KEPT} bytes]\n".encode()
    assert printed.content() == content[:KEPT] + line + content[-KEPT:]
    assert (
        printed_output.unpack_log(printed_output.pack_log(printed.content())) == printed.content()
    )
    assert len(printed_output.pack_log(printed.content())) <= printed_output.LARGEST * 1.001 + 1000


def test_a_log_is_what_the_program_printed_byte_for_byte(solver):
    backend = solver(f"sys.stdout.buffer.write({STRANGE!r}); print('to stderr', file=sys.stderr)")
    record, kept = executed(run_of(backend, keep_output=True))
    assert record.outcome is Outcome.FINISHED, record.message
    answer = b"s SATISFIABLE\nv 1 0\n"
    # The two streams come in the order in which they are read, but whole lines of each.
    assert kept in (STRANGE + b"to stderr\n" + answer, STRANGE + answer + b"to stderr\n")


def test_nothing_is_kept_unless_asked_for(solver):
    record, kept = executed(run_of(solver("print('c hello')"), measures=("x=(hello)",)))
    assert (record.outcome, kept) == (Outcome.FINISHED, None)


def test_a_library_that_prints_has_a_log(faulty_plugin):
    """From C and from Python, through buffers that the process would not have emptied."""
    record, kept = executed(run_of("hostile-prints", n=4, keep_output=True))
    assert record.outcome is Outcome.FINISHED, record.message
    assert kept == b"from Python\nfrom C\nand no end of line"


@pytest.mark.parametrize("backend", ["program", "library"])
def test_a_run_that_is_killed_keeps_what_it_had_printed(faulty_plugin, solver, backend):
    name, n = "hostile-prints-and-sleeps", 4
    if backend == "program":
        name, n = solver("print('from Python'); print('from C'); time.sleep(60)"), 1
    run = run_of(name, n, keep_output=True, measures=("seen=from (C)",), limits=Limits(time_s=2.0))
    record, kept = executed(run)
    assert record.outcome is Outcome.TIMEOUT
    assert kept.startswith(b"from Python\nfrom C\n")
    assert record.measures == {"seen": None}
    assert "measure 'seen' found 'C'" in record.message


def test_a_log_of_a_gigabyte_is_bounded_and_the_campaign_goes_on(nqbench, solver, tmp_path):
    backend = solver("for i in range(1024): sys.stdout.buffer.write(b'x' * 2**20)")
    campaign = ("--encoding", "pairwise", "--backend", backend, "--repeat", 1, "--keep-output")
    told = nqbench("run", "--n", 1, *campaign, "--memory-limit", "512MiB", "--no-plots")
    assert told.returncode == 1
    assert told.stderr.count("crash: ") == 1
    assert "printed more than 67108864 bytes" in told.stderr
    with Store(tmp_path / "results" / "nqbench.db", read_only=True) as store:
        (record,) = store.records(store.logs())
        kept = store.log(record.run_id)
    assert len(kept) <= printed_output.LARGEST
    assert kept.startswith(b"x" * KEPT + b"\n[nqbench left out ")
    assert kept.endswith(b"x" * KEPT)
    assert (tmp_path / "results" / "nqbench.db").stat().st_size < 2**20


def test_the_log_is_stored_listed_and_shown(nqbench, solver, tmp_path):
    backend = solver(f"sys.stdout.buffer.write({STRANGE!r})")
    campaign = ("run", "--n", 1, "--encoding", "pairwise", "--backend", backend, "--repeat", 1)
    without = nqbench(*campaign, "--no-plots")
    assert without.returncode == 0, without.stderr
    assert "no run has a log: measure with --keep-output" in nqbench("output").stderr
    # Whether the log is kept is not part of what a run is.
    again = nqbench(*campaign, "--keep-output", "--no-plots")
    assert "the run is recorded already; --fresh measures again" in again.stderr
    (run_id,) = run_ids(tmp_path)
    told = nqbench("output", run_id)
    assert (told.returncode, told.stderr.count("\n")) == (2, 1)
    assert "has no log: measure it again with --keep-output --fresh" in told.stderr
    nqbench(*campaign, "--keep-output", "--fresh", "--no-plots")
    assert run_id[:12] in nqbench("output").stdout
    for name in (run_id, run_id[:8], run_id.upper()):
        shown = nqbench("output", name, encoding="latin-1").stdout
        assert shown.encode("latin-1").startswith(STRANGE.replace(b"\r\n", b"\n"))
    nqbench(*campaign, "--fresh", "--no-plots")
    assert nqbench("output", run_id).returncode == 2  # the log was that of another record


def run_ids(folder):
    with Store(folder / "results" / "nqbench.db", read_only=True) as store:
        return store.frame()["run_id"].to_list()


@pytest.mark.parametrize("name", ["zz", "\x1b[2J", "'; DROP TABLE records"])
def test_an_id_that_no_run_has_is_refused_in_one_line(typed, tmp_path, name):
    with Store(tmp_path / "results" / "nqbench.db") as store:
        store.add(RECORD, printed_output.pack_log(b"hello"))
    told = typed("output", name)
    assert (told.returncode, told.stdout, told.stderr.count("\n")) == (2, "", 1)
    assert told.stderr.strip().isprintable()
    assert "is the start of no run" in told.stderr
    assert typed("output", RUN.id).stdout == "hello"


def test_a_start_that_several_runs_have_is_refused(tmp_path):
    with Store(tmp_path / "nqbench.db") as store:
        for n in range(20):
            store.add(record_of(4 + n), printed_output.pack_log(b"%d" % n))
        with pytest.raises(InputError, match="is the start of several runs, such as"):
            store.log("")


def test_a_terminal_gets_no_control_characters(tmp_path):
    with Store(tmp_path / "results" / "nqbench.db") as store:
        store.add(RECORD, printed_output.pack_log(STRANGE))
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "nqbench", "output", RUN.id]
    subprocess.run(command, stdout=theirs, cwd=tmp_path, check=True, timeout=60)
    os.close(theirs)
    shown = os.read(ours, 1000)
    os.close(ours)
    assert shown == b"c \\x00 \\x1b[2J \\x07 \xef\xbf\xbd\xef\xbf\xbd caf\xc3\xa9 \r\n"


def test_logs_are_merged_with_their_records(tmp_path):
    with Store(tmp_path / "theirs.db") as theirs:
        for n in (8, 9, 10):
            theirs.add(record_of(n), printed_output.pack_log(b"their log of %d" % n))
        theirs.add(record_of(11))
    with Store(tmp_path / "ours.db") as ours:
        ours.add(record_of(9), printed_output.pack_log(b"our log of 9"))
        ours.add(record_of(10))
        assert merge(ours.path, [tmp_path / "theirs.db"])[0][0] == 4
        every = ours.records(ours.frame()["run_id"])
        ids = {(each.n, each.merged_from is None): each.run_id for each in every}
        assert ours.log(ids[8, False]) == b"their log of 8"
        assert ours.log(ids[9, True]) == b"our log of 9"
        assert ours.log(ids[9, False]) == b"their log of 9"
        assert ours.log(ids[10, False]) == b"their log of 10"
        for which in ((10, True), (11, False)):  # a log belongs to the record that was made with it
            with pytest.raises(InputError, match="has no log"):
                ours.log(ids[which])
        assert merge(ours.path, [tmp_path / "theirs.db"])[0][0] == 0


def test_a_log_goes_with_its_record(tmp_path):
    with Store(tmp_path / "nqbench.db") as store:
        store.add(RECORD, printed_output.pack_log(b"first"))
        store.add(RECORD, printed_output.pack_log(b"second"))
        assert store.log(RUN.id) == b"second"
        store.add(ended(Outcome.SKIPPED))
        assert store.log(RUN.id) == b"second"
        store.add(RECORD)
        assert store.logs() == []


BAD = {
    "no zlib": b"hello",
    "cut": zlib.compress(b"hello")[:-3],
    "more behind": zlib.compress(b"hello") + b"x",
    "a bomb": zlib.compress(bytes(10**8)),
    "empty": b"",
}


@pytest.mark.parametrize("content", BAD.values(), ids=BAD)
def test_what_is_no_log_is_refused(typed, tmp_path, content):
    assert validation.flaw_of_log(content, run_of("minisat22", keep_output=True)) is not None
    path = tmp_path / "results" / "nqbench.db"
    with Store(path) as store:
        store.add(RECORD, printed_output.pack_log(b"hello"))
    with database(path) as db:
        db.execute("UPDATE outputs SET log = ?", [content])
    told = typed("output", RUN.id)
    assert (told.returncode, told.stderr.count("\n")) == (2, 1)
    assert "damaged log" in told.stderr
    with Store(tmp_path / "ours.db") as ours:
        with pytest.raises(NqbenchError, match="damaged log"):
            merge(ours.path, [path])
        assert ours.frame().is_empty()


def test_a_log_that_nobody_asked_for_is_refused():
    assert validation.flaw_of_log(printed_output.pack_log(b""), run_of("minisat22")) is not None
    assert (
        validation.flaw_of_log(printed_output.pack_log(b""), run_of("minisat22", keep_output=True))
        is None
    )


@needs_addon("dask")
def test_logs_travel_over_dask(nqbench, solver, tmp_path):
    backend = solver("print('c hello')")
    campaign = ("run", "--n", 1, "--encoding", "pairwise", "--backend", backend, "--repeat", 1)
    asked = ("--keep-output", "--measure", "x=hel(l)o|(1)", "--executor", "dask", "--no-plots")
    done = nqbench(*campaign, *asked)
    assert done.returncode == 0, done.stderr
    (run_id,) = run_ids(tmp_path)
    with Store(tmp_path / "results" / "nqbench.db", read_only=True) as store:
        assert store.log(run_id) == b"c hello\ns SATISFIABLE\nv 1 0\n"
        (record,) = store.records([run_id])
        assert record.measures == {"x": None}
