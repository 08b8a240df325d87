/* Fuzzes the whole way of a file through the library: open, change tail calls, inspect by rules
 * (async methods, iterators, guards, ids, native functions, embedded inspectors), move the symbols,
 * write (compact, strong names, precompiled code), open what was written, verify it, inspect it
 * again.
 *
 *   the file   the Portable PDB   u8 how   u8 rules
 *
 *   how     bits 0-1: the inspector: one of all forms, the stock one, the small one, a native one
 *           bit 2: embedded
 *           bit 3: compact where that is possible
 *           bits 4-5: before all else, tail calls are added, stripped, stripped where that is safe
 *           bits 6-7: what becomes of the symbols
 *   rules   bits 0-2: which of whole_rules
 *           bits 3-4: the strong name is kept, cleared, signed with a key, public-signed
 *           bit 5: references lead to the file itself
 *           bits 6-7: if 2 or 3, memory ends: at the 45th allocation, or the 989th
 *
 * The PDB begins after the last section, and need not be there.
 *
 * What is promised: what was written opens, and has the rows and bodies that the edit has; methods
 * that were not inspected have the body that they had; if the verifier had no errors to find
 * before, it has none after; if nothing refers beyond the end of a table or heap, what was
 * inspected is recognised the second time, and no body changes; the same is written the second
 * time; without memory the status says so; nothing leaks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "host/tool.h"
#include "il/body_format.h"
#include "metadata/edit.h"
#include "metadata/flags.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/memory.h"
#include "tests/unit/snk_key.h"
#include "inspect/reasons.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* From the project's root. */
#define WHOLE_INSPECTOR "tests/command/files/good-inspector-passes.dll"

/* Keeps a run short: the work is done several times, and the verifier's grows with the code. */
#define WHOLE_MOST_INPUT   ((size_t)24 * 1024)
#define WHOLE_MOST_WRITTEN ((size_t)4 << 20)

/* ---- what is requested ---- */

/* NULL: every method, without a word. */
static const char *const whole_rules[] = {
    NULL,
    "<rules><include async='result' iterators='current' guard='yes'/></rules>",
    "<rules><include byref='inspect' pointers='inspect' pass='id'/></rules>",
    "<rules><include tail-calls='strip' async='result' iterators='current' pass='value'/></rules>",
    "<rules><exclude><return kind='primitive enum'/></exclude><include guard='yes' pass='handle'/>"
    "</rules>",
    "<rules><exclude><any><method like='*e*'/><attribute like='System.*'/></any></exclude>"
    "<include tail-calls='keep' async='skip'/></rules>",
    "<rules><include><return kind='struct generic'/></include><include pass='id' guard='yes'>"
    "<type regex='^[A-N]'/></include></rules>",
    "<rules><include><method visibility='public' role='ordinary getter'/></include></rules>",
};

enum { WHOLE_RULES = sizeof whole_rules / sizeof whole_rules[0], WHOLE_INSPECTORS = 4 };

/* Made once. */
struct whole_things {
    struct ilp_rules *rules[WHOLE_RULES];
    struct ilp_image *images[WHOLE_INSPECTORS];
    struct ilp_inspector *inspectors[WHOLE_INSPECTORS];
};

static void whole_open_inspector(struct whole_things *things, unsigned which,
                                 struct ilp_bytes bytes)
{
    FUZZ_CHECK(ilp_image_open(&things->images[which], bytes, ILP_LAYOUT_FILE, "inspector", NULL,
                              NULL) == ILP_OK);
    FUZZ_CHECK(ilp_inspector_open(&things->inspectors[which], things->images[which], NULL, NULL) ==
               ILP_OK);
}

static struct ilp_bytes whole_inspector_file(void)
{
    static uint8_t bytes[4096];
    FILE *file = fopen(WHOLE_INSPECTOR, "rb");
    FUZZ_CHECK(file);
    struct ilp_bytes whole = {bytes, fread(bytes, 1, sizeof bytes, file)};
    fclose(file);
    return whole;
}

