/* Converts types from the spelling of people to that of signatures. See spelling.h. A text is split
 * into words and marks: `<`, `>`, `,`, brackets, parentheses, `*`, `&` and spaces.
 *
 *   written in a rule      int[]   List`1<string>   System.Int32   class Shop.Order
 *   meant                  int32[]                  int32          Shop.Order
 *
 * Two parts: put() makes the one spelling that is compared, for rules and for methods; the checks
 * find texts that no method can match in any spelling, and propose what was meant. */
#include "rules/spelling.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "sig/sig.h"

/* ---- words ---- */

struct spelling {
    const char *written;
    const char *meant; /* of `generic`: what is before the name */
};

/* C#'s keywords for types of System that differ from those of signatures (II.23.2.12). */
static const struct spelling csharp[] = {
    {"sbyte", "int8"},
    {"byte", "uint8"},
    {"short", "int16"},
    {"ushort", "uint16"},
    {"int", "int32"},
    {"uint", "uint32"},
    {"long", "int64"},
    {"ulong", "uint64"},
    {"float", "float32"},
    {"double", "float64"},
    {"nint", "native int"},
    {"nuint", "native uint"},
    {"decimal", "System.Decimal"},
};

/* Generic types that C# code names without their namespace. */
static const struct spelling generic[] = {
    {"List", "System.Collections.Generic."},
    {"Dictionary", "System.Collections.Generic."},
    {"HashSet", "System.Collections.Generic."},
    {"Queue", "System.Collections.Generic."},
    {"Stack", "System.Collections.Generic."},
    {"KeyValuePair", "System.Collections.Generic."},
    {"IEnumerable", "System.Collections.Generic."},
    {"IEnumerator", "System.Collections.Generic."},
    {"ICollection", "System.Collections.Generic."},
    {"IList", "System.Collections.Generic."},
    {"IDictionary", "System.Collections.Generic."},
    {"ISet", "System.Collections.Generic."},
    {"IReadOnlyList", "System.Collections.Generic."},
    {"IReadOnlyCollection", "System.Collections.Generic."},
    {"IReadOnlyDictionary", "System.Collections.Generic."},
    {"IAsyncEnumerable", "System.Collections.Generic."},
    {"IComparer", "System.Collections.Generic."},
    {"IEqualityComparer", "System.Collections.Generic."},
    {"Task", "System.Threading.Tasks."},
    {"ValueTask", "System.Threading.Tasks."},
    {"Func", "System."},
    {"Action", "System."},
    {"Predicate", "System."},
    {"Lazy", "System."},
    {"Nullable", "System."},
    {"Span", "System."},
    {"ReadOnlySpan", "System."},
    {"Memory", "System."},
    {"ReadOnlyMemory", "System."},
    {"Tuple", "System."},
    {"ValueTuple", "System."},
    {"IComparable", "System."},
    {"IEquatable", "System."},
    {"IObservable", "System."},
    {"IObserver", "System."},
};

#define LOOK_UP(table, word, size) look_up(table, sizeof table / sizeof table[0], word, size)

static const char *look_up(const struct spelling *table, size_t count, const char *word,
                           size_t size)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(table[i].written) == size && memcmp(table[i].written, word, size) == 0) {
            return table[i].meant;
        }
    }
    return NULL;
}

/* The element type of "System.Int32", which a signature must use (II.23.2.16); NULL if there is
 * none. */
static const char *element_word(const char *word, size_t size)
{
    static const char space[] = "System.";
    enum { SPACE = sizeof space - 1 };
    uint8_t element = size > SPACE && memcmp(word, space, SPACE) == 0
                          ? ilpi_element_of_system_name(word + SPACE, size - SPACE)
                          : 0;
    return element != 0 ? ilpi_element_text(element) : NULL;
}

/* The inverse: the name of "int32" in System; NULL if it is not an element type. */
static const char *system_name(const char *meant)
{
    for (unsigned element = 1; element <= ILP_ELEMENT_OBJECT; element++) {
        const char *name = ilpi_element_system_name(element);
        if (name[0] != '\0' && strcmp(ilpi_element_text(element), meant) == 0) {
            return name;
        }
    }
    return NULL;
}

