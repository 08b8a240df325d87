/* src/il/instructions.c, src/il/assemble.c, ilp_body_stack() and ilp_sig_write(): code as an array,
 * and back. */
#include "tests/unit/il_test.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <glob.h>
#include <unistd.h>

#include "base/cursor.h"

static struct ilp_arena *open_arena(void)
{
    struct ilp_arena *arena;
    assert_int_equal(ilp_arena_open(&arena, NULL, NULL), ILP_OK);
    return arena;
}

/* ---- whole assemblies ---- */

struct totals {
    size_t methods;
    size_t refused;
    size_t signatures;
};

static void same_bytes(struct ilp_bytes a, struct ilp_bytes b, const char *file, ilp_rid rid)
{
    if (a.size != b.size || (a.size != 0 && memcmp(a.data, b.data, a.size) != 0)) {
        fail_msg("%s: row %u: %zu bytes became %zu others", file, rid, a.size, b.size);
    }
}

/* The stack is as deep as the compiler said, or less. */
static void stack_fits(const struct ilp_image *image, ilp_rid rid, const struct ilp_body *body,
                       size_t count, struct ilp_arena *arena)
{
    struct ilp_bytes blob = ilp_blob(image,
                                     ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Signature));
    struct ilp_sig *sig;
    struct ilp_stack stack;
    assert_int_equal(ilp_sig_read(&sig, blob, ILP_SIG_METHOD, 0, arena, NULL), ILP_OK);
    const struct ilp_type *ret = sig->ret;
    while (ret->element == ILP_ELEMENT_CMOD_REQD || ret->element == ILP_ELEMENT_CMOD_OPT) {
        ret = ret->inner;
    }
    assert_int_equal(
        ilp_body_stack(&stack, image, body, ret->element != ILP_ELEMENT_VOID, arena, NULL), ILP_OK);
    assert_int_equal(stack.count, count);
    assert_int_equal(stack.depths[0], 0);
    assert_true(stack.max <= body->max_stack);
}

/* A body comes back as it was: code, clauses, map; and what is written reads as the same. */
static void round_trip_body(const struct ilp_image *image, ilp_rid rid, const char *file,
                            struct ilp_arena *arena, struct totals *totals)
{
    uint32_t rva = ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_RVA);
    struct ilp_body body;
    struct ilp_body again;
    struct ilp_code code;
    struct ilp_encoded out;
    struct ilp_bytes bytes;
    if (rva == 0 || (ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_ImplFlags) & 3) != 0 ||
        ilp_body_read(&body, ilp_image_rva(image, rva, NULL), 0, arena, NULL) != ILP_OK) {
        return;
    }
    if (ilp_code_decode(&code, &body, arena, NULL) != ILP_OK) {
        totals->refused++;
        return;
    }
    struct ilp_error error;
    if (ilp_code_encode(&out, &code, &body, arena, &error) != ILP_OK) {
        fail_msg("%s: method %u: %s", file, rid, error.message);
    }
    same_bytes(body.code, out.body.code, file, rid);
    assert_int_equal(out.map_count, code.count + 1);
    for (size_t i = 0; i < out.map_count; i++) {
        assert_int_equal(out.map[i].old_offset, out.map[i].new_offset);
    }
    if (body.clause_count != 0) {
        assert_memory_equal(body.clauses, out.body.clauses,
                            body.clause_count * sizeof *body.clauses);
    }
    assert_int_equal(ilp_body_write(&bytes, &out.body, arena, NULL), ILP_OK);
    assert_int_equal(ilp_body_read(&again, bytes, 0, arena, NULL), ILP_OK);
    same_bytes(body.code, again.code, file, rid);
    assert_int_equal(again.max_stack, body.max_stack);
    assert_int_equal(again.locals, body.locals);
    assert_int_equal(again.clause_count, body.clause_count);
    if (ilp_row_count(image, ILP_MethodDef) < 2000) {
        /* it takes time in proportion to the methods */
        stack_fits(image, rid, &again, code.count, arena);
    }
    totals->methods++;
}

static void round_trip_sig(const struct ilp_image *image, ilp_rid rid, const char *file,
                           struct ilp_arena *arena, struct totals *totals)
{
    struct ilp_bytes blob = ilp_blob(image,
                                     ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Signature));
    struct ilp_bytes written;
    struct ilp_sig *sig;
    if (ilp_sig_read(&sig, blob, ILP_SIG_METHOD, 0, arena, NULL) == ILP_OK) {
        assert_int_equal(ilp_sig_write(&written, sig, arena, NULL), ILP_OK);
        same_bytes(blob, written, file, rid);
        totals->signatures++;
    }
}

