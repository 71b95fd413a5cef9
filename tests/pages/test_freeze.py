"""`tools/freeze.py` finds what one of two checkouts prints or plans differently."""

import os
import shutil
import subprocess
import sys

from places import ROOT


def frozen(before, after, *words):
    """What the comparison of two checkouts prints of the commands with these words."""
    here = {"PYTHON_BEFORE": sys.executable, "PYTHON_AFTER": sys.executable}
    return subprocess.run(
        [sys.executable, ROOT / "tools" / "freeze.py", before, after, *words],
        env=os.environ | here,
        capture_output=True,
        text=True,
    )


def test_a_checkout_does_not_differ_from_itself():
    done = frozen(ROOT, ROOT, "schema record", "run --n 4..30", "list families")
    assert (done.returncode, done.stdout) == (0, "5 and 5 commands, of which 0 differ\n")


def test_what_another_checkout_prints_and_plans_differently_is_shown(tmp_path):
    shutil.copytree(ROOT / "nqbench", tmp_path / "nqbench")
    file = tmp_path / "nqbench" / "campaign" / "grid.py"
    changed = file.read_text().replace("self.seeds or self.repeat", "1")
    assert changed != file.read_text()
    file.write_text(changed)
    done = frozen(ROOT, tmp_path, "run --n 4..30", "schema record")
    assert done.returncode == 1
    assert "before: ids" in done.stdout
    assert "2 and 2 commands, of which 1 differ" in done.stdout
