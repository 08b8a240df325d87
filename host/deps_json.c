/* Adds and removes the inspector's entry in .deps.json files, the host's dependency manifests:
 *
 *   { "runtimeTarget": { "name": T },
 *     "targets": { T: { "Name/1.0.0": { "runtime": { "Name.dll": {...} } } } },
 *     "libraries": { "Name/1.0.0": { "type": "reference", "serviceable": false, "sha512": "" } } }
 *
 * The file is edited as text: all its other bytes stay, comments and order included, so that a diff
 * shows the entry alone, and removing it gives the original again. JSON is parsed to find the
 * places (host/json_edit.c). A file is changed by the transaction of the assembly that calls the
 * inspector, so what the transaction has planned for it is read, not what is on the disk
 * (transaction_now()). */
#include "host/deps_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "host/file_io.h"
#include "host/folder.h"
#include "host/json_edit.h"
#include "host/originals.h"
#include "host/file_view.h"
#include "host/path.h"

/* The entry to add or remove. */
struct deps_entry {
    const struct ilp_assembly_name *assembly;
    char *key;      /* "MyProfiler/1.0.0"; NULL before the first file */
    char *target;   /* its value in the runtime target, as JSON */
    char *library;  /* its value among the libraries */
    bool *replaced; /* set if a *.deps.json.orig of an earlier build was replaced */
};

/* One file; `document` is open. */
struct deps_file {
    struct transaction *changes;
    const char *path;
    struct ilp_bytes bytes;
    struct json_document document;
    /* the libraries of the runtime target; NULL: the file is not a manifest */
    const json_t *target;
    const char *target_name;
};

/* Text as a JSON string; owned by the caller. NULL for NULL, and without memory. */
static char *quoted(const char *text)
{
    json_t *string = text ? json_string(text) : NULL;
    char *json = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    json_decref(string);
    if (!json) {
        memory_failed();
    }
    return json;
}

/* Called for the first file: a folder without files needs no JSON. False: no memory; close_entry()
 * in any case. */
static bool open_entry(struct deps_entry *entry)
{
    const struct ilp_assembly_name *assembly = entry->assembly;
    const uint16_t *version = assembly->version;
    char number[32];
    if (entry->key) {
        return entry->library && entry->target;
    }
    snprintf(number, sizeof number, "%u.%u.%u.%u", version[0], version[1], version[2], version[3]);
    entry->key = format_text("%s/%u.%u.%u", assembly->name, version[0], version[1], version[2]);
    entry->library =
        copy_text("{ \"type\": \"reference\", \"serviceable\": false, \"sha512\": \"\" }");
    char *name = format_text("%s.dll", assembly->name);
    char *file = quoted(name);
    if (file) {
        entry->target = format_text(
            "{ \"runtime\": { %s: { \"assemblyVersion\": \"%s\", \"fileVersion\": \"%s\" } } }",
            file, number, number);
    }
    free(file);
    free(name);
    return entry->key && entry->library && entry->target;
}

static void close_entry(struct deps_entry *entry)
{
    free(entry->key);
    free(entry->target);
    free(entry->library);
}

/* ---- one file ---- */

/* CoreCLR's host reads the target that runtimeTarget names, in one of two forms: a string, or an
 * object with a name. */
static void find_target(struct deps_file *file)
{
    const json_t *root = file->document.root;
    const json_t *wanted = json_object_get(root, "runtimeTarget");
    const json_t *libraries = json_object_get(root, "libraries");
    file->target_name = json_is_string(wanted) ? json_string_value(wanted)
                                               : json_text(wanted, "name");
    file->target = file->target_name
                       ? json_object_get(json_object_get(root, "targets"), file->target_name)
                       : NULL;
    if (!json_is_object(file->target) || (libraries && !json_is_object(libraries))) {
        file->target = NULL;
    }
}

/* `changes`, `path` and `bytes` are set. A manifest that the host could not read is refused: the
 * program does not start with it. */
static bool open_file(struct deps_file *file)
{
    if (!json_document_open(&file->document, file->bytes)) {
        report_message(
            "%s: cannot read it as JSON, as the host would: %s. Repair it, or pass --embed, which "
            "needs no entry there",
            file->path, file->document.error);
        return false;
    }
    find_target(file);
    return true;
}

/* Compared as values, so that a formatter may have changed the text. */
static bool is_json(const json_t *value, const char *text)
{
    json_t *other = json_loads(text, 0, NULL);
    bool same = other && json_equal(value, other);
    if (!other) {
        memory_failed();
    }
    json_decref(other);
    return same;
}

