/* The words and sentences of reasons.def. */
#include "error.h"

static const struct {
    const char *code;
    const char *text;
    enum ilp_reason_kind kind;
} reasons[ILP_REASON_COUNT] = {
#define REASON(name, kind, code, text) [ILP_REASON_##name] = {code, text, ILP_REASON_##kind},
#include "ilpatch/reasons.def"
#undef REASON
};

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
