"""`summary`, `plot` and `export` on a store, as users see them."""

import json
import shutil

import pytest


@pytest.fixture(scope="session")
def store(nqbench_in, tmp_path_factory):
    """A folder with a store of two encodings x two backends on five boards."""
    folder = tmp_path_factory.mktemp("measured")
    arguments = ["--n", "4..8", "--encoding", "pairwise,product", "--backend", "minisat22,pyeda"]
    done = nqbench_in(folder)(*arguments, "--repeat", 1, "--no-plots", "--quiet")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def measured(typed, store, tmp_path):
    """The command line in a folder with a copy of that store."""
    shutil.copytree(store, tmp_path, dirs_exist_ok=True)
    return typed


def test_the_summary_can_be_narrowed_and_read_by_programs(measured):
    rows = json.loads(measured("summary", "--json").stdout)
    assert [(row["runs"], row["solved"], row["wrong"]) for row in rows] == [(5, 5, 0)] * 4
    for row in rows:
        assert row["q1_s"] <= row["median_s"] <= row["q3_s"]
    narrowed = measured("summary", "--where", "n > 6 AND backend = 'pyeda'", "--json").stdout
    assert [(row["backend"], row["runs"]) for row in json.loads(narrowed)] == [("pyeda", 2)] * 2


def test_an_export_is_summarised_as_the_store_that_it_came_from(measured):
    summary = ["--metric", "conflicts", "--where", "backend = 'minisat22'", "--json"]
    exported = measured("export", "--format", "csv", "--output", "records.csv")
    assert exported.returncode == 0, exported.stderr
    of_export = measured("summary", "--results", "records.csv", *summary).stdout
    assert json.loads(of_export) == json.loads(measured("summary", *summary).stdout)


def test_the_nodes_and_checks_of_a_search_are_summarised(nqbench):
    """N. Wirth, "Program development by stepwise refinement", CACM 14, 1971: 876 tries for the
    first solution.
    """
    nqbench("run", "--n", 8, "--backend", "backtracking", "--repeat", 1, "--no-plots")

    def median(metric):
        (row,) = json.loads(nqbench("summary", "--metric", metric, "--json").stdout)
        return row["median_s"]

    assert median("nodes") == 876
    assert median("checks") > median("nodes")


def test_pairs_and_scaling_are_told_on_request(measured):
    pairs = json.loads(measured("summary", "--pairs", "--json").stdout)
    assert len(pairs) == 4 * 3 / 2
    assert {row["problems"] for row in pairs} == {5}
    assert [row["p"] for row in pairs] == sorted(row["p"] for row in pairs)
    best = json.loads(measured("summary", "--best", "--json").stdout)
    (winner, *_) = json.loads(measured("summary", "--json").stdout)
    assert {row["first"] for row in best} == {f"{winner['encoding']} x {winner['backend']}"}
    assert len(best) == 4 - 1
    fits = json.loads(measured("summary", "--scaling", "--json").stdout)
    assert len(fits) == 4 * 2
    assert {row["verdict"] for row in fits} <= {"polynomial", "exponential", "undecided"}


def test_a_plot_is_drawn_of_what_is_asked_for(measured, tmp_path):
    axes = ["--pair", "pairwise x pyeda", "--pair", "product x pyeda"]
    drawn = measured("plot", "--kind", "scatter", *axes, "--metric", "total_s", "--output", "p")
    assert drawn.returncode == 0, drawn.stderr
    picture = (tmp_path / "p" / "scatter.svg").read_text()
    assert "pairwise x pyeda" in picture
    assert "product x pyeda" in picture


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["plot", "--where", "nn > 4"], "cannot use the condition 'nn > 4'"),
        (["plot", "--where", "n >"], "cannot use the condition 'n >'"),
        (["summary", "--metric", "solve"], "unknown metric 'solve': did you mean 'solve_s'?"),
        (
            ["plot", "--kind", "sizes", "--metric", "oil"],
            "unknown metric 'oil': choose from",
        ),
        (["summary", "--where", "n > 100"], "no record fulfils 'n > 100'"),
        (
            ["plot", "--kind", "transition"],
            "plot 'transition' needs random problems",
        ),
        (["plot", "--kind", "oil"], "unknown plot 'oil': choose from time-over-n"),
        (["plot", "--kind", "scatter", "--pair", "x"], "--pair must be given twice"),
        (["plot", "--kind", "scatter", "--pair", "x", "--pair", "y"], "no runs of 'x'"),
        (["export", "--format", "parquet"], "Parquet is a binary format: add --output FILE"),
    ],
)
def test_what_cannot_be_read_so_gets_one_line(measured, tmp_path, arguments, message):
    said = measured(*arguments)
    assert said.returncode == 2
    assert message in said.stderr
    assert said.stderr.count("\n") == 1


