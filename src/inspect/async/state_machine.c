/* Finds state machines, by the attributes that compilers put on kickoff methods. See
 * state_machine.h.
 *
 *   [AsyncStateMachine(typeof(<M>d__0))] Task<int> M()
 *   [IteratorStateMachine(typeof(<M>d__1))] IEnumerable<int> M() */
#include "inspect/async/state_machine.h"

static const char attribute_space[] = "System.Runtime.CompilerServices";
static const char *const attribute_names[] = {
    [ILPI_STATE_MACHINE_ASYNC] = "AsyncStateMachineAttribute",
    [ILPI_STATE_MACHINE_ITERATOR] = "IteratorStateMachineAttribute",
    [ILPI_STATE_MACHINE_ASYNC_ITERATOR] = "AsyncIteratorStateMachineAttribute",
};

/* Compilers' nesting is less deep, and their names are shorter. */
#define MAX_NAME 2048u

/* ---- the attribute ---- */

/* Part of a name up to a `+`, a `,` or the end, without the backslashes that escape characters
 * (II.23.3). `dot`: the last unescaped one, 0 for none. */
struct name_part {
    char text[MAX_NAME + 1];
    size_t size;
    size_t dot;
};

/* Reads one part; false if it is too long. *end: the character after it, 0 at the end. */
static bool read_part(struct ilp_bytes name, size_t *at, struct name_part *part, char *end)
{
    part->size = 0;
    part->dot = 0;
    *end = '\0';
    for (; *at < name.size; ++*at) {
        char c = (char)name.data[*at];
        bool marked = c == '\\' && *at + 1 < name.size;
        if (!marked && (c == '+' || c == ',')) {
            *end = c;
            break;
        }
        if (part->size == MAX_NAME) {
            return false;
        }
        if (c == '.') {
            part->dot = part->size;
        }
        part->text[part->size++] = marked ? (char)name.data[++*at] : c;
    }
    part->text[part->size] = '\0';
    return true;
}

/* The type that an attribute's only argument names (II.23.3): "Ns.Outer+Inner". A following ",
 * Assembly" would allow another assembly, where a state machine never is. Only the outermost name
 * has a namespace. */
static ilp_rid find_type(const struct ilp_image *image, struct ilp_bytes name)
{
    struct name_part part;
    char end = '+';
    ilp_rid type = 0;
    for (size_t at = 0; end == '+'; at++) {
        if (!read_part(name, &at, &part, &end)) {
            return 0;
        }
        const char *space = "";
        const char *simple = part.text;
        if (type == 0 && part.dot != 0) {
            part.text[part.dot] = '\0';
            space = part.text;
            simple = part.text + part.dot + 1;
        }
        type = ilpi_find_type(image, type, space, simple);
        if (type == 0) {
            return 0;
        }
    }
    return type;
}

bool ilpi_is_called(const struct ilp_image *image, ilp_rid method, const char *name)
{
    const char *own = ilp_string(image, ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Name));
    size_t size = strlen(own);
    size_t end = strlen(name);
    return strcmp(own, name) == 0 ||
           (size > end && own[size - end - 1] == '.' && strcmp(own + size - end, name) == 0);
}

/* The kinds of attributes by their constructors: most attributes are of a few types. Direct-mapped,
 * so a collision only costs another look at the name. */
#define REMEMBERED_KINDS 61u
struct remembered_kind {
    ilp_token constructor; /* 0: free */
    enum ilpi_state_machine_kind kind;
};

static enum ilpi_state_machine_kind read_kind(const struct ilp_image *image, ilp_rid row)
{
    const char *name_space;
    const char *name;
    ilpi_type_name(image, ilpi_attribute_type(image, row), &name_space, &name);
    if (strcmp(name_space, attribute_space) == 0) {
        for (unsigned kind = ILPI_STATE_MACHINE_ASYNC; kind <= ILPI_STATE_MACHINE_ASYNC_ITERATOR;
             kind++) {
            if (strcmp(name, attribute_names[kind]) == 0) {
                return (enum ilpi_state_machine_kind)kind;
            }
        }
    }
    return ILPI_STATE_MACHINE_NONE;
}

