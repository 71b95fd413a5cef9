/* Attacks the checker of proofs.
 *
 *     fuzz forged SECONDS SEED        LRAT proofs by grammar, about formulas with a model
 *     fuzz drat SECONDS SEED          DRAT proofs, about formulas with a model and without
 *     fuzz files FILE...              what a search guided by coverage found, as in `corpus.txt`
 *
 * Every formula with a model has been built around one, so a proof about it that the core accepts is a
 * fault; the process then aborts. From this folder, with gcc or clang:
 *
 *     cc -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -o fuzz fuzz.c \
 *         ../../nqbench/checking/{core,elaborate}/[!m]*.c
 *     clang -DGUIDED -g -O1 -fsanitize=fuzzer,address,undefined -o guided fuzz.c \
 *         ../../nqbench/checking/{core,elaborate}/[!m]*.c && ./guided FOLDER
 */
#include "../../../nqbench/checking/core/lrat.h"
#include "../../../nqbench/checking/elaborate/drat.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_VARIABLES = 9, MOST_CLAUSES = 400, MOST_LITERALS = 8, MOST_BYTES = 1 << 16 };

typedef struct {
    int variables, clauses;
    int sizes[MOST_CLAUSES];
    int32_t literals[MOST_CLAUSES][MOST_LITERALS]; /* as in DIMACS */
} Formula;

typedef struct {
    unsigned char bytes[MOST_BYTES];
    size_t size;
} Proof;

/* xorshift64* (S. Vigna, ACM TOMS 42, 2016). */
static uint64_t state = 1;

static uint64_t random_bits(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 2685821657736338717u >> 16;
}

static int below(int bound)
{
    return (int)(random_bits() % (uint64_t)bound);
}

static int one_in(int count)
{
    return below(count) == 0;
}

static void put_byte(Proof *proof, int byte)
{
    if (proof->size < MOST_BYTES)
        proof->bytes[proof->size++] = (unsigned char)byte;
}

static void put_raw(Proof *proof, uint64_t number)
{
    for (; number > 127; number >>= 7)
        put_byte(proof, (int)(number & 127) | 128);
    put_byte(proof, (int)number);
}

static void put_number(Proof *proof, int64_t k)
{
    put_raw(proof, k < 0 ? 1 - 2 * (uint64_t)k : 2 * (uint64_t)k);
}

/* A clause that the model makes true, or any clause without one. */
static void add_clause(Formula *formula, uint32_t model, int has_model)
{
    int at = formula->clauses++, size = 1 + below(one_in(3) ? MOST_LITERALS : 3), is_true = 0;
    int32_t *literals = formula->literals[at];
    formula->sizes[at] = size;
    for (int i = 0; i < size; i++) {
        int variable = 1 + below(formula->variables);
        literals[i] = one_in(2) ? variable : -variable;
        is_true |= (model >> variable & 1) == (literals[i] > 0);
    }
    if (has_model && !is_true)
        literals[below(size)] *= -1;
}

static Formula random_formula(int has_model, int most)
{
    Formula formula = {.variables = 1 + below(MOST_VARIABLES - 3)};
    uint32_t model = (uint32_t)random_bits();
    for (int count = 1 + below(most); count > 0; count--)
        add_clause(&formula, model, has_model);
    return formula;
}

static void show(const Formula *formula, const unsigned char *bytes, size_t size)
{
    fprintf(stderr, "p cnf %d %d\n", formula->variables, formula->clauses);
    for (int c = 0; c < formula->clauses; c++) {
        for (int i = 0; i < formula->sizes[c]; i++)
            fprintf(stderr, "%d ", (int)formula->literals[c][i]);
        fprintf(stderr, "0\n");
    }
    for (size_t i = 0; i < size; i++)
        fprintf(stderr, "%02x", bytes[i]);
    fprintf(stderr, "\n");
}

static _Noreturn void found(const char *what, const Formula *formula, const unsigned char *bytes,
                            size_t size)
{
    fprintf(stderr, "%s\n", what);
    show(formula, bytes, size);
    abort();
}

static int accepts(const Formula *formula, uint32_t variables, const unsigned char *bytes, size_t size)
{
    Lrat *lrat = lrat_new(variables, (size_t)formula->clauses);
    int taken = 1;
    for (int c = 0; taken && c < formula->clauses; c++)
        taken = lrat_formula(lrat, formula->literals[c], (size_t)formula->sizes[c]);
    if (!taken)
        abort(); /* the formula is one */
    FILE *file = size ? fmemopen((void *)bytes, size, "rb") : fopen("/dev/null", "rb");
    int accepted = lrat_check(lrat, file);
    if (!accepted && lrat->failure == NULL)
        abort();
    fclose(file);
    lrat_free(lrat);
    return accepted;
}