static bool round_trip_file(const char *file, struct totals *totals)
{
    struct stat info;
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &info) != 0) {
        return false;
    }
    size_t size = (size_t)info.st_size;
    void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    assert_ptr_not_equal(data, MAP_FAILED);
    struct ilp_image *image;
    struct ilp_arena *arena = open_arena();
    assert_int_equal(
        ilp_image_open(&image, (struct ilp_bytes){data, size}, ILP_LAYOUT_FILE, NULL, NULL, NULL),
        ILP_OK);
    for (ilp_rid rid = 1; rid <= ilp_row_count(image, ILP_MethodDef); rid++) {
        round_trip_body(image, rid, file, arena, totals);
        round_trip_sig(image, rid, file, arena, totals);
        ilp_arena_reset(arena);
    }
    ilp_arena_close(arena);
    ilp_image_close(image);
    munmap(data, size);
    return true;
}

/* And of the largest assemblies that are at hand. */
static void real_methods_come_back(void **state)
{
    (void)state;
    static const char *const files[] = {"tests/files/good-csharp.dll", "tests/files/good-il.dll",
                                        "tests/files/good-r2r.dll",
                                        "data/inspector/MyProfiler.dll"};
    static const char *const large[] = {"/usr/lib/mono/4.5/mscorlib.dll",
                                        "/usr/lib/mono/4.5/System.Core.dll",
                                        "/usr/share/dotnet/sdk/*/Newtonsoft.Json.dll"};
    glob_t found;
    struct totals totals = {0};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        assert_true(round_trip_file(files[i], &totals));
    }
    assert_true(totals.methods > 100);
    assert_int_equal(totals.refused, 0);
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        if (glob(large[i], 0, NULL, &found) == 0) {
            round_trip_file(found.gl_pathv[0], &totals);
            globfree(&found);
        }
    }
    assert_int_equal(totals.refused, 0);
    print_message("%zu bodies, %zu signatures\n", totals.methods, totals.signatures);
}

/* ---- opcodes ---- */

static const uint16_t opcodes[] = {
#define OP(value, id, text, operand, pop, push, flow) ILP_OP_##id,
#include "il/opcodes.def"
#undef OP
};

/* Each alone, before a nop that branches and arms lead to. */
static void every_opcode_comes_back(void **state)
{
    (void)state;
    struct ilp_arena *arena = open_arena();
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++) {
        uint8_t nop[] = {0};
        uint32_t arms[] = {1, 0, 1};
        struct ilp_insn insns[] = {{.label = 0,
                                    .opcode = opcodes[i],
                                    .target = 1,
                                    .token = 0x0A0000F1,
                                    .number = 0x71,
                                    .arm_count = 3,
                                    .arms = arms},
                                   {.label = 1, .opcode = ILP_OP_NOP}};
        struct ilp_code code = {insns, 2, 2, 3};
        struct ilp_body body = {.max_stack = 8, .code = {nop, 1}};
        struct ilp_encoded out;
        struct ilp_code back;
        struct ilp_opcode_info info;
        assert_true(ilp_opcode_info(opcodes[i], &info));
        if (info.flow == ILP_FLOW_META) {
            arms[0] = arms[2] = 0;
            insns[1].label = ILP_NO_LABEL; /* nothing may lead between */
        }
        assert_int_equal(ilp_code_encode(&out, &code, &body, arena, NULL), ILP_OK);
        assert_int_equal(ilp_code_decode(&back, &out.body, arena, NULL), ILP_OK);
        assert_int_equal(back.count, 2);
        const struct ilp_insn *insn = &back.insns[0];
        uint32_t second = back.insns[1].label;
        assert_int_equal(insn->opcode, opcodes[i]);
        switch (info.operand) {
        case ILP_OPERAND_NONE: break;
        case ILP_OPERAND_TARGET1:
        case ILP_OPERAND_TARGET4: assert_int_equal(insn->target, second); break;
        case ILP_OPERAND_SWITCH:
            assert_int_equal(insn->arm_count, 3);
            assert_int_equal(insn->arms[0], second);
            assert_int_equal(insn->arms[1], 0);
            assert_int_equal(insn->arms[2], second);
            break;
        case ILP_OPERAND_TOKEN:
        case ILP_OPERAND_METHOD:
        case ILP_OPERAND_SIG:
        case ILP_OPERAND_STRING: assert_int_equal(insn->token, 0x0A0000F1); break;
        default: assert_int_equal(insn->number, 0x71);
        }
        ilp_arena_reset(arena);
    }
    struct ilp_opcode_info info;
    assert_false(ilp_opcode_info(0x24, &info));
    assert_false(ilp_opcode_info(0xFE1F, &info));
    assert_false(ilp_opcode_info(0x10000, &info));
    ilp_arena_close(arena);
}

