"""Names for readers are in everything that is read, and in nothing that is stored."""

import json
import re

import polars as pl
import pytest
from addons import needs_addon
from click.testing import CliRunner
from made_pages import empty_charts
from made_records import THREE

from nqbench import findings, plot
from nqbench.cli.app import app
from nqbench.common.errors import InputError
from nqbench.records import names
from nqbench.records.store import Store
from nqbench.results import Results

LONG = "exe:/opt/a b/kissat --sat=2"
SAMPLE = THREE.with_columns(
    backend=pl.col("backend").replace({"a": LONG, "b": "minisat22", "c": "glucose4"}),
    run_id=pl.int_range(pl.len()).cast(pl.String).str.zfill(32),
    verdict=pl.lit("unchecked"),
    checked_by=pl.lit("none"),
)
KNOWN = sorted(["e", LONG, "minisat22", "glucose4"])


@pytest.fixture(scope="module")
def export(tmp_path_factory):
    path = tmp_path_factory.mktemp("names") / "records.jsonl"
    SAMPLE.write_ndjson(path)
    return path


def run(*words):
    return CliRunner(env={"COLUMNS": "200"}).invoke(
        app, [*map(str, words)], standalone_mode=False, catch_exceptions=False
    )


NAME = ("--name", f"{LONG}=My Solver", "--name", "e=Naive")


@pytest.mark.parametrize("words", ["", "--pairs", "--by-problem", "--format latex", "--format csv"])
def test_tables_and_findings_have_the_names(export, words):
    done = run("summary", *words.split(), "--results", export, *NAME)
    # How to use the winner has its true name.
    text = " ".join((done.stdout.partition("use it:")[0] + done.stderr).split())
    assert "My Solver" in text
    assert "Naive" in text
    assert "kissat" not in text


@needs_addon("compare")
def test_a_comparison_has_the_names_on_both_sides(export):
    done = run("compare", export, export, *NAME, "--reference", f"e x {LONG}", "--json")
    (row, *_) = [r for r in json.loads(done.stdout)["ratios"] if r["backend"] == "My Solver"]
    assert row["encoding"] == "Naive"
    assert LONG not in done.stdout + done.stderr


def test_the_page_has_the_names_and_says_once_what_they_are(export, tmp_path):
    with empty_charts():
        run("report", "--results", export, *NAME, "--output", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    # How to use the winner has its true name.
    shown = re.sub('<section class="use".*?</section>', "", page, flags=re.DOTALL)
    assert shown.count("kissat") == 1
    assert f"My Solver is <code>{LONG}</code>" in page
    assert "Naive<br>My Solver" in page


def test_plots_have_the_names_and_take_both():
    for highlight in (f"e x {LONG}", "Naive x My Solver", "My Solver"):
        figure = plot(
            SAMPLE, "cactus", highlight=highlight, names={LONG: "My Solver", "e": "Naive"}
        )
        texts = {text.get_text() for text in figure.findobj() if hasattr(text, "get_text")}
        assert any("My Solver" in text for text in texts)
        assert not any("kissat" in text for text in texts)
    said = " ".join(findings(SAMPLE, names=[f"{LONG}=My Solver"]))
    assert "My Solver" in said
    assert "kissat" not in said


def test_records_and_exports_keep_the_true_name_and_conditions_take_both(export):
    with_names = Results(export, names={LONG: "My Solver"})
    assert set(pl.read_csv(with_names.export("csv"))["backend"]) == {LONG, "minisat22", "glucose4"}
    for name in (LONG, "My Solver"):
        where = f"backend = '{name}' AND n > 5"
        chosen = Results(export, where=where, names={LONG: "My Solver"})
        assert set(chosen.records["backend"]) == {"My Solver"}
        assert set(pl.read_csv(chosen.export("csv"))["backend"]) == {LONG}


def test_a_condition_is_for_exports_too(export):
    done = run("export", "--results", export, "--format", "jsonl", "--where", "n = 4")
    assert [json.loads(line)["n"] for line in done.stdout.splitlines()] == [4, 4, 4]
    with pytest.raises(InputError, match="no record fulfils 'n = 99'"):
        run("export", "--results", export, "--format", "csv", "--where", "n = 99")
    with pytest.raises(InputError, match="a condition is for records"):
        run("export", "--results", export, "--format", "conditions", "--where", "n = 4")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"minisat": "M"}, "unknown encoding or backend 'minisat': did you mean 'minisat22'"),
        (["minisat=M"], "unknown encoding or backend 'minisat': did you mean 'minisat22'"),
        ({"minisat22": ""}, "'' cannot be the name of 'minisat22'"),
        ({"minisat22": "a\nb"}, "cannot be the name of 'minisat22'"),
        ({"minisat22": "x" * 101}, "cannot be the name of 'minisat22'"),
        ({"minisat22": "a x b"}, "have a meaning"),
        ({"minisat22": "file"}, "have a meaning"),
        ({"file": "F"}, "keeps its name"),
        ({"minisat22": 3}, "both names must be text"),
        (["minisat22"], "write NAME=NAME FOR READERS"),
        ([3], "write NAME=NAME FOR READERS"),
        (["minisat22=A", "minisat22=B"], "has two names, 'A' and 'B'"),
        ({"minisat22": "A", "glucose4": "A"}, "'glucose4' and 'minisat22' would both be 'A'"),
        ({"minisat22": "glucose4"}, "'glucose4' and 'minisat22' would both be 'glucose4'"),
    ],
)
def test_what_cannot_be_a_name_is_refused(tmp_path, given, said):
    few = tmp_path / "few.jsonl"
    SAMPLE.unique(["encoding", "backend"], keep="first").write_ndjson(few)
    with pytest.raises(InputError, match=said):
        Results(few, names=given).summary()