static const struct whole_things *whole_things(void)
{
    static struct whole_things things;
    if (things.inspectors[0]) {
        return &things;
    }
    whole_open_inspector(&things, 0, whole_inspector_file());
    whole_open_inspector(&things, 1, stock_inspector_bytes(EDITION_FULL));
    whole_open_inspector(&things, 2, stock_inspector_bytes(EDITION_SMALL));
    const struct ilp_native native = {
        .call = ILP_NATIVE_PINVOKE, .library = "libshow", .symbol = "show"};
    FUZZ_CHECK(ilp_inspector_open_native(&things.inspectors[3], &native, NULL, NULL) == ILP_OK);
    for (unsigned i = 0; i < WHOLE_RULES; i++) {
        if (whole_rules[i]) {
            struct ilp_bytes xml = {(const uint8_t *)whole_rules[i], strlen(whole_rules[i])};
            FUZZ_CHECK(ilp_rules_open(&things.rules[i], NULL, NULL) == ILP_OK);
            FUZZ_CHECK(ilp_rules_add(things.rules[i], xml, "whole.xml", NULL) == ILP_OK);
        }
    }
    return &things;
}

struct whole_choice {
    unsigned inspector;
    bool embed;
    enum ilp_write_layout layout;
    unsigned tail; /* 0: inspect; else change tail calls: enum ilp_tail_edit + 1 */
    enum ilp_symbols_entries symbols;
    unsigned rules;
    unsigned name; /* enum ilp_strong_name, 3: public-signed */
    bool self;
    size_t fails_at; /* memory.h */
};

static struct whole_choice whole_choose(uint8_t how, uint8_t rules)
{
    static const size_t fails_at[] = {0, 0, 45, 989};
    return (struct whole_choice){
        .inspector = how & 3u,
        .embed = (how & 4) != 0,
        .layout = (how & 8) != 0 ? ILP_WRITE_AUTO : ILP_WRITE_KEEP,
        .tail = how >> 4 & 3,
        .symbols = (enum ilp_symbols_entries)((how >> 6) % (ILP_SYMBOLS_UPDATE + 1)),
        .rules = rules & 7u,
        .name = rules >> 3 & 3u,
        .self = (rules & 32) != 0,
        .fails_at = fails_at[rules >> 6],
    };
}

/* ---- one pass: a file in, a file out ---- */

struct whole_pass {
    const struct whole_choice *choice;
    const struct ilp_allocator *allocator;
    struct ilp_image *image;
    struct ilp_symbols *symbols;
    struct ilp_edit *edit;
    struct ilp_error error;
    struct ilp_bytes pdb; /* as it is; empty: there is none, or it is embedded */
    struct ilpi_buf written;
    struct ilpi_buf written_pdb;
    uint8_t *changed; /* by rid: the method has a new body */
    uint8_t *reasons; /* by rid: enum ilp_reason, plus 1 */
};

static struct ilp_image *whole_reference(void *user, const struct ilp_assembly_name *name)
{
    FUZZ_CHECK(name->name && name->culture);
    return user;
}

static ilp_status whole_write(void *user, const void *bytes, size_t size)
{
    struct ilpi_buf *buf = user;
    if (size > WHOLE_MOST_WRITTEN - buf->size) {
        return ILP_E_CALLBACK;
    }
    ilpi_buf_bytes_add(buf, bytes, size);
    return buf->status;
}

static ilp_status whole_method(void *user, ilp_token method, const struct ilp_method_result *result,
                               struct ilp_error *error)
{
    struct whole_pass *pass = user;
    (void)error;
    FUZZ_CHECK(result->reason < ILPI_REASON_COUNT);
    FUZZ_CHECK(ILP_TOKEN_RID(method) <= ilp_row_count(pass->image, ILP_MethodDef));
    FUZZ_CHECK(result->body.size == 0 || ilp_reason_kind(result->reason) == ILP_REASON_DONE);
    FUZZ_CHECK(memchr(result->detail, '\0', sizeof result->detail));
    pass->changed[ILP_TOKEN_RID(method)] |= result->body.size != 0;
    pass->reasons[ILP_TOKEN_RID(method)] = (uint8_t)(result->reason + 1);
    return ILP_OK;
}

/* What cannot be read stays as it is, as in `ilpatch tail`. */
static bool whole_may_go_on(ilp_status status)
{
    enum ilp_class class = ilp_status_class(status);
    return class == ILP_CLASS_DATA || class == ILP_CLASS_LIMIT || class == ILP_CLASS_UNSUPPORTED;
}

