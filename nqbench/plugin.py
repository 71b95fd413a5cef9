"""What the author of an encoding, a backend, a family, an executor or an import format needs.

    from nqbench.plugin import Block, CNFBuilder, LineEncoding

The names here, those of `nqbench.cli.face` and the conformance checks in `nqbench.testing` stay as
they are. Everything else in nqbench may move without notice. For type checkers, `tools/generate.py`
writes `plugin.pyi`, with what add-ons declare in the group `nqbench.plugin`.
"""

from nqbench.backends.base import Backend, Capabilities, Solver, Step, StepKind
from nqbench.backends.snippet import Snippet
from nqbench.campaign.executors.base import Executor, ExecutorKind
from nqbench.clauses.cnf import CNF, Assignment, Block, CNFBuilder
from nqbench.clauses.constraints import Constraints
from nqbench.clauses.csp import CSP
from nqbench.clauses.rows import Objective, RowForm, Rows
from nqbench.common.errors import InputError
from nqbench.common.limits import Limits
from nqbench.common.metrics import Counters
from nqbench.common.vocabulary import Answer, Form, Task
from nqbench.encodings.base import Encoding
from nqbench.encodings.counting import CountingEncoding, WeighingEncoding
from nqbench.encodings.lines import LineEncoding
from nqbench.encodings.pairwise import pairs
from nqbench.plugins.component import Component
from nqbench.plugins.declared import PLUGIN, declared
from nqbench.plugins.name_rules import NameRules, Revision
from nqbench.plugins.parameters import Choice, Whole, WholeOr
from nqbench.problems.base import BoundedProblem, Problem, ProblemOfK
from nqbench.problems.cover import CoverView, along, by_length
from nqbench.problems.families.base import Better, Family, FamilyOfK, FilledFamily
from nqbench.problems.lex_leader import LexLeader
from nqbench.problems.options import Box, Option, Solution
from nqbench.problems.rules import Counted, Flags, Numbers, Rules, numbers

Cover = CoverView
"""`CoverView`, by its name of nqbench 0.3."""

Bounded = Rows
"""`Rows`, by their name of nqbench 0.3."""

CNFPlus = Constraints
"""`Constraints`, by their name of nqbench 0.3."""

AtMost = Rows.at_most
"""Makes `Rows` without a lower bound, by the name of nqbench 0.3."""


def load_encoding(name: str) -> Encoding:
    """Short for `Encoding.named`."""
    return Encoding.named(name)


def load_backend(name: str) -> Backend:
    """Short for `Backend.named`."""
    return Backend.named(name)


def load_family(name: str) -> Family:
    """Short for `Family.named`."""
    return Family.named(name)


def __getattr__(name: str) -> object:
    """What an add-on has for authors of plugins, by the entry points in group `nqbench.plugin`."""
    if name == "__all__":
        return __dir__()
    if entry := declared(PLUGIN).get(name):
        return entry.load()
    raise AttributeError(f"module 'nqbench.plugin' has no attribute '{name}'")


def __dir__() -> list[str]:
    """The names that are imported, made or declared by add-ons, sorted."""
    own = {name for name in globals() if not name.startswith("_")}
    return sorted((own | set(declared(PLUGIN))) - {"PLUGIN", "declared"})
