/* Prints the size of every value type that the files of a framework name, as Sizes.cs does:
 *
 *   sizes FILE...    "File.dll 04000123 16" for the type of a Field, of what a MethodDef returns,
 *                    of a TypeDef or TypeSpec; 0 where ilpatch does not know
 *
 * The files are all there is to find references in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "types/value_size.h"

struct files {
    struct ilp_image **images;
    size_t count;
};

static struct ilp_image *open_named(void *user, const struct ilp_assembly_name *name)
{
    struct files *files = user;
    for (size_t i = 0; i < files->count; i++) {
        struct ilp_assembly_name own;
        if (ilp_image_assembly_name(files->images[i], &own) && strcmp(own.name, name->name) == 0) {
            return files->images[i];
        }
    }
    return NULL;
}

static struct ilp_image *read_image(const char *path)
{
    struct ilp_error error;
    struct ilp_image *image = NULL;
    FILE *file = fopen(path, "rb");
    long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    uint8_t *data = size > 0 ? malloc((size_t)size) : NULL; /* kept to the end */
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    if (data) {
        rewind(file);
        struct ilp_bytes bytes = {data, fread(data, 1, (size_t)size, file)};
        if (ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, name, NULL, &error) != ILP_OK) {
            free(data);
            image = NULL; /* a native library */
        }
    }
    if (file) {
        fclose(file);
    }
    return image;
}

struct printer {
    struct ilp_image *image;
    const struct ilp_resolver *resolver;
    struct ilp_arena *arena;
};

static void print_type(const struct printer *printer, ilp_token token, const struct ilp_type *type)
{
    uint32_t size;
    type = ilpi_type_unmodified(type);
    struct ilpi_value_query query = {.image = printer->image,
                                     .type = type,
                                     .resolver = printer->resolver,
                                     .arena = printer->arena};
    unsigned element = type->element == ILP_ELEMENT_GENERICINST ? type->inner->element
                                                                : type->element;
    if (element == ILP_ELEMENT_VALUETYPE || element == ILP_ELEMENT_TYPEDBYREF ||
        ilpi_element_is_primitive_value(element)) {
        if (ilpi_value_size(&query, 8, &size, NULL, NULL) != ILP_OK) {
            exit(1);
        }
        printf("%s %08X %u\n", ilp_image_name(printer->image), token, size);
    }
}

static void print_signatures(const struct printer *printer, unsigned table, unsigned column,
                             enum ilp_sig_kind kind)
{
    for (ilp_rid rid = 1; rid <= ilp_row_count(printer->image, table); rid++) {
        struct ilp_bytes blob = ilp_blob(printer->image,
                                         ilp_cell(printer->image, table, rid, column));
        struct ilp_sig *sig;
        if (ilp_sig_read(&sig, blob, kind, 0, printer->arena, NULL) == ILP_OK) {
            print_type(printer, ILP_TOKEN(table, rid), sig->ret);
        }
        ilp_arena_reset(printer->arena);
    }
}

static void print_definitions(const struct printer *printer)
{
    for (ilp_rid rid = 1; rid <= ilp_row_count(printer->image, ILP_TypeDef); rid++) {
        struct ilp_type type = {.element = ILP_ELEMENT_VALUETYPE,
                                .token = ILP_TOKEN(ILP_TypeDef, rid)};
        print_type(printer, type.token, &type);
        ilp_arena_reset(printer->arena);
    }
}

int main(int argc, char **argv)
{
    struct files files = {calloc((size_t)argc, sizeof(struct ilp_image *)), 0};
    struct ilp_resolver resolver = {.user = &files, .open = open_named};
    struct ilp_arena *arena;
    if (!files.images || ilp_arena_open(&arena, NULL, NULL) != ILP_OK) {
        return 1;
    }
    for (int i = 1; i < argc; i++) {
        struct ilp_image *image = read_image(argv[i]);
        if (image) {
            files.images[files.count++] = image;
        }
    }
    for (size_t i = 0; i < files.count; i++) {
        struct printer printer = {files.images[i], &resolver, arena};
        print_definitions(&printer);
        print_signatures(&printer, ILP_TypeSpec, ILP_TypeSpec_Signature, ILP_SIG_TYPE_SPEC);
        print_signatures(&printer, ILP_Field, ILP_Field_Signature, ILP_SIG_FIELD);
        print_signatures(&printer, ILP_MethodDef, ILP_MethodDef_Signature, ILP_SIG_METHOD);
    }
    return 0;
}