/* ---- changes ---- */

/* `count` nops between a short branch and the ret that it leads to: it is widened when it has to
 * be, and chains are. */
static void short_branches_grow_when_they_must(void **state)
{
    (void)state;
    struct ilp_arena *arena = open_arena();
    for (uint32_t nops = 120; nops < 140; nops++) {
        struct ilp_insn insns[160] = {{.label = 0, .opcode = ILP_OP_BR_S, .target = 500}};
        for (uint32_t i = 1; i <= nops; i++) {
            insns[i] = (struct ilp_insn){.label = ILP_NO_LABEL, .opcode = ILP_OP_NOP};
        }
        insns[nops + 1] = (struct ilp_insn){.label = 500, .opcode = ILP_OP_BR_S, .target = 0};
        struct ilp_code code = {insns, nops + 2, 501, 502};
        struct ilp_body body = {.max_stack = 8};
        struct ilp_encoded out;
        assert_int_equal(ilp_code_encode(&out, &code, &body, arena, NULL), ILP_OK);
        /* forward nops bytes, back nops + 4: 124 is the last that reaches, from where widening one
         * makes the other too far */
        uint32_t forward = nops <= 127 ? 2 : 5;
        uint32_t back = nops + 4 <= 128 ? 2 : 5;
        assert_int_equal(out.body.code.size, nops + forward + back);
        assert_int_equal(out.body.code.data[0], nops <= 127 ? 0x2B : 0x38);
        ilp_arena_reset(arena);
    }
    ilp_arena_close(arena);
}

/* A chain in which each branch is widened by the one before it alone. */
static void widening_goes_on(void **state)
{
    (void)state;
    enum { LINKS = 2000, PADDING = 124 };
    struct ilp_arena *arena = open_arena();
    size_t count = (size_t)LINKS * (PADDING + 1) + 2 * PADDING + 2;
    struct ilp_insn *insns = calloc(count, sizeof *insns);
    assert_non_null(insns);
    for (size_t i = 0; i < count; i++) {
        insns[i] = (struct ilp_insn){.label = (uint32_t)i, .opcode = ILP_OP_NOP};
    }
    /* branch n passes over branch n + 1, and has 127 bytes to go with it short; the last has one
     * byte too many */
    for (size_t n = 0; n < LINKS; n++) {
        size_t at = n * (PADDING + 1);
        insns[at].opcode = ILP_OP_BR_S;
        insns[at].target = (uint32_t)(at + PADDING + (n == LINKS - 1 ? 5 : 3));
    }
    struct ilp_code code = {insns, count, (uint32_t)count, (uint32_t)count + 1};
    struct ilp_body body = {.max_stack = 8};
    struct ilp_encoded out;
    insns[count - 1].opcode = ILP_OP_RET;
    assert_int_equal(ilp_code_encode(&out, &code, &body, arena, NULL), ILP_OK);
    struct ilp_code back;
    assert_int_equal(ilp_code_decode(&back, &out.body, arena, NULL), ILP_OK);
    assert_int_equal(back.count, count);
    for (size_t n = 0; n < LINKS; n++) {
        size_t at = n * (PADDING + 1);
        assert_int_equal(back.insns[at].opcode, ILP_OP_BR);
        assert_int_equal(back.insns[at].target, back.insns[insns[at].target].label);
    }
    free(insns);
    ilp_arena_close(arena);
}

