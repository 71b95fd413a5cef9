"""The compiler of a program, and whether it optimised: programs are compiled here."""

import os
import platform
import random
import struct
import subprocess
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import pytest
from code_compiled import compiled, source

from nqbench.machine.machine_code import MachineCode, examine

NAMES = {f"{name}_{number}" for number in range(10) for name in ("sift", "propagate", "parse")}


@pytest.fixture(scope="module")
def unoptimised(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("unoptimised"))


@pytest.mark.parametrize("flags", ["-O0", "-O2"])
def test_levels_on_aarch64(tmp_path, flags):
    assert examine(compiled(tmp_path, "aarch64-linux-gnu-gcc", flags)).is_optimised == (
        flags != "-O0"
    )


@pytest.mark.parametrize(
    "flags", ["-g -fstack-protector-all -fcf-protection=full", "-fsanitize=address"]
)
@pytest.mark.parametrize("level", ["-O0", "-Og"])
def test_other_flags_do_not_matter(tmp_path, level, flags):
    if platform.machine() != "x86_64":
        pytest.skip("has no -fcf-protection")
    assert examine(compiled(tmp_path, "gcc", f"{level} {flags}")).is_optimised == (level != "-O0")


@pytest.fixture(scope="module")
def optimised_part(tmp_path_factory):
    folder = tmp_path_factory.mktemp("optimised")
    (folder / "source.c").write_text(source(range(10, 50)))
    command = ["gcc", "-Og", "-w", "-fPIC", "-c", "source.c", "-o", "part.o"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "part.o"


def test_unoptimised_functions_in_a_larger_library_are_named(tmp_path, optimised_part):
    found = examine(compiled(tmp_path, flags=f"-O0 {optimised_part}"))
    assert found.is_optimised is False
    assert 0.1 < found.unoptimised_share < 0.6
    assert len(found.unoptimised) == 5
    assert set(found.unoptimised) <= NAMES


def test_one_small_function_does_not_count(tmp_path, optimised_part):
    found = examine(compiled(tmp_path, flags=f"-O0 {optimised_part}", source=source([0])))
    assert (found.is_optimised, found.unoptimised) == (True, ())


def test_stripped_programs_are_judged(unoptimised, tmp_path):
    command = ["strip", "-R", ".comment", "-o", "stripped.so", unoptimised]
    subprocess.run(command, cwd=tmp_path, check=True)
    found = examine(tmp_path / "stripped.so")
    assert (found.compiler, found.is_optimised) == (None, False)
    assert set(found.unoptimised) <= NAMES  # what is exported
    without_sections = bytearray(unoptimised.read_bytes())
    without_sections[60:62] = bytes(2)
    (tmp_path / "made.so").write_bytes(without_sections)
    bare = examine(tmp_path / "made.so")
    assert replace(bare, digest=found.digest) == replace(found, unoptimised=())


@pytest.mark.parametrize(("compiler", "name"), [("gcc", "GCC"), ("clang", "clang")])
def test_the_compiler_is_named(tmp_path, compiler, name):
    made = compiled(tmp_path, compiler, source="int one(void) { return 1; }")
    version = subprocess.run([compiler, "-dumpversion"], capture_output=True, text=True).stdout
    found = examine(made)
    assert f"{name} {version.strip()}" in found.compiler
    assert found.is_optimised is None  # too little code


def elf(code, machine=62, **segment):
    """A program of one segment with this code."""
    header = struct.pack(
        "<7s9xHHIQQQIHHHHHH", MAGIC, 2, machine, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0
    )
    fields = {"offset": 120, "address": 0x1000, "_": 0, "size": len(code)} | segment
    return header + struct.pack("<IIQQQQQQ", 1, 5, *fields.values(), 0, 0) + code


MAGIC = b"\x7fELF\2\1\1"


def test_other_files_cannot_be_judged(tmp_path, unoptimised):
    content = unoptimised.read_bytes()
    noise = random.Random(1).randbytes(2**17)
    files = {
        "script": b"#!/bin/sh\nexit 10\n",
        "empty": b"",
        "start": content[:100],
        "32-bit": content[:4] + b"\1" + content[5:],
        "packed": elf(noise),
        "little": elf(bytes(8000)),
        "other": elf(bytes(2**17), machine=243),
    }
    for name, held in files.items():
        (tmp_path / name).write_bytes(held)
    os.mkfifo(tmp_path / "pipe")
    for name in (*files, "pipe", "missing", "\0", "."):
        found = examine(tmp_path / name)
        assert replace(found, digest=None) == MachineCode(), name
        assert (found.digest is None) == (name not in {"packed", "little", "other"}), name
    (tmp_path / "enough").write_bytes(elf(bytes(2**17)))
    assert examine(tmp_path / "enough").is_optimised is True


def test_hostile_files_are_survived(tmp_path, unoptimised):
    content, chance = unoptimised.read_bytes(), random.Random(2)
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
        assert examine(tmp_path / field).unoptimised == ()


def test_names_cannot_write_to_the_terminal(tmp_path, unoptimised):
    content = (
        unoptimised.read_bytes().replace(b"GCC: (", b"\x1b[2J (").replace(b"parse_", b"par\x1b[0")
    )
    (tmp_path / "made.so").write_bytes(content)
    found = examine(tmp_path / "made.so")
    assert found.compiler.startswith("\\x1b[2J")
    assert all(name.isprintable() for name in found.unoptimised)


def shared_objects(distribution):
    files = metadata.files(distribution) or []
    return [Path(file.locate()) for file in files if ".so" in file.suffixes]


@pytest.mark.parametrize(
    "distribution", ["numpy", "pycryptosat", "polars", "python-sat", "ortools"]
)
def test_wheels_are_optimised(distribution):
    try:
        found = {path: examine(path) for path in shared_objects(distribution)}
    except metadata.PackageNotFoundError:
        pytest.skip(f"no {distribution}")
    for path, each in found.items():
        # The wheels of PySAT contain Lingeling without optimisation.
        named = {name for name in each.unoptimised if not name.startswith(("lgl", "druplig"))}
        assert each.is_optimised is not False or (each.unoptimised and not named), path
