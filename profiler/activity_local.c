/* See activity_local.h. Each assembly of that name has its own class, so the field is looked up
 * once per type of AsyncLocal objects, and the result is cached.
 *
 * The runtime returns the address of a static field only to callbacks and to unknown threads:
 * GetAppDomainStaticAddress refuses a managed thread called from compiled code. So a thread of our
 * own queries it, once, while we wait: by that function's contract it neither waits for a garbage
 * collection nor triggers one, as objects.h requires. */
#include "profiler/activity_local.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "metadata/flags.h"
#include "metadata/image.h"
#include "profiler/own_thread.h"

/* The limit of copies of the assembly; further ones are unknown. */
enum { MAX_TYPES = 8 };

/* The type of AsyncLocal<Activity> objects, by the method table that they begin with. */
struct local_type {
    _Atomic uintptr_t table; /* 0: free */
    ModuleID module;         /* of the Activity */
    enum ilp_tristate known;
    const void *const *field; /* ILP_YES: s_current */
};

struct activity_locals {
    void *info;
    struct loaded *loaded;
    struct local_type types[MAX_TYPES]; /* written under the lock of `loaded` */
};

/* ---- the field ---- */

struct static_field {
    void *info;
    ClassID class;
    ModuleID module;
    ilp_token token;
    void *address;
    HRESULT result;
};

/* Not read if the module can be unloaded, since the field may then move. */
static void *find_address(void *argument)
{
    struct static_field *field = argument;
    const uint8_t *base;
    ULONG length, flags = 0;
    AssemblyID assembly;
    AppDomainID domain;
    field->result = CALL(ICorProfilerInfo3, GetModuleInfo2, field->info)(
        field->info, field->module, &base, 0, &length, NULL, &assembly, &flags);
    if (field->result >= 0 && (flags & MODULE_COLLECTIBLE) != 0) {
        field->result = E_FAIL;
    }
    if (field->result >= 0) {
        field->result = CALL(ICorProfilerInfo, GetAssemblyInfo,
                             field->info)(field->info, assembly, 0, &length, NULL, &domain, NULL);
    }
    if (field->result >= 0) {
        field->result = CALL(ICorProfilerInfo2, GetAppDomainStaticAddress, field->info)(
            field->info, field->class, field->token, domain, &field->address);
    }
    return NULL;
}

/* ILP_NO: the class has not been initialized yet, so no activity is current. */
static enum ilp_tristate read_address(struct static_field *field)
{
    pthread_t thread;
    if (!own_thread_start(&thread, find_address, field)) {
        return ILP_UNKNOWN;
    }
    pthread_join(thread, NULL);
    if (field->result == CORPROF_E_DATAINCOMPLETE) {
        return ILP_NO;
    }
    return field->result >= 0 && field->address ? ILP_YES : ILP_UNKNOWN;
}

/* ---- the class ---- */

static bool is_meant(const struct ilp_image *image)
{
    struct ilp_assembly_name name;
    return ilp_image_assembly_name(image, &name) &&
           strcmp(name.name, "System.Diagnostics.DiagnosticSource") == 0;
}

/* 0: the class has no such static field. */
static ilp_token find_current(const struct ilp_image *image, ilp_rid class)
{
    ilp_rid first, end;
    ilpi_list(image, ILP_TypeDef, class, ILP_TypeDef_FieldList, &first, &end);
    for (ilp_rid at = first; at < end; at++) {
        ilp_rid field = ilpi_list_row(image, ILP_Field, at);
        if ((ilp_cell(image, ILP_Field, field, ILP_Field_Flags) & ILPI_FIELD_STATIC) != 0 &&
            ilpi_string_is(image, ilp_cell(image, ILP_Field, field, ILP_Field_Name), "s_current")) {
            return ILP_TOKEN(ILP_Field, field);
        }
    }
    return 0;
}

