/* A guard around the inspector's call: its exceptions are caught, and the value is returned.
 *
 *        stloc N    the evaluation stack has to be empty where a try block begins (III.1.8.1.3)
 *   .try { ldloc N; ...; call; leave END }
 *   catch System.Object { pop; leave END }
 *   END: ldloc N
 *
 * With on-throw="off", which switches the inspector off after an exception, the try block begins
 * with a test of the switch, and the handler passes the exception to a native function:
 *
 *   .try { ldc.i8 flag; conv.i; ldind.u1; brtrue OFF; ldloc N; ...; call; OFF: leave END }
 *   catch System.Object { isinst System.Exception; ldc.i8 number; ldc.i8 address; conv.i; calli;
 *                         leave END }
 *
 * N is a new local after all others, of the method's return type. If the value is the argument of a
 * call, the object or address below it is kept in N + 1. The new try blocks and handlers hold only
 * inserted code: they may be nested in other clauses, never the reverse, so their clauses come
 * first (I.12.4.2.7). */
#include "inspect/guard.h"

#include "base/buf.h"
#include "inspect/core_token.h"
#include "inspect/locals.h"
#include "inspect/put.h"

/* The number of values on the stack, which are kept in locals. */
uint32_t ilpi_guard_local_count(const struct ilpi_method_job *job)
{
    return job->location.below.size != 0 ? 2 : 1;
}

/* Whether an instruction is in a filter, where a try block is not allowed (I.12.4.2.8.2.2). */
static bool in_filter(const struct ilp_body *body, uint32_t offset)
{
    for (size_t i = 0; i < body->clause_count; i++) {
        const struct ilp_eh_clause *clause = &body->clauses[i];
        if (clause->flags == ILPI_EH_FILTER && offset >= clause->token_or_filter &&
            offset < clause->handler_offset) {
            return true;
        }
    }
    return false;
}

/* At a ret the value is alone on the stack, and a ret is never in a filter; the calls of compilers'
 * state machines have the same form. Only sites with something below the value, which are calls,
 * are checked: the new locals hold two values, and the stack must be empty where a try block
 * begins. */
static ilp_status check_sites(const struct ilpi_method_job *job, struct ilp_error *error)
{
    const struct ilp_body *body = &job->body;
    const struct ilpi_scratch *scratch = job->scratch;
    for (size_t i = 0; i < scratch->insertions.count && job->location.below.size != 0; i++) {
        uint32_t insn = scratch->insertions.items[i].insn;
        uint32_t offset = scratch->code.insns[insn].offset;
        if (scratch->stack.depth[insn] != ilpi_guard_local_count(job) || in_filter(body, offset)) {
            return ilpi_fail(error, ILP_E_TOO_LARGE, body->code_offset + offset, 0,
                             "IL_%04x: no room for a try block: other values are on the "
                             "stack, or it is in a filter",
                             offset);
        }
    }
    return ILP_OK;
}

ilp_status ilpi_guard_check(struct ilpi_method_job *job, struct ilp_error *error)
{
    ILPI_TRY(ilpi_locals_room(job->module, &job->body, ilpi_guard_local_count(job),
                              &job->guard.local, error));
    return check_sites(job, error);
}

ilp_status ilpi_guard_tokens(struct ilpi_method_job *job, struct ilp_error *error)
{
    /* void (object, int64) by the managed convention */
    static const uint8_t threw[] = {0, 2, ILP_ELEMENT_VOID, ILP_ELEMENT_OBJECT, ILP_ELEMENT_I8};
    struct ilpi_module_context *module = job->module;
    const struct ilp_emitter *emitter = module->emitter;
    /* it catches System.Object, since IL can throw any object (III.4.31) */
    ILPI_TRY(ilpi_object_token(module, &job->guard.caught, error));
    if (!ilpi_off_switch(job)) {
        return ILP_OK;
    }
    ILPI_TRY(ilpi_core_token(module, "System", "Exception", &module->made->exception, error));
    return module->made->threw != 0
               ? ILP_OK
               : emitter->standalone_sig(emitter->user, (struct ilp_bytes){threw, sizeof threw},
                                         &module->made->threw, error);
}

