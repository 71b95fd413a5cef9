"""Formats of results: each recognises its files among all others, and reads what they state. The
samples in `tests/data` were written by the programs themselves.
"""

import json
import shutil
import warnings
from typing import ClassVar

import polars as pl
import pytest
from aslib_scenario import scenario
from places import DATA

import nqbench
import nqbench as library
from nqbench.addons.importing import detection
from nqbench.addons.importing.base import Format, ResultFile, format_names
from nqbench.addons.importing.csv_columns import Mapped
from nqbench.addons.importing.shell_commands import solver_and_problem
from nqbench.common.errors import InputError

LIMIT = {"time_limit_s": 100.0}

STAREXEC = """pair id,benchmark,benchmark id,solver,solver id,configuration,configuration id,status,cpu time,wallclock time,memory usage,result,expected
1,Q/QF_S/a.smt2,11,cvc,7,default,71,complete,1.5,1.25,624.0,sat,sat
2,Q/QF_S/a.smt2,11,z,8,fast,81,timeout (wallclock),99.0,100.5,1.0,starexec-unknown,sat
3,Q/QF_S/b.smt2,12,cvc,7,default,71,memout,3.0,3.0,1.0,--,starexec-unknown
4,Q/QF_S/b.smt2,12,z,8,default,82,complete,2.0,2.0,1.0,starexec-unknown,starexec-unknown
5,Q/QF_S/c.smt2,13,cvc,7,default,71,run script error,0.1,0.1,1.0,--,unsat
6,Q/QF_S/c.smt2,13,z,8,default,82,complete,4.0,4.5,1.0,unsat,unsat
"""  # noqa: E501

WIDE = """Problem;kissat;cadical
a;1.5;timeout
b;;3
c;120;MEMOUT
d;inf;Not_Applicable
"""

MKPLOT = {"preamble": {"program": "x"}, "stats": {"i": {"status": True, "rtime": 1}}}


@pytest.fixture
def samples(tmp_path):
    """A file of each format, by the name of the format."""
    folder = scenario(tmp_path / "SCENARIO", "i,1,a,10,ok")
    texts = {
        "csv": ("plain.csv", "instance,backend,answer,solve_s\na,x,sat,1\n"),
        "mkplot": ("mkplot.json", json.dumps(MKPLOT)),
        "nqbench": ("export.csv", "run_id,backend,outcome\n"),
        "starexec": ("job.csv", STAREXEC),
    }
    made = {"aslib": folder}
    for name, (file, text) in texts.items():
        made[name] = tmp_path / file
        made[name].write_text(text)
    for name, file in {
        "benchexec": "benchexec.xml",
        "benchexec-table": "benchexec.table.csv",
        "asv": "asv/example",
        "hyperfine": "hyperfine.json",
        "pytest-benchmark": "pytest-benchmark.json",
    }.items():
        made[name] = DATA / file
    return made


def facts(records, *columns):
    return records.select(columns).rows()


def read(path, kind=None, **options):
    return detection.records(path, kind=kind, stated=LIMIT, **options)


def test_each_file_has_one_format(samples):
    found = {name: detection.format_of(ResultFile(path)).name for name, path in samples.items()}
    assert found == {name: name for name in samples}
    assert {*samples, "wide-csv"} == set(format_names())


def test_formats_say_what_their_files_are():
    for name in format_names():
        found = detection.Format.named(name)
        assert isinstance(found, Format)
        assert found.meaning
        assert found.suffixes or name == "aslib"


def test_an_unknown_format_is_named_with_a_suggestion(samples):
    with pytest.raises(InputError, match="did you mean 'hyperfine'"):
        read(samples["hyperfine"], "hyperfin")
    with pytest.raises(InputError, match="unknown parameter 'time': did you mean 'times'"):
        read(samples["hyperfine"], "hyperfine:time=mean")


