/* Finds the ret instructions of a method and says what happens to each:
 *
 *   reachable                        inspected: what to insert goes before it
 *   behind a call to the inspector   inspected already
 *   behind `tail. call`              stays: nothing may stand between (III.2.4). Where branches lead to it as
 *                                    well, they get a ret of their own behind it, which inspects. Where the
 *                                    treatment or tail/graph.c says so, the prefix goes, and the ret is like
 *                                    any other
 *   unreachable                      stays: no stack depth is known there
 */
#include "il/tail_prefix.h"
#include "inspect/embed/embed.h"
#include "inspect/native/native.h"

/* Whether a method belongs to an inspector in use that was embedded, or leads to a native one. */
static bool is_embedded_call(const struct ilp_rewriter *rewriter, ilp_rid method)
{
    const struct ilp_image *image = rewriter->image;
    for (size_t i = 0; i < rewriter->binding_count; i++) {
        ilp_rid type = rewriter->bindings[i].embedded;
        if (type != 0 && ilp_owner_of_method(image, method) == type) {
            return rewriter->bindings[i].inspector->native ||
                   ilpi_is_inspector_method(
                       image, ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Name));
        }
    }
    return false;
}

static bool is_inspector_call(const struct ilp_rewriter *rewriter, uint32_t i)
{
    const struct ilpi_insn *insn = &rewriter->code.insns[i];
    if (insn->op != ILPI_OP_CALL) {
        bool calls = false;
        for (size_t binding = 0; binding < rewriter->binding_count && insn->op == ILPI_OP_CALLI; binding++) {
            calls = calls || ilpi_native_is_call(rewriter->bindings[binding].inspector, &rewriter->code, i);
        }
        return calls;
    }
    ilp_token token = ilpi_insn_token(&rewriter->code, insn);
    if (ILP_TOKEN_TABLE(token) == ILP_MethodSpec) { /* of a generic one */
        token = ilp_cell(rewriter->image, ILP_MethodSpec, ILP_TOKEN_RID(token), ILP_MethodSpec_Method);
    }
    ilp_rid rid = ILP_TOKEN_RID(token);
    if (ILP_TOKEN_TABLE(token) == ILP_MethodDef) {
        return is_embedded_call(rewriter, rid);
    }
    return rewriter->inspector_calls && ILP_TOKEN_TABLE(token) == ILP_MemberRef &&
           rid <= rewriter->image->tables[ILP_MemberRef].count &&
           (rewriter->inspector_calls[rid / 8] >> rid % 8 & 1) != 0;
}

static bool is_leave(const struct ilpi_code *code, uint32_t i)
{
    return code->insns[i].op == ILPI_OP_LEAVE || code->insns[i].op == ILPI_OP_LEAVE_S;
}

static bool is_local(const struct ilpi_code *code, uint32_t i, enum ilpi_op short_form, enum ilpi_op form)
{
    return code->insns[i].op == short_form || code->insns[i].op == form;
}

/* Whether what stands before instruction `end` is the call, or the call and what keeps the value that it gives: an
 * iterator's field, or within a guard a local. */
static bool ends_with_call(const struct ilp_rewriter *rewriter, uint32_t end, bool guarded)
{
    const struct ilpi_code *code = &rewriter->code;
    bool kept = end >= 2 &&
                (rewriter->location.field != 0 ? code->insns[end - 1].op == ILPI_OP_STFLD
                                            : guarded && is_local(code, end - 1, ILPI_OP_STLOC_S, ILPI_OP_STLOC));
    uint32_t call = kept ? end - 1 : end;
    return call != 0 && is_inspector_call(rewriter, call - 1);
}

/* Whether the call stands in front of instruction `i`, or in a guard in front of it: call; leave; pop; leave; ldloc, and
 * one ldloc more where something lies below the value. */