/* Whether the entry is as add_entry() makes it; an application may list the assembly itself. */
static bool has_our_entry(const struct deps_file *file, const struct deps_entry *entry)
{
    return is_json(json_object_get(file->target, entry->key), entry->target) &&
           is_json(json_object_get(json_object_get(file->document.root, "libraries"), entry->key),
                   entry->library);
}

/* ---- the edits ---- */

/* The offset of the object with the target's libraries. */
static size_t target_place(const struct deps_file *file)
{
    struct json_member targets = {.value = 0};
    struct json_member target = {.value = 0};
    json_find(&file->document, json_begin(&file->document), "targets", &targets);
    json_find(&file->document, targets.value, file->target_name, &target);
    return target.value;
}

static struct json_change add_member(const struct deps_file *file, size_t object, const char *key,
                                     const char *value)
{
    char *name = quoted(key);
    char *member = name && value ? format_text("%s: %s", name, value) : NULL;
    struct json_change change = {0};
    if (member) {
        change = json_add(&file->document, file->bytes, object, member);
    }
    free(member);
    free(name);
    return change;
}

/* An entry is in two places: under the target and under "libraries", which a file may lack. */
static size_t add_entry(const struct deps_file *file, const struct deps_entry *entry,
                        struct json_change changes[2])
{
    size_t root = json_begin(&file->document);
    struct json_member libraries;
    changes[0] = add_member(file, target_place(file), entry->key, entry->target);
    if (json_find(&file->document, root, "libraries", &libraries)) {
        changes[1] = add_member(file, libraries.value, entry->key, entry->library);
    } else {
        char *name = quoted(entry->key);
        char *value = name ? format_text("{ %s: %s }", name, entry->library) : NULL;
        changes[1] = add_member(file, root, "libraries", value);
        free(value);
        free(name);
    }
    return 2;
}

/* What is there of the two; the second place is found in the text as it was, since both changes are
 * applied together. */
static size_t remove_entry(const struct deps_file *file, const struct deps_entry *entry,
                           struct json_change changes[2])
{
    struct json_member libraries;
    struct json_member member;
    size_t count = 0;
    if (json_find(&file->document, target_place(file), entry->key, &member)) {
        changes[count++] = json_remove(&file->document, file->bytes, &member);
    }
    if (json_find(&file->document, json_begin(&file->document), "libraries", &libraries) &&
        json_find(&file->document, libraries.value, entry->key, &member)) {
        changes[count++] = json_remove(&file->document, file->bytes, &member);
    }
    return count;
}

/* The file with or without the entry; its status is not ILP_OK without memory. */
static struct ilpi_buf
edited(const struct deps_file *file, const struct deps_entry *entry, struct ilpi_alloc *alloc,
       size_t (*edit)(const struct deps_file *file, const struct deps_entry *entry,
                      struct json_change changes[2]))
{
    struct json_change changes[2];
    ilpi_alloc_init(alloc, NULL);
    struct ilpi_buf text = {.alloc = alloc};
    unsigned failures = memory_failures();
    json_apply(&text, file->bytes, changes, edit(file, entry, changes));
    if (text.status != ILP_OK) {
        memory_failed();
    }
    text.status = memory_failures() == failures ? ILP_OK : ILP_E_NO_MEMORY;
    return text;
}

static enum exit_code write_text(const struct deps_file *file, const struct ilpi_buf *text)
{
    if (text->status != ILP_OK) {
        report_message("%s: cannot write: %s", file->path, strerror(ENOMEM));
        return EXIT_CANNOT_WRITE;
    }
    return transaction_write(file->changes, file->path, ilpi_buf_bytes(text), file->path)
               ? EXIT_DONE
               : transaction_report(file->changes);
}

/* ---- kept originals ---- */

/* Whether the file has an entry like ours that `kept` lacks, other than `entry`. */
static bool has_added_entry(const struct deps_file *file, const struct json_document *kept,
                            const struct deps_entry *entry)
{
    json_t *libraries = json_object_get(file->document.root, "libraries");
    const json_t *before = json_object_get(kept->root, "libraries");
    const char *key;
    json_t *library;
    json_object_foreach(libraries, key, library)
    {
        if (strcmp(key, entry->key) != 0 && !json_object_get(before, key) &&
            is_json(library, entry->library)) {
            return true;
        }
    }
    return false;
}

