"""Results of other programs, imported: what the records say, and what is refused."""

import bz2
import json
import lzma

import polars as pl
import pytest
from addons import needs_addon
from made_pages import empty_charts
from made_records import one_fact, record_of
from places import ROOT

import nqbench
from nqbench import summary
from nqbench.addons.importing import detection
from nqbench.addons.importing.csv_columns import Mapped
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import Answer, Outcome
from nqbench.records.store import Store

BENCHEXEC = ROOT / "tests" / "data" / "benchexec.xml"
"""What BenchExec 3.35 wrote about four runs of CaDiCaL, with limits of 2 s and 50 MB."""

TIMES = """Name,Time,Result,Glue
a/php-x1,1.5,SAT,3
a/php-x2,10,UNSAT,4.5
q8-x1,9.999,UNSATISFIABLE,
q8-x2,3,,
q9-x1,,UNKNOWN,
q9-x2,2,UNKNOWN,
"""

MAPPED = Mapped.parse(
    {"solve_s": "Time", "answer": "Result", "glue": "Glue"},
    {"Name": "(?P<instance>.+)-(?P<backend>.+)"},
)


def imported(path, **options):
    return detection.records(path, **options)


@pytest.fixture
def times(tmp_path):
    path = tmp_path / "times.csv"
    path.write_text(TIMES)
    return path


@pytest.fixture
def theirs(times, tmp_path):
    results = nqbench.Results(tmp_path / "theirs")
    results.import_file(
        times,
        columns=MAPPED.columns,
        patterns=MAPPED.patterns,
        time_limit="10s",
    )
    return results


def test_a_csv_says_how_each_run_ended(times):
    """A run that took as long as the limit is a timeout, whatever it answered."""
    found = imported(times, mapped=MAPPED, stated={"time_limit_s": 10.0})
    told = found.select("instance", "backend", "outcome", "answer", "solve_s", "glue").rows()
    assert told == [
        ("a/php", "x1", "finished", "sat", 1.5, 3.0),
        ("a/php", "x2", "timeout", None, None, 4.5),
        ("q8", "x1", "finished", "unsat", 9.999, None),
        ("q8", "x2", "crashed", None, None, None),
        ("q9", "x1", "crashed", None, None, None),
        ("q9", "x2", "finished", "unknown", 2.0, None),
    ]


def test_solver_and_time_need_no_mapping_unless_they_are_stated_otherwise(tmp_path):
    path = tmp_path / "plain.csv"
    path.write_text("solver,instance,time,status\nx1,a,1.5,sat\n")
    found = imported(path, stated={"time_limit_s": 10.0})
    assert found.select("backend", "instance", "solve_s", "answer").row(0) == (
        "x1",
        "a",
        1.5,
        "sat",
    )
    path.write_text("solver,backend,instance,time,wall_s,status\nx1,y1,a,1.5,2.5,sat\n")
    found = imported(path, stated={"time_limit_s": 10.0})
    assert found.select("backend", "solve_s").row(0) == ("y1", 2.5)


SOLVERS = """instance,solver,configuration,answer,time,log
f,a,default,sat,1,1.log
f,a,fast mode,sat,2,2.log
g,a,default,unsat,3,3.log
g,a,fast mode,unsat,4,4.log
g,b,default,unsat,5,5.log
"""


def test_several_columns_may_name_a_solver(tmp_path):
    """As in results of SMT-COMP. A column with + in its name is one column."""
    path = tmp_path / "a.csv"
    path.write_text(SOLVERS)
    names = ["a default", "a fast mode", "a default", "a fast mode", "b default"]
    limit = {"time_limit_s": 10.0}
    for column in ("solver + configuration", "solver+configuration"):
        found = imported(path, mapped=Mapped.parse({"backend": column}, {}), stated=limit)
        assert (found["backend"].to_list(), found["repeat"].to_list()) == (names, [0] * 5)
    with pytest.raises(InputError, match="there is no column 'config': did you mean 'config"):
        imported(path, mapped=Mapped.parse({"backend": "solver+config"}, {}), stated=limit)
    path.write_text(SOLVERS.replace("solver,", "x+y,").replace("default", ""))
    found = imported(path, mapped=Mapped.parse({"backend": "x+y"}, {}), stated=limit)
    assert found["backend"].to_list() == ["a", "a", "a", "a", "b"]
    several = Mapped.parse({"backend": "x+y + configuration"}, {})
    with pytest.raises(InputError, match="there is no column 'x'"):
        imported(path, mapped=several, stated=limit)


