"""Proofs about rows: each rule, and what follows from none."""

import random
import tempfile
from dataclasses import replace

import numpy as np
import pytest
from row_proofs import meeting, models, random_opb, read, total

from nqbench import isolate
from nqbench.checking.cutting_planes import NoProofError
from nqbench.checking.normal_rows import normal_rows
from nqbench.checking.row_proofs import proved_bound
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Outcome

TWO_OF_THREE = """* #variable= 3 #constraint= 3
+1 x1 +1 x2 >= 1 ;
+1 x2 +1 x3 >= 1 ;
+1 x1 +1 x3 >= 1 ;
"""
AT_MOST_ONE = TWO_OF_THREE + "-1 x1 -1 x2 -1 x3 >= -1 ;\n"
"""No model, which takes more than propagation: half of the sum of three rows, rounded up."""

CHEAPEST = "min: +3 x1 +2 x2 +2 x3 ;\n" + TWO_OF_THREE
"""The best value is 4."""

HALF = "f 3\npol 1 2 + 3 + 2 d\n"
"""Two of the three are true."""


def shown(text, proof):
    """What both checkers say."""
    with tempfile.TemporaryFile() as file:
        file.write(proof.encode("latin-1"))
        file.flush()
        return proved_bound(normal_rows(read(text.encode())), file)


def test_normal_rows_say_what_the_file_says():
    """Each model extends to one of the rows with the same objective, and no others do."""
    draw = random.Random(1)
    texts = [random_opb(draw, 4) for _ in range(60)]
    texts += [b"h 1 2 0\n4 1 -2 0\n2 0\n3 -1 0\n", b"[2] +1 x1 +2 x2 >= 3 ;\nsoft: 4 ;\n"]
    texts += [b"min: 2 x1 x2 -3 x3 ;\n 3 x1 ~x2 2 x3 >= 2 ;\n"]
    for text in texts:
        file = read(text)
        for asked in (file, replace(file, worst=draw.randint(-4, 9) if file.costs else None)):
            rows = normal_rows(asked)
            best = {}
            for values in meeting(rows):
                own, value = values[: file.num_variables], total(rows.objective, values)
                best[own] = min(value, best.get(own, value))
            for values in models(file.num_variables):
                model = np.array(values, np.bool_)
                assert (asked.broken_by(model) is None) == (values in best), text
                if values in best and asked.worst is None and file.costs is not None:
                    sign = -1 if rows.is_maximised else 1
                    assert sign * file.value(model) == best[values] + rows.constant, text


def test_the_opb_of_normal_rows_is_read_as_the_same():
    draw = random.Random(2)
    for _ in range(40):
        rows = normal_rows(read(random_opb(draw, 4)))
        again = normal_rows(read(b"".join(rows.opb())))
        assert (again.rows, again.num_variables) == (rows.rows, rows.num_variables)
        assert list(again.objective) == list(rows.objective)


@pytest.mark.parametrize(
    "proof",
    [
        HALF.replace("f 3", "f 4") + "pol 5 4 +\n",
        "pseudo-Boolean proof version 1.1\n* a comment\nrup >= 0 ;\nl 1\nl 2\nl 3\nl 4\n"
        "pol 2 3 + 4 + 2 d 5 +\nc 6\n",
        "pseudo-Boolean proof version 3.0\nf 4;\n@two pol 1 2 + 3 + 2 d;\npol @two 4 +;\n"
        "output NONE;\nconclusion UNSAT : -1;\nend pseudo-Boolean proof;\n",
        "f\npol 1 2 + 3 + s 2 d -1 +\n",
        "f\nrup 1 x1 >= 1 ;\nrup >= 1 ;\n",
        "f\nred 1 y 1 x1 >= 1 ; y 1\nred 1 ~z 1 ~y >= 1 ; z -> 0\npol 1 2 + 3 + 2 d 4 +\n",
        "f 4\nd 7\ndel id 5 6\np 1 2 + 3 + 2 d 4 + 0\n",
        "f\npol 1 x3 w x3 + 2 + 3 + 2 d ~x3 + x3 + 4 +\npol 1 2 + 3 + 2 d 4 +\n",
        # Neither checker tells these labels apart.
        "f\n@\0 pol 4\n@\1 pol 1 2 + 3 + 2 d\npol @\0 4 +\n",
    ],
)
def test_what_follows_is_accepted(proof):
    assert shown(AT_MOST_ONE, proof) is None


