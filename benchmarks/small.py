"""Calls in a new interpreter. A fork copies the page tables of its process, so a measurement in the
process of pytest would depend on what ran there before.
"""

import json
import subprocess
import sys
from pathlib import Path

_CALL = """
import importlib, json, sys
sys.path.insert(0, sys.argv[1])
function = getattr(importlib.import_module(sys.argv[2]), sys.argv[3])
print(json.dumps(function(*json.loads(sys.argv[4]))))
"""


def call(function, *arguments):
    """Return the result of a function of one of these modules. Arguments and result are JSON."""
    here = str(Path(__file__).parent)
    words = [here, function.__module__, function.__name__, json.dumps(arguments)]
    done = subprocess.run(
        [sys.executable, "-c", _CALL, *words], stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])
