"""Records for which each kind of fact is true, and the sentence of each: in
`tests/data/findings.txt`, for a person to read. To write it again:

    python tests/helpers/worded_facts.py
"""

from functools import cache
from itertools import chain

import numpy as np
import polars as pl
import typical_stores
from made_records import DEAD, DONE, campaign, encoded, raced_by_three, table, times
from places import ROOT

from nqbench.common.vocabulary import Verdict
from nqbench.summary import findings
from nqbench.summary.evidence import in_groups

GOLDEN = ROOT / "tests" / "data" / "findings.txt"


def lognormal(seed, sigma, count, mean=1.0):
    random = np.random.default_rng(seed)
    return (mean * random.lognormal(-(sigma**2) / 2, sigma, count)).clip(1e-4, 9.9).tolist()


RESTS_ON_ONE = campaign(A=[0.001] * 24, B=[*[0.005] * 23, 9.5])
HEAVY = campaign(steady=lognormal(3, 0.2, 30), heavy=lognormal(6, 1.5, 30, mean=0.6))


def mixed_with(more, less):
    """Two that take equally long, and so many problems that only the one or only the other solves,
    of 60.
    """
    base = lognormal(5, 0.5, 60)
    mixed = [t * (1.3 if i % 2 else 1 / 1.3) for i, t in enumerate(base)]
    first = [*base[: 60 - less], *[None] * less]
    second = [*mixed[: 60 - less - more], *[None] * more, *base[60 - less :]]
    return campaign(A=first, B=second)


def on_one_formula(**seconds):
    """Shuffles of one formula."""
    return campaign(**seconds).with_columns(
        shuffle=pl.col("n"), n=pl.lit(None, pl.Int64), instance=pl.lit("f.cnf"),
        family=pl.lit("cnf"), encoding=pl.lit("file"),
    )  # fmt: skip


def of(encoding, fewer=0, digest="d", **seconds):
    """Records of an encoding with 10 n - fewer clauses."""
    return campaign(**seconds).with_columns(
        encoding=pl.lit(encoding),
        clauses=10 * pl.col("n") - fewer,
        instance_digest=pl.format("{}{}", pl.lit(digest), "n"),
    )


def two_of_one(encode_s, digest="d"):
    """Two encodings with the same formulas, of which `alo-row` takes so long to encode."""
    base = lognormal(8, 1.0, 12)
    return pl.concat(
        of(
            name,
            digest=f"{place * (digest != 'd')}{digest}",
            a=[t * (1.001 if i % 2 == place else 1.0) for i, t in enumerate(base)],
        ).with_columns(encode_s=pl.lit(own_s))
        for place, (name, own_s) in enumerate((("pairwise", 1.0), ("alo-row", encode_s)))
    )


def uneven(seed, boards=12, spread=1.0):
    """Times that are as often higher as lower than those of `times(1)`."""
    rng = np.random.default_rng(seed)
    return (np.array(times(1)[:boards]) * rng.lognormal(0, spread, boards)).clip(1e-4, 9).tolist()


def growing():
    n = np.arange(4, 20)
    noise = np.exp(np.random.default_rng(0).normal(0, 2, len(n)))
    exact = {"power": 1e-4 * n**3.0, "exponential": 1e-3 * 1.6**n, "noise": 0.1 * noise}
    return campaign(**{name: values.clip(2e-3, 9).tolist() for name, values in exact.items()})


def contradicting():
    liar = campaign(b=times(2)).with_columns(
        answer=pl.when(pl.col("n") < 6).then(pl.lit("unsat")).otherwise(pl.lit("sat")),
        verdict=pl.lit("unchecked"),
    )
    return pl.concat([campaign(a=times(1)), liar])


def in_folders():
    """Three solvers on 24 formulas in eight folders."""
    base = lognormal(4, 0.5, 24)
    names = [f"f{i % 8}/{i}.cnf" for i in range(24)]
    return campaign(a=base, b=[2 * t for t in base], c=uneven(3, 12) * 2).with_columns(
        family=pl.lit("cnf"), n=pl.lit(None, pl.Int64), instance=pl.Series(names * 3),
        encoding=pl.lit("file"),
    )  # fmt: skip


def in_units():
    base = [0.1 * 1.02**i for i in range(48)]
    records = campaign(A=base, B=[1.5 * t for t in base], C=[3 * t for t in base])
    return in_groups(records.with_columns(message=pl.format("f{}", pl.col("n") % 12)), "message")


def in_schemes():
    base = [0.1 * 1.3**i for i in range(8)]
    parts = {"file": 1.0, "file:shuffle=1": 0.9, "product": 0.5}
    return pl.concat(
        of(name, digest=name, a=[ratio * t for t in base]).with_columns(family=pl.lit("cnf"))
        for name, ratio in parts.items()
    )


def left_alone():
    kept = of("file", a=[1.0] * 8)
    digests = kept["instance_digest"].to_list()
    changed = pl.Series(digests[:2] + [f"new {each}" for each in digests[2:]])
    return pl.concat([kept, kept.with_columns(encoding=pl.lit("product"), instance_digest=changed)])


def unchecked():
    late = "proof not checked: stopped at the time limit of 80 s"
    messages = [late] * 6 + ["not checked yet"] * 3 + ["not checked: it is unavailable", "", ""]
    return campaign(a=times(1)).with_columns(
        verdict=pl.lit("unchecked"), message=pl.Series(messages)
    )