def test_a_job_of_starexec(samples):
    found = read(samples["starexec"])
    told = facts(found, "instance", "backend", "outcome", "answer", "solve_s", "cpu_s", "memory_kb")
    assert told == [
        ("Q/QF_S/a.smt2", "cvc", "finished", "sat", 1.25, 1.5, 624),
        ("Q/QF_S/a.smt2", "z fast", "timeout", None, None, 99, 1),
        ("Q/QF_S/b.smt2", "cvc", "memout", None, None, 3, 1),
        ("Q/QF_S/b.smt2", "z", "finished", "unknown", 2, 2, 1),
        ("Q/QF_S/c.smt2", "cvc", "crashed", None, None, 0.1, 1),
        ("Q/QF_S/c.smt2", "z", "finished", "unsat", 4.5, 4, 1),
    ]


def test_a_wrong_number_of_starexec_is_named(samples):
    samples["starexec"].write_text(STAREXEC.replace("99.0", "soon"))
    with pytest.raises(InputError, match="row 2: cpu_s is 'soon'"):
        read(samples["starexec"])


def test_a_word_in_a_time_of_starexec_says_how_the_run_ended(samples):
    """As in results of SMT-COMP 2021."""
    samples["starexec"].write_text(STAREXEC.replace("99.0", "TIMEOUT"))
    found = read(samples["starexec"])
    assert facts(found[1:2], "outcome", "cpu_s") == [("timeout", None)]


def test_a_column_for_each_solver(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(WIDE)
    mapped = Mapped.parse({"instance": "Problem"}, {})
    found = read(path, "wide-csv", mapped=mapped)
    assert facts(found, "instance", "backend", "outcome", "answer", "solve_s") == [
        ("a", "kissat", "finished", "unstated", 1.5),
        ("b", "kissat", "crashed", None, None),
        ("c", "kissat", "timeout", None, None),
        ("d", "kissat", "crashed", None, None),
        ("a", "cadical", "timeout", None, None),
        ("b", "cadical", "finished", "unstated", 3),
        ("c", "cadical", "memout", None, None),
        ("d", "cadical", "unavailable", None, None),
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (WIDE.replace("1.5", "soon"), "row 1: kissat is 'soon', which is neither a time nor a"),
        (WIDE.replace(";3", ";-3"), "row 2: cadical is '-3', which is no time"),
        (WIDE.replace("b;;3", "b;3"), "row 2: 2 values, not 3"),
        (WIDE.replace(";kissat", ";"), "column 2 has no name"),
        ("Problem\na\n", "it has no column with the times of a solver"),
        ("", "it is empty"),
    ],
)
def test_a_wide_csv_that_is_none_is_explained(tmp_path, text, why):
    path = tmp_path / "wide.csv"
    path.write_text(text)
    with pytest.raises(InputError) as refused:
        read(path, "wide-csv", mapped=Mapped.parse({"instance": "Problem"}, {}))
    assert why in str(refused.value)


