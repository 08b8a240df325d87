/* A condition's text as a program:
 *
 *   condition  = and { "or" and }
 *   and        = unary { "and" unary }
 *   unary      = "not" unary | "(" condition ")" | test
 *   test       = operand [ comparison ]
 *
 * Operands and single comparisons are read by operand.c and comparison.c. Each rule leaves one
 * outcome on the stack. */
#include <string.h>

#include "base/utf8.h"
#include "condition/message.h"
#include "condition/parser.h"

/* ---- and, or, not ---- */

static ilp_status parse_or(struct ilpi_parser *parser);

/* Nesting is limited, since the parser recurses once for each parenthesis, on the stack of a
 * program's thread. It is only decremented on success: after an error parsing ends. */
static ilp_status parse_parentheses(struct ilpi_parser *parser)
{
    if (++parser->nesting > ILPI_CONDITION_MAX_NESTING) {
        return ilpi_parser_fail(parser, parser->lexer.token.offset, "nested too deep");
    }
    ILPI_TRY(ilpi_lex(&parser->lexer));
    ILPI_TRY(parse_or(parser));
    parser->nesting--;
    return parser->lexer.token.kind == ILPI_TOKEN_CLOSE
               ? ilpi_lex(&parser->lexer)
               : ilpi_parser_expected(parser, "'and', 'or' or ')'");
}

/* `!a == b` is refused: C reads it as `(!a) == b`, which is hardly meant. */
static ilp_status parse_unary(struct ilpi_parser *parser)
{
    bool negated = false;
    bool bang = false;
    size_t offset = 0;
    while (parser->lexer.token.kind == ILPI_TOKEN_NOT ||
           parser->lexer.token.kind == ILPI_TOKEN_BANG) {
        bang = parser->lexer.token.kind == ILPI_TOKEN_BANG;
        offset = parser->lexer.token.offset;
        negated = !negated;
        ILPI_TRY(ilpi_lex(&parser->lexer));
    }
    if (parser->lexer.token.kind == ILPI_TOKEN_OPEN) {
        ILPI_TRY(parse_parentheses(parser));
    } else {
        parser->bare = false;
        ILPI_TRY(ilpi_parse_comparison(parser));
        if (bang && !parser->bare) {
            return ilpi_parser_fail(parser, offset,
                                    "'!' before a comparison. Write !(a == b), or not a == b");
        }
    }
    return negated ? ilpi_parser_emit(parser, ILPI_CONDITION_OP_NOT, 0) : ILP_OK;
}

/* After the left side a skip is emitted whose target is not known yet; ilpi_parser_join() emits the
 * operation that combines both results, and lets the skip pass it. `from` is the place to patch. */
static ilp_status parse_and(struct ilpi_parser *parser)
{
    ILPI_TRY(parse_unary(parser));
    while (parser->lexer.token.kind == ILPI_TOKEN_AND) {
        size_t from;
        ILPI_TRY(ilpi_parser_skip(parser, ILPI_CONDITION_OP_SKIP_IF_NOT_MET, &from));
        ILPI_TRY(ilpi_lex(&parser->lexer));
        ILPI_TRY(parse_unary(parser));
        ILPI_TRY(ilpi_parser_join(parser, ILPI_CONDITION_OP_AND, from));
    }
    return ILP_OK;
}

/* As parse_and(), which binds tighter; here a result that is MET skips the right side. */
static ilp_status parse_or(struct ilpi_parser *parser)
{
    ILPI_TRY(parse_and(parser));
    while (parser->lexer.token.kind == ILPI_TOKEN_OR) {
        size_t from;
        ILPI_TRY(ilpi_parser_skip(parser, ILPI_CONDITION_OP_SKIP_IF_MET, &from));
        ILPI_TRY(ilpi_lex(&parser->lexer));
        ILPI_TRY(parse_and(parser));
        ILPI_TRY(ilpi_parser_join(parser, ILPI_CONDITION_OP_OR, from));
    }
    return ILP_OK;
}

/* ---- opening ---- */

/* Preconditions of all offsets and columns. Invalid UTF-8 is refused here, so that all later code
 * may decode without checks. */
