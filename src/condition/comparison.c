/* Parses one comparison, and reports mistakes that show without a value:
 *
 *   comparison = ( "==" | "!=" | "<" | "<=" | ">" | ">=" | "has" ) operand
 *              | ( "=~" | "!~" ) text
 *              | [ "not" ] "in" ( range | "(" item { "," item } ")" )
 *              | "is" [ "not" ] ( "null" | type )
 *   item       = range | operand
 *   range      = operand ".." [ operand ] | ".." operand */
#include <string.h>

#include "condition/interval.h"
#include "condition/message.h"
#include "condition/parser.h"
#include "condition/text.h"

/* ---- what is wrong ---- */

static bool is_literal(const struct ilpi_condition_operand *operand)
{
    return operand && operand->form == ILPI_OPERAND_LITERAL;
}

static bool is_elapsed(const struct ilpi_condition_operand *operand)
{
    return operand->form == ILPI_OPERAND_PATH && operand->root == ILPI_ROOT_ELAPSED;
}

/* By the operand's column: the lexer is after it already, so ilpi_parser_fail() would report a
 * later one. */
static ilp_status fail_operand(struct ilpi_parser *parser,
                               const struct ilpi_condition_operand *operand, const char *message)
{
    ilpi_fail(parser->lexer.error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0, "column %u: %s",
              operand->column, message);
    if (parser->lexer.error) {
        parser->lexer.error->column = operand->column;
    }
    return ILP_E_BAD_RULES;
}

/* Reports an operand that no value can be compared with in this way. What depends on the value's
 * kind is not an error here: it makes the outcome unknown. */
static ilp_status check_operand(struct ilpi_parser *parser, const struct ilpi_condition_test *test,
                                const struct ilpi_condition_operand *operand)
{
    uint8_t kind = operand->literal.kind;
    bool equality = test->comparison == ILPI_COMPARE_EQ;
    if (is_elapsed(test->left) &&
        (operand->form == ILPI_OPERAND_NAME ||
         (is_literal(operand) && operand->literal.kind != ILPI_SCALAR_DURATION))) {
        return fail_operand(parser, operand, "elapsed is compared with a duration, such as 5ms");
    }
    if (!is_literal(operand)) {
        return ILP_OK;
    }
    if (test->comparison == ILPI_COMPARE_HAS && kind != ILPI_SCALAR_SIGNED &&
        kind != ILPI_SCALAR_UNSIGNED) {
        return fail_operand(parser, operand, "'has' takes flags: a name or an integer");
    }
    if (!equality && (kind == ILPI_SCALAR_NULL || kind == ILPI_SCALAR_BOOL)) {
        return fail_operand(parser, operand,
                            "true, false and null have no order. Compare by == or "
                            "!=");
    }
    return ILP_OK;
}

/* Both ends are literals of one kind, or one is a value of the call, and is only known then.
 * check_operand() has refused null and bools, so literals are numbers, durations or texts. */
static ilp_status check_range(struct ilpi_parser *parser, const struct ilpi_condition_test *test)
{
    const struct ilpi_condition_operand *low = test->right;
    const struct ilpi_condition_operand *high = test->high;
    if (!is_literal(low) || !is_literal(high)) {
        return ILP_OK;
    }
    bool numbers = ilpi_scalar_is_number(&low->literal) && ilpi_scalar_is_number(&high->literal);
    if (!numbers && low->literal.kind != high->literal.kind) {
        return fail_operand(parser, high, "both ends of a range are of one kind");
    }
    enum ilpi_scalar_order order = low->literal.kind == ILPI_SCALAR_STRING
                                       ? ilpi_text_compare(&low->literal, &high->literal)
                                       : ilpi_scalar_compare(&low->literal, &high->literal);
    return order == ILPI_ORDER_GREATER
               ? fail_operand(parser, low, "the range is empty: its first end is above its last")
               : ILP_OK;
}

/* ---- arguments ---- */

