/* Proofs in the format DRAT, as text or binary.
 *
 * Every clause that a proof adds has to follow from the formula and the clauses added before by unit
 * propagation (RUP), or else its resolvents on its first literal have to (RAT): N. Wetzler, M. Heule,
 * W. Hunt, "DRAT-trim", SAT 2014.
 *
 *     steps.c      bytes -> steps
 *     follows.c    does a clause follow?
 *     clauses.c    the clauses that there are
 */
#ifndef NQBENCH_DRAT_H
#define NQBENCH_DRAT_H

#include "../format.h"

enum { SPARE_VARIABLES = 1024 };

/* A clause in the arena, of which its number is the place: its size, negative once it is deleted;
 * its hash; the next clause in the same bucket; its literals. */
enum { SIZE, HASH, NEXT, HEADER };
enum { NONE = 0, FIRST = 1 }; /* no clause; where the first one is */

typedef struct {
    uint32_t clause;
    int32_t blocker; /* some other literal of the clause: if true, the clause need not be read */
} Watch;

typedef struct {
    Watch *items;
    uint32_t used, room;
} Watches;

typedef struct {
    Proof proof;
    int32_t *arena;
    size_t used, room, wasted; /* numbers in the arena; `wasted` are those of deleted clauses */
    uint32_t *buckets;
    size_t bucket_mask, clauses;

    int64_t variables, variable_room; /* 1 to `variables` */
    Watches *watches;                 /* by literal */
    int8_t *values;                   /* by literal: 1 true, -1 false, 0 open */
    uint32_t *occurrences;            /* by literal: in how many clauses it is */
    uint8_t *marks;                   /* by literal; 0 between two functions */
    uint32_t *reasons;                /* by variable: the clause that decided it for good */
    int32_t *trail;                   /* the true literals, in order */
    size_t assigned, propagated;

    int32_t *step; /* literals of the step that is being read */
    size_t step_used, step_room;
    int started, binary, begun, deletes, in_comment; /* the proof, and the step */
    int in_number, negative, shift;                  /* the number that is being read */
    long long number;

    int conflict; /* a clause is false without assumptions, so that every clause follows */
} Drat;

/* clauses.c */
int grow(void **array, size_t *room, size_t needed, size_t width);
int have_variable(Drat *self, int64_t variable);
int watch(Drat *self, int32_t literal, uint32_t clause, int32_t blocker);
int rebuild(Drat *self, size_t buckets);
int insert(Drat *self, int32_t *literals, size_t size);
void delete_clause(Drat *self, const int32_t *literals, size_t size);

/* follows.c */
void assign(Drat *self, int32_t literal);
int propagate(Drat *self, int for_good);
int follows(Drat *self, const int32_t *literals, size_t size);

#endif
