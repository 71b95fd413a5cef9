"""The command line in this process: to fork one takes 40 ms, and to start one a second."""

import contextlib
import io
import subprocess
import sys
import tempfile

import pytest
from probes import probed_once

from nqbench.cli.app import main
from nqbench.plugins import availability


def called_here(folder, *words, given=""):
    """What a command says in a folder, as `subprocess.run` returns it. It has the plugins and the
    environment of this process, and tries each backend once.
    """
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    err = io.StringIO()
    with (
        tempfile.TemporaryFile("w+") as source,
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        source.write(given)
        source.seek(0)
        patch.chdir(folder)
        patch.setattr(sys, "argv", ["nqbench", *map(str, words)])
        patch.setattr(sys, "stdin", source)
        patch.setattr(availability, "_probed", probed_once)
        with pytest.raises(SystemExit) as ended:
            main()
    written = out.buffer.getvalue().decode()
    return subprocess.CompletedProcess(words, ended.value.code, written, err.getvalue())
