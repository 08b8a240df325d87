/* Fuzzes rule files: read, and if they are accepted, put to every method of a small assembly.
 *
 * The input is a rule file, nothing else. What is promised: a file is taken as a whole or not at
 * all, what is wrong has a place in it and a message; selecting, explaining and a second selector
 * say the same; what a file is parsed to gives the same number of rules; nothing leaks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ilpatch.h"
#include "rules/rules.h"
#include "tests/unit/pe_builder.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Keeps a run short: each rule is tested with each method several times. */
#define RULES_MOST_INPUT ((size_t)16 * 1024)

/* ---- the assembly, made once ---- */

/* After ib_sample(): a struct, an enum, a generic type with one nested in it, a property, an
 * attribute, and methods that return what conditions request, some of it not to be found. */
static void rules_add_types(struct ib_image *b)
{
    ilp_token core = ILP_TOKEN(ILP_AssemblyRef, 1);
    ilp_token value_type = ILP_TOKEN(
        ILP_TypeRef, IB_ROW(b, TypeRef, core, ib_string(b, "ValueType"), ib_string(b, "System")));
    ilp_token enum_type = ILP_TOKEN(
        ILP_TypeRef, IB_ROW(b, TypeRef, core, ib_string(b, "Enum"), ib_string(b, "System")));
    IB_ROW(b, TypeRef, core, ib_string(b, "Gone"), ib_string(b, "G"));
    ilp_token obsolete = ILP_TOKEN(
        ILP_TypeRef,
        IB_ROW(b, TypeRef, core, ib_string(b, "ObsoleteAttribute"), ib_string(b, "System")));
    IB_ROW(b, TypeDef, 0x100109, ib_string(b, "Struct"), ib_string(b, "N"), value_type, 2, 4);
    IB_ROW(b, Field, 6, ib_string(b, "f"), IB_BLOB(b, 0x06, 0x1C));
    IB_ROW(b, TypeDef, 0x100101, ib_string(b, "Enum"), ib_string(b, "N"), enum_type, 3, 4);
    IB_ROW(b, TypeDef, 0x100001, ib_string(b, "Outer`1"), ib_string(b, "N.M"),
           ILP_TOKEN(ILP_TypeRef, 1), 3, 4);
    IB_ROW(b, GenericParam, 0, 0, ILP_TOKEN(ILP_TypeDef, 5), ib_string(b, "T"));
    static const struct {
        const char *name;
        uint16_t flags;
        uint8_t signature[6];
        uint8_t size;
    } methods[] = {
        {"get_P", 0x886, {0x20, 0, 0x11, 0x0C}, 4},   {"Enum", 0x16, {0, 0, 0x11, 0x10}, 4},
        {"Gone", 0x16, {0, 0, 0x11, 0x11}, 4},        {"Ref", 0x96, {0, 0, 0x10, 0x08}, 4},
        {"Pointer", 0x91, {0, 0, 0x0F, 0x08}, 4},     {".ctor", 0x1886, {0x20, 0, 0x01}, 3},
        {"op_Addition", 0x896, {0, 0, 0x13, 0}, 4},   {"bad", 0x16, {0x06, 0x08}, 2},
        {"virtual", 0x5C6, {0x20, 1, 0x1C, 0x0E}, 4}, {"Größe", 0x16, {0, 0, 0x1D, 0x08}, 4},
    };
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        IB_ROW(b, MethodDef, 0, 0, methods[i].flags, ib_string(b, methods[i].name),
               ib_blob(b, methods[i].signature, methods[i].size), 2);
    }
    IB_ROW(b, TypeDef, 0x100003, ib_string(b, "Inner\xFF"), 0, ILP_TOKEN(ILP_TypeRef, 1), 3, 14);
    IB_ROW(b, NestedClass, 6, 5);
    IB_ROW(b, MethodDef, 0, 0, 0x16, ib_string(b, "inner"), IB_BLOB(b, 0, 0, 0x01), 2);
    /* Outer`1 implements a generic interface of itself, Inner derives from an instance of
     * Outer`1 */
    ilp_token spec = ILP_TOKEN(ILP_TypeSpec,
                               IB_ROW(b, TypeSpec, IB_BLOB(b, 0x15, 0x12, 0x14, 1, 0x0E)));
    IB_ROW(b, InterfaceImpl, 5,
           ILP_TOKEN(ILP_TypeSpec, IB_ROW(b, TypeSpec, IB_BLOB(b, 0x15, 0x12, 0x14, 1, 0x13, 0))));
    ib_set(b, ILP_TypeDef, 6, ILP_TypeDef_Extends, spec);
    IB_ROW(b, PropertyMap, 5, 1);
    IB_ROW(b, Property, 0, ib_string(b, "P"), IB_BLOB(b, 0x28, 0, 0x11, 0x0C));
    IB_ROW(b, MethodSemantics, 2, 4, ILP_TOKEN(ILP_Property, 1));
    ilp_rid constructor = IB_ROW(b, MemberRef, obsolete, ib_string(b, ".ctor"),
                                 IB_BLOB(b, 0x20, 0, 0x01));
    IB_ROW(b, CustomAttribute, ILP_TOKEN(ILP_MethodDef, 5), ILP_TOKEN(ILP_MemberRef, constructor),
           IB_BLOB(b, 1, 0, 0, 0));
}

static struct ilp_image *rules_image(void)
{
    static struct ilp_image *image;
    if (!image) {
        static struct ib_image b;
        ib_begin(&b);
        ib_sample(&b);
        rules_add_types(&b);
        struct ib_file file = ib_pe_file(&b, (struct ib_pe){0}); /* lives as long as the program */
        struct ilp_bytes bytes = {file.data, file.size};
        FUZZ_CHECK(ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, "fuzz", NULL, NULL) == ILP_OK);
        ib_end(&b);
    }
    return image;
}

