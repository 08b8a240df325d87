/* Options that commands share, and what they open. See request.h. Threads get a request of their
 * own each (request_share()), with what may not be used by several at once. */
#include "host/request.h"

#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

static const struct option_field field_items[] = {
#define FIELD(id, member) OPTION_FIELD(struct request_options, id, member),
    REQUEST_FIELDS(FIELD)
#undef FIELD
};
static const struct option_fields fields = {field_items, sizeof field_items / sizeof *field_items};

void request_options_end(struct request_options *options)
{
    option_fields_free(fields, options);
}

/* The first wrong word is kept, and reported when the request is opened: then the command is
 * known. */
void request_option_is_wrong(struct request_options *options, enum option_id option,
                             const char *word)
{
    if (!options->wrong_word) {
        options->wrong = option;
        options->wrong_word = word;
    }
}

bool request_option(struct request_options *options, enum option_id option, const char *value)
{
    enum option_field_result result = option_field_set(fields, options, option, value);
    if (result == OPTION_FIELD_WRONG) {
        request_option_is_wrong(options, option, value);
    }
    return result != OPTION_FIELD_NONE;
}

bool request_options_select(const struct request_options *options)
{
    return options->rules.count != 0 || options->wheres.count != 0 || options->methods.count != 0 ||
           options->affected_by.given || options->args || options->exceptions;
}

/* ---- all ---- */

/* For a request in any state, since opening stops at the first failure. */
void request_close(struct request *request)
{
    if (request->references) {
        references_close(request->references);
    }
    for (size_t i = 0; i < request->inspector_file_count; i++) {
        inspector_file_close(&request->inspector_files[i]);
    }
    inspector_file_close(&request->other);
    free(request->inspector_files);
    free(request->inspectors);
    free(request->library);
    ilp_rules_close(request->rules);
    parsed_rules_close(request->parsed);
    *request = (struct request){.target = ILP_TARGET_AUTO};
}

static void *copy_items(const void *items, size_t count, size_t size)
{
    void *copy = new_items(count, size);
    if (copy && count != 0) {
        memcpy(copy, items, count * size);
    }
    return copy;
}

/* What threads must not share is made for each; the rest is borrowed, and request_unshare() frees
 * only the first. */
bool request_share(struct request *own, const struct request *request)
{
    size_t count = request->inspector_file_count;
    *own = *request;
    own->other = (struct inspector_file){.inspector = NULL};
    own->inspector_files = copy_items(request->inspector_files, count,
                                      sizeof *own->inspector_files);
    own->inspectors = copy_items(request->inspectors, count, sizeof *own->inspectors);
    own->references = references_share(request->references);
    if (own->inspector_files && own->inspectors && own->references) {
        return true;
    }
    request_unshare(own, request);
    return false;
}

/* The other edition may be the current or the spare one. */
void request_unshare(struct request *own, const struct request *request)
{
    bool exchanged = own->other.inspector &&
                     own->other.inspector == request->inspector_files[0].inspector;
    inspector_file_close(exchanged ? &own->inspector_files[0] : &own->other);
    references_close(own->references);
    free(own->inspector_files);
    free(own->inspectors);
}

struct ilp_request request_for_library(const struct request *request,
                                       const struct ilp_resolver *resolver)
{
    return (struct ilp_request){.inspectors = request->inspectors,
                                .inspector_count = request->inspector_file_count,
                                .rules = request->rules,
                                .resolver = resolver,
                                .target = request->target,
                                .embed = request->embed};
}

/* State machines are named in attributes, and embedding looks types up by name. */
void request_index_image(const struct ilp_request *request, struct ilp_image *image)
{
    bool wanted = request->embed ||
                  !request->rules; /* the default shows results of async methods */
    for (uint32_t i = 0; request->rules && !wanted && i < ilp_rules_count(request->rules); i++) {
        struct ilp_rule rule;
        ilp_rules_get(request->rules, i, &rule);
        wanted = rule.action.async == ILP_ASYNC_RESULT ||
                 rule.action.iterators == ILP_ITERATORS_CURRENT;
    }
    if (wanted) {
        ilp_image_index(image, NULL);
    }
}

/* Rules of options are before those of files (`filters`), and the one for all others is last. */
bool request_is_option(const struct request *request, uint32_t number)
{
    return number < request->filters ||
           (request->every && number + 1 == ilp_rules_count(request->rules));
}

/* The limit of a rule's name in a message. */
#define MAX_NAME_SHOWN 100u

/* For messages: FILE:LINE, with the rule's name if it has one; options are rules, too, named by the
 * option. */
char *request_rule_place(const struct request *request, uint32_t number)
{
    struct ilp_rule rule;
    ilp_rules_get(request->rules, number, &rule);
    if (request_is_option(request, number)) {
        return copy_text(rule.file);
    }
    if (rule.name[0] == '\0') {
        return format_text("%s:%u", rule.file, rule.line);
    }
    size_t size = strlen(rule.name);
    bool cut = size > MAX_NAME_SHOWN;
    size = cut ? MAX_NAME_SHOWN : size;
    while (cut && (rule.name[size] & 0xC0) == 0x80) { /* not inside a character */
        size--;
    }
    return format_text("%s:%u: rule '%.*s%s'", rule.file, rule.line, (int)size, rule.name,
                       cut ? "..." : "");
}

static bool is_native(const struct inspector_file *inspector)
{
    return inspector->native && !inspector->unmanaged; /* which knows the meaning of its ids */
}

bool request_target_is_idle(const struct request_options *options)
{
    return options->target.given && !request_options_select(options);
}

/* Without rules the first inspector gets everything. */
bool request_calls_inspector(const struct request *request, size_t number)
{
    if (!request->rules) {
        return number == 0;
    }
    for (uint32_t i = 0; i < ilp_rules_count(request->rules); i++) {
        struct ilp_rule rule;
        ilp_rules_get(request->rules, i, &rule);
        if (rule.enabled && !rule.exclude && rule.action.inspector == number) {
            return true;
        }
    }
    return false;
}

bool request_passes_exceptions(const struct request *request)
{
    for (uint32_t i = 0; request->rules && i < ilp_rules_count(request->rules); i++) {
        struct ilp_rule rule;
        ilp_rules_get(request->rules, i, &rule);
        if (rule.enabled && !rule.exclude && rule.action.exceptions) {
            return true;
        }
    }
    return false;
}

bool request_calls(const struct request *request, bool native)
{
    bool calls = false;
    for (size_t i = 0; i < request->inspector_file_count; i++) {
        calls = calls || (request->inspector_files[i].native == native &&
                          request_calls_inspector(request, i));
    }
    return calls;
}

/* Which rule passes ids, for a message; NULL if none does. */
char *request_passes_ids(const struct request *request)
{
    for (uint32_t i = 0; request->rules && i < ilp_rules_count(request->rules); i++) {
        struct ilp_rule rule;
        ilp_rules_get(request->rules, i, &rule);
        if (rule.enabled && !rule.exclude &&
            (rule.action.pass == ILP_PASS_ID ||
             is_native(&request->inspector_files[rule.action.inspector]))) {
            return request_rule_place(request, i);
        }
    }
    return !request->rules && is_native(&request->inspector_files[0]) ? copy_text("--inspector")
                                                                      : NULL;
}
