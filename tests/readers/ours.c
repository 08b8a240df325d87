/* What ilpatch reads in files, a line for each fact, as Theirs.cs prints what
 * System.Reflection.Metadata reads:
 *
 *   ours FILE...                         FILE TAB KEY RID TAB "yes" VALUE, or "no" STATUS: MESSAGE
 *   ours --mutate COUNT FOLDER FILE...   writes COUNT changed copies of each file into FOLDER
 *
 * A bare metadata root, as of a Portable PDB, is opened as such. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "il/body.h"
#include "metadata/image.h"
#include "symbols/blobs.h"
#include "symbols/documents.h"
#include "tests/fuzz/mutate.h"

static struct ilp_arena *arena;
static const char *file; /* that is read */

static void begin_fact(const char *key, ilp_rid rid, bool yes)
{
    printf("%s\t%s %u\t%s ", file, key, rid, yes ? "yes" : "no");
}

static void put_failure(const char *key, ilp_rid rid, const struct ilp_error *error)
{
    begin_fact(key, rid, false);
    printf("%s: %s\n", ilp_status_name(error->status), error->message);
}

static void put_hash(struct ilp_bytes bytes)
{
    uint64_t hash = 0xCBF29CE484222325u; /* FNV-1a */
    for (size_t i = 0; i < bytes.size; i++) {
        hash = (hash ^ bytes.data[i]) * 0x100000001B3u;
    }
    printf("%zu:%016" PRIX64, bytes.size, hash);
}

static void put_hex(const char *text)
{
    for (; *text != '\0'; text++) {
        printf("%02X", (uint8_t)*text);
    }
}

/* ---- signatures ---- */

static void put_sig(const struct ilp_sig *sig);
static void put_type(const struct ilp_type *type);

static void put_types(const struct ilp_type *type)
{
    for (; type; type = type->next) {
        put_type(type);
        if (type->next) {
            putchar(' ');
        }
    }
}

static void put_shape(const struct ilp_type *type)
{
    printf(" %u [", (unsigned)type->number);
    for (uint32_t i = 0; i < type->shape->size_count; i++) {
        printf(" %u", (unsigned)type->shape->sizes[i]);
    }
    printf(" ] [");
    for (uint32_t i = 0; i < type->shape->bound_count; i++) {
        printf(" %d", (int)type->shape->bounds[i]);
    }
    printf(" ]");
}

static void put_type(const struct ilp_type *type)
{
    printf("%02X", type->element);
    switch (type->element) {
    case ILP_ELEMENT_CLASS:
    case ILP_ELEMENT_VALUETYPE: printf(":%08X", (unsigned)type->token); break;
    case ILP_ELEMENT_CMOD_REQD:
    case ILP_ELEMENT_CMOD_OPT:
        printf("(%08X ", (unsigned)type->token);
        put_type(type->inner);
        putchar(')');
        break;
    case ILP_ELEMENT_VAR:
    case ILP_ELEMENT_MVAR: printf(":%u", (unsigned)type->number); break;
    case ILP_ELEMENT_PTR:
    case ILP_ELEMENT_BYREF:
    case ILP_ELEMENT_SZARRAY:
    case ILP_ELEMENT_PINNED:
    case ILP_ELEMENT_ARRAY:
        putchar('(');
        put_type(type->inner);
        if (type->element == ILP_ELEMENT_ARRAY) {
            put_shape(type);
        }
        putchar(')');
        break;
    case ILP_ELEMENT_GENERICINST:
        putchar('(');
        put_types(type->inner);
        putchar(')');
        break;
    case ILP_ELEMENT_FNPTR:
        putchar('(');
        put_sig(type->method);
        putchar(')');
        break;
    default: break;
    }
}

static void put_sig(const struct ilp_sig *sig)
{
    if (sig->kind == ILP_SIG_METHOD || sig->kind == ILP_SIG_PROPERTY) {
        printf("%02X %u %u ", sig->convention, (unsigned)sig->generic_count,
               (unsigned)sig->required_count);
    }
    if (sig->ret) {
        put_type(sig->ret);
        putchar(' ');
    }
    put_types(sig->params);
}

