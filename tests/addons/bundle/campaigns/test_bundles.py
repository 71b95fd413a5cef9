"""Results as one file: the same results give the same bytes, and a stranger can measure every run
again and sees what agrees.
"""

import json
import subprocess
import sys
import zipfile
from dataclasses import replace
from datetime import date

import polars as pl
import pytest
from addons import needs_addon
from bundles import contents

import nqbench as library
from nqbench.addons.bundle.plan import sampled
from nqbench.addons.bundle.reading import opened
from nqbench.campaign.grid import Campaign
from nqbench.common.errors import InputError
from nqbench.common.machine import environment
from nqbench.common.vocabulary import Answer, CheckedBy, Outcome, Verdict
from nqbench.problems.queens import Queens
from nqbench.records.record import Record
from nqbench.records.store import Store

PIGEONS = "p cnf 6 9\n1 2 0\n3 4 0\n5 6 0\n-1 -3 0\n-1 -5 0\n-3 -5 0\n-2 -4 0\n-2 -6 0\n-4 -6 0\n"
HOW = {"encodings": "pairwise", "backends": "minisat22", "repeat": 1}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The results of boards by size, at random and from Python, and of a formula in a file."""
    made = tmp_path_factory.mktemp("bundles")
    (made / "pigeons.cnf").write_text(PIGEONS)
    for problems in (
        "4..6",
        library.problems_of("completion", 6, density="0.3,0.5", instances=2, seed=3),
        library.problems_of("regions", 5, instances=2),
        [PLACED],
    ):
        library.run(problems, **HOW, results=made / "results")
    library.run(formulas(made), backends="minisat22", repeat=2, results=made / "results")
    return made


PLACED = Queens(6, placed=((0, 1),))


def formulas(folder):
    return library.formulas(folder / "pigeons.cnf")


@pytest.fixture(scope="module")
def bundle(folder):
    named = [PLACED, *formulas(folder)]
    made = library.Results(folder / "results").bundle(folder / "bundle.zip", problems=named)
    assert (made.records, made.runs, made.notes) == (12, 12, ())
    return made


def test_output_names_the_file_as_the_first_argument_does(folder, tmp_path, monkeypatch, nqbench):
    monkeypatch.chdir(tmp_path)
    of = ["--results", folder / "results", "--where", "n = 4", "--no-plots"]
    campaign = tmp_path / "boards.toml"
    campaign.write_text(
        '[[campaign]]\nn = "4"\nencoding = "pairwise"\nbackend = "minisat22"\nrepeat = 1\n'
    )
    assert nqbench("bundle", "one.zip", campaign, *of).returncode == 0
    assert nqbench("bundle", "--output", "other.zip", campaign, *of).returncode == 0
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "other.zip").read_bytes()
    assert nqbench("replay", "other.zip").returncode == 0


def test_its_records_are_read_as_those_of_its_folder(folder, bundle, tmp_path):
    bundled = library.Results(bundle.path)
    own = library.Results(folder / "results")
    assert set(bundled.records["run_id"]) == set(own.records["run_id"])
    assert bundled.summary().equals(own.summary())
    (tmp_path / "cut.zip").write_bytes(bundle.path.read_bytes()[:-30])
    with pytest.raises(InputError, match=r"cut\.zip is no bundle, or is damaged"):
        library.read(tmp_path / "cut.zip")


def test_every_kind_of_problem_is_measured_again_and_agrees(bundle):
    found = library.replay(bundle.path)
    assert found.agrees
    assert found.plan.left_out == {}
    assert found.differences.is_empty()
    sums = found.agreement.sum().to_dicts()[0]
    assert sums["runs"] == sums["answers"] == sums["formulas"] == sums["counters"] == 12
    assert set(found.records["verdict"]) == {"verified"}
    assert str(found).splitlines()[0] == "Answers agree in all 12 runs."


def test_the_same_results_give_the_same_bytes(folder, bundle):
    again = library.Results(folder / "results").bundle(
        folder / "again.zip", problems=[*formulas(folder), PLACED]
    )
    assert again.sha256 == bundle.sha256
    assert again.path.read_bytes() == bundle.path.read_bytes()


def test_other_programs_can_check_it(bundle, tmp_path):
    with zipfile.ZipFile(bundle.path) as archive:
        assert archive.testzip() is None
        archive.extractall(tmp_path)
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=tmp_path, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == len(contents(bundle.path)) - 1


def test_it_has_what_a_stranger_needs(bundle):
    files = contents(bundle.path)
    readme = files["README.md"].decode()
    assert ".venv/bin/nqbench replay BUNDLE.zip" in readme
    assert "| cnf | minisat22 | 2/2 |" in readme
    (formula,) = (name for name in files if name.startswith("formulas/"))
    assert files[formula].decode() == PIGEONS
    assert f"nqbench=={library.__version__}\n" in files["requirements.txt"].decode()
    assert any(name.startswith("plots/") for name in files)
    assert pl.read_csv(files["tables/summary.csv"])["solved"].sum() == 12
    assert b"" not in files.values()


def test_paths_of_this_machine_are_not_in_it(folder, bundle):
    for name, content in contents(bundle.path).items():
        if name != "conditions.json":  # commands are there as they were typed
            assert str(folder).encode() not in content, name


def test_its_metadata_are_an_ro_crate_that_lists_every_file(bundle):
    files = contents(bundle.path)
    crate = json.loads(files["ro-crate-metadata.json"])
    assert crate["@context"] == "https://w3id.org/ro/crate/1.1/context"
    entities = {each["@id"]: each for each in crate["@graph"]}
    assert len(entities) == len(crate["@graph"])
    root = entities[entities["ro-crate-metadata.json"]["about"]["@id"]]
    assert {"name", "description", "datePublished", "license"} <= root.keys()
    assert root["@type"] == "Dataset"
    assert date.fromisoformat(root["datePublished"]).year >= 2024
    listed = {each["@id"] for each in root["hasPart"]}
    assert listed == files.keys() - {"ro-crate-metadata.json", "SHA256SUMS"}
    assert all(entities[name]["@type"] == "File" for name in listed)


def stated_license(files):
    """What the metadata of a bundle say of its license: an entity, or a text."""
    entities = {e["@id"]: e for e in json.loads(files["ro-crate-metadata.json"])["@graph"]}
    stated = entities["./"]["license"]
    return stated if isinstance(stated, str) else entities[stated["@id"]]


def test_its_license_is_in_the_readme_and_in_the_metadata(folder, bundle, tmp_path):
    results = library.Results(folder / "results", where="n = 4")
    made = results.bundle(tmp_path / "out.zip", license="cc-by-4.0", plots=False)
    assert library.replay(made.path).agrees
    files = contents(made.path)
    assert stated_license(files) == {
        "@id": "https://spdx.org/licenses/CC-BY-4.0",
        "@type": "CreativeWork",
        "name": "CC-BY-4.0",
        "description": "Creative Commons Attribution 4.0 International",
    }
    name = "[CC-BY-4.0](https://spdx.org/licenses/CC-BY-4.0)"
    readme = files["README.md"].decode()
    assert readme.endswith(
        f"## License\n\n{name}, Creative Commons Attribution 4.0 International.\n"
    )

    without = contents(bundle.path)
    assert stated_license(without).startswith("No license is stated. Ask")
    assert "## License\n\nNo license is stated. Ask" in without["README.md"].decode()


def test_a_formula_has_to_be_named(folder, tmp_path):
    results = library.Results(folder / "results", where="family = 'cnf' OR n = 4")
    with pytest.raises(InputError, match=r"2 runs cannot be .* in files: pigeons.cnf"):
        results.bundle(tmp_path / "out.zip")
    assert not (tmp_path / "out.zip").exists()
    made = results.bundle(tmp_path / "out.zip", allow_missing=True, plots=False)
    assert (made.records, made.runs) == (3, 1)
    found = library.replay(made.path)
    assert found.agrees
    assert [(why, len(ids)) for why, ids in found.plan.left_out.items()] == [
        ("the bundle has only their records, and its README says why", 2)
    ]
    assert "2 runs: their problem is in a file" in contents(made.path)["README.md"].decode()


def test_another_formula_of_the_same_name_is_not_taken_for_it(folder, tmp_path):
    (tmp_path / "pigeons.cnf").write_text(PIGEONS + "1 0\n")
    results = library.Results(folder / "results", where="family = 'cnf'")
    with pytest.raises(InputError, match=r"in files: pigeons\.cnf"):
        results.bundle(tmp_path / "out.zip", problems=formulas(tmp_path))


def test_a_campaign_file_names_problems_and_goes_into_the_bundle(nqbench, tmp_path):
    (tmp_path / "pigeons.cnf").write_text(PIGEONS)
    stated = '[[campaign]]\ncnf = ["pigeons.cnf"]\nbackend = ["minisat22"]\nrepeat = 1\n'
    (tmp_path / "c.toml").write_text(stated)
    assert nqbench("run", "c.toml", "--no-plots").returncode == 0
    made = nqbench("bundle", "out.zip", "c.toml", "--no-plots")
    assert made.returncode == 0, made.stderr
    assert made.stdout.startswith("out.zip: 1 record, 1 of them can be measured again\nSHA-256: ")
    assert contents(tmp_path / "out.zip")["campaign.toml"].decode() == stated


def test_the_command_prints_what_agrees_and_goes_on(nqbench, bundle):
    words = ("replay", bundle.path, "--sample", "5", "--results", "again")
    first = nqbench(*words)
    assert first.returncode == 0, first.stderr
    assert "Answers agree in all 5 runs." in first.stdout
    assert "time ratio" in first.stdout
    again = nqbench(*words)
    assert "all 5 runs are recorded already" in again.stderr
    assert again.stdout == first.stdout


@pytest.mark.parametrize(
    ("sample", "number"), [(None, 30), (7, 7), ("7", 7), ("10%", 3), ("0.1 %", 1), (99, 30)]
)
def test_a_sample_is_a_number_or_a_share_of_the_runs(sample, number):
    every = [str(each) for each in range(30)]
    found = sampled(every, sample, 0)
    assert len(set(found)) == len(found) == number
    assert found == sampled(every[::-1], sample, 0)
    assert number in (1, 30) or set(found) != set(sampled(every, sample, 1))


@pytest.mark.parametrize("sample", ["", "0", "-1", "0%", "101%", "ten", "1.5", "5 %%", 0])
def test_another_text_is_no_sample(sample):
    with pytest.raises(InputError, match="write for instance 20 or 10%"):
        sampled(["a"], sample, 0)


def planted(folder, n, of_run=(), **facts):
    """Results with the record of one run whose fields are as given."""
    (run,) = Campaign(
        problems=[Queens(n)], encodings=["pairwise"], backends=["minisat22"], repeat=1
    ).runs()
    run = replace(run, **dict(of_run))
    here = environment.current()
    stated = {"outcome": Outcome.FINISHED, "answer": Answer.SAT, "solve_s": 0.1}
    checked = {"verdict": Verdict.VERIFIED, "checked_by": CheckedBy.BOARD}
    with Store(folder / "nqbench.db") as store:
        store.add_environment(here)
        store.add(replace(Record.of(run, here.id), **stated | checked | facts))
    return library.Results(folder).bundle(folder / "bundle.zip", plots=False).path


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("clauses", 85, "Formulas differ in 1 of 1 run."),
        ("instance_digest", "0" * 32, "Formulas differ in 1 of 1 run."),
        ("conflicts", 77, "Counters differ in 1 of 1 run."),
    ],
)
def test_what_differs_is_named(tmp_path, field, value, sentence):
    found = library.replay(planted(tmp_path, 4, **{field: value}))
    assert found.agrees == (field == "conflicts")
    assert sentence in str(found)
    differing = found.differences.filter(quantity=field).to_dicts()
    assert [(each["n"], each["bundle"]) for each in differing] == [(4, str(value))]


def test_another_answer_is_status_1(nqbench, tmp_path):
    unsat = {"answer": Answer.UNSAT, "verdict": Verdict.UNCHECKED, "checked_by": CheckedBy.NONE}
    done = nqbench("replay", planted(tmp_path / "r", 4, **unsat))
    assert done.returncode == 1
    assert "Answers differ in 1 of 1 run." in done.stdout
    assert "answer of pairwise x minisat22 on queens n=4, repeat 1: unsat in the bundle" in (
        done.stdout
    )


def test_a_run_that_was_solved_only_here_is_no_difference_of_answers(tmp_path):
    late = {"outcome": Outcome.TIMEOUT, "answer": None, "solve_s": None}
    unchecked = {"verdict": Verdict.UNCHECKED, "checked_by": CheckedBy.NONE}
    found = library.replay(planted(tmp_path, 4, **late, **unchecked))
    assert found.agrees
    assert found.differences.select("quantity", "bundle", "here").rows() == [
        ("outcome", "timeout", "finished")
    ]
    assert found.agreement["answers_of"].to_list() == [0]


def test_another_version_of_a_solver_is_left_out_unless_it_is_allowed(nqbench, tmp_path):
    bundle = planted(tmp_path / "r", 4, {"backend_version": "python-sat 0.1"}, conflicts=77)
    refused = nqbench("replay", bundle)
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert "here, and was python-sat 0.1; to measure it, add --allow-other-sol" in refused.stderr
    measured = nqbench("replay", bundle, "--allow-other-solvers")
    assert measured.returncode == 0, measured.stderr
    assert "nqbench: minisat22 is python-sat" in measured.stderr
    assert "- Answers agree in the only run." in measured.stdout
    assert "- Counters" not in measured.stdout


def test_another_build_of_the_same_version_is_measured_and_named(nqbench, tmp_path):
    bundle = planted(tmp_path / "r", 4, {"backend_build": "GCC 1.0, 0123456789ab"}, conflicts=77)
    measured = nqbench("replay", bundle)
    assert measured.returncode == 0, measured.stderr
    assert "nqbench: minisat22 is another build here: " in measured.stderr
    assert "and was GCC 1.0, 0123456789ab" in measured.stderr
    assert "- Counters differ in 1 of 1 run." in measured.stdout


def test_runs_that_nothing_can_repeat_are_carried_along(tmp_path):
    skipped = {"outcome": Outcome.SKIPPED, "answer": None, "solve_s": None}
    unchecked = {"verdict": Verdict.UNCHECKED, "checked_by": CheckedBy.NONE}
    bundle = planted(tmp_path, 5, **skipped, **unchecked)
    assert "- 1 run: they were skipped" in contents(bundle)["README.md"].decode()
    with pytest.raises(InputError, match=r"nothing can be measured again here: .* its README"):
        library.replay(bundle)
    planted(tmp_path, 4)
    assert len(library.replay(bundle).records) == 1


def bundle_with_imports(folder):
    """That of a folder, after a run of somebody else was imported into it."""
    (folder / "theirs.csv").write_text("instance,backend,answer,solve_s\na,kissat,sat,1.5\n")
    results = library.Results(folder)
    results.import_file(folder / "theirs.csv", source="theirs", time_limit=10)
    return results.bundle(folder / "bundle.zip")


@needs_addon("importing")
def test_imported_runs_are_carried_along(tmp_path):
    planted(tmp_path, 4)
    made = bundle_with_imports(tmp_path)
    assert (made.records, made.runs) == (2, 1)
    assert made.notes == ("1 run: they were imported from theirs",)
    assert library.replay(made.path).agreement["backend"].to_list() == ["minisat22"]


SOLVER = """#!{python}
import sys
open("{marker}", "a").write("x")
print("s SATISFIABLE")
print("v 1 2 0" if open(sys.argv[-1]).readline().startswith("p cnf 2 ") else "v 1 0")
sys.exit(10)
"""


def test_a_program_that_only_the_bundle_names_is_not_started(tmp_path):
    solver, marker, formula = (tmp_path / name for name in ("solver", "started", "one.cnf"))
    formula.write_text("p cnf 1 1\n1 0\n")
    solver.write_text(SOLVER.format(python=sys.executable, marker=marker))
    solver.chmod(0o755)
    problems, name = library.formulas(formula), f"exe:{solver}"
    library.run(problems, backends=name, repeat=1, results=tmp_path / "r")
    made = library.Results(tmp_path / "r").bundle(
        tmp_path / "b.zip", problems=problems, plots=False
    )
    marker.unlink()
    with pytest.raises(InputError, match="only the bundle names exe:"):
        library.replay(made.path)
    assert not marker.exists()
    assert library.replay(made.path, allow_programs=name).agrees
    assert marker.exists()


def test_a_run_planned_for_a_cluster_or_without_a_pin_is_found_by_its_id(tmp_path):
    run = {"machine": "any machine of a cluster", "cores": 2, "harness": "nqbench 9, Python 9"}
    path = planted(tmp_path, 4, run, cpus="2,3", machine="another, 64 CPUs")
    with opened(path) as bundle:
        (found,) = bundle.runs.values()
    assert (found.machine, found.cores) == (run["machine"], 2)


@needs_addon("importing")
def test_results_that_were_all_imported_can_be_given_away(tmp_path):
    made = bundle_with_imports(tmp_path)
    assert (made.records, made.runs) == (1, 0)
    with pytest.raises(InputError, match="nothing can be measured again here"):
        library.replay(made.path)
