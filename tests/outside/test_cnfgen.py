"""Formulas of CNFgen: what theory knows of them, runs, and commands that must not do harm."""

import sys
from collections import Counter

import pytest
from cnfgen.clitools.cmdline import CLIError
from cnfgen.clitools.cnfgen import cli
from pysat.formula import CNF
from pysat.solvers import Solver

import nqbench as package
from nqbench.common.errors import InputError
from nqbench.common.limits import PatientLimits
from nqbench.encodings.base import Encoding
from nqbench.problems.families import cnfgen as family
from nqbench.problems.families.cnfgen import LONGEST, Generated, made_by, parsed, satisfiable
from nqbench.records.store import Store

SQUARES = [(0, 0), (1, 0), (0, 1), (1, 1), (2, 1), (1, 2), (2, 2), (3, 2), (2, 3), (3, 3), (4, 3)]
OF_NUMBERS = {1: [(n,) for n in range(7)], 2: SQUARES}

# For patterns whose formulas would be too large, or that have other parameters.
EXAMPLES = {
    "tseitin #": [(5,), (8,)],
    "tseitin # #": [(4, 2), (6, 2), (6, 3), (8, 3), (3, 2)],
    "randkcnf # # # --plant": [(3, 8, 60), (2, 6, 20)],
}


def filled(pattern, numbers):
    rest = iter(numbers)
    return " ".join(str(next(rest)) if word == "#" else word for word in pattern.split())


def solved(text):
    """What a solver answers; None if CNFgen has no formula with these parameters."""
    try:
        made = cli(["cnfgen", *parsed(text).arguments], mode="string")
    except CLIError:
        return None
    with Solver("cadical195", bootstrap_with=CNF(from_string=made)) as solver:
        return False if "\n0" in f"\n{made}" else solver.solve()


@pytest.mark.parametrize("pattern", family._KNOWN)
def test_what_theory_knows_is_what_a_solver_finds(pattern):
    parameters = EXAMPLES.get(pattern) or OF_NUMBERS[pattern.count("#")]
    found = {text: solved(text) for numbers in parameters for text in [filled(pattern, numbers)]}
    claims = {text: satisfiable(parsed(text)) for text in found}
    both = {text for text in found if found[text] is not None and claims[text] is not None}
    assert both
    assert {text: found[text] for text in both} == {text: claims[text] for text in both}


@pytest.mark.parametrize("words", [t.split() for t in (
    "anybut 2 1", "atleast 3 2", "atmost 2 1", "eq 2", "exact 3 2", "flip", "ite", "lift 2",
    "maj 3", "majcomp 12 3", "neq 2", "none", "one 2", "or 2", "shuffle", "xor 2", "xorcomp 12 3",
)])  # fmt: skip
@pytest.mark.parametrize("formula", ["php 3 2", "php 2 2", "parity 3", "parity 4"])
def test_what_theory_knows_of_transformations_is_what_a_solver_finds(formula, words):
    text = f"{formula} -T {' '.join(words)}"
    claim, found = satisfiable(parsed(text)), solved(text)
    assert found is not None
    assert claim in {None, found}
    assert claim is not None or formula in {"php 2 2", "parity 4"}


@pytest.mark.parametrize("text", [
    "randkcnf 3 20 80", "tseitin random grid 3 3", "ram 3 3 5", "op 6 3 --plant", "php 3",
    "nosuch 3",
    "pitfall 6 3 4 2 2", "php 4.5 3", "php -1 3", "ram 0 0 0", "php 3 3 -T maj 3",
])  # fmt: skip
def test_without_a_theorem_nothing_is_claimed(text):
    assert satisfiable(parsed(text)) is (False if text == "php 3" else None)


@pytest.mark.parametrize(("text", "normal"), [
    ("  php  8 7 ", "php 8 7"),
    ("'php' 8 \"7\"", "php 8 7"),
    ("php 8 7 -T xor 2 -T shuffle", "php 8 7 -T xor 2 -T shuffle"),
    ("randkcnf 3 9 30 --seed 4", "--seed 4 randkcnf 3 9 30"),
    ("-S 4 randkcnf 3 9 30", "--seed 4 randkcnf 3 9 30"),
    ("--seed 1 php 8 7", "php 8 7"),
    ("subgraph -G grid 4 4 -H complete 3", "subgraph -G grid 4 4 -H complete 3"),
])  # fmt: skip
def test_a_command_has_one_spelling(text, normal):
    assert str(parsed(text)) == normal
    assert parsed(normal) == parsed(text)


