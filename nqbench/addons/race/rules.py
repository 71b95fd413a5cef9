"""How a race is decided."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nqbench.common import metrics
from nqbench.common.errors import InputError
from nqbench.common.spelling import match_name
from nqbench.summary.evidence import LEAST_S

Costs = NDArray[np.float64]
"""Shape (problems,): seconds, or their lower bounds."""

Groups = NDArray[np.intp]
"""Shape (problems,): the number of the group of each problem."""

METRICS: Final = ("solve_s", "total_s", "wall_s", "cpu_s")
"""What a race can decide by: times that a cap bounds."""


class Average(StrEnum):
    """What decides: the mean cost over the problems (PAR-2), or the typical cost, the geometric
    mean.
    """

    MEAN = "mean"
    TYPICAL = "typical"

    def of(self, costs: Costs) -> float:
        """The average of the costs; infinity if there are none."""
        if not costs.size:
            return np.inf
        if self is Average.MEAN:
            return float(costs.mean())
        return float(np.exp(np.log(costs.clip(LEAST_S)).mean()))


@dataclass(frozen=True, slots=True)
class Rules:
    """How a race is decided: the metric and its average, the probability `confidence`, the `margin`
    within which combinations are equivalent, the seconds after which no run is started, and the
    column `unit`, if all problems with one value of it are one piece of evidence.
    """

    metric: str = metrics.USUAL
    average: Average = Average.MEAN
    confidence: float = 0.95
    margin: float = 0.05
    budget_s: float | None = None
    unit: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "metric", match_name("metric of a race", self.metric, METRICS))
        if not 0.5 <= self.confidence < 1:
            raise InputError(
                f"the confidence is {self.confidence:g}: it must be from 0.5 to below 1"
            )
        if not 0 <= self.margin < 1:
            raise InputError(f"the margin is {self.margin:g}: it must be from 0 to below 1")
