"""Files of other programs, and names of files, that once ended in a traceback or lost runs."""

import json
import os
import subprocess
import sys

import polars as pl
import pytest
from addons import is_here, needs_addon
from made_records import record_of

import nqbench
from nqbench.common import files
from nqbench.common.errors import InputError
from nqbench.problems.queens import Queens
from nqbench.records import formats, frame, sources
from nqbench.show.boards import figure
from nqbench.show.boards.scene import Scene
from nqbench.summary.other_tools import to_mkplot

if is_here("importing"):
    from nqbench.addons.importing import benchexec, detection

LIMIT = {"time_limit_s": 1000.0}
LONG = "a" * 300


def run(*columns, name="a.cnf"):
    every = [("status", "true"), ("walltime", "1s"), *columns]
    cells = "".join(f'<column title="{title}" value="{value}"/>' for title, value in every)
    return f'<run name="{name}">{cells}</run>'


def xml(runs, prolog="", **facts):
    stated = "".join(f' {name}="{value}"' for name, value in facts.items())
    return f'{prolog}<result toolmodule="t" tool="T"{stated}>{runs}</result>'


def refused(path, stated=LIMIT):
    with pytest.raises(InputError) as error:
        detection.records(path, stated=stated)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)
    return str(error.value)


@needs_addon("importing")
@pytest.mark.parametrize(
    ("title", "value", "why"),
    [
        ("memory", "inf", "memory is 'inf', which is not an integer"),
        ("memory", "9e999B", "memory is '9e999B'"),
        ("memory", "1e30B", "memory is '1e30B'"),
        ("returnvalue", "9" * 30, "returnvalue is '999"),
        ("exitsignal", "NaN", "exitsignal is 'NaN'"),
        ("walltime", "1.2.3s", "walltime is '1.2.3s', which is not a number"),
        ("cputime", "Infinity", "cputime is 'Infinity'"),
        ("cputime", "5 parsecs", "cputime is '5 parsecs'"),
        ("conflicts", "1.5", "conflicts is '1.5', which is not an integer"),
    ],
)
def test_a_number_of_benchexec_that_is_none_is_named(tmp_path, title, value, why):
    path = tmp_path / "a.xml"
    path.write_text(xml(run(name="b.cnf") + run((title, value))))
    assert f"row 2: {why}" in refused(path)


@needs_addon("importing")
@pytest.mark.parametrize("value", ["inf", "1.2.3", "15 apples", "1e400s"])
@pytest.mark.parametrize("limit", ["timelimit", "walltimelimit", "memlimit"])
def test_a_limit_of_benchexec_that_is_no_number_is_named(tmp_path, limit, value):
    path = tmp_path / "a.xml"
    path.write_text(xml(run(), **{limit: value}))
    assert f"{limit} is '{value}'" in refused(path)


@needs_addon("importing")
@pytest.mark.parametrize(
    "name", ["n", "verdict", "run_id", "instance", "solve_s", "seed", "time_s"]
)
def test_a_column_of_benchexec_with_a_name_of_ours_is_another_measure(tmp_path, name):
    path = tmp_path / "a.xml"
    path.write_text(xml(run((name, "7"))))
    found = detection.records(path, stated=LIMIT)
    assert found[f"benchexec_{name}"].to_list() == [7]
    assert found.select("n", "instance", "verdict", "solve_s", "seed").rows() == [
        (None, "a.cnf", "unchecked", 1, 0)
    ]


@needs_addon("importing")
def test_columns_of_benchexec_keep_all_their_numbers():
    """Those with the name of a count are counts; no two share a measure; texts are left out."""
    columns = [("a-b", "1"), ("a_b", "2"), ("a b", "3kB"), ("conflicts", "5"), ("x", "inf")]
    table = benchexec.read(xml(run(*columns), timelimit="2min").encode())
    row = table.row(0, named=True)
    assert [row[name] for name in ("a_b", "a_b_2", "a_b_3")] == [1, 2, 3000]
    assert (row["conflicts"], row["time_limit_s"]) == (5, 120)
    assert "x" not in row


