/* Records the methods that the unmanaged inspector shows, as they are rewritten. See
 * unmanaged_methods.h. Modules never share a number (ids.h).
 *
 *   an id in compiled code = the module's number, the method's token
 *   unmanaged_modules[number % MAX_MODULES] -> module -> methods[row] -> shown: name, shape, choice
 *
 * Both tables are read without a lock, by calls of any thread; they are written under the
 * profiler's, each entry when all it refers to is complete. An entry is removed before its memory
 * is freed. */
#include "profiler/unmanaged_methods.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "profiler/status.h"
#include "profiler/value_counts.h"
#include "profiler/value_spool.h"
#include "rules/rules.h"
#include "sig/sig.h"
#include "types/core_type.h"
#include "values/operand.h"

struct unmanaged_chosen unmanaged_chosen;
struct unmanaged *_Atomic unmanaged_modules[MAX_MODULES];

void unmanaged_set_values(const struct value_settings *chosen)
{
    unmanaged_chosen.settings = chosen;
}

void unmanaged_set_rules(const struct ilp_rules *chosen)
{
    unmanaged_chosen.rules = chosen;
}

/* ---- modules ---- */

/* Under the profiler's lock. */
static ModuleID numbered[MAX_MODULES]; /* 0: free */
static uint32_t highest;               /* the highest number ever used */
static bool were_kept;                 /* only then a module may have a number to keep */

static uint32_t number_of(ModuleID module)
{
    uint32_t number = were_kept ? 1 : highest + 1;
    while (number <= highest && numbered[number] != module) {
        number++;
    }
    return number <= highest ? number : 0;
}

bool unmanaged_take_number(ModuleID module, uint32_t number)
{
    if (number >= MAX_MODULES || (numbered[number] != 0 && numbered[number] != module)) {
        return false;
    }
    numbered[number] = module;
    highest = number > highest ? number : highest;
    return true;
}

uint32_t unmanaged_number(ModuleID module)
{
    static uint32_t last;
    uint32_t own = number_of(module);
    for (unsigned tries = 1; own == 0 && tries < MAX_MODULES; tries++) {
        last = last % (MAX_MODULES - 1) + 1;
        own = unmanaged_take_number(module, last) ? last : 0;
    }
    return own != 0 ? own : MAX_MODULES; /* invalid, one above the highest */
}

/* The module is unloaded: the runtime may give its ModuleID to another one. */
void unmanaged_leave_number(ModuleID module)
{
    for (uint32_t number = 1; number <= highest; number++) {
        numbered[number] = numbered[number] == module ? 0 : numbered[number];
    }
}

/* Between watches no unload is reported: numbers of modules that are not there any more are
 * free. */
void unmanaged_keep_numbers(const ModuleID *modules, ULONG count)
{
    were_kept = true;
    for (uint32_t number = 1; number <= highest; number++) {
        ULONG i = 0;
        while (i < count && modules[i] != numbered[number]) {
            i++;
        }
        numbered[number] = i < count ? numbered[number] : 0;
    }
}

/* A module is found by its number modulo MAX_MODULES, so that compiled code needs one read to find
 * it. */
ilp_status unmanaged_begin(struct unmanaged **out, const char *path, uint32_t method_count,
                           uint32_t number, struct ilp_error *error)
{
    if (atomic_load(&unmanaged_modules[number % MAX_MODULES])) {
        /* of a file of ids, which identifies modules by content */
        return ilpi_fail(error, ILP_E_TOO_MANY, ILPI_NO_OFFSET, 0,
                         "the same module is there twice, and its ids are the same");
    }
    struct unmanaged *module = calloc(1, sizeof *module);
    shown_slot *methods = calloc((size_t)method_count + 1, sizeof *methods);
    struct ilp_arena *arena = NULL;
    if (!module || !methods || ilp_arena_open(&arena, NULL, NULL) != ILP_OK) {
        free(module);
        free(methods);
        return ilpi_fail_memory(error, method_count * sizeof *methods);
    }
    module->number = number;
    module->method_count = method_count;
    module->path = path;
    module->arena = arena;
    module->methods = methods;
    atomic_store(&unmanaged_modules[number % MAX_MODULES], module);
    *out = module;
    return ILP_OK;
}

