/* Finds the fields of an iterator's state machine. See iterator.h.
 *
 *   get_Current():  ldarg.0; ldfld current; ret                 both overloads, that for objects
 *                   with a box
 *   GetStatus(..):  ldarg.0; ldflda promise; ldarg.1; call ..   async iterators: awaiters query
 *                   the promise
 *   MoveNext():     .. ldarg.0; ldflda promise; ldc.i4.1; call SetResult
 *
 * Names of fields differ between compilers, so only the field that these methods load counts. */
#include "inspect/async/iterator.h"

#include "il/body.h"
#include "inspect/async/async.h"

/* ---- fields ---- */

/* The only field that a body loads; 0: none, or several. By token: a body of a generic type loads
 * one field by one MemberRef. */
static ilp_token loaded_field(struct ilp_bytes code)
{
    struct ilpi_insn insn;
    ilp_token field = 0;
    for (uint32_t at = 0; at < code.size && ilpi_insn_read(code, at, &insn); at += insn.size) {
        if (insn.op != ILPI_OP_LDFLD && insn.op != ILPI_OP_LDFLDA) {
            continue;
        }
        ilp_token token = ilpi_load_u32(code.data + at + insn.size - 4);
        if (field != 0 && token != field) {
            return 0;
        }
        field = token;
    }
    return field;
}

/* The field that all methods called `name` load; 0: there is no such method, or no such field. */
static ilp_status common_field(const struct ilpi_machine_type *machine, const char *name,
                               ilp_token *field, struct ilp_error *error)
{
    const struct ilp_image *image = machine->image;
    ilp_rid first;
    ilp_rid end;
    *field = 0;
    ilpi_list(image, ILP_TypeDef, machine->rid, ILP_TypeDef_MethodList, &first, &end);
    ILPI_TRY(ilpi_spend(machine->budget, end - first, error));
    for (; first < end; first++) {
        ilp_rid method = ilpi_list_row(image, ILP_MethodDef, first);
        uint64_t offset;
        struct ilp_body body;
        if (!ilpi_is_called(image, method, name)) {
            continue;
        }
        struct ilp_bytes bytes = ilp_image_rva(
            image, ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_RVA), &offset);
        ILPI_TRY(ilp_body_read(&body, bytes, offset, machine->arena, error));
        ILPI_TRY(ilpi_spend(machine->budget, body.size, error));
        ilp_token loaded = loaded_field(body.code);
        if (loaded == 0 || (*field != 0 && loaded != *field)) {
            *field = 0;
            return ILP_OK;
        }
        *field = loaded;
    }
    return ILP_OK;
}

/* ---- the state machine ---- */

/* MoveNext is an instance method without parameters that returns whether there is a value, or
 * void. */
static bool returns(const struct ilp_image *image, ilp_rid move_next, uint8_t element)
{
    struct ilp_bytes blob =
        ilp_blob(image, ilp_cell(image, ILP_MethodDef, move_next, ILP_MethodDef_Signature));
    /* HASTHIS, no parameters, and a return type of one byte */
    return blob.size == 3 && blob.data[0] == ILP_CALL_HASTHIS && blob.data[1] == 0 &&
           blob.data[2] == element;
}

/* What cannot be recognised is a reason (`unknown`) and not an error. */
ilp_status ilpi_iterator_find(const struct ilpi_machine_type *machine, ilp_rid move_next,
                              bool async, struct ilpi_iterator *iterator, struct ilp_error *error)
{
    const struct ilp_image *image = machine->image;
    const struct ilp_type *type = NULL;
    ilp_rid field;
    *iterator = (struct ilpi_iterator){.unknown = NULL};
    if (!returns(image, move_next, async ? ILP_ELEMENT_VOID : ILP_ELEMENT_BOOLEAN)) {
        iterator->unknown = "MoveNext has another signature";
        return ILP_OK;
    }
    ILPI_TRY(common_field(machine, "get_Current", &iterator->current, error));
    ILPI_TRY(ilpi_state_machine_field(machine, iterator->current, &field, error));
    if (field != 0) {
        ILPI_TRY(ilpi_field_type(image, field, machine->arena, &type, error));
    }
    if (!type) {
        iterator->unknown = "its get_Current do not load one field";
        return ILP_OK;
    }
    iterator->type = type->raw;
    if (async) {
        ilp_token promise;
        ILPI_TRY(common_field(machine, "GetStatus", &promise, error));
        ILPI_TRY(ilpi_state_machine_field(machine, promise, &iterator->promise, error));
        iterator->unknown = iterator->promise == 0 ? "its GetStatus do not query one field" : NULL;
    }
    return ILP_OK;
}

ilp_status ilpi_iterator_reports(const struct ilpi_machine_type *machine,
                                 const struct ilpi_code *code, uint32_t i,
                                 const struct ilpi_iterator *iterator, bool *reports,
                                 struct ilp_error *error)
{
    struct ilp_bytes type;
    *reports = false;
    ILPI_TRY(
        ilpi_async_result_type(machine, code, &code->insns[i], iterator->promise, &type, error));
    return type.size == 1 && type.data[0] == ILP_ELEMENT_BOOLEAN
               ? ilpi_async_is_on_field(machine, code, i, iterator->promise, reports, error)
               : ILP_OK;
}
