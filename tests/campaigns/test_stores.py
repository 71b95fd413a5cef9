"""Commands on stores of others, and on those that may only be read."""

import multiprocessing
import shutil

import pytest
from addons import needs_addon
from databases import FIRST_SCHEMA, FOREIGN, database, files
from made_records import RECORD

from nqbench.records.store import Store


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["compare", "results", "results/nqbench.db"], marks=needs_addon("compare")),
        ["summary"],
        ["plot"],
        ["export", "--format", "conditions"],
        ["report"],
        ["merge", "results/nqbench.db", "--results", "all"],
        ["merge", "own.db"],
        ["run", "--n", "4", "--dry-run"],
        ["run", "--n", "4"],
    ],
    ids=" ".join,
)
def test_every_command_refuses_a_database_of_another_program(typed, tmp_path, command):
    folder = tmp_path / "results"
    folder.mkdir()
    with database(folder / "nqbench.db") as db:
        db.executescript(FOREIGN["without a version"])
    with Store(tmp_path / "own.db"):
        pass
    before = files(folder)
    refused = typed(*command)
    assert refused.returncode == 2
    said = "nqbench: results/nqbench.db is a database, but not a store of nqbench\n"
    assert refused.stderr == said
    assert files(folder) == before


@pytest.fixture
def protected(tmp_path, monkeypatch):
    """Read-only results folders, in which permissions apply even to root: of a campaign that has
    ended, of one that is in progress, of one that was killed, and of one of an earlier nqbench.
    """
    monkeypatch.setenv("WITHOUT_RIGHTS_OF_ROOT", "1")
    folders = [tmp_path / name for name in ("ended", "used", "killed", "earlier")]
    ended, used, killed, earlier = folders
    with Store(ended / "nqbench.db") as store:
        store.add(RECORD)
    earlier.mkdir()
    with database(earlier / "nqbench.db") as db:
        db.executescript(FIRST_SCHEMA)
    with Store(used / "nqbench.db") as store:
        store.add(RECORD)
        shutil.copytree(used, killed)
        for folder in folders:
            for file in folder.iterdir():
                file.chmod(0o444)
            folder.chmod(0o555)
        yield folders
        for folder in folders:
            folder.chmod(0o755)


@pytest.mark.parametrize(
    "command",
    [
        ["summary"],
        ["plot", "--kind", "phases", "--output", "written"],
        ["export", "--format", "conditions"],
        ["report", "--output", "written.html"],
        ["run", "--n", "4", "--dry-run"],
    ],
    ids=" ".join,
)
def test_every_reading_command_reads_what_may_only_be_read(nqbench, protected, command):
    ended, *_ = protected
    before = files(ended)
    done = nqbench(*command, "--results", ended)
    assert done.returncode == 0, done.stderr
    assert files(ended) == before


@needs_addon("compare")
def test_what_may_only_be_read_is_compared_and_merged(nqbench, protected):
    ended, *_ = protected
    before = files(ended)
    path = ended / "nqbench.db"
    same = nqbench("compare", ended, path)
    merged = nqbench("merge", path, "--results", "all")
    assert same.returncode == 0, same.stderr
    assert merged.returncode == 0, merged.stderr
    assert files(ended) == before


def create(paths, barrier):
    """Create these stores, each at the same moment as the other processes; fail if one cannot."""
    for path in paths:
        barrier.wait()
        Store(path).__exit__()


def test_processes_that_create_one_store_at_the_same_moment_share_it(tmp_path):
    """Without a lock, about one of twenty rounds fails: SQLite does not wait for a creation."""
    forking = multiprocessing.get_context("fork")
    paths = [tmp_path / str(attempt) / "nqbench.db" for attempt in range(60)]
    started = [
        forking.Process(target=create, args=(paths, barrier), daemon=True)
        for barrier in [forking.Barrier(4, timeout=60)]
        for _ in range(4)
    ]
    for each in started:
        each.start()
    for each in started:
        each.join()
    assert [each.exitcode for each in started] == [0] * 4


def test_a_store_that_may_only_be_read_is_read_in_every_state(nqbench, protected):
    for folder in protected:
        before = files(folder)
        arguments = ["export", "--results", folder, "--format", "csv"]
        read = nqbench(*arguments)
        assert (read.returncode, read.stderr) == (0, ""), folder.name
        assert read.stdout.count("\n") == 2
        assert files(folder) == before
    refused = nqbench("--n", "4", "--results", folder)
    assert refused.returncode == 2
    assert "readonly database" in refused.stderr


def test_a_log_that_cannot_be_read_is_one_message(nqbench, protected):
    _, _, killed, _ = protected
    killed.chmod(0o755)
    (killed / "nqbench.db-shm").unlink()
    killed.chmod(0o555)
    refused = nqbench("summary", "--results", killed)
    (line,) = refused.stderr.splitlines()
    assert refused.returncode == 2
    assert "nqbench.db-wal, which SQLite reads only where it can write: copy the folder" in line
