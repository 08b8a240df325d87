/* Recognises facades and reference assemblies. See facade.h.
 *
 * A facade has ExportedType rows only (II.22.14): each says in which assembly a type is. A
 * reference assembly has types without code, and the attribute of that name. */
#include "tools/patch/facade.h"

#include <stdlib.h>
#include <string.h>

#include "metadata/image.h"
#include "host/text_out.h"
#include "tools/tool.h"

/* How many names a message lists. */
#define MAX_TARGETS 3u

/* Compilers' nesting is less deep. */
#define MAX_NESTING 64u

/* By number of types, then by name. */
static int compare(const void *left, const void *right)
{
    const struct facade_target *a = left;
    const struct facade_target *b = right;
    return a->types != b->types ? (a->types < b->types) - (a->types > b->types)
                                : strcmp(a->name, b->name);
}

/* The reference of an ExportedType, its own or that of its enclosing type. A nested type refers to
 * its enclosing one, which has the reference; a file that is not a compiler's may link these in a
 * circle, thus the limit. 0: it is in a file of this assembly. */
static ilp_rid target_of(const struct ilp_image *image, ilp_rid exported)
{
    for (unsigned i = 0; i < MAX_NESTING; i++) {
        ilp_token to = ilp_cell(image, ILP_ExportedType, exported, ILP_ExportedType_Implementation);
        if (ILP_TOKEN_TABLE(to) != ILP_ExportedType) {
            bool known = ILP_TOKEN_TABLE(to) == ILP_AssemblyRef &&
                         ILP_TOKEN_RID(to) <= ilp_row_count(image, ILP_AssemblyRef);
            return known ? ILP_TOKEN_RID(to) : 0;
        }
        exported = ILP_TOKEN_RID(to);
    }
    return 0;
}

/* A facade has no type but <Module>, no method, and forwards every exported type. One type that is
 * in a file of the assembly itself means that it is not a facade. */
void facade_open(struct facade *facade, const struct ilp_image *image)
{
    uint32_t references = ilp_row_count(image, ILP_AssemblyRef);
    uint32_t types = ilp_row_count(image, ILP_ExportedType);
    ilp_rid attribute = ilpi_find_attribute(image, ILP_TOKEN(ILP_Assembly, 1),
                                            "System.Runtime.CompilerServices",
                                            "ReferenceAssemblyAttribute");
    *facade = (struct facade){.reference = attribute != 0};
    if (types == 0 || ilp_row_count(image, ILP_TypeDef) > 1 ||
        ilp_row_count(image, ILP_MethodDef) != 0) {
        return;
    }
    facade->targets = need(calloc((size_t)references + 1, sizeof *facade->targets));
    /* until they are sorted, the element of an AssemblyRef is at its rid - 1 */
    for (ilp_rid rid = 1; rid <= references; rid++) {
        uint32_t name = ilp_cell(image, ILP_AssemblyRef, rid, ILP_AssemblyRef_Name);
        facade->targets[rid - 1].name = ilp_string(image, name);
    }
    for (ilp_rid rid = 1; rid <= types; rid++) {
        ilp_rid to = target_of(image, rid);
        if (to == 0) {
            free(facade->targets);
            *facade = (struct facade){.reference = facade->reference};
            return;
        }
        facade->targets[to - 1].types++;
    }
    facade->types = types;
    qsort(facade->targets, references, sizeof *facade->targets, compare);
    while (facade->target_count < references && facade->targets[facade->target_count].types != 0) {
        facade->target_count++;
    }
}

void facade_close(struct facade *facade)
{
    free(facade->targets);
    *facade = (struct facade){.types = 0};
}

/* A reference assembly may have methods, but their bodies are placeholders: `throw null`. */
bool facade_has_no_code(const struct facade *facade)
{
    return facade->types != 0 || facade->reference;
}

/* By falling number of types, since the first is most probably the assembly that was meant. */
void facade_print(const struct facade *facade, FILE *out)
{
    if (facade->types == 0) {
        fputs("a reference assembly, nothing to patch: runtimes refuse to load it; name the "
              "assembly that the program loads",
              out);
        return;
    }
    fprintf(out, "a facade, nothing to patch: its %u %s in ", facade->types,
            facade->types == 1 ? "type is" : "types are");
    for (size_t i = 0; i < facade->target_count && i < MAX_TARGETS; i++) {
        fputs(i != 0 ? ", " : "", out);
        text_out(out, facade->targets[i].name, false);
    }
    if (facade->target_count > MAX_TARGETS) {
        fprintf(out, " and %zu more", facade->target_count - MAX_TARGETS);
    }
}
