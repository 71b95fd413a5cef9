/* The clauses of the formula, and the arrays that hold all clauses. */
#include "lrat.h"

#include <stdlib.h>
#include <string.h>

enum { FEWEST_IDS = 1024 };

const char LRAT_NO_MEMORY[] = "out of memory";

Lrat *lrat_new(uint32_t variables, size_t clauses)
{
    size_t literals = 2 * ((size_t)variables + 1);
    Lrat *self = calloc(1, sizeof(Lrat));
    if (self == NULL)
        return NULL;
    self->variables = variables;
    self->clauses = clauses;
    self->room = FEWEST_IDS;
    self->formula = calloc(clauses + 1, sizeof(Clause *));
    self->by_id = calloc(self->room, sizeof(Clause *));
    self->uses = calloc(literals, sizeof(uint64_t));
    self->since = calloc(literals, sizeof(uint64_t));
    self->literals = calloc(literals, sizeof(uint32_t));
    if (self->formula && self->by_id && self->uses && self->since && self->literals)
        return self;
    lrat_free(self);
    return NULL;
}

void lrat_free(Lrat *self)
{
    for (size_t id = 1; self->by_id && id <= self->last; id++)
        free(self->by_id[id]);
    for (size_t i = self->named; self->formula && i < self->added; i++)
        free(self->formula[i]);
    free(self->formula);
    free(self->by_id);
    free(self->uses);
    free(self->since);
    free(self->literals);
    free(self);
}

Clause *lrat_clause(Lrat *self, size_t size)
{
    Clause *clause = calloc(1, sizeof(Clause) + size * sizeof(uint32_t));
    if (clause == NULL)
        lrat_fail(self, LRAT_NO_MEMORY);
    clause->size = size;
    return clause;
}

void lrat_name(Lrat *self, size_t id, Clause *clause)
{
    if (id >= self->room) {
        size_t room = 2 * id;
        Clause **moved = realloc(self->by_id, room * sizeof(Clause *));
        if (moved == NULL)
            lrat_fail(self, LRAT_NO_MEMORY);
        memset(moved + self->room, 0, (room - self->room) * sizeof(Clause *));
        self->by_id = moved;
        self->room = room;
    }
    self->by_id[id] = clause;
    self->last = id;
}

int lrat_formula(Lrat *self, const int32_t *literals, size_t size)
{
    if (setjmp(self->failed) != 0)
        return 0;
    if (self->added == self->clauses)
        lrat_fail(self, "the formula has more clauses than were announced");
    Clause *clause = self->formula[self->added++] = lrat_clause(self, size);
    for (clause->size = 0; clause->size < size; clause->size++) {
        int64_t k = literals[clause->size];
        uint32_t literal = lrat_literal(self, (uint64_t)(k < 0 ? 1 - 2 * k : 2 * k));
        clause->literals[clause->size] = literal;
        self->uses[literal]++;
    }
    return 1;
}
