"""What would be published can be built, installed elsewhere, and works there."""

import subprocess
import sys

from places import ROOT


def test_the_release_is_rehearsed(tmp_path):
    """In a clone, where it cannot meet tests that run at the same time."""
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    command = [sys.executable, clone / "tools" / "release.py", tmp_path / "release"]
    done = subprocess.run(command, cwd=clone, capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]
