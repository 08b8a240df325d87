/* Prints libFuzzer's dictionary for a target, from the tables of the formats, so that a new word of
 * a table is tried at once:
 *
 *   fuzz_dictionary TARGET      exit code 1: the target has none (docs/FUZZING.md says why)
 */
#include <stdio.h>
#include <string.h>

#include "host/option_words.h"
#include "ilpatch.h"

/* A text between two others: what surrounds it in the input. */
static void put_entry(const char *before, const char *text, size_t size, const char *after)
{
    const struct {
        const char *bytes;
        size_t size;
    } parts[] = {{before, strlen(before)}, {text, size}, {after, strlen(after)}};
    putchar('"');
    for (size_t part = 0; part < sizeof parts / sizeof parts[0]; part++) {
        for (size_t i = 0; i < parts[part].size; i++) {
            printf("\\x%02X", (unsigned)(uint8_t)parts[part].bytes[i]);
        }
    }
    puts("\"");
}

static void put_text(const char *before, const char *text, const char *after)
{
    put_entry(before, text, strlen(text), after);
}

/* ---- one function for each kind of words ---- */

static void put_rules(void)
{
#define ILP_WORD(list, name, word, text) put_text("'", word, "'");
#define ILP_RULE_ELEMENT(name, word, place, text) \
    put_text("<", word, ">"), put_text("<", word, " ");
#define ILP_RULE_ATTRIBUTE(element, name, word, type, list, text) put_text(" ", word, "='");
#include "ilpatch/rules.def"
    put_text("", "/>", "");
    put_text("</", "include", ">");
    put_text("", "='System.*'", "");
    put_text("", "='^(a|b)+$'", "");
}

static void put_options(void)
{
#define OPTION(id, name, letter, kind, words) put_text("", name, "="), put_text("--", name, " ");
#include "host/options.def"
#define PUT(name, word) put_text("=", word, ";");
    STRONG_NAME_WORDS(PUT)
    SYMBOLS_WORDS(PUT)
    COLOR_WORDS(PUT)
    SORT_WORDS(PUT)
#undef PUT
#define ILP_WORD(list, name, word, text) put_text("=", word, ";");
#include "ilpatch/rules.def"
}

/* Instructions of two bytes, most significant first. */
static void put_opcodes(void)
{
#define OP(value, id, text, operand, pop, push, flow)            \
    if ((value) > 0xFF) {                                        \
        const char bytes[] = {(char)0xFE, (char)((value)&0xFF)}; \
        put_entry("", bytes, sizeof bytes, "");                  \
    }
#include "il/opcodes.def"
}

/* Streams with the padding of their names, magic numbers, sections of ReadyToRun, names of types
 * that decide something. */
static void put_metadata(void)
{
    static const char *const streams[] = {"#~", "#-", "#Strings", "#US", "#Blob", "#GUID", "#Pdb"};
    static const char *const words[] = {"BSJB", "RSDS", "MPDB",
                                        "RSA1", "RSA2", "AsyncMethodBuilderAttribute"};
    char padded[16];
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++) {
        size_t size = strlen(streams[i]);
        memset(padded, 0, sizeof padded);
        memcpy(padded, streams[i], size);
        put_entry("", padded, (size + 4) & ~(size_t)3, "");
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        put_text("", words[i], "");
    }
#define SECTION(number, name)                           \
    {                                                   \
        const char bytes[] = {(char)(number), 0, 0, 0}; \
        put_entry("", bytes, sizeof bytes, "");         \
    }
#include "pe/ready_to_run.def"
#define STRUCT     0
#define ENUM       0
#define BYREF_LIKE 1
#define KNOWN(namespace, name, what) \
    if (what) {                      \
        put_text("", name, "");      \
    }
#include "data/known_types.def"
    put_opcodes();
}

static void put_bundle(void)
{
    static const char signature[] =
        "\x8B\x12\x02\xB9\x6A\x61\x20\x38\x72\x7B\x93\x02\x14\xD7\xA0\x32"
        "\x13\xF5\xB9\xE6\xEF\xAE\x33\x18\xEE\x3B\x2D\xCE\x24\xB3\x6A\xAE";
    put_text("", signature, "");
    put_text("", "App.deps.json", "");
    put_text("", "App.runtimeconfig.json", "");
    put_text("", "../", "");
}

/* Words, signs and roots; and the members that fuzz_condition.c has. */
static void put_condition(void)
{
    static const char *const members[] = {
        "Total", "Count", "Name",  "Lines",  "State",  "Open",   "Access",   "Both",   "Created",
        "Id",    "Wait",  "Small", "IsOpen", "Letter", "Secret", "currency", "Message"};
    static const char *const tokens[][2] = {
#define CONDITION_TOKEN(token, word, sign) {(word), (sign)},
#include "condition/words.def"
    };
    for (size_t i = 0; i < sizeof tokens / sizeof tokens[0]; i++) {
        for (size_t form = 0; form < 2; form++) {
            if (tokens[i][form]) {
                put_text(" ", tokens[i][form], " ");
            }
        }
    }
#define CONDITION_ROOT(name, word)         put_text("", word, "");
#define CONDITION_UNIT(word, factor, size) put_text("5", word, "");
#include "condition/words.def"
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        put_text(".", members[i], "");
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *target;
        void (*put)(void);
    } targets[] = {
        {"bundle", put_bundle}, {"condition", put_condition}, {"options", put_options},
        {"rules", put_rules},   {"whole", put_metadata},
    };
    for (size_t i = 0; argc == 2 && i < sizeof targets / sizeof targets[0]; i++) {
        if (strcmp(argv[1], targets[i].target) == 0) {
            targets[i].put();
            return 0;
        }
    }
    return 1;
}
