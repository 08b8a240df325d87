/* The words and texts of reasons.def. */
#include "base/error.h"

#include <assert.h>

static const struct {
    const char *code;
    const char *text;
    enum ilp_reason_kind kind;
} reasons[ILP_REASON_COUNT] = {
#define ILP_REASON(name, kind, code, text) [ILP_REASON_##name] = {code, text, ILP_REASON_##kind},
#include "ilpatch/reasons.def"
};

/* ilpatch.h lists them in the order of the table. */
enum {
#define ILP_REASON(name, kind, code, text) REASON_POSITION_##name,
#include "ilpatch/reasons.def"
    REASON_POSITION_COUNT
};
#define ILP_REASON(name, kind, code, text) \
    static_assert((int)ILP_REASON_##name == (int)REASON_POSITION_##name, code);
#include "ilpatch/reasons.def"
static_assert((int)ILP_REASON_COUNT == (int)REASON_POSITION_COUNT, "no more answers than that");

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
    return (unsigned)reason < ILP_REASON_COUNT ? reasons[reason].kind : ILP_REASON_REFUSED;
}

const char *ilp_reason_code(enum ilp_reason reason)
{
    return (unsigned)reason < ILP_REASON_COUNT ? reasons[reason].code : "unknown";
}

const char *ilp_reason_text(enum ilp_reason reason)
{
    return (unsigned)reason < ILP_REASON_COUNT ? reasons[reason].text : "unknown reason";
}
