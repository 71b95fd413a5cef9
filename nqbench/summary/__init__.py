"""Summaries of a table of records: pure functions from tables to tables."""

from nqbench.common.keywords import hint_at_method
from nqbench.common.metrics import PAR, SCORE, SCORE_NAME
from nqbench.records.derived import TOTAL
from nqbench.summary.by_problem import by_problem
from nqbench.summary.comparisons import comparisons, comparisons_with_best
from nqbench.summary.evidence import problem_count
from nqbench.summary.groups import BY_FAMILY, Group, groups, summarise_groups
from nqbench.summary.measured import Measured, Records, common
from nqbench.summary.observed import (
    BOARD,
    NAMED,
    PAIR,
    POSSIBLE,
    PROBLEM,
    SOLVED,
    THERE,
    boards,
    builds,
    by_family,
    has_many_repeats,
    imported,
    is_middle_half,
    machines,
    metric,
    observed,
    on_common,
    par_column,
    par_of,
    sgm_column,
    sgm_of,
    time_limits,
    versions,
)
from nqbench.summary.overview import TIMES, disagreements, never_ran, overview
from nqbench.summary.portfolio import portfolio, ranks
from nqbench.summary.scaling import scaling
from nqbench.summary.schemes import schemes
from nqbench.summary.series import (
    SIZED,
    cactus,
    distribution,
    effort,
    has_encodings,
    has_sizes,
    memory,
    noun,
    optima,
    over_instances,
    over_k,
    over_n,
    over_rows,
    phases,
    satisfiable,
    sizes,
    with_k,
)
from nqbench.summary.shared import Coverage, coverage
from nqbench.summary.stability import stability

hint_at_method(__name__)
