"""Compares an instance with the rows of a file that it was made from.

An encoder states a row by a copy of a template: a small formula for so many literals, with the
literals of the row in place of its main variables, and with new auxiliary variables. If no template
is too strict, and no two copies share an auxiliary variable, then every model of the rows extends
to one of all copies: see `implication.templates`. A proof that the instance has no model then
shows that the file has none. Nothing that an encoder says is believed here: clauses are compared.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nqbench.checking.file_rows import FileRows
from nqbench.checking.row_clauses import Group, grouped, placed
from nqbench.clauses.cnf import CNF, Block


@dataclass(frozen=True, slots=True, eq=False)
class Stamping:
    """Copies of a template, which states that at least `least` and at most `most` of its main
    variables are true. `rows` are numbers of rows of the file, from 0. Copy i is for that row, with
    `literals[i]` in place of the template's main variables, and `auxiliaries[i]` in place of the
    others. The literals are those of the row in any order, or all their negations.
    """

    template: CNF
    least: int
    most: int
    rows: NDArray[np.int64]
    literals: Block
    auxiliaries: Block

    def flaw(self) -> str | None:
        """Why the arrays do not fit each other, in words; None if they do."""
        self.template.check()
        count, n = len(self.rows), self.template.num_main
        shapes = (count,), (count, n), (count, self.template.num_variables - n)
        if (self.rows.shape, self.literals.shape, self.auxiliaries.shape) != shapes:
            return "the literals or auxiliary variables of a template are too few or too many"
        if not 0 <= self.least <= self.most <= n:
            return f"a template is for {self.least} to {self.most} of {n} variables"
        return None


def flaw(instance: CNF, file: FileRows, stampings: Sequence[Stamping]) -> str | None:
    """Why the clauses of the instance are not exactly what is expected; None if they are. Expected
    are the rows of the file that are clauses, a unit clause for each literal that a row forces, and
    copies of templates for all other rows.

    The variables of the file keep their numbers. Raises `InputError` if the file has weights, and
    `ValueError` if a formula is not well formed.
    """
    instance.check()
    expected = _expected(instance, file, stampings)
    return expected if isinstance(expected, str) else _difference(instance.blocks, expected)


def divide(instance: CNF, file: FileRows, stampings: Sequence[Stamping]) -> tuple[CNF, CNF | None]:
    """The clauses of the instance that `flaw` expects, and all others, which state no row. The
    others are None if there are none, if the rows and copies do not fit, or if one has an auxiliary
    variable of a copy.
    """
    instance.check()
    expected = _expected(instance, file, stampings)
    if isinstance(expected, str):
        return instance, None
    here, there = _by_width(instance.blocks), _by_width(expected)
    of_rows, others = [], []
    for width, block in here.items():
        wanted = set(map(tuple, there[width].tolist())) if width in there else set()
        is_wanted = np.array([tuple(clause) in wanted for clause in block.tolist()], dtype=np.bool_)
        of_rows.append(block[is_wanted])
        others.append(block[~is_wanted])
    used = np.concatenate([np.zeros(0, np.int32), *map(np.ravel, others)])
    auxiliaries = (each.auxiliaries.ravel() for each in stampings)
    copied = np.concatenate([np.zeros(0, np.int32), *auxiliaries])
    if not len(used) or np.isin(np.abs(used), copied).any():
        return instance, None
    return (
        CNF(instance.num_variables, instance.num_main, tuple(filter(len, of_rows))),
        CNF(instance.num_variables, instance.num_main, tuple(filter(len, others))),
    )


def _expected(instance: CNF, file: FileRows, stampings: Sequence[Stamping]) -> list[Block] | str:
    """The clauses that state the rows of the file, or why there are none."""
    groups = grouped(file)
    wrong = (
        next(filter(None, (each.flaw() for each in stampings)), None)
        or _not_fresh(instance, file, stampings)
        or next(filter(None, (_impossible(file, group) for group in groups)), None)
    )
    if wrong:
        return wrong
    is_stated = np.zeros((2, len(file.lines)), dtype=np.bool_)  # from below, from above
    for each in stampings:
        if wrong := _not_of_rows(each, file, groups, is_stated):
            return wrong
    expected = [
        block
        for each in stampings
        for block in placed(each.template, each.literals, each.auxiliaries)
    ]
    for group in groups:
        n = group.length
        # At least so many of the literals are true, or of their negations.
        for below, needed, sign in ((0, group.least, 1), (1, n - group.most, -1)):
            missing = ~is_stated[below, group.rows]
            if not needed or not missing.any():
                continue
            if needed == 1:
                expected.append(sign * group.literals[missing])
            elif needed == n:
                expected.append((sign * group.literals[missing]).reshape(-1, 1))
            else:
                return f"line {file.lines[group.rows[missing][0]]} is not stated"
    return expected


def _not_fresh(instance: CNF, file: FileRows, stampings: Sequence[Stamping]) -> str | None:
    used = np.concatenate(
        [np.zeros(0, np.int32), *(each.auxiliaries.ravel() for each in stampings)]
    )
    if len(used) and (used.min() <= file.num_variables or used.max() > instance.num_variables):
        return "an auxiliary variable is one of the file, or none of the instance"
    variables, times = np.unique(used, return_counts=True)
    if (times > 1).any():
        return f"the auxiliary variable {variables[times > 1][0]} has two meanings"
    return None


def _impossible(file: FileRows, group: Group) -> str | None:
    if group.least > min(group.length, group.most) or group.most < 0:
        return f"line {file.lines[group.rows[0]]} cannot be met, which needs no encoding"
    return None


def _not_of_rows(
    stamping: Stamping, file: FileRows, groups: Sequence[Group], is_stated: NDArray[np.bool_]
) -> str | None:
    """Why a copy does not state a row of the file, in words; None if all do. Notes the rows whose
    bounds are stated.
    """
    if len(stamping.rows) and not 0 <= stamping.rows.min() <= stamping.rows.max() < len(file.lines):
        return "a copy is for no row of the file"
    group_of, place = np.zeros((2, len(file.lines)), dtype=np.int64)
    for number, group in enumerate(groups):
        group_of[group.rows], place[group.rows] = number, np.arange(len(group.rows))
    n, least, most = stamping.template.num_main, stamping.least, stamping.most
    for number in np.unique(group_of[stamping.rows]):
        group = groups[number]
        here = np.flatnonzero(group_of[stamping.rows] == number)
        rows = stamping.rows[here]
        if n != group.length:
            return f"line {file.lines[rows[0]]} has {group.length} literals, its template {n}"
        asked = np.sort(group.literals[place[rows]], axis=1)
        same = (np.sort(stamping.literals[here], axis=1) == asked).all(axis=1)
        opposite = (np.sort(-stamping.literals[here], axis=1) == asked).all(axis=1) & ~same
        if not (same | opposite).all():
            return f"line {file.lines[rows[~(same | opposite)][0]]} has other literals"
        for chosen, low, high in (
            (rows[same], least, most),
            (rows[opposite], n - most, n - least),
        ):
            is_wrong = (low > 0 and low != group.least) or (high < n and high != group.most)
            if len(chosen) and is_wrong:
                return (
                    f"line {file.lines[chosen[0]]} is for {group.least} to {group.most} literals, "
                    f"its template for {low} to {high}"
                )
            is_stated[0, chosen] |= low > 0
            is_stated[1, chosen] |= high < n
    return None


def _difference(blocks: Iterable[Block], expected: Iterable[Block]) -> str | None:
    """How clauses differ from those expected, in words; None if they are the same. Their order,
    that of their literals, and repeats do not matter, nor do clauses that are always true.
    """
    here, there = _by_width(blocks), _by_width(expected)
    for width in sorted({*here, *there}):
        none = np.zeros((0, width), dtype=np.int32)
        ours, others = here.get(width, none), there.get(width, none)
        if not np.array_equal(ours, others):
            some, wanted = set(map(tuple, ours.tolist())), set(map(tuple, others.tolist()))
            if more := min(some - wanted, default=None):
                return f"the instance has the clause {' '.join(map(str, more))}, which is of no row"
            lacking = " ".join(map(str, min(wanted - some)))
            return f"the instance lacks the clause {lacking or '(empty)'}"
    return None


def _by_width(blocks: Iterable[Block]) -> dict[int, Block]:
    """The clauses by their width, sorted, with each literal and each clause once."""
    by_width: defaultdict[int, list[Block]] = defaultdict(list)
    for block in blocks:
        ordered = np.sort(block, axis=1)
        variables = np.sort(np.abs(block), axis=1)
        is_plain = (variables[:, 1:] != variables[:, :-1]).all(axis=1)
        if is_plain.any():
            by_width[block.shape[1]].append(ordered[is_plain])
        for clause in map(set, ordered[~is_plain].tolist()):
            if not any(-literal in clause for literal in clause):
                by_width[len(clause)].append(np.array([sorted(clause)], dtype=np.int32))
    return {width: _unique(np.concatenate(some)) for width, some in by_width.items()}


def _unique(clauses: Block) -> Block:
    """Each clause once, in an order that depends on nothing else."""
    clauses = clauses[np.lexsort(clauses.T[::-1])] if clauses.shape[1] else clauses[:1]
    is_new = np.ones(len(clauses), dtype=np.bool_)
    is_new[1:] = (clauses[1:] != clauses[:-1]).any(axis=1)
    return clauses[is_new]
