/* Parses compiler-generated names. See readable_name.h. Roslyn makes them in GeneratedNames.cs and
 * GeneratedNames.vb.
 *
 *   function        "<" METHOD ">b__" ORDINALS                 a lambda
 *                   "<" METHOD ">g__" NAME "|" ORDINALS        a local function
 *   closure         "<>c" ["__" N], "<>c__DisplayClass" ORDINALS
 *   state machine   "<" METHOD ">d__" N, "<" function ">d" ["__" N],
 *                   "VB$StateMachine_" N "_" METHOD
 *   ORDINALS        N ["_" N]          of the method in its type, of the function in its method
 *
 * Names of types may end in an arity ("`1"). A form is taken completely or not at all. */
#include "tools/export/readable_name.h"

#include <stdbool.h>
#include <string.h>

/* The parts of a generated name, borrowed from type and method name. */
struct made_name {
    struct ilp_bytes type;   /* with the method in the source */
    struct ilp_bytes method; /* the method */
    bool dashes;             /* it is part of a type's name, where dots become dashes */
    struct ilp_bytes lambda; /* the number of a lambda in it */
    struct ilp_bytes local;  /* or the name of a local function; both may be empty */
    struct ilp_bytes member; /* of its state machine; empty: none */
};

static struct ilp_bytes part(struct ilp_bytes text, size_t begin, size_t end)
{
    return (struct ilp_bytes){text.data + begin, end - begin};
}

/* ---- forms, removed from the start of a text ---- */

/* The others below may have shortened the text when they return false: their callers then give the
 * whole form up. */
static bool take(struct ilp_bytes *text, const char *word)
{
    size_t size = strlen(word);
    if (text->size < size || memcmp(text->data, word, size) != 0) {
        return false;
    }
    *text = part(*text, size, text->size);
    return true;
}

/* A compiler's number: without leading zeros. */
static bool take_number(struct ilp_bytes *text, struct ilp_bytes *number)
{
    size_t size = 0;
    while (size < text->size && text->data[size] >= '0' && text->data[size] <= '9') {
        size++;
    }
    if (size == 0 || (size > 1 && text->data[0] == '0')) {
        return false;
    }
    *number = part(*text, 0, size);
    *text = part(*text, size, text->size);
    return true;
}

/* "0_1", or "1" if the class's name has the first number. */
static bool take_ordinals(struct ilp_bytes *text, struct ilp_bytes *last)
{
    return take_number(text, last) && (!take(text, "_") || take_number(text, last));
}

/* "<Main>": names of methods may contain such brackets in pairs. */
static bool take_bracketed(struct ilp_bytes *text, struct ilp_bytes *within)
{
    size_t open = 1;
    if (!take(text, "<")) {
        return false;
    }
    for (size_t end = 0; end < text->size; end++) {
        open += text->data[end] == '<';
        open -= text->data[end] == '>';
        if (open == 0) {
            *within = part(*text, 0, end);
            *text = part(*text, end + 1, text->size);
            return end != 0;
        }
    }
    return false;
}

/* A source name: generated names contain marks that sources cannot. */
static bool take_identifier(struct ilp_bytes *text, struct ilp_bytes *name)
{
    size_t size = 0;
    while (size < text->size && !memchr("<>|`/$+", text->data[size], 7)) {
        size++;
    }
    *name = part(*text, 0, size);
    *text = part(*text, size, text->size);
    return size != 0;
}

/* The end of a type's name, which may have an arity. */
static bool ends_type(struct ilp_bytes text)
{
    struct ilp_bytes number;
    return text.size == 0 || (take(&text, "`") && take_number(&text, &number) && text.size == 0);
}

/* ---- methods ---- */

/* "<Main>b__0_1" or "<Main>g__Add|0_0", completely. */
static bool read_function(struct made_name *made, struct ilp_bytes text)
{
    struct ilp_bytes number;
    if (!take_bracketed(&text, &made->method)) {
        return false;
    }
    if (take(&text, "b__")) {
        return take_ordinals(&text, &made->lambda) && text.size == 0;
    }
    return take(&text, "g__") && take_identifier(&text, &made->local) && take(&text, "|") &&
           take_ordinals(&text, &number) && text.size == 0;
}

/* ---- types ---- */