/* Elaborates a DRAT proof. Returns whether that succeeds, and the core then accepts what it wrote. */
static int elaborates(const Formula *formula, const unsigned char *bytes, size_t size, int has_model)
{
    char *hinted = NULL;
    size_t hinted_size = 0;
    FILE *out = open_memstream(&hinted, &hinted_size);
    Drat *drat = drat_new(formula->variables, (uint32_t)formula->clauses, out);
    int taken = 1;
    for (int c = 0; taken && c < formula->clauses; c++)
        taken = drat_formula(drat, formula->literals[c], (size_t)formula->sizes[c]);
    FILE *file = size ? fmemopen((void *)bytes, size, "rb") : fopen("/dev/null", "rb");
    int done = taken && drat_elaborate(drat, file);
    uint32_t variables = (uint32_t)drat->variables;
    fclose(file);
    fclose(out);
    drat_free(drat);
    int accepted = accepts(formula, variables, (unsigned char *)hinted, hinted_size);
    if (accepted && has_model)
        found("a proof about a formula with a model is accepted", formula, bytes, size);
    if (done && !accepted)
        found("an elaborated proof is refused by the core", formula, bytes, size);
    free(hinted);
    return done;
}

typedef struct {
    int64_t id;
    int size;
    int32_t literals[MOST_LITERALS];
} Live;

typedef struct {
    Live live[2 * MOST_CLAUSES];
    int count, variables;
    int64_t last;
    int8_t values[2 * MOST_VARIABLES + 2]; /* 1 true, -1 false, at MOST_VARIABLES + literal */
    int64_t hints[4 * MOST_CLAUSES];
    int hinted;
} Forge;

static int8_t *value(Forge *forge, int32_t literal)
{
    return &forge->values[MOST_VARIABLES + literal];
}

static void make_true(Forge *forge, int32_t literal)
{
    *value(forge, literal) = 1;
    *value(forge, -literal) = -1;
}

/* Propagates over all clauses from a random one on. Returns whether one became false. */
static int propagates(Forge *forge)
{
    for (int changed = 1; changed;) {
        changed = 0;
        int start = forge->count ? below(forge->count) : 0;
        for (int i = 0; i < forge->count; i++) {
            Live *clause = &forge->live[(start + i) % forge->count];
            int32_t left = 0;
            int several = 0;
            for (int k = 0; k < clause->size; k++)
                if (*value(forge, clause->literals[k]) >= 0 && clause->literals[k] != left) {
                    several |= left != 0;
                    left = clause->literals[k];
                }
            if (several || (left != 0 && *value(forge, left) > 0))
                continue;
            forge->hints[forge->hinted++] = clause->id;
            if (left == 0)
                return 1;
            make_true(forge, left);
            changed = 1;
        }
    }
    return 0;
}

static int contains(const Live *clause, int32_t literal)
{
    for (int k = 0; k < clause->size; k++)
        if (clause->literals[k] == literal)
            return 1;
    return 0;
}

/* Whether the clause is RUP or RAT; `hints` are then why. */
static int is_right(Forge *forge, const int32_t *literals, int size)
{
    memset(forge->values, 0, sizeof forge->values);
    forge->hinted = 0;
    for (int k = 0; k < size; k++) {
        if (*value(forge, literals[k]) > 0)
            return 0;
        make_true(forge, -literals[k]);
    }
    if (propagates(forge))
        return 1;
    if (size == 0)
        return 0;
    int8_t before[sizeof forge->values];
    memcpy(before, forge->values, sizeof before);
    for (int c = 0; c < forge->count; c++) { /* in the order of their ids */
        const Live *clause = &forge->live[c];
        if (!contains(clause, -literals[0]))
            continue;
        if (forge->hinted > 3 * MOST_CLAUSES)
            return 0;
        forge->hints[forge->hinted++] = -clause->id;
        int is_true = contains(clause, literals[0]);
        for (int k = 0; k < clause->size; k++)
            if (clause->literals[k] != -literals[0]) {
                is_true |= *value(forge, clause->literals[k]) > 0;
                if (!is_true)
                    make_true(forge, -clause->literals[k]);
            }
        int follows = is_true || propagates(forge);
        memcpy(forge->values, before, sizeof before);
        if (!follows)
            return 0;
    }
    return 1;
}