def test_all_times_of_hyperfine_are_repeats_and_exit_statuses_are_answers(samples):
    found = read(samples["hyperfine"])
    (times,) = [each["times"] for each in json.loads(samples["hyperfine"].read_text())["results"]][
        :1
    ]
    first = found.filter(instance="a.cnf")
    assert first["solve_s"].to_list() == times
    assert facts(found, "backend", "instance", "repeat", "answer", "exit_status") == [
        ("./sol", "a.cnf", 0, "sat", 10), ("./sol", "a.cnf", 1, "sat", 10),
        ("./sol", "a.cnf", 2, "sat", 10), ("./sol", "b.cnf", 0, "unsat", 20),
        ("./sol", "b.cnf", 1, "unsat", 20), ("./sol", "b.cnf", 2, "unsat", 20),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("command", "solver", "problem"),
    [
        ("cadical a.cnf > /dev/null", "cadical", "a.cnf"),
        ("cadical -q a.cnf >/dev/null 2>&1", "cadical -q", "a.cnf"),
        ("cadical b.cnf 2>&1 | tail -1", "cadical", "b.cnf"),
        ("kissat b.cnf || true", "kissat", "b.cnf"),
        ("kissat b.cnf; true", "kissat", "b.cnf"),
        ("minisat a.cnf.gz out.txt", "minisat", "a.cnf.gz"),
        ("cadical a.cnf proof.lrat --no-binary", "cadical --no-binary", "a.cnf"),
        ("kissat a.cnf -t 10", "kissat -t 10", "a.cnf"),
        ("minisat < 'my a.cnf'", "minisat", "my a.cnf"),
        ("xzcat fs/a.cnf.xz | cadical -q > log", "cadical -q", "fs/a.cnf.xz"),
        ("./sol --x fs/queens-8", "./sol --x", "fs/queens-8"),
        ("./sol", "./sol", None),
        ("timeout -k 5 60 cadical -q a.cnf >> log 2> err; echo done", "cadical -q", "a.cnf"),
        ("taskset -c 0 nice -n 5 kissat a.cnf &> log", "kissat", "a.cnf"),
        ("cd fs && ulimit -t 60; cadical a.cnf", "cadical", "a.cnf"),
        ("(cadical b.cnf) || true", "cadical", "b.cnf"),
        ("bash -c 'kissat a.cnf > x'", "kissat", "a.cnf"),
        ("sh -ec 'kissat a.cnf'", "kissat", "a.cnf"),
        ("cadical 'my a.cnf' -q", "cadical -q", "my a.cnf"),
        ("OMP_NUM_THREADS=1 cadical a.cnf", "OMP_NUM_THREADS=1 cadical", "a.cnf"),
        ("cadical a.cnf | tee out | tail -1", "cadical", "a.cnf"),
        ("timeout 60", "timeout", "60"),
        ("./sol 'a", "./sol 'a", None),
    ],
)
def test_what_a_shell_does_with_the_output_is_no_solver(command, solver, problem):
    assert solver_and_problem(command) == (solver, problem)


def test_cells_at_the_end_of_a_table_of_benchexec_may_lack(tmp_path):
    """As `table-generator` leaves out those that are empty, and prints a number of any size."""
    lines = [
        "tool\ta 1\ta 1\tb 2\tb 2",
        "run set\tx\tx\ty\ty",
        "t/\tstatus\tcputime (s)\tstatus\tcputime (Gs)",
        "a.yml\ttrue\t1.5\ttrue\t0.0000000022",
        "b.yml\ttrue\t2.5",
    ]
    path = tmp_path / "r.table.csv"
    path.write_text("\n".join(lines) + "\n")
    found = read(path, "benchexec-table")
    rows = sorted(facts(found, "backend", "instance", "cpu_s"))
    assert rows == [
        ("a 1", "t/a.yml", 1.5), ("a 1", "t/b.yml", 2.5), ("b 2", "t/a.yml", pytest.approx(2.2))
    ]  # fmt: skip
    path.write_text("\n".join([*lines, "c.yml\t1\t2\t3\t4\t5"]) + "\n")
    with pytest.raises(InputError, match="6 values, not 5"):
        read(path, "benchexec-table")


def test_columns_of_a_wide_csv_are_ignored_and_its_words_have_meanings(tmp_path, nqbench):
    """As competitions publish it: with a hash, the virtual best solver, and a word of their own."""
    path = tmp_path / "wide.csv"
    path.write_text(
        "hash,instance,alpha,beta,VBS\n11aa,f1.cnf,1.5,BAD,1.5\n22bb,f2.cnf,TIMEOUT,20.5,20.5\n"
    )
    command = ["import", path, "--from", "wide-csv", "--time-limit", "60s", "--results", "w"]
    refused = nqbench(*command)
    assert (refused.returncode, "--ignore" in refused.stderr) == (2, True)
    ignored = [*command, "--ignore", "hash", "--ignore", "VBS"]
    assert "--word WORD=crashed or WORD=wrong" in nqbench(*ignored).stderr
    done = nqbench(*ignored, "--word", "BAD=wrong")
    assert (done.returncode, "1 answer is wrong" in done.stderr) == (0, True), done.stderr
    found = library.read(tmp_path / "w")
    assert sorted(facts(found, "backend", "instance", "outcome", "verdict")) == [
        ("alpha", "f1.cnf", "finished", "unchecked"), ("alpha", "f2.cnf", "timeout", "unchecked"),
        ("beta", "f1.cnf", "finished", "refuted"), ("beta", "f2.cnf", "finished", "unchecked"),
    ]  # fmt: skip
    table = library.Results(tmp_path / "w").summary().sort("backend")
    assert table.select("solved", "wrong", "par2_s").rows() == [
        (1, 0, (1.5 + 120) / 2), (1, 1, (120 + 20.5) / 2),
    ]  # fmt: skip
    unknown = nqbench(*command, "--ignore", "hsh")
    assert (unknown.returncode, "did you mean 'hash'" in unknown.stderr) == (2, True)


