"""Whether a first place that draws call stable is one on other problems.

    python tools/calibration_of_draws.py [RESULTS ...]

Half of the problems choose the first, and say in which share of draws it stays first. The other
half says whether it is first there, too. Halves are of problems, or of whole families. This is done
with simulated campaigns, the reference campaigns, and with RESULTS: folders or exports.

Kept is the place in how many halves, by what they are of and by that share. Columns: draws of a
quarter of what the halves are of; for comparison, draws of as many as there are, and of a quarter
of the problems. Shares from x % on should be kept in at least x - 5 % of halves of problems, and
x - 15 % of families. The results are written to `results/reference/calibration.json`, from which
`tools/generate.py` makes the table on the page.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import nqbench
from nqbench.summary import Measured, groups
from nqbench.summary.evidence import UNIT
from nqbench.summary.stability import (
    DRAWS,
    FEWEST,
    FEWEST_FAMILIES,
    SHARE,
    by_group,
    draws,
    families_of_units,
    firsts,
    weighted,
)

sys.path[:0] = [str(Path(__file__).resolve().parent)]

import calibrated  # noqa: E402

Costs = NDArray[np.float64]
Groups = NDArray[np.int_]

REFERENCE = Path(__file__).parent.parent / "results" / "reference"
CLASSES = ((0.0, 0.5), (0.5, 0.8), (0.8, 0.9), (0.9, 0.95), (0.95, 1.01))
WAYS = {
    "a quarter": "draws of a quarter",
    "all": "draws of as many",
    "a quarter of the problems": "draws of a quarter of the problems",
}
OF_PROBLEMS = "a quarter of the problems"
HALVES = 100
"""Halves of each campaign and kind."""

SIMULATED = 2000
LIMIT_S = 1000.0


def simulated(random: np.random.Generator) -> tuple[Costs, Groups]:
    """PAR-2 of 3 to 20 combinations on 40 to 400 problems in families. Problems are of very
    different hardness, and combinations have their own luck with each family and problem.
    """
    units, combinations = int(random.integers(40, 401)), int(random.integers(3, 21))
    number = int(random.integers(12, 61))
    families = random.integers(number, size=units)
    logs = (
        random.normal(2, 1, number)[families, np.newaxis]
        + random.normal(0, 2, (units, 1))
        + random.uniform(0.02, 1.5) * random.normal(size=combinations)
        + random.uniform(0, 1) * random.normal(size=(number, combinations))[families]
        + random.uniform(0.2, 1.5) * random.normal(size=(units, combinations))
    )
    times = np.exp(logs)
    return np.where(times > LIMIT_S, 2 * LIMIT_S, times), families


def measured(path: Path) -> Iterator[tuple[Costs, Groups]]:
    """PAR-2 of each family of records with at least two combinations, and twice the fewest
    problems.
    """
    for group in groups(nqbench.Results(path).records):
        own = Measured.of(group.measured).not_capped
        costs = own.unit_costs().pivot(["encoding", "backend"], index=UNIT, values="par2_s")
        if len(costs) >= 2 * FEWEST and costs.width > 2:
            yield costs.sort(UNIT).drop(UNIT).to_numpy(), families_of_units(own)[1]


def halve(groups: Groups, random: np.random.Generator) -> NDArray[np.bool_]:
    """Which units are in the first half, of groups that are drawn."""
    names = np.unique(groups)
    return np.isin(groups, random.permutation(names)[: len(names) // 2])


def keeps(
    costs: Costs, families: Groups, is_first_half: NDArray[np.bool_], *, of_families: bool
) -> tuple[dict[str, float], bool]:
    """The share of draws of the first half in which its first stays first, for each way to draw;
    and whether it is first on the other half.
    """
    own, other = costs[is_first_half], costs[~is_first_half]
    order = np.argsort(own.mean(axis=0), kind="stable")
    own = own[:, order]
    problems = weighted(own[np.newaxis])
    places = np.unique(families[is_first_half], return_inverse=True)[1]
    drawn = by_group(own, places) if of_families else problems
    shares = {
        "a quarter": _first_share(drawn, SHARE),
        "all": _first_share(drawn, 1.0),
        "a quarter of the problems": _first_share(problems, SHARE),
    }
    means = other.mean(axis=0)
    return shares, bool(means[order[0]] <= means.min() * (1 + 1e-9))


def _first_share(drawn: Costs, share: float) -> float:
    return sum(int((firsts(means) == 0).sum()) for means in draws(drawn, share=share)) / DRAWS


Case = tuple[str, str, str, dict[str, float], bool]
"""Source, campaign, what the halves are of, and what `keeps` returns."""


def cases(paths: list[Path]) -> Iterator[Case]:
    """What halves of each campaign show, in several processes."""
    random = np.random.default_rng(0)
    campaigns: list[Campaign] = [
        ("simulated", str(i), *simulated(random), 1) for i in range(SIMULATED)
    ]
    for path in paths:
        source = "reference" if REFERENCE in path.parents else "given"
        for number, campaign in enumerate(measured(path)):
            name = path.parent.name if source == "reference" else path.name
            campaigns.append((source, f"{name} {number}", *campaign, HALVES))
    with ProcessPoolExecutor() as pool:
        for number, found in enumerate(pool.map(_cases, range(len(campaigns)), campaigns), 1):
            yield from found
            if number % 100 == 0:
                print(f"{number} of {len(campaigns)} campaigns", file=sys.stderr)


Campaign = tuple[str, str, Costs, Groups, int]


def _cases(seed: int, campaign: Campaign) -> list[Case]:
    source, name, costs, families, repeats = campaign
    random = np.random.default_rng(seed)
    found = []
    of_problems = np.arange(len(costs))
    for kind, group_of, fewest in (
        ("problems", of_problems, FEWEST),
        ("families", families, FEWEST_FAMILIES),
    ):
        for _ in range(repeats if len(np.unique(group_of)) >= 2 * fewest else 0):
            is_first_half = halve(group_of, random)
            if min(is_first_half.sum(), (~is_first_half).sum()) >= FEWEST:
                kept = keeps(costs, families, is_first_half, of_families=kind == "families")
                found.append((source, name, kind, *kept))
    return found


def main(arguments: list[str]) -> None:
    """Store the shares, and print the table."""
    paths = [*sorted(REFERENCE.glob("*/records.csv")), *map(Path, arguments)]
    kept: dict[tuple[str, str, float, str], list[tuple[str, bool]]] = defaultdict(list)
    campaigns: dict[tuple[str, str], set[str]] = defaultdict(set)
    for source, name, kind, shares, is_kept in cases(paths):
        campaigns[source, kind].add(name)
        for low, high in CLASSES:
            for way, share in shares.items():
                if low <= share < high and (kind == "families" or way != OF_PROBLEMS):
                    kept[source, kind, low, way].append((name, is_kept))
    rows: list[dict[str, Any]] = []
    for source in ("simulated", "reference", "given"):
        for kind in ("problems", "families"):
            for low, high in CLASSES:
                cells = [kept[source, kind, low, way] for way in WAYS]
                if any(cells):
                    rows.append(
                        {
                            "source": source,
                            "halves_of": kind,
                            "stays": [low, min(high, 1.0)],
                            "campaigns": len(campaigns[source, kind]),
                            "cells": [*map(_cell, cells)],
                        }
                    )
    found = {"draws": {"simulated": SIMULATED, "ways": [*WAYS.values()], "rows": rows}}
    calibrated.store(found)
    print("\n".join(calibrated.table("draws", found)))


def _cell(kept: Sequence[tuple[str, bool]]) -> dict[str, Any] | None:
    """The share that was kept, and of how many halves of how many campaigns."""
    if not kept:
        return None
    return {
        "kept": float(np.mean([each for _, each in kept])),
        "halves": len(kept),
        "campaigns": len({name for name, _ in kept}),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("results", nargs="*", help="folders or exports")
    main(parser.parse_args().results)
