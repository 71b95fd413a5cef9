/* The core: it alone decides whether a proof shows that a formula has no model.
 *
 *     lrat.c       reads a proof and checks its steps
 *     clauses.c    the clauses of the formula, and memory for all
 *     planes.h     the same for proofs about rows
 *     module.c     for Python
 */
#ifndef NQBENCH_LRAT_H
#define NQBENCH_LRAT_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    size_t size;
    uint32_t literals[]; /* as in a proof: twice the variable, plus 1 if negative */
} Clause;

typedef struct {
    FILE *proof;
    uint64_t steps, bytes;     /* that were read */
    uint32_t variables;        /* 1 to this one, those that only the proof has included */
    Clause **formula, **by_id; /* in order; by id, NULL if the clause is not here */
    size_t clauses, added;     /* of the formula: how many there will be, and how many there are */
    size_t named;              /* how many of them have an id; only these are in `by_id` */
    size_t last, room;         /* the largest id so far; the first for which `by_id` has no room */
    uint64_t *uses;            /* by literal: how often clauses contain it, with or without an id */
    uint64_t *since;           /* by literal: it is true if this is `base` or `now` */
    uint64_t base, now;        /* the step, and the clause D of RAT: each has a new number */
    uint32_t *literals;        /* of the clause that is being read */
    const char *failure;       /* what is wrong, in words */
    jmp_buf failed;
} Lrat;

/* Returns NULL without memory. */
Lrat *lrat_new(uint32_t variables, size_t clauses);
void lrat_free(Lrat *self);

/* Takes the next clause of the formula, as DIMACS writes it, without the 0. Returns 0 on failure. */
int lrat_formula(Lrat *self, const int32_t *literals, size_t size);

/* Reads a proof to the end of the file. Returns 1 if it shows that the formula has no model, and 0 if
 * it does not. For one call, after all clauses, none of which failed. */
int lrat_check(Lrat *self, FILE *proof);

/* The failure without memory, which says nothing about the proof. */
extern const char LRAT_NO_MEMORY[];

/* Ends `lrat_formula` or `lrat_check`. */
_Noreturn void lrat_fail(Lrat *self, const char *why);

/* A literal, if that is what this number is. */
uint32_t lrat_literal(Lrat *self, uint64_t number);

/* Returns a new clause of this size, whose literals are all 0. */
Clause *lrat_clause(Lrat *self, size_t size);

/* Gives a clause an id, which becomes the largest one. */
void lrat_name(Lrat *self, size_t id, Clause *clause);

#endif
