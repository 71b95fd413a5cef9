"""How imported runs ended, in whatever words: solved, wrong, not solved, or never started."""

import io

import pandas as pd
import polars as pl
import pytest
from made_records import one_fact
from refusals import refusal_of

import nqbench
from nqbench.addons.importing import detection
from nqbench.addons.importing.csv_columns import Mapped
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import CheckedBy, Verdict

LIMIT = {"time_limit_s": 10.0}


@pytest.fixture
def imported(tmp_path):
    """Imports a text, and returns the records and what is said about them."""

    def read(text, name="a.csv", columns=None, words=None, stated=LIMIT):
        path = tmp_path / name
        path.write_text(text)
        notes = []
        mapped = Mapped.parse(columns or {}, {}, {}, words or {})
        return detection.records(path, mapped=mapped, stated=stated, notes=notes), notes

    return read


@pytest.fixture
def refused(imported):
    return refusal_of(imported)


def endings(records):
    return records.select("outcome", "answer").rows()


@pytest.mark.parametrize("ok", ["ok", "done", "complete", "success", "Completed", "finished"])
def test_a_run_without_an_answer_is_not_solved_if_the_file_has_answers(imported, ok):
    table = f"instance,backend,{{}},answer,solve_s\nf,a,{ok},sat,4\ng,a,{ok},,1\n"
    for column in ("outcome", "status"):
        found, _ = imported(table.format(column))
        assert endings(found) == [("finished", "sat"), ("finished", "unknown")]


def test_a_column_of_answers_may_be_empty(imported):
    """As in tracks of SMT-COMP where no solver prints one answer: nothing is solved."""
    table = "instance,backend,outcome,Result,solve_s\nf,a,complete,{0},4\ng,a,complete,{0},1\n"
    for empty in ("", "--", "NA"):
        records, _ = imported(table.format(empty), columns={"answer": "Result"})
        assert endings(records) == [("finished", "unknown")] * 2


def test_without_answers_in_the_whole_file_they_are_unstated(imported):
    for column in ("outcome", "status", "answer"):
        table = f"instance,backend,{column},solve_s\nf,a,ok,4\ng,a,TIMEOUT,1\n"
        assert endings(imported(table)[0]) == [("finished", "unstated"), ("timeout", None)]


def test_all_unknown_words_are_named_at_once_with_their_counts(refused):
    table = "instance,backend,status,answer,solve_s\n" + "".join(
        f"f{i},a,{word},,1\n" for i, word in enumerate(["SAT", "XX", "YY", "XX", "xx (2)"])
    )
    message = refused(table)
    assert message.startswith("line 3: status is 'XX', not one of sat, unsat, unknown")
    assert message.endswith(
        "as in --word 'XX'=MEANING; unknown are 'XX' (2 runs), 'YY' (1 run), 'xx (2)' (1 run); "
        "--map status= ignores it"
    )


def test_a_word_means_what_the_user_says(imported):
    table = "instance,backend,status,solve_s\nf,a,XX,1\ng,a,yy,1\nh,a,ok,1\ni,a,nn,1\nj,a,sat,1\n"
    words = {"xx": "memout", "YY": "unsat", "ok": "crashed", "nn": ""}
    assert endings(imported(table, words=words)[0]) == [
        ("memout", None),
        ("finished", "unsat"),
        ("crashed", None),
        ("crashed", None),
        ("finished", "sat"),
    ]
    with pytest.raises(InputError, match="XX=mem: 'mem' is not one of sat, unsat"):
        Mapped.parse({}, {}, {}, {"XX": "mem"})


def test_a_column_that_only_has_the_name_of_a_field_can_be_ignored(imported, refused):
    table = "instance,backend,answer,status,expected,solve_s\nf,a,sat,active,42,1\n"
    assert "--map status= ignores it" in refused(table)
    found, _ = imported(table, columns={"status": "", "expected": ""})
    assert endings(found) == [("finished", "sat")]
    found, _ = imported(table, columns={"clauses": "expected", "status": ""})
    assert found["clauses"].to_list() == [42]


