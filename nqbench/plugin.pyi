"""Written by `python tools/generate.py`."""

from nqbench.addons.importing.base import Format as Format  # type: ignore[import-not-found,unused-ignore]
from nqbench.addons.importing.base import ResultFile as ResultFile  # type: ignore[import-not-found,unused-ignore]
from nqbench.addons.importing.functions import load_format as load_format  # type: ignore[import-not-found,unused-ignore]
from nqbench.backends.base import Backend as Backend
from nqbench.backends.base import Capabilities as Capabilities
from nqbench.backends.base import Solver as Solver
from nqbench.backends.base import Step as Step
from nqbench.backends.base import StepKind as StepKind
from nqbench.backends.snippet import Snippet as Snippet
from nqbench.campaign.executors.base import Executor as Executor
from nqbench.campaign.executors.base import ExecutorKind as ExecutorKind
from nqbench.clauses.cnf import Assignment as Assignment
from nqbench.clauses.cnf import Block as Block
from nqbench.clauses.cnf import CNF as CNF
from nqbench.clauses.cnf import CNFBuilder as CNFBuilder
from nqbench.clauses.constraints import Constraints as Constraints
from nqbench.clauses.csp import CSP as CSP
from nqbench.clauses.rows import Objective as Objective
from nqbench.clauses.rows import RowForm as RowForm
from nqbench.clauses.rows import Rows as Rows
from nqbench.common.errors import InputError as InputError
from nqbench.common.limits import Limits as Limits
from nqbench.common.metrics import Counters as Counters
from nqbench.common.vocabulary import Answer as Answer
from nqbench.common.vocabulary import Form as Form
from nqbench.common.vocabulary import Task as Task
from nqbench.encodings.base import Encoding as Encoding
from nqbench.encodings.counting import CountingEncoding as CountingEncoding
from nqbench.encodings.counting import WeighingEncoding as WeighingEncoding
from nqbench.encodings.lines import LineEncoding as LineEncoding
from nqbench.encodings.pairwise import pairs as pairs
from nqbench.plugins.component import Component as Component
from nqbench.plugins.name_rules import NameRules as NameRules
from nqbench.plugins.name_rules import Revision as Revision
from nqbench.plugins.parameters import Choice as Choice
from nqbench.plugins.parameters import Whole as Whole
from nqbench.plugins.parameters import WholeOr as WholeOr
from nqbench.problems.base import BoundedProblem as BoundedProblem
from nqbench.problems.base import Problem as Problem
from nqbench.problems.base import ProblemOfK as ProblemOfK
from nqbench.problems.cover import CoverView as CoverView
from nqbench.problems.cover import along as along
from nqbench.problems.cover import by_length as by_length
from nqbench.problems.families.base import Better as Better
from nqbench.problems.families.base import Family as Family
from nqbench.problems.families.base import FamilyOfK as FamilyOfK
from nqbench.problems.families.base import FilledFamily as FilledFamily
from nqbench.problems.lex_leader import LexLeader as LexLeader
from nqbench.problems.options import Box as Box
from nqbench.problems.options import Option as Option
from nqbench.problems.options import Solution as Solution
from nqbench.problems.rules import Counted as Counted
from nqbench.problems.rules import Flags as Flags
from nqbench.problems.rules import Numbers as Numbers
from nqbench.problems.rules import Rules as Rules
from nqbench.problems.rules import numbers as numbers

Cover = CoverView

Bounded = Rows

CNFPlus = Constraints

AtMost = Rows.at_most

def load_encoding(name: str) -> Encoding: ...

def load_backend(name: str) -> Backend: ...

def load_family(name: str) -> Family: ...
