"""Stand-in."""

import time
import msgspec
from nqbench import isolate
from nqbench.clauses import dimacs
from nqbench.grading.verdict import Result, Verdict
from nqbench.implication.direction import State
from nqbench.checking import oracle
from nqbench.problems.queens import Queens


def key(digest, n, keep, limits):
    return f"{digest} {n} {keep} {limits.time_s}"


def judge(path, n, keep, limits):
    def work():
        from pysat.solvers import Solver

        cnf = dimacs.read(path.read_bytes(), "x")
        expected = oracle.count(Queens(n))
        found = set()
        bad = None
        lost = None
        with Solver("cadical153", bootstrap_with=[list(map(int, c)) for c in cnf.clauses()]) as s:
            while s.solve():
                m = s.get_model()
                main = m[: n * n]
                q = tuple(((v - 1) // n, (v - 1) % n) for v in main if v > 0)
                ok = len(q) == n and not any(
                    a == c or b == d or abs(a - c) == abs(b - d)
                    for i, (a, b) in enumerate(q)
                    for c, d in q[i + 1 :]
                )
                if not ok:
                    bad = q
                    break
                found.add(q)
                s.add_clause([-v for v in main])
        if bad is None and len(found) < expected:
            import itertools

            for p in itertools.permutations(range(n)):
                q = tuple(enumerate(p))
                if (
                    len({a + b for a, b in q}) == n
                    and len({a - b for a, b in q}) == n
                    and q not in found
                ):
                    lost = q
                    break
        wrong = bad is not None or lost is not None
        v = Verdict(
            Result.REFUTED if wrong else Result.CERTIFIED,
            cnf.num_variables,
            cnf.num_clauses,
            None if bad is not None else len(found),
            expected,
            bad if bad is not None else lost,
            bad is not None,
            "" if not wrong else "allows" if bad is not None else "forbids",
        )
        return msgspec.json.encode(v)

    t = time.monotonic()
    e = isolate.call(work, limits)
    if e.outcome != "finished":
        return Verdict(Result.OPEN, reason=e.message)
    return msgspec.structs.replace(
        msgspec.json.decode(e.payload, type=Verdict), judge_s=time.monotonic() - t
    )
