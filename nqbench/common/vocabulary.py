"""The closed vocabularies, mostly those of a record. Each has a separate column: a run can finish
with a wrong answer, and a run killed at its limit has no answer at all.
"""

from enum import StrEnum
from typing import Final

COMBINATION: Final = "{} x {}"
"""The format of a combination's name; see `combination`."""


AS_IT_IS: Final = "file"
"""The encoding, and so the at-most-one scheme, of formulas that are left as they are. Names of
combinations do not repeat it.
"""

USUAL_ENCODING: Final = "pairwise"
"""The encoding where nobody names one."""

LARGE_ENCODING: Final = "commander:group=6"
"""The encoding that solves a large problem where nobody names one. On a board, `pairwise` has about
5/3 n^3 clauses: at n = 300, CaDiCaL needs more than 4 GiB for them.
"""

LARGE_OPTIONS: Final = 10_000
"""The number of options from which a problem is large: a board from n = 100."""

COUNTING_ENCODING: Final = "sequential"
"""The encoding of rows that count beyond one where nobody names one."""

WEIGHING_ENCODING: Final = "adder"
"""The encoding of rows with weights where nobody names one."""

NATIVE_ENCODING: Final = "native"
"""The encoding that leaves rows as they are, for solvers that take them."""

WHILE_ENCODING: Final = "while encoding: "
"""The beginning of a message about a run whose encoding failed."""

FORMER_AS_IT_IS: Final = "keep"
"""What `AS_IT_IS` was called as a scheme; accepted for one version."""


def combination(encoding: str, backend: str) -> str:
    """The name of an encoding and backend, as in tables, plots and `--pair`. A formula in a file
    has only a backend.

    >>> combination("pairwise", "minisat22"), combination("file", "minisat22")
    ('pairwise x minisat22', 'minisat22')
    """
    return backend if encoding == AS_IT_IS else COMBINATION.format(encoding, backend)


def unshuffled(encoding: str) -> str:
    """The encoding without a shuffle of the clauses. A shuffle is a control, which nobody uses.

    >>> unshuffled("file:shuffle=1"), unshuffled("product:group=2")
    ('file', 'product:group=2')
    """
    return ":".join(part for part in encoding.split(":") if not part.startswith("shuffle="))


def as_combination(text: str) -> str:
    """The name that somebody typed, as `combination` writes it.

    >>> as_combination("file x minisat22"), as_combination("./mine.py:amo x minisat22")
    ('minisat22', 'mine.py:amo x minisat22')
    """
    return text.removeprefix("./").removeprefix(COMBINATION.format(AS_IT_IS, ""))


class Task(StrEnum):
    """What a solver has to find: the first solution, all, or one for the best k."""

    FIRST = "first"
    ALL = "all"
    BEST = "best"


class KOrder(StrEnum):
    """How the best k of a problem is searched for: one k after another, by bisection, or one k
    after another by one solver, which keeps what it has learned. The best objective of a file: the
    same one after another or by bisection, or by the solver's own search.
    """

    LINEAR = "linear"
    BINARY = "binary"
    INCREMENTAL = "incremental"
    SOLVER = "solver"


class Form(StrEnum):
    """The kind of instance that an encoding makes and a backend takes. `cnf+`: clauses and
    at-most-k constraints.
    """

    CNF = "cnf"
    CNF_PLUS = "cnf+"
    CSP = "csp"
    COVER = "cover"
    PROBLEM = "problem"


class Loading(StrEnum):
    """How the clauses of a formula enter a solver in this process. `direct`: from memory, by the
    functions that the solver's library exports. `binding`: through its interface for Python.
    """

    DIRECT = "direct"
    BINDING = "binding"


class ProofForm(StrEnum):
    """The format of a proof: DRAT, as text or binary, or LRAT, binary."""

    DRAT = "drat"
    LRAT = "lrat"


class Outcome(StrEnum):
    """How a run ended, whatever it answered. `work-limit`: its solver stopped at a limit of
    conflicts or propagations. `capped`: a race stopped it before its own limit. `invalid`: its
    input file is not valid, its encoding has too many clauses, or its backend refused these.
    """

    FINISHED = "finished"
    TIMEOUT = "timeout"
    MEMOUT = "memout"
    WORK_LIMIT = "work-limit"
    CAPPED = "capped"
    CRASHED = "crashed"
    SKIPPED = "skipped"
    UNAVAILABLE = "unavailable"
    INVALID = "invalid"


