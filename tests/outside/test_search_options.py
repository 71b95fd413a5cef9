"""Options of solvers: each is one argument, and whatever it does, no verdict is wrong."""

from dataclasses import replace

import pytest
from measuring import measure
from programs import needs

from nqbench.backends.base import Backend
from nqbench.backends.program.backend import Executable
from nqbench.campaign.grid import Campaign
from nqbench.campaign.runner import measured
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import Answer, Verdict
from nqbench.measure.stored_run import pack_run, unpack_run
from nqbench.plugins.availability import why_rejected
from nqbench.problems.families.pigeonhole import Pigeonhole
from nqbench.problems.queens import Queens
from nqbench.records.record import IDENTITY, Record

OVERWRITING = (
    "minisat:opt.dimacs={file}",
    "cadical:opt.seed=1 -o {file}",
    "cadical:opt.seed=1 -o precious",
    "clasp:opt.lemma-out={file}",
    "kissat:opt.seed=1 --output=precious",
)
"""Names of backends that once overwrote a file by a path, or by a second argument."""

UNSAFE = (
    "", " ", "a b", "1 -o", "1\n2", "1\0", "1\t-o", "-o", "--o", "-", ".", "..", "/etc/passwd",
    "../x", "~/x", "a/b", ".bashrc", "$HOME", "`id`", "x;y", "'x'", "{cnf}", "{result}", "é",
    "\N{ARABIC-INDIC DIGIT ONE}",
)  # fmt: skip
"""Values that could be paths, or other arguments."""


@pytest.fixture
def precious(tmp_path):
    path = tmp_path / "precious"
    path.write_text("keep me")
    yield path
    assert path.read_text() == "keep me"


def refused(told, *words):
    """Check that the command line refused its input, in one line."""
    assert (told.returncode, told.stderr.count("\n")) == (2, 1), told
    assert all(word in told.stderr for word in words), told.stderr


@pytest.mark.parametrize("name", OVERWRITING)
def test_a_path_or_a_second_argument_is_refused_on_the_command_line(nqbench, precious, name):
    backend = name.format(file=precious)
    campaign = ("run", "--n", 5, "--encoding", "pairwise", "--backend", backend, "--no-plots")
    refused(nqbench(*campaign))
    refused(nqbench(*campaign, "--dry-run"))
    refused(nqbench("doctor", "--backend", backend))
    refused(nqbench("solve", "--n", 5, "--backend", backend))


@pytest.mark.parametrize("name", OVERWRITING)
def test_a_path_or_a_second_argument_is_refused_in_a_campaign_file(
    nqbench, precious, tmp_path, name
):
    backend = name.format(file=precious)
    campaign = tmp_path / "campaign.toml"
    campaign.write_text(
        f'[[campaign]]\nn = "5"\nencoding = ["pairwise"]\nbackend = ["{backend}"]\nrepeat = 1\n'
    )
    for more in ([], ["--dry-run"]):
        refused(nqbench("run", "campaign.toml", "--no-plots", *more), "campaign.toml, line 4: ")


def forged(store, record, backend):
    """Change the backend of a stored record and of its run, as anybody can who writes a store."""
    run = replace(unpack_run(store.unchecked_run(record.run_id), record), backend=backend)
    claimed = Record.of(run, record.environment_id)
    fake = replace(record, **{name: getattr(claimed, name) for name in IDENTITY})
    store.add(fake, run=pack_run(fake, run))


@needs("cadical")
@pytest.mark.parametrize(
    "name", ["cadical:opt.seed=1 -o {file}", "cadical:opt.o={file}", "cadical:opt.seed=1 -w {file}"]
)
def test_a_path_or_a_second_argument_is_refused_in_a_store(nqbench, store, precious, name):
    (record,) = measure(store, [Queens(6, "torus")], ["cadical195"])
    forged(store, record, name.format(file=precious))
    told = nqbench("check")
    assert told.returncode == 0, told.stderr
    assert "1 verified, 1 unchecked" in told.stdout
    assert "not checked: 'cadical:opt." in " ".join(told.stdout.split())


