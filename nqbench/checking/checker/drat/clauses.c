/* The clauses of a formula and its proof: found by their literals, and by two that are watched.
 *
 * Clauses have two watched literals, their first two (M. Moskewicz et al., "Chaff", DAC 2001).
 * Ignored are deletions of clauses that are not there, and of those that made a literal true for good;
 * clauses that stay cannot make a wrong step right.
 */
#include "drat.h"

#include <stdlib.h>
#include <string.h>

int grow(void **array, size_t *room, size_t needed, size_t width)
{
    if (needed <= *room)
        return 0;
    size_t more = *room + *room / 2 + 16;
    if (more < needed)
        more = needed;
    void *moved = realloc(*array, more * width);
    if (moved == NULL)
        return no_memory();
    *array = moved;
    *room = more;
    return 0;
}

static int resize(void **array, size_t before, size_t after, size_t width)
{
    void *moved = realloc(*array, after * width);
    if (moved == NULL)
        return no_memory();
    memset((char *)moved + before * width, 0, (after - before) * width);
    *array = moved;
    return 0;
}

int have_variable(Drat *self, int64_t variable)
{
    if (variable >= self->variable_room) {
        size_t before = (size_t)self->variable_room, after = (size_t)variable + before / 2 + 16;
        if (resize((void **)&self->watches, 2 * before, 2 * after, sizeof(Watches)) < 0
            || resize((void **)&self->values, 2 * before, 2 * after, 1) < 0
            || resize((void **)&self->occurrences, 2 * before, 2 * after, sizeof(uint32_t)) < 0
            || resize((void **)&self->marks, 2 * before, 2 * after, 1) < 0
            || resize((void **)&self->reasons, before, after, sizeof(uint32_t)) < 0
            || resize((void **)&self->trail, before, after, sizeof(int32_t)) < 0)
            return -1;
        self->variable_room = (int64_t)after;
    }
    if (variable > self->variables)
        self->variables = variable;
    return 0;
}

int watch(Drat *self, int32_t literal, uint32_t clause, int32_t blocker)
{
    Watches *list = &self->watches[literal];
    if (list->used == list->room) {
        uint32_t room = list->room ? 2 * list->room : 4;
        Watch *moved = realloc(list->items, room * sizeof(Watch));
        if (moved == NULL)
            return no_memory();
        list->items = moved;
        list->room = room;
    }
    list->items[list->used++] = (Watch){clause, blocker};
    return 0;
}

static uint32_t hash_of(const int32_t *literals, size_t size)
{
    uint32_t sum = 0, product = 1, mixed = 0;
    for (size_t i = 0; i < size; i++) {
        uint32_t literal = (uint32_t)literals[i];
        sum += literal;
        product *= 2 * literal + 1;
        mixed ^= literal * 2654435761u;
    }
    return (1023 * sum + product) ^ (31 * mixed);
}

static void into_bucket(Drat *self, uint32_t clause)
{
    uint32_t *bucket = &self->buckets[(uint32_t)self->arena[clause + HASH] & self->bucket_mask];
    self->arena[clause + NEXT] = (int32_t)*bucket;
    *bucket = clause;
}

/* Moves the clauses together that are not deleted, with `buckets` for so many. */
int rebuild(Drat *self, size_t buckets)
{
    uint32_t *empty = calloc(buckets, sizeof(uint32_t));
    uint32_t *moved = self->wasted ? malloc(self->used * sizeof(uint32_t)) : NULL;
    if (empty == NULL || (self->wasted && moved == NULL)) {
        free(empty);
        free(moved);
        return no_memory();
    }
    free(self->buckets);
    self->buckets = empty;
    self->bucket_mask = buckets - 1;
    size_t to = FIRST, next;
    for (size_t from = FIRST; from < self->used; from = next) {
        int32_t size = self->arena[from + SIZE];
        next = from + HEADER + (size_t)abs(size);
        if (moved)
            moved[from] = size < 0 ? NONE : (uint32_t)to;
        if (size < 0)
            continue;
        memmove(self->arena + to, self->arena + from, (next - from) * sizeof(int32_t));
        into_bucket(self, (uint32_t)to);
        to += next - from;
    }
    for (int64_t literal = 2; moved && literal < 2 * (self->variables + 1); literal++) {
        Watches *list = &self->watches[literal];
        uint32_t kept = 0;
        for (uint32_t i = 0; i < list->used; i++) {
            list->items[i].clause = moved[list->items[i].clause];
            if (list->items[i].clause != NONE)
                list->items[kept++] = list->items[i];
        }
        list->used = kept;
        if (literal % 2 == 0 && self->reasons[literal / 2] != NONE)
            self->reasons[literal / 2] = moved[self->reasons[literal / 2]];
    }
    self->used = to;
    self->wasted = 0;
    free(moved);
    return 0;
}

