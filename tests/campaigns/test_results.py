"""What Python does with results, compared with what the command line prints and writes."""

import json
import subprocess
import sys

import pandas
import polars as pl
import pytest
from addons import needs_addon
from called_here import called_here

import nqbench as api
from nqbench.common.errors import InputError

CAMPAIGN = ("--n", "4..6", "--encoding", "pairwise,product", "--backend", "minisat22,cadical195")


@pytest.fixture(scope="module")
def folder(nqbench_in, tmp_path_factory):
    made = tmp_path_factory.mktemp("results")
    for name, *more in (("one", "--repeat", "2"), ("two", "--seed", "1", "--repeat", "1")):
        done = nqbench_in(made)("run", *CAMPAIGN, "--no-plots", "--results", name, *more)
        assert done.returncode == 0, done.stderr
    return made


@pytest.fixture
def told(folder):
    def call(*words):
        done = called_here(folder, *words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return call


def as_json(table):
    return json.loads(json.dumps(table.to_dicts(), default=str))


@pytest.mark.parametrize("table", ["overview", "pairs", "best", "scaling"])
def test_a_summary_is_that_of_the_command_line(told, folder, table):
    option = [] if table == "overview" else [f"--{table}"]
    asked = ["--results", "one", "--where", "n >= 5", "--metric", "conflicts", "--by", "n"]
    shown = json.loads(told("summary", *asked, *option, "--json"))
    results = api.Results(folder / "one", where="n >= 5")
    assert as_json(results.summary("conflicts", table=table, by="n")) == shown
    assert shown


def test_findings_are_those_below_the_table(told, folder):
    shown = " ".join(told("summary", "--findings", "--results", "one").split())
    found = api.Results(folder / "one").findings()
    assert len(found) > 3
    assert [sentence for sentence in found if sentence not in shown] == []


def test_without_pyarrow_each_table_says_what_to_install(folder):
    program = """
import sys

sys.modules["pyarrow"] = None
import nqbench

results = nqbench.Results(sys.argv[1])
records = results.records
tables = [nqbench.read(sys.argv[1]), records, results.summary(), results.by_problem()]
tables += [records.filter(records["n"] > 4), records.select("n").sort("n").head(2), records[:3]]
tables += [records.group_by("encoding").agg(), records.group_by("encoding").len()]
for table in tables:
    try:
        table.to_pandas()
    except nqbench.common.errors.UnavailableError as error:
        print(error)
"""
    said = subprocess.run(
        [sys.executable, "-c", program, folder / "one"], capture_output=True, text=True
    )
    message = "to_pandas needs pandas and pyarrow: pip install 'nqbench[pandas]'"
    assert said.stdout.splitlines() == [message] * 9, said.stderr


def test_tables_of_pandas_are_read_whatever_their_empty_columns_are(folder, tmp_path):
    results = api.Results(folder / "one")
    records = results.records
    for table in (records.to_pandas(), pandas.DataFrame(records.to_dicts())):
        assert api.findings(table) == api.findings(records)
    results.export("csv", tmp_path / "records.csv")
    with pytest.raises(InputError, match=r"nqbench\.read reads a file of records$"):
        api.findings(pandas.read_csv(tmp_path / "records.csv"))


def test_a_condition_chooses_the_records(folder):
    results = api.Results(folder / "one", where="n = 5 AND backend = 'minisat22'")
    assert len(results.records) == 2 * 2
    assert set(results.records["n"]) == {5}
    assert repr(results).endswith("where=\"n = 5 AND backend = 'minisat22'\")")


def test_an_export_is_that_of_the_command_line(told, folder):
    for kind in ("csv", "jsonl", "conditions"):
        written = told("export", "--results", "one", "--format", kind)
        assert api.Results(folder / "one").export(kind).decode() == written
    results = api.Results(folder / "one")
    assert results.export("parquet", folder / "one.parquet")
    assert pl.read_parquet(folder / "one.parquet").height == 24
    files = results.export("mkplot", folder / "mkplot")
    assert {path.name for path in (folder / "mkplot").iterdir()} == files.keys()
    again = api.Results(folder / "one.parquet")
    assert again.records["run_id"].to_list() == results.records["run_id"].to_list()


@needs_addon("compare")
def test_a_comparison_shows_what_only_one_has(folder):
    old = api.Results(folder / "one", where="repeat = 0")
    found = old.compare(folder / "one", "conflicts")
    assert (len(found.changes), len(found.missing), found.common_runs) == (0, 0, 12)
    assert set(found.times.table["mean_ratio"].drop_nulls()) <= {1.0}
    without = api.Results(folder / "one", where="repeat = 0 AND encoding = 'product'")
    assert set(old.compare(without).missing["encoding"]) == {"pairwise"}
    with pytest.raises(InputError, match="no runs of 'log x minisat22' in"):
        old.compare(folder / "one", references="log x minisat22")


def test_a_page_is_written_beside_the_results(folder):
    path = api.Results(folder / "one", where="n = 6").report(title="Six queens")
    assert path == folder / "one" / "report.html"
    assert "<title>Six queens</title>" in path.read_text()


def test_a_figure_is_drawn_of_the_chosen_records(folder):
    figure = api.Results(folder / "one", where="encoding = 'product'").plot("cactus")
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_unchecked_answers_are_checked(nqbench_in, folder):
    run = ("run", "--n", 2, "--encoding", "pairwise", "--backend", "minisat22", "--repeat", 1)
    later = nqbench_in(folder)(*run, "--check", "later", "--no-plots", "--results", "later")
    assert later.returncode == 0, later.stderr
    results = api.Results(folder / "later")
    assert set(results.records["verdict"]) == {"unchecked"}
    assert set(results.check()["verdict"]) == {"verified"}
    assert set(results.records["verdict"]) == {"verified"}
    with pytest.warns(UserWarning, match="no answer is unchecked"):
        results.check()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: r.summary("nosuch"), "nosuch"),
        (lambda r: r.summary(table="pears"), "did you mean 'pairs'"),
        (lambda r: r.export("cvs"), "did you mean 'csv'"),
        (lambda r: api.Results(r.source, where="n >").records, "cannot use the condition"),
        (lambda r: api.Results(r.source, where="n = 99").records, "no record fulfils"),
        (lambda r: api.Results(r.source, where="n = 4").merge(r.source), "leave out where"),
        (lambda r: api.Results(r.source / "nosuch").records, "no results at"),
        (lambda r: api.Results(3), "is not a path"),
    ],
)
def test_a_wrong_argument_is_named(folder, call, message):
    with pytest.raises(InputError, match=message):
        call(api.Results(folder / "one"))


