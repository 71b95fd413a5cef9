"""Two readers: what differs is ambiguous, and nobody is called wrong because of that."""

import numpy as np
import pytest

import nqbench
from nqbench.backends.base import Backend
from nqbench.checking import opb_text
from nqbench.clauses import opb
from nqbench.common.errors import InputError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Answer, Task, Verdict
from nqbench.encodings.base import Encoding
from nqbench.measure import readings
from nqbench.measure.loaded_run import LoadedRun
from nqbench.measure.readings import AmbiguousError, compare
from nqbench.measure.run_judge import RunJudge
from nqbench.measure.worker import WorkerReport
from nqbench.problems.families.cnf import formulas

pytestmark = pytest.mark.usefixtures("called_directly")

TEXT = "* #variable= 3 #constraint= 2\n{}+1 x1 +2 x2 >= 1 ;\n+1 x2 +1 x3 >= 1 ;\n"
MIN = "min: +1 x1 +3 x3 ;\n"


def text(objective=MIN):
    return TEXT.format(objective).encode()


def test_equal_readings_are_the_rows_of_the_judge():
    rows = compare(text(), "a.opb")
    assert rows.num_variables == 3
    assert rows.value(np.array([True, False, True])) == 4


def replace_words(monkeypatch, old, new):
    """Let the judge read something else in place of these words."""
    cut = opb_text._statements

    def changed(lines):
        return ((line, statement.replace(old, new)) for line, statement in cut(lines))

    monkeypatch.setattr(opb_text, "_statements", changed)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"+2 x2", b"+2 x3", "of line 3, '+1 x1 +2 x2 >= 1 ;', one reader of nqbench has "
         "'+1 x1 +2 x2 >= 1', the other '+1 x1 +2 x3 >= 1': no solver was asked"),
        (b"+1 x2 +1", b"+1 x2 +7", "of line 4, .* has '.1 x2 .1 x3 >= 1', the other '.1 x2 .7 x3"),
        (b"+1 x3 >=", b"+1 x3 <=", "the other '.1 x2 .1 x3 <= 1'"),
        (b">= 1", b">= 2", "of line 3, .*the other '.1 x1 .2 x2 >= 2'"),
        (b"+3 x3", b"+4 x3", "the objective 'min: .1 x1 .3 x3', the other 'min: .1 x1 .4 x3'"),
        (b"min:", b"max:", "the other 'max: .1 x1 .3 x3'"),
        (b"x3", b"x4", "has '.1 x2 .1 x3 >= 1', the other '.1 x2 .1 x4"),
    ],
)  # fmt: skip
def test_a_difference_is_ambiguous_with_its_line(monkeypatch, old, new, message):
    replace_words(monkeypatch, old, new)
    pattern = message.replace("+", ".") if "'+" in message else message
    with pytest.raises(AmbiguousError, match=f"^a.opb is ambiguous: .*{pattern}"):
        compare(text(), "a.opb")


def test_a_missing_row_is_ambiguous(monkeypatch):
    cut = opb_text._statements
    monkeypatch.setattr(opb_text, "_statements", lambda lines: list(cut(lines))[:-1])
    with pytest.raises(AmbiguousError, match="has 2 rows in the file, the other 1"):
        compare(text(), "a.opb")


def test_if_one_reader_refuses_the_file_is_invalid(monkeypatch):
    def refuse(_lines):
        raise opb_text.StatementError(3, "nobody reads this")

    monkeypatch.setattr(opb_text, "_statements", refuse)
    with pytest.raises(InputError, match=r"^a.opb, line 3: nobody reads this") as error:
        compare(text(), "a.opb")
    assert not isinstance(error.value, AmbiguousError)


@pytest.fixture
def judged_apart(monkeypatch, tmp_path):
    """Has a model or `unsat` judged where the encoders' reader gets other rows than the judge, and
    nothing has compared them.
    """
    path = tmp_path / "a.opb"
    path.write_bytes(text(""))
    (formula,) = formulas(path)
    monkeypatch.setattr(readings, "_difference", lambda *_: None)

    def judged(encoding, change, answer, model=()):
        parse = opb.OPB.parse

        def parse_wrongly(words, header):
            parsed = parse(words, header)
            change(parsed.rows)
            return parsed

        object.__setattr__(opb.OPB, "parse", parse_wrongly)
        try:
            backend, limits = Backend.named("cadical195"), Limits(time_s=20)
            run = LoadedRun(
                formula, Encoding.named(encoding), backend, Task.FIRST, limits, backend.name
            )
            judge = RunJudge()
            if answer is Answer.UNSAT:
                return judge.check_unsat(run)
            instance = judge._instance(run).instance
            values = np.zeros(instance.num_variables, np.bool_)
            values[[variable - 1 for variable in model]] = True
            assert instance.broken_by(values) is None
            bits = np.packbits(values).tobytes()
            return judge.check(run, WorkerReport(answer, model=bits, model_size=values.size))
        finally:
            object.__setattr__(opb.OPB, "parse", parse)

    return judged


@pytest.mark.parametrize("encoding", ["native", "adder"])
def test_a_model_is_wrong_only_if_both_readings_say_so(judged_apart, encoding):
    def forget_second(rows):
        rows.bounds[1] = 0

    check = judged_apart(encoding, forget_second, Answer.SAT, [1])
    assert check.verdict is Verdict.UNCHECKED
    assert check.message.startswith("ambiguous: by one reader of nqbench, the model breaks line 3")


@pytest.mark.parametrize("encoding", ["native", "adder"])
def test_unsat_is_wrong_only_if_both_readings_have_a_model(judged_apart, encoding):
    def never(rows):
        rows.bounds[1] = 9

    check = judged_apart(encoding, never, Answer.UNSAT)
    assert check.verdict is Verdict.UNCHECKED
    assert "ambiguous: of a model, one reader of nqbench says" in check.message


def test_where_the_readings_agree_a_wrong_answer_is_wrong(judged_apart):
    check = judged_apart("native", lambda _rows: None, Answer.UNSAT)
    assert check.verdict is Verdict.REFUTED


def test_a_file_that_a_reader_refuses_is_recorded_as_invalid(tmp_path):
    """Nobody is asked; before, two right solvers were called wrong."""
    path = tmp_path / "top.wcnf"
    path.write_text("p wcnf 2 3 0\n1 1 2 0\n2 -1 0\n2 -2 0\n")
    results = nqbench.run(
        nqbench.formulas(path),
        encodings="sequential",
        backends=["cadical195", "minisat22"],
        repeat=1,
        results=tmp_path / "r",
    )
    assert list(results["outcome"]) == ["invalid", "invalid"]
    assert "a top of 0 does not say which clauses are hard" in results["message"][0]


def test_a_file_on_which_the_readers_differ_is_refused_with_status_2(monkeypatch, tmp_path):
    replace_words(monkeypatch, b">= 1", b">= 2")
    path = tmp_path / "a.opb"
    path.write_bytes(text())
    with pytest.raises(InputError, match="is ambiguous: of line 3"):
        nqbench.solve(nqbench.formulas(path)[0])
