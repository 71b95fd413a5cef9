"""Files of sequences: what is read, written and refused."""

import gzip

import pytest

from nqbench.addons.sequences.problem import SequenceFile
from nqbench.addons.sequences.sequence import icnf_lines, read_sequence
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import Answer
from nqbench.problems.families.cnf import formulas, in_place

# The interaction of the paper on IDRUP in miniature: bare clauses, and clauses between queries.
INTERACTION = b"""c solver glucose4
p icnf
-1 2 3 0
i -1 2 -3 0
q 1 4 0
s SATISFIABLE
m 1 2 4 -3 0
i -2 0
i 4 5 6 0
q 1 -4 0
s UNSATISFIABLE
u 1 0
"""


def test_an_interaction_file_is_read_and_written():
    sequence = read_sequence(INTERACTION, "a.icnf")
    first, second = sequence.queries
    assert sequence.num_variables == 6
    assert sequence.recorded_with == "glucose4"
    assert [block.tolist() for block in first.added] == [[[-1, 2, 3], [-1, 2, -3]]]
    assert [block.tolist() for block in second.added] == [[[-2]], [[4, 5, 6]]]
    assert (first.line, first.assumptions, first.said) == (5, (1, 4), Answer.SAT)
    assert (second.line, second.model, second.core) == (10, None, (1,))
    assert sequence.place(1) == "query 2 (line 10)"
    assert list(sequence.clauses(1).clauses()) == [[-2], [4, 5, 6]]
    again = "\n".join(icnf_lines(sequence))
    assert "\n".join(icnf_lines(read_sequence(again.encode(), "b.icnf"))) == again


def test_what_a_file_asks_is_written_without_answers(tmp_path):
    (path := tmp_path / "a.icnf").write_bytes(INTERACTION + b"i 0\nq 0\n")
    (problem,) = formulas(path)
    asked = problem.asked()
    assert asked == [
        ([[-1, 2, 3], [-1, 2, -3]], (1, 4)),
        ([[-2], [4, 5, 6]], (1, -4)),
        ([[]], ()),
    ]
    text = problem.text_of(asked)
    assert text.startswith("p icnf\ni -1 2 3 0\n")
    assert "u 1" not in text
    path.write_text(text)
    (again,) = formulas(path)
    assert again.asked() == asked


def test_incremental_cnf_is_read():
    sequence = read_sequence(b"p inccnf\n1 2 0\na 1 0\na -1 -2 0\n3 0\n", "cubes.icnf")
    assert [query.assumptions for query in sequence.queries] == [(1,), (-1, -2)]
    assert [query.said for query in sequence.queries] == [None, None]
    assert sequence.clauses().num_clauses == 1  # nobody asks after the last one


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("i 1 2 0\nq 2 0\n\ni -1 0\ns SATISFIABLE\n", "a, line 4: a clause within the query of li"),
        ("i 1 0\n", "a has no query"),
        ("q 1 0\ns SAT\n", "a, line 2: 's SAT' is no status"),
        ("s SATISFIABLE\n", "a, line 1: an answer before the first query"),
        ("q 1 0\nm 1 0\n", "a, line 2: 'm' without an answer of its kind before it"),
        ("q -1 0\ns UNSATISFIABLE\nf 1 0\n", "a, line 3: the core has 1, which was not assumed"),
        ("q -1 0\ns SATISFIABLE\nm 1 0\n", "a, line 3: the model has 1, against itself or an"),
        ("q 1 2\n", "a, line 1: expected literals and 0, all in one line"),
        ("q 1 0 2 0\n", "a, line 1: 0 is only the end"),
        ("q 1\n2 0\n", "a, line 1: expected literals and 0, all in one line"),
        ("i 1_0 0\n", "a, line 1: '1_0' is not a literal"),
        ("i 1 2 0 c two\n", "a, line 1: 'c' is not a literal: a comment needs a line of its own"),
        (f"q {'9' * 10**5} 0\n", "a, line 1: literal 9999"),
        ("p icnf\nq 0\np icnf\n", "a, line 3: 'p icnf' is not at the beginning: are these sev"),
        ("q 0\ns SATISFIABLE\nm 1 0\nm 2 0\n", "a, line 4: a second model of the query of line 1"),
        ("q 1 0\ns UNSATISFIABLE\nu 1 0\nu 0\n", "a, line 4: a second core of the query of line 1"),
        ("\n \n", "a is empty"),
        ("\ufeffp icnf\nq 0\n", "a begins with a byte order mark"),
        ("\0\1\2" * 9, "a is binary, not a text"),
        ("i 2147483648 0\n", "a, line 1: variable 2147483648 is beyond"),
        ("p cnf 1 1\n1 0\n", "a, line 1: 'p cnf 1 1' is no clause, query or answer of 'p icnf'"),
        ("c lost: an at-most-k\nq 0\n", "a, line 1: the recording lacks what the format has not: "),
        ("q 0\ns UNKNOWN\ns UNKNOWN\n", "a, line 3: a second answer to the query of line 1"),
        ("q 0\n" * 10_001, "a, line 10001: more than 10,000 queries"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text, message):
    with pytest.raises(InputError) as error:
        read_sequence(text.encode(), "a")
    assert str(error.value).startswith(message)


def test_a_shuffle_asks_the_same_in_other_names():
    sequence = read_sequence(INTERACTION, "a.icnf")
    other, original = sequence.shuffled([3, 0])
    assert [q.assumptions for q in other.queries] != [q.assumptions for q in sequence.queries]
    for mixed, query in zip(other.queries, sequence.queries, strict=True):
        assert set(original[list(mixed.assumptions)].tolist()) == set(query.assumptions)
        for block, of in zip(mixed.added, query.added, strict=True):
            clauses = map(frozenset, original[block].tolist())
            assert sorted(map(sorted, clauses)) == sorted(sorted(c) for c in of.tolist())


def test_they_are_found_by_their_name(tmp_path):
    (tmp_path / "a.icnf").write_bytes(INTERACTION)
    (tmp_path / "b.ICNF.gz").write_bytes(gzip.compress(INTERACTION))
    (tmp_path / "c.cnf").write_text("p cnf 1 1\n1 0\n")
    found, _ = in_place(tmp_path)
    assert [(type(problem), problem.instance) for problem in found] == [
        (SequenceFile, "a.icnf"), (SequenceFile, "b.ICNF.gz"), (type(found[2]), "c.cnf"),
    ]  # fmt: skip
    (packed,) = formulas(tmp_path / "b.ICNF.gz")
    assert len(packed.sequence().queries) == 2
    with pytest.raises(InputError, match="has queries between its clauses"):
        packed.formula()