static void put_signatures(const struct ilp_image *image)
{
    static const struct {
        const char *key;
        uint8_t table;
        uint8_t column;
        enum ilp_sig_kind kind;
    } columns[] = {
        {"field", ILP_Field, ILP_Field_Signature, ILP_SIG_FIELD},
        {"method", ILP_MethodDef, ILP_MethodDef_Signature, ILP_SIG_METHOD},
        {"property", ILP_Property, ILP_Property_Type, ILP_SIG_PROPERTY},
        {"member", ILP_MemberRef, ILP_MemberRef_Signature, ILP_SIG_METHOD},
        {"standalone", ILP_StandAloneSig, ILP_StandAloneSig_Signature, ILP_SIG_STANDALONE},
        {"typespec", ILP_TypeSpec, ILP_TypeSpec_Signature, ILP_SIG_TYPE_SPEC},
        {"methodspec", ILP_MethodSpec, ILP_MethodSpec_Instantiation, ILP_SIG_METHOD_SPEC},
    };
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        for (ilp_rid rid = 1; rid <= ilp_row_count(image, columns[i].table); rid++) {
            struct ilp_error error;
            struct ilp_sig *sig;
            struct ilp_bytes blob =
                ilp_blob(image, ilp_cell(image, columns[i].table, rid, columns[i].column));
            enum ilp_sig_kind kind = columns[i].kind;
            if (columns[i].table == ILP_MemberRef) {
                kind = blob.size != 0 && (blob.data[0] & 15) == 6 ? ILP_SIG_FIELD : ILP_SIG_METHOD;
            }
            ilp_arena_reset(arena);
            if (ilp_sig_read(&sig, blob, kind, 0, arena, &error) != ILP_OK) {
                put_failure(columns[i].key, rid, &error);
            } else {
                begin_fact(columns[i].key, rid, true);
                put_sig(sig);
                putchar('\n');
            }
        }
    }
}

/* ---- bodies ---- */

static void put_body(ilp_rid rid, const struct ilp_body *body)
{
    begin_fact("body", rid, true);
    printf("code ");
    put_hash(body->code);
    printf(" stack %u locals %08X init %d", body->max_stack, (unsigned)body->locals,
           body->init_locals);
    for (size_t i = 0; i < body->clause_count; i++) {
        const struct ilp_eh_clause *clause = &body->clauses[i];
        bool has_token = clause->flags == 0 || clause->flags == 1;
        printf(" [%u %u %u %u %u %X]", (unsigned)clause->flags, (unsigned)clause->try_offset,
               (unsigned)clause->try_length, (unsigned)clause->handler_offset,
               (unsigned)clause->handler_length,
               has_token ? (unsigned)clause->token_or_filter : 0u);
    }
    putchar('\n');
}

static void put_bodies(const struct ilp_image *image)
{
    for (ilp_rid rid = 1; rid <= ilp_row_count(image, ILP_MethodDef); rid++) {
        struct ilp_error error = {.message = "no bytes there"};
        struct ilp_body body;
        uint32_t rva = ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_RVA);
        uint64_t origin = 0;
        if (rva == 0) {
            continue;
        }
        ilp_arena_reset(arena);
        struct ilp_bytes bytes = ilp_image_rva(image, rva, &origin);
        if (bytes.size == 0 || ilp_body_read(&body, bytes, origin, arena, &error) != ILP_OK) {
            put_failure("body", rid, &error);
        } else {
            put_body(rid, &body);
        }
    }
}

/* ---- names, attributes ---- */

/* A name that begins beyond the end of #Strings, or has no end in it. */
static bool is_lost_name(const struct ilp_image *image, uint32_t offset)
{
    return offset != 0 && offset >= image->strings_end;
}

static bool is_lost_blob(const struct ilp_image *image, uint32_t offset)
{
    return offset != 0 && !ilp_blob(image, offset).data;
}

static void put_lost(const char *key, ilp_rid rid, const char *heap)
{
    begin_fact(key, rid, false);
    printf("%s: it is not within the heap\n", heap);
}

static void put_type_name(const struct ilp_image *image, ilp_rid rid)
{
    uint32_t namespace = ilp_cell(image, ILP_TypeDef, rid, ILP_TypeDef_TypeNamespace);
    uint32_t name = ilp_cell(image, ILP_TypeDef, rid, ILP_TypeDef_TypeName);
    if (is_lost_name(image, namespace) || is_lost_name(image, name)) {
        put_lost("typename", rid, "#Strings");
        return;
    }
    begin_fact("typename", rid, true);
    put_hex(ilp_string(image, namespace));
    putchar('.');
    put_hex(ilp_string(image, name));
    putchar('\n');
}

static void put_names(const struct ilp_image *image)
{
    for (ilp_rid rid = 1; rid <= ilp_row_count(image, ILP_TypeDef); rid++) {
        put_type_name(image, rid);
    }
    for (ilp_rid rid = 1; rid <= ilp_row_count(image, ILP_MethodDef); rid++) {
        uint32_t name = ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Name);
        if (is_lost_name(image, name)) {
            put_lost("methodname", rid, "#Strings");
            continue;
        }
        begin_fact("methodname", rid, true);
        put_hex(ilp_string(image, name));
        putchar('\n');
    }
}

static void put_attributes(const struct ilp_image *image)
{
    for (ilp_rid rid = 1; rid <= ilp_row_count(image, ILP_CustomAttribute); rid++) {
        uint32_t value = ilp_cell(image, ILP_CustomAttribute, rid, ILP_CustomAttribute_Value);
        if (is_lost_blob(image, value)) {
            put_lost("attribute", rid, "#Blob");
            continue;
        }
        begin_fact("attribute", rid, true);
        put_hash(ilp_blob(image, value));
        putchar('\n');
    }
}

/* ---- symbols ---- */

