/* The clauses of a formula and its proof: found by their literals, and by two that are watched.
 *
 * Clauses have two watched literals, their first two (M. Moskewicz et al., "Chaff", DAC 2001).
 * Ignored are deletions of clauses that are not there, and of those that made a literal true for good;
 * clauses that stay cannot make a wrong step right.
 */
#include "drat.h"

#include <stdlib.h>
#include <string.h>

/* Returns an array with room for so many items, the new ones being 0. */
void *grown(Drat *self, void *array, size_t *room, size_t needed, size_t width)
{
    if (needed <= *room)
        return array;
    size_t more = needed + needed / 2 + 16;
    char *moved = more < SIZE_MAX / 2 / width ? realloc(array, more * width) : NULL;
    if (moved == NULL)
        fail_without_memory(self);
    memset(moved + *room * width, 0, (more - *room) * width);
    *room = more;
    return moved;
}

/* Makes the array longer, from `before` to `after` items; new ones are 0. */
static void *resized(Drat *self, void *array, size_t before, size_t after, size_t width)
{
    char *moved = realloc(array, after * width);
    if (moved == NULL)
        fail_without_memory(self);
    memset(moved + before * width, 0, (after - before) * width);
    return moved;
}

void have_variable(Drat *self, int64_t variable)
{
    if (variable >= self->variable_room) {
        size_t before = (size_t)self->variable_room, after = (size_t)variable + before / 2 + 16;
        size_t old = 2 * before, new = 2 * after;
        self->watches = resized(self, self->watches, old, new, sizeof *self->watches);
        self->values = resized(self, self->values, old, new, sizeof *self->values);
        self->occurrences = resized(self, self->occurrences, old, new, sizeof *self->occurrences);
        self->marks = resized(self, self->marks, old, new, sizeof *self->marks);
        self->reasons = resized(self, self->reasons, before, after, sizeof *self->reasons);
        self->units = resized(self, self->units, before, after, sizeof *self->units);
        self->seen = resized(self, self->seen, before, after, sizeof *self->seen);
        self->trail = resized(self, self->trail, before, after, sizeof *self->trail);
        self->variable_room = (int64_t)after;
    }
    if (variable > self->variables)
        self->variables = variable;
}

void watch(Drat *self, int32_t literal, uint32_t clause, int32_t blocker)
{
    Watches *list = &self->watches[literal];
    if (list->used == list->room) {
        uint32_t room = list->room ? 2 * list->room : 4;
        Watch *moved = realloc(list->items, room * sizeof(Watch));
        if (moved == NULL)
            fail_without_memory(self);
        list->items = moved;
        list->room = room;
    }
    list->items[list->used++] = (Watch){clause, blocker};
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
void rebuild(Drat *self, size_t buckets)
{
    uint32_t *empty = calloc(buckets, sizeof(uint32_t));
    uint32_t *moved = self->wasted ? malloc(self->used * sizeof(uint32_t)) : NULL;
    if (empty == NULL || (self->wasted && moved == NULL)) {
        free(empty);
        free(moved);
        fail_without_memory(self);
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
}

/* Propagates what a new clause made true for good. */
static void settle(Drat *self)
{
    uint32_t conflict = propagate(self);
    for (; self->for_good < self->assigned; self->for_good++)
        write_unit(self, self->trail[self->for_good]);
    if (conflict != NONE)
        refute(self, conflict);
}

/* Adds a clause without repeated literals. */
void insert(Drat *self, int32_t *literals, size_t size, uint32_t id)
{
    size_t open = 0;
    for (size_t i = 0; i < size && open < 2; i++) {
        if (self->values[literals[i]] < 0)
            continue;
        int32_t literal = literals[i];
        literals[i] = literals[open];
        literals[open++] = literal;
    }
    /* The clause is now last; a collection keeps it, and its watches follow. */
    if (self->wasted > self->used / 2 + 65536)
        rebuild(self, self->bucket_mask + 1);
    if (self->clauses > self->bucket_mask)
        rebuild(self, 4 * (self->bucket_mask + 1));
    size_t needed = self->used + HEADER + size;
    if (needed > INT32_MAX)
        fail_without_memory(self);
    self->arena = grown(self, self->arena, &self->room, needed, sizeof(int32_t));
    uint32_t clause = (uint32_t)self->used;
    self->arena[clause + SIZE] = (int32_t)size;
    self->arena[clause + ID] = (int32_t)id;
    self->arena[clause + HASH] = (int32_t)hash_of(literals, size);
    memcpy(self->arena + clause + HEADER, literals, size * sizeof(int32_t));
    self->used = needed;
    self->clauses++;
    into_bucket(self, clause);
    for (size_t i = 0; i < size; i++)
        self->occurrences[literals[i]]++;
    if (size > 1) {
        watch(self, literals[0], clause, literals[1]);
        watch(self, literals[1], clause, literals[0]);
    }
    if (open == 0 && !self->refuted)
        refute(self, clause);
    if (open == 1 && self->values[literals[0]] == 0 && !self->refuted) {
        assign(self, literals[0], clause);
        settle(self);
    }
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
            write_deletion(self, (uint32_t)clause[ID]);
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
