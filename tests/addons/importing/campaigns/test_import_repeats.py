"""Files of one source: which runs are repeats, which are replaced, and which differ."""

import warnings

import pytest
from aslib_scenario import scenario
from made_records import one_fact, record_of

import nqbench
from nqbench.addons.importing import detection
from nqbench.addons.importing.csv_columns import Mapped
from nqbench.common.errors import InputError
from nqbench.records.merging import merge
from nqbench.records.store import Store

HEADER = "instance,backend,answer,solve_s"


@pytest.fixture
def results(tmp_path):
    return nqbench.Results(tmp_path / "results")


@pytest.fixture
def seeds(tmp_path):
    """A file for each of three seeds, with the same runs."""
    paths = [tmp_path / "seeds" / f"run{seed}.csv" for seed in (1, 2, 3)]
    paths[0].parent.mkdir()
    for seed, path in enumerate(paths, 1):
        rows = [f"f{at},alpha,sat,{at * seed}" for at in (1, 2, 3, 4)]
        path.write_text("\n".join([HEADER, *rows]))
    return paths


def add(results, *paths, **options):
    """Import files together, without what is said about it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return results.import_files(paths, time_limit=100, **options)


def repeats(results, instance="f1"):
    table = results.records.filter(instance=instance).sort("repeat")
    return table.select("repeat", "solve_s").rows()


def test_repeats_in_separate_files(results, seeds):
    assert add(results, *seeds) == [(4, 0)] * 3
    assert repeats(results) == [(0, 1), (1, 2), (2, 3)]
    assert set(results.records["imported_from"]) == {"seeds"}
    assert len(results.summary()) == 1


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_a_file_that_is_imported_again_replaces_its_own_runs(results, seeds, order):
    for path in seeds:
        add(results, path, source="all")
    before = results.records.sort("run_id")
    assert [add(results, seeds[at], source="all") for at in order] == [[(0, 4)]] * 3
    assert results.records.sort("run_id").equals(before)
    seeds[1].write_text(seeds[1].read_text().replace("f1,alpha,sat,2", "f1,alpha,sat,7"))
    assert add(results, seeds[1], source="all") == [(0, 4)]
    assert repeats(results) == [(0, 1), (1, 7), (2, 3)]


def test_a_file_that_grew_goes_on_after_all_others(results, seeds):
    for path in seeds:
        add(results, path, source="all")
    seeds[0].write_text(f"{seeds[0].read_text()}\nf1,alpha,sat,50\n")
    assert add(results, seeds[0], source="all") == [(1, 4)]
    assert repeats(results) == [(0, 1), (1, 2), (2, 3), (3, 50)]


def test_a_file_that_is_read_in_another_way_replaces_what_it_gave_before(results, tmp_path):
    """A user follows the advice to name solvers by another column, or corrects the time limit.
    Runs of other files, and runs with another seed, are kept.
    """
    path, other = tmp_path / "c.csv", tmp_path / "other.csv"
    rows = [f"f{at},alpha,{how},sat,{at}" for at in (1, 2) for how in ("slow", "fast")]
    path.write_text("\n".join(["instance,backend,configuration,answer,solve_s", *rows]))
    other.write_text("\n".join([HEADER, "f1,alpha,sat,9"]))
    add(results, path, source="all")
    add(results, other, source="all")
    assert repeats(results) == [(0, 1), (1, 1), (2, 9)]
    with pytest.warns(UserWarning, match=r"4 runs of an earlier import of c\.csv are removed"):
        results.import_file(
            path, time_limit=100, source="all", columns={"backend": "backend + configuration"}
        )
    assert sorted(results.records.select("backend", "instance", "solve_s").rows()) == [
        ("alpha", "f1", 9), ("alpha fast", "f1", 1), ("alpha fast", "f2", 2),
        ("alpha slow", "f1", 1), ("alpha slow", "f2", 2),
    ]  # fmt: skip
    columns = {"backend": "backend + configuration"}
    with pytest.warns(UserWarning, match="4 runs of an earlier import"):
        done = results.import_file(path, time_limit=50, source="all", columns=columns)
    assert done == (4, 0)
    assert len(results.records) == 5
    # The file has other times for another seed, and the user says so.
    path.write_text(path.read_text().replace("sat,2", "sat,5"))
    add(results, path, source="all", columns=columns, stated={"solver_seed": 2})
    assert len(results.records) == 9


def test_files_of_one_name_in_several_folders(results, seeds, tmp_path):
    for path in seeds:
        folder = tmp_path / path.stem
        folder.mkdir()
        path.rename(folder / "out.csv")
    paths = sorted(tmp_path.glob("run*/out.csv"))
    assert add(results, *paths, source="all") == [(4, 0)] * 3
    assert add(results, *paths[::-1], source="all") == [(0, 4)] * 3
    assert len(repeats(results)) == 3
    # One by one, as files of other names would be: each is a source.
    apart = nqbench.Results(tmp_path / "apart")
    for path in paths:
        add(apart, path)
    assert set(apart.records["imported_from"]) == {"out.csv", "out.csv (2)", "out.csv (3)"}


def test_a_moved_file_is_known_by_its_content_and_says_so(results, seeds, tmp_path):
    add(results, seeds[0])
    moved = tmp_path / "moved.csv"
    moved.write_bytes(seeds[0].read_bytes())
    with pytest.warns(UserWarning, match=r"moved\.csv has the same bytes as run1\.csv"):
        done = results.import_files([moved], time_limit=100, source="run1.csv")
    assert done == [(0, 4)]


def test_further_repeats_are_announced(results, seeds):
    results.import_file(seeds[0], time_limit=100, source="all")
    with pytest.warns(UserWarning, match=r"4 runs of run2\.csv repeat runs of other files of all"):
        results.import_file(seeds[1], time_limit=100, source="all")


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("solver_seed", (1, 2, 3)), ("density", (0.1, 0.2, 0.3)), ("cpus", ("0", "1", "0,1")),
        ("backend_version", ("1", "2", "3")), ("conflict_limit", (10, 20, 30)),
        ("memory_limit_bytes", (1000, 2000, 3000)), ("repeat", (0, 1, 2)),
    ],
)  # fmt: skip
def test_what_is_stated_of_each_file_tells_its_runs_apart(results, seeds, field, values):
    """Each is a part of the identity: no run replaces another one, or is a repeat of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for path, value in zip(seeds, values, strict=True):
            results.import_file(path, time_limit=100, source="all", stated={field: value})
    table = results.records.filter(instance="f1").sort(field)
    assert table[field].to_list() == sorted(values)
    if field != "repeat":
        assert set(table["repeat"]) == {0}


