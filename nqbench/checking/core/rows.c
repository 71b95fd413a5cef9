/* Rows: their terms are sorted by variable, so that two are added in one pass. */
#include "planes.h"

#include <stdlib.h>
#include <string.h>

#define LARGEST ((Whole)1 << 120)

static Whole checked(Planes *self, Whole number)
{
    if (number > LARGEST || number < -LARGEST)
        planes_too_large(self);
    return number;
}

static Row *new_row(Planes *self, size_t size, Whole degree)
{
    Row *row = malloc(sizeof(Row) + size * sizeof(Term));
    if (row == NULL)
        planes_fail(self, PLANES_NO_MEMORY);
    row->degree = degree;
    row->size = 0;
    return row;
}

static void append(Row *row, uint32_t literal, Whole weight)
{
    row->terms[row->size++] = (Term){literal, weight};
}

static int by_variable(const void *left, const void *right)
{
    uint32_t one = ((const Term *)left)->literal / 2, other = ((const Term *)right)->literal / 2;
    return (one > other) - (one < other);
}

Row *row_of(Planes *self, Term *terms, size_t size, Whole degree)
{
    if (size > 1)
        qsort(terms, size, sizeof(Term), by_variable);
    for (size_t i = 0; i < size; i++)
        if (terms[i].literal % 2 == 1) /* w ~x is w - w x */
            degree = checked(self, degree - terms[i].weight);
    Row *row = new_row(self, size, 0);
    for (size_t i = 0, next; i < size; i = next) {
        uint32_t variable = terms[i].literal / 2;
        Whole factor = 0;
        for (next = i; next < size && terms[next].literal / 2 == variable; next++)
            factor += terms[next].literal % 2 == 1 ? -terms[next].weight : terms[next].weight;
        if (factor > 0)
            append(row, 2 * variable, factor);
        else if (factor < 0) {
            append(row, 2 * variable + 1, -factor);
            degree -= factor;
        }
    }
    row->degree = degree; /* of numbers that have 62 bits each, and fewer than 2^32 */
    return row;
}

Row *row_copy(Planes *self, const Row *row)
{
    Row *copy = new_row(self, row->size, row->degree);
    copy->size = row->size;
    memcpy(copy->terms, row->terms, row->size * sizeof(Term));
    return copy;
}

Row *row_add(Planes *self, const Row *row, const Row *other)
{
    Row *sum = new_row(self, row->size + other->size, 0);
    Whole degree = row->degree + other->degree;
    size_t i = 0, j = 0;
    while (i < row->size || j < other->size) {
        const Term *one = i < row->size ? &row->terms[i] : NULL;
        const Term *two = j < other->size ? &other->terms[j] : NULL;
        if (two == NULL || (one != NULL && one->literal / 2 < two->literal / 2)) {
            append(sum, one->literal, one->weight);
            i++;
        } else if (one == NULL || two->literal / 2 < one->literal / 2) {
            append(sum, two->literal, two->weight);
            j++;
        } else {
            Whole less = one->weight < two->weight ? one->weight : two->weight;
            if (one->literal == two->literal)
                append(sum, one->literal, one->weight + two->weight);
            else if (one->weight != two->weight)
                append(sum, less == one->weight ? two->literal : one->literal,
                       one->weight + two->weight - 2 * less);
            if (one->literal != two->literal)
                degree = degree - less;
            if (degree < -LARGEST || (sum->size && sum->terms[sum->size - 1].weight > LARGEST)) {
                free(sum);
                planes_too_large(self);
            }
            i++, j++;
        }
    }
    sum->degree = degree;
    if (degree > LARGEST || degree < -LARGEST) {
        free(sum);
        planes_too_large(self);
    }
    return sum;
}

Row *row_multiply(Planes *self, const Row *row, int64_t factor)
{
    Row *product = row_copy(self, row);
    int overflows = __builtin_mul_overflow(row->degree, (Whole)factor, &product->degree);
    overflows |= product->degree > LARGEST || product->degree < -LARGEST;
    for (size_t i = 0; i < row->size; i++) {
        Whole *weight = &product->terms[i].weight;
        overflows |= __builtin_mul_overflow(row->terms[i].weight, (Whole)factor, weight);
        overflows |= *weight > LARGEST;
    }
    if (overflows) {
        free(product);
        planes_too_large(self);
    }
    return product;
}

static Whole quotient(Whole number, int64_t divisor)
{
    Whole down = number / divisor; /* towards 0, which is up for negative ones */
    return down + (number > 0 && number % divisor != 0);
}

Row *row_divide(Planes *self, const Row *row, int64_t divisor)
{
    Row *divided = row_copy(self, row);
    divided->degree = quotient(row->degree, divisor);
    for (size_t i = 0; i < row->size; i++)
        divided->terms[i].weight = quotient(row->terms[i].weight, divisor);
    return divided;
}