static bool is_argument(const struct ilpi_condition_operand *path)
{
    return path->root == ILPI_ROOT_ARGUMENT || path->root == ILPI_ROOT_THIS;
}

/* The text of a name exists once per condition (set_text() of operand.c), so compare addresses. */
static bool is_same_root(const struct ilpi_condition_operand *a,
                         const struct ilpi_condition_operand *b)
{
    return a->root == b->root &&
           (a->root != ILPI_ROOT_ARGUMENT ||
            (a->argument.text == b->argument.text && a->argument.number == b->argument.number));
}

/* Records whether the comparison has one argument, or mixes it with another value of the call.
 * Arguments are read at the entry of a call and everything else at its end, so a comparison of both
 * has no moment when it could be tested; callers that test so refuse the condition by `mixed`. */
static ilp_status note_argument(struct ilpi_parser *parser, struct ilpi_condition_test *test)
{
    struct ilpi_condition *condition = parser->condition;
    const struct ilpi_condition_operand *operands[] = {test->left, test->right, test->high};
    bool argument = is_argument(test->left), mixed = false;
    for (size_t i = 1; i < sizeof operands / sizeof operands[0]; i++) {
        const struct ilpi_condition_operand *operand = operands[i];
        if (operand && operand->form == ILPI_OPERAND_PATH) {
            argument = argument || is_argument(operand);
            mixed = mixed || !is_same_root(test->left, operand);
        }
    }
    if (argument && mixed) {
        /* No number: a mixed test is never tested at the entry. */
        condition->mixed = condition->mixed != 0 ? condition->mixed : test->column;
        return ILP_OK;
    }
    if (!argument) {
        return ILP_OK;
    }
    uint16_t number = (uint16_t)condition->tests.count;
    test->of_argument = (uint16_t)(condition->argument_tests.count + 1);
    return ILPI_LIST_ADD(&condition->alloc, &condition->argument_tests, number,
                         parser->lexer.error);
}

/* What can be decided without a value is decided here, once: mistakes, the interval of integers,
 * the number of the argument. A pattern has no literal operands to check. The code has the index
 * that the test gets after it; if adding fails between the two, parsing ends. */
static ilp_status add_test(struct ilpi_parser *parser, struct ilpi_condition_test *test)
{
    struct ilpi_condition *condition = parser->condition;
    if (test->comparison < ILPI_COMPARE_MATCH) {
        ILPI_TRY(test->right ? check_operand(parser, test, test->right) : ILP_OK);
        ILPI_TRY(test->high ? check_operand(parser, test, test->high) : ILP_OK);
        ILPI_TRY(check_range(parser, test));
    }
    ilpi_intervals_set(test);
    ILPI_TRY(note_argument(parser, test));
    ILPI_TRY(ilpi_parser_emit(parser, ILPI_CONDITION_OP_TEST, condition->tests.count));
    return ILPI_LIST_ADD(&condition->alloc, &condition->tests, *test, parser->lexer.error);
}

/* ---- in ---- */

/* The token after "..", if the range has an upper end. */
static bool may_begin_operand(enum ilpi_token_kind kind)
{
    return kind == ILPI_TOKEN_NAME || kind == ILPI_TOKEN_NUMBER || kind == ILPI_TOKEN_DURATION ||
           kind == ILPI_TOKEN_TEXT || kind == ILPI_TOKEN_CHAR || kind == ILPI_TOKEN_NULL ||
           kind == ILPI_TOKEN_TRUE || kind == ILPI_TOKEN_FALSE;
}

