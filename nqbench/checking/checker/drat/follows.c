/* Whether a clause follows from others, by unit propagation. */
#include "drat.h"

#include <stdlib.h>

void assign(Drat *self, int32_t literal)
{
    self->values[literal] = 1;
    self->values[literal ^ 1] = -1;
    self->trail[self->assigned++] = literal;
}

static void undo(Drat *self, size_t assigned)
{
    while (self->assigned > assigned) {
        int32_t literal = self->trail[--self->assigned];
        self->values[literal] = self->values[literal ^ 1] = 0;
    }
    self->propagated = assigned;
}

/* Returns 1 if a clause became false, 0 if not, and -1 without memory. With `for_good`, notes the
 * clauses that make literals true. */
int propagate(Drat *self, int for_good)
{
    while (self->propagated < self->assigned) {
        int32_t false_literal = self->trail[self->propagated++] ^ 1;
        Watches *list = &self->watches[false_literal];
        uint32_t kept = 0, i = 0;
        int conflict = 0;
        while (i < list->used && !conflict) {
            Watch now = list->items[i++];
            if (self->values[now.blocker] > 0) {
                list->items[kept++] = now;
                continue;
            }
            int32_t *clause = self->arena + now.clause, *literals = clause + HEADER;
            int32_t size = clause[SIZE];
            if (size < 0)
                continue;
            int32_t other = literals[0] ^ literals[1] ^ false_literal;
            now.blocker = other;
            if (self->values[other] > 0) {
                list->items[kept++] = now;
                continue;
            }
            int32_t k = 2;
            while (k < size && self->values[literals[k]] < 0)
                k++;
            if (k < size) {
                int32_t chosen = literals[k];
                literals[k] = false_literal;
                literals[0] = other;
                literals[1] = chosen;
                if (watch(self, chosen, now.clause, other) < 0)
                    return -1;
                continue;
            }
            list->items[kept++] = now;
            if (self->values[other] < 0) {
                conflict = 1;
                continue;
            }
            if (for_good)
                self->reasons[other >> 1] = now.clause;
            assign(self, other);
        }
        while (i < list->used)
            list->items[kept++] = list->items[i++];
        list->used = kept;
        if (conflict)
            return 1;
    }
    return 0;
}

/* Makes the literals false, except for `but`. Returns 1 if that leads to a conflict. */
static int refuted(Drat *self, const int32_t *literals, size_t size, int32_t but)
{
    for (size_t i = 0; i < size; i++) {
        if (literals[i] == but)
            continue;
        if (self->values[literals[i]] > 0)
            return 1;
        if (self->values[literals[i]] == 0)
            assign(self, literals[i] ^ 1);
    }
    return propagate(self, 0);
}

/* Returns 1 if the clause follows, 0 if not, and -1 without memory. */
int follows(Drat *self, const int32_t *literals, size_t size)
{
    size_t before = self->assigned;
    int found = refuted(self, literals, size, -1);
    if (found == 0 && size > 0) {
        int32_t against = literals[0] ^ 1;
        size_t assumed = self->assigned, next;
        uint32_t left = self->occurrences[against];
        found = 1;
        for (size_t c = FIRST; left > 0 && found > 0; c = next) {
            int32_t *clause = self->arena + c;
            next = c + HEADER + (size_t)abs(clause[SIZE]);
            int has = 0;
            for (int32_t i = 0; i < clause[SIZE] && !has; i++)
                has = clause[HEADER + i] == against;
            if (!has)
                continue;
            left--;
            found = refuted(self, clause + HEADER, (size_t)clause[SIZE], against);
            undo(self, assumed);
        }
    }
    undo(self, before);
    return found;
}
