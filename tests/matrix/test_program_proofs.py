"""Proofs that programs write: how they are asked for, recognised and turned into DRAT."""

import sys
import tempfile

import pytest
from programs import needs
from proofs import numbers_of

from nqbench.backends.base import Backend
from nqbench.backends.program import proofs
from nqbench.backends.program.backend import Executable
from nqbench.checking.judge import Judge
from nqbench.checking.verify import ProofState
from nqbench.clauses.cnf import CNFBuilder
from nqbench.common.errors import NqbenchError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import CheckedBy, ProofForm, Verdict
from nqbench.encodings.base import Encoding
from nqbench.isolate import Isolation
from nqbench.measure.run_judge import certifier
from nqbench.problems.families.cnf import Formula
from nqbench.problems.families.pigeonhole import Pigeonhole

pytestmark = pytest.mark.usefixtures("called_directly")

CUBE = Formula("cube.cnf", "0" * 32)
PIGEONS = Encoding.named("pairwise").encode(Pigeonhole(5))

CLAUSES = [[a, b, c] for a in (1, -1) for b in (2, -2) for c in (3, -3)]
DRAT = [
    (True, [1, 2]),
    (True, [1, -2]),
    (True, [1]),
    (False, [1, 2]),
    (True, [-1, 2]),
    (True, [2]),
    (True, []),
]
"""A proof that there is no model of all clauses on three variables."""

LRAT = """9 1 2 0 1 2 0
10 1 -2 0 3 4 0
11 1 0 9 10 0
11 d 9 0
12 -1 2 0 5 6 0
13 2 0 11 12 0
14 0 13 11 8 7 0
"""
"""The same with numbers and hints."""


def cnf():
    builder = CNFBuilder(3)
    builder.add(CLAUSES)
    return builder.build()


def binary(steps):
    """Steps in a binary format: whether it adds, and the numbers before the last 0."""
    return b"".join((b"a" if adds else b"d") + numbers_of([*numbers, 0]) for adds, numbers in steps)


def lrat_steps():
    for line in LRAT.splitlines():
        words = line.split()
        adds = words[1] != "d"
        yield adds, list(map(int, words[:-1] if adds else words[2:-1]))


TEXT = "".join(
    ("" if adds else "d ") + " ".join(map(str, [*clause, 0])) + "\n" for adds, clause in DRAT
).encode()
PROOFS = {
    "DRAT as text": TEXT,
    "DRAT as text with CRLF": TEXT.replace(b"\n", b"\r\n"),
    "DRAT binary": binary(DRAT),
    "LRAT as text": LRAT.encode(),
    "LRAT binary": binary(lrat_steps()),
}
NONE = {
    "nothing": (b"", "it wrote no proof"),
    "no end": (TEXT[:-2], "without the empty clause"),
    "no end, binary": (binary(DRAT)[:-2], "without the empty clause"),
    "no end, LRAT": (LRAT[:40].encode(), "not in LRAT|without the empty clause"),
    "no end, LRAT binary": (binary(lrat_steps())[:30], "without the empty clause"),
    "FRAT": (b"o 1 1 2 3 0\na 9 1 2 0 l 1 2 0\n", "neither in DRAT nor in LRAT"),
    "a log": (b"c comment\ns UNSATISFIABLE\n", "neither in DRAT nor in LRAT"),
}


def in_drat(content, form=None):
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.flush()
        proofs.put_in_drat(file, cnf(), form)
        file.seek(0)
        return file.read()


@pytest.fixture
def program(tmp_path):
    """Write a program that says unsatisfiable, and writes these bytes to its second argument."""

    def write(content, name="solver"):
        path = tmp_path / name
        path.write_text(
            f"#!{sys.executable}\n"
            "import sys\n"
            "name = sys.argv[-1].rpartition('=')[2]\n"
            f"if name.endswith('.proof'): open(name, 'wb').write({content!r})\n"
            "print('s UNSATISFIABLE'); sys.exit(20)\n"
        )
        path.chmod(0o755)
        return path

    return write


def checked(name, formula):
    return certifier().proof(Executable(name), formula, Limits(time_s=20))