/* An instruction in front of another one, in a try block that a clause has by labels. */
static void insertion_moves_what_follows(void **state)
{
    (void)state;
    /* .try { nop; leave.s end } finally { endfinally } end: ret */
    static const uint8_t bytes[] = {0x00, 0xDE, 0x01, 0xDC, 0x2A};
    struct ilp_eh_clause clause = {2, 0, 3, 3, 1, 0};
    struct ilp_body body = {
        .max_stack = 8, .code = {bytes, sizeof bytes}, .clause_count = 1, .clauses = &clause};
    struct ilp_arena *arena = open_arena();
    struct ilp_code code;
    assert_int_equal(ilp_code_decode(&code, &body, arena, NULL), ILP_OK);
    assert_int_equal(code.count, 4);
    struct ilp_insn insns[5];
    insns[0] = code.insns[0];
    insns[1] = (struct ilp_insn){.label = code.insns[1].label, .opcode = ILP_OP_BREAK};
    for (size_t i = 1; i < 4; i++) {
        insns[i + 1] = code.insns[i];
    }
    insns[2].label = ILP_NO_LABEL;
    code.insns = insns;
    code.count = 5;
    struct ilp_encoded out;
    assert_int_equal(ilp_code_encode(&out, &code, &body, arena, NULL), ILP_OK);
    static const uint8_t expected[] = {0x00, 0x01, 0xDE, 0x01, 0xDC, 0x2A};
    assert_int_equal(out.body.code.size, sizeof expected);
    assert_memory_equal(out.body.code.data, expected, sizeof expected);
    assert_int_equal(out.body.clauses[0].try_length, 4);
    assert_int_equal(out.body.clauses[0].handler_offset, 4);
    assert_int_equal(out.body.clauses[0].handler_length, 1);
    assert_int_equal(out.map_count, 5);
    assert_int_equal(out.map[2].old_offset, 3);
    assert_int_equal(out.map[2].new_offset, 4);
    assert_int_equal(out.map[4].old_offset, 5);
    assert_int_equal(out.map[4].new_offset, 6);
    const char *text;
    assert_int_equal(ilp_body_text(&text, &out.body, NULL, arena, NULL), ILP_OK);
    assert_string_equal(text,
                        "    IL_0000:  nop\n    IL_0001:  break\n    IL_0002:  leave.s    IL_0005\n"
                        "    IL_0004:  endfinally\n    IL_0005:  ret\n"
                        "  .try IL_0000 to IL_0004 finally handler IL_0004 to IL_0005\n");
    ilp_arena_close(arena);
}

/* ---- what is refused ---- */

static ilp_status encode(const struct ilp_insn *insns, size_t count,
                         const struct ilp_eh_clause *clause)
{
    struct ilp_insn copy[4];
    struct ilp_eh_clause own = clause ? *clause : (struct ilp_eh_clause){0};
    memcpy(copy, insns, count * sizeof *copy);
    struct ilp_code code = {copy, count, 10, 11};
    struct ilp_body body = {.max_stack = 8, .clause_count = clause != NULL, .clauses = &own};
    struct ilp_encoded out;
    struct ilp_arena *arena = open_arena();
    struct ilp_error error;
    ilp_status status = ilp_code_encode(&out, &code, &body, arena, &error);
    ilp_arena_close(arena);
    return status;
}

static void wrong_instructions_are_refused(void **state)
{
    (void)state;
    static const struct ilp_insn wrong[][2] = {
        {{.opcode = 0x24}, {.label = 1}}, /* no instruction */
        {{.label = 1}, {.label = 1}},     /* a label twice */
        /* a label that was not given out */
        {{.label = 11}, {.label = 1}},
        {{.opcode = ILP_OP_BR, .target = 7}, {.label = 1}},  /* to nothing */
        {{.opcode = ILP_OP_BR, .target = 10}, {.label = 1}}, /* to the end */
        {{.opcode = ILP_OP_BR, .target = ILP_NO_LABEL}, {.label = ILP_NO_LABEL}},
        {{.opcode = ILP_OP_SWITCH, .arm_count = 1}, {.label = 1}}, /* no arms */
        {{.opcode = ILP_OP_LDC_I4_S, .number = 128}, {.label = 1}},
        {{.opcode = ILP_OP_LDARG_S, .number = -1}, {.label = 1}},
        {{.opcode = ILP_OP_LDARG, .number = 65536}, {.label = 1}},
        {{.opcode = ILP_OP_LDC_I4, .number = INT64_C(1) << 31}, {.label = 1}},
        {{.opcode = ILP_OP_LDC_R4, .number = -1}, {.label = 1}},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (encode(wrong[i], 2, NULL) != ILP_E_MISUSE) {
            fail_msg("case %zu was taken", i);
        }
    }
    static const struct ilp_insn prefix_last[] = {{.label = 0},
                                                  {.label = 1, .opcode = ILP_OP_TAIL}};
    static const struct ilp_insn between[] = {{.label = 0, .opcode = ILP_OP_TAIL},
                                              {.label = 1},
                                              {.label = 2, .opcode = ILP_OP_BR, .target = 1}};
    static const struct ilp_insn good[] = {{.label = 0}, {.label = 1, .opcode = ILP_OP_RET}};
    assert_int_equal(encode(prefix_last, 2, NULL), ILP_E_BAD_BODY);
    assert_int_equal(encode(between, 3, NULL), ILP_E_BAD_BODY);
    assert_int_equal(encode(good, 2, NULL), ILP_OK);
    static const struct ilp_eh_clause blocks[] = {
        {2, 0, 5, 1, 9, 0}, {2, 1, UINT32_MAX, 1, 9, 0}, {1, 0, 1, 1, 9, 7}};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        assert_int_equal(encode(good, 2, &blocks[i]), ILP_E_MISUSE);
    }
    static const struct ilp_eh_clause block = {2, 0, 1, 1, 9, 0};
    assert_int_equal(encode(good, 2, &block), ILP_OK);
}