def test_conditions_tell_the_machine_and_the_sessions(measured):
    told = json.loads(measured("export", "--format", "conditions").stdout)
    (environment,) = told["environments"]
    assert environment["cpu_count"] >= 1
    assert environment["packages"]["python-sat"]
    (session,) = told["sessions"]
    assert session["runs"] == 20
    assert session["command"].startswith("nqbench --n 4..8")


READERS = (
    "summary",
    "plot --kind sizes --output p",
    "report --output r.html",
    "export --format csv",
)


@pytest.mark.parametrize("words", READERS)
@pytest.mark.parametrize("results", ["results", "results/nqbench.db", "records.csv"])
def test_results_are_a_folder_a_store_or_an_export_for_every_reader(
    measured, tmp_path, words, results
):
    measured("export", "--format", "csv", "--output", "records.csv")
    read = measured(*words.split(), "--results", results)
    assert read.returncode == 0, read.stderr
    if words.startswith("export"):
        assert read.stdout == (tmp_path / "records.csv").read_text()
    if words.startswith("report"):
        page = (tmp_path / "r.html").read_text()
        boards = page.partition('<h2 id="boards">')[2].partition("</section>")[0]
        assert boards.count("<svg") == 5  # one of each n


def test_pictures_and_pages_of_a_file_lie_beside_it(measured, tmp_path):
    (tmp_path / "far").mkdir()
    measured("export", "--format", "parquet", "--output", "far/records.parquet")
    for words in ("plot --kind sizes", "report"):
        done = measured(*words.split(), "--results", "far/records.parquet")
        assert done.returncode == 0, done.stderr
    assert {path.name for path in (tmp_path / "far").iterdir()} == {
        "plots", "records.parquet", "report.html",
    }  # fmt: skip


def test_a_store_may_be_merged_from_and_into_a_folder_or_a_file(measured, tmp_path):
    for into, other in (("all", "results"), ("all.db", "all"), ("last", "all.db")):
        assert measured("merge", "--results", into, other).returncode == 0
    assert len(json.loads(measured("summary", "--results", "last", "--json").stdout)) == 4
    assert (tmp_path / "all.db").is_file()


NEED_A_STORE = (
    "check",
    "output",
    r"measure x=(\d)",
    "export --format conditions",
    "merge --results all records.csv",
)


@pytest.mark.parametrize("words", NEED_A_STORE)
def test_what_needs_a_store_says_so_of_an_export(measured, tmp_path, words):
    measured("export", "--format", "csv", "--output", "records.csv")
    options = [] if words.startswith("merge") else ["--results", "records.csv"]
    refused = measured(*words.split(), *options)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "records.csv is an export" in refused.stderr


@pytest.mark.parametrize("words", [*READERS, "check", "output", r"measure x=(\d)"])
def test_what_does_not_exist_is_named_as_it_was_given(measured, tmp_path, words):
    (tmp_path / "empty").mkdir()
    for results in ("nowhere", "empty", "no.db", "no.csv"):
        refused = measured(*words.split(), "--results", results)
        assert refused.returncode == 2
        assert f" {results}:" in refused.stderr
        assert f"{results}/" not in refused.stderr
    refused = measured(*words.split(), "--results", "long" * 100)
    assert refused.returncode == 2
    assert f"cannot use {'long' * 20}" in refused.stderr
    assert "File name too long" in refused.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"empty", "results"}


@pytest.mark.parametrize(
    "words",
    [
        "export --format csv --output new/records.csv",
        "export --format mkplot --output new/folder",
        "report --output new/page.html",
    ],
)
def test_a_folder_that_is_missing_is_an_error_and_is_not_created(measured, tmp_path, words):
    refused = measured(*words.split())
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "new" in refused.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"results"}
