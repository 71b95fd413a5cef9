/* Numbers for names, in a table with open addresses. */
#include "planes.h"

#include <stdlib.h>
#include <string.h>

enum { FEWEST_NAMES = 64 };

static size_t place_of(const Names *names, const char *name)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (const char *at = name; *at != 0; at++)
        hash = (hash ^ (unsigned char)*at) * 1099511628211u;
    size_t place = hash & (names->room - 1);
    while (names->names[place] != NULL && strcmp(names->names[place], name) != 0)
        place = (place + 1) & (names->room - 1);
    return place;
}

uint64_t names_find(const Names *names, const char *name)
{
    if (names->room == 0)
        return 0;
    size_t place = place_of(names, name);
    return names->names[place] == NULL ? 0 : names->numbers[place];
}

static void grow(Planes *self, Names *names)
{
    Names old = *names;
    size_t room = old.room == 0 ? FEWEST_NAMES : 2 * old.room;
    char **moved = calloc(room, sizeof(char *));
    uint64_t *numbers = calloc(room, sizeof(uint64_t));
    if (moved == NULL || numbers == NULL) {
        free(moved);
        free(numbers);
        planes_fail(self, PLANES_NO_MEMORY);
    }
    *names = (Names){moved, numbers, room, old.count};
    for (size_t i = 0; i < old.room; i++)
        if (old.names[i] != NULL) {
            size_t place = place_of(names, old.names[i]);
            moved[place] = old.names[i];
            numbers[place] = old.numbers[i];
        }
    free(old.names);
    free(old.numbers);
}

void names_set(Planes *self, Names *names, const char *name, uint64_t number)
{
    if (2 * names->count >= names->room)
        grow(self, names);
    size_t place = place_of(names, name);
    if (names->names[place] == NULL) {
        if ((names->names[place] = strdup(name)) == NULL)
            planes_fail(self, PLANES_NO_MEMORY);
        names->count++;
    }
    names->numbers[place] = number;
}

void names_free(Names *names)
{
    for (size_t i = 0; i < names->room; i++)
        free(names->names[i]);
    free(names->names);
    free(names->numbers);
}
