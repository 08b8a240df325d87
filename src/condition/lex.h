/* The text of a condition as tokens. */
#ifndef ILPI_CONDITION_LEX_H
#define ILPI_CONDITION_LEX_H

#include "condition/token.h"

/* Reads the token at lexer->at, which moves after it. At the end the token is ILPI_TOKEN_END, each
 * time. */
ilp_status ilpi_lex(struct ilpi_lexer *lexer);

#endif
