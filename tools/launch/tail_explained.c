/* Matches explicit tail calls of a run with the JIT's verdicts. See tail_explained.h.
 *
 *   status lines of a method:  compiled; verdicts with the callee's name
 *   the module's file:         calls with the prefix, with the callee's token
 *
 * A verdict has no offset. It belongs to the call whose callee has its name; of several, to those
 * whose callee's type matches as well; if there are still several, to all of them. */
#include "tools/launch/tail_explained.h"

#include <stdlib.h>
#include <string.h>

#include "host/file_view.h"
#include "tools/cmd/token_text.h"
#include "types/names.h"
#include "tools/tool.h"

/* A module's file. */
struct explained_module {
    struct file_view view;
    struct ilp_image *image; /* NULL: none, or not the loaded one */
    struct ilp_tail_editor *editor;
    struct ilpi_alloc alloc;
};

static void module_close(struct explained_module *module)
{
    ilp_tail_editor_close(module->editor);
    ilp_image_close(module->image);
    file_view_close(&module->view);
    *module = (struct explained_module){.image = NULL};
}

/* A file that cannot be read, or is not there any more, leaves the module without an image: its
 * calls are then known by the runtime's names only. */
static void module_open(struct explained_module *module, const char *path)
{
    struct ilp_error error;
    *module = (struct explained_module){.image = NULL};
    ilpi_alloc_init(&module->alloc, NULL);
    if (path[0] == '\0' || !file_view_open(&module->view, path)) {
        return;
    }
    if (ilp_image_open(&module->image, module->view.bytes, ILP_LAYOUT_FILE, path, NULL, &error) !=
            ILP_OK ||
        ilp_tail_editor_open(&module->editor, module->image, NULL, NULL, &error) != ILP_OK) {
        module_close(module);
    }
}

/* ---- names ---- */

/* Owned by the caller. */
static char *text_of(struct explained_module *module,
                     void (*write)(const struct ilp_image *, struct ilpi_buf *, ilp_token),
                     ilp_token token)
{
    struct ilpi_buf buf = {.alloc = &module->alloc};
    write(module->image, &buf, token);
    ilpi_buf_u8(&buf, 0);
    need(buf.status == ILP_OK ? module : NULL);
    char *text = need(strdup((const char *)buf.data));
    ilpi_buf_free(&buf);
    return text;
}

/* The method of a method token: its MethodDef or MemberRef. */
static ilp_token member_of(const struct ilp_image *image, ilp_token token)
{
    return ILP_TOKEN_TABLE(token) == ILP_MethodSpec
               ? ilp_cell(image, ILP_MethodSpec, ILP_TOKEN_RID(token), ILP_MethodSpec_Method)
               : token;
}

/* As the file has it: a generic method has the name of its definition. */
static const char *callee_name(const struct ilp_image *image, ilp_token callee)
{
    ilp_token member = member_of(image, callee);
    ilp_rid rid = ILP_TOKEN_RID(member);
    switch (ILP_TOKEN_TABLE(member)) {
    case ILP_MethodDef:
        return ilp_string(image, ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Name));
    case ILP_MemberRef:
        return ilp_string(image, ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Name));
    default: return "<null>"; /* calli: the runtime's name for it */
    }
}

/* "" for calli, which has no type. */
static void callee_type_text(const struct ilp_image *image, struct ilpi_buf *buf, ilp_token callee)
{
    ilp_token member = member_of(image, callee);
    ilp_rid rid = ILP_TOKEN_RID(member);
    if (ILP_TOKEN_TABLE(member) == ILP_MethodDef) {
        ilpi_name_type(image, buf, ILP_TOKEN(ILP_TypeDef, ilp_owner_of_method(image, rid)));
    } else if (ILP_TOKEN_TABLE(member) == ILP_MemberRef) {
        ilpi_name_type(image, buf, ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Class));
    }
}

/* Compares "N.Outer+Inner`1[System.__Canon]", the runtime's form, with "class N.Outer/Inner`1<!0>",
 * ours. */
static bool types_are_equal(const char *theirs, const char *ours)
{
    static const char *const prefixes[] = {"class ", "valuetype "};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        size_t size = strlen(prefixes[i]);
        ours += strncmp(ours, prefixes[i], size) == 0 ? size : 0;
    }
    size_t length = strcspn(theirs, "[");
    if (length != strcspn(ours, "<")) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (theirs[i] != ours[i] && !(theirs[i] == '+' && ours[i] == '/')) {
            return false;
        }
    }
    return true;
}

/* The JIT may have found an explicit implementation of an interface method, whose name ends in that
 * method's name. */
static bool names_are_equal(const char *theirs, const char *ours)
{
    size_t length = strlen(theirs), end = strlen(ours);
    return strcmp(theirs, ours) == 0 || (length > end && theirs[length - end - 1] == '.' &&
                                         strcmp(theirs + length - end, ours) == 0);
}

/* For "class A`2<int32,int32> (int32,class B`2<int32,int32>)", the runtime's form. Commas within
 * brackets are part of a type. */
