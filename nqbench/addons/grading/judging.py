"""Judges the formula of a submission by the rules of n queens."""

import hashlib
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from nqbench.addons.certify.formula_examiner import judge as judge_formula
from nqbench.addons.certify.formula_verdict import FormulaVerdict, Keep
from nqbench.addons.grading.refutation import describe
from nqbench.addons.grading.submission import LARGEST_BYTES
from nqbench.addons.grading.verdict import Result, Verdict
from nqbench.checking.proof import NotCheckedError
from nqbench.common import files
from nqbench.common.errors import InputError, SolverError, UnavailableError
from nqbench.common.limits import Limits
from nqbench.isolate import Isolation
from nqbench.problems.families.described import DescribedFormula
from nqbench.problems.queens import Queens, placement_of


def key(digest: str, n: int, keep: Keep, limits: Limits) -> str:
    """What decides the verdict on a formula with this digest: another key, perhaps another one."""
    facts = (version("nqbench"), digest, n, str(keep), limits.time_s, limits.memory_bytes)
    return hashlib.blake2b(repr(facts).encode(), digest_size=16).hexdigest()


def judge(
    path: Path,
    n: int,
    keep: Keep,
    limits: Limits,
    tell: Callable[[str], None] = lambda _doing: None,
) -> Verdict:
    """What is known about the formula in a file that `formulas.write` has made. The limits are
    those of each step.
    """
    caller = Isolation(tell=lambda doing, _limit_s: tell(doing))
    try:
        described = DescribedFormula.read(files.content(path, LARGEST_BYTES), f"n = {n}")
        verdict = judge_formula(described, Queens(n), keep, limits, name=f"n = {n}", caller=caller)
    except InputError as error:
        # The lines that say which variable is which square are the submission's own.
        return Verdict(Result.REFUTED, reason=str(error))
    except (SolverError, NotCheckedError, UnavailableError) as error:
        return Verdict(Result.OPEN, reason=str(error))
    return _as_verdict(verdict, n)


def _as_verdict(verdict: FormulaVerdict, n: int) -> Verdict:
    only, every = verdict.only_solutions, verdict.every_solution
    reason = only.message or every.message
    if only.witness is not None and (broken := describe(n, placement_of(only.witness))):
        reason = f"allows what the rules forbid: {broken}"
    return Verdict(
        Result(str(verdict.result)),
        variables=verdict.variables,
        clauses=verdict.clauses,
        kept=verdict.kept,
        solutions=verdict.solutions,
        board=None if verdict.witness is None else placement_of(verdict.witness),
        is_allowed=only.witness is not None,
        reason=reason,
        hint=verdict.hint,
        hint_lines=verdict.hint_lines,
        judge_s=verdict.wall_s,
    )