/* Remembers NONE as well, the outcome for most rows. */
static enum ilpi_state_machine_kind kind_of(const struct ilp_image *image, ilp_rid row,
                                            struct remembered_kind *remembered)
{
    ilp_token constructor = ilp_cell(image, ILP_CustomAttribute, row, ILP_CustomAttribute_Type);
    remembered += constructor % REMEMBERED_KINDS;
    if (remembered->constructor != constructor) {
        *remembered = (struct remembered_kind){constructor, read_kind(image, row)};
    }
    return remembered->kind;
}

/* 0: the attribute has no type, or names one that is not in this module. */
static ilp_rid named_type(const struct ilp_image *image, ilp_rid row)
{
    struct ilp_bytes text = ilpi_attribute_text(image, row);
    return text.size != 0 ? find_type(image, text) : 0;
}

/* ---- kickoff methods and state machines ---- */

/* Records the methods of a state machine: MoveNext of an async one, all of an iterator's. */
static ilp_status take_machine(const struct ilp_image *image, ilp_rid kickoff, ilp_rid machine,
                               struct ilpi_budget *budget, struct ilpi_state_machines *machines,
                               struct ilp_error *error)
{
    ilp_rid first;
    ilp_rid end;
    ilp_rid move_next = 0;
    ilpi_list(image, ILP_TypeDef, machine, ILP_TypeDef_MethodList, &first, &end);
    ILPI_TRY(ilpi_spend(budget, end - first, error));
    for (ilp_rid i = first; i < end && move_next == 0; i++) {
        ilp_rid method = ilpi_list_row(image, ILP_MethodDef, i);
        bool exists = method - 1 < image->tables[ILP_MethodDef].count;
        move_next = exists && ilpi_is_called(image, method, "MoveNext") ? method : 0;
    }
    if (move_next == 0) {
        return ILP_OK;
    }
    machines->move_next_of[kickoff] = move_next;
    machines->kickoff_of[move_next] = kickoff;
    for (ilp_rid i = first; i < end && machines->kind_of[kickoff] != ILPI_STATE_MACHINE_ASYNC;
         i++) {
        ilp_rid method = ilpi_list_row(image, ILP_MethodDef, i);
        if (method - 1 < image->tables[ILP_MethodDef].count) {
            machines->kickoff_of[method] = kickoff;
        }
    }
    return ILP_OK;
}

/* An async method whose state machine is not found is treated as any method: its task can be shown.
 * An iterator stays an iterator without a state machine. */
static ilp_status take_attribute(struct ilp_image *image, ilp_rid row,
                                 struct remembered_kind *remembered, struct ilpi_budget *budget,
                                 struct ilpi_state_machines *machines, struct ilp_error *error)
{
    ilp_token parent = ilp_cell(image, ILP_CustomAttribute, row, ILP_CustomAttribute_Parent);
    ilp_rid kickoff = ILP_TOKEN_RID(parent);
    if (ILP_TOKEN_TABLE(parent) != ILP_MethodDef ||
        kickoff - 1 >= image->tables[ILP_MethodDef].count) {
        return ILP_OK;
    }
    enum ilpi_state_machine_kind kind = kind_of(image, row, remembered);
    if (kind == ILPI_STATE_MACHINE_NONE) {
        return ILP_OK;
    }
    machines->kind_of[kickoff] = (uint8_t)kind;
    ilp_rid machine = named_type(image, row);
    if (machine != 0) {
        ILPI_TRY(take_machine(image, kickoff, machine, budget, machines, error));
    }
    if (kind == ILPI_STATE_MACHINE_ASYNC && machines->move_next_of[kickoff] == 0) {
        machines->kind_of[kickoff] = ILPI_STATE_MACHINE_NONE;
    }
    return ILP_OK;
}

/* One pass over all custom attributes, for all methods at once: a search per method would read the
 * table each time. The results are by row of MethodDef. */
