"""Which encodings make the same formulas, or formulas of the same size."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from nqbench.common.vocabulary import AS_IT_IS
from nqbench.summary.measured import Measured, Records
from nqbench.summary.observed import PROBLEM, TITLE

_FEWEST: Final = 3
"""The least number of problems on which equal sizes, or differences of n, mean something: of 4
queens, `product` and `pairwise` have equally many clauses.
"""


@dataclass(frozen=True, slots=True)
class Alike:
    """Encodings whose formulas are alike on every problem. `how`: `formula` if they are the same,
    down to the order of their clauses; `clauses` if they have the same clauses; `size` if only the
    numbers of variables, clauses and literals are equal. `less` are encodings with as many
    variables and n clauses fewer.
    """

    encodings: tuple[str, ...]
    how: str
    less: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether they are the same, down to the order of their clauses."""
        return self.how == "formula"


def alike(records: Records) -> list[Alike]:
    """The encodings that are alike on the problems that every combination was measured on, in
    groups sorted by name.

    Equal sizes do not prove that two formulas have the same clauses; an equal digest does.
    """
    measured = Measured.of(records)
    if measured.records["clauses"].is_null().all():
        return []  # imported runs state no sizes
    table = (
        measured.on_common.records.drop_nulls(["clauses", "literals"])
        .select("encoding", *PROBLEM, *_SIZES, "instance_digest", "clauses_digest")
        .unique()
        .sort("encoding", *PROBLEM, "instance_digest")
    )
    tables = {
        str(encoding): part.drop("encoding")
        for (encoding,), part in table.partition_by("encoding", as_dict=True).items()
    }
    groups: list[list[str]] = []
    for name, part in tables.items():
        group = next((g for g in groups if _is_alike(tables[g[0]], part)), None)
        if group:
            group.append(name)
        else:
            groups.append([name])
    return [
        Alike(
            tuple(group),
            _how([tables[name] for name in group]),
            tuple(name for name, part in tables.items() if _is_less(part, tables[group[0]])),
        )
        for group in groups
    ]


def left_alone(records: pl.DataFrame) -> tuple[list[str], int]:
    """The names of the formulas without an at-most-one constraint, which no scheme changed, and
    their number; among formulas that were measured both as they are and in other schemes.
    """
    formulas = changed(records).group_by(PROBLEM).agg(pl.col("is_changed").any())
    alone = formulas.filter(~pl.col("is_changed")).sort(PROBLEM)
    return alone.select(TITLE)["title"].to_list(), len(formulas)


def changed(records: pl.DataFrame) -> pl.DataFrame:
    """Whether at-most-one schemes changed the formulas that were also measured as they are.

    Columns: encoding, those of `PROBLEM`, is_changed.
    """
    digests = records.drop_nulls("instance_digest").select("encoding", *PROBLEM, "instance_digest")
    rewritten = digests.filter(~pl.col("encoding").str.starts_with(AS_IT_IS)).unique()
    originals = digests.filter(pl.col("encoding") == AS_IT_IS).drop("encoding").unique()
    is_changed = pl.col("instance_digest") != pl.col("instance_digest_right")
    digest_pairs = rewritten.join(originals, on=PROBLEM, nulls_equal=True)
    return digest_pairs.select("encoding", *PROBLEM, is_changed=is_changed)


_SIZES: Final = ("variables", "clauses", "literals", "constraints")


def _is_alike(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    """Whether the formulas are the same, have the same clauses, or have equal sizes on more than a
    few problems.
    """
    sizes = (*PROBLEM, *_SIZES)
    enough = len(one) >= _FEWEST or _how([one, other]) == "clauses"
    return _is_same(one, other) or (enough and one.select(sizes).equals(other.select(sizes)))


def _how(tables: Sequence[pl.DataFrame]) -> str:
    """How alike the formulas of these encodings are: see `Alike`."""
    first = tables[0]
    if all(_is_same(first, other) for other in tables):
        return "formula"
    clauses = (*PROBLEM, "clauses_digest")
    known = all(other["clauses_digest"].null_count() == 0 for other in tables)
    same = all(first.select(clauses).equals(other.select(clauses)) for other in tables)
    return "clauses" if known and same else "size"


def _is_same(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    digests = (*PROBLEM, *_SIZES, "instance_digest")
    is_known = one["instance_digest"].null_count() == 0
    return is_known and one.select(digests).equals(other.select(digests))


def _is_less(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    """Whether the one has n clauses fewer than the other on every problem, and equal variables."""
    if one["n"].n_unique() < _FEWEST or not one.select(PROBLEM).equals(other.select(PROBLEM)):
        return False
    fewer = (other["clauses"] - one["clauses"] == one["n"]).all()
    return fewer and one["variables"].equals(other["variables"])
