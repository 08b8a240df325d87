/* Parses operands:
 *
 *   operand = path | number | text | char | "true" | "false" | "null" | name
 *   path    = root { "." name | "[" digits "]" }
 *   root    = "value" | "exception" | "this" | "elapsed" | "args" ( "." | "[" ) argument
 *
 * A path has no spaces, so it is read byte by byte. */
#include <string.h>

#include "condition/literal.h"
#include "condition/message.h"
#include "condition/parser.h"

/* The text of one or more names, in the arena of the condition. The newest is first. */
struct ilpi_parser_text {
    struct ilpi_parser_text *next;
    const char *text; /* ended by a NUL */
    size_t size;      /* without it */
};

static ilp_status new_operand(struct ilpi_parser *parser, struct ilpi_condition_operand **out)
{
    *out = ilpi_arena_alloc(&parser->condition->arena, sizeof **out);
    if (!*out) {
        return ilpi_fail_memory(parser->lexer.error, sizeof **out);
    }
    (*out)->column = (uint16_t)ilpi_condition_column(parser->lexer.text,
                                                     parser->lexer.token.offset);
    return ILP_OK;
}

/* ---- names ---- */

/* Names get their slots in the order of the text, so the number of slots is that of names. */
static struct ilpi_condition_name new_name(struct ilpi_parser *parser, size_t offset)
{
    return (struct ilpi_condition_name){
        .slot = parser->condition->slots++,
        .column = (uint16_t)ilpi_condition_column(parser->lexer.text, offset),
    };
}

/* Finds the text among those of the condition, or copies it. A list is enough: a condition has at
 * most 4 KB. */
static ilp_status set_text(struct ilpi_parser *parser, struct ilpi_condition_name *name,
                           size_t start, size_t end)
{
    const uint8_t *text = parser->lexer.text.data + start;
    size_t size = end - start;
    struct ilpi_parser_text *known = parser->texts;
    while (known && (known->size != size || memcmp(known->text, text, size) != 0)) {
        known = known->next;
    }
    if (!known) {
        struct ilp_arena *arena = &parser->condition->arena;
        known = ilpi_arena_alloc(arena, sizeof *known);
        char *copy = ilpi_arena_alloc(arena, size + 1);
        if (!known || !copy) {
            return ilpi_fail_memory(parser->lexer.error, size);
        }
        memcpy(copy, text, size);
        *known = (struct ilpi_parser_text){parser->texts, copy, size};
        parser->texts = known;
    }
    name->text = known->text;
    name->size = (uint32_t)known->size;
    return ILP_OK;
}

/* Digits at *at, which moves after them. */
static ilp_status set_number(struct ilpi_parser *parser, struct ilpi_condition_name *name,
                             size_t *at)
{
    const struct ilpi_lexer *lexer = &parser->lexer;
    size_t start = *at;
    uint64_t number = 0;
    for (; ilpi_is_digit(ilpi_lex_byte(lexer, *at)); ++*at) {
        number = 10 * number + (uint64_t)(ilpi_lex_byte(lexer, *at) - '0');
        if (number > INT32_MAX) {
            return ilpi_parser_fail(parser, start, "no array has so many elements");
        }
    }
    name->number = (uint32_t)number;
    return ILP_OK;
}

/* ---- paths ---- */

/* "[5]" at *at, after the bracket. */
static ilp_status parse_index(struct ilpi_parser *parser, struct ilpi_condition_name *name,
                              size_t *at)
{
    size_t start = *at;
    ILPI_TRY(set_number(parser, name, at));
    if (*at == start || ilpi_lex_byte(&parser->lexer, *at) != ']') {
        return ilpi_parser_fail(parser, start, "expected the number of an element: [0]");
    }
    ++*at;
    return ILP_OK;
}

/* One step, if there is one at *at, which moves after it. Only arguments may be numbered after a
 * point. Two points are not a step: in `value.A..5` they are the sign of a range. */
