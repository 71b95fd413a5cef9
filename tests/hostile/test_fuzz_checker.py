"""Attacks on the checker of proofs: see `fuzz/fuzz.c`."""

import re
import subprocess
from pathlib import Path

import pytest

from nqbench.checking import proof

HERE = Path(__file__).parent
CHECKING = Path(proof.__file__).parent
SOURCES = [
    *sorted((CHECKING / "core").glob("[!m]*.c")),
    *sorted((CHECKING / "elaborate").glob("[!m]*.c")),
]
SECONDS = 1


@pytest.fixture(scope="module")
def fuzz(tmp_path_factory):
    """The program, with sanitizers for addresses and undefined behaviour."""
    program = tmp_path_factory.mktemp("fuzz") / "fuzz"
    flags = ["-O1", "-g", "-Wall", "-Wextra", "-Werror"]
    flags += ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    subprocess.run(["cc", *flags, "-o", program, HERE / "fuzz/fuzz.c", *SOURCES], check=True)
    return program


@pytest.mark.parametrize(("what", "least"), [("forged", 0), ("drat", 100)])
def test_no_proof_about_a_formula_with_a_model_is_accepted(fuzz, what, least):
    """And what the elaboration writes, of proofs that are right, is accepted by the core."""
    done = subprocess.run(
        [fuzz, what, str(SECONDS), "1"], capture_output=True, text=True, errors="replace"
    )
    assert done.returncode == 0, done.stderr[-3000:]
    tried, right = map(int, re.findall(r"\d+", done.stdout))
    assert tried >= 1000
    assert right >= least


def test_what_a_guided_search_found_is_no_proof(fuzz, tmp_path):
    """Each line is an input that reached code which no other one had reached."""
    lines = (HERE / "fuzz/corpus.txt").read_text().split()
    for number, line in enumerate(lines):
        (tmp_path / str(number)).write_bytes(bytes.fromhex(line))
    done = subprocess.run([fuzz, "files", *tmp_path.iterdir()], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.startswith(f"{len(lines)} proofs tried")
