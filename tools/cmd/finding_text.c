/* Prints findings. See finding_out.h; docs/VERIFY.md describes the JSON. */
#include "tools/cmd/finding_text.h"

#include "host/text_out.h"
#include "tools/tool.h"

const char *const finding_kinds[FINDING_KINDS] = {"error", "warning", "unverifiable", "unknown"};

/* In the arena, which is emptied before. */
static const char *method_name(struct ilp_image *image, struct ilp_arena *arena, ilp_token method)
{
    const char *name;
    ilp_arena_reset(arena);
    need(ilp_method_name_text(image, method, arena, &name, NULL) == ILP_OK ? arena : NULL);
    return name;
}

void finding_line(FILE *out, struct ilp_image *image, struct ilp_arena *arena, const struct ilp_verify_finding *finding)
{
    fprintf(out, "%08X  ", finding->token);
    if (finding->offset != UINT32_MAX) {
        fprintf(out, "IL_%04x", finding->offset);
    } else {
        fputs("-      ", out);
    }
    fprintf(out, "  %-12s  %s  ", finding_kinds[finding->kind], finding->code);
    if (ILP_TOKEN_TABLE(finding->token) == ILP_MethodDef) {
        text_out(out, method_name(image, arena, finding->token), false);
        fputs(": ", out);
    } else {
        const char *table = ilp_table_name(ILP_TOKEN_TABLE(finding->token));
        fprintf(out, "%s %u: ", table ? table : "?", ILP_TOKEN_RID(finding->token));
    }
    text_out(out, finding->message, false);
    fputs("  - ", out);
    text_out(out, finding->text, false);
}

void finding_json(FILE *out, struct ilp_image *image, struct ilp_arena *arena, const struct ilp_verify_finding *finding)
{
    fprintf(out, "{\"token\": \"%08X\", ", finding->token);
    if (finding->offset != UINT32_MAX) {
        fprintf(out, "\"offset\": %u, ", finding->offset);
    }
    fprintf(out, "\"kind\": \"%s\", \"code\": \"%s\", ", finding_kinds[finding->kind], finding->code);
    if (ILP_TOKEN_TABLE(finding->token) == ILP_MethodDef) {
        fputs("\"method\": ", out);
        json_out_string(out, method_name(image, arena, finding->token));
        fputs(", ", out);
    }
    fputs("\"message\": ", out);
    json_out_string(out, finding->message);
    fputc('}', out);
}