@pytest.mark.parametrize("which", ["mean", "median", "min"])
def test_one_figure_of_hyperfine_or_pytest_benchmark(samples, which):
    stated = json.loads(samples["hyperfine"].read_text())["results"]
    found = read(samples["hyperfine"], f"hyperfine:times={which}")
    assert facts(found, "solve_s", "answer") == [
        (each[which], answer) for each, answer in zip(stated, ("sat", "unsat"), strict=True)
    ]
    stated = json.loads(samples["pytest-benchmark"].read_text())["benchmarks"]
    found = read(samples["pytest-benchmark"], f"pytest-benchmark:times={which}")
    assert found["solve_s"].to_list() == [each["stats"][which] for each in stated]


def hyperfine(tmp_path, *results):
    path = tmp_path / "h.json"
    path.write_text(json.dumps({"results": results}))
    return path


def test_commands_of_hyperfine_that_failed_or_say_nothing(tmp_path):
    path = hyperfine(
        tmp_path,
        {"command": "a -q 'x y'", "times": [1, 2, 3], "exit_codes": [0, 1, None]},
        {"command": "b --fast x", "times": [4]},
        {"command": "c", "times": [5], "parameters": {"instance": "z", "n": 10**9}},
    )
    assert facts(read(path), "backend", "instance", "outcome", "answer", "exit_status") == [
        ("a -q", "x y", "finished", "unstated", 0),
        ("a -q", "x y", "crashed", None, 1),
        ("a -q", "x y", "crashed", None, None),
        ("b --fast", "x", "finished", "unstated", 0),
        ("c", "z", "finished", "unstated", 0),
    ]


@pytest.mark.parametrize(
    ("result", "why"),
    [
        ({"command": "a x", "times": ["soon"]}, "row 1: solve_s is 'soon', which is not a number"),
        ({"command": "a x", "times": [[1]]}, "row 1: solve_s is neither a number nor a text"),
        ({"command": "a x", "times": [-1]}, "solve_s is -1.0, which is not allowed"),
        ({"command": "a x"}, "it has no single times: choose times=median or times=mean"),
        ({"command": "a", "times": [1]}, "row 1: instance is missing"),
        ({"times": [1]}, "it is not a file of hyperfine"),
    ],
)
def test_a_file_of_hyperfine_that_is_none_is_explained(tmp_path, result, why):
    with pytest.raises(InputError) as refused:
        read(hyperfine(tmp_path, result))
    assert why in str(refused.value)


