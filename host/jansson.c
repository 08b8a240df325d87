/* jansson, loaded at the first document: a program without documents starts faster, and runs where
 * jansson is not installed. Its functions are defined here under their own names, so that the
 * inline functions and macros of its header use these. Without the library there are no values, and
 * each function does what it does for none: nothing. */
#include <jansson.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/library.h"

#define JANSSON_FUNCTIONS(F)                                                             \
    F(json_t *, json_object, (void), ())                                                 \
    F(json_t *, json_string, (const char *value), (value))                               \
    F(char *, json_dumps, (const json_t *json, size_t flags), (json, flags))             \
    F(int, json_equal, (const json_t *left, const json_t *right), (left, right))         \
    F(json_int_t, json_integer_value, (const json_t *json), (json))                      \
    F(const char *, json_string_value, (const json_t *json), (json))                     \
    F(size_t, json_array_size, (const json_t *array), (array))                           \
    F(json_t *, json_array_get, (const json_t *array, size_t index), (array, index))     \
    F(size_t, json_object_size, (const json_t *object), (object))                        \
    F(json_t *, json_object_get, (const json_t *object, const char *key), (object, key)) \
    F(int, json_object_set_new, (json_t * object, const char *key, json_t *value),       \
      (object, key, value))                                                              \
    F(void *, json_object_iter, (json_t * object), (object))                             \
    F(void *, json_object_iter_next, (json_t * object, void *iter), (object, iter))      \
    F(const char *, json_object_iter_key, (void *iter), (iter))                          \
    F(json_t *, json_object_iter_value, (void *iter), (iter))                            \
    F(void *, json_object_key_to_iter, (const char *key), (key))
/* Functions that report when it cannot be loaded; the last one has no result. */
#define OTHER_FUNCTIONS(F)                                                                      \
    F(json_t *, json_loads, (const char *text, size_t flags, json_error_t *error), unused)      \
    F(json_t *, json_loadb, (const char *text, size_t size, size_t flags, json_error_t *error), \
      unused)                                                                                   \
    F(void, json_delete, (json_t * json), unused)

#define POINTER(type, name, parameters, arguments) ILPI_LIBRARY_POINTER(name)
#define NAME(type, name, parameters, arguments)    ILPI_LIBRARY_NAME(name)

struct jansson {
    JANSSON_FUNCTIONS(POINTER)
    OTHER_FUNCTIONS(POINTER)
};

static _Atomic(struct jansson *) loaded;

/* NULL: it is not installed, or there is no memory; *status has the reason. Two threads may load it
 * at once; the second one's table is dropped. The library stays loaded. */
static const struct jansson *load(ilp_status *status)
{
    static const struct ilpi_library_function names[] = {JANSSON_FUNCTIONS(NAME)
                                                             OTHER_FUNCTIONS(NAME)};
    struct jansson *jansson = atomic_load(&loaded), *other = NULL;
    if (jansson) {
        return jansson;
    }
    jansson = malloc(sizeof *jansson);
    *status = jansson ? ilpi_library_load(JANSSON_SONAME, names, sizeof names / sizeof names[0],
                                          jansson, sizeof *jansson)
                      : ILP_E_NO_MEMORY;
    if (*status != ILP_OK) {
        free(jansson);
        return NULL;
    }
    if (!atomic_compare_exchange_strong(&loaded, &other, jansson)) { /* by another thread */
        free(jansson);
        return other;
    }
    return jansson;
}

#define DEFINE(type, name, parameters, arguments)           \
    type name parameters                                    \
    {                                                       \
        ilp_status status;                                  \
        const struct jansson *jansson = load(&status);      \
        return jansson ? jansson->name arguments : (type)0; \
    }
JANSSON_FUNCTIONS(DEFINE)

/* As jansson reports errors itself: a text whose last byte is the error's code. */
static json_t *not_loaded(json_error_t *error, ilp_status status)
{
    bool no_memory = status == ILP_E_NO_MEMORY;
    if (error) {
        *error = (json_error_t){.line = -1, .column = -1};
        snprintf(error->text, sizeof error->text, "%s",
                 no_memory ? "out of memory" : JANSSON_SONAME " is not installed");
        error->text[sizeof error->text - 1] = no_memory ? json_error_out_of_memory
                                                        : json_error_unknown;
    }
    return NULL;
}

json_t *json_loads(const char *text, size_t flags, json_error_t *error)
{
    ilp_status status;
    const struct jansson *jansson = load(&status);
    return jansson ? jansson->json_loads(text, flags, error) : not_loaded(error, status);
}

json_t *json_loadb(const char *text, size_t size, size_t flags, json_error_t *error)
{
    ilp_status status;
    const struct jansson *jansson = load(&status);
    return jansson ? jansson->json_loadb(text, size, flags, error) : not_loaded(error, status);
}

void json_delete(json_t *json)
{
    const struct jansson *jansson = atomic_load(&loaded);
    if (jansson) { /* loaded by the other thread */
        jansson->json_delete(json);
    }
}
