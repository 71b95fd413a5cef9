"""The compiler of a program, and the digest of its code: programs are compiled here."""

import os
import random
import re
import shutil
import struct
import subprocess

import pytest

from nqbench.common.machine.machine_code import MachineCode, examine

SOURCE = """
void sort(long *data, int size) {
    for (int gap = size / 2; gap > 0; gap /= 2)
        for (int i = gap; i < size; i++) {
            long moved = data[i];
            int j = i;
            for (; j >= gap && data[j - gap] > moved; j -= gap) data[j] = data[j - gap];
            data[j] = moved;
        }
}
"""


def compiled(folder, compiler="gcc", flags="-O0"):
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    (folder / "source.c").write_text(SOURCE)
    command = [compiler, *flags.split(), "-shared", "-fPIC", "-nostdlib", "source.c"]
    subprocess.run([*command, "-o", "made.so"], cwd=folder, check=True)
    return folder / "made.so"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("made"))


def test_a_file_without_sections_has_the_digest_of_its_segments(made, tmp_path):
    found = examine(made)
    without_sections = bytearray(made.read_bytes())
    without_sections[60:62] = bytes(2)
    (tmp_path / "made.so").write_bytes(without_sections)
    bare = examine(tmp_path / "made.so")
    assert bare.compiler is None
    assert re.fullmatch("[0-9a-f]{12}", bare.digest)
    command = ["strip", "-R", ".comment", "-o", "stripped.so", made]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert examine(tmp_path / "stripped.so") == MachineCode(None, found.digest)


def test_the_digest_is_that_of_the_code_and_not_of_its_folder(tmp_path):
    made = []
    for folder in ("one", "a folder with another name"):
        (tmp_path / folder).mkdir()
        made.append(compiled(tmp_path / folder, flags="-O2 -g"))
    one, other = map(examine, made)
    assert made[0].read_bytes() != made[1].read_bytes()
    assert one.digest == other.digest
    assert examine(compiled(tmp_path, flags="-O1 -g")).digest != one.digest


@pytest.mark.parametrize(("compiler", "name"), [("gcc", "GCC"), ("clang", "clang")])
def test_the_compiler_is_named(tmp_path, compiler, name):
    made = compiled(tmp_path, compiler)
    version = subprocess.run([compiler, "-dumpversion"], capture_output=True, text=True).stdout
    assert f"{name} {version.strip()}" in examine(made).compiler


def elf(code, machine=62, **segment):
    """A program of one segment with this code."""
    header = struct.pack(
        "<7s9xHHIQQQIHHHHHH", MAGIC, 2, machine, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0
    )
    fields = {"offset": 120, "address": 0x1000, "_": 0, "size": len(code)} | segment
    return header + struct.pack("<IIQQQQQQ", 1, 5, *fields.values(), 0, 0) + code


MAGIC = b"\x7fELF\2\1\1"


def test_other_files_have_no_digest(tmp_path, made):
    content = made.read_bytes()
    files = {
        "script": b"#!/bin/sh\nexit 10\n",
        "empty": b"",
        "start": content[:100],
        "32-bit": content[:4] + b"\1" + content[5:],
    }
    for name, held in files.items():
        (tmp_path / name).write_bytes(held)
    os.mkfifo(tmp_path / "pipe")
    for name in (*files, "pipe", "missing", "\0", "."):
        assert examine(tmp_path / name) == MachineCode(), name


def test_the_digest_is_of_the_code_on_every_architecture(tmp_path):
    for name, code, machine in (
        ("x86", b"1" * 9, 62),
        ("other", b"1" * 9, 243),
        ("more", b"2", 62),
    ):
        (tmp_path / name).write_bytes(elf(code, machine))
    found = {name: examine(tmp_path / name) for name in ("x86", "other", "more")}
    assert found["x86"] == found["other"] != found["more"]


def test_hostile_files_are_survived(tmp_path, made):
    content, chance = made.read_bytes(), random.Random(2)
    sections = int.from_bytes(content[40:48], "little")
    for _ in range(400):
        damaged = bytearray(
            content[: chance.choice([len(content), chance.randrange(len(content))])]
        )
        for _ in range(chance.randrange(1, 8)):
            at = chance.choice([chance.randrange(400), sections + chance.randrange(2000)])
            value = chance.choice([b"\0", b"\1", b"\x7f", b"\xff", b"\xff" * 8])
            if at + 8 < len(damaged):
                damaged[at : at + len(value)] = value
        (tmp_path / "damaged").write_bytes(damaged)
        assert isinstance(examine(tmp_path / "damaged"), MachineCode)
    for field in ("offset", "address", "size"):
        (tmp_path / field).write_bytes(elf(bytes(2**15), **{field: 2**64 - 1}))
        assert isinstance(examine(tmp_path / field), MachineCode)


def test_a_compiler_cannot_write_to_the_terminal(tmp_path, made):
    (tmp_path / "made.so").write_bytes(made.read_bytes().replace(b"GCC: (", b"\x1b[2J ("))
    assert examine(tmp_path / "made.so").compiler.startswith("\\x1b[2J")
