/* Compares what a file depends on with its cache entry. See patch_cache.h.
 *
 *   request differs                    the whole cache is empty
 *   key of FILE and output not found   patched
 *   a line that is not the same        patched, and the entry is replaced
 *   all lines the same                 left, and the entry is kept
 *
 * Errors lead to patching, never to leaving: what cannot be read or understood is "not the same".
 * Entries that no file of this run used are dropped, so the file does not grow. */
#include "tools/patch/patch_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/digest_text.h"
#include "host/file_image.h"
#include "host/file_io.h"
#include "host/file_view.h"
#include "host/line_word.h"
#include "host/path.h"
#include "host/process.h"
#include "host/temporary.h"
#include "tools/patch/cache_references.h"
#include "tools/patch/callers.h"
#include "tools/patch/report.h"
#include "tools/tool.h"

#define FIRST_LINE "ilpatch cache 2"

/* The entry of one file. */
struct entry {
    char key[DIGEST_DIGITS + 1];
    char *text; /* owned: the rest of its line, and its other lines */
    bool seen;  /* used in this run */
};

/* New entries are after those that were read, so a search (in `read`) does not find what this run
 * has added. */
struct patch_cache {
    const char *path;
    char request[DIGEST_DIGITS + 1];
    struct entry *entries; /* those read, sorted by key; then new ones */
    size_t read;
    size_t count;
};

/* ---- digests ---- */

/* "-": it does not exist; "?": it cannot be read, and equals no other. */
static void file_digest(const char *path, char text[DIGEST_DIGITS + 1])
{
    struct file_view view;
    if (file_view_open(&view, path)) {
        digest_text(view.bytes, text);
        file_view_close(&view);
    } else {
        strcpy(text, errno == ENOENT ? "-" : "?");
    }
}

/* FILE may be written to several outputs, each with an entry. */
static void key_of(const char *file, const char *output, char key[DIGEST_DIGITS + 1])
{
    char *both = need(format_text("%s\n%s", file, output));
    digest_text((struct ilp_bytes){(const uint8_t *)both, strlen(both)}, key);
    free(both);
}

/* ---- the request ---- */

/* Files named by these options are part of the key. By content: the options name the same files
 * after they were edited. */
static bool names_file(enum option_id option)
{
    return option == OPTION_RULES || option == OPTION_KEY;
}

/* Options that change no output are not in the key. --include and --exclude select files, and
 * --framework as well. */
void patch_key_option(struct patch_key *key, enum option_id option, const char *value)
{
    char digest[DIGEST_DIGITS + 1] = "-";
    switch (option) {
    case OPTION_OUTPUT:
    case OPTION_QUIET:
    case OPTION_VERBOSE:
    case OPTION_PROGRESS:
    case OPTION_JOBS:
    case OPTION_CACHE:
    case OPTION_INCLUDE:
    case OPTION_EXCLUDE:
    case OPTION_FRAMEWORK: return;
    default: break;
    }
    if (value && names_file(option)) {
        file_digest(value, digest);
    }
    char *longer = format_text("%s%d %s %s\n", key->text ? key->text : "", (int)option, digest,
                               value ? value : "");
    free(key->text);
    key->text = need(longer);
}

/* This program's own digest is part of it: another version may patch differently. */
void patch_key_end(const struct patch_key *key, const struct request *what,
                   struct ilp_digest *digest)
{
    char own[DIGEST_DIGITS + 1];
    char *text = NULL;
    size_t size;
    FILE *out = need(open_memstream(&text, &size));
    char *program = process_own_program();
    file_digest(program, own);
    free(program);
    fprintf(out, "%s\n%s", own, key->text ? key->text : "");
    for (size_t i = 0; i < what->inspector_file_count; i++) {
        char inspector[DIGEST_DIGITS + 1];
        digest_text(what->inspector_files[i].bytes, inspector);
        fprintf(out, "%s %s\n", inspector, what->inspector_files[i].name.name);
    }
    need(fclose(out) == 0 ? text : NULL);
    ilp_digest_of((struct ilp_bytes){(const uint8_t *)text, size}, digest);
    free(text);
}

void patch_key_free(struct patch_key *key)
{
    free(key->text);
}

/* ---- reading ---- */

static int compare_entries(const void *left, const void *right)
{
    return strcmp(((const struct entry *)left)->key, ((const struct entry *)right)->key);
}