/* A range, or, in a list, one operand. `of` has the path and its column, which all items share. */
static ilp_status parse_item(struct ilpi_parser *parser, const struct ilpi_condition_test *of,
                             bool in_list)
{
    struct ilpi_lexer *lexer = &parser->lexer;
    struct ilpi_condition_test test = *of;
    struct ilpi_condition_operand *operand;
    test.comparison = ILPI_COMPARE_IN;
    if (lexer->token.kind != ILPI_TOKEN_RANGE) {
        ILPI_TRY(ilpi_parse_operand(parser, &operand));
        test.right = operand;
    }
    if (lexer->token.kind != ILPI_TOKEN_RANGE) {
        test.comparison = ILPI_COMPARE_EQ;
        return in_list ? add_test(parser, &test)
                       : ilpi_parser_expected(parser, "'..', as in 1..5; a list is in parentheses");
    }
    ILPI_TRY(ilpi_lex(lexer));
    if (may_begin_operand(lexer->token.kind)) {
        ILPI_TRY(ilpi_parse_operand(parser, &operand));
        test.high = operand;
    } else if (!test.right) {
        return ilpi_parser_expected(parser, "the end of the range");
    }
    return add_test(parser, &test);
}

/* A list: its items joined by `or`. Each item is a test of its own, which reads the path again:
 * lists are short. */
static ilp_status parse_list(struct ilpi_parser *parser, const struct ilpi_condition_test *of)
{
    struct ilpi_lexer *lexer = &parser->lexer;
    ILPI_TRY(ilpi_lex(lexer));
    ILPI_TRY(parse_item(parser, of, true));
    while (lexer->token.kind == ILPI_TOKEN_COMMA) {
        size_t from;
        ILPI_TRY(ilpi_parser_skip(parser, ILPI_CONDITION_OP_SKIP_IF_MET, &from));
        ILPI_TRY(ilpi_lex(lexer));
        ILPI_TRY(parse_item(parser, of, true));
        ILPI_TRY(ilpi_parser_join(parser, ILPI_CONDITION_OP_OR, from));
    }
    return lexer->token.kind == ILPI_TOKEN_CLOSE ? ilpi_lex(lexer)
                                                 : ilpi_parser_expected(parser, "',' or ')'");
}

/* After "in". A list becomes several codes, so its negation is a code as well; a single range is
 * one test, which has a flag for it. */
static ilp_status parse_in(struct ilpi_parser *parser, struct ilpi_condition_test *test,
                           bool negated)
{
    if (parser->lexer.token.kind == ILPI_TOKEN_OPEN) {
        ILPI_TRY(parse_list(parser, test));
        return negated ? ilpi_parser_emit(parser, ILPI_CONDITION_OP_NOT, 0) : ILP_OK;
    }
    test->negated = negated;
    return parse_item(parser, test, false);
}

/* ---- the others ---- */

/* After "is". */
static ilp_status parse_is(struct ilpi_parser *parser, struct ilpi_condition_test *test)
{
    struct ilpi_lexer *lexer = &parser->lexer;
    if (lexer->token.kind == ILPI_TOKEN_NOT) {
        test->negated = true;
        ILPI_TRY(ilpi_lex(lexer));
    }
    if (lexer->token.kind == ILPI_TOKEN_NULL) {
        test->comparison = ILPI_COMPARE_IS_THERE;
        test->negated = !test->negated;
        ILPI_TRY(ilpi_lex(lexer));
    } else {
        struct ilpi_condition_operand *type;
        test->comparison = ILPI_COMPARE_IS_TYPE;
        ILPI_TRY(ilpi_parse_type(parser, &type));
        test->right = type;
    }
    return add_test(parser, test);
}

/* The text of the token as UTF-8, in the arena. A unit takes at most three bytes: those beyond
 * U+FFFF take four for two units. */
static ilp_status set_pattern(struct ilpi_parser *parser, struct ilpi_condition_test *test)
{
    const struct ilpi_scalar *text = &parser->lexer.token.literal;
    uint8_t *utf8 = ilpi_arena_alloc(&parser->condition->arena, 3 * (size_t)text->length);
    if (!utf8) {
        return ilpi_fail_memory(parser->lexer.error, 3 * (size_t)text->length);
    }
    size_t size = ilpi_text_to_utf8(text->as.bytes, text->length, utf8);
    test->comparison = ILPI_COMPARE_MATCH;
    test->pattern =
        (struct ilpi_pattern){.kind = ILPI_PATTERN_REGEX, .text = {utf8, size}, .of_starts = true};
    return ILP_OK;
}

