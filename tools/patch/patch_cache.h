/* --cache FILE: a file is not patched again if nothing that it depends on has changed. Changes are
 * detected by content:
 *
 *   request               options, rules, inspectors, and this program itself
 *   files                 FILE, its original and symbols, and the outputs
 *   references            the MVIDs of all referenced assemblies, where they are found now
 *
 * The cache is one text file, which may be deleted at any time:
 *
 *   ilpatch cache 2
 *   request 8f1c...
 *   file 27ab... 1 0 App/Lib.dll         FILE and output; enum inspector_beside of each inspector;
 *                                        whether native code of others records the MVID of the
 *                                        input; the input
 *   is 5e0d... App/Lib.dll               the digest of a file; -: it does not exist
 *   is - App/Lib.dll.orig
 *   of App/Lib.dll                       the referring assembly: for those of a bundle
 *   ref 1b44... 10.0.0.0 0 b03f5f7f11d50a3a - System.Runtime      flags, key, culture, name
 *   end */
#ifndef PATCH_CACHE_H
#define PATCH_CACHE_H

#include "tools/patch/patch_result.h"

struct patch_cache;

/* The request, collected while it is parsed: all options except those that do not affect patched
 * files. Zero-initialise. */
struct patch_key {
    char *text; /* owned */
};
void patch_key_option(struct patch_key *key, enum option_id option, const char *value);

/* Adds the files that the options name, and this program's own. */
void patch_key_end(const struct patch_key *key, const struct request *what,
                   struct ilp_digest *digest);
void patch_key_free(struct patch_key *key);

/* Reads the cache at `path` (borrowed), if it exists and belongs to this request; an unreadable one
 * counts as missing. */
struct patch_cache *patch_cache_open(const char *path, const struct ilp_digest *request);

/* Whether patching a file would give what is there already. Then `beside` has the inspectors of the
 * request that must be there, too (enum inspector_beside). */
bool patch_cache_is_fresh(struct patch_cache *cache, const struct patch_request *request,
                          const char *file, const char *output, char *beside);

/* Records the result for a file. */
void patch_cache_add(struct patch_cache *cache, const char *file, const char *output,
                     const struct patch_result *result);

/* Writes the results of this run, if `keep`; else removes the file. NULL is allowed. Errors are
 * reported. */
enum exit_code patch_cache_close(struct patch_cache *cache, bool keep);

#endif
