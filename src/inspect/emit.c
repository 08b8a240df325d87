/* Makes the new body of a method. Tokens are requested last, when everything that can refuse the
 * method has been checked.
 *
 * Parts of the new body, in order: arguments at entry (arguments.c); before each site the sequence
 * (sequence.c), within its guard (guard.c); appended, the filter and the new end (exceptions.c).
 * patch.c relocates the old code around them.
 *
 *   ilpi_emit:  native_check, number_locals, check_room      may refuse
 *     build:    arguments, exceptions, sequence               tokens, and the instructions
 *               insert, clauses, locals, MaxStack             the body from them
 *               ilpi_emit_body                                bytes
 *
 * Locals that are added, in this order, after the method's own (number_locals() and
 * put_local_types() must agree):
 *
 *   copy       a native function's copy; or the guard's: the value, what is below it
 *   state      the result of MyArguments
 *   value      what leaves the try block of the exception filter
 *   exception  the guard's for an exception */
#include "inspect/emit.h"

#include "inspect/arguments.h"
#include "inspect/exceptions.h"
#include "inspect/guard.h"
#include "inspect/locals.h"
#include "inspect/native/native_call.h"
#include "inspect/plan.h"
#include "inspect/sequence.h"

/* Stack height from the value to the call: the value, its copy while a reference is dereferenced or
 * the name after it, and `this` below it if an iterator's field is written. */
static uint32_t call_height(const struct ilpi_method_job *job)
{
    const struct ilp_inspector *inspector = job->binding->inspector;
    if (inspector->native) {
        return ilpi_native_height(inspector);
    }
    return 1u + (job->overload->takes != ILP_PASS_VALUE || job->decision.by_reference) +
           (job->location.field != 0 && job->overload->replaces) + job->passes_state;
}

/* MaxStack is computed from the depth at each site and what the inserted code adds there; the old
 * value is kept if it was larger (II.25.4.3: MaxStack may be too large, never too small). */
static uint32_t new_max_stack(const struct ilpi_method_job *job)
{
    const struct ilpi_scratch *scratch = job->scratch;
    const struct ilp_body *body = &job->body;
    uint32_t height = job->overload ? call_height(job) : 0;
    uint32_t needed = job->arguments.height;
    uint32_t before = ilpi_passes_at_sites(job) ? job->arguments.height : 0;
    if (job->exceptions.taken) { /* what the filter passes, and the value alone at the end */
        uint32_t filter = ilpi_exceptions_height(job);
        needed = needed > filter ? needed : filter;
        needed = needed > height + 1 ? needed : height + 1;
    }
    for (size_t i = 0; i < scratch->insertions.count && !job->exceptions.taken; i++) {
        uint32_t depth = job->returns_last
                             ? ilpi_returns_value(job)
                             : scratch->stack.depth[scratch->insertions.items[i].insn];
        uint32_t added = ilpi_is_exception_site(job, &scratch->insertions.items[i])
                             ? ilpi_exceptions_height(job)
                             : height;
        added = before > added ? before : added;
        uint32_t higher = depth > added ? depth : added;
        /* a guard moves all that is on the stack to locals before it calls */
        uint32_t here = job->action.guard ? higher : depth + added;
        needed = here > needed ? here : needed;
    }
    if (ilpi_off_switch(job) && needed < ILPI_GUARD_OFF_HEIGHT) {
        needed = ILPI_GUARD_OFF_HEIGHT;
    }
    uint32_t found = job->returns_last ? scratch->pass.max : scratch->stack.max;
    uint32_t computed = found > needed ? found : needed;
    return body->fat && body->max_stack > computed ? body->max_stack : computed;
}

static void report_call(const struct ilpi_method_job *job)
{
    struct ilp_method_result *result = job->result;
    result->nameless = result->passes != job->overload->takes;
    result->passes = job->overload->takes;
    result->id = result->passes == ILP_PASS_ID ? ilpi_method_id(job->module, job->reported) : 0;
    result->value = result->native && !job->ends ? job->decision.value
                                                 : (struct ilp_bytes){NULL, 0};
}

/* A native function gets nothing of the method except its exceptions, with its id. */
static void report_exceptions(const struct ilpi_method_job *job)
{
    struct ilp_method_result *result = job->result;
    result->native = job->binding->inspector->native != NULL;
    if (result->native) {
        result->passes = ILP_PASS_ID;
        result->id = ilpi_method_id(job->module, job->reported);
    }
}