def test_an_outcome_of_aslib_means_what_the_user_says(tmp_path):
    (tmp_path / "S").mkdir()
    (tmp_path / "S" / "description.txt").write_text(
        "performance_measures:\n- t\nperformance_type:\n- runtime\nalgorithm_cutoff_time: 10\n"
    )
    (tmp_path / "S" / "algorithm_runs.arff").write_text(
        "".join(
            f"@ATTRIBUTE {name} STRING\n"
            for name in ("instance_id", "repetition", "algorithm", "t", "runstatus")
        )
        + "@DATA\nf,1,a,2,presolved\n"
    )
    words = Mapped.parse({}, {}, {}, {"presolved": "ok"})
    assert endings(detection.records(tmp_path / "S", mapped=words)) == [("finished", "unstated")]
    with pytest.raises(InputError, match="such a file states its units itself"):
        detection.records(tmp_path / "S", mapped=Mapped.parse({}, {}, {"solve_s": "ms"}))


def test_a_word_in_a_column_of_times_says_how_the_run_ended(imported):
    """As SMT-COMP 2021 writes it: the answer says nothing, and the time is TIMEOUT."""
    header = "instance,backend,answer,cpu time,wall_s\n"
    text = f"{header}f,a,sat,4,4\ng,a,unknown,TIMEOUT,TIMEOUT\nh,a,--,memout,9.5\ni,a,,T/O (cpu),\n"
    records, _ = imported(text, columns={"cpu_s": "cpu time"})
    assert endings(records) == [
        ("finished", "sat"), ("timeout", None), ("memout", None), ("timeout", None),
    ]  # fmt: skip
    assert records.select("solve_s", "cpu_s", "wall_s").rows() == [
        (4, 4, 4), (None, None, None), (None, None, 9.5), (None, None, None),
    ]  # fmt: skip


def test_where_times_are_all_that_is_stated_those_with_a_number_are_solved(imported):
    text = "instance,backend,time\nf,a,4s\ng,a,TIMEOUT\nh,a,10\ni,a,\n"
    records, notes = imported(text)
    assert endings(records) == [("finished", "unstated"), ("timeout", None), ("timeout", None)]
    assert notes == ["1 run that never started is left out"]


def test_a_word_of_their_own_in_a_column_of_times_is_explained(imported, refused):
    text = "instance,backend,status,time\nf,a,1,1\ng,a,,DNF\n"
    said = refused(text, words={"1": "sat"})
    assert said.startswith("line 3: solve_s is 'DNF', which is not a time")
    assert said.endswith("if it says how the run ended, write --word 'DNF'=timeout")
    records, _ = imported(text, words={"1": "sat", "DNF": "timeout"})
    assert endings(records) == [("finished", "sat"), ("timeout", None)]
    assert records["solve_s"].to_list() == [1, None]


@pytest.mark.parametrize("word", [">3600", "\u2265 60", "3600*"])
def test_a_mark_of_a_limit_in_a_column_of_times_is_explained(refused, word):
    said = refused(f"instance,backend,status,time\nf,a,sat,1\ng,a,,{word}\n")
    assert f"if it says how the run ended, write --word '{word}'=timeout" in said


@pytest.mark.parametrize("word", ["wrong", "INCORRECT", "Wrong-Answer", "XX"])
def test_a_word_says_that_an_answer_is_wrong(imported, word):
    """In whichever column, whether the time is known or not."""
    wrong = ("finished", "unstated", "refuted", "source")
    for text in (
        f"instance,backend,status,time\nf,a,sat,1\ng,a,{word},2\nh,a,{word},\n",
        f"instance,backend,time\nf,a,1\ng,a,{word}\nh,a,{word}\n",
    ):
        records, notes = imported(text, words={"XX": "wrong"})
        assert (
            records.select("outcome", "answer", "verdict", "checked_by").rows()[1:] == [wrong] * 2
        )
        assert (records["verdict"][0], records["solve_s"][2]) == ("unchecked", None)
        assert notes == ["2 answers are wrong, says the file"]


