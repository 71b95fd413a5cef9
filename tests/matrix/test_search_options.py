"""Options of programs are data: they never name a file, and never become another argument."""

import re
import subprocess
from dataclasses import replace

import pytest
from measuring import measure
from programs import needs

from nqbench.backends import search_options
from nqbench.backends.base import Backend
from nqbench.backends.program import lookup
from nqbench.backends.program.backend import Executable
from nqbench.backends.program.flags import FLAGS
from nqbench.backends.search_options import SEARCH
from nqbench.common.errors import InputError
from nqbench.measure.kept import kept, unpacked
from nqbench.problems.queens import Queens
from nqbench.records.record import IDENTITY, Record

OVERWRITING = (
    "minisat:opt.dimacs={file}",
    "minisat:opt.dimacs=precious",
    "cadical:opt.seed=1 -o {file}",
    "cadical:opt.seed=1 -o precious",
    "cadical:opt.o=precious",
    "clasp:opt.lemma-out={file}",
    "clasp:opt.lemma-out=precious",
    "clasp:opt.lemma-o=precious",
    "cryptominisat5:opt.dumpresult=precious",
    "glucose:opt.certified-output=precious",
    "kissat:opt.seed=1 --output=precious",
)
"""Names of backends that once overwrote a file."""

ELSEWHERE = {
    "cadical": """
        binary build check checkassumptions checkconstraint checkfailed checkfrozen checkproof
        checkwitness colors config copyright default e force frat help idrup lidrup log lrat o plain
        profile quiet r realtime report reportall reportsolve sat stats strict terminateint time
        unsat verbose veripb version w witness
    """,
    "clasp": """
        acyc-prop backprop compute dlp-old-map dom-mod enum-mode eq eq-dfs fast-exit file
        forget-on-step hcc-out help lemma-in lemma-out lemma-out-dom lemma-out-lbd lemma-out-max
        lemma-out-txt loops mode models no-gamma no-ufs-check opt-heuristic opt-mode opt-strategy
        opt-usc-shrink out-atomf out-hide-aux out-ifs outf parallel-mode parse-ext parse-maxsat
        partial-check pre print-portfolio project quiet restart-on-model solve-limit
        stats supp-models tester text time-limit trans-ext verbose version
    """,
    "cryptominisat5": """
        assump cldatadumpratio clid debuglib detachverb drat dratdebug dumpirred dumpred dumpresult
        frat help hhelp input maxconfl maxdump maxsol maxtime nobansol onlysampling preproc
        preschedule printgatedot printimpldot printsol printtimes sampling schedule
        simdrat simfrat sql sqldb sqlitedb sqlitedboverwrite sqlpass sqlserver sqluser threads verb
        verballrestarts verbosity verbrestart verbstat version wsql zero-exit-status
    """,
    "glucose": """
        certified certified-output cpu-lim dimacs help help-verb mem-lim model vbyte verb vv
    """,
    "kissat": """
        build check color colors conflicts copyright decisions embedded flushproof force help id
        incremental log n no-binary o partial profile proof q quiet range relaxed statistics strict
        time verbose version
    """,
    "minisat": """
        assumptions cpu-lim dimacs drup-file help help-verb mem-lim opb proof verb
    """,
}
"""Options that write files, read settings, stop the search, or change what is printed."""

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
    assert not [each for each in tmp_path.iterdir() if each.suffix == ".dot"]


def refused(told, *words):
    """Check that the command line refused its input, in one line."""
    assert (told.returncode, told.stderr.count("\n")) == (2, 1), told
    assert all(word in told.stderr for word in words), told.stderr


@pytest.mark.parametrize("name", OVERWRITING)
def test_an_option_that_writes_is_refused_on_the_command_line(nqbench, precious, name):
    backend = name.format(file=precious)
    campaign = ("run", "--n", 5, "--encoding", "pairwise", "--backend", backend, "--no-plots")
    refused(nqbench(*campaign))
    refused(nqbench(*campaign, "--dry-run"))
    refused(nqbench("doctor", "--backend", backend))
    refused(nqbench("solve", "--n", 5, "--backend", backend))


