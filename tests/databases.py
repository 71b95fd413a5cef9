"""SQLite files, read and damaged from outside."""

import sqlite3
from contextlib import closing, contextmanager


@contextmanager
def database(path, **options):
    """Open a database, and commit and close it at the end; `sqlite3` itself does not close it."""
    with closing(sqlite3.connect(path, **options)) as db, db:
        yield db
