/* Verifies an image: opens the verifier, runs its checks, takes their findings. See verifier.h. */
#include "verify/verifier.h"

#include <stdarg.h>
#include <stdio.h>

#include "verify/member.h"
#include "verify/type.h"

static const struct {
    const char *code;
    const char *text;
    uint8_t class;
} findings[ILPI_FIND_COUNT] = {
#define FINDING(name, class, code, clause, text) \
    [ILPI_FIND_##                                \
        name] = {code, clause[0] != '\0' ? text " (" clause ")" : text, ILP_FINDING_##class},
#include "verify/findings.def"
#undef FINDING
};

void *ilpi_verify_no_memory(struct ilpi_verifier *verifier, size_t size)
{
    verifier->status = ilpi_fail_memory(verifier->error, size);
    return NULL;
}

void *ilpi_verify_take(struct ilpi_verifier *verifier, size_t count, size_t size)
{
    void *memory = ilpi_arena_array(&verifier->arena, count, size);
    return memory ? memory : ilpi_verify_no_memory(verifier, count * size);
}

struct ilp_sig *ilpi_verify_sig(struct ilpi_verifier *verifier, struct ilp_bytes blob,
                                enum ilp_sig_kind kind, struct ilp_arena *arena)
{
    struct ilp_sig *sig;
    if (verifier->status != ILP_OK || !ilpi_spend_work(verifier, 1 + blob.size)) {
        return NULL;
    }
    ilp_status status = ilp_sig_read(&sig, blob, kind, 0, arena, NULL);
    if (ilp_status_class(status) == ILP_CLASS_MEMORY) {
        ilpi_verify_no_memory(verifier, blob.size);
    }
    return status == ILP_OK ? sig : NULL;
}

static void report(struct ilpi_verifier *verifier, enum ilpi_finding finding, ilp_token token,
                   uint32_t offset, const char *format, va_list arguments)
{
    struct ilp_verify_finding out = {
        .code = findings[finding].code,
        .text = findings[finding].text,
        .kind = (enum ilp_finding_class)findings[finding].class,
        .token = token,
        .offset = offset,
    };
    if (verifier->quiet || verifier->status != ILP_OK) {
        return;
    }
    vsnprintf(out.message, sizeof out.message, format, arguments);
    verifier->status = verifier->sink->finding(verifier->sink->user, &out, verifier->error);
}

void ilpi_report(struct ilpi_verifier *verifier, enum ilpi_finding finding, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(verifier, finding, verifier->token, verifier->offset, format, arguments);
    va_end(arguments);
}

void ilpi_report_row(struct ilpi_verifier *verifier, enum ilpi_finding finding, unsigned table,
                     ilp_rid rid, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(verifier, finding, ILP_TOKEN(table, rid), ILPI_NO_IL_OFFSET, format, arguments);
    va_end(arguments);
}

static void run(struct ilpi_verifier *verifier)
{
    static void (*const checks[])(struct ilpi_verifier *) = {
        ilpi_verify_tables,     ilpi_verify_rows,     ilpi_verify_types,      ilpi_verify_members,
        ilpi_verify_duplicates, ilpi_verify_overlaps, ilpi_verify_signatures,
    };
    if (!verifier->sink->wanted) {
        for (size_t i = 0; i < sizeof checks / sizeof checks[0] && verifier->status == ILP_OK;
             i++) {
            checks[i](verifier);
        }
    }
    if (verifier->status == ILP_OK) {
        ilpi_verify_bodies(verifier);
    }
}

/* Assemblies may refer to each other in a circle. What the image in work is called means itself and
 * no second copy of it, whose types would be others. */
struct own_resolver {
    struct ilp_image *image;
    const struct ilp_resolver *outer; /* may be NULL */
};

static struct ilp_image *open_assembly(void *user, const struct ilp_assembly_name *name)
{
    const struct own_resolver *own = user;
    struct ilp_assembly_name self;
    if (ilp_image_assembly_name(own->image, &self) && strcmp(self.name, name->name) == 0) {
        return own->image;
    }
    return own->outer && own->outer->open ? own->outer->open(own->outer->user, name) : NULL;
}

static struct ilp_image *open_module(void *user, const struct ilp_image *image, const char *file)
{
    const struct own_resolver *own = user;
    return own->outer && own->outer->open_module
               ? own->outer->open_module(own->outer->user, image, file)
               : NULL;
}

ilp_status ilp_verify(struct ilp_image *image, const struct ilp_resolver *resolver,
                      const struct ilp_findings_sink *sink, const struct ilp_allocator *allocator,
                      struct ilp_error *error)
{
    struct own_resolver own = {image, resolver};
    struct ilp_resolver with_own = {&own, open_assembly, open_module, NULL};
    struct ilpi_verifier verifier = {
        .image = image,
        .resolver = &with_own,
        .sink = sink,
        .error = error,
        .offset = ILPI_NO_IL_OFFSET,
        .work = ILPI_VERIFY_WORK + (uint64_t)image->pe.bytes.size * ILPI_VERIFY_WORK_TIMES,
        .memory = ILPI_VERIFY_MEMORY + (uint64_t)image->pe.bytes.size * ILPI_VERIFY_MEMORY_TIMES,
    };
    ilpi_alloc_init(&verifier.alloc, allocator);
    verifier.arena.alloc = &verifier.alloc;
    verifier.scratch.alloc = &verifier.alloc;
    ilpi_types_open(&verifier);
    ilpi_members_open(&verifier);
    if (verifier.status == ILP_OK) {
        run(&verifier);
    }
    ilpi_members_close(&verifier);
    ilpi_types_close(&verifier);
    ilpi_arena_free(&verifier.scratch);
    ilpi_arena_free(&verifier.arena);
    return verifier.status;
}