class Phase(StrEnum):
    """What a worker does. `other`: it starts, shuffles, or is between two phases."""

    LOAD = "load"
    SOLVE = "solve"
    DECODE = "decode"
    OTHER = "other"


class Answer(StrEnum):
    """The answer of a solver. `unstated`: an imported run was solved, and nothing says whether the
    answer was `sat` or `unsat`.
    """

    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"
    UNSTATED = "unstated"


class Verdict(StrEnum):
    """The result of checking an answer."""

    VERIFIED = "verified"
    REFUTED = "refuted"
    UNCHECKED = "unchecked"


class When(StrEnum):
    """When an answer is checked that needs a proof or a count: right after its run, or by
    `nqbench check`.
    """

    NOW = "now"
    LATER = "later"


NOT_YET: Final = "not checked yet"
"""The message about an answer that is to be checked later."""

NOT_SHOWN_BEST: Final = "its solution is verified; whether a better k has one was not checked"
"""How the message about a best k begins that was not shown to be the best."""

NO_MODEL_SHOWN_BEST: Final = "its model is verified; whether one is better was not checked"
"""The same about the best objective of a file."""

AMBIGUOUS: Final = "ambiguous"
"""Of a file that the two readers of nqbench read differently: nobody is wrong because of that."""

NOT_COUNTED: Final = "each is a solution; it was not checked whether there are others"
"""The message about solutions whose number is not known."""


OUTSIDE: Final = "were spent outside load, solve and decode"
"""In the message about a run after the time that no phase has."""

NOTED: Final = "accepted from a program:"
"""In the message about a run before what was odd in the formula that a program wrote."""

AFTER_ANSWER: Final = "after the answer"
"""In the message about a run after how its program ended, if that is not usual for its answer."""

LEFT: Final = "left "
"""What `cpus` has before the CPUs that a worker was pinned to if it left them."""


class CheckedBy(StrEnum):
    """The evidence for a verdict. `board`: the rules of the board; `rules`: those of another
    problem. `proof`: one about the rules as clauses, or about a formula that is the problem.
    `formula`: a proof about the formula of an encoding only. `source`: an imported file says that
    the answer is wrong, or expected another one.
    """

    BOARD = "board"
    RULES = "rules"
    CLAUSES = "clauses"
    PROOF = "proof"
    FORMULA = "formula"
    THEOREM = "theorem"
    ORACLE = "oracle"
    SOURCE = "source"
    NONE = "none"


class ShownBy(StrEnum):
    """What shows one side of an optimum: that there is a solution for a k, or that there is none.

    A proof, a search and a theorem are about the rules of the problem, and `rules` checks a
    solution by them. `formula only` is a proof about the formula of an encoding, which may forbid
    too much.
    """

    RULES = "rules"
    PROOF = "proof on the rules"
    SEARCH = "exhaustive search"
    THEOREM = "theorem"
    BOUND = "no better k"
    FORMULA = "formula only"
    MERGED = "merged"
    IMPORTED = "imported"


SHOWN_BY: Final = {
    CheckedBy.BOARD: ShownBy.RULES,
    CheckedBy.CLAUSES: ShownBy.RULES,
    CheckedBy.RULES: ShownBy.RULES,
    CheckedBy.PROOF: ShownBy.PROOF,
    CheckedBy.ORACLE: ShownBy.SEARCH,
    CheckedBy.THEOREM: ShownBy.THEOREM,
}
"""What shows a side of an optimum, by what checked a record; anything else is about a formula only.
"""


class State(StrEnum):
    """What is known of an optimum. `optimal`: the rules show both that there is a solution, and
    that none is better. `infeasible`: the rows of a file show that it has no model. `claimed`: a
    solution was verified, and that none is better rests on less, such as the word of a solver.
    `best found`: a solution was verified, and nobody says that none is better. `open`: none was.
    `ambiguous` and `invalid`: no solver was asked, since the readers of nqbench differ about the
    file, or it is wrong.
    """

    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    CLAIMED = "claimed"
    BEST_FOUND = "best found"
    OPEN = "open"
    AMBIGUOUS = "ambiguous"
    INVALID = "invalid"
