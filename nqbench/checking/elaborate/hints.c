/* Why a clause follows, as the hints of LRAT. */
#include "drat.h"

#include <stdlib.h>

static void append(Drat *self, Ids *ids, uint32_t number)
{
    ids->items = grown(self, ids->items, &ids->room, ids->used + 1, sizeof(uint32_t));
    ids->items[ids->used++] = number;
}

/* Writes 7 bits at a time, the lowest first. */
static void write_number(Drat *self, uint64_t number)
{
    for (; number > 127; number >>= 7)
        putc_unlocked((int)(number & 127) | 128, self->out);
    putc_unlocked((int)number, self->out);
}

/* Writes that a clause is added, with the hints, which are then gone. */
void write_clause(Drat *self, uint32_t id, const int32_t *literals, size_t size)
{
    putc_unlocked('a', self->out);
    write_number(self, 2 * (uint64_t)id);
    for (size_t i = 0; i < size; i++)
        write_number(self, (uint64_t)literals[i]);
    write_number(self, 0);
    for (size_t i = 0; i < self->hints.used; i++)
        write_number(self, self->hints.items[i]);
    write_number(self, 0);
    self->hints.used = 0;
}

void write_deletion(Drat *self, uint32_t id)
{
    putc_unlocked('d', self->out);
    write_number(self, 2 * (uint64_t)id);
    write_number(self, 0);
}

void hint(Drat *self, uint32_t number)
{
    append(self, &self->hints, number);
}

/* Notes that the value of a literal needs no hint any more. */
void note(Drat *self, int32_t literal)
{
    if (self->seen[literal >> 1])
        return;
    self->seen[literal >> 1] = 1;
    append(self, &self->noted, (uint32_t)literal >> 1);
}

/* Notes the literals of a clause, with hints for those that are decided for good. */
static void note_clause(Drat *self, uint32_t clause)
{
    const int32_t *literals = self->arena + clause + HEADER;
    for (int32_t i = 0; i < self->arena[clause + SIZE]; i++) {
        int32_t variable = literals[i] >> 1;
        if (!self->seen[variable] && self->units[variable] != 0)
            hint(self, 2 * self->units[variable]);
        note(self, literals[i]);
    }
}

static uint32_t id_of(const Drat *self, uint32_t clause)
{
    return (uint32_t)self->arena[clause + ID];
}

/* Adds the hints that make a clause false, by what became true from this place of the trail on. */
void explain(Drat *self, uint32_t clause, size_t from)
{
    note_clause(self, clause);
    self->backwards.used = 0;
    append(self, &self->backwards, 2 * id_of(self, clause));
    for (size_t at = self->assigned; at > from; at--) {
        int32_t variable = self->trail[at - 1] >> 1;
        uint32_t reason = self->reasons[variable];
        if (!self->seen[variable] || reason == NONE)
            continue;
        note_clause(self, reason);
        append(self, &self->backwards, 2 * id_of(self, reason));
    }
    while (self->backwards.used > 0)
        hint(self, self->backwards.items[--self->backwards.used]);
}

/* Adds the hints for all that became true from this place of the trail on. */
void explain_all(Drat *self, size_t from)
{
    for (size_t at = from; at < self->assigned; at++) {
        uint32_t reason = self->reasons[self->trail[at] >> 1];
        note(self, self->trail[at]);
        if (reason == NONE)
            continue;
        note_clause(self, reason);
        hint(self, 2 * id_of(self, reason));
    }
}

/* Forgets what was noted, but for the first so many. */
void forget(Drat *self, size_t noted)
{
    while (self->noted.used > noted)
        self->seen[self->noted.items[--self->noted.used]] = 0;
}

/* Writes the unit clause of a literal that is true for good, so that one hint explains it from now on. */
void write_unit(Drat *self, int32_t literal)
{
    uint32_t reason = self->reasons[literal >> 1], id = id_of(self, reason);
    if (self->arena[reason + SIZE] > 1) {
        if (self->last_id == MAX_ID)
            fail(self, "there are more clauses than can be numbered");
        id = ++self->last_id;
        note(self, literal);
        note_clause(self, reason);
        hint(self, 2 * id_of(self, reason));
        write_clause(self, id, &literal, 1);
        forget(self, 0);
    }
    self->units[literal >> 1] = id;
}

/* Notes that this clause is false for good, and why. */
void refute(Drat *self, uint32_t clause)
{
    Ids unused = self->refutation;
    explain(self, clause, self->assigned);
    forget(self, 0);
    self->refuted = 1;
    self->refutation = self->hints;
    self->hints = unused;
    self->hints.used = 0;
}

