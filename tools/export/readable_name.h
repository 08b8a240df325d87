/* Names that compilers make for code of their own, as the source would call it:
 *
 *   Shop.Program/<>c                  <Main>b__0_1         Shop.Program.Main+lambda#1
 *   Shop.Program                      <Main>g__Add|0_0     Shop.Program.Main+Add
 *   Shop.Program/<RunAsync>d__3       MoveNext             Shop.Program.RunAsync+MoveNext
 *   Shop.Program/<>c/<<Main>b__0_1>d  MoveNext             Shop.Program.Main+lambda#1+MoveNext
 *
 * What follows a plus was made of the method before it, as in the stack traces of .NET
 * ("RunAsync()+MoveNext()"); a lambda has the compiler's number within its method. No name in C#
 * or Visual Basic has a plus, so no such name is that of another method. The forms are those of
 * Roslyn: lambdas, local functions, closure classes and state machines of C#, state machines of
 * Visual Basic. A name that differs from them in any character stays as it is; so do closures of
 * F# ("main@5.Invoke") and lambdas of Visual Basic ("_Lambda$__0"), which are readable, or do not
 * say their method. */
#ifndef READABLE_NAME_H
#define READABLE_NAME_H

#include <stddef.h>

#include "ilpatch.h"

/* Writes the name, cut where it is longer than `room`, and returns its size, of which *type_size is
 * that of the type. 0: it stays as it is, "type.name". */
size_t readable_name(struct ilp_bytes type, struct ilp_bytes name, char *text, size_t room,
                     size_t *type_size);

#endif
