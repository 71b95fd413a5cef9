"""Encoding and DIMACS against what a user would write without nqbench.

    tox -e bench -- benchmarks/test_encodings.py

Each group holds nqbench and its peer; the ratio of their medians is a figure.
"""

import io
import random
import tracemalloc

import numpy as np
import peers
import pytest

from nqbench.clauses import dimacs
from nqbench.clauses.cnf import CNFBuilder
from nqbench.clauses.rows import RowForm
from nqbench.encodings import modulo_totalizer, sorting_network
from nqbench.encodings.base import Encoding
from nqbench.encodings.counting import CountingEncoding
from nqbench.problems.queens import Queens
from nqbench.testing.brute_force import AnyCover

PYSAT = {
    "sequential": "seqcounter",
    "bitwise": "bitwise",
    "ladder": "ladder",
    "totalizer": "totalizer",
    "cardinality-network": "cardnetwrk",
    "sorting-network": "sortnetwrk",
    "modulo-totalizer": "mtotalizer",
    "k-modulo-totalizer": "kmtotalizer",
}
COUNTING = [name for name in PYSAT if isinstance(Encoding.named(name), CountingEncoding)]
PINDAKAAS = {
    "sequential": "SEQUENTIAL_COUNTER",
    "totalizer": "TOTALIZER",
    "cardinality-network": "SORTING_NETWORK",
    "parallel-counter": "ADDER",
    "k-modulo-totalizer": "MIXED_RADIX",
}
"""The same schemes, or the nearest: see `docs/explanation/encodings.md`."""

PINDAKAAS_WEIGHTS = {
    "adder": "ADDER",
    "decision-diagram": "DECISION_DIAGRAM",
    "generalized-totalizer": "TOTALIZER",
    "watchdog": "WATCHDOG",
}


@pytest.fixture(scope="module")
def pairwise_100(scaled):
    return Encoding.named("pairwise").encode(Queens(scaled(100, 8)))


@pytest.fixture
def measure(benchmark, side_of):
    """Measure one side of a figure."""

    def pedantic(name, group, side, function, *arguments, rounds=5):
        def forget():
            """Clear the caches of earlier rounds, since a worker encodes only once."""
            modulo_totalizer._tree.cache_clear()
            sorting_network._network.cache_clear()
            return arguments, {}

        benchmark.group = group
        benchmark.extra_info["side"] = side
        benchmark.pedantic(function, setup=forget, rounds=rounds, warmup_rounds=1)
        side_of(name, side)

    return pedantic


@pytest.mark.parametrize("side", ["nqbench", "peer"])
def test_pairwise(measure, side, scaled):
    ours, n = Encoding.named("pairwise"), scaled(100, 8)
    function = ours.encode if side == "nqbench" else peers.textbook_pairwise
    argument = Queens(n) if side == "nqbench" else n
    group = "encode pairwise n=100, textbook loops"
    measure("encode-by-loops/pairwise", group, side, function, argument)


@pytest.mark.parametrize("side", ["nqbench", "peer"])
@pytest.mark.parametrize("name", PYSAT)
def test_schemes_of_pysat(measure, name, side, scaled):
    n = scaled(200, 8)
    figure, group = f"encode-by-card-enc/{name}", f"encode {name} n={n}, CardEnc per line"
    if side == "nqbench":
        measure(figure, group, side, Encoding.named(name).encode, Queens(n), rounds=3)
    else:
        measure(figure, group, side, peers.card_enc_per_line, n, PYSAT[name], rounds=3)


@pytest.mark.parametrize("side", ["nqbench", "peer"])
@pytest.mark.parametrize("k", [2, 10, 100])
@pytest.mark.parametrize("name", COUNTING)
def test_at_most_k(measure, name, k, side, scaled):
    """A constraint on each row of a board, as the other schemes are measured on whole boards."""
    n, bound, sets, problem = rows_of_a_board(scaled, k)
    figure, group = f"encode-at-most-k/{name}-{k}", f"at most {bound} of {n}, {name}, CardEnc"
    if side == "nqbench":
        measure(figure, group, side, Encoding.named(name).encode, problem, rounds=3)
    else:
        theirs = peers.card_enc_per_set
        measure(figure, group, side, theirs, sets, bound, PYSAT[name], rounds=3)


@pytest.mark.parametrize("side", ["nqbench", "peer"])
@pytest.mark.parametrize("k", [2, 10, 100])
@pytest.mark.parametrize("name", PINDAKAAS)
def test_at_most_k_in_rust(measure, name, k, side, scaled):
    n, bound, sets, problem = rows_of_a_board(scaled, k)
    figure = f"encode-by-pindakaas/{name}-{k}"
    group = f"at most {bound} of {n}, {name}, pindakaas"
    if side == "nqbench":
        measure(figure, group, side, Encoding.named(name).encode, problem, rounds=3)
    else:
        theirs = peers.pindakaas_per_set
        measure(figure, group, side, theirs, sets, bound, PINDAKAAS[name], rounds=3)