/* brtrue skips all of it when the flag is set; the distance is filled in when the end is known
 * (`skip`). */
uint8_t *ilpi_guard_put_check(const struct ilpi_method_job *job, uint8_t *to, const uint8_t *start,
                              struct ilpi_guard *guard)
{
    const struct ilp_off_switch *off = ilpi_off_switch(job);
    if (!off) {
        return to;
    }
    to = ilpi_put_i8(to, off->flag);
    to = ilpi_put(to, ILPI_OP_CONV_I);
    to = ilpi_put(to, ILPI_OP_LDIND_U1);
    to = ilpi_put_token(to, ILPI_OP_BRTRUE, 0);
    guard->skip = (uint32_t)(to - start);
    return to;
}

/* `leave` is a leave.s: the handler is at most ILPI_MAX_GUARD_OFF long, so the distance fits in a
 * byte. */
uint8_t *ilpi_guard_put_leave(const struct ilpi_method_job *job, uint8_t *to, uint8_t *start,
                              struct ilpi_guard *guard, uint8_t more)
{
    uint8_t caught[ILPI_MAX_GUARD_OFF];
    if (ilpi_off_switch(job)) {
        ilpi_store_u32(start + guard->skip - 4, (uint32_t)(to - start) - guard->skip);
    }
    to = ilpi_put(to, ILPI_OP_LEAVE_S);
    *to++ = (uint8_t)(ilpi_guard_put_caught(job, caught) - caught + 2 + more); /* and a leave.s */
    guard->handler_offset = (uint32_t)(to - start);
    return to;
}

/* On the stack is the object that was thrown. Without a switch it is dropped, else passed on;
 * isinst makes what is no Exception null. */
uint8_t *ilpi_guard_put_caught(const struct ilpi_method_job *job, uint8_t *to)
{
    const struct ilp_off_switch *off = ilpi_off_switch(job);
    if (!off) {
        return ilpi_put(to, ILPI_OP_POP);
    }
    to = ilpi_put_token(to, ILPI_OP_ISINST, job->module->made->exception);
    to = ilpi_put_i8(to, (uint64_t)off->number);
    to = ilpi_put_i8(to, off->threw);
    to = ilpi_put(to, ILPI_OP_CONV_I);
    return ilpi_put_token(to, ILPI_OP_CALLI, job->module->made->threw);
}

/* Offsets in `guard` count from the start of the sequence; clause_of() adds the sequence's
 * place. */
uint8_t *ilpi_guard_put_try(const struct ilpi_method_job *job, uint8_t *to, const uint8_t *start,
                            struct ilpi_guard *guard, bool below)
{
    to = ilpi_put_local(to, ILPI_LOCAL_STORE, guard->local);
    to = below ? ilpi_put_local(to, ILPI_LOCAL_STORE, guard->local + 1) : to;
    guard->try_offset = guard->arguments = (uint32_t)(to - start);
    /* after the arguments, which may switch it off; an iterator's arguments come later */
    bool later = guard == &job->guard && job->location.field != 0 && ilpi_passes_at_sites(job);
    to = later ? to : ilpi_guard_put_check(job, to, start, guard);
    return ilpi_put_local(to, ILPI_LOCAL_LOAD, guard->local);
}

uint8_t *ilpi_guard_put_catch(const struct ilpi_method_job *job, uint8_t *to, uint8_t *start,
                              struct ilpi_guard *guard, bool below)
{
    to = ilpi_guard_put_leave(job, to, start, guard, 0);
    to = ilpi_guard_put_caught(job, to);
    to = ilpi_put(to, ILPI_OP_LEAVE_S);
    *to++ = 0;
    guard->end = (uint32_t)(to - start);
    to = below ? ilpi_put_local(to, ILPI_LOCAL_LOAD, guard->local + 1) : to;
    return ilpi_put_local(to, ILPI_LOCAL_LOAD, guard->local);
}

