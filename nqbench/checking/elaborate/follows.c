/* Whether a clause follows from others, by unit propagation. */
#include "drat.h"

#include <stdlib.h>

void assign(Drat *self, int32_t literal, uint32_t reason)
{
    self->values[literal] = 1;
    self->values[literal ^ 1] = -1;
    self->reasons[literal >> 1] = reason;
    self->trail[self->assigned++] = literal;
}

static void undo(Drat *self, size_t assigned)
{
    while (self->assigned > assigned) {
        int32_t literal = self->trail[--self->assigned];
        self->values[literal] = self->values[literal ^ 1] = 0;
        self->reasons[literal >> 1] = NONE;
    }
    self->propagated = assigned;
}

/* Returns a clause that became false, or NONE. */
uint32_t propagate(Drat *self)
{
    while (self->propagated < self->assigned) {
        int32_t false_literal = self->trail[self->propagated++] ^ 1;
        Watches *list = &self->watches[false_literal];
        uint32_t kept = 0, i = 0, conflict = NONE;
        while (i < list->used && conflict == NONE) {
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
                watch(self, chosen, now.clause, other);
                continue;
            }
            list->items[kept++] = now;
            if (self->values[other] < 0)
                conflict = now.clause;
            else
                assign(self, other, now.clause);
        }
        while (i < list->used)
            list->items[kept++] = list->items[i++];
        list->used = kept;
        if (conflict != NONE)
            return conflict;
    }
    return NONE;
}

/* Whether the core knows without a hint that a true literal is true. */
static int is_known(const Drat *self, int32_t literal)
{
    return self->units[literal >> 1] == 0 || self->seen[literal >> 1];
}

/* Whether the resolvent with this clause follows, and adds hints for that. All that was assumed before
 * is `assumed` literals of the trail. */
static int resolvent_follows(Drat *self, uint32_t clause, int32_t against, size_t assumed)
{
    const int32_t *literals = self->arena + clause + HEADER;
    int32_t size = self->arena[clause + SIZE], true_literal = 0;
    hint(self, 2 * (uint32_t)self->arena[clause + ID] + 1);
    for (int32_t i = 0; i < size; i++) {
        int32_t literal = literals[i];
        if (literal == against || self->values[literal] <= 0)
            continue;
        if (is_known(self, literal))
            return 1;
        true_literal = literal;
    }
    if (true_literal != 0) {
        hint(self, 2 * self->units[true_literal >> 1]);
        return 1;
    }
    size_t noted = self->noted.used;
    for (int32_t i = 0; i < size; i++)
        if (self->values[literals[i]] == 0)
            assign(self, literals[i] ^ 1, NONE);
        else if (literals[i] != against)
            note(self, literals[i]); /* the core makes it false, too */
    uint32_t conflict = propagate(self);
    if (conflict != NONE)
        explain(self, conflict, assumed);
    undo(self, assumed);
    forget(self, noted);
    return conflict != NONE;
}

static int resolvents_follow(Drat *self, int32_t against)
{
    size_t assumed = self->assigned, next;
    uint32_t left = self->occurrences[against];
    explain_all(self, self->for_good);
    for (size_t clause = FIRST; left > 0; clause = next) {
        const int32_t *literals = self->arena + clause + HEADER;
        int32_t size = self->arena[clause + SIZE], has = 0;
        next = clause + HEADER + (size_t)abs(size);
        for (int32_t i = 0; i < size && !has; i++)
            has = literals[i] == against;
        if (has && !resolvent_follows(self, (uint32_t)clause, against, assumed))
            return 0;
        left -= (uint32_t)has;
    }
    return 1;
}

/* Whether the clause follows; the hints are then why. */
int follows(Drat *self, const int32_t *literals, size_t size)
{
    int found = 0;
    self->hints.used = 0;
    for (size_t i = 0; i < size && !found; i++) {
        int32_t literal = literals[i];
        found = self->values[literal] > 0;
        if (found)
            hint(self, 2 * self->units[literal >> 1]);
        else if (self->values[literal] == 0)
            assign(self, literal ^ 1, NONE);
        else
            note(self, literal);
    }
    uint32_t conflict = found ? NONE : propagate(self);
    if (conflict != NONE)
        explain(self, conflict, self->for_good);
    else if (!found && size > 0)
        found = resolvents_follow(self, literals[0] ^ 1);
    undo(self, self->for_good);
    forget(self, 0);
    return found || conflict != NONE;
}