/* Inserts the arguments' instructions into a sequence, at an offset. */
static ilp_status put_arguments_into(struct ilpi_method_job *job, uint32_t offset,
                                     struct ilp_bytes *sequence, struct ilp_error *error)
{
    struct ilp_bytes inner = job->arguments.bytes;
    size_t size = inner.size + sequence->size;
    uint8_t *bytes = ilpi_arena_alloc(&job->scratch->arena, size);
    if (!bytes) {
        return ilpi_fail_memory(error, size);
    }
    memcpy(bytes, sequence->data, offset);
    memcpy(bytes + offset, inner.data, inner.size);
    memcpy(bytes + offset + inner.size, sequence->data + offset, sequence->size - offset);
    *sequence = (struct ilp_bytes){bytes, size};
    return ILP_OK;
}

/* The same inside the guard, if there is one. The two offsets after the arguments move with them;
 * try_offset is before them. */
static ilp_status put_arguments_within(struct ilpi_method_job *job, struct ilpi_guard *guard,
                                       struct ilp_bytes *sequence, struct ilp_error *error)
{
    if (sequence->size == 0) {
        return ILP_OK;
    }
    ILPI_TRY(put_arguments_into(job, guard->arguments, sequence, error));
    guard->handler_offset += (uint32_t)job->arguments.bytes.size;
    guard->end += (uint32_t)job->arguments.bytes.size;
    return ILP_OK;
}

/* The instructions at entry come first; branches to the first instruction skip them: a loop to the
 * start must not pass the arguments again. */
static ilp_status insert_arguments(struct ilpi_method_job *job, struct ilp_error *error)
{
    struct ilpi_scratch *scratch = job->scratch;
    struct ilp_bytes bytes = job->arguments.bytes;
    struct ilpi_insertion first = {.entry = (uint32_t)bytes.size, .bytes = bytes};
    if (scratch->insertions.count != 0 && scratch->insertions.items[0].insn == 0) {
        /* the body is a single ret, of a void method */
        scratch->insertions.items[0].entry = (uint32_t)bytes.size;
        return put_arguments_into(job, 0, &scratch->insertions.items[0].bytes, error);
    }
    ILPI_TRY(ILPI_LIST_ADD(&scratch->alloc, &scratch->insertions, first, error));
    struct ilpi_insertion *items = scratch->insertions.items;
    memmove(items + 1, items, (scratch->insertions.count - 1) * sizeof *items);
    items[0] = first;
    return ILP_OK;
}

/* Inserts before each site the instructions that pass its value or exception, preceded by those of
 * the arguments, unless these are passed at entry. */
static ilp_status insert_at_sites(struct ilpi_method_job *job, struct ilp_bytes value,
                                  struct ilp_error *error)
{
    struct ilpi_scratch *scratch = job->scratch;
    struct ilpi_exceptions *exceptions = &job->exceptions;
    struct ilp_bytes exception = {exceptions->code, exceptions->size};
    if (ilpi_passes_at_sites(job)) {
        ILPI_TRY(put_arguments_within(job, &job->guard, &value, error));
        ILPI_TRY(put_arguments_within(job, &exceptions->guard, &exception, error));
    }
    for (size_t i = 0; i < scratch->insertions.count; i++) {
        struct ilpi_insertion *insertion = &scratch->insertions.items[i];
        uint32_t kept = insertion->entry; /* the ret that a tail call keeps */
        insertion->bytes = ilpi_is_exception_site(job, insertion)
                               ? exception
                               : (struct ilp_bytes){value.data - kept, value.size + kept};
    }
    exceptions->with_arguments = exception.data;
    return ILP_OK;
}

