"""The commands of the page about importing, on small files with the columns of published data. What
they print follows from the few rows by hand.
"""

import json
import re
import shlex

import pytest
from addons import needs_addon
from aslib_scenario import scenario
from places import ROOT

PAGE = (ROOT / "docs" / "addons" / "importing.md").read_text()

SOLVING = """Name,Completed,Time,Result,ExitCode,Verified
f-1-cadical,Success,10,SAT,10
f-1-reencode,Success,20,SAT,10
f-2-cadical,Success,5000.1,UNKNOWN,0
f-2-reencode,Success,100,UNSAT,20
small-cadical,Success,1,SAT,10
small-reencode,Success,1,SAT,10
f-3-cadical,Success,5000,UNKNOWN,0
f-3-reencode,Success,5000,UNKNOWN,0
"""
FOUND = """Name,Completed,DirMax,EncMax
f-1,Success,5,0
f-2,Success,0,12
f-3,Success,9,9
small,Success,4,4
"""
"""Formula f-3 is solved by nobody, and `small` has no large at-most-one."""


def commands(block):
    """The commands of a block as lists of words, as a shell would read them."""
    return re.findall(r"^nqbench (?:.*\\\n)*.*$", block, re.MULTILINE)


def block(beginning):
    """The block of the page that begins like this."""
    return re.search(rf"^```\w+\n({re.escape(beginning)}.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[
        1
    ]


@pytest.fixture
def shell(typed):
    def run(command):
        done = typed(*shlex.split(command.replace("\\\n", ""))[1:])
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@needs_addon("importing")
def test_a_table_of_solved_formulas_and_par_2(tmp_path, shell, monkeypatch):
    (tmp_path / "solving.csv").write_text(SOLVING)
    (tmp_path / "extraction-full.csv").write_text(FOUND)
    monkeypatch.chdir(tmp_path)
    exec(block("import polars"), {})
    load, counted, costs = commands(block("nqbench import runs.csv"))
    shell(load)
    printed = shell(counted)
    solved = re.findall(
        r"known_answer = (\w+)|^(cadical|reencode) +(\d+/\d+)", printed, re.MULTILINE
    )
    assert solved == [
        ("none", "", ""), ("", "cadical", "0/1"), ("", "reencode", "0/1"),
        ("sat", "", ""), ("", "cadical", "1/1"), ("", "reencode", "1/1"),
        ("unsat", "", ""), ("", "reencode", "1/1"), ("", "cadical", "0/1"),
    ]  # fmt: skip
    rows = {row["backend"]: row["par2_s"] for row in json.loads(shell(costs))}
    assert rows == {"cadical": (10 + 10000) / 2, "reencode": (20 + 100) / 2}
    (portfolio,) = commands(block("nqbench summary --results klauses --by known_answer --port"))
    table = json.loads(shell(f"{portfolio} --json"))
    only = {(row["known_answer"], row["backend"]): row["only"] for row in table}
    assert only["unsat", "reencode"] == 1
    assert sum(only.values()) == 1


STRINGS = """pair id,benchmark,benchmark id,solver,solver id,configuration,configuration id,status,cpu time,wallclock time,memory usage,result,expected
1,Competition/QF_SLIA/a.smt2,1,CVC4,1,default,1,complete,1.0,2.0,9.0,sat,sat
2,Competition/QF_SLIA/a.smt2,1,old,2,default,2,timeout (wallclock),2399.0,2400.1,9.0,starexec-unknown,sat
3,Competition/QF_SLIA/b.smt2,2,CVC4,1,default,1,complete,1.0,4.0,9.0,unsat,starexec-unknown
4,Competition/QF_SLIA/b.smt2,2,old,2,default,2,complete,5.0,6.0,9.0,unsat,starexec-unknown
5,Competition/QF_S/c.smt2,3,CVC4,1,default,1,complete,1.0,1.0,9.0,sat,sat
"""  # noqa: E501


@needs_addon("importing")
def test_a_division_of_a_competition(tmp_path, shell):
    (tmp_path / "Single_Query_Track_strings.csv").write_text(STRINGS)
    load, counted, costs = commands(block("nqbench import Single_Query"))
    shell(load)
    printed = shell(counted)
    solved = re.findall(r"known_answer = (\w+)|^(CVC4|old) +(\d+/\d+)", printed, re.MULTILINE)
    assert solved == [
        ("sat", "", ""), ("", "CVC4", "1/1"), ("", "old", "0/1"),
        ("unsat", "", ""), ("", "CVC4", "1/1"), ("", "old", "1/1"),
    ]  # fmt: skip
    rows = {row["backend"]: row["par1_s"] for row in json.loads(shell(costs))}
    assert rows == {"CVC4": (2 + 4) / 2, "old": (2400 + 6) / 2}


@needs_addon("importing")
def test_the_ratio_of_the_single_best_to_the_virtual_best(tmp_path, shell):
    runs = ["i,1,a,10,ok", "i,1,b,50,timeout", "j,1,a,50,timeout", "j,1,b,20,ok"]
    scenario(tmp_path / "SAT16-MAIN", *runs, "k,1,a,50,timeout", "k,1,b,50,timeout")
    load, best = commands(block("nqbench import SAT16-MAIN"))
    shell(load)
    first, second = json.loads(shell(f"{best} --json"))
    assert (first["backend"], first["boards"], first["par10_s"]) == ("a", 2, 255)
    assert first["over_vbs"] == 255 / 15
    assert second["over_vbs"] == 260 / 15