def test_the_name_of_a_file_is_a_column(results, seeds):
    add(results, *seeds, patterns={"file": r"run(?P<solver_seed>\d)\.csv"})
    assert sorted(results.records.filter(instance="f1")["solver_seed"]) == [1, 2, 3]
    with pytest.raises(InputError, match=r"row 1: file is 'run1\.csv', which"):
        add(results, seeds[0], patterns={"file": r"(?P<solver_seed>\d)"})


def test_numbers_of_repeats_that_files_state_go_on_too(results, seeds):
    for path in seeds:
        rows = path.read_text().splitlines()
        path.write_text("\n".join([f"{rows[0]},repeat", *(f"{row},0" for row in rows[1:])]))
    add(results, *seeds)
    assert repeats(results) == [(0, 1), (1, 2), (2, 3)]


def test_merged_stores_know_their_files(results, seeds, tmp_path):
    add(results, *seeds[:2], source="all")
    merge(tmp_path / "merged" / "nqbench.db", [results.source / "nqbench.db"])
    merged = nqbench.Results(tmp_path / "merged")
    assert add(merged, *seeds, source="all") == [(0, 4), (0, 4), (4, 0)]
    assert repeats(merged) == [(0, 1), (1, 2), (2, 3)]


def test_exports_with_the_same_runs_do_not_replace_each_other(tmp_path, results):
    paths = []
    for who, started_at in (("alice", 10.0), ("bob", 20.0)):
        own = nqbench.Results(tmp_path / who)
        with Store(own.source / "nqbench.db") as store:
            store.add(record_of(8, solve_s=1.0, started_at=started_at))
        paths.append(tmp_path / f"{who}.jsonl")
        own.export("jsonl", paths[-1])
    assert results.import_files(paths) == [(1, 0), (1, 0)]
    assert set(results.records["imported_from"]) == {"alice.jsonl", "bob.jsonl"}
    other = nqbench.Results(tmp_path / "other")
    other.import_file(paths[0], source="both")
    with pytest.raises(InputError, match=r"bob\.jsonl has 1 run that alice\.jsonl has, too"):
        other.import_file(paths[1], source="both")
    assert other.import_file(paths[0], source="both") == (0, 1)