@needs_addon("importing")
@pytest.mark.parametrize(
    "encoding", ["foo", "utf-7", "rot13", "gb2312", "utf-16", "undefined", "idna", "hex", "mbcs"]
)
def test_an_encoding_that_xml_cannot_have_is_refused(tmp_path, encoding):
    path = tmp_path / "a.xml"
    path.write_text(xml(run(), f'<?xml version="1.0" encoding="{encoding}"?>'))
    assert "it is not XML: " in refused(path)


@needs_addon("importing")
def test_a_text_in_another_encoding_is_read(tmp_path):
    path = tmp_path / "a.xml"
    prolog = '<?xml version="1.0" encoding="latin-1"?>'
    path.write_bytes(xml(run(name="é.cnf"), prolog).encode("latin-1"))
    assert detection.records(path, stated=LIMIT)["instance"].to_list() == ["é.cnf"]


@needs_addon("importing")
@pytest.mark.parametrize(
    "declared", ['<!ENTITY e "ha">', '<!ENTITY e SYSTEM "file:///etc/passwd">', '<!ENTITY % e "x">']
)
def test_an_entity_is_refused(tmp_path, declared):
    path = tmp_path / "a.xml"
    path.write_text(f"<!DOCTYPE result [{declared}]>{xml(run())}")
    assert "declares no entities: 'e' is one" in refused(path)


@needs_addon("importing")
def test_runs_in_runs_are_refused_and_other_elements_may_be_nested(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(xml("<run name='a'>" * 50_000 + "</run>" * 50_000))
    assert "row 1: a run is inside of this run" in refused(path)
    path.write_text(xml("<g>" * 100_000 + run() + "</g>" * 100_000))
    assert len(detection.records(path, stated=LIMIT)) == 1


@needs_addon("importing")
def test_each_cell_of_benchexec_is_read_once():
    """So a file twice as long takes twice the calls."""

    def calls(runs):
        document = benchexec._Document(xml(run() * runs).encode())
        return sum(len(each.values) for each in document.runs)

    assert calls(200) == 2 * calls(100) == 400


@needs_addon("importing")
def test_files_with_a_name_for_each_row_are_refused_before_tables_are_made(tmp_path):
    """A column for each of many rows would be a table of that many cells squared."""
    path = tmp_path / "a.xml"
    path.write_text(xml("".join(run((f"t{i}", "1"), name=f"{i}") for i in range(1200))))
    assert "more than 1000 columns" in refused(path)
    path = tmp_path / "a.jsonl"
    line = formats.to_jsonl(frame.of([record_of(8)])).decode().rstrip()[:-1]
    path.write_text("\n".join(f'{line},"m{i}":1}}' for i in range(1200)))
    assert "more than 1000 measures" in refused(path, None)


HEAD = """@relation r
@ATTRIBUTE instance_id STRING
@attribute repetition numeric
@attribute "algorithm" string
@attribute runtime numeric
@attribute runstatus {ok}
@attribute more string
@data
"""


@pytest.fixture
def scenario(tmp_path):
    def made(arff, description="algorithm_cutoff_time: 100\n"):
        folder = tmp_path / "S"
        folder.mkdir(exist_ok=True)
        (folder / "description.txt").write_text(description)
        (folder / "algorithm_runs.arff").write_bytes(arff.encode())
        return folder

    return made


@needs_addon("importing")
@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("a,1,x,1.2.3,ok,", "line 10: runtime is '1.2.3', which is not a number"),
        ("a,1,x,inf,ok,", "line 10: runtime is 'inf'"),
        ("a,1.2.3,x,1,ok,", "line 10: repetition is '1.2.3', which is not an integer"),
        ("a,-9223372036854775808,x,1,ok,", "line 10: repetition is '-9223372036854775808'"),
        ("a,1,x,1,ok", "line 10: 5 values, not 6"),
        ("a,1,x,1,ok,,", "line 10: 7 values, not 6"),
        ("'a,1,x,1,ok,", "line 10: a quote is not closed"),
        ("'a'b,1,x,1,ok,", "line 10: a quote is not closed, or ends inside of a value"),
        ("{0 a, 1 1}", "line 10: sparse"),
        ("a,1,x,1,perhaps,", "line 10: outcome is 'perhaps'"),
        ("a\0,1,x,1,ok,", "line 10: a NUL character"),
        ("b,1,x,1,ok,", "line 10: the same run and repeat as in a row before"),
        (",1,x,1,ok,", "line 10: instance is missing"),
        ("a,1,x,?,ok,", "line 10: solve_s is missing"),
        (f"{'a' * 300_000},1,x,1,ok,", "line 10: instance is 'aaa"),
    ],
)
def test_a_row_of_aslib_that_is_none_is_named(scenario, row, why):
    assert why in refused(scenario(f"{HEAD}b,1,x,1,ok,\n{row}\n"), None)


