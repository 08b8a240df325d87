/* The words and texts of reasons.def. */
#include "inspect/reasons.h"

#include <assert.h>

static const struct {
    const char *code;
    const char *text;
    enum ilp_reason_kind kind;
} reasons[] = {
#define ILP_REASON(name, number, kind, code, text) \
    [ILP_REASON_##name] = {code, text, ILP_REASON_##kind},
#include "ilpatch/reasons.def"
};

/* ilpatch.h has the numbers of the table, and none is skipped. */
#define ILP_REASON(name, number, kind, code, text) \
    static_assert(ILP_REASON_##name == (number), code);
#include "ilpatch/reasons.def"
static_assert(sizeof reasons / sizeof reasons[0] == ILPI_REASON_COUNT, "numbers are in one run");
static_assert((int)ILPI_REASON_COUNT <= (int)ILP_REASON_ROOM, "there is room");

const char *ilp_tail_word(enum ilp_tail_decision decision)
{
    static const char *const words[] = {[ILP_TAIL_KEPT] = "kept",
                                        [ILP_TAIL_KEPT_LOOP] = "kept-loop",
                                        [ILP_TAIL_KEPT_UNKNOWN] = "kept-unknown",
                                        [ILP_TAIL_STRIPPED] = "stripped"};
    return (size_t)decision < sizeof words / sizeof words[0] ? words[decision] : "";
}

enum ilp_reason_kind ilp_reason_kind(enum ilp_reason reason)
{
    return (unsigned)reason < ILPI_REASON_COUNT ? reasons[reason].kind : ILP_REASON_REFUSED;
}

const char *ilp_reason_code(enum ilp_reason reason)
{
    return (unsigned)reason < ILPI_REASON_COUNT ? reasons[reason].code : "unknown";
}

const char *ilp_reason_text(enum ilp_reason reason)
{
    return (unsigned)reason < ILPI_REASON_COUNT ? reasons[reason].text : "unknown reason";
}