def test_a_store_is_imported_like_its_export(tmp_path, results):
    own = nqbench.Results(tmp_path / "own")
    with Store(own.source / "nqbench.db") as store:
        store.add(record_of(8, solve_s=1.0))
    own.export("csv", tmp_path / "own.csv")
    assert results.import_file(tmp_path / "own.csv", source="x") == (1, 0)
    assert results.import_file(own.source, kind="nqbench", source="x") == (0, 1)


PROPERTIES = """<result tool="alpha" toolmodule="t" version="1" timelimit="10s" {facts}>
<run name="../f.yml" properties="unreach-call" {one}><column title="status" value="true"/>
<column title="walltime" value="1s"/></run>
<run name="../{path}f.yml" properties="{second}" {other}><column title="status" value="false"/>
<column title="walltime" value="2s"/></run></result>
"""


def properties(tmp_path, **changed):
    given = {"facts": "", "one": "", "path": "", "second": "unreach-call", "other": ""} | changed
    path = tmp_path / "two.xml"
    path.write_text(PROPERTIES.format(**given))
    return detection.records(path).select("instance", "backend", "repeat").rows()


def test_one_task_with_two_properties_is_two_problems(tmp_path):
    assert properties(tmp_path, second="no-overflow") == [
        ("f.yml (unreach-call)", "alpha", 0),
        ("f.yml (no-overflow)", "alpha", 0),
    ]
    # So the runs of a file with one property are those of a file with both.
    assert properties(tmp_path)[1] == ("f.yml (unreach-call)", "alpha", 1)


def test_folders_above_that_tell_files_apart_stay_in_their_names(tmp_path):
    assert [name for name, *_ in properties(tmp_path, path="../")] == [
        "../f.yml (unreach-call)",
        "../../f.yml (unreach-call)",
    ]
    assert [name for name, *_ in properties(tmp_path, path="g/")] == [
        "f.yml (unreach-call)",
        "g/f.yml (unreach-call)",
    ]


def test_one_task_with_two_options_is_of_two_solvers(tmp_path):
    rows = properties(tmp_path, one='options="--32"', other='options="--64"')
    assert [backend for _, backend, _ in rows] == ["alpha --32", "alpha --64"]
    rows = properties(tmp_path, one='options="--32"', other='options="--64"', path="g/")
    assert [backend for _, backend, _ in rows] == ["alpha", "alpha"]


@pytest.mark.parametrize("together", [True, False])
def test_paths_that_fall_together_are_named(tmp_path, results, together):
    """In one file, and in two of which each has one of them."""
    rows = ["easy/x1.cnf,alpha,sat,1", "hard/x1.cnf,alpha,sat,9"]
    parts = [rows] if together else [rows[:1], rows[1:]]
    paths = [tmp_path / f"{number}.csv" for number in range(len(parts))]
    for path, part in zip(paths, parts, strict=True):
        path.write_text("\n".join([HEADER, *part]))
    patterns = {"instance": ".*/(?P<instance>.+)"}
    said = "'easy/x1.cnf' and 'hard/x1.cnf' are one problem after --match"
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        results.import_files(paths, time_limit=100, patterns=patterns)
    assert any(said in str(each.message) for each in noted)


