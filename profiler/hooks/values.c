/* Arguments and returned values, on the slow path: the runtime reports their addresses, their
 * shapes were built when the method was compiled, and shape.h writes them. Hooks run in cooperative
 * mode, so objects do not move meanwhile.
 *
 *   n=5 name="abc"      arguments without `this`; a parameter without a name has its number
 *
 * GetFunctionEnter3Info() gives a range for each argument, `this` first. */
#include "profiler/hooks/values.h"

#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "elt/contract.h"
#include "il/code.h"
#include "metadata/image.h"
#include "profiler/hooks/instance.h"
#include "profiler/shapes.h"
#include "profiler/status.h"
#include "sig/sig.h"

#define MAX_ARGUMENTS 64u /* a method with more shows none */
#define NAME_UNITS    100u

struct parameter {
    const char *name; /* NULL: none */
    enum secrecy secrecy;
    const struct kept_shape *shape;
};

struct hooked_values {
    const struct kept_shape *value; /* NULL: void */
    enum secrecy secrecy;           /* by the method's name */
    bool unknown;                   /* the value may not be there when the method is left */
    bool has_this;
    bool generic; /* one of the types is a type parameter */
    uint32_t count;
    struct parameter parameters[];
};

/* ---- when a method is compiled ---- */

/* The values of one method, while they are built. */
struct values_builder {
    struct hooked_values *values;
    const struct module *module;
    const struct hooks_instance *instance;
    struct ilp_arena *arena;
};

static const struct redaction *redaction(void)
{
    return settings_values(hooks.profiler->settings)->redaction;
}

/* Rows of Param are optional, in any order: each has its parameter's number. */
static void name_parameters(const struct values_builder *builder, ilp_rid method)
{
    const struct module *module = builder->module;
    struct hooked_values *values = builder->values;
    ilp_rid rid, end;
    ilpi_list(module->image, ILP_MethodDef, method, ILP_MethodDef_ParamList, &rid, &end);
    for (; rid < end; rid++) {
        ilp_rid row = ilpi_list_row(module->image, ILP_Param, rid);
        /* 0: the value */
        uint32_t sequence = ilp_cell(module->image, ILP_Param, row, ILP_Param_Sequence);
        const char *name = ilp_string(module->image,
                                      ilp_cell(module->image, ILP_Param, row, ILP_Param_Name));
        if (sequence != 0 && sequence <= values->count && name[0] != '\0') {
            struct parameter *parameter = &values->parameters[sequence - 1];
            parameter->name = ilpi_arena_copy(builder->arena, name, strlen(name) + 1);
            parameter->secrecy = redaction_of_name(redaction(), name, strlen(name));
            if (!parameter->name) {
                memory_failed();
            }
        }
    }
}

/* Of type parameters the instance's types are shown, if they are known. */
static ilp_status build_shape(const struct values_builder *builder, const struct ilp_type *type,
                              const struct kept_shape **out)
{
    struct ilp_type room;
    struct shown_type shown = {.image = builder->module->image, .arena = builder->arena};
    type = ilpi_type_unmodified(type);
    if (type->element == ILP_ELEMENT_VAR || type->element == ILP_ELEMENT_MVAR) {
        builder->values->generic = true;
    }
    type = hooks_instance_type(hooks.profiler, builder->instance, type, &room, &shown.image);
    shown.type = ilpi_arena_copy(builder->arena, type, sizeof *type);
    return shown.type ? shapes_keep(hooks.profiler->shapes, &shown, out, NULL)
                      : ilpi_fail_memory(NULL, sizeof *type);
}

/* Whether the method has an explicit tail call. On this path the runtime's helpers make it
 * (trace_options.h): in a chain of such calls a method leaves before its value exists, with an
 * arbitrary one. An unreadable body may have one. */
static bool may_tail_call(const struct module *module, ilp_token method, struct ilp_arena *arena)
{
    struct ilp_bytes bytes;
    ULONG size;
    struct ilp_body body;
    struct ilpi_insn insn;
    if (CALL(ICorProfilerInfo, GetILFunctionBody, hooks.info)(hooks.info, module->id, method,
                                                              &bytes.data, &size) < 0) {
        return true;
    }
    bytes.size = size;
    if (ilp_body_read(&body, bytes, 0, arena, NULL) != ILP_OK) {
        return true;
    }
    for (size_t at = 0; at < body.code.size; at += insn.size) {
        if (!ilpi_insn_read(body.code, (uint32_t)at, &insn) || insn.op == ILPI_OP_TAIL) {
            return true;
        }
    }
    return false;
}

