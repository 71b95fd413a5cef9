"""A bundle of a campaign with a local plugin: its files are data, and what they are needed for is
said.
"""

import json
import subprocess
import sys
import zipfile

import pytest
from bundles import contents
from conftest import plugin

import nqbench as library
from nqbench.plugins.loading import _entry_points

ENCODING = """
from mine_rows.shared import Base

class Mine(Base):
    reference = "a test"
"""
SHARED = """
import pathlib
from nqbench.encodings.alo_row import AtLeastOnePerRow

pathlib.Path(__file__).with_name("executed").touch()

class Base(AtLeastOnePerRow):
    pass
"""
ENTRIES = "[nqbench.encodings]\nmine-rows = mine_rows.rows:Mine\n"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The folder with the plugin."""
    folder = tmp_path_factory.mktemp("plugin")
    package, about = folder / "mine_rows", folder / "mine_rows-1.0.dist-info"
    for path in (package, about):
        path.mkdir()
    (package / "__init__.py").write_text("")
    (package / "rows.py").write_text(ENCODING)
    (package / "shared.py").write_text(SHARED)
    (package / "unused.py").write_text("not Python")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: mine-rows\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(ENTRIES)
    return folder


@pytest.fixture(scope="module")
def results(written, tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    with plugin(written):
        library.run(
            "4..6", encodings="mine-rows,pairwise", backends="minisat22", repeat=1, results=folder
        )
    return library.Results(folder)


@pytest.fixture(scope="module")
def bundle(results, written, tmp_path_factory):
    with plugin(written):
        return results.bundle(tmp_path_factory.mktemp("bundle") / "b.zip", plots=False)


def test_its_files_are_in_the_bundle_and_bundling_says_so(bundle):
    files = contents(bundle.path)
    assert {name for name in files if name.startswith("plugins/")} == {
        "plugins/mine-rows/pyproject.toml",
        "plugins/mine-rows/mine_rows/__init__.py",
        "plugins/mine-rows/mine_rows/rows.py",
        "plugins/mine-rows/mine_rows/shared.py",
    }
    assert files["plugins/mine-rows/mine_rows/rows.py"].decode() == ENCODING
    (need,) = bundle.plugins
    assert need.startswith("the encoding mine-rows of 3 runs is a plugin: its files are in plugins")
    readme = files["README.md"].decode()
    assert need in readme
    assert "and plugins to install first: see Plugins" in readme
    assert "\nmine-rows==" not in files["requirements.txt"].decode()


def test_so_are_those_of_a_scheme_for_one_that_another_encoding_names(written, tmp_path):
    with plugin(written):
        library.run(4, encodings="sequential:one=mine-rows", backends="minisat22", results=tmp_path)
        bundle = library.Results(tmp_path).bundle(tmp_path / "b.zip", plots=False)
    assert "plugins/mine-rows/mine_rows/rows.py" in contents(bundle.path)
    (need,) = bundle.plugins
    assert need.startswith("the encoding mine-rows of ")


def test_elsewhere_what_it_is_needed_for_is_not_measured_and_not_green(nqbench, bundle):
    done = nqbench("replay", bundle.path, "--quiet")
    assert done.returncode == 1
    said = " ".join(done.stdout.split())
    assert "3 of 6 runs could not be measured here. 3 runs: unknown encoding 'mine-rows'" in said
    assert "this encoding is a plugin: the README of the bundle says how" in said
    printed = nqbench("replay", bundle.path, "--quiet", "--json")
    assert printed.returncode == 1
    found = json.loads(printed.stdout)
    assert (found["agrees"], found["runs"], found["not_measured"]) == (False, 3, 3)
    (left_out,) = found["left_out"]
    assert (left_out["runs"], left_out["promised"]) == (3, True)
    assert "3 of 6 runs" in found["sentences"][0]
    allowed = nqbench("replay", bundle.path, "--quiet", "--allow-missing")
    assert allowed.returncode == 0
    assert "3 of 6 runs could not be measured here" in " ".join(allowed.stdout.split())


def test_no_code_of_the_bundle_is_executed(bundle, written, tmp_path, monkeypatch):
    executed = written / "mine_rows" / "executed"
    executed.unlink(missing_ok=True)
    monkeypatch.chdir(tmp_path)
    assert not library.replay(bundle.path).agrees
    assert library.replay(bundle.path, allow_missing=True).agrees
    assert not executed.exists()
    assert "executed" not in {path.name for path in tmp_path.rglob("*")}


def forget_modules():
    """Import the plugin again, from where it is then."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "mine_rows"]:
        del sys.modules[name]


def test_where_it_was_installed_from_the_bundle_every_run_agrees(bundle, tmp_path):
    """As pip would install it, but without the network: built by the setuptools here."""
    with zipfile.ZipFile(bundle.path) as archive:
        archive.extractall(tmp_path)
    place, site = tmp_path / "plugins" / "mine-rows", tmp_path / "site"
    command = ["-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps"]
    done = subprocess.run(
        [sys.executable, *command, "--target", site, place], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    forget_modules()
    with plugin(site):
        found = library.replay(bundle.path)
    forget_modules()
    assert found.agrees
    assert found.plan.left_out == {}
    assert len(found.records) == 6


def test_files_that_were_edited_since_or_are_not_wanted_are_named_as_lacking(
    results, written, tmp_path
):
    shared = written / "mine_rows" / "shared.py"
    with plugin(written):
        without = results.bundle(tmp_path / "w.zip", plots=False, plugins=False)
        shared.write_text(SHARED + "\n# edited\n")
        edited = results.bundle(tmp_path / "e.zip", plots=False)
    shared.write_text(SHARED)
    _entry_points.cache_clear()
    gone = results.bundle(tmp_path / "g.zip", plots=False)
    for made, why in (
        (without, "its files are not wanted in the bundle"),
        (edited, "its files here were edited since"),
        (gone, "its files are not here"),
    ):
        assert made.plugins == (f"the encoding mine-rows of 3 runs is a plugin, and {why}",)
        files = contents(made.path)
        assert not any(name.startswith("plugins/") for name in files)
        assert "does not have all that is needed" in files["README.md"].decode()


def test_a_bundle_without_plugins_says_nothing_of_them(results, tmp_path):
    only = library.Results(results.source, where="encoding = 'pairwise'")
    made = only.bundle(tmp_path / "b.zip", plots=False)
    assert made.plugins == ()
    readme = contents(made.path)["README.md"].decode()
    assert "has all that is needed to measure these runs again." in readme
    assert "lugin" not in readme
    assert library.replay(made.path).agrees