@needs_addon("importing")
def test_values_of_aslib_may_be_quoted_in_each_way_and_long(scenario):
    rows = [r"'it\'s'", "'it''s too'", '"it\'s, 3"', "o'brien", "é", "a\u2028b"]
    more = f"'{'y' * 300_000}'"
    data = "".join(f"{each},1,x,1,ok,{more}\n" for each in rows)
    found = detection.records(scenario(f"{HEAD}% comment\n\n{data}"))
    assert found["instance"].to_list() == ["it's", "it's too", "it's, 3", "o'brien", "é", "a?b"]


@needs_addon("importing")
@pytest.mark.parametrize(
    ("arff", "description", "why"),
    [
        (HEAD.replace("@data", ""), "", "it has no @DATA"),
        ("@data\n1,2\n", "", "it has no attribute instance_id"),
        (HEAD.replace("runtime", "runstatus"), "", "no attribute with a time after algorithm"),
        (
            HEAD.replace('@attribute "algorithm" string\n', "").replace(
                "@data", "@attribute algorithm string\n@data"
            ),
            "",
            "no attribute with a time after algorithm",
        ),
        (HEAD, "algorithm_cutoff_time: 1.2.3\n", "algorithm_cutoff_time is '1.2.3'"),
        (HEAD, "algorithm_cutoff_time: .inf\n", "algorithm_cutoff_time is '.inf'"),
        (HEAD, "algorithm_cutoff_time: 1\nalgorithm_cutoff_memory: 1e400\n", "memory is '1e400'"),
        (HEAD, "algorithm_cutoff_time: 1\nalgorithm_cutoff_memory: 1e30\n", "memory is 1e+30"),
    ],
)
def test_a_scenario_without_what_is_needed_says_so(scenario, arff, description, why):
    given = [description] if description else []
    assert why in refused(scenario(arff + "a,1,x,1,ok,\n", *given), None)


@needs_addon("importing")
@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("a,x,sat,inf", "line 3: solve_s is inf"),
        ("a,x,sat,true", "line 3: solve_s is 'true'"),
        ("a,x,sat,1_0", "line 3: solve_s is '1_0'"),
        ("a,x,sat", "line 3: 3 values, not 4"),
        ("a,x,sat,1,5", "line 3: 5 values, not 4"),
        ('"a,x,sat,1', "line 3: a quote is not closed"),
        ("a\0,x,sat,1", "line 3: a NUL character"),
        ("a\xe9,x,sat,1", "line 3: not in UTF-8, at byte 0xe9"),
        ("a,x,sat,-2", "line 3: solve_s is -2.0, which is not allowed"),
    ],
)
def test_a_row_of_a_csv_that_is_none_is_named(tmp_path, row, why):
    path = tmp_path / "a.csv"
    path.write_bytes(f"instance,backend,answer,solve_s\nb,x,sat,1\n{row}\n".encode("latin-1"))
    assert why in refused(path)


@needs_addon("importing")
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_csv_may_have_a_byte_order_mark(tmp_path, encoding):
    path = tmp_path / "a.csv"
    path.write_bytes("instance,backend,answer,solve_s,,\né,x,sat,1,,\n".encode(encoding))
    assert detection.records(path, stated=LIMIT)["instance"].to_list() == ["é"]


@needs_addon("importing")
def test_a_csv_with_two_columns_of_a_name_that_is_used_is_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("instance,backend,answer,solve_s,solve_s\na,x,sat,1,2\n")
    assert "two columns are named 'solve_s'" in refused(path)