/* The offset of the innermost type's name; 0: it is not nested. */
static size_t nested_at(struct ilp_bytes type)
{
    size_t at = type.size;
    size_t open = 0;
    while (at > 0) {
        open += type.data[at - 1] == '>';
        open -= open != 0 && type.data[at - 1] == '<';
        if (open == 0 && type.data[at - 1] == '/') {
            return at;
        }
        at--;
    }
    return 0;
}

/* "<>c", "<>c__5`1" or "<>c__DisplayClass0_1" */
static bool is_closure(struct ilp_bytes text)
{
    struct ilp_bytes number;
    if (!take(&text, "<>c")) {
        return false;
    }
    if (take(&text, "__DisplayClass")) {
        return take_ordinals(&text, &number) && ends_type(text);
    }
    return (!take(&text, "__") || take_number(&text, &number)) && ends_type(text);
}

/* "<RunAsync>d__3", or "<<Main>b__0_1>d" for a lambda or local function, or Visual Basic's
 * "VB$StateMachine_3_RunAsync". */
static bool read_state_machine(struct made_name *made, struct ilp_bytes text)
{
    struct ilp_bytes number;
    struct ilp_bytes made_of;
    if (take(&text, "VB$StateMachine_")) {
        return take_number(&text, &number) && take(&text, "_") &&
               take_identifier(&text, &made->method) && ends_type(text);
    }
    made->dashes = true;
    if (!take_bracketed(&text, &made_of) || !take(&text, "d")) {
        return false;
    }
    bool of_function = read_function(made, made_of);
    if (!of_function) {
        made->method = made_of;
        made->lambda = made->local = (struct ilp_bytes){NULL, 0};
    }
    return ((take(&text, "__") && take_number(&text, &number)) || of_function) && ends_type(text);
}

/* Drops the closure class around a lambda or local function. */
static void leave_closure(struct made_name *made)
{
    size_t nested = nested_at(made->type);
    if (nested != 0 && (made->lambda.size != 0 || made->local.size != 0) &&
        is_closure(part(made->type, nested, made->type.size))) {
        made->type = part(made->type, 0, nested - 1);
    }
}

/* What remains must be a source name, or the form is unknown. Only a top-level type may begin with
 * a bracket: C# names file-local types "<File>F1__Name". */
static bool is_of_source(const struct made_name *made)
{
    size_t nested = nested_at(made->type);
    struct ilp_bytes innermost = part(made->type, nested, made->type.size);
    return innermost.size != 0 && !take(&innermost, nested != 0 ? "<" : "<>") &&
           !memchr(made->method.data, '+', made->method.size);
}

/* A state machine's method ("MoveNext") is a member of a type whose name has the method; a lambda's
 * or local function's name has its method itself. */
static bool read_name(struct made_name *made, struct ilp_bytes type, struct ilp_bytes name)
{
    size_t nested = nested_at(type);
    *made = (struct made_name){.member = name};
    if (nested != 0 && name.size != 0 && read_state_machine(made, part(type, nested, type.size))) {
        made->type = part(type, 0, nested - 1);
    } else {
        *made = (struct made_name){.type = type};
        if (!read_function(made, name)) {
            return false;
        }
    }
    leave_closure(made);
    return is_of_source(made);
}

/* ---- writing ---- */

/* Text that is appended up to a limit; `size` never exceeds it. */
struct room {
    char *text;
    size_t size, limit;
};

/* An empty part is left out together with what comes before it. */
static void append(struct room *room, const char *before, struct ilp_bytes text)
{
    const struct ilp_bytes parts[] = {{(const uint8_t *)before, strlen(before)}, text};
    for (size_t i = 0; i < 2 && text.size != 0; i++) {
        size_t left = room->limit - room->size;
        size_t added = parts[i].size < left ? parts[i].size : left;
        memcpy(room->text + room->size, parts[i].data, added);
        room->size += added;
    }
}

/* 0: it is not a generated name, or of an unknown form, and is shown as it is. */
size_t readable_name(struct ilp_bytes type, struct ilp_bytes name, char *text, size_t room,
                     size_t *type_size)
{
    struct made_name made;
    struct room written = {text, 0, room};
    if (!read_name(&made, type, name)) {
        return 0;
    }
    append(&written, "", made.type);
    *type_size = written.size;
    append(&written, ".", made.method);
    for (size_t i = *type_size; made.dashes && i < written.size; i++) {
        text[i] = text[i] == '-' ? '.' : text[i];
    }
    append(&written, "+lambda#", made.lambda);
    append(&written, "+", made.local);
    append(&written, "+", made.member);
    return written.size;
}
