"""What was imported or merged is never taken for what was measured and checked here."""

import json
import warnings
from contextlib import contextmanager
from dataclasses import replace

import polars as pl
import pytest
from addons import needs_addon
from bundles import contents, packed, with_new_checksums
from databases import database
from made_records import RECORD

import nqbench as library
from nqbench.campaign.optimum import Step
from nqbench.common.errors import InputError, StoreError
from nqbench.records import origin
from nqbench.records.merging import merge
from nqbench.records.store import Store

RUNS = {"encodings": "pairwise", "backends": "minisat22", "repeat": 1}
OPTIONS = ("--encoding", "pairwise", "--backend", "minisat22", "--repeat", "1", "--no-plots", "-q")
PAIRS = ("--encoding", "pairwise,alo-row", "--backend", "minisat22", "--no-plots", "-q")
DOMINATION = "queen-domination:k=5"
OPTIMUM = ("optimum", "--family", DOMINATION, "--n", "5")
FORGED_S = 1e-9


@contextmanager
def silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Folders with runs, those of a race, and a search, measured on this machine."""
    folder = tmp_path_factory.mktemp("measured")
    library.run([4, 5, 6], results=folder / "run", **RUNS)
    # By `run`, since a race may cap some of them.
    library.run(
        range(4, 12), results=folder / "race", **RUNS | {"encodings": ["pairwise", "alo-row"]}
    )
    library.optimum(DOMINATION, 5, results=folder / "optimum")
    return folder


def forged(results, path, forge=lambda row: {}):
    """Write an export of the results, with some fields of each record changed."""
    rows = map(json.loads, library.Results(results).export("jsonl").splitlines())
    path.write_text("".join(json.dumps(row | forge(row)) + "\n" for row in rows))
    return path


@pytest.fixture
def fast(measured, tmp_path):
    """An export whose runs have the ids that this machine plans, and took a nanosecond."""
    return forged(measured / "run", tmp_path / "fast.jsonl", lambda _: {"solve_s": FORGED_S})


def wrong(row):
    """Better k than the first have no solution, says this forgery."""
    if row["family"] == DOMINATION or row["answer"] != "sat":
        return {}
    return {"answer": "unsat", "checked_by": "proof", "queens": None}


@pytest.fixture
def lies(measured, tmp_path):
    return forged(measured / "optimum", tmp_path / "lies.jsonl", wrong)


def imported_into(folder, *files, **options):
    results = library.Results(folder)
    for file in files:
        results.import_file(file, **options)
    return results


def own(records):
    return records.filter(pl.col("imported_from").is_null())


def said(done):
    return " ".join(f"{done.stdout} {done.stderr}".split())


def test_run_measures_what_was_only_imported(nqbench, fast, tmp_path):
    told = nqbench("import", "--results", "d", fast)
    assert "3 runs added; imported runs count as measured and checked elsewhere" in told.stderr
    assert "even your own" in told.stderr
    planned = nqbench("run", "--n", "4..6", *OPTIONS, "--results", "d", "--dry-run")
    assert "None of these runs" not in planned.stdout
    assert "Nothing recorded yet." in planned.stdout
    assert "3 runs of new combinations" in planned.stdout
    done = nqbench("run", "--n", "4..6", *OPTIONS, "--results", "d")
    assert "3 of this campaign" in done.stderr
    assert "imported" not in said(done)
    records = library.Results(tmp_path / "d").records
    assert (len(own(records)), len(records)) == (3, 6)
    assert own(records)["solve_s"].min() > FORGED_S
    assert records.drop_nulls("imported_from")["solve_s"].to_list() == [FORGED_S] * 3
    again = nqbench("run", "--n", "4..6", *OPTIONS, "--results", "d", "--reuse-imported")
    assert "imported" not in said(again)  # as own runs come first


def test_run_uses_imported_runs_if_asked_and_says_so(nqbench, fast, tmp_path):
    imported_into(tmp_path / "d", fast)
    asked = ("run", "--n", "4..7", *OPTIONS, "--results", "d", "--reuse-imported")
    mark = "imported from fast.jsonl: not measured here, answers not checked here"
    planned = nqbench(*asked, "--dry-run").stdout
    assert "3 of 4 runs are recorded. 3 runs of 4 were " + mark in planned
    done = nqbench(*asked)
    assert f"3 runs of 4 were {mark}" in said(done)
    assert "4 of this campaign" in done.stderr
    loud = nqbench(*(word for word in asked if word != "-q"))
    assert f"nqbench: 3 runs of 4 were {mark}" in loud.stderr
    assert "all 4 runs are recorded already" in loud.stderr
    both = nqbench(*asked, "--fresh")
    assert both.returncode == 2
    assert "leave out --reuse-imported, or --fresh" in both.stderr
    fresh = nqbench(*asked[:-1], "--fresh")
    assert "4 of this campaign" in fresh.stderr
    assert "imported" not in said(fresh)


def test_in_python_too(fast, tmp_path):
    imported_into(tmp_path / "d", fast)
    with pytest.warns(UserWarning, match=r"^All runs were imported from fast\.jsonl: not measured"):
        found = library.run([4, 5, 6], results=tmp_path / "d", reuse_imported=True, **RUNS)
    assert found["solve_s"].to_list() == [FORGED_S] * 3
    with silent():
        found = library.run([4, 5, 6], results=tmp_path / "d", **RUNS)
    assert found["imported_from"].null_count() == 3
    assert found["solve_s"].min() > FORGED_S


@pytest.mark.parametrize("source", ["own.jsonl", "a friend"])
def test_an_export_beside_the_runs_that_it_came_from(measured, tmp_path, source):
    """Imported after they were measured, twice: own runs stay, and count as before."""
    merge(tmp_path / "d" / "nqbench.db", [measured / "run" / "nqbench.db"])
    export = forged(measured / "run", tmp_path / "own.jsonl", lambda _: {"solve_s": FORGED_S})
    results = library.Results(tmp_path / "d")
    before = results.records
    assert results.import_file(export, source=source) == (3, 0)
    assert results.import_file(export, source=source) == (0, 3)
    assert own(results.records).drop("backend").equals(before.drop("backend"))
    ids = set(results.records.drop_nulls("imported_from")["run_id"])
    assert ids.isdisjoint(before["run_id"])
    assert {each[0] for each in ids} == {origin.MARK}
    with pytest.warns(UserWarning, match="merged from run"):
        found = library.run([4, 5, 6], results=tmp_path / "d", reuse_imported=True, **RUNS)
    assert found["run_id"].to_list() == before["run_id"].to_list()


@needs_addon("race")
def test_race_measures_what_was_only_imported(nqbench, measured, tmp_path):
    export = forged(
        measured / "race",
        tmp_path / "race.jsonl",
        lambda row: {"solve_s": 1e-7 if row["encoding"] == "pairwise" else 9.0},
    )
    imported_into(tmp_path / "f", export)
    asked = ("race", "--n", "4..11", *PAIRS, "--results", "f")
    believed = nqbench(*asked, "--reuse-imported")
    assert "All runs were imported from race.jsonl: not measured here" in said(believed)
    racing = {"encodings": ["pairwise", "alo-row"], "backends": "minisat22"}
    standing = library.race("4..11", results=tmp_path / "f", reuse_imported=True, **racing)
    assert standing.winner == "pairwise x minisat22"
    assert "All runs were imported from race.jsonl: not measured here" in str(standing)
    done = nqbench(*asked)
    assert "imported" not in said(done)
    standing = library.race("4..11", results=tmp_path / "f", **racing)
    assert standing.records["imported_from"].null_count() == len(standing.records) > 0
    assert 9.0 not in standing.records["solve_s"]


def test_optimum_asks_again_what_was_only_imported(nqbench, lies, tmp_path):
    imported_into(tmp_path / "b", lies)
    believed = nqbench(*OPTIMUM, "--results", "b", "--reuse-imported")
    assert believed.returncode == 1
    assert "imported from lies.jsonl, not checked here" in believed.stderr
    assert "imported, imported  claimed" in believed.stdout
    (row,) = json.loads(nqbench(*OPTIMUM, "--results", "b", "--reuse-imported", "--json").stdout)
    assert (row["state"], row["best"], row["best_shown_by"]) == ("claimed", 5, "imported")
    (found,) = library.optimum(DOMINATION, 5, results=tmp_path / "b", reuse_imported=True)
    assert (found.state, found.is_proven, found.best) == ("claimed", False, 5)
    done = nqbench(*OPTIMUM, "--results", "b")
    assert done.returncode == 0
    assert "imported" not in said(done)
    (found,) = library.optimum(DOMINATION, 5, results=tmp_path / "b")
    assert (found.best, found.state, found.is_proven) == (3, "optimal", True)


def test_a_solution_outside_the_board_is_none(measured, tmp_path):
    """Nobody looked at it, since it was imported."""
    export = forged(
        measured / "optimum",
        tmp_path / "far.jsonl",
        lambda row: {"queens": [10**6]} if row["answer"] == "sat" else {},
    )
    imported_into(tmp_path / "b", export)
    (found,) = library.optimum(DOMINATION, 5, results=tmp_path / "b", reuse_imported=True)
    assert (found.best, found.solution, found.is_proven) == (3, None, False)


def test_an_incremental_search_that_was_imported_proves_nothing(tmp_path):
    library.optimum(DOMINATION, 5, search="incremental", results=tmp_path / "a")
    export = forged(
        tmp_path / "a", tmp_path / "best.jsonl", lambda row: {"best_k": 4} if row["best_k"] else {}
    )
    imported_into(tmp_path / "b", export)
    asked = {"search": "incremental", "results": tmp_path / "b"}
    (found,) = library.optimum(DOMINATION, 5, reuse_imported=True, **asked)
    assert (found.best, found.state, found.best_shown_by) == (4, "claimed", "imported")
    (found,) = library.optimum(DOMINATION, 5, **asked)
    assert (found.best, found.state) == (3, "optimal")


@pytest.fixture
def laptop(measured, tmp_path):
    """A store that says nothing of where its records come from; a store may say what it likes."""
    theirs = tmp_path / "laptop" / "nqbench.db"
    merge(theirs, [measured / "optimum" / "nqbench.db", measured / "run" / "nqbench.db"])
    with database(theirs) as db:
        db.execute("UPDATE records SET merged_from = NULL")
    return theirs


def test_lies_that_were_merged_prove_nothing(laptop, tmp_path):
    with database(laptop) as db:
        db.execute(
            "UPDATE records SET answer = 'unsat', checked_by = 'proof', queens = NULL "
            f"WHERE answer = 'sat' AND family LIKE 'queen-dom%' AND family != '{DOMINATION}'"
        )
    library.Results(tmp_path / "m").merge(laptop.parent)
    (found,) = library.optimum(DOMINATION, 5, results=tmp_path / "m")
    assert (found.best, found.state, found.excluded_shown_by) == (5, "claimed", "merged")


@needs_addon("race")
@pytest.mark.usefixtures("laptop")
def test_what_was_merged_is_reused_and_every_command_says_so(nqbench, tmp_path):
    assert nqbench("merge", "--results", "m", "laptop").returncode == 0
    assert set(library.read(tmp_path / "m")["merged_from"]) == {"laptop"}
    done = nqbench(*OPTIMUM, "--results", "m")
    assert done.returncode == 1
    assert "merged, merged  claimed" in done.stdout
    assert "merged from laptop" in done.stderr
    (found,) = library.optimum(DOMINATION, 5, results=tmp_path / "m")
    assert (found.state, found.excluded_shown_by) == ("claimed", "merged")
    mark = "merged from laptop: measured and checked there"
    assert f"All runs were {mark}" in said(
        nqbench("run", "--n", "4..6", *OPTIONS, "--results", "m")
    )
    with pytest.warns(UserWarning, match=mark):
        library.run([4, 5, 6], results=tmp_path / "m", **RUNS)
    raced = nqbench("race", "--n", "4..6", *PAIRS, "--results", "m")
    assert f"3 runs of 6 were {mark}" in said(raced)
    assert mark in said(nqbench("summary", "--results", "m"))
    assert mark in " ".join(library.Results(tmp_path / "m").report().read_text().split())
    fresh = nqbench("run", "--n", "4..6", *OPTIONS, "--results", "m", "--fresh")
    assert "merged" not in said(fresh)


def test_one_own_side_does_not_prove_the_other(measured, tmp_path):
    (found,) = library.optimum(DOMINATION, 5, results=measured / "optimum")
    assert found.is_proven
    for changed in ("merged_from", "imported_from"):
        for at, step in enumerate(found.steps):
            record = replace(step.record, **{changed: "elsewhere"})
            steps = [*found.steps]
            steps[at] = Step(step.k, step.problem, record, step.has_solution)
            is_needed = step.k in (found.best, found.excluded)
            assert replace(found, steps=steps).is_proven != is_needed


def test_merge_makes_no_imported_record_an_own_one(fast, lies, tmp_path):
    imported_into(tmp_path / "theirs", fast, lies)
    merge(tmp_path / "all" / "nqbench.db", [tmp_path / "theirs" / "nqbench.db"])
    records = library.read(tmp_path / "all")
    assert set(records["imported_from"]) == {"fast.jsonl", "lies.jsonl"}
    assert set(records["verdict"]) == {"unchecked"}
    with silent():
        found = library.run([4, 5, 6], results=tmp_path / "all", **RUNS)
    assert found["solve_s"].min() > FORGED_S
    assert library.optimum(DOMINATION, 5, results=tmp_path / "all")[0].best == 3


def as_schema_14(path):
    """Make a store what an earlier nqbench had written: with ids and verdicts of the source."""
    with database(path) as db:
        found = db.execute("SELECT run_id FROM records ORDER BY started_at").fetchall()
        db.execute("ALTER TABLE records DROP COLUMN merged_from")
        db.execute(
            "UPDATE records SET verdict = 'verified', checked_by = 'board', message = '' "
            "WHERE answer = 'sat'"
        )
        db.execute("PRAGMA user_version = 14")
    return [run_id for (run_id,) in found]


@pytest.mark.parametrize("read_only", [True, False])
def test_imported_runs_in_a_store_of_an_earlier_nqbench(fast, measured, tmp_path, read_only):
    imported_into(tmp_path / "d", fast)
    path = tmp_path / "d" / "nqbench.db"
    new = as_schema_14(path)
    earlier = library.read(measured / "run").sort("started_at")["run_id"].to_list()
    with database(path) as db:
        for here, there in zip(earlier, new, strict=True):
            db.execute("UPDATE records SET run_id = ? WHERE run_id = ?", [here, there])
    with Store(path, read_only=read_only) as store:
        assert store.recorded(earlier) == set()
        assert sorted(store.frame()["run_id"]) == sorted(new)
        assert set(store.frame()["verdict"]) == {"unchecked"}
        assert set(store.frame()["message"]) == {"verified elsewhere by board"}
        assert store.imported(earlier) == dict(zip(earlier, new, strict=True))
    with silent():
        found = library.run([4, 5, 6], results=tmp_path / "d", **RUNS)
    assert sorted(found["run_id"]) == sorted(earlier)
    assert len(library.read(tmp_path / "d")) == 6
    assert library.Results(tmp_path / "d").import_file(fast) == (0, 3)


def test_an_export_of_an_earlier_nqbench_with_imported_runs(measured, fast, tmp_path):
    """It has ids and verdicts of the source, as a forged one would."""
    earlier = forged(measured / "run", tmp_path / "e.jsonl", lambda _: {"imported_from": "x.csv"})
    for kind in ("jsonl", "csv", "parquet"):
        records = library.read(earlier)
        assert {each[0] for each in records["run_id"]} == {origin.MARK}
        assert set(records["verdict"]) == {"unchecked"}
        library.Results(earlier).export(kind, tmp_path / f"again.{kind}")
        assert imported_into(tmp_path / kind, tmp_path / f"again.{kind}").import_file(earlier) == (
            0,
            3,
        )
    imported_into(tmp_path / "d", earlier, fast)
    assert len(library.run([4, 5, 6], results=tmp_path / "d", **RUNS)) == 3


def test_what_was_imported_twice_in_a_row_is_the_same_run(fast, tmp_path):
    """Directly, and from the export of somebody who imported it."""
    theirs = imported_into(tmp_path / "theirs", fast)
    theirs.export("jsonl", tmp_path / "theirs.jsonl")
    mine = imported_into(tmp_path / "mine", fast)
    assert mine.import_file(tmp_path / "theirs.jsonl") == (0, 3)
    assert theirs.import_file(tmp_path / "theirs.jsonl") == (0, 3)


def test_a_csv_that_names_everything_as_it_is_here(measured, tmp_path):
    names = (
        "family", "n", "problem_digest", "encoding", "encoding_version", "backend",
        "backend_version", "backend_build", "time_limit_s", "memory_limit_bytes", "seed", "repeat",
        "machine", "harness", "answer",
    )  # fmt: skip
    table = library.read(measured / "run").select(names).with_columns(solve_s=FORGED_S)
    table.write_csv(tmp_path / "same.csv")
    results = imported_into(tmp_path / "d", tmp_path / "same.csv")
    assert len(results.records) == 3
    found = library.run([4, 5, 6], results=tmp_path / "d", **RUNS)
    assert found["solve_s"].min() > FORGED_S
    assert len(library.read(tmp_path / "d")) == 6


def test_check_leaves_out_imported_answers(nqbench, tmp_path):
    """Not even a forged one gets the verdict of an own run."""
    torus = library.problems_of("torus", 6)
    asked = {"encodings": "pairwise", "backends": "cadical195", "repeat": 1, "check": "later"}
    library.run(torus, results=tmp_path / "own", **asked)
    export = forged(tmp_path / "own", tmp_path / "own.jsonl")
    imported_into(tmp_path / "theirs", export)
    left_out = "1 answer of imported runs: not checked here"
    done = nqbench("check", "--results", "theirs")
    assert left_out in done.stderr
    assert "no answer is unchecked" in done.stdout
    results = library.Results(tmp_path / "theirs")
    with pytest.warns(UserWarning, match="no answer is unchecked|of imported runs") as told:
        assert results.check().is_empty()
    assert len(told) == 2
    results = imported_into(tmp_path / "own", export)
    with pytest.warns(UserWarning, match=left_out):
        (verdict,) = library.check(tmp_path / "own")["verdict"]
    assert verdict == "verified"
    told = dict(library.read(tmp_path / "own").select("imported_from", "verdict").rows())
    assert told == {None: "verified", "own.jsonl": "unchecked"}


@needs_addon("bundle")
def test_a_bundle_of_a_store_with_imports(nqbench, measured, fast, tmp_path):
    merge(tmp_path / "d" / "nqbench.db", [measured / "run" / "nqbench.db"])
    results = imported_into(tmp_path / "d", fast)
    made = results.bundle(tmp_path / "b.zip", plots=False)
    assert (made.records, made.runs) == (6, 3)
    text = " ".join(contents(tmp_path / "b.zip")["README.md"].decode().split())
    assert "3 runs of 3 problems and 1 combination of encoding and backend." in text
    assert "3 runs of 6 were imported from fast.jsonl: not measured here" in text
    assert "3 runs of 6 were merged from run: measured and checked there" in text
    imported_into(tmp_path / "r", fast)
    done = nqbench("replay", "b.zip", "--results", "r")
    assert done.returncode == 0
    assert "left out 3 runs" in done.stderr
    assert "imported" not in done.stdout
    assert "Answers agree in all 3 runs." in done.stdout
    again = library.replay(tmp_path / "b.zip", results=tmp_path / "r")
    assert again.records["solve_s"].min() > FORGED_S
    merge(tmp_path / "m" / "nqbench.db", [measured / "run" / "nqbench.db"])
    merged = library.replay(tmp_path / "b.zip", results=tmp_path / "m")
    assert "All runs were merged from run: measured and checked there." in str(merged)


@needs_addon("bundle")
def test_a_bundle_cannot_make_an_imported_record_one_to_be_measured(measured, tmp_path):
    library.Results(measured / "run").bundle(tmp_path / "b.zip", plots=False)
    files = contents(tmp_path / "b.zip")
    table = pl.read_csv(files["records.csv"], infer_schema=False)
    files["records.csv"] = table.with_columns(imported_from=pl.lit("x")).write_csv().encode()
    changed = packed(tmp_path / "c.zip", with_new_checksums(files))
    with pytest.raises(InputError, match=r"records\.csv lacks the run"):
        library.replay(changed)


def test_an_id_says_whether_a_record_was_imported(store, tmp_path, fast):
    """At every gate: of a worker's record, of an export, and of a store that is merged."""
    with pytest.raises(InputError, match="imported_from is filled"):
        store.add(replace(RECORD, imported_from="x"))
    unverified = replace(RECORD, run_id=origin.imported_id("x", RECORD.run_id))
    with pytest.raises(InputError, match="imported_from is missing"):
        store.add(unverified)
    results = imported_into(tmp_path / "d", fast)
    nameless = forged(results.source, tmp_path / "n.jsonl", lambda _: {"imported_from": None})
    with pytest.raises(InputError, match=r"run_id is i[0-9a-f]{31}, but imported_from is missing"):
        library.read(nameless)
    with database(results.source / "nqbench.db") as db:
        db.execute("UPDATE records SET imported_from = NULL")
    with pytest.raises((InputError, StoreError), match="imported_from is missing"):
        merge(store.path, [results.source / "nqbench.db"])
    assert store.frame().is_empty()


def test_what_is_known_of_a_problem_comes_from_here_first(measured, tmp_path):
    """A forged answer that says that it was verified is none."""
    merge(tmp_path / "d" / "nqbench.db", [measured / "run" / "nqbench.db"])
    export = forged(
        measured / "run",
        tmp_path / "unsat.jsonl",
        lambda _: {"answer": "unsat", "checked_by": "proof", "queens": None, "started_at": 1.0},
    )
    results = imported_into(tmp_path / "d", export)
    table = results.summary(by="known_answer")
    assert set(table["known_answer"]) == {"sat"}
