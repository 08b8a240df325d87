/* Compiler-generated names, translated to those of the source:
 *
 *   Shop.Program/<>c                  <Main>b__0_1         Shop.Program.Main+lambda#1
 *   Shop.Program                      <Main>g__Add|0_0     Shop.Program.Main+Add
 *   Shop.Program/<RunAsync>d__3       MoveNext             Shop.Program.RunAsync+MoveNext
 *   Shop.Program/<>c/<<Main>b__0_1>d  MoveNext             Shop.Program.Main+lambda#1+MoveNext
 *
 * What follows a plus was generated from the method before it, as in .NET's stack traces
 * ("RunAsync()+MoveNext()"); a lambda has its number in its method. C# and Visual Basic names
 * contain no plus, so these names are unambiguous. The forms are those of Roslyn: lambdas, local
 * functions, closure classes and state machines of C#, state machines of Visual Basic. A name that
 * differs in any character is unchanged; so are closures of F# ("main@5.Invoke") and lambdas of
 * Visual Basic ("_Lambda$__0"), which are readable, or do not contain their method. */
#ifndef READABLE_NAME_H
#define READABLE_NAME_H

#include <stddef.h>

#include "ilpatch.h"

/* Writes the name, truncated to `room`, and returns its size, of which *type_size is the type's. 0:
 * it is unchanged, "type.name". */
size_t readable_name(struct ilp_bytes type, struct ilp_bytes name, char *text, size_t room,
                     size_t *type_size);

#endif
