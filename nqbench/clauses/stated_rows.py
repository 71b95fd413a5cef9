"""Rows as a file states them, with weights and repeats, and the same rows as constraints.

A row becomes literals of different variables with positive weights: w * ~x is w - w * x. A common
factor of the weights is divided out, and the bound is rounded to what whole numbers can reach; then
weights beyond what a bound asks for are lowered to it (saturation). What has equal weights now is a
row; what has not is a row with weights, with a lower bound or with an exact one. A
tautology is left out, a contradiction becomes the empty clause, and a row that is a clause becomes
one.

N. Eén, N. Sörensson, "Translating pseudo-Boolean constraints into SAT", JSAT 2, 2006, section 3;
O. Roussel, V. Manquinho, "Pseudo-Boolean and cardinality constraints", Handbook of Satisfiability,
2009.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.constraints import Constraints, Formula
from nqbench.clauses.dimacs import from_flat
from nqbench.clauses.rows import AT_LEAST, AT_MOST, CLAUSE, EXACTLY, LARGEST_SUM, Integers, Rows


@dataclass(frozen=True, slots=True)
class StatedRows:
    """Clauses and rows in the order of a file: literals one after the other, int32, with their
    weights (None: all are 1); for each row its number of literals, relation and bound. Weights and
    bounds are int64, or Python's integers where 64 bits may not do.
    """

    literals: NDArray[np.int32]
    weights: Integers | None
    lengths: Integers
    relations: NDArray[np.uint8]
    bounds: Integers

    @property
    def largest_variable(self) -> int:
        """The largest variable; 0 without literals."""
        return int(max(self.literals.max(initial=0), -self.literals.min(initial=0)))

    def followed_by(self, others: "StatedRows") -> "StatedRows":
        """These rows, and then the others."""
        weights = [
            np.ones(len(each.literals), np.int64) if each.weights is None else each.weights
            for each in (self, others)
        ]
        is_weighted = self.weights is not None or others.weights is not None
        return StatedRows(
            np.concatenate([self.literals, others.literals]),
            np.concatenate(weights) if is_weighted else None,
            np.concatenate([self.lengths, others.lengths]),
            np.concatenate([self.relations, others.relations]),
            np.concatenate([self.bounds, others.bounds]),
        )

    def formula(self, num_variables: int) -> Formula:
        """The same as constraints on so many variables: a `CNF` if no rows are left. Main variables
        are unknown, and therefore none.

        Clauses are in the order of the file. Rows are by their length and bounds, in the order in
        which these occur.
        """
        return _formula(num_variables, _with_positive_weights(self))


@dataclass(frozen=True, slots=True)
class _Ragged:
    """Rows of different lengths in one array."""

    values: NDArray[np.int32]
    lengths: Integers

    @property
    def starts(self) -> Integers:
        return np.cumsum(self.lengths) - self.lengths

    def of(self, rows: NDArray[np.intp]) -> NDArray[np.int32]:
        """The values of these rows, one after the other."""
        return self.values[_places(self.starts[rows], self.lengths[rows])]


def _places(starts: Integers, lengths: Integers) -> Integers:
    """The places of the elements of rows that begin and are as long as this."""
    firsts = np.cumsum(lengths) - lengths
    places: Integers = np.arange(lengths.sum()) + np.repeat(starts - firsts, lengths)
    return places


def _sums(values: Integers, lengths: Integers) -> Integers:
    """The sum of each row, also of rows without elements."""
    totals = np.concatenate([[0], np.cumsum(values)])
    ends = np.cumsum(lengths)
    sums: Integers = totals[ends] - totals[ends - lengths]
    return sums


def _with_positive_weights(stated: StatedRows) -> StatedRows:
    """The same rows with positive weights, in which no row that is not a clause has a variable
    twice. Numbers are int64 if no sum is beyond 2^53.
    """
    odd = np.flatnonzero(_needs_work(stated))
    if not odd.size:
        return stated
    lengths, bounds = stated.lengths.copy(), stated.bounds.copy()
    bounds[odd], odd_bounds = 0, bounds[odd]
    starts = np.cumsum(lengths) - lengths
    places = _places(starts[odd], lengths[odd])
    changed = _normalised(
        StatedRows(
            stated.literals[places],
            None if stated.weights is None else stated.weights[places],
            lengths[odd],
            stated.relations[odd],
            odd_bounds,
        )
    )
    is_kept = np.ones(len(stated.literals), bool)
    is_kept[places] = False
    rows = np.repeat(np.arange(len(lengths)), lengths)[is_kept]
    rows = np.concatenate([rows, np.repeat(odd, changed.lengths)])
    literals = np.concatenate([stated.literals[is_kept], changed.literals])
    lengths[odd] = changed.lengths
    bounds = bounds.astype(changed.bounds.dtype)
    bounds[odd] = changed.bounds
    order = np.argsort(rows, kind="stable")
    weights = None
    if changed.weights is not None:
        weights = np.concatenate([np.ones(is_kept.sum(), np.int64), changed.weights])[order]
    return StatedRows(literals[order], weights, lengths, stated.relations, bounds)


def _needs_work(stated: StatedRows) -> NDArray[np.bool_]:
    """Whether each row that is not a clause has weights other than 1, a variable twice, or a bound
    beyond 2^53.
    """
    count = len(stated.lengths)
    rows = np.repeat(np.arange(count), stated.lengths)
    is_odd = (stated.bounds > LARGEST_SUM) | (stated.bounds < -LARGEST_SUM)
    is_row = stated.relations[rows] != CLAUSE
    if stated.weights is not None:
        is_odd[rows[is_row & (stated.weights != 1)]] = True
    # Row and variable are sorted as one number. Rows are in order, so repeats become neighbours.
    keys = (rows[is_row] << 31) | np.abs(stated.literals[is_row])
    keys.sort()
    is_odd[keys[1:][keys[1:] == keys[:-1]] >> 31] = True
    return is_odd


def _normalised(stated: StatedRows) -> StatedRows:
    """These rows with positive weights and without repeats, None if all are 1."""
    weights = stated.weights
    if weights is None:
        weights = np.ones(len(stated.literals), np.int64)
    kind = object if _is_any_large(stated.bounds, weights, stated.lengths) else np.int64
    bounds, weights = stated.bounds.astype(kind), weights.astype(kind)
    literals, weights, lengths, shifts = _one_of_each(stated.literals, weights, stated.lengths)
    bounds = bounds + shifts
    # Twice: what is left of the weights after saturation may have a common factor.
    for _ in range(2):
        weights, bounds = _divided(weights, lengths, stated.relations, bounds)
        weights, bounds = _saturated(weights, lengths, stated.relations, bounds)
    largest = max(_sums(weights, lengths).max(initial=0), np.abs(bounds).max(initial=0))
    if largest <= LARGEST_SUM:
        weights, bounds = weights.astype(np.int64), bounds.astype(np.int64)
    is_weighted = bool((weights != 1).any())
    return StatedRows(literals, weights if is_weighted else None, lengths, stated.relations, bounds)


def _is_any_large(bounds: Integers, weights: Integers, lengths: Integers) -> bool:
    """Whether sums of a row may leave int64, or be inexact: half of 2^53 and more."""
    exact_or_float = weights if weights.dtype == object else weights.astype(float)
    sums = _sums(np.abs(exact_or_float), lengths)
    is_large = (bounds > LARGEST_SUM) | (bounds < -LARGEST_SUM) | (sums > LARGEST_SUM / 2)
    return bool(is_large.any())


def _one_of_each(
    literals: NDArray[np.int32], weights: Integers, lengths: Integers
) -> tuple[NDArray[np.int32], Integers, Integers, Integers]:
    """The same sums with each variable once in a row, and positive weights: literals, weights and
    lengths, and what to add to each bound. The variables keep the order in which they occur.
    """
    rows = np.repeat(np.arange(len(lengths)), lengths)
    factors = np.where(literals < 0, -weights, weights)
    shifts = _sums(np.where(literals < 0, -weights, 0), lengths)
    keys = (rows << 31) | np.abs(literals)
    order = np.argsort(keys, kind="stable")
    is_first = np.diff(keys[order], prepend=-1) != 0
    firsts = order[is_first]
    if len(firsts):
        factors = np.add.reduceat(factors[order], np.flatnonzero(is_first))
    firsts, factors = firsts[factors != 0], factors[factors != 0]
    occurring = np.argsort(firsts)
    firsts, factors = firsts[occurring], factors[occurring]
    variables = np.abs(literals[firsts])
    lengths = np.bincount(rows[firsts], minlength=len(lengths)).astype(np.int64)
    shifts += _sums(np.where(factors < 0, -factors, 0), lengths)
    signed = np.where(factors < 0, -variables, variables).astype(np.int32)
    return signed, np.abs(factors), lengths, shifts


def _divided(
    weights: Integers, lengths: Integers, relations: NDArray[np.uint8], bounds: Integers
) -> tuple[Integers, Integers]:
    """Weights without a common factor in a row, and the bounds that whole numbers can reach then.
    A row that no values satisfy gets a bound that is none.
    """
    factors = np.ones(len(lengths), weights.dtype)
    filled = np.flatnonzero(lengths)
    if filled.size:
        factors[filled] = np.gcd.reduceat(weights, (np.cumsum(lengths) - lengths)[filled])
    down, is_whole = bounds // factors, bounds % factors == 0
    up = np.where(is_whole, down, down + 1)
    exact = np.where(is_whole, down, -1)
    bounds = np.choose(relations, [bounds, up, down, exact])
    return weights // np.repeat(factors, lengths), bounds


def _saturated(
    weights: Integers, lengths: Integers, relations: NDArray[np.uint8], bounds: Integers
) -> tuple[Integers, Integers]:
    """Weights of at most what a bound asks for, and the bounds for them. Where all literals, or
    none, have to be true, or any values satisfy the row, or none does, all weights are 1.
    """
    totals = _sums(weights, lengths)
    is_least, is_exact = relations == AT_LEAST, relations == EXACTLY
    # At most k is the same as at least the rest of the negations.
    needed = np.where(is_least, bounds, totals - bounds)
    smallest = np.ones(len(lengths), weights.dtype)
    filled = np.flatnonzero(lengths)
    if filled.size:
        starts = (np.cumsum(lengths) - lengths)[filled]
        smallest[filled] = np.minimum.reduceat(weights, starts)
    is_free = (needed <= 0) & ~is_exact
    is_never = (needed > totals) | (is_exact & (needed < 0))
    is_forced = (
        ~is_never
        & ~is_free
        & (np.where(is_exact, needed == totals, totals - needed < smallest) & (lengths > 0))
    )
    is_forced_to_all = is_exact & ~is_never & (needed == 0) & (lengths > 0)
    is_plain = is_free | is_never | is_forced | is_forced_to_all
    limits = np.where(is_plain, 1, np.where(is_exact, totals, needed))
    weights = np.minimum(weights, np.repeat(np.maximum(limits, 1), lengths))
    totals = _sums(weights, lengths)
    # With weights of 1, the literals that are needed are so many.
    needed = np.where(is_free | is_forced_to_all, 0, needed)
    needed = np.where(is_never, lengths + 1, np.where(is_forced, lengths, needed))
    return weights, np.where(is_least, needed, totals - needed)


def _formula(num_variables: int, stated: StatedRows) -> Formula:
    """The formula of rows with positive weights: see `StatedRows.formula`."""
    is_weighted = np.zeros(len(stated.lengths), bool)
    if stated.weights is not None:
        numbers = np.repeat(np.arange(len(stated.lengths)), stated.lengths)
        is_weighted[numbers[stated.weights != 1]] = True
    ragged = _Ragged(stated.literals, stated.lengths)
    lengths, relations, bounds = stated.lengths, stated.relations, stated.bounds
    least = np.where((relations == AT_MOST) | (relations == CLAUSE), 0, bounds)
    most = np.where((relations == AT_LEAST) | (relations == CLAUSE), lengths, bounds)
    is_row = (relations != CLAUSE) & ~is_weighted
    is_never = is_row & ((least > lengths) | (most < 0))
    is_said = is_row & ~is_never & ((least > 0) | (most < lengths))
    all_true, all_false = is_said & (least == lengths), is_said & (most == 0)
    is_left = is_said & ~all_true & ~all_false
    some_true = is_left & (least == 1) & (most == lengths)
    some_false = is_left & (least <= 0) & (most == lengths - 1)
    rows = is_left & ~some_true & ~some_false
    is_clause = ~is_row & ~is_weighted
    is_clause |= is_never | all_true | all_false | some_true | some_false

    values = np.where(np.repeat(all_false | some_false, lengths), -ragged.values, ragged.values)
    clauses = _clauses(
        _Ragged(values, lengths),
        np.flatnonzero(is_clause),
        is_never,
        all_true | all_false,
    )
    cnf = from_flat(num_variables, *clauses)
    indices = np.flatnonzero(rows)
    weighted = _weighted(stated, np.flatnonzero(is_weighted))
    if not indices.size and not weighted:
        return cnf
    bounds_of_rows = (each[indices].astype(np.int64) for each in (least, most))
    counted = _rows(ragged, indices, *bounds_of_rows) if indices.size else ()
    return Constraints(cnf, (*counted, *weighted))


def _weighted(stated: StatedRows, indices: NDArray[np.intp]) -> tuple[Rows, ...]:
    """The rows of these indices, which have weights, those of one length together: in their order,
    and by length in that in which lengths occur.

    So that a constraint has one form in every file, upper bounds are lower bounds of the negations,
    and exact ones are stated on the literals of which more are variables than negations.
    """
    if stated.weights is None or not indices.size:
        return ()
    lengths, relations = stated.lengths[indices], stated.relations[indices]
    places = _places((np.cumsum(stated.lengths) - stated.lengths)[indices], lengths)
    literals, weights = stated.literals[places], stated.weights[places]
    totals = _sums(weights, lengths)
    surplus = _sums(np.sign(literals).astype(np.int64), lengths)
    is_exact = relations == EXACTLY
    is_turned = (relations == AT_MOST) | (is_exact & (surplus < 0))
    literals = np.where(np.repeat(is_turned, lengths), -literals, literals)
    least = np.where(is_turned, totals - stated.bounds[indices], stated.bounds[indices])
    most = np.where(is_exact, least, totals)
    starts = np.cumsum(lengths) - lengths
    is_large = totals > LARGEST_SUM
    groups = []
    for length, large in dict.fromkeys(zip(lengths.tolist(), is_large.tolist(), strict=True)):
        group = np.flatnonzero((lengths == length) & (is_large == large))
        at = starts[group, np.newaxis] + np.arange(length)
        numbers = (least[group], most[group], weights[at])
        kind = object if large else np.int64
        groups.append(Rows(literals[at], *(each.astype(kind) for each in numbers)))
    return tuple(groups)


def _clauses(
    ragged: _Ragged,
    indices: NDArray[np.intp],
    is_never: NDArray[np.bool_],
    is_forced: NDArray[np.bool_],
) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """The rows of these indices as clauses that end with 0, one after the other, and where each
    ends. One that never holds is the empty clause; of one that is forced, each literal is one.
    """
    lengths = np.where(is_never, 0, ragged.lengths)[indices]
    forced = is_forced[indices]
    literals = ragged.values[_places(ragged.starts[indices], lengths)]
    widths = np.repeat(np.where(forced, 1, lengths), np.where(forced, lengths, 1))
    ends = np.cumsum(widths + 1) - 1
    flat = np.zeros(len(literals) + len(widths), np.int32)
    is_literal = np.ones(len(flat), bool)
    is_literal[ends] = False
    flat[is_literal] = literals
    return flat, ends


def _rows(
    ragged: _Ragged, indices: NDArray[np.intp], least: Integers, most: Integers
) -> tuple[Rows, ...]:
    """The rows of these indices, those of one length and the same bounds together.

    At least k of n literals is at most n - k of their negations. So that a constraint has one form
    in every file, it is stated on the literals of which more are variables than negations, and
    with a lower bound if these are as many.
    """
    lengths, literals = ragged.lengths[indices], ragged.of(indices)
    surplus = _sums(np.sign(literals).astype(np.int64), lengths)
    is_turned = (surplus < 0) | ((surplus == 0) & (least <= 0))
    literals = np.where(np.repeat(is_turned, lengths), -literals, literals)
    least, most = (
        np.where(is_turned, lengths - most, least),
        np.where(is_turned, lengths - least, most),
    )
    order = np.lexsort((most, least, lengths))
    keys = np.array([lengths, least, most])[:, order]
    cuts = np.flatnonzero((keys[:, 1:] != keys[:, :-1]).any(axis=0)) + 1
    turned = _Ragged(literals, lengths)
    groups = sorted(np.split(order, cuts), key=lambda group: int(group[0]))
    return tuple(
        Rows(turned.of(group).reshape(len(group), -1), int(least[group[0]]), int(most[group[0]]))
        for group in groups
    )
