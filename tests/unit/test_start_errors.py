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


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mysat", "no program 'mysat' on the PATH; for the file in this folder write exe:./mysat"),
        ("mysat --fast {file}", "write exe:./mysat"),
        ("folder", "'folder' is a folder: name the program in it, as in exe:folder/NAME"),
        ("none", "no program 'none' on the PATH"),
        ("./plain", "is not executable; try: chmod +x HERE/plain"),
        ("./folder", "is a folder: name the program in it, as in exe:HERE/folder/NAME"),
        ("./MySAT", "no program 'HERE/MySAT': did you mean 'HERE/mysat'?"),
        ("./" + "x" * 300, "no program 'HERE/xxx"),
        ("/no/such/thing", "no program '/no/such/thing'"),
    ],
)
def test_a_path_without_a_program_is_explained(here, name, words):
    put(here / "plain", SOLVER, 0o644)
    put(here / "mysat", SOLVER)
    (here / "folder").mkdir()
    assert words.replace("HERE", str(here)) in said(f"exe:{name}")


def test_a_path_with_a_program_is_right(here):
    for name in ("mysat", "my,clasp"):
        put(here / name, SOLVER)
    assert said("exe:./mysat") is None
    assert said(rf"exe:{here}/my\,clasp") is None


OF_WINDOWS = ("has lines that end as on Windows", r"try: sed -i 's/\r$//' PATH")
NO_PROGRAM = ("a script needs a first line such as '#!/bin/sh'",)
SCRIPTS = {
    "lines of Windows": ("my.sh", SOLVER.replace("\n", "\r\n"), OF_WINDOWS),
    "lines of Windows after env": ("my.py", "#!/usr/bin/env python3\r\nprint()\r\n", OF_WINDOWS),
    "a missing interpreter": (
        "my.py", "#!/opt/none/python3\n", ("needs '/opt/none/python3'", "'exe:python3 PATH'")
    ),
    "a missing interpreter with an option": (
        "mysat", "#! /no/such/thing -x\n", ("needs '/no/such/thing'", "correct its first line")
    ),
    "not on the PATH": ("my.py", "#!/usr/bin/env python99\n", ("needs 'python99'",)),
    "not on the PATH, with -S": (
        "my.py", "#!/usr/bin/env -S A=1 python99 -u\n", ("needs 'python99'",)
    ),
    "no first line": ("mysat", SOLVER.partition("\n")[2], NO_PROGRAM),
    "other bytes": ("mysat", b"\1\2\0\3", NO_PROGRAM),
    "empty": ("mysat", "", NO_PROGRAM),
}  # fmt: skip
"""Name, content, and what is said."""


@pytest.mark.parametrize(("name", "content", "words"), SCRIPTS.values(), ids=SCRIPTS)
def test_a_file_that_does_not_start_is_explained(here, name, content, words):
    put(here / name, content)
    message = said(f"exe:./{name}")
    for word in words:
        assert word.replace("PATH", str(here / name)) in message


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
