/* ilpatch dump: prints the contents of a file in detail. The tables are printed by expanding
 * tables.def.
 *
 * It goes below the public interface, to the sections, streams and cells of an image, since it is
 * for looking at files that other commands refuse. Names and signatures are made in one buffer, and
 * the buffer is printed and emptied after each, so that memory does not grow with the file.
 *
 * A small file can ask for very much text: rows may share one long name, and methods one body. All
 * such text is spent from a budget (`left`), and the output is cut when it is used up. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cmd/command_line.h"
#include "host/bundle_file.h"
#include "tools/cmd/dump_json.h"
#include "tools/cmd/method_name.h"
#include "tools/cmd/method_text.h"
#include "host/text_out.h"
#include "tools/cmd/token_text.h"
#include "types/names.h"
#include "tools/tool.h"

static const char help[] = "ilpatch dump [options] FILE\n"
                           "\n"
                           "Prints the PE and CLI headers and the streams, all metadata tables, "
                           "and every method with its\n"
                           "signature and IL. The options choose parts; --method prints the "
                           "methods that are meant.\n" METHOD_NAME_HELP
                           "FILE may be an assembly, a module or a Portable PDB.\n"
                           "\n";
static const char help_end[] =
    "\n"
    "Exit codes: 0 done, 1 no such METHOD, or rows that share too many bytes are left out,\n"
    "2 bad usage, 3 bad input.\n";

enum part { PART_HEADERS = 1, PART_TABLES = 2, PART_METHODS = 4, PART_JSON = 8 };

/* Rows may share names, signatures and bodies: output for a file made to waste time is cut.
 * Compilers' files give 15 bytes of text per byte. */
#define TEXT_TIMES 64u
#define TEXT_BYTES ((uint64_t)16 << 20)

/* Reading a byte of a signature costs as much as printing this many, even if nothing is printed. */
#define SIGNATURE_TIMES 16u

/* How much text of a body is buffered. */
#define WAITING_BYTES 65536u

/* The file being dumped. */
struct dump {
    const struct ilp_image *image;
    struct ilpi_buf buf; /* to be printed next */
    uint64_t left;       /* bytes of names, signatures and code that may still be printed */
};

/* Never below 0: an output that is cut ends with 0 left exactly. */
static void spend(struct dump *dump, uint64_t bytes)
{
    dump->left -= bytes < dump->left ? bytes : dump->left;
}

/* `lines`: line feeds are printed as they are. */
static void print_buf(struct dump *dump, bool lines)
{
    struct ilpi_buf *buf = &dump->buf;
    if (buf->status != ILP_OK) {
        need(NULL);
    }
    text_out_bytes(stdout, (struct ilp_bytes){buf->data, buf->size}, lines);
    spend(dump, buf->size);
    buf->size = 0;
}

/* ---- headers ---- */

/* ReadyToRun flags by name, from the same table that the reader uses. */
static void dump_flags(uint32_t flags)
{
    static const struct {
        uint32_t bit;
        const char *text;
    } names[] = {
#define FLAG(bit, name, text) {bit, text},
#include "pe/ready_to_run.def"
    };
    const char *lead = "  flags: ";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if ((flags & names[i].bit) != 0) {
            printf("%s%s", lead, names[i].text);
            lead = ", ";
        }
    }
    puts(flags != 0 ? "" : "  flags: none");
}

/* A header that cannot be read is part of the dump: the rest of the file may be good. */
static void dump_ready_to_run(const struct ilp_image *image)
{
    struct ilp_ready_to_run r2r;
    struct ilp_error error;
    if (image->pe.managed_native_header.rva == 0) {
        return;
    }
    if (ilp_image_ready_to_run(image, &r2r, &error) != ILP_OK) {
        printf("managed native header: %s\n", error.message);
        return;
    }
    printf("ReadyToRun %u.%u for %s on %s, %u sections, flags 0x%X", r2r.major_version,
           r2r.minor_version, r2r.machine_text, r2r.system_text, r2r.section_count, r2r.flags);
    if (r2r.component) {
        fputs(", component of ", stdout);
        text_out(stdout, r2r.owner, false);
    }
    puts(r2r.composite ? ", composite" : "");
    dump_flags(r2r.flags);
}