static ilp_status whole_tail_method(struct whole_pass *pass, struct ilp_tail_editor *editor,
                                    ilp_rid rid)
{
    const struct ilp_tail_call *calls;
    const struct ilp_il_map *map;
    struct ilp_bytes body;
    size_t count;
    ilp_status status = ilp_tail_calls(editor, rid, &calls, &count, &pass->error);
    if (status == ILP_OK) {
        enum ilp_tail_edit change = (enum ilp_tail_edit)(pass->choice->tail - 1);
        status = ilp_tail_change(editor, change, &body, &pass->error);
    }
    if (status != ILP_OK || body.size == 0) {
        return status != ILP_OK && whole_may_go_on(status) ? ILP_OK : status;
    }
    status = ilp_edit_set_body(pass->edit, rid, body, &pass->error);
    if (status == ILP_OK) {
        pass->changed[rid] = true;
        status = ilp_tail_map(editor, &map, &count, &pass->error);
    }
    return status == ILP_OK && pass->symbols
               ? ilp_symbols_move(pass->symbols, ILP_TOKEN(ILP_MethodDef, rid), map, count,
                                  &pass->error)
               : status;
}

static ilp_status whole_tail(struct whole_pass *pass, const struct ilp_resolver *resolver)
{
    struct ilp_tail_editor *editor;
    ilp_status status = ilp_tail_editor_open(&editor, pass->image, resolver, pass->allocator,
                                             &pass->error);
    if (status != ILP_OK) {
        return status;
    }
    for (ilp_rid rid = 1; status == ILP_OK && rid <= ilp_row_count(pass->image, ILP_MethodDef);
         rid++) {
        status = whole_tail_method(pass, editor, rid);
    }
    ilp_tail_editor_close(editor);
    return status == ILP_OK && !ilp_edit_is_empty(pass->edit)
               ? ilp_edit_renew_mvid(pass->edit, &pass->error)
               : status;
}

static ilp_status whole_inspect(struct whole_pass *pass, const struct ilp_resolver *resolver)
{
    const struct whole_things *things = whole_things();
    const struct ilp_inspector *inspector = things->inspectors[pass->choice->inspector];
    const struct ilp_request request = {
        .inspectors = &inspector,
        .inspector_count = 1,
        .rules = things->rules[pass->choice->rules],
        .resolver = resolver,
        .allocator = pass->allocator,
        .module_number = 7,
        .embed = pass->choice->embed,
        .symbols = pass->symbols,
    };
    const struct ilp_report report = {pass, whole_method};
    return ilp_inspect_returns(pass->image, pass->edit, &request, &report, &pass->error);
}

static ilp_status whole_emit(struct whole_pass *pass)
{
    uint8_t public_key[16 + 4 + 64]; /* the head, and a modulus of 512 bits */
    struct ilp_symbols_link link = {.path = {NULL, 0}};
    struct ilp_write_options options = {.layout = pass->choice->layout,
                                        .symbols = pass->choice->symbols};
    struct ilp_bytes pdb;
    uint32_t key = ilp_cell(pass->image, ILP_Assembly, 1, ILP_Assembly_PublicKey);
    if (pass->choice->name >= ILP_STRONG_NAME_SIGN && ilp_blob(pass->image, key).size != 0) {
        memcpy(public_key, snk_private, sizeof public_key);
        public_key[0] = 6; /* PUBLICKEYBLOB, "RSA1" */
        public_key[11] = '1';
        bool whole = pass->choice->name == ILP_STRONG_NAME_SIGN;
        options.key = whole ? (struct ilp_bytes){snk_private, sizeof snk_private}
                            : (struct ilp_bytes){public_key, sizeof public_key};
        options.strong_name = ILP_STRONG_NAME_SIGN;
    } else if (pass->choice->name == ILP_STRONG_NAME_CLEAR) {
        options.strong_name = ILP_STRONG_NAME_CLEAR;
    }
    ilp_status status = ILP_OK;
    if (pass->symbols) {
        status = ilp_symbols_write(pass->symbols, pass->edit, &pdb, &link, &pass->error);
        if (status == ILP_OK) {
            ilpi_buf_bytes_add(&pass->written_pdb, pdb.data, pdb.size);
            options.link = &link;
        } else {
            options.symbols = ILP_SYMBOLS_DROP;
            status = whole_may_go_on(status) ? ILP_OK : status;
        }
    }
    struct ilp_sink sink = {&pass->written, whole_write};
    struct ilp_write_info info;
    if (status == ILP_OK) {
        status = ilp_edit_write(pass->edit, &options, &sink, &info, &pass->error);
    }
    FUZZ_CHECK(status != ILP_OK || info.size == pass->written.size);
    return status;
}