def test_names_that_stay_apart_are_not_named(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("Name,answer,solve_s\na-x,sat,1\na-y,sat,1\nb-x,sat,1\nb-x,sat,2\n")
    mapped = Mapped.parse({}, {"Name": "(?P<instance>.+)-(?P<backend>.+)"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        detection.records(path, mapped=mapped, stated={"time_limit_s": 9.0})


@pytest.fixture
def per_solver(tmp_path):
    """A file for each of two solvers."""
    paths = []
    for solver, extra in (("a", 0.1), ("b", 0.5)):
        paths.append(tmp_path / "theirs" / f"{solver}.csv")
        paths[-1].parent.mkdir(exist_ok=True)
        rows = [f"i{at},sat,{at + extra}" for at in range(1, 9)]
        paths[-1].write_text("\n".join(["instance,answer,solve_s", *rows]))
    return paths


BY_NAME = {"file": r"(?P<backend>.+)\.csv"}


def test_a_file_for_each_solver(results, per_solver):
    add(results, *per_solver, patterns=BY_NAME)
    assert one_fact(results.chosen, "lead").found.standings.best == "a"


def test_a_file_that_names_no_solver_leads_to_the_options(results, per_solver):
    with pytest.raises(InputError, match=r"nothing states backend.*--set backend=NAME.*--match"):
        add(results, *per_solver)
    assert not results.source.exists()


def test_findings_say_that_sources_count_as_machines(results, per_solver):
    for path in per_solver:
        add(results, path, patterns=BY_NAME)
    fact = one_fact(results.chosen, "apart_by_machines")
    assert fact.sources == ["a.csv", "b.csv"]
    assert "--source" in fact.text
    assert "--set machine=NAME" in fact.text


def test_findings_say_that_one_solver_is_in_two_sources(results, tmp_path):
    for name, rows in {
        "p1": ["f1,k,sat,1", "f2,k,sat,2", "f1,c,sat,1"],
        "p2": ["f2,c,sat,2"],
    }.items():
        path = tmp_path / f"{name}.csv"
        path.write_text("\n".join([HEADER, *rows]))
        add(results, path, stated={"machine": "Xeon"})
    fact = one_fact(results.chosen, "apart_by_sources")
    assert fact.sources == ["p1.csv", "p2.csv"]
    assert "--source" in fact.text
    together = nqbench.Results(tmp_path / "together")
    add(together, tmp_path / "p1.csv", tmp_path / "p2.csv")
    assert set(together.records["backend"]) == {"k", "c"}


@pytest.mark.parametrize(
    ("stated", "kind"),
    [
        ([{"machine": "m", "time_limit_s": 100}, {"machine": "m", "time_limit_s": 50}],
         "apart_by_limits"),
        ([{"machine": "m"}, {"machine": "o"}], "apart_by_machines"),
    ],
)  # fmt: skip
def test_findings_say_what_else_differs(results, per_solver, stated, kind):
    for path, facts in zip(per_solver, stated, strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results.import_file(path, patterns=BY_NAME, stated={"time_limit_s": 100} | facts)
    assert one_fact(results.chosen, kind)


def test_scenarios_and_exports_are_a_source_each(tmp_path, results, per_solver):
    folder = scenario(tmp_path / "SCENARIO", "i,1,a,10,ok")
    add(results, folder, *per_solver, stated={"backend": "x"})
    assert set(results.records["imported_from"]) == {"SCENARIO", "theirs"}


def test_equal_rows_are_named_as_copies(results, tmp_path):
    """Repeats that reach a limit are equal by nature; equal times are not."""
    path = tmp_path / "copied.csv"
    rows = ["f1,alpha,sat,1.25", "f2,alpha,sat,2.5", "f3,alpha,timeout,", "f1,alpha,sat,1.26"]
    path.write_text("\n".join([HEADER, *rows, *rows[:3]]))
    with pytest.warns(UserWarning, match=r"copied.csv: 2 rows are equal to another one .* repeats"):
        results.import_files(path, time_limit=100)
    assert repeats(results) == [(0, 1.25), (1, 1.26), (2, 1.25)]
