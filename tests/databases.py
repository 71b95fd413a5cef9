"""SQLite files, looked into and spoiled from outside."""

import sqlite3
from contextlib import closing, contextmanager


@contextmanager
def database(path, **options):
    """Committed and closed at the end; `sqlite3`'s own context manager does not close."""
    with closing(sqlite3.connect(path, **options)) as db, db:
        yield db
