"""What the scripts of the repository name exists."""

import ast
import re
import sys

import pytest
from places import ROOT


def test_mistakes_are_put_into_modules_that_exist_and_have_tests():
    """Read, not imported: the library that makes the mistakes may be missing."""
    tree = ast.parse((ROOT / "tools" / "mutation.py").read_text())
    named = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in (
            "STATISTICS",
            "MODULES",
        ):
            exec(ast.unparse(node), named)
    assert len(named["MODULES"]) > 10
    for module, tests in named["MODULES"].items():
        assert (ROOT / "nqbench" / f"{module}.py").exists(), module
        assert [path for path in tests.split() if not (ROOT / path).exists()] == []


def test_the_help_of_a_script_that_takes_a_folder_writes_none(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(ROOT / "tools")
    from arguments import paths

    for option in ("--help", "--nosuch"):
        monkeypatch.setattr(sys, "argv", ["corpus.py", option])
        with pytest.raises(SystemExit):
            paths("What it writes.", "FOLDER")
    assert "What it writes." in capsys.readouterr().out
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(sys, "argv", ["weighted_claims.py", "records", "made"])
    assert [path.name for path in paths("", "RECORDS", "FOLDER")] == ["records", "made"]


def test_no_script_takes_its_words_unread():
    """A script that takes `sys.argv[1]` as a path writes a folder called `--help`."""
    unread = [
        path.name
        for path in (ROOT / "tools").glob("*.py")
        if re.search(r"main\((Path\()?sys\.argv", path.read_text())
    ]
    assert unread == []