REFUSED = {
    "": "the formula is missing",
    "php 8 7 -T": "the formula is missing",
    "php '8": "No closing quotation",
    "php; rm -rf x": "'php;' is not a formula",
    "--output x php 3 2": "'--output' is not a formula",
    "-o x php 3 2": "'-o' is not a formula",
    "php 3 2 -o x": "'-o' is not a number",
    "php 3 2 --outp=x": "'--outp=x' is not a number",
    "php 3 2 -ox": "'-ox' is not a number",
    "php 3 2 > x": "'>' is not a number",
    "php 3 2 $(touch x)": "'$(touch' is not a number",
    "php 3 2 --latex": "'--latex' is not a number",
    "kcolor 3 grid 3 3 save x.dot": "'save' is not a number",
    "kcolor 3 grid 3 3 save gml x": "'save' is not a number",
    "kcolor 3 x.dot": "'x.dot' is not a number",
    "kcolor 3 dot -": "'dot' is not a number",
    "kcolor 3 complet 4": "did you mean 'complete'?",
    "dimacs a.cnf": "measure a formula in a file with --cnf",
    "kcolor 3 gnd 10 4": "CNFgen draws 'gnd' without its seed",
    "php 3 2 -T xorcomp glrd 6 4 2": "CNFgen draws 'glrd' without its seed",
    "--seed 0 php 3 2": "write --seed once, with a whole number from 1",
    "--seed -1 php 3 2": "write --seed once",
    "php 3 2 --seed": "write --seed once",
    "--seed 1 --seed 2 php 3 2": "write --seed once",
    "php 3 2\nphp": "is not printable",
    "php 3 \x1b[2J": "is not printable",
    "php " + "8 " * LONGEST: f"is longer than {LONGEST} characters",
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_command_with_files_or_other_options_is_refused(text):
    with pytest.raises(InputError) as caught:
        parsed(text)
    assert REFUSED[text] in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("phpp 8 7", "CNFgen 'phpp 8 7': argument <formula>: 'phpp' is an invalid choice: see"),
        ("php 8 7 6 5", "too many arguments for php formula: see `cnfgen --help`"),
        ("tseitin 5 3", "There are no 3-regular graphs with 5 vertices"),
        ("php 3 2 -T nosuch", "'nosuch' is an invalid choice"),
        ("php 3 2 -o x", "'-o' is not a number"),
    ],
)
def test_a_wrong_command_is_one_line_and_writes_nothing(nqbench, tmp_path, text, message):
    result = nqbench("run", "--cnfgen", text, "--backend", "minisat22")
    assert (result.returncode, result.stdout) == (2, "")
    assert Counter(result.stderr)["\n"] == 1
    assert message in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", [
    "tseitin 12 3", "op 6 3", "subsetcard 8", "php 5 4 3", "randkcnf 3 20 80", "randkxor 3 9 8",
    "stone 4 tree 2 --sparse 3", "pitfall 8 4 6 5 2", "php 4 3 -T shuffle",
    "php 4 3 -T xorcomp 9 3", "tseitin randomodd grid 3 3",
])  # fmt: skip
def test_a_random_formula_is_the_same_at_each_call(text):
    (one,) = package.cnfgen(text)
    assert one.content() == made_by(parsed(text))


def test_another_seed_makes_another_formula():
    one, other, same = package.cnfgen(*(f"randkcnf 3 20 80 --seed {s}" for s in (1, 2, 1)))
    assert one.digest != other.digest
    assert one == same


def records(tmp_path):
    with Store(tmp_path / "results" / "nqbench.db") as store:
        return store.frame()


def test_formulas_by_name_are_measured_and_checked(nqbench, tmp_path):
    command = [
        *("run", "--cnfgen", "php 6 5", "--cnfgen", "php 5 5", "--cnfgen", "randkcnf 3 9 90"),
        *("--backend", "cadical195,minisat22", "--repeat", 1, "--no-plots"),
    ]
    planned = nqbench(*command, "--dry-run")
    assert "6 runs: 3 formulas x 2 combinations" in planned.stdout
    assert list(tmp_path.iterdir()) == []
    assert nqbench(*command).returncode == 0
    columns = ("instance", "backend", "answer", "verdict", "checked_by")
    rows = records(tmp_path).select(*columns).rows()
    assert sorted(rows) == [
        ("php 5 5", "cadical195", "sat", "verified", "clauses"),
        ("php 5 5", "minisat22", "sat", "verified", "clauses"),
        ("php 6 5", "cadical195", "unsat", "verified", "proof"),
        ("php 6 5", "minisat22", "unsat", "verified", "theorem"),
        ("randkcnf 3 9 90", "cadical195", "unsat", "verified", "proof"),
        ("randkcnf 3 9 90", "minisat22", "unsat", "verified", "proof"),
    ]
    frame = records(tmp_path)
    assert frame.select("family", "n", "encoding").unique().rows() == [("cnfgen", None, "file")]
    assert "all 6 runs are recorded already" in nqbench(*command).stderr