/* ---- asking ---- */

static ilp_status explain_rules(void *user, const struct ilp_rule_trace *trace)
{
    uint32_t *last = user;
    FUZZ_CHECK(trace->condition && trace->fact && trace->outcome <= ILP_UNKNOWN);
    FUZZ_CHECK(trace->rule >= *last);
    *last = trace->rule;
    return ILP_OK;
}

static void select_by_rules(const struct ilp_rules *rules, const struct ilp_allocator *allocator)
{
    struct ilp_image *image = rules_image();
    struct ilp_selector *selector;
    struct ilp_selector *other;
    FUZZ_CHECK(ilp_selector_open(&selector, rules, image, NULL, ILP_TARGET_AUTO, allocator, NULL) ==
               ILP_OK);
    FUZZ_CHECK(ilp_selector_open(&other, rules, image, NULL, ILP_TARGET_ANYCPU, allocator, NULL) ==
               ILP_OK);
    uint32_t count = ilp_rules_count(rules);
    for (ilp_rid rid = ilp_row_count(image, ILP_MethodDef); rid != 0; rid--) {
        ilp_token method = ILP_TOKEN(ILP_MethodDef, rid);
        struct ilp_selection selection;
        struct ilp_selection again;
        uint32_t last = 0;
        FUZZ_CHECK(ilp_select(selector, method, &selection, NULL) == ILP_OK);
        FUZZ_CHECK(selection.rule == ILP_NO_RULE || selection.rule < count);
        FUZZ_CHECK(selection.rule != ILP_NO_RULE || selection.included == ILP_NO);
        FUZZ_CHECK((selection.detail[0] != '\0') == (selection.included == ILP_UNKNOWN));
        FUZZ_CHECK(ilp_explain(other, method, explain_rules, &last, &again, NULL) == ILP_OK);
        FUZZ_CHECK(again.rule == selection.rule && again.included == selection.included);
        FUZZ_CHECK(selection.rule == ILP_NO_RULE || last == selection.rule);
    }
    ilp_selector_close(selector);
    ilp_selector_close(other);
}

/* What is true of rules that were accepted. */
static void rules_look(const struct ilp_rules *rules, uint32_t lines)
{
    const char *file;
    uint32_t inspectors = 0;
    while (ilp_rules_inspector(rules, inspectors, &file)) {
        FUZZ_CHECK(strcmp(file, "fuzz.xml") == 0);
        inspectors++;
    }
    for (uint32_t i = 0; i < ilp_rules_count(rules); i++) {
        struct ilp_rule rule;
        ilp_rules_get(rules, i, &rule);
        FUZZ_CHECK(rule.line >= 1 && rule.line <= lines && rule.name && rule.file);
        FUZZ_CHECK(rule.action.inspector <= inspectors);
        FUZZ_CHECK(rule.action.pass < ILP_PASS_COUNT && rule.action.byref < ILP_BYREF_COUNT &&
                   rule.action.pointers < ILP_POINTERS_COUNT &&
                   rule.action.tail_calls < ILP_TAIL_CALLS_COUNT &&
                   rule.action.async < ILP_ASYNC_COUNT);
    }
}

/* What a file is parsed to gives its rules again; and the input may be such a form itself. */
static void rules_replay(struct ilp_rules *rules, struct ilp_bytes bytes, ilp_status status)
{
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    struct ilpi_buf parsed = {.alloc = &alloc};
    uint32_t before = ilp_rules_count(rules);
    FUZZ_CHECK(ilpi_rules_add_xml(rules, bytes, "fuzz.xml", &parsed, NULL) == status);
    uint32_t added = ilp_rules_count(rules) - before;
    if (status == ILP_OK) {
        FUZZ_CHECK(ilpi_rules_add_parsed(rules, ilpi_buf_bytes(&parsed), "fuzz.xml", NULL) ==
                   ILP_OK);
        FUZZ_CHECK(ilp_rules_count(rules) == before + 2 * added);
    }
    before = ilp_rules_count(rules);
    status = ilpi_rules_add_parsed(rules, bytes, "fuzz.xml", NULL);
    FUZZ_CHECK(status == ILP_OK || (status == ILP_E_BAD_RULES && ilp_rules_count(rules) == before));
    ilpi_buf_free(&parsed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ilp_rules *rules;
    struct ilp_error error = {0};
    struct fuzz_memory memory = {0};
    uint32_t lines = 1;
    struct ilp_allocator allocator = {.resize = fuzz_resize, .user = &memory};
    struct ilp_bytes bytes = {data, size};
    if (size > RULES_MOST_INPUT) {
        return 0;
    }
    for (size_t i = 0; i < size; i++) {
        lines += data[i] == '\n';
    }
    FUZZ_CHECK(ilp_rules_open(&rules, &allocator, NULL) == ILP_OK);
    ilp_status status = ilp_rules_add(rules, bytes, "fuzz.xml", &error);
    uint32_t count = ilp_rules_count(rules);
    if (status == ILP_OK) {
        rules_look(rules, lines);
        select_by_rules(rules, &allocator);
    } else {
        FUZZ_CHECK(status == ILP_E_BAD_RULES && error.status == status && error.message[0] != '\0');
        FUZZ_CHECK(error.line >= 1 && error.line <= lines && error.column >= 1 &&
                   error.column <= size + 1);
        FUZZ_CHECK(count == 0);
    }
    FUZZ_CHECK(ilp_rules_add(rules, bytes, "fuzz.xml", NULL) == status);
    FUZZ_CHECK(ilp_rules_count(rules) == 2 * count);
    rules_replay(rules, bytes, status);
    ilp_rules_close(rules);
    FUZZ_CHECK(memory.out == 0);
    return 0;
}