static bool is_mark(char c)
{
    return memchr("<>,[]*&() ", c, 10) != NULL;
}

static size_t word_size(const char *at, const char *end)
{
    size_t size = 0;
    while (at + size < end && !is_mark(at[size])) {
        size++;
    }
    return size;
}

static bool begins(const char *at, const char *end, const char *with)
{
    size_t size = strlen(with);
    return (size_t)(end - at) >= size && memcmp(at, with, size) == 0;
}

/* "class " or "valuetype " at the start, or nothing. */
static size_t keyword_size(const char *at, const char *end)
{
    if (begins(at, end, "class ")) {
        return strlen("class ");
    }
    return begins(at, end, "valuetype ") ? strlen("valuetype ") : 0;
}

/* "native int" and "native uint" are single words. */
static size_t native_size(const char *at, const char *end)
{
    size_t size = 0;
    if (begins(at, end, "native int")) {
        size = strlen("native int");
    } else if (begins(at, end, "native uint")) {
        size = strlen("native uint");
    }
    return size != 0 && (at + size == end || is_mark(at[size])) ? size : 0;
}

/* ---- normalizing ---- */

/* "[0...,0...]" as "[,]"; returns its size with both brackets, 0 if it is not such an array. */
static size_t put_dimensions(struct ilpi_buf *buf, const char *at, const char *end)
{
    const char *close = memchr(at, ']', (size_t)(end - at));
    if (!close || !memchr(at, ',', (size_t)(close - at))) {
        return 0;
    }
    size_t size = (size_t)(close - at) + 1;
    for (size_t i = 0; i < size; i++) {
        if ((at[i - (i != 0)] == '[' || at[i - (i != 0)] == ',') && begins(at + i, close, "0...") &&
            (at[i + 4] == ',' || at[i + 4] == ']')) {
            i += 3;
        } else if (at[i] != ' ') {
            ilpi_buf_u8(buf, (uint8_t)at[i]);
        }
    }
    return size;
}

/* `named` keeps a type that is called "byte" from being taken for the keyword. C#'s keywords are
 * converted in rules only: in signatures such a word is a name. */
static void put(struct ilpi_buf *buf, struct ilp_bytes text, bool rule)
{
    const char *at = (const char *)text.data;
    const char *end = at + text.size;
    bool named = false; /* after class or valuetype: a name, whatever it looks like */
    while (at < end) {
        size_t keyword = keyword_size(at, end);
        size_t word = native_size(at, end);
        const char *meant = NULL;
        if (keyword != 0) {
            at += keyword;
            named = true;
            continue;
        }
        if (word == 0 && (word = word_size(at, end)) != 0) {
            meant = element_word(at, word);
            meant = !meant && rule && !named ? LOOK_UP(csharp, at, word) : meant;
        }
        named = false;
        size_t taken = word == 0 && *at == '[' ? put_dimensions(buf, at, end) : word;
        if (meant) {
            ilpi_buf_text(buf, meant);
        } else if (word != 0) {
            ilpi_buf_bytes_add(buf, at, word);
        } else if (taken == 0) {
            ilpi_buf_u8(buf, (uint8_t)*at);
            taken = 1;
        }
        bool comma = word == 0 && at[taken - 1] == ',';
        at += taken;
        while (comma && at < end && *at == ' ') {
            at++;
        }
    }
}

void ilpi_spelling_put(struct ilpi_buf *buf, struct ilp_bytes text)
{
    put(buf, text, false);
}

void ilpi_spelling_put_rule(struct ilpi_buf *buf, struct ilp_bytes text)
{
    put(buf, text, true);
}

bool ilpi_spelling_is_type(enum ilpi_attribute attribute)
{
    return attribute == ILPI_ATTRIBUTE_RETURN_TYPE || attribute == ILPI_ATTRIBUTE_PARAMETER_TYPE ||
           attribute == ILPI_ATTRIBUTE_PARAMETERS_TYPES ||
           attribute == ILPI_ATTRIBUTE_IMPLEMENTS_NAME || attribute == ILPI_ATTRIBUTE_DERIVES_NAME;
}