/* Inserts the sequence before each site. */
static ilp_status insert(struct ilpi_method_job *job, size_t size, struct ilp_error *error)
{
    struct ilpi_scratch *scratch = job->scratch;
    struct ilp_bytes sequence = {scratch->sequence + 1, size != 0 ? size - 1 : 0};
    scratch->patch.leave = 0;
    ILPI_TRY(job->exceptions.taken ? ilpi_exceptions_insert(job, error)
                                   : insert_at_sites(job, sequence, error));
    if (job->passes_state && !ilpi_passes_at_sites(job)) {
        ILPI_TRY(insert_arguments(job, error));
    }
    if (job->returns_last) {
        return ilpi_patch_at_end(&scratch->patch, &job->body, scratch->insertions.items[0].bytes,
                                 error);
    }
    ILPI_TRY(ilpi_patch_apply(&scratch->patch, &scratch->code, &job->body,
                              scratch->insertions.items, scratch->insertions.count, error));
    return job->exceptions.taken ? ilpi_exceptions_append(job, sequence, &job->guard.at_end, error)
                                 : ILP_OK;
}

/* Whether there is a guard around the call with the value. */
static bool guards_value(const struct ilpi_method_job *job)
{
    return job->action.guard && job->overload;
}

/* Whether the call with an exception has a guard: a filter needs none. */
static bool guards_exception(const struct ilpi_method_job *job)
{
    return job->action.guard && job->exceptions.set;
}

/* The number of new locals before that for the value that leaves a try block, or before those for
 * an exception: a native function's local; or a guard's, then that of the arguments' state. */
static uint32_t first_local_count(const struct ilpi_method_job *job)
{
    if (job->binding->inspector->native) {
        return ilpi_native_copied(job).size != 0;
    }
    return (guards_value(job) ? ilpi_guard_local_count(job) : 0) + job->passes_state;
}

static uint32_t new_local_count(const struct ilpi_method_job *job)
{
    return first_local_count(job) + (job->exceptions.taken && job->exceptions.returns) +
           (guards_exception(job) ? ilpi_guard_local_count(job) : 0);
}

/* In the order in which number_locals() numbers them:
 *
 *   old locals | copy or guard's value | state | returned value | guard's exception */
static void put_local_types(const struct ilpi_method_job *job, struct ilpi_buf *types)
{
    if (job->binding->inspector->native) {
        struct ilp_bytes copied = ilpi_native_copied(job);
        ilpi_buf_bytes_add(types, copied.data, copied.size);
    } else {
        if (guards_value(job)) {
            static const uint8_t truth[] = {ILP_ELEMENT_BOOLEAN};
            ilpi_guard_local_types(job,
                                   job->location.field != 0
                                       ? (struct ilp_bytes){truth, sizeof truth}
                                       : job->decision.returned,
                                   types);
        }
        if (job->passes_state) {
            ilpi_buf_u8(types, ILP_ELEMENT_OBJECT);
        }
    }
    if (job->exceptions.taken && job->exceptions.returns) {
        ilpi_buf_bytes_add(types, job->decision.returned.data, job->decision.returned.size);
    }
    if (guards_exception(job)) {
        ilpi_guard_local_types(job, job->exceptions.type, types);
    }
}

/* The types of all new locals are appended at once: each StandAloneSig is a row more. */
static ilp_status add_locals(struct ilpi_method_job *job, struct ilp_body *changed,
                             struct ilp_error *error)
{
    struct ilpi_buf types = {.alloc = job->module->alloc};
    uint32_t count = new_local_count(job);
    if (count == 0) {
        return ILP_OK;
    }
    put_local_types(job, &types);
    ilp_status status = types.status == ILP_OK
                            ? ilpi_locals_add(job->module, ilpi_buf_bytes(&types), count, changed,
                                              error)
                            : ilpi_fail_memory(error, types.size);
    ilpi_buf_free(&types);
    return status;
}

static ilp_status add_clauses(struct ilpi_method_job *job, struct ilp_body *changed,
                              struct ilp_error *error)
{
    if (job->action.guard) {
        ILPI_TRY(ilpi_guard_clauses(job, changed, error));
    }
    return job->exceptions.taken ? ilpi_exceptions_clause(job, changed, error) : ILP_OK;
}

ilp_status ilpi_emit_body(struct ilpi_method_job *job, const struct ilp_body *changed,
                          struct ilp_error *error)
{
    struct ilpi_scratch *scratch = job->scratch;
    scratch->body.size = 0;
    scratch->body.status = ILP_OK;
    ILPI_TRY(ilpi_body_write(&scratch->body, changed, error));
    job->result->body = ilpi_buf_bytes(&scratch->body);
    job->result->moved = ilpi_patch_moves(&scratch->patch, &scratch->code);
    scratch->has_map = true;
    return ILP_OK;
}