@pytest.mark.parametrize("value", UNSAFE)
@pytest.mark.parametrize("backend", ["cadical:opt.seed", "cadical195:opt.elim", "cp-sat:opt.name"])
def test_a_value_is_a_number_or_a_word_for_every_backend(backend, value):
    with pytest.raises(InputError, match=r"must be a number or a word|unknown parameter"):
        Backend.named(f"{backend}={value}")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("clasp:opt.restarts=x,100,1.5", ["--restarts=x,100,1.5"]),
        ("clasp:opt.sat-prepro=2,iter=20", ["--sat-prepro=2,iter=20"]),
        ("cadical:opt.elimboundmin=-1:seed=3", ["--seed=3", "--elimboundmin=-1"]),
        ("minisat:opt.luby=false:opt.rnd-freq=0.5", ["-no-luby", "-rnd-freq=0.5"]),
        ("picosat:seed=3:phase=true", ["-s", "3", "-i", "1"]),
    ],
)
def test_each_option_is_one_argument(name, words):
    backend = Backend.named(name)
    assert isinstance(backend, Executable)
    assert backend._words[-len(words) :] == words


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("minisat:opt.dimacs=written", marks=needs("minisat")),
        pytest.param("clasp:opt.lemma-out=written", marks=needs("clasp")),
        "cp-sat:opt.no_such_option=1",
    ],
)
def test_the_command_line_may_name_any_option_that_the_solver_takes(name, tmp_path, monkeypatch):
    """The solver itself says what it does not take; nqbench has no list."""
    monkeypatch.chdir(tmp_path)
    reason = why_rejected(Backend.named, name)
    assert (tmp_path / "written").exists() == ("written" in name)
    # MiniSat then gives no answer, clasp does.
    assert (reason is None) == name.startswith("clasp")


UNUSUAL = {
    "cadical": ("opt.quiet=1", "opt.binary=0"),
    "clasp": (
        "opt.models=0", "opt.enum-mode=cautious", "opt.solve-limit=1", "opt.compute=5",
        "opt.mode=1",
    ),
    "cryptominisat5": ("opt.maxsol=3", "opt.assump=1"),
    "kissat": ("opt.conflicts=1", "opt.time=1", "opt.quiet=1"),
    "minisat": ("opt.verb=0",),
}  # fmt: skip
"""Options that change the output, the question, the proof, or when the solver stops."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(f"{program}:{option}", marks=needs(program))
        for program, options in UNUSUAL.items()
        for option in options
    ],
)
def test_an_option_that_changes_what_is_printed_gives_no_wrong_verdict(name):
    """A limit of the solver gives `unknown`, and a model that is not whole is no answer."""
    for problem, answer in ((Queens(8), Answer.SAT), (Pigeonhole(4), Answer.UNSAT)):
        (record,) = measured(
            Campaign(problems=[problem], encodings=["pairwise"], backends=[name], repeat=1).runs()
        )
        assert record.verdict is not Verdict.REFUTED, record.message
        if record.verdict is Verdict.VERIFIED:
            assert record.answer is answer
        else:
            assert record.answer in (None, Answer.UNKNOWN)


@pytest.mark.parametrize("option", ["frat=1", "lrat=1", "veripb=1", "idrup=1", "binary=0"])
def test_the_library_of_cadical_keeps_the_format_of_its_proofs(option):
    """Its proof is begun before it is given options."""
    (record,) = measured(
        Campaign(
            problems=[Pigeonhole(5)],
            encodings=["pairwise"],
            backends=[f"cadical195:opt.{option}"],
            repeat=1,
        ).runs()
    )
    assert (record.verdict, record.message) == (
        Verdict.VERIFIED,
        "the solver's proof holds for its formula",
    )
