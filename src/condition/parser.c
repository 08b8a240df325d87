/* What the files of the parser share: emitting the program, and messages.
 *
 * The depth of the stack is counted while the program is emitted: it follows from the operations,
 * since skips only leave out what would be joined to their operand. So evaluate.c has a stack of
 * fixed size without checks. */
#include "condition/parser.h"

#include "condition/message.h"

/* ---- the program ---- */

/* Counts the results on the stack along with the code: the evaluator's stack has a fixed size, and
 * needs no check. */
ilp_status ilpi_parser_emit(struct ilpi_parser *parser, enum ilpi_condition_op op, size_t number)
{
    struct ilpi_condition *condition = parser->condition;
    struct ilpi_condition_code code = {(uint16_t)op, (uint16_t)number};
    /* TEST and CONSTANT push one, AND and OR join two; NOT and skips change none. */
    parser->stack += op <= ILPI_CONDITION_OP_CONSTANT;
    parser->stack -= op == ILPI_CONDITION_OP_AND || op == ILPI_CONDITION_OP_OR;
    if (parser->stack > ILPI_CONDITION_MAX_STACK) {
        return ilpi_parser_fail(parser, parser->lexer.token.offset, "nested too deep");
    }
    return ILPI_LIST_ADD(&condition->alloc, &condition->code, code, parser->lexer.error);
}

/* Emitted with a target that is not known yet; ilpi_parser_join() sets it to what follows the
 * joining operation. */
ilp_status ilpi_parser_skip(struct ilpi_parser *parser, enum ilpi_condition_op op, size_t *from)
{
    *from = parser->condition->code.count;
    return ilpi_parser_emit(parser, op, 0);
}

ilp_status ilpi_parser_join(struct ilpi_parser *parser, enum ilpi_condition_op op, size_t from)
{
    ILPI_TRY(ilpi_parser_emit(parser, op, 0));
    parser->condition->code.items[from].number = (uint16_t)parser->condition->code.count;
    return ILP_OK;
}

/* ---- messages ---- */

ilp_status ilpi_parser_fail(struct ilpi_parser *parser, size_t offset, const char *message)
{
    return ilpi_condition_fail(parser->lexer.error, parser->lexer.text, offset, "%s", message);
}

ilp_status ilpi_parser_expected(struct ilpi_parser *parser, const char *what)
{
    const struct ilpi_lexer *lexer = &parser->lexer;
    const struct ilpi_token *token = &lexer->token;
    if (token->kind == ILPI_TOKEN_END) {
        return ilpi_condition_fail(lexer->error, lexer->text, token->offset,
                                   "expected %s, found the end", what);
    }
    return ilpi_condition_fail(lexer->error, lexer->text, token->offset, "expected %s, found %.*s",
                               what, token->size < 40 ? (int)token->size : 40,
                               (const char *)lexer->text.data + token->offset);
}
