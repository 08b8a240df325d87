/* Finds explicit tail calls, and calls that could be explicit ones, and writes bodies with more or
 * fewer prefixes. legal.c decides which calls qualify.
 *
 *   tail. call X; ret     PREFIXED   graph.c: may the prefix be removed?
 *   call X; ret           PLAIN      legal.c: may it be added?
 *   jmp X                 JMP        only reported
 *
 * To remove a prefix its two bytes become nops, so that nothing moves; to add one, code is
 * inserted, and branches, clauses and symbols move (il/patch.h). */
#include "inspect/tail/legal.h"

#include "il/tail_prefix.h"
#include "inspect/body_at.h"

enum { METHOD_IMPL_CODE_TYPE = 0x3 }; /* MethodImplAttributes (II.23.1.11) */

static void open_method(struct ilp_tail_editor *editor)
{
    struct ilpi_alloc *alloc = &editor->method_alloc;
    ilpi_alloc_init_within(alloc, &editor->alloc,
                           ILPI_METHOD_MEMORY + editor->image->pe.bytes.size);
    editor->types.alloc = editor->code.alloc = editor->stack.alloc = alloc;
    editor->patch.alloc = editor->new_body.alloc = alloc;
}

static void close_method(struct ilp_tail_editor *editor)
{
    ilpi_arena_free(&editor->types);
    ilpi_code_free(&editor->code);
    ilpi_stack_free(&editor->stack);
    ilpi_patch_free(&editor->patch);
    ilpi_buf_free(&editor->new_body);
    ILPI_LIST_FREE(&editor->method_alloc, &editor->calls);
    ILPI_LIST_FREE(&editor->method_alloc, &editor->insertions);
}

/* The editor has two limits of memory: its own tables, and those of one method (method_alloc),
 * which are freed if a method was very large. */
ilp_status ilp_tail_editor_open(struct ilp_tail_editor **out, struct ilp_image *image,
                                const struct ilp_resolver *resolver,
                                const struct ilp_allocator *allocator, struct ilp_error *error)
{
    *out = NULL;
    ILPI_TRY(ILPI_CHECK_RESERVED(resolver, error));
    struct ilp_tail_editor *editor = ilpi_object_open(sizeof *editor, allocator, error);
    if (!editor) {
        return ILP_E_NO_MEMORY;
    }
    editor->image = image;
    editor->resolver = resolver;
    editor->budget = ilpi_budget_of(image->pe.bytes.size);
    editor->arena.alloc = &editor->alloc;
    open_method(editor);
    ilp_status status = ilpi_value_types_init(&editor->value_types, image, resolver, &editor->arena,
                                              error);
    if (status == ILP_OK) {
        status = ilpi_call_shapes_init(&editor->call_shapes, image, &editor->arena, error);
    }
    if (status != ILP_OK) {
        ilp_tail_editor_close(editor);
        return status;
    }
    *out = editor;
    return ILP_OK;
}

void ilp_tail_editor_close(struct ilp_tail_editor *editor)
{
    if (!editor) {
        return;
    }
    ilpi_arena_free(&editor->arena);
    close_method(editor);
    ilpi_object_close(&editor->alloc, sizeof *editor);
}

/* ---- a method ---- */

static ilp_status add_call(struct ilp_tail_editor *editor, const struct ilp_tail_call *call,
                           struct ilp_error *error)
{
    return ILPI_LIST_ADD(&editor->method_alloc, &editor->calls, *call, error);
}

/* The graph is made once for the image, when the first prefixed call is met: most images have
 * none. */
static ilp_status take_prefixed(struct ilp_tail_editor *editor, const struct ilpi_insn *insn,
                                struct ilp_tail_call *call, struct ilp_error *error)
{
    if (!editor->graph.image) {
        ILPI_TRY(ilpi_tail_graph_build(&editor->graph, editor->image, &editor->alloc,
                                       &editor->arena, &editor->budget, error));
    }
    call->kind = ILP_TAIL_PREFIXED;
    call->decision = ilpi_tail_decide(&editor->graph, editor->method, &editor->code, insn);
    return add_call(editor, call, error);
}

