"""Solvers that are loaded directly do what they do through their binding."""

import pytest

from nqbench.backends.base import Backend
from nqbench.backends.pysat import loaders
from nqbench.campaign.grid import Campaign
from nqbench.campaign.runner import measured
from nqbench.common.vocabulary import Loading, Verdict
from nqbench.plugins.programs import find
from nqbench.problems.queens import Queens
from nqbench.testing import check_backend

SOLVERS = (*sorted(loaders.CAN_LOAD), "pyeda")


def measure(problems, encoding, backends):
    campaign = Campaign(problems=problems, encodings=[encoding], backends=backends, repeat=1)
    return sorted(measured(campaign.runs()), key=lambda record: (record.backend, record.n))


def test_runs_are_equal_and_their_records_say_how_they_were_loaded():
    backends = [*SOLVERS, *(f"{solver}:loading=binding" for solver in SOLVERS)]
    records = measure([Queens(6), Queens(3)], "pairwise", backends)
    assert {record.verdict for record in records} == {Verdict.VERIFIED}
    direct, binding = (
        {
            (r.backend.partition(":")[0], r.n, r.answer, r.conflicts, r.decisions)
            for r in records
            if r.loading is loading
        }
        for loading in Loading
    )
    assert len(direct) == 2 * len(SOLVERS)
    assert direct == binding


@pytest.mark.usefixtures("called_directly")
@pytest.mark.parametrize("solver", ["cadical195", "glucose4", "lingeling", "minisat22", "pyeda"])
def test_a_binding_conforms_as_well(solver):
    """All others conform by what they do by default: see `test_backends`."""
    check_backend(Backend.named(f"{solver}:loading=binding"))


@pytest.mark.parametrize("loading", Loading)
def test_an_idle_variable_0_gives_the_search_of_the_program(loading):
    """MiniSat's program numbers variables from 0 as well, but has none that is in no clause."""
    if find("minisat") is None:
        pytest.skip("no program 'minisat': apt install minisat")
    backends = ["minisat:opt.pre=false", f"mgh:zero=idle:loading={loading}", "mgh"]
    records = measure([Queens(20), Queens(25)], "product", backends)
    searches = {
        backend.partition(":")[2]: [r.conflicts for r in records if r.backend == backend]
        for backend in {record.backend for record in records}
    }
    (other,) = [name for name in searches if "zero=idle" in name]
    assert searches[other] == searches["opt.pre=false"] != searches[""]