@needs_addon("importing")
@pytest.mark.parametrize(
    ("run", "why"),
    [
        ({"status": True, "rtime": True}, "row 2: rtime is 'true', which is not a number"),
        ({"status": True, "rtime": "inf"}, "row 2: rtime is 'inf'"),
        ({"status": True, "rtime": float("inf")}, "'rtime' is not a finite number"),
        ({"status": True, "rtime": 10**400}, "row 2: rtime is '1000"),
        ({"status": True, "rtime": [1]}, "row 2: rtime is neither a number nor a text"),
        ({"status": True}, "row 2: rtime is missing"),
        ({"status": "yes", "rtime": 1}, "row 2: status is 'yes', which is neither true nor false"),
        ({"status": True, "rtime": -1}, "row 2: solve_s is -1.0"),
    ],
)
def test_an_instance_of_mkplot_that_is_none_is_named(tmp_path, run, why):
    path = tmp_path / "a.json"
    stats = {"b": {"status": True, "rtime": 1}, "a": run}
    path.write_text(json.dumps({"preamble": {"program": "x"}, "stats": stats}))
    assert why in refused(path)


@needs_addon("importing")
def test_an_export_with_another_shape_names_the_row(tmp_path):
    header, row, *_ = formats.to_csv(frame.of([record_of(8)])).decode().splitlines()
    path = tmp_path / "e.csv"
    path.write_text(f"{header}\n{row}\n{row},5\n")
    assert "row 2: " in refused(path, None)
    path.write_text(f'{header}\n"{row}\n')
    assert "row 1: a quote is not closed" in refused(path, None)


def test_a_damaged_parquet_file_prints_nothing(tmp_path, capfd):
    """Polars prints a trace of Rust for some damaged files. Each starts a process of Polars."""
    content = bytearray(formats.to_parquet(frame.of([record_of(n) for n in range(4, 8)])))
    refused_files = 0
    for at in range(4, len(content), 2960):
        spoiled = content[:at] + b"\xff\xff\xff" + content[at + 3 :]
        try:
            sources.parsed("e.parquet", bytes(spoiled))
        except InputError:
            refused_files += 1
    assert refused_files > 0
    assert capfd.readouterr().err == ""


ALIKE = ["glucose+", "glucose*", "glucose_", "Glucose_", "glucose_-2", "é", "e\u0301", "..", "x/y"]


@needs_addon("importing")
def test_no_two_combinations_share_a_file_for_mkplot(tmp_path):
    backends = [*ALIKE, "x" * 9000, "x" * 9001]
    path = tmp_path / "a.csv"
    rows = [f"f,{backend},sat,1" for backend in backends]
    path.write_text("\n".join(["instance,backend,answer,solve_s", *rows]))
    results = nqbench.Results(tmp_path / "r")
    results.import_file(path, time_limit=10)
    written = results.export("mkplot", tmp_path / "mkplot")
    found = [json.loads(each.read_bytes()) for each in (tmp_path / "mkplot").iterdir()]
    assert {each["preamble"]["program"] for each in found} == set(backends)
    assert len({name.casefold() for name in written}) == len(backends)


@needs_addon("importing")
def test_no_source_of_a_combination_is_lost_for_mkplot(tmp_path):
    results = nqbench.Results(tmp_path / "r")
    for name, time in (("a.csv", 1), ("b.csv", 2)):
        (tmp_path / name).write_text(f"instance,backend,answer,solve_s\nf,x,sat,{time}\n")
        results.import_file(tmp_path / name, time_limit=10)
    every = [json.loads(each) for each in results.export("mkplot").values()]
    assert [run["rtime"] for each in every for run in each["stats"].values()] == [1, 2]


def test_problems_of_one_name_are_told_apart_for_mkplot():
    every = frame.of([record_of(8, family=family, instance="f") for family in ("cnf", "tori")])
    records = every.with_columns(n=pl.lit(None, pl.Int64))
    (content,) = to_mkplot(records).values()
    assert len(json.loads(content)["stats"]) == 2