static uint32_t parameter_count(const char *signature)
{
    const char *open = strstr(signature, "  (");
    uint32_t commas = 0, depth = 0;
    if (!open || open[3] == ')') {
        return 0;
    }
    for (const char *at = open + 3; *at != '\0'; at++) {
        depth += *at == '<' || *at == '(' || *at == '[';
        depth -= depth != 0 && (*at == '>' || *at == ')' || *at == ']');
        commas += depth == 0 && *at == ',';
    }
    return commas + 1;
}

/* ---- sites of one method ---- */

/* Valid until the next one is added, which may move all. */
static struct tail_site *add_site(struct tail_explained *explained)
{
    if (explained->count == explained->capacity) {
        explained->capacity = explained->capacity * 2 + 64;
        explained->sites =
            need(reallocarray(explained->sites, explained->capacity, sizeof *explained->sites));
    }
    struct tail_site *site = &explained->sites[explained->count++];
    *site = (struct tail_site){.path = ""};
    return site;
}

/* Each reason once, since a method that is compiled in several tiers gets the same verdict
 * again. */
static void add_reason(struct tail_site *site, const char *reason)
{
    if (reason[0] != '\0' && !(site->reasons && strstr(site->reasons, reason))) {
        char *longer = format_text("%s%s%s", site->reasons ? site->reasons : "",
                                   site->reasons ? "; " : "", reason);
        free(site->reasons);
        site->reasons = longer;
    }
}

/* A method is compiled again in each tier, and shared code for each instantiation: so outcomes are
 * counted. */
static void add_verdict(struct tail_site *site, const struct tail_report *line)
{
    site->times[line->outcome]++;
    add_reason(site, line->reason);
}

/* What identifies a callee. As the file has it, to be compared with what the runtime calls it.
 * `parameters` is UINT32_MAX if the signature cannot be read, and then equal to none. */
struct key {
    const char *name; /* borrowed */
    char *type;
    uint32_t parameters;
};

/* In the order in which mark() tries them. */
enum { BY_NAME, BY_TYPE, BY_PARAMETERS, WAYS };

/* By one criterion: the name, the type, or the number of parameters. A full comparison of
 * signatures would fail, as the runtime writes them in a form of its own. */
static bool is_known_by(const struct key *key, const struct tail_report *line, unsigned way)
{
    switch (way) {
    case BY_NAME: return names_are_equal(line->callee_name, key->name);
    case BY_TYPE: return types_are_equal(line->callee_type, key->type);
    default: return parameter_count(line->callee_signature) == key->parameters;
    }
}

/* The prefixed calls of one method: the last sites in the list. */
struct method_sites {
    size_t first;
    size_t count;
    struct key *keys; /* of each; owned */
};

/* Marks the calls that a verdict may belong to, and counts them. A single call gets it whatever its
 * name. Name, then type, then number of parameters; a later criterion that none fulfils is passed
 * over, because the two sides may write it differently, but a call whose name differs is another
 * one. */
static size_t mark(const struct method_sites *sites, const struct tail_report *line, bool *marks)
{
    size_t count = sites->count;
    size_t marked = count;
    memset(marks, true, count);
    for (unsigned way = 0; way < WAYS && marked > 1; way++) {
        size_t known = 0;
        for (size_t i = 0; i < count; i++) {
            known += marks[i] && is_known_by(&sites->keys[i], line, way);
        }
        for (size_t i = 0; i < count && (known != 0 || way == BY_NAME); i++) {
            marks[i] = marks[i] && is_known_by(&sites->keys[i], line, way);
        }
        marked = known != 0 || way == BY_NAME ? known : marked;
    }
    return marked;
}

/* Adds a verdict whose call is not found, or counts it if it is there already. Only the last 64
 * sites are searched: lines are sorted by method, so one that is there is near the end. */
static void add_nameless(struct tail_explained *explained, const struct tail_report *line)
{
    char *callee = format_text("%s::%s %s", line->callee_type, line->callee_name,
                               line->callee_signature);
    size_t recent = explained->count > 64 ? explained->count - 64 : 0;
    for (size_t i = explained->count; i > recent; i--) {
        struct tail_site *site = &explained->sites[i - 1];
        if (!site->known && site->method == line->method && strcmp(site->path, line->path) == 0 &&
            strcmp(site->callee, callee) == 0) {
            free(callee);
            add_verdict(site, line);
            return;
        }
    }
    struct tail_site *site = add_site(explained);
    site->path = line->path;
    site->method = line->method;
    site->caller = format_text("%s::%s", line->caller_type, line->caller_name);
    site->callee = callee;
    add_verdict(site, line);
}

