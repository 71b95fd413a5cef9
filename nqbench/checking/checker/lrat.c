/* Proofs in the binary format LRAT.
 *
 * Every clause that a proof adds comes with hints: the clauses that unit propagation needs, in the
 * order in which it needs them (L. Cruz-Filipe, M. Heule, W. Hunt, M. Kaufmann, P. Schneider-Kamp,
 * "Efficient certified RAT verification", CADE 2017). So nothing is searched for. Hints of resolution
 * asymmetric tautologies are refused: solvers that need them write DRAT.
 *
 * Numbers are written 7 bits at a time. The clauses of the formula are numbered in their order,
 * without the numbers that the proof gives to clauses: a solver may derive some before it has read
 * the whole formula. A number is only a name, so a wrong one cannot make a wrong proof right.
 */
#include "format.h"

#include <stdlib.h>

enum { MAX_NUMBERS = 1 << 28 }; /* of a step */

typedef struct {
    uint64_t number; /* 0: the slot is free */
    uint32_t size;   /* DELETED: there was a clause */
    int32_t *literals;
} Clause;

#define DELETED UINT32_MAX

typedef struct {
    Proof proof;
    Clause *table; /* open addressing, linear probing */
    size_t mask, taken, alive;
    Clause *formula; /* `named` of its clauses are in the table, those after them not yet */
    size_t named, clauses, formula_room;
    uint64_t last; /* the largest number so far */
    int32_t variables;
    int8_t *values; /* by literal: 1 true, -1 false, 0 open */
    uint64_t *step; /* numbers of the step that is being read */
    size_t used, room;
    uint64_t number;
    int shift, zeros;
    char kind; /* of the step: 'a', 'd', or 0 before it begins */
} Lrat;

static Clause *slot_of(Lrat *self, uint64_t number)
{
    size_t at = (size_t)(number * 0x9E3779B97F4A7C15u >> 20) & self->mask;
    while (self->table[at].number != 0 && self->table[at].number != number)
        at = (at + 1) & self->mask;
    return &self->table[at];
}

static int make_table(Lrat *self, size_t slots)
{
    Clause *before = self->table;
    size_t count = before ? self->mask + 1 : 0;
    self->table = calloc(slots, sizeof(Clause));
    if (self->table == NULL) {
        self->table = before;
        return no_memory();
    }
    self->mask = slots - 1;
    self->taken = self->alive;
    for (size_t i = 0; i < count; i++)
        if (before[i].number != 0 && before[i].size != DELETED)
            *slot_of(self, before[i].number) = before[i];
    free(before);
    return 0;
}

static int copy_of(const uint64_t *literals, size_t size, Clause *clause)
{
    clause->size = (uint32_t)size;
    clause->literals = malloc((size + 1) * sizeof(int32_t));
    for (size_t i = 0; clause->literals != NULL && i < size; i++)
        clause->literals[i] = (int32_t)literals[i];
    return clause->literals == NULL ? no_memory() : 0;
}

static int insert(Lrat *self, Clause clause)
{
    if (2 * (self->taken + 1) > self->mask) {
        size_t slots = self->mask + 1;
        if (make_table(self, 4 * self->alive > slots ? 2 * slots : slots) < 0)
            return -1;
    }
    *slot_of(self, clause.number) = clause;
    self->last = clause.number;
    self->taken++;
    self->alive++;
    return 0;
}

/* Gives numbers below this one to clauses of the formula that have none. */
static int name_below(Lrat *self, uint64_t number)
{
    while (self->last + 1 < number && self->named < self->clauses) {
        Clause *clause = &self->formula[self->named];
        clause->number = self->last + 1;
        if (insert(self, *clause) < 0)
            return -1;
        clause->literals = NULL; /* it is the table's now */
        self->named++;
    }
    return 0;
}

static int delete_all(Lrat *self)
{
    for (size_t i = 0; i < self->used; i++) {
        uint64_t number = self->step[i] >> 1;
        if (name_below(self, number + 1) < 0)
            return -1;
        Clause *clause = slot_of(self, number);
        if (clause->number == 0 || clause->size == DELETED)
            return flawed(&self->proof, "deletes a clause that is not there");
        free(clause->literals);
        clause->literals = NULL;
        clause->size = DELETED;
        self->alive--;
    }
    return 0;
}

/* Follows the hints, with all literals of the clause false. Returns why they do not lead to a clause
 * that is false, or NULL if they do; puts what it made true at the end of `trail`. */
static const char *follow(Lrat *self, const uint64_t *hints, size_t count, int32_t *trail,
                          size_t *assigned)
{
    for (size_t i = 0; i < count; i++) {
        if (hints[i] & 1)
            return "has hints for a resolution asymmetric tautology";
        Clause *clause = slot_of(self, hints[i] >> 1);
        if (clause->number == 0 || clause->size == DELETED)
            return "has a hint to a clause that is not there";
        int32_t open = 0;
        for (uint32_t k = 0; k < clause->size; k++) {
            int32_t literal = clause->literals[k];
            if (self->values[literal] < 0 || literal == open)
                continue;
            if (open != 0)
                return "has a hint to a clause that is neither false nor a unit";
            open = literal;
        }
        if (open == 0)
            return NULL;
        if (self->values[open] == 0) {
            self->values[open] = 1;
            self->values[open ^ 1] = -1;
            trail[(*assigned)++] = open;
        }
    }
    return "does not follow from its hints";
}

