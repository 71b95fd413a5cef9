"""What Python does with results, compared with what the command line prints and writes."""

import json

import polars as pl
import pytest

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
def told(nqbench_in, folder):
    def call(*words):
        done = nqbench_in(folder)(*words)
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
    shown = " ".join(told("summary", "--results", "one", "--findings").split())
    found = api.Results(folder / "one").findings()
    assert len(found) > 3
    assert [sentence for sentence in found if sentence not in shown] == []


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


def test_stores_are_merged_once(folder):
    merged = api.Results(folder / "all")
    assert merged.merge(folder / "one", folder / "two") == [(24, 0), (12, 0)]
    assert len(merged.records) == 36
    assert merged.merge(folder / "two") == [(0, 12)]


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


@pytest.fixture(scope="module")
def stored(folder):
    return api.Results(folder / "one")


TABLES = {
    "as run returns it": lambda table: table,
    "with fewer columns": lambda table: table.drop("total_s", "queens"),
    "of pandas": lambda table: table.to_pandas(),
    "of pandas and back": lambda table: pl.from_pandas(table.to_pandas()),
}


@pytest.mark.parametrize("change", TABLES.values(), ids=TABLES)
def test_a_table_is_summarised_like_its_folder(stored, tmp_path, change):
    table = change(stored.records)
    results = api.Results(table)
    assert results.summary().equals(stored.summary())
    assert results.findings() == stored.findings() == api.findings(table)
    assert results.by_problem().equals(stored.by_problem())
    assert results.summary_text("latex") == stored.summary_text("latex")
    assert results.plot("cactus").caption == stored.plot("cactus").caption
    assert api.plot(table, "cactus").caption == stored.plot("cactus").caption
    assert repr(results) == "Results(<table of 24 records>)"
    page = results.report(tmp_path / "page.html", title="a table").read_text()
    assert "<title>a table</title>" in page
    of_five = api.Results(table, where="n = 5")
    assert set(of_five.records["n"]) == {5}


@pytest.mark.parametrize("method", ["report", "merge", "check", "export", "compare", "measure"])
def test_what_needs_a_store_says_so_for_a_table(stored, method):
    arguments = {"merge": ["x"], "export": ["csv"], "compare": ["x"], "measure": ["a=(1)"]}
    with pytest.raises(InputError, match="table"):
        getattr(api.Results(stored.records), method)(*arguments.get(method, []))


def test_the_total_time_is_a_column_and_can_be_chosen_by(stored, folder):
    records = stored.records
    phases = [records[name].fill_null(0) for name in ("encode_s", "load_s", "solve_s", "decode_s")]
    assert records["total_s"].to_list() == pytest.approx(sum(phases).to_list())
    middle = records["total_s"].median()
    chosen = api.Results(folder / "one", where=f"total_s > {middle}")
    assert len(chosen.records) == (records["total_s"] > middle).sum() > 0
    assert len(chosen.summary("total_s")) > 0


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
        (lambda r: api.Results(r.records.select("n").rename({"n": "x"})), "the table: row 1"),
        (lambda r: api.findings("results"), "takes a table of records"),
    ],
)
def test_a_wrong_argument_is_named(folder, call, message):
    with pytest.raises(InputError, match=message):
        call(api.Results(folder / "one"))


def test_records_are_read_once(folder):
    results = api.Results(folder / "two")
    assert results.records is results.records
    assert results.outdated == 0


def test_a_named_combination_is_compared_with_all_others(told, folder):
    results = api.Results(folder / "one")
    every = results.summary(table="pairs")
    name = "product x minisat22"
    mine = results.summary(table="best", against=name)
    assert mine["first"].unique().to_list() == [name]
    pairs = {frozenset(pair) for pair in every.select("first", "second").rows() if name in pair}
    assert {frozenset(pair) for pair in mine.select("first", "second").rows()} == pairs
    printed = told("summary", "--results", "one", "--against", name)
    assert printed.startswith("product x minisat22 compared with the others:")
    assert "\\caption" in told(
        "summary", "--results", "one", "--against", name, "--format", "latex"
    )
    with pytest.raises(InputError, match="no runs of 'nosuch'"):
        results.summary(table="best", against="nosuch")
    with pytest.raises(InputError, match="against is for the table best"):
        results.summary(table="pairs", against=name)


def test_a_table_of_somebody_else_is_to_be_imported(tmp_path):
    (tmp_path / "theirs.csv").write_text("solver,instance,time\na,b,3\n")
    with pytest.raises(InputError, match="is no export of nqbench: it lacks run_id, so import it"):
        assert api.Results(tmp_path / "theirs.csv").records
