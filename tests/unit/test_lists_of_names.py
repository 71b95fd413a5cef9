"""Lists of names of components: the same in options, campaign files and Python."""

import json
import re
import warnings

import pytest
from addons import is_here, needs_addon
from probes import probed_once
from programs import write_program

import nqbench
from nqbench.backends.base import Backend
from nqbench.campaign import campaign_file, combinations, job
from nqbench.campaign.combinations import NotWorking
from nqbench.campaign.grid import Campaign
from nqbench.cli.app import app
from nqbench.cli.commands.run import run
from nqbench.common.errors import InputError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Task
from nqbench.encodings.base import Encoding
from nqbench.plugins import availability, lists
from nqbench.problems.families.base import Family
from nqbench.problems.families.cnf import Formula
from nqbench.problems.queens import Queens
from nqbench.records import settings

if is_here("certify"):
    from nqbench.addons.certify.functions import _read_encodings


@pytest.fixture(autouse=True)
def probed(monkeypatch, called_directly):
    monkeypatch.setattr(availability, "_probed", probed_once)


FORMULA = Formula("some.cnf", "0" * 32)
UNSTATED = {each.argument: None for each in settings.SETTINGS}

BACKENDS = {
    "minisat22,clasp": ["minisat22", "clasp"],
    " minisat22 , clasp ,": ["minisat22", "clasp"],
    "clasp:opt.restarts=L,60": ["clasp:opt.restarts=L,60"],
    "clasp:opt.restarts=L,60,minisat22": ["clasp:opt.restarts=L,60", "minisat22"],
    "clasp:opt.restarts=L,60,CP_SAT": ["clasp:opt.restarts=L,60", "CP_SAT"],
    "minisat22,clasp:opt.restarts=x,100,1.5:seed=3": [
        "minisat22", "clasp:opt.restarts=x,100,1.5:seed=3",
    ],
    "cadical195:seed=3,cadical195:seed=4": ["cadical195:seed=3", "cadical195:seed=4"],
    "exe:clasp --restarts=L,60": ["exe:clasp --restarts=L,60"],
    "exe:/opt/a,b/solver,all": ["exe:/opt/a,b/solver", "all"],
    "exe:/opt/minisat,clasp/solver": ["exe:/opt/minisat,clasp/solver"],
    "ipasir:/opt/lib,2.so,exe:./a {file}": ["ipasir:/opt/lib,2.so", "exe:./a {file}"],
    r"exe:./portfolio --use=minisat\,clasp": ["exe:./portfolio --use=minisat,clasp"],
    r"clasp:opt.restarts=L\,60,minisat22": ["clasp:opt.restarts=L,60", "minisat22"],
    "all,exe:./mine": ["all", "exe:./mine"],
}  # fmt: skip
"""What is typed, and the names that it means."""


def as_option(option, *texts):
    words = [word for text in texts for word in (option, text)]
    return run.make_context("run", words, **app.context_settings).params


def in_file(folder, key, stated):
    path = folder / "campaign.toml"
    path.write_text(f'[[campaign]]\nn = "4"\n{key} = {json.dumps(stated)}\n')
    return campaign_file.read(path)[0]


@pytest.mark.parametrize(("text", "names"), BACKENDS.items())
def test_a_list_of_backends_is_the_same_everywhere(tmp_path, text, names):
    assert as_option("--backend", text)["backends"] == names
    repeated = [name.replace(",", r"\,") for name in names]
    assert as_option("--backend", *repeated)["backends"] == names
    for given in (text, names, tuple(names), repeated):
        assert settings.read({**UNSTATED, "backends": given})["backends"] == names
    for stated in (text, names, repeated):
        assert in_file(tmp_path, "backend", stated).backends == names


@pytest.mark.parametrize(
    ("setting", "argument", "text", "names"),
    [
        ("encoding", "encodings", "all,commander:group=4", ["all", "commander:group=4"]),
        ("encoding", "encodings", "product:state=rows,ALO_ROW", ["product:state=rows", "ALO_ROW"]),
        ("amo", "amo", "keep:shuffle=1,product", ["keep:shuffle=1", "product"]),
        ("amo", "amo", "commander:group=4,keep", ["commander:group=4", "keep"]),
    ],
)
def test_a_list_of_encodings_is_the_same_everywhere(tmp_path, setting, argument, text, names):
    assert as_option(f"--{setting}", text)[argument] == names
    assert settings.read({**UNSTATED, argument: text})[argument] == names
    assert getattr(in_file(tmp_path, setting, text), argument) == names


