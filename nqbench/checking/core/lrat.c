/* Replays a proof that a formula has no model. Only what is accepted here counts as a proof.
 *
 *     proof    = { addition | deletion }           its last step, and no other, adds the empty clause
 *     addition = 'a' id literal* 0 hint* 0
 *     deletion = 'd' id* 0
 *
 * The numbers after a letter are integers k, written as 2|k| + (k < 0), 7 bits at a time, the lowest
 * first; each byte but the last one of a number has its highest bit set. An id names a clause. The
 * clauses of the formula get, in their order, the ids that additions leave out, and an addition gets
 * the next one then. An id is only a name, so that a wrong one cannot make a wrong proof right.
 *
 * The invariant: if the formula has a model, then the clauses that are here have one. To delete a
 * clause keeps it. A clause C is added in two cases (L. Cruz-Filipe et al., CADE 2017):
 *
 * RUP  All literals of C being false, each hint names a clause with at most one literal that is not
 *      false. That one then has to be true, until a clause has none. So C follows.
 * RAT  The same happens for every clause D that contains the negation of C's first literal, if the
 *      other literals of D are false as well: a hint -id names D, and is followed by D's own hints.
 *      Then a model in which C is false remains one if the value of C's first literal is changed.
 *      D has no hints, and needs none, if one of its other literals is true then: D stays true, since
 *      that literal does. So it is if D has a literal and its negation, even C's first one, as D is true
 *      in every model.
 *
 * The empty clause has no first literal. So it follows, from clauses that then have no model.
 */
#include "lrat.h"

#include <stdlib.h>

_Noreturn void lrat_fail(Lrat *self, const char *why)
{
    self->failure = why;
    longjmp(self->failed, 1);
}

static uint64_t read_number(Lrat *self)
{
    uint64_t number = 0;
    for (int shift = 0; shift < 63; shift += 7) {
        int byte = getc_unlocked(self->proof);
        if (byte == EOF)
            lrat_fail(self, "the proof ends within a step");
        self->bytes++;
        number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return number;
    }
    lrat_fail(self, "a number has more than 63 bits");
}

uint32_t lrat_literal(Lrat *self, uint64_t number)
{
    if (number < 2 || number / 2 > self->variables)
        lrat_fail(self, "a literal has no variable of the formula");
    return (uint32_t)number;
}

static Clause *find(Lrat *self, uint64_t number)
{
    if (number / 2 > self->last || self->by_id[number / 2] == NULL)
        lrat_fail(self, "no clause has this id");
    return self->by_id[number / 2];
}

static int is_true(const Lrat *self, uint32_t literal)
{
    return self->since[literal] == self->base || self->since[literal] == self->now;
}

static void set_true(Lrat *self, uint32_t literal)
{
    if (!is_true(self, literal))
        self->since[literal] = self->now;
}

/* Follows hints up to the first number that is not a hint, which it returns: 0, or a negative hint. */
static uint64_t follow(Lrat *self, int *is_false)
{
    uint64_t number;
    while ((number = read_number(self)) != 0 && number % 2 == 0) {
        const Clause *clause = find(self, number);
        uint32_t left = 0;
        for (size_t i = 0; i < clause->size; i++) {
            uint32_t literal = clause->literals[i];
            if (is_true(self, literal ^ 1) || literal == left)
                continue;
            if (left != 0)
                lrat_fail(self, "a hint is to a clause with two literals that are not false");
            left = literal;
        }
        if (*is_false)
            lrat_fail(self, "a hint follows the one to a clause that is false");
        if (left == 0)
            *is_false = 1;
        else
            set_true(self, left);
    }
    return number;
}

/* Checks RAT on the first literal of C. The first negative hint was read: `number`. */
static void follow_resolvents(Lrat *self, uint32_t first, uint64_t number)
{
    uint64_t before = 0, left = self->uses[first ^ 1];
    while (number != 0) {
        const Clause *clause = find(self, number);
        int is_false = 0, has_first = 0, has_negation = 0;
        if (number <= before) /* none is counted twice */
            lrat_fail(self, "negative hints are not in order");
        before = number;
        self->now++;
        for (size_t i = 0; i < clause->size; i++) {
            uint32_t literal = clause->literals[i];
            has_first |= literal == first;
            if (literal == (first ^ 1)) {
                has_negation = 1;
                left--;
            } else if (is_true(self, literal))
                is_false = 1; /* it would be true and false */
            else
                set_true(self, literal ^ 1);
        }
        is_false |= has_first && has_negation; /* it stays true when the first literal changes */
        number = follow(self, &is_false);
        if (!is_false)
            lrat_fail(self, "a resolvent does not follow from its hints");
    }
    if (left != 0)
        lrat_fail(self, "the clause does not follow from its hints");
}

static void name_formula_below(Lrat *self, uint64_t id)
{
    while (self->last + 1 < id && self->named < self->added) {
        lrat_name(self, self->last + 1, self->formula[self->named]);
        self->named++;
    }
}

/* Adds the clause that is read, and returns its size. */
static size_t add(Lrat *self)
{
    uint64_t number = read_number(self), id = number / 2;
    size_t size = 0;
    int is_false = 0;
    name_formula_below(self, id);
    if (number % 2 == 1 || id != self->last + 1)
        lrat_fail(self, "the id is not the next one");
    self->base = ++self->now; /* nothing is true */
    while ((number = read_number(self)) != 0) {
        uint32_t literal = lrat_literal(self, number);
        if (is_true(self, literal))
            lrat_fail(self, "a clause contains a literal and its negation");
        if (is_true(self, literal ^ 1))
            continue; /* it is there twice */
        self->literals[size++] = literal;
        set_true(self, literal ^ 1);
    }
    number = follow(self, &is_false);
    if (is_false ? number != 0 : size == 0)
        lrat_fail(self, "the hints do not end with a clause that is false");
    if (!is_false)
        follow_resolvents(self, self->literals[0], number);
    lrat_name(self, id, NULL);
    Clause *clause = self->by_id[id] = lrat_clause(self, size);
    for (size_t i = 0; i < size; i++)
        self->uses[clause->literals[i] = self->literals[i]]++;
    return size;
}

static void delete(Lrat *self)
{
    uint64_t number;
    while ((number = read_number(self)) != 0) {
        if (number % 2 == 1)
            lrat_fail(self, "a negative id is deleted");
        name_formula_below(self, number / 2 + 1);
        Clause *clause = find(self, number);
        for (size_t i = 0; i < clause->size; i++)
            self->uses[clause->literals[i]]--;
        self->by_id[number / 2] = NULL;
        free(clause);
    }
}

int lrat_check(Lrat *self, FILE *proof)
{
    self->proof = proof;
    if (setjmp(self->failed) != 0)
        return 0;
    for (size_t size = 1; size != 0; self->steps++) {
        int kind = getc_unlocked(proof);
        if (kind == EOF)
            lrat_fail(self, "the proof ends without the empty clause");
        self->bytes++;
        if (kind == 'a')
            size = add(self);
        else if (kind == 'd')
            delete(self);
        else
            lrat_fail(self, "no step begins with this byte");
    }
    if (getc_unlocked(proof) != EOF)
        lrat_fail(self, "bytes follow the empty clause");
    return 1;
}
