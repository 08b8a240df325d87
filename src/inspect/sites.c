/* Finds the ret instructions of a method and decides about each:
 *
 *   reachable                        inspected: the sequence goes before it
 *   after a call of the inspector    inspected already
 *   after `tail. call`               unchanged: nothing may be between (III.2.4). If branches
 *                                    have it as a target as well, they get a ret of their own
 *                                    after it, which is inspected. If the rule action or
 *                                    tail/graph.c says so, the prefix is removed, and the ret is
 *                                    like any other
 *   unreachable                      unchanged: its stack depth is unknown */
#include "inspect/sites.h"

#include "il/one_pass.h"
#include "il/tail_prefix.h"
#include "inspect/native/native_call.h"

/* Whether a method belongs to an embedded inspector in use, or calls a native one. */
static bool is_embedded_call(const struct ilpi_module_context *module, ilp_rid method)
{
    const struct ilp_image *image = module->image;
    for (size_t i = 0; i < module->binding_count; i++) {
        ilp_rid type = module->bindings[i].embedded;
        if (type != 0 && ilp_owner_of_method(image, method) == type) {
            return module->bindings[i].inspector->native ||
                   ilpi_is_inspector_method(
                       image, ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Name));
        }
    }
    return false;
}

/* Whether an instruction is a call that an earlier patch inserted: by address, by the embedded
 * class, or by the MemberRefs of the inspector (a bit for each). */
static bool is_inspector_call(const struct ilpi_module_context *module,
                              const struct ilpi_code *code, uint32_t i)
{
    const struct ilpi_insn *insn = &code->insns[i];
    if (insn->op != ILPI_OP_CALL) {
        bool calls = false;
        for (size_t binding = 0; binding < module->binding_count && insn->op == ILPI_OP_CALLI;
             binding++) {
            calls = calls || ilpi_native_is_call(module->bindings[binding].inspector, code, i);
        }
        return calls;
    }
    ilp_token token = ilpi_insn_token(code, insn);
    if (ILP_TOKEN_TABLE(token) == ILP_MethodSpec) { /* of a generic one */
        token = ilp_cell(module->image, ILP_MethodSpec, ILP_TOKEN_RID(token),
                         ILP_MethodSpec_Method);
    }
    ilp_rid rid = ILP_TOKEN_RID(token);
    if (ILP_TOKEN_TABLE(token) == ILP_MethodDef) {
        return is_embedded_call(module, rid);
    }
    return module->inspector_calls && ILP_TOKEN_TABLE(token) == ILP_MemberRef &&
           rid <= module->image->tables[ILP_MemberRef].count &&
           (module->inspector_calls[rid / 8] >> rid % 8 & 1) != 0;
}

bool ilpi_sites_is_inspector_call(const struct ilpi_method_job *job, uint32_t i)
{
    return is_inspector_call(job->module, &job->scratch->code, i);
}

static bool is_leave(const struct ilpi_code *code, uint32_t i)
{
    return code->insns[i].op == ILPI_OP_LEAVE || code->insns[i].op == ILPI_OP_LEAVE_S;
}

static bool is_local(const struct ilpi_code *code, uint32_t i, enum ilpi_op short_form,
                     enum ilpi_op form)
{
    return code->insns[i].op == short_form || code->insns[i].op == form;
}

/* Whether the instruction before `end` is the call, or the store of the value that it returns: into
 * an iterator's field, or inside a guard into a local. So a second run over a patched file finds
 * its own calls. */
static bool ends_with_call(const struct ilpi_method_job *job, uint32_t end, bool guarded)
{
    const struct ilpi_code *code = &job->scratch->code;
    bool kept = end >= 2 &&
                (job->location.field != 0
                     ? code->insns[end - 1].op == ILPI_OP_STFLD
                     : guarded && is_local(code, end - 1, ILPI_OP_STLOC_S, ILPI_OP_STLOC));
    uint32_t call = kept ? end - 1 : end;
    return call != 0 && is_inspector_call(job->module, code, call - 1);
}

/* Whether the call is before instruction `i`, or in a guard before it: call; leave; pop; leave;
 * ldloc, and one more ldloc if something is below the value. Read backwards from `i`:
 *
 *   call   [stloc]   leave   pop   leave   ldloc   [ldloc]   i
 *          replaces                        value    below
 *
 * A guard with a switch (guard.c) has another handler, but it is never in a file. */
