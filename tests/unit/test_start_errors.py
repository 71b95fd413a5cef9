"""Programs that are not found or do not start: the message says what would work."""

import re
import struct
import subprocess
import sys
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
    put(here / "plain", SOLVER, 0o644)
    (here / "folder").mkdir()
    on_path = "no program '{}' on the PATH, but a "
    assert said("exe:mysat") == on_path.format("mysat") + "file in this folder: write exe:./mysat"
    assert said("exe:mysat --fast {file}") == said("exe:mysat")
    assert said("exe:plain") == (
        on_path.format("plain") + "file in this folder: chmod +x plain, then write exe:./plain"
    )
    assert said("exe:folder") == (
        on_path.format("folder")
        + "folder in this one: name the program in it, as in exe:./folder/NAME"
    )
    assert said("exe:none") == "no program 'none' on the PATH"
    assert said("exe:./mysat") is None
    (here / "plain").chmod(0o755)
    assert said("exe:./plain") is None


def test_a_path_without_a_program_is_explained(here):
    put(here / "plain", SOLVER, 0o644)
    put(here / "mysat", SOLVER)
    put(here / "my,clasp", SOLVER)
    (here / "folder").mkdir()
    (here / "link").symlink_to("nowhere")
    assert said("exe:./plain") == f"'{here}/plain' is not executable; try: chmod +x {here}/plain"
    assert said("exe:./folder") == (
        f"'{here}/folder' is a folder: name the program in it, as in exe:{here}/folder/NAME"
    )
    assert said("exe:./link") == f"'{here}/link' is a link to 'nowhere', which is not there"
    assert said("exe:./MySAT") == f"no program '{here}/MySAT': did you mean '{here}/mysat'?"
    assert said("exe:./my").endswith(f"; write exe:{here}/my\\,clasp if you mean 'my,clasp'")
    assert said(rf"exe:{here}/my\,clasp") is None
    assert said(f"exe:./{'x' * 300}").endswith(": File name too long")
    assert said("exe:/no/such/thing") == "no program '/no/such/thing'"


def test_a_program_on_the_path_that_is_not_executable_is_named(here, monkeypatch):
    (here / "bin").mkdir()
    put(here / "bin" / "mysat", SOLVER, 0o644)
    monkeypatch.setenv("PATH", f"{here}/bin", prepend=":")
    assert said("exe:mysat").endswith(f": '{here}/bin/mysat' is not executable; try: chmod +x "
                                      f"{here}/bin/mysat")  # fmt: skip


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
        "needs '/no/such/thing', which is not there: correct its first line, or write "
        "'exe:sh {path}'",
    ),
    "an interpreter that is a folder": (
        "mysat", "#!/usr\n",
        "needs '/usr', which is not executable: correct its first line, or write 'exe:sh {path}'",
    ),
    "not on the PATH": (
        "my.py", "#!/usr/bin/env python99\n",
        "needs 'python99', which is not on the PATH: correct its first line, or write "
        "'exe:python3 {path}'",
    ),
    "not on the PATH, with -S": (
        "my.py", "#!/usr/bin/env -S A=1 python99 -u\n",
        "needs 'python99', which is not on the PATH: correct its first line, or write "
        "'exe:python3 {path}'",
    ),
    "no name after #!": (
        "mysat", "#!\necho\n",
        "has no interpreter after '#!': write for instance '#!/bin/sh', or write 'exe:sh {path}'",
    ),
    "no first line": (
        "mysat", SOLVER.partition("\n")[2],
        "has no interpreter: write '#!/usr/bin/env sh' in its first line, or write "
        "'exe:sh {path}'",
    ),
    "no first line, in Python": (
        "my.py", 'print("s SATISFIABLE\\nv 1 2 0")\n',
        "has no interpreter: write '#!/usr/bin/env python3' in its first line, or write "
        "'exe:python3 {path}'",
    ),
    "a first line that is the second": (
        "mysat", "\n" + SOLVER,
        "has no interpreter: write '#!/usr/bin/env sh' in its first line, or write "
        "'exe:sh {path}'",
    ),
    "a byte order mark": (
        "mysat", "\ufeff" + SOLVER,
        "has a byte order mark before '#!'; try: sed -i '1s/^\\xef\\xbb\\xbf//' {path}",
    ),
    "empty": ("mysat", "", "is empty"),
    "for Windows": ("my.exe", b"MZ\x90\0", "is a program for Windows: build it here"),
    "for macOS": ("mysat", b"\xcf\xfa\xed\xfe\0", "is a program for macOS: build it here"),
    "a jar": (
        "sat4j.jar", b"PK\x03\x04\0",
        "is an archive: unpack it, or name what starts it, as in 'exe:java -jar {path}'",
    ),
    "packed": ("mysat.gz", b"\x1f\x8b\x08\0", "is packed: unpack it"),
    "other bytes": ("mysat", b"\1\2\0\3", "is no program for this system"),
}  # fmt: skip
"""Name, content, and what is said after the path."""


@pytest.mark.parametrize(("name", "content", "message"), SCRIPTS.values(), ids=SCRIPTS)
def test_a_file_that_does_not_start_is_explained(here, name, content, message):
    path = here / name
    put(path, content)
    assert said(f"exe:./{name}") == f"'{path}' {message.format(path=path)}"


@pytest.mark.parametrize("name", ["lines of Windows", "a byte order mark", "no first line"])
def test_what_is_advised_works(here, name):
    file, content, _ = SCRIPTS[name]
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
    others = {183: "AArch64", 62: "x86-64", 243: "RISC-V", 9999: "machine 9999"}
    own = struct.unpack_from("<H", Path(sys.executable).read_bytes()[:20], 18)[0]
    for machine, name in others.items():
        if machine != own:
            put(here / "mysat", program(machine=machine))
            assert f"is built for {name} (64 bits), not for " in said("exe:./mysat")
    put(here / "mysat", program(kind=1))
    assert said("exe:./mysat") == f"'{here}/mysat' is an object file: link it"
    content = bytearray(program())
    at = content.index(b"/lib")
    content[at : at + 5] = b"/bil6"
    put(here / "mysat", bytes(content))
    assert said("exe:./mysat").endswith(
        "which is not there: build it here, or link it with -static"
    )


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