def test_two_answers_to_one_run_are_refused(refused):
    table = "instance,backend,answer,status,solve_s\nf,a,sat,SAT,1\ng,a,sat,unsat,1\n"
    assert refused(table) == (
        "line 3: answer is sat, but status is unsat: if one was expected, write "
        "--map expected=COLUMN"
    )
    assert refused("instance,backend,solved,answer,solve_s\nf,a,no,sat,1\n").startswith(
        "line 2: answer is sat, but solved says no"
    )


def test_a_column_says_whether_runs_were_solved(imported):
    table = "instance,backend,solved,solve_s\nf,a,True,1\ng,a,false,2\nh,a,0,10\ni,a,yes,11\n"
    assert endings(imported(table)[0]) == [
        ("finished", "unstated"),
        ("crashed", None),
        ("timeout", None),
        ("timeout", None),
    ]


JUDGED = """instance,backend,answer,expected,solve_s
f1,liar,sat,unsat,1
f2,liar,sat,sat,1
f3,liar,unsat,starexec-unknown,1
f4,liar,unknown,sat,1
f5,liar,sat,unsat,11
f6,liar,unsat,-,1
"""


def test_an_answer_that_was_not_expected_is_refuted_and_nothing_is_verified(imported):
    records, notes = imported(JUDGED)
    assert records.filter(verdict=Verdict.REFUTED)["instance"].to_list() == ["f1"]
    assert set(records["verdict"]) == {Verdict.REFUTED, Verdict.UNCHECKED}
    wrong = records.filter(instance="f1").select("outcome", "answer", "checked_by", "message")
    assert wrong.rows() == [("finished", "sat", CheckedBy.SOURCE, "the source expected unsat")]
    assert notes == ["1 answer is wrong, says the file"]


def test_a_column_may_say_that_answers_are_wrong(imported):
    table = "instance,backend,{},erroneous,solve_s\nf,a,{},1,1\ng,a,{},0,1\nh,a,,1,10\n"
    for field, word in (("answer", "sat"), ("solved", "true")):
        text = table.format(field, word, word)
        records, _ = imported(text, columns={"wrong": "erroneous"})
        assert records["verdict"].to_list() == ["refuted", "unchecked", "unchecked"]


RUN = '<run name="../{0}.cnf" {1}><column title="status" value="{2}"/><column title="category" \
value="{3}"/><column title="walltime" value="1s"/><column title="cputime" value="1s"/></run>'
NOT_RUN = (
    '<run name="../n1.cnf"/>',
    '<run name="../n2.cnf"><column title="status" value=""/><column title="walltime" value=""/>'
    '<column title="cputime" value=""/></run>',
    '<run name="../n3.cnf"><column title="walltime" value="3s"/></run>',
)


def xml(*runs, tool="T"):
    return f'<result toolmodule="t" tool="{tool}" timelimit="10s">{"".join(runs)}</result>'


@pytest.mark.parametrize(
    ("facts", "status", "category", "is_wrong"),
    [
        ("", "true", "wrong", True),
        ("", "false(unreach-call)", "wrong", True),
        ("", "true", "wrongTrue", True),
        ("", "false(a)", "wrong-property", True),
        ("", "done", "wrong", True),
        ("", "true", "correct", False),
        ("", "true", "correct-unconfirmed", False),
        ("", "true", "missing", False),
        ("", "unknown", "unknown", False),
        ("", "ERROR (7)", "error", False),
        ("", "TIMEOUT", "error", False),
        ('expectedVerdict="false"', "true", "", True),
        ('expectedVerdict="true"', "true", "", False),
        ('expectedVerdict="true"', "false(unreach-call)", "missing", True),
        ('expectedVerdict="false(a)"', "false(b)", "", True),
        ('expectedVerdict="false(a)"', "false", "", False),
        ('expectedVerdict="false(a)"', "unknown", "", False),
    ],
)
def test_what_benchexec_calls_wrong_is_refuted(imported, facts, status, category, is_wrong):
    records, _ = imported(xml(RUN.format("f", facts, status, category)), "a.xml")
    by = records.select("verdict", "checked_by").row(0)
    assert by == (("refuted", "source") if is_wrong else ("unchecked", "none"))
    assert ("correct-unconfirmed" in records["message"][0]) == ("unconfirmed" in category)


