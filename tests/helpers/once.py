"""Folders that are made once in a session of tests, whichever of its workers needs them first."""

import fcntl
import os


def made_once(tmp_path_factory, name, make):
    """The folder of this name, after `make` has filled it. Other workers wait for that, and a
    `make` that fails is tried again by the next one.
    """
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    done = folder.with_suffix(".made")
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            folder.mkdir(exist_ok=True)
            make(folder)
            done.touch()
    return folder
