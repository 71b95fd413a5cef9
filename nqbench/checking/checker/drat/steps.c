/* The steps of a proof, as text or binary, read byte by byte. */
#include "drat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Removes repeated literals. Returns 1 if the clause is always true. */
static int simplify(Drat *self, int32_t *literals, size_t *size)
{
    size_t kept = 0;
    int is_true = 0;
    for (size_t i = 0; i < *size; i++) {
        int32_t literal = literals[i];
        is_true |= self->marks[literal ^ 1];
        if (self->marks[literal])
            continue;
        self->marks[literal] = 1;
        literals[kept++] = literal;
    }
    for (size_t i = 0; i < kept; i++)
        self->marks[literals[i]] = 0;
    *size = kept;
    return is_true;
}

/* Says which clause does not follow, as DIMACS would. */
static int does_not_follow(Drat *self)
{
    char text[400];
    size_t used = 0;
    for (size_t i = 0; i < self->step_used && used < sizeof text - 40; i++) {
        int32_t literal = self->step[i];
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%d", i ? " " : "",
                                 literal & 1 ? "-" : "", (int)(literal >> 1));
        if (used >= sizeof text - 40 && i + 1 < self->step_used)
            used += (size_t)snprintf(text + used, sizeof text - used, " ...");
    }
    text[used] = 0;
    PyErr_Format(PyExc_ValueError, "step %llu, the clause '%s', does not follow", self->proof.steps, text);
    return -1;
}

static int end_step(Drat *self)
{
    self->proof.steps++;
    self->proof.proved = self->conflict && !self->deletes && self->step_used == 0;
    int is_true = simplify(self, self->step, &self->step_used);
    if (is_true || self->conflict) {
        /* It follows. */
    } else if (self->deletes) {
        delete_clause(self, self->step, self->step_used);
    } else {
        int found = follows(self, self->step, self->step_used);
        if (found == 0)
            return does_not_follow(self);
        if (found < 0 || insert(self, self->step, self->step_used) < 0)
            return -1;
    }
    self->step_used = 0;
    self->begun = self->deletes = 0;
    return 0;
}

static int take_literal(Drat *self, int64_t variable, int negative)
{
    /* Solvers number the variables that they add one after the other. */
    int64_t largest = self->variables + SPARE_VARIABLES;
    if (variable < 1)
        return flawed(&self->proof, "is followed by variable 0");
    if (variable > MAX_VARIABLE || variable > largest)
        return flawed(&self->proof, "is followed by a variable that is neither old nor the next new one");
    if (have_variable(self, variable) < 0
        || grow((void **)&self->step, &self->step_room, self->step_used + 1, sizeof(int32_t)) < 0)
        return -1;
    if (self->step_used > 4 * (size_t)self->variables + 1024)
        return flawed(&self->proof, "is followed by a clause with literals that repeat");
    self->step[self->step_used++] = (int32_t)(2 * variable + negative);
    return 0;
}

static int end_number(Drat *self)
{
    self->in_number = 0;
    self->begun = 1;
    if (self->number)
        return take_literal(self, self->number, self->negative);
    return end_step(self);
}

static int take_text(Drat *self, unsigned char byte)
{
    if (self->in_comment) {
        self->in_comment = byte != '\n';
        return 0;
    }
    if (byte >= '0' && byte <= '9') {
        if (!self->in_number)
            self->number = 0;
        self->in_number = 1;
        self->number = 10 * self->number + (byte - '0');
        return self->number > MAX_VARIABLE ? flawed(&self->proof, TOO_LARGE) : 0;
    }
    if (self->in_number) {
        if (end_number(self) < 0)
            return -1;
    } else if (self->negative) {
        return flawed(&self->proof, NO_PROOF);
    }
    self->negative = 0;
    switch (byte) {
    case ' ':
    case '\t':
    case '\n':
    case '\r':
        return 0;
    case '-':
        self->negative = 1;
        return 0;
    case 'd':
        if (self->begun || self->deletes)
            break;
        self->deletes = 1;
        return 0;
    case 'c':
        if (self->begun || self->deletes)
            break;
        self->in_comment = 1;
        return 0;
    }
    return flawed(&self->proof, NO_PROOF);
}

static int take_binary(Drat *self, unsigned char byte)
{
    if (!self->begun) {
        if (byte != 'a' && byte != 'd')
            return flawed(&self->proof, NO_PROOF);
        self->begun = 1;
        self->deletes = byte == 'd';
        self->number = self->shift = 0;
        return 0;
    }
    self->number |= (long long)(byte & 127) << self->shift;
    self->shift += 7;
    if (byte & 128)
        return self->shift > 35 ? flawed(&self->proof, TOO_LARGE) : 0;
    long long number = self->number;
    self->number = self->shift = 0;
    return number ? take_literal(self, number >> 1, number & 1) : end_step(self);
}

static int begin(void *state, int32_t variables)
{
    Drat *self = state;
    self->used = FIRST;
    return have_variable(self, variables) < 0 || rebuild(self, 1024) < 0 ? -1 : 0;
}

static int add(void *state, const int32_t *literals, size_t size)
{
    Drat *self = state;
    self->step_used = 0;
    for (size_t i = 0; i < size; i++) {
        int64_t literal = literals[i];
        if (take_literal(self, literal < 0 ? -literal : literal, literal < 0) < 0)
            return -1;
    }
    int is_true = simplify(self, self->step, &self->step_used);
    int done = is_true ? 0 : insert(self, self->step, self->step_used);
    self->step_used = 0;
    return done;
}

/* Whether a proof that begins so is binary. Only a binary step begins with 'a'. One that deletes
 * begins with 'd', as in a text, which has no control characters. */
static int is_binary(const unsigned char *bytes, size_t size)
{
    if (bytes[0] != 'd')
        return bytes[0] == 'a';
    for (size_t i = 1; i < size; i++)
        if (bytes[i] > '~' || (bytes[i] < ' ' && memchr("\t\n\r", bytes[i], 3) == NULL))
            return 1;
    return 0;
}

static int read_bytes(void *state, const unsigned char *bytes, size_t size)
{
    Drat *self = state;
    if (!self->started && size > 0)
        self->binary = is_binary(bytes, size);
    self->started |= size > 0;
    for (size_t i = 0; i < size && !self->proof.proved; i++)
        if ((self->binary ? take_binary(self, bytes[i]) : take_text(self, bytes[i])) < 0)
            return -1;
    return 0;
}

static int end(void *state)
{
    Drat *self = state;
    return self->in_number ? end_number(self) : 0;
}

static void release(void *state)
{
    Drat *self = state;
    for (int64_t literal = 0; self->watches && literal < 2 * self->variable_room; literal++)
        free(self->watches[literal].items);
    free(self->arena);
    free(self->buckets);
    free(self->watches);
    free(self->values);
    free(self->occurrences);
    free(self->reasons);
    free(self->marks);
    free(self->trail);
    free(self->step);
}

const Format drat = {
    "drat", sizeof(Drat), begin, add, read_bytes, end, release,
};