/* Pointers to entries are valid until the next one is added. */
static struct entry *add_entry(struct patch_cache *cache, const char *key, char *owned_text)
{
    size_t size = (cache->count + 1) * sizeof *cache->entries;
    cache->entries = need(realloc(cache->entries, size));
    struct entry *entry = &cache->entries[cache->count++];
    *entry = (struct entry){.text = need(owned_text)};
    snprintf(entry->key, sizeof entry->key, "%s", key);
    return entry;
}

/* "file KEY ..." and its lines, up to the next entry. */
static void read_entries(struct patch_cache *cache, char *text)
{
    static const char word[] = "\nfile ";
    char *at = strstr(text, word);
    while (at) {
        char *key = at + strlen(word);
        char *next = strstr(key, word);
        /* with the line feed of its last line; read_cache() has seen that "end" is there */
        char *end = next ? next + 1 : strstr(key, "\nend\n") + 1;
        if (strcspn(key, " \n") == DIGEST_DIGITS && key[DIGEST_DIGITS] == ' ') {
            key[DIGEST_DIGITS] = '\0';
            char *rest = key + DIGEST_DIGITS + 1;
            add_entry(cache, key, strndup(rest, (size_t)(end - rest)));
        }
        at = next;
    }
    cache->read = cache->count;
    if (cache->count != 0) {
        qsort(cache->entries, cache->count, sizeof *cache->entries, compare_entries);
    }
}

/* An incomplete file, or one of another version, counts as empty. The last line shows that it is
 * complete. */
static void read_cache(struct patch_cache *cache)
{
    struct file_view view;
    if (!file_view_open(&view, cache->path)) {
        return;
    }
    char *text = need(strndup((const char *)view.bytes.data, view.bytes.size));
    char *first = need(format_text(FIRST_LINE "\nrequest %s\n", cache->request));
    if (strncmp(text, first, strlen(first)) == 0 && ends_with(text, "\nend\n")) {
        read_entries(cache, text);
    }
    free(first);
    free(text);
    file_view_close(&view);
}

struct patch_cache *patch_cache_open(const char *path, const struct ilp_digest *request)
{
    struct patch_cache *cache = need(calloc(1, sizeof *cache));
    cache->path = path;
    char *folder = path_directory(path);
    temporaries_sweep(need(folder)); /* left by a run that was killed while writing the cache */
    free(folder);
    digits_of((struct ilp_bytes){request->bytes, sizeof request->bytes}, cache->request);
    read_cache(cache);
    return cache;
}

/* ---- freshness ---- */

/* "is DIGEST PATH" */
static bool is_same_file(char *rest)
{
    char digest[DIGEST_DIGITS + 1];
    const char *noted = line_word_next(&rest);
    char *path = line_word_next(&rest);
    bool read = line_word_read(path);
    file_digest(path, digest);
    return read && digest[0] != '?' && strcmp(digest, noted) == 0;
}

/* Whether the file's own MVID is recorded by native code of others. */
static bool records_mvid(const struct patch_request *request, const char *file)
{
    struct file_view view;
    bool recorded = false;
    if (file_view_open(&view, file)) {
        struct ilp_image *image = file_image_open(view.bytes, file);
        if (image) {
            recorded = callers_record_mvid(request->callers, file, image);
            ilp_image_close(image);
        }
        file_view_close(&view);
    }
    return recorded;
}

/* "of PATH" */
static bool set_target(struct references *references, char *path)
{
    return line_word_read(path) && references_set_target(references, path);
}

/*   is   a file has the same bytes
 *   of   the references that follow are those of this assembly
 *   ref  a reference finds the same assembly
 */
static bool is_same(const struct patch_request *request, char *line)
{
    struct references *references = request->what->references;
    char *rest = line;
    const char *word = line_word_next(&rest);
    if (strcmp(word, "is") == 0) {
        return is_same_file(rest);
    }
    if (strcmp(word, "of") == 0) {
        return set_target(references, line_word_next(&rest));
    }
    return strcmp(word, "ref") == 0 && cache_reference_is_same(references, rest);
}

/* "BESIDE RECORDED INPUT", and the other lines. MVID_RECORDED is last, since it looks at all
 * neighbours. */
static bool is_fresh(const struct patch_request *request, char *text, char *beside)
{
    char *lines = text;
    char *first = strsep(&lines, "\n");
    const char *noted = line_word_next(&first);
    const char *recorded = line_word_next(&first);
    char *input = line_word_next(&first);
    if (strlen(noted) != request->what->inspector_file_count || !line_word_read(input)) {
        return false;
    }
    strcpy(beside, noted);
    bool fresh = true;
    for (char *line; fresh && (line = strsep(&lines, "\n")) != NULL;) {
        fresh = line[0] == '\0' || is_same(request, line);
    }
    return fresh && strcmp(recorded, records_mvid(request, input) ? "1" : "0") == 0;
}