def test_a_task_of_benchexec_that_is_done_is_solved_only_if_no_task_has_an_answer(imported):
    done = RUN.format("f", "", "done", "missing")
    assert endings(imported(xml(done), "a.xml")[0]) == [("finished", "unstated")]
    both = xml(done, RUN.format("g", "", "true", "correct"))
    assert endings(imported(both, "a.xml")[0]) == [("finished", "unknown"), ("finished", "sat")]


def test_wrong_answers_count_nowhere(tmp_path):
    """A solver that is always wrong, and ten times faster, wins nothing."""
    results = nqbench.Results(tmp_path / "r")
    for tool, status, category, time in (("liar", "true", "wrong", 0.1), ("fair", "false", "", 1)):
        runs = (RUN.format(f"f{i}", "", status, category) for i in range(8))
        path = tmp_path / f"{tool}.xml"
        path.write_text(xml(*runs, tool=tool).replace("1s", f"{time}s"))
        if tool == "liar":
            with pytest.warns(UserWarning, match="liar.xml: 8 answers are wrong, says the file"):
                results.import_file(path, stated={"machine": "one"})
        else:
            results.import_file(path, stated={"machine": "one"})
    overview = results.summary().select("backend", "solved", "wrong", "par2_s").rows()
    assert overview == [("fair", 8, 0, 1), ("liar", 0, 8, 20)]
    (pair,) = results.summary(table="pairs").iter_rows(named=True)
    assert (pair["first"], pair["faster"], pair["slower"]) == ("fair", 8, 0)
    portfolio = results.summary(table="portfolio").select("backend", "share", "vbs_par2_s")
    assert portfolio.rows() == [("fair", 1, 1), ("liar", 0, 1)]
    assert one_fact(results.chosen, "wrong_answers").whose == {"liar": 8}
    assert results.plot("cactus") is not None
    only_liar = nqbench.Results(tmp_path / "r", where="backend = 'liar' AND known_answer = 'sat'")
    with pytest.raises(InputError, match="no record fulfils"):
        only_liar.summary()