/* Metadata alone (a Portable PDB) has no PE headers. Offsets are those in the file, except where
 * "rva" is written. Directories are numbered in the order of II.25.2.3.3, from 0; "sorted" is the
 * bit vector of the tables that are sorted (II.24.2.6). */
static void dump_headers(const struct ilp_image *image)
{
    const struct ilpi_pe *pe = &image->pe;
    if (image->pe.layout != ILP_LAYOUT_METADATA) {
        printf("PE %s, machine 0x%04X, %u sections, section alignment 0x%X, file alignment 0x%X\n",
               pe->pe32_plus ? "32+" : "32", pe->machine, pe->section_count, pe->section_alignment,
               pe->file_alignment);
        for (unsigned i = 0; i < pe->section_count; i++) {
            const struct ilpi_section *section = &pe->sections[i];
            printf("  section  rva 0x%08X size 0x%08X  file 0x%08X size 0x%08X  flags 0x%08X\n",
                   section->rva, section->virtual_size, section->raw_offset, section->raw_size,
                   section->characteristics);
        }
        for (unsigned i = 0; i < ILPI_DIR_COUNT; i++) {
            if (pe->directories[i].rva != 0) {
                printf("  directory %-2u  rva 0x%08X size 0x%08X\n", i, pe->directories[i].rva,
                       pe->directories[i].size);
            }
        }
        printf(
            "CLI header at 0x%llX, flags 0x%X, entry point 0x%08X, metadata rva 0x%X size 0x%X\n",
            (unsigned long long)pe->cli_offset, pe->cli_flags, pe->entry_point, pe->metadata.rva,
            pe->metadata.size);
        dump_ready_to_run(image);
    }
    printf("metadata at 0x%llX, version ", (unsigned long long)image->root_offset);
    text_out(stdout, image->version, false);
    printf(", schema %u.%u, sorted 0x%llX\n", image->schema_major, image->schema_minor,
           (unsigned long long)image->sorted);
    for (unsigned i = 0; i < image->stream_count; i++) {
        const struct ilpi_stream *stream = &image->streams[i];
        fputs("  stream ", stdout);
        text_out(stdout, stream->name, false);
        printf("  at 0x%llX size 0x%zX\n", (unsigned long long)stream->offset, stream->bytes.size);
    }
}

/* ---- tables ---- */

/* Which grammar the blobs of a table follow (II.23.2). MemberRef is missing: its blobs may be those
 * of a field or of a method, so they are printed as bytes. */
static enum ilp_sig_kind signature_kind(unsigned table, bool *is_signature)
{
    *is_signature = true;
    switch (table) {
    case ILP_MethodDef: return ILP_SIG_METHOD;
    case ILP_Field: return ILP_SIG_FIELD;
    case ILP_Property: return ILP_SIG_PROPERTY;
    case ILP_TypeSpec: return ILP_SIG_TYPE_SPEC;
    case ILP_MethodSpec: return ILP_SIG_METHOD_SPEC;
    case ILP_StandAloneSig: return ILP_SIG_STANDALONE;
    default: *is_signature = false; return ILP_SIG_STANDALONE;
    }
}

/* Other blobs, such as custom attributes, are printed as bytes, of which 32 are enough to recognise
 * one. */
static void dump_blob(struct dump *dump, unsigned table, uint32_t offset)
{
    const struct ilp_image *image = dump->image;
    bool is_signature;
    enum ilp_sig_kind kind = signature_kind(table, &is_signature);
    struct ilp_bytes blob = ilp_blob(image, offset);
    if (is_signature) {
        spend(dump, (uint64_t)blob.size * SIGNATURE_TIMES);
        signature_text(image, &dump->buf, offset, kind, NULL);
        print_buf(dump, true);
        return;
    }
    printf("#%X[%zu]", offset, blob.size);
    for (size_t i = 0; i < blob.size && i < 32; i++) {
        printf(" %02X", blob.data[i]);
    }
    fputs(blob.size > 32 ? " ..." : "", stdout);
}

/* By the kind of the column in tables.def, so a table that is added there is printed without a
 * change here. */
