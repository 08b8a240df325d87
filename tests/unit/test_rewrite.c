/* src/inspect/rewrite.c, sites.c, calls.c, apply.c: bodies before and after, from a file, from a mapped module and
 * from memory. test_rewrite_real.c does the same with real assemblies. */
#include "tests/unit/inspect_image.h"

/* The module's MemberRefs, as they stand in code. */
#define CALL_PLAIN "28 01 00 00 0A" /* static object Other::F() */
#define CALL_OURS  "28 02 00 00 0A" /* the inspector, called before */

/* What is inserted: the fake emitter's third token is the inspector's. */
#define SHOW "25 28 03 01 00 0A"

/* Methods return object: no box. `after` NULL: no new body. */
static const struct {
    const char *name;
    const char *before;
    const char *after;
    enum ilp_reason answer;
    uint32_t rets, inspected, already, tail_calls, unreachable, jumps;
} cases[] = {
    {"plain", "0A 14 2A", "22 14 " SHOW " 2A", ILP_REASON_INSPECTED, 1, 1, 0, 0, 0, 0},
    {"two rets", "1E 14 2D 02 14 2A 14 2A", "4E 14 2D 08 14 " SHOW " 2A 14 " SHOW " 2A",
     ILP_REASON_INSPECTED, 2, 2, 0, 0, 0, 0},
    {"branch to ret", "12 14 2B 00 2A", "2A 14 2B 00 " SHOW " 2A", ILP_REASON_INSPECTED, 1, 1, 0, 0, 0, 0},
    {"branch over ret", "1A 14 2C 02 14 2A 2B FE 2A", NULL, ILP_REASON_BAD_BODY, 0, 0, 0, 0, 0, 0},
    /* nothing to do */
    {"endless", "0A 2B FE", NULL, ILP_REASON_NO_RETURN, 0, 0, 0, 0, 0, 0},
    {"throw", "0A 14 7A", NULL, ILP_REASON_NO_RETURN, 0, 0, 0, 0, 0, 0},
    {"unreachable ret", "0E 14 7A 2A", NULL, ILP_REASON_NO_RETURN, 1, 0, 0, 0, 1, 0},
    {"one unreachable", "12 14 2A 14 2A", "2A 14 " SHOW " 2A 14 2A", ILP_REASON_INSPECTED, 2, 1, 0, 0, 1, 0},
    {"already", "1E 14 25 " CALL_OURS " 2A", NULL, ILP_REASON_INSPECTED, 0, 0, 0, 0, 0, 0},
    /* tail calls */
    {"tail", "22 FE 14 " CALL_PLAIN " 2A", NULL, ILP_REASON_TAIL_CALL, 1, 0, 0, 1, 0, 0},
    {"tail and branch", "36 14 25 2D 08 26 FE 14 " CALL_PLAIN " 2A",
     "52 14 25 2D 09 26 FE 14 " CALL_PLAIN " 2A " SHOW " 2A", ILP_REASON_INSPECTED, 1, 1, 0, 1, 0, 0},
    {"tail and branch, done", "52 14 25 2D 09 26 FE 14 " CALL_PLAIN " 2A 25 " CALL_OURS " 2A", NULL,
     ILP_REASON_ALREADY, 2, 0, 1, 1, 0, 0},
    {"tail and another ret", "3A 14 25 2D 08 26 FE 14 " CALL_PLAIN " 2A 2A",
     "52 14 25 2D 08 26 FE 14 " CALL_PLAIN " 2A " SHOW " 2A", ILP_REASON_INSPECTED, 2, 1, 0, 1, 0, 0},
    /* tail. constrained. callvirt: two prefixes */
    {"tail, constrained", "3E 14 FE 14 FE 16 01 00 00 01 6F 03 00 00 0A 2A", NULL, ILP_REASON_TAIL_CALL,
     1, 0, 0, 1, 0, 0},
    {"constrained alone", "36 14 FE 16 01 00 00 01 6F 03 00 00 0A 2A",
     "4E 14 FE 16 01 00 00 01 6F 03 00 00 0A " SHOW " 2A", ILP_REASON_INSPECTED, 1, 1, 0, 0, 0, 0},
    {"calls", "1A " CALL_PLAIN " 2A", "32 " CALL_PLAIN " " SHOW " 2A", ILP_REASON_INSPECTED, 1, 1, 0, 0, 0, 0},
    /* jmp leaves without ret */
    {"jmp", "16 27 01 00 00 06", NULL, ILP_REASON_TAIL_CALL, 0, 0, 0, 0, 0, 1},
    {"jmp and ret", "26 14 2C 02 14 2A 27 01 00 00 06", NULL, ILP_REASON_BAD_BODY, 0, 0, 0, 0, 0, 0},
    {"jmp or ret", "2A 14 2C 02 14 2A 27 01 00 00 06", NULL, ILP_REASON_INSPECTED, 0, 0, 0, 0, 0, 0},
    /* broken */
    {"empty", "02", NULL, ILP_REASON_BAD_BODY, 0, 0, 0, 0, 0, 0},
    {"nothing returned", "06 2A", NULL, ILP_REASON_BAD_BODY, 0, 0, 0, 0, 0, 0},
    {"two returned", "0E 14 14 2A", NULL, ILP_REASON_BAD_BODY, 0, 0, 0, 0, 0, 0},
    {"runs off its end", "06 14", NULL, ILP_REASON_BAD_BODY, 0, 0, 0, 0, 0, 0},
    {"no such opcode", "0E 14 24 2A", NULL, ILP_REASON_BAD_BODY, 0, 0, 0, 0, 0, 0},
    {"into an instruction", "1A 2B 01 20 00 00 00 2A", NULL, ILP_REASON_BAD_BODY, 0, 0, 0, 0, 0, 0},
    {"cut", "FE 14 2A", NULL, ILP_REASON_BAD_BODY, 0, 0, 0, 0, 0, 0},
    {"no header", "00 00", NULL, ILP_REASON_BAD_BODY, 0, 0, 0, 0, 0, 0},
};

int main(void)
{
    return 0;
}