def test_a_column_that_tells_repeats_apart_is_named(tmp_path):
    """Its rows are repeats for whoever does not know that it belongs to the solver."""
    path = tmp_path / "a.csv"
    path.write_text(SOLVERS)
    with pytest.warns(UserWarning, match="differ in 'configuration', and count as repeats") as said:
        found = imported(path, stated={"time_limit_s": 10.0})
    assert found["repeat"].to_list() == [0, 1, 0, 1, 0]
    assert str(said[0].message).startswith("4 rows of one problem and solver each")
    assert str(said[0].message).endswith("write --map 'backend=solver + configuration'")
    assert len(said) == 1


def test_numbers_of_configurations_are_named_too(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(SOLVERS.replace("default", "1").replace("fast mode", "2"))
    with pytest.warns(UserWarning, match="differ in 'configuration', and count as repeats"):
        imported(path, stated={"time_limit_s": 10.0})


@pytest.mark.parametrize(
    "text",
    [
        SOLVERS.replace("fast mode", "default"),
        SOLVERS.replace("configuration", "repeat")
        .replace("default", "0")
        .replace("fast mode", "1"),
        SOLVERS.replace("f,a,default", "f,a,7").replace("default", "1").replace("fast mode", "2.5"),
        SOLVERS.replace("configuration", "Run").replace("default", "1").replace("fast mode", "2"),
        SOLVERS.replace("g,a,fast mode", "g,a,default"),
    ],
)
def test_true_repeats_are_not_doubted(tmp_path, text, recwarn):
    """No column differs in all of them, except for one whose values are numbers or never recur."""
    path = tmp_path / "a.csv"
    path.write_text(text)
    imported(path, stated={"time_limit_s": 10.0})
    ignored = Mapped.parse({}, {}, ignored=["configuration"])
    path.write_text(SOLVERS)
    imported(path, mapped=ignored, stated={"time_limit_s": 10.0})
    assert not recwarn.list


def test_par_2_of_imported_runs_is_that_of_the_file(theirs):
    """By hand: x1 1.5, 9.999, and 20 for what it did not solve; x2 20 each time."""
    table = theirs.summary()
    assert dict(table.select("backend", "par2_s").rows()) == {
        "x1": pytest.approx((1.5 + 9.999 + 20) / 3),
        "x2": 20,
    }


@needs_addon("compare")
def test_what_was_measured_here_can_be_compared_with_what_was_imported(theirs, tmp_path):
    """Under the same names, since each side is named."""
    own = nqbench.Results(tmp_path / "own")
    with Store(own.source / "nqbench.db") as store:
        store.add(record_of(8, solve_s=1.0))
    (tmp_path / "other.csv").write_text(
        "family,n,encoding,backend,answer,solve_s\nqueens,8,pairwise,glucose4,sat,2\n"
    )
    other = nqbench.Results(tmp_path / "other")
    machine = own.records["machine"].item()
    other.import_file(tmp_path / "other.csv", time_limit=60, stated={"machine": machine})
    assert own.compare(other).times.table["backend"].to_list() == ["glucose4"]
    assert len(own.compare(other).missing) == 0


def test_results_of_benchexec(tmp_path):
    """True is satisfiable, false is not; limits and their units; the reason for an early end."""
    found = imported(BENCHEXEC)
    told = found.sort("instance").select("instance", "outcome", "answer", "wall_s", "cpu_s")
    assert told.rows() == [
        ("g/php12.cnf", "timeout", None, 3.017049948000931, 2.894080442),
        ("g/php8.cnf", "finished", "unsat", 0.2809468490013387, 0.263507942),
        ("g/q120.cnf", "memout", None, 0.08896320100029698, 0.077473131),
        ("g/q40.cnf", "finished", "sat", 0.08686274699721253, 0.070489832),
    ]
    common = ("backend", "backend_version", "time_limit_s", "cpu_limit_s", "memory_limit_bytes")
    assert found.select(common).unique().rows() == [("CaDiCaL", "sc2021", 2.0, 2.0, 50_000_000)]
    assert found["solve_s"].drop_nulls().sort().to_list() == sorted(
        told.filter(outcome="finished")["wall_s"]
    )
    for suffix, pack in ((".bz2", bz2.compress), (".xz", lzma.compress)):
        packed = tmp_path / f"result.xml{suffix}"
        packed.write_bytes(pack(BENCHEXEC.read_bytes()))
        drop = ("imported_from", "run_id", "machine")
        assert imported(packed).drop(drop).equals(found.drop(drop))


def test_a_run_that_only_waits_is_within_a_limit_of_cpu_time(tmp_path):
    slow = tmp_path / "slow.xml"
    waited = BENCHEXEC.read_text().replace("0.08686274699721253s", "2.5s")
    slow.write_text(waited)
    assert imported(slow).filter(instance="g/q40.cnf")["outcome"].item() == Outcome.FINISHED
    slow.write_text(waited.replace("0.070489832s", "2.001s"))
    assert imported(slow).filter(instance="g/q40.cnf")["outcome"].item() == Outcome.TIMEOUT


def test_names_can_be_shortened(tmp_path):
    mapped = Mapped.parse({}, {"instance": ".*/(?P<instance>.+)"})
    assert set(imported(BENCHEXEC, mapped=mapped)["instance"]) == {
        "php8.cnf", "php12.cnf", "q40.cnf", "q120.cnf",
    }  # fmt: skip


ARFF = """@RELATION ALGORITHM_RUNS
@ATTRIBUTE instance_id STRING
@ATTRIBUTE repetition NUMERIC
@ATTRIBUTE algorithm STRING
@ATTRIBUTE runtime NUMERIC
@ATTRIBUTE runstatus {ok, timeout, memout, not_applicable, crash, other}
@DATA
'a, b',1,one,2,ok
'a, b',1,two,10,ok
c,1,one,100,timeout
c,1,two,30,ok
d,1,one,100,timeout
d,1,two,5,memout
"""


@pytest.fixture
def scenario(tmp_path):
    folder = tmp_path / "SCENARIO"
    folder.mkdir()
    (folder / "algorithm_runs.arff").write_text(ARFF)
    (folder / "description.txt").write_text(
        "scenario_id: S\nalgorithm_cutoff_time: 100.0\nalgorithm_cutoff_memory: '?'\n"
    )
    return folder


def test_a_scenario_of_aslib(scenario):
    """An answer that nobody states still counts as solved."""
    found = imported(scenario)
    assert found.select("instance", "backend", "outcome", "answer").rows() == [
        ("a, b", "one", "finished", "unstated"),
        ("a, b", "two", "finished", "unstated"),
        ("c", "one", "timeout", None),
        ("c", "two", "finished", "unstated"),
        ("d", "one", "timeout", None),
        ("d", "two", "memout", None),
    ]
    assert set(found["memory_limit_bytes"]) == {None}


def test_single_best_over_virtual_best(scenario, tmp_path):
    """By hand, of the two instances that somebody solved: two takes 10 and 30, the best 2 and 30;
    with all three, the last costs 1000.
    """
    results = nqbench.Results(tmp_path / "s", where="known_answer IS NOT NULL")
    nqbench.Results(tmp_path / "s").import_file(scenario)
    best = results.summary(table="portfolio", par=10).row(0, named=True)
    assert (best["backend"], best["par10_s"], best["vbs_par10_s"]) == ("two", 20, 16)
    assert best["over_vbs"] == pytest.approx(20 / 16)
    every = nqbench.Results(tmp_path / "s").summary(table="portfolio", par=10)
    assert every["vbs_par10_s"].to_list() == [pytest.approx(1032 / 3)] * 2
    with pytest.raises(InputError, match="par is for the tables"):
        results.summary(table="pairs", par=10)


def test_mkplot_files_that_nqbench_wrote_have_the_same_par_2(theirs, tmp_path):
    theirs.export("mkplot", tmp_path / "mkplot")
    back = nqbench.Results(tmp_path / "back")
    for path in sorted((tmp_path / "mkplot").glob("*.json")):
        back.import_file(path, time_limit=10)
    solved = {row["backend"]: row["solved"] for row in back.summary().iter_rows(named=True)}
    assert solved == {"x1": 2, "x2": 0}


def test_contradicting_answers_are_reported_whoever_gave_them(theirs, tmp_path):
    says = tmp_path / "other.csv"
    says.write_text("instance,backend,answer,solve_s\na/php,x3,unsat,1\n")
    theirs.import_file(says, time_limit=10)
    fact = one_fact(theirs.chosen, "contradiction")
    assert (fact.problem, fact.answers) == ("a/php", {"sat": ["x1"], "unsat": ["x3"]})


def test_sources_of_one_name_are_told_apart(theirs, times):
    again = {"columns": MAPPED.columns, "patterns": MAPPED.patterns, "time_limit": "10s"}
    theirs.import_file(times, source="another", **again)
    assert set(theirs.records["backend"]) == {
        "x1 [another]", "x1 [times.csv]", "x2 [another]", "x2 [times.csv]",
    }  # fmt: skip


@needs_addon("compare")
def test_every_output_says_that_it_was_not_measured_here(theirs, tmp_path, nqbench_in):
    mark = "not measured here, answers not checked here"
    assert mark in theirs.findings()[-1]
    figure = theirs.plot("cactus")
    shown = " ".join(
        text.get_text() for text in figure.findobj(match=lambda a: hasattr(a, "get_text"))
    )
    assert mark in " ".join(shown.split())
    assert mark in figure.caption
    for kind, table in (("latex", "overview"), ("markdown", "best")):
        assert mark in theirs.summary_text(kind, table=table)
    for table in ("pairs", "best", "portfolio"):
        printed = nqbench_in(tmp_path)("summary", "--results", "theirs", f"--{table}").stdout
        assert mark in " ".join(printed.split())
    assert mark in nqbench_in(tmp_path)("compare", "theirs", "theirs").stderr
    page = theirs.report(tmp_path / "page.html").read_text()
    assert mark in page
    rows = map(json.loads, theirs.export("jsonl").splitlines())
    assert {row["imported_from"] for row in rows} == {"times.csv"}


def test_imported_runs_are_counted_by_source():
    sources = pl.DataFrame({"imported_from": [None, "a", "a", "b"]})
    assert summary.imported(sources) == {"a": 2, "b": 1}


@pytest.mark.parametrize(
    ("header", "row", "why"),
    [
        ("instance,backend,answer,solve_s", "a,x,sat,nan", "line 2: solve_s"),
        ("instance,backend,answer,solve_s", "a,x,sat,1e400", "solve_s"),
        ("instance,backend,outcome,solve_s", "a,x,gone,1", "outcome is 'gone', not one of"),
        ("instance,backend,answer,solve_s,conflicts", "a,x,sat,1,1.5", "conflicts is '1.5'"),
        ("instance,backend,solve_s", "a,x,1", "nothing states answer or outcome"),
        ("instance,answer,solve_s", "a,sat,1", "nothing states backend"),
        ("backend,answer,solve_s", "x,sat,1", "nothing states instance or n"),
        ("instance,backend,answer", "a,x,sat", "nothing states solve_s"),
    ],
)
def test_what_no_run_leaves_is_refused_with_its_place(tmp_path, header, row, why):
    path = tmp_path / "bad.csv"
    path.write_text(f"{header}\n{row}\n")
    with pytest.raises(InputError) as refused:
        imported(path, stated={"time_limit_s": 10.0})
    assert str(path) in str(refused.value)
    assert why in str(refused.value)


def test_a_file_without_a_limit_is_refused(times):
    with pytest.raises(InputError, match="nothing states time_limit_s"):
        imported(times, mapped=MAPPED)


@pytest.mark.parametrize(
    ("columns", "patterns", "why"),
    [
        ({"run_id": "Name"}, {}, "'run_id' cannot be imported"),
        ({"verdict": "Result"}, {}, "'verdict' cannot be imported"),
        ({}, {"Name": "(.+)-(.+)"}, "names no field"),
        ({"instance": "Nam"}, {}, "there is no column 'Nam': did you mean 'Name'?"),
        ({}, {"Name": "(?P<instance>[a-z]+)-(?P<backend>.+)"}, "line 2: Name is 'a/php-x1', which"),
        ({}, {"Name": "(?P<instance>.+)-(?P<backend>.+"}, "is not a regular expression"),
    ],
)
def test_wrong_mappings_are_explained(times, columns, patterns, why):
    with pytest.raises(InputError) as refused:
        imported(times, mapped=Mapped.parse(columns, patterns), stated={"time_limit_s": 10.0})
    assert why in str(refused.value)


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.xml", b"<result", "it is not XML"),
        ("a.xml", b"<page/>", "it is not a result of BenchExec"),
        ("a.xml.bz2", b"not packed", "corrupt archive"),
        ("a.json", b"[1, 2]", "it is not JSON of a known format (asv, hyperfine, mkplot, "),
        ("a.json", b'{"benchmarks": [1], "machine_info": {}}', "it is not a file of pytest-bench"),
        ("a.json", b'{"preamble": {}, "stats": {}}', "its preamble names no program"),
        ("a.csv", b"", "a.csv"),
        ("a.csv", b"\xff\xfe\x00", "a.csv"),
    ],
)
def test_other_files_are_refused(tmp_path, name, content, why):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError) as refused:
        imported(path, stated={"time_limit_s": 10.0})
    assert why in str(refused.value)