static ilp_status parse_step(struct ilpi_parser *parser, bool is_argument, size_t *at,
                             struct ilpi_condition_name *name, bool *found)
{
    const struct ilpi_lexer *lexer = &parser->lexer;
    uint8_t c = ilpi_lex_byte(lexer, *at);
    uint8_t next = ilpi_lex_byte(lexer, *at + 1);
    *found = c == '[' || (c == '.' && next != '.');
    if (!*found) {
        return ILP_OK;
    }
    ++*at;
    *name = new_name(parser, *at);
    if (c == '[') {
        return parse_index(parser, name, at);
    }
    if (is_argument && ilpi_is_digit(next)) {
        return set_number(parser, name, at);
    }
    size_t start = *at + (next == '@');
    size_t end = ilpi_lex_name_end(lexer, start);
    if (end == start) {
        return ilpi_parser_fail(parser, *at,
                                ilpi_is_digit(next) ? "an element is written [0], not .0"
                                                    : "expected the name of a member");
    }
    *at = end;
    return set_text(parser, name, start, end);
}

/* Steps are collected in a list that grows, and copied to the arena at the end, which cannot grow a
 * block. */
static ilp_status parse_steps(struct ilpi_parser *parser, struct ilpi_condition_operand *operand,
                              size_t at)
{
    struct ilpi_alloc *alloc = &parser->condition->alloc;
    ILPI_LIST(struct ilpi_condition_name) steps = {0};
    bool found = true;
    ilp_status status = ILP_OK;
    while (status == ILP_OK && found) {
        struct ilpi_condition_name step;
        status = parse_step(parser, false, &at, &step, &found);
        if (status == ILP_OK && found) {
            status = ILPI_LIST_ADD(alloc, &steps, step, parser->lexer.error);
        }
    }
    if (status == ILP_OK && steps.count != 0) {
        operand->steps = ilpi_arena_copy(&parser->condition->arena, steps.items,
                                         steps.count * sizeof *steps.items);
        operand->step_count = (uint32_t)steps.count;
        status = operand->steps ? ILP_OK : ilpi_fail_memory(parser->lexer.error, steps.count);
    }
    ILPI_LIST_FREE(alloc, &steps);
    parser->lexer.at = at;
    return status;
}

/* The path is read from the text after its root, not from tokens: `value.1` or `args.0.x` would be
 * numbers there. */
static ilp_status parse_path(struct ilpi_parser *parser, struct ilpi_condition_operand *operand)
{
    struct ilpi_condition *condition = parser->condition;
    size_t at = parser->lexer.at;
    condition->roots |= 1u << operand->root;
    if (operand->root == ILPI_ROOT_ARGUMENT) {
        bool found;
        ILPI_TRY(parse_step(parser, true, &at, &operand->argument, &found));
        if (!found) {
            return ilpi_parser_fail(parser, at, "expected an argument: args.0 or args.name");
        }
    }
    ILPI_TRY(parse_steps(parser, operand, at));
    operand->is_value = operand->root == ILPI_ROOT_VALUE && operand->step_count == 0;
    return ILP_OK;
}

/* ---- operands ---- */

static const char *const roots[] = {
#define CONDITION_ROOT(name, word) [ILPI_ROOT_##name] = (word),
#include "condition/words.def"
};

