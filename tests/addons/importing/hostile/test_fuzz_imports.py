"""Hundreds of damaged files of other programs: each is imported whole, or refused in one line."""

import bz2
import gzip
import json
import random
import re

import pytest
from made_records import record_of
from places import DATA

from nqbench.addons.importing import detection
from nqbench.common.errors import InputError
from nqbench.records import formats, frame

MANY = 20
MANY_PARQUET = 8  # each starts a process of Polars
LIMIT = {"time_limit_s": 1000.0}

CSV = '''instance,backend,answer,solve_s,conflicts,repeat,note
a,x,sat,1.5,10,0,"one, two"
b,x,unsat,2,20,0,"said ""no"""
a,y,,1000,,0,
b,y,unknown,3,5,0,plain
'''

ARFF = """@RELATION R
@ATTRIBUTE instance_id STRING
@ATTRIBUTE repetition NUMERIC
@ATTRIBUTE algorithm STRING
@ATTRIBUTE runtime NUMERIC
@ATTRIBUTE runstatus {ok, timeout, memout, not_applicable, crash, other}
% a comment
@DATA
'a, b',1,one,2,ok
"it's",1,two,10,ok
c,1,one,100,timeout
c,2,one,?,crash
"""

DESCRIPTION = "algorithm_cutoff_time: 100.0\nalgorithm_cutoff_memory: 4000 # MB\n"

MKPLOT = {
    "preamble": {"program": "x", "prog_alias": "x"},
    "stats": {f"f{i}": {"status": i % 2 == 0, "rtime": 1.5 * i} for i in range(1, 5)},
}

HYPERFINE = """{"results": [{"command": "s -q a", "times": [1, 2.5], "exit_codes": [10, 0],
"parameters": {"x": "1"}}, {"command": "s b", "times": [3, 4], "exit_codes": [null, 1]}]}"""

PYTEST_BENCHMARK = """{"benchmarks": [{"group": null, "name": "test_a[1]", "param": "1",
"fullname": "t.py::test_a[1]", "params": {"n": 1}, "stats": {"mean": 1.5, "data": [1, 2]}},
{"group": "g", "name": "test_b", "fullname": "t.py::test_b", "params": null,
"stats": {"data": [3, 4]}}], "machine_info": {"cpu": {"brand_raw": "c", "count": 2}},
"version": "5.0"}"""

STAREXEC = """pair id,benchmark,solver,configuration,status,cpu time,wallclock time,result,expected
1,a,x,default,complete,1.5,1.25,sat,sat
2,a,y,fast,timeout (wallclock),99.0,100.5,starexec-unknown,sat
3,b,x,default,memout,3.0,3.0,--,starexec-unknown
4,b,y,default,complete,2.0,2.0,unsat,unsat
"""

TABLE = """tool\t\tA 1\tA 1\tB 2\tB 2
run set\t\tr\tr\tr\tr
g/\t\tstatus\twalltime (s)\tstatus\twalltime (s)
a.yml\tp\ttrue\t1.5\tTIMEOUT\t900
a.yml\tq\tfalse(q)\t2\tOUT OF MEMORY\t3
"""

ASV = """{"commit_hash": "a9fe", "env_name": "py3", "date": 1767261600000, "params": {"cpu": "C"},
"result_columns": ["result", "params", "version", "started_at"], "results": {
"s.time_a": [[1.5, 2.5, NaN, null], [["4", "6"], ["'x'", "'y'"]], "v", 1795872147870],
"s.time_b": [[0.5], []]}, "version": 2}
"""

EXPORTED = frame.of([record_of(n, queens=[1, 2], measures={"glue": n / 2}) for n in range(4, 8)])

FILES = {
    "times.csv": CSV.encode(),
    "times.csv.gz": gzip.compress(CSV.encode(), mtime=0),
    "plot.json": json.dumps(MKPLOT).encode(),
    "result.xml": (DATA / "benchexec.xml").read_bytes(),
    "result.xml.bz2": bz2.compress((DATA / "benchexec.xml").read_bytes()),
    "asv.json": ASV.encode(),
    "hyperfine.json": HYPERFINE.encode(),
    "pytest-benchmark.json": PYTEST_BENCHMARK.encode(),
    "job.csv": STAREXEC.encode(),
    "sets.table.csv": TABLE.encode(),
    "algorithm_runs.arff": ARFF.encode(),
    "description.txt": DESCRIPTION.encode(),
    "export.csv": formats.to_csv(EXPORTED),
    "export.jsonl": formats.to_jsonl(EXPORTED),
    "export.parquet": formats.to_parquet(EXPORTED),
}

