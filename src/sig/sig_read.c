/* Reads signature blobs into trees (ECMA-335 II.23.2).
 *
 *   Type  = PRIMITIVE | (CLASS | VALUETYPE) token | (VAR | MVAR) number
 *         | (PTR | BYREF | SZARRAY | PINNED) Type | (CMOD_REQD | CMOD_OPT) token Type
 *         | ARRAY Type rank count size* count bound*
 *         | GENERICINST (CLASS | VALUETYPE) token count Type+
 *         | FNPTR signature of a method
 *
 * The `form` of elements.def is what follows an element type; grammar.h has the signatures
 * around the types. The grammar is wider than the specification's where compilers are: C++/CLI and
 * C# put modifiers before and after BYREF, before VOID and into generic arguments. Tokens are not
 * resolved here.
 *
 * Errors stick in the cursor, which is then at its end: the parser continues over an empty input,
 * and the status is checked once. Only loops and dereferences check it. */
#include "sig/grammar.h"

/* The runtimes' limit (MAX_RANK of CoreCLR and .NET Framework). A dimension takes no byte of the
 * blob, so without a limit three bytes could request 2^29 commas of text. */
#define MAX_RANK 32u

/* Parameters, locals and arguments are numbered by 16 bits (II.22.33, II.22.20, III.3.43), so no
 * signature needs twice as many types. Each takes at least one byte of the blob, and 60 bytes of
 * memory. */
#define MAX_TYPES 0x20000u

struct sig_reader {
    struct ilpi_cursor in;
    struct ilp_arena *arena;
    uint32_t types; /* number read so far */
};

static struct ilp_type *read_type(struct sig_reader *reader, unsigned depth, unsigned may);

/* Zeroed memory from the arena; NULL after any failure. The cursor is ended as after a failure of
 * its own, so the parser needs one check. */
static void *allocate(struct sig_reader *reader, size_t size)
{
    if (reader->in.status != ILP_OK) {
        return NULL;
    }
    void *memory = ilpi_arena_alloc(reader->arena, size);
    if (!memory) {
        reader->in.status = ilpi_fail_memory(reader->in.error, size);
        reader->in.at = reader->in.end;
    }
    return memory;
}

/* A TypeDefOrRefOrSpecEncoded (II.23.2.8). Its rid has up to 27 bits, of which a token holds 24. */
static ilp_token read_token(struct sig_reader *reader)
{
    const uint8_t *at = reader->in.at;
    uint32_t encoded = ilpi_read_packed(&reader->in);
    uint32_t tag = encoded & 3;
    uint32_t rid = encoded >> 2;
    if (tag >= ILPI_TYPE_TAGS || rid == 0 || rid != ILP_TOKEN_RID(rid)) {
        ilpi_sig_refuse(&reader->in, at, ILP_E_BAD_SIGNATURE,
                        "tag %u, row %u is not a TypeDef, TypeRef or TypeSpec", (unsigned)tag,
                        (unsigned)rid);
        return 0;
    }
    return ILP_TOKEN(ilpi_type_tables[tag], rid);
}

/* A compressed signed integer (II.23.2): two's complement in 7, 14 or 29 bits, rotated left by one,
 * so that bit 0 is the sign. */
static int32_t read_signed(struct ilpi_cursor *in)
{
    static const int32_t signs[] = {1 << 6, 1 << 13, 1 << 28, 1 << 28}; /* by size */
    const uint8_t *at = in->at;
    uint32_t turned = ilpi_read_packed(in);
    ptrdiff_t size = in->at - at;
    int32_t sign = signs[size > 0 && size <= 4 ? size - 1 : 3];
    int32_t value = (int32_t)(turned >> 1);
    return turned & 1 ? value - sign : value;
}

/* Sizes and bounds may be given for the first dimensions only (II.23.2.13), and for no more than
 * there are. */
static uint32_t read_dimensions(struct ilpi_cursor *in, uint32_t rank)
{
    const uint8_t *at = in->at;
    uint32_t count = ilpi_sig_read_count(in, 0);
    if (count > rank) {
        ilpi_sig_refuse(in, at, ILP_E_BAD_SIGNATURE, "%u sizes or bounds for %u dimensions",
                        (unsigned)count, (unsigned)rank);
    }
    return in->status == ILP_OK ? count : 0;
}