static void put_addition(Forge *forge, Proof *proof, const int32_t *literals, int size)
{
    put_byte(proof, 'a');
    put_number(proof, ++forge->last);
    for (int k = 0; k < size; k++)
        put_number(proof, literals[k]);
    put_number(proof, 0);
    int skipped = one_in(6) && forge->hinted ? below(forge->hinted) : -1;
    for (int i = 0; i < forge->hinted; i++) {
        if (i != skipped)
            put_number(proof, one_in(60) ? 1 + below((int)forge->last) : forge->hints[i]);
    }
    put_number(proof, 0);
    if (forge->count < 2 * MOST_CLAUSES) {
        Live *clause = &forge->live[forge->count++];
        clause->id = forge->last;
        clause->size = size;
        for (int k = 0; k < size; k++)
            clause->literals[k] = literals[k];
    }
}

static void put_deletion(Forge *forge, Proof *proof)
{
    int at = forge->count ? below(forge->count) : 0;
    put_byte(proof, 'd');
    put_number(proof, forge->count && !one_in(10) ? forge->live[at].id : 1 + below((int)forge->last + 1));
    put_number(proof, 0);
    if (forge->count > 0 && !one_in(6)) { /* sometimes it forgets that the clause is gone */
        memmove(&forge->live[at], &forge->live[at + 1],
                (size_t)(forge->count - at - 1) * sizeof(Live));
        forge->count--;
    }
}

/* A proof whose steps are right but for a few: hints that are missing or of other clauses, clauses that
 * are gone, and at the end what cannot be right: clauses that do not follow, and the empty one. */
static void forge_proof(const Formula *formula, Proof *proof)
{
    static Forge forge;
    forge.count = 0;
    forge.last = formula->clauses;
    forge.variables = formula->variables + below(3);
    for (int c = 0; c < formula->clauses; c++) {
        Live *clause = &forge.live[forge.count++];
        clause->id = c + 1;
        clause->size = formula->sizes[c];
        memcpy(clause->literals, formula->literals[c], sizeof clause->literals);
    }
    proof->size = 0;
    for (int step = below(24); step >= 0; step--) {
        int32_t literals[MOST_LITERALS];
        int size = 1 + below(3), is_last = step == 0;
        if (!is_last && one_in(6)) {
            put_deletion(&forge, proof);
            continue;
        }
        for (int k = 0; k < size; k++) {
            int variable = 1 + below(forge.variables);
            literals[k] = one_in(2) ? variable : -variable;
        }
        if (is_right(&forge, literals, size) || one_in(12) || (step < 3 && one_in(2)))
            put_addition(&forge, proof, literals, size);
        if (is_last) {
            is_right(&forge, NULL, 0);
            put_addition(&forge, proof, NULL, 0);
        }
    }
}

static void mutate(Proof *proof)
{
    for (int times = below(3); times > 0 && proof->size > 1; times--) {
        size_t at = (size_t)below((int)proof->size);
        switch (below(5)) {
        case 0:
            proof->bytes[at] ^= (unsigned char)(1 << below(8));
            break;
        case 1:
            proof->bytes[at] = (unsigned char)below(256);
            break;
        case 2:
            proof->size = at;
            break;
        case 3:
            memmove(proof->bytes + at, proof->bytes + at + 1, --proof->size - at);
            break;
        case 4: {
            size_t from = (size_t)below((int)proof->size), size = proof->size - (from > at ? from : at);
            memmove(proof->bytes + at, proof->bytes + from, size);
            break;
        }
        }
    }
}

