"""The boards of a campaign, from every kind of source."""

import shutil

import pytest
from places import CSPLIB

from nqbench.campaign.grid import Campaign
from nqbench.campaign.workload import Workload, families_by_size
from nqbench.common.errors import InputError
from nqbench.problems.queens import Queens

ONE_PAIR = {"encodings": ["pairwise"], "backends": ["minisat22"]}


def test_empty_random_and_filed_boards_come_together(tmp_path):
    (tmp_path / "b.txt").write_text("Q...\n....\n....\n....\n")
    empty, _ = Workload(sizes=[4, 5], families=["torus"], files=[tmp_path / "b.txt"]).problems()
    assert [str(problem) for problem in empty] == ["completion b n=4", "torus n=4", "torus n=5"]
    drawn, left_out = Workload(
        sizes=[8], families=["blocked"], densities=[0.1, 0.2], instances=3
    ).problems()
    assert len(drawn) == 6
    assert not left_out


def test_the_boards_of_a_folder_come_in_the_order_of_their_numbers(tmp_path):
    for name in ("b10.txt", "b9.txt", "a.json", "README.md"):
        (tmp_path / name).write_text('{"n": 1, "blocked": []}' if name == "a.json" else "Q.\n..")
    problems, _ = Workload(files=[tmp_path]).problems()
    assert [problem.instance for problem in problems] == ["", "b9", "b10"]


def test_of_the_files_of_a_folder_those_that_list_fewer_diagonals_stop_earlier():
    """The three files list 8, 9 and 11 diagonals."""
    files = [CSPLIB / f"diag-8-4-{number}.param" for number in (8, 4, 2)]
    problems, left_out = Workload(files=files, diagonals=range(12)).problems()
    assert len(problems) == 9 + 10 + 12
    assert left_out == [
        f"{files[0]}: 3 boards, because it lists too few diagonals",
        f"{files[1]}: 2 boards, because it lists too few diagonals",
    ]
    at_n, _ = Workload(files=files, diagonals="n").problems()
    assert [problem.density for problem in at_n] == [1.0, 1.0, 1.0]
    with pytest.raises(InputError, match="9 diagonals were asked for, but it lists 8"):
        Workload(files=files[:1], diagonals=[9]).problems()


def test_two_boards_of_one_name_are_refused(tmp_path):
    for folder, text in (("a", "Q.\n.."), ("b", ".Q\n..")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "start.txt").write_text(text)
    files = [tmp_path / "a", tmp_path / "b"]

    def boards_of_runs():
        problems, _ = Workload(files=files).problems()
        return [run.problem for run in Campaign(problems=problems, repeat=1, **ONE_PAIR).runs()]

    with pytest.raises(
        InputError, match="2 different problems have the name 'completion start n=2'"
    ):
        boards_of_runs()
    shutil.copy(tmp_path / "a" / "start.txt", tmp_path / "b" / "start.txt")
    assert boards_of_runs() == [Queens(2, "completion", ((0, 0),), (), "start")]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"sizes": [8], "densities": [0.5]}, "family 'queens' has no density"),
        ({"sizes": [8], "families": ["blocked"]}, "family 'blocked' needs a density"),
        ({"sizes": [8], "diagonals": [3]}, "`diagonals` needs CSPLib instances: add `file`"),
        (
            {"sizes": [4], "families": ["completion"], "densities": [3.0]},
            "no problems to measure: c",
        ),
    ],
)
def test_what_contradicts_itself_is_refused(asked, message):
    with pytest.raises(InputError, match=message):
        Workload(**asked).problems()


def test_several_families_have_each_size_that_they_can():
    problems, left_out = Workload(
        sizes=[3, 4, 7, 8], families=["Queens", "sudoku", "latin", "queens"]
    ).problems()
    assert [(problem.family, problem.n) for problem in problems] == [
        *(("queens", n) for n in (3, 4, 7, 8)),
        *(("sudoku", n) for n in (3, 4)),
        *(("latin", n) for n in (3, 4, 7, 8)),
    ]
    assert left_out == ["sudoku has no n = 7, 8: the order of a sudoku is 2 to 5"]


def test_every_family_by_size_makes_a_problem():
    every = families_by_size()
    assert {"queens", "torus", "latin", "pigeonhole"} <= set(every)
    assert not {"completion", "regions", "cnf", "cover"} & set(every)
    problems, _ = Workload(sizes=[4], families=every).problems()
    assert {problem.family for problem in problems} == set(every)


def test_a_default_encoding_of_some_families_is_left_out_of_all():
    problems, _ = Workload(sizes=[4], families=["queens", "latin"]).problems()
    campaign = Campaign(problems=problems, backends=["minisat22"])
    why = "left out: encoding 'alo-row' is for boards of queens, not for latin n=4"
    assert why in campaign.notes
    of = {family: set() for family in ("queens", "latin")}
    for run in campaign.runs():
        of[run.problem.family].add(run.encoding)
    assert of["queens"] == of["latin"]
    assert "pairwise" in of["latin"]
    with pytest.raises(InputError, match="'alo-row' is for boards of queens, not for latin"):
        Campaign(problems=problems, encodings=["alo-row"], backends=["minisat22"]).runs()
    alone = Campaign(problems=[Queens(4)], backends=["minisat22"])
    assert "alo-row" in {run.encoding for run in alone.runs()}
    assert not any("alo-row" in note for note in alone.notes)


def test_a_folder_without_boards_is_named(tmp_path):
    with pytest.raises(InputError, match=r"no problems in .*: expected files that end in .txt"):
        Workload(files=[tmp_path]).problems()
