/* The command line of `ilpatch run`, as it comes through the environment. See settings.h. */
#include "profiler/settings.h"

#include <stdlib.h>
#include <string.h>

#include "host/arguments.h"
#include "profiler/unmanaged.h"
#include "host/profiler_environment.h"
#include "host/request_open.h"

struct settings {
    char *text;       /* of ILPATCH_OPTIONS, split in place */
    char **arguments; /* into it */
    struct request_options options;
    struct request request;
    struct ilp_native native;        /* the unmanaged inspector, */
    struct inspector_file unmanaged; /* and the same, opened */
    bool framework;                  /* its assemblies, too */
    const char *id_map;
    struct trace_settings trace;
    bool explains_tail_calls;
    bool wants_methods;
};

static enum exit_code bad_options(void)
{
    return usage_error(NULL, "the variable " ENV_OPTIONS
                             " is not right; see --print-env of ilpatch run and ilpatch trace");
}

/* What the one can say the other may not understand, or understand in another way. */
static enum exit_code check_version(const char *command)
{
    if (strcmp(command, ilp_version()) == 0) {
        return EXIT_DONE;
    }
    tell(PROFILER_FILE " is of version %s, and the command ilpatch that sets its options of "
                       "version %s: install both from one "
                       "version",
         ilp_version(), command);
    return EXIT_USAGE;
}

static enum exit_code parse(struct settings *settings, bool *every)
{
    struct option_reader reader;
    enum option_id option;
    options_begin(&reader, TAKEN_BY_PROFILER, settings->arguments, false);
    while ((option = options_next(&reader)) >= 0) {
        switch (option) {
        case OPTION_COMMAND_VERSION:
            if (check_version(reader.value) != EXIT_DONE) {
                return EXIT_USAGE;
            }
            break;
        case OPTION_INSPECT_RETURNS: *every = true; break;
        case OPTION_FRAMEWORK: settings->framework = true; break;
        case OPTION_ID_MAP: settings->id_map = reader.value; break;
        case OPTION_TRACE: settings->trace.spool = reader.value; break;
        case OPTION_EXPLAIN_TAIL: settings->explains_tail_calls = true; break;
        default:
            if (!trace_option(&settings->trace, option, reader.value) &&
                !request_option(&settings->options, option, reader.value)) {
                return bad_options();
            }
        }
    }
    return option == OPTION_END && reader.operand_count == 0
               ? EXIT_DONE
               : bad_options(); /* "inspect-returns", say */
}

struct settings *settings_open(const char *text)
{
    struct settings *settings = new_items(1, sizeof *settings);
    unsigned failures = memory_failures();
    bool every = false;
    int count;
    if (!settings) {
        return NULL;
    }
    settings->text = copy_text(text ? text : "--inspect-returns");
    if (!settings->text) {
        free(settings);
        return NULL;
    }
    settings->arguments = arguments_split(settings->text, ENV_OPTIONS, &count);
    request_options_begin(&settings->options, count);
    settings->native = unmanaged_native();
    settings->options.unmanaged = &settings->native;
    settings->options.in_process = true;
    enum exit_code code = memory_failures() == failures ? parse(settings, &every)
                                                        : EXIT_CANNOT_WRITE;
    if (code == EXIT_DONE) {
        code = request_open(&settings->request, &settings->options, every, NULL);
    }
    settings->wants_methods = !settings->explains_tail_calls || settings->trace.spool || every ||
                              settings->options.rule_count != 0 ||
                              settings->options.where_count != 0 || settings->options.affected_by;
    if (code == EXIT_DONE) {
        code = inspector_file_open_native(&settings->unmanaged, &settings->native);
    }
    if (code != EXIT_DONE || memory_failures() != failures) { /* not even with some of them */
        settings_close(settings);
        return NULL;
    }
    return settings;
}

void settings_close(struct settings *settings)
{
    inspector_file_close(&settings->unmanaged);
    request_close(&settings->request);
    request_options_end(&settings->options);
    free(settings->arguments);
    free(settings->text);
    free(settings);
}

const struct request *settings_request(const struct settings *settings)
{
    return &settings->request;
}

const char *settings_id_map(const struct settings *settings)
{
    return settings->id_map;
}

const struct ilp_inspector *settings_unmanaged(const struct settings *settings)
{
    return settings->unmanaged.inspector;
}

bool settings_wants_unmanaged(const struct settings *settings)
{
    bool wanted = settings->framework && !settings->trace.spool;
    for (size_t i = 0; i < settings->request.inspector_file_count; i++) {
        wanted = wanted || settings->request.inspector_files[i].unmanaged;
    }
    return wanted;
}

bool settings_wants_framework(const struct settings *settings)
{
    return settings->framework;
}

const struct trace_settings *settings_trace(const struct settings *settings)
{
    return settings->trace.spool ? &settings->trace : NULL;
}

bool settings_explains_tail_calls(const struct settings *settings)
{
    return settings->explains_tail_calls;
}

bool settings_wants_methods(const struct settings *settings)
{
    return settings->wants_methods;
}

/* The list has room for as many paths as there are arguments, of which the first is no path. */
void settings_set_framework(struct settings *settings, const char *folder)
{
    settings->options.reference_paths[settings->options.reference_count++] = folder;
}

struct references *settings_open_references(const struct settings *settings, const char *path)
{
    struct references *references = references_open(settings->options.reference_paths,
                                                    settings->options.reference_count);
    if (references && !references_set_target(references, path)) {
        references_close(references);
        references = NULL;
    }
    return references;
}
