"""Recorded runs are reused only if the code behind them is the same."""

import json
import shutil
import sqlite3
import sys

import pytest
from places import ROOT

EXAMPLE = ROOT / "examples" / "nqbench-example" / "nqbench_example.py"
BEFORE, AFTER = "Whole(default=3, least=1)", "Whole(default=2, least=1)"
CAMPAIGN = ["run", "--n", "4..6", "--encoding", "mine,pairwise", "--backend", "minisat22,mydpll"]
CAMPAIGN += ["--repeat", "1", "--no-plots"]
OF_MINE = 3 * 2


class Plugin:
    """A plugin with an encoding and a backend in files of their own, and their users."""

    def __init__(self, folder, nqbench):
        self.folder, self.nqbench = folder, nqbench
        self.path = folder / "plugin"

    def write(self):
        package = self.path / "mine"
        package.mkdir(parents=True)
        text = EXAMPLE.read_text()
        (package / "__init__.py").write_text("")
        (package / "scheme.py").write_text(text)
        (package / "helper.py").write_text("TIMES = 1\n")
        (package / "solver.py").write_text(f"{text}\nfrom mine.helper import TIMES\n")
        metadata = self.path / "mine-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
        (metadata / "entry_points.txt").write_text(
            "[nqbench.encodings]\nmine = mine.scheme:Triangle\n"
            "[nqbench.backends]\nmydpll = mine.solver:DPLL\n"
        )

    def edit(self, file="scheme", before=BEFORE, after=AFTER):
        path = self.path / "mine" / f"{file}.py"
        text = path.read_text()
        assert before in text
        path.write_text(text.replace(before, after))

    def __call__(self, *arguments):
        return self.nqbench(*arguments, plugin=False)

    def database(self):
        return sqlite3.connect(self.folder / "results" / "nqbench.db")

    def starts(self):
        """When each run was recorded, by (encoding, backend, n)."""
        with self.database() as db:
            found = db.execute("SELECT encoding, backend, n, started_at FROM records")
            return {key: moment for *key_, moment in found for key in [tuple(key_)]}

    def clauses(self):
        """The numbers of clauses of the encoding."""
        with self.database() as db:
            query = "SELECT clauses FROM records WHERE encoding = 'mine' ORDER BY backend, n"
            return [clauses for (clauses,) in db.execute(query)]

    def forget_files(self):
        """Make the store one of a version that did not record the files of plugins."""
        with self.database() as db:
            for key, facts in db.execute("SELECT id, facts FROM environments").fetchall():
                earlier = {k: v for k, v in json.loads(facts).items() if k != "sources"}
                db.execute("DELETE FROM environments WHERE id = ?", [key])
                from nqbench.records import facts as rows

                text = json.dumps(earlier, separators=(",", ":"))
                hashed = rows._hash(text)
                db.execute("INSERT INTO environments VALUES (?, ?)", [hashed, text])
                db.execute("UPDATE records SET environment_id = ?", [hashed])


def installed(monkeypatch, folder, nqbench):
    """The plugin in a folder, where Python finds it."""
    plugin = Plugin(folder, nqbench)
    monkeypatch.setenv("PYTHONPATH", str(plugin.path))
    # A module may be edited within the second that its compiled file would be compared with.
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    return plugin


@pytest.fixture(scope="module")
def measured(nqbench_in, tmp_path_factory):
    """A folder with the plugin and the results of the campaign."""
    folder = tmp_path_factory.mktemp("measured")
    with pytest.MonkeyPatch.context() as patch:
        plugin = installed(patch, folder, nqbench_in(folder))
        plugin.write()
        done = plugin(*CAMPAIGN)
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def plugin(measured, tmp_path, nqbench, monkeypatch):
    """The plugin after the campaign, in a folder of this test."""
    shutil.copytree(measured, tmp_path, dirs_exist_ok=True)
    return installed(monkeypatch, tmp_path, nqbench)


def changed(before, after):
    """The (encoding, backend, n) of the runs that were measured again."""
    assert before.keys() == after.keys()
    return {key for key in before if before[key] != after[key]}


def again(before, after):
    """The (encoding, backend) of the runs that were measured again."""
    return sorted({key[:2] for key in changed(before, after)})


def test_an_edited_encoding_is_measured_again(plugin):
    """n=24 was 'recorded already', with the conflicts of the code before the edit."""
    plugin.forget_files()  # so that only the clauses can show it
    before, clauses = plugin.starts(), plugin.clauses()
    plugin.edit()
    told = plugin(*CAMPAIGN)
    assert told.returncode == 0, told.stderr
    assert again(before, plugin.starts()) == [("mine", "minisat22"), ("mine", "mydpll")]
    # With 2 squares of a line in the first part, not 3, a line of 4 has 1 + 1 pairs, not 3 + 0.
    assert plugin.clauses() != clauses
    (line,) = [line for line in told.stderr.splitlines() if "has changed" in line]
    assert "encoding mine of queens" in line
    assert f"{OF_MINE} runs" in line
    after = plugin.starts()
    assert "all 12 runs are recorded already" in plugin(*CAMPAIGN).stderr
    assert plugin.starts() == after


def test_after_an_interruption_the_rest_is_still_outdated(plugin):
    """The smallest problem is fresh then, and its clauses are those of the new code."""
    plugin.forget_files()
    before = plugin.starts()
    plugin.edit()
    # Smallest first, and over after the first run.
    plugin(*CAMPAIGN, "--budget", "1ms", "--check", "now")
    with plugin.database() as db:
        # As if no problem that is encoded again had a record from before the edit.
        db.execute("UPDATE records SET instance_digest = NULL WHERE encoding = 'mine'")
    plugin(*CAMPAIGN)
    assert changed(before, plugin.starts()) == {
        ("mine", backend, n) for backend in ("minisat22", "mydpll") for n in (4, 5, 6)
    }