void unmanaged_leave(const struct unmanaged *module)
{
    if (module) {
        atomic_store(&unmanaged_modules[module->number % MAX_MODULES], NULL);
    }
}

void unmanaged_end(struct unmanaged *module)
{
    if (module) {
        unmanaged_leave(module);
        ilp_arena_close(module->arena);
        free(module->methods);
        free(module);
    }
}

/* ---- methods ---- */

/* A method to be recorded, in the module's arena. */
struct note {
    struct unmanaged *module;
    struct shapes *shapes;
    struct ilp_image *image;
};

/* The type's bytes are copied: the signature refers to them for as long as the shape exists. */
static ilp_status make_shape(const struct note *note, struct ilp_bytes type,
                             const struct kept_shape **kept, struct ilp_error *error)
{
    struct ilp_arena *arena = note->module->arena;
    struct ilp_bytes own = {ilpi_arena_copy(arena, type.data, type.size), type.size};
    struct ilp_sig *sig;
    if (!own.data) {
        return ilpi_fail_memory(error, type.size);
    }
    ILPI_TRY(ilp_sig_read(&sig, own, ILP_SIG_TYPE_SPEC, 0, arena, error));
    const struct shown_type shown = {note->image, sig->ret, arena, note->module};
    return shapes_keep(note->shapes, &shown, kept, error);
}

/* The methods of a module return few types: the last shape for the same bytes is shared, while its
 * image exists, and no assembly that it depends on was loaded or unloaded. */
static ilp_status keep_shape(const struct note *note, struct ilp_bytes type,
                             const struct kept_shape **kept, struct ilp_error *error)
{
    const struct kept_shape **known =
        &note->module->known[XXH3_64bits(type.data, type.size) % KNOWN_TYPES];
    if (!*known || (*known)->image != note->image || (*known)->renewals != 0 ||
        !ilpi_bytes_equal((*known)->type->raw, type)) {
        ILPI_TRY(make_shape(note, type, known, error));
    }
    *kept = *known;
    return ILP_OK;
}

/* Only arguments that are tested or shown get a shape. */
static ilp_status add_argument(const struct note *note, const struct ilp_passed_argument *passed,
                               bool read, struct shown_argument *argument,
                               struct entry_argument *parameter, struct ilp_error *error)
{
    struct ilp_arena *arena = note->module->arena;
    size_t size = strlen(passed->name);
    const char *name = ilpi_arena_copy(arena, passed->name, size + 1);
    if (!name) {
        return ilpi_fail_memory(error, size);
    }
    *argument = (struct shown_argument){size != 0 ? name : NULL, passed->withheld};
    parameter->withheld = passed->withheld != NULL;
    parameter->secrecy = redaction_of_name(unmanaged_chosen.settings->redaction, name, size);
    parameter->doubtful = passed->reference && ilpi_is_core_image(note->image);
    return !read || passed->withheld ? ILP_OK
                                     : keep_shape(note, passed->type, &parameter->kept, error);
}

/* `this` is left out of what is shown, unless the rule shows it; conditions may test it all the
 * same. */
static ilp_status add_arguments(const struct note *note, const struct ilp_method_result *result,
                                struct shown *shown, struct ilp_error *error)
{
    uint32_t count = result->passed_count;
    struct ilp_arena *arena = note->module->arena;
    struct shown_argument *arguments = ilpi_arena_array(arena, count + 1, sizeof *arguments);
    struct entry_argument *parameters = ilpi_arena_array(arena, count + 1, sizeof *parameters);
    struct ilp_rule rule = {.line = 0};
    if (!arguments || !parameters) {
        return ilpi_fail_memory(error, count * sizeof *parameters);
    }
    if (unmanaged_chosen.rules) {
        ilp_rules_get(unmanaged_chosen.rules, result->rule, &rule);
    }
    uint32_t first = count != 0 && result->passed[0].self && !rule.shows_self;
    for (uint32_t i = 0; i < count; i++) {
        parameters[i].tested = choice_method_tests(&shown->choice, i);
        bool read = parameters[i].tested || (rule.shows_arguments && i >= first);
        ILPI_TRY(
            add_argument(note, &result->passed[i], read, &arguments[i], &parameters[i], error));
    }
    shown->method.arguments = arguments + first;
    shown->method.argument_count = count - first;
    shown->entry = (struct entry_method){.arguments = parameters,
                                         .argument_count = count,
                                         .first = first,
                                         .shows = rule.shows_arguments,
                                         .at_end = result->at_end,
                                         .method = &shown->method,
                                         .choice = &shown->choice};
    return ILP_OK;
}