void ilpi_guard_local_types(const struct ilpi_method_job *job, struct ilp_bytes value,
                            struct ilpi_buf *types)
{
    const struct ilpi_value_location *location = &job->location;
    ilpi_buf_bytes_add(types, value.data, value.size);
    if (location->below_by_reference) {
        ilpi_buf_u8(types, ILP_ELEMENT_BYREF);
    }
    ilpi_buf_bytes_add(types, location->below.data, location->below.size);
}

/* The number of guarded calls: that at entry, which is the first insertion, and those with the
 * value; or, per site, that with the arguments, which is inside the guard of the next one. */
static size_t guarded_calls(const struct ilpi_method_job *job)
{
    if (ilpi_passes_at_sites(job)) {
        return 2 * job->scratch->insertions.count;
    }
    return job->exceptions.taken ? (size_t)job->passes_state + (job->guard.at_end != 0)
                                 : job->scratch->insertions.count;
}

/* The clause of call number `call`:
 *
 *   arguments at entry    0: entry      1, 2 ...: values, insertion 1, 2 ...
 *   arguments at sites    0: arguments of insertion 0; 1: its value; 2, 3: insertion 1 ...
 *   no arguments          0, 1 ...: values, insertion 0, 1 ...
 *   a filter              0: entry, if there are arguments; then the value at the end
 *
 * A sequence with its guard begins at the labels of its site, after a ret that is kept. Labels of
 * the first instruction skip what is passed at entry. */
static struct ilp_eh_clause clause_of(const struct ilpi_method_job *job, size_t call)
{
    const struct ilpi_scratch *scratch = job->scratch;
    bool at_sites = ilpi_passes_at_sites(job);
    bool arguments = at_sites ? call % 2 == 0 : job->passes_state && call == 0;
    const struct ilpi_guard *guard = &job->guard;
    uint32_t start = 0;
    if (arguments && !at_sites) {
        /* at entry */
    } else if (job->exceptions.taken) {
        start = job->guard.at_end;
    } else {
        const struct ilpi_insertion *site = &scratch->insertions.items[at_sites ? call / 2 : call];
        start = scratch->patch.new_offset[site->insn];
        guard = ilpi_is_exception_site(job, site) ? &job->exceptions.guard : guard;
    }
    if (arguments) {
        start += at_sites ? guard->arguments : 0;
        guard = &job->arguments.guard;
    }
    return (struct ilp_eh_clause){.flags = ILPI_EH_CATCH,
                                  .try_offset = start + guard->try_offset,
                                  .try_length = guard->handler_offset - guard->try_offset,
                                  .handler_offset = start + guard->handler_offset,
                                  .handler_length = guard->end - guard->handler_offset,
                                  .token_or_filter = job->guard.caught};
}

/* New clauses come first: they may be inside of old blocks, never the reverse (I.12.4.2.7). */
ilp_status ilpi_guard_clauses(struct ilpi_method_job *job, struct ilp_body *body,
                              struct ilp_error *error)
{
    struct ilpi_patch *patch = &job->scratch->patch;
    size_t calls = guarded_calls(job);
    if (calls == 0) {
        return ILP_OK;
    }
    ILPI_TRY(ilpi_grow(patch->alloc, &patch->clauses, &patch->clause_capacity,
                       body->clause_count + calls, sizeof *patch->clauses, error));
    memmove(patch->clauses + calls, patch->clauses, body->clause_count * sizeof *patch->clauses);
    for (size_t i = 0; i < calls; i++) {
        patch->clauses[i] = clause_of(job, i);
    }
    body->clause_count += calls;
    body->clauses = patch->clauses;
    return ILP_OK;
}
