"""`Results.compare`."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING

from nqbench.common.errors import InputError
from nqbench.records import sources

if TYPE_CHECKING:
    import polars as pl

    from nqbench.addons.compare.gate import Comparison
    from nqbench.results import Results


def compare(
    results: Results,
    new: Results | str | PathLike[str] | None = None,
    metric: str = "solve_s",
    *,
    references: str | Sequence[str] = (),
    earlier: Sequence[str | PathLike[str]] = (),
    again: str | PathLike[str] | None = None,
    backends: tuple[str, str] | None = None,
) -> Comparison:
    """What changed between these results and new ones: what differs besides, such as versions
    and limits; answers and outcomes; runs that only one has; changes of sizes, hashes and
    counters; boards that only one solved; and the ratios of the metric. `references` name the
    combinations, such as 'pairwise x minisat22', by which the speed of the machine is judged.
    The condition of each side applies to its own records, and the names for readers of both to
    both.

    Backends that differ only in their revision, as `git:solver@...`, are compared with each
    other if each side has one. `backends` names an old and a new one; without `new`, both are
    of these results. `earlier` are further results of the old code, two or more, whose
    differences show the noise of sessions. `again` are results of a second session of the new
    code: see `nqbench.addons.compare.gate.Gate`.
    """
    import polars as pl

    from nqbench import summary
    from nqbench.addons.compare import common_backends, gate
    from nqbench.records import names
    from nqbench.records.where import fulfilling
    from nqbench.results import Results
    from nqbench.summary.evidence import in_groups
    from nqbench.summary.observed import find_combination
    from nqbench.summary.searches import as_searches

    if new is None and backends is None:
        raise InputError("name new results, or an old and a new backend of these")
    olds = [str(results.source), *map(str, earlier)]
    if len({*olds}) < len(olds):
        raise InputError("an old campaign is named twice: it would show no noise of sessions")
    other = results if new is None else new
    sides = [
        side if isinstance(side, Results) else Results(side, where=results.where)
        for side in (*earlier, results, other, *([] if again is None else [again]))
    ]
    at_old, at_new = len(earlier), len(earlier) + 1
    true = [
        as_searches(records) for records in sources.read_together(*(side.source for side in sides))
    ]
    pairs_of_all = pl.concat([records.select(summary.PAIR) for records in true])
    readers_names: dict[str, str] = {}
    for side in sides[::-1]:  # so names of the old side win
        folder = names.folder_of(side.source)
        readers_names |= names.of(pairs_of_all, side.given_names, folder)
    # What differs on two sides must not look the same.
    names.named(pairs_of_all, readers_names)
    every = names.known(pairs_of_all)
    metric_name = summary.metric(true[at_old], metric)
    if backends is None:
        common = common_backends.common_names(true)
    else:
        of_side = [backends[at >= at_new] for at in range(len(sides))]
        true, common = common_backends.of_backends(
            true, of_side, [str(side.source) for side in sides]
        )
    chosen: list[pl.DataFrame] = []
    for side, records in zip(sides, true, strict=True):
        # What a condition leaves of one side only is missing in the other.
        condition = names.in_condition(side.where, readers_names, every)
        may_be_none = len(chosen) <= at_old or any(map(len, chosen))
        chosen.append(fulfilling(records, condition, str(side.source), may_be_none=may_be_none))
    whole, chosen = (
        [names.named(common_backends.renamed(records, common), readers_names) for records in tables]
        for tables in (true, chosen)
    )
    if results.unit is not None:
        chosen = [in_groups(records, results.unit) for records in chosen]
    before, after = chosen[at_old], chosen[at_new]
    named_pairs = [references] if isinstance(references, str) else references
    pairs = tuple(
        find_combination(names.in_combination(name, readers_names), before, after)
        for name in named_pairs
    )
    return gate.compared(
        before,
        after,
        metric_name,
        pairs,
        (whole[at_old], whole[at_new]),
        environments=(
            sources.environments(results.source),
            sources.environments(sides[at_new].source),
        ),
        earlier=chosen[:at_old],
        again=None if again is None else chosen[-1],
    )
