/* The text of a condition as tokens. */
#ifndef ILPI_CONDITION_LEX_H
#define ILPI_CONDITION_LEX_H

#include "condition/token.h"

/* The next token. */
ilp_status ilpi_lex(struct ilpi_lexer *lexer);

#endif
