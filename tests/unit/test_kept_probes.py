"""What works here: tried several at once, and not tried again while nothing changes."""

import os

import pytest
from programs import write_program

from nqbench.backends.base import Backend
from nqbench.backends.pysat.backend import PySAT
from nqbench.common import files
from nqbench.plugins import availability
from nqbench.plugins.availability import why_each_not_working, why_each_unavailable

SOLVER = "echo 's SATISFIABLE\nv 1 2 0'\nexit 10\n"
NAMES = ["astar", "minisat22", "cadical195", "kissat", "glucose"]


@pytest.fixture
def tried(tmp_path, monkeypatch, called_directly):
    """The names that are tried, as they are tried; `kissat` is a script, `glucose` is missing."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    write_program(tmp_path / "kissat", SOLVER)
    names = []
    working = availability._working

    def noted(kind, group, begin):
        names.extend(group)
        return working(kind, group, begin)

    monkeypatch.setattr(availability, "_working", noted)
    return names


def test_what_works_is_tried_once(tried):
    first = why_each_not_working(Backend, NAMES)
    assert sorted(tried) == sorted(NAMES)
    assert [name for name in NAMES if first[name]] == ["glucose"]
    tried.clear()
    assert why_each_not_working(Backend, NAMES) == first
    assert tried == ["glucose"]


def test_it_is_tried_again_when_its_file_changes(tried, tmp_path):
    assert why_each_not_working(Backend, NAMES)["kissat"] is None
    tried.clear()
    write_program(tmp_path / "kissat", "exit 1\n")
    assert why_each_not_working(Backend, NAMES)["kissat"]
    assert sorted(tried) == ["glucose", "kissat"]
    write_program(tmp_path / "kissat", SOLVER)
    assert why_each_not_working(Backend, NAMES)["kissat"] is None


def test_all_are_tried_again_when_a_distribution_is_installed(tried, tmp_path, monkeypatch):
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.setattr(availability.sys, "path", [*availability.sys.path, str(site)])
    why_each_not_working(Backend, NAMES)
    tried.clear()
    (site / "thing-1.0.dist-info").mkdir()
    why_each_not_working(Backend, NAMES)
    assert sorted(tried) == sorted(NAMES)


def test_a_broken_file_only_means_that_all_are_tried(tried):
    first = why_each_not_working(Backend, ["astar"])
    (kept,) = files.cache_folder().iterdir()
    for content in (b"", b"{", b'{"astar": 1}', b"[]", b"\xff"):
        kept.write_bytes(content)
        tried.clear()
        assert why_each_not_working(Backend, ["astar"]) == first
        assert tried == ["astar"], content


def test_a_folder_that_cannot_be_made_only_means_that_all_are_tried(tried, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nowhere")
    assert why_each_not_working(Backend, ["astar"]) == {"astar": None}


def test_one_that_ends_the_process_takes_no_other_with_it(monkeypatch):
    solve = PySAT.probe

    def probe(backend):
        if backend.name == "minisat22":
            os._exit(3)
        solve(backend)

    monkeypatch.setattr(PySAT, "probe", probe)
    reasons = why_each_unavailable(Backend, ["cadical195", "minisat22", "glucose4"])
    assert [name for name, reason in reasons.items() if reason] == ["minisat22"]
    assert "exit status 3" in reasons["minisat22"]