def test_a_solution_is_a_bound():
    of_cost_4 = "soli ~x1 x2 x3\n"
    assert shown(CHEAPEST, HALF + of_cost_4 + "pol 4 2 * 5 + x1 +\n") == 4
    assert shown(CHEAPEST, HALF + "soli x1 x2 ~x3\n" + of_cost_4 + "pol 4 2 * 6 + x1 +\n") == 4


@pytest.mark.parametrize(
    ("text", "proof", "reason"),
    [
        (AT_MOST_ONE, HALF, "line 1: it is about 3 rows, and the file has 4"),
        (AT_MOST_ONE, "f 4\nc 4\n", "line 2: it concludes without a contradiction"),
        (AT_MOST_ONE, "f 4\n", "it ends without a contradiction"),
        (AT_MOST_ONE, "f 4\nrup >= 1 ;\n", "line 2: the row does not follow by propagation"),
        (TWO_OF_THREE, "f\nrup 1 x1 >= 1 ;\n", "line 2: the row does not follow by propagation"),
        (AT_MOST_ONE, "a 1 x1 >= 2 ;\n", "line 1: the rule 'a' is not supported"),
        (AT_MOST_ONE, "dom 1 x1 >= 1 ; x1 x2\n", "line 1: the rule 'dom' is not supported"),
        (AT_MOST_ONE, "l 5\n", "line 1: the file has no row 5"),
        (AT_MOST_ONE, "f\npol 1 -1 *\n", "line 2: a positive number has to be before '*'"),
        (AT_MOST_ONE, "f\npol 1 0 d\n", "line 2: a positive number has to be before 'd'"),
        (AT_MOST_ONE, "f\npol 1 x1 d\n", "line 2: a positive number has to be before 'd'"),
        (AT_MOST_ONE, "f\npol +\n", "line 2: an operand is missing"),
        (AT_MOST_ONE, "f\npol 1 2\n", "line 2: 'pol' ends with 2 rows, and not with one"),
        (AT_MOST_ONE, "f\npol 9\n", "line 2: no row has the number 9"),
        (AT_MOST_ONE, "f\npol -9\n", "line 2: no row has the number -9"),
        (AT_MOST_ONE, "f\npol @a\n", "line 2: no row is called '@a'"),
        (AT_MOST_ONE, "f\nd 1\npol 1\n", "line 3: no row has the number 1"),
        # A variable of the file is not fresh, whether a row that has it was loaded or not.
        (TWO_OF_THREE, "red 1 ~x1 >= 1 ; x1 0\n", "line 1: 'x1' is not fresh"),
        (TWO_OF_THREE, "red 1 ~x1 >= 1 ; ~x1 1\n", "line 1: '~x1' is not fresh"),
        ("* #variable= 2 #constraint= 1\n1 x1 >= 1 ;\n", "red 1 x2 >= 1 ; x2 1\n", "not fresh"),
        (TWO_OF_THREE, "rup 1 y >= 0 ;\nred 1 y >= 1 ; y 1\n", "line 2: 'y' is not fresh"),
        (TWO_OF_THREE, "pol ~y\nred 1 y >= 1 ; y 1\n", "line 2: 'y' is not fresh"),
        (TWO_OF_THREE, "red 1 y >= 1 ; y 1\nred 1 ~y >= 1 ; y 0\n", "line 2: 'y' is not fresh"),
        (TWO_OF_THREE, "red 1 y >= 1 ; y 0\n", "line 1: 'y' does not meet the row alone"),
        (TWO_OF_THREE, "red 1 y 1 x1 >= 2 ; y 1\n", "line 1: 'y' does not meet the row alone"),
        (TWO_OF_THREE, "red 1 y >= 1 ; y 1 z 0\n", "with one fresh variable and its value"),
        (TWO_OF_THREE, "red 1 y >= 1 ; y z\n", "with one fresh variable and its value"),
        (TWO_OF_THREE, "red 1 y >= 1 ; y 1 ; begin\n", "with one fresh variable and its value"),
        # The solver's own objective may lack a variable, whose row would be too strong.
        (CHEAPEST, "soli x1 x2\n", "line 1: a solution lacks a variable of the objective"),
        (CHEAPEST, "rup 1 x1 + 1 x2 >= 1 ;\n", "line 1: expected weights and literals in turn"),
        (CHEAPEST, "rup 1_0 x1 >= 1 ;\n", "line 1: expected a whole number, not '1_0'"),
        (CHEAPEST, "f" + " 9" * 3 + "9" * 5000 + "\n", "line 1"),
        (CHEAPEST, "\xff\n", "line 1: the rule '"),
    ],
)
def test_what_does_not_follow_is_not_accepted(text, proof, reason):
    with pytest.raises(NoProofError) as raised:
        shown(text, proof)
    assert reason in str(raised.value)


