/* --cache FILE: what was patched is not patched again as long as nothing is different that it
 * depends on. All of that is recognised by content:
 *
 *   what is requested     options, rules, inspectors, and this program itself
 *   files                 FILE, its original and symbols, and what was made of them
 *   references            the MVIDs of all assemblies that were looked for, in the places where
 *                         they are found now
 *
 * The cache is one text file, which may be deleted at any time:
 *
 *   ilpatch cache 2
 *   request 8f1c...
 *   file 27ab... 1 0 App/Lib.dll         FILE and output; enum inspector_beside of each inspector;
 *                                        whether native code of others records the MVID of the
 *                                        input; the input
 *   is 5e0d... App/Lib.dll               what a file holds; -: it is not there
 *   is - App/Lib.dll.orig
 *   of App/Lib.dll                       whose references these are: of a bundle's assemblies
 *   ref 1b44... 10.0.0.0 0 b03f5f7f11d50a3a - System.Runtime      flags, key, culture, name
 *   end */
#ifndef PATCH_CACHE_H
#define PATCH_CACHE_H

#include "tools/patch/patch_result.h"

struct patch_cache;

/* What is requested, gathered as it is read: all options but those that change no patched file.
 * Zero-initialise. */
struct patch_key {
    char *text; /* owned */
};
void patch_key_option(struct patch_key *key, enum option_id option, const char *value);

/* With the files that the options name, and this program's own. */
void patch_key_end(const struct patch_key *key, const struct request *what,
                   struct ilp_digest *digest);
void patch_key_free(struct patch_key *key);

/* Reads the cache at `path` (borrowed), if there is one, and what it says is of this request; what
 * cannot be read is as good as none. */
struct patch_cache *patch_cache_open(const char *path, const struct ilp_digest *request);

/* Whether a file would be patched to what is there already. Then `beside` says which inspectors of
 * the request have to be there, too (enum inspector_beside). */
bool patch_cache_is_fresh(struct patch_cache *cache, const struct patch_request *request,
                          const char *file, const char *output, char *beside);

/* Notes what was done with a file. */
void patch_cache_add(struct patch_cache *cache, const char *file, const char *output,
                     const struct patch_result *result);

/* Writes what is known of the files of this run, if `keep`; else removes the file. NULL is allowed.
 * What is wrong has been reported. */
enum exit_code patch_cache_close(struct patch_cache *cache, bool keep);

#endif
