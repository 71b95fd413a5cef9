"""How distributions are installed: what a message says about it, and the examples by pip."""

import re
import subprocess
import sys


def is_told(message, what):
    """Whether the message has a command that installs this."""
    command = rf"pip install (?:--python \S+ )?{re.escape(what)}(?![\w-])"
    return re.search(command, message) is not None


def install_example(example, tmp_path_factory):
    """A folder into which pip has installed a copy of an example."""
    source, target = (tmp_path_factory.mktemp(name) for name in ("source", "target"))
    for path in example.iterdir():
        if path.is_file():
            (source / path.name).write_bytes(path.read_bytes())
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--target", target, source], check=True, capture_output=True)
    return target