/* Reported once in the summary, and with --verbose for each. */
static void report_unknown(const struct module *module, ilp_token token)
{
    static bool reported; /* under the profiler's lock */
    if (!reported) {
        status_line("values",
                    "what methods with explicit tail calls return is not shown: such a method may "
                    "leave before it has a value. --verbose names them");
        reported = true;
    }
    status_line("trace", "%08X %s: what it returns is not shown: it has explicit tail calls", token,
                module->path);
}

/* A name that is not available does not hide its value. */
static enum secrecy secrecy_of_method(struct ilp_image *image, ilp_rid method,
                                      struct ilp_arena *arena)
{
    const char *name;
    return redaction() && ilp_method_name_text(image, ILP_TOKEN(ILP_MethodDef, method), arena,
                                               &name, NULL) == ILP_OK
               ? redaction_of_method(redaction(), name, strlen(name))
               : SECRECY_NONE;
}

/* Shapes are built once, when the method gets its hooks; a hook only follows them. A method that
 * may make explicit tail calls returns through another one's frame, so its value is not known. */
static struct hooked_values *build(const struct module *module, ilp_rid method,
                                   const struct ilp_sig *sig, const struct hooks_instance *instance,
                                   struct ilp_arena *arena)
{
    uint32_t count = sig->param_count <= MAX_ARGUMENTS ? sig->param_count : 0;
    struct hooked_values *values =
        ilpi_arena_alloc(arena, sizeof *values + count * sizeof *values->parameters);
    const struct ilp_type *type = sig->params;
    if (!values) {
        return NULL;
    }
    *values = (struct hooked_values){.has_this = (sig->convention & ILP_CALL_HASTHIS) != 0,
                                     .count = count};
    const struct values_builder builder = {values, module, instance, arena};
    if (sig->ret->element != ILP_ELEMENT_VOID &&
        build_shape(&builder, sig->ret, &values->value) != ILP_OK) {
        return NULL;
    }
    values->secrecy = secrecy_of_method(module->image, method, arena);
    if (values->value && may_tail_call(module, ILP_TOKEN(ILP_MethodDef, method), arena)) {
        report_unknown(module, ILP_TOKEN(ILP_MethodDef, method));
        values->unknown = true;
    }
    for (uint32_t i = 0; i < count; i++, type = type->next) {
        values->parameters[i] = (struct parameter){.name = NULL};
        if (build_shape(&builder, type, &values->parameters[i].shape) != ILP_OK) {
            return NULL;
        }
    }
    name_parameters(&builder, method);
    return values;
}

const struct hooked_values *hooks_values_build(struct module *module, ilp_token token,
                                               FunctionID function)
{
    /* under the profiler's lock; as long as the process, since code refers to it */
    static struct ilp_arena *arena;
    struct ilp_sig *sig;
    const struct hooked_values *values = NULL;
    ilp_rid rid = ILP_TOKEN_RID(token);
    struct ilp_bytes blob = ilp_blob(
        module->image, ilp_cell(module->image, ILP_MethodDef, rid, ILP_MethodDef_Signature));
    ilp_status status = arena ? ILP_OK : ilp_arena_open(&arena, NULL, NULL);
    if (status == ILP_OK) {
        status = ilp_sig_read(&sig, blob, ILP_SIG_METHOD, 0, arena, NULL);
    }
    if (status == ILP_OK) {
        struct hooks_instance instance;
        hooks_instance_of(hooks.profiler, function, &instance);
        values = build(module, rid, sig, &instance, arena);
        status = values ? ILP_OK : ILP_E_NO_MEMORY;
    }
    if (ilp_status_class(status) == ILP_CLASS_MEMORY) {
        memory_failed();
    }
    return values;
}

bool hooks_values_are_generic(const struct hooked_values *values)
{
    return values->generic;
}

/* ---- in hooks ---- */

/* Objects by their declared types: querying the runtime for their own needs memory and a lock,
 * which hooks may not take (elt/contract.def). */