def test_what_a_source_calls_wrong_stays_so_in_exports(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(JUDGED)
    results = nqbench.Results(tmp_path / "r")
    with pytest.warns(UserWarning, match="1 answer is wrong"):
        results.import_file(path, time_limit=10)
    for kind in ("csv", "jsonl", "parquet"):
        results.export(kind, tmp_path / f"e.{kind}")
        again = nqbench.Results(tmp_path / f"r.{kind}")
        again.import_file(tmp_path / f"e.{kind}")
        assert again.records["checked_by"].sort().to_list() == ["none"] * 5 + ["source"]
    own = results.records.drop("imported_from", "run_id")
    own = own.with_columns(imported_from=pl.lit(None, pl.String))
    with pytest.raises(InputError, match="checked_by is source, but imported_from is missing"):
        nqbench.records.frame.admitted(own, "own")


def test_runs_that_never_started_are_left_out_and_counted(imported, refused):
    records, notes = imported(xml(*NOT_RUN, RUN.format("f", "", "true", "correct")), "a.xml")
    assert records["instance"].to_list() == ["f.cnf"]
    assert notes == ["3 runs that never started are left out"]
    table = (
        "instance,backend,status,solve_s,cpu_s\nf,a,sat,1,1\ng,a,,,\nh,a,--,-,NA\ni,a,not run,,\n"
    )
    records, notes = imported(f"{table}j,a,,2,\nk,a,unknown,,\n")
    assert records.select("instance", "outcome").rows() == [
        ("f", "finished"),
        ("j", "crashed"),
        ("k", "crashed"),
    ]
    assert notes == ["3 runs that never started are left out"]
    assert "took place" in refused("instance,backend,status,solve_s\nf,a,,\n")


def test_rows_behind_those_that_are_left_out_keep_their_number(imported):
    run = RUN.format("f", "", "true", "correct")
    spoiled = run.replace("</run>", '<column title="memory" value="-5B"/></run>')
    with pytest.raises(InputError, match=r"a\.xml, row 4: peak_rss_bytes is -5"):
        imported(xml(*NOT_RUN, spoiled), "a.xml")
    with pytest.raises(InputError, match=r"a\.csv, line 4: conflicts is -5"):
        imported("instance,backend,answer,solve_s,conflicts\nf,a,,,\n\ng,a,sat,1,-5\n")


SMT_COMP = """pair id,benchmark,solver,status,cpu time,wallclock time,memory usage,result,expected
1,QF_BV/a.smt2,S1,complete,49.4,49.7,624272.0,sat,sat
2,QF_BV/a.smt2,S2,complete,61.4,61.5,1117904.0,unsat,sat
3,QF_BV/a.smt2,S3,complete,0.2,0.1,113176.0,starexec-unknown,sat
4,QF_BV/b.smt2,S1,timeout (wallclock),2399.1,2400.0,9024.0,starexec-unknown,unsat
5,QF_BV/b.smt2,S2,complete,2380.5,2399.9,113176.0,unsat,unsat
6,QF_BV/b.smt2,S3,complete,2400.2,2401.0,113176.0,unsat,unsat
7,QF_BV/c.smt2,S1,memout,12.5,12.5,6.2E7,--,starexec-unknown
8,QF_BV/c.smt2,S2,complete,0.01,0.02,113176.0,sat,starexec-unknown
9,QF_BV/c.smt2,S3,complete,0.01,0.02,113176.0,--,-
10,QF_BV/d.smt2,S1,complete,3.5,3.25,113176.0,sat,unsat
11,QF_BV/d.smt2,S2,timeout (cpu),2400.0,1200.0,113176.0,starexec-unknown,unsat
12,QF_BV/d.smt2,S3,post-processor error,1.5,1.5,113176.0,--,unsat
"""
"""Made up, with the columns and the words of the results of SMT-COMP 2019."""


def test_solved_wrong_and_par_2_of_smt_comp_are_those_of_pandas(tmp_path):
    """Several tracks of 2019, with up to 160,906 runs, agree as well."""
    (tmp_path / "track.csv").write_text(SMT_COMP)
    runs = pd.read_csv(io.StringIO(SMT_COMP), keep_default_na=False)
    answered = (
        runs.result.isin(["sat", "unsat"])
        & (runs.status == "complete")
        & (runs["wallclock time"] < 2400)
    )
    wrong = answered & runs.expected.isin(["sat", "unsat"]) & (runs.expected != runs.result)
    costs = runs["wallclock time"].where(answered & ~wrong, 2 * 2400)
    theirs = pd.DataFrame(
        {"solver": runs.solver, "solved": answered & ~wrong, "wrong": wrong, "cost": costs}
    )
    results = nqbench.Results(tmp_path / "r")
    with pytest.warns(UserWarning, match="2 answers are wrong"):
        results.import_file(
            tmp_path / "track.csv",
            time_limit=2400,
            columns={
                "instance": "benchmark",
                "backend": "solver",
                "answer": "result",
                "outcome": "status",
                "solve_s": "wallclock time",
                "peak_rss_bytes": "memory usage",
            },
            unit={"peak_rss_bytes": "kB"},
        )
    found = results.summary().select("backend", "solved", "wrong", "par2_s").sort("backend")
    expected = theirs.groupby("solver").agg({"solved": "sum", "wrong": "sum", "cost": "mean"})
    for row, (solver, facts) in zip(found.iter_rows(), expected.iterrows(), strict=True):
        assert row == (solver, facts.solved, facts.wrong, pytest.approx(facts.cost))
    assert found["solved"].to_list() == [1, 2, 0]
    assert results.records["peak_rss_bytes"].max() == 62_000_000_000