def test_records_are_read_once(folder):
    results = api.Results(folder / "two")
    assert results.records is results.records
    assert results.outdated == 0


def test_what_pandas_wrote_is_read_again(folder, tmp_path):
    records = api.read(folder / "one").with_columns(
        shuffle=pl.when(n=4).then(pl.lit(3)).otherwise(None),
        queens=pl.when(n=4).then(None).otherwise("queens"),
    )
    table = records.to_pandas()
    table.to_parquet(tmp_path / "p.parquet")
    table.to_csv(tmp_path / "with_index.csv")
    table.to_csv(tmp_path / "p.csv", index=False)
    for name in ("p.parquet", "with_index.csv", "p.csv"):
        read = api.read(tmp_path / name)
        assert read.columns == records.columns
        same = [c for c in records.columns if records[c].dtype != pl.Float64]
        assert read.select(same).equals(records.select(same)), name
    with pytest.raises(InputError, match=r"^the table has no records$"):
        api.Results(table[table.n > 100])
    half = table.assign(shuffle=table["shuffle"] + 0.5)
    with pytest.raises(InputError, match="shuffle is of type Float64"):
        api.Results(half)


def test_a_summary_that_is_printed_as_text_ends_with_what_was_measured(folder):
    columns = api.Results(folder / "one").summary().columns
    assert columns[-4:] == ["par2_s", "beats", "beaten_by", "wrong"]
