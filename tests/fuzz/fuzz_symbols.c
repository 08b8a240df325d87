/* Input: the bytes of a PDB. Its id is made that of an assembly of the tests, whose bodies are all
 * new: what comes out opens, and every other end is reported as a fault of the data or a limit. */
#include <stdio.h>
#include <stdlib.h>

#include "symbols/documents.h"

#ifndef SYMBOLS_ASSEMBLY
#define SYMBOLS_ASSEMBLY "tests/command/files/Sample.dll" /* from the project's root */
#endif
#define SYMBOLS_CHECK(condition) ((condition) ? (void)0 : abort())

/* The assembly and its edit, made once. */
static struct ilp_edit *symbols_edit(void)
{
    static struct ilp_edit *edit;
    static uint8_t bytes[1 << 16];
    struct ilp_image *image;
    FILE *file = edit ? NULL : fopen(SYMBOLS_ASSEMBLY, "rb");
    if (edit) {
        return edit;
    }
    SYMBOLS_CHECK(file);
    struct ilp_bytes whole = {bytes, fread(bytes, 1, sizeof bytes, file)};
    fclose(file);
    SYMBOLS_CHECK(ilp_image_open(&image, whole, ILP_LAYOUT_FILE, NULL, NULL, NULL) == ILP_OK);
    SYMBOLS_CHECK(ilp_edit_open(&edit, image, NULL, NULL) == ILP_OK);
    for (ilp_rid rid = 1; rid <= ilp_row_count(image, ILP_MethodDef); rid++) {
        static const uint8_t ret[] = {0x06, 0x2A};
        struct ilp_bytes body = {ret, sizeof ret};
        SYMBOLS_CHECK(ilp_edit_set_body(edit, rid, body, NULL) == ILP_OK);
    }
    return edit;
}

/* Puts the id that the assembly requests where the PDB has its own. */
static void take_id(uint8_t *data, size_t size, const struct ilp_image *image)
{
    struct ilp_image *pdb;
    struct ilp_bytes bytes = {data, size};
    struct ilp_symbols_info info;
    ilp_image_symbols(image, &info);
    if (ilp_image_open(&pdb, bytes, ILP_LAYOUT_METADATA, NULL, NULL, NULL) == ILP_OK) {
        if (pdb->pdb_stream) {
            memcpy(data + pdb->pdb_stream->offset, info.id, sizeof info.id);
        }
        ilp_image_close(pdb);
    }
}

/* Which source files the methods have: names without an end in them, as far as the PDB has any. */
static void read_documents(const struct ilp_symbols *symbols, ilp_rid count)
{
    struct ilpi_alloc alloc;
    ilp_rid move_next[256] = {0};
    struct ilpi_budget budget = ilpi_budget_of(0);
    ilpi_alloc_init(&alloc, NULL);
    SYMBOLS_CHECK(count < sizeof move_next / sizeof move_next[0]);
    ilpi_symbols_state_machines(symbols, move_next, count);
    for (ilp_rid rid = 1; rid <= count; rid++) {
        struct ilpi_buf names = {.alloc = &alloc};
        ilp_rid of[] = {rid, move_next[rid]};
        for (unsigned i = 0; i < 2 && of[i] != 0; i++) {
            enum ilp_class class =
                ilp_status_class(ilpi_symbols_documents(symbols, of[i], &budget, &names, NULL));
            SYMBOLS_CHECK(class == ILP_CLASS_OK || class == ILP_CLASS_DATA ||
                          class == ILP_CLASS_LIMIT);
            SYMBOLS_CHECK(names.size == 0 || names.data[names.size - 1] == 0);
        }
        ilpi_buf_free(&names);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct ilp_il_map map[] = {{0, 0}, {1, 11}, {2, 200}};
    struct ilp_edit *edit = symbols_edit();
    struct ilp_symbols *symbols;
    struct ilp_symbols_link link;
    struct ilp_bytes written;
    struct ilp_error error = {.message = ""};
    uint8_t *copy = malloc(size != 0 ? size : 1);
    SYMBOLS_CHECK(copy);
    memcpy(copy, data, size);
    take_id(copy, size, edit->image);
    struct ilp_bytes pdb = {copy, size};
    ilp_status status = size != 0 ? ilp_symbols_open(&symbols, edit->image, pdb, NULL, &error)
                                  : ILP_E_SYMBOLS_KIND;
    if (status == ILP_OK) {
        read_documents(symbols, ilp_row_count(edit->image, ILP_MethodDef));
        for (ilp_rid rid = 1; rid <= ilp_row_count(edit->image, ILP_MethodDef); rid++) {
            SYMBOLS_CHECK(ilp_symbols_move(symbols, ILP_TOKEN(ILP_MethodDef, rid), map, 3, NULL) ==
                          ILP_OK);
        }
        status = ilp_symbols_write(symbols, edit, &written, &link, &error);
        if (status == ILP_OK) {
            struct ilp_image *again;
            SYMBOLS_CHECK(ilp_image_open(&again, written, ILP_LAYOUT_METADATA, NULL, NULL, NULL) ==
                          ILP_OK);
            SYMBOLS_CHECK(memcmp(again->pdb_stream->bytes.data, link.id, sizeof link.id) == 0);
            ilp_image_close(again);
        }
        ilp_symbols_close(symbols);
    }
    enum ilp_class class = ilp_status_class(status);
    if (class == ILP_CLASS_BUG) {
        fprintf(stderr, "%s\n", error.message);
    }
    SYMBOLS_CHECK(class == ILP_CLASS_OK || class == ILP_CLASS_DATA ||
                  class == ILP_CLASS_UNSUPPORTED || class == ILP_CLASS_LIMIT);
    free(copy);
    return 0;
}