/* ---- texts that no method can match ---- */

/* Where a text is wrong, and the proposed correction. */
struct check {
    const char *text;
    const char *end;
    struct ilpi_buf proposal; /* empty: none; cut at SHOWN bytes in a message */
    size_t *offset;           /* out: that of the mistake in the attribute's value */
    struct ilp_error *error;
};

#define SHOWN 90

/* The proposal is the text with `size` bytes at `at` replaced; NULL: there is none, or it is
 * complete. */
static ilp_status refuse(struct check *check, const char *at, size_t size, const char *instead,
                         const char *why)
{
    struct ilpi_buf *proposal = &check->proposal;
    *check->offset = (size_t)(at - check->text);
    if (instead) {
        ilpi_buf_bytes_add(proposal, check->text, (size_t)(at - check->text));
        ilpi_buf_text(proposal, instead);
        ilpi_buf_bytes_add(proposal, at + size, (size_t)(check->end - at - (ptrdiff_t)size));
    }
    if (proposal->status != ILP_OK) {
        return ilpi_fail_memory(check->error, proposal->size);
    }
    return proposal->size != 0
               ? ilpi_fail(check->error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0,
                           "%s; did you mean '%.*s'?", why,
                           proposal->size < SHOWN ? (int)proposal->size : SHOWN,
                           (const char *)proposal->data)
               : ilpi_fail(check->error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0, "%s", why);
}

/* The number of types between a `<` and its `>`; *size is the distance. 0 if it is not closed. */
static unsigned count_arguments(const char *open, const char *end, size_t *size)
{
    unsigned count = 1;
    int depth = 0;
    for (const char *at = open; at < end; at++) {
        bool in = *at == '<' || *at == '[' || *at == '(';
        depth += in;
        depth -= *at == '>' || *at == ']' || *at == ')';
        count += *at == ',' && depth == 1;
        if (depth == 0) {
            *size = (size_t)(at - open) + 1;
            return *at == '>' ? count : 0;
        }
    }
    return 0;
}

/* The `<` that a `>` at the end closes, after a name: List<string>, but not <Module>, <>c or
 * Ns.<Main>. */
static const char *arguments_at_end(const struct check *check)
{
    int depth = 0;
    const char *at = check->end;
    if (at == check->text || at[-1] != '>') {
        return NULL;
    }
    do {
        at--;
        depth += (*at == '>') - (*at == '<');
    } while (depth != 0 && at > check->text);
    return depth == 0 && at > check->text && at[-1] != '.' && at[-1] != '/' ? at : NULL;
}

/* The number of type arguments of List<string>: in metadata the name has it, as List`1. 0 for
 * anything else. */
static unsigned missing_arity(const struct check *check, const char *word, size_t size)
{
    size_t taken;
    const char *open = word + size;
    bool begins_name = word == check->text || word[-1] != '>';
    return open < check->end && *open == '<' && size != 0 && begins_name && !memchr(word, '`', size)
               ? count_arguments(open, check->end, &taken)
               : 0;
}

/* Replaces all such names of the text by those of metadata, so that one message corrects the whole
 * text. */
static void propose_generic(struct check *check)
{
    struct ilpi_buf whole = {.alloc = check->proposal.alloc};
    for (const char *at = check->text; at < check->end;) {
        size_t keyword = keyword_size(at, check->end);
        size_t size = word_size(at + keyword, check->end);
        unsigned arity = keyword == 0 ? missing_arity(check, at, size) : 0;
        const char *space = arity != 0 ? LOOK_UP(generic, at, size) : NULL;
        ilpi_buf_text(&whole, space ? space : "");
        ilpi_buf_bytes_add(&whole, at, keyword + size);
        if (arity != 0) {
            ilpi_buf_format(&whole, "`%u", arity);
        }
        at += keyword + size;
        if (at < check->end) {
            ilpi_buf_u8(&whole, (uint8_t)*at++);
        }
    }
    ilpi_spelling_put_rule(&check->proposal, ilpi_buf_bytes(&whole));
    check->proposal.status = whole.status != ILP_OK ? whole.status : check->proposal.status;
    ilpi_buf_free(&whole);
}