static struct entry *find(struct patch_cache *cache, const char *file, const char *output)
{
    struct entry wanted = {.text = NULL};
    key_of(file, output, wanted.key);
    return cache->read != 0
               ? bsearch(&wanted, cache->entries, cache->read, sizeof wanted, compare_entries)
               : NULL;
}

/* A copy is taken apart; the entry's text is written again at the end. */
bool patch_cache_is_fresh(struct patch_cache *cache, const struct patch_request *request,
                          const char *file, const char *output, char *beside)
{
    struct entry *entry = find(cache, file, output);
    if (!entry) {
        return false;
    }
    char *text = need(strdup(entry->text));
    entry->seen = is_fresh(request, text, beside);
    free(text);
    return entry->seen;
}

/* ---- recording results ---- */

static void print_file(FILE *out, const char *path)
{
    char digest[DIGEST_DIGITS + 1];
    file_digest(path, digest);
    fprintf(out, "is %s ", digest);
    line_word_print(out, path);
    fputc('\n', out);
}

/* FILE, its original, the output, and everything that patch_result.c has noted: as they are after
 * the patch. */
static void print_files(FILE *out, const char *file, const char *output,
                        const struct patch_result *result)
{
    char *kept = need(format_text("%s.orig", file));
    print_file(out, file);
    print_file(out, kept);
    free(kept);
    if (strcmp(file, output) != 0) {
        print_file(out, output);
    }
    for (size_t i = 0; i < result->files.count; i++) {
        print_file(out, result->files.items[i]);
    }
}

void patch_cache_add(struct patch_cache *cache, const char *file, const char *output,
                     const struct patch_result *result)
{
    char key[DIGEST_DIGITS + 1];
    char *text = NULL;
    size_t size;
    FILE *out = need(open_memstream(&text, &size));
    fprintf(out, "%s %d ", result->beside, result->mvid_recorded);
    line_word_print(out, result->input);
    fputc('\n', out);
    print_files(out, file, output, result);
    need(result->references && fflush(result->references) == 0 ? out : NULL);
    fputs(result->reference_text, out);
    need(fclose(out) == 0 ? text : NULL);
    key_of(file, output, key);
    add_entry(cache, key, text)->seen = true;
}

/* ---- writing ---- */

/* In the order of keys, so that equal caches are equal files. */
static void print_cache(struct patch_cache *cache, FILE *out)
{
    if (cache->count != 0) {
        qsort(cache->entries, cache->count, sizeof *cache->entries, compare_entries);
    }
    fprintf(out, FIRST_LINE "\nrequest %s\n", cache->request);
    for (size_t i = 0; i < cache->count; i++) {
        if (cache->entries[i].seen) {
            fprintf(out, "file %s %s", cache->entries[i].key, cache->entries[i].text);
        }
    }
    fputs("end\n", out);
}

/* Not written if it is the same, and replaced as a whole. */
static enum exit_code write_cache(struct patch_cache *cache)
{
    char *text = NULL;
    size_t size;
    int error;
    FILE *out = need(open_memstream(&text, &size));
    print_cache(cache, out);
    need(fclose(out) == 0 ? text : NULL);
    struct ilp_bytes bytes = {(const uint8_t *)text, size};
    bool written = file_holds(cache->path, bytes) || file_write(cache->path, bytes, NULL, &error);
    free(text);
    if (!written) {
        report_message("%s: cannot write: %s", cache->path, strerror(error));
    }
    return written ? EXIT_DONE : EXIT_CANNOT_WRITE;
}

enum exit_code patch_cache_close(struct patch_cache *cache, bool keep)
{
    enum exit_code code = EXIT_DONE;
    if (!cache) {
        return code;
    }
    if (keep) {
        code = write_cache(cache);
    } else if (!file_is_absent(cache->path) && !file_remove(cache->path)) {
        report_message("%s: cannot remove: %s", cache->path, strerror(errno));
        code = EXIT_CANNOT_WRITE;
    }
    for (size_t i = 0; i < cache->count; i++) {
        free(cache->entries[i].text);
    }
    free(cache->entries);
    free(cache);
    return code;
}
