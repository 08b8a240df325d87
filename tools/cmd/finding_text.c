/* Prints findings. See finding_text.h; docs/VERIFY.md describes the JSON.
 *
 *   06000002  IL_0007       error         CODE  Ns.Type::Method: message  - what the rule says
 *   04000003  -             warning       CODE  Field 3: message  - what the rule says
 *
 * Findings of a row that is not a method's have no name: it may be the name that is wrong. */
#include "tools/cmd/finding_text.h"

#include "host/text_out.h"
#include "tools/tool.h"

const char *const finding_kinds[FINDING_KINDS] = {"error", "warning", "unverifiable", "unknown"};

/* In the arena, which is reset first. */
static const char *method_name(struct ilp_image *image, struct ilp_arena *arena, ilp_token method)
{
    const char *name;
    ilp_arena_reset(arena);
    need(ilp_method_name_text(image, method, arena, &name, NULL) == ILP_OK ? arena : NULL);
    return name;
}

/* Without a line feed at the end: a patch adds something to it. */
void finding_line(FILE *out, struct ilp_image *image, struct ilp_arena *arena,
                  const struct ilp_verify_finding *finding)
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

/* The token is formatted as in the line, not as in reports: docs/VERIFY.md. */
void finding_json(struct ilpi_json *json, struct ilp_image *image, struct ilp_arena *arena,
                  const struct ilp_verify_finding *finding)
{
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_format(json, "token", "%08X", finding->token);
    if (finding->offset != UINT32_MAX) {
        ilpi_json_unsigned(json, "offset", finding->offset);
    }
    ilpi_json_string(json, "kind", finding_kinds[finding->kind]);
    ilpi_json_string(json, "code", finding->code);
    if (ILP_TOKEN_TABLE(finding->token) == ILP_MethodDef) {
        ilpi_json_string(json, "method", method_name(image, arena, finding->token));
    }
    ilpi_json_string(json, "message", finding->message);
    ilpi_json_end(json);
}