def test_a_list_of_families_is_the_same_everywhere(tmp_path):
    assert as_option("--family", "all,completion")["families"] == ["all", "completion"]
    of_file = in_file(tmp_path, 'family = "torus,queens"\nrepeat', 1)
    of_python = nqbench.problems_of(["torus", "queens"], 4)
    assert of_file.problems == of_python == nqbench.problems_of("torus,queens", 4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the families that have no n = 4
        every = {problem.family for problem in nqbench.problems_of("all", 4)}
    assert {"queens", "torus", "latin"} <= every


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("minisat22,60", "unknown backend '60'"),
        ("minisat22,cadicl", "unknown backend 'cadicl': did you mean 'cadical'?"),
        ("cadical195:seed=3,minsat22", "'minsat22' in 'cadical195:seed=3,minsat22' is unknown: did "
         "you mean 'minisat22'? Write '\\,' for a comma in a name"),
        ("exe:./mine,kisat", "did you mean 'kissat'? Write '\\,' for a comma in a name"),
        ("cadical195:seed=3,4", "seed is '3,4', but must be a whole number"),
        ("clasp:opt.restarts=L,/etc/x", "opt.restarts is 'L,/etc/x', but must be a number or a wo"),
    ],
)  # fmt: skip
def test_a_typing_error_after_a_comma_is_no_part_of_the_name_before(text, message):
    with pytest.raises(InputError, match=re.escape(message)):
        list(map(Backend.named, lists.BACKENDS.read("backends", text)))


@pytest.mark.parametrize("given", ["", ",", " , "])
def test_a_list_without_a_name_is_refused(tmp_path, given):
    with pytest.raises(InputError, match=r"backends is .*: give at least one name"):
        settings.read({**UNSTATED, "backends": given})
    with pytest.raises(InputError, match=r"line 3: backend is .*: give at least one name"):
        in_file(tmp_path, "backend", given)


def test_each_text_of_a_list_is_one_name(tmp_path):
    """So names that a program computes, or reads from records, mean the same."""
    name = "exe:./portfolio --use=minisat,clasp"
    assert settings.read({**UNSTATED, "backends": [name]})["backends"] == [name]
    assert in_file(tmp_path, "backend", [name]).backends == [name]
    with pytest.raises(InputError, match="'minisat22,clasp' is more than one backend: give one"):
        in_file(tmp_path, "backend", ["minisat22,clasp"])


@needs_addon("certify")
def test_where_one_name_is_asked_for_several_are_refused():
    for load, text, kind in [
        (Backend.named, "minisat22,clasp", "backend"),
        (Encoding.named, "pairwise,product:state=rows", "encoding"),
        (Family.named, "queens,torus", "family"),
    ]:
        with pytest.raises(InputError, match=f"is more than one {kind}: give one"):
            load(text)
    assert Backend.named(r"clasp:opt.restarts=L\,60").name == "clasp:opt.restarts=L,60"
    with pytest.raises(InputError, match="'pairwise,product' is more than one encoding"):
        nqbench.encode(4, "pairwise,product")


@pytest.fixture
def able(monkeypatch):
    """What works here, without trying it."""
    reasons = {"minisat22": None, "cadical195": None, "lingeling": None, "glucose": "not there"}
    monkeypatch.setattr(combinations, "able_backends", lambda *_: reasons)
    return ["minisat22", "cadical195", "lingeling"]


NAMED = ["exe:./mine", "cadical195:seed=3", "exe:/no/such/thing", "ipasir:/no/such.so", "glucose"]


@pytest.mark.parametrize("named", NAMED)
def test_a_backend_that_is_named_beside_all_comes_in_addition(able, named, tmp_path):
    campaign = Campaign(problems=[FORMULA])
    for names in (["all", named], ["All", named, named]):
        asked, left_out = campaign.requested({"backends": names})
        assert asked.backends == [*able, named]
        assert set(left_out) == {"glucose"} - {named}
    asked, _ = campaign.requested({"backends": [named, "all", "minisat22"]})
    assert asked.backends == [named, *able]
    of_file = in_file(tmp_path, "backend", ["all", named])
    assert of_file.requested({})[0].backends == [*able, named]
    runs = campaign.requested({"backends": ["all", named]})[0].runs()
    assert {run.backend for run in runs} == {*able, named}