Row *row_saturate(Planes *self, const Row *row)
{
    Row *saturated = row_copy(self, row);
    if (row->degree <= 0)
        saturated->size = 0;
    for (size_t i = 0; i < saturated->size; i++)
        if (row->terms[i].weight > row->degree)
            saturated->terms[i].weight = row->degree;
    return saturated;
}

Row *row_weaken(Planes *self, const Row *row, uint32_t variable)
{
    Row *weaker = new_row(self, row->size, row->degree);
    for (size_t i = 0; i < row->size; i++)
        if (row->terms[i].literal / 2 == variable)
            weaker->degree -= row->terms[i].weight;
        else
            append(weaker, row->terms[i].literal, row->terms[i].weight);
    if (weaker->degree < -LARGEST) {
        free(weaker);
        planes_too_large(self);
    }
    return weaker;
}

Row *row_negate(Planes *self, const Row *row)
{
    Row *negated = row_copy(self, row);
    Whole total = 0;
    for (size_t i = 0; i < row->size; i++) {
        total += row->terms[i].weight;
        negated->terms[i].literal ^= 1;
        if (total > LARGEST) {
            free(negated);
            planes_too_large(self);
        }
    }
    negated->degree = total - row->degree + 1;
    return negated;
}

int row_is_contradiction(const Row *row)
{
    Whole total = 0;
    for (size_t i = 0; i < row->size && total < row->degree; i++)
        total += row->terms[i].weight;
    return total < row->degree;
}

static int is_true(const Planes *self, uint32_t literal)
{
    return self->since[literal] == self->now;
}

/* Makes literals true that have to be. Returns whether the row cannot be met any more. */
static int propagate(Planes *self, const Row *row)
{
    Whole slack = -row->degree;
    Whole most = 0;
    for (size_t i = 0; i < row->size; i++)
        if (!is_true(self, row->terms[i].literal ^ 1)) {
            slack += row->terms[i].weight;
            if (row->terms[i].weight > most)
                most = row->terms[i].weight;
            if (slack > LARGEST)
                return 0; /* no weight is larger */
        }
    if (slack < 0)
        return 1;
    for (size_t i = 0; most > slack && i < row->size; i++) {
        uint32_t literal = row->terms[i].literal;
        if (row->terms[i].weight > slack && !is_true(self, literal) && !is_true(self, literal ^ 1)) {
            self->since[literal] = self->now;
            self->trail[self->trail_size++] = literal;
        }
    }
    return 0;
}

static void use(Planes *self, Uses *uses, uint64_t id)
{
    uses->rows = planes_room(self, uses->rows, &uses->room, uses->count + 1, sizeof(uint64_t));
    uses->rows[uses->count++] = id;
}

void rows_prepare(Planes *self)
{
    size_t literals = 2 * ((size_t)self->largest + 1), room = self->literals_room;
    if (literals > room) {
        size_t uses = room, since = room, trail = room;
        self->uses = planes_room(self, self->uses, &uses, literals, sizeof(Uses));
        self->since = planes_room(self, self->since, &since, literals, sizeof(uint64_t));
        self->trail = planes_room(self, self->trail, &trail, literals, sizeof(uint32_t));
        self->literals_room = uses;
    }
    while (self->indexed < self->last) {
        const Row *row = self->by_id[++self->indexed];
        if (row == NULL)
            continue;
        Whole slack = -row->degree, most = 0;
        for (size_t i = 0; i < row->size; i++) {
            use(self, &self->uses[row->terms[i].literal], self->indexed);
            most = row->terms[i].weight > most ? row->terms[i].weight : most;
            slack = slack > LARGEST ? slack : slack + row->terms[i].weight;
        }
        if (most > slack)
            use(self, &self->units, self->indexed);
    }
}

static int has(const Row *row, uint32_t literal)
{
    Term key = {literal, 0};
    const Term *term = bsearch(&key, row->terms, row->size, sizeof(Term), by_variable);
    return term != NULL && term->literal == literal;
}

int rows_refute(Planes *self, const Row *row)
{
    rows_prepare(self);
    self->now++;
    self->trail_size = 0;
    if (propagate(self, row))
        return 1;
    for (size_t i = 0; i < self->units.count; i++) {
        const Row *unit = self->by_id[self->units.rows[i]];
        if (unit != NULL && propagate(self, unit))
            return 1;
    }
    for (size_t at = 0; at < self->trail_size; at++) {
        const Uses *uses = &self->uses[self->trail[at] ^ 1];
        for (size_t i = 0; i < uses->count; i++) {
            const Row *other = self->by_id[uses->rows[i]];
            if (other != NULL && propagate(self, other))
                return 1;
        }
        if (has(row, self->trail[at] ^ 1) && propagate(self, row))
            return 1;
    }
    return 0;
}