/* Whether we kept *.deps.json.orig, from another build than the file's: the file has no entry of
 * ours, except perhaps this one. */
static bool is_stale(const struct deps_file *file, struct ilp_bytes kept,
                     const struct deps_entry *entry)
{
    struct json_document before;
    if (!original_is_recorded(file->changes, file->path, kept)) {
        return false;
    }
    bool stale = json_document_open(&before, kept) && !has_added_entry(file, &before, entry);
    json_document_close(&before);
    return stale;
}

/* A file of that name that we did not keep belongs to another: it stays, and the entry is later
 * removed by editing. */
static enum exit_code keep(const struct deps_file *file, const struct deps_entry *entry)
{
    struct transaction *changes = file->changes;
    struct file_view there = {.bytes = {NULL, 0}};
    enum exit_code code = EXIT_DONE;
    char *kept = format_text("%s.orig", file->path);
    bool exists = file_view_open(&there, kept ? transaction_now(changes, kept) : NULL);
    if (!exists && errno != ENOENT) {
        report_message("%s: cannot read: %s", kept ? kept : file->path, strerror(errno));
        code = EXIT_CANNOT_WRITE;
    } else if (!exists || is_stale(file, there.bytes, entry)) {
        if (!transaction_write(changes, kept, file->bytes, file->path) ||
            !original_record(changes, file->path, file->bytes, NULL)) {
            code = transaction_report(changes);
        }
        *entry->replaced = *entry->replaced || exists;
    }
    file_view_close(&there);
    free(kept);
    return code;
}

/* ---- one file: adding and removing the entry ---- */

/* A file that has the entry, or no target, stays as it is. */
static enum exit_code add_to_file(const struct deps_file *file, const struct deps_entry *entry)
{
    struct ilpi_alloc alloc;
    if (!file->target || json_object_get(file->target, entry->key)) {
        return EXIT_DONE;
    }
    enum exit_code code = keep(file, entry);
    if (code == EXIT_DONE) {
        struct ilpi_buf text = edited(file, entry, &alloc, add_entry);
        code = write_text(file, &text);
        ilpi_buf_free(&text);
    }
    return code;
}

/* As remove_entry(), including the "libraries" object if add_entry() made it. */
static size_t remove_libraries(const struct deps_file *file, const struct deps_entry *entry,
                               struct json_change changes[2])
{
    struct json_member libraries;
    size_t count = remove_entry(file, entry, changes);
    if (count == 2 &&
        json_find(&file->document, json_begin(&file->document), "libraries", &libraries)) {
        free(changes[1].text);
        changes[1] = json_remove(&file->document, file->bytes, &libraries);
    }
    return count;
}

static bool is_edited(const struct deps_file *file, const struct deps_entry *entry,
                      struct ilp_bytes original,
                      size_t (*edit)(const struct deps_file *file, const struct deps_entry *entry,
                                     struct json_change changes[2]))
{
    struct ilpi_alloc alloc;
    struct ilpi_buf text = edited(file, entry, &alloc, edit);
    bool same = text.status == ILP_OK && ilpi_bytes_equal(ilpi_buf_bytes(&text), original);
    ilpi_buf_free(&text);
    return same;
}