@pytest.mark.parametrize("content", PROOFS.values(), ids=PROOFS)
def test_a_proof_of_each_format_is_recognised_and_holds(program, content):
    path = program(content)
    proof = checked(f"exe:{path} {{file}} {{proof}}", cnf())
    assert (proof.state, proof.message) == (ProofState.CHECKED, "")


def test_what_lrat_deletes_is_deleted_in_drat():
    """A clause that needs its variable to be new follows only without the deleted ones."""
    assert b"d 1 2 0" in in_drat(LRAT.encode())
    assert in_drat(PROOFS["LRAT binary"]) == in_drat(LRAT.encode())
    assert in_drat(LRAT.replace("11 d 9 0", "11 d 1 9 0").encode()).count(b"d ") == 2


@pytest.mark.parametrize(("content", "message"), NONE.values(), ids=NONE)
def test_what_is_no_whole_proof_leaves_the_answer_to_the_judge(program, content, message):
    with pytest.raises(NqbenchError, match=message):
        in_drat(content)
    proof = checked(f"exe:{program(content)} {{cnf}} {{proof}}", cnf())
    assert proof.state is ProofState.NOT_CHECKED
    known = certifier().decide_formula(cnf(), Limits(time_s=20))
    assert known.satisfiable is False


@pytest.mark.parametrize("content", [b"0\n", b"4 0\n0\n", b"1 0\n0\n"])
def test_a_wrong_proof_of_a_program_does_not_refute_its_answer(program, content):
    """The file may be left from somewhere else: the judge's solver decides."""
    name = f"exe:{program(content)} {{file}} {{proof}}"
    proof = checked(name, cnf())
    assert proof.state is ProofState.NOT_CHECKED
    assert proof.message.startswith("proof not checked: it is wrong: ")
    checks = Judge(certifier(), Isolation()).check_unsat(
        CUBE, cnf(), Executable(name), owner=name, limits=Limits(time_s=20)
    )
    assert (checks.verdict, checks.checked_by) == (Verdict.VERIFIED, CheckedBy.PROOF)


def test_the_format_can_be_stated(program):
    path = program(LRAT.encode())
    assert checked(f"exe:{path} {{cnf}} {{proof:lrat}}", cnf()).state is ProofState.CHECKED
    assert in_drat(TEXT, ProofForm.DRAT) == TEXT


def test_a_run_writes_no_proof_and_a_proof_may_replace_the_file(tmp_path):
    path = tmp_path / "solver"
    path.write_text(
        f"#!{sys.executable}\n"
        "import os, sys\n"
        f"open({str(tmp_path / 'names')!r}, 'a').write(sys.argv[2] + chr(10))\n"
        "if sys.argv[2] != '--proof=/dev/null':\n"
        "    name = sys.argv[2].partition('=')[2]\n"
        f"    open(name + '.new', 'wb').write({TEXT!r})\n"
        "    os.rename(name + '.new', name)\n"
        "print('s UNSATISFIABLE'); sys.exit(20)\n"
    )
    path.chmod(0o755)
    name = f"exe:{path} {{file}} --proof={{proof}}"
    Executable(name).load(cnf()).solve()
    assert checked(name, cnf()).state is ProofState.CHECKED
    assert len((tmp_path / "names").read_text().splitlines()) == 2


@pytest.mark.parametrize(
    "command", ["cadical", "kissat", "exe:cadical -q", "exe:cadical {file} {proof}"]
)
@needs("cadical")
@needs("kissat")
def test_programs_known_by_name_prove_their_answers(command):
    backend = Backend.named(command)
    assert backend.capabilities.proof
    proof = certifier().proof(backend, PIGEONS, Limits(time_s=20))
    assert (proof.state, proof.message) == (ProofState.CHECKED, "")


@pytest.mark.parametrize("name", ["kissat-4.0", "cadical", "glucose_static"])
def test_a_program_that_only_has_a_known_name_is_asked_and_may_fail(program, name):
    path = program(b"", name)
    assert Executable(f"exe:{path}").capabilities.proof
    assert checked(f"exe:{path}", cnf()).state is ProofState.NOT_CHECKED


@pytest.mark.parametrize(
    "name", ["exe:cryptominisat5", "exe:minisat", "exe:./mine {file}", "exe:./cadical.sh"]
)
def test_others_have_no_proof(name):
    assert not Executable(name).capabilities.proof
