"""Programs: the files that they are given, and what is read of what they print."""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from programs import needs

from nqbench import isolate
from nqbench.backends.program.backend import Executable
from nqbench.clauses.cnf import CNFBuilder
from nqbench.common.errors import NqbenchError
from nqbench.common.limits import Limits, PatientLimits
from nqbench.common.vocabulary import Answer, Outcome
from nqbench.isolate.streams import ByLine


def units(n):
    """A formula whose only model makes all n variables true."""
    builder = CNFBuilder(n)
    builder.add(np.arange(1, n + 1)[:, np.newaxis])
    return builder.build()


@pytest.fixture
def script(tmp_path):
    def write(text, interpreter="/bin/sh"):
        path = tmp_path / "solver"
        path.write_text(f"#!{interpreter}\n{text}\n")
        path.chmod(0o755)
        return f"exe:{path}"

    return write


def solved(name, n=3):
    solver = Executable(name).load(units(n))
    answer = solver.solve()
    if answer is Answer.SAT:
        assert solver.model().all()
    return answer, solver


WRAPPERS = {
    "a child": 'sh -c "cat $1 > /dev/null" && exec sh -c "cadical -q $1"',
    "by its suffix": 'case "$1" in *.cnf) exec cadical -q "$1";; esac; exit 1',
    "by its name in its folder": 'cd "$(dirname "$1")" && exec cadical -q "$(basename "$1")"',
    "a copy beside it": 'cp "$1" "$1.copy" && exec cadical -q "$1.copy"',
    "the resolved path": 'exec cadical -q "$(readlink -f "$1")"',
    "as input": 'exec cadical -q < "$1"',
    "a grandchild": '(exec sh -c "(cadical -q $1)"); exit $?',
}


@needs("cadical")
@pytest.mark.parametrize("wrapper", WRAPPERS.values(), ids=WRAPPERS)
def test_what_a_wrapper_starts_can_open_the_formula(script, wrapper):
    assert solved(script(wrapper))[0] is Answer.SAT


@needs("minisat")
def test_what_a_wrapper_starts_can_open_the_result(script):
    name = script('sh -c "minisat -verb=0 $1 $2" > /dev/null; exit 10')
    assert solved(f"{name} {{file}} {{result}}")[0] is Answer.SAT


@needs("z3")
def test_z3_answers_without_a_0_and_exits_with_0():
    answer, solver = solved("exe:z3 -dimacs")
    assert (answer, solver.note) == (Answer.SAT, "exit status 0 after the answer 'sat'")


@pytest.mark.parametrize(
    ("end", "note"),
    [
        ("exit 10", ""),
        ("exit 0", "exit status 0 after the answer 'sat'"),
        ("exit 58", "exit status 58 after the answer 'sat'"),
        ("kill -SEGV $$", "ended by signal SIGSEGV after the answer 'sat'"),
    ],
)
def test_a_whole_answer_counts_whatever_the_exit_status_which_is_noted(script, end, note):
    answer, solver = solved(script(f"echo s SATISFIABLE; echo v 1 2 3 0; {end}"))
    assert (answer, solver.note) == (Answer.SAT, note)


def test_a_status_without_an_answer_is_said_with_what_was_expected(script):
    with pytest.raises(NqbenchError) as error:
        solved(script("echo 'Error: no license' >&2; echo c hello; exit 3"))
    assert "no answer: expected 's SATISFIABLE'" in str(error.value)
    assert "exit status 3, last line 'Error: no license'" in str(error.value)


NOISY = """
import os, sys
model = " ".join(map(str, range(1, {n} + 1)))
answer = f"s SATISFIABLE\\nv {{model}} 0\\n".encode()
for at in range(0, len(answer), {size}):
    os.write(1, answer[at : at + {size}])
    os.write(2, {noise!r})
sys.exit(10)
"""


@pytest.mark.parametrize(
    ("size", "noise"),
    [(1, b"\nv -1 0\n"), (1, b"50 %"), (7, b"-1 2 0\n"), (7, b"s UNSATISFIABLE\n"),
     (4096, b"s UNSATISFIABLE\n"), (4096, b"\nv -1 0\n")],
)  # fmt: skip
def test_standard_error_is_no_part_of_the_answer(script, size, noise):
    n = 30 if size < 100 else 3000
    text = NOISY.format(n=n, size=size, noise=noise)
    assert solved(script(text, sys.executable), n)[0] is Answer.SAT


