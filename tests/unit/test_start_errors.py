"""Programs that are not found or do not start: the message says what would work."""

import re
import struct
import subprocess
from pathlib import Path

import pytest

from nqbench.backends.base import Backend
from nqbench.backends.program.backend import Executable
from nqbench.common.errors import InputError, UnavailableError

SOLVER = '#!/bin/sh\necho "s SATISFIABLE\nv 1 2 0"\nexit 10\n'


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(path, content, mode=0o755):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    path.chmod(mode)


def said(name):
    """Why a program does not work; None if it does."""
    try:
        Executable(name).probe()
    except UnavailableError as error:
        return str(error)
    return None


def test_a_program_of_this_folder_needs_its_path(here):
    put(here / "mysat", SOLVER)
    (here / "folder").mkdir()
    assert said("exe:mysat") == (
        "no program 'mysat' on the PATH; for the file in this folder write exe:./mysat"
    )
    assert said("exe:mysat --fast {file}") == said("exe:mysat")
    assert (
        said("exe:folder") == "'folder' is a folder: name the program in it, as in exe:folder/NAME"
    )
    assert said("exe:none") == "no program 'none' on the PATH"
    assert said("exe:./mysat") is None


def test_a_path_without_a_program_is_explained(here):
    put(here / "plain", SOLVER, 0o644)
    put(here / "mysat", SOLVER)
    put(here / "my,clasp", SOLVER)
    (here / "folder").mkdir()
    assert said("exe:./plain") == f"'{here}/plain' is not executable; try: chmod +x {here}/plain"
    assert said("exe:./folder") == (
        f"'{here}/folder' is a folder: name the program in it, as in exe:{here}/folder/NAME"
    )
    assert said("exe:./MySAT") == f"no program '{here}/MySAT': did you mean '{here}/mysat'?"
    assert said(rf"exe:{here}/my\,clasp") is None
    assert said(f"exe:./{'x' * 300}").startswith(f"no program '{here}/xxx")
    assert said("exe:/no/such/thing") == "no program '/no/such/thing'"


NO_PROGRAM = (
    "cannot be started: Exec format error: a script needs a first line such as '#!/bin/sh', and a "
    "program has to be built for this machine"
)
SCRIPTS = {
    "lines of Windows": (
        "my.sh", SOLVER.replace("\n", "\r\n"),
        "has lines that end as on Windows; try: sed -i 's/\\r$//' {path}",
    ),
    "lines of Windows after env": (
        "my.py", "#!/usr/bin/env python3\r\nprint()\r\n",
        "has lines that end as on Windows; try: sed -i 's/\\r$//' {path}",
    ),
    "a missing interpreter": (
        "my.py", "#!/opt/none/python3\n",
        "needs '/opt/none/python3', which is not there: correct its first line, or write "
        "'exe:python3 {path}'",
    ),
    "a missing interpreter with an option": (
        "mysat", "#! /no/such/thing -x\n",
        "needs '/no/such/thing', which is not there: correct its first line",
    ),
    "not on the PATH": (
        "my.py", "#!/usr/bin/env python99\n",
        "needs 'python99', which is not there: correct its first line",
    ),
    "not on the PATH, with -S": (
        "my.py", "#!/usr/bin/env -S A=1 python99 -u\n",
        "needs 'python99', which is not there: correct its first line",
    ),
    "no first line": ("mysat", SOLVER.partition("\n")[2], NO_PROGRAM),
    "other bytes": ("mysat", b"\1\2\0\3", NO_PROGRAM),
    "empty": ("mysat", "", NO_PROGRAM),
}  # fmt: skip
"""Name, content, and what is said after the path."""


@pytest.mark.parametrize(("name", "content", "message"), SCRIPTS.values(), ids=SCRIPTS)
def test_a_file_that_does_not_start_is_explained(here, name, content, message):
    path = here / name
    put(path, content)
    assert said(f"exe:./{name}") == f"'{path}' {message.format(path=path)}"


@pytest.mark.parametrize("name", ["lines of Windows", "a missing interpreter"])
def test_what_is_advised_works(here, name):
    file, content, _ = SCRIPTS[name]
    if name == "a missing interpreter":
        content += 'print("s SATISFIABLE\\nv 1 2 0")\nraise SystemExit(10)\n'
    put(here / file, content)
    message = said(f"exe:./{file}")
    if command := re.search(r"try: (sed .*)$", message):
        subprocess.run(command[1], shell=True, check=True)
        assert said(f"exe:./{file}") is None
    else:
        assert said(re.search(r"write '(exe:.*)'$", message)[1]) is None


def program(**changed):
    """A program of this machine with other numbers in its header."""
    content = bytearray(Path("/bin/true").read_bytes())
    for name, value in changed.items():
        struct.pack_into("=H", content, {"kind": 16, "machine": 18}[name], value)
    return bytes(content)


def test_a_program_of_another_machine_is_explained(here):
    put(here / "mysat", program(machine=9999))
    assert said("exe:./mysat").endswith("and a program has to be built for this machine")
    content = bytearray(program())
    at = content.index(b"/lib")
    content[at : at + 5] = b"/bil6"
    put(here / "mysat", bytes(content))
    assert said("exe:./mysat").endswith(": its loader is not here: build it on this machine")


def test_a_program_that_starts_and_fails_is_not_called_broken(here):
    put(here / "mysat", "#!/bin/sh\nexit 3\n")
    with pytest.raises(Exception, match="no answer: expected 's SATISFIABLE'"):
        Executable("exe:./mysat").probe()


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("./mysat", "exe:./mysat"),
        ("mysat", "exe:./mysat"),
        ("mysat --fast", "exe:./mysat --fast"),
        ("/opt/kissat", "exe:/opt/kissat"),
        ("./libsat.so", "ipasir:./libsat.so"),
    ],
)
def test_a_path_as_a_backend_leads_to_the_form_with_a_prefix(here, name, written):
    put(here / "mysat", SOLVER)
    with pytest.raises(InputError, match=f"unknown backend '{name}': write '{written}' for this"):
        Backend.named(name)