def test_entities_do_not_expand_without_end(tmp_path):
    bomb = tmp_path / "bomb.xml"
    layers = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 12))
    bomb.write_text(f'<!DOCTYPE r [<!ENTITY e0 "ha">{layers}]><result tool="&e11;"/>')
    with pytest.raises(InputError, match="it is not XML"):
        imported(bomb)


def test_no_solver_here_can_leave_its_answer_unstated():
    with pytest.raises(InputError, match="answer is unstated, but imported_from is missing"):
        nqbench.records.rows.check(record_of(8, answer=Answer.UNSTATED))


def test_a_summary_reads_only_what_it_needs_and_says_the_same(theirs, tmp_path):
    """From the store and from each export, whether all columns were read before or not."""
    theirs.export("csv", tmp_path / "e.csv")
    theirs.export("parquet", tmp_path / "e.parquet")
    theirs.export("jsonl", tmp_path / "e.jsonl")
    exports = [(tmp_path / f"e.{kind}", ["pairs"]) for kind in ("csv", "parquet", "jsonl")]
    for source, tables in [(theirs.source, ["overview", "pairs", "portfolio"]), *exports]:
        narrow, whole = nqbench.Results(source), nqbench.Results(source)
        assert len(whole.records.columns) > 60
        assert len(narrow.records_for().columns) < 2 / 3 * len(whole.records.columns)
        for table in tables:
            assert narrow.summary(table=table).equals(whole.summary(table=table))
        assert "glue" in whole.records.columns
        assert "glue" in narrow.records_for("glue").columns


def test_a_page_of_very_many_runs_shows_a_sample(monkeypatch, tmp_path):
    """All runs of some problems, the same ones each time, and it says how many."""
    monkeypatch.setattr("nqbench.show.report.contents._MOST_RUNS", 40)
    path = tmp_path / "many.csv"
    rows = (f"f{i},{s},sat,{1 + i}" for i in range(50) for s in ("x", "y"))
    path.write_text("\n".join(["instance,backend,answer,solve_s", *rows]))
    many = nqbench.Results(tmp_path / "many")
    many.import_file(path, time_limit=100)
    with empty_charts():
        page = many.report(tmp_path / "page.html").read_text()
        again = many.report(tmp_path / "again.html").read_text()
    assert "This page shows 20 of the 50 formulas, with all their runs." in page
    assert page == again