def test_no_table_has_what_is_outdated(plugin):
    plugin.edit()
    plugin(*CAMPAIGN, "--budget", "1ms")
    rows = plugin("export", "--format", "jsonl").stdout.splitlines()
    pairs = {(r["encoding"], r["backend"]) for r in map(json.loads, rows)}
    assert pairs <= {("pairwise", "minisat22"), ("pairwise", "mydpll")}
    told = plugin("summary")
    assert "6 recorded runs are left out" in told.stderr
    assert "mine" not in told.stdout


def test_an_edited_backend_is_measured_again(plugin):
    before = plugin.starts()
    plugin.edit("helper", "1", "2")  # not its module, but one that it imports
    plugin(*CAMPAIGN)
    assert again(before, plugin.starts()) == [("mine", "mydpll"), ("pairwise", "mydpll")]


def test_fresh_runs_outdate_the_others_too(plugin):
    """After --fresh for a part, the others are still those of the code before."""
    plugin.forget_files()
    plugin.edit()
    of_mine = [word if word != "mine,pairwise" else "mine" for word in CAMPAIGN]
    plugin(*[word if word != "4..6" else "4" for word in of_mine], "--fresh")
    before = plugin.starts()
    plugin(*CAMPAIGN)
    assert changed(before, plugin.starts()) == {
        ("mine", backend, n) for backend in ("minisat22", "mydpll") for n in (5, 6)
    }


def test_a_merged_store_keeps_what_is_outdated(plugin):
    plugin.edit()
    plugin(*CAMPAIGN, "--budget", "1ms")
    plugin("merge", "results/nqbench.db", "--results", "both")
    both = sqlite3.connect(plugin.folder / "both" / "nqbench.db")
    with both, plugin.database() as db:
        query = "SELECT run_id FROM outdated ORDER BY run_id"
        assert both.execute(query).fetchall() == db.execute(query).fetchall() != []


def test_an_encoding_that_cannot_be_loaded_changes_nothing(plugin):
    (plugin.path / "mine" / "scheme.py").write_text("raise RuntimeError\n")
    plugin(*CAMPAIGN)
    with plugin.database() as db:
        assert db.execute("SELECT count(*) FROM outdated").fetchone() == (0,)


def test_a_replaced_executable_is_measured_again(nqbench, tmp_path):
    """Its build, which is a digest of the file, is part of a run's identity."""
    solver = tmp_path / "solver"
    for _ in range(2):
        program = f"#!{sys.executable}\nprint('s UNKNOWN')\n"
        solver.write_text(program + "# another build\n" * solver.exists())
        solver.chmod(0o755)
        command = ["run", "--n", "4", "--backend", f"exe:{solver}", "--repeat", "1", "--no-plots"]
        command += ["--encoding", "pairwise", "--dry-run"]
        told = nqbench(*command)
        assert " of 1 runs are recorded" not in told.stdout
        nqbench(*command[:-1])
        # What it says is no answer, so it is unavailable; the record has its build all the same.
    with sqlite3.connect(tmp_path / "results" / "nqbench.db") as db:
        builds = db.execute("SELECT backend_build FROM records").fetchall()
    assert len(set(builds)) == 2


SMALL = ("run", "--n", "4,5", "--encoding", "pairwise", "--backend", "minisat22")
SMALL += ("--repeat", "2", "--no-plots")


@pytest.fixture(scope="module")
def recorded(nqbench_in, tmp_path_factory):
    """A folder with the results of a campaign."""
    folder = tmp_path_factory.mktemp("recorded")
    assert nqbench_in(folder)(*SMALL).returncode == 0
    return folder


FAULTY = ("--encoding", "pairwise,faulty-literal")


@pytest.mark.parametrize(
    ("options", "before"),
    [
        ((), None),
        (("--fresh",), ()),
        ((), ()),
        (("--n", "4..6"), ()),
        (("--time-limit", "20s"), ()),
        (FAULTY, FAULTY),
        ((*FAULTY, "--retry-failed"), FAULTY),
        (("--backend", "minisat22,exe:nosuch"), ("--backend", "minisat22,exe:nosuch")),
        (("--budget", "1h"), ("--n", "4")),
        (("--give-up-after", "1", "--n", "4..8"), None),
    ],
)
def test_a_dry_run_announces_what_is_measured(nqbench, recorded, tmp_path, options, before):
    if before == ():
        shutil.copytree(recorded, tmp_path, dirs_exist_ok=True)
    elif before:
        nqbench(*SMALL, *before)
    counts = [
        int(line.split()[0])
        for line in nqbench(*SMALL, *options, "--dry-run").stdout.splitlines()
        if " of measured combinations: " in line or " of new combinations: " in line
    ]

    def starts():
        path = tmp_path / "results" / "nqbench.db"
        if not path.exists():
            return set()
        with sqlite3.connect(path) as db:
            which = "outcome NOT IN ('skipped', 'unavailable')"
            return set(db.execute(f"SELECT run_id, started_at FROM records WHERE {which}"))

    earlier = starts()
    nqbench(*SMALL, *options)
    assert sum(counts) == len(starts() - earlier)


def test_a_dry_run_announces_what_an_edit_outdates(plugin):
    plugin.edit()
    told = plugin(*CAMPAIGN, "--dry-run").stdout
    before = plugin.starts()
    assert f"{OF_MINE} runs of measured combinations" in told
    assert plugin.starts() == before
    plugin(*CAMPAIGN)
    assert len(changed(before, plugin.starts())) == OF_MINE
    assert {key[0] for key in changed(before, plugin.starts())} == {"mine"}
