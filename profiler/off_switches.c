/* Switches inspectors off: a byte for each, which code reads through its address. See
 * off_switches.h. The exception's type and message are copied when it happens, because the object
 * may be moved or collected later. */
#include "profiler/off_switches.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "profiler/clr/corprof.h"
#include "profiler/clr/wide.h"
#include "profiler/process_report.h"
#include "profiler/profiler.h"
#include "profiler/status.h"

enum {
    MAX_SWITCHES = 64, /* further inspectors have none */
    MAX_UNITS = 256    /* of a message; the rest is truncated */
};

/* The offsets of System.Exception's field _message, and of a string's length and text, in CoreCLR 8
 * to 10. */
enum { MESSAGE_AT = 16, LENGTH_AT = 8, UNITS_AT = 12, FIRST_RUNTIME = 8, LAST_RUNTIME = 10 };

/* An inspector's first exception. */
struct thrown {
    atomic_uchar off;  /* read by methods */
    atomic_bool known; /* the members below are set */
    ModuleID module;   /* of its class; 0: not a System.Exception, or unknown */
    ilp_token class;
    uint32_t units;
    uint8_t text[MAX_UNITS * 2];
};

static struct thrown thrown[MAX_SWITCHES];
static struct ilp_off_switch switches[MAX_SWITCHES];
static const struct request *requested;
static void *profiler_info;
static bool has_messages;

/* Offsets in the object instead of a call: get_Message() would run managed code of the exception's
 * type, here, within a method of the program. */
static void read_message(struct thrown *to, const uint8_t *exception)
{
    const uint8_t *text;
    memcpy(&text, exception + MESSAGE_AT, sizeof text);
    if (text) {
        memcpy(&to->units, text + LENGTH_AT, sizeof to->units);
        to->units = to->units < MAX_UNITS ? to->units : MAX_UNITS;
        memcpy(to->text, text + UNITS_AT, (size_t)to->units * 2);
    }
}

/* Called by compiled code, with the managed convention. Of several threads the first one's
 * exception is kept; the others find the switch off. `known` is set last, since
 * off_switches_report() may run meanwhile. */
static void threw(const uint8_t *exception, int64_t number)
{
    struct thrown *to = &thrown[number];
    ClassID class, parent;
    ULONG count;
    if (atomic_exchange(&to->off, 1) != 0) {
        return;
    }
    if (exception) {
        memcpy(&class, exception, sizeof class); /* its method table, which is a ClassID */
        HRESULT result = CALL(ICorProfilerInfo2, GetClassIDInfo2, profiler_info)(
            profiler_info, class, &to->module, &to->class, &parent, 0, &count, NULL);
        to->module = result >= 0 ? to->module : 0;
        if (has_messages) {
            read_message(to, exception);
        }
    }
    atomic_store(&to->known, true);
}

void off_switches_module_goes(ModuleID id)
{
    for (size_t i = 0; i < MAX_SWITCHES; i++) {
        if (atomic_load(&thrown[i].known) && thrown[i].module == id) {
            thrown[i].module = 0;
        }
    }
}

/* The addresses of the flags are in the code of methods, so they are static and stay. */
const struct ilp_off_switch *off_switches_open(const struct request *request, void *info,
                                               const struct runtime *runtime)
{
    requested = request;
    profiler_info = info;
    has_messages = runtime->version[0] >= FIRST_RUNTIME && runtime->version[0] <= LAST_RUNTIME;
    if (request->inspector_file_count > MAX_SWITCHES) {
        return NULL;
    }
    for (size_t i = 0; i < request->inspector_file_count; i++) {
        thrown[i] = (struct thrown){.module = 0}; /* of an earlier watch */
        switches[i] = (struct ilp_off_switch){.flag = (uintptr_t)&thrown[i].off,
                                              .threw = (uintptr_t)threw,
                                              .number = (int64_t)i,
                                              .is_usual = !request->inspector_files[i].stock};
    }
    return switches;
}

/* Names of types are read here and not in threw(), which must not allocate or wait. */
static void report_thrown(struct profiler *profiler, const char *inspector, const struct thrown *of)
{
    struct module *module = of->module != 0 ? module_find(profiler, of->module) : NULL;
    struct ilp_image *image = module ? module_types(profiler, module) : NULL;
    struct ilp_arena *arena = NULL;
    const char *type = NULL;
    char message[MAX_UNITS * 3];
    if (!image || ilp_arena_open(&arena, NULL, NULL) != ILP_OK ||
        ilp_type_text(image, of->class, arena, &type, NULL) != ILP_OK) {
        type = "an exception";
    }
    narrow_into(message, sizeof message, of->text, of->units);
    status_line("message", "the inspector %s threw %s%s%s, and was not called any more", inspector,
                type, message[0] != '\0' ? ": " : "", message);
    process_report_switched_off(profiler->report, inspector, type, message);
    ilp_arena_close(arena);
}

void off_switches_report(struct profiler *profiler)
{
    for (size_t i = 0; requested && i < requested->inspector_file_count && i < MAX_SWITCHES; i++) {
        if (atomic_load(&thrown[i].known)) {
            report_thrown(profiler, requested->inspector_files[i].name.name, &thrown[i]);
        }
    }
}
