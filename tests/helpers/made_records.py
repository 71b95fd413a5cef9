"""Records that no run made, of which every statistic is known."""

from dataclasses import asdict, replace
from types import SimpleNamespace

import polars as pl

from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Answer, CheckedBy, Outcome, Task, Verdict
from nqbench.problems.queens import Queens
from nqbench.records import frame
from nqbench.records.record import Record, Run
from nqbench.results import Results
from nqbench.summary import Measured, findings
from nqbench.summary.findings.cautions import CAUTIONS, Basis

RUN = Run(
    problem=Queens(8),
    encoding="pairwise",
    encoding_version="nqbench 0.1.0",
    backend="glucose4",
    backend_version="python-sat 1.9",
    limits=Limits(),
    seed=0,
    task=Task.FIRST,
    repeat=0,
    machine="a machine",
    harness="a harness",
)


RECORD = replace(
    Record.of(RUN, "here"),
    outcome=Outcome.FINISHED,
    answer=Answer.SAT,
    queens=[1, 16],
    solve_s=0.1 + 0.2,
    clauses=744,
)


def ended(outcome):
    """The record of the same run with another outcome, and the answer that such a run has."""
    if outcome is Outcome.FINISHED:
        return RECORD
    answer = Answer.UNKNOWN if outcome is Outcome.WORK_LIMIT else None
    cap_s = 1.5 if outcome is Outcome.CAPPED else None
    return replace(RECORD, outcome=outcome, answer=answer, queens=None, cap_s=cap_s)


def record_of(n, **changes):
    run = replace(RUN, problem=Queens(n))
    found = {"outcome": Outcome.FINISHED, "answer": Answer.SAT, "verdict": Verdict.VERIFIED}
    found |= {"checked_by": CheckedBy.BOARD, "solve_s": 0.1}
    return replace(Record.of(run, "here"), **found | changes)


LIMIT = 10.0


USUAL = asdict(
    replace(
        Record.of(RUN, "here"),
        problem_digest=None,  # problems differ by n only
        time_limit_s=LIMIT,
        load_s=0.5,
        encode_s=0.25,
    )
)
"""What all rows of a table have."""


def table(*rows):
    """Records from n, outcome and solve time, and optionally the verdict."""
    records = [
        USUAL
        | {
            "run_id": str(position),
            "n": n,
            "outcome": outcome,
            "answer": Answer.SAT if outcome is Outcome.FINISHED else None,
            "verdict": verdict[0] if verdict else Verdict.VERIFIED,
            "solve_s": seconds,
            "wall_s": None if seconds is None else seconds + 0.75,
            "clauses": 10 * (n or 0),
            "variables": (n or 0) ** 2,
            "literals": 20 * (n or 0),
            "peak_rss_bytes": (n or 0) * 2**20,
        }
        for position, (n, outcome, seconds, *verdict) in enumerate(rows)
    ]
    return pl.DataFrame(records, schema=frame.schema())


DONE, LATE, DEAD = Outcome.FINISHED, Outcome.TIMEOUT, Outcome.CRASHED


MIXED = table(
    (4, DONE, 1.0), (4, DONE, 3.0), (4, DONE, 2.0),
    (5, DONE, 4.0), (5, LATE, None), (5, LATE, None),
    (6, DONE, 6.0), (6, DONE, 6.0), (6, DONE, 0.5, Verdict.REFUTED),
    (7, DEAD, None), (7, DONE, 1.0), (7, DONE, 9.0),
)  # fmt: skip


SWEPT = pl.concat(
    [
        table((8, DONE, seconds), (8, DONE, 3 * seconds)).with_columns(
            density=pl.lit(0.5 + 0.5 * (board > 5)),
            instance=pl.lit(f"board {board}"),
            answer=pl.lit("sat" if board < 8 else "unsat"),
        )
        for board, seconds in enumerate(range(1, 11))
    ]
    + [table((8, LATE, None)).with_columns(density=1.0, instance=pl.lit("late"))]
)
"""Boards 0 to 5 at density 0.5; 6 to 9 and an unsolved board at 1.0. Each costs twice its
number plus two."""