static void dump_cell(struct dump *dump, unsigned table, ilp_rid rid, unsigned column)
{
    const struct ilp_image *image = dump->image;
    const struct ilpi_column_def *def = &ilpi_tables[table].column[column];
    uint32_t cell = ilp_cell(image, table, rid, column);
    printf("  %s=", def->name);
    switch ((enum ilpi_column_kind)def->kind) {
    case ILPI_STR:
        ilpi_name_put(&dump->buf, ilp_string(image, cell));
        print_buf(dump, false);
        break;
    case ILPI_BLOB: dump_blob(dump, table, cell); break;
    case ILPI_GUID:
        for (size_t i = 0; i < ilp_guid(image, cell).size; i++) {
            printf("%02X", ilp_guid(image, cell).data[i]);
        }
        break;
    case ILPI_CODED: printf("%08X", cell); break;
    case ILPI_U8PAD:
    case ILPI_U16:
    case ILPI_U32: printf("0x%X", cell); break;
    case ILPI_ROW:
    case ILPI_LIST: printf("%u", cell); break;
    }
}

/* table 0x06 MethodDef, 9 rows of 14 bytes          0 rows: not printed
 *   06000001  RVA=0x2050  ImplFlags=0x0  ...        the token, then each column by name */
static void dump_tables(struct dump *dump)
{
    for (unsigned table = 0; table < ILP_TABLE_COUNT && dump->left != 0; table++) {
        const struct ilpi_table *rows = &dump->image->tables[table];
        if (rows->count == 0) {
            continue;
        }
        printf("table 0x%02X %s, %u rows of %u bytes\n", table, ilpi_tables[table].name,
               rows->count, rows->shape.size);
        for (ilp_rid rid = 1; rid <= rows->count && dump->left != 0; rid++) {
            printf("  %02X%06X", table, rid);
            for (unsigned column = 0; column < ilpi_tables[table].columns; column++) {
                dump_cell(dump, table, rid, column);
            }
            putchar('\n');
        }
    }
}

/* ---- methods ---- */

/* Called after each line of code. A method's text is printed in pieces; false ends the method when
 * the budget is spent. */
static bool print_waiting(void *user, struct ilpi_buf *buf)
{
    struct dump *dump = user;
    if (buf->size >= WAITING_BYTES || buf->status != ILP_OK) {
        print_buf(dump, true);
    }
    return dump->left != 0;
}

/* A body that cannot be read is printed as such, and the next method follows.
 *
 *   method 06000006 int32 N.C::M()
 *       tiny at 0x2A4 (rva 0x20A4), 12 bytes of code, max stack 8
 *       locals ...
 *       IL_0000:  ldarg.0 */
static void dump_method(struct dump *dump, ilp_rid rid, struct ilp_arena *arena)
{
    struct method_body method;
    struct method_text_sink sink = {dump, print_waiting};
    const struct ilp_image *image = dump->image;
    struct ilpi_buf *buf = &dump->buf;
    printf("method %08X ", ILP_TOKEN(ILP_MethodDef, rid));
    token_text(image, buf, ILP_TOKEN(ILP_MethodDef, rid));
    print_buf(dump, true);
    printf("\n");
    ilp_arena_reset(arena);
    method_body_read(image, rid, arena, &method);
    if (method.kind == METHOD_BAD_BODY) {
        printf("    <bad body> %s\n", method.error.message);
    } else if (method.kind == METHOD_IL) {
        const struct ilp_body *body = &method.body;
        printf("    %s at 0x%llX (rva 0x%X), %zu bytes of code, max stack %u%s\n",
               body->fat ? "fat" : "tiny", (unsigned long long)method.offset, method.rva,
               body->code.size, body->max_stack, body->init_locals ? ", init locals" : "");
        method_locals_text(image, body, buf);
        method_code_text(image, body, buf, &sink);
        print_buf(dump, true);
    }
}

/* A --method that fits none is exit code 1, as in other commands; an image without methods is
 * not. */