def test_benchmarks_of_asv_are_solvers_and_commits_are_versions(samples):
    """Two commits of a folder. The second one has no single times; a benchmark was skipped for one
    parameter, and another one failed.
    """
    with pytest.warns(UserWarning, match="1 benchmark without times is left out"):
        found = read(samples["asv"])
    documents = {
        path.name[:8]: json.loads(path.read_text())
        for path in samples["asv"].glob("*.json")
        if path.name != "machine.json"
    }
    search = found.filter(backend="solving.Search.time_solve").sort("backend_version", "instance")
    assert facts(search, "instance", "repeat", "machine") == 2 * [
        ("n=4, how=fast", 0, "Example CPU, 2 CPUs"), ("n=4, how=slow", 0, "Example CPU, 2 CPUs"),
        ("n=6, how=fast", 0, "Example CPU, 2 CPUs"),
    ]  # fmt: skip
    name = "solving.Search.time_solve"
    medians = [documents[digits]["results"][name][0][:3] for digits in ("a9fe11da", "4d28115f")]
    assert search["solve_s"].to_list() == [*medians[0], *medians[1]]
    assert [version[:33] for version in search["backend_version"].unique().sort()] == [
        "2026-01-01T10:00:00Z a9fe11daf1cc", "2026-01-02T10:00:00Z 4d28115f6899",
    ]  # fmt: skip
    broken = found.filter(backend="solving.time_broken")
    assert facts(broken, "instance", "outcome") == [("solving", "crashed")] * 2
    (first,) = samples["asv"].glob("a9fe11da*")
    with pytest.warns(UserWarning, match="1 benchmark without"):
        every = read(first, "asv:times=all")
    times = documents["a9fe11da"]["results"][name][11]
    assert every.filter(instance="n=4, how=fast")["solve_s"].to_list() == times[0]


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"version": 2', '"version": 1', "asv update"),
        ('"results": {', '"results": [{', "is no result of asv"),
        ("[[4.195300425635651e-05, ", "[[", "3 results of 4"),
        ('"date": 1767261600000', '"date": 1e300', "which is none"),
        ("[[4.195300425635651e-05, ", "[[true, ", "benchmark 'solving.Search.time_solve'"),
    ],
)
def test_a_result_of_asv_that_is_none_is_explained(samples, tmp_path, old, new, why):
    (first,) = samples["asv"].glob("a9fe11da*")
    path = tmp_path / "commit.json"
    text = first.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(InputError, match=why):
        read(path)
    with pytest.raises(InputError, match="name its folder"):
        read(samples["asv"] / "machine.json")


def test_functions_of_pytest_benchmark_are_solvers(samples):
    found = read(samples["pytest-benchmark"])
    assert facts(found.head(4), "backend", "instance", "repeat", "machine") == [
        ("test_kissat", "4", 0, "Example CPU, 2 CPUs"),
        ("test_kissat", "4", 1, "Example CPU, 2 CPUs"),
        ("test_kissat", "4", 2, "Example CPU, 2 CPUs"),
        ("test_kissat", "6", 0, "Example CPU, 2 CPUs"),
    ]
    assert len(found) == 12
    by_name = read(
        samples["pytest-benchmark"],
        mapped=Mapped.parse({}, {"fullname": r".+::test_(?P<backend>.+)\[(?P<instance>.+)\]"}),
    )
    assert set(by_name["instance"]) == {"4", "6"}
    assert set(by_name["backend"]) == {"kissat", "cadical"}


def test_a_table_of_benchexec_says_the_same_as_its_xml(samples):
    """Of two run sets, in the order of the rows of the table."""
    columns = ("instance", "outcome", "answer", "wall_s", "cpu_s", "peak_rss_bytes")
    table = read(samples["benchexec-table"])
    whole = read(samples["benchexec"]).sort("instance").select(columns)
    for solver in ("CaDiCaL sc2021", "Kissat other"):
        assert table.filter(backend=solver).sort("instance").select(columns).equals(whole)


def test_a_table_of_benchexec_with_properties_and_run_sets_of_one_tool(tmp_path):
    path = tmp_path / "p.table.csv"
    shutil.copy(DATA / "benchexec-properties.table.csv", path)
    found = read(path).filter(backend="CaDiCaL sc2021")
    assert facts(found, "instance", "outcome") == [
        ("g/php12.cnf (unreach-call)", "timeout"), ("g/php12.cnf (no-overflow)", "finished"),
        ("g/php8.cnf (unreach-call)", "finished"), ("g/q120.cnf", "memout"),
        ("g/q40.cnf", "finished"),
    ]  # fmt: skip
    path.write_text(
        "tool\tA 1\tA 1\tA 1\tA 1\nrun set\tslow\tslow\tfast\tfast\n"
        "g/\tstatus\twalltime (ms)\tstatus\twalltime (ms)\n"
        "x\ttrue\t1500\tfalse\t20\ny\t\t\ttrue\t3000\n"
    )
    assert facts(read(path), "instance", "backend", "answer", "solve_s") == [
        ("g/x", "A 1 slow", "sat", 1.5),
        ("g/x", "A 1 fast", "unsat", 0.02),
        ("g/y", "A 1 fast", "sat", 3),
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("tool\tA\nrun set\tr\n", "it is not a table of BenchExec"),
        ("tool\tA\nrun set\tr\n\ttime (s)\nx\t1\n", "run set 'r' has no column status"),
        ("tool\tA\nrun set\tr\n\tstatus\nx\ttrue\t1\n", "row 1: 3 values, not 2"),
        (
            "tool\tA\tA\nrun set\tr\tr\n\tstatus\tcputime (s)\nx\ttrue\tsoon\n",
            "row 1: cputime is 'soons', which is not a number",
        ),
    ],
)
def test_a_table_of_benchexec_that_is_none_is_explained(tmp_path, text, why):
    path = tmp_path / "b.csv"
    path.write_text(text)
    with pytest.raises(InputError) as refused:
        read(path)
    assert why in str(refused.value)


