/* A native function as an inspector: its names, checked and copied. native.c uses it. */
#include <stdio.h>

#include "inspect/inspector.h"
#include "base/utf8.h"

/* Each becomes part of a name in the metadata: UTF-8, and not too long for runtimes. */
#define MAX_NATIVE_NAME 400u

/* Names are written to metadata (#Strings is UTF-8) and to error messages. */
static bool is_name(const char *text)
{
    size_t size = text ? strlen(text) : 0;
    for (size_t at = 0; at < size;) {
        uint32_t code;
        unsigned length = ilpi_utf8_read((const uint8_t *)text + at, size - at, &code);
        if (length == 0 || ilpi_utf8_is_control(code) || ilpi_utf8_is_surrogate(code)) {
            return false;
        }
        at += length;
    }
    return size != 0 && size <= MAX_NATIVE_NAME;
}

static const char *copy_name(struct ilp_inspector *inspector, const char *name)
{
    return ilpi_arena_copy(&inspector->arena, name, strlen(name) + 1);
}

/* The name in messages, and of the class in the module: "LIBRARY!SYMBOL", or the address. */
static const char *name_whole(struct ilp_inspector *inspector, const struct ilp_native *native,
                              bool named)
{
    char whole[2 * MAX_NATIVE_NAME + 2];
    if (named) {
        snprintf(whole, sizeof whole, "%s!%s", native->library, native->symbol);
    } else {
        snprintf(whole, sizeof whole, "0x%llx", (unsigned long long)native->address);
    }
    return ilpi_arena_copy(&inspector->arena, whole, strlen(whole) + 1);
}

/* A native function is an inspector with one overload, which takes an id, so that all other code
 * treats it like a class. */
static ilp_status set_native(struct ilp_inspector *inspector, const struct ilp_native *native,
                             struct ilp_error *error)
{
    static const char *const name_spaces[] = {
        [ILP_NATIVE_PINVOKE] = "<ilpatch>.PInvoke",
        [ILP_NATIVE_PINVOKE_NO_TRANSITION] = "<ilpatch>.SuppressGCTransition"};
    bool named = native->call < ILP_NATIVE_CALLI;
    struct ilp_native *copy = ilpi_arena_alloc(&inspector->arena, sizeof *copy);
    struct ilpi_overload *overload = ilpi_arena_alloc(&inspector->arena, sizeof *overload);
    const char *library = copy_name(inspector, named ? native->library : "");
    const char *symbol = copy_name(inspector, named ? native->symbol : "");
    const char *whole = name_whole(inspector, native, named);
    if (!copy || !overload || !library || !symbol || !whole) {
        return ilpi_fail_memory(error, sizeof *copy);
    }
    *copy = *native;
    copy->library = library;
    copy->symbol = symbol;
    *overload =
        (struct ilpi_overload){.form = ILPI_OVERLOAD_NATIVE, .takes = ILP_PASS_ID, .name = symbol};
    inspector->native = copy;
    inspector->identity = (struct ilp_assembly_name){.name = whole, .culture = ""};
    inspector->name_space = named ? name_spaces[native->call] : "";
    inspector->type_name = whole;
    inspector->overloads = overload;
    inspector->overload_count = 1;
    inspector->forms[ILPI_OVERLOAD_NATIVE][ILP_PASS_ID] = true;
    for (unsigned state = 0; state < 2 && native->exception != 0; state++) {
        /* it always gets the id */
        inspector->exceptions[state][ILP_PASS_NAME] = overload;
        inspector->exceptions[state][ILP_PASS_ID] = overload;
    }
    return ILP_OK;
}

ilp_status ilp_inspector_open_native(struct ilp_inspector **out, const struct ilp_native *native,
                                     const struct ilp_allocator *allocator, struct ilp_error *error)
{
    *out = NULL;
    ILPI_TRY(ILPI_CHECK_RESERVED(native, error));
    if (native->call < ILP_NATIVE_CALLI &&
        (!is_name(native->library) || !is_name(native->symbol))) {
        return ilpi_fail(error, ILP_E_BAD_INSPECTOR, ILPI_NO_OFFSET, 0,
                         "a library and a function have names of UTF-8, of 1 to %u bytes",
                         MAX_NATIVE_NAME);
    }
    struct ilp_inspector *inspector = ilpi_object_open(sizeof *inspector, allocator, error);
    if (!inspector) {
        return ILP_E_NO_MEMORY;
    }
    inspector->arena.alloc = &inspector->alloc;
    ilp_status status = set_native(inspector, native, error);
    if (status != ILP_OK) {
        ilp_inspector_close(inspector);
        return status;
    }
    *out = inspector;
    return ILP_OK;
}