/* A name that is a root begins a path; any other one is an enum member. */
static ilp_status parse_name(struct ilpi_parser *parser, struct ilpi_condition_operand *operand)
{
    const struct ilpi_lexer *lexer = &parser->lexer;
    const struct ilpi_token *token = &lexer->token;
    const char *text = (const char *)lexer->text.data + token->offset;
    for (unsigned i = 0; i < ILPI_ROOT_COUNT; i++) {
        if (strlen(roots[i]) == token->size && memcmp(roots[i], text, token->size) == 0) {
            operand->form = ILPI_OPERAND_PATH;
            operand->root = (enum ilpi_condition_root)i;
            return parse_path(parser, operand);
        }
    }
    uint8_t c = ilpi_lex_byte(lexer, lexer->at);
    if ((c == '.' && ilpi_lex_byte(lexer, lexer->at + 1) != '.') || c == '[') {
        return ilpi_condition_fail(lexer->error, lexer->text, token->offset,
                                   "'%.*s' does not begin a path: expected value, args, exception, "
                                   "this or elapsed. A member of an enum is written without "
                                   "its type",
                                   token->size < 40 ? (int)token->size : 40, text);
    }
    operand->form = ILPI_OPERAND_NAME;
    operand->name = new_name(parser, token->offset);
    return set_text(parser, &operand->name, token->offset + token->verbatim,
                    token->offset + token->size);
}

/* A literal that is the same for values of all kinds. */
static void set_literal(struct ilpi_condition_operand *operand, struct ilpi_scalar literal)
{
    operand->literal = operand->single = operand->real = operand->date = operand->guid = literal;
}

/* A text is all three at once: text, date and GUID; what it is compared with selects one. The lexer
 * continues after the operand, which for a path is after its token. */
ilp_status ilpi_parse_operand(struct ilpi_parser *parser, struct ilpi_condition_operand **out)
{
    const struct ilpi_token *token = &parser->lexer.token;
    ILPI_TRY(new_operand(parser, out));
    struct ilpi_condition_operand *operand = *out;
    operand->form = ILPI_OPERAND_LITERAL;
    set_literal(operand, token->literal);
    switch (token->kind) {
    case ILPI_TOKEN_NAME: ILPI_TRY(parse_name(parser, operand)); break;
    case ILPI_TOKEN_CHAR: break;
    case ILPI_TOKEN_NUMBER:
    case ILPI_TOKEN_DURATION:
        operand->single = token->single;
        operand->real = token->real;
        break;
    case ILPI_TOKEN_TEXT:
        operand->date = ilpi_literal_date(&token->literal);
        ILPI_TRY(ilpi_literal_guid(&operand->guid, &token->literal, &parser->condition->arena,
                                   parser->lexer.error));
        break;
    case ILPI_TOKEN_TRUE: set_literal(operand, ilpi_scalar_bool(true)); break;
    case ILPI_TOKEN_FALSE: set_literal(operand, ilpi_scalar_bool(false)); break;
    case ILPI_TOKEN_NULL: set_literal(operand, ilpi_scalar_of(ILPI_SCALAR_NULL)); break;
    default: return ilpi_parser_expected(parser, "a value");
    }
    return ilpi_lex(&parser->lexer);
}

/* Names joined by points or `+`. No spaces are between them, as in a path. */
ilp_status ilpi_parse_type(struct ilpi_parser *parser, struct ilpi_condition_operand **out)
{
    struct ilpi_lexer *lexer = &parser->lexer;
    size_t start = lexer->token.offset + lexer->token.verbatim;
    if (lexer->token.kind != ILPI_TOKEN_NAME) {
        return ilpi_parser_expected(parser, "the name of a type, or null");
    }
    ILPI_TRY(new_operand(parser, out));
    for (uint8_t c = ilpi_lex_byte(lexer, lexer->at); c == '.' || c == '+';
         c = ilpi_lex_byte(lexer, lexer->at)) {
        size_t end = ilpi_lex_name_end(lexer, lexer->at + 1);
        if (end == lexer->at + 1) {
            return ilpi_parser_fail(parser, end, "expected the rest of a type's name");
        }
        lexer->at = end;
    }
    (*out)->form = ILPI_OPERAND_NAME;
    (*out)->name = new_name(parser, lexer->token.offset);
    ILPI_TRY(set_text(parser, &(*out)->name, start, lexer->at));
    return ilpi_lex(lexer);
}