/* Makes the tokens and the new body. */
static ilp_status build(struct ilpi_method_job *job, struct ilp_error *error)
{
    struct ilpi_scratch *scratch = job->scratch;
    size_t size = 0;
    if (job->passes_state) { /* first, since it has the longer name, which may not fit the heap */
        ILPI_TRY(ilpi_arguments_build(job, error));
    }
    if (job->exceptions.taken || job->exceptions.set) {
        ILPI_TRY(ilpi_exceptions_build(job, error));
    }
    if (job->overload) {
        ILPI_TRY(ilpi_sequence_build(job, &size, error));
        report_call(job);
    } else {
        report_exceptions(job);
    }
    ILPI_TRY(insert(job, size, error));
    struct ilp_body changed = job->body;
    changed.code = ilpi_buf_bytes(&scratch->patch.code);
    changed.clauses = job->returns_last ? job->body.clauses : scratch->patch.clauses;
    ILPI_TRY(add_clauses(job, &changed, error));
    ILPI_TRY(add_locals(job, &changed, error));
    changed.max_stack = (uint16_t)new_max_stack(job);
    return ilpi_emit_body(job, &changed, error);
}

/* An upper bound, so that a method that would exceed the limit is refused before its first
 * token. */
ilp_status ilpi_emit_check_room(const struct ilpi_method_job *job, size_t inserted, size_t clauses,
                                struct ilp_error *error)
{
    const struct ilpi_scratch *scratch = job->scratch;
    size_t body = ilpi_patched_size(&scratch->code, inserted) + job->body.other.size +
                  clauses * sizeof *job->body.clauses;
    return ilpi_alloc_check(&scratch->alloc,
                            body + ilpi_patch_memory(&scratch->code, inserted, clauses), error);
}

/* An upper bound, so that the buffers can be reserved once and sequences are written without
 * checks. */
static ilp_status check_room(const struct ilpi_method_job *job, struct ilp_error *error)
{
    const struct ilpi_scratch *scratch = job->scratch;
    size_t sites = scratch->insertions.count;
    /* each ret becomes a store and a leave; two more are for the filter and for the new end */
    size_t leaves = job->exceptions.taken ? scratch->code.exits.count + 2 : 0;
    size_t passed = ilpi_passes_at_sites(job) ? sites : 1;
    size_t inserted = (sites + leaves) * ILPI_MAX_SEQUENCE + passed * job->arguments.room;
    size_t clauses = job->body.clause_count + (job->action.guard ? sites + passed : 0) +
                     job->exceptions.taken;
    return ilpi_emit_check_room(job, inserted, clauses, error);
}

/* The same for one sequence at the end: the new code, and the body around it. */
static ilp_status check_room_at_end(const struct ilpi_method_job *job, struct ilp_error *error)
{
    size_t body = job->body.size + ILPI_MAX_SEQUENCE + ILPI_FAT_HEADER_BYTES;
    return ilpi_alloc_check(&job->scratch->alloc, 2 * body, error);
}

/* `copy` is the first of the new locals; those that come after it depend on which of them there are
 * (first_local_count()). With 65,535 locals (II.25.4.4: ldloc has 16 bits) a method is refused. */
static ilp_status number_locals(struct ilpi_method_job *job, struct ilp_error *error)
{
    uint32_t more = new_local_count(job);
    uint32_t next;
    if (guards_value(job) || guards_exception(job)) {
        ILPI_TRY(ilpi_guard_check(job, error));
    }
    if (more == 0) {
        return ILP_OK;
    }
    ILPI_TRY(ilpi_locals_room(job->module, &job->body, more, &next, error));
    job->copy = next;
    job->exceptions.local = next + first_local_count(job);
    job->exceptions.guard.local = job->exceptions.local;
    job->arguments.state = job->exceptions.local - 1;
    return ILP_OK;
}

ilp_status ilpi_emit(struct ilpi_method_job *job, struct ilp_error *error)
{
    if (job->binding->inspector->native) {
        ILPI_TRY(ilpi_native_check(job, error));
    }
    ILPI_TRY(number_locals(job, error));
    ILPI_TRY(job->returns_last ? check_room_at_end(job, error) : check_room(job, error));
    return job->module->emitter ? build(job, error) : ILP_OK;
}