def campaign(**times):
    """Records of each backend, with a new n for each of its times; None: not solved."""
    return pl.concat(
        [
            table(
                *((n, LATE if s is None else DONE, s) for n, s in enumerate(seconds, 4))
            ).with_columns(backend=pl.lit(backend), encoding=pl.lit("e"))
            for backend, seconds in times.items()
        ]
    )


def raced_by_three():
    """A race of which only the last one was stopped. The second is faster than the leader on all
    problems but one.
    """
    one = [0.1 + 0.01 * i for i in range(24)]
    records = campaign(a=one, b=[9.0, *(0.5 * s for s in one[1:])], c=[2 * s for s in one])
    is_stopped = pl.col("backend") == "c"
    return records.with_columns(
        outcome=pl.when(is_stopped).then(pl.lit("capped")).otherwise("outcome"),
        answer=pl.when(~is_stopped).then("answer"),
        solve_at_least_s=pl.when(is_stopped).then("solve_s"),
        cap_s=pl.when(is_stopped).then("solve_s"),
        solve_s=pl.when(~is_stopped).then("solve_s"),
    )


THREE = campaign(a=[1, 1, 4, None, 2], b=[2, 1, 2, None, 8], c=[9, 9, 9, 3, None])


BASE = [0.01 * 1.3**board for board in range(12)]
"""Seconds for boards that become harder."""


def times(factor, base=BASE):
    return [factor * seconds for seconds in base]


def about(sentences, *words):
    return [each for each in sentences if all(word in each for word in words)]


def facts(records, *kinds, metric="solve_s"):
    """What records show, or only facts of these kinds: the values of each, by their names, and its
    sentence.
    """
    return [
        SimpleNamespace(kind=fact.kind, text=str(fact).replace("\xa0", " "), **fact.values)
        for fact in _facts_of(records, metric)
        if not kinds or fact.kind in kinds
    ]


_last = []


def _facts_of(records, metric):
    """Calculated once for several questions about one table."""
    if not _last or _last[0] is not records or _last[1] != metric:
        _last[:] = records, metric, findings.facts(records, metric)
    return _last[2]


def one_fact(records, kind, metric="solve_s"):
    """The only fact of this kind."""
    (fact,) = facts(records, kind, metric=metric)
    return fact


def results_of(records):
    """What `Results` shows of these records."""
    results = Results("nowhere")
    results.chosen = results.records = records
    return results


def cautioned(records, output):
    """What is seen for each caution of an output, by the name of the function that says it."""
    basis = Basis(Measured.of(records))
    seen = ((each.words[output], each.look(basis)) for each in CAUTIONS if output in each.words)
    return {say.__name__.strip("_"): evidence for say, evidence in seen if evidence}


def names(rivals):
    return [rival.name for rival in rivals]


def encoded(seconds, **times):
    """Records of an encoding that takes so many seconds on each board."""
    return campaign(**times).with_columns(
        encoding=pl.lit(f"takes-{seconds}"), encode_s=pl.lit(seconds), clauses=pl.lit(10, pl.Int64)
    )


def labelled(records, family="queens", backend="minisat22", encoding="pairwise"):
    """The records, of that family and combination."""
    return records.with_columns(
        family=pl.lit(family), backend=pl.lit(backend), encoding=pl.lit(encoding)
    )


QUEENS = table((4, DONE, 1.0), (5, DONE, 2.0), (6, DONE, 3.0))
LATIN = table((4, DONE, 10.0), (5, DONE, 20.0), (6, DONE, 40.0))
BOTH = pl.concat(
    labelled(records, family, backend).with_columns(pl.col("solve_s") * factor)
    for records, family in ((QUEENS, "queens"), (LATIN, "latin"))
    for backend, factor in (("minisat22", 1.0), ("glucose4", 1.5))
)
"""Two families with different times at the same n."""

GRID = pl.concat(
    labelled(QUEENS, backend=backend, encoding=encoding)
    for backend in ("minisat22", "glucose4")
    for encoding in ("pairwise", "product")
)


def all_ended(records, outcome, backend="minisat22"):
    """The records of a backend with this name, all with this outcome."""
    return records.with_columns(
        outcome=pl.lit(outcome), answer=None, solve_s=None, backend=pl.lit(backend)
    )