static enum exit_code dump_methods(struct dump *dump, const char *file,
                                   const struct method_name *wanted)
{
    const struct ilp_image *image = dump->image;
    struct ilp_arena *arena;
    bool any = !wanted->text;
    need(ilp_arena_open(&arena, NULL, NULL) == ILP_OK ? arena : NULL);
    for (ilp_rid rid = 1; rid <= ilp_row_count(image, ILP_MethodDef) && dump->left != 0; rid++) {
        if (method_is_meant(image, rid, wanted, arena)) {
            dump_method(dump, rid, arena);
            any = true;
        }
    }
    ilp_arena_close(arena);
    return any ? EXIT_DONE : method_not_found(file, wanted);
}

/* ---- the command ---- */

/* The order is always headers, tables, methods, whatever the order of the options. */
static enum exit_code dump_image(const struct ilp_image *image, const char *file, unsigned parts,
                                 const struct method_name *method)
{
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    struct dump dump = {.image = image,
                        .buf = {.alloc = &alloc},
                        .left = TEXT_BYTES + (uint64_t)image->pe.bytes.size * TEXT_TIMES};
    enum exit_code code = EXIT_DONE;
    if (parts & PART_JSON) {
        code = dump_tables_json(image, file, &dump.left);
    }
    if (parts & PART_HEADERS) {
        dump_headers(image);
    }
    if (parts & PART_TABLES) {
        dump_tables(&dump);
    }
    if (parts & PART_METHODS) {
        code = dump_methods(&dump, file, method);
    }
    ilpi_buf_free(&dump.buf);
    if (dump.left == 0) {
        report_message(
            "%s: cut: its names, signatures and code are more than %u times the file as text", file,
            TEXT_TIMES);
        return worse(code, EXIT_INCOMPLETE);
    }
    return code;
}

static enum exit_code dump_file(const char *file, unsigned parts, const struct method_name *method)
{
    struct file_view view;
    struct ilp_image *image;
    struct ilp_error error;
    if (!file_view_open(&view, file)) {
        report_message("%s: cannot read: %s", file, strerror(errno));
        return EXIT_BAD_INPUT;
    }
    if (ilp_image_open(&image, view.bytes, ILP_LAYOUT_FILE, file, NULL, &error) != ILP_OK) {
        report_file_error(file, &error);
        file_view_close(&view);
        return exit_code_of(&error);
    }
    enum exit_code code = dump_image(image, file, parts, method);
    ilp_image_close(image);
    file_view_close(&view);
    return code;
}

/* --method implies the methods alone; without any option all parts are printed. */
enum exit_code cmd_dump(int argc, char **argv)
{
    (void)argc;
    unsigned parts = 0;
    struct method_name method = {.text = NULL};
    struct option_reader reader;
    enum option_id option;
    options_begin(&reader, TAKEN_BY_DUMP, argv, false);
    while ((option = options_next(&reader)) != OPTION_END) {
        switch (option) {
        case OPTION_HEADERS: parts |= PART_HEADERS; break;
        case OPTION_TABLES: parts |= PART_TABLES; break;
        case OPTION_METHODS: parts |= PART_METHODS; break;
        case OPTION_JSON: parts |= PART_JSON; break;
        case OPTION_METHOD:
            if (method.text) {
                return usage_error("dump", "--method is given twice: pass one name or pattern");
            }
            if (method_name_parse("dump", reader.value, &method) != EXIT_DONE) {
                return EXIT_USAGE;
            }
            break;
        case OPTION_HELP: return print_help(TAKEN_BY_DUMP, help, help_end);
        default: return option_error("dump", &reader);
        }
    }
    if (method.text && (parts & PART_METHODS) != 0) {
        return usage_error(
            "dump",
            "--methods prints all methods, and --method selected ones: pass one of the two");
    }
    if ((parts & PART_JSON) != 0 && (method.text || (parts & (PART_HEADERS | PART_METHODS)) != 0)) {
        return usage_error("dump", "--json prints the tables, and no other part");
    }
    if (reader.operand_count != 1) {
        return usage_error("dump", "one file has to be named");
    }
    parts = (parts & PART_JSON) != 0 ? PART_JSON : parts;
    parts |= method.text ? PART_METHODS : 0u;
    char *file = program_assembly(reader.operands[0]);
    enum exit_code code =
        dump_file(file, parts != 0 ? parts : PART_HEADERS | PART_TABLES | PART_METHODS, &method);
    free(file);
    return code;
}
