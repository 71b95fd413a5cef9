"""Private folders vanish with the process that made them."""

import os
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from nqbench import isolate
from nqbench.common.limits import PatientLimits
from nqbench.isolate import scratch


def made(end):
    """The path of a folder with a file that a process has made, which then ends in this way."""
    read, write = os.pipe()

    def function():
        folder = scratch.Folder()
        (folder.path / "formula.cnf").write_text("p cnf 0 0\n")
        os.write(write, str(folder.path).encode())
        end()
        return b""

    isolate.call(function, PatientLimits(time_s=0.5), keep=[write])
    os.close(write)
    with os.fdopen(read) as file:
        return Path(file.read())


def killed():
    os.kill(os.getpid(), signal.SIGKILL)


def hangs():
    signal.pause()


@pytest.mark.parametrize("end", [lambda: None, killed, hangs], ids=["ends", "killed", "hangs"])
def test_the_folder_of_a_process_vanishes_however_it_ends(end):
    path = made(end)
    assert path.name.startswith("nq-")
    assert not path.exists()


def test_a_folder_is_private_and_goes_with_its_object():
    folder = scratch.Folder()
    path = folder.path
    for each in (path, path.parent):
        assert stat.S_IMODE(each.stat().st_mode) == 0o700
    (path / "sub").mkdir()
    (path / "sub" / "file").write_text("x")
    scratch.sweep()
    assert path.exists()
    del folder
    assert not path.exists()


def test_a_folder_of_a_process_that_died_with_its_parent_is_swept_later():
    code = (
        "import os; from nqbench.isolate import scratch; f = scratch.Folder(on_disk=True);"
        "print(f.path, flush=True); os.kill(os.getpid(), 9)"
    )
    died = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    path = Path(died.stdout.strip())
    assert path.exists()
    scratch.sweep()
    assert not path.exists()
    assert not path.parent.exists() or list(path.parent.iterdir())


def test_a_forked_process_does_not_remove_the_folder_of_its_parent():
    folder = scratch.Folder()

    def function():
        nonlocal folder
        del folder
        scratch.sweep()
        return b""

    isolate.call(function, PatientLimits(time_s=5))
    assert folder.path.exists()


def test_a_full_disk_stops_no_call(monkeypatch):
    def full():
        raise FileNotFoundError("no usable temporary directory")

    monkeypatch.setattr(tempfile, "gettempdir", full)
    assert isolate.call(lambda: b"done", PatientLimits(time_s=5)).payload == b"done"
    assert scratch.Folder().path.exists() or not Path("/dev/shm").exists()


@pytest.mark.parametrize("trap", ["link", "file", "open to all"])
def test_a_home_that_another_user_could_have_made_is_not_used(monkeypatch, tmp_path, trap):
    """Somebody may put anything at this name in /tmp."""
    precious = tmp_path / "precious"
    (precious / "nq-1").mkdir(parents=True)
    base = tmp_path / "tmp"
    base.mkdir()
    home = base / f"nqbench-{os.getuid()}"
    if trap == "link":
        home.symlink_to(precious)
    elif trap == "file":
        home.write_text("x")
    else:
        home.mkdir()
        home.chmod(0o777)
        (home / "nq-1").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(base))
    folder = scratch.Folder(on_disk=True)
    assert folder.path.parent == base
    scratch.sweep()
    assert (precious / "nq-1").exists()
    assert trap != "open to all" or (home / "nq-1").exists()
    path = folder.path
    del folder
    assert not path.exists()
    assert base.exists()