/* Finds the column of the mistake: in a text with escapes only that of the text. Without escapes
 * the pattern has the same bytes as the condition after the quote, or after @ and the quote, so the
 * compiler's byte offset can be added. */
static ilp_status fail_pattern(struct ilpi_parser *parser, const struct ilp_error *found)
{
    const struct ilpi_lexer *lexer = &parser->lexer;
    size_t offset = lexer->token.offset;
    if (lexer->token.verbatim) {
        offset += (lexer->text.data[offset] == '@' ? 2u : 1u) + found->column;
    }
    return ilpi_condition_fail(lexer->error, lexer->text, offset,
                               "cannot read the regular expression: %s", found->message);
}

/* After "=~" or "!~". */
static ilp_status parse_match(struct ilpi_parser *parser, struct ilpi_condition_test *test)
{
    struct ilpi_condition *condition = parser->condition;
    struct ilp_error found;
    if (parser->lexer.token.kind != ILPI_TOKEN_TEXT) {
        return ilpi_parser_expected(parser, "a regular expression in quotes");
    }
    if (!parser->compiler) {
        ILPI_TRY(
            ilpi_pattern_compiler_open(&parser->compiler, &condition->alloc, parser->lexer.error));
    }
    ILPI_TRY(set_pattern(parser, test));
    ilp_status status = ilpi_pattern_compile(&test->pattern, parser->compiler, &found);
    if (status == ILP_E_BAD_RULES) {
        return fail_pattern(parser, &found);
    }
    if (status != ILP_OK) {
        return ilpi_fail_memory(parser->lexer.error, test->pattern.text.size);
    }
    condition->needs_scratch = true;
    status = add_test(parser, test);
    /* Only a test that was added is freed with the condition. */
    if (status != ILP_OK) {
        ilpi_pattern_free(&test->pattern);
        return status;
    }
    return ilpi_lex(&parser->lexer);
}

static ilp_status need_path(struct ilpi_parser *parser, const struct ilpi_condition_operand *left)
{
    return left->form == ILPI_OPERAND_PATH
               ? ILP_OK
               : fail_operand(parser, left,
                              "this is not a value of the call: a path begins with value, args, "
                              "exception, this or elapsed");
}

/* Moves the path to the left: `104 < value` is `value > 104`. So testing has only one form: what is
 * compared is on the left, and has one read. `has` has no mirror image: flags are on its right. */
static ilp_status turn(struct ilpi_parser *parser, struct ilpi_condition_test *test)
{
    static const uint8_t turned[] = {
        [ILPI_COMPARE_EQ] = ILPI_COMPARE_EQ, [ILPI_COMPARE_LT] = ILPI_COMPARE_GT,
        [ILPI_COMPARE_LE] = ILPI_COMPARE_GE, [ILPI_COMPARE_GT] = ILPI_COMPARE_LT,
        [ILPI_COMPARE_GE] = ILPI_COMPARE_LE,
    };
    const struct ilpi_condition_operand *left = test->left;
    if (left->form == ILPI_OPERAND_PATH) {
        return ILP_OK;
    }
    if (test->right->form != ILPI_OPERAND_PATH || test->comparison == ILPI_COMPARE_HAS) {
        return need_path(parser, left);
    }
    test->left = test->right;
    test->right = left;
    test->comparison = (enum ilpi_comparison)turned[test->comparison];
    return ILP_OK;
}

/* After the operator. */
static ilp_status parse_right(struct ilpi_parser *parser, struct ilpi_condition_test *test)
{
    struct ilpi_condition_operand *right;
    ILPI_TRY(ilpi_parse_operand(parser, &right));
    test->right = right;
    ILPI_TRY(turn(parser, test));
    return add_test(parser, test);
}

/* A path alone: a bool, or whether there is an exception. `true` and `false` alone are conditions
 * as well. */