/* C# writes List<int>, metadata List`1: the name of a generic type without its arity would match
 * nothing. For those of `generic` the namespace is proposed, too. */
static ilp_status check_generic(struct check *check, const char *word, size_t size)
{
    if (missing_arity(check, word, size) == 0) {
        return ILP_OK;
    }
    bool placed = LOOK_UP(generic, word, size) || memchr(word, '.', size);
    propose_generic(check);
    return refuse(
        check, word, size, NULL,
        placed
            ? "a generic type has the number of its type parameters in its name"
            : "a generic type has its namespace and the number of its type parameters in its name");
}

/* C#'s `int?` is Nullable<int> only for structs; whether a name is a struct is known for C#'s
 * keywords alone, so only for these the right text is proposed. */
static ilp_status check_nullable(struct check *check)
{
    const char *mark = memchr(check->text, '?', (size_t)(check->end - check->text));
    if (!mark) {
        return ILP_OK;
    }
    const char *word = mark;
    while (word > check->text && !is_mark(word[-1])) {
        word--;
    }
    struct ilp_bytes type = {(const uint8_t *)word, (size_t)(mark - word)};
    bool same = type.size == 4 && (memcmp(word, "bool", 4) == 0 || memcmp(word, "char", 4) == 0);
    bool value = same || LOOK_UP(csharp, word, type.size);
    if (value) {
        ilpi_buf_bytes_add(&check->proposal, check->text, (size_t)(word - check->text));
        ilpi_buf_text(&check->proposal, "System.Nullable`1<");
        ilpi_spelling_put_rule(&check->proposal, type);
        ilpi_buf_text(&check->proposal, ">");
        ilpi_buf_bytes_add(&check->proposal, mark + 1, (size_t)(check->end - mark) - 1);
        return refuse(check, mark, 1, NULL, "metadata has no '?' after a type");
    }
    return refuse(check, mark, 1, NULL,
                  "metadata has no '?' after a type: a nullable struct is System.Nullable`1<...>, "
                  "and of a class it is left "
                  "out");
}

/* Reflection's spelling of a nested type. */
static ilp_status check_nested(struct check *check)
{
    const char *plus = memchr(check->text, '+', (size_t)(check->end - check->text));
    return plus ? refuse(check, plus, 1, "/", "a nested type has '/' before its name") : ILP_OK;
}

/* The first mistake counts; the checks are in the order of how sure they are. */
static ilp_status check_type(struct check *check)
{
    ILPI_TRY(check_nested(check));
    ILPI_TRY(check_nullable(check));
    if (check->text < check->end && *check->text == '(') {
        return refuse(check, check->text, 0, NULL,
                      "a tuple is System.ValueTuple`N<...>, with the number of its types for N");
    }
    for (const char *at = check->text; at < check->end;) {
        /* after class or valuetype, the text is list's own output */
        size_t keyword = keyword_size(at, check->end);
        size_t size = word_size(at + keyword, check->end);
        if (keyword == 0) {
            ILPI_TRY(check_generic(check, at, size));
        }
        at += keyword + size + 1;
    }
    return ILP_OK;
}

/* The method's declaring type, by its definition. */
static ilp_status check_type_name(struct check *check)
{
    size_t size = (size_t)(check->end - check->text);
    const char *meant = LOOK_UP(csharp, check->text, size);
    ILPI_TRY(check_nested(check));
    const char *name = meant ? system_name(meant) : NULL;
    char full[32];
    if (name) {
        snprintf(full, sizeof full, "System.%s", name);
        meant = full;
    }
    if (meant) {
        return refuse(check, check->text, size, meant, "a type has its full name");
    }
    const char *open = arguments_at_end(check);
    size_t taken;
    unsigned count = open ? count_arguments(open, check->end, &taken) : 0;
    if (count == 0) {
        return ILP_OK;
    }
    char arity[16] = "";
    if (!memchr(check->text, '`', (size_t)(open - check->text))) {
        snprintf(arity, sizeof arity, "`%u", count);
    }
    return refuse(check, open, taken, arity,
                  "methods are defined for all instances of a generic type");
}