@pytest.mark.parametrize("name", OVERWRITING)
def test_an_option_that_writes_is_refused_in_a_campaign_file(nqbench, precious, tmp_path, name):
    backend = name.format(file=precious)
    campaign = tmp_path / "campaign.toml"
    campaign.write_text(
        f'[[campaign]]\nn = "5"\nencoding = ["pairwise"]\nbackend = ["{backend}"]\nrepeat = 1\n'
    )
    for more in ([], ["--dry-run"]):
        refused(nqbench("run", "campaign.toml", "--no-plots", *more), "campaign.toml, line 4: ")


def forged(store, record, backend):
    """Change the backend of a stored record and of its run, as anybody can who writes a store."""
    run = replace(unpacked(store.unchecked_run(record.run_id), record), backend=backend)
    claimed = Record.of(run, record.environment_id)
    fake = replace(record, **{name: getattr(claimed, name) for name in IDENTITY})
    store.add(fake, run=kept(fake, run))


@needs("cadical")
@pytest.mark.parametrize(
    "name", ["cadical:opt.seed=1 -o {file}", "cadical:opt.o={file}", "cadical:opt.seed=1 -w {file}"]
)
def test_an_option_that_writes_is_refused_in_a_store(nqbench, store, precious, name):
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


@pytest.mark.parametrize("program_name", sorted(SEARCH))
def test_no_option_of_a_program_takes_a_path(program_name):
    for allowed in SEARCH[program_name].values():
        assert not [value for value in (*UNSAFE, "precious", "x.cnf", "nul") if value in allowed]


@pytest.mark.parametrize("value", ["1", "true", "1,auto", "settings"])
def test_a_configuration_of_clasp_is_no_file(value):
    with pytest.raises(InputError, match="must be one of auto, crafty"):
        Backend.named(f"clasp:opt.configuration={value}")
    assert Backend.named("clasp:opt.configuration=trendy")


def test_every_program_that_passes_options_on_has_a_list_of_them():
    assert set(SEARCH) == {name for name, flags in FLAGS.items() if flags.option}
    assert set(SEARCH) == set(ELSEWHERE)


@pytest.mark.parametrize("program_name", sorted(SEARCH))
def test_an_option_that_does_more_than_search_is_refused(program_name):
    """Some programs also accept the beginning of a name, if only one option begins so."""
    for other in ELSEWHERE[program_name].split():
        assert not [name for name in SEARCH[program_name] if other.startswith(name)], other
        for value in ("1", "true", "precious"):
            with pytest.raises(InputError, match="is not a search option"):
                search_options.check(program_name, {other: value})


def test_the_library_of_cryptominisat_is_given_only_options_of_its_search():
    """Among its options is one that writes files, by a number."""
    with pytest.raises(InputError, match="'printgatedot' is not a search option"):
        Backend.named("cryptominisat:opt.printgatedot=1")


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


NAMED: dict[str, tuple[str, str]] = {
    "cadical": ("--help", r"^ +--(\w+)=(?:bool|-?\d)"),
    "clasp": ("--help=3", r"^  --(?:\[no-\])?([\w-]+)"),
    "cryptominisat5": ("--hhelp", r"^ +(?:-\w \[ )?--([\w-]+)"),
    "kissat": ("--help", r"^ +--(\w+)="),
    "minisat": ("--help", r"^ +-([\w-]+)(?: +=|, -no-)"),
}
"""How each program lists its options."""


@pytest.mark.parametrize("name", [pytest.param(name, marks=needs(name)) for name in NAMED])
def test_the_list_has_the_options_of_the_installed_program(name):
    argument, pattern = NAMED[name]
    told = subprocess.run(
        [lookup.find(name), argument], capture_output=True, text=True, check=False, timeout=20
    )
    listed = set(re.findall(pattern, told.stdout + told.stderr, re.MULTILINE))
    assert len(listed) > 15
    unknown = listed - set(SEARCH[name]) - set(ELSEWHERE[name].split()) - {"restartprint"}
    assert not unknown, f"{name} has other options as well: do they only change the search?"


@pytest.mark.parametrize(
    "name", ["cp-sat:opt.output_drat_proof=true", "cp-sat-cover:opt.output_lrat_proof=true"]
)
def test_cp_sat_writes_no_proof(name):
    """It would be a file in /tmp, which may be a link that somebody else has put there."""
    with pytest.raises(InputError, match="proof' is not a search option"):
        Backend.named(name)


def test_the_library_of_cadical_keeps_the_format_of_its_proofs():
    with pytest.raises(InputError, match="'frat' is not a search option of cadical"):
        Backend.named("cadical195:opt.frat=1")