static struct shaped_value shaped_value(const struct kept_shape *kept, enum secrecy secrecy,
                                        const COR_PRF_FUNCTION_ARGUMENT_RANGE *range)
{
    return (struct shaped_value){.shape = atomic_load(&kept->now),
                                 .value = (const void *)range->startAddress,
                                 .size = range->length,
                                 .redaction = redaction(),
                                 .secrecy = secrecy,
                                 .limits = &settings_values(hooks.profiler->settings)->limits};
}

static const char half[] = "unknown (two registers)";

/* Of a value returned in two registers .NET Core 3.1 on x64 reports one; and of an argument in two
 * it may report the first one twice. */
static bool is_half_there(const COR_PRF_FUNCTION_ARGUMENT_RANGE *range)
{
    return hooks.profiler->runtime.version[0] < 5 && range->length > sizeof(void *) &&
           range->length <= 2 * sizeof(void *);
}

/* The runtime's ranges begin with `this`. One that the runtime reports only in part
 * (is_half_there()) is shown as unknown. */
struct ilp_bytes hooks_arguments(struct hooks_thread *thread, const struct hooked *method,
                                 COR_PRF_ELT_INFO info)
{
    const struct hooked_values *values = method->values;
    _Alignas(16) uint8_t memory[offsetof(COR_PRF_FUNCTION_ARGUMENT_INFO, ranges) +
                                (1 + MAX_ARGUMENTS) * sizeof(COR_PRF_FUNCTION_ARGUMENT_RANGE)];
    COR_PRF_FUNCTION_ARGUMENT_INFO *arguments = (void *)memory;
    COR_PRF_FRAME_INFO frame;
    ULONG size = sizeof memory;
    struct line line;
    if (!values || values->count == 0 ||
        CALL(ICorProfilerInfo3, GetFunctionEnter3Info, hooks.info)(
            hooks.info, method->function, contract_info(info), &frame, &size, arguments) < 0) {
        return (struct ilp_bytes){NULL, 0};
    }
    line_begin(&line, thread->text, sizeof thread->text);
    for (uint32_t i = 0; i < values->count && i + values->has_this < arguments->numRanges; i++) {
        const COR_PRF_FUNCTION_ARGUMENT_RANGE *range = &arguments->ranges[i + values->has_this];
        line_part(&line, NAME_UNITS);
        line_put(&line, i == 0 ? "" : " ");
        if (values->parameters[i].name) {
            line_put_name(&line, values->parameters[i].name);
        } else {
            line_put_unsigned(&line, i + 1);
        }
        line_put(&line, "=");
        if (is_half_there(range)) {
            line_put(&line, half);
            continue;
        }
        const struct shaped_value shaped = shaped_value(values->parameters[i].shape,
                                                        values->parameters[i].secrecy, range);
        shape_put(&line, &shaped);
    }
    return (struct ilp_bytes){(const uint8_t *)thread->text, line.size};
}

/* Text in the thread's buffer, valid until the next value; without data: nothing is shown. */
struct ilp_bytes hooks_value(struct hooks_thread *thread, const struct hooked *method,
                             COR_PRF_ELT_INFO info)
{
    const struct hooked_values *values = method->values;
    static const char unknown[] = "unknown (explicit tail calls)";
    COR_PRF_FUNCTION_ARGUMENT_RANGE range = {0};
    COR_PRF_FRAME_INFO frame;
    if (values && values->unknown) {
        return (struct ilp_bytes){(const uint8_t *)unknown, sizeof unknown - 1};
    }
    if (!values || !values->value ||
        CALL(ICorProfilerInfo3, GetFunctionLeave3Info,
             hooks.info)(hooks.info, method->function, contract_info(info), &frame, &range) < 0 ||
        range.startAddress == 0) {
        return (struct ilp_bytes){NULL, 0};
    }
    if (is_half_there(&range)) {
        return (struct ilp_bytes){(const uint8_t *)half, sizeof half - 1};
    }
    const struct shaped_value shaped = shaped_value(values->value, values->secrecy, &range);
    size_t size = shape_write(&shaped, thread->text, sizeof thread->text);
    return (struct ilp_bytes){(const uint8_t *)thread->text, size};
}