static ilp_status add_bare(struct ilpi_parser *parser, struct ilpi_condition_test *test)
{
    const struct ilpi_condition_operand *left = test->left;
    parser->bare = true;
    if (is_literal(left) && left->literal.kind == ILPI_SCALAR_BOOL) {
        bool met = left->literal.as.natural != 0;
        return ilpi_parser_emit(parser, ILPI_CONDITION_OP_CONSTANT,
                                met ? ILPI_CONDITION_MET : ILPI_CONDITION_NOT_MET);
    }
    ILPI_TRY(need_path(parser, left));
    if (is_elapsed(left)) {
        return ilpi_parser_expected(parser, "a comparison with a duration, such as > 5ms");
    }
    bool there = left->root == ILPI_ROOT_EXCEPTION && left->step_count == 0;
    test->comparison = there ? ILPI_COMPARE_IS_THERE : ILPI_COMPARE_IS_TRUE;
    return add_test(parser, test);
}

/* Operators whose right side is one operand. `!=` has no comparison of its own (struct
 * ilpi_condition_test). */
static const struct {
    uint8_t token, comparison;
    bool negated;
} operators[] = {
    {ILPI_TOKEN_EQ, ILPI_COMPARE_EQ, false},   {ILPI_TOKEN_NE, ILPI_COMPARE_EQ, true},
    {ILPI_TOKEN_LT, ILPI_COMPARE_LT, false},   {ILPI_TOKEN_LE, ILPI_COMPARE_LE, false},
    {ILPI_TOKEN_GT, ILPI_COMPARE_GT, false},   {ILPI_TOKEN_GE, ILPI_COMPARE_GE, false},
    {ILPI_TOKEN_HAS, ILPI_COMPARE_HAS, false},
};

/* The comparison of an operator that takes an operand. */
static bool find_operator(enum ilpi_token_kind token, struct ilpi_condition_test *test)
{
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        if (operators[i].token == token) {
            test->comparison = (enum ilpi_comparison)operators[i].comparison;
            test->negated = operators[i].negated;
            return true;
        }
    }
    return false;
}

/* After a path: "is", "in", "not in", "=~", "!~". */
static ilp_status parse_of_path(struct ilpi_parser *parser, struct ilpi_condition_test *test,
                                enum ilpi_token_kind token)
{
    struct ilpi_lexer *lexer = &parser->lexer;
    ILPI_TRY(need_path(parser, test->left));
    ILPI_TRY(ilpi_lex(lexer));
    switch (token) {
    case ILPI_TOKEN_IS: return parse_is(parser, test);
    case ILPI_TOKEN_IN: return parse_in(parser, test, false);
    case ILPI_TOKEN_NOT:
        if (lexer->token.kind != ILPI_TOKEN_IN) {
            return ilpi_parser_expected(parser, "'in'");
        }
        ILPI_TRY(ilpi_lex(lexer));
        return parse_in(parser, test, true);
    default: test->negated = token == ILPI_TOKEN_NO_MATCH; return parse_match(parser, test);
    }
}

/* An operand, and what may follow it: the tokens of `operators` take an operand at both sides, the
 * others only a path at the left. */
ilp_status ilpi_parse_comparison(struct ilpi_parser *parser)
{
    struct ilpi_lexer *lexer = &parser->lexer;
    struct ilpi_condition_operand *left;
    ILPI_TRY(ilpi_parse_operand(parser, &left));
    struct ilpi_condition_test test = {.left = left, .column = left->column};
    enum ilpi_token_kind token = lexer->token.kind;
    if (find_operator(token, &test)) {
        ILPI_TRY(ilpi_lex(lexer));
        return parse_right(parser, &test);
    }
    switch (token) {
    case ILPI_TOKEN_MATCH:
    case ILPI_TOKEN_NO_MATCH:
    case ILPI_TOKEN_IS:
    case ILPI_TOKEN_IN:
    case ILPI_TOKEN_NOT: return parse_of_path(parser, &test, token);
    default: return add_bare(parser, &test);
    }
}