static bool calls_something(const struct ilpi_insn *insn)
{
    return insn->op == ILPI_OP_CALL || insn->op == ILPI_OP_CALLVIRT || insn->op == ILPI_OP_CALLI;
}

/* The caller is checked once, at the first call that could get a prefix. */
static ilp_status find_calls(struct ilp_tail_editor *editor, struct ilp_error *error)
{
    const struct ilpi_code *code = &editor->code;
    bool checked = false;
    for (uint32_t i = 0; i < code->count; i++) {
        const struct ilpi_insn *insn = &code->insns[i];
        if (!calls_something(insn) && insn->op != ILPI_OP_JMP) {
            continue;
        }
        struct ilp_tail_call call = {.offset = insn->offset, .callee = ilpi_insn_token(code, insn)};
        if (insn->op == ILPI_OP_JMP) {
            call.kind = ILP_TAIL_JMP;
            ILPI_TRY(add_call(editor, &call, error));
        } else if (ilpi_is_tail_call(code, i)) {
            ILPI_TRY(take_prefixed(editor, insn, &call, error));
        } else if (i + 1 < code->count && code->insns[i + 1].op == ILPI_OP_RET) {
            if (!checked) {
                ILPI_TRY(ilpi_tail_check_method(editor, error));
                checked = true;
            }
            call.kind = ILP_TAIL_PLAIN;
            ILPI_TRY(ilpi_tail_check_call(editor, i, &call.obstacle, error));
            ILPI_TRY(add_call(editor, &call, error));
        }
    }
    return ILP_OK;
}

/* Frees what a very large method took, so that each has the whole limit. */
static void begin_method(struct ilp_tail_editor *editor, ilp_rid method)
{
    if (editor->method_alloc.used > ILPI_METHOD_KEPT) {
        close_method(editor);
    }
    ilpi_arena_reset(&editor->types);
    editor->method_alloc.full = false;
    editor->method = method;
    editor->calls.count = 0;
}

static ilp_status read_calls(struct ilp_tail_editor *editor, uint32_t rva, struct ilp_error *error)
{
    ILPI_TRY(
        ilpi_body_at(editor->image, rva, &editor->types, &editor->budget, &editor->body, error));
    ILPI_TRY(ilpi_code_decode(&editor->code, &editor->body, error));
    return find_calls(editor, error);
}

/* Methods without IL have no calls. A failure leaves no calls, so that nothing can be changed after
 * it. */
ilp_status ilp_tail_calls(struct ilp_tail_editor *editor, ilp_rid method,
                          const struct ilp_tail_call **calls, size_t *count,
                          struct ilp_error *error)
{
    const struct ilp_image *image = editor->image;
    uint32_t rva = ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_RVA);
    uint32_t flags = ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_ImplFlags);
    begin_method(editor, method);
    *calls = NULL;
    *count = 0;
    if (rva == 0 || (flags & METHOD_IMPL_CODE_TYPE) != 0) {
        return ILP_OK;
    }
    ilp_status status = read_calls(editor, rva, error);
    if (status != ILP_OK) {
        editor->calls.count = 0;
        return ilpi_alloc_status(&editor->method_alloc, status, error);
    }
    *calls = editor->calls.items;
    *count = editor->calls.count;
    return ILP_OK;
}

/* ---- changes ---- */

static bool is_meant(const struct ilp_tail_call *call, enum ilp_tail_edit change)
{
    return change == ILP_TAIL_ADD
               ? call->kind == ILP_TAIL_PLAIN && !call->obstacle
               : call->kind == ILP_TAIL_PREFIXED &&
                     (change == ILP_TAIL_STRIP || call->decision == ILP_TAIL_STRIPPED);
}

/* The prefix goes before other prefixes: nothing may be between those and the call, but their order
 * is free. Nops make room for it, since an insertion of ilpi_patch_apply() must not end in a
 * prefix. */