/* The rank, sizes and lower bounds of an ARRAY (II.23.2.13). */
static void read_shape(struct sig_reader *reader, struct ilp_type *array)
{
    struct ilpi_cursor *in = &reader->in;
    const uint8_t *at = in->at;
    array->number = ilpi_read_packed(in);
    if (array->number == 0) {
        ilpi_sig_refuse(in, at, ILP_E_BAD_SIGNATURE, "an array without dimensions");
    }
    if (array->number > MAX_RANK) {
        ilpi_sig_refuse(in, at, ILP_E_TOO_LARGE, "an array of %u dimensions, more than %u",
                        (unsigned)array->number, MAX_RANK);
    }
    struct ilp_array_shape *shape = allocate(reader, sizeof *shape);
    if (!shape) {
        return;
    }
    array->shape = shape;
    shape->size_count = read_dimensions(in, array->number);
    shape->sizes = allocate(reader, shape->size_count * sizeof *shape->sizes);
    for (uint32_t i = 0; shape->sizes && i < shape->size_count; i++) {
        shape->sizes[i] = ilpi_read_packed(in);
    }
    shape->bound_count = read_dimensions(in, array->number);
    shape->bounds = allocate(reader, shape->bound_count * sizeof *shape->bounds);
    for (uint32_t i = 0; shape->bounds && i < shape->bound_count; i++) {
        shape->bounds[i] = read_signed(in);
    }
}

/* A chain of `count` types from *link on. If `required` is not NULL, one SENTINEL may precede a
 * type, and *required receives the number of types before it. At the top level it may also follow
 * the last one, as CoreCLR's ilasm 10.0 encodes a call of "(int32, ...)": this equals no SENTINEL,
 * and is not kept. After the last type of a function pointer it belongs to the list around it. */
static void read_chain(struct sig_reader *reader, struct ilp_type **link, uint32_t count,
                       uint32_t *required, unsigned depth, unsigned may)
{
    struct ilpi_cursor *in = &reader->in;
    for (uint32_t i = 0; in->status == ILP_OK; i++) {
        if (required && (i < count || depth == 1) && ilpi_cursor_left(in) != 0 &&
            *in->at == ILP_ELEMENT_SENTINEL) {
            in->at++;
            *required = i;
            required = NULL;
        }
        if (i == count) {
            break;
        }
        struct ilp_type *type = read_type(reader, depth, may);
        if (!type) {
            break;
        }
        *link = type;
        link = &type->next;
    }
}

/* II.23.2.12: the generic type, then as many arguments as are counted. */
static void read_instance(struct sig_reader *reader, struct ilp_type *instance, unsigned depth)
{
    struct ilpi_cursor *in = &reader->in;
    if (ilpi_cursor_left(in) != 0 && ilpi_element_form(*in->at) != ILPI_ELEMENT_FORM_TOKEN) {
        ilpi_sig_refuse(in, in->at, ILP_E_BAD_SIGNATURE,
                        "GENERICINST of neither CLASS nor VALUETYPE, but 0x%02X", *in->at);
    }
    instance->inner = read_type(reader, depth, 0);
    instance->number = ilpi_sig_read_count(in, 1);
    if (instance->inner) {
        read_chain(reader, &instance->inner->next, instance->number, NULL, depth, 0);
    }
}

/* `depth` is that of the enclosing type, 0 when there is none. */
static struct ilp_sig *read_sig(struct sig_reader *reader, enum ilp_sig_kind kind, unsigned depth)
{
    const struct ilpi_sig_grammar *grammar = &ilpi_sig_grammars[kind];
    struct ilp_sig *sig = allocate(reader, sizeof *sig);
    if (!sig) {
        return NULL;
    }
    ilpi_sig_read_head(&reader->in, kind, sig);
    bool vararg = (sig->convention & ILP_CALL_MASK) == ILP_CALL_VARARG;
    if (grammar->typed) {
        sig->ret = read_type(reader, depth + 1, grammar->type_may);
    }
    read_chain(reader, &sig->params, sig->param_count, vararg ? &sig->required_count : NULL,
               depth + 1, grammar->list_may);
    return sig;
}

/* Why a type cannot begin with this element type; NULL when it can. */
static const char *objection(uint8_t element, unsigned may)
{
    switch (ilpi_element_form(element)) {
    case ILPI_ELEMENT_FORM_UNKNOWN: return "does not exist";
    case ILPI_ELEMENT_FORM_REFUSED: return "has no meaning in a file";
    case ILPI_ELEMENT_FORM_MARK:
        return "(SENTINEL) outside the parameters of a vararg call, or twice";
    default:
        if (element == ILP_ELEMENT_VOID && !(may & ILPI_MAY_BE_VOID)) {
            return "(VOID) can only be returned or pointed to";
        }
        if (element == ILP_ELEMENT_PINNED && !(may & ILPI_MAY_BE_PINNED)) {
            return "(PINNED) does not begin a local, or not alone";
        }
        return NULL;
    }
}

