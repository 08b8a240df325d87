/* A condition being parsed: what the files of the parser share. */
#ifndef ILPI_CONDITION_PARSER_H
#define ILPI_CONDITION_PARSER_H

#include "condition/lex.h"

struct ilpi_parser_text;

/* A condition while it is read. The program is written directly, without a tree: see program.h. */
struct ilpi_parser {
    struct ilpi_lexer lexer;
    struct ilpi_condition *condition;       /* borrowed: what is built is in its lists and arena */
    struct ilpi_pattern_compiler *compiler; /* owned; NULL until there is a regular expression */
    struct ilpi_parser_text *texts;         /* texts of names, each once */
    unsigned nesting;                       /* open parentheses */
    unsigned stack;                         /* current depth of the outcome stack */
    bool bare;                              /* the last test has no operator */
};

/* ---- parser.c ---- */

ilp_status ilpi_parser_fail(struct ilpi_parser *parser, size_t offset, const char *message);

/* "expected WHAT, found TOKEN" */
ilp_status ilpi_parser_expected(struct ilpi_parser *parser, const char *what);

ilp_status ilpi_parser_emit(struct ilpi_parser *parser, enum ilpi_condition_op op, size_t number);

/* A skip from here to just after the operation that joins both sides. */
ilp_status ilpi_parser_skip(struct ilpi_parser *parser, enum ilpi_condition_op op, size_t *from);
ilp_status ilpi_parser_join(struct ilpi_parser *parser, enum ilpi_condition_op op, size_t from);

/* ---- operand.c ---- */

/* A path, a literal or a name, in the condition's arena. */
ilp_status ilpi_parse_operand(struct ilpi_parser *parser, struct ilpi_condition_operand **out);

/* The name of a type, with or without its namespace. */
ilp_status ilpi_parse_type(struct ilpi_parser *parser, struct ilpi_condition_operand **out);

/* ---- comparison.c ---- */

ilp_status ilpi_parse_comparison(struct ilpi_parser *parser);

#endif
