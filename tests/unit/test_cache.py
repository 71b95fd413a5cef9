"""Caching instances for the runs that share them, up to a size limit."""

import os
import resource

import pytest

from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Outcome
from nqbench.encodings.base import Encoding
from nqbench.isolate import fork
from nqbench.measure.cache import InstanceCache, share_of_memory
from nqbench.problems.families.cnf import Formula
from nqbench.problems.queens import Queens

pytestmark = pytest.mark.usefixtures("called_directly")
IN_A_PROCESS = fork.call
LIMITS = Limits(time_s=20)
PAIRWISE = Encoding.named("pairwise")


def bytes_of(n):
    return InstanceCache(0).get(Queens(n), PAIRWISE, LIMITS).packed_bytes


def test_what_was_used_last_is_kept_as_long_as_there_is_room():
    cache = InstanceCache(bytes_of(10) + bytes_of(9))
    ten, nine = (cache.get(Queens(n), PAIRWISE, LIMITS) for n in (10, 9))
    assert cache.get(Queens(10), PAIRWISE, LIMITS) is ten
    cache.get(Queens(8), PAIRWISE, LIMITS)
    assert cache.get(Queens(10), PAIRWISE, LIMITS) is ten
    assert cache.get(Queens(9), PAIRWISE, LIMITS) is not nine


def test_an_instance_that_is_larger_than_the_room_is_kept_alone():
    cache = InstanceCache(1)
    large = cache.get(Queens(20), PAIRWISE, LIMITS)
    assert cache.get(Queens(20), PAIRWISE, LIMITS) is large


def test_the_caches_of_a_machine_share_a_quarter_of_its_memory():
    assert share_of_memory(1) == 8 * share_of_memory(8) + share_of_memory(1) % 8


GROUPS = {
    "0::/pod/job\n": {"pod/memory.max": "1073741824\n", "pod/job/memory.max": "max\n"},
    "5:cpu:/\n4:memory:/of/the/host\n0::/\n": {"memory/memory.limit_in_bytes": "1073741824\n"},
}


@pytest.mark.parametrize("own", GROUPS)
def test_the_caches_of_a_container_share_a_quarter_of_what_it_may_use(own, tmp_path, monkeypatch):
    for name, limit in GROUPS[own].items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(limit)
    (tmp_path / "own").write_text(own)
    monkeypatch.setattr("nqbench.isolate.cgroup._ROOT", tmp_path)
    monkeypatch.setattr("nqbench.isolate.cgroup._OWN", tmp_path / "own")
    assert share_of_memory(1) == 2**28


def test_an_instance_is_whole_where_a_write_takes_a_part_of_it(monkeypatch):
    """Linux writes only part of more than 2 GiB."""
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:1000]))
    encoded = InstanceCache(2**20).get(Queens(10), PAIRWISE, LIMITS)
    assert encoded.digest == PAIRWISE.encode(Queens(10)).digest()


def test_an_instance_for_which_there_is_no_room_is_not_cut_off(monkeypatch):
    """The kernel writes what there is room for, and refuses only the next write."""
    encode = PAIRWISE.encode

    def encode_without_room(problem):
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
        return encode(problem)

    monkeypatch.setattr(fork, "call", IN_A_PROCESS)
    monkeypatch.setattr(PAIRWISE, "encode", encode_without_room)
    ending = InstanceCache(2**20).get(Queens(10), PAIRWISE, LIMITS)
    assert ending.outcome is Outcome.CRASHED
    assert "File too large" in ending.message


def test_a_broken_file_is_read_once(tmp_path):
    path = tmp_path / "broken.cnf"
    path.write_text("p cnf 1 1\nx 0\n")
    formula = Formula.at(path, path.name)
    cache = InstanceCache(2**20)
    ending = cache.get(formula, Encoding.named("file"), LIMITS)
    assert ending.outcome is Outcome.INVALID
    path.unlink()
    assert cache.get(formula, Encoding.named("file"), LIMITS) is ending