/* Symbols are wanted where they are to be updated. */
static ilp_status whole_open_symbols(struct whole_pass *pass)
{
    struct ilp_symbols_info info;
    ilp_image_symbols(pass->image, &info);
    bool any = info.kind == ILP_SYMBOLS_EMBEDDED ||
               (info.kind == ILP_SYMBOLS_BESIDE && pass->pdb.size != 0);
    if (pass->choice->symbols != ILP_SYMBOLS_UPDATE || !any) {
        return ILP_OK;
    }
    struct ilp_bytes pdb = info.kind == ILP_SYMBOLS_BESIDE ? pass->pdb
                                                           : (struct ilp_bytes){NULL, 0};
    ilp_status status = ilp_symbols_open(&pass->symbols, pass->image, pdb, pass->allocator,
                                         &pass->error);
    if (status != ILP_OK) {
        pass->symbols = NULL;
    }
    return whole_may_go_on(status) ? ILP_OK : status;
}

/* From bytes to bytes; the image and the edit stay open for whole_pass_end(). */
static ilp_status whole_pass(struct whole_pass *pass, struct ilp_bytes bytes)
{
    ilp_status status = ilp_image_open(&pass->image, bytes, ILP_LAYOUT_FILE, "fuzz",
                                       pass->allocator, &pass->error);
    if (status != ILP_OK) {
        pass->image = NULL;
        return status;
    }
    struct ilp_resolver self = {.user = pass->image, .open = whole_reference};
    const struct ilp_resolver *resolver = pass->choice->self ? &self : NULL;
    pass->changed = calloc(ilp_row_count(pass->image, ILP_MethodDef) + 1, 1);
    pass->reasons = calloc(ilp_row_count(pass->image, ILP_MethodDef) + 1, 1);
    FUZZ_CHECK(pass->changed && pass->reasons);
    status = ilp_edit_open(&pass->edit, pass->image, pass->allocator, &pass->error);
    if (status != ILP_OK) {
        pass->edit = NULL;
        return status;
    }
    status = ilp_image_index(pass->image, &pass->error);
    if (status == ILP_OK) {
        status = whole_open_symbols(pass);
    }
    if (status == ILP_OK) {
        status = pass->choice->tail != 0 ? whole_tail(pass, resolver)
                                         : whole_inspect(pass, resolver);
    }
    return status == ILP_OK ? whole_emit(pass) : status;
}

static void whole_pass_begin(struct whole_pass *pass, const struct whole_choice *choice,
                             const struct ilp_allocator *allocator, struct ilpi_alloc *alloc)
{
    *pass = (struct whole_pass){.choice = choice,
                                .allocator = allocator,
                                .written = {.alloc = alloc},
                                .written_pdb = {.alloc = alloc}};
}

static void whole_pass_end(struct whole_pass *pass)
{
    ilp_symbols_close(pass->symbols);
    ilp_edit_close(pass->edit);
    ilp_image_close(pass->image);
    free(pass->changed);
    free(pass->reasons);
    ilpi_buf_free(&pass->written);
    ilpi_buf_free(&pass->written_pdb);
}

/* ---- what holds of it ---- */

/* Nothing says how long native code is: it is taken for IL in the headers, where no byte of it may
 * change, and left out elsewhere. */
static struct ilp_bytes whole_body(const struct ilp_image *image, ilp_rid rid)
{
    uint32_t rva = ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_RVA);
    uint32_t flags = ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_ImplFlags);
    bool native = (flags & ILPI_METHOD_IMPL_CODE_TYPE_MASK) == ILPI_METHOD_IMPL_NATIVE &&
                  rva >= image->pe.size_of_headers;
    struct ilp_bytes body = rva != 0 && !native ? ilp_image_rva(image, rva, NULL)
                                                : (struct ilp_bytes){NULL, 0};
    body.size = ilpi_body_extent(body);
    return body;
}

static void whole_check_written(const struct whole_pass *pass, struct ilp_image *after)
{
    struct ilp_digest now;
    struct ilp_digest origin;
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        FUZZ_CHECK(ilp_row_count(after, table) == ilp_edit_row_count(pass->edit, table));
    }
    for (ilp_rid rid = 1; rid <= ilp_row_count(pass->image, ILP_MethodDef); rid++) {
        struct ilp_bytes old = whole_body(pass->image, rid);
        FUZZ_CHECK(pass->changed[rid] || old.size == 0 ||
                   ilpi_bytes_equal(old, whole_body(after, rid)));
    }
    if (!ilp_edit_is_empty(pass->edit)) {
        ilp_digest_of(pass->image->pe.bytes, &now);
        FUZZ_CHECK(ilp_image_origin(after, &origin));
        FUZZ_CHECK(memcmp(&now, &origin, sizeof now) == 0);
    }
    if (pass->written_pdb.size != 0) {
        struct ilp_image *pdb;
        FUZZ_CHECK(ilp_image_open(&pdb, ilpi_buf_bytes(&pass->written_pdb), ILP_LAYOUT_METADATA,
                                  NULL, NULL, NULL) == ILP_OK);
        ilp_image_close(pdb);
    }
}