def test_names_may_be_swapped_and_have_an_equals_sign(export):
    swapped = Results(export, names={"minisat22": "glucose4", "glucose4": "minisat22"})
    swapped.summary()
    assert names.read([f"{LONG}=K = 2"], KNOWN) == {LONG: "K = 2"}
    assert names.read(["MiniSat22=M"], KNOWN) == {"minisat22": "M"}


def test_a_folder_keeps_the_names_of_its_campaigns(tmp_path):
    with Store(tmp_path / "nqbench.db"):
        pass
    names.keep(tmp_path, {"minisat22": "Mini", 'a "b" \\c': "Ü"})
    names.keep(tmp_path, {"glucose4": "Mini"})
    assert names.in_folder(tmp_path) == {'a "b" \\c': "Ü", "glucose4": "Mini"}
    (tmp_path / "names.toml").write_text("names = 3")
    with pytest.raises(InputError, match=r"names\.toml: write \[names\]"):
        names.in_folder(tmp_path)


CAMPAIGN = """
[names]
glucose4 = "Glucose"
"pairwise" = "{pairwise}"

[[campaign]]
n = "4"
encoding = ["pairwise", "product"]
backend = ["glucose4", "minisat22"]
repeat = 1
"""


def test_a_campaign_file_has_names(tmp_path):
    path, folder = tmp_path / "c.toml", tmp_path / "results"
    path.write_text(CAMPAIGN.format(pairwise="Naive"))
    done = run("run", path, "--results", folder, "-q", "--no-plots")
    assert "Naive" in done.stdout
    assert "glucose4" not in done.stdout.partition("use it:")[0]
    again = run("summary", "--results", folder, "--format", "latex")
    assert "Glucose" in again.stdout
    assert "pairwise" not in again.stdout
    exported = Results(folder).export("csv")
    assert set(pl.read_csv(exported)["backend"]) == {"glucose4", "minisat22"}
    # What an option leaves out of the campaign needs no name.
    run("run", path, "--results", folder, "-q", "--no-plots", "--backend", "minisat22")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (CAMPAIGN.format(pairwise="Glucose").replace("glucose4 =", "product ="), "both be"),
        (CAMPAIGN.format(pairwise="P").replace("glucose4 =", "glucos ="), "mean 'glucose4'"),
        ("names = 3\n[[campaign]]\nn = '4'\n", r"write \[names\]"),
    ],
)
def test_wrong_names_of_a_campaign_file_are_named_before_anything_is_measured(tmp_path, text, said):
    path, folder = tmp_path / "c.toml", tmp_path / "results"
    path.write_text(text)
    with pytest.raises(InputError, match=said):
        run("run", path, "--results", folder, "-q", "--no-plots")
    assert not (folder / "nqbench.db").exists()
