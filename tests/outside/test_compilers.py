"""Machine code from the compilers that are installed here."""

import subprocess

import pytest
from code_compiled import compiled, source

from nqbench.machine.machine_code import examine

UNOPTIMISED = ("-O0", "-O0 -fomit-frame-pointer")
OPTIMISED = ("-O1", "-O2", "-O3", "-Og", "-Os", "-O2 -fno-omit-frame-pointer")


@pytest.mark.parametrize("flags", UNOPTIMISED + OPTIMISED)
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_levels(tmp_path, compiler, flags):
    found = examine(compiled(tmp_path, compiler, flags))
    assert found.is_optimised == (flags in OPTIMISED)
    assert found.unoptimised_share > 0.8 if flags in UNOPTIMISED else not found.unoptimised_share


def test_the_digest_is_that_of_the_code_and_not_of_its_folder(tmp_path):
    made = []
    for folder in ("one", "a folder with another name"):
        (tmp_path / folder).mkdir()
        made.append(compiled(tmp_path / folder, flags="-O2 -g"))
    one, other = map(examine, made)
    assert made[0].read_bytes() != made[1].read_bytes()
    assert one.digest == other.digest
    assert examine(compiled(tmp_path, flags="-O1 -g")).digest != one.digest


def test_of_a_library_with_several_solvers_only_the_named_functions_are_judged(tmp_path):
    (tmp_path / "optimised.c").write_text(source(range(10, 30)))
    subprocess.run(["gcc", "-O2", "-w", "-fPIC", "-c", "optimised.c"], cwd=tmp_path, check=True)
    made = compiled(tmp_path, flags="-O0 optimised.o")
    functions = ("push", "sift", "bump", "propagate", "sort", "parse")
    fast = tuple(f"{name}_{number}" for name in functions for number in range(10, 30))
    slow = tuple(f"{name}_{digit}" for name in functions for digit in range(2, 10))
    assert [examine(made, each).is_optimised for each in ((), fast, slow)] == [False, True, False]
    assert examine(made, ("missing",)).is_optimised is None
