"""pycryptosat ignores an empty clause in a flat array of clauses.

Expected: False, since an empty clause is false. That is the answer if the same clauses are lists.
Happens:  the empty clause is skipped, and the answer is True.
Seen:     pycryptosat 5.11.15, 5.11.21, 5.14.7, 5.16.0 and 5.17.0.
Status:   1 if the fault is present, 0 if not.
"""

import platform
import sys
from array import array
from importlib.metadata import version

import pycryptosat

print("pycryptosat", version("pycryptosat"), "Python", platform.python_version())
from_lists, from_array = pycryptosat.Solver(), pycryptosat.Solver()
from_lists.add_clauses([[1], []])
from_array.add_clauses(array("i", [1, 0, 0]))
expected, got = from_lists.solve()[0], from_array.solve()[0]
print("expected:", expected)
print("got:     ", got)
sys.exit(0 if got is False else 1)