/* What is moved comes 10 bytes later from offset 4 on, as Theirs.cs computes it. */
static void put_points(const struct ilp_image *image, ilp_rid rid, struct ilpi_alloc *alloc)
{
    static const struct ilpi_shift shifts[] = {{0, 0}, {4, 14}};
    static const struct ilpi_moves moves = {shifts, 2};
    struct ilpi_buf moved = {.alloc = alloc};
    struct ilp_error error;
    uint32_t offset = ilp_cell(image, ILP_MethodDebugInformation, rid,
                               ILP_MethodDebugInformation_SequencePoints);
    uint32_t document = ilp_cell(image, ILP_MethodDebugInformation, rid,
                                 ILP_MethodDebugInformation_Document);
    struct ilp_bytes blob = ilp_blob(image, offset);
    if (is_lost_blob(image, offset)) {
        put_lost("points", rid, "#Blob");
    } else if (offset == 0 || blob.size == 0) {
        return;
    } else if (ilpi_points_move(blob, 0, &moves, document != 0, 7, &moved, &error) != ILP_OK) {
        put_failure("points", rid, &error);
    } else {
        begin_fact("points", rid, true);
        put_hash(ilpi_buf_bytes(&moved));
        putchar('\n');
    }
    ilpi_buf_free(&moved);
}

static void put_documents(struct ilp_image *image, ilp_rid rid, struct ilpi_alloc *alloc)
{
    const struct ilp_symbols symbols = {.pdb = image};
    struct ilpi_budget budget = ilpi_budget_of(0);
    struct ilpi_buf names = {.alloc = alloc};
    struct ilp_error error;
    if (ilpi_symbols_documents(&symbols, rid, &budget, &names, &error) != ILP_OK) {
        put_failure("documents", rid, &error);
    } else {
        begin_fact("documents", rid, true);
        put_hash(ilpi_buf_bytes(&names));
        putchar('\n');
    }
    ilpi_buf_free(&names);
}

static void put_symbols(struct ilp_image *image)
{
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    for (ilp_rid rid = 1; rid <= ilp_row_count(image, ILP_MethodDebugInformation); rid++) {
        put_points(image, rid, &alloc);
        put_documents(image, rid, &alloc);
    }
}

/* ---- a file ---- */

static void put_file(struct ilp_bytes bytes)
{
    struct ilp_image *image;
    struct ilp_error error;
    bool bare = bytes.size >= 4 && memcmp(bytes.data, "BSJB", 4) == 0;
    if (ilp_image_open(&image, bytes, bare ? ILP_LAYOUT_METADATA : ILP_LAYOUT_FILE, NULL, NULL,
                       &error) != ILP_OK) {
        put_failure("open", 0, &error);
        return;
    }
    begin_fact("open", 0, true);
    putchar('\n');
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        if (ilp_row_count(image, table) != 0) {
            begin_fact("rows", table, true);
            printf("%u\n", (unsigned)ilp_row_count(image, table));
        }
    }
    put_names(image);
    put_signatures(image);
    put_attributes(image);
    put_symbols(image);
    if (!bare) {
        put_bodies(image);
    }
    ilp_image_close(image);
}

/* ---- changed copies ---- */

/* Of one copy, so that no copy depends on the others. */
static struct choices choices;

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    (void)max_size;
    if (size != 0) {
        uint8_t *byte = data + choose(&choices, (uint32_t)size);
        *byte = (uint8_t)choose_near(&choices, *byte, 0xFF);
    }
    return size;
}

static void mutate_file(struct ilp_bytes bytes, unsigned count, const char *folder)
{
    const char *name = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    size_t room = bytes.size + 4096;
    uint8_t *copy = malloc(room);
    for (unsigned i = 0; copy && i < count; i++) {
        char path[512];
        memcpy(copy, bytes.data, bytes.size);
        choices.state = i;
        size_t size = LLVMFuzzerCustomMutator(copy, bytes.size, room, i);
        snprintf(path, sizeof path, "%s/%u-%s", folder, i, name);
        FILE *out = fopen(path, "wb");
        if (!out || fwrite(copy, 1, size, out) != size || fclose(out) != 0) {
            perror(path);
            exit(1);
        }
    }
    free(copy);
}

int main(int argc, char **argv)
{
    static uint8_t data[1 << 22];
    bool mutates = argc > 4 && strcmp(argv[1], "--mutate") == 0;
    if (ilp_arena_open(&arena, NULL, NULL) != ILP_OK) {
        return 1;
    }
    for (int i = mutates ? 4 : 1; i < argc; i++) {
        FILE *in = fopen(argv[i], "rb");
        if (!in) {
            perror(argv[i]);
            return 1;
        }
        file = argv[i];
        struct ilp_bytes bytes = {data, fread(data, 1, sizeof data, in)};
        fclose(in);
        if (mutates) {
            mutate_file(bytes, (unsigned)strtoul(argv[2], NULL, 10), argv[3]);
        } else {
            put_file(bytes);
        }
    }
    ilp_arena_close(arena);
    return 0;
}