bool ilpi_sites_is_inspected(const struct ilpi_method_job *job, uint32_t i)
{
    const struct ilpi_code *code = &job->scratch->code;
    uint32_t loads = job->location.below.size != 0 ? 2 : 1;
    if (ends_with_call(job, i, false)) {
        return true;
    }
    if (i < loads + 4) {
        return false;
    }
    for (; loads != 0; loads--) {
        if (!is_local(code, --i, ILPI_OP_LDLOC_S, ILPI_OP_LDLOC)) {
            return false;
        }
    }
    return is_leave(code, i - 1) && code->insns[i - 2].op == ILPI_OP_POP && is_leave(code, i - 3) &&
           ends_with_call(job, i - 3, true);
}

static ilp_status add_site(struct ilpi_scratch *scratch, uint32_t insn, bool keep_ret,
                           struct ilp_error *error)
{
    struct ilpi_insertion insertion = {.insn = insn, .entry = keep_ret};
    return ILPI_LIST_ADD(&scratch->alloc, &scratch->insertions, insertion, error);
}

/* The code's bytes, to be changed: a copy, made when first needed. */
static ilp_status own_bytes(struct ilpi_scratch *scratch, uint8_t **bytes, struct ilp_error *error)
{
    struct ilpi_code *code = &scratch->code;
    if (!*bytes) {
        *bytes = ilpi_arena_copy(&scratch->arena, code->bytes.data, code->bytes.size);
        if (!*bytes) {
            return ilpi_fail_memory(error, code->bytes.size);
        }
        code->bytes.data = *bytes;
    }
    return ILP_OK;
}

/* A call that is there already, from an earlier patch, is counted and left. */
ilp_status ilpi_sites_add_call(struct ilpi_method_job *job, uint32_t i, struct ilp_error *error)
{
    struct ilp_method_result *result = job->result;
    result->rets++;
    if (ilpi_sites_is_inspected(job, i)) {
        result->already++;
        return ILP_OK;
    }
    result->inspected++;
    return add_site(job->scratch, i, false, error);
}

ilp_status ilpi_sites_add_exception(struct ilpi_method_job *job, uint32_t i,
                                    struct ilp_error *error)
{
    struct ilpi_scratch *scratch = job->scratch;
    struct ilpi_insertion insertion = {.insn = i, .bytes = {job->exceptions.code, 0}};
    if (ilpi_sites_is_inspected(job, i)) {
        job->exceptions.already = true;
        return ILP_OK;
    }
    job->exceptions.calls++;
    return ILPI_LIST_ADD(&scratch->alloc, &scratch->insertions, insertion, error);
}

void ilpi_sites_remove(struct ilpi_method_job *job, bool exceptions)
{
    struct ilpi_scratch *scratch = job->scratch;
    size_t kept = 0;
    for (size_t i = 0; i < scratch->insertions.count; i++) {
        struct ilpi_insertion site = scratch->insertions.items[i];
        if (ilpi_is_exception_site(job, &site) != exceptions) {
            scratch->insertions.items[kept++] = site;
        }
    }
    scratch->insertions.count = kept;
}

/* Decides about the tail call `call`: the rule action's choice, or the graph's. */
static ilp_status decide_tail(struct ilpi_method_job *job, uint32_t call, bool *strip,
                              struct ilp_error *error)
{
    struct ilpi_module_context *module = job->module;
    struct ilpi_scratch *scratch = job->scratch;
    const struct ilpi_insn *insn = &scratch->code.insns[call];
    enum ilp_tail_decision decision = job->action.tail_calls == ILP_TAIL_CALLS_STRIP
                                          ? ILP_TAIL_STRIPPED
                                          : ILP_TAIL_KEPT;
    if (job->action.tail_calls == ILP_TAIL_CALLS_AUTO) {
        if (!module->tails) {
            ILPI_TRY(ilpi_found_tails(module->found, &module->tails, error));
        }
        decision = ilpi_tail_decide(module->tails, job->method, &scratch->code, insn);
    }
    struct ilp_tail_site site = {.offset = insn->offset, .decision = decision};
    ILPI_TRY(ILPI_LIST_ADD(&scratch->alloc, &scratch->tail_sites, site, error));
    *strip = decision == ILP_TAIL_STRIPPED;
    return ILP_OK;
}

/* A tail call before ret `i`. */
static ilp_status take_tail(struct ilpi_method_job *job, uint32_t i, uint8_t **bytes,
                            struct ilp_error *error)
{
    struct ilp_method_result *result = job->result;
    struct ilpi_code *code = &job->scratch->code;
    bool strip;
    ILPI_TRY(decide_tail(job, i - 1, &strip, error));
    if (strip) {
        ILPI_TRY(own_bytes(job->scratch, bytes, error));
        ilpi_strip_tail(code, *bytes, i - 1);
        result->stripped++;
        result->inspected++;
        return add_site(job->scratch, i, false, error);
    }
    result->tail_calls++;
    /* At the end of an EH block, code may not be inserted after a kept ret: it would be inside the
     * block. */
    if ((code->insns[i].marks & (ILPI_INSN_TARGET | ILPI_INSN_BOUNDARY)) != ILPI_INSN_TARGET) {
        return ILP_OK;
    }
    result->inspected++;
    return add_site(job->scratch, i, true, error);
}

