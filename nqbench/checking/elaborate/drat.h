/* Turns a DRAT proof, as text or binary, into LRAT. What is written is not trusted: the core checks it.
 *
 * Every clause that a DRAT proof adds has to follow from those that are there by unit propagation
 * (RUP), or else its resolvents on its first literal have to (RAT): N. Wetzler, M. Heule, W. Hunt,
 * "DRAT-trim", SAT 2014. The clauses that propagation needed become the hints.
 *
 *     steps.c      bytes -> steps
 *     follows.c    does a clause follow?
 *     hints.c      why it follows -> LRAT
 *     clauses.c    the clauses that there are
 *     module.c     for Python
 *
 * A proof is read once. Only the clauses that it has added and not deleted are kept. A literal is twice
 * its variable, plus 1 if it is negative.
 */
#ifndef NQBENCH_DRAT_H
#define NQBENCH_DRAT_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { MAX_VARIABLE = 1 << 28, MAX_ID = INT32_MAX, SPARE_VARIABLES = 1024 };

/* A clause in the arena, of which its number is the place: its size, negative once it is deleted;
 * its id; its hash; the next clause in the same bucket; its literals. */
enum { SIZE, ID, HASH, NEXT, HEADER };
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
    uint32_t *items;
    size_t used, room;
} Ids;

typedef struct {
    FILE *out;
    uint64_t steps, bytes; /* that were read */
    int proved;     /* the empty clause was added, and nothing more is read */
    int32_t *arena;
    size_t used, room, wasted; /* numbers in the arena; `wasted` are those of deleted clauses */
    uint32_t *buckets;
    size_t bucket_mask, clauses;
    uint32_t formula_id, last_id; /* of the last clause of the formula, and of all */

    int64_t variables, variable_room; /* 1 to `variables` */
    Watches *watches;                 /* by literal */
    int8_t *values;                   /* by literal: 1 true, -1 false, 0 open */
    uint32_t *occurrences;            /* by literal: in how many clauses it is */
    uint8_t *marks;                   /* by literal; 0 between two functions */
    uint32_t *reasons;                /* by variable: the clause that decided it, or NONE */
    uint32_t *units;                  /* by variable: the id of a unit clause that decides it, or 0 */
    uint8_t *seen;                    /* by variable: why it has its value is among the hints */
    int32_t *trail;                   /* the true literals, in order */
    size_t assigned, propagated, for_good; /* the first `for_good` are true without assumptions */

    Ids hints;      /* of the step, as they are written: 2 * id, plus 1 if negative */
    Ids noted;      /* the variables of which `seen` is set */
    Ids backwards;  /* hints from the last to the first */
    Ids refutation; /* hints for the empty clause */
    int refuted;    /* a clause is false without assumptions, so that every clause follows */

    int32_t *step; /* literals of the step that is being read */
    size_t step_used, step_room;
    int is_tautology, binary, begun, deletes, in_comment; /* the proof, and the step */
    int in_number, negative, shift; /* the number that is being read */
    uint64_t number;

    char failure[512];
    int no_memory;
    jmp_buf failed;
} Drat;

/* For a formula of so many variables and clauses. Returns NULL without memory. */
Drat *drat_new(int32_t variables, uint32_t clauses, FILE *out);
void drat_free(Drat *self);

/* Takes the next clause of the formula, as DIMACS writes it. Returns 0 on failure. */
int drat_formula(Drat *self, const int32_t *literals, size_t size);

/* Reads a proof up to the empty clause, and writes it as LRAT. Returns 0 on failure. */
int drat_elaborate(Drat *self, FILE *proof);

/* These end `drat_formula` or `drat_elaborate`. */
_Noreturn void fail(Drat *self, const char *why);
_Noreturn void fail_without_memory(Drat *self);

/* clauses.c */
void *grown(Drat *self, void *array, size_t *room, size_t needed, size_t width);
void have_variable(Drat *self, int64_t variable);
void watch(Drat *self, int32_t literal, uint32_t clause, int32_t blocker);
void rebuild(Drat *self, size_t buckets);
void insert(Drat *self, int32_t *literals, size_t size, uint32_t id);
void delete_clause(Drat *self, const int32_t *literals, size_t size);

/* follows.c */
void assign(Drat *self, int32_t literal, uint32_t reason);
uint32_t propagate(Drat *self);
int follows(Drat *self, const int32_t *literals, size_t size);

/* hints.c */
void write_clause(Drat *self, uint32_t id, const int32_t *literals, size_t size);
void write_deletion(Drat *self, uint32_t id);
void write_unit(Drat *self, int32_t literal);
void refute(Drat *self, uint32_t clause);
void note(Drat *self, int32_t literal);
void hint(Drat *self, uint32_t number);
void explain(Drat *self, uint32_t clause, size_t from);
void explain_all(Drat *self, size_t from);
void forget(Drat *self, size_t noted);

#endif