/* Whether version 0.1 made the file from the original: it reformatted the whole file. */
static bool is_from_0_1(const struct deps_file *file, const struct deps_entry *entry,
                        struct ilp_bytes original)
{
    struct json_document before;
    if (!json_document_open(&before, original)) {
        json_document_close(&before);
        return false;
    }
    json_t *targets = json_object_get(before.root, "targets");
    json_t *libraries = json_object_get(before.root, "libraries");
    if (!libraries) {
        libraries = json_object();
        json_object_set_new(before.root, "libraries", libraries);
    }
    json_object_set_new(json_object_get(targets, file->target_name), entry->key,
                        json_loads(entry->target, 0, NULL));
    json_object_set_new(libraries, entry->key, json_loads(entry->library, 0, NULL));
    char *text = json_dumps(before.root, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    bool same = false;
    if (text) {
        struct ilp_bytes made = {(const uint8_t *)text, strlen(text)};
        same = ilpi_bytes_equal(file->bytes, made);
    } else {
        memory_failed();
    }
    free(text);
    json_document_close(&before);
    return same;
}

/* Whether the original is what remains without the entry: then nothing else was changed since. */
static bool is_original(const struct deps_file *file, const struct deps_entry *entry,
                        struct ilp_bytes original)
{
    return is_edited(file, entry, original, remove_entry) ||
           (json_object_size(json_object_get(file->document.root, "libraries")) == 1 &&
            is_edited(file, entry, original, remove_libraries)) ||
           is_from_0_1(file, entry, original);
}

/* Each inspector has its own entry. The original is restored with the last one, unless the file has
 * other changes. */
static enum exit_code remove_from_file(const struct deps_file *file, const struct deps_entry *entry)
{
    struct file_view original = {.bytes = {NULL, 0}};
    struct ilpi_alloc alloc;
    enum exit_code code = EXIT_DONE;
    if (!has_our_entry(file, entry)) {
        return EXIT_DONE;
    }
    char *kept = format_text("%s.orig", file->path);
    struct ilpi_buf text = edited(file, entry, &alloc, remove_entry);
    bool exists = file_view_open(&original, kept);
    bool forget = false;
    if (!exists && errno != ENOENT) {
        report_message("%s: cannot read: %s", kept ? kept : file->path, strerror(errno));
        code = EXIT_CANNOT_WRITE;
    } else if (exists && is_original(file, entry, original.bytes)) {
        forget = transaction_link(file->changes, kept, file->path);
        code = forget ? EXIT_DONE : transaction_report(file->changes);
    } else {
        code = write_text(file, &text);
        forget = exists && is_stale(file, original.bytes, entry);
    }
    if (code == EXIT_DONE && forget) {
        transaction_remove(file->changes, kept);
        original_forget(file->changes, file->path);
    }
    ilpi_buf_free(&text);
    file_view_close(&original);
    free(kept);
    return code;
}

/* ---- all files ---- */

static enum exit_code nothing_more(const struct deps_file *file, const struct deps_entry *entry)
{
    (void)file, (void)entry;
    return EXIT_DONE;
}

typedef enum exit_code deps_work(const struct deps_file *file, const struct deps_entry *entry);

static enum exit_code for_file(struct transaction *changes, const char *path,
                               struct deps_entry *entry, deps_work *work)
{
    struct file_view view;
    enum exit_code code = EXIT_BAD_INPUT;
    if (!file_view_open(&view, changes ? transaction_now(changes, path) : path)) {
        if (errno == ENOENT) { /* a dangling link, which the host skips */
            return EXIT_DONE;
        }
        report_message("%s: cannot read: %s", path, strerror(errno));
        return EXIT_BAD_INPUT;
    }
    struct deps_file file = {.changes = changes, .path = path, .bytes = view.bytes};
    if (open_file(&file)) {
        code = !entry || open_entry(entry) ? work(&file, entry) : EXIT_CANNOT_WRITE;
    }
    json_document_close(&file.document);
    file_view_close(&view);
    return code;
}

/* All files are done even if one fails; the worst of their results is that of the folder. An
 * application may have several manifests in its folder, and the host reads one of them. */
static enum exit_code for_each_file(struct transaction *changes, const char *directory,
                                    struct deps_entry *entry, deps_work *work)
{
    enum exit_code worst = EXIT_DONE;
    struct folder *entries = folder_open(directory);
    const char *name = NULL;
    while (entries && (name = folder_next(entries)) != NULL) {
        char *path = path_join(directory, name);
        if (!path) {
            worst = EXIT_CANNOT_WRITE;
        } else if (ends_with(name, ".deps.json") && !path_is_directory(path)) {
            enum exit_code code = for_file(changes, path, entry, work);
            worst = code > worst ? code : worst;
        }
        free(path);
    }
    if (errno != 0) {
        report_message("%s: cannot read: %s", directory, strerror(errno));
        worst = EXIT_BAD_INPUT;
    }
    folder_close(entries);
    return worst;
}

enum exit_code deps_check(const char *directory)
{
    return for_each_file(NULL, directory, NULL, nothing_more);
}

enum exit_code deps_add(struct transaction *changes, const char *directory,
                        const struct ilp_assembly_name *assembly, bool *replaced)
{
    struct deps_entry entry = {.assembly = assembly, .replaced = replaced};
    enum exit_code code = for_each_file(changes, directory, &entry, add_to_file);
    close_entry(&entry);
    return code;
}

enum exit_code deps_remove(struct transaction *changes, const char *directory,
                           const struct ilp_assembly_name *assembly)
{
    struct deps_entry entry = {.assembly = assembly};
    enum exit_code code = for_each_file(changes, directory, &entry, remove_from_file);
    close_entry(&entry);
    return code;
}