static ilp_status check_text(struct ilp_bytes text, struct ilp_error *error)
{
    uint32_t code;
    if (text.size > ILPI_CONDITION_MAX_SIZE) {
        return ilpi_condition_fail(error, text, 0, "the condition has more than %u bytes",
                                   (unsigned)ILPI_CONDITION_MAX_SIZE);
    }
    for (size_t at = 0; at < text.size;) {
        unsigned length = ilpi_utf8_character(text.data + at, text.size - at, &code);
        if (length == 0) {
            return ilpi_condition_fail(error, text, at, "the condition is not UTF-8");
        }
        at += length;
    }
    return ILP_OK;
}

/* A condition of one comparison of `value` with numbers is marked (of_integer), since most are:
 * testing it skips the program. */
static ilp_status parse(struct ilpi_parser *parser)
{
    struct ilpi_condition *condition = parser->condition;
    ILPI_TRY(check_text(parser->lexer.text, parser->lexer.error));
    ILPI_TRY(ilpi_lex(&parser->lexer));
    ILPI_TRY(parse_or(parser));
    if (parser->lexer.token.kind != ILPI_TOKEN_END) {
        return ilpi_parser_expected(parser, "'and', 'or' or the end of the condition");
    }
    /* NULL for a condition of constants, so the counts are compared before it is used. */
    const struct ilpi_condition_test *test = condition->tests.items;
    condition->of_integer = condition->code.count == 1 && condition->tests.count == 1 &&
                            test->has_interval && test->left->is_value;
    return ILP_OK;
}

/* Everything that is parsed is in the condition's arena, so a failure only closes the condition. */
ilp_status ilpi_condition_open(struct ilpi_condition **out, struct ilp_bytes text,
                               const struct ilp_allocator *allocator, struct ilp_error *error)
{
    *out = NULL;
    struct ilpi_condition *condition = ilpi_object_open(sizeof *condition, allocator, error);
    if (!condition) {
        return ILP_E_NO_MEMORY;
    }
    condition->arena.alloc = &condition->alloc;
    struct ilpi_parser parser = {
        .lexer = {.text = text, .arena = &condition->arena, .error = error},
        .condition = condition,
    };
    ilp_status status = parse(&parser);
    ilpi_pattern_compiler_close(parser.compiler);
    if (status != ILP_OK) {
        ilpi_condition_close(condition);
        return status;
    }
    *out = condition;
    return ILP_OK;
}

void ilpi_condition_close(struct ilpi_condition *condition)
{
    if (!condition) {
        return;
    }
    for (size_t i = 0; i < condition->tests.count; i++) {
        ilpi_pattern_free(&condition->tests.items[i].pattern);
    }
    ILPI_LIST_FREE(&condition->alloc, &condition->tests);
    ILPI_LIST_FREE(&condition->alloc, &condition->code);
    ILPI_LIST_FREE(&condition->alloc, &condition->argument_tests);
    ilpi_arena_free(&condition->arena);
    ilpi_object_close(&condition->alloc, sizeof *condition);
}

/* ---- requirements ---- */

bool ilpi_condition_uses(const struct ilpi_condition *condition, enum ilpi_condition_root root)
{
    return (condition->roots >> root & 1) != 0;
}

uint32_t ilpi_condition_slots(const struct ilpi_condition *condition)
{
    return condition->slots;
}

uint32_t ilpi_condition_argument_tests(const struct ilpi_condition *condition)
{
    return (uint32_t)condition->argument_tests.count;
}

struct ilpi_argument_test ilpi_condition_argument_test(const struct ilpi_condition *condition,
                                                       uint32_t number)
{
    /* Any operand will do: all paths of such a test have one root (note_argument()). */
    const struct ilpi_condition_operand *left =
        condition->tests.items[condition->argument_tests.items[number]].left;
    bool named = left->root == ILPI_ROOT_ARGUMENT;
    return (struct ilpi_argument_test){left->root, named ? &left->argument : NULL,
                                       named ? left->argument.column : left->column};
}

uint16_t ilpi_condition_mixed(const struct ilpi_condition *condition)
{
    return condition->mixed;
}

bool ilpi_condition_needs_scratch(const struct ilpi_condition *condition)
{
    return condition->needs_scratch;
}

const struct ilpi_condition_interval *
ilpi_condition_intervals(const struct ilpi_condition *condition)
{
    return condition->of_integer ? condition->tests.items->intervals : NULL;
}