static bool read_class(const struct activity_locals *locals, ClassID id, ModuleID *module,
                       ilp_token *token, ClassID *argument)
{
    ClassID parent;
    ULONG count = 0;
    return CALL(ICorProfilerInfo2, GetClassIDInfo2, locals->info)(locals->info, id, module, token,
                                                                  &parent, argument != NULL, &count,
                                                                  argument) == S_OK &&
           count == (argument != NULL);
}

/* *keeps: the result holds for all objects of this type, and may be cached. */
static enum ilp_tristate look_up(struct activity_locals *locals, uintptr_t table,
                                 struct local_type *type, bool *keeps)
{
    struct static_field field = {.info = locals->info};
    ModuleID core;
    ilp_token token;
    *keeps = true;
    if (!read_class(locals, table, &core, &token, &field.class) ||
        !read_class(locals, field.class, &field.module, &token, NULL)) {
        return ILP_UNKNOWN;
    }
    struct ilp_image *image = loaded_image(locals->loaded, field.module);
    type->module = field.module;
    if (!image || ILP_TOKEN_RID(token) > ilp_row_count(image, ILP_TypeDef)) {
        return ILP_UNKNOWN;
    }
    if (!is_meant(image)) {
        return ILP_NO;
    }
    field.token = find_current(image, ILP_TOKEN_RID(token));
    enum ilp_tristate known = field.token != 0 ? read_address(&field) : ILP_UNKNOWN;
    *keeps = known != ILP_NO;
    type->field = field.address;
    return known;
}

/* Under the lock. */
static const struct local_type *keep(struct activity_locals *locals, uintptr_t table,
                                     struct local_type *found)
{
    size_t i = 0;
    bool keeps = false;
    while (i < MAX_TYPES && atomic_load(&locals->types[i].table) != 0) {
        if (atomic_load(&locals->types[i].table) == table) {
            return &locals->types[i];
        }
        i++;
    }
    found->known = i < MAX_TYPES ? look_up(locals, table, found, &keeps) : ILP_UNKNOWN;
    if (i == MAX_TYPES || !keeps) {
        return found;
    }
    locals->types[i].module = found->module;
    locals->types[i].known = found->known;
    locals->types[i].field = found->field;
    atomic_store(&locals->types[i].table, table);
    return &locals->types[i];
}

/* By the type of the object first, which is cached; only a type that was not met yet takes the
 * lock. *type->field is read again each time: the static field may be set later. */
enum ilp_tristate activity_local_is_current(void *user, const void *local)
{
    struct activity_locals *locals = user;
    struct local_type found = {.known = ILP_UNKNOWN};
    const struct local_type *type = NULL;
    uintptr_t table;
    memcpy(&table, local, sizeof table);
    table &= ~(uintptr_t)7; /* without marks of a garbage collection */
    for (size_t i = 0; i < MAX_TYPES && !type; i++) {
        type = atomic_load(&locals->types[i].table) == table ? &locals->types[i] : NULL;
    }
    if (!type) {
        loaded_lock(locals->loaded);
        type = keep(locals, table, &found);
        loaded_unlock(locals->loaded, false);
    }
    if (type->known != ILP_YES) {
        return type->known;
    }
    return *type->field == local ? ILP_YES : ILP_NO;
}

/* Removes its types, and frees their entries. */
void activity_locals_module_goes(struct activity_locals *locals, ModuleID id)
{
    for (size_t i = 0; i < MAX_TYPES; i++) {
        if (locals->types[i].module == id) {
            locals->types[i].module = 0;
            atomic_store(&locals->types[i].table, 0);
        }
    }
}

struct activity_locals *activity_locals_open(void *info, struct loaded *loaded)
{
    struct activity_locals *locals = calloc(1, sizeof *locals);
    if (locals) {
        locals->info = info;
        locals->loaded = loaded;
    }
    return locals;
}

void activity_locals_close(struct activity_locals *locals)
{
    free(locals);
}