@pytest.mark.parametrize(
    ("backend", "checked_by", "message"),
    [
        ("faulty-liar-unsat", "theorem", "'unsat', but php 4 4 has a model"),
        ("faulty-liar-sat", "clauses", "the model falsifies the clause"),
    ],
)
def test_who_lies_about_a_known_formula_is_caught(nqbench, tmp_path, backend, checked_by, message):
    command = ["run", "--cnfgen", "php 4 4", "--backend", backend, "--no-plots", "--repeat", 1]
    assert nqbench(*command).returncode == 1
    (row,) = records(tmp_path).iter_rows(named=True)
    assert (row["verdict"], row["checked_by"]) == ("refuted", checked_by)
    assert message in row["message"]


def test_a_campaign_file_names_formulas(nqbench, tmp_path):
    campaign = tmp_path / "own.toml"
    text = 'repeat = 1\nbackend = ["minisat22"]\n[[campaign]]\ncnfgen = ["php 4 3", "{}"]\n'
    campaign.write_text(text.format("parity 5"))
    result = nqbench("run", campaign, "--no-plots")
    assert result.returncode == 0
    assert sorted(records(tmp_path)["instance"]) == ["parity 5", "php 4 3"]
    refused = nqbench("run", campaign, "--cnfgen", "php 3 2")
    assert "--cnfgen says what is measured" in refused.stderr
    campaign.write_text(text.format("kcolor 3 x.dot"))
    wrong = nqbench("run", campaign)
    assert wrong.returncode == 2
    assert "own.toml, line 4: CNFgen 'kcolor 3 x.dot'" in wrong.stderr


def test_formulas_from_python():
    frame = package.run(package.cnfgen("php 4 3", "or 2 1"), backends="minisat22", repeat=1)
    assert dict(frame.select("instance", "answer").rows()) == {"php 4 3": "unsat", "or 2 1": "sat"}
    assert set(frame["verdict"]) == {"verified"}


def test_a_formula_that_changes_after_it_was_planned_is_not_measured():
    planned = Generated("php 3 2", "0" * 32)
    with pytest.raises(InputError, match="CNFgen 'php 3 2': changed since the campaign was plan"):
        planned.content()


@pytest.fixture
def only(monkeypatch, tmp_path):
    """Installs this script as the only CNFgen."""
    monkeypatch.setattr(family.install, "script", lambda *_: None)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")

    def install(script):
        path = tmp_path / "cnfgen"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    return install


def test_without_cnfgen_the_message_says_how_to_install_it(only):
    with pytest.raises(InputError, match=r"CNFgen is not installed; try: .*nqbench\[cnfgen\]"):
        package.cnfgen("php 3 2")


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("yes 1 0", "the formula is larger than 1 MiB"),
        ("sleep 60", "takes more than 1 s: ask for less"),
        ("echo a Traceback >&2; echo MemoryError >&2; exit 1", "'php 3 2': MemoryError: see"),
        ("exit 3", "failed without a message"),
        ("kill -9 $$", "failed without a message"),
    ],
)
def test_a_program_that_misbehaves_is_stopped(only, monkeypatch, script, message):
    only(script)
    monkeypatch.setattr(family, "LARGEST", 2**20)
    monkeypatch.setattr(family, "_LIMITS", PatientLimits(time_s=1.0))
    with pytest.raises(InputError, match=message):
        package.cnfgen("php 3 2")


def test_text_that_is_not_dimacs_is_named_with_its_command(only):
    only("echo p cnf 1 1; echo y 0")
    (planned,) = package.cnfgen("php 3 2")
    with pytest.raises(InputError, match=r"^CNFgen 'php 3 2', line 2: 'y' is not a literal"):
        Encoding.named("file").encode(planned)