static int add_clause(Lrat *self)
{
    uint64_t number = self->step[0] >> 1, *literals = self->step + 1;
    size_t size = 0;
    while (literals[size] != 0)
        size++;
    size_t hints = self->used - size - 2;
    if (number <= self->last)
        return flawed(&self->proof, "has a number that is not new");
    if (name_below(self, number) < 0)
        return -1;
    int32_t *trail = malloc((size + hints + 1) * sizeof(int32_t));
    if (trail == NULL)
        return no_memory();
    const char *flaw = NULL;
    size_t assigned = 0;
    int is_true = 0;
    for (size_t i = 0; i < size && flaw == NULL; i++) {
        int32_t literal = (int32_t)literals[i];
        if (literals[i] < 2 || literals[i] > 2 * (uint64_t)self->variables + 1)
            flaw = "has a variable that the formula does not have";
        else if (self->values[literal] > 0)
            is_true = 1;
        else if (self->values[literal] == 0) {
            self->values[literal] = -1;
            self->values[literal ^ 1] = 1;
            trail[assigned++] = literal;
        }
    }
    if (flaw == NULL && !is_true)
        flaw = follow(self, literals + size + 1, hints, trail, &assigned);
    while (assigned > 0) {
        int32_t literal = trail[--assigned];
        self->values[literal] = self->values[literal ^ 1] = 0;
    }
    free(trail);
    if (flaw != NULL)
        return flawed(&self->proof, flaw);
    self->proof.proved = size == 0;
    Clause clause = {.number = number};
    return copy_of(literals, size, &clause) < 0 ? -1 : insert(self, clause);
}

static int hold(Lrat *self, uint64_t number)
{
    if (self->used == MAX_NUMBERS)
        return flawed(&self->proof, "is followed by a step that is too long");
    if (self->used == self->room) {
        size_t room = 2 * self->room + 64;
        uint64_t *moved = realloc(self->step, room * sizeof(uint64_t));
        if (moved == NULL)
            return no_memory();
        self->step = moved;
        self->room = room;
    }
    self->step[self->used++] = number;
    return 0;
}

/* Takes a number of the step; a clause ends with the second 0, a deletion with the first. */
static int take_number(Lrat *self, uint64_t number)
{
    if (number == 0)
        self->zeros++;
    if (number == 0 && (self->kind == 'd' || self->zeros == 2)) {
        self->proof.steps++;
        int done = self->kind == 'd' ? delete_all(self) : add_clause(self);
        self->kind = 0;
        return done;
    }
    if (self->kind == 'a' && self->used == 0 && number < 2)
        return flawed(&self->proof, NO_PROOF);
    return hold(self, number);
}

static int take_byte(Lrat *self, unsigned char byte)
{
    if (self->kind == 0) {
        if (byte != 'a' && byte != 'd')
            return flawed(&self->proof, NO_PROOF);
        self->kind = (char)byte;
        self->used = 0;
        self->zeros = self->shift = 0;
        self->number = 0;
        return 0;
    }
    if (self->shift > 56)
        return flawed(&self->proof, TOO_LARGE);
    self->number |= (uint64_t)(byte & 127) << self->shift;
    self->shift += 7;
    if (byte & 128)
        return 0;
    uint64_t number = self->number;
    self->number = 0;
    self->shift = 0;
    return take_number(self, number);
}

static int begin(void *state, int32_t variables)
{
    Lrat *self = state;
    self->variables = variables;
    self->values = calloc(2 * (size_t)variables + 2, 1);
    return self->values == NULL ? no_memory() : make_table(self, 1024);
}

/* Keeps the clause whose literals were read last as the next one of the formula. */
static int remember(Lrat *self)
{
    if (self->clauses == self->formula_room) {
        size_t room = 2 * self->formula_room + 64;
        Clause *moved = realloc(self->formula, room * sizeof(Clause));
        if (moved == NULL)
            return no_memory();
        self->formula = moved;
        self->formula_room = room;
    }
    if (copy_of(self->step, self->used, &self->formula[self->clauses]) < 0)
        return -1;
    self->clauses++;
    return 0;
}

static int add(void *state, const int32_t *literals, size_t size)
{
    Lrat *self = state;
    self->used = 0;
    for (size_t i = 0; i < size; i++) {
        int64_t literal = literals[i], variable = literal < 0 ? -literal : literal;
        if (variable < 1 || variable > self->variables)
            return flawed(&self->proof, "is followed by a literal that does not exist");
        if (hold(self, (uint64_t)(2 * variable + (literal < 0))) < 0)
            return -1;
    }
    return remember(self);
}

static int read_bytes(void *state, const unsigned char *bytes, size_t size)
{
    Lrat *self = state;
    for (size_t i = 0; i < size && !self->proof.proved; i++)
        if (take_byte(self, bytes[i]) < 0)
            return -1;
    return 0;
}

/* Nothing: every step of a binary proof ends with a 0. */
static int end(void *state)
{
    (void)state;
    return 0;
}

static void release(void *state)
{
    Lrat *self = state;
    for (size_t i = 0; self->table && i <= self->mask; i++)
        free(self->table[i].literals);
    free(self->table);
    for (size_t i = self->named; i < self->clauses; i++)
        free(self->formula[i].literals);
    free(self->formula);
    free(self->values);
    free(self->step);
}

const Format lrat = {
    "lrat", sizeof(Lrat), begin, add, read_bytes, end, release,
};