def apart_by(column, *values):
    parts = [campaign(a=times(1)), campaign(b=times(2))]
    return pl.concat(
        part.with_columns(pl.lit(value).alias(column))
        for part, value in zip(parts, values, strict=True)
    )


def from_sources():
    """Two solvers, each imported from a file."""
    parts = apart_by("imported_from", "one.csv", "two.csv")
    return parts.with_columns(machine=pl.format("the machine of {}", "imported_from"))


def in_two_sources():
    """One solver, imported from two files."""
    parts = [
        campaign(a=times(1)).with_columns(
            n=pl.col("n") + more, backend=pl.lit(f"a [{name}]"), imported_from=pl.lit(name)
        )
        for more, name in ((0, "one.csv"), (100, "two.csv"))
    ]
    return pl.concat(parts)


CASES = {
    "three in order": lambda: campaign(a=times(1), b=times(2), c=times(10)),
    "two in order": lambda: campaign(a=times(1), b=times(2)),
    "one": lambda: campaign(a=[1, None]),
    "only one solved anything": lambda: campaign(a=[1, 2], b=[None, None], c=[None, None]),
    "two are level": lambda: campaign(a=times(1), b=times(1), c=times(10)),
    "eight are close": lambda: campaign(
        a=times(0.99), **{name: uneven(seed, spread=0.1) for seed, name in enumerate("bcdefgh")}
    ),
    "too few problems": lambda: campaign(a=times(1)[:5], b=times(2)[:5]),
    "too few for many": lambda: campaign(
        a=times(1)[:7], **{f"s{number}": uneven(number, boards=7) for number in range(20)}
    ),
    "nothing solved": lambda: campaign(a=[None] * 12, b=[None] * 12),
    "other problems": lambda: pl.concat(
        [campaign(a=times(1)), campaign(b=times(2)).with_columns(n=pl.col("n") + 100)]
    ),
    "other limits": lambda: apart_by("time_limit_s", 10.0, 20.0),
    "other machines": lambda: apart_by("machine", "a machine", "another one"),
    "other machines of sources": from_sources,
    "other sources": in_two_sources,
    "one problem makes the least average": lambda: campaign(
        A=[0.005] * 24, B=[*[0.001] * 7, 9.5, *[0.001] * 16]
    ),
    "an average rests on one problem": lambda: RESTS_ON_ONE,
    "equals": lambda: mixed_with(0, 0),
    "heavy and steady": lambda: HEAVY,
    "one solves more": lambda: mixed_with(8, 0),
    "one solves more, perhaps by chance": lambda: mixed_with(5, 0),
    "others solve more and less": lambda: campaign(
        a=[*[0.1] * 30, *[None] * 10], b=[*[0.7] * 20, *[None] * 20], c=[9.9] * 40
    ),
    "typically faster, slower on average": lambda: campaign(
        a=[1.0] * 40, b=[*[0.5] * 36, *[9.9] * 4], c=[9.9] * 40
    ),
    "two are typically faster, slower on average": lambda: campaign(
        a=[1.0] * 40, b=[*[0.5] * 36, *[9.9] * 4], c=[*[0.6] * 36, *[9.9] * 4]
    ),
    "one formula": lambda: on_one_formula(
        A=lognormal(6, 1.0, 24, 0.2), B=lognormal(7, 1.0, 24), C=lognormal(8, 1.0, 24, 0.25)
    ),
    "a race": raced_by_three,
    "folders": in_folders,
    "groups as units": in_units,
    "equal formulas": lambda: two_of_one(0.1),
    "three encodings of one formula": lambda: pl.concat(
        of(name, a=times(1)) for name in ("e", "f", "g")
    ),
    "formulas of one size": lambda: two_of_one(0.1, "s"),
    "encodings of several sizes": lambda: pl.concat(
        [of("e", a=times(1)), of("f", digest="o", a=times(1)), of("g", 4, "p", a=times(3))]
    ),
    "schemes": in_schemes,
    "schemes that leave formulas alone": left_alone,
    "expensive encodings": lambda: pl.concat(
        [encoded(10.0, a=[5.0] * 12, b=[1.0] * 12), encoded(0.1, a=[2.0] * 12, b=[5.0] * 12)]
    ),
    "growth": growing,
    "largest n": lambda: campaign(a=times(1), b=[*times(1)[:-1], None]),
    "wrong answers and crashes": lambda: table(
        (4, DONE, 1.0), (5, DONE, 1.0, Verdict.REFUTED), (6, DEAD, None)
    ),
    "contradictions": contradicting,
    "unchecked answers": unchecked,
}


@cache
def _facts():
    """The facts of each case, which take longer than all that is done with them."""
    return {name: findings.facts(records()) for name, records in CASES.items()}


def kinds():
    """The kinds of facts that are in this text, or in that of `typical_stores`."""
    stores = (findings.facts(records().rechunk()) for records in typical_stores.STORES.values())
    return {fact.kind for fact in chain(*_facts().values(), *stores)}


def written():
    """The sentences of all, below the names of the records, and beside their kinds; each pair of
    equal sentences once.
    """
    seen, parts = set(), []
    for name, facts in _facts().items():
        lines = [(fact.kind, str(fact).replace("\xa0", " ")) for fact in facts]
        new = [line for line in lines if line not in seen]
        seen.update(new)
        parts.append("\n".join([f"## {name}", "", *(f"{kind}: {text}" for kind, text in new)]))
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    GOLDEN.write_text(written())