@pytest.mark.parametrize("side", ["nqbench", "peer"])
@pytest.mark.parametrize("name", PINDAKAAS_WEIGHTS)
def test_weights_in_rust(measure, benchmark, name, side, scaled):
    """A row of random weights up to 100, of which half are needed: the time, and the clauses."""
    n = scaled(50, 6)
    draw = random.Random(65)
    weights = tuple(sorted((draw.randint(1, 100) for _ in range(n)), reverse=True))
    form, scheme = RowForm(weights, sum(weights) // 2), PINDAKAAS_WEIGHTS[name]
    figure, group = f"encode-weights-by-pindakaas/{name}", f"{n} weights, {name}, pindakaas"
    if side == "nqbench":
        clauses = Encoding.named(name).num_clauses(form, 10**9)
        measure(figure, group, side, Encoding.named(name).weighing, form, rounds=3)
    else:
        clauses = len(list(peers.pindakaas_weights(form.weights, form.least, scheme).clauses()))
        theirs = peers.pindakaas_weights
        measure(figure, group, side, theirs, form.weights, form.least, scheme, rounds=3)
    benchmark.extra_info["clauses"] = clauses
    print(f"\n{n} weights, {name}, {side}: {clauses} clauses")


@pytest.mark.parametrize("side", ["nqbench", "peer"])
@pytest.mark.parametrize("name", PINDAKAAS_WEIGHTS)
def test_many_rows_with_weights_in_rust(measure, name, side, scaled):
    """Rows of 12 of 1,000 variables with random weights up to 100, all different."""
    draw, rows = random.Random(77), []
    for _ in range(scaled(3000, 3)):
        weights = sorted((draw.randint(1, 100) for _ in range(12)), reverse=True)
        literals = np.array(draw.sample(range(1, 1001), 12), np.int32)
        rows.append((RowForm(tuple(weights), sum(weights) // 2), literals))
    figure, group = f"encode-weighted-rows-by-pindakaas/{name}", f"{len(rows)} rows, {name}"
    if side == "nqbench":
        ours = Encoding.named(name)
        measure(figure, group, side, lambda: ours.weigh_rows(CNFBuilder(1000), rows), rounds=3)
    else:
        theirs = peers.pindakaas_rows
        measure(figure, group, side, theirs, rows, PINDAKAAS_WEIGHTS[name], rounds=3)


def rows_of_a_board(scaled, k):
    """n, the bound, the rows of a board as sets, and the problem: at most so many in each row."""
    n = scaled(200, 8)
    bound = min(k, n - 2)
    sets = [tuple(range(i * n + 1, (i + 1) * n + 1)) for i in range(n)]
    return n, bound, sets, AnyCover(n * n, bounded=tuple((each, 0, bound) for each in sets))


@pytest.mark.parametrize("side", ["nqbench", "peer"])
def test_write_dimacs(measure, side, pairwise_100, tmp_path):
    def write():
        with path.open("wb") as file:
            dimacs.write(pairwise_100, file)

    path = tmp_path / "q100.cnf"
    figure, group = "dimacs/write", "write DIMACS pairwise n=100, PySAT's to_file"
    if side == "nqbench":
        measure(figure, group, side, write)
    else:
        formula = peers.pysat_formula(pairwise_100)
        measure(figure, group, side, formula.to_file, str(path), rounds=3)


@pytest.mark.parametrize("side", ["nqbench", "peer"])
def test_read_dimacs(measure, side, pairwise_100, tmp_path):
    path = tmp_path / "q100.cnf"
    with path.open("wb") as file:
        dimacs.write(pairwise_100, file)
    figure, group = "dimacs/read", "read DIMACS pairwise n=100, PySAT's from_file"
    if side == "nqbench":
        measure(figure, group, side, lambda: dimacs.read(path.read_bytes(), "file"))
    else:
        measure(figure, group, side, lambda: peers.CNF(from_file=str(path)), rounds=3)


def test_memory_of_encoding(benchmark, scaled):
    """Peak memory of encoding n=200 pairwise, 13.25 million clauses, over that of the result."""
    n = scaled(200, 8)
    tracemalloc.start()
    cnf = benchmark.pedantic(Encoding.named("pairwise").encode, args=(Queens(n),), rounds=1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    size = sum(block.nbytes for block in cnf.blocks)
    benchmark.extra_info["peak_over_result"] = peak / size
    print(
        f"\nencode pairwise n={n}: peak memory {peak / size:.2f} x the {size} bytes of the result"
    )


def test_text_is_what_pysat_reads(pairwise_100):
    """The peers do the same work."""
    file = io.BytesIO()
    dimacs.write(pairwise_100, file)
    theirs = peers.CNF(from_string=file.getvalue().decode())
    assert len(theirs.clauses) == pairwise_100.num_clauses