TOKENS = [
    b"inf", b"-inf", b"NaN", b"Infinity", b"1e999", b"-1e999", b"1.2.3", b"9" * 30, b"1" * 5000,
    b"-9223372036854775808", b"9223372036854775808", b"0x10", b"1_0", b"1.5s", b"1.5 s", b"1kB",
    b"1e308TB", b"true", b"False", b"null", b"None", b"?", b"-", b"", b" ", b"n", b"verdict",
    b"run_id", b"measures", b"time_s", b"solve_s", b"queens", b"\0", b"\x1b[2J", b"\xff", b"\xe9",
    b"\xed\xa0\x80", b"\\ud800", b"\xef\xbb\xbf", b"\xff\xfe", b"'", b'"', b"''", b'""', b"\\",
    b"\n", b"\r", b"\r\n", b"\x0b", b"\xe2\x80\xa8", b",", b",,", b";", b"\t", b"{", b"}", b"[]",
    b"{1 2}", b"%", b"@data", b"&e;", b"<run>", b"</run>", b"<run name='z'>", b"<column/>",
    b"<!--", b"]]>", b"x" * 20_000,
]  # fmt: skip

WORD = re.compile(rb"[A-Za-z0-9_.+-]+|[^\sA-Za-z0-9_.+-]")


def damaged(content, source):
    """Some words replaced, removed or swapped, or some bytes changed."""
    for _ in range(source.choice([1, 1, 2, 3])):
        words = [found.span() for found in WORD.finditer(content)] or [(0, len(content))]
        first, last = source.choice(words)
        match source.choice(["token", "token", "token", "insert", "cut", "word", "byte"]):
            case "token":
                piece = source.choice(TOKENS)
            case "insert":
                first, piece = last, source.choice(TOKENS)
            case "cut":
                last, piece = min(len(content), first + source.choice([1, 5, 50, 10**9])), b""
            case "word":
                other = source.choice(words)
                piece = content[slice(*other)]
            case "byte":
                last, piece = first + 1, source.randbytes(1)
        content = content[:first] + piece + content[last:]
    return content


def put(folder, name, content):
    """The path to import, after this file was written among others that are valid."""
    folder.mkdir(exist_ok=True)
    if name in ("algorithm_runs.arff", "description.txt"):
        for other in ("algorithm_runs.arff", "description.txt"):
            (folder / other).write_bytes(content if other == name else FILES[other])
        return folder
    (folder / name).write_bytes(content)
    return folder / name


def imported_or_refused(path):
    """The number of records, which pass the gate once more; None if the file was refused."""
    stated = {} if path.name.startswith("export") else LIMIT
    try:
        records = detection.records(path, stated=stated)
    except InputError as error:
        message = str(error)
        assert "\n" not in message, message
        assert len(message) < 2000, message
        assert str(path) in message, message
        return None
    assert frame.admitted(records, "again").equals(records)
    assert set(records["imported_from"]) == {path.name}
    return len(records)


@pytest.mark.parametrize("name", FILES)
def test_a_valid_file_is_imported(tmp_path, name):
    assert imported_or_refused(put(tmp_path / "valid", name, FILES[name])) == 4


@pytest.mark.filterwarnings(
    "ignore:.* count as repeats", "ignore:.* without", "ignore:.* run sets are named"
)
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_imported_or_refused(tmp_path, name):
    source = random.Random(name)
    read = refused = 0
    many = MANY_PARQUET if name.endswith("parquet") else MANY
    for _ in range(many):
        found = imported_or_refused(put(tmp_path / "f", name, damaged(FILES[name], source)))
        read += found is not None
        refused += found is None
    assert read + refused == many
    assert refused > 0