/* What becomes of each exit:
 *
 *   ret             reached       inspected
 *                   not reached   counted as unreachable
 *                   after an inserted call: `already`
 *   tail. call ret                the prefix is removed, if that is allowed, or the site is left
 *   jmp                           cannot be inspected: it leaves with what the callee returns */
ilp_status ilpi_sites_find(struct ilpi_method_job *job, struct ilp_error *error)
{
    struct ilp_method_result *result = job->result;
    struct ilpi_code *code = &job->scratch->code;
    uint8_t *bytes = NULL;
    job->scratch->insertions.count = 0;
    job->scratch->tail_sites.count = 0;
    for (size_t exit = 0; exit < code->exits.count; exit++) {
        uint32_t i = code->exits.items[exit];
        const struct ilpi_insn *insn = &code->insns[i];
        result->jumps += insn->op == ILPI_OP_JMP;
        if (insn->op != ILPI_OP_RET) {
            continue;
        }
        result->rets++;
        if ((insn->marks & ILPI_INSN_SEEN) == 0) {
            result->unreachable++;
        } else if ((insn->marks & ILPI_INSN_AFTER_PREFIX) != 0) {
            return ilpi_fail(error, ILP_E_BAD_BODY, code->origin + insn->offset, 0,
                             "IL_%04x: ret has a prefix (III.2)", insn->offset);
        } else if (ilpi_sites_is_inspected(job, i)) {
            result->already++;
        } else if (i != 0 && ilpi_is_tail_call(code, i - 1)) {
            ILPI_TRY(take_tail(job, i, &bytes, error));
        } else {
            result->inspected++;
            ILPI_TRY(add_site(job->scratch, i, false, error));
        }
    }
    result->tail_sites = job->scratch->tail_sites.items;
    result->tail_site_count = job->scratch->tail_sites.count;
    return ILP_OK;
}

/* ---- a body that is not decoded ---- */

/* Whether the instruction at `offset` may be an inspector's call, or the end of a guard around one:
 * a quick test before ilpi_sites_is_inspected(). */
static bool may_be_inspected(const struct ilpi_method_job *job, uint32_t offset)
{
    const struct ilpi_module_context *module = job->module;
    struct ilpi_insn insn;
    bool calls = module->inspector_calls != NULL;
    for (size_t i = 0; i < module->binding_count; i++) {
        calls = calls || module->bindings[i].embedded != 0 || module->bindings[i].inspector->native;
    }
    return calls &&
           (!ilpi_insn_read(job->body.code, offset, &insn) || insn.op == ILPI_OP_CALL ||
            insn.op == ILPI_OP_CALLI || insn.op == ILPI_OP_LDLOC_S || insn.op == ILPI_OP_LDLOC);
}

/* Whether all blocks end before an offset: then nothing after it is protected. */
static bool ends_before(const struct ilp_body *body, uint32_t offset)
{
    bool ends = true;
    for (size_t i = 0; i < body->clause_count; i++) {
        const struct ilp_eh_clause *clause = &body->clauses[i];
        ends = ends && clause->try_offset + clause->try_length <= offset &&
               clause->handler_offset + clause->handler_length <= offset;
    }
    return ends;
}

/* The fast way: one pass has found that there is one ret, the last instruction, and no tail call.
 * The call is inserted before it, and nothing else moves. */
ilp_status ilpi_sites_find_last(struct ilpi_method_job *job, struct ilp_error *error)
{
    struct ilpi_scratch *scratch = job->scratch;
    struct ilp_method_result *result = job->result;
    const struct ilpi_one_pass *pass = &scratch->pass;
    const struct ilp_rule_action *action = &job->action;
    bool alone = !action->arguments && !action->exceptions && !action->guard;
    if (!alone || !scratch->passed || pass->rets != 1 || pass->tails ||
        job->body.code.data[pass->last] != ilpi_opcodes[ILPI_OP_RET].value ||
        !ends_before(&job->body, pass->last) || may_be_inspected(job, pass->before)) {
        return ILP_OK;
    }
    job->returns_last = true;
    scratch->insertions.count = 0;
    result->rets = 1;
    result->inspected = 1;
    return add_site(scratch, pass->count - 1, false, error);
}