struct whole_findings {
    unsigned errors;
    unsigned dangling; /* references beyond the end of a table or heap */
    struct ilp_verify_finding first;
};

static bool whole_is_dangling(const char *code)
{
    static const char *const codes[] = {"table-index", "table-list",      "string-index",
                                        "guid-index",  "blob-index",      "locals",
                                        "eh-catch",    "signature-token", "token"};
    for (unsigned i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        if (strcmp(code, codes[i]) == 0) {
            return true;
        }
    }
    return false;
}

static ilp_status whole_finding(void *user, const struct ilp_verify_finding *finding,
                                struct ilp_error *error)
{
    struct whole_findings *findings = user;
    (void)error;
    if (finding->kind == ILP_FINDING_ERROR && findings->errors++ == 0) {
        findings->first = *finding;
    }
    findings->dangling += whole_is_dangling(finding->code);
    return ILP_OK;
}

static struct whole_findings whole_verify(const struct whole_pass *pass, struct ilp_image *image)
{
    struct whole_findings findings = {0};
    struct ilp_findings_sink sink = {&findings, NULL, whole_finding};
    struct ilp_resolver self = {.user = image, .open = whole_reference};
    FUZZ_CHECK(ilp_verify(image, pass->choice->self ? &self : NULL, &sink, NULL, NULL) == ILP_OK);
    return findings;
}

static void whole_check_verified(const struct whole_pass *pass, struct ilp_image *after)
{
    struct whole_findings findings = whole_verify(pass, after);
    if (findings.errors != 0) {
        fprintf(stderr, "%u errors after no one, the first: %08X at %X: %s: %s\n", findings.errors,
                findings.first.token, findings.first.offset, findings.first.code,
                findings.first.message);
    }
    FUZZ_CHECK(findings.errors == 0);
}

/* The second time, what was inspected is found so, and no other body changes: unless something
 * dangles, since a reference beyond the end of a table or heap gets a meaning by what is
 * appended. */
static void whole_check_again(const struct whole_pass *pass, bool dangling,
                              struct ilpi_alloc *alloc)
{
    struct whole_choice choice = *pass->choice;
    struct whole_pass again;
    choice.layout = ILP_WRITE_KEEP;
    choice.symbols = ILP_SYMBOLS_KEEP;
    choice.name = ILP_STRONG_NAME_KEEP;
    whole_pass_begin(&again, &choice, NULL, alloc);
    ilp_status status = whole_pass(&again, ilpi_buf_bytes(&pass->written));
    FUZZ_CHECK(ilp_status_class(status) != ILP_CLASS_BUG);
    bool compared = status == ILP_OK && pass->choice->tail == 0 && !dangling;
    for (ilp_rid rid = 1; compared && rid <= ilp_row_count(pass->image, ILP_MethodDef); rid++) {
        FUZZ_CHECK(!pass->changed[rid] || again.reasons[rid] == ILP_REASON_ALREADY + 1);
        FUZZ_CHECK(!again.changed[rid]);
    }
    whole_pass_end(&again);
}

static void whole_check(const struct whole_pass *pass, struct ilpi_alloc *alloc)
{
    struct ilp_image *after;
    struct ilp_error error = {.message = ""};
    struct whole_pass same;
    whole_pass_begin(&same, pass->choice, NULL, alloc);
    same.pdb = pass->pdb;
    FUZZ_CHECK(whole_pass(&same, pass->image->pe.bytes) == ILP_OK);
    FUZZ_CHECK(ilpi_bytes_equal(ilpi_buf_bytes(&pass->written), ilpi_buf_bytes(&same.written)));
    FUZZ_CHECK(
        ilpi_bytes_equal(ilpi_buf_bytes(&pass->written_pdb), ilpi_buf_bytes(&same.written_pdb)));
    whole_pass_end(&same);
    ilp_status status = ilp_image_open(&after, ilpi_buf_bytes(&pass->written), ILP_LAYOUT_FILE,
                                       NULL, NULL, &error);
    if (status != ILP_OK) {
        fprintf(stderr, "what was written cannot be opened: %s\n", error.message);
    }
    FUZZ_CHECK(status == ILP_OK);
    struct whole_findings before = whole_verify(pass, pass->image);
    whole_check_written(pass, after);
    if (before.errors == 0 && !ilp_edit_is_empty(pass->edit)) {
        whole_check_verified(pass, after);
    }
    ilp_image_close(after);
    whole_check_again(pass, before.dangling != 0, alloc);
}

