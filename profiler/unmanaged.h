/* The unmanaged inspector: shows values from C, where no managed code can or may be called.
 *
 *   a rewritten method --calli, managed convention--> show(): the value as a line, in memory of the
 *   thread's own; or where it stays, in a spool, a count or a ring (output_never_waits())
 *                      --calli, managed convention--> wants_thread(), take_thread(): the ids of the
 *   thread's activity, added to a line in JSON
 *                      --calli, unmanaged----------> write_out(): the line to its place, if it is
 *   not there yet
 *
 * All but the last run in the runtime's cooperative mode, so no garbage collection moves what the
 * value refers to, and every garbage collection waits for them: they neither wait nor call the
 * runtime (shape.h). The last runs as native code does, and may wait for whoever reads the
 * lines. */
#ifndef ILPI_UNMANAGED_H
#define ILPI_UNMANAGED_H

#include "ilpatch.h"

/* The methods of one module that are shown; it owns their shapes (shapes.h). */
struct unmanaged;
struct shapes;
struct runtime;

/* How compiled code calls it; `writes`: lines are written where that may take its time, for which
 * it calls once more; `json`: they have the ids of the thread's activity. */
struct ilp_native unmanaged_native(bool writes, bool json);

/* What the stock inspector finds in the environment variable ENV_PROFILER: the addresses of four
 * functions. With the first it says that nothing of what this thread calls is to be shown, or again
 * to be shown, and learns whether its line is wanted; with the second it writes a line; with the
 * third it counts a value where nothing else is wanted (ENV_COUNT); with the fourth it reports what
 * went wrong. Owned by the caller. */
char *unmanaged_addresses(void);

/* ENV_COUNT: values are counted, and a line is written only when their number is a power of two. To
 * be called before any value comes. */
void unmanaged_set_only_counts(bool on);

/* How values are written. Borrowed. To be called before any value comes. */
struct value_settings;
void unmanaged_set_values(const struct value_settings *chosen);

/* How activities are found; NULL: not at all. Borrowed. To be called before any value comes. */
struct activity_source;
void unmanaged_set_activities(const struct activity_source *source);

/* Whose conditions values have to meet; NULL: none. Borrowed, and to be called before any method is
 * noted. */
void unmanaged_set_rules(const struct ilp_rules *rules);

/* Whether objects lie as shape/write.c reads them: `info` is ICorProfilerInfo3. If not, the reason
 * is reported (status.h). */
bool unmanaged_is_possible(void *info, const struct runtime *runtime);

/* A number for a module that is free, in turn: one that was unloaded gives its own back, so that
 * a program that loads plug-ins for weeks has enough of them. */
uint32_t unmanaged_number(void);

/* For the module of the file at `path`, borrowed, with so many methods; `number` is what struct
 * ilp_request has as module_number. */
ilp_status unmanaged_begin(struct unmanaged **out, const char *path, uint32_t method_count,
                           uint32_t number, struct ilp_error *error);

/* When none of its methods runs any more; NULL is allowed. */
void unmanaged_end(struct unmanaged *module);

/* `method` has been rewritten: what its value looks like, which is shown under the name of the
 * method that result->id says. To be called before the runtime has the new body. */
ilp_status unmanaged_note(struct unmanaged *module, struct shapes *shapes, struct ilp_image *image,
                          ilp_token method, const struct ilp_method_result *result,
                          struct ilp_error *error);

/* Reports what kept lines from having all that they should have. */
void unmanaged_tell_end(void);

#endif