def test_file_names_are_distinct_and_short_enough():
    texts = [
        *ALIKE,
        "a//b",
        "a/",
        "",
        ".",
        "-",
        "\ud800",
        "é" * 300,
        "é" * 301,
        "A",
        "a",
        "ﬁ",
        "fi",
    ]
    names = files.distinct_names(texts, ".json")
    assert set(names) == set(texts)
    assert len({files._fold_name(name) for name in names.values()}) == len(texts)
    assert all(len(name.encode()) < 255 and "/" not in name for name in names.values())


def test_a_png_is_a_png_whatever_the_name_of_its_file(tmp_path):
    figure.write_png(Scene(Queens(4)), tmp_path / "x.txt")
    assert (tmp_path / "x.txt").read_bytes().startswith(b"\x89PNG")


def words(command):
    return " ".join(map(str, command))


READING = [
    ("decode", "--n", 4),
    ("import",),
    ("import", "--from", "benchexec"),
    ("reencode", "--list"),
    ("replay",),
    ("run",),
    ("solve", "--board"),
    pytest.param(("compare", "e.csv"), marks=needs_addon("compare")),
]
WRITING = [
    ("solve", "--n", 4, "--png"),
    ("solve", "--n", 4, "--svg"),
    ("board", "--n", 4, "--json"),
    ("encode", "--n", 4, "--output"),
    ("schema", "--output"),
    ("export", "--results", "e.csv", "--format", "csv", "--output"),
    ("export", "--results", "e.csv", "--format", "mkplot", "--output"),
    ("report", "--results", "e.csv", "--output"),
    ("plot", "--results", "e.csv", "--kind", "time-over-n", "--output"),
]


@pytest.fixture
def exported(tmp_path):
    (tmp_path / "e.csv").write_bytes(formats.to_csv(frame.of([record_of(8), record_of(9)])))


@needs_addon("importing")
@pytest.mark.parametrize("command", [*READING, *WRITING], ids=words)
def test_a_name_that_is_too_long_is_a_line(nqbench, exported, command):
    done = nqbench(*command, LONG)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "File name too long" in done.stderr


@needs_addon("importing")
@pytest.mark.parametrize("command", READING, ids=words)
@pytest.mark.parametrize("kind", ["memory", "folder", "device", "pipe"])
def test_a_failed_read_is_said_to_be_one_at_once(nqbench, tmp_path, exported, command, kind):
    os.mkfifo(tmp_path / "pipe")
    path = {"memory": "/proc/self/mem", "folder": "/", "device": "/dev/zero", "pipe": "pipe"}[kind]
    done = nqbench(*command, path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "write" not in done.stderr
    assert path in done.stderr


@pytest.mark.parametrize("command", WRITING, ids=words)
def test_a_pipe_that_nobody_reads_is_not_waited_for(nqbench, tmp_path, exported, command):
    os.mkfifo(tmp_path / "pipe")
    done = nqbench(*command, "pipe")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "pipe" in done.stderr


def test_a_pipe_that_the_shell_has_opened_is_read(nqbench, tmp_path):
    (tmp_path / "out").write_text("s SATISFIABLE\nv 1 0\n")
    script = f"{sys.executable} -m nqbench decode --n 1 <(cat out)"
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, "Q\n"), done.stderr


def test_a_pipe_with_a_reader_is_written_to(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    files.write(tmp_path / "pipe", b"all of it")
    assert os.read(reader, 100) == b"all of it"
    os.close(reader)


def test_a_name_of_as_many_bytes_as_a_name_may_have_is_written(tmp_path):
    path = tmp_path / ("♛" * 85)
    files.write(path, b"1")
    assert path.read_bytes() == b"1"
    assert len(list(tmp_path.iterdir())) == 1


def fail_after(_):
    raise ValueError("half")


def test_nothing_is_left_of_a_picture_that_failed(tmp_path):
    (tmp_path / "x").write_text("before")
    with pytest.raises(ValueError, match="half"), files.written(tmp_path / "x") as file:
        fail_after(file.write(b"half"))
    assert (tmp_path / "x").read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 1