static ilp_status add_prefixes(struct ilp_tail_editor *editor, struct ilp_error *error)
{
    static const uint8_t room[2] = {0, 0};
    unsigned prefix = ilpi_opcodes[ILPI_OP_TAIL].value;
    editor->insertions.count = 0;
    for (size_t i = 0; i < editor->calls.count; i++) {
        if (!is_meant(&editor->calls.items[i], ILP_TAIL_ADD)) {
            continue;
        }
        uint32_t insn = editor->code.index_at[editor->calls.items[i].offset];
        while ((editor->code.insns[insn].marks & ILPI_INSN_AFTER_PREFIX) != 0) {
            insn--;
        }
        struct ilpi_insertion insertion = {.insn = insn, .bytes = {room, sizeof room}};
        ILPI_TRY(ILPI_LIST_ADD(&editor->method_alloc, &editor->insertions, insertion, error));
    }
    ILPI_TRY(ilpi_patch_apply(&editor->patch, &editor->code, &editor->body,
                              editor->insertions.items, editor->insertions.count, error));
    for (size_t i = 0; i < editor->insertions.count; i++) {
        uint8_t *at = editor->patch.code.data +
                      editor->patch.new_offset[editor->insertions.items[i].insn];
        at[0] = (uint8_t)(prefix >> 8);
        at[1] = (uint8_t)prefix;
    }
    editor->body.code = ilpi_buf_bytes(&editor->patch.code);
    editor->body.clauses = editor->patch.clauses;
    return ILP_OK;
}

/* In a copy of the code: the body may be in a file that is mapped read-only. */
static ilp_status strip_prefixes(struct ilp_tail_editor *editor, enum ilp_tail_edit change,
                                 struct ilp_error *error)
{
    struct ilpi_code *code = &editor->code;
    uint8_t *bytes = ilpi_arena_copy(&editor->types, code->bytes.data, code->bytes.size);
    if (!bytes) {
        return ilpi_fail_memory(error, code->bytes.size);
    }
    code->bytes.data = editor->body.code.data = bytes;
    for (size_t i = 0; i < editor->calls.count; i++) {
        if (is_meant(&editor->calls.items[i], change)) {
            ilpi_strip_tail(code, bytes, code->index_at[editor->calls.items[i].offset]);
        }
    }
    return ILP_OK;
}

/* Keeps the memory that ilp_tail_map() takes. */
static ilp_status write_body(struct ilp_tail_editor *editor, enum ilp_tail_edit change,
                             struct ilp_error *error)
{
    ILPI_TRY(change == ILP_TAIL_ADD ? add_prefixes(editor, error)
                                    : strip_prefixes(editor, change, error));
    editor->calls.count = 0; /* they have changed */
    editor->moved = change == ILP_TAIL_ADD;
    editor->new_body.size = 0;
    editor->new_body.status = ILP_OK;
    ILPI_TRY(ilpi_body_write(&editor->new_body, &editor->body, error));
    return ilpi_alloc_check(&editor->method_alloc,
                            (editor->code.count + 1) * sizeof *editor->patch.map, error);
}

/* Empty if there is nothing to change: a caller then keeps the body. */
ilp_status ilp_tail_change(struct ilp_tail_editor *editor, enum ilp_tail_edit change,
                           struct ilp_bytes *body, struct ilp_error *error)
{
    bool any = false;
    *body = (struct ilp_bytes){NULL, 0};
    for (size_t i = 0; i < editor->calls.count; i++) {
        any = any || is_meant(&editor->calls.items[i], change);
    }
    if (!any) {
        return ILP_OK;
    }
    ilp_status status = write_body(editor, change, error);
    if (status != ILP_OK) {
        return ilpi_alloc_status(&editor->method_alloc, status, error);
    }
    *body = ilpi_buf_bytes(&editor->new_body);
    return ILP_OK;
}

ilp_status ilp_tail_map(struct ilp_tail_editor *editor, const struct ilp_il_map **map,
                        size_t *count, struct ilp_error *error)
{
    *map = NULL;
    *count = 0;
    return editor->moved ? ilpi_patch_map(&editor->patch, &editor->code, map, count, error)
                         : ILP_OK;
}