/* A verdict that fits several calls is added to all of them, and `shared` says so. */
static void add_verdicts(struct tail_explained *explained, const struct method_sites *sites,
                         const struct tail_report *lines, size_t line_count)
{
    bool *marks = need(calloc(sites->count + 1, sizeof *marks));
    for (size_t i = 0; i < line_count; i++) {
        bool is_call = lines[i].kind == TAIL_REPORT_CALL;
        size_t marked = is_call ? mark(sites, &lines[i], marks) : 0;
        if (is_call && marked == 0) {
            add_nameless(explained, &lines[i]);
        }
        for (size_t k = 0; k < sites->count && marked != 0; k++) {
            struct tail_site *site = &explained->sites[sites->first + k];
            if (marks[k]) {
                add_verdict(site, &lines[i]);
                site->shared = marked - 1 > site->shared ? (unsigned)marked - 1 : site->shared;
            }
        }
    }
    free(marks);
}

/* The arena is for one signature. */
static struct key key_of(struct explained_module *module, ilp_token callee)
{
    const struct ilp_image *image = module->image;
    struct key key = {callee_name(image, callee), text_of(module, callee_type_text, callee),
                      UINT32_MAX};
    struct ilp_arena arena = {.alloc = &module->alloc};
    struct ilp_sig *sig;
    ilp_token member = member_of(image, callee);
    unsigned table = ILP_TOKEN_TABLE(member);
    unsigned column = table == ILP_MethodDef ? ILP_MethodDef_Signature : ILP_MemberRef_Signature;
    if ((table == ILP_MethodDef || table == ILP_MemberRef) &&
        ilp_sig_read(&sig, ilp_blob(image, ilp_cell(image, table, ILP_TOKEN_RID(member), column)),
                     ILP_SIG_METHOD, 0, &arena, NULL) == ILP_OK) {
        key.parameters = sig->param_count;
    }
    ilpi_arena_free(&arena);
    return key;
}

/* All that was reported of one method. Calls with the prefix become sites first, then verdicts are
 * given to them; a call that gets none stays "unknown". */
static void explain_method(struct tail_explained *explained, struct explained_module *module,
                           const struct tail_report *lines, size_t line_count)
{
    const struct ilp_tail_call *calls = NULL;
    struct ilp_error error;
    size_t call_count = 0;
    struct method_sites sites = {.first = explained->count};
    ilp_token method = lines->method;
    if (module->image && method != 0 &&
        ILP_TOKEN_RID(method) <= ilp_row_count(module->image, ILP_MethodDef) &&
        ilp_tail_calls(module->editor, ILP_TOKEN_RID(method), &calls, &call_count, &error) !=
            ILP_OK) {
        call_count = 0;
    }
    sites.keys = need(calloc(call_count + 1, sizeof *sites.keys));
    for (size_t i = 0; i < call_count; i++) {
        if (calls[i].kind == ILP_TAIL_PREFIXED) {
            struct tail_site *site = add_site(explained);
            sites.keys[sites.count++] = key_of(module, calls[i].callee);
            *site = (struct tail_site){
                .path = lines->path, .method = method, .known = true, .offset = calls[i].offset};
            site->caller = text_of(module, token_text, method);
            site->callee = text_of(module, token_text, calls[i].callee);
        }
    }
    add_verdicts(explained, &sites, lines, line_count);
    for (size_t i = 0; i < line_count; i++) {
        for (size_t k = 0; k < sites.count && lines[i].kind == TAIL_REPORT_NATIVE; k++) {
            explained->sites[sites.first + k].native = true;
        }
    }
    for (size_t i = 0; i < sites.count; i++) {
        free(sites.keys[i].type);
    }
    free(sites.keys);
}

/* Sorted by file and method, so one module is open at a time. */
struct tail_explained tail_explain(struct tail_reports *reports)
{
    struct tail_explained explained = {.reports = reports};
    struct explained_module module = {.image = NULL};
    const char *path = NULL;
    size_t end;
    tail_reports_sort(reports);
    for (size_t i = 0; i < reports->count; i = end) {
        const struct tail_report *line = &reports->lines[i];
        if (!path || strcmp(path, line->path) != 0) {
            module_close(&module);
            module_open(&module, line->path);
            path = line->path;
        }
        end = i + 1;
        while (end < reports->count && reports->lines[end].method == line->method &&
               strcmp(reports->lines[end].path, path) == 0) {
            end++;
        }
        explain_method(&explained, &module, line, end - i);
    }
    module_close(&module);
    for (size_t i = 0; i < explained.count; i++) {
        explained.totals[tail_site_answer(&explained.sites[i])]++;
    }
    return explained;
}

void tail_explained_free(struct tail_explained *explained)
{
    for (size_t i = 0; i < explained->count; i++) {
        free(explained->sites[i].caller);
        free(explained->sites[i].callee);
        free(explained->sites[i].reasons);
    }
    free(explained->sites);
    *explained = (struct tail_explained){.reports = NULL};
}

/* A method that was compiled several times, or shared code, may have got several verdicts:
 * mixed. */
unsigned tail_site_answer(const struct tail_site *site)
{
    unsigned answer = TAIL_UNKNOWN;
    for (unsigned i = 0; i < TAIL_OUTCOME_COUNT; i++) {
        if (site->times[i] != 0) {
            answer = answer == TAIL_UNKNOWN ? i : TAIL_MIXED;
        }
    }
    return answer;
}