class Claims(Format):
    """Recognises everything."""

    meaning = "anything"

    def recognises(self, file):
        return True

    def read(self, file):
        return pl.DataFrame({"instance": ["a"], "backend": ["b"], "answer": ["sat"]} | self.more)

    more: ClassVar = {"solve_s": ["1"]}


class Fails(Claims):
    """Cannot look at files."""

    def recognises(self, file):
        raise RuntimeError("no")


@pytest.fixture
def with_format(monkeypatch):
    installed = [detection.Format.named(name) for name in format_names()]

    def use(kind):
        named = kind("claims")
        monkeypatch.setattr(detection, "_installed", lambda: [*installed, named])

    return use


def test_a_plugin_format_comes_before_a_plain_csv(samples, with_format):
    with_format(Claims)
    assert detection.format_of(ResultFile(samples["csv"])).name == "claims"
    with pytest.raises(InputError, match="choose --from hyperfine or claims"):
        detection.format_of(ResultFile(samples["hyperfine"]))


def test_a_plugin_that_fails_does_not_spoil_other_formats(samples, with_format):
    with_format(Fails)
    with pytest.warns(UserWarning, match="format 'claims' could not look at it: RuntimeError: no"):
        assert detection.format_of(ResultFile(samples["csv"])).name == "csv"


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"solve_s": ["soon"]}, "row 1: solve_s is 'soon'"),
        ({"solve_s": [-1.0]}, "solve_s is -1.0"),
        ({"solve_s": [1.0], "verdict": ["verified"]}, "'verdict' cannot be imported"),
        ({}, "nothing states solve_s"),
    ],
)
def test_what_a_plugin_reads_passes_the_gate(samples, with_format, monkeypatch, more, why):
    monkeypatch.setattr(Claims, "more", more)
    with_format(Claims)
    with pytest.raises(InputError) as refused:
        read(samples["csv"])
    assert why in str(refused.value)


def test_the_command_lists_formats(nqbench_in, tmp_path):
    printed = nqbench_in(tmp_path)("list", "formats", "--json").stdout
    rows = {row["name"]: row for row in json.loads(printed)}
    assert set(rows) == set(format_names())
    assert rows["hyperfine"]["files"] == ".json"
    assert rows["hyperfine"]["parameters"] == "times=all"


def test_every_sample_is_imported_without_naming_its_format(samples, tmp_path):
    results = nqbench.Results(tmp_path / "all")
    paths = [path for name, path in samples.items() if name != "nqbench"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "1 benchmark without times")
        for path in paths:
            limit = None if path == samples["aslib"] else 100
            assert results.import_file(path, time_limit=limit).added > 0
    assert set(results.records["imported_from"]) == {path.name for path in paths}


def test_a_wrong_answer_of_starexec_is_refuted(samples):
    samples["starexec"].write_text(STAREXEC.replace("sat,sat\n2", "sat,unsat\n2"))
    found = read(samples["starexec"])
    assert facts(found, "verdict", "checked_by")[0] == ("refuted", "source")
    assert set(found["verdict"][1:]) == {"unchecked"}