/* `may` says what the position allows (grammar.h). Depth and number are counted here, at the one
 * place through which every type goes, so recursion and memory are bounded for all forms. */
static struct ilp_type *read_type(struct sig_reader *reader, unsigned depth, unsigned may)
{
    struct ilpi_cursor *in = &reader->in;
    const uint8_t *at = in->at;
    if (depth > ILPI_SIG_MAX_DEPTH) {
        ilpi_sig_refuse(in, at, ILP_E_TOO_DEEP, "types are nested more than %u deep",
                        ILPI_SIG_MAX_DEPTH);
    }
    if (reader->types++ == MAX_TYPES) {
        ilpi_sig_refuse(in, at, ILP_E_TOO_LARGE, "there are more than %u types", MAX_TYPES);
    }
    uint8_t element = ilpi_read_u8(in);
    const char *refused = objection(element, may);
    if (refused) {
        ilpi_sig_refuse(in, at, ILP_E_BAD_SIGNATURE, "element type 0x%02X %s", element, refused);
    }
    struct ilp_type *type = allocate(reader, sizeof *type);
    if (!type) {
        return NULL;
    }
    type->element = element;
    switch (ilpi_element_form(element)) {
    case ILPI_ELEMENT_FORM_TOKEN: type->token = read_token(reader); break;
    case ILPI_ELEMENT_FORM_MODIFIER:
        /* a modifier: the modified type may be what this one may be */
        type->token = read_token(reader);
        type->inner = read_type(reader, depth + 1, may);
        break;
    case ILPI_ELEMENT_FORM_INNER:
        type->inner = read_type(reader, depth + 1,
                                element == ILP_ELEMENT_PTR ? ILPI_MAY_BE_VOID : 0);
        break;
    case ILPI_ELEMENT_FORM_NUMBER: type->number = ilpi_read_packed(in); break;
    case ILPI_ELEMENT_FORM_ARRAY:
        type->inner = read_type(reader, depth + 1, 0);
        read_shape(reader, type);
        break;
    case ILPI_ELEMENT_FORM_GENERIC: read_instance(reader, type, depth + 1); break;
    case ILPI_ELEMENT_FORM_METHOD: type->method = read_sig(reader, ILP_SIG_METHOD, depth); break;
    default: /* PRIMITIVE: nothing follows */ break;
    }
    type->raw = (struct ilp_bytes){at, (size_t)(in->at - at)};
    return in->status == ILP_OK ? type : NULL;
}

/* The kind of a StandAloneSig (II.22.36): a method unless the first byte is that of locals or a
 * field. */
static enum ilp_sig_kind standalone_kind(struct ilp_bytes blob)
{
    static const enum ilp_sig_kind others[] = {ILP_SIG_LOCALS, ILP_SIG_FIELD};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (blob.size != 0 && ilpi_sig_begins_with(others[i], blob.data[0])) {
            return others[i];
        }
    }
    return ILP_SIG_METHOD;
}

/* The whole blob must be used: a compiler writes no byte too many, and what follows would be lost
 * when it is written again. */
ilp_status ilp_sig_read(struct ilp_sig **out, struct ilp_bytes blob, enum ilp_sig_kind kind,
                        uint64_t origin, struct ilp_arena *arena, struct ilp_error *error)
{
    if ((unsigned)kind > ILP_SIG_STANDALONE) {
        return ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, 0, "no kind of signature: %u",
                         (unsigned)kind);
    }
    if (kind == ILP_SIG_STANDALONE) {
        kind = standalone_kind(blob);
    }
    struct sig_reader reader = {ilpi_sig_cursor(blob, kind, origin, error), arena, 0};
    *out = read_sig(&reader, kind, 0);
    if (ilpi_cursor_left(&reader.in) != 0) {
        ilpi_cursor_fail(&reader.in, ILP_E_BAD_SIGNATURE, "bytes follow its end");
    }
    return reader.in.status;
}

/* For callers to which an invalid signature is a missing one. */
ilp_status ilpi_sig_read_valid(struct ilp_sig **out, struct ilp_bytes blob, enum ilp_sig_kind kind,
                               struct ilp_arena *arena, struct ilp_error *error)
{
    struct ilp_error why;
    ilp_status status = ilp_sig_read(out, blob, kind, 0, arena, &why);
    if (ilp_status_class(status) == ILP_CLASS_MEMORY) {
        return ilpi_fail_memory(error, blob.size);
    }
    *out = status == ILP_OK ? *out : NULL; /* after a failure the tree is incomplete */
    return ILP_OK;
}
