"""Reads and writes OPB: sums of literals with weights, and perhaps an objective, in linear form.

    * #variable= 3 #constraint= 2
    min: +1 x1 -2 x3 ;
    +1 x1 +1 ~x2 +1 x3 >= 2 ;
    +1 x1 +3 x2 = 3 ;

Rows are normalised: see `stated_rows`. Variables are x1, x2, and so on. `max:` is read as well.
Other spellings are read by `opb_spellings`, which takes ten times as long.

O. Roussel, V. Manquinho, "Input/output format and solver requirements for the competitions of
pseudo-Boolean solvers", 2012.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.cnf import CNF
from nqbench.clauses.comment_lines import NO_ANNOTATIONS, Annotations
from nqbench.clauses.constraints import Constraints, Formula
from nqbench.clauses.dimacs_flaws import shown
from nqbench.clauses.row_format import (
    ParsedRows,
    RowFormat,
    WordError,
    check_literals,
    ends_and_starts,
)
from nqbench.clauses.rows import AT_LEAST, EXACTLY, Integers, Objective, Rows
from nqbench.clauses.stated_rows import StatedRows
from nqbench.clauses.stated_text import StatedObjective
from nqbench.clauses.words import (
    END,
    EQUALS,
    LESS,
    MORE,
    NAME,
    NOT,
    Words,
    kinds_of,
)
from nqbench.clauses.written_rows import SpelledLiterals, without_corner_cases


def minimised(constraints: Constraints) -> Constraints:
    """The same with an objective to be minimised, the opposite of one to be maximised. Its constant
    is the weight of another variable, which a clause makes true.
    """
    objective = constraints.objective
    if objective is None:
        return constraints
    terms, constant = objective.by_variable
    if not constant:
        return replace(constraints, objective=replace(objective, is_maximised=False))
    cnf = constraints.cnf
    fixed = cnf.num_variables + 1
    true = np.array([[fixed]], np.int32)
    return replace(
        constraints,
        cnf=replace(cnf, num_variables=fixed, blocks=(*cnf.blocks, true)),
        objective=Objective.of([*terms, fixed], [*terms.values(), constant]),
    )


_NEVER: Final = b"+1 x1 >= 2 ;\n"
"""A row that never holds: a sum must have a term."""


def write_opb(formula: Formula, file: BinaryIO, annotations: Annotations = NO_ANNOTATIONS) -> None:
    """Write the formula with its clauses first, one per line, and exact counts in the header.
    Annotations follow as comments: `* c p show 1 2 0`.

    An empty clause is written as `+1 x1 >= 2`; a formula without variables gets one for that.

    >>> import io
    >>> from nqbench.clauses.constraints import Constraints
    >>> from nqbench.clauses.rows import Rows
    >>> file = io.BytesIO()
    >>> write_opb(Constraints.of(3, Rows.exactly(np.array([[1, -2, 3]], np.int32), 1)), file)
    >>> print(file.getvalue().decode().rstrip())
    * #variable= 3 #constraint= 1
    +1 x1 +1 ~x2 +1 x3 = 1 ;
    """
    cnf, rows = without_corner_cases(formula)
    weighted = [] if isinstance(formula, CNF) else list(map(_weighted_lines, formula.weighted))
    objective = None if isinstance(formula, CNF) else formula.objective
    count = cnf.num_clauses + sum(map(len, weighted))
    count += sum(
        each.count * (2 if 0 < each.least < each.most < each.length else 1) for each in rows
    )
    has_empty = any(block.shape[0] and not block.shape[1] for block in cnf.blocks)
    variables = max(cnf.num_variables, int(has_empty))
    file.write(f"* #variable= {variables} #constraint= {count}\n".encode())
    file.writelines(b"* " + line + b"\n" for line in (*annotations.before, *annotations.after))
    if objective is not None:
        file.write(_objective_line(objective))
    spelled = SpelledLiterals(cnf.num_variables, ("+1 x", "+1 ~x"))
    for block in cnf.chunks():
        if block.shape[1]:
            spelled.write([block], file, ending=b">= 1 ;\n")
        else:
            file.write(_NEVER * len(block))
    for each in rows:
        if each.least == each.most:
            spelled.write([each.literals], file, ending=f"= {each.least} ;\n".encode())
            continue
        if each.least > 0:
            spelled.write([each.literals], file, ending=f">= {each.least} ;\n".encode())
        if each.most < each.length:
            needed = each.length - each.most
            spelled.write([-each.literals], file, ending=f">= {needed} ;\n".encode())
    for lines in weighted:
        file.writelines(lines)


def _weighted_lines(rows: Rows) -> list[bytes]:
    """Lines with an equality, or with a lower bound each."""
    lines = []
    for literals, weights, least, most in rows.one_by_one():
        if least == most:
            lines.append(f"{_terms(literals, weights)}= {least} ;\n".encode())
            continue
        if least > 0:
            lines.append(f"{_terms(literals, weights)}>= {least} ;\n".encode())
        if most < (total := sum(weights)):
            negations = [-literal for literal in literals]
            lines.append(f"{_terms(negations, weights)}>= {total - most} ;\n".encode())
    return lines


def _objective_line(objective: Objective) -> bytes:
    """The objective; OPB has no constant, so it is written as a comment."""
    sign = -1 if objective.is_maximised else 1
    weights, constant = objective.by_variable
    terms = "".join(f"{sign * weight:+} x{variable} " for variable, weight in weights.items())
    keyword = "max" if objective.is_maximised else "min"
    about = f"* to be added to the objective: {sign * constant}\n" if constant else ""
    return f"{about}{keyword}: {terms};\n".encode()


def _terms(literals: list[int], weights: list[int]) -> str:
    return "".join(
        f"+{weight} {'~' if literal < 0 else ''}x{abs(literal)} "
        for literal, weight in zip(literals, weights, strict=True)
    )


def _parse(words: Words, _header: re.Match[bytes] | None) -> ParsedRows:
    kinds, values = words.kinds, words.values
    if (wrong := kinds == LESS).any():
        raise WordError(np.argmax(wrong))
    places = _PLACES[kinds]
    # A number after a relation is its bound, and a weight elsewhere.
    after_relation = np.flatnonzero(places[:-1] == _RELATION) + 1
    places[after_relation[places[after_relation] == _WEIGHT]] = _BOUND
    _check_order(places, _FOLLOWING)
    if len(places) and places[-1] != _END:
        raise WordError(len(places) - 1)
    is_literal = places == _LITERAL
    _check_numbers(values, is_literal)
    ends, starts = ends_and_starts(places == _END)
    weights = values[places == _WEIGHT]
    rows = StatedRows(
        values[is_literal].astype(np.int32),
        None if (weights == 1).all() else weights,
        # Pairs of a weight and a literal, and then a relation and a bound.
        (ends - starts - 2) // 2,
        np.where(kinds[ends - 2] == EQUALS, EXACTLY, AT_LEAST).astype(np.uint8),
        values[places == _BOUND],
    )
    return ParsedRows(rows, starts, is_literal)


def _parse_objective(words: Words, is_maximised: bool) -> StatedObjective:
    kinds, values = words.kinds, words.values
    places = _PLACES[kinds]
    places[kinds == LESS] = _RELATION
    _check_order(places, _IN_OBJECTIVE)
    if not len(places) or places[-1] != _END:
        raise WordError(len(places) - 1)
    is_literal = places == _LITERAL
    _check_numbers(values, is_literal)
    weights = values[places == _WEIGHT]
    return StatedObjective(values[is_literal].astype(np.int32), weights, is_maximised)


def _check_numbers(values: Integers, is_literal: NDArray[np.bool_]) -> None:
    """Raise `WordError` for the first variable that is out of range."""
    if (wrong := is_literal & (values == 0)).any():
        raise WordError(np.argmax(wrong))
    check_literals(values, is_literal)


_WEIGHT, _LITERAL, _RELATION, _BOUND, _END = range(5)
_PLACES: Final = np.zeros(256, np.uint8)
"""The place of a word of each kind; that of a number is a weight."""

_PLACES[[NAME, NOT]] = _LITERAL
_PLACES[[MORE, EQUALS]] = _RELATION
_PLACES[END] = _END
_FOLLOWING: Final = {
    _WEIGHT: (_LITERAL,),
    _LITERAL: (_WEIGHT, _RELATION),
    _RELATION: (_BOUND,),
    _BOUND: (_END,),
    _END: (_WEIGHT,),
}
"""What may follow a word of each kind. A row begins after the end of one."""

_IN_OBJECTIVE: Final = {_WEIGHT: (_LITERAL,), _LITERAL: (_WEIGHT, _END), _END: (_WEIGHT, _END)}
"""The same in an objective, which has no relation and may be empty."""


def _check_order(places: NDArray[np.uint8], following: Mapping[int, tuple[int, ...]]) -> None:
    """Raise `WordError` for the first word that may not follow the one before."""
    if not len(places):
        return
    is_right = np.zeros((5, 5), bool)
    for before, after in following.items():
        is_right[before, after] = True
    befores = np.concatenate([np.array([_END], np.uint8), places[:-1]])
    steps = befores * np.uint8(5) + places
    follows = is_right.reshape(-1)[steps]
    if not follows.all():
        raise WordError(np.argmin(follows))


def explain(word: bytes, line: bytes) -> str:
    """What is wrong with a word that has no place in its line."""
    if re.fullmatch(rb"[+-]?\d+\.\d*;?", word):
        return f"{shown(word)} is not a whole number"
    if objective := re.match(rb"(min|max)\s*:", line):
        keyword = objective[1].decode()
        return f"'{shown(line)}' is a second objective, or none that begins with '{keyword}:'"
    if word.startswith(b"*"):
        return f"'{shown(word)}' is no term of OPB: write for instance +2 x1"
    if re.search(rb"[<>=!]", word):
        return f"'{shown(word)}' is no relation of OPB: write >=, <= or ="
    return f"'{shown(word)}' is not a weight, variable, relation or ;"


OPB: Final = RowFormat(
    name="OPB",
    expected="* #variable= VARIABLES #constraint= ROWS",
    header=re.compile(rb"\s*\*[ \t]*#variable=[ \t]*(\d+)[ \t]+#constraint=[ \t]*(\d+)(?:\s.*)?"),
    any_header=re.compile(
        rb"\A(?:[ \t\v\f\r]*(?:\*[^\n]*)?\n)*?([ \t\v\f]*\*[ \t]*#variable\b[^\n]*)"
    ),
    comment=b"*",
    table=kinds_of("+-~x<>=;"),
    parse=_parse,
    explain=explain,
    write=write_opb,
    parse_objective=_parse_objective,
    is_counted=False,
)
