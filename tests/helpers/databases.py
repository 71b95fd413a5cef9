"""SQLite files, read and damaged from outside."""

import sqlite3
from contextlib import closing, contextmanager

import polars as pl

from nqbench.records import formats


@contextmanager
def database(path, **options):
    """Open a database, and commit and close it at the end; `sqlite3` itself does not close it."""
    with closing(sqlite3.connect(path, **options)) as db, db:
        yield db


def loosen(path, *tables):
    """Leave the columns of these tables of a database without types."""
    with database(path) as db:
        for table in tables:
            db.execute(f"CREATE TABLE loose AS SELECT * FROM {table}")
            db.execute(f"DROP TABLE {table}")
            db.execute(f"ALTER TABLE loose RENAME TO {table}")


FIRST_SCHEMA = """
CREATE TABLE records (run_id TEXT, environment_id TEXT, family TEXT, n INTEGER, encoding TEXT,
encoding_version TEXT, backend TEXT, backend_version TEXT, time_limit_s REAL,
memory_limit_bytes INTEGER, seed INTEGER, repeat INTEGER, machine TEXT, harness TEXT,
started_at REAL, outcome TEXT, answer TEXT, verdict TEXT, checked_by TEXT, message TEXT,
queens TEXT, encode_s REAL, encode_cpu_s REAL, load_s REAL, load_cpu_s REAL, solve_s REAL,
solve_cpu_s REAL, decode_s REAL, decode_cpu_s REAL, verify_s REAL, verify_cpu_s REAL,
wall_s REAL, cpu_s REAL, peak_rss_bytes INTEGER, exit_status INTEGER, signal INTEGER,
variables INTEGER, clauses INTEGER, literals INTEGER, cnf_digest TEXT, rejected_models INTEGER,
conflicts INTEGER, decisions INTEGER, propagations INTEGER, restarts INTEGER,
PRIMARY KEY (run_id));
CREATE TABLE environments (id TEXT PRIMARY KEY, facts TEXT);
INSERT INTO records (run_id, environment_id, family, n, queens, cnf_digest, conflicts, encoding,
backend, machine, harness, solve_s, time_limit_s, memory_limit_bytes, seed, repeat, started_at,
outcome, answer, verdict, checked_by, message) VALUES ('01d01d01d01d01d01d01d01d01d01d01',
'0123456789abcdef', 'queens', 8, '[1,16]', 'abc', 7, 'pairwise', 'glucose4', 'a machine',
'nqbench 0.0.1', 0.1, 30, 4294967296, 0, 0, 1.0, 'finished', 'sat', 'verified', 'board', '');
PRAGMA user_version = 1;
"""


def files(folder):
    """The files directly in a folder, and when they were written."""
    return {
        path.name: (path.read_bytes(), path.stat().st_mtime_ns)
        for path in folder.iterdir()
        if path.is_file()
    }


def records(folder, what="*", where="1"):
    with database(folder / "results" / "nqbench.db") as db:
        return db.execute(f"SELECT {what} FROM records WHERE {where}").fetchall()


def exported(records):
    """A CSV file of these records, with what the gate wants to see besides times and sizes."""
    is_checked = (pl.col("outcome") == "finished") & (pl.col("verdict") != "unchecked")
    return formats.to_csv(
        records.with_columns(
            run_id=pl.Series([f"f{row:031x}" for row in range(len(records))]),
            verdict=pl.when(is_checked).then("verdict").otherwise(pl.lit("unchecked")),
            checked_by=pl.when(is_checked).then(pl.lit("board")).otherwise(pl.lit("none")),
        )
    )


FOREIGN = {
    "without a version": "CREATE TABLE users (name TEXT); INSERT INTO users VALUES ('Ada');",
    "with a version": "CREATE TABLE users (name TEXT); PRAGMA user_version = 3;",
    "of a later version": "CREATE TABLE users (name TEXT); PRAGMA user_version = 57;",
    "of a version without tables": "PRAGMA user_version = 1;",
    "with a log": "PRAGMA journal_mode = WAL; CREATE TABLE users (name TEXT);",
    "with tables that are called as ours": """
        CREATE TABLE records (artist TEXT); CREATE TABLE environments (name TEXT);
        PRAGMA user_version = 2;
    """,
}