/* Steps of DRAT: resolvents, definitions, deletions, and what does not follow; as text or binary. */
static void derive(const Formula *formula, Proof *proof)
{
    static Forge forge;
    int binary = one_in(2), steps = 1 + below(60);
    int next = formula->variables;
    forge.count = 0;
    for (int c = 0; c < formula->clauses; c++) {
        Live *clause = &forge.live[forge.count++];
        clause->size = formula->sizes[c];
        memcpy(clause->literals, formula->literals[c], sizeof clause->literals);
    }
    proof->size = 0;
    for (int step = 0; step <= steps; step++) {
        int32_t literals[2 * MOST_LITERALS];
        int size = 0, deletes = one_in(8), kind = step == steps ? 3 : below(10);
        const Live *one = &forge.live[below(forge.count)];
        if (deletes && step < steps) {
            size = one->size;
            memcpy(literals, one->literals, sizeof one->literals);
        } else if (kind == 0 && next < MOST_VARIABLES) {
            literals[size++] = next < formula->variables + 2 && one_in(2) ? ++next : next;
            literals[size++] = -(1 + below(formula->variables));
            deletes = 0;
        } else if (kind != 3) {
            const Live *other = &forge.live[below(forge.count)];
            int32_t against = one->size ? one->literals[below(one->size)] : 0;
            deletes = 0;
            for (int k = 0; k < one->size; k++)
                if (one->literals[k] != against)
                    literals[size++] = one->literals[k];
            for (int k = 0; k < other->size; k++)
                if (other->literals[k] != -against)
                    literals[size++] = other->literals[k];
            if (!contains(other, -against) && !one_in(20))
                continue;
        } else if (step < steps) {
            continue;
        } else {
            deletes = 0;
        }
        if (size > MOST_LITERALS)
            continue;
        if (binary) {
            put_byte(proof, deletes ? 'd' : 'a');
            for (int k = 0; k < size; k++)
                put_number(proof, literals[k]);
            put_number(proof, 0);
        } else {
            char text[16 * MOST_LITERALS];
            int used = deletes ? snprintf(text, sizeof text, "d ") : 0;
            for (int k = 0; k < size; k++)
                used += snprintf(text + used, sizeof text - (size_t)used, "%d ", (int)literals[k]);
            used += snprintf(text + used, sizeof text - (size_t)used, "0\n");
            for (int k = 0; k < used; k++)
                put_byte(proof, text[k]);
        }
        if (!deletes && forge.count < 2 * MOST_CLAUSES) {
            Live *clause = &forge.live[forge.count++];
            clause->size = size;
            memcpy(clause->literals, literals, sizeof clause->literals);
        }
    }
}

/* The first byte chooses a formula, and what the others are. */
static void try_bytes(const unsigned char *bytes, size_t size)
{
    if (size < 1)
        return;
    state = 1 + bytes[0] % 16;
    Formula formula = random_formula(1, 24);
    if (bytes[0] & 128)
        elaborates(&formula, bytes + 1, size - 1, 1);
    else if (accepts(&formula, (uint32_t)formula.variables + 2, bytes + 1, size - 1))
        found("a proof about a formula with a model is accepted", &formula, bytes + 1, size - 1);
}

#ifdef GUIDED

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    try_bytes(bytes, size);
    return 0;
}

#else

static void try_file(const char *path)
{
    static unsigned char bytes[MOST_BYTES];
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        exit(2);
    try_bytes(bytes, fread(bytes, 1, sizeof bytes, file));
    fclose(file);
}

static void try_forged(void)
{
    static Proof proof;
    Formula formula = random_formula(1, one_in(4) ? 40 : 12);
    forge_proof(&formula, &proof);
    if (one_in(2))
        mutate(&proof);
    if (accepts(&formula, (uint32_t)formula.variables + 2, proof.bytes, proof.size))
        found("a proof about a formula with a model is accepted", &formula, proof.bytes, proof.size);
}

static int try_drat(void)
{
    static Proof proof;
    int has_model = one_in(3);
    Formula formula = random_formula(has_model, 60);
    derive(&formula, &proof);
    if (one_in(4))
        mutate(&proof);
    return elaborates(&formula, proof.bytes, proof.size, has_model);
}

int main(int count, char **arguments)
{
    if (count < 3 || (count != 4 && strcmp(arguments[1], "files") != 0)) {
        fprintf(stderr, "usage: fuzz forged|drat SECONDS SEED, or fuzz files FILE...\n");
        return 2;
    }
    if (strcmp(arguments[1], "files") == 0) {
        for (int i = 2; i < count; i++)
            try_file(arguments[i]);
        printf("%d proofs tried, 0 of them right\n", count - 2);
        return 0;
    }
    int forged = strcmp(arguments[1], "forged") == 0;
    time_t end = time(NULL) + atoi(arguments[2]);
    unsigned long long tried = 0, held = 0;
    state = 88172645463325252u + (uint64_t)atoi(arguments[3]) * 1000003u;
    do {
        for (int i = 0; i < 1000; i++, tried++) {
            if (forged)
                try_forged();
            else
                held += (unsigned long long)try_drat();
        }
    } while (time(NULL) < end);
    printf("%llu proofs tried, %llu of them right\n", tried, held);
    return 0;
}

#endif