static bool is_inspected(const struct ilp_rewriter *rewriter, uint32_t i)
{
    const struct ilpi_code *code = &rewriter->code;
    uint32_t loads = rewriter->location.below.size != 0 ? 2 : 1;
    if (ends_with_call(rewriter, i, false)) {
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
           ends_with_call(rewriter, i - 3, true);
}

static ilp_status add_site(struct ilp_rewriter *rewriter, uint32_t insn, bool keep_ret,
                           struct ilp_error *error)
{
    void *insertions = rewriter->insertions;
    ILPI_TRY(ilpi_grow(&rewriter->alloc, &insertions, &rewriter->insertion_capacity,
                       rewriter->insertion_count + 1, sizeof *rewriter->insertions, error));
    rewriter->insertions = insertions;
    rewriter->insertions[rewriter->insertion_count++] =
        (struct ilpi_insertion){.insn = insn, .entry = keep_ret};
    return ILP_OK;
}

/* The code's bytes, to be changed: a copy that is made at the first need. */
static ilp_status own_bytes(struct ilp_rewriter *rewriter, uint8_t **bytes, struct ilp_error *error)
{
    struct ilpi_code *code = &rewriter->code;
    if (!*bytes) {
        *bytes = ilpi_arena_copy(&rewriter->scratch, code->bytes.data, code->bytes.size);
        if (!*bytes) {
            return ilpi_fail_memory(error, code->bytes.size);
        }
        code->bytes.data = *bytes;
    }
    return ILP_OK;
}

/* A call before which a value is inspected, unless that is done already. */
static ilp_status take_call(struct ilp_rewriter *rewriter, uint32_t i, struct ilp_method_result *result,
                            struct ilp_error *error)
{
    result->rets++;
    if (is_inspected(rewriter, i)) {
        result->already++;
        return ILP_OK;
    }
    result->inspected++;
    return add_site(rewriter, i, false, error);
}

static bool is_value_type(const struct ilp_type *type)
{
    return type->element == ILP_ELEMENT_VALUETYPE ||
           (type->element == ILP_ELEMENT_GENERICINST && type->inner->element == ILP_ELEMENT_VALUETYPE);
}

/* What a call on field `field` has below its argument: the object there, or the address of the value. */
static void set_below(struct ilp_rewriter *rewriter, ilp_rid field)
{
    const struct ilp_type *type = ilpi_field_type(rewriter->image, field, &rewriter->scratch);
    if (type) {
        rewriter->location.below = type->raw;
        rewriter->location.below_by_reference = is_value_type(type);
    }
}

/* Whether a call may have something in front of it. */
static bool is_free(const struct ilpi_insn *insn)
{
    return (insn->marks & ILPI_INSN_SEEN) != 0 && (insn->marks & ILPI_INSN_AFTER_PREFIX) == 0;
}

ilp_status ilpi_results_find(struct ilp_rewriter *rewriter, ilp_rid kickoff, ilp_rid machine,
                             struct ilp_bytes *type, struct ilp_method_result *result,
                             struct ilp_error *error)
{
    const struct ilpi_code *code = &rewriter->code;
    ilp_rid builder;
    *type = (struct ilp_bytes){NULL, 0};
    rewriter->insertion_count = 0;
    ILPI_TRY(ilpi_async_builder(rewriter->image, kickoff, machine, &rewriter->scratch,
                                &rewriter->budget, &builder, error));
    if (builder != 0) {
        set_below(rewriter, builder);
    }
    for (uint32_t i = 0; i < code->count && builder != 0; i++) {
        struct ilp_bytes set = ilpi_async_result_type(rewriter->image, code, &code->insns[i], builder,
                                                      &rewriter->scratch);
        if (set.size != 0 && is_free(&code->insns[i])) {
            uint32_t before = result->inspected;
            ILPI_TRY(take_call(rewriter, i, result, error));
            *type = result->inspected != before ? set : *type;
        }
    }
    return ILP_OK;
}

ilp_status ilpi_promises_find(struct ilp_rewriter *rewriter, const struct ilpi_iterator *iterator,
                              struct ilp_method_result *result, struct ilp_error *error)
{
    const struct ilpi_code *code = &rewriter->code;
    rewriter->insertion_count = 0;
    set_below(rewriter, iterator->promise_field);
    for (uint32_t i = 0; i < code->count; i++) {
        if (ilpi_iterator_tells(rewriter->image, code, i, iterator, &rewriter->scratch) &&
            is_free(&code->insns[i])) {
            ILPI_TRY(take_call(rewriter, i, result, error));
        }
    }
    return ILP_OK;
}

/* What becomes of the tail call `call`: as the user says, or as the graph does. */
static ilp_status decide_tail(struct ilp_rewriter *rewriter, uint32_t call, bool *strip,
                              struct ilp_error *error)
{
    const struct ilpi_insn *insn = &rewriter->code.insns[call];
    enum ilp_tail_decision decision =
        rewriter->treatment.tail_calls == ILP_TAIL_CALLS_STRIP ? ILP_TAIL_STRIPPED : ILP_TAIL_KEPT;
    if (rewriter->treatment.tail_calls == ILP_TAIL_CALLS_AUTO) {
        if (!rewriter->tails.image) {
            ILPI_TRY(ilpi_tail_graph_build(&rewriter->tails, rewriter->image, &rewriter->alloc,
                                           &rewriter->arena, &rewriter->budget, error));
        }
        decision = ilpi_tail_decide(&rewriter->tails, rewriter->method, &rewriter->code, insn);
    }
    void *sites = rewriter->tail_sites;
    ILPI_TRY(ilpi_grow(&rewriter->alloc, &sites, &rewriter->tail_site_capacity,
                       rewriter->tail_site_count + 1, sizeof *rewriter->tail_sites, error));
    rewriter->tail_sites = sites;
    rewriter->tail_sites[rewriter->tail_site_count++] = (struct ilp_tail_site){insn->offset, decision};
    *strip = decision == ILP_TAIL_STRIPPED;
    return ILP_OK;
}

/* A tail call before ret `i`. */
static ilp_status take_tail(struct ilp_rewriter *rewriter, uint32_t i, uint8_t **bytes,
                            struct ilp_method_result *result, struct ilp_error *error)
{
    struct ilpi_code *code = &rewriter->code;
    bool strip;
    ILPI_TRY(decide_tail(rewriter, i - 1, &strip, error));
    if (strip) {
        ILPI_TRY(own_bytes(rewriter, bytes, error));
        ilpi_strip_tail(code, *bytes, i - 1);
        result->stripped++;
        result->inspected++;
        return add_site(rewriter, i, false, error);
    }
    result->tail_calls++;
    /* Where an EH block ends, code may not be put behind a kept ret: it would be in the block. */
    if ((code->insns[i].marks & (ILPI_INSN_TARGET | ILPI_INSN_BOUNDARY)) != ILPI_INSN_TARGET) {
        return ILP_OK;
    }
    result->inspected++;
    return add_site(rewriter, i, true, error);
}

ilp_status ilpi_sites_find(struct ilp_rewriter *rewriter, struct ilp_method_result *result,
                           struct ilp_error *error)
{
    struct ilpi_code *code = &rewriter->code;
    uint8_t *bytes = NULL;
    rewriter->insertion_count = 0;
    rewriter->tail_site_count = 0;
    for (size_t exit = 0; exit < code->exit_count; exit++) {
        uint32_t i = code->exits[exit];
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
        } else if (is_inspected(rewriter, i)) {
            result->already++;
        } else if (i != 0 && ilpi_is_tail_call(code, i - 1)) {
            ILPI_TRY(take_tail(rewriter, i, &bytes, result, error));
        } else {
            result->inspected++;
            ILPI_TRY(add_site(rewriter, i, false, error));
        }
    }
    return ILP_OK;
}
