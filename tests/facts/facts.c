/* Prints what ilpatch's .def files say about opcodes, element types and tables, in the form of
 * Facts.cs and TableFacts.cs. Only the .def files are used: the rules of width are written down
 * here once more (II.24.2.6). */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- opcodes --------------------------------------------------------------------------------- */

#define ILPI_VARIES 0xFFu

static const char *count_text(unsigned count)
{
    static const char *const texts[] = {"0", "1", "2", "3", "4"};
    return count == ILPI_VARIES ? "varies" : count < 5 ? texts[count] : "?";
}

static void print_opcodes(void)
{
#define OP(value, id, text, operand, pop, push, flow)                                          \
    printf("%04X %s " #operand " %s %s " #flow "\n", (unsigned)(value), text, count_text(pop), \
           count_text(push));
#include "il/opcodes.def"
#undef OP
}

/* ---- element types --------------------------------------------------------------------------- */

static void print_elements(void)
{
#define ILP_ELEMENT(number, name, text, form) printf("%02X " #name "\n", (unsigned)(number));
#include "ilpatch/elements.def"
}

/* ---- tables ---------------------------------------------------------------------------------- */

enum { TABLE_LIMIT = 0x40 };

enum kind { U8PAD, U16, U32, STR, GUID, BLOB, ROW, LIST, CODED };

enum {
#define ILP_TABLE(number, name, key) T_##name = number,
#include "ilpatch/tables.def"
};

/* The target is the name of a table or of a coded index; no name is both. */
struct column {
    unsigned table;
    enum kind kind;
    const char *target;
};

static const struct column columns[] = {
#define ILP_COL(table, name, kind, target) {T_##table, kind, #target},
#include "ilpatch/tables.def"
};

struct tag {
    const char *coded;
    unsigned bits;
    unsigned table;
};

static const char *const table_names[TABLE_LIMIT] = {
#define ILP_TABLE(number, name, key) [number] = #name,
#include "ilpatch/tables.def"
};

#define CODED(name, bits) enum { BITS_##name = bits };
#define TAG(name, tag, table)
#define ENDC(name)
#include "metadata/coded.def"
#undef CODED
#undef TAG
#undef ENDC

static const struct tag tags[] = {
#define CODED(name, bits)
#define TAG(name, tag, table) {#name, BITS_##name, T_##table},
#define ENDC(name)
#include "metadata/coded.def"
#undef CODED
#undef TAG
#undef ENDC
};

/* Index 2 bytes wide while every table it can refer to has fewer than 2^(16 - tag bits) rows. */
static unsigned index_size(const char *target, const uint32_t *rows)
{
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        if (strcmp(tags[i].coded, target) == 0 &&
            rows[tags[i].table] >= UINT32_C(1) << (16 - tags[i].bits)) {
            return 4;
        }
    }
    for (unsigned t = 0; t < TABLE_LIMIT; t++) {
        if (table_names[t] && strcmp(table_names[t], target) == 0 && rows[t] > 0xFFFF) {
            return 4;
        }
    }
    return 2;
}

static unsigned row_size(unsigned table, const uint32_t *rows, unsigned heaps)
{
    unsigned size = 0;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        if (columns[i].table != table) {
            continue;
        }
        switch (columns[i].kind) {
        case U8PAD:
        case U16: size += 2; break;
        case U32: size += 4; break;
        case STR: size += (heaps & 1) != 0 ? 4 : 2; break;
        case GUID: size += (heaps & 2) != 0 ? 4 : 2; break;
        case BLOB: size += (heaps & 4) != 0 ? 4 : 2; break;
        case ROW:
        case LIST:
        case CODED: size += index_size(columns[i].target, rows); break;
        }
    }
    return size;
}

/* The tables that System.Reflection.Metadata can read; see TableFacts.cs. */
static bool is_compared(unsigned t)
{
    return table_names[t] && t != T_AssemblyProcessor && t != T_AssemblyOS &&
           t != T_AssemblyRefProcessor && t != T_AssemblyRefOS;
}

static int pointed_to(unsigned table)
{
    switch (table) {
    case T_FieldPtr: return T_Field;
    case T_MethodPtr: return T_MethodDef;
    case T_ParamPtr: return T_Param;
    case T_EventPtr: return T_Event;
    case T_PropertyPtr: return T_Property;
    default: return -1;
    }
}

/* One row in each table, but `many` in table `large` and in the one that points to it. */
static void set_rows(uint32_t *rows, int large, uint32_t many)
{
    for (unsigned t = 0; t < TABLE_LIMIT; t++) {
        rows[t] = large >= 0 && ((int)t == large || pointed_to(t) == large) ? many : 1;
    }
}

static void print_wider(unsigned large, uint32_t many)
{
    uint32_t one[TABLE_LIMIT], rows[TABLE_LIMIT];
    set_rows(one, -1, 1);
    set_rows(rows, (int)large, many);
    printf("%" PRIu32 " rows in %s: ", many, table_names[large]);
    const char *gap = "";
    for (unsigned t = 0; t < TABLE_LIMIT; t++) {
        unsigned small = row_size(t, one, 0), now = row_size(t, rows, 0);
        if (is_compared(t) && small != now) {
            printf("%s%s+%u", gap, table_names[t], now - small);
            gap = " ";
        }
    }
    putchar('\n');
}

static void print_tables(void)
{
    static const unsigned heap_sizes[] = {0, 1, 2, 4, 7}, bits[] = {11, 13, 14, 15, 16};
    uint32_t rows[TABLE_LIMIT];
    for (unsigned t = 0; t < TABLE_LIMIT; t++) {
        if (table_names[t]) {
            printf("%02X %s\n", t, table_names[t]);
        }
    }
    set_rows(rows, -1, 1);
    for (size_t h = 0; h < sizeof heap_sizes / sizeof *heap_sizes; h++) {
        printf("heaps %u:", heap_sizes[h]);
        for (unsigned t = 0; t < TABLE_LIMIT; t++) {
            if (is_compared(t)) {
                printf(" %u", row_size(t, rows, heap_sizes[h]));
            }
        }
        putchar('\n');
    }
    for (unsigned t = 0; t < TABLE_LIMIT; t++) {
        for (size_t b = 0; is_compared(t) && pointed_to(t) < 0 && b < sizeof bits / sizeof *bits;
             b++) {
            print_wider(t, (UINT32_C(1) << bits[b]) - 1);
            print_wider(t, UINT32_C(1) << bits[b]);
        }
    }
}

int main(int argc, char **argv)
{
    const char *what = argc == 2 ? argv[1] : "";
    if (strcmp(what, "opcodes") == 0) {
        print_opcodes();
    } else if (strcmp(what, "elements") == 0) {
        print_elements();
    } else if (strcmp(what, "tables") == 0) {
        print_tables();
    } else {
        fputs("usage: facts opcodes | elements | tables\n", stderr);
        return 2;
    }
    return 0;
}
