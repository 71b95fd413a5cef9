"""Written by `python tools/generate.py`."""

from nqbench.addons.bundle.replay import replay as replay  # type: ignore[import-not-found,unused-ignore]
from nqbench.addons.certify.functions import certify as certify  # type: ignore[import-not-found,unused-ignore]
from nqbench.addons.certify.functions import certify_formula as certify_formula  # type: ignore[import-not-found,unused-ignore]
from nqbench.addons.grading.functions import grade as grade  # type: ignore[import-not-found,unused-ignore]
from nqbench.addons.race.functions import race as race  # type: ignore[import-not-found,unused-ignore]
from nqbench.addons.revisions.functions import bisect as bisect  # type: ignore[import-not-found,unused-ignore]
from nqbench.addons.sequences.recorder import record as record  # type: ignore[import-not-found,unused-ignore]
from nqbench.addons.shrink.functions import shrink as shrink  # type: ignore[import-not-found,unused-ignore]
from nqbench.addons.strength.functions import strength as strength  # type: ignore[import-not-found,unused-ignore]
from nqbench.addons.teaching.functions import watch as watch  # type: ignore[import-not-found,unused-ignore]
from nqbench.addons.trends.functions import trends as trends  # type: ignore[import-not-found,unused-ignore]
from nqbench.api import check as check
from nqbench.api import count as count
from nqbench.api import encode as encode
from nqbench.api import optimum as optimum
from nqbench.api import problems_of as problems_of
from nqbench.api import read as read
from nqbench.api import reencode as reencode
from nqbench.api import run as run
from nqbench.api import solutions as solutions
from nqbench.api import solve as solve
from nqbench.api import solve_all as solve_all
from nqbench.api import use as use
from nqbench.problems.base import Problem as Problem
from nqbench.problems.families.cnf import Formula as Formula
from nqbench.problems.families.cnf import formulas as formulas
from nqbench.problems.families.cnfgen import cnfgen as cnfgen
from nqbench.problems.from_python import constraints as constraints
from nqbench.problems.queens import Queens as Queens
from nqbench.results import Results as Results
from nqbench.results import findings as findings
from nqbench.results import plot as plot
from nqbench.show.boards.board import Board as Board
from nqbench.show.boards.board import Model as Model
from nqbench.show.boards.board import NoSolution as NoSolution
from nqbench.show.boards.board import Solved as Solved
from nqbench.show.boards.board import Used as Used

__version__: str