ilp_status ilpi_state_machines_find(struct ilp_image *image, struct ilp_arena *arena,
                                    struct ilpi_budget *budget,
                                    struct ilpi_state_machines *machines, struct ilp_error *error)
{
    size_t methods = (size_t)image->tables[ILP_MethodDef].count + 1;
    struct remembered_kind remembered[REMEMBERED_KINDS] = {{0, ILPI_STATE_MACHINE_NONE}};
    struct ilpi_state_machines found = {
        .kickoff_of = ilpi_arena_array(arena, methods, sizeof *found.kickoff_of),
        .move_next_of = ilpi_arena_array(arena, methods, sizeof *found.move_next_of),
        .kind_of = ilpi_arena_array(arena, methods, sizeof *found.kind_of),
    };
    if (!found.kickoff_of || !found.move_next_of || !found.kind_of) {
        return ilpi_fail_memory(error, methods * (2 * sizeof(ilp_rid) + 1));
    }
    for (ilp_rid row = 1; row <= image->tables[ILP_CustomAttribute].count; row++) {
        ILPI_TRY(take_attribute(image, row, remembered, budget, &found, error));
    }
    *machines = found;
    return ILP_OK;
}

/* ---- fields ---- */

static bool has_field(const struct ilp_image *image, ilp_rid type, ilp_rid field)
{
    ilp_rid first;
    ilp_rid end;
    ilpi_list(image, ILP_TypeDef, type, ILP_TypeDef_FieldList, &first, &end);
    for (; first < end; first++) {
        if (ilpi_list_row(image, ILP_Field, first) == field) {
            return true;
        }
    }
    return false;
}

/* Whether a token is a TypeSpec that is an instance of the state machine. */
static ilp_status is_instance_of(const struct ilpi_machine_type *machine, ilp_token token,
                                 bool *instance, struct ilp_error *error)
{
    const struct ilp_image *image = machine->image;
    struct ilp_sig *sig;
    *instance = false;
    if (ILP_TOKEN_TABLE(token) != ILP_TypeSpec) {
        return ILP_OK;
    }
    uint32_t blob = ilp_cell(image, ILP_TypeSpec, ILP_TOKEN_RID(token), ILP_TypeSpec_Signature);
    ILPI_TRY(
        ilpi_sig_read_valid(&sig, ilp_blob(image, blob), ILP_SIG_TYPE_SPEC, machine->arena, error));
    *instance = sig && sig->ret->element == ILP_ELEMENT_GENERICINST &&
                sig->ret->inner->token == ILP_TOKEN(ILP_TypeDef, machine->rid);
    return ILP_OK;
}

static ilp_rid field_called(const struct ilp_image *image, ilp_rid type, const char *name)
{
    ilp_rid first;
    ilp_rid end;
    ilpi_list(image, ILP_TypeDef, type, ILP_TypeDef_FieldList, &first, &end);
    for (; first < end; first++) {
        ilp_rid field = ilpi_list_row(image, ILP_Field, first);
        if (ilpi_string_is(image, ilp_cell(image, ILP_Field, field, ILP_Field_Name), name)) {
            return field;
        }
    }
    return 0;
}

/* A Field token of a generic state machine is only used inside other code; its own methods use a
 * MemberRef of the instance over its own parameters. */
ilp_status ilpi_state_machine_field(const struct ilpi_machine_type *machine, ilp_token token,
                                    ilp_rid *field, struct ilp_error *error)
{
    const struct ilp_image *image = machine->image;
    ilp_rid rid = ILP_TOKEN_RID(token);
    bool instance = false;
    *field = 0;
    if (ILP_TOKEN_TABLE(token) == ILP_Field) {
        *field = has_field(image, machine->rid, rid) ? rid : 0;
    } else if (ILP_TOKEN_TABLE(token) == ILP_MemberRef) {
        ilp_token parent = ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Class);
        ILPI_TRY(is_instance_of(machine, parent, &instance, error));
    }
    if (instance) {
        uint32_t name = ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Name);
        *field = field_called(image, machine->rid, ilp_string(image, name));
    }
    return ILP_OK;
}

ilp_status ilpi_field_type(const struct ilp_image *image, ilp_rid field, struct ilp_arena *scratch,
                           const struct ilp_type **type, struct ilp_error *error)
{
    struct ilp_sig *sig;
    struct ilp_bytes blob = ilp_blob(image, ilp_cell(image, ILP_Field, field, ILP_Field_Signature));
    ILPI_TRY(ilpi_sig_read_valid(&sig, blob, ILP_SIG_FIELD, scratch, error));
    *type = sig ? sig->ret : NULL;
    return ILP_OK;
}