/* Trees that no one has read: what is missing is refused, not followed. */
static void wrong_trees_are_refused(void **state)
{
    (void)state;
    struct ilp_arena *arena = open_arena();
    struct ilp_type loop = {.element = ILP_ELEMENT_I4};
    struct ilp_type inner = {.element = ILP_ELEMENT_SZARRAY};
    struct ilp_type array = {.element = ILP_ELEMENT_ARRAY, .inner = &loop};
    struct ilp_type pointer = {.element = ILP_ELEMENT_FNPTR};
    struct ilp_type generic = {.element = ILP_ELEMENT_GENERICINST};
    struct ilp_type last = {.element = ILP_ELEMENT_VOID};
    struct ilp_sig sigs[] = {{.kind = ILP_SIG_FIELD, .convention = 6},
                             {.kind = ILP_SIG_FIELD, .convention = 6, .ret = &inner},
                             {.kind = ILP_SIG_FIELD, .convention = 6, .ret = &array},
                             {.kind = ILP_SIG_FIELD, .convention = 6, .ret = &pointer},
                             {.kind = ILP_SIG_FIELD, .convention = 6, .ret = &generic},
                             {.kind = ILP_SIG_METHOD,
                              .ret = &last,
                              .param_count = 2,
                              .required_count = 2,
                              .params = &loop}};
    struct ilp_bytes blob;
    loop.next = &loop;
    for (size_t i = 0; i < sizeof sigs / sizeof *sigs; i++) {
        assert_int_equal(ilp_sig_write(&blob, &sigs[i], arena, NULL), ILP_E_MISUSE);
    }
    ilp_arena_close(arena);
}

/* ---- memory ---- */

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {0x16, 0x45, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0x00, 0x2A};
    struct ilp_body body = {.max_stack = 8, .code = {bytes, sizeof bytes}};
    for (size_t n = 1;; n++) {
        struct test_alloc memory;
        test_alloc_init(&memory, n);
        struct ilp_allocator allocator = {test_resize, &memory, 0};
        struct ilp_arena *arena;
        ilp_status status = ilp_arena_open(&arena, &allocator, NULL);
        if (status == ILP_OK) {
            struct ilp_code code;
            struct ilp_encoded out;
            struct ilp_bytes written;
            const char *text;
            status = ilp_code_decode(&code, &body, arena, NULL);
            status = status == ILP_OK ? ilp_code_encode(&out, &code, &body, arena, NULL) : status;
            status = status == ILP_OK ? ilp_body_write(&written, &out.body, arena, NULL) : status;
            status = status == ILP_OK ? ilp_body_text(&text, &out.body, NULL, arena, NULL) : status;
            ilp_arena_close(arena);
        }
        if (memory.calls < n) {
            assert_int_equal(status, ILP_OK);
            return;
        }
        assert_int_equal(status, ILP_E_NO_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_methods_come_back),
        cmocka_unit_test(every_opcode_comes_back),
        cmocka_unit_test(short_branches_grow_when_they_must),
        cmocka_unit_test(widening_goes_on),
        cmocka_unit_test(insertion_moves_what_follows),
        cmocka_unit_test(wrong_instructions_are_refused),
        cmocka_unit_test(wrong_trees_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