/* ---- the input ---- */

static struct ilp_bytes whole_copy(struct ilp_bytes bytes)
{
    uint8_t *copy = malloc(bytes.size != 0 ? bytes.size : 1);
    FUZZ_CHECK(copy);
    if (bytes.size != 0) {
        memcpy(copy, bytes.data, bytes.size);
    }
    return (struct ilp_bytes){copy, bytes.size};
}

struct whole_input {
    struct ilp_bytes file;
    struct ilp_bytes pdb;
};

/* Parts the file from the PDB after it, which gets the id that the file wants. */
static struct whole_input whole_input(uint8_t *data, size_t size)
{
    struct ilp_image *image;
    struct ilp_image *pdb;
    struct ilp_symbols_info info;
    struct whole_input input = {{data, size}, {NULL, 0}};
    if (ilp_image_open(&image, input.file, ILP_LAYOUT_FILE, NULL, NULL, NULL) != ILP_OK) {
        return input;
    }
    size_t end = (size_t)ilpi_pe_contents_end(&image->pe);
    ilp_image_symbols(image, &info);
    if (end < size && size - end > 4 && memcmp(data + end, "BSJB", 4) == 0) {
        input = (struct whole_input){{data, end}, {data + end, size - end}};
    }
    if (ilp_image_open(&pdb, input.pdb, ILP_LAYOUT_METADATA, NULL, NULL, NULL) == ILP_OK) {
        if (pdb->pdb_stream) {
            memcpy(data + end + pdb->pdb_stream->offset, info.id, sizeof info.id);
        }
        ilp_image_close(pdb);
    }
    ilp_image_close(image);
    return input;
}

/* *written receives what was written, if anything was; owned. */
static void whole_run(const struct whole_input *input, const struct whole_choice *choice,
                      struct whole_input *written)
{
    struct fuzz_memory memory = {.fails_at = choice->fails_at};
    const struct ilp_allocator allocator = {.resize = fuzz_resize, .user = &memory};
    struct ilpi_alloc alloc;
    struct whole_pass pass;
    ilpi_alloc_init(&alloc, NULL);
    whole_pass_begin(&pass, choice, &allocator, &alloc);
    pass.pdb = input->pdb;
    ilp_status status = whole_pass(&pass, input->file);
    FUZZ_CHECK(ilp_status_class(status) != ILP_CLASS_BUG);
    FUZZ_CHECK(status == ILP_OK || pass.error.status == status);
    FUZZ_CHECK(status == ILP_OK || pass.error.message[0] != '\0');
    if (memory.fails_at != 0) {
        FUZZ_CHECK(memory.calls < memory.fails_at || status != ILP_OK);
    } else if (status == ILP_OK) {
        whole_check(&pass, &alloc);
    }
    if (status == ILP_OK && written) {
        written->file = whole_copy(ilpi_buf_bytes(&pass.written));
        written->pdb = whole_copy(ilpi_buf_bytes(&pass.written_pdb));
    }
    whole_pass_end(&pass);
    FUZZ_CHECK(memory.out == 0 && alloc.used == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > WHOLE_MOST_INPUT) {
        return 0;
    }
    struct whole_choice choice = whole_choose(data[size - 2], data[size - 1]);
    struct ilp_bytes copy = whole_copy((struct ilp_bytes){data, size - 2});
    struct whole_input input = whole_input((uint8_t *)copy.data, copy.size);
    struct whole_input changed = {{NULL, 0}, {NULL, 0}};
    if (choice.tail != 0) {
        whole_run(&input, &choice, &changed);
        choice.tail = 0;
    }
    whole_run(changed.file.size != 0 ? &changed : &input, &choice, NULL);
    free((void *)changed.file.data);
    free((void *)changed.pdb.data);
    free((void *)copy.data);
    return 0;
}
