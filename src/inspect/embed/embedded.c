/* Recognises classes that were embedded into a module before: by their namespace, which begins with
 * a mark that is not an identifier in any language. */
#include "inspect/embed/embedded.h"

#include "base/bytes.h"
#include "sig/sig.h"
#include "types/names.h"

#define MARK "<ilpatch:"

/* Embedded types are nested less deeply. */
#define MAX_NESTING 64u

static const char *namespace_of(const struct ilp_image *image, ilp_rid type)
{
    return ilp_string(image, ilp_cell(image, ILP_TypeDef, type, ILP_TypeDef_TypeNamespace));
}

/* The outermost type has the namespace; nested types have none. The limit is for NestedClass rows
 * that form a circle. */
bool ilpi_is_embedded(const struct ilp_image *image, ilp_rid type)
{
    for (unsigned i = 0; i < MAX_NESTING; i++) {
        ilp_rid outer = ilp_enclosing_type(image, type);
        if (outer == 0) {
            return strncmp(namespace_of(image, type), MARK, sizeof MARK - 1) == 0;
        }
        type = outer;
    }
    return false;
}

/* Removes `part` from the start of *text. */
static bool skip(const char **text, const char *part)
{
    size_t length = strlen(part);
    bool same = strncmp(*text, part, length) == 0;
    *text += same ? length : 0;
    return same;
}

/* Compares in place, as ilpi_embedded_namespace() would write it. A native inspector keeps its
 * namespace, since its class is generated for it. */
static bool is_namespace(const struct ilp_inspector *inspector, const char *text)
{
    const char *own = inspector->name_space;
    if (inspector->native) {
        return strcmp(text, own) == 0;
    }
    return skip(&text, MARK) && skip(&text, inspector->identity.name) && skip(&text, ">") &&
           (own[0] == '\0' || (skip(&text, ".") && skip(&text, own))) && text[0] == '\0';
}

ilp_rid ilpi_embedded_class(const struct ilp_inspector *inspector, const struct ilp_image *image)
{
    for (ilp_rid type = 1; type <= ilp_row_count(image, ILP_TypeDef); type++) {
        uint32_t name = ilp_cell(image, ILP_TypeDef, type, ILP_TypeDef_TypeName);
        if (ilpi_string_is(image, name, inspector->type_name) &&
            is_namespace(inspector, namespace_of(image, type)) &&
            ilp_enclosing_type(image, type) == 0) {
            return type;
        }
    }
    return 0;
}

/* A method's signature as text, without its name: types by name, since tokens of two modules
 * differ. */
static ilp_status signature_text(const struct ilp_image *image, ilp_rid method,
                                 struct ilpi_buf *text, struct ilp_error *error)
{
    struct ilp_arena arena = {.alloc = text->alloc};
    struct ilpi_sig_names names = ilpi_sig_names_of(image);
    uint32_t blob = ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Signature);
    struct ilp_sig *sig;
    text->size = 0;
    ilp_status status = ilpi_sig_read_valid(&sig, ilp_blob(image, blob), ILP_SIG_METHOD, &arena,
                                            error);
    if (status == ILP_OK && sig) { /* an invalid signature equals no other */
        ilpi_sig_text(text, sig, NULL, &names);
        status = text->status == ILP_OK ? ILP_OK : ilpi_fail_memory(error, text->size);
    }
    ilpi_arena_free(&arena);
    return status;
}

/* By signature as text, with types by their names: tokens of the inspector mean nothing in the
 * module. */
ilp_status ilpi_embedded_method(const struct ilp_image *image, ilp_rid type,
                                const struct ilpi_overload *overload,
                                const struct ilp_image *inspector, struct ilpi_alloc *alloc,
                                ilp_rid *found, struct ilp_error *error)
{
    struct ilpi_buf wanted = {.alloc = alloc};
    struct ilpi_buf text = {.alloc = alloc};
    ilp_rid first;
    ilp_rid end;
    *found = 0;
    ilp_status status = signature_text(inspector, overload->method, &wanted, error);
    ilpi_list(image, ILP_TypeDef, type, ILP_TypeDef_MethodList, &first, &end);
    for (; first < end && status == ILP_OK && *found == 0; first++) {
        ilp_rid method = ilpi_list_row(image, ILP_MethodDef, first);
        uint32_t name = ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Name);
        if (!ilpi_string_is(image, name, overload->name)) {
            continue;
        }
        status = signature_text(image, method, &text, error);
        if (status == ILP_OK && text.size != 0 &&
            ilpi_bytes_equal(ilpi_buf_bytes(&text), ilpi_buf_bytes(&wanted))) {
            *found = method;
        }
    }
    ilpi_buf_free(&wanted);
    ilpi_buf_free(&text);
    return status;
}

void ilpi_embedded_namespace(const struct ilp_inspector *inspector, const char *name_space,
                             struct ilpi_buf *text)
{
    ilpi_buf_format(text, MARK "%s>", inspector->identity.name);
    if (name_space[0] != '\0') {
        ilpi_buf_u8(text, '.');
        ilpi_buf_text(text, name_space);
    }
}
