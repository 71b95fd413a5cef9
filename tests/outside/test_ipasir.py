"""Libraries with the IPASIR functions: a small one in C that the tests compile, and CaDiCaL."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
from places import DATA
from programs import needs

from nqbench import isolate
from nqbench.backends import direct, ipasir
from nqbench.backends.base import Backend
from nqbench.backends.permission import complete_backend_names
from nqbench.campaign import runner
from nqbench.campaign.grid import Campaign
from nqbench.clauses.cnf import CNF
from nqbench.common.errors import InputError, UnavailableError
from nqbench.common.limits import Limits, PatientLimits
from nqbench.common.vocabulary import Answer, Loading, Outcome, Task, Verdict
from nqbench.encodings.base import Encoding
from nqbench.plugins.availability import why_unavailable
from nqbench.problems.queens import Queens
from nqbench.testing import check_backend

SOURCE = DATA / "ipasir.c"
ARCHIVE = next(iter(sorted(Path("/usr/lib").glob("*/libcadical.a"))), None)
SOLUTIONS = {1: 1, 2: 0, 3: 0, 4: 2, 5: 10, 6: 4}
"""OEIS A000170."""

FAULTS = {
    "denies": ("solve", "int ipasir_solve(void *s) { return big(s) ? 20 : honest(s); }"),
    "lies": ("val", "int ipasir_val(void *s, int v) { return v; }"),
    "crashes": ("solve", "int ipasir_solve(void *s) { if (big(s)) abort(); return honest(s); }"),
    "hangs": ("solve", "int ipasir_solve(void *s) { while (big(s)) {} return honest(s); }"),
    "answers oddly": ("solve", "int ipasir_solve(void *s) { return big(s) ? 30 : honest(s); }"),
    "has odd values": ("val", "int ipasir_val(void *s, int v) { return big(s) ? 7 : v; }"),
    "gives up": ("solve", "int ipasir_solve(void *s) { return big(s) ? 0 : honest(s); }"),
    "fails the probe": ("solve", "int ipasir_solve(void *s) { return 20; }"),
    "crashes at once": ("release", "__attribute__((constructor)) void start(void) { abort(); }"),
    "lacks a function": ("failed", ""),
    "says nothing": ("signature", "const char *ipasir_signature(void) { return NULL; }"),
    "hangs when asked": ("signature", "const char *ipasir_signature(void) { for (;;); }"),
    "needs another": ("failed", "int other(void); int ipasir_failed(void *s, int v) {other();}"),
    "does not start": ("init", "void *ipasir_init(void) { return NULL; }"),
}
"""The function of the small solver that each replaces, which is then `honest`, and by what. `big`
is whether the solver has more than the two variables of the probe.
"""

pytestmark = needs("gcc")


def compiled(folder, *arguments):
    library = folder / "libsolver.so"
    subprocess.run(
        ["gcc", "-O1", "-w", "-shared", "-fPIC", *arguments, "-o", library], check=True, timeout=60
    )
    return library


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("library"), SOURCE)


@pytest.fixture
def faulty(tmp_path):
    def make(fault):
        function, replacement = FAULTS[fault]
        code = tmp_path / "faulty.c"
        code.write_text(
            f'#define ipasir_{function} honest\n#include "{SOURCE}"\n#undef ipasir_{function}\n'
            f"static int big(void *s) {{ return ((struct solver *)s)->variables > 2; }}\n"
            f"{replacement}\n"
        )
        return compiled(tmp_path, code)

    return make


def measured(path, problems, others=(), time_s=30.0, **options):
    campaign = Campaign(
        problems=problems,
        encodings=["pairwise"],
        backends=[f"ipasir:{path}", *others],
        repeat=1,
        limits=Limits(time_s=time_s),
        **options,
    )
    return runner.measured(campaign.runs())


def reason(path):
    return why_unavailable(Backend.named, f"ipasir:{path}")


def test_every_answer_is_right_and_the_version_has_the_signature(library):
    records = measured(library, [Queens(n) for n in SOLUTIONS])
    assert {r.n: r.answer for r in records} == {
        n: Answer.SAT if count else Answer.UNSAT for n, count in SOLUTIONS.items()
    }
    assert {r.verdict for r in records} == {Verdict.VERIFIED}
    (version,) = {r.backend_version for r in records}
    assert version.startswith(f"tiny-1.0 at {library}, ")


def test_all_solutions_are_found(library):
    records = measured(library, [Queens(n) for n in SOLUTIONS], task=Task.ALL)
    assert {r.n: r.solutions for r in records} == SOLUTIONS
    assert {r.verdict for r in records} == {Verdict.VERIFIED}


def test_it_passes_the_conformance_checks(library):
    check_backend(Backend.named(f"ipasir:{library}"))


def test_the_command_line_takes_a_path_in_the_current_folder(nqbench, tmp_path, library):
    (tmp_path / "lib.so").symlink_to(library)
    done = nqbench("solve", "--n", 4, "--backend", "ipasir:lib.so", "--all")
    assert (done.returncode, done.stderr) == (0, "2 solutions: verified by oracle\n")


@pytest.mark.parametrize("loading", Loading)
@pytest.mark.parametrize("encoding", ["pairwise", "product"])
def test_both_ways_of_loading_give_the_same_model(library, monkeypatch, loading, encoding):
    backend, cnf = Backend.named(f"ipasir:{library}"), Encoding.named(encoding).encode(Queens(6))
    usual = backend.load(cnf)
    monkeypatch.setattr(direct, "is_built", lambda: loading is Loading.DIRECT)
    solver = backend.load(cnf)
    assert solver.loading is loading
    assert usual.solve() is solver.solve() is Answer.SAT
    assert cnf.broken_by(solver.model()) is None
    assert solver.model().tolist() == usual.model().tolist()


def test_a_value_is_asked_for_only_if_the_variable_is_in_a_clause(library):
    """The library aborts otherwise."""
    cnf = CNF(6, 6, (np.array([[2]], np.int32), np.array([[-4, -2], [4, 5]], np.int32)))

    def models():
        solver = Backend.named(f"ipasir:{library}").load(cnf)
        assert solver.solve() is Answer.SAT
        first = solver.model()
        solver.add([6, -5])
        assert solver.solve() is Answer.SAT
        return first.tobytes() + solver.model().tobytes()

    ending = isolate.call(models, Limits(time_s=30))
    assert list(ending.payload) == [0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 1], ending.message


def test_another_build_is_another_version(tmp_path):
    versions = {
        Backend.named(f"ipasir:{compiled(tmp_path, SOURCE, level)}").version
        for level in ("-O0", "-O2")
    }
    assert len(versions) == 2


@pytest.mark.parametrize(
    ("fault", "outcome", "verdict", "message"),
    [
        ("denies", Outcome.FINISHED, Verdict.REFUTED, "queens n=6 has a solution"),
        ("lies", Outcome.FINISHED, Verdict.REFUTED, "share a row"),
        ("crashes", Outcome.CRASHED, Verdict.UNCHECKED, "SIGABRT"),
        ("hangs", Outcome.TIMEOUT, Verdict.UNCHECKED, ""),
        ("answers oddly", Outcome.CRASHED, Verdict.UNCHECKED, "ipasir_solve returned 30: expected"),
        ("has odd values", Outcome.CRASHED, Verdict.UNCHECKED, "ipasir_val(1) returned 7: expect"),
        ("gives up", Outcome.FINISHED, Verdict.UNCHECKED, ""),
    ],
)
def test_a_faulty_library_is_caught_and_the_campaign_goes_on(
    faulty, fault, outcome, verdict, message
):
    records = measured(faulty(fault), [Queens(6)], ["minisat22"], time_s=2.0)
    other, record = sorted(records, key=lambda r: r.backend != "minisat22")
    assert (record.outcome, record.verdict) == (outcome, verdict), record.message
    assert message in record.message
    assert other.verdict is Verdict.VERIFIED


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("lacks a function", "has no ipasir_failed: it is not an IPASIR library"),
        ("needs another", "cannot be loaded: undefined symbol: other"),
        ("fails the probe", "tiny-1.0 at "),
        ("crashes at once", "SIGABRT"),
        ("does not start", "ipasir_init returned no solver"),
    ],
)
def test_a_library_that_does_not_work_is_unavailable_with_one_reason(faulty, fault, message):
    path = faulty(fault)
    assert message in reason(path)
    (record,) = measured(path, [Queens(4)])
    assert (record.outcome, record.message) == (Outcome.UNAVAILABLE, reason(path))
    assert str(path) in record.backend_version


@pytest.mark.parametrize("fault", ["says nothing", "hangs when asked"])
def test_a_library_without_a_signature_is_known_by_its_file(faulty, fault, monkeypatch):
    monkeypatch.setattr(ipasir, "_ASKED", PatientLimits(time_s=0.5))
    path = faulty(fault)
    assert Backend.named(f"ipasir:{path}").version.startswith(f"libsolver.so at {path}, ")


def test_what_is_no_library_is_unavailable_with_one_reason(nqbench, tmp_path):
    script, folder, foreign = tmp_path / "script", tmp_path / "folder", tmp_path / "foreign"
    script.write_text("#!/bin/sh\n")
    folder.mkdir()
    foreign.write_bytes(b"\x7fELF\1\1\1" + bytes(100))
    assert reason(script) == f"'{script}' is not a shared object: link it with -shared"
    assert reason(folder) == f"no library '{folder}'"
    assert reason("/no/such.so") == "no library '/no/such.so'"
    assert reason(f"/{'x' * 300}").startswith("no library '/xxx")
    assert reason(foreign).startswith(f"'{foreign}' cannot be loaded: wrong ELF class")
    told = nqbench("run", "--n", 4, "--backend", f"ipasir:{script}")
    assert told.returncode == 2
    assert "link it with -shared" in told.stderr


def test_a_name_needs_a_path():
    bare = Backend.named("ipasir")
    assert (bare.needs_path, bare.version) == (True, None)
    assert why_unavailable(Backend.named, "ipasir") == "name a library: ipasir:PATH"
    with pytest.raises(UnavailableError, match="name a library"):
        bare.load(CNF(1, 1, ()))
    for name in ("ipasir:", "ipasir:a\nb"):
        with pytest.raises(InputError):
            Backend.named(name)
    assert Backend.named("IPASIR:/A/Lib.so").name == "ipasir:/A/Lib.so"
    assert not {"ipasir", "exe"} & set(complete_backend_names())


@pytest.mark.skipif(ARCHIVE is None, reason="no libcadical.a: apt install libcadical-dev")
def test_cadical_is_right_as_a_library(tmp_path):
    library = tmp_path / "libcadical.so"
    whole = ["-Wl,--whole-archive", ARCHIVE, "-Wl,--no-whole-archive"]
    subprocess.run(["g++", "-shared", "-o", library, *whole], check=True, timeout=60)
    check_backend(Backend.named(f"ipasir:{library}"))
    # Beside the same solver in PySAT's library.
    records = measured(library, [Queens(3), Queens(20)], ["cadical153"])
    assert {r.verdict for r in records} == {Verdict.VERIFIED}
    (version,) = {r.backend_version for r in records if r.backend != "cadical153"}
    assert version.startswith("cadical-")
