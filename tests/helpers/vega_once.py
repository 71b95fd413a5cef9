"""The scripts of Vega-Lite, made once for all processes of all tests: that takes 1.3 s of CPU time.

They are in a file, which is made anew for another vl-convert and for another code that makes them.
"""

import hashlib
import os
from functools import cache
from importlib.metadata import version
from pathlib import Path

from nqbench.show.report import vega

MAKE = vega._script.__wrapped__
FOLDER = Path("/tmp") / f"nqbench-tests-{os.getuid()}-vega"
"""Not the temporary folder of a worker, which no other worker has."""


def keep():
    """Make the module read the scripts from the file if it is there, and write it otherwise."""
    vega._script = kept


@cache
def kept():
    made_by = Path(vega.__file__).read_bytes() + version("vl-convert-python").encode()
    path = FOLDER / f"{hashlib.sha256(made_by).hexdigest()[:16]}.js"
    if path.exists():
        return path.read_text()
    script = MAKE()
    if script:
        FOLDER.mkdir(mode=0o700, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}")
        part.write_text(script)
        part.replace(path)  # whole, or not there, for those who read it now
    return script