/* Mistakes that are likely in a method's name: a type before it, parameters or type arguments after
 * it. A name of a compiler (<Main>$) is not checked. */
static ilp_status check_method_name(struct check *check)
{
    size_t size = (size_t)(check->end - check->text);
    const char *colons = memmem(check->text, size, "::", 2);
    if (colons) {
        check->text = colons + 2 < check->end ? colons + 2 : check->text;
        return refuse(check, check->text, 0, "",
                      "'name' is the method's name alone: <type> and <signature> take more");
    }
    const char *open = size != 0 && check->end[-1] == ')' ? memchr(check->text, '(', size) : NULL;
    if (open && open > check->text) {
        return refuse(check, open, (size_t)(check->end - open), "",
                      "a method's name has no parentheses: use <parameters> for the parameters");
    }
    open = check->text < check->end && *check->text != '<' ? arguments_at_end(check) : NULL;
    return open ? refuse(check, open, (size_t)(check->end - open), "",
                         "a method's name has no type parameters: use 'arity' for their number")
                : ILP_OK;
}

/* A display name ("Shop, Version=1.0.0.0") and a file name are what users copy most. */
static ilp_status check_assembly_name(struct check *check)
{
    size_t size = (size_t)(check->end - check->text);
    const char *comma = memmem(check->text, size, ", ", 2);
    if (comma) {
        return refuse(check, comma, (size_t)(check->end - comma), "",
                      "'name' is the assembly's name alone: use 'version' and 'public-key-token' "
                      "for the rest");
    }
    bool file = size > 4 && (strncasecmp(check->end - 4, ".dll", 4) == 0 ||
                             strncasecmp(check->end - 4, ".exe", 4) == 0);
    return file ? refuse(check, check->end - 4, 4, "", "an assembly's name is not that of its file")
                : ILP_OK;
}

static ilp_status check_attribute_name(struct check *check)
{
    size_t size = (size_t)(check->end - check->text);
    if (size < 3 || *check->text != '[' || check->end[-1] != ']') {
        return ILP_OK;
    }
    return refuse(check, check->text, 1, NULL,
                  "an attribute has the full name of its type, without brackets");
}

/* A word that is not a name: names contain "::", or follow class or valuetype. */
static ilp_status check_signature(struct check *check)
{
    for (const char *at = check->text; at < check->end;) {
        size_t keyword = keyword_size(at, check->end);
        size_t native = native_size(at, check->end);
        at += keyword + native;
        size_t size = word_size(at, check->end);
        const char *meant = keyword + native == 0 ? LOOK_UP(csharp, at, size) : NULL;
        if (meant) {
            const char *instead = strcmp(meant, "System.Decimal") == 0 ? "valuetype System.Decimal"
                                                                       : meant;
            return refuse(check, at, size, instead, "a signature is as list prints it");
        }
        at += size + (size == 0 && keyword + native == 0) + (size != 0);
    }
    return ILP_OK;
}

/* What is refused can be in no metadata: these mistakes would otherwise only show as a rule that
 * selects no method. */
static ilp_status check_spelling(enum ilpi_attribute attribute, struct check *check)
{
    if (ilpi_spelling_is_type(attribute)) {
        return check_type(check);
    }
    switch (attribute) {
    case ILPI_ATTRIBUTE_TYPE_NAME: return check_type_name(check);
    case ILPI_ATTRIBUTE_METHOD_NAME: return check_method_name(check);
    case ILPI_ATTRIBUTE_ASSEMBLY_NAME: return check_assembly_name(check);
    case ILPI_ATTRIBUTE_ATTRIBUTE_NAME: return check_attribute_name(check);
    case ILPI_ATTRIBUTE_SIGNATURE_TEXT: return check_signature(check);
    default: return ILP_OK;
    }
}

ilp_status ilpi_spelling_check(enum ilpi_attribute attribute, struct ilp_bytes text,
                               struct ilpi_alloc *alloc, size_t *offset, struct ilp_error *error)
{
    const char *start = (const char *)text.data;
    struct check check = {start, start + text.size, {.alloc = alloc}, offset, error};
    ilp_status status = check_spelling(attribute, &check);
    ilpi_buf_free(&check.proposal);
    return status;
}