/* Reported once. */
static void check_thread(const struct unmanaged *module, const struct ilp_method_result *result)
{
    static bool reported; /* under the profiler's lock */
    if (unmanaged_chosen.has_context && !result->thread && !reported) {
        reported = true;
        status_line(
            "values",
            "lines of %s lack the ids of their activity: its core library, or Thread there, is "
            "not found",
            module->path);
    }
}

/* Everything that a call would have to compute is made now: the name as it is written in lines, the
 * shape of the value, where it is counted and recorded. It is stored last, since other threads may
 * run the code at once. */
ilp_status unmanaged_note(struct unmanaged *module, struct shapes *shapes, struct ilp_image *image,
                          ilp_token method, const struct ilp_method_result *result,
                          struct ilp_error *error)
{
    const struct note note = {module, shapes, image};
    ilp_token named = (ilp_token)((uint64_t)result->id & UINT32_MAX);
    static const uint8_t type[] = {ILP_ELEMENT_OBJECT};
    const struct ilp_bytes object = {type, sizeof type};
    const struct kept_shape *kept = NULL;
    char text[SHOWN_LINE_SIZE];
    const char *name;
    struct line line;
    if (result->value.size != 0) {
        ILPI_TRY(keep_shape(&note, result->value, &kept, error));
    }
    if (result->exceptions && !module->exception) {
        ILPI_TRY(keep_shape(&note, object, &module->exception, error));
    }
    check_thread(module, result);
    ILPI_TRY(ilp_method_name_text(image, named, module->arena, &name, error));
    line_begin(&line, text, sizeof text);
    line_part(&line, SHOWN_NAME_UNITS);
    line_put_name(&line, name);
    char made[SHOWN_NAME_SIZE];
    struct line in_lines;
    line_begin(&in_lines, made, sizeof made);
    shown_line_name(&in_lines, named, text, line.size);
    struct shown *shown = ilpi_arena_alloc(module->arena, sizeof *shown + in_lines.size);
    if (!shown) {
        return ilpi_fail_memory(error, in_lines.size);
    }
    *shown = (struct shown){
        .kept = kept,
        .exception = result->exceptions ? module->exception : NULL,
        .method = {in_lines.size, line.units, shown->name, NULL, 0},
        .recorded = value_spool_method(image, module->path, named),
        .counted = value_counts_method(named, text, line.size),
        .secrecy = redaction_of_method(unmanaged_chosen.settings->redaction, name, strlen(name))};
    memcpy(shown->name, made, in_lines.size);
    const struct ilpi_condition *own = unmanaged_chosen.rules
                                           ? ilpi_rules_when(unmanaged_chosen.rules, result->rule)
                                           : NULL;
    if (own) {
        choice_expect_rules();
    }
    ILPI_TRY(
        choice_method_open(&shown->choice, own, choice_condition(), result, module->arena, error));
    ILPI_TRY(choice_pace_method(&shown->choice, module->arena, error));
    bool is_signed;
    if (kept && !result->arguments && operand_is_integer(atomic_load(&kept->now), &is_signed)) {
        choice_method_set_integer(&shown->choice, shape_size(atomic_load(&kept->now)), is_signed);
    }
    bool all = !choice_narrows(&shown->choice);
    shown->all_counted = all && value_counts_are_open();
    shown->all_recorded = all && shown->recorded != 0 && !result->arguments;
    if (result->arguments) {
        ILPI_TRY(add_arguments(&note, result, shown, error));
    }
    atomic_store(&module->methods[ILP_TOKEN_RID(method)], shown);
    return ILP_OK;
}