/* Adds a clause without repeated literals. Returns -1 without memory. */
int insert(Drat *self, int32_t *literals, size_t size)
{
    size_t open = 0;
    for (size_t i = 0; i < size && open < 2; i++) {
        if (self->values[literals[i]] < 0)
            continue;
        int32_t literal = literals[i];
        literals[i] = literals[open];
        literals[open++] = literal;
    }
    if (open == 0) {
        self->conflict = 1;
        return 0;
    }
    /* The clause is now last; a collection keeps it, and its watches follow. */
    if (self->wasted > self->used / 2 + 65536 && rebuild(self, self->bucket_mask + 1) < 0)
        return -1;
    if (self->clauses > self->bucket_mask && rebuild(self, 4 * (self->bucket_mask + 1)) < 0)
        return -1;
    size_t needed = self->used + HEADER + size;
    if (needed > INT32_MAX)
        return no_memory();
    if (grow((void **)&self->arena, &self->room, needed, sizeof(int32_t)) < 0)
        return -1;
    uint32_t clause = (uint32_t)self->used;
    self->arena[clause + SIZE] = (int32_t)size;
    self->arena[clause + HASH] = (int32_t)hash_of(literals, size);
    memcpy(self->arena + clause + HEADER, literals, size * sizeof(int32_t));
    self->used = needed;
    self->clauses++;
    into_bucket(self, clause);
    for (size_t i = 0; i < size; i++)
        self->occurrences[literals[i]]++;
    if (size > 1
        && (watch(self, literals[0], clause, literals[1]) < 0
            || watch(self, literals[1], clause, literals[0]) < 0))
        return -1;
    if (open == 1 && self->values[literals[0]] == 0) {
        self->reasons[literals[0] >> 1] = clause;
        assign(self, literals[0]);
        int conflict = propagate(self, 1);
        if (conflict < 0)
            return -1;
        self->conflict |= conflict;
    }
    return 0;
}

void delete_clause(Drat *self, const int32_t *literals, size_t size)
{
    uint32_t hash = hash_of(literals, size);
    uint32_t *link = &self->buckets[hash & self->bucket_mask];
    for (size_t i = 0; i < size; i++)
        self->marks[literals[i]] = 1;
    while (*link != NONE) {
        int32_t *clause = self->arena + *link;
        size_t same = 0;
        if ((uint32_t)clause[HASH] == hash && (size_t)clause[SIZE] == size)
            while (same < size && self->marks[clause[HEADER + same]])
                same++;
        int is_found = (size_t)clause[SIZE] == size && same == size && size > 0;
        int is_reason = 0;
        for (size_t i = 0; is_found && i < size; i++)
            is_reason |= self->reasons[clause[HEADER + i] >> 1] == *link;
        if (is_found && !is_reason) {
            for (size_t i = 0; i < size; i++)
                self->occurrences[clause[HEADER + i]]--;
            self->wasted += HEADER + size;
            self->clauses--;
            clause[SIZE] = -(int32_t)size;
            *link = (uint32_t)clause[NEXT];
            break;
        }
        link = (uint32_t *)&clause[NEXT];
    }
    for (size_t i = 0; i < size; i++)
        self->marks[literals[i]] = 0;
}