def test_a_log_has_whole_lines_of_both_streams(script):
    text = NOISY.format(n=3000, size=4096, noise=b"time: 0.01 s\n")
    backend = Executable(script(text, sys.executable))

    def run():
        solver = backend.load(units(3000))
        solver.show_output()
        return str(solver.solve()).encode()

    ending = isolate.call(run, Limits(time_s=20))
    assert ending.payload == b"sat"
    lines = ending.printed.splitlines()
    answer = [line for line in lines if line[:2] in (b"s ", b"v ")]
    assert answer[0] == b"s SATISFIABLE"
    assert len(answer[1].split()) == 3002
    assert lines.count(b"time: 0.01 s") == len(lines) - 2


def shown(*pieces):
    written = []
    log = ByLine(written.append)
    for stream, piece in pieces:
        log.add(stream, piece)
    log.release()
    return b"".join(written)


def test_pieces_come_in_order_but_not_inside_a_line():
    assert shown((1, b"a\n"), (2, b"x\n"), (1, b"b\n")) == b"a\nx\nb\n"
    assert shown((1, b"a"), (2, b"x\n"), (1, b"b\nc"), (1, b"d\n")) == b"ab\nx\ncd\n"
    assert shown((1, b"a"), (2, b"x"), (1, b"b\nc"), (2, b"y\n"), (1, b"d\n")) == b"ab\nxy\ncd\n"
    assert shown((1, b"a"), (2, b"x\n")) == b"ax\n"


def test_a_stream_that_waits_is_not_kept_for_ever():
    written = []
    log = ByLine(written.append)
    log.add(1, b"a")
    for _ in range(100):
        log.add(2, b"x" * 1000)
    assert len(b"".join(written)) > 60_000


def test_nothing_is_left_of_a_program_that_hangs(script, tmp_path):
    name = script(f'echo "$1" > {tmp_path}/path; sleep 60')
    backend = Executable(name)
    limits = PatientLimits(time_s=1.0)
    ending = isolate.call(lambda: str(backend.load(units(2)).solve()).encode(), limits)
    assert ending.outcome is Outcome.TIMEOUT
    path = Path((tmp_path / "path").read_text().strip())
    assert path.suffix == ".cnf"
    assert not path.exists()
    assert not path.parent.exists()


def test_nothing_is_left_if_nqbench_is_killed(script, tmp_path):
    name = script(
        'grep -q "^p cnf 2 2" "$1" && { echo s SATISFIABLE; echo v 1 2 0; exit 10; }\n'
        'case "$1" in *.cnf) ;; *) exit;; esac\n'
        f'echo "$1" > {tmp_path}/new; mv {tmp_path}/new {tmp_path}/path; sleep 60'
    )
    command = [sys.executable, "-m", "nqbench", "run", "--n", "4", "--backend", name]
    campaign = subprocess.Popen(
        [*command, "--encoding", "pairwise", "--no-plots", "--time-limit", "60s"],
        cwd=tmp_path,
        stderr=subprocess.DEVNULL,
    )
    assert awaited((tmp_path / "path").exists)
    path = Path((tmp_path / "path").read_text().strip())
    assert path.exists()
    campaign.kill()
    campaign.wait()
    assert awaited(lambda: not path.parent.exists())


def awaited(condition):
    """Whether this holds within 30 s."""
    for _ in range(600):
        if condition():
            return True
        time.sleep(0.05)
    return False


def test_a_formula_that_does_not_fit_into_memory_is_on_disk(script, monkeypatch):
    """As in a container with 64 MiB of shared memory."""
    from nqbench.backends.program import process

    written = process.constraint_files.write_text

    def full(formula, file):
        if str(file.name).startswith("/dev/shm"):
            raise OSError(28, "No space left on device")
        written(formula, file)

    monkeypatch.setattr(process.constraint_files, "write_text", full)
    assert solved(script("echo s SATISFIABLE; echo v 1 2 3 0; exit 10"))[0] is Answer.SAT


def test_a_model_that_leaves_the_formula_open_is_not_completed_by_a_guess(script):
    with pytest.raises(NqbenchError, match="the model leaves '3' open: print all literals"):
        solved(script("echo s SATISFIABLE; echo v 1 2 0; exit 10"))