def test_a_bound_excludes_better_values_and_no_others():
    rows = normal_rows(read(CHEAPEST.encode()))
    assert rows.excludes(4, 3)
    assert not rows.excludes(4, 4)
    assert not rows.excludes(4, None)
    assert rows.excludes(None, 4)
    assert rows.excludes(None, None)


def test_a_solution_that_is_none_shows_less():
    """The value counts, whether or not the rows are met: a bound of 0 excludes nothing."""
    assert shown(CHEAPEST, "soli ~x1 ~x2 ~x3\n") == 0


@pytest.mark.parametrize("size", [10, 60, 61, 62, 100, 119, 121, 400])
def test_numbers_of_any_size_are_checked(size):
    """The core takes those that fit, and Python the others."""
    weight = 2**size
    text = f"min: 1 x1 ;\n{weight} x1 {weight} x2 >= {weight} ;\n-1 x1 -1 x2 >= 0 ;\n"
    assert shown(text, f"f\npol 2 {weight} * 1 +\n") is None
    with pytest.raises(NoProofError, match="line 2: a positive number"):
        shown(text, f"f\npol 2 -{weight} *\n")


@pytest.mark.parametrize("length", [500, 6000])
def test_a_chain_of_rows_is_propagated_in_any_order(length):
    """Also one that only the core checks, since Python would take long."""
    chain = [f"1 ~x{i + 1} 1 x{i} >= 1 ;\n" for i in range(1, length)]
    for rows in (chain, chain[::-1]):
        text = "".join(["1 ~x1 1 y >= 1 ;\n1 ~x1 1 ~y >= 1 ;\n", *rows]).replace("y", "x99999")
        assert shown(text + f"1 x{length} >= 1 ;\n", "f\nrup >= 1 ;\n") is None


def test_a_label_a_name_and_a_number_may_be_odd():
    for odd in (b"@", b"\0", b"x1\0", b"\xff", b";;", b"~", b"~~x1", b"x01", b"+", b"-"):
        for line in (b"pol %s", b"rup 1 %s >= 2 ;", b"@%s pol 1", b"red 1 %s >= 1 ; %s 1", b"d %s"):
            proof = b"f\n" + line.replace(b"%s", odd) + b"\n"
            with pytest.raises(NoProofError):
                shown(AT_MOST_ONE, proof.decode("latin-1"))


def test_a_line_that_does_not_fit_into_memory_is_not_the_end_of_a_proof():
    rows = normal_rows(read(AT_MOST_ONE.encode()))
    with tempfile.TemporaryFile() as file:
        file.truncate(2**32)
        ending = isolate.call(
            lambda: str(proved_bound(rows, file)).encode(),
            Limits(time_s=60.0, memory_bytes=2**29),
            keep=[file.fileno()],
        )
    assert ending.outcome is Outcome.MEMOUT, ending