def test_a_backend_that_all_has_already_is_measured_once(able):
    campaign = Campaign(problems=[FORMULA], repeat=1)
    asked, _ = campaign.requested({"backends": ["all", "LINGELING", "cadical195:seed=0"]})
    runs = {run.id: run for run in asked.runs()}
    assert sorted(run.backend for run in runs.values()) == sorted(able)


def test_a_named_backend_that_cannot_solve_the_problems_is_refused(able):
    campaign = Campaign(problems=[FORMULA])
    asked, _ = campaign.requested({"backends": ["all", "min-conflicts"]})
    with pytest.raises(InputError, match="backend 'min-conflicts'"):
        asked.runs()


def test_encodings_that_are_named_beside_all_come_in_addition():
    def named(*names):
        return combinations.without_all(
            names, ["minisat22"], [Queens(4)], Task.FIRST, limits=Limits(), seeds=None
        )[0]

    others = ["commander:group=4", "product:state=rows", "level2:state=rows"]
    assert named("all", *others) == [*(every := named("all")), *others]
    assert {"pairwise", "commander"} <= {*every}


def test_all_schemes_of_formulas_may_be_asked_for(tmp_path):
    for amo in (["all", "commander:group=4"], ["all"]):
        runs = Campaign(problems=[FORMULA], backends=["minisat22"], amo=amo).runs()
        found = {run.encoding for run in runs}
        assert {"file", "file:shuffle=1", "product", "commander", "pairwise"} <= found
        assert ("commander:group=4" in found) == (len(amo) == 2)
        assert not {"csp", "level1", "native"} & found
    assert in_file(tmp_path, "amo", ["all"]).amo == ["all"]


@needs_addon("certify")
def test_certify_takes_all_and_others():
    given = ["all", "commander:group=4", "product:state=rows", "product"]
    with pytest.warns(UserWarning, match="left out: encoding '"):
        names = [encoding.name for encoding in _read_encodings(given, [Queens(4)])]
    assert {"commander", "commander:group=4", "product:state=rows"} <= set(names)
    assert len(names) == len(set(names))


def test_what_is_named_beside_all_is_in_the_plan(able, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.cnf").write_text("p cnf 2 2\n1 2 0\n-1 2 0\n")
    for name in ("mine", "a,b"):
        write_program(tmp_path / name, 'echo "s SATISFIABLE\nv 1 2 0"\nexit 10\n')
    named = ["cadical195:seed=3", "exe:./mine", "exe:./a,b", "exe:/no/such/thing"]
    backends = ",".join(["all", *named])
    (tmp_path / "c.toml").write_text(
        f'[[campaign]]\ncnf = ["s.cnf"]\nbackend = {json.dumps(["all", *named])}\n'
    )
    allowed = [word for name in named[1:] for word in ("--allow-program", name)]
    for words in (["--cnf", "s.cnf", "--backend", backends], ["c.toml", *allowed]):
        run.main([*words, "--dry-run"], standalone_mode=False, **app.context_settings)
        plan = capsys.readouterr()
        assert f"({', '.join(sorted([*able, *named]))}) x 3 repeats" in plan.out
        assert "exe:/no/such/thing is unavailable: no program '/no/such/thing'" in plan.out
        assert plan.err == "nqbench: left out glucose: not there\n"


def test_what_does_not_work_here_is_left_out_in_one_line():
    broken = {f"solver{i}": NotWorking("no program") for i in range(5)}
    reasons = {"astar": "cannot solve a.cnf", **broken}
    assert job._why_left_out(reasons) == [
        "astar: cannot solve a.cnf",
        "solver0, solver1, solver2 and 2 more, which do not work here: `nqbench doctor` says why",
    ]
    alone = {"glucose": NotWorking("no program; try: apt")}
    assert job._why_left_out(alone) == ["glucose: no program; try: apt"]
