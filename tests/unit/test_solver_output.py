import numpy as np
import pytest

from nqbench.backends.program import solver_output
from nqbench.errors import InputError
from nqbench.vocabulary import Answer

# The answer of "N-queens to SAT with pycryptosat" for n = 4.
QUEENS = [2, 8, 9, 15]
MODEL = " ".join(str(v if v in QUEENS else -v) for v in range(1, 17))


@pytest.mark.parametrize(
    "text",
    [
        f"SAT\n{MODEL} 0\n",
        f"c comment\ns SATISFIABLE\nv {MODEL} 0\n",
        f"v {MODEL[:20]}\nv {MODEL[20:]} 0\ns SATISFIABLE\n",
        f"s SATISFIABLE\nv {MODEL} 17 -18 0\n",
        f"s SATISFIABLE\r\nv {MODEL} 0\r\n",
        f"verbose mode off\ns SATISFIABLE\nv\t{MODEL}\nv 0\nvery fast\n",
    ],
)
def test_every_way_of_printing_a_model_is_read(text):
    status, values = solver_output.parse(text, 16, "out")
    assert status is Answer.SAT
    assert (np.flatnonzero(values) + 1).tolist() == QUEENS


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("UNSAT\n", Answer.UNSAT),
        ("s UNSATISFIABLE", Answer.UNSAT),
        ("INDET\n", Answer.UNKNOWN),
        ("s UNKNOWN\n", Answer.UNKNOWN),
    ],
)
def test_every_way_of_printing_another_answer_is_read(text, answer):
    assert solver_output.parse(text, 16, "out")[0] is answer


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "out: no answer"),
        ("c only talk\n", "out: no answer"),
        ("s SATISFIABLE\n", "without a model"),
        ("SAT\n", "without a model"),
        ("s SATISFIABLE\nv 1 two 0\n", "line 2: 'two' is not a literal"),
        ("s SATISFIABLE\nv 1 0\ns UNSATISFIABLE\n", "line 3: 's UNSATISFIABLE' after"),
        ("s SATISFIABLE\nv " + "9" * 5000, "is not a literal"),
    ],
)
def test_anything_else_is_refused(text, complaint):
    with pytest.raises(InputError, match=complaint):
        solver_output.parse(text, 16, "out")
